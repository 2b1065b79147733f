"""Derive one kind of gold from another: references, annotations, error groups, and mixed annotators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod

from gecbench.corpus.corpus import Corpus, CorpusCache
from gecbench.corpus.edits import Annotation, Edit, apply_edits, extract_all_edits, span
from gecbench.corpus.groups import (
    Alternative,
    AnnotatedEdit,
    ErrorGroup,
    GroupedSentence,
    annotated_edits,
    cluster_edits,
    group_annotations,
    split_correction,
)
from gecbench.errors import InputError

_EXTRACTED_EDITS: CorpusCache[Sequence[Sequence[tuple[Edit, ...]]]] = CorpusCache()
_EXTRACTED_ANNOTATIONS: CorpusCache[tuple[tuple[Annotation, ...], ...]] = CorpusCache()


def derive_references(corpus: Corpus) -> Corpus:
    """Return the corpus with one reference per annotator of each sentence, made by applying the edits.

    A sentence that nobody annotated gets its source as the only reference.
    """
    if corpus.annotations is None:
        raise InputError(f"{corpus.name} has no annotations to derive references from")
    references = [
        [apply_edits(source, annotation.edits) for annotation in sentence] or [" ".join(source.split())]
        for source, sentence in zip(corpus.sources, corpus.annotations, strict=True)
    ]
    return corpus.replace(references=references)


def with_references(corpus: Corpus) -> Corpus:
    """Return the corpus with references, made by applying its edits if it has none."""
    if corpus.references is not None:
        return corpus
    return derive_references(corpus) if corpus.has("annotations") else derive_group_references(corpus)


def derive_annotations(corpus: Corpus) -> Corpus:
    """Return the corpus with one annotator per reference, whose edits are extracted from the rewrite.

    A reference equal to its source is an annotator without edits.
    """
    return corpus.replace(annotations=extracted_annotations(corpus))


def extracted_annotations(corpus: Corpus) -> tuple[tuple[Annotation, ...], ...]:
    """Return each sentence's annotations, one per reference; they are extracted once."""
    found = _EXTRACTED_ANNOTATIONS.get(corpus)
    if found is None:
        edits = _extracted_edits(corpus)
        made = tuple(tuple([Annotation(k, edit) for k, edit in enumerate(sentence)]) for sentence in edits)
        found = _EXTRACTED_ANNOTATIONS.put(corpus, None, made)
    return found


def _extracted_edits(corpus: Corpus) -> Sequence[Sequence[tuple[Edit, ...]]]:
    """Return the edits of each reference; of some references of a corpus those that were extracted from all."""
    references, origin = corpus.references, corpus.origin()
    if references is None:
        raise InputError(f"{corpus.name} has no references to extract edits from")
    if origin is not None:
        whole, chosen = origin
        return [[edits[k] for k in chosen if k < len(edits)] for edits in _extracted_edits(whole)]
    found = _EXTRACTED_EDITS.get(corpus)
    return _EXTRACTED_EDITS.put(corpus, None, extract_all_edits(corpus.sources, references)) if found is None else found


def derive_groups(corpus: Corpus, treebank: bool = True) -> Corpus:
    """Return the corpus with error groups made from its annotations, or from its references if it has none.

    As officially only the first of an edit's corrections is used, split as in a treebank (`can't` to `ca n't`) unless
    `treebank` is false; rewrites are taken as they are. A corpus that has groups keeps them.
    """
    if corpus.groups is not None:
        return corpus
    if corpus.annotations is None and corpus.references is None:
        raise InputError(f"{corpus.name} has neither annotations nor references to group")
    split = treebank and corpus.annotations is not None
    annotated = corpus if corpus.annotations is not None else derive_annotations(corpus)
    return corpus.replace(groups=[group_annotations(sentence, split) for sentence in annotated.annotations or ()])


def ungroup(corpus: Corpus) -> Corpus:
    """Return the corpus with one annotation per annotator of its error groups, edits in the order of the text.

    Where a sentence gives a larger number of annotators, the others get an annotation without edits.
    """
    if corpus.groups is None:
        raise InputError(f"{corpus.name} has no error groups")
    names = sorted({item.annotator for sentence in corpus.groups for item in _alternatives(sentence)})
    numbers = {name: int(name) for name in names if name.isdecimal()}
    if len(set(numbers.values())) < len(names):
        numbers = {name: number for number, name in enumerate(names)}
    return corpus.replace(annotations=[_annotations(sentence, numbers) for sentence in corpus.groups])


def _alternatives(sentence: GroupedSentence) -> list[Alternative]:
    return [alternative for group in sentence.groups for alternative in group.alternatives]


def _annotations(sentence: GroupedSentence, numbers: dict[str, int]) -> list[Annotation]:
    edits: dict[int, list[Edit]] = {}
    for group in sentence.groups:
        for alternative in group.alternatives:
            edits.setdefault(numbers[alternative.annotator], []).extend(
                Edit(change.start, change.end, (change.text,), group.type or "UNK")
                for change in alternative.replacements
            )
    idle = (number for number in range(len(edits) + (sentence.annotators or 0)) if number not in edits)
    while len(edits) < (sentence.annotators or 0):
        edits[next(idle)] = []
    return [Annotation(annotator, tuple(sorted(edits[annotator], key=span))) for annotator in sorted(edits)]


Choice = tuple[Edit, ...]


def alternative_edits(alternative: Alternative, error_type: str = "") -> Choice:
    """Return the edits of an alternative, sorted; replacements of one span are joined in document order."""
    texts: dict[tuple[int, int], list[str]] = {}
    for change in alternative.replacements:
        texts.setdefault((change.start, change.end), []).extend(change.text.split())
    return tuple(Edit(*place, (" ".join(texts[place]),), error_type or "UNK") for place in sorted(texts))


def alternatives_of(group: ErrorGroup) -> list[Choice]:
    """Return the distinct alternatives of a group: those that make the same edits count once."""
    return list(dict.fromkeys(alternative_edits(item, group.type) for item in group.alternatives))


def choices_of(group: ErrorGroup) -> list[Choice]:
    """Return what a group offers to mixing: its distinct alternatives, and last nothing if it is optional."""
    return alternatives_of(group) + ([] if group.required else [()])


def group_choices(sentence: GroupedSentence) -> list[list[Choice]]:
    """Return the choices of each group of a sentence."""
    return [choices_of(group) for group in sentence.groups]


def combinations(choices: Sequence[Sequence[Choice]]) -> Iterator[Choice]:
    """Yield the edits of every way to take one choice of each group, without those in which groups edit one span."""
    # 1. Take one choice of each group, in all combinations.
    for combination in product(*choices):
        # 2. Drop those in which two groups edit the same span.
        taken = [{span(edit) for edit in choice} for choice in combination]
        if len(set().union(*taken)) == sum(map(len, taken)):
            yield tuple(edit for choice in combination for edit in choice)


def unmixed_references(source: str, sentence: GroupedSentence) -> list[str]:
    """Return one reference per annotator with corrections, and the source if some annotator has none."""
    if sentence.annotators is None:
        raise InputError(
            f"the number of annotators of {source[:40]!r} is not given",
            fix="Add numann to the sentence element, or mix",
        )
    edits: dict[str, list[Edit]] = {}
    for group in sentence.groups:
        for alternative in group.alternatives:
            edits.setdefault(alternative.annotator, []).extend(alternative_edits(alternative))
    annotators = sorted(edits, key=lambda name: (len(name), name))
    return _distinct_references(source, [edits[annotator] for annotator in annotators], sentence.annotators)


def _distinct_references(source: str, corrections: Sequence[Sequence[Edit]], annotators: int) -> list[str]:
    references = [apply_edits(source, edits, official=True) for edits in corrections]
    if len(references) < max(annotators, 1):
        references.append(" ".join(source.split()))
    return list(dict.fromkeys(references))


def derive_group_references(corpus: Corpus) -> Corpus:
    """Return the corpus with the unmixed references of its error groups."""
    if corpus.groups is None:
        raise InputError(f"{corpus.name} has no error groups to derive references from")
    pairs = zip(corpus.sources, corpus.groups, strict=True)
    return corpus.replace(references=[unmixed_references(source, sentence) for source, sentence in pairs])


def annotator_references(source: str, annotations: Sequence[Annotation], treebank: bool) -> list[str]:
    """Return the `unmixed_references` of a sentence, without making error groups where they do not matter."""
    made: dict[int, list[Edit]] = {}
    for annotation in annotations:
        edits = [Edit(*span(edit), (split_correction(edit.corrections[0], treebank),)) for edit in annotation.edits]
        made.setdefault(annotation.annotator, []).extend(edits)
    if any(len(set(map(span, edits))) < len(edits) for edits in made.values()):
        return unmixed_references(source, group_annotations(annotations, treebank))
    return _distinct_references(source, [made[annotator] for annotator in sorted(made) if made[annotator]], len(made))


def mixed_annotations(choices: Sequence[Sequence[Choice]], limit: int) -> list[Annotation] | None:
    """Return an annotation for every way to take one choice of each group, None if there are more than `limit`.

    Ways that edit one span twice, or repeat another one's edits, are left out.
    """
    if prod(map(len, choices)) > limit:
        return None
    distinct: dict[object, Choice] = {}
    for combination in combinations(choices):
        edits = tuple(sorted(combination, key=span))
        distinct.setdefault(_changes(edits), edits)
    return [Annotation(number, edits) for number, edits in enumerate(distinct.values())]


def _changes(edits: Iterable[Edit]) -> tuple[tuple[int, int, tuple[str, ...]], ...]:
    return tuple((edit.start, edit.end, edit.corrections) for edit in edits)


def edit_choices(annotations: Sequence[Annotation]) -> list[list[Choice]]:
    """Return for each error of a sentence its annotators' distinct edits, and last none if not all corrected it."""
    annotators = len({annotation.annotator for annotation in annotations})
    return [_cluster_choices(cluster, annotators) for cluster in cluster_edits(annotated_edits(annotations))]


def _cluster_choices(cluster: Sequence[AnnotatedEdit], annotators: int) -> list[Choice]:
    edits: dict[int, list[Edit]] = {}
    for annotator, edit in cluster:
        edits.setdefault(annotator, []).append(edit)
    distinct = {tuple(sorted(_changes(made))): tuple(made) for _, made in sorted(edits.items(), reverse=True)}
    return [*reversed(distinct.values()), *([()] if len(edits) < annotators else [])]


def mix_sentences(
    groups: Sequence[GroupedSentence] | None, annotations: Sequence[Sequence[Annotation]], limit: int
) -> tuple[list[Sequence[Annotation]], list[int]]:
    """Return each sentence's mixed annotations, or its own where there are more than `limit`, and which those are.

    Error groups are taken as they are if there are some, else made from the annotations.
    """
    choices = map(edit_choices, annotations) if groups is None else map(group_choices, groups)
    mixed: list[Sequence[Annotation]] = []
    unmixed = []
    for i, sentence in enumerate(choices):
        found = mixed_annotations(sentence, limit)
        if not found:
            unmixed.append(i)
        mixed.append(found or annotations[i])
    return mixed, unmixed


def mix_annotations(corpus: Corpus, limit: int = 1024) -> tuple[Corpus, list[int]]:
    """Return the corpus whose annotators are all ways to mix those it has, and the sentences left unmixed.

    A sentence with more than `limit` ways, or none that edits no span twice, keeps its annotators. Error groups are
    taken as they are if the corpus has some, else made from the annotations; edits keep all their corrections.
    """
    if corpus.groups is None and corpus.annotations is None:
        raise InputError(f"{corpus.name} has no annotations to mix")
    annotations = (corpus if corpus.annotations is not None else ungroup(corpus)).annotations or ()
    mixed, unmixed = mix_sentences(corpus.groups, annotations, limit)
    return corpus.replace(annotations=mixed, groups=None), unmixed

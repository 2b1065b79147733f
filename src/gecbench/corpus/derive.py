"""Derive one kind of gold from another.

The kinds are references, annotations, error groups, and mixed annotators.
"""

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
    """Add references by applying the edits: one reference per annotator.

    Args:
        corpus: A corpus with annotations.

    Returns:
        The corpus with references. Of each edit, the first correction is used. A sentence without annotators gets its
        source as the only reference.

    Raises:
        InputError: The corpus has no annotations, or the edits of an annotator overlap.

    >>> from gecbench import Annotation, Corpus, Edit
    >>> corpus = Corpus(["He go ."], annotations=[[Annotation(0, (Edit(1, 2, ("goes",)),))]])
    >>> derive_references(corpus).references
    (('He goes .',),)
    """
    if corpus.annotations is None:
        raise InputError(f"{corpus.name} has no annotations", fix="Give annotations (an M2 file)")
    references = [
        [apply_edits(source, annotation.edits) for annotation in sentence] or [" ".join(source.split())]
        for source, sentence in zip(corpus.sources, corpus.annotations, strict=True)
    ]
    return corpus.replace(references=references)


def with_references(corpus: Corpus) -> Corpus:
    """Return the corpus with references. If it has none, derive them from its edits."""
    if corpus.references is not None:
        return corpus
    return derive_references(corpus) if corpus.has("annotations") else derive_group_references(corpus)


def derive_annotations(corpus: Corpus) -> Corpus:
    """Add annotations by extracting edits from the references.

    There is one annotator per reference.

    Args:
        corpus: A corpus with references.

    Returns:
        The corpus with annotations. A reference equal to its source becomes an annotator without edits.

    Raises:
        InputError: The corpus has no references.

    >>> from gecbench import Corpus
    >>> derived = derive_annotations(Corpus(["He go ."], [["He goes ."]]))
    >>> derived.annotations[0][0].edits[0].corrections
    ('goes',)
    """
    return corpus.replace(annotations=extracted_annotations(corpus))


def extracted_annotations(corpus: Corpus) -> tuple[tuple[Annotation, ...], ...]:
    """Return each sentence's annotations, one per reference.

    They are extracted once and cached.
    """
    found = _EXTRACTED_ANNOTATIONS.get(corpus)
    if found is None:
        edits = _extracted_edits(corpus)
        made = tuple(tuple([Annotation(k, edit) for k, edit in enumerate(sentence)]) for sentence in edits)
        found = _EXTRACTED_ANNOTATIONS.put(corpus, None, made)
    return found


def _extracted_edits(corpus: Corpus) -> Sequence[Sequence[tuple[Edit, ...]]]:
    """Return the edits of each reference.

    If the corpus was made by `with_references`, reuse the edits extracted for the original corpus.
    """
    references, origin = corpus.references, corpus.origin()
    if references is None:
        raise InputError(f"{corpus.name} has no references to extract edits from", fix="Give references")
    if origin is not None:
        whole, chosen = origin
        return [[edits[k] for k in chosen if k < len(edits)] for edits in _extracted_edits(whole)]
    found = _EXTRACTED_EDITS.get(corpus)
    return _EXTRACTED_EDITS.put(corpus, None, extract_all_edits(corpus.sources, references)) if found is None else found


def derive_groups(corpus: Corpus, treebank: bool = True) -> Corpus:
    """Add error groups.

    They are made from the annotations or, if there are none, from the references.

    Args:
        corpus: A corpus with annotations or references. A corpus with groups is returned unchanged.
        treebank: Split corrections as in a treebank (`can't` to `ca n't`), as the official converter of the I-measure
            does. References are never split.

    Returns:
        The corpus with error groups. Of each edit, only the first correction is used, as in the official converter.

    Raises:
        InputError: The corpus has neither annotations nor references.

    >>> from gecbench import Corpus
    >>> grouped = derive_groups(Corpus(["He go ."], [["He goes .", "He went ."]]))
    >>> [item.replacements[0].text for item in grouped.groups[0].groups[0].alternatives]
    ['goes', 'went']
    """
    if corpus.groups is not None:
        return corpus
    if corpus.annotations is None and corpus.references is None:
        problem = f"{corpus.name} has neither annotations nor references to make error groups from"
        raise InputError(problem, fix="Give annotations (an M2 file) or references")
    split = treebank and corpus.annotations is not None
    annotated = corpus if corpus.annotations is not None else derive_annotations(corpus)
    return corpus.replace(groups=[group_annotations(sentence, split) for sentence in annotated.annotations or ()])


def ungroup(corpus: Corpus) -> Corpus:
    """Add annotations made from the error groups.

    Each annotator gets one annotation, with edits in the order of the text.

    Args:
        corpus: A corpus with error groups.

    Returns:
        The corpus with annotations. If a sentence has a number of annotators, an annotator whom no group mentions gets
        an annotation without edits.

    Raises:
        InputError: The corpus has no error groups.

    >>> from gecbench import Corpus, derive_groups
    >>> grouped = derive_groups(Corpus(["He go ."], [["He goes ."]])).replace(references=None)
    >>> ungroup(grouped).annotations[0][0].edits[0].corrections
    ('goes',)
    """
    if corpus.groups is None:
        raise InputError(f"{corpus.name} has no error groups", fix="Add error groups with derive_groups(corpus)")
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
    """Return the edits of an alternative in text order.

    Replacements with the same span become one edit, with their texts joined in document order.
    """
    texts: dict[tuple[int, int], list[str]] = {}
    for change in alternative.replacements:
        texts.setdefault((change.start, change.end), []).extend(change.text.split())
    return tuple(Edit(*place, (" ".join(texts[place]),), error_type or "UNK") for place in sorted(texts))


def alternatives_of(group: ErrorGroup) -> list[Choice]:
    """Return the edits of each alternative of a group.

    Alternatives with equal edits are listed once.
    """
    return list(dict.fromkeys(alternative_edits(item, group.type) for item in group.alternatives))


def choices_of(group: ErrorGroup) -> list[Choice]:
    """Return the choices of a group.

    They are its distinct alternatives, plus the choice without edits if the group is optional.
    """
    return alternatives_of(group) + ([] if group.required else [()])


def group_choices(sentence: GroupedSentence) -> list[list[Choice]]:
    """Return the choices of each group of a sentence."""
    return [choices_of(group) for group in sentence.groups]


def combinations(choices: Sequence[Sequence[Choice]]) -> Iterator[Choice]:
    """Yield every combination of one choice per group.

    Combinations that edit a span twice are left out.
    """
    # 1. Take one choice per group, in all combinations.
    for combination in product(*choices):
        # 2. Drop combinations in which two groups edit the same span.
        taken = [{span(edit) for edit in choice} for choice in combination]
        if len(set().union(*taken)) == sum(map(len, taken)):
            yield tuple(edit for choice in combination for edit in choice)


def unmixed_references(source: str, sentence: GroupedSentence) -> list[str]:
    """Return one reference per annotator with edits.

    The source is added if an annotator has no edits.
    """
    if sentence.annotators is None:
        raise InputError(
            f"the number of annotators of the sentence {source[:40]!r} is not given",
            fix="Add the attribute numann to the <sentence> element",
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
    """Add the unmixed references of the error groups."""
    if corpus.groups is None:
        fix = "Give references, annotations or error groups"
        raise InputError(f"{corpus.name} has neither references nor edits", fix=fix)
    pairs = zip(corpus.sources, corpus.groups, strict=True)
    return corpus.replace(references=[unmixed_references(source, sentence) for source, sentence in pairs])


def annotator_references(source: str, annotations: Sequence[Annotation], treebank: bool) -> list[str]:
    """Return the same texts as `unmixed_references`.

    Error groups are created only if they change the result.
    """
    made: dict[int, list[Edit]] = {}
    for annotation in annotations:
        edits = [Edit(*span(edit), (split_correction(edit.corrections[0], treebank),)) for edit in annotation.edits]
        made.setdefault(annotation.annotator, []).extend(edits)
    if any(len(set(map(span, edits))) < len(edits) for edits in made.values()):
        return unmixed_references(source, group_annotations(annotations, treebank))
    return _distinct_references(source, [made[annotator] for annotator in sorted(made) if made[annotator]], len(made))


def mixed_annotations(choices: Sequence[Sequence[Choice]], limit: int) -> list[Annotation] | None:
    """Return one annotation per combination of choices.

    Return None if there are more than `limit` combinations. Combinations that edit a span twice, or repeat another
    combination's edits, are left out.
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
    """Return the choices for each error.

    They are the distinct edits, plus the choice without edits if an annotator has none.
    """
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
    """Return the mixed annotations of each sentence.

    Also return the positions of the sentences left unmixed. A sentence with more than `limit` combinations keeps its
    own annotations. If `groups` is None, the errors are found in the annotations.
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
    """Mix the annotators of each sentence.

    Each combination of their edits becomes one annotator. This gives the mixed references of Felice & Briscoe (2015) as
    annotations, for example for M2.

    Args:
        corpus: A corpus with annotations or error groups. If it has no groups, overlapping edits are grouped.
        limit: The largest number of combinations. A sentence keeps its original annotators if it has more combinations,
            or if every combination edits some span twice.

    Returns:
        The mixed corpus, and the positions of the sentences that keep their original annotators. The mixed corpus has
        no error groups. If the corpus has references, the mixed corpus keeps them, unmixed.

    Raises:
        InputError: The corpus has neither annotations nor error groups.

    >>> from gecbench import Corpus, derive_annotations
    >>> texts = ["He goes to school by feet .", "He go to school on foot ."]
    >>> mixed, unmixed = mix_annotations(derive_annotations(Corpus(["He go to school by feet ."], [texts])))
    >>> len(mixed.annotations[0]), unmixed
    (4, [])
    """
    if corpus.groups is None and corpus.annotations is None:
        fix = "Give annotations (an M2 file) or error groups (an XML file)"
        raise InputError(f"{corpus.name} has neither annotations nor error groups to mix", fix=fix)
    annotations = (corpus if corpus.annotations is not None else ungroup(corpus)).annotations or ()
    mixed, unmixed = mix_sentences(corpus.groups, annotations, limit)
    return corpus.replace(annotations=mixed, groups=None), unmixed

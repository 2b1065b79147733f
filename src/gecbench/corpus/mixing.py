"""Mixing annotators: the references, or annotations, that error groups allow (docs/imeasure.md, section 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from gecbench.corpus.corpus import Corpus
from gecbench.corpus.derive import ungroup
from gecbench.corpus.edits import Annotation, Edit
from gecbench.corpus.error_groups import (
    Alternative,
    AnnotatedEdit,
    ErrorGroup,
    GroupedSentence,
    annotated_edits,
    cluster_edits,
    first_correction,
    group_annotations,
)
from gecbench.errors import InputError

Span = tuple[int, int]
SpanTokens = tuple[int, int, tuple[str, ...]]
Changes = tuple[SpanTokens, ...]


def merged_spans(alternative: Alternative) -> Changes:
    """Return the alternative's replacements, those of one span joined in document order."""
    if len(alternative.replacements) == 1:
        (only,) = alternative.replacements
        return ((only.start, only.end, tuple(only.text.split())),)
    merged: dict[Span, list[str]] = {}
    for change in alternative.replacements:
        merged.setdefault((change.start, change.end), []).extend(change.text.split())
    return tuple((start, end, tuple(tokens)) for (start, end), tokens in merged.items())


def alternatives_of(group: ErrorGroup) -> list[Changes]:
    """Return the distinct alternatives of a group: those that make the same changes count once."""
    return list({tuple(sorted(merged_spans(item))): None for item in group.alternatives})


def choices_of(group: ErrorGroup) -> list[Changes]:
    """Return what a group offers to mixing: its distinct alternatives, and last nothing if it is optional."""
    return alternatives_of(group) + ([] if group.required else [()])


def combination_count(sentence: GroupedSentence) -> int:
    """Return the number of ways to mix the alternatives (before combinations that collide are dropped)."""
    return prod(len(choices_of(group)) for group in sentence.groups)


def apply_changes(source: Sequence[str], changes: Sequence[SpanTokens]) -> list[str]:
    """Apply changes from right to left, unchecked for overlap; one that would empty the sentence is skipped.

    Of two changes of one span the one given first is applied last.
    """
    tokens = list(source)
    ordered = sorted(enumerate(changes), key=lambda item: (*item[1][:2], item[0]), reverse=True)
    for _, (start, end, replacement) in ordered:
        removed = tokens[start:end]
        tokens[start:end] = replacement
        tokens = tokens or removed
    return tokens


def mixed_references(source: str, sentence: GroupedSentence, limit: int = 100_000) -> Iterator[str]:
    """Yield every distinct reference that mixing the annotators' alternatives gives (Felice & Briscoe 2015, 2.1)."""
    count = combination_count(sentence)
    if count > limit:
        raise InputError(
            f"{count} mixed references, more than {limit}, of {source[:40]!r}",
            fix="Score it without listing them, or do not mix",
        )
    tokens = source.split()
    seen = set()
    for combination in product(*map(choices_of, sentence.groups)):
        changes = [change for alternative in combination for change in alternative]
        reference = " ".join(apply_changes(tokens, changes))
        collides = len({change[:2] for change in changes}) < len(changes)
        if not collides and reference not in seen:
            seen.add(reference)
            yield reference


def unmixed_references(source: str, sentence: GroupedSentence) -> list[str]:
    """Return one reference per annotator with corrections, and the source if some annotator has none."""
    if sentence.annotators is None:
        raise InputError(
            f"the number of annotators of {source[:40]!r} is not told",
            fix="Add numann to the sentence element, or mix",
        )
    tokens = source.split()
    changes: dict[str, list[SpanTokens]] = {}
    for group in sentence.groups:
        for alternative in group.alternatives:
            changes.setdefault(alternative.annotator, []).extend(merged_spans(alternative))
    annotators = sorted(changes, key=lambda name: (len(name), name))
    references = [" ".join(apply_changes(tokens, changes[annotator])) for annotator in annotators]
    if len(changes) < max(sentence.annotators, 1):
        references.append(" ".join(tokens))
    return list(dict.fromkeys(references))


def derive_group_references(corpus: Corpus) -> Corpus:
    """Return the corpus with the unmixed references of its error groups."""
    if corpus.groups is None:
        raise InputError(f"{corpus.name} has no error groups to derive references from")
    pairs = zip(corpus.sources, corpus.groups, strict=True)
    return corpus.replace(references=[unmixed_references(source, sentence) for source, sentence in pairs])


def annotator_references(source: str, annotations: Sequence[Annotation], treebank: bool) -> list[str]:
    """Return the `unmixed_references` of a sentence, without making error groups where they do not matter."""
    edits: dict[int, list[Edit]] = {}
    for annotation in annotations:
        edits.setdefault(annotation.annotator, []).extend(annotation.edits)
    if any(len({(edit.start, edit.end) for edit in made}) < len(made) for made in edits.values()):
        return unmixed_references(source, group_annotations(annotations, treebank))
    tokens = source.split()
    references = []
    for annotator in sorted(annotator for annotator, made in edits.items() if made):
        changes = [(edit.start, edit.end, tuple(first_correction(edit, treebank).split())) for edit in edits[annotator]]
        references.append(" ".join(apply_changes(tokens, changes)))
    if len(references) < max(len(edits), 1):
        references.append(" ".join(tokens))
    return list(dict.fromkeys(references))


def mixed_annotations(sentence: Sequence[Sequence[tuple[Edit, ...]]], limit: int) -> list[Annotation] | None:
    """Return an annotation for every way to take one of each group's choices, None if there are more than `limit`.

    Ways that edit one span twice, or repeat another one's edits, are left out.
    """
    if prod(map(len, sentence)) > limit:
        return None
    distinct: dict[tuple[object, ...], tuple[Edit, ...]] = {}
    for combination in product(*sentence):
        edits = sorted((edit for choice in combination for edit in choice), key=lambda edit: (edit.start, edit.end))
        taken = [{(edit.start, edit.end) for edit in choice} for choice in combination]
        if len(set().union(*taken)) == sum(map(len, taken)):
            distinct.setdefault(tuple((edit.start, edit.end, edit.corrections) for edit in edits), tuple(edits))
    return [Annotation(number, edits) for number, edits in enumerate(distinct.values())]


def edit_choices(annotations: Sequence[Annotation]) -> list[list[tuple[Edit, ...]]]:
    """Return for each error of a sentence its annotators' distinct edits, and last none if not all corrected it."""
    annotators = len({annotation.annotator for annotation in annotations})
    return [_cluster_choices(cluster, annotators) for cluster in cluster_edits(annotated_edits(annotations))]


def _cluster_choices(cluster: Sequence[AnnotatedEdit], annotators: int) -> list[tuple[Edit, ...]]:
    edits: dict[int, list[Edit]] = {}
    for annotator, edit in cluster:
        edits.setdefault(annotator, []).append(edit)
    distinct = {
        tuple(sorted((edit.start, edit.end, edit.corrections) for edit in made)): tuple(made)
        for _, made in sorted(edits.items(), reverse=True)
    }
    return [*reversed(distinct.values()), *([()] if len(edits) < annotators else [])]


def group_choices(sentence: GroupedSentence) -> list[list[tuple[Edit, ...]]]:
    """Return the same from error groups."""
    return [
        [
            *(
                tuple(Edit(start, end, (" ".join(tokens),), group.type or "UNK") for start, end, tokens in changes)
                for changes in choices_of(group)
            )
        ]
        for group in sentence.groups
    ]


def mix_sentences(
    choices: Sequence[Sequence[Sequence[tuple[Edit, ...]]]], annotations: Sequence[Sequence[Annotation]], limit: int
) -> tuple[list[Sequence[Annotation]], list[int]]:
    """Return each sentence's mixed annotations, or its own where there are more than `limit`, and which those are."""
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
    if corpus.groups is not None:
        choices = [group_choices(sentence) for sentence in corpus.groups]
    else:
        choices = [edit_choices(sentence) for sentence in annotations]
    mixed, unmixed = mix_sentences(choices, annotations, limit)
    return corpus.replace(annotations=mixed, groups=None), unmixed

"""From edits to error groups and back: the independent errors of a sentence (Felice & Briscoe 2015, section 2.1).

Edits that overlap exclude each other and form one group; each annotator's edits in a group are one alternative. The
rules are those of the official converter (docs/imeasure.md, section 2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gecbench.corpus import Annotation, Corpus, Edit
from gecbench.errors import InputError
from gecbench.extraction import derive_annotations
from gecbench.groups import Alternative, ErrorGroup, GroupedSentence, Replacement
from gecbench.treebank import split_treebank


class AnnotatedEdit(NamedTuple):
    """An edit and who made it."""

    annotator: int
    edit: Edit


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

    Annotators who corrected nothing in a sentence, told by its number of annotators, get an annotation without edits.
    """
    if corpus.groups is None:
        raise InputError(f"{corpus.name} has no error groups")
    names = sorted({item.annotator for sentence in corpus.groups for item in _alternatives(sentence)})
    numbers = {name: int(name) for name in names if name.isdecimal()}
    if len(set(numbers.values())) < len(names):
        numbers = {name: number for number, name in enumerate(names)}
    return corpus.replace(annotations=[_annotations(sentence, numbers) for sentence in corpus.groups])


def overlaps(first: Edit, second: Edit) -> bool:
    """Return whether two edits exclude each other: same span, a shared token, or an insertion inside the other."""
    if first.start < second.end and second.start < first.end:
        return True
    return first.start == second.start and first.end == second.end


def cluster_edits(edits: Iterable[AnnotatedEdit]) -> list[list[AnnotatedEdit]]:
    """Cluster greedily, the longest edit first; each edit joins the first cluster it overlaps."""
    clusters: list[list[AnnotatedEdit]] = []
    for candidate in sorted(edits, key=lambda item: item.edit.start - item.edit.end):
        joined = next((cluster for cluster in clusters if _touches(cluster, candidate.edit)), None)
        if joined is None:
            clusters.append([candidate])
        else:
            joined.append(candidate)
    return sorted(clusters, key=lambda cluster: (cluster[0].edit.start, cluster[0].edit.end))


def bridging_edits(edits: Sequence[AnnotatedEdit]) -> list[AnnotatedEdit]:
    """Return the edits that overlap one of another cluster: mixing may combine what collides; a human should look."""
    clusters = cluster_edits(edits)

    def touched(candidate: AnnotatedEdit) -> int:
        return sum(_touches(cluster, candidate.edit) for cluster in clusters)

    return [candidate for candidate in edits if touched(candidate) > 1]


def _touches(cluster: Sequence[AnnotatedEdit], edit: Edit) -> bool:
    return any(overlaps(edit, member) for _, member in cluster)


def is_bridged(sentence: GroupedSentence) -> bool:
    """Return whether replacements of two groups overlap, so that the groups are not independent."""
    earlier: list[tuple[int, int]] = []
    for group in sentence.groups:
        mine = {(change.start, change.end) for item in group.alternatives for change in item.replacements}
        for start, end in mine:
            for other_start, other_end in earlier:
                if (start < other_end and other_start < end) or (start, end) == (other_start, other_end):
                    return True
        earlier.extend(mine)
    return False


def annotated_edits(annotations: Sequence[Annotation]) -> list[AnnotatedEdit]:
    """Return the edits of a sentence, one annotator after the other."""
    return [AnnotatedEdit(item.annotator, edit) for item in annotations for edit in item.edits]


def group_annotations(annotations: Sequence[Annotation], treebank: bool = True) -> GroupedSentence:
    """Return the error groups of a sentence from its annotations, taken one after the other."""
    annotators = len({item.annotator for item in annotations})
    return GroupedSentence(group_edits(annotated_edits(annotations), annotators, treebank), annotators)


def group_edits(edits: Sequence[AnnotatedEdit], annotators: int, treebank: bool = True) -> tuple[ErrorGroup, ...]:
    """Return the error groups that edits form.

    A group is required when all annotators have a correction in it; an annotator who found nothing counts too. The
    order of the edits matters only where edits of one length overlap in a chain.
    """
    groups = []
    for cluster in cluster_edits(edits):
        changes: dict[int, list[Replacement]] = {}
        for annotator, edit in cluster:
            change = Replacement(edit.start, edit.end, first_correction(edit, treebank))
            changes.setdefault(annotator, []).append(change)
        alternatives = tuple(Alternative(str(owner), tuple(changes[owner])) for owner in sorted(changes))
        types = "/".join(dict.fromkeys(edit.type for _, edit in cluster))
        groups.append(ErrorGroup(alternatives, len(alternatives) == annotators, types))
    return tuple(groups)


def first_correction(edit: Edit, treebank: bool) -> str:
    """Return the first of an edit's corrections, split as in a treebank if wanted."""
    return split_treebank(edit.corrections[0]) if treebank else " ".join(edit.corrections[0].split())


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
    return [
        Annotation(annotator, tuple(sorted(edits[annotator], key=lambda edit: (edit.start, edit.end))))
        for annotator in sorted(edits)
    ]

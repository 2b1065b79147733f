"""Error groups (Felice & Briscoe 2015).

The error groups of a sentence are its errors, each with mutually exclusive corrections.

Corrections are split like Treebank text, as in the official M2 converter of the I-measure: `known,the` becomes
`known , the`, `cannot` becomes `can not`, and a final period is split off. Text that is already split does not change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from gecbench.corpus.edits import Annotation, Edit, span
from gecbench.kernels import grouping

_CLITIC_PAIRS = "can|not d|'ye gim|me gon|na got|ta lem|me more|'n 't|is 't|was wan|na"
_RULES = [
    (r'(^|[ (\[{<])"', r"\1 `` "),
    (r'"', " '' "),
    (r"\.\.\.", " ... "),
    (r"[][(){}<>;@#$%&?!]|--", r" \g<0> "),
    (r"[,:](?!\d)", r" \g<0> "),
    (r"(?<=[^.])\.(?=[\])}>\"' ]*$)", " . "),
    (r"(?<=[^' ])('(?:s|m|d|ll|re|ve)?)(?= |$)", r" \1"),
    (r"(?<=[^' ])(n't)(?= |$)", r" \1"),
    *((rf"(?<!\w)({pair.replace('|', ')(')})(?!\w)", r"\1 \2") for pair in _CLITIC_PAIRS.split()),
]
_PLAIN = re.compile(r"[A-Za-z0-9 -]*")
_SPLIT_IN_PLAIN = re.compile("--|cannot|gimme|gonna|gotta|lemme|wanna", re.IGNORECASE)


@cache
def _rules() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(form, re.IGNORECASE), replacement) for form, replacement in _RULES]


@lru_cache(maxsize=1 << 16)
def split_treebank(text: str) -> str:
    """Split off punctuation, quotation marks and contractions with spaces.

    See docs/metrics/imeasure.md §2.
    """
    if not _PLAIN.fullmatch(text) or _SPLIT_IN_PLAIN.search(text):
        for pattern, replacement in _rules():
            text = pattern.sub(replacement, text)
    return " ".join(text.split())


@dataclass(frozen=True)
class Replacement:
    """Replace the source tokens `[start, end)` with a text.

    Args:
        start: The position of the first token to replace, from 0.
        end: The position after the last token to replace. `start == end` inserts before the token at `start`.
        text: The new tokens, separated by spaces. An empty text deletes the tokens.

    >>> Replacement(1, 2, "goes").text
    'goes'
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Alternative:
    """One annotator's correction of an error: replacements that belong together.

    Args:
        annotator: The name of the annotator, usually a number as a string.
        replacements: The replacements. All of them are needed to correct the error.

    >>> from gecbench import Replacement
    >>> Alternative("0", (Replacement(1, 2, "goes"),)).annotator
    '0'
    """

    annotator: str
    replacements: tuple[Replacement, ...]


@dataclass(frozen=True)
class ErrorGroup:
    """One error with its mutually exclusive alternatives.

    Args:
        alternatives: The corrections of the annotators.
        required: Whether the error must be corrected. An optional error may stay as it is.
        type: The error type.

    >>> from gecbench import Alternative, Replacement
    >>> ErrorGroup((Alternative("0", (Replacement(1, 2, "goes"),)),)).required
    True
    """

    alternatives: tuple[Alternative, ...]
    required: bool = True
    type: str = ""


@dataclass(frozen=True)
class GroupedSentence:
    """The error groups of a sentence.

    Args:
        groups: One `ErrorGroup` per error.
        annotators: The number of annotators, or None if the file does not state it.
        script: The identifier of the essay that the sentence belongs to.

    >>> GroupedSentence().groups
    ()
    """

    groups: tuple[ErrorGroup, ...] = ()
    annotators: int | None = None
    script: str = "1"


class AnnotatedEdit(NamedTuple):
    """An edit and its annotator."""

    annotator: int
    edit: Edit


def cluster_edits(edits: Iterable[AnnotatedEdit]) -> list[list[AnnotatedEdit]]:
    """Return the edits in clusters of overlapping edits, in text order.

    See docs/metrics/imeasure.md §2.
    """
    given = list(edits)
    return [[given[k] for k in cluster] for cluster in grouping.cluster_spans([span(item.edit) for item in given])]


def is_bridged(sentence: GroupedSentence) -> bool:
    """Return whether replacements of two groups overlap.

    Then the groups are not independent.
    """
    return grouping.is_bridged(
        [
            [*{(change.start, change.end) for item in group.alternatives for change in item.replacements}]
            for group in sentence.groups
        ]
    )


def annotated_edits(annotations: Sequence[Annotation]) -> list[AnnotatedEdit]:
    """Return the edits of all annotators of a sentence, each with its annotator."""
    return [AnnotatedEdit(item.annotator, edit) for item in annotations for edit in item.edits]


def group_annotations(annotations: Sequence[Annotation], treebank: bool = True) -> GroupedSentence:
    """Return the error groups of a sentence, made from its annotations in order."""
    annotators = len({item.annotator for item in annotations})
    return GroupedSentence(group_edits(annotated_edits(annotations), annotators, treebank), annotators)


def group_edits(edits: Sequence[AnnotatedEdit], annotators: int, treebank: bool = True) -> tuple[ErrorGroup, ...]:
    """Return error groups. Each contains edits that overlap.

    A group is required if all `annotators` of the sentence have an edit in it. The order of the edits matters only if
    edits of equal length overlap in a chain.
    """
    groups = []
    for cluster in cluster_edits(edits):
        changes: dict[int, list[Replacement]] = {}
        for annotator, edit in cluster:
            change = Replacement(edit.start, edit.end, split_correction(edit.corrections[0], treebank))
            changes.setdefault(annotator, []).append(change)
        alternatives = tuple(Alternative(str(owner), tuple(changes[owner])) for owner in sorted(changes))
        types = "/".join(dict.fromkeys(edit.type for _, edit in cluster))
        groups.append(ErrorGroup(alternatives, len(alternatives) == annotators, types))
    return tuple(groups)


def split_correction(text: str, treebank: bool) -> str:
    """Return a correction with single spaces between tokens.

    With `treebank`, tokens are split as in a treebank.
    """
    return split_treebank(text) if treebank else " ".join(text.split())

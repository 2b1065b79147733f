"""Edits: what an annotator changed, applied to a source, or read off a rewrite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gecbench.errors import InputError


@dataclass(frozen=True)
class Edit:
    """Replace source tokens `[start, end)` by one of the corrections ("" deletes; start = end inserts)."""

    start: int
    end: int
    corrections: tuple[str, ...]
    type: str = "UNK"
    required: str = "REQUIRED"
    comment: str = "-NONE-"


@dataclass(frozen=True)
class Annotation:
    """One annotator's edits of one sentence; no edits means that the annotator found nothing to correct."""

    annotator: int
    edits: tuple[Edit, ...]


class EditedTexts(tuple[str, ...]):
    """Predictions that were given as coded edits: the corrected texts, and the annotations of each sentence.

    The text is that of the first annotation; a sentence that has none is as it was.
    """

    annotations: tuple[tuple[Annotation, ...], ...]

    @classmethod
    def of(cls, sources: Sequence[str], annotations: Sequence[Sequence[Annotation]]) -> EditedTexts:
        """Apply the edits of each source."""
        rows = tuple(tuple(sentence) or (Annotation(0, ()),) for sentence in annotations)
        texts = cls(apply_edits(source, row[0].edits) for source, row in zip(sources, rows, strict=True))
        texts.annotations = rows
        return texts

    def select(self, sentences: Sequence[int]) -> EditedTexts:
        """Return the texts of these sentences, in this order."""
        chosen = EditedTexts(self[i] for i in sentences)
        chosen.annotations = tuple(self.annotations[i] for i in sentences)
        return chosen


def apply_edits(source: str, edits: Sequence[Edit], alternative: int = 0, *, official: bool = False) -> str:
    """Return the source with all edits applied, tokens joined by single spaces.

    Insertions at one place are applied in the order given, and before a replacement that starts there. Of several
    corrections the one at `alternative` is taken, or the last where there are fewer. Edits that overlap are refused;
    `official` applies them from right to left as the I-measure's scorer does, unchecked, leaving out one that would
    empty the sentence (docs/imeasure.md, section 3).

    >>> apply_edits("He go school .", [Edit(1, 2, ("goes",)), Edit(2, 2, ("to",))])
    'He goes to school .'
    """
    tokens = source.split()
    ordered = sorted(edits, key=span)
    length = len(tokens)
    if not official:
        _check_apart(source, ordered)
    for edit in reversed(ordered):
        start, end = span(edit) if official else (min(edit.start, length), min(edit.end, length))
        removed = tokens[start:end]
        tokens[start:end] = edit.corrections[min(alternative, len(edit.corrections) - 1)].split()
        if official:
            tokens = tokens or removed
    return " ".join(tokens)


def span(edit: Edit) -> tuple[int, int]:
    """Return the place of an edit, by which edits are sorted."""
    return edit.start, edit.end


def _check_apart(source: str, ordered: Sequence[Edit]) -> None:
    done = 0
    for edit in ordered:
        if edit.start < done:
            raise InputError(
                f"the edit of [{edit.start}, {edit.end}) overlaps the one before it in {source!r}",
                fix="Edits of one annotator must not overlap",
            )
        done = edit.end


def extract_edits(source: str, rewrite: str) -> tuple[Edit, ...]:
    """Return the edits of a Levenshtein alignment of tokens at unit costs, neighbouring changes as one edit.

    Of several alignments of least cost the one that, read from the end, keeps or replaces rather than deletes, and
    deletes rather than inserts.

    Sakaguchi et al. 2016, section 4.1, without the partial matches (same lemma) of their converter: tokens match only
    if they are equal, letter case included. Types are M (missing), U (unnecessary) and R (replacement).

    >>> extract_edits("He go school .", "He goes to school .")
    (Edit(start=1, end=2, corrections=('goes to',), type='R', required='REQUIRED', comment='-NONE-'),)
    """
    before, after = source.split(), rewrite.split()
    return tuple(
        Edit(start, end, (" ".join(after[first:last]),), "M" if start == end else "U" if first == last else "R")
        for start, end, first, last in _changed_spans(before, after)
    )


def _changed_spans(before: list[str], after: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield `(start, end, first, last)`: source tokens [start, end) became rewrite tokens [first, last)."""
    i = j = 0
    for matched_i, matched_j in [*_matches(before, after), (len(before), len(after))]:
        if (matched_i, matched_j) != (i, j):
            yield i, matched_i, j, matched_j
        i, j = matched_i + 1, matched_j + 1


def _matches(before: list[str], after: list[str]) -> list[tuple[int, int]]:
    """Return the equal tokens on an alignment of least cost (ties: keep or replace, delete, insert)."""
    shared = 0
    while shared < min(len(before), len(after)) and before[shared] == after[shared]:
        shared += 1
    rows, columns = len(before) - shared, len(after) - shared
    costs = [list(range(columns + 1))]
    for i in range(1, rows + 1):
        above, row, token = costs[-1], [i], before[shared + i - 1]
        for j in range(1, columns + 1):
            replace = above[j - 1] + (token != after[shared + j - 1])
            row.append(min(replace, above[j] + 1, row[-1] + 1))
        costs.append(row)
    pairs = []
    i, j = rows, columns
    while i and j:
        equal = before[shared + i - 1] == after[shared + j - 1]
        if costs[i][j] == costs[i - 1][j - 1] + (not equal):
            i, j = i - 1, j - 1
            if equal:
                pairs.append((shared + i, shared + j))
        elif costs[i][j] == costs[i - 1][j] + 1:
            i -= 1
        else:
            j -= 1
    return [(k, k) for k in range(shared)] + pairs[::-1]

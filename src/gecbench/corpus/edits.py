"""Edits: what an annotator changed, applied to a source, or read off a rewrite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np

from gecbench import kernels
from gecbench.errors import InputError
from gecbench.kernels.tokens import intern_lines, offsets_of


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
        check_apart(source, ordered)
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


def check_apart(source: str, ordered: Sequence[Edit]) -> None:
    """Refuse edits, sorted by their place, that overlap."""
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
    return extract_all_edits([source], [[rewrite]])[0][0]


def extract_all_edits(sources: Sequence[str], rewrites: Sequence[Sequence[str]]) -> list[tuple[tuple[Edit, ...], ...]]:
    """Return the `extract_edits` of every rewrite of each source."""
    texts = [text for row in rewrites for text in row]
    tokens, rows, middle = intern_lines([*sources, *texts], "unicode"), offsets_of(rewrites), len(sources)
    changes, bounds = kernels.select("edits").changed_spans(tokens[:middle], tokens[middle:], rows)
    spans = zip(*changes.T.tolist(), strict=True)
    known = _KnownEdits()
    edits = []
    for text, count in zip(texts, np.diff(bounds).tolist(), strict=True):
        words = text.split() if count else ()
        made = [known[start, end, " ".join(words[first:last])] for start, end, first, last in islice(spans, count)]
        edits.append(tuple(made))
    return [tuple(edits[begin:end]) for begin, end in pairwise(rows.tolist())]


class _KnownEdits(dict[tuple[int, int, str], Edit]):
    """Edits by span and text, each made once: rewrites of a sentence share many."""

    def __missing__(self, change: tuple[int, int, str]) -> Edit:
        start, end, text = change
        made = self[change] = Edit(start, end, (text,), "M" if start == end else "R" if text else "U")
        return made

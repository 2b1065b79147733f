"""What M2 saw in a sentence: the system's edits, the gold edits, and which of them match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gecbench.corpus.edits import Annotation, Edit
from gecbench.metrics.explanation import Cell, Explanation, Mark, Row


@dataclass(frozen=True)
class SentenceMatch:
    """One sentence against one annotator: the system's edits as MaxMatch reads them, and the matched gold edits.

    `pairs` are the places of matching edits in `proposed` and among the annotator's, as the official count finds them.
    """

    annotation: Annotation
    proposed: tuple[Edit, ...]
    pairs: tuple[tuple[int, int], ...]

    @property
    def matched_proposed(self) -> tuple[bool, ...]:
        """Whether each proposed edit matches a gold edit."""
        found = {i for i, _ in self.pairs}
        return tuple(i in found for i in range(len(self.proposed)))

    @property
    def matched_gold(self) -> tuple[bool, ...]:
        """Whether each gold edit is matched."""
        found = {k for _, k in self.pairs}
        return tuple(k in found for k in range(len(self.annotation.edits)))


def credit(annotation: Annotation, proposed: tuple[Edit, ...]) -> SentenceMatch:
    """Walk the proposed edits with a position in the gold list, as the official count does."""
    position = 0
    pairs = []
    for i, edit in enumerate(proposed):
        for k in range(position, len(annotation.edits)):
            if _agrees(edit, annotation.edits[k]):
                pairs.append((i, k))
                position = k + 1
    return SentenceMatch(annotation, proposed, tuple(pairs))


def _agrees(proposed: Edit, gold: Edit) -> bool:
    same_span = (proposed.start, proposed.end) == (gold.start, gold.end)
    return same_span and proposed.corrections[0] in gold.corrections


def explain_match(source: Sequence[str], prediction: Sequence[str], match: SentenceMatch, sentence: int) -> Explanation:
    """Show the tokens of a sentence (counted from 0), and the edits of system and annotator."""
    counts = {
        "correct": sum(match.matched_gold),
        "proposed": len(match.proposed),
        "gold": len(match.annotation.edits),
    }
    tally = ", ".join(f"{count} {name}" for name, count in counts.items())
    proposed = [
        edit if hit else trimmed(source, edit) for edit, hit in zip(match.proposed, match.matched_proposed, strict=True)
    ]
    rows = [
        Row("source", [Cell(" ".join(source))]),
        Row("system", [Cell(" ".join(prediction))]),
        Row("system edits", _edit_cells(source, proposed, match.matched_proposed, "wrong")),
        Row("gold edits", _edit_cells(source, match.annotation.edits, match.matched_gold, "miss")),
    ]
    title = f"Sentence {sentence + 1}, annotator {match.annotation.annotator}: {tally}"
    return Explanation(title, rows, counts=counts)


def trimmed(source: Sequence[str], edit: Edit) -> Edit:
    """Return an edit without the equal tokens at its ends: which of them it spans is mostly chance."""
    before, after = list(source[edit.start : edit.end]), edit.corrections[0].split()
    start, end = edit.start, edit.end
    while before and after and before[0] == after[0]:
        before, after, start = before[1:], after[1:], start + 1
    while before and after and before[-1] == after[-1]:
        before, after, end = before[:-1], after[:-1], end - 1
    return Edit(start, end, (" ".join(after),), edit.type)


def _edit_cells(source: Sequence[str], edits: Sequence[Edit], matched: Sequence[bool], otherwise: Mark) -> list[Cell]:
    if not edits:
        return [Cell("none", "note")]
    return [
        Cell(_edit_text(source, edit), "match" if hit else otherwise, _coded_type(edit))
        for edit, hit in zip(edits, matched, strict=True)
    ]


def _coded_type(edit: Edit) -> str:
    return "" if edit.type == "proposed" else edit.type


def _edit_text(source: Sequence[str], edit: Edit) -> str:
    before = " ".join(source[edit.start : edit.end]) or "∅"
    after = " | ".join(text or "∅" for text in edit.corrections)
    return f"{before} → {after} [{edit.start},{edit.end}) {_coded_type(edit)}".rstrip()

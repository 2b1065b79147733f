"""What ERRANT saw: the edits of a sentence, marked, and the scores of error types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gecbench.corpus.edits import Annotation
from gecbench.kernels.errant import EditFields, Selection, count_pair
from gecbench.metrics.errant.gold import fields_of
from gecbench.metrics.errant.tiers import at_tier
from gecbench.metrics.explanation import Cell, Explanation, Mark, Row
from gecbench.metrics.ratios import f_beta, percent, precision_recall


@dataclass(frozen=True)
class TypeScore:
    """One error type (or category, or operation): its counts, and their precision, recall and F."""

    type: str
    tp: int
    fp: int
    fn: int
    precision: float
    recall: float
    value: float

    @property
    def gold(self) -> int:
        """Gold edits of this type."""
        return self.tp + self.fn

    @property
    def correct(self) -> int:
        """Gold edits of this type that the system made."""
        return self.tp

    def cells(self) -> dict[str, str]:
        """Return the row of a table, by column."""
        counts = {"type": self.type, "TP": str(self.tp), "FP": str(self.fp), "FN": str(self.fn)}
        ratios = {"P": self.precision, "R": self.recall, "F": self.value}
        return counts | {column: percent(value) for column, value in ratios.items()}


def type_scores(counts: Mapping[str, Sequence[int]], level: int, beta: float) -> list[TypeScore]:
    """Return the scores of error types at a tier, the most frequent first."""
    scores = []
    for kind, (correct, wrong, missed) in at_tier(counts, level).items():
        precision, recall = precision_recall(np.array([correct, correct + wrong, correct + missed]))
        value = float(f_beta(precision, recall, beta))
        scores.append(TypeScore(kind, correct, wrong, missed, float(precision), float(recall), value))
    return sorted(scores, key=lambda score: (-score.tp - score.fn, -score.fp, score.type))


def explain_pair(
    source: str, prediction: str, ours: Annotation, theirs: Annotation, selection: Selection, sentence: int
) -> Explanation:
    """Show the tokens of a sentence (counted from 0), and the edits of system and annotator."""
    system, gold = fields_of(ours), fields_of(theirs)
    system_keys, gold_keys = selection.keyed(system), selection.keyed(gold)
    correct, proposed, wanted = count_pair(system_keys, gold_keys)
    counts = {"TP": correct, "FP": proposed - correct, "FN": wanted - correct}
    tally = ", ".join(f"{count} {name}" for name, count in counts.items())
    tokens = source.split()
    rows = [
        Row("source", [Cell(" ".join(tokens))]),
        Row("system", [Cell(" ".join(prediction.split()))]),
        Row("system edits", [_cell(tokens, edit, selection, set(gold_keys), "wrong") for edit in system] or [_NONE]),
        Row("gold edits", [_cell(tokens, edit, selection, set(system_keys), "miss") for edit in gold] or [_NONE]),
    ]
    title = f"Sentence {sentence + 1}, annotator {theirs.annotator}: {tally}"
    return Explanation(title, rows, counts=counts)


_NONE = Cell("none", "note")


def _cell(
    tokens: Sequence[str], edit: EditFields, selection: Selection, others: set[tuple[object, ...]], otherwise: Mark
) -> Cell:
    start, end, kind, correction = edit
    text = f"{' '.join(tokens[start:end]) or '∅'} → {correction or '∅'} [{start},{end}) {kind}"
    keys = selection.keyed([edit])
    if not keys:
        return Cell(f"{text} (left out)", "note")
    hit = sum(key in others for key in keys)
    return Cell(text, "match" if hit == len(keys) else otherwise, kind)

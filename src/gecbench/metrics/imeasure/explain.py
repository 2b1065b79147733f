"""What the I-measure saw in a sentence: the three-way alignment, and the class of every column."""

from __future__ import annotations

from collections.abc import Mapping

from gecbench.metrics.explanation import Cell, Explanation, Mark, Row
from gecbench.metrics.imeasure.accuracy import BASELINE, CORRECTION, COUNT_NAMES, improvement, weighted_accuracy
from gecbench.metrics.imeasure.choice import Selection, align_tokens, classify
from gecbench.metrics.ratios import percent

GAP = "–"
_MEANINGS: dict[Mark, str] = {
    "match": "TP: a change of the system that the reference has, too",
    "miss": "FN: a change of the reference that the system does not make",
    "wrong": "FP, FPN: a change of the system that the reference does not have",
    "note": "TN: unchanged in all three",
}
_MARKS: dict[str, Mark] = {"TP": "match", "TN": "note", "FP": "wrong", "FN": "miss"}


def explain_sentence(selection: Selection, sentence: int, source: str, prediction: str, weight: float) -> Explanation:
    """Explain a sentence (counted from 0), its texts with single spaces, against the reference chosen for it."""
    if not selection.scored[sentence]:
        rows = [Row("source", [Cell(source)]), Row("system", [Cell(prediction)])]
        return Explanation(f"Sentence {sentence + 1}: excluded, it cannot be mixed", rows)
    columns = align_tokens(source, prediction, selection.reference(sentence))
    classes = [classify(*column) for column in columns]
    texts = (("source", 0), ("system", 1), ("reference", 2))
    rows = [Row(label, [Cell(column[k] or GAP) for column in columns]) for label, k in texts]
    for label, k in (("detection", 0), ("correction", 1)):
        rows.append(Row(label, [Cell(names[k], _MARKS[names[k][:2]]) for names in classes]))
    tally = dict(zip(map(str.upper, COUNT_NAMES), selection.counts[sentence][CORRECTION].tolist(), strict=True))
    return Explanation(_title(selection, sentence, tally, weight), rows, True, tally, _MEANINGS)


def _title(selection: Selection, sentence: int, tally: Mapping[str, int], weight: float) -> str:
    counts = selection.counts[sentence]
    system, baseline = (float(weighted_accuracy(counts[part], weight)) for part in (CORRECTION, BASELINE))
    gained = float(improvement(counts, CORRECTION, weight))
    listed = " ".join(f"{name} {count}" for name, count in tally.items())
    return (
        f"Sentence {sentence + 1}: I {percent(gained)}, WAcc {percent(system)} (source {percent(baseline)}); {listed}"
    )

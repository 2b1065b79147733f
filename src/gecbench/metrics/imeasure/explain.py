"""What the I-measure saw in a sentence: the three-way alignment, and the class of every column."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gecbench import kernels
from gecbench.corpus.corpus import Corpus
from gecbench.kernels.threeway_alignment import classify_column
from gecbench.kernels.tokens import intern_lines, split_tokens
from gecbench.metrics.explanation import Cell, Explanation, Mark, Row
from gecbench.metrics.imeasure.metric import BASELINE, CORRECTION, COUNT_NAMES, IMeasure, weighted_accuracy
from gecbench.metrics.imeasure.selection import Selection

GAP = "–"
_MARKS: dict[str, Mark] = {"TP": "match", "TN": "note", "FP": "wrong", "FN": "miss"}


def explain_alignments(
    metric: IMeasure, corpus: Corpus, predictions: Sequence[str], sentences: Sequence[int]
) -> list[Explanation]:
    """Explain some sentences (counted from 0), each against the reference chosen for it."""
    selection = metric.select(corpus, predictions)
    return [_explain(metric, corpus.sources[i], predictions[i], selection, i) for i in sentences]


def align_tokens(source: str, prediction: str, reference: str) -> list[tuple[str | None, str | None, str | None]]:
    """Return the official three-way alignment of texts with single spaces, column by column (None is a gap)."""
    texts = (source, prediction, reference)
    numbers = intern_lines(texts, "ascii")
    columns = kernels.select("threeway").align(*(np.ascontiguousarray(numbers[k : k + 1].ids) for k in range(3)))
    words = [split_tokens(text, "ascii") for text in texts]
    return [
        tuple(None if place < 0 else words[text][place] for text, place in enumerate(column))  # type: ignore[misc]
        for column in columns.tolist()
    ]


def classify(source: str | None, prediction: str | None, reference: str | None) -> tuple[str, str]:
    """Return the names of a column's classes for detection and correction (Felice & Briscoe 2015, Table 6)."""
    detection, correction = (
        " ".join(COUNT_NAMES[k].upper() for k in classes) for classes in classify_column(source, prediction, reference)
    )
    return detection, correction


def _explain(metric: IMeasure, source: str, prediction: str, selection: Selection, sentence: int) -> Explanation:
    source, prediction = " ".join(source.split()), " ".join(split_tokens(prediction, metric.tokens))
    reference = selection.reference(sentence)
    if reference is None:
        rows = [Row("source", [Cell(source)]), Row("system", [Cell(prediction)])]
        return Explanation(f"Sentence {sentence + 1}: excluded, it cannot be mixed", rows)
    columns = align_tokens(source, prediction, reference)
    classes = [classify(*column) for column in columns]
    texts = (("source", 0), ("system", 1), ("reference", 2))
    rows = [Row(label, [Cell(column[k] or GAP) for column in columns]) for label, k in texts]
    for label, k in (("detection", 0), ("correction", 1)):
        rows.append(Row(label, [Cell(names[k], _MARKS[names[k][:2]]) for names in classes]))
    return Explanation(_title(metric, selection, sentence), rows, aligned=True)


def _title(metric: IMeasure, selection: Selection, sentence: int) -> str:
    counts = selection.counts[sentence]
    system, baseline = (float(weighted_accuracy(counts[part], metric.weight)) for part in (CORRECTION, BASELINE))
    improvement = float(metric.improvement(counts, CORRECTION))
    tally = " ".join(
        f"{name.upper()} {count}" for name, count in zip(COUNT_NAMES, counts[CORRECTION].tolist(), strict=True)
    )
    return (
        f"Sentence {sentence + 1}: I {100 * improvement:.2f}, WAcc {100 * system:.2f} "
        f"(source {100 * baseline:.2f}); {tally}"
    )

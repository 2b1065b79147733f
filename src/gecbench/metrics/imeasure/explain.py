"""What the I-measure saw in a sentence: the three-way alignment, and the class of every column."""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.corpus.corpus import Corpus
from gecbench.kernels.tokens import split_tokens
from gecbench.metrics.explanation import Cell, Explanation, Mark, Row
from gecbench.metrics.imeasure.choice import COUNT_NAMES, Selection, align_tokens, classify
from gecbench.metrics.imeasure.metric import BASELINE, CORRECTION, IMeasure, weighted_accuracy

GAP = "–"
_MARKS: dict[str, Mark] = {"TP": "match", "TN": "note", "FP": "wrong", "FN": "miss"}


def explain_alignments(
    metric: IMeasure, corpus: Corpus, predictions: Sequence[str], sentences: Sequence[int]
) -> list[Explanation]:
    """Explain some sentences (counted from 0), each against the reference chosen for it."""
    selection = metric.select(corpus, predictions)
    return [_explain(metric, corpus.sources[i], predictions[i], selection, i) for i in sentences]


def _explain(metric: IMeasure, source: str, prediction: str, selection: Selection, sentence: int) -> Explanation:
    source, prediction = " ".join(source.split()), " ".join(split_tokens(prediction, metric.tokens))
    if not selection.scored[sentence]:
        rows = [Row("source", [Cell(source)]), Row("system", [Cell(prediction)])]
        return Explanation(f"Sentence {sentence + 1}: excluded, it cannot be mixed", rows)
    columns = align_tokens(source, prediction, selection.reference(sentence))
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

"""Three-way alignment of source, hypothesis and reference, and I-measure scores.

Felice & Briscoe 2015, sections 2.2 (Listing 2) and 2.3; docs/metrics/imeasure.md §4 to §6:

1. Fill a table with the best alignment of all prefixes of the three texts.
2. Trace back from the end of the table. On ties, take the first move in the official order (`MOVES`).
3. Classify the columns for detection and for correction (Table 6), and count the classes.
4. Compare references by the scores of their counts.

Two tokens in one column cost MATCH or MISMATCH, a token and a gap cost GAP, and a column costs the sum of its three
pairs. The table holds savings instead of costs: how much less an alignment costs than one in which every token has a
column of its own. The largest saving gives the least cost.

The number of cells grows with the product of the three lengths. For most texts, the native kernel needs only three
two-way tables: it traces back through all three at once, and backtracks after a wrong move (docs/metrics/imeasure.md
§4).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gecbench.kernels import too_large_for_python

MATCH, MISMATCH, GAP = 0, 3, 2
TP, TN, FP, FN, FPN = range(5)
DETECTION, CORRECTION, BASELINE = slice(0, 5), slice(5, 10), slice(10, 15)
MEASURES = ("tp", "tn", "fp", "fn", "p", "r", "f", "acc", "wacc", "i")
P, R, F, ACC, WACC, I = range(4, 10)  # noqa: E741
_MOST_CELLS = 1 << 26
MOVES = ((1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1))

Tokens = Sequence[int]
Counts = Sequence[int]
Column = tuple[int, int, int]  # positions in source, hypothesis and reference, -1 for a gap
Int32 = NDArray[np.int32]


def align_texts(source: Tokens, hypothesis: Tokens, reference: Tokens) -> list[Column]:
    """Return the columns of the official alignment.

    As in the official program, if two of the three texts are equal, only one of them is aligned with the third text.
    """
    if source == hypothesis:
        return [(i, i, k) for i, k in align_pair(source, reference)]
    if source == reference:
        return [(i, j, i) for i, j in align_pair(source, hypothesis)]
    if hypothesis == reference:
        return [(i, j, j) for j, i in align_pair(hypothesis, source)]
    return _align(source, hypothesis, reference)


def align_pair(first: Tokens, second: Tokens) -> list[tuple[int, int]]:
    """Return the columns of the best two-way alignment, with -1 for a gap.

    A column has the positions in both texts. On ties, tracing back prefers a move over both texts, then a move over
    `first` alone. The alignment is computed as a three-way alignment with an empty hypothesis. The result is the same,
    because an empty text adds no savings (see the top of this module).
    """
    return [(i, k) for i, _, k in _align(first, (), second)]


def pair_distance(first: Tokens, second: Tokens) -> int:
    """Return the cost of the best two-way alignment."""
    return GAP * (len(first) + len(second)) - largest_saving(first, (), second)


def largest_saving(source: Tokens, hypothesis: Tokens, reference: Tokens) -> int:
    """Return the saving of the best three-way alignment."""
    return int(_fill_table(source, hypothesis, reference)[-1, -1, -1])


def alignment_cost(columns: Sequence[Column], texts: Sequence[Tokens]) -> int:
    """Return the cost of an alignment: the sum over its columns and pairs of texts."""
    cost = 0
    for places in columns:
        tokens = [text[place] if place >= 0 else None for text, place in zip(texts, places, strict=True)]
        for first, second in ((0, 1), (0, 2), (1, 2)):
            if tokens[first] is None or tokens[second] is None:
                cost += GAP if tokens[first] != tokens[second] else 0
            else:
                cost += MATCH if tokens[first] == tokens[second] else MISMATCH
    return cost


def table_cells(source: Tokens, hypothesis: Tokens, reference: Tokens) -> int:
    """Return how many cells the table of `align_texts` has."""
    if source == hypothesis:
        return (len(source) + 1) * (len(reference) + 1)
    if reference in (source, hypothesis):
        return (len(source) + 1) * (len(hypothesis) + 1)
    return (len(source) + 1) * (len(hypothesis) + 1) * (len(reference) + 1)


def _align(source: Tokens, hypothesis: Tokens, reference: Tokens) -> list[Column]:
    """Trace the columns of the best alignment back through the full table (step 2)."""
    table = _fill_table(source, hypothesis, reference)
    columns: list[Column] = []
    cell = (len(source), len(hypothesis), len(reference))
    while any(cell):
        for move in MOVES:
            i, j, k = before = (cell[0] - move[0], cell[1] - move[1], cell[2] - move[2])
            if min(before) < 0:
                continue
            saved = 0
            if move[0] and move[1]:
                saved += token_saving(source[i], hypothesis[j])
            if move[0] and move[2]:
                saved += token_saving(source[i], reference[k])
            if move[1] and move[2]:
                saved += token_saving(hypothesis[j], reference[k])
            if table[before] + saved == table[cell]:
                columns.append((i if move[0] else -1, j if move[1] else -1, k if move[2] else -1))
                cell = before
                break
    return columns[::-1]


def _fill_table(source: Tokens, hypothesis: Tokens, reference: Tokens) -> Int32:
    """Return the table of the largest savings of all prefixes (step 1).

    Cell (i, j, k) has the largest saving of the first i, j and k tokens. All cells of a row (i, j) are computed at
    once. Each cell is the best of the seven moves. A move over one text alone saves nothing. So the move over the
    reference alone is a running maximum along the row.
    """
    shape = (len(source) + 1, len(hypothesis) + 1, len(reference) + 1)
    if shape[0] * shape[1] * shape[2] > _MOST_CELLS:
        raise too_large_for_python("a sentence, its output and a reference are together too long to align")
    source_hypothesis = pair_savings(source, hypothesis).tolist()
    source_reference, hypothesis_reference = pair_savings(source, reference), pair_savings(hypothesis, reference)
    table = np.zeros(shape, dtype=np.int32)
    for i in range(shape[0]):
        for j in range(shape[1]):
            row = table[i, j]
            if i:
                np.maximum(row, table[i - 1, j], out=row)
                np.maximum(row[1:], table[i - 1, j, :-1] + source_reference[i - 1], out=row[1:])
            if j:
                np.maximum(row, table[i, j - 1], out=row)
                np.maximum(row[1:], table[i, j - 1, :-1] + hypothesis_reference[j - 1], out=row[1:])
            if i and j:
                both = table[i - 1, j - 1] + source_hypothesis[i - 1][j - 1]
                np.maximum(row, both, out=row)
                all_three = both[:-1] + source_reference[i - 1] + hypothesis_reference[j - 1]
                np.maximum(row[1:], all_three, out=row[1:])
            np.maximum.accumulate(row, out=row)
    return table


def pair_savings(first: Tokens, second: Tokens) -> Int32:
    """Return the matrix of savings of aligning `first[i]` with `second[j]`."""
    equal = np.equal.outer(np.array(first, dtype=np.int32), np.array(second, dtype=np.int32))
    return np.where(equal, 2 * GAP - MATCH, 2 * GAP - MISMATCH).astype(np.int32)


def token_saving(first: int, second: int) -> int:
    """Return the saving of aligning two tokens."""
    return 2 * GAP - (MATCH if first == second else MISMATCH)


def classify_column(source: object, hypothesis: object, reference: object) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return a column's classes for detection and for correction (Table 6).

    A token of None stands for a gap.
    """
    if hypothesis == reference:
        both = (TN if source == hypothesis else TP,)
    elif source == hypothesis:
        both = (FN,)
    elif source == reference:
        both = (FP,)
    else:
        return (TP,), (FP, FN, FPN)
    return both, both


def count_classes(columns: Sequence[Column], source: Tokens, hypothesis: Tokens, reference: Tokens) -> list[int]:
    """Count TP TN FP FN FPN for detection, correction and the baseline (step 3)."""
    return count_columns(columns, source, hypothesis, reference) + count_baseline(source, reference)


def count_columns(columns: Sequence[Column], source: Tokens, hypothesis: Tokens, reference: Tokens) -> list[int]:
    """Count the classes for detection and for correction."""
    detection, correction = [0] * 5, [0] * 5
    for i, j, k in columns:
        classes = classify_column(
            source[i] if i >= 0 else None, hypothesis[j] if j >= 0 else None, reference[k] if k >= 0 else None
        )
        for counts, names in zip((detection, correction), classes, strict=True):
            for name in names:
                counts[name] += 1
    return detection + correction


def count_baseline(source: Tokens, reference: Tokens) -> list[int]:
    """Count the classes of the baseline: the source as hypothesis.

    As in the official scorer, source and reference are aligned again for this, without the hypothesis.
    """
    baseline = [0] * 5
    for i, k in align_pair(source, reference):
        kept = i >= 0 and k >= 0 and source[i] == reference[k]
        baseline[TN if kept else FN] += 1
    return baseline


# Step 4. Scores are floats computed in the official scorer's order of operations. If two references have the same F or
# I mathematically, rounding in the last bit decides between them. It decides in the same way as in that scorer.


class Objective(NamedTuple):
    """The metric by which references are chosen, and its parameters.

    `aspect` is 0 for detection and 1 for correction. `metric` is an index of `MEASURES`. If `corpus` is 1, the metric
    is maximized greedily over the corpus, otherwise for each sentence alone. `weight` is the weight of WAcc, and `beta`
    that of F.
    """

    aspect: int
    metric: int
    corpus: int
    weight: float
    beta: float


# Precision, recall and F as in metrics/base.py, but for one row of plain numbers, and multiplied in the order of the
# official program. References are chosen by comparing these floats, so ties must be decided as in that program.


def precision(counts: Counts) -> float:
    """TP / (TP + FP), or 1 if nothing was proposed."""
    return counts[TP] / (counts[TP] + counts[FP]) if counts[TP] + counts[FP] else 1.0


def recall(counts: Counts) -> float:
    """TP / (TP + FN), or 1 if there is nothing to find."""
    return counts[TP] / (counts[TP] + counts[FN]) if counts[TP] + counts[FN] else 1.0


def f_score(counts: Counts, beta: float) -> float:
    """F-beta of precision and recall, or 0 if both are 0."""
    p, r = precision(counts), recall(counts)
    whole = beta * beta * p + r
    return (1 + beta * beta) * (p * r / whole) if whole else 0.0


def accuracy(counts: Counts) -> float:
    """Acc of section 2.3: WAcc with weight 1, so that all classes weigh the same."""
    return weighted_accuracy(counts, 1.0)


def weighted_accuracy(counts: Counts, weight: float) -> float:
    """WAcc of section 2.3.1, or 1 if nothing is counted."""
    right = weight * counts[TP] + counts[TN]
    whole = weight * (counts[TP] + counts[FP]) + counts[TN] + counts[FN] - (weight + 1) * counts[FPN] / 2
    return right / whole if whole else 1.0


def improvement(system: float, baseline: float) -> float:
    """I of section 2.3.3, from the WAcc of system and baseline.

    It is infinite only if the weight of WAcc is negative.
    """
    if system == baseline:
        return math.floor(system)
    if system > baseline:
        return (system - baseline) / (1 - baseline) if baseline != 1 else math.inf
    return system / baseline - 1 if baseline else -math.inf


def aspect_key(counts: Counts, baseline: Counts, objective: Objective) -> tuple[float, ...]:
    """Return the chosen metric, I, WAcc and Acc of an aspect, to compare references."""
    acc, wacc = accuracy(counts), weighted_accuracy(counts, objective.weight)
    i = improvement(wacc, weighted_accuracy(baseline, objective.weight))
    ratios = (precision(counts), recall(counts), f_score(counts, objective.beta), acc, wacc, i)
    chosen = counts[objective.metric] if objective.metric < P else ratios[objective.metric - P]
    return chosen, i, wacc, acc


def key(counts: Counts, objective: Objective) -> tuple[float, ...]:
    """Return `aspect_key` of the chosen aspect, then of the other aspect."""
    both = (
        aspect_key(counts[DETECTION], counts[BASELINE], objective),
        aspect_key(counts[CORRECTION], counts[BASELINE], objective),
    )
    return both[objective.aspect] + both[1 - objective.aspect]


def best_of(candidates: Sequence[Counts], offset: Counts, objective: Objective) -> int:
    """Return the first index whose counts plus `offset` have the best key."""
    keys = [key(add_counts(counts, offset), objective) for counts in candidates]
    return keys.index(max(keys))


def add_counts(first: Counts, second: Counts) -> list[int]:
    """Return the sum of two rows of counts."""
    return [a + b for a, b in zip(first, second, strict=True)]

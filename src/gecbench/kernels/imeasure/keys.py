"""What the references of a sentence are compared by (Felice & Briscoe 2015, section 2.3; docs/imeasure.md, section 6).

The values are floats computed in the order of the official scorer: where two references have the same F or I,
the last bit of the float decides there, and so it does here. Counts are fifteen integers: TP TN FP FN FPN for
detection, then for correction, then for the baseline.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from gecbench.kernels.imeasure.alignment import BASELINE, CORRECTION, DETECTION, FN, FP, FPN, TN, TP

METRICS = ("tp", "tn", "fp", "fn", "p", "r", "f", "acc", "wacc", "i")
P, R, F, ACC, WACC, I = range(4, 10)  # noqa: E741
Counts = Sequence[int]
Key = tuple[float, ...]


class Objective(NamedTuple):
    """What to maximise: aspect 0 detection or 1 correction, a metric, by sentence or greedily by corpus."""

    aspect: int
    metric: int
    corpus: int
    weight: float
    beta: float


def precision(counts: Counts) -> float:
    """TP / (TP + FP), 1 where nothing was proposed."""
    return counts[TP] / (counts[TP] + counts[FP]) if counts[TP] + counts[FP] else 1.0


def recall(counts: Counts) -> float:
    """TP / (TP + FN), 1 where nothing was to be found."""
    return counts[TP] / (counts[TP] + counts[FN]) if counts[TP] + counts[FN] else 1.0


def f_score(counts: Counts, beta: float) -> float:
    """F-beta of precision and recall, 0 where both are 0."""
    p, r = precision(counts), recall(counts)
    whole = beta * beta * p + r
    return (1 + beta * beta) * (p * r / whole) if whole else 0.0


def accuracy(counts: Counts) -> float:
    """Acc of section 2.3: WAcc where all weigh the same."""
    return weighted_accuracy(counts, 1.0)


def weighted_accuracy(counts: Counts, weight: float) -> float:
    """WAcc of section 2.3.1; nothing at all is right."""
    right = weight * counts[TP] + counts[TN]
    whole = weight * (counts[TP] + counts[FP]) + counts[TN] + counts[FN] - (weight + 1) * counts[FPN] / 2
    return right / whole if whole else 1.0


def improvement(system: float, baseline: float) -> float:
    """I of section 2.3.3, from the weighted accuracies of system and baseline; infinite only at a negative weight."""
    if system == baseline:
        return math.floor(system)
    if system > baseline:
        return (system - baseline) / (1 - baseline) if baseline != 1 else math.inf
    return system / baseline - 1 if baseline else -math.inf


def aspect_key(counts: Counts, baseline: Counts, objective: Objective) -> Key:
    """The chosen metric, I, WAcc and Acc of one aspect."""
    acc, wacc = accuracy(counts), weighted_accuracy(counts, objective.weight)
    i = improvement(wacc, weighted_accuracy(baseline, objective.weight))
    ratios = (precision(counts), recall(counts), f_score(counts, objective.beta), acc, wacc, i)
    chosen = counts[objective.metric] if objective.metric < P else ratios[objective.metric - P]
    return chosen, i, wacc, acc


def key(counts: Counts, objective: Objective) -> Key:
    """The eight values references are compared by in turn: the chosen aspect's, then the other's."""
    both = (
        aspect_key(counts[DETECTION], counts[BASELINE], objective),
        aspect_key(counts[CORRECTION], counts[BASELINE], objective),
    )
    return both[objective.aspect] + both[1 - objective.aspect]


def best_of(candidates: Sequence[Counts], offset: Counts, objective: Objective) -> int:
    """Index of the best counts (added to the offset); the first of equals stays."""
    keys = [key([a + b for a, b in zip(counts, offset, strict=True)], objective) for counts in candidates]
    return keys.index(max(keys))

"""Weighted accuracy and improvement of counts (Felice & Briscoe 2015, section 2.3), for arrays of totals."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gecbench.metrics.ratios import Values

COUNT_NAMES = ("tp", "tn", "fp", "fn", "fpn")
DETECTION, CORRECTION, BASELINE, SCORED = slice(0, 5), slice(5, 10), slice(10, 15), 15


def weighted_accuracy(counts: npt.NDArray[Any], weight: float) -> Values:
    """Return WAcc of TP TN FP FN FPN (section 2.3.1), Acc at weight 1; nothing at all is right."""
    tp, tn, fp, fn, fpn = (counts[..., k].astype(np.float64) for k in range(5))
    right = weight * tp + tn
    whole = weight * (tp + fp) + tn + fn - (weight + 1) * fpn / 2
    return np.where(whole != 0, right / np.where(whole != 0, whole, 1), 1.0)


def improvement(totals: npt.NDArray[Any], aspect: slice, weight: float) -> Values:
    """Return I of an aspect (section 2.3.3), from the weighted accuracies of system and baseline."""
    system = weighted_accuracy(totals[..., aspect], weight)
    baseline = weighted_accuracy(totals[..., BASELINE], weight)
    with np.errstate(divide="ignore"):  # of a negative weight
        better = (system - baseline) / np.where(system > baseline, 1 - baseline, 1)
        worse = system / np.where(system < baseline, baseline, 1) - 1
    return np.where(system == baseline, np.floor(system), np.where(system > baseline, better, worse))

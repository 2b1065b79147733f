"""Ratios of counts as M2 defines them, means of counts, and how ratios are printed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]


def precision_recall(totals: npt.NDArray[Any]) -> tuple[Values, Values]:
    """Return precision and recall of (correct, proposed, gold), each 1 where its denominator is 0."""
    correct, proposed, gold = (totals[..., k].astype(np.float64) for k in range(3))
    precision = np.where(proposed > 0, correct / np.where(proposed > 0, proposed, 1), 1.0)
    recall = np.where(gold > 0, correct / np.where(gold > 0, gold, 1), 1.0)
    return precision, recall


def f_beta(precision: Values, recall: Values, beta: float) -> Values:
    """Return (1 + beta²) P R / (beta² P + R), 0 where that is 0/0."""
    size = beta**2 * precision + recall
    return np.where(size > 0, (1 + beta**2) * precision * recall / np.where(size > 0, size, 1), 0.0)


def mean_count(counts: npt.NDArray[np.int64]) -> float:
    """Return the mean of counts, an integer where it is one."""
    mean = float(counts.mean())
    return int(mean) if mean.is_integer() else mean


def percent(value: float | None, digits: int = 2) -> str:
    """Return a ratio times 100, a dash where there is none."""
    return "–" if value is None or math.isnan(value) else f"{100 * value:.{digits}f}"

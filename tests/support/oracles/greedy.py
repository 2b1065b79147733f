"""The official choice among annotators as a plain walk (docs/metrics/m2.md §9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

Counts = Sequence[int]
Number = Fraction | float


def rank(counts: Counts, beta_squared: Number) -> tuple[Number, int, Number]:
    """Higher is better: F, then correct edits, then the smaller denominator."""
    correct, proposed, gold = counts
    size = beta_squared * gold + proposed
    return ((1 + beta_squared) * correct / size if size else Fraction(1), correct, -size)


def greedy(sentences: Iterable[Iterable[Counts]], beta_squared: Number = Fraction(1, 4)) -> Counts:
    """Totals of the official walk over lists of rows."""
    total: Counts = (0, 0, 0)
    for rows in sentences:
        candidates = [tuple(a + b for a, b in zip(total, row, strict=True)) for row in rows]
        total = max(candidates, key=lambda totals: rank(totals, beta_squared))
    return total


def f_score(totals: Counts, beta_squared: float = 0.25) -> float:
    correct, proposed, gold = totals
    precision = correct / proposed if proposed else 1.0
    recall = correct / gold if gold else 1.0
    size = beta_squared * precision + recall
    return (1 + beta_squared) * precision * recall / size if size else 0.0

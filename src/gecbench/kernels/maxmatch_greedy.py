"""The official choice of annotator on running totals (docs/m2.md, B.9)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


def greedy_choice(counts: Counts, annotator_offsets: Counts, beta_squared: float = 0.25) -> Counts:
    """Chosen row of every sentence, sentences in order; -1 where a sentence has no annotator (docs/m2.md, B.9)."""
    chosen, _ = _walk(counts.tolist(), annotator_offsets.tolist(), beta_squared, range(len(annotator_offsets) - 1))
    return np.array(chosen, dtype=np.int64)


def greedy_totals(counts: Counts, annotator_offsets: Counts, beta_squared: float, samples: NDArray[np.int32]) -> Counts:
    """Totals (correct, proposed, gold) of the greedy choice along each row of sentence indexes (docs/m2.md, B.9)."""
    rows, offsets = counts.tolist(), annotator_offsets.tolist()
    totals = [_walk(rows, offsets, beta_squared, sample)[1] for sample in samples.tolist()]
    return np.array(totals, dtype=np.int64).reshape(len(totals), 3)


def _walk(
    rows: list[list[int]], offsets: list[int], beta_squared: float, sentences: Iterable[int]
) -> tuple[list[int], tuple[int, int, int]]:
    correct = proposed = gold = 0
    chosen = []
    for sentence in sentences:
        best, best_key = -1, (-1.0, 0, 0.0)
        for row in range(offsets[sentence], offsets[sentence + 1]):
            c, e, g = correct + rows[row][0], proposed + rows[row][1], gold + rows[row][2]
            size = beta_squared * g + e
            f_score = (1.0 + beta_squared) * c / size if size else 1.0
            key = (f_score, c, -size)
            if best < 0 or key > best_key:
                best, best_key = row, key
        chosen.append(best)
        if best >= 0:
            correct, proposed, gold = correct + rows[best][0], proposed + rows[best][1], gold + rows[best][2]
    return chosen, (correct, proposed, gold)

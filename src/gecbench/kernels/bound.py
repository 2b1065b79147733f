"""Greedy-cumulative choice of annotators for every subset of them, as the M2 scorer chooses (m2.md B.9)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def greedy_totals(
    counts: NDArray[np.int64],
    present: NDArray[np.bool_],
    subsets: NDArray[np.uint32],
    beta: float,
    threads: int = 1,
) -> NDArray[np.int64]:
    """Return totals (authors, subsets, 3) of correct, proposed and gold edits, sentence after sentence.

    `counts` is (authors, sentences, annotators, 3), `present` (sentences, annotators); bit j of a subset
    stands for annotator j. Of the annotators of a subset the one is taken that maximises F of everything so
    far, on a tie the one with more correct edits, then the one with the smaller proposed + beta² gold, then
    the first. Where no annotator of a subset is present, all of them count as present. `threads` is for the
    native twin.
    """
    del threads
    authors, sentences, annotators, _ = counts.shape
    members = (subsets[:, None] >> np.arange(annotators, dtype=np.uint32) & 1).astype(bool)
    totals = np.zeros((authors, len(subsets), 3), dtype=np.int64)
    for sentence in range(sentences):
        options = members & present[sentence]
        options[~options.any(axis=1)] = members[~options.any(axis=1)]
        totals = _step(totals, counts[:, sentence], options, beta * beta)
    return totals


def _step(
    totals: NDArray[np.int64], counts: NDArray[np.int64], options: NDArray[np.bool_], beta_squared: float
) -> NDArray[np.int64]:
    """Totals after one more sentence, whose counts are (authors, annotators, 3)."""
    best = totals
    best_f = np.full(totals.shape[:2], -1.0)
    best_weight = np.zeros(totals.shape[:2])
    for annotator in range(counts.shape[1]):
        sums = totals + counts[:, annotator, None, :]
        correct = sums[:, :, 0]
        weight = beta_squared * sums[:, :, 2] + sums[:, :, 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            f = np.where(weight == 0, 1.0, (1 + beta_squared) * correct / weight)
        fewer = (correct == best[:, :, 0]) & (weight < best_weight)
        tied = (f == best_f) & ((correct > best[:, :, 0]) | fewer)
        better = options[:, annotator] & ((f > best_f) | tied)
        best = np.where(better[:, :, None], sums, best)
        best_f = np.where(better, f, best_f)
        best_weight = np.where(better, weight, best_weight)
    return best

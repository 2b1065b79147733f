"""Greedy choice of an annotator per sentence, as in M2 and `errant_compare`.

The M2 scorer (docs/metrics/m2.md §9) and `errant_compare` go through the sentences in order. In each sentence, they
choose the annotator with whom F of all choices so far is highest. We call one such pass a walk. Its totals are
(correct, proposed, gold). Many walks are computed together: over resampled corpora, or over the subsets of annotators
for human performance. `rounded` selects the rule of `errant_compare` (docs/metrics/errant.md §4): F is computed from
precision and recall, and rounded to four decimals before comparing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
Mask = NDArray[np.bool_]
Values = NDArray[np.float64]


def choose_rows(counts: Counts, row_offsets: Counts, beta_squared: float, rounded: bool = False) -> Counts:
    """Return the row chosen for every sentence, -1 for a sentence without rows."""
    in_order = np.arange(len(row_offsets) - 1, dtype=np.int32)[None]
    _, chosen = _walk_samples(counts, row_offsets, beta_squared, in_order, rounded)
    return np.where(chosen[0] < 0, -1, row_offsets[:-1] + chosen[0])


def sample_totals(
    counts: Counts,
    row_offsets: Counts,
    beta_squared: float,
    samples: NDArray[np.int32],
    threads: int = 1,
    rounded: bool = False,
) -> Counts:
    """Return the totals of each sample, as an array (samples, 3).

    A sample is a row of sentence indexes. `threads` is for the native kernel.
    """
    del threads
    return _walk_samples(counts, row_offsets, beta_squared, samples, rounded)[0]


def subset_totals(
    counts: Counts, subsets: NDArray[np.uint32], beta_squared: float, threads: int = 1, rounded: bool = False
) -> Counts:
    """Return the totals of every author against every subset of annotators.

    The result has the axes (authors, subsets, 3). Authors are annotators and systems. `counts` has the axes (authors,
    sentences, annotators, 3). Bit j of a subset stands for annotator j. `threads` is for the native kernel.
    """
    del threads
    authors, sentences, annotators, _ = counts.shape
    members = (subsets[:, None] >> np.arange(annotators, dtype=np.uint32) & 1).astype(bool)
    totals = np.zeros((authors, len(subsets), 3), dtype=np.int64)
    for sentence in range(sentences):
        totals, _ = _step(totals, counts[:, sentence, None], members, beta_squared, rounded)
    return totals


def _walk_samples(
    counts: Counts, row_offsets: Counts, beta_squared: float, samples: NDArray[np.int32], rounded: bool
) -> tuple[Counts, Counts]:
    """Return each sample's totals, and the option chosen at each of its positions."""
    sizes = np.diff(row_offsets)
    options = np.arange(sizes.max(initial=0)) < sizes[:, None]
    padded = np.zeros((*options.shape, 3), dtype=np.int64)
    padded[options] = counts
    totals = np.zeros((len(samples), 3), dtype=np.int64)
    chosen = np.full(samples.shape, -1, dtype=np.int64)
    for place in range(samples.shape[1]):
        here = samples[:, place]
        totals, chosen[:, place] = _step(totals, padded[here], options[here], beta_squared, rounded)
    return totals, chosen


def _step(totals: Counts, counts: Counts, options: Mask, beta_squared: float, rounded: bool) -> tuple[Counts, Counts]:
    """Choose an option for each sample's next sentence; return totals and choices.

    A choice is -1 if there is no option. `totals` has the shape (…, 3) and `counts` the shape (…, options, 3). The
    option with the highest F of the new totals is chosen. Ties go to the most correct edits, then to the smallest value
    of proposed + beta² gold, then to the first option. With `rounded`, the second tie-break is the fewest proposed
    edits, then the fewest gold edits.
    """
    best, chosen = totals, np.full(totals.shape[:-1], -1, dtype=np.int64)
    best_f, best_size = np.full(chosen.shape, -1.0), np.zeros(chosen.shape)
    for option in range(options.shape[-1]):
        sums = totals + counts[..., option, :]
        f, size = _rounded_f(sums, beta_squared) if rounded else _f_and_size(sums, beta_squared)
        smaller = size < best_size
        if rounded:
            smaller |= (size == best_size) & (sums[..., 2] < best[..., 2])
        correct = sums[..., 0]
        tied = (f == best_f) & ((correct > best[..., 0]) | ((correct == best[..., 0]) & smaller))
        better = options[..., option] & ((f > best_f) | tied)
        best = np.where(better[..., None], sums, best)
        best_f, best_size = np.where(better, f, best_f), np.where(better, size, best_size)
        chosen = np.where(better, option, chosen)
    return best, chosen


def _f_and_size(sums: Counts, beta_squared: float) -> tuple[Values, Values]:
    size = beta_squared * sums[..., 2].astype(np.float64) + sums[..., 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(size == 0, 1.0, (1 + beta_squared) * sums[..., 0] / size), size


def _rounded_f(sums: Counts, beta_squared: float) -> tuple[Values, Values]:
    """Return F in ten-thousandths, and the number of proposed edits."""
    correct, proposed, gold = (sums[..., k].astype(np.float64) for k in range(3))
    precision = np.where(proposed == correct, 1.0, correct / np.maximum(proposed, 1))
    recall = np.where(gold == correct, 1.0, correct / np.maximum(gold, 1))
    size = beta_squared * precision + recall
    with np.errstate(divide="ignore", invalid="ignore"):
        f = np.where(size == 0, 0.0, (1 + beta_squared) * precision * recall / size)
    return ten_thousandths(f), proposed


def ten_thousandths(values: Values) -> Values:
    """Return 10,000 times a value, rounded as Python's `round(value, 4)` does.

    Rounding is exact, and ties go to even. The value is split into two parts whose products with 10,000 are exact. So
    it is known exactly on which side of a tie the product lies.
    """
    high = values.astype(np.float32).astype(np.float64)
    whole = np.floor(high * 10000)
    beyond_the_tie = (high * 10000 - whole - 0.5) + (values - high) * 10000
    rounded: Values = whole + ((beyond_the_tie > 0) | ((beyond_the_tie == 0) & (whole % 2 == 1)))
    return rounded

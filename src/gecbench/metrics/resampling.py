"""Exact weighted sums of the chosen counts, for many resamples at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from gecbench.metrics.base import Statistics

Totals = npt.NDArray[np.float64]
Chooser = Callable[[int, int], npt.NDArray[np.int64]]
_CHOSEN_BYTES = 64 * 2**20
_TOTALS_BYTES = 4 * 2**20
_EXACT_BITS = 53


@dataclass(frozen=True)
class Samples:
    """Resampled corpora, as positions in the original corpus.

    Position p of sample b is sentence `sentences[b, p]` of a corpus of `size` sentences.
    """

    sentences: npt.NDArray[np.int32]
    size: int

    @cached_property
    def weights(self) -> Totals:
        """The number of times each sentence occurs in each sample (samples × sentences)."""
        samples = len(self.sentences)
        places = self.sentences + self.size * np.arange(samples)[:, None]
        occurrences = np.bincount(places.ravel(), minlength=samples * self.size)
        return occurrences.reshape(samples, self.size).astype(np.float64)


@dataclass(frozen=True)
class PackedCounts:
    """Several columns of counts packed into the bits of one number.

    One addition then adds all columns. Each column has enough bits for its largest sum, so columns cannot overflow into
    each other. A float64 holds all the bits exactly.
    """

    columns: list[int]
    places: list[int]

    def join(self, counts: npt.NDArray[np.int64]) -> Totals:
        """Pack rows of non-negative counts into numbers."""
        joined: Totals = counts[:, self.columns].astype(np.float64) @ np.exp2(self.places)
        return joined

    def split(self, sums: Totals) -> Iterator[tuple[int, Totals]]:
        """Yield each column with its sums. `sums` is modified in place."""
        for column, place in zip(reversed(self.columns), reversed(self.places), strict=True):
            own = np.floor(sums * 2.0**-place)
            sums -= own * 2.0**place
            yield column, own


def packs_of(largest: Totals) -> list[PackedCounts]:
    """Distribute columns over packs.

    `largest` holds the largest sum of each column. Columns of zeros need no pack.
    """
    packs: list[PackedCounts] = []
    place = _EXACT_BITS
    for column in np.flatnonzero(largest).tolist():
        bits = int(largest[column]).bit_length()
        if place + bits > _EXACT_BITS:
            packs.append(PackedCounts([], []))
            place = 0
        packs[-1].columns.append(column)
        packs[-1].places.append(place)
        place += bits
    return packs


@dataclass(frozen=True)
class _VaryingCounts:
    """The part of the counts that depends on the chosen row.

    This part is each row's counts minus the minimum of the sentence's rows.
    """

    sentences: npt.NDArray[np.int64]
    packs: list[PackedCounts]
    excess: list[Totals]

    def size(self) -> int:
        """Return the size of one round in bytes."""
        return 8 * max(1, len(self.sentences) * len(self.packs))

    def chosen(self, rounds: int, chosen_rows: Chooser) -> Iterator[tuple[slice, list[Totals]]]:
        """Yield slices of rounds, with the excess of the chosen rows.

        Each slice comes with one array (sentences × rounds) for each pack.
        """
        step = max(1, _CHOSEN_BYTES // self.size())
        for begin in range(0, rounds if self.packs else 0, step):
            end = min(begin + step, rounds)
            rows = chosen_rows(begin, end - begin)[:, self.sentences]
            yield slice(begin, end), [excess[rows].T for excess in self.excess]


def weighted_totals(
    statistics: Statistics, weights: npt.NDArray[Any], rounds: int, chosen_rows: Chooser
) -> Iterator[Totals]:
    """Yield the weighted sums of the chosen counts, some samples at a time.

    Each array has the shape samples × rounds × counts. In each round, one row of counts is chosen for each sentence:
    GLEU draws references in 500 rounds. `chosen_rows(first, count)` returns the rows chosen in `count` rounds from
    round `first` on. `weights` (samples × sentences) are non-negative integers. To save time, the minimum of a
    sentence's rows is summed only once for all rounds. Each round then adds how much its chosen rows exceed the
    minimum.
    """
    counts, starts = statistics.counts, statistics.offsets[:-1]
    weighing = weights.astype(np.float64, copy=False)
    least = np.minimum.reduceat(counts, starts)
    spans = np.maximum.reduceat(counts, starts) - least
    fixed = weighing @ least.astype(np.float64)
    packs = packs_of((weighing @ spans.astype(np.float64)).max(axis=0))
    beyond = counts - np.repeat(least, statistics.choices(), axis=0)
    varying = _VaryingCounts(np.flatnonzero(spans.any(axis=1)), packs, [pack.join(beyond) for pack in packs])
    weighing = np.ascontiguousarray(weighing[:, varying.sentences])
    fits = rounds * varying.size() <= _CHOSEN_BYTES
    kept = list(varying.chosen(rounds, chosen_rows)) if fits else None
    step = max(1, _TOTALS_BYTES // (8 * rounds * counts.shape[1])) if fits else len(weights)
    for begin in range(0, len(weights), step):
        part = slice(begin, begin + step)
        totals = np.empty((counts.shape[1], len(weighing[part]), rounds))
        totals[:] = fixed[part].T[:, :, None]
        for some, matrices in varying.chosen(rounds, chosen_rows) if kept is None else kept:
            for pack, matrix in zip(packs, matrices, strict=True):
                for column, own in pack.split(weighing[part] @ matrix):
                    totals[column, :, some] += own
        yield np.moveaxis(totals, 0, -1)

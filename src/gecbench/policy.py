"""How a reference is chosen for each sentence: part of every GEC metric, so a named object.

A policy turns counts (references × counts per sentence) into corpus totals. Resampling runs it again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from gecbench import kernels
from gecbench.statistics import Counts, Statistics

Totals = npt.NDArray[np.float64]
Generator = Literal["py2", "py3"]
_BLOCK_BYTES = 64 * 2**20


@dataclass(frozen=True)
class Resamples:
    """Pseudo-corpora: place p of resample b holds sentence `sentences[b, p]` of system `systems[b, p]`."""

    sentences: npt.NDArray[np.int64]
    systems: npt.NDArray[np.int64]

    def weights(self, system: int, sentences: int, dtype: npt.DTypeLike) -> npt.NDArray[np.floating]:
        """Return how often each sentence of a system occurs, resamples × sentences."""
        table: npt.NDArray[np.floating] = np.zeros((len(self.sentences), sentences), dtype=dtype)
        for b, (chosen, owners) in enumerate(zip(self.sentences, self.systems, strict=True)):
            table[b] = np.bincount(chosen[owners == system], minlength=sentences)
        return table


class Policy(ABC):
    """Turns the statistics of a corpus into totals, one row per draw."""

    name: ClassVar[str]

    @abstractmethod
    def totals(self, statistics: Statistics) -> Counts:
        """Return the corpus totals, draws × counts."""

    @abstractmethod
    def resampled_totals(self, statistics: Sequence[Statistics], resamples: Resamples) -> Totals:
        """Return the totals of pseudo-corpora made of one or more systems' sentences, resamples × draws × counts."""


class ChosenRows(Policy):
    """A policy that chooses each sentence's row by itself, whatever else the corpus holds."""

    @abstractmethod
    def chosen_rows(self, statistics: Statistics, first_draw: int, draws: int) -> npt.NDArray[np.int64]:
        """Return the row chosen for each sentence, draws × sentences."""

    @abstractmethod
    def draws(self, statistics: Statistics) -> int:
        """Return the number of draws this corpus needs."""

    def resampled_totals(self, statistics: Sequence[Statistics], resamples: Resamples) -> Totals:
        """Weigh every sentence's chosen counts by how often it occurs; each sentence keeps its own draws."""
        first = statistics[0]
        draws, width = self.draws(first), first.counts.shape[1]
        dtype = _exact_float(statistics, resamples)
        totals = np.zeros((len(resamples.sentences), draws, width))
        for system, counted in enumerate(statistics):
            weights = resamples.weights(system, len(counted), dtype)
            for begin, end in _blocks(draws, len(counted) * width):
                rows = self.chosen_rows(counted, begin, end - begin)
                chosen = counted.counts[rows].astype(dtype)
                summed = weights @ chosen.transpose(1, 0, 2).reshape(len(counted), -1)
                totals[:, begin:end] += summed.reshape(len(weights), end - begin, width)
        return totals


@dataclass(frozen=True)
class Sampled(ChosenRows):
    """One reference drawn per sentence and iteration, as the official GLEU script draws (500 iterations)."""

    name: ClassVar[str] = "sampled"
    iterations: int = 500
    generator: Generator = "py2"

    def draws(self, statistics: Statistics) -> int:
        """Return the number of iterations, 1 where there is nothing to draw."""
        return self.iterations if (statistics.choices() > 1).any() else 1

    def totals(self, statistics: Statistics) -> Counts:
        """Sum the counts of the references drawn in each iteration."""
        totals: Counts = kernels.select("draws").sampled_totals(
            statistics.counts, statistics.offsets, self.draws(statistics), self.generator == "py3"
        )
        return totals

    def chosen_rows(self, statistics: Statistics, first_draw: int, draws: int) -> npt.NDArray[np.int64]:
        """Draw with seed 101 × iteration."""
        rows: npt.NDArray[np.int64] = kernels.select("draws").draw_rows(
            statistics.offsets, first_draw, draws, self.generator == "py3"
        )
        return rows


@dataclass(frozen=True)
class Merged(ChosenRows):
    """All references counted together in one row per sentence, as BLEU does."""

    name: ClassVar[str] = "merged"

    def draws(self, statistics: Statistics) -> int:
        """Return 1: nothing is drawn."""
        return 1

    def totals(self, statistics: Statistics) -> Counts:
        """Sum all rows."""
        totals: Counts = statistics.counts.sum(axis=0, keepdims=True)
        return totals

    def chosen_rows(self, statistics: Statistics, first_draw: int, draws: int) -> npt.NDArray[np.int64]:
        """Return the only row of each sentence."""
        return statistics.offsets[None, :-1]


def _exact_float(statistics: Sequence[Statistics], resamples: Resamples) -> npt.DTypeLike:
    """Return the smallest float type in which every total is an exact integer."""
    largest = max((int(np.abs(counted.counts).max(initial=0)) for counted in statistics), default=0)
    return np.float32 if largest * resamples.sentences.shape[1] < 2**24 else np.float64


def _blocks(draws: int, values_per_draw: int) -> Iterator[tuple[int, int]]:
    size = max(1, _BLOCK_BYTES // (8 * max(1, values_per_draw)))
    for begin in range(0, draws, size):
        yield begin, min(begin + size, draws)

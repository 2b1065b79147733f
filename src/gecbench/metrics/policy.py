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
from gecbench.errors import InputError
from gecbench.metrics.statistics import Counts, Statistics

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
    """Turns the statistics of a corpus into totals, one row per round."""

    @abstractmethod
    def totals(self, statistics: Statistics) -> Counts:
        """Return the corpus totals, rounds × counts."""

    @abstractmethod
    def resampled_totals(self, statistics: Sequence[Statistics], resamples: Resamples) -> Totals:
        """Return the totals of pseudo-corpora made of one or more systems' sentences, resamples × rounds × counts."""

    def swapped_totals(self, statistics: Sequence[Statistics], resamples: Resamples) -> tuple[Totals, Totals]:
        """Return the totals of two systems after swapping sentences: as `resamples` says, and the other way round."""
        other = Resamples(resamples.sentences, 1 - resamples.systems)
        return self.resampled_totals(statistics, resamples), self.resampled_totals(statistics, other)


class ChosenRows(Policy):
    """A policy that chooses each sentence's row by itself, whatever else the corpus holds."""

    @abstractmethod
    def chosen_rows(self, statistics: Statistics, first: int, count: int) -> npt.NDArray[np.int64]:
        """Return the row chosen for each sentence, rounds × sentences."""

    def rounds(self, statistics: Statistics) -> int:
        """Return the number of choices for the whole corpus: of GLEU's draws, of annotators in turn, or 1."""
        return 1

    def totals(self, statistics: Statistics) -> Counts:
        """Sum the chosen rows of each round."""
        rows = self.chosen_rows(statistics, 0, self.rounds(statistics))
        totals: Counts = statistics.counts[rows].sum(axis=1)
        return totals

    def resampled_totals(self, statistics: Sequence[Statistics], resamples: Resamples) -> Totals:
        """Weigh every sentence's chosen counts by how often it occurs; each sentence keeps its own choices."""
        first = statistics[0]
        rounds, width = self.rounds(first), first.counts.shape[1]
        dtype = _exact_float(statistics, resamples)
        totals = np.zeros((len(resamples.sentences), rounds, width))
        for system, counted in enumerate(statistics):
            weights = resamples.weights(system, len(counted), dtype)
            for begin, end in _blocks(rounds, len(counted) * width):
                rows = self.chosen_rows(counted, begin, end - begin)
                chosen = counted.counts[rows].astype(dtype)
                summed = weights @ chosen.transpose(1, 0, 2).reshape(len(counted), -1)
                totals[:, begin:end] += summed.reshape(len(weights), end - begin, width)
        return totals

    def swapped_totals(self, statistics: Sequence[Statistics], resamples: Resamples) -> tuple[Totals, Totals]:
        """Return the totals after swapping; what one side lost, the other gained."""
        left = self.resampled_totals(statistics, resamples)
        both = self.totals(statistics[0]) + self.totals(statistics[1])
        return left, both[None] - left


@dataclass(frozen=True)
class Sampled(ChosenRows):
    """One reference drawn per sentence and iteration, as the official GLEU script draws (500 iterations)."""

    iterations: int = 500
    generator: Generator = "py2"

    def rounds(self, statistics: Statistics) -> int:
        """Return the number of iterations, 1 where there is nothing to draw."""
        return self.iterations if (statistics.choices() > 1).any() else 1

    def totals(self, statistics: Statistics) -> Counts:
        """Sum the counts of the references drawn in each iteration."""
        totals: Counts = kernels.select("gleu").sampled_totals(
            statistics.counts, statistics.offsets, self.rounds(statistics), self.generator == "py3"
        )
        return totals

    def chosen_rows(self, statistics: Statistics, first: int, count: int) -> npt.NDArray[np.int64]:
        """Draw with seed 101 × iteration."""
        rows: npt.NDArray[np.int64] = kernels.select("gleu").draw_rows(
            statistics.offsets, first, count, self.generator == "py3"
        )
        return rows


@dataclass(frozen=True)
class GreedyCumulative(Policy):
    """The annotator who maximises F-beta of everything chosen so far, sentence by sentence, as M2 does.

    Ties go to more matches, then to fewer edits, then to the annotator who comes first. Depends on the order of the
    sentences.
    """

    beta: float = 0.5
    rounded: ClassVar[bool] = False

    def totals(self, statistics: Statistics) -> Counts:
        """Walk the corpus in order."""
        in_order = np.arange(len(statistics), dtype=np.int32)[None]
        return self._walk(statistics, in_order)

    def chosen(self, statistics: Statistics) -> npt.NDArray[np.int64]:
        """Return the row chosen for each sentence."""
        rows: npt.NDArray[np.int64] = kernels.select("greedy").choose_rows(
            statistics.counts, statistics.offsets, self.beta**2, self.rounded
        )
        return rows

    def resampled_totals(self, statistics: Sequence[Statistics], resamples: Resamples) -> Totals:
        """Walk every pseudo-corpus in its own order."""
        sentences = len(statistics[0])
        samples = (resamples.sentences + sentences * resamples.systems).astype(np.int32)
        totals = self._walk(Statistics.concatenate(statistics), samples)
        return totals[:, None, :].astype(np.float64)

    def _walk(self, statistics: Statistics, samples: npt.NDArray[np.int32]) -> Counts:
        totals: Counts = kernels.select("greedy").sample_totals(
            statistics.counts, statistics.offsets, self.beta**2, np.ascontiguousarray(samples), self.rounded
        )
        return totals


@dataclass(frozen=True)
class GreedyRounded(GreedyCumulative):
    """The annotator who maximises the running F-beta rounded to four decimals, as `errant_compare` does.

    Rounding makes ties, which go to more matches, then to fewer edits proposed, then to fewer edits missed, then to
    whom comes first. Depends on the order of the sentences.
    """

    rounded: ClassVar[bool] = True


@dataclass(frozen=True)
class BestPerSentence(ChosenRows):
    """The annotator with the best F-beta of the sentence alone; ties as in `greedy-cumulative`."""

    beta: float = 0.5

    def chosen_rows(self, statistics: Statistics, first: int, count: int) -> npt.NDArray[np.int64]:
        """Return the best row of each sentence."""
        correct, proposed, gold = statistics.counts.T.astype(np.float64)
        size = self.beta**2 * gold + proposed
        f_score = np.where(size > 0, (1 + self.beta**2) * correct / np.where(size > 0, size, 1), 1.0)
        sentence = np.repeat(np.arange(len(statistics)), statistics.choices())
        best_last = np.lexsort((-np.arange(len(sentence)), -size, correct, f_score, sentence))
        ends = np.searchsorted(sentence[best_last], np.arange(len(statistics)), side="right") - 1
        return best_last[ends][None]


@dataclass(frozen=True)
class EachRow(ChosenRows):
    """Every row in turn: the value is the average over the references or annotators.

    Where all references are counted together (BLEU), or the best is chosen while counting (I-measure), it is the only
    row of each sentence.
    """

    def rounds(self, statistics: Statistics) -> int:
        """Return the number of rows, which every sentence must share."""
        return int(statistics.choices()[0])

    def chosen_rows(self, statistics: Statistics, first: int, count: int) -> npt.NDArray[np.int64]:
        """Return the row of each position."""
        return statistics.offsets[None, :-1] + np.arange(first, first + count)[:, None]


@dataclass(frozen=True)
class ChosenInOrder(EachRow):
    """References chosen while counting, each for the best running total: they hold for this order of sentences only."""

    def resampled_totals(self, statistics: Sequence[Statistics], resamples: Resamples) -> Totals:
        """Refuse: another corpus would have led to other references, and they are not kept."""
        raise InputError(
            "references chosen for the corpus as a whole cannot be resampled",
            fix="Use optimise=sentence, or ask for no intervals and no resampling test",
        )


def _exact_float(statistics: Sequence[Statistics], resamples: Resamples) -> npt.DTypeLike:
    """Return the smallest float type in which every total is an exact integer."""
    largest = max((int(np.abs(counted.counts).max(initial=0)) for counted in statistics), default=0)
    return np.float32 if largest * resamples.sentences.shape[1] < 2**24 else np.float64


def _blocks(rounds: int, values_per_round: int) -> Iterator[tuple[int, int]]:
    size = max(1, _BLOCK_BYTES // (8 * max(1, values_per_round)))
    for begin in range(0, rounds, size):
        yield begin, min(begin + size, rounds)

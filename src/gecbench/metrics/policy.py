"""Policies: how a reference is chosen for each sentence.

References are chosen for a whole corpus, or batch by batch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from gecbench import kernels
from gecbench.errors import InputError, counted
from gecbench.metrics.base import Counts, Statistics, f_beta_of_counts
from gecbench.metrics.resampling import Samples, Totals, weighted_totals

Swaps = npt.NDArray[np.int32]
Generator = Literal["py2", "py3"]
Arrays = Mapping[str, npt.NDArray[Any]]
TotalsOf = Callable[[Statistics], Counts]
_ADVANCED_AT_ONCE = 100_000


class Policy(ABC):
    """Base class of policies, which choose one row of counts per sentence.

    The sums of the chosen rows are the totals of the corpus. A policy may choose several times, in rounds: GLEU draws
    references in 500 rounds. Each round gives one row of totals. If `one_row_per_reference`, each row of a sentence
    depends on one reference only. Then rows can be left out without a recount.
    """

    one_row_per_reference: ClassVar[bool] = True

    @abstractmethod
    def totals(self, statistics: Statistics) -> Counts:
        """Return the corpus totals (rounds × counts)."""

    @abstractmethod
    def running(self) -> Running:
        """Return running totals, to which sentences are added in batches."""

    @abstractmethod
    def resampled_totals(self, statistics: Statistics, samples: Samples) -> Iterator[Totals]:
        """Yield the totals of resampled corpora.

        Each array (samples × rounds × counts) holds the totals of some samples.
        """

    @abstractmethod
    def swapped_totals(self, left: Statistics, right: Statistics, swaps: Swaps) -> Iterator[tuple[Totals, Totals]]:
        """Yield the totals of two systems after swapping sentences.

        `swaps` (samples × sentences) is 1 for the sentences to swap.
        """


class ChosenRows(Policy):
    """A policy that chooses each row independently of other sentences."""

    @abstractmethod
    def chosen_rows(self, statistics: Statistics, first: int, count: int) -> npt.NDArray[np.int64]:
        """Return the row chosen for each sentence (rounds × sentences)."""

    def rounds(self, statistics: Statistics) -> int:
        """Return the number of rounds: GLEU's draws, the number of annotators, or 1."""
        return 1

    def running(self) -> Running:
        """Return running totals that are plain sums."""
        return RunningSum(self.totals)

    def totals(self, statistics: Statistics) -> Counts:
        """Sum the chosen rows of each round."""
        rows = self.chosen_rows(statistics, 0, self.rounds(statistics))
        totals: Counts = statistics.counts[rows].sum(axis=1)
        return totals

    def resampled_totals(self, statistics: Statistics, samples: Samples) -> Iterator[Totals]:
        """Weight the chosen counts of each sentence by its frequency in the sample.

        The chosen rows stay the same.
        """
        return self._weighted(self._settled(statistics), samples.weights)

    def swapped_totals(self, left: Statistics, right: Statistics, swaps: Swaps) -> Iterator[tuple[Totals, Totals]]:
        """Yield the totals after swapping. What one system loses, the other gains."""
        before, other = self._settled(left), self._settled(right)
        ours, theirs = self.totals(left), self.totals(right)
        for gained in self._weighted(Statistics(other.counts - before.counts, before.offsets), swaps):
            yield ours + gained, theirs - gained

    def _settled(self, statistics: Statistics) -> Statistics:
        """Return only the chosen rows if there is one round, else all rows."""
        if self.rounds(statistics) > 1:
            return statistics
        rows = self.chosen_rows(statistics, 0, 1)[0]
        return Statistics(statistics.counts[rows], np.arange(len(rows) + 1))

    def _weighted(self, statistics: Statistics, weights: npt.NDArray[Any]) -> Iterator[Totals]:
        return weighted_totals(
            statistics, weights, self.rounds(statistics), lambda *rounds: self.chosen_rows(statistics, *rounds)
        )


@dataclass(frozen=True)
class Sampled(ChosenRows):
    """Draw one reference per sentence and iteration.

    The official GLEU script does the same, with 500 iterations.
    """

    iterations: int = 500
    generator: Generator = "py2"

    def rounds(self, statistics: Statistics) -> int:
        """Return the number of iterations, or 1 if there is nothing to draw."""
        return self.iterations if (statistics.choices() > 1).any() else 1

    def running(self) -> Running:
        """Return running totals whose random generators continue from batch to batch."""
        return RunningDraws(self.iterations, self.generator == "py3")

    def totals(self, statistics: Statistics) -> Counts:
        """Sum the counts of the references drawn in each iteration."""
        totals: Counts = kernels.select("gleu").sampled_totals(
            statistics.counts, statistics.offsets, self.rounds(statistics), self.generator == "py3", kernels.threads()
        )
        return totals

    def chosen_rows(self, statistics: Statistics, first: int, count: int) -> npt.NDArray[np.int64]:
        """Return the rows drawn with the seed 101 × iteration."""
        rows: npt.NDArray[np.int64] = kernels.select("gleu").draw_rows(
            statistics.offsets, first, count, self.generator == "py3", kernels.threads()
        )
        return rows


class Greedy(Policy):
    """A policy that chooses the row with the best totals so far.

    The choices depend on the order of sentences.
    """

    def running(self) -> Running:
        """Return running totals on which the next choice depends."""
        return RunningChoice(self.totals)

    def totals(self, statistics: Statistics) -> Counts:
        """Sum the rows that are chosen in corpus order."""
        rows = self.chosen(statistics)
        totals: Counts = statistics.counts[rows[rows >= 0]].sum(axis=0, keepdims=True)
        return totals

    @abstractmethod
    def chosen(self, statistics: Statistics) -> npt.NDArray[np.int64]:
        """Return the row chosen for each sentence, or -1 for a sentence without rows."""

    @abstractmethod
    def _sample_totals(self, statistics: Statistics, samples: npt.NDArray[np.int32]) -> Counts:
        """Return the totals of each sample.

        A row of `samples` lists the sentences of a sample in order.
        """

    def resampled_totals(self, statistics: Statistics, samples: Samples) -> Iterator[Totals]:
        """Choose again in each resampled corpus, in its own order."""
        yield self._sample_totals(statistics, samples.sentences)[:, None, :].astype(np.float64)

    def swapped_totals(self, left: Statistics, right: Statistics, swaps: Swaps) -> Iterator[tuple[Totals, Totals]]:
        """Choose again in corpus order, once per system."""
        both, size = Statistics.concatenate([left, right]), len(left)
        places = np.arange(size, dtype=np.int32) + size * np.stack([swaps, 1 - swaps])
        first, second = (self._sample_totals(both, each)[:, None, :].astype(np.float64) for each in places)
        yield first, second


@dataclass(frozen=True)
class GreedyCumulative(Greedy):
    """Choose the annotator who maximizes F-beta of all totals so far, as M2 does.

    Ties go to more matches, then to fewer edits, then to the first annotator.
    """

    beta: float = 0.5
    rounded: ClassVar[bool] = False

    def chosen(self, statistics: Statistics) -> npt.NDArray[np.int64]:
        """Return the row chosen for each sentence."""
        rows: npt.NDArray[np.int64] = kernels.select("greedy").choose_rows(
            statistics.counts, statistics.offsets, self.beta**2, self.rounded
        )
        return rows

    def _sample_totals(self, statistics: Statistics, samples: npt.NDArray[np.int32]) -> Counts:
        totals: Counts = kernels.select("greedy").sample_totals(
            statistics.counts, statistics.offsets, self.beta**2, samples, kernels.threads(), self.rounded
        )
        return totals


@dataclass(frozen=True)
class GreedyRounded(GreedyCumulative):
    """Choose the annotator who maximizes the rounded running F-beta.

    F-beta is rounded to four decimals, as `errant_compare` does. Rounding creates ties. They go to more matches, then
    to fewer proposed edits, then to fewer missed edits, then to the first annotator.
    """

    rounded: ClassVar[bool] = True


class GreedyObjective(Greedy):
    """Choose the row that maximizes an objective of the totals so far.

    Ties go to the row that is best for the sentence alone, then to the first. For this tie rule, the rows of each
    sentence are sorted by `criteria`, and the first maximum is taken. The policy works for any columns of counts.
    """

    @abstractmethod
    def objective(self, totals: Sequence[Any] | npt.NDArray[Any]) -> Any:
        """Return the value to maximize.

        For each count, `totals` has one number, or one array with the numbers of many samples.
        """

    @abstractmethod
    def criteria(self, counts: Counts) -> Sequence[npt.NDArray[Any]]:
        """Return the criteria that break ties, most important first. Higher is better."""

    def chosen(self, statistics: Statistics) -> npt.NDArray[np.int64]:
        """Return the row chosen for each sentence."""
        rows = []
        counts, totals = statistics.counts.tolist(), [0] * statistics.counts.shape[1]
        for options in self._options(statistics).tolist():
            sums = [[have + more for have, more in zip(totals, counts[row], strict=True)] for row in options]
            best = 0
            if any(other != sums[0] for other in sums[1:]):
                values = list(map(self.objective, sums))
                best = values.index(max(values))
            rows.append(options[best])
            totals = sums[best]
        return np.array(rows, dtype=np.int64)

    def _sample_totals(self, statistics: Statistics, samples: npt.NDArray[np.int32]) -> Counts:
        """Advance all samples together, one sentence at a time."""
        options = statistics.counts[self._options(statistics)]
        totals = np.zeros((len(samples), options.shape[-1]), dtype=np.int64)
        for here in samples.T:
            sums = totals[:, None] + options[here]
            best = self.objective(np.moveaxis(sums, -1, 0)).argmax(axis=1)
            totals = sums[np.arange(len(samples)), best]
        return totals

    def _options(self, statistics: Statistics) -> npt.NDArray[np.int64]:
        """Return the rows of each sentence, best first.

        Sentences with fewer rows repeat their last row.
        """
        sentence = np.repeat(np.arange(len(statistics)), statistics.choices())
        worst_first = [np.arange(len(sentence)), *(-each for each in reversed(self.criteria(statistics.counts)))]
        order = np.lexsort([*worst_first, sentence])
        places = np.arange(statistics.choices().max(initial=1))
        rows: npt.NDArray[np.int64] = order[
            np.minimum(statistics.offsets[:-1, None] + places, statistics.offsets[1:, None] - 1)
        ]
        return rows


class BestRow(ChosenRows):
    """Choose the best row of each sentence alone. Ties go to the first row."""

    @abstractmethod
    def criteria(self, counts: Counts) -> Sequence[npt.NDArray[Any]]:
        """Return the criteria, most important first. Higher is better."""

    def chosen(self, statistics: Statistics) -> npt.NDArray[np.int64]:
        """Return the row chosen for each sentence."""
        sentence = np.repeat(np.arange(len(statistics)), statistics.choices())
        worst_first = [-np.arange(len(sentence)), *reversed(self.criteria(statistics.counts)), sentence]
        best_last = np.lexsort(worst_first)
        ends = np.searchsorted(sentence[best_last], np.arange(len(statistics)), side="right") - 1
        rows: npt.NDArray[np.int64] = best_last[ends]
        return rows

    def chosen_rows(self, statistics: Statistics, first: int, count: int) -> npt.NDArray[np.int64]:
        """Return the best row of each sentence, in one round."""
        return self.chosen(statistics)[None]


@dataclass(frozen=True)
class BestPerSentence(BestRow):
    """Choose the annotator with the best F-beta for the sentence alone.

    Ties are broken as in `greedy-cumulative`.
    """

    beta: float = 0.5

    def criteria(self, counts: Counts) -> Sequence[npt.NDArray[Any]]:
        """Return F-beta, the matches, and minus the denominator of F-beta.

        The fewer edits there are, the smaller the denominator is, and the better the row.
        """
        correct, proposed, gold = counts.T
        return f_beta_of_counts(counts, self.beta), correct, -(self.beta**2 * gold + proposed)


@dataclass(frozen=True)
class EachRow(ChosenRows):
    """Use each row in its own round.

    The value is the average over references or annotators.
    """

    def rounds(self, statistics: Statistics) -> int:
        """Return the number of rows, which must be the same for all sentences."""
        return int(statistics.choices()[0])

    def chosen_rows(self, statistics: Statistics, first: int, count: int) -> npt.NDArray[np.int64]:
        """Return row k of each sentence for round k."""
        return statistics.offsets[None, :-1] + np.arange(first, first + count)[:, None]


@dataclass(frozen=True)
class SingleRow(EachRow):
    """Use the only row of each sentence.

    There is only one row, because references are counted together (BLEU) or chosen while counting (I-measure).
    """

    one_row_per_reference: ClassVar[bool] = False


@dataclass(frozen=True)
class OrderDependent(SingleRow):
    """References chosen while counting, for the best running total.

    The choices are valid only for this order of sentences.
    """

    def running(self) -> Running:
        """Raise an error, because references cannot be chosen batch by batch.

        A batch alone would choose references without the totals of earlier batches.
        """
        raise InputError(
            "imeasure: with optimise=corpus, references cannot be chosen batch by batch", fix="Use optimise=sentence"
        )

    def _weighted(self, statistics: Statistics, weights: npt.NDArray[Any]) -> Iterator[Totals]:
        """Raise an error, because the corpus cannot be resampled.

        A resampled corpus would need other references, which are not kept.
        """
        raise InputError(
            "imeasure: with optimise=corpus, the choice of references depends on all sentences of the corpus, so the "
            "sentences cannot be resampled",
            fix="Use optimise=sentence, or leave out intervals and resampling tests",
        )


class Running(ABC):
    """The state that a policy carries from batch to batch.

    `arrays` returns the whole state.
    """

    def __init__(self) -> None:
        self._totals: Counts | None = None

    @property
    def totals(self) -> Counts:
        """The totals of all sentences so far (rounds × counts).

        The array is empty before the first sentence.
        """
        return np.empty((0, 0), dtype=np.int64) if self._totals is None else self._totals

    @abstractmethod
    def add(self, statistics: Statistics) -> None:
        """Add the next sentences."""

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the state to save for resuming."""
        return {"totals": self.totals}

    def restore(self, arrays: Arrays) -> None:
        """Resume from the saved state of an unfinished run."""
        self._totals = arrays["totals"] if arrays["totals"].size else None


class RunningSum(Running):
    """Running totals of a policy that chooses each row independently: a plain sum."""

    def __init__(self, totals_of: TotalsOf) -> None:
        super().__init__()
        self._totals_of = totals_of

    def add(self, statistics: Statistics) -> None:
        """Add the totals of the batch."""
        totals = self._totals_of(statistics)
        if self._totals is not None and self._totals.shape != totals.shape:
            problem = (
                f"a sentence has {counted(len(totals), 'reference')}, but earlier sentences have {len(self._totals)}"
            )
            raise InputError(problem, fix="Give every sentence the same number of references")
        self._totals = totals if self._totals is None else self._totals + totals


class RunningChoice(Running):
    """Running totals of a greedy policy.

    The totals so far are treated as a first sentence with one row.
    """

    def __init__(self, totals_of: TotalsOf) -> None:
        super().__init__()
        self._totals_of = totals_of

    def add(self, statistics: Statistics) -> None:
        """Continue choosing with the next sentences."""
        if self._totals is not None:
            before = Statistics(self._totals, np.array([0, 1]))
            statistics = Statistics.concatenate([before, statistics])
        self._totals = self._totals_of(statistics)


class RunningDraws(Running):
    """Running totals of GLEU's draws. Each iteration keeps its own random generator.

    As long as every sentence has one reference, nothing is drawn and only the number of sentences is kept.
    """

    def __init__(self, iterations: int, python3: bool) -> None:
        super().__init__()
        self._iterations, self._python3 = iterations, python3
        self._undrawn = 0
        self._states: npt.NDArray[np.uint32] | None = None

    def add(self, statistics: Statistics) -> None:
        """Draw references for the sentences of the batch.

        First, the generators advance past the earlier sentences, if these had one reference each.
        """
        if self._states is None and (statistics.choices() == 1).all():
            totals = statistics.counts.sum(axis=0, keepdims=True)
            self._undrawn += len(statistics)
        else:
            self._begin()
            totals = self._draw(statistics)
        self._totals = totals if self._totals is None else self._totals + totals

    def _begin(self) -> None:
        if self._states is None:
            self._states = np.array(kernels.select("gleu").generator_states(self._iterations))
            for begin in range(0, self._undrawn, _ADVANCED_AT_ONCE):
                size = min(_ADVANCED_AT_ONCE, self._undrawn - begin)
                self._draw(Statistics(np.zeros((size, 1), dtype=np.int64), np.arange(size + 1)))

    def _draw(self, statistics: Statistics) -> Counts:
        totals: Counts = kernels.select("gleu").sampled_totals(
            statistics.counts, statistics.offsets, self._iterations, self._python3, kernels.threads(), self._states
        )
        return totals

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the totals, the generators, and the number of sentences without draws."""
        states = np.empty((0, 0), dtype=np.uint32) if self._states is None else self._states
        return {**super().arrays(), "states": states, "undrawn": np.array(self._undrawn)}

    def restore(self, arrays: Arrays) -> None:
        """Resume from the saved state of an unfinished run."""
        super().restore(arrays)
        self._undrawn = int(arrays["undrawn"])
        self._states = arrays["states"] if arrays["states"].size else None

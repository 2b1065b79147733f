"""Totals in the making: batches of sentences come in their order, and of what came nothing is kept but the totals.

Each gives the totals that its policy gives of all sentences at once, to the bit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from gecbench import kernels
from gecbench.errors import InputError
from gecbench.metrics.statistics import Counts, Statistics

Arrays = Mapping[str, npt.NDArray[Any]]
TotalsOf = Callable[[Statistics], Counts]
_ADVANCED_AT_ONCE = 100_000


class Running(ABC):
    """What a policy carries from batch to batch; `arrays` hold all of it."""

    def __init__(self) -> None:
        self._totals: Counts | None = None

    @property
    def totals(self) -> Counts:
        """The totals of all sentences so far, rounds × counts; empty before the first."""
        return np.empty((0, 0), dtype=np.int64) if self._totals is None else self._totals

    @abstractmethod
    def add(self, statistics: Statistics) -> None:
        """Take the next sentences."""

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return what to keep of an unfinished run."""
        return {"totals": self.totals}

    def restore(self, arrays: Arrays) -> None:
        """Go on from the arrays of an unfinished run."""
        self._totals = arrays["totals"] if arrays["totals"].size else None


class RunningSum(Running):
    """For a policy that chooses each sentence's row by itself: its totals add up."""

    def __init__(self, totals_of: TotalsOf) -> None:
        super().__init__()
        self._totals_of = totals_of

    def add(self, statistics: Statistics) -> None:
        """Add the totals of the batch."""
        totals = self._totals_of(statistics)
        if self._totals is not None and self._totals.shape != totals.shape:
            problem = f"{len(totals)} references of a sentence, but {len(self._totals)} of those before"
            raise InputError(problem, fix="An average over references needs the same number for every sentence")
        self._totals = totals if self._totals is None else self._totals + totals


class RunningChoice(Running):
    """For the greedy choice, which looks at the totals so far: they come first, as a sentence with one row."""

    def __init__(self, totals_of: TotalsOf) -> None:
        super().__init__()
        self._totals_of = totals_of

    def add(self, statistics: Statistics) -> None:
        """Walk on."""
        if self._totals is not None:
            before = Statistics(self._totals, np.array([0, 1]))
            statistics = Statistics.concatenate([before, statistics])
        self._totals = self._totals_of(statistics)


class RunningDraws(Running):
    """For GLEU's draws: one generator per iteration goes on where it was.

    As long as every sentence has one reference there is nothing to draw: only how many they were is kept.
    """

    def __init__(self, iterations: int, python3: bool) -> None:
        super().__init__()
        self._iterations, self._python3 = iterations, python3
        self._undrawn = 0
        self._states: npt.NDArray[np.uint32] | None = None

    def add(self, statistics: Statistics) -> None:
        """Draw for the batch, and before that for all sentences that had one reference."""
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
        """Return totals, generators, and how many sentences had nothing to draw."""
        states = np.empty((0, 0), dtype=np.uint32) if self._states is None else self._states
        return {**super().arrays(), "states": states, "undrawn": np.array(self._undrawn)}

    def restore(self, arrays: Arrays) -> None:
        """Go on from the arrays of an unfinished run."""
        super().restore(arrays)
        self._undrawn = int(arrays["undrawn"])
        self._states = arrays["states"] if arrays["states"].size else None

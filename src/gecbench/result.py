"""The result of scoring one system with one metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gecbench.signature import Signature
from gecbench.statistics import Statistics

if TYPE_CHECKING:
    from gecbench.metrics.base import Metric


@dataclass(frozen=True)
class Interval:
    """A percentile interval from resampling the sentences."""

    low: float
    high: float
    confidence: float
    resamples: int


@dataclass(frozen=True)
class Score:
    """A value with its parts, how it was made, and the counts it came from.

    `value` is a fraction, as the official scripts print it; tables show it times 100, as papers do.
    """

    metric: Metric = field(repr=False, compare=False)
    value: float
    parts: Mapping[str, float] = field(repr=False)
    signature: Signature
    statistics: Statistics = field(repr=False, compare=False)
    interval: Interval | None = None

    @property
    def name(self) -> str:
        """Name of the metric in the registry."""
        return self.metric.name

    @property
    def sentences(self) -> int:
        """Number of sentences scored."""
        return len(self.statistics)

    def sentence_scores(self) -> npt.NDArray[np.float64]:
        """Return the score of each sentence alone, as the metric defines it."""
        return self.metric.sentence_values(self.statistics)

    def with_interval(self, interval: Interval, seed: int) -> Score:
        """Return the score with an interval, recorded in the signature."""
        signature = self.signature.with_field("resamples", f"{interval.resamples}:{seed}")
        return replace(self, interval=interval, signature=signature)

    def to_dict(self) -> dict[str, object]:
        """Return what a JSON reader needs, the same keys in every mode."""
        interval = self.interval
        return {
            "metric": self.name,
            "value": self.value,
            "parts": dict(self.parts),
            "interval": None if interval is None else dict(vars(interval)),
            "sentences": self.sentences,
            "signature": str(self.signature),
        }

    def __str__(self) -> str:
        words = f"{self.metric.title} = {100 * self.value:.2f}"
        if self.interval is not None:
            words += f" [{100 * self.interval.low:.2f}, {100 * self.interval.high:.2f}]"
        return f"{words}  {self.signature}"

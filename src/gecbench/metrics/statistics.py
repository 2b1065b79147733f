"""Counts of every sentence, one row per reference or annotator: what all scores are computed from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Statistics:
    """The rows of sentence i are `counts[offsets[i]:offsets[i + 1]]`, one per reference (or annotator).

    `diagnostics` count how the kernels came to them.
    """

    counts: Counts
    offsets: npt.NDArray[np.int64]
    diagnostics: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def choices(self) -> npt.NDArray[np.int64]:
        """Return the number of rows of each sentence."""
        return np.diff(self.offsets)

    def select(self, sentences: Sequence[int] | npt.NDArray[np.int64]) -> Statistics:
        """Return the statistics of these sentences, in this order."""
        chosen = np.asarray(sentences, dtype=np.int64)
        sizes = self.choices()[chosen]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        rows = np.arange(offsets[-1]) + np.repeat(self.offsets[chosen] - offsets[:-1], sizes)
        return Statistics(self.counts[rows], offsets)

    def keep_choices(self, kept: Sequence[int]) -> Statistics:
        """Return the statistics with only these rows of each sentence (positions beyond the last are ignored)."""
        position = np.arange(len(self.counts)) - np.repeat(self.offsets[:-1], self.choices())
        mask = np.isin(position, np.asarray(kept))
        sizes = np.add.reduceat(mask.astype(np.int64), self.offsets[:-1])
        return Statistics(self.counts[mask], np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))

    @staticmethod
    def concatenate(parts: Sequence[Statistics]) -> Statistics:
        """Return the sentences of several statistics one after another."""
        shifts = np.cumsum([0, *(len(part.counts) for part in parts[:-1])])
        offsets = [part.offsets[1:] + shift for part, shift in zip(parts, shifts, strict=True)]
        return Statistics(np.concatenate([part.counts for part in parts]), np.concatenate([[0], *offsets]))

"""Scores against subsets of annotators, and the human bound and ratios made of them (Bryant & Ng 2015, §5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gecbench.errors import InputError
from gecbench.kernels import select, threads
from gecbench.metrics.ratios import Values, f_beta, precision_recall
from gecbench.metrics.statistics import Counts
from gecbench.progress import progress

Sizes = Literal["all", "last"]
PROGRESS_TITLE = "sets of annotators"
MOST_ANNOTATORS = 16
Present = NDArray[np.bool_]
Subsets = NDArray[np.uint32]
SubsetScore = Callable[[Counts, Present], float]
# f(a, X) of Bryant & Ng 2015, eq. 1, for all authors a and all subsets X of annotators at once: (authors, subsets) of
# counts (authors, sentences, annotators, counts), who is present (sentences, annotators), and one bit per annotator.
BoundScorer = Callable[[Counts, Present, Subsets], Values]


@dataclass(frozen=True)
class GreedyF:
    """F of edit counts (correct, proposed, gold) by M2's greedy-cumulative choice (docs/m2.md B.9, B.10).

    `rounded`: by errant_compare's choice instead.
    """

    beta: float = 0.5
    threads: int | None = None
    rounded: bool = False

    def __call__(self, counts: Counts, present: Present, subsets: Subsets) -> Values:
        """Run the greedy choice for every author and subset."""
        if counts.shape[3] != 3:
            raise InputError(f"{counts.shape[3]} counts per sentence where correct, proposed, gold are needed")
        totals = select("greedy").subset_totals(
            counts=np.ascontiguousarray(counts, dtype=np.int64),
            present=np.ascontiguousarray(present),
            subsets=subsets,
            beta_squared=self.beta * self.beta,
            threads=self.threads or threads(),
            rounded=self.rounded,
        )
        return f_beta(*precision_recall(totals), self.beta)


@dataclass(frozen=True)
class EachSubset:
    """Any score, one author and one subset at a time; `score` gets the subset's counts and presence.

    Annotators are not scored against subsets that hold themselves (NaN stands there).
    """

    score: SubsetScore

    def __call__(self, counts: Counts, present: Present, subsets: Subsets) -> Values:
        """Score each author against each subset."""
        annotators = counts.shape[2]
        values = np.full((len(counts), len(subsets)), np.nan)
        with progress(len(subsets), PROGRESS_TITLE) as bar:
            for number, members in enumerate(subset_members(subsets, annotators)):
                for author in range(len(counts)):
                    if author >= annotators or not members[author]:
                        values[author, number] = self.score(counts[author][:, members], present[:, members])
                bar.update(1)
        return values


@dataclass(frozen=True)
class BoundRow:
    """Scores against `size` annotators: h_i (eq. 2; NaN where no annotator is left over) and s_i (eq. 3)."""

    size: int
    human: float
    systems: Mapping[str, float]

    def ratio(self, system: str) -> float:
        """s_i / h_i: how near the system comes to a human (§5.3)."""
        return self.systems[system] / self.human if self.human else float("nan")


@dataclass(frozen=True)
class Bound:
    """Rows by number of annotators, and g(X) (eq. 1) by subset, one bit per annotator."""

    rows: tuple[BoundRow, ...]
    subsets: Subsets
    g: Values

    def row(self, size: int) -> BoundRow:
        """The row of this number of annotators."""
        for row in self.rows:
            if row.size == size:
                return row
        raise InputError(f"no row for {size} annotators", fix=f"There are {[row.size for row in self.rows]}.")


def bound_of_counts(
    counts: Counts,
    scorer: BoundScorer,
    *,
    systems: Sequence[str] = (),
    sizes: Sizes = "all",
    present: Present | None = None,
) -> Bound:
    """Score humans and systems against subsets of annotators (Bryant & Ng 2015, §5.2).

    `counts` is (authors, sentences, annotators, counts): author j < annotators is annotator j's own correction scored
    as a hypothesis, the authors after them are the systems. `sizes="last"` scores humans against all the others only.
    `present` (sentences, annotators) says who annotated what; where none of a subset did, the counts of its absent
    annotators are used, which the caller fills with the counts against no edits.
    """
    if present is None:
        present = np.ones(counts.shape[1:3], dtype=bool)
    _check(counts, systems, present)
    subsets = annotator_subsets(counts.shape[2], sizes)
    return bound_of_values(scorer(counts, present, subsets), subsets, counts.shape[2], systems)


def bound_of_values(values: Values, subsets: Subsets, annotators: int, systems: Sequence[str]) -> Bound:
    """Average f(a, X), (authors, subsets), into g(X), h_i and s_i; authors inside X are not looked at."""
    outside = ~subset_members(subsets, annotators).T
    left = outside.sum(axis=0)
    sums = np.where(outside, values[:annotators], 0.0).sum(axis=0)
    g = np.divide(sums, left, out=np.full(len(subsets), np.nan), where=left > 0)
    rows = []
    for size in sorted(set((annotators - left).tolist())):
        here = annotators - left == size
        scores = {name: float(values[annotators + k, here].mean()) for k, name in enumerate(systems)}
        rows.append(BoundRow(size, float(g[here].mean()), scores))
    return Bound(tuple(rows), subsets, g)


def annotator_subsets(annotators: int, sizes: Sizes = "all") -> Subsets:
    """Return all non-empty subsets of annotators, or those that leave out exactly one; one bit per annotator."""
    if not 1 <= annotators <= MOST_ANNOTATORS:
        raise InputError(
            f"{annotators} annotators", fix=f"The bound is computed for 1 to {MOST_ANNOTATORS} annotators."
        )
    subsets = np.arange(1, 1 << annotators, dtype=np.uint32)
    if sizes == "all":
        return subsets
    chosen: Subsets = subsets[subset_members(subsets, annotators).sum(axis=1) == annotators - 1]
    return chosen


def subset_members(subsets: Subsets, annotators: int) -> NDArray[np.bool_]:
    """Return which annotators each subset holds: (subsets, annotators)."""
    return (subsets[:, None] >> np.arange(annotators, dtype=np.uint32) & 1).astype(bool)


def _check(counts: Counts, systems: Sequence[str], present: Present) -> None:
    if counts.ndim != 4 or counts.shape[0] != counts.shape[2] + len(systems):
        raise InputError(
            f"counts of shape {counts.shape} for {len(systems)} systems",
            fix="The shape is (annotators + systems, sentences, annotators, counts).",
        )
    if len(set(systems)) != len(systems):
        raise InputError("two systems have the same name")
    if present.shape != counts.shape[1:3]:
        raise InputError(f"present has shape {present.shape}, not {counts.shape[1:3]}")

"""Rank systems by pairwise judgments, with Expected Wins or TrueSkill.

Rankings have rank ranges and clusters.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gecbench import kernels
from gecbench.display import progress
from gecbench.errors import InputError
from gecbench.formats.judgments import Judgment, Ranking, compare_ranks, named_ranks
from gecbench.kernels.trueskill import rate

# TrueSkill's parameters, as in WMT and Sakaguchi et al. 2016. tau is 0.
SIGMA = 0.5
DRAW_PROBABILITY = 0.25
BETA_DIVISOR = 40
SCORES_BETA = 0.25  # for metric scores, as in Goto et al. 2025
_STEPS_PER_CALL = 2_000_000  # between two updates of the progress bar
_RUNS_PER_THREAD = 16  # the kernel interleaves this many
_MOST_SYSTEMS = 500  # tables have a cell per pair of systems
_CELLS_PER_BLOCK = 1_000_000  # of the resampled tables of Expected Wins


@dataclass(frozen=True)
class RankedSystem:
    """One line of a ranking.

    The rank is between `best` and `worst`. Systems in the same `cluster` are tied.
    """

    system: str
    score: float
    best: int
    worst: int
    cluster: int


@dataclass(frozen=True)
class HumanRanking:
    """Systems from best to worst, and their scores in each run.

    `runs` has a row per run and a column per system, in the same order.
    """

    method: str
    systems: tuple[RankedSystem, ...]
    runs: NDArray[np.float64]

    def scores(self) -> dict[str, float]:
        """Return the score of each system."""
        return {line.system: line.score for line in self.systems}

    def select(self, systems: Collection[str]) -> HumanRanking:
        """Return only the lines of these systems.

        Their scores, rank ranges and clusters do not change.
        """
        places = [k for k, line in enumerate(self.systems) if line.system in systems]
        return HumanRanking(self.method, tuple(self.systems[k] for k in places), self.runs[:, places])

    def clusters(self) -> list[list[str]]:
        """Return the systems of each cluster, best first."""
        numbers = sorted({line.cluster for line in self.systems})
        return [[line.system for line in self.systems if line.cluster == number] for number in numbers]


@dataclass(frozen=True)
class PairTable:
    """The outcomes of judgments, by pair of systems.

    The number of a system is its position in `systems`.

    System a has the outcomes `outcomes[offsets[p] : offsets[p + 1]]` against system b, with p = a * len(systems) + b.
    """

    systems: tuple[str, ...]
    offsets: NDArray[np.int64]
    outcomes: NDArray[np.int8]

    @property
    def pairs(self) -> int:
        """The number of judgments."""
        return len(self.outcomes) // 2

    def count(self, outcome: int) -> NDArray[np.int64]:
        """Count how often each system had this outcome against each other system.

        The matrix has a row per system and a column per opponent.
        """
        sums = np.concatenate(([0], np.cumsum(self.outcomes == outcome)))
        return np.diff(sums[self.offsets]).reshape(len(self.systems), len(self.systems))


def pair_table(judgments: Iterable[Judgment]) -> PairTable:
    """Return the judgments of each pair of systems. Systems are sorted by name."""
    return _table([((pair.system1, pair.rank1), (pair.system2, pair.rank2)) for pair in judgments if pair.ranked])


def table_of_rankings(rankings: Iterable[Ranking]) -> PairTable:
    """Return the judgments in rankings, by pair of systems.

    The table equals `pair_table(expand_pairs(rankings))`, but no `Judgment` objects are created.
    """
    pairs: list[tuple[tuple[str, float], tuple[str, float]]] = []
    for ranking in rankings:
        ranks = named_ranks(ranking)
        _check_system_count(len(ranks))
        pairs += combinations(ranks, 2)
    return _table(pairs)


def _check_system_count(count: int) -> None:
    if count > _MOST_SYSTEMS:
        raise InputError(
            f"there are judgments of {count:,} systems, but at most {_MOST_SYSTEMS:,} can be ranked",
            fix="Rank fewer systems, or check that the columns of system names contain names",
        )


def _table(pairs: Sequence[tuple[tuple[str, float], tuple[str, float]]]) -> PairTable:
    if not pairs:
        raise InputError("there are no judgments to rank by", fix="Give at least one ranked pair of systems")
    systems = tuple(sorted({name for pair in pairs for name, _ in pair}))
    _check_system_count(len(systems))
    index = {system: number for number, system in enumerate(systems)}
    first = np.array([index[name] for (name, _), _ in pairs])
    second = np.array([index[name] for _, (name, _) in pairs])
    if (first == second).any():
        problem = f"{systems[first[(first == second).argmax()]]} is compared with itself"
        raise InputError(problem, fix="Give two different systems in every judgment")
    outcome = np.array([compare_ranks(rank1, rank2) for (_, rank1), (_, rank2) in pairs], dtype=np.int8)
    cells = np.concatenate((first * len(systems) + second, second * len(systems) + first))
    order = np.argsort(cells, kind="stable")
    offsets = np.searchsorted(cells[order], np.arange(len(systems) ** 2 + 1))
    return PairTable(systems, offsets.astype(np.int64), np.concatenate((outcome, -outcome))[order])


def expected_wins(
    judgments: Iterable[Judgment] | PairTable, *, runs: int = 1000, seed: int = 0, level: float = 0.05
) -> HumanRanking:
    """Rank systems by Expected Wins (Bojar et al. 2013).

    The score of a system is the mean over opponents of wins / (wins + losses). Ties are ignored. Rank ranges come from
    bootstrap resamples of the judgments.

    Args:
        judgments: Pairwise judgments (`gecbench.formats.judgments.Judgment`, in which the lower rank is better), or a
            table of them (`gecbench.human.ranking.PairTable`).
        runs: The number of bootstrap resamples.
        seed: The seed of the resampling.
        level: The share of the runs left out of the rank ranges, half of it at each end.

    Returns:
        The ranking. `systems` lists the systems from best to worst, with rank ranges and clusters. `scores()` gives
        scores by system.

    Raises:
        InputError: There are no ranked pairs of systems, or no runs.

    >>> from gecbench.formats.judgments import Judgment
    >>> wins = [Judgment(i, "judge", "A", "B", 1, 2) for i in range(3)]
    >>> expected_wins(wins, runs=10).scores()
    {'A': 1.0, 'B': 0.0}
    """
    table = judgments if isinstance(judgments, PairTable) else pair_table(judgments)
    if runs < 1:
        raise InputError("Expected Wins needs at least one run")
    wins = table.count(1)
    scores = _win_rates(wins[None])[0]
    upper = np.triu_indices(len(table.systems), 1)
    cells = np.concatenate((wins[upper], wins.T[upper], table.count(0)[upper]))
    judged = np.union1d(np.flatnonzero(cells), [len(cells) - 1])  # the last cell takes up rounding errors
    generator, block = np.random.default_rng(seed), max(1, _CELLS_PER_BLOCK // wins.size)
    rates = []
    for first in range(0, runs, block):
        size = min(block, runs - first)
        sampled = np.zeros((size, len(cells)), dtype=np.int64)
        sampled[:, judged] = generator.multinomial(table.pairs, cells[judged] / cells.sum(), size=size)
        resampled = np.zeros((size, *wins.shape), dtype=np.int64)
        resampled[:, upper[0], upper[1]] = sampled[:, : len(upper[0])]
        resampled[:, upper[1], upper[0]] = sampled[:, len(upper[0]) : 2 * len(upper[0])]
        rates.append(_win_rates(resampled))
    return _ranking("expected-wins", table.systems, scores, np.concatenate(rates), level)


def _win_rates(wins: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return Expected Wins of matrices of wins (…, system, opponent).

    Opponents without a decided judgment are ignored. A system without any decided judgment gets 0.5.
    """
    decided = wins + np.swapaxes(wins, -1, -2)
    rates = np.divide(wins, decided, out=np.zeros(wins.shape), where=decided > 0)
    opponents = (decided > 0).sum(axis=-1)
    even = np.full(opponents.shape, 0.5)
    means: NDArray[np.float64] = np.divide(rates.sum(axis=-1), opponents, out=even, where=opponents > 0)
    return means


def trueskill(
    judgments: Iterable[Judgment] | PairTable,
    *,
    runs: int = 1000,
    seed: int = 0,
    level: float = 0.05,
    iterations: int | None = None,
    threads: int | None = None,
) -> HumanRanking:
    """Rank systems by TrueSkill, as in WMT and Sakaguchi et al. 2016.

    Scores are means over runs, and rank ranges come from the runs. The parameters are sigma = 0.5, tau = 0, draw
    probability 0.25, iterations = judgments + 1, and beta = sigma * iterations / 40.

    Args:
        judgments: Pairwise judgments (`gecbench.formats.judgments.Judgment`, in which the lower rank is better), or a
            table of them (`gecbench.human.ranking.PairTable`).
        runs: The number of runs.
        seed: The seed of the random order of games.
        level: The share of the runs left out of the rank ranges, half of it at each end.
        iterations: The number of games per run. By default the number of judgments plus 1.
        threads: The number of threads. By default one per processor.

    Returns:
        The ranking. `systems` lists the systems from best to worst, with rank ranges and clusters. `scores()` gives
        scores by system.

    Raises:
        InputError: There are no ranked pairs of systems, no runs or no iterations.

    >>> from gecbench.formats.judgments import Judgment
    >>> wins = [Judgment(i, "judge", "A", "B", 1, 2) for i in range(9)]
    >>> [system.system for system in trueskill(wins, runs=5).systems]
    ['A', 'B']
    """
    table = judgments if isinstance(judgments, PairTable) else pair_table(judgments)
    steps = table.pairs + 1 if iterations is None else iterations
    if runs < 1 or steps < 1:
        raise InputError("TrueSkill needs at least one run and one iteration")
    means = _means_of_runs(table, steps, runs, seed, threads or kernels.threads())
    return _ranking("trueskill", table.systems, means.mean(axis=0), means, level)


def _means_of_runs(table: PairTable, steps: int, runs: int, seed: int, threads: int) -> NDArray[np.float64]:
    """Return the final means of each run (runs × systems)."""
    beta = SIGMA * steps / BETA_DIVISOR
    side = threads * _RUNS_PER_THREAD
    block = side * max(1, _STEPS_PER_CALL // (steps * side))
    blocks: list[NDArray[np.float64]] = []
    with progress(runs, "TrueSkill") as bar:
        for first in range(0, runs, block):
            size = min(block, runs - first)
            blocks.append(
                kernels.select("trueskill").runs(
                    systems=len(table.systems),
                    offsets=table.offsets,
                    outcomes=table.outcomes,
                    iterations=steps,
                    sigma=SIGMA,
                    beta=beta,
                    margin=draw_margin(beta),
                    seed=seed,
                    first_run=first,
                    count=size,
                    threads=threads,
                )
            )
            bar.update(size)
    return np.concatenate(blocks)


def rank_by_scores(scores: NDArray[np.float64], method: str) -> NDArray[np.float64]:
    """Return TrueSkill or Expected Wins of systems from their sentence scores.

    `scores` has a row per sentence and a column per system.

    TrueSkill follows Goto et al. 2025: for each sentence, each pair of systems plays one game, and equal scores are a
    draw. Games are played in the order of sentences and systems, so this order affects the result.
    """
    if method == "expected-wins":
        wins = (scores[:, :, None] > scores[:, None, :]).sum(axis=0)
        return _win_rates(wins)
    means, variances = [0.0] * scores.shape[1], [SIGMA * SIGMA] * scores.shape[1]
    margin, pairs = draw_margin(SCORES_BETA), list(combinations(range(scores.shape[1]), 2))
    for row in scores.tolist():
        for a, b in pairs:
            outcome = (row[a] > row[b]) - (row[a] < row[b])
            means[a], variances[a], means[b], variances[b] = rate(
                means[a], variances[a], means[b], variances[b], outcome, SCORES_BETA, margin
            )
    return np.array(means)


def draw_margin(beta: float) -> float:
    """Return the margin below which two players draw (Herbrich et al. 2006, §3)."""
    return NormalDist().inv_cdf((DRAW_PROBABILITY + 1) / 2) * sqrt(2) * beta


def rank_ranges(runs: NDArray[np.float64], level: float = 0.05) -> NDArray[np.int64]:
    """Return the best and the worst rank of each system (systems × 2).

    On each side, level / 2 of the runs (rounded up) are dropped.

    Systems that tie in a run share their ranks: each gets the best and the worst of the shared ranks.
    """
    count, systems = runs.shape
    worse, not_better = np.empty(runs.shape, dtype=np.int64), np.empty(runs.shape, dtype=np.int64)
    for run, scores, ordered in zip(range(count), runs, np.sort(runs, axis=1), strict=True):
        worse[run] = ordered.searchsorted(scores, "left")
        not_better[run] = ordered.searchsorted(scores, "right")
    best, worst = np.sort(1 + systems - not_better, axis=0), np.sort(systems - worse, axis=0)
    drop = min(ceil(round(count * level / 2, 9)), (count - 1) // 2)
    return np.stack((best[drop], worst[count - 1 - drop]), axis=1)


def cluster_numbers(ranges: NDArray[np.int64]) -> list[int]:
    """Return the cluster of each system, in order of score.

    A new cluster starts where all rank ranges above are better than all rank ranges below.
    """
    numbers = [1]
    for place in range(1, len(ranges)):
        apart = ranges[:place, 1].max() < ranges[place:, 0].min()
        numbers.append(numbers[-1] + int(apart))
    return numbers


def _ranking(
    method: str, names: tuple[str, ...], scores: NDArray[np.float64], runs: NDArray[np.float64], level: float
) -> HumanRanking:
    order = (-scores).argsort(kind="stable")
    ranges: Any = rank_ranges(runs, level)[order]
    systems = tuple(
        RankedSystem(names[index], float(scores[index]), int(best), int(worst), cluster)
        for index, (best, worst), cluster in zip(order, ranges, cluster_numbers(ranges), strict=True)
    )
    return HumanRanking(method, systems, runs[:, order])

"""Agreement between judges on pairs of systems.

It is measured by Cohen's kappa, plain and quadratic-weighted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray

from gecbench.formats.judgments import Judgment

OUTCOMES = (-1, 0, 1)
OutcomePair = tuple[int, int]
PairKey = tuple[int, frozenset[str]]


@dataclass(frozen=True)
class Agreement:
    """Kappa and quadratic-weighted kappa over `comparisons` pairs of judgments."""

    kappa: float
    weighted: float
    comparisons: int


def _kappa(table: NDArray[np.float64], *, weighted: bool) -> float:
    """Return Cohen's kappa (1960) of a table of outcomes.

    With `weighted`, return the quadratic-weighted kappa (1968). The value is NaN if there is nothing to compare, or if
    both judges always give the same outcome.
    """
    if not table.any():
        return float("nan")
    steps = np.arange(len(table))
    distance = (steps[:, None] - steps[None, :]) ** 2.0
    if not weighted:
        distance = (distance > 0).astype(float)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    disagreement = float((distance * expected).sum())
    return 1 - float((distance * table).sum()) / disagreement if disagreement else float("nan")


def agreement(
    pairs: Iterable[OutcomePair], *, both_system_orders: bool = True, both_judge_orders: bool = True
) -> Agreement:
    """Return the plain and the weighted kappa of pairs of outcomes.

    `pairs` is a list or a `Counter`.

    Cohen's kappa depends on the order of the two systems and of the two judges. These orders are arbitrary, so by
    default every comparison counts in both orders.
    """
    table = np.zeros((len(OUTCOMES), len(OUTCOMES)))
    for (x, y), count in (pairs if isinstance(pairs, Counter) else Counter(pairs)).items():
        table[OUTCOMES.index(x), OUTCOMES.index(y)] = count
    comparisons = int(table.sum())
    if both_system_orders:
        table = table + table[::-1, ::-1]
    if both_judge_orders:
        table = table + table.T
    return Agreement(_kappa(table, weighted=False), _kappa(table, weighted=True), comparisons)


def _by_pair(judgments: Iterable[Judgment], oriented: bool) -> dict[PairKey, list[tuple[str, int | None]]]:
    """Return the judges and outcomes of each pair of systems on a sentence.

    An outcome is 1 if the alphabetically first system wins or, without `oriented`, if the system shown first wins.
    """
    table: dict[PairKey, list[tuple[str, int | None]]] = defaultdict(list)
    for pair in judgments:
        sign = -1 if oriented and pair.system1 > pair.system2 else 1
        outcome = sign * pair.outcome if pair.ranked else None
        table[pair.sentence, frozenset((pair.system1, pair.system2))].append((pair.judge, outcome))
    return table


def _within(judgments: Iterable[Judgment], same_judge: bool) -> Counter[OutcomePair]:
    """Count the pairs of outcomes of the same judge, or of different judges.

    The pairs are counted without listing them.
    """
    table: Counter[OutcomePair] = Counter()
    for found in _by_pair(judgments, oriented=True).values():
        by_judge: dict[str, Counter[int]] = defaultdict(Counter)
        for judge, outcome in found:
            if outcome is not None:
                by_judge[judge][outcome] += 1
        for outcomes in by_judge.values():
            _add_pairs(table, outcomes, 1 if same_judge else -1)
        if not same_judge:
            _add_pairs(table, sum(by_judge.values(), Counter()), 1)
    return table


def _add_pairs(table: Counter[OutcomePair], outcomes: Counter[int], sign: int) -> None:
    for x, y in combinations_with_replacement(OUTCOMES, 2):
        pairs = outcomes[x] * outcomes[y] if x != y else outcomes[x] * (outcomes[x] - 1) // 2
        table[x, y] += sign * pairs


def inter_agreement(judgments: Iterable[Judgment]) -> Agreement:
    """Return the agreement of different judges on the same pair and sentence."""
    return agreement(_within(judgments, same_judge=False))


def intra_agreement(judgments: Iterable[Judgment]) -> Agreement:
    """Return the agreement of judges with themselves.

    It compares judgments of the same pair and sentence by the same judge.
    """
    return agreement(_within(judgments, same_judge=True))


def cross_agreement(one: Iterable[Judgment], other: Iterable[Judgment]) -> Agreement:
    """Return the agreement between two groups of judges.

    It compares judgments of the same pair and sentence.
    """
    others = _by_pair(other, oriented=True)
    pairs: Counter[OutcomePair] = Counter()
    for key, found in _by_pair(one, oriented=True).items():
        ours, theirs = (Counter(outcome for _, outcome in group) for group in (found, others.get(key, ())))
        for x, y in product(OUTCOMES, OUTCOMES):
            pairs[x, y] += ours[x] * theirs[y]
    return agreement(pairs, both_judge_orders=False)


def pooled_agreement(one: Iterable[Judgment], other: Iterable[Judgment]) -> tuple[Agreement, Agreement, Agreement]:
    """Return the agreement within each of two groups, and within their union.

    This is Table 7 of Sakaguchi et al. 2016. As in the paper, a pair of systems on a sentence is used if it was shown
    at least twice in each group, ranked or not. An outcome is 1 if the system shown first wins. The union includes the
    comparisons within each group.
    """
    others = _by_pair(other, oriented=False)
    within: tuple[list[OutcomePair], ...] = ([], [], [])
    for key, found in _by_pair(one, oriented=False).items():
        answers = others.get(key, [])
        if len(found) >= 2 and len(answers) >= 2:
            for group, outcomes in zip(within, (found, answers, found + answers), strict=True):
                ranked = [outcome for _, outcome in outcomes if outcome is not None]
                group.extend(combinations(ranked, 2))
    first, second, together = (agreement(group, both_system_orders=False, both_judge_orders=False) for group in within)
    return first, second, together

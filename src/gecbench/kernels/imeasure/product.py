"""The best sum of counts over a product of independent choices (Dinkelbach 1967).

Each segment of a sentence offers several rows of counts; one of each is to be picked so that the sum is best
by the official keys. A ratio of sums is maximised exactly, in integers, and the set of all picks that reach
it is again a product, so that the next key can be maximised over what remains. Counts, P, R, Acc and WAcc are
such ratios, and their floats are equal where they are. F and I are not (the official scorer lets
rounding decide between equals), nor is WAcc where the weight is no short binary fraction: then all distinct
sums are collected and compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gecbench.kernels.imeasure.alignment import FN, FP, TN
from gecbench.kernels.imeasure.keys import ACC, WACC, Counts, F, I, Objective, P, R, best_of

Segments = Sequence[Sequence[Counts]]
Remaining = list[list[int]]


class Ratio(NamedTuple):
    """Two weighted sums of counts, the lower one with a constant; P and R are 1 where no fault is counted."""

    upper: list[int]
    lower: list[int]
    constant: int = 0
    fault: int | None = None


def pick_best(segments: Segments, offset: Counts, goal: Objective, sum_limit: int) -> list[int] | None:
    """Pick one row of each segment so that sum and offset are best; None if more than sum_limit sums arise.

    Of equally good picks it is the first, in the order of the segments' rows, later segments varying fastest.
    """
    if len(segments) == 1:
        return [best_of(segments[0], offset, goal)]
    remaining = [distinct(rows) for rows in segments]
    weight = short_fraction(goal.weight)
    if goal.metric == WACC and weight:
        return [rows[0] for rows in narrow_by_keys(segments, remaining, offset, goal.aspect, weight)]
    if goal.metric not in (F, WACC, I):
        remaining, _ = maximise(segments, remaining, offset, metric_ratio(goal.metric, 5 * goal.aspect))
    return best_sum(segments, remaining, offset, goal, sum_limit)


def short_fraction(weight: float) -> tuple[int, int] | None:
    """The weight as a fraction of integers, if it has few enough bits for WAcc to be rounded only once.

    None at 0 and below, where denominators may be 0 or negative.
    """
    above, below = weight.as_integer_ratio()
    return (above, below) if 0 < above < 1 << 20 and below <= 1 << 10 else None


def distinct(rows: Sequence[Counts]) -> list[int]:
    """Index of the first of each set of equal rows."""
    first: dict[tuple[int, ...], int] = {}
    for index, row in enumerate(rows):
        first.setdefault(tuple(row), index)
    return list(first.values())


def narrow_by_keys(
    segments: Segments, remaining: Remaining, offset: Counts, chosen: int, weight: tuple[int, int]
) -> Remaining:
    """Apply the keys WAcc, I, Acc of both aspects; at equal WAcc within (0, 1), I is the lowest baseline."""
    baseline = Ratio([int(n == 10 + FN) for n in range(15)], [int(n in (10 + TN, 10 + FN)) for n in range(15)])
    for aspect in (chosen, 1 - chosen):
        remaining, (right, whole) = maximise(segments, remaining, offset, metric_ratio(WACC, 5 * aspect, weight))
        if 0 < right < whole:
            remaining, _ = maximise(segments, remaining, offset, baseline)
        remaining, _ = maximise(segments, remaining, offset, metric_ratio(ACC, 5 * aspect))
    return remaining


def metric_ratio(metric: int, start: int, weight: tuple[int, int] = (1, 1)) -> Ratio:
    """A metric of the aspect whose counts begin at start, as a ratio of sums."""
    w, one = weight
    upper, lower = {
        P: ((1, 0, 0, 0, 0), (1, 0, 1, 0, 0)),
        R: ((1, 0, 0, 0, 0), (1, 0, 0, 1, 0)),
        ACC: ((1, 1, 0, 0, 0), (1, 1, 1, 1, -1)),
        WACC: ((2 * w, 2 * one, 0, 0, 0), (2 * w, 2 * one, 2 * w, 2 * one, -w - one)),
    }.get(metric, (tuple(int(n == metric) for n in range(5)), (0,) * 5))
    before, after = [0] * start, [0] * (10 - start)
    fault = {P: start + FP, R: start + FN}.get(metric)
    return Ratio([*before, *upper, *after], [*before, *lower, *after], int(metric < P), fault)


def weigh(weights: Sequence[int], counts: Counts) -> int:
    """Weighted sum of counts."""
    return sum(weight * count for weight, count in zip(weights, counts, strict=True))


def maximise(
    segments: Segments, remaining: Remaining, offset: Counts, ratio: Ratio
) -> tuple[Remaining, tuple[int, int]]:
    """Narrow every segment to the rows from which the largest ratio is reached, and that ratio.

    Dinkelbach's iteration: 1 take the ratio value / whole of the current picks; 2 in each segment, find the rows of the
    largest gain upper * whole - lower * value; 3 if all gains together are 0, the ratio is the largest there is and
    these rows attain it; 4 otherwise pick the first of them and go on.
    """
    if ratio.fault is not None and not offset[ratio.fault]:
        faultless = [[n for n in rows if not segments[g][n][ratio.fault]] for g, rows in enumerate(remaining)]
        if all(faultless):
            return faultless, (1, 1)
    upper = [[weigh(ratio.upper, segments[g][n]) for n in rows] for g, rows in enumerate(remaining)]
    lower = [[weigh(ratio.lower, segments[g][n]) for n in rows] for g, rows in enumerate(remaining)]
    first_upper, first_lower = weigh(ratio.upper, offset), weigh(ratio.lower, offset) + ratio.constant
    picks = [0] * len(segments)
    while True:  # step 1
        value = first_upper + sum(row[pick] for row, pick in zip(upper, picks, strict=True))
        whole = first_lower + sum(row[pick] for row, pick in zip(lower, picks, strict=True))
        gains = [  # step 2
            [above * whole - below * value for above, below in zip(*rows, strict=True)]
            for rows in zip(upper, lower, strict=True)
        ]
        largest = [max(row) for row in gains]
        if first_upper * whole - first_lower * value + sum(largest) == 0:  # step 3
            kept = [
                [n for n, gain in zip(rows, row, strict=True) if gain == top]
                for rows, row, top in zip(remaining, gains, largest, strict=True)
            ]
            return kept, (value, whole)
        picks = [row.index(top) for row, top in zip(gains, largest, strict=True)]  # step 4


def best_sum(segments: Segments, remaining: Remaining, offset: Counts, goal: Objective, limit: int) -> list[int] | None:
    """Collect every distinct sum with its first picks, and compare them all."""
    sums: dict[tuple[int, ...], list[int]] = {(0,) * 15: []}
    for g, rows in enumerate(remaining):
        longer: dict[tuple[int, ...], list[int]] = {}
        for total, picks in sums.items():
            for n in rows:
                longer.setdefault(tuple(map(int.__add__, total, segments[g][n])), [*picks, n])
            if len(longer) > limit:
                return None
        sums = longer
    candidates = list(sums)
    return sums[candidates[best_of(candidates, offset, goal)]]

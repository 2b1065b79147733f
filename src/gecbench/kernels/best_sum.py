"""The best sum of counts over the references (step 4 of `kernels/imeasure.py`).

The references of a sentence are the paths of a graph. The layers of the graph are the segments of the sentence. An edge
is a reference of a segment with its counts. In a sentence with cuts, all edges of a layer join the same two nodes. In a
sentence without cuts, a node is a state between two segments (`kernels/lattice.py`). A path starts and ends at node 0.

P, R, Acc, WAcc and single counts are ratios of sums. A ratio is maximized exactly, in integers (Dinkelbach 1967). The
paths with the maximum form a smaller graph. In this graph, the next value of `alignment.key` is maximized. F and I are
not ratios of sums. If the weight is not a short binary fraction (`_short_fraction`), rounding can decide ties of WAcc.
In both cases, all distinct sums are collected and compared as floats.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, product
from typing import NamedTuple

from gecbench.kernels.alignment import ACC, FN, FP, TN, WACC, Counts, F, I, Objective, P, R, add_counts, best_of


class Edge(NamedTuple):
    """A reference of a segment, as an edge from node `start` to node `end`.

    `option` is its number among the references of the segment.
    """

    option: int
    counts: Counts
    start: int = 0
    end: int = 0


Layers = Sequence[Sequence[Edge]]
Path = list[Edge]


class Ratio(NamedTuple):
    """A metric as a fraction of two weighted sums of counts.

    `upper` and `lower` are the weights in the numerator and in the denominator. `constant` is added to the denominator.
    The metric is 1 if the count with the index `fault` is 0. For example, precision is 1 without false positives.
    """

    upper: list[int]
    lower: list[int]
    constant: int = 0
    fault: int | None = None


def pick_best(layers: Layers, offset: Counts, goal: Objective, sum_limit: int) -> Path | None:
    """Return the path whose counts plus `offset` are best.

    Return None if more than `sum_limit` sums must be compared. On ties, return the first path in the order of options,
    in which the options of later segments vary fastest.
    """
    if len(layers) == 1:
        return [layers[0][best_of([edge.counts for edge in layers[0]], offset, goal)]]
    layers = _keep_best(layers, [[0] * len(layer) for layer in layers])[1]
    weight = _short_fraction(goal.weight)
    if goal.metric == WACC and weight:
        return _first_path(_narrow_by_keys(layers, offset, goal.aspect, weight))
    if goal.metric not in (F, WACC, I):
        layers, _ = maximize(layers, offset, metric_ratio(goal.metric, 5 * goal.aspect))
    return _best_of_all_sums(layers, offset, goal, sum_limit)


def _short_fraction(weight: float) -> tuple[int, int] | None:
    """Return a short weight as (numerator, denominator), and None for other weights.

    A weight is short if it has so few bits that WAcc is rounded only once. Weights of 0 or less also give None, since
    denominators of WAcc may then be 0 or negative.
    """
    above, below = weight.as_integer_ratio()
    return (above, below) if 0 < above < 1 << 20 and below <= 1 << 10 else None


def _narrow_by_keys(layers: Layers, offset: Counts, chosen: int, weight: tuple[int, int]) -> Layers:
    """Keep the paths that are best by WAcc, I and Acc, in the chosen aspect first."""
    # Of paths with the same WAcc between 0 and 1, the one with the lowest WAcc of the baseline has the largest I.
    baseline = Ratio([int(n == 10 + FN) for n in range(15)], [int(n in (10 + TN, 10 + FN)) for n in range(15)])
    for aspect in (chosen, 1 - chosen):
        layers, (right, whole) = maximize(layers, offset, metric_ratio(WACC, 5 * aspect, weight))
        if 0 < right < whole:
            layers, _ = maximize(layers, offset, baseline)
        layers, _ = maximize(layers, offset, metric_ratio(ACC, 5 * aspect))
    return layers


def metric_ratio(metric: int, start: int, weight: tuple[int, int] = (1, 1)) -> Ratio:
    """Return a metric as a ratio; its aspect's counts begin at `start`."""
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


def maximize(layers: Layers, offset: Counts, ratio: Ratio) -> tuple[Layers, tuple[int, int]]:
    """Return the graph of the paths with the largest ratio, and that ratio.

    Dinkelbach's iteration: (a) Let value / whole be the ratio of the current path. (b) The gain of an edge with the
    ratio upper / lower is upper * whole - lower * value. Find the paths with the largest sum of gains. (c) If that sum,
    including the gain of `offset`, is 0, then exactly these paths have the largest ratio. (d) Otherwise, take the first
    of these paths and repeat.
    """
    if ratio.fault is not None and not offset[ratio.fault]:
        faults = [[-min(edge.counts[ratio.fault], 1) for edge in layer] for layer in layers]
        fewest, faultless = _keep_best(layers, faults)
        if fewest == 0:
            return faultless, (1, 1)
    first_upper, first_lower = _weigh(ratio.upper, offset), _weigh(ratio.lower, offset) + ratio.constant
    path = _first_path(layers)
    while True:
        value = first_upper + sum(_weigh(ratio.upper, edge.counts) for edge in path)  # (a)
        whole = first_lower + sum(_weigh(ratio.lower, edge.counts) for edge in path)
        gains = [  # (b)
            [_weigh(ratio.upper, edge.counts) * whole - _weigh(ratio.lower, edge.counts) * value for edge in layer]
            for layer in layers
        ]
        most, kept = _keep_best(layers, gains)
        if first_upper * whole - first_lower * value + most == 0:  # (c)
            return kept, (value, whole)
        path = _first_path(kept)  # (d)


def _weigh(weights: Sequence[int], counts: Counts) -> int:
    return sum(weight * count for weight, count in zip(weights, counts, strict=True))


def _keep_best(layers: Layers, gains: Sequence[Sequence[int]]) -> tuple[int, Layers]:
    """Return the largest sum of gains on a path, and the edges of all such paths."""
    ahead: list[dict[int, int]] = [{0: 0}]  # the largest sum on a path to each node of a boundary
    for layer, values in zip(layers, gains, strict=True):
        reached: dict[int, int] = {}
        for edge, gain in zip(layer, values, strict=True):
            if edge.start in ahead[-1]:
                sum_here = ahead[-1][edge.start] + gain
                reached[edge.end] = max(reached.get(edge.end, sum_here), sum_here)
        ahead.append(reached)
    kept: list[list[Edge]] = []
    wanted = {0: ahead[-1][0]}  # nodes of best paths, with the largest sum on a path to them
    for before, layer, values in zip(ahead[-2::-1], layers[::-1], gains[::-1], strict=True):
        best = [
            edge
            for edge, gain in zip(layer, values, strict=True)
            if edge.end in wanted and edge.start in before and before[edge.start] + gain == wanted[edge.end]
        ]
        wanted = {edge.start: before[edge.start] for edge in best}
        kept.append(best)
    return ahead[-1][0], kept[::-1]


def _first_path(layers: Layers) -> Path:
    """Return the first path in the order of options.

    Every edge of the graph must be on a path.
    """
    nodes, chosen = {0}, []
    for layer in layers:
        first = min(edge.option for edge in layer if edge.start in nodes)
        chosen.append([edge for edge in layer if edge.start in nodes and edge.option == first])
        nodes = {edge.end for edge in chosen[-1]}
    path: Path = []
    node = 0
    for edges in reversed(chosen):
        path.append(next(edge for edge in edges if edge.end == node))
        node = path[-1].start
    return path[::-1]


class _Partial(NamedTuple):
    """The beginning of a path, and its rank in the order of options.

    Beginnings with equal options have the same rank.
    """

    order: int
    path: Path


def _best_of_all_sums(layers: Layers, offset: Counts, goal: Objective, limit: int) -> Path | None:
    """Return the first path with the best sum, or None if there are too many sums.

    All distinct sums are compared if there are at most `limit` of them.
    """
    sums: dict[tuple[int, tuple[int, ...]], _Partial] = {(0, (0,) * 15): _Partial(0, [])}
    for layer in layers:
        longer: dict[tuple[int, tuple[int, ...]], _Partial] = {}
        order = 0
        for _, alike in groupby(sums.items(), key=lambda item: item[1].order):
            known = list(alike)
            for option in sorted({edge.option for edge in layer}):
                for ((node, total), partial), edge in product(known, layer):
                    if edge.option == option and edge.start == node:
                        found = (edge.end, tuple(add_counts(total, edge.counts)))
                        longer.setdefault(found, _Partial(order, [*partial.path, edge]))
                order += 1
            if len(longer) > limit:
                return None
        sums = longer
    candidates = list(sums)
    return sums[candidates[best_of([total for _, total in candidates], offset, goal)]].path

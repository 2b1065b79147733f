"""Search for the best mixed reference of a sentence that cannot be cut.

`kernels/imeasure.py` cuts a sentence where every optimal alignment of every mixed reference passes one cell. Some
outputs leave no such cell. For example, the last words of a truncated output may align with any later occurrence at the
same cost. For such an output, the references are still divided into segments between blocks of error groups. But an
alignment may cross a boundary between segments in any of several cells.

1. Choose one cell of each boundary, its pivot. For each other cell, compute an upper bound of its advantage: how much
   more an alignment through the cell can save than one through the pivot, over all references. If the bound is below 0,
   no optimal alignment passes through the cell. All other cells, including the pivot, are live.
2. Go through the segments from left to right. The beginning of a reference has a saving in each live cell of a
   boundary. If the savings of two beginnings differ by the same number in all of these cells, both continue in the same
   way and form one class. Trace the official alignment back through each segment, from each live cell at the segment's
   end. Count its columns.
3. The references of the segments, with the classes and cells that they connect, are the edges of a graph. A path
   through the graph is a mixed reference with its official alignment. `kernels/best_sum.py` finds the best path.

Savings are explained in `kernels/alignment.py`. A plane holds the savings of all prefixes of source and hypothesis at
one position of the reference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from gecbench.kernels.alignment import (
    FN,
    FP,
    MOVES,
    TP,
    Column,
    Counts,
    Tokens,
    count_columns,
    largest_saving,
    pair_savings,
    token_saving,
)
from gecbench.kernels.best_sum import Edge

Plane = NDArray[np.int64]
Cell = tuple[int, int]  # a position in the source and one in the hypothesis
_NOWHERE = -(1 << 40)
_MOST_CLASSES = 64
_MOST_EDGES = 1 << 16  # of a segment


class Lattice:
    """A sentence to search without cuts: references by segment, pivots by boundary."""

    def __init__(
        self, source: Tokens, hypothesis: Tokens, segments: Sequence[Sequence[Tokens]], pivots: Sequence[Cell]
    ) -> None:
        self.source, self.hypothesis, self.segments, self.pivots = source, hypothesis, segments, pivots
        self.cells = 0  # of all planes so far

    def live_cells(self) -> list[list[Cell]]:
        """Return the cells of each boundary that optimal alignments may cross (step 1).

        An alignment crosses a boundary in the cell from which it takes the next token of the reference. `ahead` is the
        most that any beginning of a reference can save up to a cell, compared with the saving up to the pivot.
        `behind` is the same for endings of a reference, which start in the cell. Both take the best option of each
        segment, and subtract what this option saves between the pivots at both ends of the segment.
        """
        planes = Planes(self.source, self.hypothesis)
        saved = [
            [largest_saving(self.source[i:end_i], self.hypothesis[j:end_j], option) for option in options]
            for options, (i, j), (end_i, end_j) in zip(self.segments, self.pivots[:-1], self.pivots[1:], strict=True)
        ]
        ahead = [planes.start()]
        for options, known in zip(self.segments, saved, strict=True):
            ends = [planes.cross(ahead[-1], option)[-1] - most for option, most in zip(options, known, strict=True)]
            ahead.append(np.maximum.reduce(ends))
        behind = [planes.holding({self.pivots[-1]: 0})]
        for options, known in zip(self.segments[::-1], saved[::-1], strict=True):
            ends = [planes.cross_back(behind[-1], option) - most for option, most in zip(options, known, strict=True)]
            behind.append(np.maximum.reduce(ends))
        self.cells += planes.cells
        sums = [before + after for before, after in zip(ahead, behind[::-1], strict=True)]
        return [[(int(i), int(j)) for i, j in np.argwhere(total >= 0)] for total in sums]

    def edges(self, limit: int) -> list[list[Edge]] | None:
        """Return the edges of every segment (step 2), or None if a limit is exceeded.

        The planes may have `limit` cells. A boundary may have `_MOST_CLASSES` classes, and a segment `_MOST_EDGES`
        edges. Node c * cells + n of a boundary stands for its class c and its live cell n.
        """
        bounds = 2 * sum(len(option) for options in self.segments for option in options)
        if bounds * (len(self.source) + 1) * (len(self.hypothesis) + 1) > limit:
            return None
        live = self.live_cells()
        classes: list[dict[Cell, int]] = [{(0, 0): 0}]
        layers: list[list[Edge]] = []
        for options, starts, ends in zip(self.segments, [[(0, 0)], *live[1:-1]], live[1:], strict=True):
            # No alignment between live cells leaves the box around them.
            first_i, first_j = (min(cell[side] for cell in starts) for side in (0, 1))
            last_i, last_j = (max(cell[side] for cell in ends) for side in (0, 1))
            box = Planes(self.source[first_i:last_i], self.hypothesis[first_j:last_j])
            numbers = {(i - first_i, j - first_j): number for number, (i, j) in enumerate(starts)}
            targets = [(i - first_i, j - first_j) for i, j in ends]
            known: dict[tuple[int, ...], int] = {}
            layers.append([])
            for (number, values), (option, tokens) in product(enumerate(classes), enumerate(options)):
                inside = {
                    (i - first_i, j - first_j): value for (i, j), value in values.items() if i <= last_i and j <= last_j
                }
                start = box.holding(inside)
                planes = box.cross(start if len(layers) > 1 else box.close(start), tokens)
                found = [int(planes[-1][cell]) if min(cell) >= 0 else _NOWHERE for cell in targets]
                saved = tuple(value - max(found) if value > _NOWHERE // 2 else _NOWHERE for value in found)
                reached = known.setdefault(saved, len(known))
                if self.cells + box.cells > limit or reached == _MOST_CLASSES or len(layers[-1]) > _MOST_EDGES:
                    return None
                for place, cell in enumerate(targets):
                    if saved[place] > _NOWHERE:
                        origin, counts = box.trace_back(planes, tokens, cell, whole=len(layers) == 1)
                        node = number * len(starts) + numbers[origin]
                        layers[-1].append(Edge(option, counts, node, reached * len(ends) + place))
            classes = [dict(zip(ends, saved, strict=True)) for saved in known]
            self.cells += box.cells
        return layers


def add_baseline(layers: Sequence[Sequence[Edge]], baseline: Sequence[Sequence[Edge]]) -> list[list[Edge]]:
    """Return the edges with the baseline's counts added.

    A node of the result stands for a pair of nodes, one of each given graph. The baseline's edges come from a lattice
    with an empty hypothesis, in which only source and reference are aligned. In this alignment, a token that both texts
    share counts as a false positive. For the baseline, such a token is a true negative. Every other column is a false
    negative: an error that is not corrected.
    """
    joined: list[list[Edge]] = []
    starts = 1  # nodes of the baseline where the segment starts
    for edges, others in zip(layers, baseline, strict=True):
        ends = 1 + max(other.end for other in others)
        by_option: dict[int, list[Edge]] = {}
        for other in others:
            by_option.setdefault(other.option, []).append(other)
        joined.append(
            [
                Edge(
                    edge.option,
                    [*edge.counts, 0, other.counts[FP], 0, other.counts[TP] + other.counts[FN], 0],
                    edge.start * starts + other.start,
                    edge.end * ends + other.end,
                )
                for edge in edges
                for other in by_option[edge.option]
            ]
        )
        starts = ends
    return joined


class Planes:
    """Planes of one source and hypothesis, and the moves between them."""

    def __init__(self, source: Tokens, hypothesis: Tokens) -> None:
        self.source, self.hypothesis = source, hypothesis
        self.savings = pair_savings(source, hypothesis)
        self.cells = 0  # of all planes so far

    def holding(self, values: Mapping[Cell, int]) -> Plane:
        """Return a plane with savings in the given cells only."""
        plane = np.full((len(self.source) + 1, len(self.hypothesis) + 1), _NOWHERE, dtype=np.int64)
        for cell, value in values.items():
            plane[cell] = value
        return plane

    def start(self) -> Plane:
        """Return the plane before the first token of the reference."""
        return self.close(self.holding({(0, 0): 0}))

    def cross(self, plane: Plane, tokens: Tokens) -> list[Plane]:
        """Return the given plane, then the plane after each token of the reference."""
        self.cells += len(tokens) * plane.size
        planes = [plane]
        for token in tokens:
            source, hypothesis = self._save_with(token)
            before, after = planes[-1], planes[-1].copy()
            np.maximum(after[1:], before[:-1] + source, out=after[1:])
            np.maximum(after[:, 1:], before[:, :-1] + hypothesis, out=after[:, 1:])
            all_three = before[:-1, :-1] + self.savings + source + hypothesis
            np.maximum(after[1:, 1:], all_three, out=after[1:, 1:])
            planes.append(self.close(after))
        return planes

    def cross_back(self, plane: Plane, tokens: Tokens) -> Plane:
        """Return for each cell of a segment's start the most that can be saved after it.

        `plane` has the same for each cell of the segment's end.
        """
        self.cells += len(tokens) * plane.size
        for token in reversed(tokens):
            source, hypothesis = self._save_with(token)
            after = self.close(plane[::-1, ::-1], backward=True)[::-1, ::-1]
            plane = after.copy()
            np.maximum(plane[:-1], after[1:] + source, out=plane[:-1])
            np.maximum(plane[:, :-1], after[:, 1:] + hypothesis, out=plane[:, :-1])
            all_three = after[1:, 1:] + self.savings + source + hypothesis
            np.maximum(plane[:-1, :-1], all_three, out=plane[:-1, :-1])
        return plane

    def _save_with(self, token: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return what a token saves with each token of the source and of the hypothesis."""
        return pair_savings(self.source, [token]), pair_savings([token], self.hypothesis)

    def close(self, plane: Plane, backward: bool = False) -> Plane:
        """Return the plane after all moves that take no token of the reference."""
        savings = self.savings[::-1, ::-1] if backward else self.savings
        closed = plane.copy()
        for i in range(len(closed)):
            if i:
                np.maximum(closed[i], closed[i - 1], out=closed[i])
                np.maximum(closed[i, 1:], closed[i - 1, :-1] + savings[i - 1], out=closed[i, 1:])
            np.maximum.accumulate(closed[i], out=closed[i])
        return closed

    def trace_back(self, planes: Sequence[Plane], tokens: Tokens, end: Cell, whole: bool) -> tuple[Cell, Counts]:
        """Return start cell and counts of the official alignment through a segment.

        The alignment is traced back from the cell `end`. Moves at a boundary before the next token of the reference
        belong to the segment before the boundary. The first segment has no segment before it, so `whole` makes it count
        the moves at its own start.
        """
        i, j, k = *end, len(tokens)
        columns: list[Column] = []
        while k or (whole and (i or j)):
            for over_source, over_hypothesis, over_reference in MOVES:
                before_i, before_j, before_k = i - over_source, j - over_hypothesis, k - over_reference
                if min(before_i, before_j, before_k) < 0:
                    continue
                saved = int(planes[before_k][before_i, before_j])
                if over_source and over_hypothesis:
                    saved += int(self.savings[before_i, before_j])
                if over_source and over_reference:
                    saved += token_saving(self.source[before_i], tokens[before_k])
                if over_hypothesis and over_reference:
                    saved += token_saving(self.hypothesis[before_j], tokens[before_k])
                if saved == planes[k][i, j]:
                    columns.append(
                        (
                            before_i if over_source else -1,
                            before_j if over_hypothesis else -1,
                            before_k if over_reference else -1,
                        )
                    )
                    i, j, k = before_i, before_j, before_k
                    break
        return (i, j), count_columns(columns, self.source, self.hypothesis, tokens)

"""Three-way sum-of-pairs alignment (Felice & Briscoe 2015, section 2.2).

1. A step over some of the three texts is a step in each pair of them, and loses there so much against the best two-way
   alignment. All losses of an alignment together are its slack: its cost above the best of the three pairs.
2. Go back from the end by the first step, in the official order of ties, that loses no more than the slack left, which
   is 0 at first.
3. Where no step is left, what the cell needs is the least that a step loses and then still needs. Note it and return;
   at the end of the texts, go on with as much slack as they need.
4. No cell needs less than is noted. So the beginning is reached with the least slack there is, and a step passed over
   on the way is on no optimal alignment: the alignment is that of the full table, ties included.
5. The columns are classified (docs/imeasure.md, section 5).

Texts that differ so much that the walk returns too often are aligned in a table (pruned.py). Where two of the texts are
equal, as most often, they stay side by side throughout, and one two-way table does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gecbench.kernels.imeasure.groups import TOO_LONG, RefusedError
from gecbench.kernels.imeasure.pairs import PairTable, Tokens
from gecbench.kernels.imeasure.pruned import MOVES, Column, Pairs, align_pruned

DETECTION, CORRECTION, BASELINE = slice(0, 5), slice(5, 10), slice(10, 15)
TP, TN, FP, FN, FPN = range(5)
MOST_RETURNS = 1 << 10


def classify_column(source: object, hypothesis: object, reference: object) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The classes of a column of tokens for detection and for correction (Table 6); None is a gap."""
    if hypothesis == reference:
        both = (TN if source == hypothesis else TP,)
    elif source == hypothesis:
        both = (FN,)
    elif source == reference:
        both = (FP,)
    else:
        return (TP,), (FP, FN, FPN)
    return both, both


@dataclass(frozen=True)
class Alignment:
    """Columns of positions (-1 is a gap), counts, distances to the reference, cost above the bound."""

    columns: list[Column]
    counts: list[int]
    distances: tuple[int, int]
    slack: int


@dataclass
class Aligner:
    """Aligns one source and hypothesis with many references."""

    source: Tokens
    hypothesis: Tokens
    cell_limit: int = 1 << 25
    pair: PairTable = field(init=False)
    cells: int = 0

    def __post_init__(self) -> None:
        self.check_pair(self.source, self.hypothesis)
        self.pair = PairTable(self.source, self.hypothesis)

    def check_pair(self, first: Tokens, second: Tokens) -> None:
        """Refuse a two-way table above the limit."""
        if (len(first) + 1) * (len(second) + 1) > self.cell_limit:
            raise RefusedError(TOO_LONG)

    def align(self, reference: Tokens) -> Alignment:
        """The official three-way alignment of the reference, with the baseline's two-way one."""
        self.check_pair(max(self.source, self.hypothesis, key=len), reference)
        pairs = Pairs(self.pair, PairTable(reference, self.source), PairTable(reference, self.hypothesis))
        if len({tuple(self.source), tuple(self.hypothesis), tuple(reference)}) < 3:
            columns, slack = self.align_two(pairs), 0
        else:
            columns, slack = self.align_three(pairs)
        columns = columns[::-1]
        counts = [*self.classify(columns, reference), *baseline_counts(pairs.reference_source)]  # step 5
        return Alignment(columns, counts, (pairs.reference_source.distance, pairs.reference_hypothesis.distance), slack)

    def align_two(self, pairs: Pairs) -> list[Column]:
        """The columns from the last to the first where two of the texts are equal."""
        reference = [*pairs.reference_source.rows]
        if [*self.hypothesis] == [*self.source]:
            columns = [(i, i, k) for k, i in pairs.reference_source.trace("column")]
        elif reference == [*self.source]:
            columns = [(i, j, i) for i, j in self.pair.trace("row")]
        else:
            columns = [(i, j, j) for i, j in self.pair.trace("column")]
        self.cells += len(columns) + 1
        return columns

    def align_three(self, pairs: Pairs) -> tuple[list[Column], int]:
        """The columns from the last to the first, and the slack."""
        walk = Walk(pairs)
        arrived = walk.go()
        self.cells += walk.cells
        if arrived:
            return walk.columns, walk.slack
        found = align_pruned(pairs, walk.slack, self.cell_limit)
        self.cells += found.cells
        return found.columns, found.slack

    def classify(self, columns: Sequence[Column], reference: Tokens) -> list[int]:
        """Counts for detection and correction by the extended WAS scheme (Table 6)."""
        detection, correction = [0] * 5, [0] * 5
        for i, j, k in columns:
            source = self.source[i] if i >= 0 else None
            hypothesis = self.hypothesis[j] if j >= 0 else None
            expected = reference[k] if k >= 0 else None
            detected, corrected = classify_column(source, hypothesis, expected)
            for counts, classes in ((detection, detected), (correction, corrected)):
                for name in classes:
                    counts[name] += 1
        return detection + correction


class Walk:
    """The way back from the end of three texts: its columns so far, the slack, and what cells are known to need."""

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs
        self.texts = (*(pairs.source_hypothesis.rows, pairs.source_hypothesis.columns), pairs.reference_source.rows)
        self.columns: list[Column] = []
        self.slack = self.cells = 0
        self.needed: dict[Column, int] = {}

    def go(self) -> bool:
        """Steps 2 and 3: whether the beginning was reached before too many returns."""
        cell = (len(self.texts[0]), len(self.texts[1]), len(self.texts[2]))
        way: list[tuple[Column, int]] = []
        left = returns = 0
        while returns < MOST_RETURNS:
            self.cells += 1
            if cell == (0, 0, 0):
                return True
            move, loss = self.first_step(cell, left)
            if loss <= left:
                way.append((cell, left))
                before = (cell[0] - move[0], cell[1] - move[1], cell[2] - move[2])
                i, j, k = (place if taken else -1 for place, taken in zip(before, move, strict=True))
                self.columns.append((i, j, k))
                cell, left = before, left - loss
                continue
            returns += 1
            self.needed[cell] = loss
            if way:
                cell, left = way.pop()
                self.columns.pop()
            else:
                self.slack = left = loss
        return False

    def first_step(self, cell: Column, left: int) -> tuple[Column, int]:
        """The first step to a cell for which so much slack is enough; if there is none, the least loss of all.

        Where the three tokens are equal, no other step is better than that over all of them.
        """
        i, j, k = cell
        if i and j and k and self.texts[0][i - 1] == self.texts[1][j - 1] == self.texts[2][k - 1]:
            loss = self.needed.get((i - 1, j - 1, k - 1), 0)
            return MOVES[0], loss if loss > left else 0
        both, source, hypothesis = self.pairs.source_hypothesis.losses(i, j)
        reference_source, reference_hypothesis = (
            self.pairs.reference_source.losses(k, i),
            self.pairs.reference_hypothesis.losses(k, j),
        )
        losses = (
            both + reference_source.both + reference_hypothesis.both,
            both + reference_source.column + reference_hypothesis.column,
            source + reference_source.both + reference_hypothesis.row,
            hypothesis + reference_source.row + reference_hypothesis.both,
            source + reference_source.column,
            hypothesis + reference_hypothesis.column,
            reference_source.row + reference_hypothesis.row,
        )
        least = []
        for move, loss in zip(MOVES, losses, strict=True):
            needs = self.needed.get((i - move[0], j - move[1], k - move[2]), 0) if loss <= left else 0
            if loss + needs <= left:
                return move, loss
            least.append(loss + needs)
        return MOVES[0], min(least)


def baseline_counts(pair: PairTable) -> list[int]:
    """Counts of the system that changes nothing, from the alignment of reference and source (section 2.3.3)."""
    counts = [0] * 5
    for k, i in pair.trace("column"):
        kept = min(i, k) >= 0 and pair.rows[k] == pair.columns[i]
        counts[TN if kept else FN] += 1
    return counts

"""Three-way sum-of-pairs alignment, pruned after Carrillo & Lipman 1988 (Felice & Briscoe 2015, section 2.2).

1. For each pair of texts, the excess of a cell is the cost of the cheapest two-way alignment through it above the best.
2. Their bound: a cell whose three excesses sum to more than the slack (the three-way optimum above the three two-way
   optima) lies on no optimal alignment. Only the other cells are filled.
3. The slack is not known before. Fill with a guess; if the cost found needs more slack than guessed, fill again.
4. All cells of optimal alignments have their exact value, so the traceback meets the same ties as in the full table.
5. The columns are classified (docs/imeasure.md, section 5).

Where two of the texts are equal, as most often, they stay side by side throughout, and one two-way table does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

Tokens = Sequence[int]
Table = list[list[int]]
Column = tuple[int, int, int]
MATCH, MISMATCH, GAP = 0, 3, 2
MOVES: list[Column] = [(1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
DETECTION, CORRECTION, BASELINE = slice(0, 5), slice(5, 10), slice(10, 15)
TP, TN, FP, FN, FPN = range(5)
DONE, COLLIDES, TOO_MANY, TOO_LONG = range(4)


def distance_table(first: Tokens, second: Tokens) -> Table:
    """Cost of aligning every prefix of the first text with every prefix of the second."""
    previous = [GAP * j for j in range(len(second) + 1)]
    table = [previous]
    for token in first:
        left = previous[0] + GAP
        row = [left]
        for j, other in enumerate(second):
            left = min(previous[j] + (MATCH if token == other else MISMATCH), previous[j + 1] + GAP, left + GAP)
            row.append(left)
        table.append(row)
        previous = row
    return table


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


class RefusedError(Exception):
    """The sentence cannot be scored exactly within the limits."""

    def __init__(self, status: int) -> None:
        self.status = status


@dataclass(frozen=True)
class Pair:
    """Two texts: the distances of their prefixes, and every cell's excess over the best alignment."""

    prefix: Table
    excess: Table
    distance: int

    @classmethod
    def of(cls, first: Tokens, second: Tokens) -> Pair:
        """Fill both tables."""
        prefix = distance_table(first, second)
        suffix = distance_table(first[::-1], second[::-1])
        distance = prefix[-1][-1]
        excess = [
            [before + after - distance for before, after in zip(row, reversed(rest), strict=True)]
            for row, rest in zip(prefix, reversed(suffix), strict=True)
        ]
        return cls(prefix, excess, distance)


@dataclass
class Aligner:
    """Aligns one source and hypothesis with many references."""

    source: Tokens
    hypothesis: Tokens
    cell_limit: int = 1 << 25
    pair: Pair = field(init=False)
    cells: int = 0

    def __post_init__(self) -> None:
        self.check_pair(self.source, self.hypothesis)
        self.pair = Pair.of(self.source, self.hypothesis)

    def check_pair(self, first: Tokens, second: Tokens) -> None:
        """Refuse a two-way table above the limit."""
        if (len(first) + 1) * (len(second) + 1) > self.cell_limit:
            raise RefusedError(TOO_LONG)

    def align(self, reference: Tokens) -> Alignment:
        """The official three-way alignment of the reference, with the baseline's two-way one."""
        self.check_pair(max(self.source, self.hypothesis, key=len), reference)
        if len({tuple(self.source), tuple(self.hypothesis), tuple(reference)}) < 3:
            return self.align_two(reference)
        source_reference = Pair.of(self.source, reference)  # step 1
        hypothesis_reference = Pair.of(self.hypothesis, reference)
        bound = self.pair.distance + source_reference.distance + hypothesis_reference.distance
        end = (len(self.source), len(self.hypothesis), len(reference))
        slack = 0
        while True:  # steps 2 and 3
            table = self.fill(reference, source_reference, hypothesis_reference, slack)
            self.cells += len(table)
            if end not in table:
                slack = max(2, 2 * slack)
            elif table[end] - bound > slack:
                slack = table[end] - bound
            else:
                break
        columns = trace(table, end, (self.source, self.hypothesis, reference))  # step 4
        baseline = baseline_counts(self.source, reference, source_reference.prefix)
        counts = [*self.classify(columns, reference), *baseline]  # step 5
        pairs = (source_reference.distance, hypothesis_reference.distance)
        return Alignment(columns, counts, table[end], pairs, table[end] - bound)

    def align_two(self, reference: Tokens) -> Alignment:
        """The same where two of the texts are equal: these stay side by side, and the source meets the third."""
        texts = (self.source, self.hypothesis, reference)
        if [*self.hypothesis] == [*self.source]:
            other, moves = 2, [(1, 1, 1), (1, 1, 0), (0, 0, 1)]
        elif [*reference] == [*self.source]:
            other, moves = 1, [(1, 1, 1), (1, 0, 1), (0, 1, 0)]
        else:
            other, moves = 1, [(1, 1, 1), (0, 1, 1), (1, 0, 0)]
        prefix, baseline = (distance_table(self.source, text) for text in (texts[other], reference))
        columns = trace_two(prefix, texts, other, moves)
        self.cells += len(columns) + 1
        counts = [*self.classify(columns, reference), *baseline_counts(self.source, reference, baseline)]
        pairs = (baseline[-1][-1], distance_table(self.hypothesis, reference)[-1][-1])
        return Alignment(columns, counts, 2 * prefix[-1][-1], pairs, 0)

    def fill(self, reference: Tokens, source_pair: Pair, hypothesis_pair: Pair, slack: int) -> dict[Column, int]:
        """Listing 2 on the cells whose three excesses sum to no more than the slack."""
        texts = (self.source, self.hypothesis, reference)
        table: dict[Column, int] = {}
        self.check_slack(source_pair, slack)
        for i, (hypothesis_row, reference_row) in enumerate(zip(self.pair.excess, source_pair.excess, strict=True)):
            rows = [(k, excess) for k, excess in enumerate(reference_row) if excess <= slack]
            for j, excess in enumerate(hypothesis_row):
                if excess > slack:
                    continue
                crossing = hypothesis_pair.excess[j]
                for k, other in rows:
                    if excess + other + crossing[k] <= slack:
                        costs = [cost for cost, _ in steps(table, (i, j, k), texts)]
                        if costs or i + j + k == 0:
                            table[i, j, k] = min(costs, default=0)
        return table

    def check_slack(self, source_pair: Pair, slack: int) -> None:
        """Refuse a three-way table above the limit: the pairs of cells left in each row of two tables."""
        rows = zip(self.pair.excess, source_pair.excess, strict=True)
        left = sum(sum(x <= slack for x in one) * sum(x <= slack for x in other) for one, other in rows)
        if left > self.cell_limit:
            raise RefusedError(TOO_LONG)

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


@dataclass(frozen=True)
class Alignment:
    """Columns of positions (-1 is a gap), counts, cost, distances to the reference, cost above the bound."""

    columns: list[Column]
    counts: list[int]
    cost: int
    distances: tuple[int, int]
    slack: int


def steps(table: dict[Column, int], cell: Column, texts: tuple[Tokens, Tokens, Tokens]) -> list[tuple[int, Column]]:
    """The cost of a cell by each possible move, in the official order of ties, and where it comes from."""
    i, j, k = cell
    source, hypothesis, reference = texts
    same = (
        MATCH if i and j and source[i - 1] == hypothesis[j - 1] else MISMATCH,
        MATCH if i and k and source[i - 1] == reference[k - 1] else MISMATCH,
        MATCH if j and k and hypothesis[j - 1] == reference[k - 1] else MISMATCH,
    )
    costs = (sum(same), *(cost + 2 * GAP for cost in same), 2 * GAP, 2 * GAP, 2 * GAP)
    found = []
    for (s, h, r), cost in zip(MOVES, costs, strict=True):
        before = (i - s, j - h, k - r)
        value = table.get(before)
        if value is not None:
            found.append((value + cost, before))
    return found


def trace(table: dict[Column, int], end: Column, texts: tuple[Tokens, Tokens, Tokens]) -> list[Column]:
    """Walk back from the end by the first consistent move."""
    columns = []
    cell = end
    while cell != (0, 0, 0):
        before = next(origin for cost, origin in steps(table, cell, texts) if cost == table[cell])
        i, j, k = (place if place < now else -1 for place, now in zip(before, cell, strict=True))
        columns.append((i, j, k))
        cell = before
    return columns[::-1]


def trace_two(prefix: Table, texts: tuple[Tokens, Tokens, Tokens], other: int, moves: Sequence[Column]) -> list[Column]:
    """Walk back by the first consistent move through the table of the source and the other text that differs."""
    source, second = texts[0], texts[other]
    columns = []
    cell = (len(texts[0]), len(texts[1]), len(texts[2]))
    while cell != (0, 0, 0):
        for s, h, r in moves:
            before = (cell[0] - s, cell[1] - h, cell[2] - r)
            i, j = before[0], before[other]
            if min(before) >= 0:
                cost = GAP if not s * h * r else MATCH if source[i] == second[j] else MISMATCH
                if prefix[cell[0]][cell[other]] == prefix[i][j] + cost:
                    break
        i, j, k = (place if place < now else -1 for place, now in zip(before, cell, strict=True))
        columns.append((i, j, k))
        cell = before
    return columns[::-1]


def baseline_counts(source: Tokens, reference: Tokens, prefix: Table) -> list[int]:
    """Counts of the system that changes nothing, from its own two-way alignment (section 2.3.3)."""
    i, k = len(source), len(reference)
    counts = [0] * 5
    while i or k:
        same = bool(i and k and source[i - 1] == reference[k - 1])
        counts[TN if same else FN] += 1
        if i and k and prefix[i][k] == prefix[i - 1][k - 1] + (MATCH if same else MISMATCH):
            i, k = i - 1, k - 1
        elif i and prefix[i][k] == prefix[i - 1][k] + GAP:
            i -= 1
        else:
            k -= 1
    return counts

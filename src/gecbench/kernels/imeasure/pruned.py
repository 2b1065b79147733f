"""The table of three texts, pruned after Carrillo & Lipman 1988, for texts that differ too much to walk (alignment.py).

1. For each pair of texts, the excess of a cell is the cost of the cheapest two-way alignment through it above the best.
2. Their bound: a cell whose three excesses sum to more than the slack (the three-way optimum above the three two-way
   optima) lies on no optimal alignment. Only the other cells are filled.
3. The slack is not known before. Fill with a guess; if the cost found needs more slack than guessed, fill again.
4. All cells of optimal alignments have their exact value, so the traceback meets the same ties as in the full table.
"""

from __future__ import annotations

from typing import NamedTuple

from gecbench.kernels.imeasure.groups import TOO_LONG, RefusedError
from gecbench.kernels.imeasure.pairs import GAP, MATCH, MISMATCH, PairTable, Tokens

Column = tuple[int, int, int]
MOVES: list[Column] = [(1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1)]


class Pairs(NamedTuple):
    """The two-way tables of three texts."""

    source_hypothesis: PairTable
    reference_source: PairTable
    reference_hypothesis: PairTable

    @property
    def distance(self) -> int:
        """The least that the three texts can cost."""
        return sum(pair.distance for pair in self)


class Found(NamedTuple):
    """Columns from the last to the first, the slack, and the number of cells filled."""

    columns: list[Column]
    slack: int
    cells: int


def align_pruned(pairs: Pairs, slack: int, cell_limit: int) -> Found:
    """The official alignment of three texts that cost at least so much more than their pairs."""
    bound, cells = pairs.distance, 0
    source, hypothesis = pairs.source_hypothesis.rows, pairs.source_hypothesis.columns
    texts = (source, hypothesis, pairs.reference_source.rows)
    end = (len(texts[0]), len(texts[1]), len(texts[2]))
    while True:
        check_slack(pairs, slack, cell_limit)
        table = fill(texts, pairs, slack)
        cells += len(table)
        if end in table and table[end] <= bound + slack:
            return Found(trace(table, end, texts), table[end] - bound, cells)
        slack = table[end] - bound if end in table else slack + slack // 2 + 2


def check_slack(pairs: Pairs, slack: int, cell_limit: int) -> None:
    """Refuse a table above the limit: the pairs of cells left in each row of the two tables of the reference."""
    rows = zip(pairs.reference_source.excess, pairs.reference_hypothesis.excess, strict=True)
    if sum(sum(x <= slack for x in one) * sum(x <= slack for x in other) for one, other in rows) > cell_limit:
        raise RefusedError(TOO_LONG)


def fill(texts: tuple[Tokens, Tokens, Tokens], pairs: Pairs, slack: int) -> dict[Column, int]:
    """Listing 2 on the cells whose three excesses sum to no more than the slack."""
    table: dict[Column, int] = {}
    rows = zip(pairs.reference_source.excess, pairs.reference_hypothesis.excess, strict=True)
    for k, (source_row, hypothesis_row) in enumerate(rows):
        kept = [(j, excess) for j, excess in enumerate(hypothesis_row) if excess <= slack]
        for i, excess in enumerate(source_row):
            if excess > slack:
                continue
            crossing = pairs.source_hypothesis.excess[i]
            for j, other in kept:
                if excess + other + crossing[j] <= slack:
                    costs = [cost for cost, _ in steps(table, (i, j, k), texts)]
                    if costs or i + j + k == 0:
                        table[i, j, k] = min(costs, default=0)
    return table


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
    return columns

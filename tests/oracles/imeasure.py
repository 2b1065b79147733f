"""Three-way alignment with the full table (Felice & Briscoe 2015, Listing 2): slow, to check others by."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

MATCH, MISMATCH, GAP = 0, 3, 2
MOVES = [(1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
Column = tuple[int, int, int]


def pair_cost(first: int | None, second: int | None) -> int:
    """Cost of two symbols in one column; None is a gap."""
    if first is None or second is None:
        return 0 if first is second else GAP
    return MATCH if first == second else MISMATCH


def align_literally(source: Sequence[int], hypothesis: Sequence[int], reference: Sequence[int]) -> list[Column]:
    """Columns of token positions (-1 is a gap), by the first consistent move of MOVES from the end."""
    texts = (source, hypothesis, reference)
    table: dict[Column, int] = {(0, 0, 0): 0}

    def step_cost(cell: Column, move: Column) -> int:
        s, h, r = (text[place - 1] if used else None for text, place, used in zip(texts, cell, move, strict=True))
        return pair_cost(s, h) + pair_cost(s, r) + pair_cost(h, r)

    def reached(cell: Column) -> list[tuple[int, Column]]:
        """The cost of the cell by each of the seven moves, and where the move comes from."""
        moves = [(move, (cell[0] - move[0], cell[1] - move[1], cell[2] - move[2])) for move in MOVES]
        return [(table[before] + step_cost(cell, move), before) for move, before in moves if min(before) >= 0]

    for cell in product(range(len(source) + 1), range(len(hypothesis) + 1), range(len(reference) + 1)):
        if cell != (0, 0, 0):
            table[cell] = min(cost for cost, _ in reached(cell))
    columns = []
    cell = (len(source), len(hypothesis), len(reference))
    while cell != (0, 0, 0):
        before = next(origin for cost, origin in reached(cell) if cost == table[cell])
        s, h, r = (place if place < now else -1 for place, now in zip(before, cell, strict=True))
        columns.append((s, h, r))
        cell = before
    return columns[::-1]


def align_pair_literally(source: Sequence[int], reference: Sequence[int]) -> list[tuple[int, int]]:
    """Two-way alignment with a reference; ties: both, then the source alone, then the reference."""
    table: dict[tuple[int, int], int] = {(0, 0): 0}

    def reached(cell: tuple[int, int]) -> list[tuple[int, tuple[int, int]]]:
        i, k = cell
        steps = [((i - 1, k - 1), MISMATCH), ((i - 1, k), GAP), ((i, k - 1), GAP)]
        if i and k and source[i - 1] == reference[k - 1]:
            steps[0] = ((i - 1, k - 1), MATCH)
        return [(table[before] + cost, before) for before, cost in steps if min(before) >= 0]

    for cell in product(range(len(source) + 1), range(len(reference) + 1)):
        if cell != (0, 0):
            table[cell] = min(cost for cost, _ in reached(cell))
    columns = []
    cell = (len(source), len(reference))
    while cell != (0, 0):
        before = next(origin for cost, origin in reached(cell) if cost == table[cell])
        columns.append((before[0] if before[0] < cell[0] else -1, before[1] if before[1] < cell[1] else -1))
        cell = before
    return columns[::-1]

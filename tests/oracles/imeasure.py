"""Alignment of two or three texts with the full table (Felice & Briscoe 2015, Listing 2): slow, to check others by."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from itertools import combinations, product

MATCH, MISMATCH, GAP = 0, 3, 2
FORBIDDEN = 1 << 40
Cell = tuple[int, ...]
Texts = Sequence[Sequence[int]]


def pair_cost(first: int | None, second: int | None) -> int:
    """Cost of two symbols in one column; None is a gap."""
    if first is None or second is None:
        return 0 if first is second else GAP
    return MATCH if first == second else MISMATCH


@functools.cache
def moves(texts: int) -> list[Cell]:
    """Which texts a column takes a symbol of; those that use more and earlier texts come first."""
    return sorted(product((1, 0), repeat=texts), key=lambda move: (sum(move), move), reverse=True)[:-1]


def reached(texts: Texts, table: dict[Cell, int], cell: Cell) -> list[tuple[int, Cell]]:
    """The cost of the cell by each move, and where the move comes from."""
    found = []
    for move in moves(len(texts)):
        before = tuple(place - used for place, used in zip(cell, move, strict=True))
        if min(before) >= 0:
            column = [text[place] if used else None for text, place, used in zip(texts, before, move, strict=True)]
            cost = sum(pair_cost(first, second) for first, second in combinations(column, 2))
            found.append((table[before] + cost, before))
    return found


def fill_table(texts: Texts, forbidden: Cell | None = None) -> dict[Cell, int]:
    """The cost of the cheapest alignment up to every cell, none of which stands at the forbidden one."""
    table: dict[Cell, int] = {}
    for cell in product(*(range(len(text) + 1) for text in texts)):
        costs = [cost for cost, _ in reached(texts, table, cell)]
        table[cell] = FORBIDDEN if cell == forbidden else min(costs, default=0)
    return table


def align_literally(*texts: Sequence[int]) -> list[Cell]:
    """Columns of token positions (-1 is a gap), by the first move that gives the cost of its cell, from the end."""
    table = fill_table(texts)
    columns = []
    cell = tuple(map(len, texts))
    while any(cell):
        before = next(origin for cost, origin in reached(texts, table, cell) if cost == table[cell])
        columns.append(tuple(place if place < now else -1 for place, now in zip(before, cell, strict=True)))
        cell = before
    return columns[::-1]

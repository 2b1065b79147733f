"""The I-measure by the letter: the full table of an alignment (Felice & Briscoe 2015, Listing 2), classes, choice."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from itertools import combinations, product

from gecbench.kernels.alignment import Objective, key

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
def column_cost(column: tuple[int | None, ...]) -> int:
    """Cost of a column: of all pairs in it."""
    return sum(pair_cost(first, second) for first, second in combinations(column, 2))


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
            used = (text[place] if use else None for text, place, use in zip(texts, before, move, strict=True))
            found.append((table[before] + column_cost(tuple(used)), before))
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


def table_6(source: int | None, hypothesis: int | None, reference: int | None) -> tuple[set[str], set[str]]:
    """Detection and correction classes, written out from the paper's table."""
    pattern = [source == hypothesis, source == reference, hypothesis == reference]
    if all(pattern):
        return {"TN"}, {"TN"}
    for equal, classes in zip(pattern, ({"FN"}, {"FP"}, {"TP"}), strict=True):
        if equal:
            return classes, classes
    return {"TP"}, {"FP", "FN", "FPN"}


def literal_counts(source: Sequence[int], hypothesis: Sequence[int], reference: Sequence[int]) -> list[int]:
    names = ["TP", "TN", "FP", "FN", "FPN"]
    detection, correction, baseline = (dict.fromkeys(names, 0) for _ in range(3))
    for i, j, k in align_literally(source, hypothesis, reference):
        row = [text[n] if n >= 0 else None for text, n in ((source, i), (hypothesis, j), (reference, k))]
        for tally, classes in zip((detection, correction), table_6(*row), strict=True):
            for name in classes:
                tally[name] += 1
    for i, k in align_literally(source, reference):
        baseline["TN" if min(i, k) >= 0 and source[i] == reference[k] else "FN"] += 1
    return [*detection.values(), *correction.values(), *baseline.values()]


def choose_literally(rows: Sequence[Sequence[Sequence[int]]], goal: Objective) -> list[int]:
    """The best of each sentence's counts by the official keys, the first of equals, by sentence or by running total."""
    total, chosen = [0] * 15, []
    for counts in rows:
        keys = [key([a + b for a, b in zip(row, total, strict=True)], goal) for row in counts]
        chosen.append(keys.index(max(keys)))
        if goal.corpus:
            total = [a + b for a, b in zip(total, counts[chosen[-1]], strict=True)]
    return chosen

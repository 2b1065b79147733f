"""Compact union of the two Levenshtein lattices, and the merged edits from one vertex (docs/m2.md, B.3-B.5)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

DIAGONAL, DELETION, INSERTION = 1, 2, 4
FAR = 1 << 30


class Step(NamedTuple):
    """An arc of length one: where it comes from, in how many lattices it is, and whether it keeps a token."""

    tail: int
    copies: int
    unchanged: int


class Lattice(NamedTuple):
    """Vertices in lexicographic order with the steps that enter them, in the order of their tails."""

    rows: list[int]
    columns: list[int]
    row_offsets: list[int]
    steps: list[list[Step]]

    def find(self, row: int, column: int) -> int:
        """Index of a vertex, or -1."""
        first, last = self.row_offsets[row], self.row_offsets[row + 1]
        index = bisect_left(self.columns, column, first, last)
        return index if index < last and self.columns[index] == column else -1


class Band(NamedTuple):
    """Cells (row, column) with first <= column - row <= last."""

    first: int
    last: int

    def columns(self, row: int, width: int) -> range:
        """Return the columns of a row that lie in the band."""
        return range(max(0, row + self.first), min(width, row + self.last) + 1)


def minimal_moves(
    source: Sequence[int], hypothesis: Sequence[int], substitution_cost: int, band: Band
) -> tuple[int, list[list[int]]]:
    """Distance inside the band, and for every row all moves that attain the minimum (docs/m2.md, B.3)."""
    width = band.last - band.first + 1
    moves = [[0] * width for _ in range(len(source) + 1)]
    above = [FAR] * (width + 1)
    for row in range(len(source) + 1):
        current = [FAR] * (width + 1)
        token = source[row - 1] if row else -1
        row_moves = moves[row]
        for column in band.columns(row, len(hypothesis)):
            place = column - row - band.first
            if row == 0 and column == 0:
                current[place] = 0
                continue
            deletion = above[place + 1] + 1
            insertion = current[place - 1] + 1 if place else FAR
            diagonal = FAR
            if row and column:
                diagonal = above[place] + (0 if token == hypothesis[column - 1] else substitution_cost)
            best = min(diagonal, deletion, insertion)
            current[place] = best
            row_moves[place] = (
                (DIAGONAL if diagonal == best else 0)
                | (DELETION if deletion == best else 0)
                | (INSERTION if insertion == best else 0)
            )
        above = current
    return above[len(hypothesis) - len(source) - band.first], moves


def keep_reachable(moves: list[list[int]], final_place: int) -> None:
    """Clear the moves of all cells that no minimal alignment visits; mark visited cells with bit 8."""
    reached = {final_place}
    for row in range(len(moves) - 1, -1, -1):
        next_reached = set()
        for place in range(len(moves[row]) - 1, -1, -1):
            if place not in reached:
                moves[row][place] = 0
                continue
            cell = moves[row][place]
            if cell & DIAGONAL:
                next_reached.add(place)
            if cell & DELETION:
                next_reached.add(place + 1)
            if cell & INSERTION:
                reached.add(place - 1)
            moves[row][place] = cell | 8
        reached = next_reached


def both_alignments(source: Sequence[int], hypothesis: Sequence[int]) -> tuple[Band, list[list[int]], list[list[int]]]:
    """Moves of both lattices in a band that provably holds every minimal alignment.

    An alignment of cost d leaves the corridor between the corners' diagonals by at most
    (d - |length difference|) / 2, so a band with that slack is complete.
    """
    difference = len(hypothesis) - len(source)
    slack = 2
    while True:
        band = Band(min(0, difference) - slack, max(0, difference) + slack)
        distance, second = minimal_moves(source, hypothesis, 2, band)
        needed = (distance - abs(difference)) // 2
        if needed <= slack:
            break
        slack = min(2 * slack + 2, needed)
    _, first = minimal_moves(source, hypothesis, 1, band)
    keep_reachable(first, difference - band.first)
    keep_reachable(second, difference - band.first)
    return band, first, second


def build_lattice(source: Sequence[int], hypothesis: Sequence[int]) -> Lattice:
    """The union of both lattices as vertex lists (docs/m2.md, B.4)."""
    band, first, second = both_alignments(source, hypothesis)  # B.3
    lattice = Lattice([], [], [0], [])
    above: dict[int, int] = {}
    for row in range(len(source) + 1):
        current: dict[int, int] = {}
        for place, (one, two) in enumerate(zip(first[row], second[row], strict=True)):
            if not one | two:
                continue
            column = place + row + band.first
            unchanged = int(row > 0 and column > 0 and source[row - 1] == hypothesis[column - 1])
            steps = []
            for move, tails, key in (
                (DIAGONAL, above, column - 1),
                (DELETION, above, column),
                (INSERTION, current, column - 1),
            ):
                copies = ((one & move) + (two & move)) // move
                if copies:
                    steps.append(Step(tails[key], copies, unchanged if move == DIAGONAL else 0))
            current[column] = len(lattice.rows)
            lattice.rows.append(row)
            lattice.columns.append(column)
            lattice.steps.append(steps)
        lattice.row_offsets.append(len(lattice.rows))
        above = current
    return lattice


class Merged(NamedTuple):
    """An official arc: length, unchanged words, entries in the arc list, and whether it only keeps tokens."""

    length: int
    unchanged: int
    entries: int
    keeps: bool


def _rectangle(lattice: Lattice, tail: int, head: int) -> Iterator[int]:
    columns, offsets = lattice.columns, lattice.row_offsets
    for row in range(lattice.rows[tail], lattice.rows[head] + 1):
        first = bisect_left(columns, columns[tail], offsets[row], offsets[row + 1])
        for vertex in range(first, offsets[row + 1]):
            if columns[vertex] > columns[head]:
                break
            yield vertex


def merged_arc(lattice: Lattice, tail: int, head: int, max_unchanged_words: int) -> Merged | None:
    """The official arc between two vertices, or None if the triple loop never forms it (docs/m2.md, B.5).

    All tails of a vertex precede it, so the triple loop visits the paths from one tail in vertex order,
    and at every vertex the first of the shortest accepted paths wins.
    """
    found: dict[int, Merged] = {}
    for vertex in _rectangle(lattice, tail, head):
        best: Merged | None = None
        for step in lattice.steps[vertex]:
            if step.tail == tail:
                best = Merged(1, step.unchanged, step.copies, step.unchanged == 1)
        for step in lattice.steps[vertex]:
            before = found.get(step.tail)
            if before is None or (best is not None and before.length + 1 >= best.length):
                continue
            unchanged = before.unchanged + step.unchanged
            if unchanged <= max_unchanged_words:
                entries = 1 if best is None else best.entries + 1
                keeps = before.keeps and step.unchanged == 1
                best = Merged(before.length + 1, unchanged, entries, keeps)
        if best is not None:
            found[vertex] = best
    return found.get(head)

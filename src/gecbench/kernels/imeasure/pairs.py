"""Two-way alignments of two texts, one along the rows of a table, the other along its columns.

A table holds savings: what aligning two prefixes costs less than gaps alone. A gap saves nothing, so a cell has the
savings of the cell above or to the left, or what a step over both texts adds to those of the cell before in both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

Tokens = Sequence[int]
Table = list[list[int]]
MATCH, MISMATCH, GAP = 0, 3, 2
FAR = 1 << 29


class Losses(NamedTuple):
    """What each step to a cell loses against the best: over both texts, over the row's token alone, the column's."""

    both: int
    row: int
    column: int


def saving(first: int, second: int) -> int:
    """What a step over two tokens costs less than two gaps."""
    return 2 * GAP - (MATCH if first == second else MISMATCH)


def savings(rows: Tokens, columns: Tokens) -> Table:
    """What every prefix of the rows saves with every prefix of the columns."""
    above = [0] * (len(columns) + 1)
    table = [above]
    for token in rows:
        here = [0]
        for j, other in enumerate(columns):
            here.append(max(above[j + 1], above[j] + saving(token, other), here[j]))
        table.append(here)
        above = here
    return table


class PairTable:
    """All best alignments of the prefixes of two texts."""

    def __init__(self, rows: Tokens, columns: Tokens) -> None:
        self.rows, self.columns = rows, columns
        self.saved = savings(rows, columns)

    @property
    def distance(self) -> int:
        """The cost of the best alignment."""
        return GAP * (len(self.rows) + len(self.columns)) - self.saved[-1][-1]

    @cached_property
    def excess(self) -> Table:
        """What the cheapest alignment through each cell costs above the best one."""
        most, after = self.saved[-1][-1], savings(self.rows[::-1], self.columns[::-1])
        return [
            [most - before - rest for before, rest in zip(row, reversed(other), strict=True)]
            for row, other in zip(self.saved, reversed(after), strict=True)
        ]

    def losses(self, row: int, column: int) -> Losses:
        """The losses of the steps to a cell; a step that would leave the table is far too dear."""
        saved = self.saved
        here = saved[row][column]
        both = row and column
        return Losses(
            here - saved[row - 1][column - 1] - saving(self.rows[row - 1], self.columns[column - 1]) if both else FAR,
            here - saved[row - 1][column] if row else FAR,
            here - saved[row][column - 1] if column else FAR,
        )

    def trace(self, preferred: Literal["row", "column"]) -> Iterator[tuple[int, int]]:
        """Go back over a best alignment: places in both texts, -1 for a gap.

        Where the alignment may step over either text alone, it steps over the preferred one.
        """
        row, column = len(self.rows), len(self.columns)
        while row or column:
            loss = self.losses(row, column)
            over_row = not loss.both or (not loss.row and (preferred == "row" or loss.column > 0))
            over_column = not loss.both or not over_row
            row, column = row - over_row, column - over_column
            yield row if over_row else -1, column if over_column else -1

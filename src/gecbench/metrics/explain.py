"""Explanations of sentence scores as rows of marked text, for terminals and web pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Literal

Mark = Literal["plain", "match", "miss", "wrong", "note"]
_COLOURS = {"match": "32", "miss": "33", "wrong": "31", "note": "2"}
_NOTEBOOK = {"match": "#1a7f37", "miss": "#9a6700", "wrong": "#cf222e", "note": "#768390"}
SIGNS = {"plain": "", "match": "+", "miss": "-", "wrong": "!", "note": ""}
EDIT_MEANINGS: Mapping[Mark, str] = {
    "match": "made by the system, and in the gold",
    "miss": "in the gold, not made by the system",
    "wrong": "made by the system, not in the gold",
}


@dataclass(frozen=True)
class Cell:
    """Some text and what it means: a match, something missed, something wrong; `type` is an edit's error type."""

    text: str
    mark: Mark = "plain"
    type: str = ""


@dataclass(frozen=True)
class Row:
    """A labelled row of cells."""

    label: str
    cells: Sequence[Cell]


@dataclass(frozen=True)
class Explanation:
    """One sentence's rows; if `aligned`, the cells of all rows stand in columns.

    `counts` are the sentence's share of the totals; `meanings` say what the marks mean.
    """

    title: str
    rows: Sequence[Row]
    aligned: bool = False
    counts: Mapping[str, int] = field(default_factory=dict)
    meanings: Mapping[Mark, str] = field(default_factory=lambda: EDIT_MEANINGS)

    def to_text(self, colour: bool = False, width: int | None = None) -> str:
        """Return the rows as lines; signs before texts, colored or not, are the marks (+ match, - missed, ! wrong).

        Aligned rows wider than `width` continue in further blocks, columns kept together.
        """
        label_width = max(len(row.label) for row in self.rows)
        widths = self._widths(colour) if self.aligned else None
        columns = max(len(row.cells) for row in self.rows)
        blocks = _blocks(widths, width - label_width - 4) if widths and width else [(0, columns)]
        lines = [self.title]
        for begin, end in blocks:
            lines += [""] if begin else []
            for row in self.rows:
                texts = []
                for k, cell in enumerate(row.cells[begin:end], start=begin):
                    text, shown = _cell_text(cell, colour)
                    texts.append(text + " " * (widths[k] - shown) if widths else text)
                lines.append(f"  {row.label:<{label_width}}  {(' ' if widths else '  ').join(texts)}".rstrip())
        return "\n".join(lines)

    def to_html(self) -> str:
        """Return the rows as a table, signs before marked text as in plain text; all text is escaped."""
        rows = "\n".join(
            f'<tr><th scope="row">{escape(row.label)}</th>{self._html_cells(row)}</tr>' for row in self.rows
        )
        frame = ' class="aligned" tabindex="0" role="group" aria-label="Alignment"' if self.aligned else ""
        return f"<h2>{escape(self.title)}</h2>\n<div{frame}><table>\n{rows}\n</table></div>"

    def _repr_html_(self) -> str:
        """Return the rows for a notebook: its page has no style of ours, and colors must do on light and dark."""
        table = self.to_html()
        for mark, colour in _NOTEBOOK.items():
            table = table.replace(f'class="{mark}"', f'style="color: {colour}"')
        return table

    def _html_cells(self, row: Row) -> str:
        cells = [_html_cell(cell) for cell in row.cells]
        return "".join(f"<td>{cell}</td>" for cell in cells) if self.aligned else f"<td>{' '.join(cells)}</td>"

    def _widths(self, colour: bool) -> list[int]:
        columns = max(len(row.cells) for row in self.rows)
        shown = [[_cell_text(cell, colour)[1] for cell in row.cells] for row in self.rows]
        return [max((sizes[k] for sizes in shown if k < len(sizes)), default=0) for k in range(columns)]


def _blocks(widths: Sequence[int], width_limit: int) -> list[tuple[int, int]]:
    """Return ranges of columns that fit the limit, at least one column each."""
    starts, used = [0], 0
    for k, width in enumerate(widths):
        if k > starts[-1] and used + width > width_limit:
            starts.append(k)
            used = 0
        used += width + 1
    return list(zip(starts, [*starts[1:], len(widths)], strict=True))


def _cell_text(cell: Cell, colour: bool) -> tuple[str, int]:
    """Return a cell's text and how wide it is shown."""
    text = SIGNS[cell.mark] + cell.text
    code = _COLOURS.get(cell.mark) if colour else None
    return (f"\x1b[{code}m{text}\x1b[0m" if code else text), len(text)


def _html_cell(cell: Cell) -> str:
    kind = f' data-type="{escape(cell.type)}"' if cell.type else ""
    return f'<span class="{cell.mark}"{kind}>{escape(SIGNS[cell.mark] + cell.text)}</span>'

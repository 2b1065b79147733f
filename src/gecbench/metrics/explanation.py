"""How a sentence got its counts, as rows of marked text: for a terminal, in colour or not, and as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Mark = Literal["plain", "match", "miss", "wrong", "note"]
_COLOURS = {"match": "32", "miss": "33", "wrong": "31", "note": "2"}
_SIGNS = {"plain": "", "match": "+", "miss": "-", "wrong": "!", "note": ""}
_NOTEBOOK = {"match": "#1a7f37", "miss": "#9a6700", "wrong": "#cf222e", "note": "#768390"}
_STYLE = """\
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem; color-scheme: light dark; }
table { border-collapse: collapse; margin-bottom: 2rem; }
th { text-align: left; font-weight: 600; padding-right: 1rem; vertical-align: top; white-space: nowrap; }
td { padding: 0 .4rem; }
.match { color: light-dark(#0a6b2d, #6fd08c); } .miss { color: light-dark(#8a5a00, #e6b450); }
.wrong { color: light-dark(#b3261e, #ff8a80); } .note { color: light-dark(#666, #999); }
h2 { font-size: 1rem; }
</style>"""


@dataclass(frozen=True)
class Cell:
    """Some text and what it means: a match, something missed, something wrong."""

    text: str
    mark: Mark = "plain"


@dataclass(frozen=True)
class Row:
    """A labelled row of cells."""

    label: str
    cells: Sequence[Cell]


@dataclass(frozen=True)
class Explanation:
    """One sentence's rows; if `aligned`, the cells of all rows stand in columns."""

    title: str
    rows: Sequence[Row]
    aligned: bool = False

    def to_text(self, colour: bool = False, width: int | None = None) -> str:
        """Return the rows as lines; without colour, signs stand for the marks (+ match, - missed, ! wrong).

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
        """Return the rows as a table; all text is escaped."""
        rows = "\n".join(f"<tr><th>{_escape(row.label)}</th>{self._html_cells(row)}</tr>" for row in self.rows)
        return f"<h2>{_escape(self.title)}</h2>\n<table>\n{rows}\n</table>"

    def _repr_html_(self) -> str:
        """Return the rows for a notebook: its page has no style of ours, and colours must do on light and dark."""
        table = self.to_html()
        for mark, colour in _NOTEBOOK.items():
            table = table.replace(f'class="{mark}"', f'style="color: {colour}"')
        return table

    def _html_cells(self, row: Row) -> str:
        cells = [f'<span class="{cell.mark}">{_escape(cell.text)}</span>' for cell in row.cells]
        if self.aligned:
            return "".join(f"<td>{cell}</td>" for cell in cells)
        return f"<td>{' &nbsp; '.join(cells)}</td>"

    def _widths(self, colour: bool) -> list[int]:
        columns = max(len(row.cells) for row in self.rows)
        shown = [[_cell_text(cell, colour)[1] for cell in row.cells] for row in self.rows]
        return [max((sizes[k] for sizes in shown if k < len(sizes)), default=0) for k in range(columns)]


def html_page(explanations: Sequence[Explanation], title: str) -> str:
    """Return a page of explanations that needs nothing else."""
    body = "\n".join(explanation.to_html() for explanation in explanations)
    head = f'<meta charset="utf-8"><title>{_escape(title)}</title>\n{_STYLE}'
    return f'<!doctype html>\n<html lang="en">\n<head>{head}</head>\n<body>\n{body}\n</body>\n</html>'


def _blocks(widths: Sequence[int], room: int) -> list[tuple[int, int]]:
    """Return ranges of columns that fit the room, at least one column each."""
    starts, used = [0], 0
    for k, width in enumerate(widths):
        if k > starts[-1] and used + width > room:
            starts.append(k)
            used = 0
        used += width + 1
    return list(zip(starts, [*starts[1:], len(widths)], strict=True))


def _cell_text(cell: Cell, colour: bool) -> tuple[str, int]:
    if not colour:
        text = _SIGNS[cell.mark] + cell.text
        return text, len(text)
    code = _COLOURS.get(cell.mark)
    return (f"\x1b[{code}m{cell.text}\x1b[0m" if code else cell.text), len(cell.text)


def _escape(text: str) -> str:
    from html import escape

    return escape(text)

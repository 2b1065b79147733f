"""Explanations of sentence scores: marked text for terminals and web pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Literal

from gecbench.corpus.error_types import describe_error_type

Mark = Literal["plain", "match", "miss", "wrong", "note"]
_COLORS = {"match": "32", "miss": "33", "wrong": "31", "note": "2"}
_NOTEBOOK = {"match": "#1a7f37", "miss": "#9a6700", "wrong": "#cf222e", "note": "#768390"}
SIGNS = {"plain": "", "match": "+", "miss": "-", "wrong": "!", "note": ""}
EDIT_MEANINGS: Mapping[Mark, str] = {
    "match": "made by the system, and in the gold",
    "miss": "in the gold, not made by the system",
    "wrong": "made by the system, not in the gold",
}


@dataclass(frozen=True)
class Cell:
    """A text and its mark, such as "match" or "miss".

    `type` is the error type of an edit.
    """

    text: str
    mark: Mark = "plain"
    type: str = ""

    @property
    def shown(self) -> str:
        """The sign of the mark, the text, and the error type in words."""
        return SIGNS[self.mark] + self.text + (f" {describe_error_type(self.type)}" if self.type else "")


@dataclass(frozen=True)
class Row:
    """A labeled row of cells."""

    label: str
    cells: Sequence[Cell]

    @property
    def has_types(self) -> bool:
        """Whether cells are edits with error types, shown one per line."""
        return any(cell.type for cell in self.cells)


@dataclass(frozen=True)
class Explanation:
    """How one sentence was scored, as rows of cells.

    If `aligned`, the cells of all rows form columns. `counts` is what the sentence adds to the corpus totals.
    `meanings` describe the marks.
    """

    title: str
    rows: Sequence[Row]
    aligned: bool = False
    counts: Mapping[str, int] = field(default_factory=dict)
    meanings: Mapping[Mark, str] = field(default_factory=lambda: EDIT_MEANINGS)

    def to_text(self, color: bool = False, width: int | None = None) -> str:
        """Return the rows as text.

        A sign before each cell shows its mark: + match, - missed, ! wrong. Edits with error types are shown one per
        line. Other rows continue on the next line if they are wider than `width`. Aligned rows are broken at the same
        columns. `color` adds terminal colors.
        """
        label_width = max(len(row.label) for row in self.rows)
        room = width - label_width - 4 if width else None
        lines = [self.title]
        for label, texts in self._aligned_lines(color, room) if self.aligned else self._plain_lines(color, room):
            lines.append(f"  {label:<{label_width}}  {texts}".rstrip())
        return "\n".join(lines)

    def _plain_lines(self, color: bool, room: int | None) -> Iterator[tuple[str, str]]:
        """Yield a label and a line of cells for each line.

        Continuation lines have an empty label.
        """
        for row in self.rows:
            cells = list(row.cells)
            if row.has_types:
                blocks = [(k, k + 1) for k in range(len(cells))]
            else:
                blocks = _blocks([len(cell.shown) for cell in cells], room, gap=2)
            for begin, end in blocks:
                texts = (_colored(cell.shown, cell.mark, color) for cell in cells[begin:end])
                yield "" if begin else row.label, "  ".join(texts)

    def _aligned_lines(self, color: bool, room: int | None) -> Iterator[tuple[str, str]]:
        """Yield a label and a line of cells in columns.

        An empty line separates blocks of columns.
        """
        widths = self._widths()
        rows = [(row.label, list(enumerate(row.cells))) for row in self.rows]
        for begin, end in _blocks(widths, room, gap=1):
            if begin:
                yield "", ""
            for label, cells in rows:
                padded = (
                    _colored(cell.shown, cell.mark, color) + " " * (widths[k] - len(cell.shown))
                    for k, cell in cells[begin:end]
                )
                yield label, " ".join(padded)

    def to_html(self) -> str:
        """Return the rows as an HTML table with the same signs as plain text.

        All text is escaped.
        """
        rows = "\n".join(
            f'<tr><th scope="row">{escape(row.label)}</th>{self._html_cells(row)}</tr>' for row in self.rows
        )
        frame = ' class="aligned" tabindex="0" role="group" aria-label="Alignment"' if self.aligned else ""
        return f"<h2>{escape(self.title)}</h2>\n<div{frame}><table>\n{rows}\n</table></div>"

    def _repr_html_(self) -> str:
        """Return the rows for a notebook, with colors for light and dark pages."""
        table = self.to_html()
        for mark, color in _NOTEBOOK.items():
            table = table.replace(f'class="{mark}"', f'style="color: {color}"')
        return table

    def _html_cells(self, row: Row) -> str:
        cells = [_html_cell(cell) for cell in row.cells]
        if self.aligned:
            return "".join(f"<td>{cell}</td>" for cell in cells)
        return f"<td>{('<br>' if row.has_types else ' ').join(cells)}</td>"

    def _widths(self) -> list[int]:
        columns = max(len(row.cells) for row in self.rows)
        shown = [[len(cell.shown) for cell in row.cells] for row in self.rows]
        return [max((sizes[k] for sizes in shown if k < len(sizes)), default=0) for k in range(columns)]


def legend(explanations: Sequence[Explanation], color: bool = False) -> str:
    """Return a legend of the signs that occur in some explanations, one per line."""
    used = {cell.mark for each in explanations for row in each.rows for cell in row.cells if SIGNS[cell.mark]}
    meanings = {mark: words for each in explanations for mark, words in each.meanings.items() if mark in used}
    return "\n".join(f"{_colored(SIGNS[mark], mark, color)} {words}" for mark, words in meanings.items())


def _blocks(widths: Sequence[int], room: int | None, gap: int) -> list[tuple[int, int]]:
    """Return ranges of columns that fit into `room` characters.

    Each range has at least one column. If `room` is None, there is no limit.
    """
    starts, used = [0], 0
    for k, width in enumerate(widths):
        if room is not None and k > starts[-1] and used + width > room:
            starts.append(k)
            used = 0
        used += width + gap
    return list(zip(starts, [*starts[1:], len(widths)], strict=True))


def _colored(text: str, mark: Mark, color: bool) -> str:
    code = _COLORS.get(mark) if color else None
    return f"\x1b[{code}m{text}\x1b[0m" if code else text


def _html_cell(cell: Cell) -> str:
    text = escape(SIGNS[cell.mark] + cell.text)
    if not cell.type:
        return f'<span class="{cell.mark}">{text}</span>'
    kind = f'data-type="{escape(cell.type)}"'
    return f'<span class="{cell.mark}" {kind}>{text} <small>{escape(describe_error_type(cell.type))}</small></span>'

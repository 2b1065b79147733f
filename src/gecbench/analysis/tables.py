"""Tables of text cells, rendered as text, Markdown, LaTeX, TSV and HTML."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from gecbench.display import visible
from gecbench.errors import InputError


@dataclass(frozen=True)
class Table:
    """A header and rows of cells; columns after the first are numbers, aligned to the right.

    `bold` and `starred` are cells, as (row, column) counted from 0. Bold type appears in LaTeX and HTML, stars in every
    format.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    bold: Collection[tuple[int, int]] = ()
    starred: Collection[tuple[int, int]] = ()

    def visible(self) -> Table:
        """Return the same table with control and direction characters escaped."""
        rows = [[visible(cell) for cell in row] for row in self.rows]
        return replace(self, header=[visible(cell) for cell in self.header], rows=rows)

    def drawn(self, cell: Callable[[str], str] = str, star: str = "*", bold: str = "{}") -> list[list[str]]:
        """Return the rows with `cell` applied to each cell, then bold type and stars added."""
        return [
            [self._drawn(cell(text), (i, k), star, bold) for k, text in enumerate(row)]
            for i, row in enumerate(self.rows)
        ]

    def _drawn(self, text: str, place: tuple[int, int], star: str, bold: str) -> str:
        return (bold.format(text) if place in self.bold else text) + (star if place in self.starred else "")


def shown_p_value(p_value: float) -> str:
    """Return a p-value as every table prints it.

    >>> shown_p_value(1 / 1001), shown_p_value(0.001), shown_p_value(0.0496)
    ('< 0.001', '0.001', '0.050')
    """
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def best_cells(cells: Sequence[str], lowest: bool = False) -> list[int]:
    """Return where a column of printed numbers is highest (or lowest), all places if several print the same.

    A dash is not a number, and a single number is not the best of its column.

    >>> best_cells(["9.50", "12.00", "–", "12.00"]), best_cells(["9.50", "–"])
    ([1, 3], [])
    >>> best_cells(["9.50", "12.00"], lowest=True)
    [0]
    """
    numbers = [math.nan if cell == "–" else float(cell) for cell in cells]
    known = [number for number in numbers if not math.isnan(number)]
    best = (min if lowest else max)(known, default=math.nan)
    return [i for i, number in enumerate(numbers) if number == best] if len(known) > 1 else []


def render_table(table: Table, table_format: str) -> str:
    """Return the table as text in one of the formats."""
    if table_format not in _RENDERERS:
        raise InputError(f"unknown format {table_format!r}", fix=f"Known formats: {', '.join(_RENDERERS)}")
    return _RENDERERS[table_format](table.visible())


def render_rows(table: Table, plain: Sequence[Mapping[str, object]], table_format: str) -> str:
    """Return the table in one of the formats; as JSON, return the same rows as plain data (NaN as null)."""
    if table_format != "json":
        return render_table(table, table_format)
    return json.dumps(_without_nan(plain), ensure_ascii=False, indent=2)


def _without_nan(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _without_nan(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _text(table: Table) -> str:
    rows = [table.header, *table.drawn()]
    widths = [max(_width(row[k]) for row in rows) for k in range(len(table.header))]
    lines = [
        "  ".join(_pad(cell, width, k > 0) for k, (cell, width) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in [lines[0], "-" * len(lines[0]), *lines[1:]])


def _markdown(table: Table) -> str:
    rows = [list(map(_escape_markdown, row)) for row in (table.header, *table.drawn())]
    ruler = ["---"] + ["---:"] * (len(table.header) - 1)
    return "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], ruler, *rows[1:]])


def _latex(table: Table) -> str:
    cells = table.drawn(_escape_latex, star=r"\rlap{$^{*}$}", bold=r"\textbf{{{}}}")
    rows = [" & ".join(row) + r" \\" for row in (map(_escape_latex, table.header), *cells)]
    columns = "l" + "r" * (len(table.header) - 1)
    body = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", rows[0], r"\midrule", *rows[1:], r"\bottomrule"]
    return "\n".join([*body, r"\end{tabular}"])


def _tsv(table: Table) -> str:
    return "\n".join("\t".join(row) for row in (table.header, *table.drawn()))


def html_table(table: Table) -> str:
    """Return the table as HTML, its text escaped."""
    from html import escape

    table = table.visible()
    header = "".join(_html_cell("th", escape(cell), k) for k, cell in enumerate(table.header))
    body = [[_html_cell("td", cell, k) for k, cell in enumerate(row)] for row in table.drawn(escape, bold="<b>{}</b>")]
    rows = "\n".join(f"<tr>{''.join(row)}</tr>" for row in body)
    return f"<table>\n<thead><tr>{header}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"


def _html_cell(tag: str, content: str, column: int) -> str:
    return f'<{tag} style="text-align: {"right" if column else "left"}">{content}</{tag}>'


def _escape_markdown(cell: str) -> str:
    """Escape what would end the cell or begin a tag; "< 0.001" stays as it is."""
    return re.sub(r"<(?! )", "&lt;", cell.replace("|", r"\|"))


def _escape_latex(cell: str) -> str:
    special = {character: f"\\{character}" for character in "&%$#_{}"}
    special |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--"}
    special |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
    return "".join(special.get(character, character) for character in cell)


def _width(text: str) -> int:
    return sum(
        0 if unicodedata.combining(character) else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )


def _pad(cell: str, width: int, right: bool) -> str:
    blanks = " " * (width - _width(cell))
    return blanks + cell if right else cell + blanks


_RENDERERS: Mapping[str, Callable[[Table], str]] = {
    "text": _text,
    "markdown": _markdown,
    "latex": _latex,
    "tsv": _tsv,
}
FORMATS = (*_RENDERERS, "json")

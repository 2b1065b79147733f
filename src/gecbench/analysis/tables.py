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

_TERMINAL_WIDTH = 80
# Names are shortened so that the table fits into one block. If that would leave fewer than 24 characters, the table is
# split into several blocks, and names are shortened to 32 characters.
_SHORTEST_NAME, _LONGEST_NAME = 24, 32


@dataclass(frozen=True)
class Table:
    """A header and rows of cells, with all columns after the first right-aligned.

    `bold` and `starred` list cells as (row, column), counted from 0. LaTeX and HTML show bold type. All formats show
    stars. The first `keys` columns name a row. `groups` divides the other columns into groups, each with a title and a
    number of columns. LaTeX prints the titles. A text table that is too wide for the terminal is split between groups
    if possible.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    bold: Collection[tuple[int, int]] = ()
    starred: Collection[tuple[int, int]] = ()
    keys: int = 1
    groups: Sequence[tuple[str, int]] = ()

    def visible(self) -> Table:
        """Return the same table with control and direction characters escaped."""
        rows = [[visible(cell) for cell in row] for row in self.rows]
        return replace(self, header=[visible(cell) for cell in self.header], rows=rows)

    def drawn(self, cell: Callable[[str], str] = str, star: str = "*", bold: str = "{}") -> list[list[str]]:
        """Return the rows after applying `cell` to each cell and adding bold and stars."""
        return [
            [self._drawn(cell(text), (i, k), star, bold) for k, text in enumerate(row)]
            for i, row in enumerate(self.rows)
        ]

    def _drawn(self, text: str, place: tuple[int, int], star: str, bold: str) -> str:
        return (bold.format(text) if place in self.bold else text) + (star if place in self.starred else "")


def shown_p_value(p_value: float) -> str:
    """Return a p-value as printed in tables.

    >>> shown_p_value(1 / 1001), shown_p_value(0.001), shown_p_value(0.0496)
    ('< 0.001', '0.001', '0.050')
    """
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def with_half_widths(values: Sequence[str], halves: Sequence[str]) -> list[str]:
    """Return printed values, each with half the width of its interval.

    An empty half-width is left out.

    >>> with_half_widths(["45.25", "13.40", "9.00"], ["4.66", "11.07", ""])
    ['45.25 ±  4.66', '13.40 ± 11.07', '9.00']
    """
    width = max(map(len, halves), default=0)
    return [f"{value} ± {half:>{width}}" if half else value for value, half in zip(values, halves, strict=True)]


def best_cells(cells: Sequence[str], lowest: bool = False) -> list[int]:
    """Return the positions of the highest (or lowest) printed number in a column.

    Ties give several positions. A dash is not a number. A single number is not marked as best.

    >>> best_cells(["9.50", "12.00", "–", "12.00"]), best_cells(["9.50", "–"])
    ([1, 3], [])
    >>> best_cells(["9.50", "12.00"], lowest=True)
    [0]
    """
    numbers = [math.nan if cell == "–" else float(cell) for cell in cells]
    known = [number for number in numbers if not math.isnan(number)]
    best = (min if lowest else max)(known, default=math.nan)
    return [i for i, number in enumerate(numbers) if number == best] if len(known) > 1 else []


def check_format(name: str, known: Collection[str]) -> None:
    """Raise an error for an unknown format."""
    if name not in known:
        raise InputError(f"unknown format {name!r}", fix=f"Choose one of {', '.join(known)}")


def render_table(table: Table, table_format: str, wide: bool = False) -> str:
    """Return the table as a string in one of the formats.

    Unless `wide`, lines of plain text have at most 80 characters. Columns that do not fit are shown in further blocks.
    Long names are shortened, unless two names would become equal.
    """
    check_format(table_format, _RENDERERS)
    if table_format == "text" and not wide:
        return "\n\n".join(map(_text, _fitting(table.visible(), _TERMINAL_WIDTH)))
    return _RENDERERS[table_format](table.visible())


def render_rows(table: Table, plain: Sequence[Mapping[str, object]], table_format: str, wide: bool = False) -> str:
    """Return the table in one of the formats, or `plain` as JSON.

    In JSON, NaN and infinity become null.
    """
    check_format(table_format, FORMATS)
    if table_format != "json":
        return render_table(table, table_format, wide)
    return json.dumps(_without_nan(plain), ensure_ascii=False, indent=2)


def _without_nan(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _without_nan(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _text(table: Table) -> str:
    rows, widths = _text_cells(table), _widths(table)
    lines = [
        "  ".join(_pad(cell, width, k > 0) for k, (cell, width) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in [lines[0], "-" * len(lines[0].rstrip()), *lines[1:]])


def _text_cells(table: Table) -> list[list[str]]:
    """Return header and rows, with spaces that align numbers with and without stars.

    In columns with stars, cells without a star end in a space.
    """
    with_stars = {column for _, column in table.starred}
    rows = [[cell + " " * (k in with_stars) for k, cell in enumerate(table.header)]]
    for i, row in enumerate(table.drawn()):
        rows.append([cell + " " * (k in with_stars and (i, k) not in table.starred) for k, cell in enumerate(row)])
    return rows


def _widths(table: Table) -> list[int]:
    return [max(map(_width, column)) for column in zip(*_text_cells(table), strict=True)]


def _fitting(table: Table, limit: int) -> list[Table]:
    """Split the table into blocks of at most `limit` characters, if possible.

    Each block repeats the columns that name a row.
    """
    table = _with_short_names(table, limit)
    widths = _widths(table)
    keys = list(range(table.keys))
    spans = [size for _, size in table.groups] or [1] * (len(widths) - table.keys)
    starts = [table.keys + sum(spans[:k]) for k in range(len(spans))]
    blocks: list[list[int]] = [[]]
    for start, size in zip(starts, spans, strict=True):
        group = list(range(start, start + size))
        fits_alone = _total([widths[k] for k in keys + group]) <= limit
        for columns in [group] if fits_alone else [[column] for column in group]:
            if blocks[-1] and _total([widths[k] for k in keys + blocks[-1] + columns]) > limit:
                blocks.append([])
            blocks[-1] += columns
    return [_columns_of(table, keys + block) for block in blocks]


def _total(widths: Sequence[int]) -> int:
    """Return the total width of columns, with two spaces between columns."""
    return sum(widths) + 2 * (len(widths) - 1)


def _with_short_names(table: Table, limit: int) -> Table:
    """Shorten the names in the first column if the table is too wide.

    If two names would become equal, all names stay whole.
    """
    widths = _widths(table)
    room = limit - (_total(widths) - widths[0])
    room = room if room >= _SHORTEST_NAME else _LONGEST_NAME
    if _total(widths) <= limit or widths[0] <= room:
        return table
    names = [row[0] for row in table.rows]
    short = [_shorten_middle(name, room) for name in names]
    if len(set(short)) < len(set(names)):
        return table
    rows = [[name, *row[1:]] for name, row in zip(short, table.rows, strict=True)]
    return replace(table, header=[_shorten_middle(table.header[0], room), *table.header[1:]], rows=rows)


def _shorten_middle(name: str, size: int) -> str:
    """Return a name, without its middle if it has more than `size` characters.

    Names with wide or combining characters stay whole.
    """
    if len(name) <= size or _width(name) != len(name):
        return name
    end = (size - 1) // 2
    return f"{name[: size - 1 - end]}…{name[-end:]}"


def _columns_of(table: Table, columns: Sequence[int]) -> Table:
    """Return some columns of a table."""
    bold, starred = (
        [(row, columns.index(column)) for row, column in cells if column in columns]
        for cells in (table.bold, table.starred)
    )
    rows = [[row[k] for k in columns] for row in table.rows]
    return Table([table.header[k] for k in columns], rows, bold, starred, table.keys)


def _markdown(table: Table) -> str:
    rows = [list(map(_escape_markdown, row)) for row in (table.header, *table.drawn())]
    ruler = ["---"] + ["---:"] * (len(table.header) - 1)
    return "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], ruler, *rows[1:]])


def _latex(table: Table) -> str:
    cells = [[_latex_cell(table, i, k) for k in range(len(row))] for i, row in enumerate(table.rows)]
    rows = [" & ".join(row) + r" \\" for row in (map(_escape_latex, table.header), *cells)]
    last = len(table.header) - 1
    columns = "@{}l" + "r" * last + ("" if any(column == last for _, column in table.starred) else "@{}")
    body = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", *_latex_groups(table), rows[0], r"\midrule"]
    return "\n".join([*body, *rows[1:], r"\bottomrule", r"\end{tabular}"])


def _latex_cell(table: Table, row: int, column: int) -> str:
    """Return a cell in LaTeX, with a small number after ±.

    Invisible digits pad this number to the width of its column.
    """
    text, half = table.rows[row][column], ""
    if column >= table.keys and " ± " in text:
        text, _, half = text.partition(" ± ")
        blanks = len(half) - len(half.lstrip())
        padding = rf"\phantom{{{'0' * blanks}}}" if blanks else ""
        half = rf"{{\tiny{padding}$\pm${_escape_latex(half.lstrip())}}}"
    text = _escape_latex(text)
    text = rf"\textbf{{{text}}}" if (row, column) in table.bold else text
    return text + half + (r"\rlap{$^{*}$}" if (row, column) in table.starred else "")


def _latex_groups(table: Table) -> list[str]:
    """Return the LaTeX lines of group titles, or an empty list without titles."""
    if not any(title for title, _ in table.groups):
        return []
    titles, rules, start = [""] * table.keys, [], table.keys + 1
    for title, size in table.groups:
        titles += [rf"\multicolumn{{{size}}}{{c}}{{{_escape_latex(title)}}}"] if title else [""] * size
        rules += [rf"\cmidrule(l){{{start}-{start + size - 1}}}"] if title else []
        start += size
    return [" & ".join(titles) + r" \\", " ".join(rules)]


def _tsv(table: Table) -> str:
    return "\n".join("\t".join(row) for row in (table.header, *table.drawn()))


def html_table(table: Table) -> str:
    """Return the table as HTML with escaped text."""
    from html import escape

    table = table.visible()
    header = "".join(_html_cell("th", escape(cell), k) for k, cell in enumerate(table.header))
    body = [[_html_cell("td", cell, k) for k, cell in enumerate(row)] for row in table.drawn(escape, bold="<b>{}</b>")]
    rows = "\n".join(f"<tr>{''.join(row)}</tr>" for row in body)
    return f"<table>\n<thead><tr>{header}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"


def _html_cell(tag: str, content: str, column: int) -> str:
    return f'<{tag} style="text-align: {"right" if column else "left"}">{content}</{tag}>'


def _escape_markdown(cell: str) -> str:
    """Escape characters that would end the cell or start a tag.

    "< 0.001" stays unchanged.
    """
    return re.sub(r"<(?! )", "&lt;", cell.replace("|", r"\|"))


def _escape_latex(cell: str) -> str:
    special = {character: f"\\{character}" for character in "&%$#_{}"}
    special |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--"}
    special |= {"±": r"$\pm$", "†": r"$^{\dagger}$"}
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
COMMENT_MARKS = {"latex": "% ", "tsv": "# "}  # the start of a comment line, for formats with comments

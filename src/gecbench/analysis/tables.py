"""Tables of text cells in the formats people paste into terminals, papers and web pages."""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gecbench.errors import InputError


@dataclass(frozen=True)
class Table:
    """A header and rows of cells; columns after the first are numbers and stand to the right."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]


def render_table(table: Table, table_format: str) -> str:
    """Return the table as text in one of the formats."""
    if table_format not in _RENDERERS:
        raise InputError(f"unknown format {table_format!r}", fix=f"Known formats: {', '.join(_RENDERERS)}")
    return _RENDERERS[table_format](table)


def render_rows(table: Table, plain: Sequence[Mapping[str, object]], table_format: str) -> str:
    """Return the table in one of the formats, or as JSON the same rows as plain data (NaN as null)."""
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
    rows = [table.header, *table.rows]
    widths = [max(_width(row[k]) for row in rows) for k in range(len(table.header))]
    lines = [
        "  ".join(_pad(cell, width, k > 0) for k, (cell, width) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in [lines[0], "-" * len(lines[0]), *lines[1:]])


def _markdown(table: Table) -> str:
    escape = {ord("|"): r"\|", ord("\n"): " ", ord("<"): "&lt;"}
    rows = [[cell.translate(escape) for cell in row] for row in (table.header, *table.rows)]
    ruler = ["---"] + ["---:"] * (len(table.header) - 1)
    return "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], ruler, *rows[1:]])


def _latex(table: Table) -> str:
    rows = [" & ".join(map(_escape_latex, row)) + r" \\" for row in (table.header, *table.rows)]
    columns = "l" + "r" * (len(table.header) - 1)
    body = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", rows[0], r"\midrule", *rows[1:], r"\bottomrule"]
    return "\n".join([*body, r"\end{tabular}"])


def _tsv(table: Table) -> str:
    clean = {ord("\t"): " ", ord("\n"): " "}
    return "\n".join("\t".join(cell.translate(clean) for cell in row) for row in (table.header, *table.rows))


def _escape_latex(cell: str) -> str:
    special = {character: f"\\{character}" for character in "&%$#_{}"}
    special |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--"}
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

"""What a reproduction consists of: sections with a table and notes, and figures; and how it is printed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import isnan
from typing import Any

from gecbench.analysis.tables import Table, render_table
from gecbench.corpora.upstream import Upstream

ABSENT = "–"


@dataclass(frozen=True)
class Section:
    """A table of the paper, published beside ours, and what must be said about it."""

    title: str
    table: Table
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Figure:
    """A figure by file name; `draw` draws it on a matplotlib figure.

    The note stands in the picture: what its colours and marks mean, and what is missing.
    """

    name: str
    caption: str
    draw: Callable[[Any], None]
    note: str
    size: tuple[float, float] = (7.0, 4.5)


Contents = tuple[Sequence[Section], Sequence[Figure]]


@dataclass(frozen=True)
class Settings:
    """Where the files come from; processes for slow parts, runs of TrueSkill."""

    upstream: Upstream
    processes: int = 1
    runs: int = 1000


@dataclass(frozen=True)
class Reproduction:
    """All of a paper that can be computed again."""

    paper: str
    title: str
    sections: tuple[Section, ...]
    figures: tuple[Figure, ...] = ()


@cache
def published(paper: str) -> Any:
    """Return the figures that a paper printed."""
    return json.loads(files("gecbench.papers").joinpath(f"published/{paper}.json").read_text(encoding="utf-8"))


def number(value: float | None, digits: int) -> str:
    """Return a number with this many decimals, a dash where there is none."""
    return ABSENT if value is None or isnan(value) else f"{value:.{digits}f}"


def compared(theirs: float | None, ours: float | None, digits: int, more: int = 1) -> list[str]:
    """Return three cells: published (with its decimals), ours and the difference (with some more)."""
    places = digits + more
    difference = None if theirs is None or ours is None else round(float(number(ours, places)) - theirs, places) + 0.0
    sign = "+" if difference is not None and difference > 0 else ""
    return [number(theirs, digits), number(ours, places), sign + number(difference, places)]


COMPARED = ("published", "ours", "difference")
Values = Sequence[float | None]


def comparison(
    first: str,
    parts: Sequence[str],
    rows: Iterable[tuple[str, Values, Values]],
    digits: int | Sequence[int],
    more: int = 1,
) -> Table:
    """Return a table with a line for each name and part: published, ours, difference.

    `rows` are (name, published, ours), with a value for each part; a part that neither has is left out.
    """
    places = [digits] * len(parts) if isinstance(digits, int) else list(digits)
    lines = [
        [name, part, *compared(printed, found, places[k], more)]
        for name, theirs, ours in rows
        for k, (part, printed, found) in enumerate(zip(parts, theirs, ours, strict=True))
        if printed is not None or found is not None
    ]
    return Table([first, "what", *COMPARED], lines)


def comparison_of_values(
    first: str, theirs: Mapping[str, float], ours: Mapping[str, float], digits: Callable[[str], tuple[int, int]]
) -> Table:
    """Return a table with a line for each published value; `digits` of a name are its decimals and ours beyond."""
    return Table([first, *COMPARED], [[name, *compared(theirs[name], ours[name], *digits(name))] for name in theirs])


def side_by_side(first: str, parts: Sequence[str], rows: Iterable[tuple[str, Values, Values]]) -> Table:
    """Return a table with a line for each name: published and our value of each part, with two decimals."""
    header = [first, *(cell for part in parts for cell in (f"{part}: published", "ours"))]
    lines = [
        [name, *(number(value, 2) for pair in zip(theirs, ours, strict=True) for value in pair)]
        for name, theirs, ours in rows
    ]
    return Table(header, lines)


def render(reproductions: Sequence[Reproduction], output_format: str) -> str:
    """Return reproductions as text, markdown, latex, tsv or json."""
    if output_format == "json":
        return json.dumps([_plain(one) for one in reproductions], ensure_ascii=False, indent=2)
    return "\n\n".join(_rendered(one, output_format) for one in reproductions)


def _rendered(reproduction: Reproduction, output_format: str) -> str:
    blocks = [_heading(reproduction.title, 2, output_format)]
    for section in reproduction.sections:
        blocks += [_heading(section.title, 3, output_format), render_table(section.table, output_format)]
        blocks += [_comment(note, output_format) for note in section.notes]
    return "\n\n".join(blocks)


def _heading(title: str, level: int, output_format: str) -> str:
    if output_format == "markdown":
        return f"{'#' * level} {title}"
    if output_format in ("latex", "tsv"):
        return _comment(title, output_format)
    return f"{title}\n{'=' * len(title)}" if level == 2 else f"* {title}"


def _comment(text: str, output_format: str) -> str:
    marks = {"latex": "% ", "tsv": "# "}
    return marks.get(output_format, "") + text


def _plain(reproduction: Reproduction) -> dict[str, object]:
    return {
        "paper": reproduction.paper,
        "title": reproduction.title,
        "sections": [
            {"title": section.title, "header": section.table.header, "rows": section.table.rows, "notes": section.notes}
            for section in reproduction.sections
        ],
    }

"""Render reproductions as documents: sections with tables and notes, and figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from math import ceil, isnan
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gecbench.analysis.tables import COMMENT_MARKS, Table, render_table
from gecbench.corpora.upstream import Upstream

ABSENT = "–"
COMPARED = ("published", "ours", "difference")
Values = Sequence[float | None]
Points = tuple[Sequence[float], Sequence[float]]
Range = tuple[float, float]
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
MARKERS = "osD^vP*X<>"
_NAME_SIZE = 6
_GAPS = (5, 9, 14, 20, 27, 35, 44)  # possible distances of a name from its point, in typographic points
_FAR = 3
MOVED = f"Orange lines: systems whose rank changes by {_FAR} or more. Gray lines: smaller changes."


@dataclass(frozen=True)
class Resources:
    """Options of a reproduction.

    The fields are the source of files, the number of processes, the number of TrueSkill runs, and the folder of
    ERRANT's edits.
    """

    upstream: Upstream
    processes: int = 1
    runs: int = 1000
    edits: Path | None = None


@dataclass(frozen=True)
class Reproduction:
    """The recomputed tables and figures of a paper."""

    paper: str
    title: str
    sections: tuple[Section, ...]
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True)
class Section:
    """A table with published numbers next to ours, and the notes below it."""

    title: str
    table: Table
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Figure:
    """A figure and its file name. `draw` draws it on a matplotlib figure.

    The note below the figure explains its colors and marks, and states what is missing.
    """

    name: str
    caption: str
    draw: Callable[[Any], None]
    note: str
    size: tuple[float, float] = (7.0, 4.5)


Contents = tuple[Sequence[Section], Sequence[Figure]]


# Tables


@cache
def published(paper: str) -> Any:
    """Return the published numbers of a paper."""
    return json.loads(files("gecbench.papers").joinpath(f"published/{paper}.json").read_text(encoding="utf-8"))


def number(value: float | None, digits: int) -> str:
    """Return a number with this many decimals, or a dash if it is missing."""
    return ABSENT if value is None or isnan(value) else f"{value:.{digits}f}"


def compared(theirs: float | None, ours: float | None, digits: int, more: int = 1) -> list[str]:
    """Return three cells: the published number, ours and the difference.

    The last two cells have `more` extra decimals.
    """
    places = digits + more
    difference = None if theirs is None or ours is None else round(float(number(ours, places)) - theirs, places) + 0.0
    sign = "+" if difference is not None and difference > 0 else ""
    return [number(theirs, digits), number(ours, places), sign + number(difference, places)]


def comparison(
    first: str,
    parts: Sequence[str],
    rows: Iterable[tuple[str, Values, Values]],
    digits: int | Sequence[int],
    more: int = 1,
) -> Table:
    """Return a table with one row per name and part: published, ours, difference.

    `rows` are (name, published, ours), with one value per part. Parts without any value are left out.
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
    """Return a table with one row per published value.

    `digits(name)` gives `digits` and `more` for `compared`.
    """
    return Table([first, *COMPARED], [[name, *compared(theirs[name], ours[name], *digits(name))] for name in theirs])


def side_by_side(first: str, parts: Sequence[str], rows: Iterable[tuple[str, Values, Values]]) -> Table:
    """Return a table with published values next to ours, one row per name.

    All values have two decimals.
    """
    header = [first, *(cell for part in parts for cell in (f"{part}: published", "ours"))]
    lines = [
        [name, *(number(value, 2) for pair in zip(theirs, ours, strict=True) for value in pair)]
        for name, theirs, ours in rows
    ]
    return Table(header, lines)


def render(reproductions: Sequence[Reproduction], output_format: str, wide: bool = False) -> str:
    """Return reproductions as text, markdown, latex, tsv or json."""
    if output_format == "json":
        return json.dumps([_plain(one) for one in reproductions], ensure_ascii=False, indent=2)
    return "\n\n".join(_rendered(one, output_format, wide) for one in reproductions)


def _rendered(reproduction: Reproduction, output_format: str, wide: bool) -> str:
    blocks = [_heading(reproduction.title, 2, output_format)]
    for section in reproduction.sections:
        blocks += [_heading(section.title, 3, output_format), render_table(section.table, output_format, wide)]
        blocks += [_comment(note, output_format) for note in section.notes]
    return "\n\n".join(blocks)


def _heading(title: str, level: int, output_format: str) -> str:
    if output_format == "markdown":
        return f"{'#' * level} {title}"
    if output_format in ("latex", "tsv"):
        return _comment(title, output_format)
    return f"{title}\n{'=' * len(title)}" if level == 2 else f"* {title}"


def _comment(text: str, output_format: str) -> str:
    return COMMENT_MARKS.get(output_format, "") + text


def _plain(reproduction: Reproduction) -> dict[str, object]:
    return {
        "paper": reproduction.paper,
        "title": reproduction.title,
        "sections": [
            {"title": section.title, "header": section.table.header, "rows": section.table.rows, "notes": section.notes}
            for section in reproduction.sections
        ],
    }


# Drawings


def two_bars(figure: Any, bars: Mapping[str, Range], labels: tuple[str, str], limits: tuple[Range, Range]) -> None:
    """Draw two bars per name, each with its own axis."""
    left = figure.subplots()
    right = left.twinx()
    places = np.arange(len(bars))
    for axis, k, shift in ((left, 0, -0.2), (right, 1, 0.2)):
        axis.bar(places + shift, [pair[k] for pair in bars.values()], 0.38, color=COLORS[k], label=labels[k])
        axis.set_ylabel(labels[k], color=COLORS[k])
        axis.set_ylim(*limits[k])
        axis.tick_params(axis="y", colors=COLORS[k])
    left.set_xticks(places, list(bars))


def grouped_bars(
    figure: Any,
    labels: Sequence[str],
    printed: Mapping[str, Sequence[float]],
    ours: Mapping[str, Sequence[float | None]],
    quantity: str,
    limits: Range,
) -> None:
    """Draw our values as groups of bars.

    There is a group per label and a bar per name. Black lines mark published values.
    """
    axis = figure.subplots()
    width = 0.8 / len(printed)
    for k, name in enumerate(printed):
        places = np.arange(len(labels)) - 0.4 + width * (k + 0.5)
        heights = [0.0 if value is None else value for value in ours[name]]
        axis.bar(places, heights, width * 0.9, color=COLORS[k], label=name)
        axis.hlines(printed[name], places - width * 0.45, places + width * 0.45, colors="black", linewidth=1.6)
    axis.plot([], [], color="black", linewidth=1.6, label="published")
    axis.axhline(0, color="black", linewidth=0.6)
    axis.set_xticks(np.arange(len(labels)), labels)
    axis.set_ylabel(quantity)
    axis.set_ylim(*limits)
    axis.legend(ncols=len(printed) + 1, loc="upper center", bbox_to_anchor=(0.5, -0.1), frameon=False)


def ranks_side_by_side(
    figure: Any, columns: Mapping[str, Sequence[str]], breaks: Mapping[str, Sequence[int]] | None = None
) -> None:
    """Draw rankings as columns from best to worst.

    Lines join equal names, and dotted lines separate clusters.
    """
    axis = figure.subplots()
    titles = list(columns)
    for k, title in enumerate(titles):
        for place, name in enumerate(columns[title], 1):
            axis.text(2 * k, place, name, ha="center", va="center", fontsize=10)
        for place in (breaks or {}).get(title, ()):
            axis.hlines(place + 0.5, 2 * k - 0.45, 2 * k + 0.45, colors="black", linestyles="dotted", linewidth=1.2)
    for k, (one, other) in enumerate(pairwise(titles)):
        for place, name in enumerate(columns[one], 1):
            moved = abs(columns[other].index(name) + 1 - place)
            color = "#bbbbbb" if moved < _FAR else COLORS[1]
            ends = [place, columns[other].index(name) + 1]
            axis.plot([2 * k + 0.42, 2 * k + 1.58], ends, color=color, linewidth=1.2)
    axis.set_xlim(-0.7, 2 * len(titles) - 1.3)
    axis.set_ylim(max(map(len, columns.values())) + 0.7, 0.3)
    axis.set_xticks([2 * k for k in range(len(titles))], titles)
    axis.xaxis.tick_top()
    axis.set_yticks(range(1, 1 + max(map(len, columns.values()))))
    axis.set_ylabel("Rank")
    axis.tick_params(length=0)
    for side in axis.spines.values():
        side.set_visible(False)


def line_with_range(
    figure: Any, places: Sequence[int], tables: Mapping[str, NDArray[np.float64]], labels: tuple[str, str]
) -> None:
    """Draw a line per name through the means of the systems.

    Vertical bars reach from the lowest to the highest system.
    """
    axis = figure.subplots()
    for (name, table), color, shift in zip(tables.items(), ("red", "#777777"), (-0.06, 0.06), strict=False):
        mean = table.mean(axis=0)
        spread = [mean - table.min(axis=0), table.max(axis=0) - mean]
        axis.errorbar(
            np.array(places) + shift, mean, yerr=spread, color=color, elinewidth=1, capsize=3, marker="o", label=name
        )
    axis.set_xticks(list(places))
    axis.set_xlabel(labels[0])
    axis.set_ylabel(labels[1])
    axis.legend(frameon=False)


def curves(
    figure: Any,
    lines: Mapping[str, Points],
    labels: tuple[str, str],
    limits: Range,
    *,
    dashed: Mapping[str, Points] | None = None,
    ticks: Sequence[int] | None = None,
) -> None:
    """Draw named lines.

    `dashed` are the published lines, in the color of the line with the same name.
    """
    axis = figure.subplots()
    names = list(dict.fromkeys([*lines, *(dashed or {})]))
    for k, name in enumerate(names):
        color = COLORS[k % len(COLORS)]
        if name in lines:
            axis.plot(*lines[name], marker=MARKERS[k % len(MARKERS)], markersize=5, color=color, label=name)
        if dashed and name in dashed:
            label = f"{name}, published"
            axis.plot(*dashed[name], "--", marker="x", markersize=5, color=color, label=label)
    axis.set_xlabel(labels[0])
    axis.set_ylabel(labels[1])
    axis.set_ylim(*limits)
    if ticks is not None:
        axis.set_xticks(list(ticks))
        axis.set_xlim(ticks[0] - 0.5, ticks[-1] + 0.5)
    axis.legend(frameon=False, fontsize=8)


def named_points(figure: Any, panels: Mapping[str, Mapping[str, tuple[float, float]]], labels: tuple[str, str]) -> None:
    """Draw a panel of named points for each name."""
    columns = min(3, len(panels))
    axes = figure.subplots(ceil(len(panels) / columns), columns, squeeze=False).ravel()
    for axis, (title, points) in zip(axes, panels.items(), strict=False):
        axis.scatter(*zip(*points.values(), strict=True), s=14, color=COLORS[0])
        axis.margins(x=0.12, y=0.2)  # room for names
        axis.set_title(title, fontsize=9)
        axis.set_xlabel(labels[0])
        axis.set_ylabel(labels[1])
    for axis in axes[len(panels) :]:
        axis.remove()
    figure.draw_without_rendering()  # the layout decides how many pixels lie between two points
    for axis, points in zip(axes, panels.values(), strict=False):
        _name_points(axis, points)


def _name_points(axis: Any, points: Mapping[str, tuple[float, float]]) -> None:
    """Write each name near its point, where it covers no point and no other name."""
    pixels = axis.figure.dpi / 72  # per typographic point
    centers = axis.transData.transform(list(points.values()))
    sizes = np.array([_text_size(axis, name) for name in points])
    corners = axis.get_window_extent().get_points()
    angles = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    # Candidates for the middle of each name, as offsets from its point: rings around it, the nearest first.
    rings = [np.concatenate([directions * (size / 2 + gap * pixels) for gap in _GAPS]) for size in sizes]
    far = np.repeat(np.arange(len(_GAPS)) / 4, len(angles))
    chosen = np.zeros_like(centers)
    placed = np.zeros(len(points), dtype=bool)
    for _ in range(3):  # repeated, because the first names were placed before the others
        for k in range(len(points)):
            middles, half = centers[k] + rings[k], sizes[k] / 2
            gaps = np.maximum(np.abs(middles[:, None] - centers) - half, 0).max(axis=2)  # from the name to each point
            cost = far + 10 * (gaps < 3.5 * pixels).sum(axis=1)  # a mark's radius and some room
            cost += (gaps < gaps[:, [k]] - pixels).sum(axis=1)  # nearer to another point than to its own
            others = np.flatnonzero(placed & (np.arange(len(points)) != k))
            apart = np.abs(middles[:, None] - centers[others] - chosen[others]) - half - sizes[others] / 2
            cost += 10 * (apart < 1.5 * pixels).all(axis=2).sum(axis=1)
            cost += 10 * ((middles - half < corners[0]) | (middles + half > corners[1])).any(axis=1)
            chosen[k], placed[k] = rings[k][cost.argmin()], True
    for (name, place), offset in zip(points.items(), chosen / pixels, strict=True):
        line = {"arrowstyle": "-", "linewidth": 0.5, "color": "#777777", "shrinkA": 0, "shrinkB": 2}
        style = {"ha": "center", "va": "center", "fontsize": _NAME_SIZE, "arrowprops": line}
        axis.annotate(name, place, offset, textcoords="offset points", **style).set_in_layout(False)


def _text_size(axis: Any, name: str) -> tuple[float, float]:
    """Return the width and height of a name in pixels."""
    text = axis.text(0, 0, name, fontsize=_NAME_SIZE)
    extent = text.get_window_extent()
    text.remove()
    return extent.width, extent.height


def score_figure(panels: Mapping[str, Mapping[str, tuple[float, float]]], note: str) -> Figure:
    """Return the figure of metric scores against human scores.

    It has one panel per metric.
    """
    height = 0.6 + 2.8 * ceil(len(panels) / 3)
    caption = "Metric scores against human scores"
    size = (3.4 * min(3, len(panels)), height)
    return Figure("scores", caption, lambda figure: named_points(figure, panels, ("human score", "metric")), note, size)


def window_figure(lines: Mapping[str, Points], size: int, note: str) -> Figure:
    """Return the figure of Pearson's r in windows of the human ranking.

    Each window has `size` systems with neighboring human ranks.
    """
    labels = f"rank of the best of {size} systems", "Pearson's r"
    caption = f"Correlation among {size} neighbors in the human ranking"
    return Figure("windows", caption, lambda figure: curves(figure, lines, labels, (-1.05, 1.05)), note)

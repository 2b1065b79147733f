"""Helpers for the tests of reproductions: the cells of a table, and the points of a figure."""

import pytest

from gecbench import kernels

needs_native = pytest.mark.skipif(kernels.active() != "native", reason="too slow on the Python kernels")


def table(reproduction, title):
    (section,) = (section for section in reproduction.sections if section.title.startswith(title))
    return section.table


def differences(found, published_digits=None):
    """Yield every compared row that has both values, their difference, and what rounding alone may cause."""
    place = list(found.header).index("published")
    for row in found.rows:
        if "–" not in row[place : place + 2]:
            theirs, ours = float(row[place]), float(row[place + 1])
            digits = len(row[place].partition(".")[2]) if published_digits is None else published_digits
            yield row, abs(ours - theirs), 0.5 * 10**-digits


def drawn(draw, *arguments, **options):
    """Draw on a new figure and return its axes; skip where matplotlib is not installed."""
    picture = pytest.importorskip("matplotlib.figure").Figure(layout="constrained")
    draw(picture, *arguments, **options)
    return picture.axes


def lines_of(axis):
    """Return the points of every line that has any, by its label."""
    return {line.get_label(): line.get_xydata().tolist() for line in axis.get_lines() if len(line.get_xdata())}


def bars_of(axis):
    """Return the center and height of every bar, by the label of the bars."""
    return {
        bars.get_label(): [
            pytest.approx((bar.get_x() + bar.get_width() / 2, bar.get_height()), abs=1e-9) for bar in bars
        ]
        for bars in axis.containers
    }


def texts_of(axis):
    """Return the place of every text."""
    return [(*text.get_position(), text.get_text()) for text in axis.texts]


def segments_of(axis):
    """Return the two ends of every separate segment."""
    return [segment.tolist() for lines in axis.collections for segment in lines.get_segments()]

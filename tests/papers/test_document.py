"""Tables and drawings of reproductions; every drawn point is where the numbers say."""

import json
from itertools import combinations

import numpy as np
import pytest
from paper_tables import bars_of, drawn, lines_of, needs_native, segments_of, texts_of

from gecbench.analysis.tables import Table
from gecbench.papers import PAPERS, document
from gecbench.papers.document import Reproduction, Section, compared, comparison, published, render


def test_comparison_of_numbers():
    assert compared(0.62, 0.625, 2, 0) == ["0.62", "0.62", "0.00"]
    assert compared(38.2, 38.21, 1) == ["38.2", "38.21", "+0.01"]
    assert compared(-0.1, None, 1) == ["-0.1", "–", "–"]
    assert compared(1.0, 0.9996, 1, 2) == ["1.0", "1.000", "0.000"]
    found = comparison("who", ("a", "b"), [("x", (1.0, None), (2.0, None)), ("y", (None, 3), (1, 2))], (1, 0), 0)
    assert [row[:2] for row in found.rows] == [["x", "a"], ["y", "a"], ["y", "b"]]
    assert found.rows[2][2:] == ["3", "2", "-1"]


def test_printed_in_every_format():
    section = Section("A table", Table(["a", "b"], [["x|y", "1"]]), ("A note.",))
    one = Reproduction("p", "A paper", (section,))
    assert (
        render([one], "markdown") == "## A paper\n\n### A table\n\n| a | b |\n| --- | ---: |\n| x\\|y | 1 |\n\nA note."
    )
    assert render([one], "text").startswith("A paper\n=======\n\n* A table")
    assert render([one], "tsv").endswith("x|y\t1\n\n# A note.")
    assert json.loads(render([one], "json"))[0]["sections"][0]["rows"] == [["x|y", "1"]]
    assert "% A note." in render([one], "latex")


@needs_native
def test_the_committed_results_are_what_the_command_prints(repository, reproduced):
    kept = json.loads((repository / "benchmarks" / "results.json").read_text(encoding="utf-8"))["reproduction"]
    for paper in ("felice2015", "jfleg2017"):
        assert json.loads(render([reproduced(paper)], "json"))[0] in kept
    assert [each["paper"] for each in kept] == list(PAPERS)
    assert all(published(paper) for paper in PAPERS)


def test_two_bars():
    bars = {"a": (1, 50), "b": (2, 70)}
    left, right = drawn(document.two_bars, bars, ("left", "right"), ((0, 3), (0, 100)))
    assert (left.get_ylabel(), right.get_ylabel()) == ("left", "right")
    assert list(zip(left.get_xticks(), (text.get_text() for text in left.get_xticklabels()), strict=True)) == [
        (0, "a"),
        (1, "b"),
    ]
    assert bars_of(left) == {"left": [(-0.2, 1), (0.8, 2)]}
    assert bars_of(right) == {"right": [(0.2, 50), (1.2, 70)]}


def test_grouped_bars():
    printed = {"m": [0.1, 0.2], "n": [0.3, 0.4]}
    ours = {"m": [0.5, None], "n": [-0.5, 0.6]}
    (axis,) = drawn(document.grouped_bars, ["x", "y"], printed, ours, "rho", (-1, 1))
    assert [text.get_text() for text in axis.get_xticklabels()] == ["x", "y"]
    assert bars_of(axis) == {"m": [(-0.2, 0.5), (0.8, 0)], "n": [(0.2, -0.5), (1.2, 0.6)]}
    marks = [((left + right) / 2, height) for (left, height), (right, _) in segments_of(axis)]
    assert marks == [pytest.approx(point) for point in ((-0.2, 0.1), (0.8, 0.2), (0.2, 0.3), (1.2, 0.4))]


def test_ranks_side_by_side():
    columns = {"one": ["A", "B", "C", "D"], "two": ["D", "A", "B", "C"]}
    (axis,) = drawn(document.ranks_side_by_side, columns, {"one": [1]})
    one = [(0, 1, "A"), (0, 2, "B"), (0, 3, "C"), (0, 4, "D")]
    assert texts_of(axis) == [*one, (2, 1, "D"), (2, 2, "A"), (2, 3, "B"), (2, 4, "C")]
    assert [line.get_ydata().tolist() for line in axis.get_lines()] == [[1, 2], [2, 3], [3, 4], [4, 1]]
    assert [line.get_color() for line in axis.get_lines()] == ["#bbbbbb"] * 3 + [document.COLORS[1]]
    assert [ends[0][1] for ends in segments_of(axis)] == [1.5], "the first cluster ends after the first rank"


def test_line_with_range():
    systems = np.array([[1.0, 2.0], [2.0, 4.0]])
    (axis,) = drawn(document.line_with_range, [1, 2], {"best": systems}, ("n", "GLEU"))
    (bars,) = axis.containers
    assert bars[0].get_xydata().tolist() == [[0.94, 1.5], [1.94, 3.0]]
    assert segments_of(axis) == [[[0.94, 1.0], [0.94, 2.0]], [[1.94, 2.0], [1.94, 4.0]]]
    assert (axis.get_xlabel(), list(axis.get_xticks())) == ("n", [1, 2])


def test_curves():
    lines, dashed = {"a": ([1, 2], [20, 30])}, {"a": ([1, 2], [40, 50]), "b": ([2], [60])}
    (axis,) = drawn(document.curves, lines, ("x", "y"), (0, 99), dashed=dashed, ticks=range(1, 3))
    assert lines_of(axis) == {
        "a": [[1, 20], [2, 30]],
        "a, published": [[1, 40], [2, 50]],
        "b, published": [[2, 60]],
    }
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["a", "a, published", "b, published"]


def test_named_points():
    panels = {"m": {"a": (1, 2), "b": (3, 4)}, "n": {"a": (1, 5), "b": (3, 0)}}
    left, right = drawn(document.named_points, panels, ("human", "metric"))
    assert (left.get_title(), left.get_xlabel(), left.get_ylabel()) == ("m", "human", "metric")
    assert left.collections[0].get_offsets().tolist() == [[1, 2], [3, 4]]
    assert {text.get_text(): text.xy for text in right.texts} == panels["n"]


def test_names_cover_neither_each_other_nor_a_point():
    near = {f"system number {k}": (k % 3 / 50, k % 4 / 60) for k in range(12)}
    points = near | {"the same place": near["system number 3"], "low": (-1.0, -1.0), "high": (1.0, 1.0)}
    (axis,) = drawn(document.named_points, {"m": points}, ("human", "metric"))
    assert [text.get_text() for text in axis.texts] == list(points)
    axis.figure.draw_without_rendering()
    size = pytest.importorskip("matplotlib.text").Text.get_window_extent  # an annotation's includes its line
    boxes = [size(text) for text in axis.texts]
    for x, y in axis.transData.transform(list(points.values())):
        assert not any(box.contains(x, y) for box in boxes)
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    frame = axis.get_window_extent()
    assert all(frame.containsx(x) and frame.containsy(y) for box in boxes for x, y in box.get_points())


def test_windows_are_curves():
    (axis,) = drawn(document.window_figure({"m": ([1, 2], [0.5, -0.5])}, 4, "a note").draw)
    assert axis.get_xlabel() == "rank of the best of 4 systems"
    assert axis.lines[0].get_xydata().tolist() == [[1, 0.5], [2, -0.5]]

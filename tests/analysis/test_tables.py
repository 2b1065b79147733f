"""Tables of cells in every format: escaped, aligned, with bold type and stars."""

import json
from math import inf, nan

import pytest

from gecbench.analysis.tables import Table, best_cells, html_table, render_rows, render_table, shown_p_value
from gecbench.errors import InputError

TABLE = Table(["system", "GLEU"], [["a_b & <c>|\\", "12.00"], ["日本", "3.10"]])


@pytest.mark.parametrize(
    ("table_format", "place", "row"),
    [
        ("text", 2, "a_b & <c>|\\  12.00"),
        ("text", 3, "日本          3.10"),
        ("markdown", 2, r"| a_b & &lt;c>\|\ | 12.00 |"),
        ("latex", 4, r"a\_b \& \textless{}c\textgreater{}\textbar{}\textbackslash{} & 12.00 \\"),
    ],
)
def test_rows_are_escaped_and_line_up(table_format, place, row):
    assert render_table(TABLE, table_format).splitlines()[place] == row


def test_unknown_format():
    with pytest.raises(InputError, match="unknown format 'xml'"):
        render_table(TABLE, "xml")


def test_markdown_keeps_a_p_value_and_escapes_tags():
    table = Table(["system", "p"], [["<b>a", "< 0.001"]])
    assert render_table(table, "markdown").splitlines()[2] == "| &lt;b>a | < 0.001 |"


def test_html_is_escaped_once():
    table = html_table(Table(["a<b"], [["c&d"]], bold=[(0, 0)]))
    assert '<th style="text-align: left">a&lt;b</th>' in table
    assert '<td style="text-align: left"><b>c&amp;d</b></td>' in table


def test_json_has_the_plain_rows_and_no_nan():
    plain = [{"system": "日本", "values": [nan, 1.5, {"low": inf}]}]
    assert render_rows(TABLE, plain, "tsv") == render_table(TABLE, "tsv")
    assert json.loads(render_rows(TABLE, plain, "json")) == [{"system": "日本", "values": [None, 1.5, {"low": None}]}]


def test_best_cells():
    assert best_cells(["9.50", "12.00", "–", "12.00"]) == [1, 3], "numbers, not words; ties together"
    assert best_cells(["-3.00", "-1.00"]) == [1]
    assert best_cells(["–", "9.50"]) == []


@pytest.mark.parametrize(
    ("p_value", "shown"),
    [(1 / 1001, "< 0.001"), (0.001, "0.001"), (0.0304, "0.030"), (1.0, "1.000"), (1e-9, "< 0.001")],
)
def test_p_values_have_three_digits(p_value, shown):
    assert shown_p_value(p_value) == shown

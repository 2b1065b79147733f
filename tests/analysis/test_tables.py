"""Tables of cells in every format: escaped, aligned, with bold type and stars."""

import json
from math import inf, nan

import pytest

from gecbench.analysis.report import Report
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


class TestWidth:
    """Text fits 80 columns unless it is wide."""

    def test_groups_of_columns_stay_together(self):
        """A name of 20, and groups of 22 with two blanks before each: two fit 80 columns, three do not."""
        cells = ["1" * 10] * 6
        table = Table(["n" * 20, *"abcdef"], [["x", *cells]], starred=[(0, 5)], groups=[("", 2)] * 3)
        first, second = render_table(table, "text").split("\n\n")
        assert first.splitlines()[0].split() == ["n" * 20, "a", "b", "c", "d"]
        assert second.splitlines()[0].split() == ["n" * 20, "e", "f"]
        assert second.splitlines()[2].split() == ["x", "1" * 10 + "*", "1" * 10], "the star moves with its column"
        assert len(first.splitlines()[1]) == 20 + 4 * 12
        assert len(render_table(table, "text", wide=True).splitlines()) == 3

    def test_a_group_that_is_too_wide_is_split(self):
        table = Table(["name", "a", "b"], [["x", "1" * 60, "2" * 60]], groups=[("", 2)])
        assert [block.split()[1] for block in render_table(table, "text").split("\n\n")] == ["a", "b"]

    def test_every_row_name_column_is_repeated(self):
        table = Table(["metric", "refs", "a", "b"], [["x", "y", "1" * 60, "2" * 60]], keys=2)
        for block in render_table(table, "text").split("\n\n"):
            assert block.split()[:2] == ["metric", "refs"]

    def test_exactly_80_columns_are_one_block(self):
        assert "\n\n" not in render_table(Table(["a", "b"], [["x" * 8, "1" * 70]]), "text")
        assert "\n\n" in render_table(Table(["a", "b", "c"], [["x" * 8, "1" * 35, "2" * 34]]), "text")

    def test_long_names_are_shortened_in_the_middle(self):
        names = ["a" * 40 + "1", "b" * 40 + "2"]
        table = Table(["system", "score"], [[name, "1" * 50] for name in names])
        assert [line[:28] for line in render_table(table, "text").splitlines()[2:]] == [
            "a" * 14 + "…" + "a" * 12 + "1",
            "b" * 14 + "…" + "b" * 12 + "2",
        ]
        assert names[0] in render_table(table, "text", wide=True)
        assert names[0] in render_table(table, "tsv")

    def test_names_that_would_look_the_same_stay_whole(self):
        names = ["a" * 20 + "1" + "a" * 20, "a" * 20 + "2" + "a" * 20]
        shown = render_table(Table(["system", "score"], [[name, "1" * 50] for name in names]), "text")
        assert all(name in shown for name in names)


def test_latex_groups_have_a_title_and_a_rule():
    table = Table(["system", "GLEU", "F", "P"], [["x", "1", "2", "3"]], groups=[("", 1), ("M2", 2)])
    assert render_table(table, "latex").splitlines()[2:5] == [
        r" &  & \multicolumn{2}{c}{M2} \\",
        r"\cmidrule(l){3-4}",
        r"system & GLEU & F & P \\",
    ]


def test_unknown_format():
    for name in ("xml", "json"):
        with pytest.raises(InputError, match=f"unknown format '{name}'. Choose one of text, markdown, latex, tsv.$"):
            render_table(TABLE, name)
    for render in (lambda name: render_rows(TABLE, [], name), Report({}, []).render):
        with pytest.raises(InputError, match=r"'xml'\. Choose one of text, markdown, latex, tsv, json\.$"):
            render("xml")


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

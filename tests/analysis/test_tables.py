"""Tables as text, Markdown and LaTeX."""

import pytest

import gecbench
from gecbench.analysis.tables import Table, render_table


class TestTables:
    TABLE = Table(["system", "GLEU"], [["a_b & <c>|\\", "12.00"], ["日本", "3.10"]])

    @pytest.mark.parametrize(
        ("form", "place", "row"),
        [
            ("text", 2, "a_b & <c>|\\  12.00"),
            ("text", 3, "日本          3.10"),
            ("markdown", 2, r"| a_b & &lt;c>\|\ | 12.00 |"),
            ("latex", 4, r"a\_b \& \textless{}c\textgreater{}\textbar{}\textbackslash{} & 12.00 \\"),
        ],
    )
    def test_rows_are_escaped_and_line_up(self, form, place, row):
        assert render_table(self.TABLE, form).splitlines()[place] == row

    def test_unknown_format(self):
        with pytest.raises(gecbench.InputError, match="unknown format 'xml'"):
            render_table(self.TABLE, "xml")

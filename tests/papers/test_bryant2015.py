from math import nan

import numpy as np
import pytest
from paper_tables import differences, drawn, lines_of, needs_native, table

from gecbench.human.bound import Bound, BoundRow
from gecbench.papers import bryant2015, reproduce


@needs_native
def test_tables(mirror):
    found = reproduce("bryant2015", mirror)
    for title in ("Table 2", "Table 4"):
        for row, difference, _ in differences(table(found, title)):
            assert difference < 1e-9, row
    third = table(found, "Table 3")
    assert [row[1] for row in third.rows] == [row[2] for row in third.rows]
    assert [row[4] for row in third.rows] == [row[5] for row in third.rows]
    assert third.rows[-1][1:] == ["3317", "3317", "0", "2391", "2391", "0"]
    stand_in = table(found, "Like Table 5")
    human = [float(row[1]) for row in stand_in.rows]
    assert human == sorted(human)
    assert len(human) == 9


def test_figures():
    """Figure 1 shows Table 5 as dashed lines; ours begin with one annotator, and all annotators have no human."""
    systems = {"AMU": 0.2, "CAMB": 0.3, "CUUI": 0.4}
    rows = (BoundRow(1, 0.5, systems), BoundRow(2, 0.625, systems), BoundRow(3, nan, systems))
    bound = Bound(rows, np.array([]), np.array([]))
    first, second, third = bryant2015._figures(bound, {"Nn": bound}, bound, complete=True)
    lines = lines_of(*drawn(first.draw))
    ours = {"Human": [[1, 50], [2, 62.5]], "AMU": [[1, 20], [2, 20]], "CAMB": [[1, 30], [2, 30]]}
    ours["CUUI"] = [[1, 40], [2, 40]]
    assert {name: lines.pop(name) for name in ours} == ours
    ends = {name: (points[0], points[-1], len(points)) for name, points in lines.items()}
    assert ends == {
        "Human, published": ([1, 45.91], [9, 72.58], 9),
        "AMU, published": ([1, 24.20], [9, 49.28], 9),
        "CAMB, published": ([1, 28.22], [9, 53.47], 9),
        "CUUI, published": ([1, 26.76], [9, 50.99], 9),
    }
    assert lines_of(*drawn(second.draw)) == {"Nn": [[1, 50], [2, 62.5]]}
    assert lines_of(*drawn(third.draw)) == {name: [pytest.approx(point) for point in ours[name]] for name in ours}

from paper_tables import differences, needs_native, table


@needs_native
def test_tables(reproduced):
    found = reproduced("felice2015")
    for title in ("Tables 1 to 3", "Table 8"):
        for row, difference, half in differences(table(found, title), 2):
            assert difference <= half + 1e-9, row
    rows = {row[0]: row for row in table(found, "Table 10").rows}
    assert rows["CAMB"][6] == "43.55", "F0.5 of the official scorer on the same file"
    assert rows["INPUT"][1:7] == ["100.00", "100.00", "0.00", "0.00", "0.00", "0.00"]
    assert all(float(row[10]) >= float(row[4]) for row in rows.values()), "mixing never lowers recall"
    improvement = {row[0]: float(row[6]) for row in table(found, "Table 11").rows}
    assert improvement["UFC"] > 0
    assert all(value < 0 for system, value in improvement.items() if system not in ("UFC", "INPUT"))

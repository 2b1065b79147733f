"""The tables of 2016: every cell that the public files give, against the printed one."""

from itertools import product

import pytest
from mirror_files import golden
from paper_tables import bars_of, differences, drawn, needs_native, segments_of, texts_of

from gecbench.human.change import Change, changes, mean_change
from gecbench.papers import sakaguchi2016 as paper
from gecbench.papers.document import published

EXPERTS = ["AMU", "CAMB", "RAC", "CUUI", "POST", "PKU", "UMC", "UFC", "IITB", "INPUT", "SJTU", "NTHU", "IPN"]
"""The systems in the order of Grundkiewicz et al. 2015, Table 3c."""


def test_figure2():
    """Both references of a set are averaged: 1 and 3 edits per sentence are 2; half and all changed are 75%."""
    found = {("INPUT", f"{key}{x}"): Change(10, 0.0, 0.0, 0) for key in paper.SETS.values() for x in "AB"}
    found |= {("INPUT", "EMA"): Change(10, 1.0, 0.5, 0), ("INPUT", "EMB"): Change(10, 3.0, 1.0, 0)}
    found |= {("INPUT", "AMU"): Change(10, 0.5, 0.25, 0), ("INPUT", "CAMB"): Change(10, 1.5, 0.75, 0)}
    section, figure = paper.figure2(found)
    left, right = drawn(figure.draw)
    edits, shares = [0, 2, 0, 0, 0, 1], [0, 75, 0, 0, 0, 50]
    names = ["NUCLE", "E-minimal", "N-minimal", "E-fluency", "N-fluency", "Systems"]
    assert [text.get_text() for text in left.get_xticklabels()] == [row[0] for row in section.table.rows] == names
    assert bars_of(left) == {"Mean sTER": [(k - 0.2, height) for k, height in enumerate(edits)]}
    assert bars_of(right) == {"% of sentences changed": [(k + 0.2, height) for k, height in enumerate(shares)]}


def test_table4_identical_corrections(data):
    texts = paper.texts_compared(data)
    assert {len(lines) for lines in texts.values()} == {1278}
    for label, (identical, _) in published("sakaguchi2016")["table4"].items():
        shares = [
            sum(x.strip() == y.strip() for x, y in zip(texts[one], texts[other], strict=True)) / 1278
            for one, other in paper.PAIRS[label]
        ]
        assert 100 * sum(shares) / len(shares) == pytest.approx(identical, abs=0.0501), label


@needs_native
@pytest.mark.parametrize("label", ["Minimal E1 v. E2", "Minimal N1 v. N2", "NUCLE A v. B"])
def test_table4_edits(data, label):
    texts = paper.texts_compared(data)
    pairs = {" ".join(pair): (texts[pair[0]], texts[pair[1]]) for pair in paper.PAIRS[label]}
    found = mean_change(list(changes(pairs).values()))
    assert found.ster == pytest.approx(published("sakaguchi2016")["table4"][label][1], abs=0.0501)


@pytest.fixture(scope="module")
def scores(data):
    return paper.compute_scores(data, processes=1)


@needs_native
@pytest.mark.parametrize(("metric", "references"), list(product(paper.COLUMNS, paper.ANNOTATIONS)))
def test_table6(scores, metric, references):
    printed = published("sakaguchi2016")["table6"][metric][references]
    again = paper.coefficients(scores.theirs[metric, references])
    assert again == pytest.approx(printed, abs=0.00051), "the correlation of the published scores"
    if references in scores.missing:
        assert (metric, references) not in scores.ours
        return
    ours = paper.coefficients(scores.ours[metric, references])
    if references != "NUCLE" and metric in ("M2", "I-measure"):
        assert ours == pytest.approx(printed, abs=0.035 if metric == "M2" else 0.12), "made from rewrites here"
        return
    assert ours == pytest.approx(printed, abs=0.0011)
    theirs = scores.theirs[metric, references]
    scale, rounding = {"M2": (1, 5.1e-5), "I-measure": (100, 5.1e-3)}.get(metric, (1, 1e-11))
    found = {system: scale * score for system, score in scores.ours[metric, references].items()}
    assert found == pytest.approx(theirs, abs=rounding)


@needs_native
def test_table6_is_shown_with_reasons(scores):
    sections = {section.title: section for section in paper.table6(scores)}
    assert list(sections) == ["Table 6, M2", "Table 6, GLEU", "Table 6, I-measure", "Table 6, BLEU"]
    for title, section in sections.items():
        starred = [cell for row in section.table.rows for cell in row if cell.endswith("*")]
        assert not starred or title in ("Table 6, M2", "Table 6, I-measure")
        missing = [row[0] for row in section.table.rows if "–" in row]
        assert missing in ([], ["BN15 (10)", "All (18)"])
        assert any("10gec_annotations.zip" in note for note in section.notes) == bool(missing)


@needs_native
def test_brevity_penalty_fixed(scores):
    official = golden("gleu.json")["conll14"]
    for system in ("AMU", "CAMB", "INPUT"):
        expected = official[f"conll14.E-fluency.{system}"]["official_full_precision_1278"]["mean"]
        assert scores.fixed["GLEU", "E-fluency"][system] == pytest.approx(expected, abs=1e-9)
    section = paper.brevity_penalty(scores)
    assert len(section.table.rows) == 10


def test_figure3():
    """Black lines are the printed ρ of Table 6; a metric that agrees with the experts on BN15 has a bar of 1 there."""
    experts = paper.human_scores()
    found = paper.Correlations({}, {("GLEU", "BN15"): experts}, {}, {})
    (axis,) = drawn(paper.figure3(found).draw)
    bars = bars_of(axis)
    assert bars["GLEU"] == [(place - 0.1, float(place == 1)) for place in range(7)]
    assert bars["M2"] == [(place - 0.3, 0) for place in range(7)]
    marks = [((left + right) / 2, height) for (left, height), (right, _) in segments_of(axis)]
    m2 = [0.725, 0.692, 0.758, 0.703, 0.775, 0.769, 0.692]
    assert marks[:7] == [pytest.approx((place - 0.3, rho)) for place, rho in enumerate(m2)]
    assert marks[9] == pytest.approx((1.9, 0.819)), "GLEU with expert fluency"
    assert marks[27] == pytest.approx((6.3, -0.462)), "BLEU with all references"


def test_figure4():
    reversed_scores = {name: -score for name, score in paper.human_scores().items()}
    found = paper.Correlations({}, {("GLEU", "E-fluency"): reversed_scores}, {}, {})
    (axis,) = drawn(paper.figure4(found).draw)
    human = [(0, place, name) for place, name in enumerate(EXPERTS, 1)]
    assert texts_of(axis) == [*human, *((2, place, name) for place, name in enumerate(EXPERTS[::-1], 1))]
    assert [line.get_ydata().tolist() for line in axis.get_lines()] == [[place, 14 - place] for place in range(1, 14)]


def test_figure5_rises_only_with_the_best_reference(data, monkeypatch):
    monkeypatch.setattr(paper, "DRAWS", 200)
    section, figure = paper.figure5(data)
    drawn_mean, best = ([float(row[k]) for row in section.table.rows] for k in (1, 4))
    assert [row[0] for row in section.table.rows] == list("12345678")
    assert max(drawn_mean) - min(drawn_mean) < 3
    assert best == sorted(best)
    assert best[3] - best[0] > 3 * (best[7] - best[4])
    (axis,) = drawn(figure.draw)
    for bars, means, shift in zip(axis.containers, (best, drawn_mean), (-0.06, 0.06), strict=True):
        points = [(size + shift, pytest.approx(mean, abs=0.0051)) for size, mean in enumerate(means, 1)]
        assert [tuple(point) for point in bars[0].get_xydata()] == points


def test_agreement(data):
    judged = paper.read_judged(data, runs=20)
    section = paper.table7(data, judged)
    for row, difference, half in differences(section.table, 2):
        assert difference <= half + 1e-9, row
    cross = [float(row[3]) for row in section.table.rows[-2:]]
    assert cross == pytest.approx([0.285, 0.419], abs=0.002)


@needs_native
def test_rankings(data):
    judged = paper.read_judged(data, runs=100)
    experts = judged.rank(judged.experts)
    wins, skills = paper.experts_table(judged, experts)
    assert all(difference <= 0.00051 for _, difference, _ in differences(wins.table, 3))
    assert all(difference <= 0.003 for _, difference, _ in differences(skills.table, 3))
    assert [row[6] for row in skills.table.rows] == [row[7] for row in skills.table.rows]
    fifth = paper.table5(judged)
    assert all(difference <= 0.04 for _, difference, _ in differences(fifth.table, 3))
    assert [row[4] for row in fifth.table.rows] == [row[5] for row in fifth.table.rows]
    (axis,) = drawn(paper.experts_and_crowd(judged, experts)[1].draw)
    column = [(place, name) for x, place, name in texts_of(axis) if x == 0]
    assert [place for place, _ in column] == list(range(1, 14))
    assert [name for _, name in column[:2] + column[-2:]] == ["AMU", "CAMB", "NTHU", "IPN"]
    ends = [left[1] for left, _ in segments_of(axis) if left[0] < 0]
    assert ends == [1.5, 2.5, 5.5, 11.5, 12.5], "the six clusters of Table 3c"

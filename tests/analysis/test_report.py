"""Reports as tables for papers, programs and notebooks.

Two sentences with one gold edit each (go → goes, cat → cats). The careful system makes the first edit only: precision
1/1, recall 1/2, F0.5 = 1.25 · 1 · 0.5 / (0.25 · 1 + 0.5) = 0.8333. The bold one makes both and a wrong one (I → You):
precision 2/3, recall 2/2, F0.5 = 1.25 · 2/3 / (0.25 · 2/3 + 1) = 0.7143.
"""

import io
import json
import sys
from dataclasses import dataclass

import pytest

import gecbench
from gecbench.analysis.report import Report, Scores
from gecbench.analysis.significance import PairedTest, holm
from gecbench.errors import MissingDependencyError
from gecbench.formats.m2 import parse_m2, write_m2
from gecbench.formats.text import write_lines
from gecbench.metrics.base import Interval

CORPUS = parse_m2(
    [
        "S He go home .",
        "A 1 2|||SVA|||goes|||REQUIRED|||-NONE-|||0",
        "",
        "S I like cat .",
        "A 2 3|||Nn|||cats|||REQUIRED|||-NONE-|||0",
    ]
)
OUTPUTS = {
    "careful": ["He goes home .", "I like cat ."],
    "bold": ["He goes home .", "You like cats ."],
}


def scored(name, metric=None):
    return (metric or gecbench.M2()).score_corpus(CORPUS, OUTPUTS[name])


def report(p_value=None, names=("careful", "bold"), metric=None):
    scores = {name: {"m2": scored(own, metric)} for name, own in zip(names, OUTPUTS, strict=True)}
    difference = 0.8333 - 0.7143
    tests = [] if p_value is None else [PairedTest("randomisation", "m2", *names, difference, p_value, 1000, p_value)]
    return Report(scores, tests)


def report_of_two_tests(first, second, resamples=1000):
    """Return a report on three systems, two of them tested against the third."""
    scores = {name: {"m2": scored(own)} for name, own in (("base", "bold"), ("one", "careful"), ("two", "bold"))}
    tests = [
        PairedTest("randomisation", "m2", name, "base", 0.1, p_value, resamples, p_adjusted)
        for name, p_value, p_adjusted in zip(("one", "two"), (first, second), holm([first, second]), strict=True)
    ]
    return Report(scores, tests)


class TestPrecisionAndRecall:
    @pytest.mark.parametrize(
        ("report_format", "number", "row"),
        [
            ("text", 0, "system M2 precision recall"),
            ("text", 2, "careful 83.33 100.00 50.00"),
            ("text", 3, "bold 71.43 66.67 100.00"),
            ("markdown", 0, "| system | M2 | precision | recall |"),
            ("markdown", 2, "| careful | 83.33 | 100.00 | 50.00 |"),
            ("tsv", 0, "system M2 precision recall"),
            ("tsv", 2, "bold 71.43 66.67 100.00"),
        ],
    )
    def test_in_tables(self, report_format, number, row):
        assert " ".join(report().render(report_format).splitlines()[number].split()) == row

    def test_in_json(self):
        careful, bold = (system["scores"][0]["parts"] for system in json.loads(report().render("json"))["systems"])
        assert (careful["precision"], careful["recall"]) == (1.0, 0.5)
        assert (bold["precision"], bold["recall"]) == (pytest.approx(2 / 3), 1.0)

    def test_in_words(self):
        words = str(scored("bold"))
        assert words.startswith("M2 = 71.43, precision 66.67, recall 100.00  m2|gold:edits|")
        interval = scored("bold").with_interval(Interval(0.5, 0.9, 0.95, 10), seed=1)
        assert str(interval).startswith("M2 = 71.43 [50.00, 90.00], precision 66.67, recall 100.00  m2|")

    def test_on_the_command_line(self, run, folder):
        write_m2(CORPUS, "gold.m2")
        write_lines("careful.txt", OUTPUTS["careful"])
        rows = run("score", "-m", "m2", "--gold", "gold.m2", "-p", "careful.txt", "-f", "tsv").splitlines()
        assert rows[:2] == ["system\tM2\tprecision\trecall", "careful\t83.33\t100.00\t50.00"]
        assert rows[2].startswith("# m2|gold:edits|")

    def test_the_metric_declares_them(self):
        @dataclass(frozen=True)
        class GoldEdits(gecbench.M2):
            columns = ("recall",)

        assert report(metric=GoldEdits()).table().header == ["system", "M2", "recall"]
        gleu = gecbench.compare(gecbench.load_demo_systems(), gecbench.load_demo(), ["gleu"], resamples=0, test=None)
        assert gleu.table().header == ["system", "GLEU"]

    @pytest.mark.parametrize("name", gecbench.METRICS)
    def test_every_declared_part_is_there(self, name):
        demo, outputs = gecbench.load_demo(), gecbench.load_demo_systems()["rule-based"]
        if gecbench.METRICS[name].extra is not None:
            outputs = gecbench.EditedTexts.of(demo.sources, [sentence[:1] for sentence in demo.annotations])
        parts = gecbench.score(outputs, demo, metrics=[name])[name].parts
        assert all(0 <= parts[part] <= 1 for part in gecbench.METRICS[name].columns)


class TestLatex:
    def test_a_whole_table(self):
        signature = scored("bold").signature
        assert report(p_value=1 / 1001).render("latex").splitlines() == [
            r"% Needs \usepackage{booktabs}. Bold: the best of its column.",
            "% p: chance of a difference from bold at least this large if the two systems were equally good,",
            "% by approximate randomisation (1000 resamples); $^{*}$ after a score marks p < 0.05.",
            f"% {signature}",
            r"\begin{tabular}{lrrrr}",
            r"\toprule",
            r"system & M2 & p & precision & recall \\",
            r"\midrule",
            r"careful & \textbf{83.33}\rlap{$^{*}$} & \textless{} 0.001 & \textbf{100.00} & 50.00 \\",
            r"bold & 71.43 &  & 66.67 & \textbf{100.00} \\",
            r"\bottomrule",
            r"\end{tabular}",
        ]

    def test_no_star_from_a_twentieth_on(self):
        assert r"\textbf{83.33} & 0.050 &" in report(p_value=0.05).render("latex")
        assert r"\textbf{83.33}\rlap{$^{*}$} & 0.049 &" in report(p_value=0.049).render("latex")

    def test_one_system_is_not_the_best(self):
        alone = Report({"careful": {"m2": scored("careful")}}, []).render("latex")
        assert "textbf" not in alone
        assert "Bold" not in alone

    def test_a_name_cannot_leave_its_comment_or_cell(self):
        lines = report(p_value=0.5, names=("a & b", "x\n\\input{y}")).render("latex").splitlines()
        begin = lines.index(r"\begin{tabular}{lrrrr}")
        assert all(line.startswith("% ") for line in lines[:begin])
        assert lines[begin + 4].startswith(r"a \& b & ")
        assert lines[begin + 5].startswith(r"x \textbackslash{}input\{y\} & ")


class TestNames:
    """Names of systems are names of files: they may hold whatever a file's name may."""

    @pytest.mark.parametrize("table_format", ["text", "markdown", "latex", "tsv"])
    def test_none_steers_the_terminal_or_turns_round(self, table_format):
        text = report(names=("a\x1b[2J\u202eb\rc", "نمی\u200cدانم")).render(table_format)
        assert not set("\x1b\u202e\r") & set(text)
        assert "u202eb c" in text, "what was there is said"
        assert "نمی\u200cدانم" in text, "joiners are letters"

    def test_in_a_notebook(self):
        assert "\\u202eb" in report(names=("a\u202eb", "c"))._repr_html_()

    def test_in_an_error(self, refused):
        assert r"no\x1b[2J\u202efile: no such file" in refused(["score", "-c", "demo", "-p", "no\x1b[2J\u202efile"])


class TestTsv:
    def test_signatures_come_last(self):
        *_, last = report().render("tsv").splitlines()
        assert last == f"# {scored('bold').signature}"

    def test_programs_read_it(self):
        pandas = pytest.importorskip("pandas")
        frame = pandas.read_csv(io.StringIO(report(p_value=0.2).render("tsv")), sep="\t", comment="#", index_col=0)
        assert frame["recall"].to_dict() == {"careful": 50.0, "bold": 100.0}


class TestPValues:
    @pytest.mark.parametrize(
        ("report_format", "cell"),
        [
            ("text", "  < 0.001*  "),
            ("markdown", "| < 0.001* |"),
            ("tsv", "\t< 0.001*\t"),
            ("latex", r" & \textless{} 0.001 & "),
        ],
    )
    def test_the_same_in_every_format(self, report_format, cell):
        assert cell in report(p_value=0.0004).render(report_format)

    def test_in_a_notebook(self):
        assert ">&lt; 0.001*</td>" in report(p_value=0.0004)._repr_html_()

    def test_data_keep_the_number(self):
        assert json.loads(report(p_value=0.0004).render("json"))["tests"][0]["p_value"] == 0.0004


class TestAdjustedPValues:
    """Of two p-values Holm's method doubles the smaller one; the other becomes at least as large."""

    @pytest.mark.parametrize(
        ("report_format", "header", "row"),
        [
            ("text", "system M2 p p (Holm) precision recall", "one 83.33 0.012 0.024* 100.00 50.00"),
            ("tsv", "system M2 p p (Holm) precision recall", "one 83.33 0.012 0.024* 100.00 50.00"),
            ("markdown", "| system | M2 | p | p (Holm) |", "| one | 83.33 | 0.012 | 0.024* |"),
            ("latex", r"system & M2 & p & p (Holm) &", r"one & \textbf{83.33}\rlap{$^{*}$} & 0.012 & 0.024 &"),
        ],
    )
    def test_stand_beside_the_raw_ones(self, report_format, header, row):
        lines = [" ".join(line.split()) for line in report_of_two_tests(0.012, 0.02).render(report_format).splitlines()]
        assert any(line.startswith(header) for line in lines)
        assert any(line.startswith(row) for line in lines)

    def test_stars_follow_them(self):
        """0.03 is doubled to 0.06, and 0.04 raised to it."""
        shown = report_of_two_tests(0.03, 0.04).render()
        assert "0.030     0.060 " in shown
        assert "0.040     0.060 " in shown
        assert "*" not in shown.partition("\n\n")[0]
        adjusted = "p (Holm): p adjusted by Holm's method for the 2 comparisons shown; * marks p (Holm) < 0.05.\n"
        assert f"by approximate randomisation (1000 resamples).\n{adjusted}" in shown

    def test_too_few_resamples_are_named(self):
        """The smallest p-value is 1/40 with 39 resamples, and 2/40 is not below 0.05."""
        note = "It cannot be below 0.05 with 39 resamples; use at least 40."
        assert note in report_of_two_tests(1 / 40, 0.5, resamples=39).render()
        assert note[:12] not in report_of_two_tests(1 / 41, 0.5, resamples=40).render()

    def test_as_data(self):
        found = report_of_two_tests(0.012, 0.02)
        tests = json.loads(found.render("json"))["tests"]
        assert [(test["p_value"], test["p_adjusted"]) for test in tests] == [(0.012, 0.024), (0.02, 0.024)]
        pytest.importorskip("pandas")
        assert found.to_pandas().loc[["one", "two"], "m2_p_adjusted"].tolist() == [0.024, 0.024]

    def test_not_for_a_single_comparison(self):
        assert "Holm" not in report(p_value=0.01).render()

    def test_of_a_comparison(self):
        """All systems and metrics are one family, whatever the test."""
        systems = {"base": OUTPUTS["bold"], "one": OUTPUTS["careful"], "two": CORPUS.sources}
        for test in ("randomisation", "bootstrap", "t-test"):
            tests = gecbench.compare(systems, CORPUS, ["m2", "imeasure"], resamples=50, test=test).tests
            assert len(tests) == 4
            assert [each.p_adjusted for each in tests] == holm([each.p_value for each in tests])


class TestNumbers:
    def test_float_is_the_fraction(self):
        assert float(scored("careful")) == pytest.approx(5 / 6)

    def test_format_is_the_percentage(self):
        score = scored("careful")
        assert f"{score:.2f}" == "83.33"
        assert f"{score:7.1f}" == "   83.3"
        assert f"{score:.1%}" == "83.3%"
        assert f"{score}" == str(score)


class TestNotebooks:
    def test_a_report(self):
        html = report(p_value=0.01, names=("<script>x</script>", "a & b"))._repr_html_()
        assert "<script>" not in html
        assert '<td style="text-align: left">&lt;script&gt;x&lt;/script&gt;</td>' in html
        assert "difference from a &amp; b at least" in html
        assert '<td style="text-align: right"><b>83.33</b></td><td style="text-align: right">0.010*</td>' in html
        assert f"<code>{scored('bold').signature}</code>" in html

    def test_scores(self):
        score = scored("careful")
        html = Scores({"m2": score})._repr_html_()
        assert html == score._repr_html_()
        assert html.startswith("<div><b>M2</b> = 83.33, precision 100.00, recall 50.00<br>")
        assert f"<code>{score.signature}</code>" in html


class TestDataFrame:
    def test_rows_and_columns(self):
        pytest.importorskip("pandas")
        frame = report(p_value=0.03).to_pandas()
        assert frame.index.tolist() == ["careful", "bold"]
        assert frame.columns.tolist() == ["m2", "m2_p", "m2_p_adjusted", "m2_precision", "m2_recall"]
        assert frame.loc["careful"].tolist() == pytest.approx([5 / 6, 0.03, 0.03, 1.0, 0.5])
        assert frame["m2_p"].isna().tolist() == [False, True], "the baseline is not tested against itself"
        assert frame.attrs["signatures"] == [str(scored("bold").signature)]

    def test_intervals(self):
        pytest.importorskip("pandas")
        score = scored("bold").with_interval(Interval(0.5, 0.9, 0.95, 10), seed=1)
        frame = Report({"bold": {"m2": score}}, []).to_pandas()
        assert frame.loc["bold", ["m2_low", "m2_high"]].tolist() == [0.5, 0.9]

    def test_without_pandas(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "pandas", None)
        with pytest.raises(MissingDependencyError, match=r"to_pandas needs pandas\. Install it: pip install"):
            report().to_pandas()

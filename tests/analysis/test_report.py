"""Reports as tables for papers, programs and notebooks.

Two sentences with one gold edit each (go → goes, cat → cats). The careful system makes the first edit only: precision
1/1, recall 1/2, F0.5 = 1.25 · 1 · 0.5 / (0.25 · 1 + 0.5) = 0.8333. The bold one makes both and a wrong one (I → You):
precision 2/3, recall 2/2, F0.5 = 1.25 · 2/3 / (0.25 · 2/3 + 1) = 0.7143.
"""

import io
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace

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
    tests = [] if p_value is None else [PairedTest("randomization", "m2", *names, difference, p_value, 1000, p_value)]
    return Report(scores, tests)


def report_of_two_tests(first, second, resamples=1000):
    """Return a report on three systems, two of them tested against the third."""
    scores = {name: {"m2": scored(own)} for name, own in (("base", "bold"), ("one", "careful"), ("two", "bold"))}
    tests = [
        PairedTest("randomization", "m2", name, "base", 0.1, p_value, resamples, p_adjusted)
        for name, p_value, p_adjusted in zip(("one", "two"), (first, second), holm([first, second]), strict=True)
    ]
    return Report(scores, tests)


def report_with_intervals():
    """Return a report whose intervals are 40 and 5 points wide, the first with its score at three quarters."""
    ends = {"careful": (0.5333, 0.9333), "bold": (0.6893, 0.7393)}
    found = {name: scored(name).with_interval(Interval(*ends[name], 0.95, 10), seed=1) for name in OUTPUTS}
    return Report({name: {"m2": score} for name, score in found.items()}, [])


class TestCompactText:
    def test_a_score_and_half_the_width_of_its_interval(self):
        lines = report_with_intervals().render().splitlines()
        assert lines[0].split() == ["system", "M2", "precision", "recall"]
        assert lines[2].startswith("careful  83.33 ± 20.00  ")
        assert lines[3].startswith("bold     71.43 ±  2.50  ")
        assert lines[5:7] == [
            "±: half the width of the 95% interval.",
            "For interval limits, use report.render(wide=True).",
        ]

    def test_wide_text_has_the_ends(self):
        wide = report_with_intervals().render(wide=True)
        assert "83.33  53.33 – 93.33" in wide
        assert "±" not in wide

    def test_scores_without_intervals_need_no_legend(self):
        assert "wide" not in report().render()

    def test_five_metrics_fit_a_terminal(self):
        """Metrics that do not fit continue in further tables, in the same order of systems."""
        systems = {f"{name} with a very long name": lines for name, lines in gecbench.load_demo_systems().items()}
        metrics = ["gleu", "m2", "imeasure", "green", "bleu"]
        compared = gecbench.compare(systems, gecbench.load_demo(), metrics, resamples=20)
        *tables, _legend, _signatures = compared.render().split("\n\n")
        assert len(tables) == 3
        assert all(len(line) <= 80 for table in tables for line in table.splitlines())
        for table in tables:
            assert [line[:12] for line in table.splitlines()[2:]] == [name[:12] for name in compared.ranked()]
        assert max(len(line) for line in compared.render(wide=True).splitlines()[:6]) > 200


class TestConventions:
    """Without proposed edits precision is 0/0, which the official program prints as 1."""

    @pytest.mark.parametrize("name", ["m2", "errant", "cleme"])
    def test_precision_of_nothing_is_not_the_best(self, name):
        demo = gecbench.load_demo()
        edits = {"idle": [[] for _ in demo.sources], "first": [sentence[:1] for sentence in demo.annotations]}
        systems = {
            system: gecbench.EditedTexts.of(demo.sources, found or [[]]) if system == "first" else demo.sources
            for system, found in edits.items()
        }
        if name != "m2":
            nothing = [[replace(sentence[0], edits=())] for sentence in demo.annotations]
            systems["idle"] = gecbench.EditedTexts.of(demo.sources, nothing)
        compared = gecbench.compare(systems, demo, [name], resamples=0, test=None)
        table = compared.table()
        idle, precision = compared.ranked().index("idle"), table.header.index("precision")
        assert table.rows[idle][precision] == "100.00"
        assert not [cell for cell in table.bold if cell[0] == idle]

    def test_recall_of_nothing_to_find_is_undefined(self):
        parts = {"correct": 0, "proposed": 2, "gold": 0}
        assert gecbench.M2().undefined_parts(parts) == {"recall"}
        assert gecbench.M2().undefined_parts({"correct": 0, "proposed": 0, "gold": 3}) == {"precision"}
        assert gecbench.M2().undefined_parts({"correct": 1, "proposed": 2, "gold": 3}) == frozenset()

    def test_rates_of_cleme(self):
        assert gecbench.CLEME().undefined_parts({"tp": 0, "fp": 0, "fn": 1}) == {"precision", "ove"}
        assert gecbench.CLEME().undefined_parts({"tp": 0, "fp": 0.5, "fn": 1}) == frozenset()

    def test_metrics_without_counts_have_none(self):
        assert gecbench.GLEU().undefined_parts({"precision_1": 1.0}) == frozenset()


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


def _has_booktabs() -> bool:
    if not (shutil.which("pdflatex") and shutil.which("kpsewhich")):
        return False
    return subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True, check=False).returncode == 0


class TestLatex:
    def test_a_whole_table(self):
        signature = scored("bold").signature
        assert report(p_value=1 / 1001).render("latex").splitlines() == [
            r"% Needs \usepackage{booktabs}. Bold: the best in the column.",
            r"% $^{\dagger}$: the baseline.",
            "% $^{*}$: significantly different from bold (p < 0.05, approximate randomization",
            "% with 1000 resamples).",
            f"% {signature}",
            r"{\footnotesize\setlength{\tabcolsep}{4pt}%",
            r"\begin{tabular}{@{}lrrr@{}}",
            r"\toprule",
            r" & \multicolumn{3}{c}{M2} \\",
            r"\cmidrule(l){2-4}",
            r"system & F & P & R \\",
            r"\midrule",
            r"careful & \textbf{83.33}\rlap{$^{*}$} & \textbf{100.00} & 50.00 \\",
            r"bold$^{\dagger}$ & 71.43 & 66.67 & \textbf{100.00} \\",
            r"\bottomrule",
            r"\end{tabular}}",
        ]

    def test_a_wide_table(self):
        lines = report(p_value=1 / 1001).render("latex", wide=True).splitlines()
        begin = lines.index(r"\begin{tabular}{@{}lrrrr@{}}")
        assert lines[begin + 2 : begin + 5] == [
            r" & \multicolumn{4}{c}{M2} \\",
            r"\cmidrule(l){2-5}",
            r"system & M2 & p & precision & recall \\",
        ]
        row = r"careful & \textbf{83.33}\rlap{$^{*}$} & \textless{} 0.001 & \textbf{100.00} & 50.00 \\"
        assert lines[begin + 6] == row

    def test_no_star_from_a_twentieth_on(self):
        assert r"\textbf{83.33} & \textbf{100" in report(p_value=0.05).render("latex")
        assert r"\textbf{83.33}\rlap{$^{*}$} & \textbf{100" in report(p_value=0.049).render("latex")

    def test_half_widths_are_small_and_aligned(self):
        rows = report_with_intervals().render("latex").splitlines()
        assert r"careful & \textbf{83.33}{\tiny$\pm$20.00} & " in rows[-4]
        assert r"bold & 71.43{\tiny\phantom{0}$\pm$2.50} & " in rows[-3]

    def test_one_system_is_not_the_best(self):
        alone = Report({"careful": {"m2": scored("careful")}}, []).render("latex")
        assert "textbf" not in alone
        assert "Bold" not in alone

    def test_a_name_cannot_leave_its_comment_or_cell(self):
        lines = report(p_value=0.5, names=("a & b", "x\n\\input{y}")).render("latex").splitlines()
        begin = lines.index(r"{\footnotesize\setlength{\tabcolsep}{4pt}%")
        assert all(line.startswith("% ") for line in lines[:begin])
        assert lines[begin + 7].startswith(r"a \& b & ")
        assert lines[begin + 8].startswith(r"x \textbackslash{}input\{y\}$^{\dagger}$ & ")

    def test_a_name_with_a_plus_minus_stays_a_name(self):
        assert r"x $\pm$ y & " in report(names=("x ± y", "z")).render("latex")

    @pytest.mark.skipif(not _has_booktabs(), reason="pdflatex with booktabs is not installed")
    def test_two_metrics_fit_a_column(self, tmp_path):
        """A column of the ACL style is 7.7 cm wide. LaTeX reports a box that is wider than its line as overfull."""
        compared = gecbench.compare(gecbench.load_demo_systems(), gecbench.load_demo(), ["gleu", "m2"], resamples=100)
        document = [
            r"\documentclass[10pt]{article}",
            r"\usepackage[utf8]{inputenc}",
            r"\usepackage{booktabs}",
            r"\textwidth=7.7cm \parindent=0pt",
            r"\begin{document}",
            compared.render("latex"),
            r"\end{document}",
        ]
        write_lines(tmp_path / "table.tex", "\n".join(document).split("\n"))
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stdout
        assert (tmp_path / "table.pdf").stat().st_size > 1000
        assert "Overfull" not in (tmp_path / "table.log").read_text(encoding="utf-8", errors="replace")


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
            ("markdown", "| < 0.001* |"),
            ("tsv", "\t< 0.001*\t"),
            ("text", "  < 0.001*  "),
            ("latex", r" & \textless{} 0.001 & "),
        ],
    )
    def test_the_same_in_every_wide_format(self, report_format, cell):
        assert cell in report(p_value=0.0004).render(report_format, wide=True)

    def test_a_star_in_compact_text(self):
        lines = report(p_value=0.0004).render().splitlines()
        assert lines[2].split() == ["careful", "83.33*", "100.00", "50.00"]
        assert lines[3].split() == ["bold", "71.43", "66.67", "100.00"]
        assert lines[2].index(".33") == lines[3].index(".43"), "numbers line up"
        assert lines[5] == "*: significantly different from bold (p < 0.05, approximate randomization with"

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
    def test_come_after_the_raw_ones(self, report_format, header, row):
        shown = report_of_two_tests(0.012, 0.02).render(report_format, wide=True)
        lines = [" ".join(line.split()) for line in shown.splitlines()]
        assert any(line.startswith(header) for line in lines)
        assert any(line.startswith(row) for line in lines)

    def test_stars_follow_them(self):
        """0.03 is doubled to 0.06, and 0.04 raised to it."""
        shown = report_of_two_tests(0.03, 0.04).render(wide=True)
        assert "0.030     0.060 " in shown
        assert "0.040     0.060 " in shown
        assert "*" not in shown.partition("\n\n")[0]
        adjusted = "p (Holm): p adjusted by Holm's method for the 2 comparisons shown; * marks p (Holm) < 0.05.\n"
        assert f"by approximate randomization (1000 resamples).\n{adjusted}" in shown

    def test_too_few_resamples_are_named(self):
        """The smallest p-value is 1/40 with 39 resamples, and 2/40 is not below 0.05."""
        note = "With 39 resamples no difference can be significant; use at least 40."
        for wide in (False, True):
            assert note in " ".join(report_of_two_tests(1 / 40, 0.5, resamples=39).render(wide=wide).split())
            assert "no difference" not in report_of_two_tests(1 / 41, 0.5, resamples=40).render(wide=wide)

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
        for test in ("randomization", "bootstrap", "t-test"):
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
        assert "as much as the system and a &amp; b," in html
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


def test_an_unknown_name_lists_the_known_ones():
    scores = gecbench.score(gecbench.load_demo_systems()["rule-based"], "demo", ["gleu", "m2"])
    assert scores.get("errant") is None
    with pytest.raises(KeyError, match=r"no entry 'errant'\. Known: gleu, m2"):
        scores["errant"]

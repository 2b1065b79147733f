"""Meta-evaluation on the command line."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from mirror_files import MIRROR, needs_mirror

import gecbench
import gecbench.cli
from gecbench.corpora.demo import DATA
from gecbench.corpora.load import load_rankings
from gecbench.errors import MissingDependencyError
from gecbench.formats.judgments import expand_pairs

ERRANT_ANNOTATOR = "gecbench.metrics.errant_annotate.Annotator.edits"
DEMO = {"good-corrector": 4.0, "rule-based": 3.0, "spell-checker": 2.0, "do-nothing": 1.0}


def write_scores(folder, name="mine.tsv"):
    path = folder / name
    path.write_text("".join(f"{system}\t{score}\n" for system, score in DEMO.items()))
    return str(path)


def test_my_own_metric_in_one_command(tmp_path, run):
    scores = write_scores(tmp_path)
    (row,) = json.loads(run("meta", scores, "--runs", "20", "-f", "json"))
    assert (row["metric"], row["references"], row["sentences"]) == ("mine", "–", None)
    assert row["systems"]["spearman"]["value"] == pytest.approx(1)
    assert row["systems"]["spearman"]["items"] == 4


def test_my_metric_with_ours_with_sentences(tmp_path, run):
    scores, by_sentence = write_scores(tmp_path), tmp_path / "mine_sentences" / "mine.tsv"
    by_sentence.parent.mkdir()
    by_sentence.write_text("".join(f"{system}\t{i}\t{score}\n" for system, score in DEMO.items() for i in range(42)))
    options = ("--sentences", str(by_sentence), "-m", "gleu", "--method", "expected-wins", "-f", "json")
    mine, gleu = json.loads(run("meta", scores, *options))
    assert (mine["metric"], gleu["metric"], gleu["references"]) == ("mine", "gleu", "demo")
    decided = [
        pair.outcome * np.sign(DEMO[pair.system1] - DEMO[pair.system2]) for pair in expand_pairs(load_rankings("demo"))
    ]
    agree, disagree = decided.count(1), decided.count(-1)
    assert mine["sentences"]["tau"] == pytest.approx((agree - disagree) / (agree + disagree))


def test_human_scores_instead_of_judgments(tmp_path, run):
    human = write_scores(tmp_path, "human.tsv")
    text = run("meta", write_scores(tmp_path), "--human", human)
    assert "1.000" in text
    assert "nan" not in text


def test_own_judgments_corpus_and_outputs(tmp_path, run):
    demo = tmp_path / "demo"
    run("demo", "--write", demo)
    outputs = [str(path) for path in sorted((demo / "systems").glob("*.txt"))]
    options = ("--human", str(demo / "judgments.csv"), "-m", "gleu", "-c", "demo", "--method", "expected-wins")
    text = run("meta", *options, "-p", *outputs, "-f", "tsv")
    assert text == run("meta", "-m", "gleu", "--method", "expected-wins", "-f", "tsv")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.tsv"], "absent.tsv: no such file"),
        (["--human", "jfleg"], "no references to score the systems against"),
        (["--human", "jfleg", "-c", "demo"], "no outputs of the judged systems"),
        (["mine.tsv", "--sentences", "other.tsv"], "other has sentence scores, but no system scores"),
        (["mine.tsv", "--human", "two.tsv"], "two.tsv: contains 2 sets of human scores, but one is needed"),
        (
            ["two.tsv", "--runs", "5"],
            "two.tsv: a is missing from the human scores, and do-nothing, .* are missing from the metric's scores. "
            "Give your judgments with --human \\(the default, demo, has the systems do-nothing",
        ),
        (["two.tsv", "--human", "demo", "--runs", "5"], "a is missing from .* metric's scores. Give metric scores"),
        (["mine.tsv", "--sentences", "three.tsv"], "sentence is 'a', not a whole number. Write tab-separated fields: "),
        (["--edits", ".", "-m", "errant"], "gold.m2: is not an M2 file: no line starts with 'S '. Give an M2 file"),
    ],
)
def test_bad_input(arguments, message, refused, folder, monkeypatch):
    write_scores(folder)
    Path("other.tsv").write_text("rule-based\t0\t1\n")
    Path("three.tsv").write_text("m\ta\t1\n")
    Path("two.tsv").write_text("m\ta\t1\nn\ta\t2\n")
    Path("gold.m2").write_text("Plain text .\n")
    if "jfleg" in arguments:
        monkeypatch.setattr("gecbench.cli.meta._human", lambda options: ({}, None))
    refused(["meta", *arguments], message)


@pytest.mark.parametrize("given", ["scores", "outputs"])
def test_a_missing_system_is_noticed_before_any_work(given, folder, refused, monkeypatch):
    for slow in ("make_ranking", "score_systems"):
        monkeypatch.setattr(f"gecbench.cli.meta.{slow}", lambda *_: pytest.fail("the names come first"))
    Path("mine.tsv").write_text("A\t1\nB\t2\n")
    Path("A.txt").write_text("".join(f"{source}\n" for source in gecbench.load_demo().sources))
    arguments = ["mine.tsv"] if given == "scores" else ["-c", "demo", "-p", "A.txt"]
    message = "mine.tsv: A, B are missing" if given == "scores" else "A is missing from the human scores"
    assert message in refused(["meta", *arguments])


@pytest.mark.parametrize("words", [["--windows", "0"], ["--windows", "1"], ["--resamples", "0"], ["--runs", "0"]])
def test_numbers_that_would_be_ignored_are_rejected(words, exits):
    least = 2 if words[0] == "--windows" else 1
    assert (
        f"argument {words[0]}: '{words[1]}' is not a whole number of at least {least}."
        in exits(["meta", *words], 2).err
    )


def test_scores_without_sentences_have_dashes(tmp_path, run):
    table = run("meta", write_scores(tmp_path), "--runs", "20", "-f", "tsv").splitlines()
    assert table[1].split("\t")[-2:] == ["–", "–"]


@needs_mirror
def test_judgments_that_count_from_one_are_read_so(run):
    """SEEDA's files count from 1. The agreement with sentence scores was measured with the judgments read correctly."""
    folder = Path(MIRROR or "") / "raw.githubusercontent.com/tmu-nlp/SEEDA/0c6c07f98dcfab016f1169b680997f1f29ea0705"
    outputs = sorted((folder / "outputs" / "all").glob("*.txt"))
    words = ("--human", folder / "data" / "judgments_edit.xml", "-c", "conll14", "-p", *outputs, "-m", "gleu", "m2")
    (gleu, m2) = json.loads(run("meta", *words, "-f", "json", "--runs", "1"))
    assert (round(gleu["sentences"]["tau"], 3), round(m2["sentences"]["tau"], 3)) == (0.268, 0.188)
    assert (round(gleu["sentences"]["accuracy"], 3), round(m2["sentences"]["accuracy"], 3)) == (0.634, 0.594)


def test_systems_without_judgments_are_left_out_in_one_line(tmp_path, run, capsys):
    path = tmp_path / "mine.tsv"
    path.write_text("good-corrector\t3\nrule-based\t2\nspell-checker\t1\nnew\t9\n")
    message = r"left out of the correlations: do-nothing \(no scores\), new \(no judgments\)$"
    with pytest.warns(UserWarning, match=message):
        (row,) = json.loads(run("meta", path, "--runs", "20", "-f", "json"))
    assert row["systems"]["pearson"]["items"] == 3


def test_chosen_systems(tmp_path, run, refused, recwarn):
    words = ("meta", write_scores(tmp_path), "--runs", "20", "-m", "gleu")
    rows = json.loads(run(*words, "-f", "json", "--systems", "good-corrector", "rule-based", "do-nothing"))
    assert [row["systems"]["pearson"]["items"] for row in rows] == [3, 3]
    assert rows[1]["sentences"]["pairs"] < json.loads(run(*words, "-f", "json"))[1]["sentences"]["pairs"]
    assert not recwarn.list
    refused([*words, "--systems", "rule-base"], "unknown system or set 'rule-base'. Did you mean")
    refused(
        [*words, "--systems", "rule-based"], "1 system with both scores and judgments. Give scores of at least three"
    )
    with pytest.warns(UserWarning, match="found only 2 systems with both scores and judgments"):
        run(*words, "--systems", "good-corrector", "do-nothing")


def test_json_says_how_ties_counted_and_adds_tests_and_windows(run):
    words = ("meta", "-m", "gleu", "m2", "--runs", "20", "-f", "json")
    gleu, m2 = json.loads(run(*words, "--ties", "drop", "--windows", "3"))
    assert (gleu["ties"], gleu["aggregate"]) == ("drop", "corpus")
    assert [(window["first"], window["last"]) for window in m2["windows"]] == [(1, 3), (2, 4)]
    assert m2["williams"]["pearson"]["best"] == "gleu"
    assert m2["sentences"]["pairs"] <= json.loads(run(*words))[1]["sentences"]["pairs"]


@pytest.mark.parametrize("words", [(), ("--wide",), ("-f", "tsv")])
def test_every_figure_has_its_interval(words, run):
    options = ("meta", "-m", "gleu", "m2", "--runs", "20")
    text = run(*options, *words)
    for row in json.loads(run(*options, "-f", "json")):
        found = [(one["value"], one["interval"]) for one in row["systems"].values()]
        found.append((row["sentences"]["tau"], row["sentences"]["tau_interval"]))
        for value, interval in found:
            assert interval["low"] <= value <= interval["high"]
            assert re.search(rf"\b{value:.3f}\*? \[{interval['low']:.2f}, {interval['high']:.2f}\]", text)


def test_windows_are_a_second_table(run):
    text = run("meta", "-m", "gleu", "--runs", "20", "--windows", "3")
    assert "coefficient    1–3    2–4" in text


def test_figures(tmp_path, run):
    pytest.importorskip("matplotlib")
    folder = tmp_path / "figures"
    run("meta", "-m", "gleu", "m2", "--runs", "20", "--windows", "3", "--figures", folder, "--figure-format", "svg")
    assert sorted(path.name for path in folder.iterdir()) == ["meta-scores.svg", "meta-windows.svg"]


@needs_mirror
def test_seeda_by_name(run):
    """M2 and GLEU+ with the right references, as in the table of published figures."""
    words = ("meta", "--human", "seeda:edit", "-m", "gleu(variant=multiset)", "m2", "-f", "json")
    gleu, m2 = json.loads(run(*words, "--systems", "base", "--ties", "seeda"))
    figures = [round(gleu["systems"][method]["value"], 6) for method in ("pearson", "spearman")]
    assert figures == [0.909011, 0.944056]
    assert round(gleu["sentences"]["accuracy"], 6) == 0.675791
    assert [round(m2["systems"][method]["value"], 3) for method in ("pearson", "spearman")] == [0.767, 0.755]
    assert m2["systems"]["pearson"]["items"] == 12
    low, high = (m2["systems"]["pearson"]["interval"][end] for end in ("low", "high"))
    assert low < 0.767 < high
    gleu, _ = json.loads(run(*words, "--systems", "fluency"))
    assert [round(gleu["systems"][method]["value"], 3) for method in ("pearson", "spearman")] == [0.271, 0.662]
    (gleu,) = json.loads(run(*words[:5], "-f", "json"))
    assert gleu["systems"]["pearson"]["items"] == 15


LOWER = """
import gecbench

@gecbench.metric(name="badness", version="1", higher_is_better=False)
def badness(sources, outputs, references):
    corpus = gecbench.Corpus(sources=sources, references=references)
    return [1 - score for score in gecbench.GLEU().score_corpus(corpus, outputs).sentence_scores()]
"""


def test_a_plugin_of_which_lower_is_better(folder, capsys, run):
    """1 - GLEU agrees with people as GLEU does."""
    Path("my_badness.py").write_text(LOWER)
    gleu, bad = json.loads(run("meta", "-m", "gleu", "python:my_badness:badness", "--runs", "5", "-f", "json"))
    assert (gleu["higher_is_better"], bad["higher_is_better"]) == (True, False)
    assert bad["sentences"].pop("tau_interval") == pytest.approx(gleu["sentences"].pop("tau_interval"))
    assert bad["sentences"] == pytest.approx(gleu["sentences"])
    assert bad["systems"]["spearman"]["value"] == gleu["systems"]["spearman"]["value"]
    gecbench.cli.main(["meta", "-m", "python:my_badness:badness", "--runs", "5"])
    assert "python:my_badness:badness: lower is better, so its scores are negated" in capsys.readouterr().err


def without_errant(*_: object) -> None:
    raise MissingDependencyError("text is annotated by errant, which is not installed.")


def test_errant_without_errant_is_not_computed(run, refused, monkeypatch):
    monkeypatch.setattr(gecbench.ERRANT, "count", without_errant)
    table = run("meta", "-m", "gleu", "errant", "--runs", "5", "--wide").splitlines()
    assert table[-1].split() == ["errant", "demo", "not", "computed", *"––––"]
    rows = json.loads(run("meta", "-m", "gleu", "errant", "--runs", "5", "-f", "json"))
    assert rows[1] == {"metric": "errant", "references": "demo", "systems": None}
    refused(["meta", "-m", "errant", "--runs", "5"], "which is not installed")


def test_errants_edits_come_from_a_folder(tmp_path, run, refused, monkeypatch):
    """Gold edits as a system's own are perfect, and edits are compared without any text being annotated."""
    monkeypatch.setattr(ERRANT_ANNOTATOR, without_errant)
    gold = (DATA / "gold.m2").read_text(encoding="utf-8")
    one = "".join(line for line in gold.splitlines(keepends=True) if not line.endswith("|||1\n"))
    none = "".join(line for line in gold.splitlines(keepends=True) if not line.startswith("A "))
    for name, text in {"gold": gold, "good-corrector": one, "rule-based": one, "do-nothing": none}.items():
        (tmp_path / f"{name}.m2").write_text(text, encoding="utf-8")
    systems = ("--systems", "good-corrector", "rule-based", "do-nothing")
    words = ("meta", "-m", "errant", "gleu", "cleme", "--edits", tmp_path, *systems, "--runs", "5", "-f", "json")
    errant, gleu, cleme = json.loads(run(*words))
    assert (errant["metric"], errant["references"], gleu["references"]) == ("errant", "gold.m2", "demo")
    assert cleme["systems"]["kendall"] == errant["systems"]["kendall"], "the same two are perfect"
    assert errant["systems"]["kendall"]["value"] == pytest.approx(2 / np.sqrt(6))  # two of three pairs, one tie
    (tmp_path / "do-nothing.m2").unlink()
    refused(words, "do-nothing.m2: no such file")


@needs_mirror
@pytest.mark.skipif(not os.environ.get("GECBENCH_SEEDA_EDITS"), reason="GECBENCH_SEEDA_EDITS is not set")
def test_errant_on_seeda(run):
    """As the specification gives it for the right references."""
    words = ("meta", "--human", "seeda:edit", "-m", "errant", "--systems", "base", "-f", "json")
    (row,) = json.loads(run(*words, "--edits", os.environ["GECBENCH_SEEDA_EDITS"]))
    found = [f"{row['systems'][method]['value']:.3f}" for method in ("pearson", "spearman")]
    assert found == ["0.691", "0.671"]

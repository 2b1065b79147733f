"""Meta-evaluation on the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

import gecbench
from gecbench.corpora.load import load_rankings
from gecbench.formats.judgments import expand_pairs

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
        (["--human", "jfleg"], "no references to score the systems on"),
        (["--human", "jfleg", "-c", "demo"], "no outputs of the judged systems"),
        (["mine.tsv", "--sentences", "other.tsv"], "sentence scores of other, but no system scores of it"),
        (["mine.tsv", "--human", "two.tsv"], "two.tsv: 2 sets of human scores"),
        (["two.tsv", "--runs", "5"], "a is missing from"),
    ],
)
def test_bad_input(arguments, message, refused, folder, monkeypatch):
    write_scores(folder)
    Path("other.tsv").write_text("rule-based\t0\t1\n")
    Path("two.tsv").write_text("m\ta\t1\nn\ta\t2\n")
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
    assert "A is missing from the human scores" in refused(["meta", *arguments])

"""Meta-evaluation and the commands of the human side."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import gecbench
from gecbench.corpora.load import load_rankings
from gecbench.formats.judgments import expand_pairs
from gecbench.human.correlation import MetricScores, meta_evaluate, score_systems
from gecbench.human.ranking import expected_wins

DEMO = {"good-corrector": 4.0, "rule-based": 3.0, "spell-checker": 2.0, "do-nothing": 1.0}


def test_metric_by_reference_set_against_people():
    demo, systems = gecbench.load_demo(), gecbench.load_demo_systems()
    corpora = {"all": demo, "first": demo.with_references([0])}
    scores = score_systems(["gleu", "bleu"], corpora, systems, sentences=True)
    assert [(one.metric, one.references) for one in scores] == list(product(["gleu", "bleu"], corpora))
    judgments = list(expand_pairs(load_rankings("demo")))
    ranking = expected_wins(judgments, runs=50)
    rows = meta_evaluate(scores, ranking, judgments)
    x = [gecbench.GLEU().score_corpus(demo, outputs).value for outputs in systems.values()]
    y = [ranking.scores()[name] for name in systems]
    assert rows[0].correlations["pearson"].value == pytest.approx(stats.pearsonr(x, y).statistic)
    assert rows[0].correlations["pearson"].interval.resamples == 50
    assert rows[0].sentences.decided + rows[0].sentences.human_ties + rows[0].sentences.both_tie == 210
    over_systems = meta_evaluate(scores[:1], ranking.scores(), resamples=200, seed=1)[0].correlations["pearson"]
    assert over_systems.interval.low <= over_systems.value <= over_systems.interval.high


def test_a_perfect_and_a_reversed_metric():
    human = {name: score / 10 for name, score in DEMO.items()}
    rows = meta_evaluate(
        [MetricScores("good", "-", DEMO), MetricScores("bad", "-", {n: -s for n, s in DEMO.items()})], human
    )
    assert [row.correlations["kendall"].value for row in rows] == pytest.approx([1, -1])
    with pytest.raises(gecbench.InputError, match="no metric to evaluate"):
        meta_evaluate([], human)


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


def test_my_metric_beside_ours_with_sentences(tmp_path, run):
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


def test_rank(run):
    rows = json.loads(run("human", "rank", "--runs", "30", "-f", "json"))
    assert [row["system"] for row in rows] == list(DEMO)
    assert run("human", "rank", "--method", "expected-wins").startswith("system")


def test_agreement(run):
    between, alone = json.loads(run("human", "agreement", "-f", "json"))
    assert between["comparisons"] > 0
    assert 0 < between["kappa"] < between["weighted"] < 1
    assert (alone["comparisons"], alone["kappa"]) == (0, None)


def test_bound_command(tmp_path, run):
    path = tmp_path / "idle.txt"
    path.write_text("".join(f"{line}\n" for line in gecbench.load_demo().sources))
    rows = json.loads(run("human", "bound", "-c", "demo", "-m", "m2", "-p", str(path), "-f", "json"))
    assert [row["annotators"] for row in rows] == [1, 2]
    assert rows[0]["systems"] == {"idle": 0.0}
    assert rows[1]["human"] is None
    text = run("human", "bound", "-c", "demo", "-m", "m2", "--by-category", "--last")
    assert "m2 ArtOrDet" in text


def test_change_command(run):
    rows = json.loads(run("human", "change", "-c", "demo", "-f", "json"))
    assert len(rows) == 4 + 6
    assert all(row["ster"] > 0 for row in rows)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["human", "rank", "absent.csv"], "no file of judgments 'absent.csv'"),
        (["human", "rank", "--runs", "0"], "at least one run"),
        (["human", "bound", "-c", "demo", "--essays", "1-2"], "does not say which essay"),
        (["human", "bound", "-c", "demo", "-m", "gleu", "--by-category", "-m", "m2x"], "unknown metric 'm2x'"),
        (["meta", "absent.tsv"], "absent.tsv: no such file"),
        (["meta", "--human", "jfleg"], "no references to score the systems on"),
        (["meta", "--human", "jfleg", "-c", "demo"], "no outputs of the judged systems"),
    ],
)
def test_bad_input(arguments, message, refused, monkeypatch):
    if "jfleg" in arguments:
        monkeypatch.setattr("gecbench.cli.meta._human", lambda options: ({}, None))
    assert message in refused([*arguments])


def test_other_files_are_no_judgments(tmp_path, refused):
    path = tmp_path / "notes.csv"
    path.write_text("a,b\n1,2\n")
    assert "notes.csv:1: neither a WMT CSV" in refused(["human", "rank", str(path)])
    scores = tmp_path / "mine.tsv"
    scores.write_text("A\t1\nB\t2\n")
    assert "is missing from" in refused(["meta", str(scores), "--runs", "5"])


@pytest.mark.parametrize("given", ["scores", "outputs"])
def test_a_missing_system_is_noticed_before_any_work(given, folder, refused, monkeypatch):
    for slow in ("make_ranking", "score_systems"):
        monkeypatch.setattr(f"gecbench.cli.meta.{slow}", lambda *_: pytest.fail("the names come first"))
    Path("mine.tsv").write_text("A\t1\nB\t2\n")
    Path("A.txt").write_text("".join(f"{source}\n" for source in gecbench.load_demo().sources))
    arguments = ["mine.tsv"] if given == "scores" else ["-c", "demo", "-p", "A.txt"]
    assert "A is missing from the human scores" in refused(["meta", *arguments])

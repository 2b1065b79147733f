"""Rankings, agreement, the human bound and the extent of change on the command line."""

import json
import re
from pathlib import Path

import pytest

import gecbench
from gecbench.cli import main
from gecbench.cli.human import essay_sentences
from gecbench.formats.jsonl import write_jsonl


def test_rank(run):
    rows = json.loads(run("human", "rank", "--runs", "30", "-f", "json"))
    assert [row["system"] for row in rows] == ["good-corrector", "rule-based", "spell-checker", "do-nothing"]
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


def test_agreement_that_is_not_there_is_a_dash_with_a_reason(capsys):
    assert main(["human", "agreement"]) == 0
    printed = capsys.readouterr()
    assert re.search(r"^demo: judges with themselves +– +– +0$", printed.out, re.MULTILINE)
    assert (
        "gecbench: demo: judges with themselves: kappa is undefined because no pair was judged twice\n" in printed.err
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rank", "absent.csv"], "'absent.csv' is neither a name of human judgments nor a file"),
        (["rank", "notes.csv"], "notes.csv:1: not a WMT CSV"),
        (["rank", "--runs", "0"], "at least one run"),
        (["bound", "-c", "demo", "--essays", "1-2"], "demo has no essay numbers. Leave out --essays"),
        (["bound", "-c", "demo", "-m", "gleu", "--by-category", "-m", "m2x"], "unknown metric 'm2x'"),
        (["bound", "-c", "demo", "--by-category"], "gleu has no scores by error category. Use m2, errant, imeasure or"),
        (["bound", "-c", "demo", "--by-category", "-p", "s.txt"], "-p cannot be combined with --by-category"),
        (["change", "-c", "ragged.jsonl"], "1-2 references per sentence"),
    ],
)
def test_bad_input(arguments, message, refused, folder):
    Path("notes.csv").write_text("a,b\n1,2\n")
    Path("s.txt").write_text("".join(f"{line}\n" for line in gecbench.load_demo().sources))
    write_jsonl(gecbench.Corpus(sources=["a", "b"], references=[["a"], ["b", "c"]]), "ragged.jsonl")
    refused(["human", *arguments], message)


@pytest.mark.parametrize(("essays", "sentences"), [("1-2", [0, 1, 2]), ("3", [3])])
def test_essays(essays, sentences):
    corpus = gecbench.Corpus(sources=list("abcd"), metadata={"columns": {"essay": (1, 2, 2, 3)}})
    assert essay_sentences(corpus, essays) == sentences


@pytest.mark.parametrize(("essays", "message"), [("1-x", "'1-x' is not a range"), ("7", "has no essay 7")])
def test_bad_essays(essays, message):
    with pytest.raises(gecbench.InputError, match=message):
        essay_sentences(gecbench.Corpus(sources=["a"], metadata={"columns": {"essay": (1,)}}), essays)


def test_the_help_of_bound_lists_the_metrics(exits):
    text = exits(["human", "bound", "--help"]).out
    assert "{the metrics}" not in text
    assert all(f"\n  {name} " in text for name in ("gleu", "m2", "imeasure"))

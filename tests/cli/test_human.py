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
        (["rank", "absent.csv"], "unknown human judgments 'absent.csv'. Give a file or one of demo"),
        (["rank", "notes.csv"], "notes.csv:1: not a WMT CSV"),
        (["rank", "empty.csv"], "empty.csv: there are no judgments to rank by. Give at least one ranked pair"),
        (["bound", "-c", "demo", "--essays", "1-2"], "demo has no essay numbers. Leave out --essays"),
        (["bound", "-c", "demo", "-m", "gleu", "--by-category", "-m", "m2x"], "unknown metric 'm2x'"),
        (["bound", "-c", "demo", "--by-category"], "gleu has no scores by error category. Use m2, errant, imeasure or"),
        (["bound", "-c", "demo", "--by-category", "-p", "s.txt"], "-p cannot be combined with --by-category"),
        (["change", "-c", "ragged.jsonl"], "1-2 references per sentence"),
    ],
)
def test_bad_input(arguments, message, refused, folder):
    Path("notes.csv").write_text("a,b\n1,2\n")
    Path("empty.csv").write_text("segmentId,judgeID,system1Id,system1rank,system2Id,system2rank\n")
    Path("s.txt").write_text("".join(f"{line}\n" for line in gecbench.load_demo().sources))
    write_jsonl(gecbench.Corpus(sources=["a", "b"], references=[["a"], ["b", "c"]]), "ragged.jsonl")
    refused(["human", *arguments], message)


@pytest.mark.parametrize("words", ["human rank --runs", "reproduce --runs", "leaderboard build -o x --resamples"])
@pytest.mark.parametrize("number", ["0", "-1"])
def test_numbers_of_runs(words, number, exits):
    option = words.split()[-1]
    message = f"argument {option}: '{number}' is not a whole number of at least 1."
    assert message in exits([*words.split(), number], 2).err


def test_two_sets_of_judgments_without_common_outputs(folder, capsys):
    Path("own.csv").write_text("segmentId,judgeID,system1Id,system1rank,system2Id,system2rank\n1,j,A,1,B,2\n")
    assert main(["human", "agreement", "demo", "own.csv"]) == 0
    assert "kappa is undefined because no pair of outputs was judged in both\n" in capsys.readouterr().err


def test_missing_lines_of_an_annotator_are_noted(folder, capsys):
    edit = "A 0 1|||R|||b|||REQUIRED|||-NONE-|||"
    Path("gold.m2").write_text(f"S a\n{edit}0\n{edit}1\n\nS c\n{edit}0\n\nS d\n\n")
    assert main(["human", "bound", "--gold", "gold.m2", "-m", "m2"]) == 0
    unchanged = "human scores treat a sentence that an annotator left out as unchanged"
    note = f"{unchanged} (annotator 1: 1 sentence)\n"
    assert note in capsys.readouterr().err
    Path("out.txt").write_text("b\nb\nd\n")
    submit = ["leaderboard", "submit", "-c", "gold.m2", "-p", "out.txt", "--name", "x", "--dry-run"]
    assert main(submit) == 0
    assert note in capsys.readouterr().err


def test_the_columns_of_change_are_explained(run):
    shown = run("human", "change", "-c", "demo")
    assert "\nsTER: mean number of TER edits per sentence" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert "TER edits" not in run("human", "change", "-c", "demo", "-f", "tsv")


def test_help_of_wide_says_what_it_prints(exits):
    shown = {
        name: " ".join(exits([*name.split(), "--help"]).out.split())
        for name in ("human change", "score", "published", "leaderboard list")
    }
    about = {
        name: text.partition("--wide print wide ")[2].partition(" (default: fit")[0] for name, text in shown.items()
    }
    assert about["human change"] == "text tables"
    assert about["score"] == "text and LaTeX tables that include interval limits and p-values"
    assert about["leaderboard list"] == "text tables with interval limits"
    assert about["published"].startswith("text tables with full names")


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

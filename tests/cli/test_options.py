"""Options that commands share: hints for mistyped words, abbreviations, a status for pipelines."""

from pathlib import Path

import pytest

import gecbench
from gecbench.cli import main
from gecbench.corpora.demo import DATA

GOOD, BAD = (str(DATA / "systems" / f"{name}.txt") for name in ("good-corrector", "do-nothing"))


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["scroe"], "unknown command 'scroe'. Did you mean score?\n"),
        (
            ["score", "--mterics", "gleu"],
            "gecbench score: error: unrecognized argument: --mterics. Did you mean --metrics?\n",
        ),
        (["score", "-c", "demo", "-p", GOOD, "-f", "jsn"], "invalid choice: 'jsn'. Did you mean json?\n"),
        (["score", "-c", "demo", "-p", GOOD, "-f", "xyz"], "invalid choice: 'xyz'. Choose from "),
        (["human", "rnak"], "invalid choice: 'rnak'. Did you mean rank?\n"),
        (["--versoin"], "unknown option '--versoin'. Did you mean --version?\n"),
        (
            ["demo", "--zzz"],
            "gecbench demo: error: unrecognized argument: --zzz. For help, run: gecbench demo --help\n",
        ),
        (
            ["score"],
            "gecbench score: error: the following arguments are required: -p/--predictions. For help, run:",
        ),
        (["score", "-p"], "gecbench score: error: argument -p/--predictions: expected at least one argument"),
        (["demo", "zzz"], "gecbench demo: error: unrecognized argument: zzz. For help, run: gecbench demo --help\n"),
    ],
)
def test_did_you_mean_in_usage(exits, arguments, hint):
    said = exits(arguments, 2).err
    assert hint in said
    assert len(said.splitlines()) == 1, "the mistake is buried"
    assert sum(hint in said for hint in ("Did you mean", "Choose from", "For help")) == 1, "more than one fix"


MISSING = {
    "score": ["score", "-c", "jfleg:test", "-p", GOOD, "none.txt"],
    "score, a stream": ["score", "--stream", "-c", "jfleg:test", "-p", "none.txt"],
    "compare": ["compare", "-c", "jfleg:test", "-p", GOOD, "none.txt"],
    "explain": ["explain", "-c", "jfleg:test", "-m", "m2", "-p", "none.txt"],
    "human": ["human", "bound", "-c", "jfleg:test", "-p", "none.txt"],
    "meta": ["meta", "none.txt", "--human", "conll14"],
    "results": ["results", "write", "--repo-dataset", "x/y", "-c", "jfleg:test", "-p", "none.txt"],
    "leaderboard": ["leaderboard", "submit", "-c", "jfleg:test", "-p", "none.txt", "--name", "x"],
    "tokenize": ["tokenize", "none.txt", "-c", "jfleg:test"],
}


@pytest.fixture
def no_network(folder, monkeypatch):
    """Fail where anything is looked up in the mirror, the cache or the network."""
    monkeypatch.setattr("gecbench.corpora.upstream.Upstream.read", lambda *_: pytest.fail("it looked for the corpus"))


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("arguments", MISSING.values(), ids=MISSING)
def test_local_files_are_checked_before_a_corpus_is_fetched(refused, arguments):
    refused(arguments, "none.txt: no such file. Check the path.")


@pytest.mark.usefixtures("no_network")
def test_local_files_are_checked_before_a_corpus_is_fetched_in_python():
    with pytest.raises(gecbench.InputError, match=r"none\.txt: no such file"):
        gecbench.score(Path("none.txt"), "jfleg:test")
    with pytest.raises(gecbench.InputError, match=r"none\.txt: no such file"):
        gecbench.compare({"a": Path(GOOD), "b": Path("none.txt")}, "jfleg:test")


@pytest.mark.parametrize("command", [["score"], ["compare", "--resamples", "10"]])
def test_repeated_options_collect_their_values(run, command):
    corpus = ["-s", DATA / "source.txt", "-r", DATA / "reference0.txt"]
    once = run(*command, *corpus, DATA / "reference1.txt", "-p", GOOD, BAD, "-m", "gleu", "bleu")
    twice = ["-r", DATA / "reference1.txt", "-p", GOOD, "--predictions", BAD, "-m", "gleu", "--metrics=bleu"]
    assert run(*command, *corpus, *twice) == once


def test_a_single_value_cannot_be_given_twice(run, exits):
    demo = ["score", "-c", "demo", "-p", GOOD]
    said = exits([*demo, "-f", "tsv", "--format", "json"], 2).err
    assert "argument -f/--format: is given twice, but takes one value. " in said
    assert run(*demo, "-f", "tsv", "--format", "tsv") == run(*demo, "-f", "tsv")


def test_an_option_may_still_be_abbreviated(run):
    assert run("demo", "--form", "tsv").startswith("system\t")


@pytest.mark.parametrize(("command", "extra"), [("score", []), ("compare", ["--resamples", "10"])])
@pytest.mark.parametrize(("limit", "status"), [("10", 0), ("45.3", 1)])
def test_fail_under(capsys, command, extra, limit, status):
    arguments = [command, "-c", "demo", "-p", GOOD, BAD, "-m", "gleu", "bleu", *extra, "--fail-under", limit]
    assert main(arguments) == status
    output = capsys.readouterr()
    assert "good-corrector" in output.out
    printed = {line.split()[0]: line.split()[1] for line in output.out.splitlines()[2:4]}
    assert all(float(value) < 45.3 for value in printed.values())
    said = [f"gecbench: {name}: gleu {value} is below 45.3" for name, value in printed.items()]
    assert output.err.splitlines() == (said if status else [])


@pytest.mark.parametrize("limit", ["nan", "inf", "1_0"])
def test_fail_under_needs_a_finite_number(exits, limit):
    said = exits(["score", "-c", "demo", "-p", GOOD, "--fail-under", limit], 2).err
    assert f"argument --fail-under: {limit!r} is not a finite number" in said


@pytest.mark.parametrize("command", ["demo", "score", "compare", "convert", "doctor", "run", "results", "push", "data"])
def test_help_has_examples(exits, command):
    assert "examples:\n  " in exits([command, "--help"]).out

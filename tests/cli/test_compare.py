"""The compare command."""

import json

import pytest

import gecbench
from gecbench.corpora.demo import DATA

GOOD, BAD = (str(DATA / "systems" / f"{name}.txt") for name in ("good-corrector", "do-nothing"))


def test_the_opponent_is_checked_before_anything_is_scored(refused, monkeypatch):
    monkeypatch.setattr(gecbench.GLEU, "count", lambda *_: pytest.fail("it was scored"))
    command = ["compare", "-c", "demo", "-p", GOOD, BAD, "--against", "do-nothin"]
    refused(command, r"--against 'do-nothin' is not one of the systems\. Did you mean do-nothing\?")


@pytest.mark.filterwarnings("always")
def test_intervals_of_few_sentences_warn_once(folder, run):
    demo = [str(DATA / name) for name in ("source.txt", "reference0.txt")]
    systems, metrics = ["-p", GOOD, BAD, "--resamples", "20"], ["-m", "gleu", "m2", "imeasure"]
    with pytest.warns(gecbench.SmallSampleWarning, match=r"fewer than 300 sentences .*corpus has 42") as caught:
        run("compare", "-s", demo[0], "-r", demo[1], *systems, *metrics)
    assert len(caught) == 1


def test_p_values_are_adjusted_in_every_format(run):
    """Two systems and three metrics are three comparisons: of 1/21 each, Holm's method makes 3/21 = 0.143."""
    words = ["compare", "-c", "demo", "-p", BAD, GOOD, "--resamples", "20", "-m", "gleu", "m2", "bleu", "--format"]
    tests = json.loads(run(*words, "json"))["tests"]
    assert [test["p_value"] for test in tests] == pytest.approx([1 / 21] * 3)
    assert [test["p_adjusted"] for test in tests] == pytest.approx([3 / 21] * 3)
    for report_format in ("text", "tsv", "markdown", "latex"):
        shown = run(*words, report_format, "--wide")
        assert shown.count("0.143") == 3
        assert "With 20 resamples no difference can be significant; use at least 60." in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [([GOOD, BAD, "--resamples", "0"], "needs at least one resample"), ([GOOD], "needs at least two systems")],
)
def test_wrong_use(refused, words, message):
    refused(["compare", "-c", "demo", "-p", *words], message)


def test_both_spellings_of_the_test(run):
    words = ["compare", "-c", "demo", "-p", BAD, GOOD, "--resamples", "20", "--test"]
    assert run(*words, "randomization") == run(*words, "randomisation")

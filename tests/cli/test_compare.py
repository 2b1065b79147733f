"""The compare command."""

import pytest

import gecbench
from gecbench.corpora.demo import DATA

GOOD, BAD = (str(DATA / "systems" / f"{name}.txt") for name in ("good-corrector", "do-nothing"))


def test_the_opponent_is_checked_before_anything_is_scored(refused, monkeypatch):
    monkeypatch.setattr(gecbench.GLEU, "count", lambda *_: pytest.fail("it was scored"))
    command = ["compare", "-c", "demo", "-p", GOOD, BAD, "--against", "do-nothin"]
    refused(command, r"against='do-nothin' names no system\. Did you mean do-nothing\?")


@pytest.mark.parametrize(
    ("words", "message"), [([GOOD, BAD, "--resamples", "0"], "needs resamples"), ([GOOD], "needs two systems")]
)
def test_wrong_use(refused, words, message):
    refused(["compare", "-c", "demo", "-p", *words], message)

"""Judgments made up for tests."""

from __future__ import annotations

from gecbench.formats.judgments import Judgment


def judged(judge: str, sentence: int, words: str) -> list[Judgment]:
    """Return judgments written as `A>B A=C`."""
    ranks = {">": (1.0, 2.0), "<": (2.0, 1.0), "=": (1.0, 1.0), "?": (float("nan"), 1.0)}
    return [Judgment(sentence, judge, word[0], word[2], *ranks[word[1]]) for word in words.split()]

"""Judgments for tests: made up, and published."""

from __future__ import annotations

from gecbench.corpora.conll14 import read_rankings
from gecbench.corpora.upstream import Upstream
from gecbench.formats.judgments import Judgment, Ranking


def judged(judge: str, sentence: int, words: str) -> list[Judgment]:
    """Return judgments written as `A>B A=C`."""
    ranks = {">": (1.0, 2.0), "<": (2.0, 1.0), "=": (1.0, 1.0), "?": (float("nan"), 1.0)}
    return [Judgment(sentence, judge, word[0], word[2], *ranks[word[1]]) for word in words.split()]


def approved(mirror: Upstream, split: str) -> list[Ranking]:
    """Return the published rankings of a split that the platform did not reject."""
    return [ranking for ranking in read_rankings(mirror, split) if ranking.approved]

"""The human score beside a submission's, and the submission's ratio to it."""

from __future__ import annotations

from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError
from gecbench.human.bound import human_bound
from gecbench.metrics.base import Score

_KNOWN: dict[tuple[str, str], float | None] = {}


def human_figures(score: Score, corpus: Corpus) -> tuple[float | None, float | None]:
    """Return people's mean score, each against the others, and the system's against the same others divided by it.

    Ratio scoring of Bryant & Ng 2015, §5.3, with all but one annotator. No human score where a sentence has only one
    reference or their number differs; no ratio where the metric's counts do not have one row per person.
    """
    key = (repr(score.metric), corpus.fingerprint(score.metric.gold(corpus)))
    if key not in _KNOWN:
        _KNOWN[key] = _human(score, corpus)
    human = _KNOWN[key]
    people = set(score.statistics.choices().tolist())
    if not human or human < 0 or len(people) != 1 or people == {1}:
        return human, None
    return human, _against_all_but_one(score, people.pop()) / human


def _human(score: Score, corpus: Corpus) -> float | None:
    try:
        bound = human_bound(score.metric, corpus, sizes="last")
    except InputError:
        return None
    return bound.rows[0].human


def _against_all_but_one(score: Score, people: int) -> float:
    left_out = ([k for k in range(people) if k != one] for one in range(people))
    values = [score.metric.value_of(score.statistics.keep_choices(kept)) for kept in left_out]
    return sum(values) / len(values)

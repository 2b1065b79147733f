"""How well a person does: each reference or annotator against the others, and a system's score relative to that."""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.corpus import Corpus
from gecbench.edits import derive_references
from gecbench.errors import InputError
from gecbench.metrics.base import Metric
from gecbench.result import Score
from gecbench.statistics import Statistics

_KNOWN: dict[tuple[object, ...], float] = {}


def human_bound(score: Score, corpus: Corpus) -> tuple[float, float | None] | None:
    """Return the people's mean score against one another, and the system's ratio to it.

    Each person is scored against the others, as JFLEG's upper bound is (Napoles et al. 2017, §4), and the system
    against the same others (ratio scoring of Bryant & Ng 2015, §5.3, with all but one annotator). None where the
    metric's counts do not have one row per person.
    """
    people = set(score.statistics.choices().tolist())
    if len(people) != 1 or people == {1}:
        return None
    count = people.pop()
    key = (repr(score.metric), corpus.fingerprint(score.metric.gold(corpus)))
    if key not in _KNOWN:
        texts = _texts(score.metric, corpus, count)
        if texts is None:
            return None
        counted = [score.metric.count(corpus, text) for text in texts]
        _KNOWN[key] = _mean_against_others(score.metric, counted)
    bound = _KNOWN[key]
    system = _mean_against_others(score.metric, [score.statistics] * count)
    return bound, system / bound if bound > 0 else None


def _mean_against_others(metric: Metric, counted: Sequence[Statistics]) -> float:
    people = range(len(counted))
    values = [metric.value_of(counted[k].keep_choices([j for j in people if j != k])) for k in people]
    return sum(values) / len(values)


def _texts(metric: Metric, corpus: Corpus, people: int) -> list[list[str]] | None:
    """Return what each person wrote, None where that differs in number from the metric's rows."""
    if metric.gold(corpus) == "annotations":
        try:
            corpus = derive_references(Corpus(sources=corpus.sources, annotations=corpus.annotations))
        except InputError:
            return None
    references = corpus.references or ()
    if any(len(texts) != people for texts in references):
        return None
    return [[texts[k] for texts in references] for k in range(people)]

"""Score a submission: every metric that the corpus allows, with intervals, human scores and breakdowns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gecbench.analysis.breakdown import (
    DistanceGroup,
    GrammaticalityGroup,
    by_edit_distance,
    by_grammaticality,
    has_grammaticality,
)
from gecbench.analysis.significance import with_interval
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.prepare import Prepared
from gecbench.errors import InputError
from gecbench.human.bound import human_bound
from gecbench.leaderboard.records import TYPE_FIELDS, Details, Figure, figure
from gecbench.leaderboard.settings import SEALED_DIGITS
from gecbench.metrics.base import METRICS, Metric, Score, metric_class


def details_of(scores: Mapping[str, Score], corpus: Corpus, predictions: Sequence[str]) -> Details:
    """Return the predictions with the scores of each sentence, and of groups of sentences or edits."""
    judged = scores if has_grammaticality(corpus) else {}
    return Details(
        predictions=predictions,
        sentence_scores={
            name: [round(float(value), 4) for value in score.sentence_scores()] for name, score in scores.items()
        },
        by_distance={name: _groups(by_edit_distance(score, corpus, predictions)) for name, score in scores.items()},
        by_grammaticality={name: _groups(by_grammaticality(score, corpus)) for name, score in judged.items()},
        by_type={name: found for name, score in scores.items() if (found := _types(score, corpus, predictions))},
    )


def _groups(groups: Iterable[DistanceGroup | GrammaticalityGroup]) -> list[dict[str, Any]]:
    return [{"label": group.label, "sentences": group.sentences, "value": group.value} for group in groups]


def _types(score: Score, corpus: Corpus, predictions: Sequence[str]) -> list[dict[str, Any]]:
    """Return the scores of error types, the most frequent first; none where the metric or the gold has no types.

    M2 has no precision of a type: a system does not say which type it corrects.
    """
    if "error-type" not in score.metric.breakdowns:
        return []
    try:
        found = score.metric.breakdown("error-type", corpus, predictions)
    except InputError:
        return []
    return [{name: getattr(each, name, None) for name in TYPE_FIELDS} for each in found]


Progress = Callable[[str, float], None]
DEFAULT_RESAMPLES = 1000
_HUMAN_SCORES: dict[tuple[str, str], float | None] = {}


def board_metric(name: str) -> Metric:
    """Return a metric of the registry with the parameters that boards use."""
    metric = metric_class(name)
    return metric(**metric.board_parameters)


def rescored(name: str, corpus: Corpus, predictions: Sequence[str]) -> Score:
    """Score outputs that a board has taken before."""
    return board_metric(name).score_corpus(corpus, predictions, aligned=True, tokenized=True)


def usable_metrics(corpus: Corpus) -> list[str]:
    """Return the metrics of the registry for which a corpus has the gold, and this machine what they need."""
    ready = [name for name, metric in METRICS.items() if metric.missing() is None]
    return [name for name in ready if getattr(corpus, board_metric(name).gold(corpus)) is not None]


@dataclass(frozen=True)
class Figures:
    """The figures of a system by metric, the details behind them, and a warning for each metric left out."""

    scores: dict[str, Figure]
    details: Details
    warnings: tuple[str, ...]


def compute_figures(prepared: Prepared, resamples: int, progress: Progress, *, sealed: bool = False) -> Figures:
    """Score with every usable metric; one that cannot score these outputs is left out with a warning.

    If `sealed`, figures are rounded, and neither sentences nor warnings tell of single references.
    """
    corpus, predictions = prepared.corpus, prepared.lines
    metrics = usable_metrics(corpus)
    if not metrics:
        raise InputError(f"{corpus.name} has neither references nor annotations to score against")
    scores: dict[str, Score] = {}
    figures: dict[str, Figure] = {}
    warnings = []
    for k, name in enumerate(metrics):
        progress(METRICS[name].title, (k + 0.1) / (len(metrics) + 1))
        try:
            score = board_metric(name).score_prepared(prepared)
            scores[name] = with_interval(score, resamples) if resamples else score
        except InputError as error:
            warnings.append(f"{METRICS[name].title} is left out" + ("" if sealed else f": {error}"))
            continue
        figures[name] = _figure(scores[name], corpus)
    if not scores:
        raise InputError("no metric can score these outputs", fix=" ".join(warnings))
    progress("details", len(metrics) / (len(metrics) + 1))
    if sealed:
        return Figures({name: _rounded(each) for name, each in figures.items()}, Details(predictions), tuple(warnings))
    return Figures(figures, details_of(scores, corpus, predictions), tuple(warnings))


def _rounded(found: Figure) -> Figure:
    """Return a figure to a tenth of a point, quotients made of what is told."""

    def told(value: object) -> object:
        return round(value, 2 + SEALED_DIGITS) if isinstance(value, float) else value

    human, others = told(found["human"]), told(found["against_others"])
    ratio = None if not isinstance(human, float) or not isinstance(others, float) else told(others / human)
    parts = {name: told(value) for name, value in found["parts"].items()}
    return {**{name: told(value) for name, value in found.items()}, "parts": parts, "ratio": ratio}


def human_figures(score: Score, corpus: Corpus) -> dict[str, float | None]:
    """Return people's mean score, each against the others, the system's against the same others, and their quotient.

    Ratio scoring of Bryant & Ng 2015, §5.3, with all but one annotator. No human score where a sentence has only one
    reference or their number differs; nothing beside it where the metric's counts do not have one row per person.
    """
    key = (repr(score.metric), corpus.fingerprint(score.metric.gold(corpus)))
    if key not in _HUMAN_SCORES:
        _HUMAN_SCORES[key] = _human_score(score, corpus)
    human = _HUMAN_SCORES[key]
    people = set(score.statistics.choices().tolist())
    if not human or human < 0 or len(people) != 1 or people == {1}:
        return {"human": human, "against_others": None, "ratio": None}
    others = _against_all_but_one(score, people.pop())
    return {"human": human, "against_others": others, "ratio": others / human}


def _human_score(score: Score, corpus: Corpus) -> float | None:
    try:
        return human_bound(score.metric, corpus, sizes="last").rows[0].human
    except InputError:
        return None


def _against_all_but_one(score: Score, people: int) -> float:
    left_out = ([k for k in range(people) if k != one] for one in range(people))
    values = [score.metric.value_of(score.statistics.keep_choices(kept)) for kept in left_out]
    return sum(values) / len(values)


def _figure(score: Score, corpus: Corpus) -> Figure:
    interval = score.interval
    return figure(
        score.value,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        parts={name: score.parts[name] for name in score.metric.columns},
        bounded=score.diagnostics.get("unmixed_sentences") or None,
        signature=str(score.signature),
        **human_figures(score, corpus),
    )

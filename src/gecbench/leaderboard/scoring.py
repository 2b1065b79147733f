"""Score outputs with every metric that can score their corpus.

Scores come with intervals, human scores and breakdowns.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gecbench.analysis.breakdown import (
    DistanceGroup,
    GrammaticalityGroup,
    by_grammaticality,
    by_source_distance,
    has_grammaticality,
)
from gecbench.analysis.significance import with_interval
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.prepare import Prepared, check_predictions
from gecbench.errors import InputError
from gecbench.human.bound import human_bound
from gecbench.leaderboard.records import PRIVATE_DIGITS, TYPE_FIELDS, Details, Figure, figure
from gecbench.metrics.base import METRICS, Metric, Score, make_metric, metric_class
from gecbench.metrics.m2 import M2, trimmed

Progress = Callable[[str, float], None]
DEFAULT_RESAMPLES = 1000
PLUGINS = "GECBENCH_BOARD_PLUGINS"
_LONGEST_COLUMN = 30
_HUMAN_SCORES: dict[tuple[str, str], float | None] = {}


@dataclass(frozen=True)
class Figures:
    """A system's figures and scores by metric, its details, and warnings.

    There is a warning for each metric that could not score the outputs.
    """

    figures: dict[str, Figure]
    scores: dict[str, Score]
    details: Details
    warnings: tuple[str, ...]


def compute_figures(prepared: Prepared, resamples: int, progress: Progress, *, private: bool = False) -> Figures:
    """Score outputs with every usable metric.

    A metric that cannot score these outputs is left out with a warning. If `private`, figures are rounded, and neither
    the details nor the warnings reveal single references.
    """
    corpus = prepared.corpus
    metrics = usable_metrics(corpus)
    if not metrics:
        raise InputError(f"{corpus.name} has neither references nor annotations", fix="Choose another corpus")
    scores: dict[str, Score] = {}
    figures: dict[str, Figure] = {}
    warnings = []
    for k, (name, metric) in enumerate(metrics.items()):
        progress(metric.title, (k + 0.1) / (len(metrics) + 1))
        try:
            score = metric.score_prepared(prepared)
            scores[name] = with_interval(score, resamples) if resamples else score
        except InputError as error:
            reason = "" if private else f": {error}".rstrip(".")
            warnings.append(f"{metric.title} could not be computed{reason}")
            continue
        figures[name] = _figure(scores[name], corpus)
    if not scores:
        raise InputError("no metric can score these outputs", fix=". ".join(warnings))
    progress("sentences and error types", len(metrics) / (len(metrics) + 1))
    if private:
        figures = {name: _round_figure(each) for name, each in figures.items()}
    details = Details(prepared.lines) if private else details_of(scores, prepared)
    return Figures(figures, scores, details, tuple(warnings))


def board_metric(name: str) -> Metric:
    """Return the plug-in or, with default parameters, the metric with this name."""
    return board_plugins().get(name) or metric_class(name)()


def board_plugins() -> dict[str, Metric]:
    """Return the plug-ins that score submissions, by the name of their column.

    Plug-ins (`python:module:function`) are given on the command line (`--plugin`) and passed to child processes in an
    environment variable. A board's folder cannot name plug-ins, because it may come from others, and plug-ins run code.
    """
    made = map(make_metric, os.environ.get(PLUGINS, "").split())
    return {_column_name(metric.name): metric for metric in made}


def _column_name(name: str) -> str:
    """Return the name of a plug-in in records, which differs from gecbench's metrics.

    >>> _column_name("Word F1 (GPT-4o)"), _column_name("3-judges"), _column_name("GLEU!")
    ('word-f1-gpt-4o', 'plugin-3-judges', 'plugin-gleu')
    """
    short = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_LONGEST_COLUMN]
    return short if short[:1].isalpha() and short not in METRICS else f"plugin-{short}"


def is_plugin(figure: Figure) -> bool:
    """Return whether a figure was computed by a plug-in, according to its signature."""
    return str(figure["signature"]).startswith("python|")


def metric_title(name: str) -> str:
    """Return the title of a metric or plug-in on the board.

    Every name that is not a metric of gecbench is the name of a plug-in.
    """
    return METRICS[name].title if name in METRICS else f"{name} (plug-in)"


def usable_metrics(corpus: Corpus) -> dict[str, Metric]:
    """Return the installed metrics and the plug-ins that can score a corpus.

    The corpus must have the references or edits that a metric needs.
    """
    ready = {name: metric_class(name)() for name, metric in METRICS.items() if metric.missing() is None}
    ready |= board_plugins()
    return {name: metric for name, metric in ready.items() if corpus.has(metric.gold(corpus))}


def prepare_stored(corpus: Corpus, predictions: Sequence[str]) -> Prepared:
    """Return outputs that a board has accepted before, ready to be scored again."""
    return Prepared(corpus, check_predictions(predictions, len(corpus)))


def _figure(score: Score, corpus: Corpus) -> Figure:
    interval = score.interval
    return figure(
        score.value,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        parts={name: score.parts[name] for name in score.metric.columns},
        capped=score.diagnostics.get("capped_sentences") or None,
        signature=str(score.signature),
        # Annotators are not scored with plug-ins, which may be slow or cost money.
        **(human_figures(score, corpus) if score.metric.name in METRICS else {}),
    )


def human_figures(score: Score, corpus: Corpus) -> dict[str, float | None]:
    """Return the human score, a system's comparable score, and their ratio.

    This is the ratio scoring of Bryant & Ng 2015, §5.3. `human` is the mean score of one annotator against all others.
    `against_others` is the system's score against the same references. `ratio` is `against_others` divided by `human`.
    `human` is None if sentences have only one reference or different numbers of references. The other two values are
    None if `human` is None or not positive, or if the metric's counts do not have one row per annotator.
    """
    key = (repr(score.metric), corpus.fingerprint(score.metric.gold(corpus)))
    if key not in _HUMAN_SCORES:
        _HUMAN_SCORES[key] = _human_score(score.metric, corpus)
    human = _HUMAN_SCORES[key]
    annotators = set(score.statistics.choices().tolist())
    apart = score.metric.reference_policy.one_row_per_reference
    if not human or human < 0 or len(annotators) != 1 or annotators == {1} or not apart:
        return {"human": human, "against_others": None, "ratio": None}
    others = _against_all_but_one(score, annotators.pop())
    return {"human": human, "against_others": others, "ratio": others / human}


def _human_score(metric: Metric, corpus: Corpus) -> float | None:
    try:
        return human_bound(metric, corpus, sizes="last").rows[0].human
    except InputError:
        return None


def _against_all_but_one(score: Score, annotators: int) -> float:
    left_out = ([k for k in range(annotators) if k != one] for one in range(annotators))
    values = [score.metric.value_of(score.statistics.keep_choices(kept)) for kept in left_out]
    return sum(values) / len(values)


def _round_figure(found: Figure) -> Figure:
    """Return a figure with its scores rounded to 0.1 percent.

    The ratio is computed from the rounded scores. Precision and recall are left out, because for few edits they reveal
    how many of the edits are correct.
    """

    def rounded(value: object) -> object:
        return round(value, 2 + PRIVATE_DIGITS) if isinstance(value, float) else value

    human, others = rounded(found["human"]), rounded(found["against_others"])
    ratio = None if not isinstance(human, float) or not isinstance(others, float) else rounded(others / human)
    return {**{name: rounded(value) for name, value in found.items()}, "parts": {}, "ratio": ratio}


def details_of(scores: Mapping[str, Score], prepared: Prepared) -> Details:
    """Return the predictions, with scores of sentences and of groups by metric."""
    corpus, lines = prepared.corpus, prepared.lines
    judged = scores if has_grammaticality(corpus) else {}
    return Details(
        predictions=lines,
        sentence_scores={
            name: [round(float(value), 4) for value in score.sentence_scores()] for name, score in scores.items()
        },
        by_source_distance={
            name: _distance_groups(score, corpus) for name, score in scores.items() if corpus.references
        },
        by_grammaticality={name: _groups(by_grammaticality(score, corpus)) for name, score in judged.items()},
        by_type={name: found for name, score in scores.items() if (found := _types(score.metric, corpus, lines))},
    )


def sentence_edits(corpus: Corpus, predictions: Sequence[str]) -> list[list[tuple[str, int, int, str, str]]]:
    """Return the edits of each sentence as M2 counts them.

    The gold edits are from the annotator that M2 chooses for the sentence. Each edit is a tuple of its outcome
    ("correct", "wrong" or "missed"), the start and the end of its tokens in the source, its correction and its error
    type. The type of a wrong edit is not known, so it is empty. If the corpus has no gold edits, the list is empty.
    """
    metric = board_metric("m2")
    assert isinstance(metric, M2)
    if not corpus.has(metric.gold(corpus)):
        return []
    found = []
    for source, match in zip(corpus.sources, metric.matches(corpus, predictions), strict=True):
        tokens = source.split()
        edits = [
            ("correct" if made else "missed", edit.start, edit.end, edit.corrections[0], edit.type)
            for edit, made in zip(match.annotation.edits, match.matched_gold, strict=True)
        ]
        wrong = (edit for edit, made in zip(match.proposed, match.matched_proposed, strict=True) if not made)
        short = (trimmed(tokens, edit) for edit in wrong)
        edits += [("wrong", edit.start, edit.end, edit.corrections[0], "") for edit in short]
        found.append(sorted(edits, key=lambda edit: edit[1:3]))
    return found


def _distance_groups(score: Score, corpus: Corpus) -> list[dict[str, Any]]:
    """Return the scores of groups by the distance between source and references.

    If the metric counts edits, the group of distance 0 has no score.
    """
    groups = by_source_distance(score, corpus)
    counts_edits = "gold" in score.parts
    return _groups(replace(group, value=None) if counts_edits and group.high == 0 else group for group in groups)


def _groups(groups: Iterable[DistanceGroup | GrammaticalityGroup]) -> list[dict[str, Any]]:
    return [{"label": group.label, "sentences": group.sentences, "value": group.value} for group in groups]


def _types(metric: Metric, corpus: Corpus, predictions: Sequence[str]) -> list[dict[str, Any]]:
    """Return the scores of error types, the most frequent type first.

    The list is empty if the metric or the gold edits have no types. M2 has no precision per type, because a system does
    not say which type it corrects.
    """
    if "error-type" not in metric.breakdowns:
        return []
    try:
        found = metric.breakdown("error-type", corpus, predictions)
    except InputError:
        return []
    return [{name: getattr(each, name, None) for name in TYPE_FIELDS} for each in found]

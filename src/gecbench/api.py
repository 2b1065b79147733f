"""Scoring and comparing systems: the functions most users need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from gecbench.analysis.report import Report, Scores
from gecbench.analysis.significance import (
    DEFAULT_SEED,
    TESTS,
    Pair,
    PairedTest,
    TestName,
    check_resamples,
    paired_tests,
    with_intervals,
)
from gecbench.corpora.load import CorpusLike, resolve_corpus
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.prepare import Prepared, Preprocessing
from gecbench.errors import InputError, did_you_mean
from gecbench.formats.tables import texts_of
from gecbench.metrics.base import Metric, Score, make_metric

if TYPE_CHECKING:
    from gecbench.human.bound import Bound, Sizes

Predictions = Iterable[str] | Any
Metrics = str | Metric | Sequence[str | Metric]
DEFAULT_METRICS = ("gleu",)


def score(
    predictions: Predictions,
    corpus: CorpusLike,
    metrics: Metrics = DEFAULT_METRICS,
    *,
    resamples: int = 0,
    seed: int = DEFAULT_SEED,
    column: str | None = None,
    tokenize: str = "none",
    tokenized: bool = False,
    aligned: bool = False,
    foreign: Literal["warning", "error"] = "warning",
) -> Scores:
    """Score one system's predictions on a corpus: a `Corpus`, a name (`"demo"`, `"jfleg:test"`), a file or rows.

    Returns the scores by metric name. `metrics` are names from the registry, with parameters in brackets if any
    (`"gleu(draws=py3)"`), or metric objects. `resamples` > 0 adds a bootstrap interval.

    `predictions` are texts, or a table (a `datasets.Dataset`, a pandas or polars frame, a list of dictionaries) in
    which `column` names them. `tokenize` brings natural text to tokens: "auto" is the corpus's own way, guided by the
    sources. Text that is not tokenised like its sources is refused without it, unless `tokenized=True`; shifted
    lines unless `aligned=True`; text that shares hardly a word with its sources gives a warning, or an error
    if `foreign="error"`.
    """
    if isinstance(predictions, Mapping):
        raise InputError("score takes one system's predictions", fix="Use compare({name: predictions, ...}, corpus)")
    gold, preprocessing = resolve_corpus(corpus, _listed(metrics)), Preprocessing(tokenize, tokenized, aligned, foreign)
    texts = texts_of(predictions, gold, column)
    return Scores(score_system(texts, gold, metrics, resamples, seed, "predictions", preprocessing))


def compare(
    systems: Mapping[str, Predictions],
    corpus: CorpusLike,
    metrics: Metrics = DEFAULT_METRICS,
    *,
    resamples: int = 1000,
    seed: int = DEFAULT_SEED,
    test: TestName | None = "randomisation",
    against: str = "first",
    column: str | None = None,
    tokenize: str = "none",
    tokenized: bool = False,
    aligned: bool = False,
    foreign: Literal["warning", "error"] = "warning",
) -> Report:
    """Score several systems, with intervals and paired tests; predictions and their preparation are as in `score`.

    `against`: each system is tested against the "first" one given, against the one ranked just "above" it, or
    against the system of that name. `test` is "randomisation" (approximate randomisation), "bootstrap" (paired
    bootstrap), "t-test" (paired, over sentence scores) or None.
    """
    if not isinstance(systems, Mapping):
        raise InputError("compare takes a mapping from system name to predictions")
    if not systems:
        raise InputError("no systems to compare")
    check_test(test)
    if test is not None:
        _check_opponent(systems, against)
    gold, preprocessing = resolve_corpus(corpus, _listed(metrics)), Preprocessing(tokenize, tokenized, aligned, foreign)
    texts = {name: texts_of(predictions, gold, column) for name, predictions in systems.items()}
    prepared = {name: preprocessing.prepare(gold, lines, f"predictions of {name}") for name, lines in texts.items()}
    scored = _score_prepared(prepared, metrics, resamples, seed)
    return Report(scored, significance_tests(scored, test, against, resamples, seed))


def significance_tests(
    scored: Mapping[str, Mapping[str, Score]], test: TestName | None, against: str, resamples: int, seed: int
) -> list[PairedTest]:
    """Test the systems' scores against each other, for every metric."""
    if test is None:
        return []
    _check_opponent(scored, against)
    columns, pairs = [], []
    for column in next(iter(scored.values())):
        values = {name: scores[column] for name, scores in scored.items()}
        for names in _pairs(values, against):
            columns.append(column)
            pairs.append(Pair(values[names[0]], values[names[1]], names))
    found = paired_tests(test, pairs, resamples, seed)
    return [replace(each, metric=column) for each, column in zip(found, columns, strict=True)]


def human_bound(
    metric: str | Metric,
    corpus: CorpusLike,
    systems: Mapping[str, Sequence[str]] | None = None,
    *,
    sizes: Sizes = "all",
    sentences: Sequence[int] | None = None,
    **preprocessing: Any,
) -> Bound:
    """Score annotators against each other, and systems against them, by number of annotators.

    The corpus may be a name or a file; all else is as in `gecbench.human.bound.human_bound`.
    """
    from gecbench.human import bound

    return bound.human_bound(
        metric, resolve_corpus(corpus, [metric]), systems, sizes=sizes, sentences=sentences, **preprocessing
    )


def check_test(test: str | None) -> None:
    """Refuse a test that there is not."""
    if test not in (*TESTS, None):
        raise InputError(f"test={test!r} is unknown", fix=f"Use {', '.join(map(repr, TESTS))} or None")


def score_system(
    predictions: Iterable[str],
    corpus: Corpus,
    metrics: Metrics,
    resamples: int,
    seed: int,
    name: str,
    preprocessing: Preprocessing,
) -> dict[str, Score]:
    """Return a system's scores by column name."""
    return _score_prepared({name: preprocessing.prepare(corpus, predictions, name)}, metrics, resamples, seed)[name]


def _score_prepared(
    prepared: Mapping[str, Prepared], metrics: Metrics, resamples: int, seed: int
) -> dict[str, dict[str, Score]]:
    """Return the scores of systems by name and column."""
    columns = metric_columns(metrics)
    if resamples:
        check_resamples(resamples)
    places = [(name, column) for name in prepared for column in columns]
    scores = [columns[column].score_prepared(prepared[name]) for name, column in places]
    if resamples:
        scores = with_intervals(scores, resamples, seed)
    found: dict[str, dict[str, Score]] = {name: {} for name in prepared}
    for (name, column), score in zip(places, scores, strict=True):
        found[name][column] = score
    return found


def _listed(metrics: Metrics) -> Sequence[str | Metric]:
    if isinstance(metrics, (str, Metric)):
        return [metrics]
    if not isinstance(metrics, Sequence):
        raise InputError(f"metrics are names, not a {type(metrics).__name__}", fix='Pass metrics=["gleu"], for example')
    return metrics


def metric_columns(metrics: Metrics) -> dict[str, Metric]:
    """Return metrics by column name: the metric's name, with its parameters where two share it."""
    listed = _listed(metrics)
    if not listed:
        raise InputError("no metrics", fix='Pass metrics=["gleu"], for example')
    made = [make_metric(metric) for metric in listed]
    names = [metric.name for metric in made]
    columns = [name if names.count(name) == 1 else str(wanted) for name, wanted in zip(names, listed, strict=True)]
    for column in columns:
        if columns.count(column) > 1:
            raise InputError(f"the metric {column} is given twice")
    return dict(zip(columns, made, strict=True))


def _check_opponent(systems: Mapping[str, object], against: str) -> None:
    if len(systems) < 2:
        raise InputError("one system alone has nothing to be tested against", fix="Give two, or use test=None")
    if against not in ("first", "above", *systems):
        near = did_you_mean(against, systems)
        raise InputError(f"against={against!r} names no system", fix=f"{near}Systems: {', '.join(systems)}")


def _pairs(column: Mapping[str, Score], against: str) -> list[tuple[str, str]]:
    if against == "above":
        ranked = sorted(column, key=lambda name: -column[name].value)
        return list(zip(ranked[1:], ranked[:-1], strict=True))
    baseline = next(iter(column)) if against == "first" else against
    return [(name, baseline) for name in column if name != baseline]

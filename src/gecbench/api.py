"""Score and compare systems: the functions most users need.

Inputs are resolved once (`corpora.load`), checked and prepared once (`corpus.prepare`), and then only counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from gecbench.analysis.report import Report, Scores, rank
from gecbench.analysis.significance import (
    DEFAULT_SEED,
    TESTS,
    Pair,
    PairedTest,
    TestName,
    check_resamples,
    paired_tests,
    warn_of_small_sample,
    with_intervals,
)
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.prepare import Prepared, Preprocessing
from gecbench.errors import InputError, did_you_mean
from gecbench.formats.tables import texts_of
from gecbench.formats.text import check_files
from gecbench.metrics.base import Metric, Metrics, Score, make_metric, metric_columns, with_needed_references

if TYPE_CHECKING:
    from gecbench.corpora.load import CorpusLike
    from gecbench.human.bound import Bound, Sizes
    from gecbench.human.correlation import MetaRow

Predictions = Iterable[str] | Any
DEFAULT_METRICS = ("gleu",)


def score(
    predictions: Predictions,
    corpus: CorpusLike,
    metrics: Metrics = DEFAULT_METRICS,
    *,
    resamples: int = 0,
    seed: int = DEFAULT_SEED,
    column: str | None = None,
    annotator: int | None = None,
    tokenize: str = "none",
    tokenized: bool = False,
    aligned: bool = False,
    foreign: Literal["warning", "error"] = "warning",
) -> Scores:
    """Score one system's predictions on a corpus: a `Corpus`, a name (`"demo"`, `"jfleg:test"`), a file or rows.

    Where a metric needs references and the corpus has edits alone (an M2 file), they are applied to give references.
    Returns the scores by metric name. `metrics` are names from the registry, with parameters in brackets if any
    (`"gleu(draws=py3)"`), functions of your own (`"python:module:function"`, see `gecbench.metric`), or metric objects.
    `resamples` > 0 adds a bootstrap interval.

    `predictions` are texts, or a table (a `datasets.Dataset`, a pandas or polars frame, a list of dictionaries) in
    which `column` names them, or the `Path` of a file. `annotator` chooses one where a file of edits (.m2) has several.
    `tokenize` brings natural text to tokens: "auto" is the corpus's own way, guided by the sources. Text that is not
    tokenized like its sources is refused without it, unless `tokenized=True`; shifted lines, and a reference that is
    identical to the sources, unless `aligned=True`. Predictions that share hardly a word with their sources, or all
    with a reference, give a warning, or an error if `foreign="error"`. Damaged texts, and sources and references that
    look swapped, give a warning.
    """
    if isinstance(predictions, Mapping):
        raise InputError("score takes one system's predictions", fix="Use compare({name: predictions, ...}, corpus)")
    columns = metric_columns(metrics)
    _check_files([predictions])
    gold, preprocessing = _resolve(corpus, columns), Preprocessing(tokenize, tokenized, aligned, foreign)
    prepared = preprocessing.prepare(gold, texts_of(predictions, gold, column, annotator))
    return Scores(score_prepared({"predictions": prepared}, columns, resamples, seed)["predictions"])


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
    annotator: int | None = None,
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
    check_comparison(systems, test, against)
    columns = metric_columns(metrics)
    _check_files(systems.values())
    gold, preprocessing = _resolve(corpus, columns), Preprocessing(tokenize, tokenized, aligned, foreign)
    texts = {name: texts_of(predictions, gold, column, annotator) for name, predictions in systems.items()}
    prepared = {name: preprocessing.prepare(gold, lines, f"predictions of {name}") for name, lines in texts.items()}
    return compare_prepared(prepared, columns, resamples=resamples, seed=seed, test=test, against=against)


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

    made = make_metric(metric)
    gold = _resolve(corpus, {made.name: made})
    return bound.human_bound(made, gold, systems, sizes=sizes, sentences=sentences, **preprocessing)


def meta(
    metrics: Metrics = DEFAULT_METRICS,
    human: str = "demo",
    *,
    systems: str | Sequence[str] = "all",
    corpus: CorpusLike | None = None,
    method: Literal["trueskill", "expected-wins"] = "trueskill",
    runs: int = 1000,
    **options: Any,
) -> list[MetaRow]:
    """Measure how well metrics agree with published human judgments.

    Args:
        metrics: Names of metrics, with parameters in brackets if any, or metric objects.
        human: Judgments by name: "demo", "conll14", "seeda:edit", "seeda:sentence", …
        systems: Names of judged systems, or of a set of them (SEEDA's "base" and "fluency"), or "all".
        corpus: What to score the systems on; by default what belongs to the judgments.
        method: How judgments become scores of systems; for SEEDA, which of the published scores.
        runs: Bootstrap runs of a ranking; published scores need none.
        **options: `ties`, `aggregate`, `windows`, `resamples`, `seed` of `meta_evaluate`.

    Returns:
        A row for each metric.

    Raises:
        InputError: There are no such judgments or systems, or no outputs of the judged systems are public.

    >>> gleu, m2 = meta(["gleu", "m2"], "demo", runs=20)
    >>> round(gleu.sentences.accuracy, 3), round(m2.sentences.accuracy, 3)
    (0.972, 0.91)
    """
    from gecbench.corpora.catalog import HUMAN_JUDGMENTS
    from gecbench.corpora.load import resolve_corpus
    from gecbench.formats.judgments import expand_pairs
    from gecbench.human.correlation import choose_systems, meta_evaluate, score_systems
    from gecbench.human.ranking import expected_wins, trueskill

    if human not in HUMAN_JUDGMENTS:
        near = did_you_mean(human, HUMAN_JUDGMENTS)
        raise InputError(f"no judgments {human!r}", fix=f"{near}Choose one of {', '.join(HUMAN_JUDGMENTS)}")
    source = HUMAN_JUDGMENTS[human]
    if source.systems is None:
        raise InputError(f"the outputs that {human} judges are not public", fix="Score them, and use meta_evaluate")
    scored_on = source.corpus if corpus is None else corpus
    if scored_on is None:
        raise InputError(f"no references belong to {human}", fix="Give corpus=…")
    columns = metric_columns(metrics)
    judgments = list(expand_pairs(source.rankings()))
    judged = {name for pair in judgments for name in (pair.system1, pair.system2)}
    outputs = source.systems()
    chosen = choose_systems([systems] if isinstance(systems, str) else systems, judged, [outputs], source.sets)
    references = source.judged_part(resolve_corpus(scored_on, list(columns.values())))
    texts = {name: lines for name, lines in outputs.items() if name in chosen}
    scores = score_systems(list(columns.values()), {references.name: references}, texts, sentences=True)
    scores = [replace(found, metric=name) for found, name in zip(scores, columns, strict=True)]
    if source.scores is not None:
        people: Any = {name: score for name, score in source.scores(method).items() if name in chosen}
    else:
        rank = trueskill if method == "trueskill" else expected_wins
        people = rank(judgments, runs=runs, seed=options.get("seed", 0)).select(chosen)
    pairs = [pair for pair in judgments if {pair.system1, pair.system2} <= chosen]
    return meta_evaluate(scores, people, pairs, **options)


def compare_prepared(
    systems: Mapping[str, Prepared],
    metrics: Mapping[str, Metric],
    *,
    resamples: int,
    seed: int,
    test: TestName | None = None,
    against: str = "first",
) -> Report:
    """Score and test systems whose predictions have been checked and prepared."""
    scored = score_prepared(systems, metrics, resamples, seed)
    return Report(scored, significance_tests(scored, test, against, resamples, seed))


def score_prepared(
    systems: Mapping[str, Prepared], metrics: Mapping[str, Metric], resamples: int, seed: int
) -> dict[str, dict[str, Score]]:
    """Return the scores of systems by name and column; intervals of all are resampled together."""
    if resamples:
        check_resamples(resamples)
    places = [(name, column) for name in systems for column in metrics]
    scores = [metrics[column].score_prepared(systems[name]) for name, column in places]
    if resamples:
        scores = with_intervals(scores, resamples, seed)
        corpus = next(iter(systems.values())).corpus
        warn_of_small_sample(len(corpus), corpus.name)
    found: dict[str, dict[str, Score]] = {name: {} for name in systems}
    for (name, column), score in zip(places, scores, strict=True):
        found[name][column] = score
    return found


def significance_tests(
    scored: Mapping[str, Mapping[str, Score]], test: TestName | None, against: str, resamples: int, seed: int
) -> list[PairedTest]:
    """Test the systems' scores against each other, for every metric."""
    if test is None:
        return []
    check_comparison(scored, test, against)
    columns, pairs = [], []
    for column in next(iter(scored.values())):
        values = {name: scores[column] for name, scores in scored.items()}
        for names in _pairs(values, against):
            columns.append(column)
            pairs.append(Pair(values[names[0]], values[names[1]], names))
    found = paired_tests(test, pairs, resamples, seed)
    return [replace(each, metric=column) for each, column in zip(found, columns, strict=True)]


def check_comparison(systems: Iterable[str], test: str | None, against: str) -> None:
    """Refuse an unknown test, and an opponent that is not among the systems."""
    check_test(test)
    names = list(systems)
    if test is None:
        return
    if len(names) < 2:
        raise InputError("one system alone has nothing to be tested against", fix="Give two, or use test=None")
    if against not in ("first", "above", *names):
        near = did_you_mean(against, names)
        raise InputError(f"against={against!r} names no system", fix=f"{near}Systems: {', '.join(names)}")


def check_test(test: str | None) -> None:
    """Refuse an unknown test."""
    if test not in (*TESTS, None):
        raise InputError(f"test={test!r} is unknown", fix=f"Use {', '.join(map(repr, TESTS))} or None")


def _resolve(corpus: CorpusLike, metrics: Mapping[str, Metric]) -> Corpus:
    """Return a corpus with the references that the metrics need; names, files and rows are loaded first."""
    if isinstance(corpus, Corpus):
        return with_needed_references(corpus, metrics.values())
    from gecbench.corpora.load import resolve_corpus

    return resolve_corpus(corpus, list(metrics.values()))


def _check_files(predictions: Iterable[Predictions]) -> None:
    """Refuse predictions that are the path of no file, before a corpus is fetched."""
    check_files(each for each in predictions if isinstance(each, Path))


def _pairs(column: Mapping[str, Score], against: str) -> list[tuple[str, str]]:
    if against == "above":
        ranked = rank(column)
        return list(zip(ranked[1:], ranked[:-1], strict=True))
    baseline = next(iter(column)) if against == "first" else against
    return [(name, baseline) for name in column if name != baseline]

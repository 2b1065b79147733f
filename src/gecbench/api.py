"""Score and compare systems: the functions most users need.

Each input is loaded once (`corpora.load`), checked and prepared once (`corpus.prepare`), and then scored.
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
from gecbench.errors import InputError, did_you_mean, type_name
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
    metrics: Metrics | None = None,
    *,
    resamples: int = 0,
    seed: int = DEFAULT_SEED,
    column: str | None = None,
    annotator: int | None = None,
    ignore_width: bool = False,
    tokenize: str = "none",
    tokenized: bool = False,
    aligned: bool = False,
    foreign: Literal["warning", "error"] = "warning",
) -> Scores:
    r"""Score one system's predictions on a corpus.

    Sources, references and predictions are compared token by token. Separate the tokens with spaces in all three, or
    choose a tokenizer for raw predictions with `tokenize`.

    Args:
        predictions: One corrected sentence per source sentence, in order. Give a list of strings, a table (a
            `datasets.Dataset`, a pandas or polars frame, a list of dictionaries), or a file as a `pathlib.Path`: plain
            text with one sentence per line, .csv, .tsv, .jsonl, .parquet, or edits in M2. If a table has a column
            `id`, its rows are matched by id.
        corpus: For your own texts, `gecbench.Corpus(sources=…, references=…)`. Else a name (`"demo"`, `"jfleg:test"`),
            a file (.m2, .xml, or .jsonl with the fields `source` and `references`), or a table with the columns
            `sentence` and `corrections` (a list of texts per row). If a metric needs references and there are only
            gold edits, the edits are applied to the sources.
        metrics: Metric names such as `"gleu"`, `"m2"` or `"errant"`, with parameters in parentheses
            (`"gleu(draws=py3)"`). Your own functions (`"python:module:function"`, see `gecbench.metric`) and metric
            objects work too. `gecbench.METRICS` lists the names. The default is the official metric of a named corpus
            (M2 for `conll14`), and GLEU for any other corpus.
        resamples: The number of bootstrap resamples for a 95% confidence interval. 0 computes no interval.
        seed: The seed of the bootstrap.
        column: The column of predictions, if `predictions` is a table. By default a column with a usual name, such as
            `prediction`.
        annotator: The annotator to score, if `predictions` is a file of edits (M2) with several annotators.
        ignore_width: If `predictions` is a file of edits, accept sources that differ from the corpus only in full-width
            and half-width characters.
        tokenize: How to tokenize raw predictions: `"none"`, `"auto"` (the way the corpus is tokenized), or the name of
            a tokenizer (`"treebank"`, `"spacy"`, …). If the corpus is raw text too, name a tokenizer. It then also
            tokenizes references, and the sources if there are no edits.
        tokenized: Score text as it is, even if it is not tokenized like its sources, or has labels or code fences.
        aligned: Skip the checks for shifted lines, swapped texts and identical texts, and those of `foreign`.
        foreign: Whether to give a `"warning"` or an `"error"` if predictions do not resemble their sources, or are
            identical to a reference.

    Returns:
        The scores by metric name, without parameters (`scores["gleu"]`). If you pass a metric twice, the keys are the
        strings that you passed. Each score is a `Score`: `value` (0 to 1, but the I-measure can be negative), `parts`
        (such as precision and recall), `interval` (None without `resamples`) and `signature`.

    Raises:
        InputError: The input cannot be scored: wrong number of predictions, unknown metric or corpus, text that is not
            tokenized like its sources, shifted lines, or a reference that is identical to the sources.
        gecbench.errors.MissingDependencyError: The metric or tokenizer needs a package that is not installed.
        gecbench.errors.UpstreamError: A named corpus cannot be downloaded.

    Suspicious input gives a warning: `DamagedTextWarning`, `MixedUpTextWarning`, `ForeignTextWarning` or
    `RawTextWarning`. Intervals from fewer than 300 sentences give a `SmallSampleWarning`.

    Your own texts. `references[i]` is the list of references of sentence i:

    >>> from gecbench import Corpus, score
    >>> corpus = Corpus(
    ...     sources=["He go home .", "I am agree with you ."],
    ...     references=[["He goes home .", "He went home ."], ["I agree with you ."]],
    ... )
    >>> scores = score(["He goes home .", "I am agree with you ."], corpus, ["gleu", "m2"])
    >>> f"{scores['m2'].value:.4f}", scores["m2"].parts["precision"], scores["m2"].parts["recall"]
    ('0.8333', 1.0, 0.5)

    Text files, with one file for each annotator's references:

        from pathlib import Path

        def read_lines(name):
            return [line.rstrip("\n") for line in open(name, encoding="utf-8")]

        references = list(zip(read_lines("ref0.txt"), read_lines("ref1.txt")))
        corpus = Corpus(sources=read_lines("source.txt"), references=references)
        score(Path("output.txt"), corpus)

    A named corpus, with an interval:

    >>> from gecbench import load_demo_systems
    >>> scores = score(load_demo_systems()["good-corrector"], "demo", ["gleu", "m2"], resamples=200)
    >>> f"{scores['gleu'].value:.4f}", f"{scores['gleu'].interval.low:.2f}", f"{scores['m2'].value:.4f}"
    ('0.4525', '0.42', '0.9132')
    """
    if isinstance(predictions, Mapping):
        raise InputError(
            "score takes the predictions of one system, not a dictionary",
            fix="Use compare({name: predictions, …}, corpus)",
        )
    columns = metric_columns(default_metrics(corpus) if metrics is None else metrics)
    _check_files([predictions])
    gold, preprocessing = _resolve(corpus, columns), Preprocessing(tokenize, tokenized, aligned, foreign)
    prepared = preprocessing.prepare(gold, texts_of(predictions, gold, column, annotator, ignore_width))
    return Scores(score_prepared({"predictions": prepared}, columns, resamples, seed)["predictions"])


def compare(
    systems: Mapping[str, Predictions],
    corpus: CorpusLike,
    metrics: Metrics | None = None,
    *,
    resamples: int = 1000,
    seed: int = DEFAULT_SEED,
    test: TestName | None = "randomization",
    against: str = "first",
    column: str | None = None,
    annotator: int | None = None,
    ignore_width: bool = False,
    tokenize: str = "none",
    tokenized: bool = False,
    aligned: bool = False,
    foreign: Literal["warning", "error"] = "warning",
) -> Report:
    """Score several systems, with confidence intervals and paired significance tests.

    Args:
        systems: The predictions of each system by name, each as in `score`.
        corpus: The corpus, as in `score`.
        metrics: The metrics, as in `score`.
        resamples: The number of resamples for intervals and tests. 0 computes no intervals, and needs `test=None` or
            `test="t-test"`.
        seed: The seed of the resampling.
        test: `"randomization"` (approximate randomization), `"bootstrap"` (paired bootstrap), `"t-test"` (paired
            t-test on sentence scores), or None for no test. With only one system, use None.
        against: The system that each system is tested against: `"first"` (the first system), `"above"` (the system
            ranked just above it) or a system's name.
        column: The column of predictions, if predictions are tables.
        annotator: The annotator to score, if predictions are files of edits with several annotators.
        ignore_width: If predictions are files of edits, accept sources that differ from the corpus only in full-width
            and half-width characters.
        tokenize: How to tokenize raw text, as in `score`.
        tokenized: Score text as it is, even if it is not tokenized like its sources, or has labels or code fences.
        aligned: Skip the checks for shifted lines, swapped texts and identical texts, and those of `foreign`.
        foreign: Whether to give a `"warning"` or an `"error"` if predictions do not resemble their sources, or are
            identical to a reference.

    Returns:
        A `Report`. `report[system][metric]` is a `Score`, and `report.tests` lists the tests. Print it for a table, or
        use `render("markdown")`, `to_dict()` or `to_pandas()`.

    Raises:
        InputError: The input cannot be scored (see `score`), the name of a system is not a string, the test or the
            system in `against` is unknown, there is only one system to test, or `resamples` is 0 and the test needs
            resamples.
        gecbench.errors.MissingDependencyError: The metric or tokenizer needs a package that is not installed.
        gecbench.errors.UpstreamError: A named corpus cannot be downloaded.

    >>> from gecbench import load_demo_systems
    >>> report = compare(load_demo_systems(), "demo", ["gleu"], resamples=200)
    >>> list(report.ranked("gleu"))
    ['good-corrector', 'rule-based', 'spell-checker', 'do-nothing']
    >>> report["good-corrector"]["gleu"].value > report["rule-based"]["gleu"].value
    True
    """
    if not isinstance(systems, Mapping):
        problem = f"compare takes a dictionary of systems, not {type_name(systems)}"
        raise InputError(problem, fix="Use compare({name: predictions, …}, corpus)")
    if not systems:
        raise InputError("there are no systems to compare", fix="Use compare({name: predictions, …}, corpus)")
    for name in systems:
        if not isinstance(name, str):
            problem = f"the name of a system is {type_name(name)} ({name!r:.60}), not a string"
            raise InputError(problem, fix='Use compare({"my-system": predictions, …}, corpus)')
    check_comparison(systems, test, against)
    columns = metric_columns(default_metrics(corpus) if metrics is None else metrics)
    _check_files(systems.values())
    gold, preprocessing = _resolve(corpus, columns), Preprocessing(tokenize, tokenized, aligned, foreign)
    texts = {
        name: texts_of(predictions, gold, column, annotator, ignore_width) for name, predictions in systems.items()
    }
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
    """Score annotators against each other, and systems against the same references.

    This is the human upper bound of Bryant & Ng (2015), for any metric.

    Args:
        metric: A metric or its name.
        corpus: A `Corpus`, a name or a file, with at least two references or annotators per sentence.
        systems: The predictions of each system by name.
        sizes: `"all"` uses every subset of annotators as references. `"last"` uses only the subsets that leave out one
            annotator.
        sentences: The positions of the sentences to score. By default all.
        **preprocessing: `tokenize`, `tokenized`, `aligned` and `foreign`, as in `score`. Here, `foreign` is `"error"`
            by default.

    Returns:
        A `Bound` whose `rows` have one entry per size of the subsets. An entry has `size`, `human` (the mean score of
        the annotators outside the subset, NaN if there are none) and `systems` (the score of each system).
        The method `ratio(system)` of an entry divides the system's score by the human score.

    Raises:
        InputError: There are fewer than two references or annotators, or more than 16, or sentences have different
            numbers of references.
        gecbench.errors.MissingDependencyError: The metric or tokenizer needs a package that is not installed.
        gecbench.errors.UpstreamError: A named corpus cannot be downloaded.

    >>> bound = human_bound("gleu(iterations=10)", "demo", sizes="last")
    >>> [row.size for row in bound.rows]
    [3]
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
        metrics: Metric names or objects, as in `score`. By default GLEU.
        human: The name of the judgments: "demo", "conll14", "conll14-crowd", "seeda:edit" or "seeda:sentence".
        systems: The judged systems to include: their names, the name of a set (SEEDA's "base" and "fluency"), or "all".
        corpus: The corpus to score the systems on. By default, the corpus of the judgments.
        method: How to compute the human scores of the systems from the judgments. For SEEDA, it selects one of the two
            published sets of scores.
        runs: The number of bootstrap runs of the ranking. Not used with published scores.
        **options: `methods`, `ties`, `aggregate`, `windows`, `resamples` and `seed`, as in `meta_evaluate`.

    Returns:
        One `MetaRow` per metric. Its `correlations` compare the metric's system scores with the human scores. Its
        `sentences` compares the metric's sentence scores with the judgments.

    Raises:
        InputError: The judgments or systems are unknown, the outputs of the judged systems are not public, or the
            judgments have no references and `corpus` is missing.
        gecbench.errors.MissingDependencyError: The metric needs a package that is not installed.
        gecbench.errors.UpstreamError: The judgments, the outputs of the systems or the corpus cannot be downloaded.

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
        fix = did_you_mean(human, HUMAN_JUDGMENTS, f"Choose one of {', '.join(HUMAN_JUDGMENTS)}")
        raise InputError(f"unknown judgments {human!r}", fix=fix)
    source = HUMAN_JUDGMENTS[human]
    if source.systems is None:
        fix = "If you have the outputs, score them yourself and pass the scores to meta_evaluate"
        raise InputError(f"the outputs judged in {human} are not public", fix=fix)
    scored_on = source.corpus if corpus is None else corpus
    if scored_on is None:
        raise InputError(
            f"the judgments {human!r} come without references", fix="Pass a corpus with references: corpus=…"
        )
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


def default_metrics(corpus: CorpusLike | None) -> tuple[str, ...]:
    """Return the official metric of a corpus as a tuple of one name, by default GLEU."""
    official = corpus.metadata.get("metric") if isinstance(corpus, Corpus) else None
    if isinstance(corpus, (str, Path)):
        from gecbench.corpora.load import official_metric

        official = official_metric(str(corpus))
    return (str(official),) if official else DEFAULT_METRICS


def compare_prepared(
    systems: Mapping[str, Prepared],
    metrics: Mapping[str, Metric],
    *,
    resamples: int,
    seed: int,
    test: TestName | None = None,
    against: str = "first",
) -> Report:
    """Score and test systems whose predictions are already prepared."""
    scored = score_prepared(systems, metrics, resamples, seed)
    return Report(scored, significance_tests(scored, test, against, resamples, seed))


def score_prepared(
    systems: Mapping[str, Prepared], metrics: Mapping[str, Metric], resamples: int, seed: int
) -> dict[str, dict[str, Score]]:
    """Return scores by system and metric, with intervals from the same resamples."""
    if resamples:
        check_resamples(resamples, least=0)
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
    """Raise an error for an unknown test or baseline, or for fewer than two systems.

    `against` is "first", "above" or a system's name. If `test` is None, the systems and `against` are not checked.
    """
    check_test(test)
    names = list(systems)
    if test is None:
        return
    if len(names) < 2:
        raise InputError("a significance test needs at least two systems", fix="Give two systems, or use test=None")
    if against not in ("first", "above", *names):
        fix = did_you_mean(against, names, f"Choose one of {', '.join(names)}")
        raise InputError(f"against={against!r} is not one of the systems", fix=fix)


def check_test(test: str | None) -> None:
    """Raise an error for an unknown test."""
    if test not in (*TESTS, None):
        raise InputError(f"test={test!r} is unknown", fix=f"Use {', '.join(map(repr, TESTS))} or None")


def _resolve(corpus: CorpusLike, metrics: Mapping[str, Metric]) -> Corpus:
    """Load a corpus and derive the references that the metrics need."""
    if isinstance(corpus, Corpus):
        return with_needed_references(corpus, metrics.values())
    from gecbench.corpora.load import resolve_corpus

    return resolve_corpus(corpus, list(metrics.values()))


def _check_files(predictions: Iterable[Predictions]) -> None:
    """Raise an error for missing prediction files before a corpus is downloaded."""
    check_files(each for each in predictions if isinstance(each, Path))


def _pairs(column: Mapping[str, Score], against: str) -> list[tuple[str, str]]:
    if against == "above":
        ranked = rank(column)
        return list(zip(ranked[1:], ranked[:-1], strict=True))
    baseline = next(iter(column)) if against == "first" else against
    return [(name, baseline) for name in column if name != baseline]

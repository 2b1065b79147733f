"""Score and compare systems: the functions most users need.

Inputs are resolved once (`corpora.load`), checked and prepared once (`corpus.prepare`), and then only counted.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
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
from gecbench.corpus.corpus import Corpus, check_texts
from gecbench.corpus.prepare import MixedUpTextWarning, Prepared, Preprocessing, share_guide
from gecbench.errors import InputError, counted, did_you_mean
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
    """Score one system's predictions on a corpus: a `Corpus`, a name (`"demo"`, `"jfleg:test"`), a file or rows.

    Where a metric needs references and the corpus has edits alone (an M2 file), they are applied to give references.
    Returns the scores by metric name. `metrics` are names from the registry, with parameters in brackets if any
    (`"gleu(draws=py3)"`), functions of your own (`"python:module:function"`, see `gecbench.metric`), or metric objects.
    Without `metrics` it is the official one of a corpus by name (M2 of `conll14`), and GLEU of any other.
    `resamples` > 0 adds a bootstrap interval.

    `predictions` are texts, or a table (a `datasets.Dataset`, a pandas or polars frame, a list of dictionaries) in
    which `column` names them, or the `Path` of a file. `annotator` chooses one where a file of edits (M2) has several;
    `ignore_width` accepts one whose sources differ from the corpus in full-width and half-width characters.
    `tokenize` brings natural text to tokens: "auto" is the corpus's own way, guided by the sources. Text that is not
    tokenized like its sources is refused without it, unless `tokenized=True`; shifted lines, and a reference that is
    identical to the sources, unless `aligned=True`. Predictions that share hardly a word with their sources, or all
    with a reference, give a warning, or an error if `foreign="error"`. Damaged texts, and sources and references that
    look swapped, give a warning.
    """
    if isinstance(predictions, Mapping):
        raise InputError("score takes one system's predictions", fix="Use compare({name: predictions, ...}, corpus)")
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
    test: TestName | None = "randomisation",
    against: str = "first",
    column: str | None = None,
    annotator: int | None = None,
    ignore_width: bool = False,
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


class OrderWarning(UserWarning):
    """Outputs of several processes without ids: GLEU and M2 depend on the order of the sentences."""


class Accumulator:
    """Collect outputs batch by batch, on one process or several, and score them in the order of the corpus.

    GLEU's draws and M2's choice of annotators depend on the order of the sentences. An accumulator restores that order
    by the ids of the sentences. Shuffled batches, shards of several processes and the sentences that a
    `DistributedSampler` repeats give the digits of a single call of `score`.

    Args:
        corpus: A `Corpus`, a name such as `"jfleg:test"`, a file or rows, as in `score`.
        metrics: Names of metrics, with parameters in brackets if any, or metric objects.
        tokenize: "auto" (the default) brings raw outputs to the tokens of the corpus; "none" takes them as they are.

    Example:
        >>> total = Accumulator("demo", ["gleu", "m2"])
        >>> other = Accumulator("demo", ["gleu", "m2"])
        >>> outputs = total.corpus.sources
        >>> total.update(range(0, 42, 2), outputs[0::2])
        >>> other.update(range(1, 42, 2), outputs[1::2])
        >>> total.merge(other)
        >>> total.compute()["gleu"].value == score(outputs, "demo")["gleu"].value
        True
    """

    def __init__(self, corpus: CorpusLike, metrics: Metrics | None = None, *, tokenize: str = "auto") -> None:
        self.metrics = metric_columns(default_metrics(corpus) if metrics is None else metrics)
        self.corpus = _resolve(corpus, self.metrics)
        self._preprocessing = Preprocessing(tokenize, tokenized=True, paired=True)
        ids = self.corpus.ids or ()
        self._places = {name: place for place, name in enumerate(ids)}
        # Numbers are ids where the corpus has its own numbers, and places elsewhere.
        own_numbers = all(name.isdecimal() for name in ids) and list(ids) != [str(i + 1) for i in range(len(ids))]
        self._numbers_are_ids = own_numbers
        self._outputs: dict[int, str] = {}
        self._conflicts: set[int] = set()

    def __len__(self) -> int:
        """Return the number of sentences that have an output."""
        return len(self._outputs)

    def update(self, ids: Iterable[str | int], texts: Iterable[str]) -> None:
        """Add the outputs of some sentences, in any order.

        Args:
            ids: Which sentences: their ids (strings), or their places in the corpus counted from 0 (integers). Of a
                corpus whose ids are numbers of its own, an integer is the id.
            texts: The outputs, one for each id. Of a sentence that is given twice, the first output counts.

        Raises:
            InputError: An id is unknown, or there are more or fewer texts than ids.
        """
        places = [self._place(each) for each in list_ids(ids)]
        lines = check_texts(texts, "texts")
        if len(lines) != len(places):
            found = f"{counted(len(lines), 'text')} for {counted(len(places), 'id')}"
            raise InputError(found, fix="Give one text for each id")
        self._add(zip(places, lines, strict=True))

    def merge(self, other: Accumulator) -> None:
        """Add the outputs of another accumulator, such as that of another process.

        Raises:
            InputError: The other one collects outputs of another corpus.
        """
        if other.corpus is not self.corpus and other.corpus.fingerprint() != self.corpus.fingerprint():
            problem = f"outputs of {other.corpus.name} cannot be merged with those of {self.corpus.name}"
            raise InputError(problem, fix="Make both accumulators from the same corpus")
        self._add(other._outputs.items())
        self._conflicts |= other._conflicts

    def gather(self) -> None:
        """Merge the outputs of all processes into every one of them; all have to call it.

        It uses `torch.distributed`, and does nothing where that is not in use.
        """
        parts = all_gather(self._outputs)
        self._outputs = {}
        for part in parts:
            self._add(part.items())

    def compute(self, *, partial: bool = False) -> Scores:
        """Return the scores of all sentences, by metric.

        Args:
            partial: Score the sentences that have an output, with a warning if they are not all.

        Raises:
            InputError: Some sentences have no output yet, or a metric refuses the outputs.
        """
        prepared = self.prepare(partial=partial)
        return Scores(score_prepared({"predictions": prepared}, self.metrics, 0, DEFAULT_SEED)["predictions"])

    def prepare(self, *, partial: bool = False) -> Prepared:
        """Return the outputs in the order of the corpus, checked and tokenized, for `Metric.score_prepared`."""
        corpus, places = self.corpus, sorted(self._outputs)
        if len(places) < len(corpus):
            first = next(name for name, place in self._places.items() if place not in self._outputs)
            missing = counted(len(corpus) - len(places), "sentence")
            if not partial or not places:
                problem = f"{missing} of {len(corpus)} without an output, {first!r} for example"
                raise InputError(problem, fix="Update with every sentence, and merge all processes first (gather)")
            warnings.warn("some sentences have no output: the others are scored", MixedUpTextWarning, stacklevel=3)
            corpus = share_guide(corpus, corpus.select(places))
        if self._conflicts:
            problem = f"{counted(len(self._conflicts), 'sentence')} with two different outputs: the first one is scored"
            warnings.warn(problem, MixedUpTextWarning, stacklevel=3)
        return self._preprocessing.prepare(corpus, [self._outputs[place] for place in places])

    def reset(self) -> None:
        """Forget all outputs, for the next evaluation."""
        self._outputs, self._conflicts = {}, set()

    def _add(self, outputs: Iterable[tuple[int, str]]) -> None:
        for place, text in outputs:
            if self._outputs.setdefault(place, text) != text:
                self._conflicts.add(place)

    def _place(self, wanted: object) -> int:
        number = isinstance(wanted, Integral) and not isinstance(wanted, bool)
        if number and not self._numbers_are_ids:
            if 0 <= wanted < len(self.corpus):  # type: ignore[operator]
                return int(wanted)  # type: ignore[call-overload, no-any-return]
        elif str(wanted) in self._places:
            return self._places[str(wanted)]
        known = list(self._places)
        fix = f"Ids are {known[0]!r} to {known[-1]!r}, or places counted from 0"
        raise InputError(f"{self.corpus.name} has no sentence {wanted!r}", fix=fix)


def in_order(ids: Iterable[str | int], *columns: Sequence[Any]) -> list[list[Any]]:
    """Return columns of rows in the order of their ids, without the rows that repeat an id.

    Numbers in ids count by their value: `"test-9"` comes before `"test-10"`. The first row of an id is kept. The first
    column is the text that an id stands for.

    Raises:
        InputError: Two rows with the same id differ in the first column.

    >>> in_order(["b-10", "b-9", "b-10"], ["ten", "nine", "ten"])
    [['nine', 'ten']]
    """
    first: dict[str, int] = {}
    for row, name in enumerate(map(str, list_ids(ids))):
        if columns[0][first.setdefault(name, row)] != columns[0][row]:
            raise InputError(f"two different sentences have the id {name!r}", fix="Give each sentence an id of its own")
    rows = [first[name] for name in sorted(first, key=_natural_key)]
    return [[column[row] for row in rows] for column in columns]


def _natural_key(name: str) -> list[tuple[int, int, str]]:
    parts = re.split(r"([0-9]+)", name)
    return [(0, int(part), part) if part.isdecimal() else (1, 0, part) for part in parts if part]


def all_gather(value: Any) -> list[Any]:
    """Return the values of all processes of `torch.distributed`, by rank; of one process if it is not in use."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.distributed.is_available() or not torch.distributed.is_initialized():
        return [value]
    values: list[Any] = [None] * torch.distributed.get_world_size()
    torch.distributed.all_gather_object(values, value)
    return values


def list_ids(ids: Any) -> list[Any]:
    """Return ids as a list; those of an array or a tensor as Python's own numbers."""
    if isinstance(ids, (str, bytes)):
        raise InputError(f"ids is a single {type(ids).__name__}", fix="Pass ids=[...], one for each text")
    return list(ids.tolist() if hasattr(ids, "tolist") else ids)


def default_metrics(corpus: CorpusLike | None) -> tuple[str, ...]:
    """Return the official metric of a corpus by name, and GLEU for any other."""
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

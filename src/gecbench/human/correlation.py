"""Meta-evaluation: correlation of metric scores with human scores and judgments."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gecbench.corpus.corpus import Corpus
from gecbench.corpus.prepare import Preprocessing
from gecbench.display import progress
from gecbench.errors import InputError
from gecbench.formats.judgments import Judgment
from gecbench.human.ranking import HumanRanking
from gecbench.metrics.base import Interval, Metric, Score, make_metric

Method = Literal["spearman", "pearson", "kendall"]
METHODS: tuple[Method, ...] = ("spearman", "pearson", "kendall")
NO_REFERENCES = "–"
SystemScores = Mapping[str, float]
SentenceScores = Mapping[tuple[str, int], float]  # by system and sentence


@dataclass(frozen=True)
class Correlation:
    """A coefficient over `items` systems; NaN where one side is constant."""

    method: Method
    value: float
    items: int
    interval: Interval | None = None


def coefficient(first: ArrayLike, second: ArrayLike, method: Method) -> float:
    """Return Spearman's rho, Pearson's r or Kendall's tau-b of two sequences, through scipy."""
    x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if x.shape != y.shape or x.ndim != 1:
        raise InputError(f"{x.size} scores cannot be correlated with {y.size}")
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(_statistic(method)(x, y))


def _statistic(method: Method) -> Callable[[NDArray[np.float64], NDArray[np.float64]], float]:
    from scipy import stats

    functions = {"spearman": stats.spearmanr, "pearson": stats.pearsonr, "kendall": stats.kendalltau}
    if method not in functions:
        raise InputError(f"no correlation called {method!r}", fix=f"Use one of {', '.join(METHODS)}.")
    return lambda x, y: functions[method](x, y).statistic


def correlate(
    metric: SystemScores,
    human: SystemScores,
    method: Method = "spearman",
    *,
    resamples: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
) -> Correlation:
    """Correlate over systems; with `resamples` the interval is that of bootstrapped systems.

    Both must score the same systems: a missing one is an error, never left out silently.
    """
    systems = same_systems(metric, human)
    x, y = np.array([metric[name] for name in systems]), np.array([human[name] for name in systems])
    value = coefficient(x, y, method)
    if not resamples or np.isnan(value):
        return Correlation(method, value, len(systems))
    samples = np.random.default_rng(seed).integers(len(systems), size=(resamples, len(systems)))
    values = [coefficient(x[sample], y[sample], method) for sample in samples]
    return Correlation(method, value, len(systems), _interval(values, confidence))


def correlate_runs(
    metric: SystemScores,
    human: SystemScores,
    runs: NDArray[np.float64],
    method: Method = "spearman",
    *,
    confidence: float = 0.95,
) -> Correlation:
    """Correlate with human scores; the interval is over bootstrap runs (runs, systems in the order of `human`).

    It shows how much the coefficient varies with the judgments, for these systems.
    """
    same_systems(metric, human)
    x = np.array([metric[name] for name in human])
    values = _coefficients_of_runs(x, runs, method)
    value = coefficient(x, np.array(list(human.values())), method)
    return Correlation(method, value, len(human), _interval(values, confidence))


def _coefficients_of_runs(x: NDArray[np.float64], runs: NDArray[np.float64], method: Method) -> list[float]:
    """Return the coefficient with every run."""
    if method == "pearson":
        return [coefficient(x, run, method) for run in runs]
    from scipy import stats

    # Coefficients of ranks are computed once for each order of the systems: few of them occur in a thousand runs.
    orders, places = np.unique(stats.rankdata(runs, axis=1), axis=0, return_inverse=True)
    values = [coefficient(x, order, method) for order in orders]
    return [values[place] for place in places.ravel()]


def same_systems(metric: Collection[str], human: Collection[str]) -> list[str]:
    """Return the systems of both sides, sorted, or name one that is missing from one of them."""
    lone = sorted(set(metric) ^ set(human))
    if lone:
        where = "the human scores" if lone[0] in metric else "the metric's scores"
        raise InputError(f"{lone[0]} is missing from {where}", fix="Both must score the same systems.")
    return sorted(metric)


def _interval(values: Iterable[float], confidence: float) -> Interval | None:
    defined = np.array([value for value in values if not np.isnan(value)])
    if not len(defined):
        return None
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high), confidence, len(defined))


@dataclass(frozen=True)
class SentenceAgreement:
    """How far a metric's sentence scores order pairs of outputs as judges did.

    `tau` = (agree - disagree) / decided, `accuracy` = (agree + metric ties / 2) / decided over pairs the
    judges decided; `accuracy_with_ties` = (agree + ties of both) / all pairs (Deutsch et al. 2023). The order of the
    systems does not matter.
    """

    agree: int
    disagree: int
    metric_ties: int
    human_ties: int
    both_tie: int
    tau_interval: Interval | None = None

    @property
    def decided(self) -> int:
        """Pairs that the judges decided."""
        return self.agree + self.disagree + self.metric_ties

    @property
    def tau(self) -> float:
        """Agreeing minus disagreeing share of the decided pairs."""
        return (self.agree - self.disagree) / self.decided if self.decided else float("nan")

    @property
    def accuracy(self) -> float:
        """Share of the decided pairs ordered alike, a metric's tie being half right."""
        return (self.agree + self.metric_ties / 2) / self.decided if self.decided else float("nan")

    @property
    def accuracy_with_ties(self) -> float:
        """Share of all pairs on which metric and judge say the same, ties included."""
        pairs = self.decided + self.human_ties + self.both_tie
        return (self.agree + self.both_tie) / pairs if pairs else float("nan")


def sentence_agreement(
    scores: SentenceScores,
    judgments: Iterable[Judgment],
    *,
    resamples: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
) -> SentenceAgreement:
    """Compare the metric's scores of (system, sentence) with pairwise judgments.

    The interval resamples sentences, since the judgments of one sentence are not independent.
    """
    counts: dict[int, NDArray[np.int64]] = {}
    for pair in judgments:
        if pair.ranked:
            row = counts.setdefault(pair.sentence, np.zeros(5, dtype=np.int64))
            row[_count_index(_metric_outcome(scores, pair), pair.outcome)] += 1
    table = np.array([counts[sentence] for sentence in sorted(counts)]).reshape(-1, 5)
    result = SentenceAgreement(*table.sum(axis=0).tolist())
    if not resamples or not result.decided:
        return result
    random = np.random.default_rng(seed)
    weights = random.multinomial(len(table), np.full(len(table), 1 / len(table)), size=resamples)
    taus = (SentenceAgreement(*row).tau for row in (weights @ table).tolist())
    return replace(result, tau_interval=_interval(taus, confidence))


def _metric_outcome(scores: SentenceScores, pair: Judgment) -> int:
    """Return 1 if the metric prefers the first system, -1 for the second, 0 for a tie."""
    values = []
    for system in (pair.system1, pair.system2):
        if (system, pair.sentence) not in scores:
            raise InputError(f"no score of {system} for sentence {pair.sentence}")
        values.append(scores[system, pair.sentence])
    return (values[0] > values[1]) - (values[0] < values[1])


def _count_index(metric: int, human: int) -> int:
    """Return the position of a pair of outcomes in SentenceAgreement's counts."""
    if human == 0:
        return 4 if metric == 0 else 3
    return 2 if metric == 0 else 0 if metric == human else 1


@dataclass(frozen=True)
class MetricScores:
    """A metric's scores of every system, and, if known, of every (system, sentence)."""

    metric: str
    references: str
    systems: SystemScores
    sentences: SentenceScores | None = None


@dataclass(frozen=True)
class MetaRow:
    """One metric with one reference set: correlations over systems, and agreement over sentences if known."""

    metric: str
    references: str
    correlations: Mapping[Method, Correlation]
    sentences: SentenceAgreement | None


def score_systems(
    metrics: Sequence[str | Metric],
    corpora: Mapping[str, Corpus],
    systems: Mapping[str, Sequence[str]],
    *,
    sentences: bool = False,
    **preprocessing: Any,
) -> list[MetricScores]:
    """Score every system with every metric against every reference set; `sentences` adds sentence scores.

    `preprocessing` are the fields of `Preprocessing`, such as `tokenize="auto"`.
    """
    prepare = Preprocessing(**preprocessing).prepare
    prepared = {
        name: {system: prepare(corpus, lines, f"predictions of {system}") for system, lines in systems.items()}
        for name, corpus in corpora.items()
    }
    found = []
    named = [(metric.name if isinstance(metric, Metric) else metric, make_metric(metric)) for metric in metrics]
    with progress(len(named) * len(corpora) * len(systems), "scoring") as bar:
        for (label, metric), (references, predictions) in product(named, prepared.items()):
            scores = {}
            for system, lines in predictions.items():
                scores[system] = metric.score_prepared(lines)
                bar.update(1)
            values = {system: score.value for system, score in scores.items()}
            by_sentence = _sentence_scores(scores) if sentences else None
            found.append(MetricScores(label, references, values, by_sentence))
    return found


def _sentence_scores(scores: Mapping[str, Score]) -> SentenceScores:
    return {
        (system, i): value
        for system, score in scores.items()
        for i, value in enumerate(score.sentence_scores().tolist())
    }


def meta_evaluate(
    scores: Sequence[MetricScores],
    human: HumanRanking | SystemScores,
    judgments: Sequence[Judgment] | None = None,
    *,
    methods: Sequence[Method] = METHODS,
    resamples: int = 0,
    seed: int = 0,
) -> list[MetaRow]:
    """Correlate metrics with human scores of the same systems, and with judgments of the same sentences.

    Intervals: with `resamples`, over bootstrapped systems (and sentences); without, and with a human ranking that has
    runs, over these. Both sides must score the same systems.

    >>> row, = meta_evaluate([MetricScores("mine", "-", {"A": 3, "B": 1, "C": 2})], {"A": 0.9, "B": 0.1, "C": 0.4})
    >>> row.correlations["spearman"].value
    1.0
    """
    if not scores:
        raise InputError("no metric to evaluate", fix="Give scores in a file, or a metric with references and systems")
    rows = []
    with progress(len(scores) * len(methods), "correlations") as bar:
        for found in scores:
            correlations = {}
            for method in methods:
                correlations[method] = _correlation(found.systems, human, method, resamples, seed)
                bar.update(1)
            agreement = None
            if judgments is not None and found.sentences is not None:
                agreement = sentence_agreement(found.sentences, judgments, resamples=resamples, seed=seed)
            rows.append(MetaRow(found.metric, found.references, correlations, agreement))
    return rows


def _correlation(
    metric: SystemScores, human: HumanRanking | SystemScores, method: Method, resamples: int, seed: int
) -> Correlation:
    if isinstance(human, HumanRanking) and not resamples:
        return correlate_runs(metric, human.scores(), human.runs, method)
    scores = human.scores() if isinstance(human, HumanRanking) else human
    return correlate(metric, scores, method, resamples=resamples, seed=seed)

"""Meta-evaluation: correlation of metric scores with human scores and judgments."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import atanh, copysign, inf, isnan, nan, sqrt, tanh
from statistics import NormalDist
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gecbench.analysis.significance import SIGNIFICANT
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.prepare import Preprocessing
from gecbench.display import progress
from gecbench.errors import InputError, counted, did_you_mean
from gecbench.formats.judgments import Judgment
from gecbench.human.ranking import HumanRanking, rank_by_scores
from gecbench.metrics.base import Interval, Metric, Score, make_metric

Method = Literal["spearman", "pearson", "kendall"]
METHODS: tuple[Method, ...] = ("spearman", "pearson", "kendall")
WINDOW_METHODS: tuple[Method, ...] = ("spearman", "pearson")
WILLIAMS_METHODS: tuple[Method, ...] = ("spearman", "pearson")  # the test is not defined for Kendall's tau
Ties = Literal["half", "seeda", "drop", "wrong"]
TIES: tuple[Ties, ...] = ("half", "seeda", "drop", "wrong")
Aggregate = Literal["corpus", "trueskill", "expected-wins"]
AGGREGATES: tuple[Aggregate, ...] = ("corpus", "trueskill", "expected-wins")
_RESAMPLES = 1000  # of sentences
_ROUNDING = 1e-12  # the last digits of two coefficients may differ although the scores are equal
NO_REFERENCES = "–"
SystemScores = Mapping[str, float]
SentenceScores = Mapping[tuple[str, int], float]  # by system and sentence


@dataclass(frozen=True)
class Correlation:
    """A correlation coefficient over `items` systems.

    `value` is NaN if all metric scores or all human scores are equal.
    """

    method: Method
    value: float
    items: int
    interval: Interval | None = None


def coefficient(first: ArrayLike, second: ArrayLike, method: Method) -> float:
    """Return Spearman's rho, Pearson's r or Kendall's tau-b of two sequences.

    The coefficient is computed with scipy.
    """
    x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if x.shape != y.shape or x.ndim != 1:
        problem = f"{counted(x.size, 'score')} cannot be correlated with {counted(y.size, 'score')}"
        raise InputError(problem, fix="Give both sides the same number of scores")
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(_statistic(method)(x, y))


def _statistic(method: Method) -> Callable[[NDArray[np.float64], NDArray[np.float64]], float]:
    from scipy import stats

    functions = {"spearman": stats.spearmanr, "pearson": stats.pearsonr, "kendall": stats.kendalltau}
    if method not in functions:
        raise InputError(f"unknown correlation {method!r}", fix=f"Choose one of {', '.join(METHODS)}")
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
    """Correlate metric scores with human scores over systems.

    Args:
        metric: The metric's score of each system, by name.
        human: The human score of each system, by name. The systems must be the same as in `metric`.
        method: "spearman", "pearson" or "kendall".
        resamples: The number of bootstrap resamples of systems for the interval. With 0, the interval is computed with
            a formula (Fisher's transformation).
        confidence: The confidence level of the interval.
        seed: The seed of the resampling.

    Returns:
        A `Correlation` with the fields `value` (NaN if all metric scores or all human scores are equal) and `interval`.
        The interval is None if the value, or the coefficient of every resample, is NaN. Without resamples, it is also
        None if the value is 1 or -1, or if there are fewer than four systems (five for Kendall's tau).

    Raises:
        InputError: The two sides have different systems, or the method is unknown.

    >>> correlate({"A": 3, "B": 1, "C": 2}, {"A": 0.9, "B": 0.1, "C": 0.4}).value
    1.0
    """
    systems = same_systems(metric, human)
    x, y = np.array([metric[name] for name in systems]), np.array([human[name] for name in systems])
    value = coefficient(x, y, method)
    if not resamples or np.isnan(value):
        return Correlation(method, value, len(systems), approximate_interval(value, len(systems), method, confidence))
    samples = np.random.default_rng(seed).integers(len(systems), size=(resamples, len(systems)))
    values = [coefficient(x[sample], y[sample], method) for sample in samples]
    return Correlation(method, value, len(systems), _interval(values, confidence))


def approximate_interval(value: float, items: int, method: Method, confidence: float = 0.95) -> Interval | None:
    """Return the interval of a coefficient by Fisher's transformation.

    Return None if the interval is not defined.

    The variance of atanh(value) is 1 / (n - 3) for Pearson's r (Fisher 1921), (1 + value² / 2) / (n - 3) for
    Spearman's rho (Bonett & Wright 2000) and 0.437 / (n - 4) for Kendall's tau (Fieller et al. 1957).

    >>> interval = approximate_interval(0.41, 12, "pearson")
    >>> round(interval.low, 2), round(interval.high, 2)
    (-0.21, 0.8)
    """
    freedom = items - (4 if method == "kendall" else 3)
    if freedom < 1 or not abs(value) < 1:
        return None
    numerator = {"pearson": 1.0, "spearman": 1 + value * value / 2, "kendall": 0.437}[method]
    half = NormalDist().inv_cdf((1 + confidence) / 2) * sqrt(numerator / freedom)
    return Interval(tanh(atanh(value) - half), tanh(atanh(value) + half), confidence, 0)


def correlate_runs(
    metric: SystemScores,
    human: SystemScores,
    runs: NDArray[np.float64],
    method: Method = "spearman",
    *,
    confidence: float = 0.95,
) -> Correlation:
    """Correlate metric scores with human scores, with an interval from runs.

    The interval covers the coefficients of the bootstrap `runs`.

    `runs` are human scores (runs × systems, in the order of `human`). Each run comes from resampled judgments, so the
    interval shows how much the coefficient of these systems varies with the judgments.
    """
    same_systems(metric, human)
    x = np.array([metric[name] for name in human])
    values = _coefficients_of_runs(x, runs, method)
    value = coefficient(x, np.array(list(human.values())), method)
    return Correlation(method, value, len(human), _interval(values, confidence))


def _coefficients_of_runs(x: NDArray[np.float64], runs: NDArray[np.float64], method: Method) -> list[float]:
    """Return the coefficient of each run."""
    if method == "pearson":
        return [coefficient(x, run, method) for run in runs]
    from scipy import stats

    # Rank coefficients depend only on the order of the systems. Compute them once per order, because few orders occur.
    orders, places = np.unique(stats.rankdata(runs, axis=1), axis=0, return_inverse=True)
    values = [coefficient(x, order, method) for order in orders]
    return [values[place] for place in places.ravel()]


class DifferentSystemsError(InputError):
    """The metric scores and the human scores are of different systems."""


def same_systems(metric: Collection[str], human: Collection[str]) -> list[str]:
    """Return the sorted systems of both sides.

    If systems are missing on one side, raise an error that names them.
    """
    missing = {"the human scores": set(metric) - set(human), "the metric's scores": set(human) - set(metric)}
    parts = [
        f"{', '.join(sorted(names))} {'is' if len(names) == 1 else 'are'} missing from {where}"
        for where, names in missing.items()
        if names
    ]
    if parts:
        problem = ", and ".join(parts)
        raise DifferentSystemsError(problem, fix="Give metric scores and human scores of the same systems")
    return sorted(metric)


def choose_systems(
    wanted: Iterable[str],
    judged: Collection[str],
    scored: Sequence[Collection[str]],
    sets: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> frozenset[str]:
    """Return the wanted systems that are both judged and scored.

    Warn of wanted systems that are not judged or not scored.

    `wanted` contains names of systems, names of `sets`, or "all".
    """
    known = set(judged).union(*scored)
    named = {"all": known} | {name: set(members) for name, members in sets.items()}
    chosen: set[str] = set()
    for name in wanted:
        if name not in named and name not in known:
            choices = [*named, *sorted(known)]
            fix = did_you_mean(name, choices, f"Choose from {', '.join(choices)}")
            raise InputError(f"unknown system or set {name!r}", fix=fix)
        chosen |= named.get(name, {name})
    common = chosen.intersection(judged, *scored)
    if len(common) < 2:
        for names in scored:
            same_systems(names, judged)
        problem = f"found {counted(len(common), 'system')} with both scores and judgments"
        raise InputError(problem, fix="Give scores of at least three systems")
    if lone := sorted(chosen - common):
        reasons = [f"{name} ({'no scores' if name in judged else 'no judgments'})" for name in lone]
        warnings.warn(f"left out of the correlations: {', '.join(reasons)}", UserWarning, stacklevel=2)
    return frozenset(common)


def _interval(values: Iterable[float], confidence: float) -> Interval | None:
    defined = np.array([value for value in values if not np.isnan(value)])
    if not len(defined):
        return None
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high), confidence, len(defined))


@dataclass(frozen=True)
class SentenceAgreement:
    """The agreement of a metric's sentence scores with pairwise judgments.

    Of the pairs that the judges decided, `accuracy` is the share that the metric orders in the same way. `tau` is
    2 * `accuracy` - 1. `ties` is the rule for pairs that the metric scores equally:

    - "half": a tie is half correct. The order of the systems does not matter.
    - "seeda": the alphabetically later system wins, as in SEEDA's script. `ties_later` is the number of ties in which
      the judges also preferred that system.
    - "drop": a tie is left out.
    - "wrong": a tie is wrong.

    `accuracy_with_ties` = (agree + both_tie) / all pairs (Deutsch et al. 2023).
    """

    agree: int
    disagree: int
    metric_ties: int
    human_ties: int
    both_tie: int
    ties_later: int = 0
    ties: Ties = field(default="half", kw_only=True)
    tau_interval: Interval | None = field(default=None, kw_only=True)

    @property
    def decided(self) -> int:
        """The number of pairs that the judges decided."""
        return self.agree + self.disagree + self.metric_ties

    @property
    def counted(self) -> int:
        """The number of decided pairs that count under the rule for ties."""
        return self.decided - (self.metric_ties if self.ties == "drop" else 0)

    @property
    def right(self) -> float:
        """The number of correctly ordered pairs under the rule for ties."""
        return self.agree + {"half": self.metric_ties / 2, "seeda": self.ties_later}.get(self.ties, 0)

    @property
    def tau(self) -> float:
        """The share of correctly ordered pairs minus the share of all other pairs."""
        return (2 * self.right - self.counted) / self.counted if self.counted else nan

    @property
    def accuracy(self) -> float:
        """The share of correctly ordered pairs."""
        return self.right / self.counted if self.counted else nan

    @property
    def accuracy_with_ties(self) -> float:
        """The share of all pairs on which metric and judge agree, including ties."""
        pairs = self.decided + self.human_ties + self.both_tie
        return (self.agree + self.both_tie) / pairs if pairs else float("nan")


def sentence_agreement(
    scores: SentenceScores,
    judgments: Iterable[Judgment],
    *,
    ties: Ties = "half",
    resamples: int = 0,
    confidence: float = 0.95,
    seed: int = 0,
) -> SentenceAgreement:
    """Compare a metric's sentence scores with pairwise judgments.

    `scores` are by (system, sentence). For `ties`, see `SentenceAgreement`.

    The interval resamples sentences, because the judgments of one sentence are not independent.
    """
    counts: dict[int, list[int]] = {}
    for pair in judgments:
        if pair.ranked:
            row = counts.setdefault(pair.sentence, [0] * 6)
            metric, human = _metric_outcome(scores, pair), pair.outcome
            row[_count_index(metric, human)] += 1
            row[5] += metric == 0 and human == (-1 if pair.system1 < pair.system2 else 1)
    if ties not in TIES:
        raise InputError(f"unknown rule for ties {ties!r}", fix=f"Choose one of {', '.join(TIES)}")
    table = np.array([counts[sentence] for sentence in sorted(counts)], dtype=np.int64).reshape(-1, 6)
    result = SentenceAgreement(*table.sum(axis=0).tolist(), ties=ties)
    if not resamples or not result.decided:
        return result
    random = np.random.default_rng(seed)
    weights = random.multinomial(len(table), np.full(len(table), 1 / len(table)), size=resamples)
    taus = (SentenceAgreement(*row, ties=ties).tau for row in (weights @ table).tolist())
    return replace(result, tau_interval=_interval(taus, confidence))


def _metric_outcome(scores: SentenceScores, pair: Judgment) -> int:
    """Return 1 if the first system has the higher score, -1 the second, 0 for a tie."""
    values = []
    for system in (pair.system1, pair.system2):
        if (system, pair.sentence) not in scores:
            fix = "Give a score for every system and judged sentence"
            raise InputError(f"{system} has no score for sentence {pair.sentence}", fix=fix)
        values.append(scores[system, pair.sentence])
    return (values[0] > values[1]) - (values[0] < values[1])


def _count_index(metric: int, human: int) -> int:
    """Return which field of `SentenceAgreement` counts a pair of outcomes.

    The field is given by its position.
    """
    if human == 0:
        return 4 if metric == 0 else 3
    return 2 if metric == 0 else 0 if metric == human else 1


@dataclass(frozen=True)
class MetricScores:
    """A metric's scores of systems, and optionally of (system, sentence).

    With `higher_is_better=False`, the scores are negated before they are compared with human scores, so a coefficient
    of 1 always means agreement.
    """

    metric: str
    references: str
    systems: SystemScores
    sentences: SentenceScores | None = None
    higher_is_better: bool = True

    def oriented(self) -> MetricScores:
        """Return the scores, negated if lower scores are better."""
        if self.higher_is_better:
            return self
        systems = {name: -score for name, score in self.systems.items()}
        by_sentence = self.sentences and {key: -score for key, score in self.sentences.items()}
        return replace(self, systems=systems, sentences=by_sentence, higher_is_better=True)

    def select(self, systems: Collection[str]) -> MetricScores:
        """Return the scores of these systems."""
        chosen = {name: score for name, score in self.systems.items() if name in systems}
        by_sentence = self.sentences and {key: score for key, score in self.sentences.items() if key[0] in systems}
        return replace(self, systems=chosen, sentences=by_sentence)

    def aggregated(self, method: Aggregate) -> MetricScores:
        """Compute the scores of systems from their sentence scores.

        `method` is "trueskill" or "expected-wins". With "corpus", the scores do not change.
        """
        if method == "corpus":
            return self
        if method not in AGGREGATES:
            raise InputError(f"unknown aggregation {method!r}", fix=f"Choose one of {', '.join(AGGREGATES)}")
        if self.sentences is None:
            raise InputError(f"{self.metric} has no sentence scores to aggregate", fix="Give sentence scores too")
        systems = sorted(self.systems)
        numbers = sorted({sentence for _, sentence in self.sentences})
        lacking = [key for key in product(systems, numbers) if key not in self.sentences]
        if lacking:
            problem = f"{lacking[0][0]} has no score for sentence {lacking[0][1]}"
            raise InputError(problem, fix="Give a score for every system and sentence")
        table = np.array([[self.sentences[system, i] for system in systems] for i in numbers], dtype=float)
        return replace(self, systems=dict(zip(systems, rank_by_scores(table, method).tolist(), strict=True)))


@dataclass(frozen=True)
class Window:
    """Coefficients over neighbors in the human ranking.

    They use only the systems that humans ranked from `first` to `last`, counted from 1.
    """

    first: int
    last: int
    values: Mapping[Method, float]


@dataclass(frozen=True)
class Williams:
    """Williams' test of a metric against the metric `best`: t and the two-sided p."""

    best: str
    t: float
    p: float

    @property
    def significant(self) -> bool:
        """Whether the best metric is significantly better than this metric."""
        return self.p < SIGNIFICANT


def williams_test(r12: float, r13: float, r23: float, items: int) -> tuple[float, float]:
    """Return t and the two-sided p of Williams' test (1959).

    The test is for a difference between r12 and r13.

    Args:
        r12: The correlation of human scores with one metric.
        r13: The correlation of human scores with another metric.
        r23: The correlation of the metrics with each other.
        items: The number of systems, n. t has n - 3 degrees of freedom.

    >>> t, p = williams_test(0.9, 0.6, 0.5, 12)
    >>> round(t, 3), round(p, 3)
    (2.021, 0.074)
    """
    if items < 4 or isnan(r12 + r13 + r23):
        return nan, nan
    if abs(r12 - r13) < _ROUNDING:
        return 0.0, 1.0
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    spread = 2 * k * (items - 1) / (items - 3) + (r12 + r13) ** 2 / 4 * (1 - r23) ** 3
    numerator = (r12 - r13) * sqrt((items - 1) * (1 + r23))
    if spread <= 0:  # rounding error of three coefficients that determine each other
        return copysign(inf, numerator), 0.0
    from scipy import stats

    t = numerator / sqrt(spread)
    return t, float(2 * stats.t.sf(abs(t), items - 3))


@dataclass(frozen=True)
class MetaRow:
    """The meta-evaluation of one metric with one reference set.

    `correlations` are over systems, by method. `sentences` is the agreement over sentences, or None without sentence
    scores. `windows` are correlations over neighbors in the human ranking. `williams` tests the metric against the best
    metric, if there are several. `scores` are the scores of the systems, never negated, even if lower is better.
    """

    metric: str
    references: str
    correlations: Mapping[Method, Correlation]
    sentences: SentenceAgreement | None
    windows: tuple[Window, ...] = ()
    williams: Mapping[Method, Williams] = field(default_factory=dict)
    scores: SystemScores = field(default_factory=dict)
    higher_is_better: bool = True


def score_systems(
    metrics: Sequence[str | Metric],
    corpora: Mapping[str, Corpus],
    systems: Mapping[str, Sequence[str]],
    *,
    sentences: bool = False,
    **preprocessing: Any,
) -> list[MetricScores]:
    """Score all systems with all metrics against all reference sets.

    `sentences=True` adds sentence scores. `preprocessing` contains fields of `Preprocessing`, such as
    `tokenize="auto"`.
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
            found.append(MetricScores(label, references, values, by_sentence, metric.higher_is_better))
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
    ties: Ties = "half",
    aggregate: Aggregate = "corpus",
    windows: int = 0,
) -> list[MetaRow]:
    """Correlate metrics with human scores and with judgments of sentences.

    The human scores must be of the same systems, and the judgments of the same sentences.

    Args:
        scores: The scores of each metric, as `gecbench.human.correlation.MetricScores`. Its first fields are `metric`,
            `references`, `systems` and `sentences`. `references` is a name for the references that the metric used. It
            is only copied to the results, so any text works, such as "-".
        human: Human scores by system, or a ranking (`expected_wins` or `trueskill`), of the systems in `scores`.
        judgments: Pairwise judgments of sentences (`gecbench.formats.judgments.Judgment`). They are used for metrics
            with sentence scores.
        methods: The correlation coefficients: "spearman", "pearson" or "kendall".
        resamples: The number of bootstrap resamples of systems for intervals. With 0, intervals come from the runs of
            a ranking. If `human` is not a ranking, they are computed with a formula. Intervals over sentences always
            use resamples, by default 1,000.
        seed: The seed of the resampling.
        ties: The rule for pairs of sentences that a metric scores equally: "half" (half correct), "seeda" (the
            alphabetically later system wins), "drop" (left out) or "wrong".
        aggregate: How each system is scored: "corpus" uses the metric's corpus score, "trueskill" and "expected-wins"
            compute a score from the metric's sentence scores (Goto et al. 2025).
        windows: Also correlate over each group of this many neighbors in the human ranking. 0 skips this.

    Returns:
        One `MetaRow` per metric, with `correlations` by method, `sentences`, `windows` and `williams`.

    Raises:
        InputError: There are no scores, the two sides have different systems, or an option is unknown.

    Fewer than three systems, or equal scores of all systems, give a warning.

    >>> from gecbench.human.correlation import MetricScores
    >>> row, = meta_evaluate([MetricScores("mine", "-", {"A": 3, "B": 1, "C": 2})], {"A": 0.9, "B": 0.1, "C": 0.4})
    >>> row.correlations["spearman"].value
    1.0
    """
    if not scores:
        fix = "Give scores in a file, or a metric with references and systems"
        raise InputError("there is no metric to evaluate", fix=fix)
    people = human.scores() if isinstance(human, HumanRanking) else human
    if windows and not 2 <= windows <= len(people):
        raise InputError(f"a window cannot have {counted(windows, 'system')}", fix=f"Use 2 to {len(people)} systems")
    given, scores = scores, [found.oriented().aggregated(aggregate) for found in scores]
    rows = []
    for method in methods:
        _statistic(method)  # importing scipy takes longer than a correlation, which would mislead the progress bar
    with progress(len(scores) * len(methods), "correlations") as bar:
        for raw, found in zip(given, scores, strict=True):
            correlations = {}
            for method in methods:
                correlations[method] = _correlation(found.systems, human, method, resamples, seed)
                bar.update(1)
            agreement = None
            if judgments is not None and found.sentences is not None:
                draws = resamples or _RESAMPLES
                agreement = sentence_agreement(found.sentences, judgments, ties=ties, resamples=draws, seed=seed)
            curve = tuple(window_analysis(found.systems, people, windows)) if windows else ()
            shown = raw.systems if aggregate == "corpus" else found.systems
            row = MetaRow(
                found.metric, found.references, correlations, agreement, curve, {}, shown, raw.higher_is_better
            )
            rows.append(row)
    _warn_of_uninformative(scores, people)
    tests = _williams_tests(scores, rows)
    return [replace(row, williams=tested) for row, tested in zip(rows, tests, strict=True)]


def _warn_of_uninformative(scores: Sequence[MetricScores], people: SystemScores) -> None:
    """Warn of correlations over fewer than three systems, or over equal scores."""
    warned = []
    if len(people) < 3:
        found = f"found only {counted(len(people), 'system')} with both scores and judgments"
        warned.append(f"{found}, so each correlation is 1, -1 or undefined. Give scores of at least three systems")
    undefined = "so the correlation is undefined (nan)"
    if _are_equal(people):
        warned.append(f"all systems have the same human score, {undefined}")
    warned += [
        f"{each.metric}: all systems have the same score, {undefined}" for each in scores if _are_equal(each.systems)
    ]
    for problem in dict.fromkeys(warned):
        warnings.warn(problem, UserWarning, stacklevel=3)


def _are_equal(scores: SystemScores) -> bool:
    return len(scores) > 1 and len(set(scores.values())) == 1


def window_analysis(metric: SystemScores, human: SystemScores, size: int) -> Iterator[Window]:
    """Yield the coefficients over each group of neighbors in the human ranking.

    Each group has `size` systems (Kobayashi et al. 2024).
    """
    order = sorted(same_systems(metric, human), key=lambda name: -human[name])
    for first in range(len(order) - size + 1):
        names = order[first : first + size]
        x, y = [metric[name] for name in names], [human[name] for name in names]
        yield Window(first + 1, first + size, {method: coefficient(x, y, method) for method in WINDOW_METHODS})


def _williams_tests(scores: Sequence[MetricScores], rows: Sequence[MetaRow]) -> list[dict[Method, Williams]]:
    """Return the test of each row against the best row, by coefficient.

    A single row has no test.
    """
    tests: list[dict[Method, Williams]] = [{} for _ in rows]
    for method in WILLIAMS_METHODS:
        values = [row.correlations[method].value if method in row.correlations else nan for row in rows]
        known = [k for k, value in enumerate(values) if not isnan(value)]
        if len(known) < 2:
            continue
        best = max(known, key=lambda k: values[k])
        systems = sorted(scores[best].systems)
        ours = [scores[best].systems[name] for name in systems]
        label = rows[best].metric
        if sum(row.metric == label for row in rows) > 1:
            label = f"{label}|{rows[best].references}"
        for k in known:
            theirs = [scores[k].systems[name] for name in systems]
            between = coefficient(ours, theirs, method)
            tests[k][method] = Williams(label, *williams_test(values[best], values[k], between, len(systems)))
    return tests


def _correlation(
    metric: SystemScores, human: HumanRanking | SystemScores, method: Method, resamples: int, seed: int
) -> Correlation:
    if isinstance(human, HumanRanking) and not resamples:
        return correlate_runs(metric, human.scores(), human.runs, method)
    scores = human.scores() if isinstance(human, HumanRanking) else human
    return correlate(metric, scores, method, resamples=resamples, seed=seed)

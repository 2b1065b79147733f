"""Bootstrap intervals and paired tests for all metrics.

In each resample, the metric chooses its references again.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gecbench.display import progress
from gecbench.errors import InputError
from gecbench.metrics.base import Interval, Score, Values
from gecbench.metrics.resampling import Samples

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

TestName = Literal["randomization", "bootstrap", "t-test"]
TESTS: tuple[TestName, ...] = ("randomization", "bootstrap", "t-test")
DEFAULT_SEED = 12345
SIGNIFICANT = 0.05
_CONFIDENCE = 0.95
_MOST_RESAMPLES = 10_000_000
_CHUNK_VALUES = 16 * 2**20
_ENOUGH_SENTENCES = 300
_TOY_CORPUS = "demo"


class SmallSampleWarning(UserWarning):
    """Confidence intervals are too narrow: the corpus has fewer than 300 sentences."""


def small_sample_note(sentences: int, corpus: str = "") -> str | None:
    """Return a note if a corpus has too few sentences for intervals, otherwise None.

    For the demo corpus, the result is always None.
    """
    if sentences >= _ENOUGH_SENTENCES or corpus == _TOY_CORPUS:
        return None
    return f"95% intervals from fewer than {_ENOUGH_SENTENCES} sentences are too narrow (the corpus has {sentences})"


def warn_of_small_sample(sentences: int, corpus: str = "") -> None:
    """Warn if there are too few sentences for intervals."""
    if note := small_sample_note(sentences, corpus):
        warnings.warn(note, SmallSampleWarning, stacklevel=3)


@dataclass(frozen=True)
class PairedTest:
    """The two-sided p-value of the difference between a system and a baseline.

    `p_adjusted` is the p-value adjusted by Holm's method for all comparisons of the report. `resamples` is 0 for a
    t-test.
    """

    test: TestName
    metric: str
    system: str
    baseline: str
    difference: float
    p_value: float
    resamples: int
    p_adjusted: float


def bootstrap_values(scores: Sequence[Score], resamples: int, seed: int = DEFAULT_SEED) -> list[Values]:
    """Return the values of each score on bootstrap resamples of the corpus.

    A resample draws sentences with replacement (Koehn 2004). All scores belong to one corpus and use the same
    resamples.
    """
    generator, sentences = _generator(seed), len(scores[0].statistics)
    values: list[list[Values]] = [[] for _ in scores]
    with _resampling(scores, resamples, "resampling") as (sizes, bar):
        for size in sizes:
            drawn = generator.integers(0, sentences, size=(size, sentences), dtype=np.int64)
            samples = Samples(drawn.astype(np.int32), sentences)
            for score, found in zip(scores, values, strict=True):
                for totals in score.metric.reference_policy.resampled_totals(score.statistics, samples):
                    found.append(score.metric.values(totals).mean(axis=-1))
                bar.update(size)
    return [np.concatenate(found) for found in values]


def with_intervals(scores: Sequence[Score], resamples: int, seed: int = DEFAULT_SEED) -> list[Score]:
    """Add 95% bootstrap percentile intervals to scores on one corpus.

    Resamples with the value NaN are left out.
    """
    tail, found = (1 - _CONFIDENCE) / 2, []
    for score, values in zip(scores, bootstrap_values(scores, resamples, seed), strict=True):
        low, high = np.quantile(values[~np.isnan(values)], [tail, 1 - tail])
        found.append(score.with_interval(Interval(float(low), float(high), _CONFIDENCE, resamples), seed))
    return found


def with_interval(score: Score, resamples: int, seed: int = DEFAULT_SEED) -> Score:
    """Add an interval to one score."""
    return with_intervals([score], resamples, seed)[0]


@dataclass(frozen=True)
class Pair:
    """The scores and names of a system and a baseline, on one metric and corpus."""

    system: Score
    baseline: Score
    names: tuple[str, str]

    def result(self, test: TestName, p_value: float, resamples: int) -> PairedTest:
        """Return the result of a test with this p-value."""
        difference = self.system.value - self.baseline.value
        return PairedTest(test, self.system.name, *self.names, difference, p_value, resamples, p_adjusted=p_value)

    def resampled(self, test: TestName, null: Values) -> PairedTest:
        """Return the result of a resampling test.

        `null` contains the differences expected by chance.
        """
        return self.result(test, resampled_p_value(null, self.system.value - self.baseline.value), len(null))


def resampled_p_value(null: Values, difference: float) -> float:
    """Return the share of chance differences at least as large as `difference`.

    `null` contains the differences expected by chance. Their absolute values are compared. If k of n differences are at
    least as large, the share is computed as (k + 1) / (n + 1), so it is never 0.
    """
    rounding = 1e-12
    extreme = int((np.abs(null) >= abs(difference) - rounding).sum())
    return (extreme + 1) / (len(null) + 1)


def paired_tests(test: TestName, pairs: Sequence[Pair], resamples: int, seed: int = DEFAULT_SEED) -> list[PairedTest]:
    """Test all pairs on one corpus, and adjust the p-values by Holm's method."""
    if test == "t-test":
        found = [paired_t_test(pair) for pair in pairs]
    else:
        found = (paired_bootstrap if test == "bootstrap" else paired_randomization)(pairs, resamples, seed)
    adjusted = holm([each.p_value for each in found])
    return [replace(each, p_adjusted=p_value) for each, p_value in zip(found, adjusted, strict=True)]


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's step-down method, in the given order.

    The method (Holm 1979) multiplies the smallest of m p-values by m, the next by m - 1, and so on. An adjusted p-value
    is at least as large as that of the next smaller p-value, and at most 1. If you call all adjusted p-values below
    0.05 significant, the chance of even one false positive is at most 0.05.

    >>> holm([0.04, 0.01, 0.02])
    [0.04, 0.03, 0.04]
    """
    adjusted = [1.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted


def resamples_needed(comparisons: int) -> int:
    """Return the fewest resamples that make a significant adjusted p-value possible.

    The p-values of `comparisons` tests are adjusted by Holm's method.

    >>> resamples_needed(60)
    1200
    """
    return math.ceil(comparisons / SIGNIFICANT)


def paired_bootstrap(pairs: Sequence[Pair], resamples: int, seed: int = DEFAULT_SEED) -> list[PairedTest]:
    """Test differences with the paired bootstrap, centered on the mean difference.

    p is the share of resamples in which |difference - mean difference| is at least |observed difference|, as computed
    by `resampled_p_value`.
    """
    scores = list({id(score): score for pair in pairs for score in (pair.system, pair.baseline)}.values())
    values = dict(zip(map(id, scores), bootstrap_values(scores, resamples, seed), strict=True))
    found = []
    for pair in pairs:
        differences = values[id(pair.system)] - values[id(pair.baseline)]
        found.append(pair.resampled("bootstrap", differences - differences.mean()))
    return found


def paired_randomization(pairs: Sequence[Pair], resamples: int, seed: int = DEFAULT_SEED) -> list[PairedTest]:
    """Test differences with approximate randomization.

    Each resample swaps the outputs of the two systems for randomly chosen sentences. p is the share of resamples in
    which |difference| is at least |observed difference| (Riezler & Maxwell 2005), as computed by `resampled_p_value`.
    """
    generator, sentences = _generator(seed), len(pairs[0].system.statistics)
    differences: list[list[Values]] = [[] for _ in pairs]
    with _resampling([pair.system for pair in pairs], resamples, "shuffling") as (sizes, bar):
        for size in sizes:
            swaps = generator.integers(0, 2, size=(size, sentences), dtype=np.int64).astype(np.int32)
            for pair, found in zip(pairs, differences, strict=True):
                metric, both = pair.system.metric, (pair.system.statistics, pair.baseline.statistics)
                for sides in metric.reference_policy.swapped_totals(*both, swaps):
                    left, right = (metric.values(totals).mean(axis=-1) for totals in sides)
                    found.append(left - right)
                bar.update(size)
    tested = zip(pairs, map(np.concatenate, differences), strict=True)
    return [pair.resampled("randomization", null) for pair, null in tested]


def paired_t_test(pair: Pair) -> PairedTest:
    """Test a difference with Student's paired t-test on sentence scores.

    Felice & Briscoe (2015) use this test. Sentences without a score for one of the systems are left out.
    """
    from scipy.stats import ttest_rel

    left, right = pair.system.sentence_scores(), pair.baseline.sentence_scores()
    scored = np.isfinite(left) & np.isfinite(right)
    if scored.sum() < 2:
        raise InputError("a t-test needs at least two sentences with scores for both systems", fix="Use another test")
    differs = bool((left[scored] != right[scored]).any())
    return pair.result("t-test", float(ttest_rel(left[scored], right[scored]).pvalue) if differs else 1.0, 0)


def check_resamples(resamples: int, least: int = 1) -> None:
    """Raise an error unless `resamples` is an integer from `least` to ten million."""
    if not isinstance(resamples, Integral) or resamples < least:
        raise InputError(f"resamples={resamples!r} is not a whole number of at least {least}")
    if resamples > _MOST_RESAMPLES:
        problem = f"{resamples:,} resamples are more than the limit of {_MOST_RESAMPLES:,}"
        raise InputError(problem, fix="Use 1000 to 10000")


def _generator(seed: int) -> np.random.Generator:
    if not isinstance(seed, Integral) or seed < 0:
        raise InputError(f"seed={seed!r} is not a whole number of at least 0")
    return np.random.default_rng(seed)


@contextmanager
def _resampling(scores: Sequence[Score], resamples: int, what: str) -> Iterator[tuple[list[int], Any]]:
    """Yield the sizes of the chunks of resamples, and a progress bar.

    While the context is open, numpy uses one thread.
    """
    check_resamples(resamples)
    most = max(1, min(1000, _CHUNK_VALUES // len(scores[0].statistics)))
    sizes = [min(most, resamples - begin) for begin in range(0, resamples, most)]
    with progress(resamples * len(scores), what) as bar, _numpy_threads().limit(limits=1, user_api="blas"):
        yield sizes, bar


@cache
def _numpy_threads() -> ThreadpoolController:
    """Return a controller that can limit numpy to one thread.

    Several threads slow down small matrix products.
    """
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()

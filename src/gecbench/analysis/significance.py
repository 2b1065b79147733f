"""Bootstrap intervals and paired tests, written once for every metric; each resample runs the policy again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from numbers import Integral
from typing import TYPE_CHECKING, Literal

import numpy as np

from gecbench.errors import InputError
from gecbench.metrics.base import Interval, Metric, Score
from gecbench.metrics.ratios import Values
from gecbench.metrics.statistics import Statistics
from gecbench.progress import progress

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

TestName = Literal["randomisation", "bootstrap", "t-test"]
TESTS: tuple[TestName, ...] = ("randomisation", "bootstrap", "t-test")
DEFAULT_SEED = 12345
_MOST_RESAMPLES = 10_000_000
_CHUNK_VALUES = 16 * 2**20


@dataclass(frozen=True)
class PairedTest:
    """A system against a baseline under one metric: two-sided p-value of the difference (`resamples` 0: a t-test)."""

    test: TestName
    metric: str
    system: str
    baseline: str
    difference: float
    p_value: float
    resamples: int


def bootstrap_values(metric: Metric, statistics: Statistics, resamples: int, seed: int = DEFAULT_SEED) -> Values:
    """Return the metric's value on corpora of as many sentences drawn with replacement (Koehn 2004)."""
    generator, sentences = _generator(seed), len(statistics)
    values = []
    for size in _chunk_sizes(sentences, resamples, "resampling"):
        drawn = generator.integers(0, sentences, size=(size, sentences), dtype=np.int64)
        totals = metric.reference_policy.resampled_totals(statistics, drawn)
        values.append(metric.values(totals).mean(axis=-1))
    return np.concatenate(values)


def with_interval(score: Score, resamples: int, seed: int = DEFAULT_SEED, confidence: float = 0.95) -> Score:
    """Return the score with the percentile interval of its bootstrap values, those that are numbers."""
    values = bootstrap_values(score.metric, score.statistics, resamples, seed)
    values = values[~np.isnan(values)]
    tail = (1 - confidence) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return score.with_interval(Interval(float(low), float(high), confidence, resamples), seed)


def paired_bootstrap(
    system: Score, baseline: Score, names: tuple[str, str], resamples: int, seed: int = DEFAULT_SEED
) -> PairedTest:
    """Test a difference by the paired bootstrap, centred on its own mean.

    p is the share of resamples whose difference is further from the mean difference than the observed one
    is from 0 (both counted with one added, so that p is never 0).
    """
    differences = bootstrap_values(system.metric, system.statistics, resamples, seed) - bootstrap_values(
        baseline.metric, baseline.statistics, resamples, seed
    )
    observed = system.value - baseline.value
    return _paired("bootstrap", system, names, observed, differences - differences.mean())


def paired_randomisation(
    system: Score, baseline: Score, names: tuple[str, str], resamples: int, seed: int = DEFAULT_SEED
) -> PairedTest:
    """Test a difference by approximate randomisation: outputs swapped sentence by sentence at random.

    Riezler & Maxwell 2005: p is the share of shuffles whose difference is at least the observed one.
    """
    metric = system.metric
    generator, sentences = _generator(seed), len(system.statistics)
    differences = []
    for size in _chunk_sizes(sentences, resamples, "shuffling"):
        swapped = generator.integers(0, 2, size=(size, sentences), dtype=np.int64)
        sides = metric.reference_policy.swapped_totals(system.statistics, baseline.statistics, swapped)
        left, right = (metric.values(totals).mean(axis=-1) for totals in sides)
        differences.append(left - right)
    return _paired("randomisation", system, names, system.value - baseline.value, np.concatenate(differences))


def paired_t_test(system: Score, baseline: Score, names: tuple[str, str]) -> PairedTest:
    """Test a difference by Student's paired t-test over the sentence scores, as Felice & Briscoe 2015 did.

    Sentences that either score leaves out do not count.
    """
    from scipy.stats import ttest_rel

    left, right = system.sentence_scores(), baseline.sentence_scores()
    scored = np.isfinite(left) & np.isfinite(right)
    if scored.sum() < 2:
        raise InputError("a t-test needs at least two sentences", fix="Use another test, or none")
    differs = bool((left[scored] != right[scored]).any())
    p_value = float(ttest_rel(left[scored], right[scored]).pvalue) if differs else 1.0
    return PairedTest("t-test", system.name, *names, system.value - baseline.value, p_value, 0)


def check_resamples(resamples: int) -> None:
    """Refuse a number of resamples below 1, or so large that nobody waits for the end."""
    if not isinstance(resamples, Integral) or resamples < 1:
        raise InputError(f"resamples={resamples!r} is not a whole number of at least 1")
    if resamples > _MOST_RESAMPLES:
        raise InputError(f"resamples={resamples} is more than {_MOST_RESAMPLES}", fix="1000 to 10000 are usual")


def _generator(seed: int) -> np.random.Generator:
    if not isinstance(seed, Integral) or seed < 0:
        raise InputError(f"seed={seed!r} is not a whole number of at least 0")
    return np.random.default_rng(seed)


def _paired(test: TestName, system: Score, names: tuple[str, str], observed: float, null: Values) -> PairedTest:
    rounding = 1e-12
    extreme = int((np.abs(null) >= abs(observed) - rounding).sum())
    p_value = (extreme + 1) / (len(null) + 1)
    return PairedTest(test, system.name, *names, observed, p_value, len(null))


def _chunk_sizes(sentences: int, resamples: int, what: str) -> Iterator[int]:
    """Yield how many resamples to make at once, and show the progress."""
    check_resamples(resamples)
    most = max(1, min(1000, _CHUNK_VALUES // sentences))
    with progress(resamples, what) as bar, _threads_of_numpy().limit(limits=1, user_api="blas"):
        for begin in range(0, resamples, most):
            size = min(most, resamples - begin)
            yield size
            bar.update(size)


@cache
def _threads_of_numpy() -> ThreadpoolController:
    """Return the switch of numpy's threads, which cost more time than they save on products as small as these."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()

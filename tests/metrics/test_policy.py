"""How M2 chooses among annotators, also in resampled corpora, against obvious loops (docs/metrics/m2.md §9)."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from m2_corpus import annotation
from oracles.greedy import f_score, greedy, rank

from gecbench import M2, Corpus, IMeasure, compare, load_demo, load_demo_systems
from gecbench.analysis.significance import Pair, bootstrap_values, paired_bootstrap, paired_randomization, with_interval
from gecbench.metrics.base import Statistics
from gecbench.metrics.policy import BestPerSentence, EachRow, GreedyCumulative

pytestmark = pytest.mark.usefixtures("kernels_of")
DEMO, SYSTEMS = load_demo(), load_demo_systems()


def rows_of(statistics):
    """The counts as lists: sentences × rows × three."""
    return [part.tolist() for part in np.split(statistics.counts, statistics.offsets[1:-1])]


def random_statistics(seed, sentences=40, annotators=4):
    chance = np.random.default_rng(seed)
    sizes = chance.integers(1, annotators + 1, sentences)
    counts = chance.integers(0, 4, (sizes.sum(), 3))
    counts[:, 0] = np.minimum(counts[:, 0], counts[:, 1:].min(axis=1))
    return Statistics(counts.astype(np.int64), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("beta", [0, 0.5, 1, 2])
def test_greedy_is_the_obvious_walk(seed, beta):
    statistics = random_statistics(seed)
    policy = GreedyCumulative(beta)
    expected = greedy(rows_of(statistics), Fraction(beta) ** 2)
    assert tuple(policy.totals(statistics)[0]) == expected
    assert tuple(statistics.counts[policy.chosen(statistics)].sum(axis=0)) == expected


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("beta", [0, 0.5, 1, 2])
def test_best_per_sentence_is_the_obvious_choice(seed, beta):
    statistics = random_statistics(seed)
    best = [max(rows, key=lambda row: rank(row, Fraction(beta) ** 2)) for rows in rows_of(statistics)]
    assert BestPerSentence(beta).totals(statistics).tolist() == [np.sum(best, axis=0).tolist()]


def test_greedy_depends_on_the_order_and_best_per_sentence_does_not():
    several = [random_statistics(seed) for seed in range(6)]
    orders = [np.random.default_rng(seed).permutation(40) for seed in range(6)]
    pairs = [(found, found.select(order)) for found, order in zip(several, orders, strict=True)]
    for policy, differ in ((GreedyCumulative(), True), (BestPerSentence(), False)):
        assert any(policy.totals(a).tolist() != policy.totals(b).tolist() for a, b in pairs) == differ


def test_average_is_the_mean_of_each_annotator_alone():
    for predictions in SYSTEMS.values():
        alone = [M2(annotators=str(k)).score_corpus(DEMO, predictions) for k in (0, 1)]
        score = M2(policy="average").score_corpus(DEMO, predictions)
        assert score.value == pytest.approx(sum(found.value for found in alone) / 2)
        assert score.parts["gold"] == sum(found.parts["gold"] for found in alone) / 2
        assert isinstance(score.metric.reference_policy, EachRow)


THREE = Corpus(
    sources=["a b c", "a b", "c"],
    annotations=[
        [annotation((0, 1, ("x",))), annotation((1, 2, ("y",)), annotator=1), annotation(annotator=2)],
        [annotation(annotator=1), annotation((1, 2, ("y",)), annotator=2)],
        [],
    ],
)


def test_a_subset_of_annotators_is_scored_as_if_it_were_all():
    predictions = ["x b c", "a y", "c"]
    for size in (1, 2, 3):
        for kept in combinations(range(3), size):
            left = [[found for found in sentence if found.annotator in kept] for sentence in THREE.annotations]
            expected = M2().score_corpus(THREE.replace(annotations=left), predictions)
            score = M2(annotators="+".join(map(str, kept))).score_corpus(THREE, predictions)
            assert score.statistics.counts.tolist() == expected.statistics.counts.tolist()
            assert score.value == expected.value
            assert score.signature["annotators"] == "+".join(map(str, kept))


def test_subsets_of_the_counts_are_subsets_of_annotators():
    """The counts of all annotators hold every subset, so that a thousand subsets need one pass."""
    complete = M2().score_corpus(DEMO, SYSTEMS["rule-based"])
    for kept in ([0], [1], [0, 1]):
        part = complete.metric.value_of(complete.statistics.keep_choices(kept))
        assert part == M2(annotators="+".join(map(str, kept))).score_corpus(DEMO, SYSTEMS["rule-based"]).value


@pytest.mark.parametrize("system", ["rule-based", "good-corrector"])
def test_bootstrap_walks_every_resample_again(system):
    score = M2().score_corpus(DEMO, SYSTEMS[system])
    (found,) = bootstrap_values([score], resamples=25, seed=4)
    rows = rows_of(score.statistics)
    drawn = np.random.default_rng(4).integers(0, len(DEMO), size=(25, len(DEMO)), dtype=np.int64)
    expected = [f_score(greedy([rows[i] for i in sample])) for sample in drawn]
    assert found == pytest.approx(expected, abs=1e-12)
    interval = with_interval(score, 25, seed=4).interval
    assert [interval.low, interval.high] == pytest.approx(np.quantile(expected, [0.025, 0.975]))


@pytest.mark.parametrize("metric", [M2(policy="best-per-sentence"), M2(policy="average"), IMeasure()], ids=str)
def test_bootstrap_of_the_other_policies(metric):
    outputs = SYSTEMS["rule-based"]
    (found,) = bootstrap_values([metric.score_corpus(DEMO, outputs)], resamples=5, seed=4)
    drawn = np.random.default_rng(4).integers(0, len(DEMO), size=(5, len(DEMO)), dtype=np.int64)
    resampled = ((DEMO.select(sample), [outputs[i] for i in sample]) for sample in drawn)
    expected = [metric.score_corpus(corpus, texts, aligned=True).value for corpus, texts in resampled]
    assert found == pytest.approx(expected, abs=1e-12)


def test_randomization_walks_every_shuffle_again():
    names = ("rule-based", "spell-checker")
    better, worse = (M2().score_corpus(DEMO, SYSTEMS[name]) for name in names)
    left, right = rows_of(better.statistics), rows_of(worse.statistics)
    observed, extreme = abs(better.value - worse.value), 0
    swaps = np.random.default_rng(9).integers(0, 2, size=(60, len(DEMO)), dtype=np.int64)
    for swapped in swaps:
        mixed = [b if swap else a for a, b, swap in zip(left, right, swapped, strict=True)]
        others = [a if swap else b for a, b, swap in zip(left, right, swapped, strict=True)]
        extreme += abs(f_score(greedy(mixed)) - f_score(greedy(others))) >= observed - 1e-12
    (found,) = paired_randomization([Pair(better, worse, names)], resamples=60, seed=9)
    assert found.difference == pytest.approx(better.value - worse.value)
    assert found.p_value == (extreme + 1) / 61


def test_paired_bootstrap_is_centred():
    names = ("rule-based", "spell-checker")
    better, worse = (M2().score_corpus(DEMO, SYSTEMS[name]) for name in names)
    differences = np.subtract(*bootstrap_values([better, worse], 50, seed=2))
    extreme = np.abs(differences - differences.mean()) >= better.value - worse.value - 1e-12
    (found,) = paired_bootstrap([Pair(better, worse, names)], 50, seed=2)
    assert found.p_value == (extreme.sum() + 1) / 51


def test_a_system_against_itself():
    same = {"one": SYSTEMS["rule-based"], "two": SYSTEMS["rule-based"]}
    report = compare(same, DEMO, ["m2"], resamples=20)
    assert report["one"]["m2"].value == report["two"]["m2"].value
    assert report.tests[0].p_value == 1

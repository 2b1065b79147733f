"""Bootstrap and paired tests against obvious loops and exact enumeration."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gecbench import BLEU, GLEU, GREEN, M2, load_demo, load_demo_systems
from gecbench.analysis.significance import (
    Pair,
    bootstrap_values,
    paired_bootstrap,
    paired_randomization,
    with_interval,
    with_intervals,
)
from gecbench.metrics import resampling
from gecbench.metrics.base import Statistics
from gecbench.metrics.policy import BestPerSentence, EachRow, Sampled
from gecbench.metrics.resampling import Samples

DEMO, SYSTEMS = load_demo(), load_demo_systems()
METRICS = [GLEU(iterations=20), GLEU(iterations=20, variant="equation1"), GREEN(), BLEU()]


def scored(metric, system):
    return metric.score_corpus(DEMO, SYSTEMS[system])


def chosen_counts(metric, statistics):
    """Counts that the policy takes for each sentence, draws × sentences × counts, by single lookups."""
    policy = metric.reference_policy
    rows = policy.chosen_rows(statistics, 0, policy.rounds(statistics))
    return np.array([[statistics.counts[row] for row in draw] for draw in rows])


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_bootstrap_is_the_obvious_loop(metric):
    score = scored(metric, "rule-based")
    (found,) = bootstrap_values([score], resamples=5, seed=3)
    statistics = score.statistics
    chosen = chosen_counts(metric, statistics)
    generator = np.random.default_rng(3)
    for value in found:
        sample = generator.integers(0, len(statistics), len(statistics))
        totals = [sum(draw[i] for i in sample) for draw in chosen]
        assert value == pytest.approx(np.mean([metric.values(total[None])[0] for total in totals]), abs=1e-12)


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_unresampled_totals_are_the_corpus(metric):
    """A resample that holds every sentence once is the corpus itself."""
    statistics = scored(metric, "good-corrector").statistics
    in_order = Samples(np.arange(len(statistics), dtype=np.int32)[None], len(statistics))
    (totals,) = metric.reference_policy.resampled_totals(statistics, in_order)
    np.testing.assert_array_equal(totals[0], metric.reference_policy.totals(statistics))


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_randomization_agrees_with_all_shuffles(metric):
    """On eight sentences all 256 shuffles can be made: the p-value estimates their share."""
    few = DEMO.select(range(8))
    better, worse = (metric.score_corpus(few, SYSTEMS[name][:8]) for name in ("rule-based", "spell-checker"))
    left, right = (chosen_counts(metric, found.statistics) for found in (better, worse))
    observed, extreme = abs(better.value - worse.value), 0
    for swaps in itertools.product([False, True], repeat=8):
        swapped = np.array(swaps)[None, :, None]
        values = [
            np.mean([metric.values(total[None])[0] for total in np.where(swapped, a, b).sum(axis=1)])
            for a, b in ((right, left), (left, right))
        ]
        extreme += abs(values[0] - values[1]) >= observed - 1e-12
    (test,) = paired_randomization([Pair(better, worse, ("rule-based", "spell-checker"))], resamples=4000)
    assert test.p_value == pytest.approx(extreme / 256, abs=0.03)
    assert test.difference == pytest.approx(better.value - worse.value)


@pytest.mark.parametrize("metric", [*METRICS, M2()], ids=str)
def test_swapped_totals_are_those_of_the_swapped_corpora(metric):
    policy = metric.reference_policy
    texts = [SYSTEMS[name] for name in ("rule-based", "spell-checker")]
    swaps = np.random.default_rng(1).integers(0, 2, size=(3, len(DEMO)), dtype=np.int32)
    (sides,) = policy.swapped_totals(*(metric.count(DEMO, lines) for lines in texts), swaps)
    for b, swapped in enumerate(swaps):
        for totals, owners in zip(sides, (swapped, 1 - swapped), strict=True):
            lines = [texts[owner][i] for i, owner in enumerate(owners)]
            np.testing.assert_array_equal(totals[b], policy.totals(metric.count(DEMO, lines)))


@pytest.mark.parametrize("run", [paired_bootstrap, paired_randomization])
def test_a_system_does_not_differ_from_itself(run):
    same = scored(METRICS[0], "rule-based")
    assert run([Pair(same, same, ("a", "b"))], resamples=50)[0].p_value == 1


@pytest.mark.parametrize("run", [paired_bootstrap, paired_randomization])
def test_clearly_different_systems_differ(run):
    names = ("good-corrector", "do-nothing")
    better, worse = (scored(METRICS[0], name) for name in names)
    pairs = [Pair(better, worse, names), Pair(worse, better, names[::-1])]
    test, turned = run(pairs, resamples=200)
    assert test.p_value == turned.p_value == 1 / 201
    assert turned.difference == -test.difference
    assert [(each.system, each.baseline) for each in (test, turned)] == [names, names[::-1]]


def test_interval_contains_the_value_and_is_recorded():
    found = with_interval(scored(GLEU(), "rule-based"), resamples=200, seed=7)
    assert found.interval.low < found.value < found.interval.high
    assert found.signature["resamples"] == "200:7"
    assert found == with_interval(scored(GLEU(), "rule-based"), resamples=200, seed=7), "a seed fixes the interval"
    assert found != with_interval(scored(GLEU(), "rule-based"), resamples=200, seed=8)


def test_scores_together_are_scores_alone():
    """More resamples than are made at once, of metrics with one round and with many."""
    scores = [scored(GLEU(iterations=30), "rule-based"), scored(M2(), "rule-based"), scored(BLEU(), "do-nothing")]
    assert with_intervals(scores, 1100, seed=6) == [with_interval(each, 1100, seed=6) for each in scores]


def test_seed_zero_is_a_seed():
    first, second = (bootstrap_values([scored(BLEU(), "rule-based")], 5, seed=0) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@given(
    data=st.data(),
    choices=st.lists(st.integers(1, 3), min_size=1, max_size=6),
    policy=st.sampled_from([Sampled(4), Sampled(4, "py3"), BestPerSentence()]),
)
def test_totals_of_any_counts_are_the_obvious_sums(data, choices, policy):
    """Columns and sentences that the choice of a row changes, and those that it does not; negative counts too."""
    counts = st.lists(
        st.lists(st.integers(-2, 2), min_size=3, max_size=3), min_size=sum(choices), max_size=sum(choices)
    )
    offsets = np.cumsum([0, *choices])
    left, right = (Statistics(np.array(data.draw(counts)), offsets) for _ in range(2))
    rounds = policy.rounds(left)
    chosen = [each.counts[policy.chosen_rows(each, 0, rounds)] for each in (left, right)]
    drawn = data.draw(arrays(np.int32, (2, 4), elements=st.integers(0, len(choices) - 1)))
    (resampled,) = policy.resampled_totals(left, Samples(drawn, len(choices)))
    for totals, sample in zip(resampled, drawn, strict=True):
        np.testing.assert_array_equal(totals, chosen[0][:, sample].sum(axis=1))
    swaps = data.draw(arrays(np.int32, (2, len(choices)), elements=st.integers(0, 1)))
    (sides,) = policy.swapped_totals(left, right, swaps)
    for first, second, swapped in zip(*sides, swaps, strict=True):
        owner = swapped[None, :, None] == 1
        np.testing.assert_array_equal(first, np.where(owner, chosen[1], chosen[0]).sum(axis=1))
        np.testing.assert_array_equal(second, np.where(owner, chosen[0], chosen[1]).sum(axis=1))


def test_large_counts_stay_exact():
    """Totals beyond 2**24 do not fit a 32-bit float: they must still be exact."""
    counts = np.array([[2**25 + 1], [2**25 + 3]], dtype=np.int64)
    statistics = Statistics(counts, np.array([0, 1, 2], dtype=np.int64))
    samples = Samples(np.array([[0, 1], [1, 1]], dtype=np.int32), 2)
    for policy in (EachRow(), Sampled()):
        (totals,) = policy.resampled_totals(statistics, samples)
        assert totals[:, 0, 0].tolist() == [2**26 + 4, 2**26 + 6]


@pytest.mark.parametrize(("chosen_bytes", "totals_bytes"), [(1, 1), (10**9, 1), (1, 10**9), (200, 200)])
def test_the_size_of_blocks_changes_nothing(monkeypatch, chosen_bytes, totals_bytes):
    statistics = scored(METRICS[0], "rule-based").statistics
    policy = METRICS[0].reference_policy
    samples = Samples(np.random.default_rng(2).integers(0, len(DEMO), (7, len(DEMO)), dtype=np.int32), len(DEMO))
    expected = np.concatenate([*policy.resampled_totals(statistics, samples)])
    monkeypatch.setattr(resampling, "_CHOSEN_BYTES", chosen_bytes)
    monkeypatch.setattr(resampling, "_TOTALS_BYTES", totals_bytes)
    np.testing.assert_array_equal(np.concatenate([*policy.resampled_totals(statistics, samples)]), expected)


@given(st.lists(st.lists(st.integers(0, 2**20), min_size=6, max_size=6), min_size=1, max_size=9))
def test_packed_columns_keep_their_sums(rows):
    """Sums of up to 24 bits each: some columns share a number, the others have their own."""
    counts = np.array(rows, dtype=np.int64)
    sums = counts.sum(axis=0)
    found = dict.fromkeys(range(6), 0.0)
    for pack in resampling.packs_of(sums.astype(np.float64)):
        found |= {column: float(own[0]) for column, own in pack.split(pack.join(counts).sum(keepdims=True))}
    assert list(found.values()) == sums.tolist()


def test_bleu_is_sacrebleus(monkeypatch):
    import sacrebleu

    for system in SYSTEMS.values():
        for tokenize in ("none", "13a"):
            ours = BLEU(tokenize=tokenize).score_corpus(DEMO, system)
            theirs = sacrebleu.BLEU(tokenize=tokenize, force=True).corpus_score(
                system, list(zip(*DEMO.references, strict=True))
            )
            assert 100 * ours.value == pytest.approx(theirs.score, abs=1e-12)
            assert ours.parts["brevity_penalty"] == theirs.bp
        sentence = sacrebleu.BLEU(tokenize="none", force=True, effective_order=True).sentence_score
        expected = [sentence(text, texts).score for text, texts in zip(system, DEMO.references, strict=True)]
        np.testing.assert_allclose(100 * BLEU().score_corpus(DEMO, system).sentence_scores(), expected, atol=1e-12)


@pytest.mark.parametrize("variant", ["sacrebleu", "2016"])
@pytest.mark.parametrize("smoothing", ["exp", "none", "floor", "add-k"])
def test_bleu_of_many_totals_is_sacrebleus_of_each(variant, smoothing):
    metric, generator = BLEU(variant=variant, smoothing=smoothing), np.random.default_rng(4)
    total = generator.integers(1, 50, (300, 1)) + np.arange(4)[::-1]
    correct = generator.integers(0, total + 1) // generator.integers(1, 4, (300, 1))
    lengths = total[:, :1] + generator.integers(0, 9, (300, 3))
    rows = np.concatenate([lengths, correct, total], axis=1)
    expected = [metric._compute(row).score / 100 for row in rows.tolist()]
    assert metric.values(rows).tolist() == expected
    assert metric.values(rows.astype(np.float64).reshape(100, 3, -1)).ravel().tolist() == expected

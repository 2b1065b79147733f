"""Correlations with human scores, their intervals, and ties that do not depend on the order of systems."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mirror_files import golden
from scipy import stats

import gecbench
from gecbench.corpora.load import load_rankings
from gecbench.errors import InputError
from gecbench.formats.judgments import Judgment, expand_pairs
from gecbench.formats.scores import parse_system_scores
from gecbench.human.correlation import (
    METHODS,
    MetricScores,
    approximate_interval,
    coefficient,
    correlate,
    correlate_runs,
    meta_evaluate,
    score_systems,
    sentence_agreement,
    williams_test,
)
from gecbench.human.ranking import expected_wins

HUMAN = {"A": 0.9, "B": 0.5, "C": 0.4, "D": 0.1}


def test_coefficients_are_scipys() -> None:
    x, y = [1.0, 2.0, 2.0, 5.0, 4.0], [0.3, 0.1, 0.4, 0.9, 0.4]
    theirs = (stats.spearmanr(x, y), stats.pearsonr(x, y), stats.kendalltau(x, y))
    for method, result in zip(METHODS, theirs, strict=True):
        assert coefficient(x, y, method) == pytest.approx(result.statistic)


def test_correlate_goes_by_name() -> None:
    metric = {"D": 1.0, "C": 2.0, "A": 7.0, "B": 3.0}
    assert correlate(metric, HUMAN).value == pytest.approx(1)
    assert correlate(metric, HUMAN, "kendall").value == pytest.approx(1)
    swapped = correlate(metric | {"A": 3.0, "B": 7.0}, HUMAN)
    assert swapped.value == pytest.approx(1 - 6 * 2 / (4 * 15))
    assert swapped.items == 4


def test_a_missing_system_is_an_error() -> None:
    with pytest.raises(InputError, match="D is missing from the metric's scores"):
        correlate({"A": 1.0, "B": 2.0, "C": 3.0}, HUMAN)
    with pytest.raises(InputError, match="E is missing from the human scores"):
        correlate({**HUMAN, "E": 0.0}, HUMAN)
    with pytest.raises(InputError, match="E is missing from the human scores, and C, D are missing from the metric's"):
        correlate({"A": 1.0, "B": 2.0, "E": 3.0}, HUMAN)
    with pytest.raises(InputError, match="unknown correlation 'tau'"):
        correlate(HUMAN, HUMAN, "tau")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="2 scores cannot be correlated with 1"):
        coefficient([1, 2], [1], "pearson")


def test_a_constant_metric_has_no_correlation() -> None:
    result = correlate(dict.fromkeys(HUMAN, 0.5), HUMAN, resamples=10)
    assert isnan(result.value)
    assert result.interval is None


def test_interval_over_systems() -> None:
    random = np.random.default_rng(0)
    human = {f"s{k}": value for k, value in enumerate(random.normal(size=60).tolist())}
    metric = {name: value + random.normal() for name, value in human.items()}
    result = correlate(metric, human, "pearson", resamples=600, seed=1)
    assert result.interval is not None
    assert result.interval.resamples == 600
    # Fisher's interval of the same coefficient, from the normal distribution of atanh(r).
    half = 1.96 / np.sqrt(60 - 3)
    fisher = np.tanh(np.arctanh(result.value) + np.array([-half, half]))
    assert (result.interval.low, result.interval.high) == pytest.approx(tuple(fisher), abs=0.06)
    assert correlate(metric, human, "pearson", resamples=600, seed=1) == result


def test_interval_over_runs_of_the_human_ranking() -> None:
    runs = np.array([[3.0, 2.0, 1.0]] * 60 + [[2.0, 3.0, 1.0]] * 40)
    human = {"A": 2.6, "B": 2.4, "C": 1.0}
    result = correlate_runs({"C": 1.0, "A": 9.0, "B": 5.0}, human, runs, "spearman")
    assert result.value == pytest.approx(1)
    assert result.interval is not None
    assert (result.interval.low, result.interval.high) == pytest.approx((0.5, 1))


def test_every_run_counts_with_its_own_coefficient() -> None:
    metric = {"A": 9.0, "B": 5.0, "C": 1.0, "D": 5.0}
    runs = np.random.default_rng(3).integers(0, 4, (200, 4)).astype(float)
    runs[:3] = 1.0
    for method, theirs in (("spearman", stats.spearmanr), ("kendall", stats.kendalltau), ("pearson", stats.pearsonr)):
        values = [theirs(list(metric.values()), run).statistic for run in runs if np.ptp(run)]
        interval = correlate_runs(metric, HUMAN, runs, method).interval
        assert interval is not None
        assert interval.resamples == len(values)
        assert (interval.low, interval.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])), abs=1e-12)


SCORES = st.lists(st.integers(0, 2).map(float), min_size=4, max_size=4)
PAIRS = st.lists(st.tuples(st.sampled_from(["AB", "AC", "BD", "CD", "AD"]), st.sampled_from([0, 1, 2])), min_size=1)


@given(SCORES, PAIRS)
def test_sentence_level_does_not_depend_on_order(scores: list[float], pairs: list[tuple[str, int]]) -> None:
    table = {(system, 0): score for system, score in zip("ABCD", scores, strict=True)}
    judgments = [Judgment(0, "j", *pair, 1.0, float(rank)) for pair, rank in pairs]
    turned = [replace(j, system1=j.system2, system2=j.system1, rank1=j.rank2, rank2=j.rank1) for j in judgments]
    assert sentence_agreement(table, judgments) == sentence_agreement(table, turned)


def test_sentence_level_by_hand() -> None:
    scores = {("A", 0): 1.0, ("B", 0): 0.5, ("C", 0): 0.5, ("A", 1): 0.0, ("B", 1): 1.0}
    say = [
        (0, "A", "B", 1, 2),
        (0, "B", "C", 1, 2),
        (0, "C", "B", 1, 1),
        (0, "A", "C", 3, 3),
        (1, "A", "B", 1, 2),
    ]
    judgments = [Judgment(sentence, "j", one, other, r1, r2) for sentence, one, other, r1, r2 in say]
    result = sentence_agreement(scores, [*judgments, Judgment(0, "j", "A", "Z", float("nan"), 1.0)])
    assert (result.agree, result.disagree) == (1, 1)
    assert (result.metric_ties, result.human_ties, result.both_tie) == (1, 1, 1)
    assert (result.tau, result.accuracy, result.accuracy_with_ties) == pytest.approx((0, 0.5, 0.4))


def test_a_metric_that_always_ties_is_a_coin() -> None:
    judgments = [Judgment(n, "j", "A", "B", 1.0, 2.0) for n in range(5)]
    result = sentence_agreement({(s, n): 0.0 for s in "AB" for n in range(5)}, judgments)
    assert (result.accuracy, result.tau) == (0.5, 0)


def test_sentence_interval_resamples_sentences() -> None:
    judgments = [Judgment(n, "j", "A", "B", 1.0, 2.0) for n in range(100)]
    scores = {("A", n): float(n < 80) for n in range(100)} | {("B", n): 0.5 for n in range(100)}
    result = sentence_agreement(scores, judgments, resamples=3000, seed=2)
    # tau = 2 * share - 1 with share binomial(100, 0.8): 0.6 ± 1.96 * 0.08.
    assert result.tau_interval is not None
    assert (result.tau_interval.low, result.tau_interval.high) == pytest.approx((0.44, 0.76), abs=0.03)
    with pytest.raises(InputError, match="A has no score for sentence 0"):
        sentence_agreement({}, judgments)


def test_metric_by_reference_set_against_people():
    demo, systems = gecbench.load_demo(), gecbench.load_demo_systems()
    corpora = {"all": demo, "first": demo.with_references([0])}
    scores = score_systems(["gleu", "bleu"], corpora, systems, sentences=True)
    assert [(one.metric, one.references) for one in scores] == list(product(["gleu", "bleu"], corpora))
    judgments = list(expand_pairs(load_rankings("demo")))
    ranking = expected_wins(judgments, runs=50)
    rows = meta_evaluate(scores, ranking, judgments)
    x = [gecbench.GLEU().score_corpus(demo, outputs).value for outputs in systems.values()]
    y = [ranking.scores()[name] for name in systems]
    assert rows[0].correlations["pearson"].value == pytest.approx(stats.pearsonr(x, y).statistic)
    assert rows[0].correlations["pearson"].interval.resamples == 50
    assert rows[0].sentences.decided + rows[0].sentences.human_ties + rows[0].sentences.both_tie == 210
    over_systems = meta_evaluate(scores[:1], ranking.scores(), resamples=200, seed=1)[0].correlations["pearson"]
    assert over_systems.interval.low <= over_systems.value <= over_systems.interval.high


def test_a_perfect_and_a_reversed_metric():
    reversed_scores = {name: -score for name, score in HUMAN.items()}
    rows = meta_evaluate([MetricScores("good", "-", HUMAN), MetricScores("bad", "-", reversed_scores)], HUMAN)
    assert [row.correlations["kendall"].value for row in rows] == pytest.approx([1, -1])
    with pytest.raises(InputError, match="no metric to evaluate"):
        meta_evaluate([], HUMAN)


def test_two_systems_give_a_warning():
    message = (
        "^found only 2 systems with both scores and judgments, so each correlation is 1, -1 or undefined. "
        "Give scores of at least three systems$"
    )
    with pytest.warns(UserWarning, match=message):
        (row,) = meta_evaluate([MetricScores("mine", "-", {"A": 1.0, "B": 3.0})], {"A": 0.9, "B": 0.1})
    assert row.correlations["pearson"].value == pytest.approx(-1)


def test_equal_scores_give_a_warning(recwarn):
    even = dict.fromkeys(HUMAN, 0.5)
    rows = meta_evaluate([MetricScores("flat", "-", even), MetricScores("good", "-", HUMAN)], HUMAN)
    assert [isnan(row.correlations["spearman"].value) for row in rows] == [True, False]
    meta_evaluate([MetricScores("good", "-", HUMAN)], even)
    assert [str(found.message) for found in recwarn] == [
        "flat: all systems have the same score, so the correlation is undefined (nan)",
        "all systems have the same human score, so the correlation is undefined (nan)",
    ]


def test_table_6_from_the_published_metric_scores(mirror):
    human = golden("human_rankings.json")["grundkiewicz2015_3c_trueskill"]
    metrics = parse_system_scores(mirror.text("reassess/metric_scores"), name="reassess/metric_scores")
    cells = golden("sakaguchi2016_table6.json")["cells"]
    assert len(cells) == 28
    assert set(cells) <= set(metrics)
    for name, cell in cells.items():
        scores = {"INPUT" if system == "source" else system: score for system, score in metrics[name].items()}
        for method in ("spearman", "pearson"):
            assert correlate(scores, human, method).value == pytest.approx(cell[method], abs=0.0005), name


def test_williams_test_by_hand() -> None:
    """K = 1 - .64 - .25 - .16 + .32 = .27. With n = 13: 2 K 12/10 + 1.3² / 4 · .6³ = .648 + .09126 = .73926."""
    t, _ = williams_test(0.8, 0.5, 0.4, 13)
    assert t == pytest.approx(0.3 * (12 * 1.4 / 0.73926) ** 0.5)
    t, p = williams_test(0.8, 0.5, 0.4, 5)  # 1.08 + .09126; with 2 degrees of freedom p = 1 - t / sqrt(2 + t²)
    assert t == pytest.approx(0.3 * (4 * 1.4 / 1.17126) ** 0.5)
    assert (round(t, 5), round(p, 5)) == (0.65598, 0.57922)
    assert williams_test(0.5, 0.8, 0.4, 5) == pytest.approx((-t, p))


def test_williams_test_at_its_limits() -> None:
    assert williams_test(0.8, 0.8, 1.0, 12) == (0.0, 1.0)
    assert all(map(isnan, williams_test(0.8, 0.5, 0.4, 3)))
    assert all(map(isnan, williams_test(0.8, float("nan"), 0.4, 12)))


def test_metrics_are_tested_against_the_best() -> None:
    human = {"A": 1.0, "B": 2.0, "C": 3.0, "D": 4.0, "E": 5.0, "F": 6.0}
    good = MetricScores("good", "-", {"A": 1.1, "B": 1.9, "C": 3.2, "D": 3.9, "E": 5.1, "F": 5.9})
    same = MetricScores("same", "-", {name: 2 * score for name, score in good.systems.items()})
    bad = MetricScores("bad", "-", {"A": 3.0, "B": 1.0, "C": 4.0, "D": 1.5, "E": 5.0, "F": 2.0})
    rows = meta_evaluate([bad, good, same], human)
    tests = [row.williams["pearson"] for row in rows]
    assert {test.best for test in tests} == {"good"}
    assert [test.significant for test in tests] == [True, False, False]
    assert not meta_evaluate([good], human)[0].williams


def test_approximate_intervals_by_hand() -> None:
    """atanh(.41) = .435611; 1.959964 / sqrt(9) = .653321; tanh(-.217710) = -.214334, tanh(1.088933) = .796488."""
    found = approximate_interval(0.41, 12, "pearson")
    assert found is not None
    assert (found.low, found.high) == pytest.approx((-0.214334, 0.796488), abs=2e-6)
    wider = approximate_interval(0.41, 12, "spearman")
    assert wider is not None
    assert wider.low < found.low < found.high < wider.high
    assert approximate_interval(0.41, 3, "pearson") is None
    assert approximate_interval(1.0, 12, "pearson") is None


@pytest.mark.parametrize(
    ("ties", "accuracy", "tau"),
    [("half", 3 / 6, 0), ("seeda", 4 / 6, 2 / 6), ("drop", 2 / 4, 0), ("wrong", 2 / 6, -2 / 6)],
)
def test_rules_for_ties_by_hand(ties, accuracy, tau) -> None:
    """Two pairs agree, two disagree, and the metric ties on two, in which B, later in the alphabet, is better."""
    scores = {("A", 0): 2.0, ("B", 0): 1.0, ("A", 1): 1.0, ("B", 1): 1.0}
    judgments = [
        *[Judgment(0, "j", "A", "B", 1, 2)] * 2,
        *[Judgment(0, "j", "A", "B", 2, 1)] * 2,
        Judgment(1, "j", "A", "B", 2, 1),
        Judgment(1, "j", "B", "A", 1, 2),
    ]
    found = sentence_agreement(scores, judgments, ties=ties)
    assert found.ties_later == 2
    assert (found.accuracy, found.tau) == pytest.approx((accuracy, tau))
    earlier = [replace(pair, rank1=pair.rank2, rank2=pair.rank1) for pair in judgments]
    assert sentence_agreement(scores, earlier, ties="seeda").accuracy == pytest.approx(2 / 6)


def test_windows_go_down_the_human_ranking() -> None:
    metric = MetricScores("mine", "-", {"A": 3.0, "B": 4.0, "C": 2.0, "D": 1.0})
    (row,) = meta_evaluate([metric], HUMAN, windows=3)
    assert [(window.first, window.last, window.values["spearman"]) for window in row.windows] == [
        (1, 3, pytest.approx(0.5)),
        (2, 4, pytest.approx(1.0)),
    ]
    with pytest.raises(InputError, match="a window cannot have 5 systems"):
        meta_evaluate([metric], HUMAN, windows=5)


def test_aggregation_by_hand() -> None:
    """A beats B twice and ties once, A and C are even, B never beats C: means of (1, 1/2), (0, 0), (1/2, 1)."""
    rows = {"A": (3.0, 1.0, 1.0), "B": (1.0, 1.0, 0.0), "C": (2.0, 2.0, 1.0)}
    sentences = {(name, i): score for name, scores in rows.items() for i, score in enumerate(scores)}
    found = MetricScores("mine", "-", dict.fromkeys(rows, 0.0), sentences).aggregated("expected-wins")
    assert found.systems == pytest.approx({"A": 0.75, "B": 0.0, "C": 0.75})
    skills = MetricScores("mine", "-", dict.fromkeys(rows, 0.0), sentences).aggregated("trueskill").systems
    assert min(skills["A"], skills["C"]) > 0 > skills["B"]
    with pytest.raises(InputError, match="mine has no sentence scores to aggregate"):
        MetricScores("mine", "-", HUMAN).aggregated("trueskill")
    with pytest.raises(InputError, match="A has no score for sentence 2"):
        MetricScores("mine", "-", {"A": 0, "B": 0}, {("A", 1): 0.0, ("B", 1): 0.0, ("B", 2): 0.0}).aggregated(
            "trueskill"
        )


def test_coefficients_that_differ_in_the_last_digit_are_equal() -> None:
    assert williams_test(0.8, 0.8 + 1e-15, 1 - 1e-16, 12) == (0.0, 1.0)


@pytest.mark.parametrize("aggregate", ["corpus", "trueskill", "expected-wins"])
def test_lower_is_better_counts_as_agreement(aggregate: str) -> None:
    """Errors that fall as people's scores rise agree with people, by every coefficient and on every pair."""
    errors = {"A": 1.0, "B": 5.0, "C": 6.0, "D": 9.0}
    by_sentence = {(system, i): error for system, error in errors.items() for i in range(3)}
    pairs = [Judgment(i, "judge", "A", "D", 1, 2) for i in range(3)]
    lower = MetricScores("errors", "–", errors, by_sentence, higher_is_better=False)
    (row,) = meta_evaluate([lower], HUMAN, pairs, aggregate=aggregate, windows=2)
    assert row.correlations["spearman"].value == pytest.approx(1)
    assert row.sentences.accuracy == 1
    assert all(window.values["spearman"] == pytest.approx(1) for window in row.windows)
    assert not row.higher_is_better
    if aggregate == "corpus":
        assert row.scores == errors
    (other,) = meta_evaluate([replace(lower, higher_is_better=True)], HUMAN, pairs, aggregate=aggregate)
    assert other.correlations["spearman"].value == pytest.approx(-1)
    assert other.sentences.accuracy == 0

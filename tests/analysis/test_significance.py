"""Intervals and paired tests on corpora small enough to work out by hand (see also tests/metrics/test_resampling.py).

Four sentences with one gold edit each; the good system makes k of them, the other none. M2's recall is k/4 and its
precision 1, so F0.5 = 1.25 · k/4 / (0.25 + k/4) = 5k / (4 + 4k): 1 for k = 4.
"""

import warnings

import pytest

import gecbench
from gecbench import M2, Corpus, InputError, SmallSampleWarning, scale
from gecbench.analysis.significance import (
    Pair,
    check_resamples,
    holm,
    paired_t_test,
    paired_tests,
    small_sample_note,
    with_interval,
)
from gecbench.corpus.edits import Annotation, Edit

SOURCES = ["He go home .", "She go home .", "It go home .", "Who go home ?"]
CORPUS = Corpus(sources=SOURCES, annotations=[[Annotation(0, (Edit(1, 2, ("goes",)),))]] * 4)


def scored(corrected):
    lines = [line.replace("go ", "goes ") if i < corrected else line for i, line in enumerate(SOURCES)]
    return M2().score_corpus(CORPUS, lines)


@pytest.mark.parametrize("resamples", [50, 2500])
def test_interval_of_a_score_that_no_resample_changes(resamples):
    found = with_interval(scored(4), resamples)
    assert (found.value, found.interval.low, found.interval.high) == (1, 1, 1)
    assert found.interval.resamples == resamples


def test_interval_of_half_the_edits():
    """A resample holds all four edits or none in one of 16 cases each, so both ends are reached at 95%."""
    found = with_interval(scored(2), 2000)
    assert found.value == pytest.approx(5 / 6)
    assert (found.interval.low, found.interval.high) == (0, 1)


def test_randomization_of_opposite_systems():
    """Swapping keeps all edits on one side in 2 of 16 cases, where the difference is as large as observed."""
    (found,) = paired_tests("randomization", [Pair(scored(4), scored(0), ("all", "none"))], 4000)
    assert (found.difference, found.resamples) == (1, 4000)
    assert found.p_value == pytest.approx(2 / 16, abs=0.02)


def test_bootstrap_of_opposite_systems():
    """The difference is 1 in every resample, so none is further from the mean than 1 is from 0."""
    (found,) = paired_tests("bootstrap", [Pair(scored(4), scored(0), ("all", "none"))], 99)
    assert (found.difference, found.p_value) == (1, 1 / 100)


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        ([], []),
        ([0.03], [0.03]),
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),  # 3 · 0.01, 2 · 0.03, and 0.04 is raised to that
        ([0.5, 0.6], [1, 1]),  # 2 · 0.5, and nothing is above 1
        ([0.02, 0.02], [0.04, 0.04]),
        ([0.005, 0.011, 0.02, 0.04, 0.13], [0.025, 0.044, 0.06, 0.08, 0.13]),  # · 5, · 4, · 3, · 2, · 1
    ],
)
def test_holms_method(p_values, adjusted):
    assert holm(p_values) == pytest.approx(adjusted)


def test_paired_tests_are_adjusted_together():
    """p is 1/100 against a system without edits, 1 against itself: 2 · 1/100 and 1."""
    pairs = [Pair(scored(4), scored(0), ("all", "none")), Pair(scored(4), scored(4), ("all", "all"))]
    found = paired_tests("bootstrap", pairs, 99)
    assert [(each.p_value, each.p_adjusted) for each in found] == [(0.01, 0.02), (1, 1)]


def test_t_test_needs_two_sentences():
    one = M2().score_corpus(CORPUS.select([0]), SOURCES[:1])
    with pytest.raises(InputError, match="at least two sentences"):
        paired_t_test(Pair(one, one, ("a", "b")))


@pytest.mark.parametrize(("resamples", "message"), [(0, "at least 1"), (1.5, "whole number"), (10**8, "more than")])
def test_bad_numbers_of_resamples(resamples, message):
    with pytest.raises(InputError, match=message):
        check_resamples(resamples)


@pytest.mark.parametrize(
    ("sentences", "corpus", "warns"),
    [(299, "", True), (1, "demo.m2", True), (300, "", False), (42, "demo", False)],
)
def test_small_samples(sentences, corpus, warns):
    note = small_sample_note(sentences, corpus)
    assert (note is not None) == warns
    assert not warns or f"fewer than 300 sentences are too narrow (the corpus has {sentences})" in note


@pytest.mark.filterwarnings("always")
def test_intervals_of_a_small_sample_warn_once():
    systems = {"one": SOURCES, "two": [line.replace("go ", "goes ") for line in SOURCES]}
    counted = {name: scale.tabulate(lines, CORPUS, ["m2", "imeasure"]) for name, lines in systems.items()}
    module = gecbench.load_metric("gleu")
    texts = {"sources": SOURCES, "references": [[text] for text in systems["two"]], "predictions": SOURCES}
    for compute in (
        lambda resamples: gecbench.compare(systems, CORPUS, ["m2", "imeasure"], resamples=resamples),
        lambda resamples: gecbench.score(SOURCES, CORPUS, ["m2", "imeasure"], resamples=resamples),
        lambda resamples: scale.compare(counted, resamples=resamples),
        lambda resamples: scale.scores(counted["one"], resamples=resamples),
        lambda resamples: module.compute(**texts, resamples=resamples),
    ):
        with pytest.warns(SmallSampleWarning, match=r"\(the corpus has 4\)") as caught:
            compute(10)
        assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gecbench.score(SOURCES, CORPUS, "m2")
        gecbench.compare(gecbench.load_demo_systems(), gecbench.load_demo(), resamples=10)


def test_bad_seed():
    with pytest.raises(InputError, match="seed=-1 is not a whole number"):
        with_interval(scored(4), 10, seed=-1)

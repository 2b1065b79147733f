"""Intervals and paired tests on corpora small enough to work out by hand (see also tests/metrics/test_resampling.py).

Four sentences with one gold edit each; the good system makes k of them, the other none. M2's recall is k/4 and its
precision 1, so F0.5 = 1.25 · k/4 / (0.25 + k/4) = 5k / (4 + 4k): 1 for k = 4.
"""

import pytest

from gecbench import M2, Corpus, InputError
from gecbench.analysis.significance import (
    Pair,
    check_resamples,
    paired_t_test,
    paired_tests,
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
    """A resample holds all four edits or none in one of 16 cases each, so both ends are reached at 95 %."""
    found = with_interval(scored(2), 2000)
    assert found.value == pytest.approx(5 / 6)
    assert (found.interval.low, found.interval.high) == (0, 1)


def test_randomization_of_opposite_systems():
    """Swapping keeps all edits on one side in 2 of 16 cases, where the difference is as large as observed."""
    (found,) = paired_tests("randomisation", [Pair(scored(4), scored(0), ("all", "none"))], 4000)
    assert (found.difference, found.resamples) == (1, 4000)
    assert found.p_value == pytest.approx(2 / 16, abs=0.02)


def test_bootstrap_of_opposite_systems():
    """The difference is 1 in every resample, so none is further from the mean than 1 is from 0."""
    (found,) = paired_tests("bootstrap", [Pair(scored(4), scored(0), ("all", "none"))], 99)
    assert (found.difference, found.p_value) == (1, 1 / 100)


def test_t_test_needs_two_sentences():
    one = M2().score_corpus(CORPUS.select([0]), SOURCES[:1])
    with pytest.raises(InputError, match="at least two sentences"):
        paired_t_test(Pair(one, one, ("a", "b")))


@pytest.mark.parametrize(("resamples", "message"), [(0, "at least 1"), (1.5, "whole number"), (10**8, "more than")])
def test_bad_numbers_of_resamples(resamples, message):
    with pytest.raises(InputError, match=message):
        check_resamples(resamples)


def test_bad_seed():
    with pytest.raises(InputError, match="seed=-1 is not a whole number"):
        with_interval(scored(4), 10, seed=-1)

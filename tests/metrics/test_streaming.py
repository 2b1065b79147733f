"""Streaming scores: the bits of one process, for any batches."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scale_cases import CASES

import gecbench
from gecbench import InputError, kernels
from gecbench.corpus.corpus import Corpus
from gecbench.metrics.base import Statistics
from gecbench.metrics.policy import BestPerSentence, EachRow, GreedyCumulative, GreedyRounded, Sampled

POLICIES = [
    (Sampled(20, "py2"), 6, 4),
    (Sampled(20, "py3"), 6, 5),
    (GreedyCumulative(0.5), 3, 4),
    (GreedyRounded(0.5), 3, 4),
    (BestPerSentence(0.5), 3, 4),
    (EachRow(), 4, 1),
]


@st.composite
def corpora(draw, width, most):
    """Counts of some sentences, the first of which may have one row each, and where batches end."""
    single = draw(st.integers(0, 4))
    sizes = [1] * single + draw(st.lists(st.integers(1, most), min_size=1, max_size=12))
    offsets = np.cumsum([0, *sizes], dtype=np.int64)
    chance = np.random.default_rng(draw(st.integers(0, 2**32)))
    counts = np.sort(chance.integers(0, 5, (offsets[-1], width)), axis=1).astype(np.int64)
    ends = sorted(draw(st.sets(st.integers(1, len(sizes)), max_size=5)) | {len(sizes)})
    return Statistics(counts, offsets), ends


@pytest.mark.parametrize(("policy", "width", "most"), POLICIES, ids=lambda each: type(each).__name__)
@settings(max_examples=40)
@given(data=st.data())
def test_running_totals_are_those_of_all_at_once(policy, width, most, data):
    """Cut anywhere, and stopped and restored before every batch, on both kernels."""
    statistics, ends = data.draw(corpora(width, most))
    with pytest.MonkeyPatch.context() as patch:
        for kernel in ("python", "native") if kernels.native_module() else ("python",):
            patch.setenv("GECBENCH_KERNELS", kernel)
            running, begin = policy.running(), 0
            for end in ends:
                before = running.arrays()
                running = policy.running()
                running.restore(before)
                running.add(statistics.select(range(begin, end)))
                begin = end
            assert np.array_equal(running.totals, policy.totals(statistics))


def test_generators_go_on_alike(both_kernels):
    """The state after some draws is CPython's own."""
    python, native = both_kernels("gleu")
    offsets = np.array([0, 3, 4, 9, 11], dtype=np.int64)
    counts = np.arange(22, dtype=np.int64).reshape(11, 2)
    states = [np.array(kernel.generator_states(7)) for kernel in (python, native)]
    assert np.array_equal(*states)
    for python3 in (False, True):
        for _ in range(100):
            totals = [
                kernel.sampled_totals(counts, offsets, 7, python3, 2, state)
                for kernel, state in zip((python, native), states, strict=True)
            ]
            assert np.array_equal(*totals)
        assert np.array_equal(*states)
    states[1][0, 624] = 625
    with pytest.raises(ValueError, match="beyond the words"):
        native.sampled_totals(counts, offsets, 7, False, 1, states[1])
    with pytest.raises(ValueError, match="states"):
        native.sampled_totals(counts, offsets, 8, False, 1, states[0])


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("make", CASES)
def test_a_stream_scores_as_one_process(make, size):
    case = make()
    parts, select = case.parts(size), getattr(case.outputs, "select", None)
    outputs = [select(part) if select else case.outputs[part.start : part.stop] for part in parts]
    for metric, expected in case.alone.items():
        found = gecbench.make_metric(metric).stream(zip(map(case.corpus.select, parts), outputs, strict=True))
        assert found == expected
        assert (found.parts, found.diagnostics, found.sentences) == (
            expected.parts,
            expected.diagnostics,
            len(case.corpus),
        )


def test_stream_of_mappings_and_what_it_refuses():
    batch = {"sources": ["a b c d"], "references": [["a b c e"]], "predictions": ["a b c e"]}
    score = gecbench.GLEU().stream([batch, batch])
    assert score.value == 1
    with pytest.raises(InputError, match="a streamed score keeps no counts"):
        score.sentence_scores()
    with pytest.raises(InputError, match="a batch has no references"):
        gecbench.GLEU().stream([{"sources": [], "predictions": []}])
    with pytest.raises(InputError, match="no sentences"):
        gecbench.GLEU().stream([])
    with pytest.raises(InputError, match=r"2 predictions for 1 source\b"):
        gecbench.GLEU().stream([{**batch, "predictions": ["a", "b"]}])
    with pytest.raises(InputError, match="needs the whole corpus"):
        gecbench.GLEU().stream([batch], tokenize="auto")


@pytest.mark.parametrize("size", [1, 500])
def test_a_shifted_stream_is_refused(size):
    sources = list(gecbench.load_demo().sources) * 12
    shifted = [*sources[1:], sources[0]]
    corpus = Corpus(sources, [[source] for source in sources])
    parts = [range(begin, min(begin + size, len(sources))) for begin in range(0, len(sources), size)]
    with pytest.raises(InputError, match="look shifted"):
        gecbench.GLEU().stream((corpus.select(part), [shifted[i] for i in part]) for part in parts)

"""The greedy choice of an annotator: ties, and equal choices of both kernels (docs/metrics/m2.md §9)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from m2_corpus import flatten

from gecbench.human.bound import annotator_subsets
from gecbench.kernels import native_module, select

IMPLEMENTATIONS = [select("greedy", name) for name in ("python", "native")[: 1 + (native_module() is not None)]]


def test_greedy_tie_breaks(implementation: str) -> None:
    """docs/metrics/m2.md §9: higher F, then more correct, then the smaller denominator, then the earlier row."""
    offsets = np.array([0, 2], dtype=np.int64)

    def chosen(*rows: tuple[int, int, int]) -> int:
        return int(select("greedy", implementation).choose_rows(np.array(rows, dtype=np.int64), offsets, 0.25)[0])

    assert chosen((1, 2, 2), (1, 1, 2)) == 1
    assert chosen((1, 2, 2), (2, 4, 4)) == 1
    assert chosen((0, 2, 2), (0, 1, 2)) == 1
    assert chosen((0, 1, 4), (0, 2, 0)) == 0
    assert chosen((0, 0, 0), (0, 0, 0)) == 0
    assert chosen((0, 0, 1), (0, 0, 0)) == 1


@settings(max_examples=200)
@given(
    sentences=st.lists(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=4), min_size=1, max_size=8),
    data=st.data(),
)
def test_both_kernels_agree_on_samples(sentences: list[list[tuple[int, int, int]]], data: st.DataObject) -> None:
    """Totals of random samples; and totals of all sentences in order equal those of the chosen rows."""
    rows = np.array([row for rows in sentences for row in rows], dtype=np.int64).reshape(-1, 3)
    rows[:, 0] = np.minimum(rows[:, 0], rows[:, 1])
    offsets = flatten([0] * len(rows) for rows in sentences).offsets
    size = len(sentences)
    indexes = st.lists(st.integers(0, max(size - 1, 0)), min_size=size, max_size=size)
    samples = np.array([list(range(size)), *data.draw(st.lists(indexes, max_size=3))], dtype=np.int32)
    results = [kernel.sample_totals(rows, offsets, 0.25, samples.reshape(-1, size)) for kernel in IMPLEMENTATIONS]
    for kernel, totals in zip(IMPLEMENTATIONS, results, strict=True):
        assert rows[kernel.choose_rows(rows, offsets, 0.25)].sum(axis=0).tolist() == totals[0].tolist()
        assert totals.tolist() == results[0].tolist()


@pytest.mark.parametrize("rounded", [False, True])
def test_both_kernels_agree_on_many_samples(both_kernels: Any, rounded: bool) -> None:
    """More samples than are computed together, and sentences with one to four rows, some of them equal."""
    python, native = both_kernels("greedy")
    random = np.random.default_rng(8)
    offsets = np.cumsum([0, *random.integers(1, 5, size=60)])
    rows = random.integers(0, 3, (offsets[-1], 3))
    rows[:, 0] = rows.min(axis=1)
    samples = random.integers(0, 60, (21, 90), dtype=np.int32)
    expected = python.sample_totals(rows, offsets, 0.25, samples, rounded=rounded)
    for threads in (1, 3):
        found = native.sample_totals(rows, offsets, 0.25, samples, threads, rounded)
        np.testing.assert_array_equal(found, expected)


def test_a_sentence_without_annotators_is_passed_over(implementation: str) -> None:
    rows, offsets = np.array([[1, 2, 3]], dtype=np.int64), np.array([0, 0, 1], dtype=np.int64)
    greedy = select("greedy", implementation)
    assert greedy.choose_rows(rows, offsets, 0.25).tolist() == [-1, 0]
    assert greedy.sample_totals(rows, offsets, 0.25, np.array([[1, 0, 1]], dtype=np.int32)).tolist() == [[2, 4, 6]]


def test_both_kernels_agree_on_subsets(both_kernels: Any) -> None:
    python, native = both_kernels("greedy")
    random = np.random.default_rng(3)
    counts = random.integers(0, 3, (4, 200, 6, 3))
    subsets = annotator_subsets(6)
    for beta in (0.5, 1.0, 2.0):
        arguments = {"counts": counts, "subsets": subsets, "beta_squared": beta * beta}
        expected = python.subset_totals(**arguments)
        assert np.array_equal(native.subset_totals(**arguments), expected)
        assert np.array_equal(native.subset_totals(**arguments, threads=3), expected)


def test_native_refuses_shapes_that_do_not_fit(both_kernels: Any) -> None:
    _, native = both_kernels("greedy")
    counts = np.ones((1, 2, 2, 3), dtype=np.int64)
    for bad in ([0], [4]):
        with pytest.raises(ValueError, match="subset"):
            native.subset_totals(counts, np.array(bad, dtype=np.uint32), 0.5)
    with pytest.raises(ValueError, match="counts must be"):
        native.subset_totals(counts[..., :2], np.array([1], dtype=np.uint32), 0.5)

"""The three-way alignment: both kernels give the same as a table that is filled cell by cell, ties included."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from imeasure_support import GOLDEN
from m2_corpus import flatten
from oracles.imeasure import align_literally, literal_counts

from gecbench.errors import InputError
from gecbench.kernels import alignment, select
from gecbench.kernels.imeasure import GroupArrays, Limits
from gecbench.kernels.tokens import TokenArray

few_symbols = st.lists(st.integers(0, 2), max_size=6)


@pytest.fixture(scope="module")
def kernel(implementation: str) -> ModuleType:
    return select("imeasure", implementation)


def ids(tokens: list[int]) -> np.ndarray:
    return np.array(tokens, dtype=np.int32)


def offsets(sequences: Sequence[list[Any]]) -> np.ndarray:
    return np.cumsum([0, *map(len, sequences)], dtype=np.int64)


@settings(max_examples=75)
@given(few_symbols, few_symbols, few_symbols)
@example([], [], [])
@example([1], [], [])
@example([], [2] * 40, [3])
@example([1, 2, 3], list(range(10, 70)), [1, 3])
@example([1, 2, 3, 4] * 3, [4, 3, 2, 1] * 3, [2, 1, 4, 3] * 3)
def test_alignment_equals_the_full_table(
    kernel: ModuleType, source: list[int], hypothesis: list[int], reference: list[int]
) -> None:
    columns = kernel.align(ids(source), ids(hypothesis), ids(reference))
    assert list(map(tuple, columns.tolist())) == align_literally(source, hypothesis, reference)


@settings(max_examples=50)
@given(st.lists(st.tuples(few_symbols, few_symbols, st.lists(few_symbols, max_size=3)), min_size=1, max_size=4))
def test_batches_count_as_the_full_table(
    kernel: ModuleType, batch: list[tuple[list[int], list[int], list[list[int]]]]
) -> None:
    sources, hypotheses, lists = zip(*batch, strict=True)
    references = [reference for group in lists for reference in group]
    counts, status, cells = kernel.count_references(
        flatten(sources), flatten(hypotheses), flatten(references), offsets(lists), 1 << 20
    )
    expected = [literal_counts(s, h, r) for s, h, group in batch for r in group]
    assert counts.tolist() == expected
    assert status.tolist() == [0] * len(batch)
    assert (cells > 0).tolist() == [bool(group) for group in lists]


def test_ties_change_counts_and_follow_the_official_order(kernel: ModuleType) -> None:
    a, b, c = 0, 1, 2
    counts, _, _ = kernel.count_references(
        flatten([[a]]), flatten([[a, b, c]]), flatten([[b, c, a]]), np.array([0, 1]), 1000
    )
    assert counts[0, :5].tolist() == [2, 0, 2, 0, 0]


def test_table_5_alignment(kernel: ModuleType) -> None:
    source = ["Their", "is", "wide", "spread", "usage", "of", "technology", "."]
    hypothesis = ["There", "is", "widespread", "use", "of", "technology", "."]
    number = {word: n for n, word in enumerate(dict.fromkeys(source + hypothesis))}
    columns = kernel.align(
        ids([number[w] for w in source]),
        ids([number[w] for w in hypothesis]),
        ids([number[w] for w in hypothesis]),
    )
    row = ["-" if j < 0 else hypothesis[j] for j in columns[:, 1]]
    assert " ".join(row) == "There is - widespread use of technology ."
    assert columns[:, 1].tolist() == columns[:, 2].tolist()


def reordered(size: int) -> tuple[list[int], list[int], list[int]]:
    """Texts with the same words in different orders, which need much slack."""
    words = list(range(size))
    return words, words[::-1], words[size // 2 :] + words[: size // 2]


def test_a_pair_of_texts_beyond_the_limit_is_reported(kernel: ModuleType) -> None:
    arguments = [flatten([text]) for text in reordered(50)]
    _, status, _ = kernel.count_references(*arguments, np.array([0, 1]), 51 * 51 - 1)
    assert status.tolist() == [3]
    _, status, _ = kernel.count_references(*arguments, np.array([0, 1]), 51**3)
    assert status.tolist() == [0]


@pytest.mark.parametrize(("cells", "status"), [(1000, 3), (10_000, 0)])
def test_a_correction_too_long_for_the_proof_of_cuts_is_reported(kernel: ModuleType, cells: int, status: int) -> None:
    """The proof of cuts aligns references with a whole text, which once took 1.7 GB for a text of 220 kB."""
    text = list(range(30))
    spans = ids([4, 5, 14, 15, 24, 25]).reshape(3, 2)
    each = np.arange(4)
    groups = GroupArrays(np.array([0, 3]), ids([1, 1, 1]), each, each, spans, flatten([[90], [91] * 60, [92]]))
    goal, limits = alignment.Objective(1, 0, False, 2.0, 1.0), Limits(cells=cells)
    _, _, found, _ = kernel.choose_mixed(flatten([text]), flatten([text]), groups, goal, limits)
    assert found.tolist() == [status]


def test_native_reports_three_texts_beyond_the_limit(both_kernels: Any) -> None:
    _, native = both_kernels("imeasure")
    _, status, _ = native.count_references(*(flatten([text]) for text in reordered(50)), np.array([0, 1]), 51 * 51)
    assert status.tolist() == [3]


def test_three_texts_too_long_for_python_name_the_ways_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """If two of the texts are equal, no three-way table is needed."""
    source, hypothesis, reference = map(ids, reordered(600))
    python = select("imeasure", "python")
    assert len(python.align(source, source, reference)) >= 600
    with pytest.raises(InputError, match=r"too long to align for the Python kernels. Unset GECBENCH_KERNELS"):
        python.align(source, hypothesis, reference)
    monkeypatch.setattr("gecbench.kernels.native_module", lambda: None)
    with pytest.raises(InputError, match=r"Install a C\+\+17 compiler"):
        python.align(source, hypothesis, reference)


def test_texts_too_different_to_walk_are_aligned_as_in_the_full_table(kernel: ModuleType) -> None:
    source, hypothesis, reference = reordered(24)
    source, hypothesis = [*source, 90, 91], [92, *hypothesis]
    columns = kernel.align(ids(source), ids(hypothesis), ids(reference))
    assert list(map(tuple, columns.tolist())) == align_literally(source, hypothesis, reference)


@settings(max_examples=25)
@given(st.lists(st.tuples(few_symbols, few_symbols, st.lists(few_symbols, max_size=3)), min_size=1, max_size=4))
@example([(*reordered(24)[:2], [reordered(24)[2], [*reordered(24)[2], 7], reordered(30)[1]])])
def test_both_kernels_count_the_same(
    both_kernels: Any, batch: list[tuple[list[int], list[int], list[list[int]]]]
) -> None:
    sources, hypotheses, lists = zip(*batch, strict=True)
    references = [reference for group in lists for reference in group]
    arguments = flatten(sources), flatten(hypotheses), flatten(references), offsets(lists), 1 << 20
    python, native = (kernel.count_references(*arguments)[:2] for kernel in both_kernels("imeasure"))
    assert all(np.array_equal(one, other) for one, other in zip(python, native, strict=True))


def test_native_refuses_offsets_that_leave_the_arrays(both_kernels: Any) -> None:
    _, native = both_kernels("imeasure")
    wrong = TokenArray(ids([1]), np.array([0, 5], dtype=np.int64))
    with pytest.raises(ValueError, match="offsets"):
        native.count_references(wrong, flatten([[1]]), flatten([[1]]), np.array([0, 1]), 99)


@pytest.mark.parametrize("system", ["Baseline", "S1", "S2", "S3", "S4"])
def test_table_8_to_the_last_bit(system: str) -> None:
    *counts, p, r, f, acc, wacc, i = GOLDEN["table8"][system]
    counts = [int(count) for count in counts]
    base = alignment.weighted_accuracy([0, 6, 0, 4, 0], 2.0)
    ours = alignment.weighted_accuracy(counts, 2.0)
    assert [alignment.precision(counts), alignment.recall(counts), alignment.f_score(counts, 0.5)] == [p, r, f]
    assert [alignment.accuracy(counts), ours, alignment.improvement(ours, base)] == [acc, wacc, i]

"""Parts of the MaxMatch kernel: annotator order, greedy choice, pairing of insertions (docs/m2.md, B.6, B.9)."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from m2_corpus import flatten
from test_maxmatch import KERNELS, tokens, twin_of

from gecbench.kernels.maxmatch.insertions import InsertionPairing, insertion_runs
from gecbench.kernels.maxmatch.lattice import build_lattice
from gecbench.kernels.maxmatch.literal import weigh_insertions
from gecbench.kernels.maxmatch.order import official_annotator_order


def test_official_annotator_order() -> None:
    """docs/m2.md, B.9, and growth of the table at the sixth key."""
    assert official_annotator_order([1, 8]) == [8, 1]
    assert official_annotator_order([10, 9, 2]) == [9, 10, 2]
    assert official_annotator_order([5, 3, 0, 7, 6, 1]) == [0, 1, 3, 5, 6, 7]
    assert official_annotator_order([9, 1, 2, 3, 4]) == [9, 2, 3, 4, 1]  # 1 probes from slot 1 to slot 7
    assert official_annotator_order([9, 1, 2, 3, 4, 33]) == [
        33,
        2,
        3,
        4,
        1,
        9,
    ]  # 32 slots, filled 9 2 3 4 33 1
    assert official_annotator_order([4, 4, 2]) == [2, 4]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_greedy_tie_breaks(kernel: ModuleType) -> None:
    """docs/m2.md, B.9: higher F, then more correct, then the smaller denominator, then the earlier row."""
    offsets = np.array([0, 2], dtype=np.int64)

    def chosen(*rows: tuple[int, int, int]) -> int:
        return int(twin_of(kernel, "greedy").choose_rows(np.array(rows, dtype=np.int64), offsets, 0.25)[0])

    assert chosen((1, 2, 2), (1, 1, 2)) == 1
    assert chosen((1, 2, 2), (2, 4, 4)) == 1
    assert chosen((0, 2, 2), (0, 1, 2)) == 1
    assert chosen((0, 1, 4), (0, 2, 0)) == 0
    assert chosen((0, 0, 0), (0, 0, 0)) == 0
    assert chosen((0, 0, 1), (0, 0, 0)) == 1


@settings(max_examples=300, deadline=None)
@given(
    st.lists(tokens, max_size=2),
    st.lists(tokens, min_size=1, max_size=9),
    st.data(),
)
def test_insertion_pairing_without_lists(source: list[int], hypothesis: list[int], data: st.DataObject) -> None:
    """The compressed walk over insertion arcs gives every arc the weight of the plain walk (docs/m2.md, B.6)."""
    lattice = build_lattice(source, hypothesis)
    row = data.draw(st.integers(0, len(source)))
    entries = []
    for first, last in insertion_runs(lattice, row):
        for tail in range(first, last):
            entries += [(tail, tail + 1)] * lattice.steps[tail + 1][-1].copies
            entries += [(tail, head) for head in range(tail + 2, last + 1)]
    arcs = sorted(set(entries))
    golds = st.lists(st.integers(0, 4), min_size=1, max_size=3, unique=True).map(sorted)
    agreeing = data.draw(st.dictionaries(st.sampled_from(arcs), golds, max_size=6)) if arcs else {}
    weights = {(tail, head): 1000.0 * (head - tail) for tail, head in arcs}
    weigh_insertions(entries, 5, lambda arc, gold: gold in agreeing.get(arc, ()), weights, float(-(1 << 40)), 1.0)
    pairing = InsertionPairing(lattice, row, agreeing)
    assert {arc: pairing.cost(arc) for arc in arcs} == weights


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=4), min_size=1, max_size=8),
    st.data(),
)
def test_greedy_twins_agree(sentences: list[list[tuple[int, int, int]]], data: st.DataObject) -> None:
    """Totals along arbitrary samples, and totals of the identity order from the chosen rows."""
    rows = np.array([row for rows in sentences for row in rows], dtype=np.int64).reshape(-1, 3)
    rows[:, 0] = np.minimum(rows[:, 0], rows[:, 1])
    offsets = flatten([0] * len(rows) for rows in sentences).offsets
    size = len(sentences)
    indexes = st.lists(st.integers(0, max(size - 1, 0)), min_size=size, max_size=size)
    samples = np.array([list(range(size)), *data.draw(st.lists(indexes, max_size=3))], dtype=np.int32)
    results = [
        twin_of(kernel, "greedy").sample_totals(rows, offsets, 0.25, samples.reshape(-1, size)) for kernel in KERNELS
    ]
    for kernel, totals in zip(KERNELS, results, strict=True):
        assert (
            rows[twin_of(kernel, "greedy").choose_rows(rows, offsets, 0.25)].sum(axis=0).tolist() == totals[0].tolist()
        )
        assert totals.tolist() == results[0].tolist()

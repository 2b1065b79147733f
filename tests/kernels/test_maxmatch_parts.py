"""A part of the MaxMatch kernel: pairing of insertions (docs/m2.md, B.6)."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gecbench.kernels.maxmatch.insertions import InsertionPairing, insertion_runs
from gecbench.kernels.maxmatch.lattice import build_lattice
from gecbench.kernels.maxmatch.literal import weigh_insertions

tokens = st.integers(0, 3)


@settings(max_examples=150)
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

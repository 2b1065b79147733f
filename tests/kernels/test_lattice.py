"""Mixed references of sentences that cannot be cut: the lattice finds the same as a list of all references."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from imeasure_support import Sentence, alternative, choose, grouped, limited, objectives, optional, raw, required

from gecbench import IMeasure
from gecbench.kernels.alignment import Objective
from gecbench.kernels.best_sum import Edge, pick_best
from gecbench.kernels.lattice import Lattice

KERNELS = ("python", "native")
_TOO_MANY = 2


@st.composite
def truncated(draw: st.DrawFn) -> tuple[Sentence, str]:
    """Return a sentence of few distinct words, and an output that ends early or is unrelated."""
    sentence, hypothesis = draw(grouped())
    words = hypothesis.split()
    return sentence, " ".join(draw(st.sampled_from([words[: draw(st.integers(0, len(words)))], words[::-1], words])))


def without_cuts(options: IMeasure) -> IMeasure:
    """Return options that list no references of a segment, so that every sentence goes through the lattice."""
    return limited(options, listed=0, segment=0)


@settings(max_examples=200)
@given(st.lists(truncated(), min_size=1, max_size=3), objectives)
def test_the_lattice_equals_listing_all_references(batch: list[tuple[Sentence, str]], options: IMeasure) -> None:
    found = raw(batch, without_cuts(options), "native")
    if _TOO_MANY not in found[2]:
        assert found[:3] == raw(batch, limited(options, listed=1 << 40, lattice=0), "native")[:3]


# A segment with a reference before one whose two required insertions at one place collide.
COLLIDING = [required(alternative(0, (1, 1, ""))), *[optional(alternative(0, (0, 0, "")))] * 3]


@settings(max_examples=60)
@given(st.lists(truncated(), min_size=1, max_size=2), objectives)
@example([(Sentence("u u", (*COLLIDING, COLLIDING[0]), 2), "")], IMeasure())
def test_both_kernels_search_alike(batch: list[tuple[Sentence, str]], options: IMeasure) -> None:
    assert raw(batch, without_cuts(options), "python") == raw(batch, without_cuts(options), "native")


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_truncated_output_is_mixed_exactly(kernel: str) -> None:
    """Forty corrections, and an output that ends after the first of them, so that no kept words are left for cuts.

    Each word `w` of the source has the correction `r`. The output makes the first correction and stops. A word that is
    missing weighs 2 where the reference keeps it, and 2 + 1 - 3 / 2 where the reference corrects it, so the best
    reference makes all forty corrections.
    """
    words = [word for n in range(40) for word in (f"w{n}", "and", "so")]
    groups = tuple(optional(alternative(0, (3 * n, 3 * n + 1, f"r{n}"))) for n in range(40))
    choice = choose([Sentence(" ".join(words), groups, 2)], ["r0 and so"], IMeasure(), True, kernel)
    assert choice.work[0, 0] == 2**40
    assert choice.reference(0) == " ".join(words).replace("w", "r")
    right, kept, missing, corrected = 1, 2, 3 * 39, 39
    assert choice.counts[0, 5:10].tolist() == [right, kept, missing, corrected, corrected]


def test_a_truncated_output_passes_a_boundary_in_several_cells() -> None:
    """`a` aligns equally well with the first and the second `a`: it is before or after the boundary between them."""
    lattice = Lattice([1, 2, 1], [1], [[[1]], [[2, 1]]], [(0, 0), (1, 1), (3, 1)])
    assert lattice.live_cells() == [[(0, 0)], [(1, 0), (1, 1)], [(3, 1)]]


def test_of_equally_good_paths_the_first_options_are_taken() -> None:
    """Two nodes between two segments: option 1 of the second segment starts at node 0, option 0 at node 1."""

    def counted(right: int) -> list[int]:
        return [0] * 5 + [right, 0, 0, 0, 0] + [0] * 5

    first = [Edge(0, counted(1), 0, 0), Edge(0, counted(1), 0, 1), Edge(1, counted(1), 0, 1)]
    second = [Edge(1, counted(1), 0, 0), Edge(0, counted(1), 1, 0)]
    for metric in (0, 8, 9):  # TP as a ratio of sums, WAcc, and I over all sums
        path = pick_best([first, second], [0] * 15, Objective(1, metric, False, 2.0, 1.0), 100)
        assert path is not None
        assert [edge.option for edge in path] == [0, 0]

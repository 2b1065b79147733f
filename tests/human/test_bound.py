"""Bryant & Ng's equations on an example checked by hand, and a synthetic corpus of ten annotators."""

from __future__ import annotations

from fractions import Fraction
from math import isnan
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles.greedy import f_score, greedy

from gecbench.errors import InputError
from gecbench.human.bound import EachSubset, GreedyF, annotator_subsets, bound_of_counts, subset_members

# counts[author][sentence][annotator] = correct, proposed, gold; three annotators, then one system.
SELF = (9, 9, 9)
HAND = np.array(
    [
        [[SELF, (1, 2, 1), (1, 2, 3)], [SELF, (0, 1, 1), (1, 1, 1)]],
        [[(1, 1, 2), SELF, (0, 1, 3)], [(0, 1, 1), SELF, (0, 1, 1)]],
        [[(1, 3, 2), (0, 3, 1), SELF], [(1, 1, 1), (0, 1, 1), SELF]],
        [[(1, 1, 2), (0, 1, 1), (1, 1, 3)], [(0, 0, 1), (0, 0, 1), (0, 0, 1)]],
    ],
    dtype=np.int64,
)
# F0.5 = 1.25 C / (0.25 G + E), worked on paper; against {1, 2} annotator 0 takes 1, then 2.
F0 = {"1": Fraction(5, 14), "2": Fraction(5, 8), "12": Fraction(5, 7)}
F1 = {"0": Fraction(5, 11), "2": Fraction(0), "02": Fraction(5, 11)}
F2 = {"0": Fraction(10, 19), "1": Fraction(0), "01": Fraction(10, 19)}
FS = {
    "0": Fraction(5, 7),
    "1": Fraction(0),
    "2": Fraction(5, 8),
    "01": Fraction(5, 7),
    "02": Fraction(5, 7),
    "12": Fraction(5, 8),
}
G = {
    1: (F1["0"] + F2["0"]) / 2,
    2: (F0["1"] + F2["1"]) / 2,
    4: (F0["2"] + F1["2"]) / 2,
    3: F2["01"],
    5: F1["02"],
    6: F0["12"],
}


def test_equations_by_hand(kernels_of: str) -> None:
    bound = bound_of_counts(HAND, GreedyF(), systems=["sys"])
    for subset, g in zip(bound.subsets.tolist(), bound.g.tolist(), strict=True):
        assert isnan(g) if subset == 7 else g == pytest.approx(float(G[subset]))
    human = {1: (G[1] + G[2] + G[4]) / 3, 2: (G[3] + G[5] + G[6]) / 3}
    system = {1: (FS["0"] + FS["1"] + FS["2"]) / 3, 2: (FS["01"] + FS["02"] + FS["12"]) / 3}
    for size in (1, 2):
        assert bound.row(size).human == pytest.approx(float(human[size]))
        assert bound.row(size).systems["sys"] == pytest.approx(float(system[size]))
        assert bound.row(size).ratio("sys") == pytest.approx(float(system[size] / human[size]))
    assert bound.row(3).systems["sys"] == pytest.approx(5 / 7)
    assert isnan(bound.row(3).human)
    assert isnan(bound.row(3).ratio("sys"))


def test_last_row_alone_is_the_last_row(kernels_of: str) -> None:
    every, last = (
        bound_of_counts(HAND, GreedyF(), systems=["sys"]),
        bound_of_counts(HAND, GreedyF(), systems=["sys"], sizes="last"),
    )
    assert [row.size for row in last.rows] == [2]
    assert last.row(2) == every.row(2)
    with pytest.raises(InputError, match="no row for 1 annotators"):
        last.row(1)


def naive_f(counts: Any, members: list[int], present: Any) -> float:
    """F0.5 of one author against one subset; a sentence that none of it annotated counts for all."""
    chosen = ([j for j in members if here[j]] or members for here in present)
    sentences = ([row[j].tolist() for j in options] for row, options in zip(counts, chosen, strict=True))
    return f_score(greedy(sentences, 0.25))


def ten_annotators(sentences: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Ten annotators and two systems (a copy of annotator 3, one that never edits) on common edits.

    Returns counts, and who annotated which sentence.
    """
    random = np.random.default_rng(seed)
    pool = 9
    need = random.random((sentences, pool)) < 0.5
    edits = random.random((10, sentences, pool)) < np.where(need, 0.7, 0.1)
    authors = np.concatenate((edits, edits[3:4], np.zeros((1, sentences, pool), dtype=bool)))
    correct = (authors[:, None] & edits[None]).sum(axis=3).transpose(0, 2, 1)
    sizes = authors.sum(axis=2)[:, :, None] + 0 * correct, edits.sum(axis=2).T[None] + 0 * correct
    return np.stack((correct, *sizes), axis=3), random.random((sentences, 10)) < 0.9


def members_of(subset: int) -> list[int]:
    return [j for j in range(10) if subset >> j & 1]


@pytest.fixture(scope="module")
def naive() -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.float64]]:
    """Return counts, who annotated what, and F of every author against each subset of the annotators, by its number."""
    counts, present = ten_annotators(12, seed=5)
    present[4] = False
    f = [[naive_f(author, members_of(subset), present) for subset in range(1, 1024)] for author in counts]
    return counts, present, np.array(f)


def test_all_1023_subsets_equal_the_naive_scorer(kernels_of: str, naive: Any) -> None:
    counts, present, f_by_number = naive
    bound = bound_of_counts(counts, GreedyF(), systems=["copy", "idle"], present=present)
    assert len(bound.subsets) == 1023
    members, f = [*map(members_of, bound.subsets.tolist())], f_by_number[:, bound.subsets - 1]
    for index, inside in enumerate(members[:-1]):
        outside = [j for j in range(10) if j not in inside]
        assert bound.g[index] == pytest.approx(f[outside, index].mean())
    for row in bound.rows:
        here = [len(inside) == row.size for inside in members]
        assert row.systems["copy"] == pytest.approx(f[10, here].mean())


def test_laws_of_ten_annotators(kernels_of: str) -> None:
    counts, _ = ten_annotators(80, seed=1)
    bound = bound_of_counts(counts, GreedyF(), systems=["copy", "idle"])
    human = [row.human for row in bound.rows[:-1]]
    assert human == sorted(human)
    assert human[0] < human[-1] < 1
    assert bound.row(10).systems["copy"] == 1
    share = [row.systems["copy"] for row in bound.rows]
    assert share == sorted(share)
    assert bound.row(1).systems["idle"] == 0
    swapped = bound_of_counts(counts[[*range(9, -1, -1), 10, 11]][:, :, ::-1], GreedyF(), systems=["copy", "idle"])
    assert swapped.row(1).human == pytest.approx(bound.row(1).human)


def test_any_other_score() -> None:
    def widest(counts: NDArray[np.int64], present: NDArray[np.bool_]) -> float:
        assert counts.shape[:2] == present.shape
        return float(counts[:, :, 2].max())

    every = bound_of_counts(HAND, EachSubset(widest), systems=["sys"])
    assert every.row(1).systems["sys"] == pytest.approx((2 + 1 + 3) / 3)
    assert every.row(2).human == pytest.approx((2 + 3 + 3) / 3)


def test_what_has_no_bound() -> None:
    with pytest.raises(InputError, match="for 0 systems"):
        bound_of_counts(HAND, GreedyF())
    with pytest.raises(InputError, match="same name"):
        bound_of_counts(np.concatenate((HAND, HAND[3:])), GreedyF(), systems=["a", "a"])
    with pytest.raises(InputError, match="present has shape"):
        bound_of_counts(HAND, GreedyF(), systems=["a"], present=np.ones((1, 3), dtype=bool))
    with pytest.raises(InputError, match="correct, proposed, gold"):
        bound_of_counts(HAND[..., :2], GreedyF(), systems=["a"])
    assert subset_members(annotator_subsets(3, "last"), 3).sum(axis=1).tolist() == [2, 2, 2]

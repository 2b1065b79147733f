"""Expected Wins, TrueSkill, rank ranges and clusters: by hand, and as published (needs GECBENCH_MIRROR)."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from itertools import combinations
from math import nan
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judgments import judged
from mirror_files import golden

from gecbench import kernels
from gecbench.corpora import jfleg
from gecbench.corpora.conll14 import read_rankings
from gecbench.corpora.upstream import Upstream
from gecbench.errors import InputError
from gecbench.formats.judgments import Judgment, Place, Ranking, expand_pairs
from gecbench.human.ranking import (
    BETA_DIVISOR,
    SIGMA,
    cluster_numbers,
    draw_margin,
    expected_wins,
    pair_table,
    rank_ranges,
    table_of_rankings,
    trueskill,
)

PUBLISHED = golden("human_rankings.json")
needs_native = pytest.mark.skipif(kernels.active() != "native", reason="a thousand runs need the compiled kernels")


def say(text: str) -> list[Judgment]:
    """`A>B A=C` as judgments."""
    return [pair for number, word in enumerate(text.split()) for pair in judged("j", number, word)]


def test_expected_wins_by_hand() -> None:
    ranking = expected_wins(say("A>B A>B A<B A=B A>C B>C C<B B=C"), runs=10)
    # A: (2/3 + 1/1) / 2, B: (1/3 + 2/2) / 2, C: 0; ties do not count.
    assert ranking.scores() == pytest.approx({"A": 5 / 6, "B": 2 / 3, "C": 0})
    assert [line.system for line in ranking.systems] == ["A", "B", "C"]


def test_expected_wins_of_nothing_but_ties() -> None:
    ranking = expected_wins(say("A=B B=C A=C"), runs=50)
    assert set(ranking.scores().values()) == {0.5}


def test_expected_wins_resamples_judgments() -> None:
    ranking = expected_wins(say("A>B " * 60 + "A<B " * 40), runs=4000, seed=1)
    # A binomial share of 100 judgments, seen from A: mean 0.6, deviation (0.6 * 0.4 / 100) ** 0.5.
    assert ranking.runs[:, 0].mean() == pytest.approx(0.6, abs=0.004)
    assert ranking.runs[:, 0].std() == pytest.approx(0.049, abs=0.003)


def test_trueskill_finds_the_order(kernels_of: str) -> None:
    ranking = trueskill(say("A>B B>C A>C " * 8 + "D<C D<A D<B " * 8), runs=40, seed=3, threads=1)
    assert [line.system for line in ranking.systems] == ["A", "B", "C", "D"]
    assert [line.cluster for line in ranking.systems] == [1, 2, 3, 4]
    assert ranking.runs.mean(axis=0) == pytest.approx([line.score for line in ranking.systems])
    again = trueskill(say("A>B B>C A>C " * 8 + "D<C D<A D<B " * 8), runs=40, seed=3, threads=1)
    assert np.array_equal(again.runs, ranking.runs)


def test_systems_never_compared_are_not_opponents(kernels_of: str) -> None:
    ranking = trueskill(say("A>B A>B C>D C>D"), runs=20, threads=1)
    scores = ranking.scores()
    assert scores["A"] > scores["B"]
    assert scores["C"] > scores["D"]


def test_rank_ranges_drop_the_tails() -> None:
    # 100 runs: B is ahead in 2 of them, which 2.5% rounded up (3) on each side removes; in 4 it stays.
    for ahead, expected in ((2, [[1, 1], [2, 2]]), (4, [[1, 2], [1, 2]])):
        runs = np.array([[1.0, 2.0]] * ahead + [[2.0, 1.0]] * (100 - ahead))
        assert rank_ranges(runs).tolist() == expected
    assert rank_ranges(np.array([[3.0, 5.0, 4.0]])).tolist() == [[3, 3], [1, 1], [2, 2]]


def test_clusters_need_every_rank_above_to_beat_every_rank_below() -> None:
    assert cluster_numbers(np.array([[1, 1], [2, 4], [2, 3], [4, 4], [5, 6], [5, 6]])) == [1, 2, 2, 2, 3, 3]
    assert cluster_numbers(np.array([[1, 2], [1, 2]])) == [1, 1]


def test_pair_table_sees_each_judgment_from_both_sides() -> None:
    table = pair_table(say("B>A A=C"))
    assert table.systems == ("A", "B", "C")
    assert table.pairs == 2
    assert table.count(1).tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 0]]
    assert table.count(-1).tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    assert table.count(0).tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]


def test_table_of_rankings_is_that_of_their_pairs() -> None:
    places = st.lists(st.tuples(st.sampled_from("ABCDE"), st.sampled_from([1.0, 2.0, 2.5, nan])), max_size=5)

    @given(st.lists(places, min_size=1, max_size=12))
    def check(found: list[list[tuple[str, float]]]) -> None:
        rankings = [
            Ranking(number, "j", tuple(Place((system,), rank) for system, rank in dict(one).items()))
            for number, one in enumerate([*found, [("A", 1.0), ("B", 2.0)]])
        ]
        made, expected = table_of_rankings(rankings), pair_table(expand_pairs(rankings, unranked=True))
        assert made.systems == expected.systems
        assert np.array_equal(made.offsets, expected.offsets)
        assert np.array_equal(made.outcomes, expected.outcomes)
        assert np.array_equal(trueskill(made, runs=2).runs, trueskill(expand_pairs(rankings), runs=2).runs)

    check()


def test_what_cannot_be_ranked() -> None:
    with pytest.raises(InputError, match="no judgments"):
        trueskill([])
    with pytest.raises(InputError, match="A is compared with itself"):
        expected_wins(say("A>A"))
    with pytest.raises(InputError, match="at least one run"):
        trueskill(say("A>B"), runs=0)


def test_systems_that_always_tie_share_all_places():
    tied = [Judgment(i, "judge", one, other, 1, 1) for i in range(6) for one, other in combinations("ABCD", 2)]
    for ranking in (trueskill(tied, runs=20), expected_wins(tied, runs=20)):
        assert [(line.best, line.worst, line.cluster) for line in ranking.systems] == [(1, 4, 1)] * 4


def approved(mirror: Upstream, split: str) -> list[Ranking]:
    return [ranking for ranking in read_rankings(mirror, split) if ranking.approved]


def test_expected_wins_of_grundkiewicz_3b(mirror: Upstream) -> None:
    ranking = expected_wins(expand_pairs(read_rankings(mirror, "expert")))
    published = PUBLISHED["grundkiewicz2015_3b_expected_wins"]
    assert [line.system for line in ranking.systems] == list(published)
    assert ranking.scores() == pytest.approx(published, abs=0.0005)
    assert ranking.scores() == pytest.approx(PUBLISHED["expected_wins_recomputed"], abs=1e-12)
    assert ranking.systems[-1].cluster == PUBLISHED["grundkiewicz2015_3b_cluster_count"]


@needs_native
def test_trueskill_of_grundkiewicz_3c(mirror: Upstream) -> None:
    ranking = trueskill(expand_pairs(read_rankings(mirror, "expert")), runs=1000)
    published = PUBLISHED["grundkiewicz2015_3c_trueskill"]
    assert [line.system for line in ranking.systems] == list(published)
    assert ranking.scores() == pytest.approx(published, abs=0.0015)
    ranges = {line.system: [line.best, line.worst] for line in ranking.systems}
    assert ranges == PUBLISHED["grundkiewicz2015_3c_ranges"]
    assert ranking.clusters() == PUBLISHED["grundkiewicz2015_3c_clusters"]


@needs_native
def test_trueskill_of_jfleg_table_5(mirror: Upstream) -> None:
    ranking = trueskill(expand_pairs(jfleg.read_rankings(mirror)), runs=1000)
    assert ranking.scores() == pytest.approx(PUBLISHED["jfleg2017_table5"], abs=0.02)
    assert ranking.clusters() == PUBLISHED["jfleg2017_table5_clusters"]


@needs_native
def test_trueskill_of_sakaguchi_table_5(mirror: Upstream) -> None:
    ranking = trueskill(expand_pairs(approved(mirror, "references")), runs=1000)
    for line in ranking.systems:
        score, best, worst, cluster = PUBLISHED["sakaguchi2016_table5"][line.system]
        assert line.score == pytest.approx(score, abs=0.03)
        assert (line.best, line.worst, line.cluster) == (best, worst, cluster)


@needs_native
@pytest.mark.parametrize("labels", ["published_labels", "corrected_labels"])
def test_crowd_trueskill(mirror: Upstream, labels: str) -> None:
    split = "crowd" if labels == "published_labels" else "crowd_relabelled"
    ranking = trueskill(expand_pairs(approved(mirror, split)), runs=300)
    assert ranking.scores() == pytest.approx(PUBLISHED["nonexpert"][labels], abs=0.01)


@pytest.mark.parametrize("split", ["expert", "crowd", "references", "jfleg"])
def test_kernels_run_the_published_judgments_alike(
    mirror: Upstream, both_kernels: Callable[[str], tuple[ModuleType, ModuleType]], split: str
) -> None:
    rankings = jfleg.read_rankings(mirror) if split == "jfleg" else approved(mirror, split)
    table = pair_table(expand_pairs(rankings))
    beta = SIGMA * (table.pairs + 1) / BETA_DIVISOR
    arguments = {
        "systems": len(table.systems), "offsets": table.offsets, "outcomes": table.outcomes,
        "iterations": min(5_000, table.pairs + 1), "sigma": SIGMA, "beta": beta, "margin": draw_margin(beta), "seed": 1,
        "first_run": 0, "count": 2,
    }  # fmt: skip
    python, native = both_kernels("trueskill")
    assert np.array_equal(native.runs(**arguments), python.runs(**arguments))


def test_rank_ranges_take_memory_for_the_runs_alone() -> None:
    """2,000 systems took 4 GB: a cell for each run and pair of systems."""
    runs = np.random.default_rng(0).integers(0, 300, (50, 400)).astype(float)
    tracemalloc.start()
    ranges = rank_ranges(runs)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 20 * runs.nbytes
    better = [sorted(1 + (run > run[7]).sum() for run in runs), sorted(400 - (run < run[7]).sum() for run in runs)]
    assert ranges[7].tolist() == [better[0][2], better[1][47]]  # 2.5% of 50 runs, rounded up, on each side


def test_too_many_systems_are_refused() -> None:
    places = [Place((f"s{k}",), float(k)) for k in range(501)]
    with pytest.raises(InputError, match="judgments of 501 systems, but at most 500"):
        table_of_rankings([Ranking(1, "j", tuple(places))])
    pairs = [Ranking(k, "j", (places[k], places[k + 1])) for k in range(500)]
    with pytest.raises(InputError, match="judgments of 501 systems"):
        table_of_rankings(pairs)
    assert len(table_of_rankings(pairs[:-1]).systems) == 500


def test_expected_wins_needs_a_run() -> None:
    with pytest.raises(InputError, match="at least one run"):
        expected_wins(say("A>B"), runs=0)

"""TrueSkill's kernels give the same numbers as the trueskill package and as each other."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from types import ModuleType

import numpy as np
import pytest
import trueskill as package
from hypothesis import given, settings
from hypothesis import strategies as st

from gecbench.formats.judgments import Judgment
from gecbench.human.ranking import draw_margin, pair_table
from gecbench.kernels import select

BothKernels = Callable[[str], tuple[ModuleType, ModuleType]]
GAMES = st.tuples(
    st.floats(-3, 3), st.floats(0.05, 2), st.floats(-3, 3), st.floats(0.05, 2), st.sampled_from([-1, 0, 1]),
    st.floats(0.2, 50),
)  # fmt: skip


def test_one_game_equals_the_trueskill_package(kernels_of: str) -> None:
    rate = select("trueskill").rate

    @settings(max_examples=100)
    @given(GAMES)
    def check(game: tuple[float, float, float, float, int, float]) -> None:
        mean1, sigma1, mean2, sigma2, outcome, beta = game
        environment = package.TrueSkill(mu=0, sigma=0.5, beta=beta, tau=0, draw_probability=0.25, backend="scipy")
        first, second = package.Rating(mean1, sigma1), package.Rating(mean2, sigma2)
        ranks = [0, 0] if outcome == 0 else [0, 1] if outcome == 1 else [1, 0]
        (theirs1,), (theirs2,) = environment.rate([(first,), (second,)], ranks=ranks)
        ours = rate(mean1, sigma1**2, mean2, sigma2**2, outcome, beta, draw_margin(beta))
        expected = (theirs1.mu, theirs1.sigma**2, theirs2.mu, theirs2.sigma**2)
        assert ours == pytest.approx(expected, rel=1e-6, abs=1e-6)

    check()


def test_extreme_upsets_stay_finite_and_shrink_the_lead(kernels_of: str) -> None:
    rate = select("trueskill").rate
    for outcome in (-1, 0):
        mean1, variance1, mean2, variance2 = rate(90.0, 1.0, -90.0, 1.0, outcome, 0.5, draw_margin(0.5))
        assert np.isfinite([mean1, variance1, mean2, variance2]).all()
        assert mean1 < 90
        assert mean2 > -90
        assert 0 < variance1 < 1
        assert 0 < variance2 < 1


def test_both_kernels_rate_games_of_any_lead_alike(both_kernels: BothKernels) -> None:
    python, native = both_kernels("trueskill")
    means, variances = st.floats(-200, 200), st.floats(1e-4, 2000)

    @settings(max_examples=500, deadline=None)
    @given(means, variances, means, variances, st.sampled_from([-1, 0, 1]), st.floats(0.05, 600))
    def check(mean1: float, variance1: float, mean2: float, variance2: float, outcome: int, beta: float) -> None:
        game = (mean1, variance1, mean2, variance2, outcome, beta, draw_margin(beta))
        assert native.rate(*game) == python.rate(*game)

    check()


def random_judgments(seed: int, systems: int, count: int) -> list[Judgment]:
    random = np.random.default_rng(seed)
    pairs = []
    for number in range(count):
        one, other = random.choice(systems, 2, replace=False)
        rank1, rank2 = one + random.integers(1, 4), other + random.integers(1, 4)
        pairs.append(Judgment(number, "j", f"S{one:02}", f"S{other:02}", float(rank1), float(rank2)))
    return pairs


@pytest.mark.parametrize(("systems", "count", "seed"), [(2, 3, 0), (5, 40, 2**64 - 1), (13, 400, 7)])
def test_both_kernels_give_identical_runs(both_kernels: BothKernels, systems: int, count: int, seed: int) -> None:
    table = pair_table(random_judgments(1, systems, count))
    arguments = {
        "systems": len(table.systems), "offsets": table.offsets, "outcomes": table.outcomes,
        "iterations": count + 1, "sigma": 0.5, "beta": 0.5 * count / 40,
        "margin": draw_margin(0.5 * count / 40), "seed": seed, "first_run": 3, "count": 4,
    }  # fmt: skip
    python, native = both_kernels("trueskill")
    expected = python.runs(**arguments)
    assert np.array_equal(native.runs(**arguments), expected)
    assert np.array_equal(native.runs(**arguments, threads=3), expected)
    later = native.runs(**{**arguments, "first_run": 5, "count": 2})
    assert np.array_equal(later, expected[2:])
    assert systems == 2 or not np.array_equal(expected[0], expected[1])


def test_both_kernels_pick_the_same_opponents_in_any_league(both_kernels: BothKernels) -> None:
    python, native = both_kernels("trueskill")

    @settings(max_examples=60, deadline=None)
    @given(
        st.integers(0, 2**64 - 1), st.tuples(st.integers(2, 80), st.integers(1, 90), st.integers(1, 60)),
        st.integers(0, 2**40), st.integers(1, 19), st.sampled_from([0.5, 5.0, 40.0]),
        st.sampled_from([0.1, 1.0, 500.0]),
    )  # fmt: skip
    def check(seed: int, sizes: tuple[int, int, int], first: int, runs: int, sigma: float, beta: float) -> None:
        table = pair_table(random_judgments(seed, *sizes[:2]))
        arguments = {
            "systems": len(table.systems), "offsets": table.offsets, "outcomes": table.outcomes,
            "iterations": sizes[2], "sigma": sigma, "beta": beta, "margin": draw_margin(beta), "seed": seed,
            "first_run": first, "count": runs,
        }  # fmt: skip
        assert np.array_equal(native.runs(**arguments, threads=2), python.runs(**arguments))

    check()


def test_random_numbers_are_splitmix64() -> None:
    from gecbench.kernels.trueskill import GOLDEN, MASK, mix

    published = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert [mix(GOLDEN * step & MASK) for step in (1, 2, 3)] == published


def test_native_refuses_bounds_that_do_not_fit(both_kernels: BothKernels) -> None:
    _, native = both_kernels("trueskill")
    good = np.array([0, 0, 1, 2, 2], dtype=np.int64)
    outcomes = np.array([1, -1], dtype=np.int8)
    rest = {"iterations": 1, "sigma": 0.5, "beta": 1.0, "margin": 0.1, "seed": 0, "first_run": 0, "count": 1}
    assert native.runs(systems=2, offsets=good, outcomes=outcomes, **rest).shape == (1, 2)
    for offsets in ([0, 0, 1, 2], [0, 0, 1, 2, 9], [0, 2, 1, 2, 2], [0, 0, 2, 2, 2], [-1, 0, 1, 2, 2]):
        with pytest.raises(ValueError, match=r"offsets|judgment"):
            native.runs(systems=2, offsets=np.array(offsets, dtype=np.int64), outcomes=outcomes, **rest)


def test_draw_margin_is_the_packages() -> None:
    environment = package.TrueSkill(beta=2.0, draw_probability=0.25)
    theirs = package.calc_draw_margin(0.25, 2, environment)
    assert draw_margin(2.0) == pytest.approx(theirs, rel=1e-6)
    assert draw_margin(2.0) / (2 * sqrt(2)) == pytest.approx(0.31864, abs=1e-5)

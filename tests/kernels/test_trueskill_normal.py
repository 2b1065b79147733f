"""The normal distribution of TrueSkill's kernel equals that of the C library, except for a few last bits."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gecbench.kernels.trueskill import density, exponential, probability


@given(st.floats(-700, 700))
@example(0.0)
@example(0.5)
@example(math.nextafter(0.5, 1))
def test_exponential_is_the_c_librarys(x: float) -> None:
    assert exponential(x) == pytest.approx(math.exp(x), rel=1e-15, abs=0)


def test_exponential_ends_where_doubles_do() -> None:
    assert exponential(0.0) == 1.0
    assert 0 < exponential(-745.0) < 1e-323
    assert exponential(-1e9) == exponential(-750.0) == 0.0
    with pytest.raises(OverflowError):
        exponential(710.0)


@given(st.floats(-37, 37))
@example(-1.0)
@example(math.nextafter(-1, -2))
@example(1.0)
@example(math.nextafter(1, 2))
def test_distribution_is_the_c_librarys(x: float) -> None:
    theirs = math.erfc(-x / math.sqrt(2)) / 2
    rounding = 2**-53 * (8 + 3 * x * x)  # of the square in the exponent, and of the root of 2
    assert probability(x) == pytest.approx(theirs, rel=rounding, abs=0)
    assert density(x) == pytest.approx(math.exp(-0.5 * x * x) / math.sqrt(2 * math.pi), rel=2e-15, abs=0)


def test_both_sides_of_the_distribution() -> None:
    assert probability(0.0) == 0.5
    for x in (0.1, 0.9, 1.1, 3.0, 12.0, 1e6):
        assert probability(x) + probability(-x) == pytest.approx(1, abs=1e-15)
    assert probability(-1e6) == 0.0
    assert probability(1e6) == 1.0

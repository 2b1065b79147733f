"""The exponential function and the normal distribution in plain arithmetic: the same bits with every C library."""

from __future__ import annotations

from math import factorial, floor, ldexp, pi, sqrt

TERMS = 15
_EXPONENTIAL = [1 / factorial(n) for n in reversed(range(TERMS))]
_INTEGRAL = [1 / (factorial(n) * (2 * n + 1)) for n in reversed(range(TERMS))]
_NEAR = 1.0  # the series are for |x| up to this, of the exponential function for x * x / 2
_LOG_OF_2 = 0.6931471805599453
_UPPER_LOG_OF_2, _LOWER_LOG_OF_2 = 0xB17217F7 / 2**32, 0xD1CF79ABC9E3B398 / 2**96
_DENSITY_AT_ZERO = 1 / sqrt(2 * pi)


def _sum_series(series: list[float], x: float) -> float:
    total = 0.0
    for coefficient in series:
        total = total * x + coefficient
    return total


def exponential(x: float) -> float:
    """E to the power of x: 2 to a whole power, times the series of a small number."""
    if abs(x) <= _NEAR * _NEAR / 2:
        return _sum_series(_EXPONENTIAL, x)
    if x < -746:
        return 0.0
    power = floor(x * (1 / _LOG_OF_2) + 0.5)
    return ldexp(_sum_series(_EXPONENTIAL, x - power * _UPPER_LOG_OF_2 - power * _LOWER_LOG_OF_2), power)


def density(x: float) -> float:
    """The density of the standard normal distribution."""
    return _DENSITY_AT_ZERO * exponential(-0.5 * x * x)


_STEP = 0.6875
_SQUARES = [(k * _STEP) * (k * _STEP) for k in range(12, 0, -1)]
_BELLS = [(square, exponential(-0.5 * square)) for square in _SQUARES]


def probability(x: float) -> float:
    """The probability of less than x: the integral of the density's series, or far from zero the trapezoidal rule.

    Of the integral of exp(-t * t / 2) / (t * t + x * x), which has the tail beyond x > 0 in it (Chiarella & Reichel
    1968); their correction is less than the last bit where it is left out.
    """
    distance = abs(x)
    if distance <= _NEAR:
        return 0.5 + x * (_DENSITY_AT_ZERO * _sum_series(_INTEGRAL, -0.5 * x * x))
    square = x * x
    total = 0.0
    for place, bell in _BELLS:
        total += bell / (place + square)
    tail = exponential(-0.5 * square) * distance * (_STEP / (2 * pi)) * (1 / square + 2 * total)
    if distance < 8:
        tail -= 1 / (exponential(2 * pi / _STEP * distance) - 1)
    return tail if x < 0 else 1 - tail

"""TrueSkill for two players (Herbrich et al. 2006), and its bootstrap runs.

The runs follow Sakaguchi et al. 2014. Random numbers come from SplitMix64 (Steele et al. 2014). Run r of a seed starts
from the state `mix(seed + r * GOLDEN)`, so that runs do not depend on each other and both kernels get the same numbers.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate
from math import factorial, floor, ldexp, pi, sqrt

import numpy as np
from numpy.typing import NDArray

MASK = 0xFFFFFFFFFFFFFFFF
GOLDEN = 0x9E3779B97F4A7C15
TERMS = 15
_EXPONENTIAL = [1 / factorial(n) for n in reversed(range(TERMS))]
_INTEGRAL = [1 / (factorial(n) * (2 * n + 1)) for n in reversed(range(TERMS))]
_NEAR = 1.0  # a series is used for |x| up to this in `probability`, up to half its square in `exponential`
_LOG_OF_2 = 0.6931471805599453
_UPPER_LOG_OF_2, _LOWER_LOG_OF_2 = 0xB17217F7 / 2**32, 0xD1CF79ABC9E3B398 / 2**96
_DENSITY_AT_ZERO = 1 / sqrt(2 * pi)


def mix(value: int) -> int:
    """Return SplitMix64's output for a 64-bit state."""
    value &= MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


def uniforms(seed: int, run: int) -> Iterator[float]:
    """Yield uniform numbers in [0, 1), made of the upper 53 bits of SplitMix64."""
    state = mix(seed + run * GOLDEN)
    while True:
        state = (state + GOLDEN) & MASK
        yield (mix(state) >> 11) * 2.0**-53


# The exponential function and the normal distribution in plain arithmetic: the same bits with every C library.


def _sum_series(series: list[float], x: float) -> float:
    total = 0.0
    for coefficient in series:
        total = total * x + coefficient
    return total


def exponential(x: float) -> float:
    """Return e to the power of x: a power of 2 times the series of a remainder."""
    if abs(x) <= _NEAR * _NEAR / 2:
        return _sum_series(_EXPONENTIAL, x)
    if x < -746:
        return 0.0
    power = floor(x * (1 / _LOG_OF_2) + 0.5)
    return ldexp(_sum_series(_EXPONENTIAL, x - power * _UPPER_LOG_OF_2 - power * _LOWER_LOG_OF_2), power)


def density(x: float) -> float:
    """Return the density of the standard normal distribution."""
    return _DENSITY_AT_ZERO * exponential(-0.5 * x * x)


_STEP = 0.6875
_SQUARES = [(k * _STEP) * (k * _STEP) for k in range(12, 0, -1)]
_DENSITY_TABLE = [(square, exponential(-0.5 * square)) for square in _SQUARES]


def probability(x: float) -> float:
    """Return the probability that a standard normal variable is less than x.

    Near zero, the series of the density is integrated. Elsewhere, the tail is |x| exp(-x * x / 2) / (2 pi) times the
    integral over t of exp(-t * t / 2) / (t * t + x * x). The integral is computed by the trapezoidal rule with the
    correction of Chiarella & Reichel 1968. If |x| is 8 or more, the correction is less than the last bit and is left
    out.
    """
    distance = abs(x)
    if distance <= _NEAR:
        return 0.5 + x * (_DENSITY_AT_ZERO * _sum_series(_INTEGRAL, -0.5 * x * x))
    square = x * x
    total = 0.0
    for place, value in _DENSITY_TABLE:
        total += value / (place + square)
    tail = exponential(-0.5 * square) * distance * (_STEP / (2 * pi)) * (1 / square + 2 * total)
    if distance < 8:
        tail -= 1 / (exponential(2 * pi / _STEP * distance) - 1)
    return tail if x < 0 else 1 - tail


def _win(lead: float, margin: float) -> tuple[float, float]:
    """Return v and w of a win (Herbrich et al. 2006, §4).

    `lead` and `margin` are in units of the total standard deviation.
    """
    x = lead - margin
    chance = probability(x)
    if chance <= 0:
        return -x, 1.0
    v = density(x) / chance
    return v, v * (v + x)


def _tie(lead: float, margin: float) -> tuple[float, float]:
    """Return v and w of a tie, for the player who leads by `lead`.

    For -lead, v changes its sign and w is the same.
    """
    distance = abs(lead)
    low, high = -margin - distance, margin - distance
    chance = probability(high) - probability(low)
    if chance <= 0:
        return (high if lead >= 0 else -high), 1.0
    scale = 1 / chance
    v = (density(low) - density(high)) * scale
    w = v * v + (high * density(high) - low * density(low)) * scale
    return (v if lead >= 0 else -v), w


def rate(
    mean1: float, variance1: float, mean2: float, variance2: float, outcome: int, beta: float, margin: float
) -> tuple[float, float, float, float]:
    """Return the new (mean1, variance1, mean2, variance2) after one outcome.

    `outcome` is 1 if player 1 won, -1 if player 1 lost, and 0 for a tie.
    """
    total = variance1 + variance2 + 2 * beta * beta
    unit = 1 / sqrt(total)
    sign = float(outcome) if outcome else 1.0
    lead = sign * (mean1 - mean2) * unit
    v, w = _win(lead, margin * unit) if outcome else _tie(lead, margin * unit)
    step = sign * v * unit
    shrink = w * unit * unit
    return (
        mean1 + variance1 * step,
        variance1 * (1 - variance1 * shrink),
        mean2 - variance2 * step,
        variance2 * (1 - variance2 * shrink),
    )


def runs(
    systems: int,
    offsets: NDArray[np.int64],
    outcomes: NDArray[np.int8],
    iterations: int,
    sigma: float,
    beta: float,
    margin: float,
    seed: int,
    first_run: int,
    count: int,
    threads: int = 1,
) -> NDArray[np.float64]:
    """Return the final means of runs, as an array (count, systems).

    The runs are numbers first_run … first_run + count - 1. With p = a * systems + b,
    `outcomes[offsets[p] : offsets[p + 1]]` are the judgments of system a against b, seen from a. An iteration
    (Sakaguchi et al. 2014) has four steps: (1) Take the system with the largest variance, on ties the last. (2) Pick an
    opponent of this system; the probability is proportional to exp(-|difference of means|). (3) Pick a judgment of this
    pair at random. (4) Update both ratings with it. `threads` is for the native kernel.
    """
    del threads
    results = np.empty((count, systems))
    starts, results_of = offsets.tolist(), outcomes.tolist()
    for row in range(count):
        random = uniforms(seed, first_run + row)
        results[row] = _one_run(systems, starts, results_of, iterations, (sigma, beta, margin), random)
    return results


def _one_run(
    systems: int,
    offsets: list[int],
    outcomes: list[int],
    iterations: int,
    parameters: tuple[float, float, float],
    random: Iterator[float],
) -> list[float]:
    sigma, beta, margin = parameters
    means, variances = [0.0] * systems, [sigma * sigma] * systems
    exp_mean, exp_negative_mean = [1.0] * systems, [1.0] * systems
    for _ in range(iterations):
        player = 0  # step 1
        for system in range(1, systems):
            if variances[system] >= variances[player]:
                player = system
        shares = list(  # step 2
            accumulate(
                min(exp_mean[player] * exp_negative_mean[other], exp_negative_mean[player] * exp_mean[other])
                if offsets[player * systems + other] < offsets[player * systems + other + 1]
                else 0.0
                for other in range(systems)
            )
        )
        opponent = _pick(shares, next(random) * shares[-1])
        # Step 3
        start, end = offsets[player * systems + opponent : player * systems + opponent + 2]
        outcome = outcomes[start + int(next(random) * (end - start))]
        # Step 4
        means[player], variances[player], means[opponent], variances[opponent] = rate(
            means[player], variances[player], means[opponent], variances[opponent], outcome, beta, margin
        )
        for system in (player, opponent):
            exp_mean[system] = exponential(means[system])
            exp_negative_mean[system] = 1 / exp_mean[system]
    return means


def _pick(shares: list[float], target: float) -> int:
    """Return the first system whose running sum exceeds `target`.

    If rounding leaves no such system, return the last system with a share above 0.
    """
    below = bisect_right(shares, target)
    return below if below < len(shares) else bisect_left(shares, shares[-1])

"""TrueSkill for two players and its bootstrap runs (Herbrich et al. 2006; Sakaguchi et al. 2014).

The random numbers are SplitMix64 (Steele et al. 2014). Run r of a seed starts from the state
`mix(seed + r * GOLDEN)`, so that runs do not depend on each other and both twins get the same numbers.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from gecbench.kernels.normal import density, exponential, probability

MASK = 0xFFFFFFFFFFFFFFFF
GOLDEN = 0x9E3779B97F4A7C15


def mix(value: int) -> int:
    """SplitMix64's output function on 64 bits."""
    value &= MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


def uniforms(seed: int, run: int) -> Iterator[float]:
    """SplitMix64: add GOLDEN to the state, mix; the upper 53 bits make a uniform number in [0, 1)."""
    state = mix(seed + run * GOLDEN)
    while True:
        state = (state + GOLDEN) & MASK
        yield (mix(state) >> 11) * 2.0**-53


def _win(lead: float, margin: float) -> tuple[float, float]:
    """V and w of a win (Herbrich et al. 2006, §4), `lead` and `margin` in units of the total deviation."""
    x = lead - margin
    chance = probability(x)
    if chance <= 0:
        return -x, 1.0
    v = density(x) / chance
    return v, v * (v + x)


def _tie(lead: float, margin: float) -> tuple[float, float]:
    """V and w of a tie, for the player who leads by `lead`; odd and even in it."""
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
    """New (mean1, variance1, mean2, variance2) after player 1 won (1), lost (-1) or tied (0)."""
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
    """Return final means, shape (count, systems), of runs first_run … first_run + count - 1.

    `outcomes[offsets[p] : offsets[p + 1]]`, p = a * systems + b, are the judgments of a against b seen from
    a. Each iteration (Sakaguchi et al. 2014) 1 takes the system of the largest variance (the last of equals);
    2 picks an opponent it was compared with, with probability proportional to exp(-|difference of means|);
    3 picks one of their judgments at random; 4 rates both by it. `threads` is for the native twin.
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
    rises, falls = [1.0] * systems, [1.0] * systems  # exp(mean) and its inverse
    for _ in range(iterations):
        player = 0  # step 1
        for system in range(1, systems):
            if variances[system] >= variances[player]:
                player = system
        shares = list(  # step 2
            accumulate(
                min(rises[player] * falls[other], falls[player] * rises[other])
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
            rises[system] = exponential(means[system])
            falls[system] = 1 / rises[system]
    return means


def _pick(shares: list[float], target: float) -> int:
    """The first system whose sum of weights exceeds `target`; rounding may let the target reach the total."""
    below = bisect_right(shares, target)
    return below if below < len(shares) else bisect_left(shares, shares[-1])

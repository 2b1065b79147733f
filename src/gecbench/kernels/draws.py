"""Reference draws of the official GLEU script (Python twin of `native/draws.cpp`).

Iteration j seeds the Mersenne Twister with 101 j and draws one reference per sentence, in order. CPython 2
takes floor(random() * k); CPython 3 takes the top bits of 32-bit outputs until they are below k.
"""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.int64]
Offsets = npt.NDArray[np.int64]


def draw_rows(row_offsets: Offsets, first_iteration: int, iterations: int, python3: bool) -> npt.NDArray[np.int64]:
    """Return the row drawn for each sentence, iterations × sentences."""
    choices = np.diff(row_offsets)
    draw = _draw_python3 if python3 else _draw_python2
    drawn = [draw(101 * (first_iteration + i), choices) for i in range(iterations)]
    return np.array(drawn, dtype=np.int64).reshape(iterations, len(choices)) + row_offsets[:-1]


def sampled_totals(counts: Counts, row_offsets: Offsets, iterations: int, python3: bool) -> Counts:
    """Return the summed counts of the rows drawn in each iteration, iterations × counts."""
    totals = np.zeros((iterations, counts.shape[1]), dtype=np.int64)
    for iteration in range(iterations):
        totals[iteration] = counts[draw_rows(row_offsets, iteration, 1, python3)[0]].sum(axis=0)
    return totals


def _draw_python2(seed: int, choices: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    uniform = random.Random(seed).random
    return np.array([int(uniform() * k) for k in choices.tolist()], dtype=np.int64)


def _draw_python3(seed: int, choices: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    randrange = random.Random(seed).randrange
    return np.array([randrange(k) for k in choices.tolist()], dtype=np.int64)

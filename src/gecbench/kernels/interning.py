"""Splitting text into tokens and giving equal tokens equal numbers (Python twin of `native/interning.cpp`)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt


def intern(
    text: bytes, line_offsets: npt.NDArray[np.int64], unicode_whitespace: bool
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Return the token numbers of all lines end to end, and where each line begins.

    Line i is `text[line_offsets[i]:line_offsets[i + 1]]`. Tokens are numbered by first appearance.
    """
    numbers: dict[str | bytes, int] = {}
    ids: list[int] = []
    offsets = [0]
    bounds = line_offsets.tolist()
    for begin, end in pairwise(bounds):
        line = text[begin:end]
        tokens: list[str] | list[bytes] = line.decode().split() if unicode_whitespace else line.split()
        ids.extend([numbers.setdefault(token, len(numbers)) for token in tokens])
        offsets.append(len(ids))
    return np.array(ids, dtype=np.int32), np.array(offsets, dtype=np.int64)

"""Count the tokens that two lines share, for the check for shifted lines."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gecbench.kernels.tokens import Ids, Offsets


def count_shared(left: bytes, left_offsets: Offsets, right: bytes, right_offsets: Offsets) -> Ids:
    """Return a row for each pair of lines: tokens of the left, tokens of the right, distinct ones in both, in either.

    Line i of a text is `text[offsets[i]:offsets[i + 1]]`, in UTF-8; tokens are separated by Unicode whitespace.
    """
    rows = []
    for ours, theirs in zip(_split(left, left_offsets), _split(right, right_offsets), strict=True):
        rows.append((len(ours), len(theirs), len({*ours} & {*theirs}), len({*ours} | {*theirs})))
    return np.array(rows, dtype=np.int32).reshape(-1, 4)


def _split(text: bytes, offsets: Offsets) -> list[list[str]]:
    return [text[begin:end].decode(errors="surrogatepass").split() for begin, end in pairwise(offsets.tolist())]

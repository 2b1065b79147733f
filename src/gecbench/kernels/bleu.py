"""BLEU's n-gram counts (Papineni et al. 2002), as sacrebleu counts them (Python twin of bleu.cpp)."""

from __future__ import annotations

from functools import reduce
from operator import or_

import numpy as np
import numpy.typing as npt

from gecbench.kernels.gleu import ngrams
from gecbench.kernels.tokens import Offsets, TokenArray


def bleu_counts(
    hypotheses: TokenArray, references: TokenArray, reference_rows: Offsets, order: int, threads: int = 1
) -> npt.NDArray[np.int64]:
    """Return one row per sentence: three lengths, then the matches of each order, then its n-grams.

    Lengths are the hypothesis's and the closest reference's: of two equally close the shorter, then the first. An
    n-gram matches as often as the reference that has most of it allows. The references of sentence i are rows
    `reference_rows[i]` to `reference_rows[i + 1]`; `threads` is for the native twin.
    """
    del threads
    texts, bounds = references.lists(), reference_rows.tolist()
    counts = np.zeros((len(hypotheses), 3 + 2 * order), dtype=np.int64)
    for i, hypothesis in enumerate(hypotheses.lists()):
        against, length = texts[bounds[i] : bounds[i + 1]], len(hypothesis)
        lengths = [len(text) for text in against]
        counts[i, 0] = length
        counts[i, 1] = min(lengths, key=lambda found: (abs(found - length), found))
        counts[i, 2] = min(lengths, key=lambda found: abs(found - length))
        for n in range(1, order + 1):
            most = reduce(or_, (ngrams(text, n) for text in against))
            counts[i, 2 + n] = (ngrams(hypothesis, n) & most).total()
            counts[i, 2 + order + n] = max(length + 1 - n, 0)
    return counts

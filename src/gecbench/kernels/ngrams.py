"""Counting n-grams for GLEU (Python twin of `native/ngrams.cpp`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]
Ngrams = Counter[tuple[int, ...]]


def gleu_counts(
    source_ids: Ids,
    source_offsets: Offsets,
    hypothesis_ids: Ids,
    hypothesis_offsets: Offsets,
    reference_ids: Ids,
    reference_offsets: Offsets,
    reference_rows: Offsets,
    order: int,
    multiset: bool,
) -> npt.NDArray[np.int64]:
    """Return one row per (sentence, reference): both lengths, then numerator and denominator of each order.

    The references of sentence i are rows `reference_rows[i]` to `reference_rows[i + 1]`.
    """
    sources = _sequences(source_ids, source_offsets)
    hypotheses = _sequences(hypothesis_ids, hypothesis_offsets)
    references = _sequences(reference_ids, reference_offsets)
    counts = np.zeros((len(references), 2 + 2 * order), dtype=np.int64)
    numerator = literal_numerator if multiset else official_numerator
    for i, (source, hypothesis) in enumerate(zip(sources, hypotheses, strict=True)):
        rows = range(int(reference_rows[i]), int(reference_rows[i + 1]))
        for n in range(1, order + 1):
            in_source, in_hypothesis = ngrams(source, n), ngrams(hypothesis, n)
            for row in rows:
                counts[row, 2 * n] = numerator(in_hypothesis, in_source, ngrams(references[row], n))
                counts[row, 2 * n + 1] = max(len(hypothesis) + 1 - n, 0)
        for row in rows:
            counts[row, :2] = len(hypothesis), len(references[row])
    return counts


def ngrams(tokens: Sequence[int], n: int) -> Ngrams:
    """Return the multiset of n-grams of a sequence."""
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def official_numerator(hypothesis: Ngrams, source: Ngrams, reference: Ngrams) -> int:
    """Return matches minus penalty, at least 0, as the official script counts them.

    The penalty looks at types: an n-gram that the reference has even once costs nothing.
    """
    match = sum((hypothesis & reference).values())
    penalty = sum(count for ngram, count in (hypothesis & source).items() if ngram not in reference)
    return max(match - penalty, 0)


def literal_numerator(hypothesis: Ngrams, source: Ngrams, reference: Ngrams) -> int:
    """Return the numerator of Equation 1 of Sakaguchi et al. 2016 as printed (multisets, may be negative)."""
    with_reference = hypothesis & reference
    with_source = hypothesis & source
    penalty = sum(max(0, count - with_reference[ngram]) for ngram, count in with_source.items())
    return sum(with_reference.values()) - penalty


def _sequences(ids: Ids, offsets: Offsets) -> list[list[int]]:
    tokens = ids.tolist()
    bounds = offsets.tolist()
    return [tokens[begin:end] for begin, end in pairwise(bounds)]

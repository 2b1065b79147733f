r"""GREEN's counts of n-grams kept, deleted and inserted (Koyama et al. 2024).

With the multisets S, R and C of the n-grams of source, reference and corrected text:

    true keeps      S ∩ R ∩ C       true deletes    S \ (R ∪ C)     true inserts    (R ∩ C) \ S
    over-deletes    (S ∩ R) \ C     over-inserts    C \ (S ∪ R)
    under-deletes   (S ∩ C) \ R     under-inserts   R \ (S ∪ C)

TP is the total size of the three multisets in the first row, FP of the two in the second, FN of the two in the third.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gecbench.kernels.tokens import Ngrams, Offsets, TokenArray, ngrams

Counts = npt.NDArray[np.int64]


class NgramChanges(NamedTuple):
    """N-grams of one order, divided into the seven multisets of the module docstring."""

    kept: Ngrams
    deleted: Ngrams
    inserted: Ngrams
    over_deleted: Ngrams
    over_inserted: Ngrams
    under_deleted: Ngrams
    under_inserted: Ngrams

    def counts(self) -> tuple[int, int, int]:
        """Return TP, FP and FN."""
        sizes = [sum(found.values()) for found in self]
        return sum(sizes[:3]), sum(sizes[3:5]), sum(sizes[5:])


def ngram_changes(source: Ngrams, hypothesis: Ngrams, reference: Ngrams) -> NgramChanges:
    """Compare the n-grams of source, hypothesis and reference."""
    return NgramChanges(
        kept=source & reference & hypothesis,
        deleted=source - (reference | hypothesis),
        inserted=(reference & hypothesis) - source,
        over_deleted=(source & reference) - hypothesis,
        over_inserted=hypothesis - (source | reference),
        under_deleted=(source & hypothesis) - reference,
        under_inserted=reference - (source | hypothesis),
    )


def green_counts(
    sources: TokenArray,
    hypotheses: TokenArray,
    references: TokenArray,
    reference_rows: Offsets,
    order: int,
    threads: int = 1,
) -> Counts:
    """Return one row per reference: TP, FP and FN of each n-gram order.

    Sentence i has the references `reference_rows[i]:reference_rows[i + 1]`. `threads` is for the native kernel.
    """
    del threads
    texts = references.lists()
    counts = np.zeros((len(texts), 3 * order), dtype=np.int64)
    for i, (source, hypothesis) in enumerate(zip(sources.lists(), hypotheses.lists(), strict=True)):
        for n in range(1, order + 1):
            in_source, in_hypothesis = ngrams(source, n), ngrams(hypothesis, n)
            for row in range(int(reference_rows[i]), int(reference_rows[i + 1])):
                changes = ngram_changes(in_source, in_hypothesis, ngrams(texts[row], n))
                counts[row, 3 * n - 3 : 3 * n] = changes.counts()
    return counts

"""GLEU's counts for one sentence and reference, n-gram by n-gram (Sakaguchi et al. 2016, Equation 1; docs/exact.md)."""

from __future__ import annotations

from collections.abc import Sequence


def gleu_literally(
    source: Sequence[int], hypothesis: Sequence[int], reference: Sequence[int], order: int, multiset: bool
) -> list[int]:
    """Both lengths, then matches less penalty and the number of n-grams of each order.

    The official script takes the penalty of n-grams that the reference has not at all, and no sum below 0; Equation 1
    (`multiset`) that of every occurrence beyond those that match.
    """
    counts = [len(hypothesis), len(reference)]
    for n in range(1, order + 1):
        ours, before, wanted = (
            [text[i : i + n] for i in range(len(text) - n + 1)] for text in (hypothesis, source, reference)
        )
        numerator = 0
        for ngram in [ngram for i, ngram in enumerate(ours) if ngram not in ours[:i]]:
            matches = min(ours.count(ngram), wanted.count(ngram))
            kept = min(ours.count(ngram), before.count(ngram))
            numerator += matches
            if multiset:
                numerator -= max(0, kept - matches)
            elif ngram not in wanted:
                numerator -= kept
        counts += [numerator if multiset else max(0, numerator), len(ours)]
    return counts

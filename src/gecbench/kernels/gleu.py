"""GLEU's n-gram counts (Sakaguchi et al. 2016, Equation 1) and reference draws.

The official script draws references at random. Iteration j seeds the Mersenne Twister with 101 j and draws one
reference per sentence, in order. To draw one of k references, CPython 2 takes floor(random() * k). CPython 3 draws
32-bit numbers and takes as many top bits of each as k has, until these bits form a number below k.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gecbench.kernels.tokens import Ngrams, Offsets, TokenArray, ngrams

Counts = npt.NDArray[np.int64]
States = npt.NDArray[np.uint32]


def gleu_counts(
    sources: TokenArray,
    hypotheses: TokenArray,
    references: TokenArray,
    reference_rows: Offsets,
    order: int,
    multiset: bool,
    threads: int = 1,
) -> Counts:
    """Return one row of counts per reference.

    A row has the lengths of hypothesis and reference, then the numerator and denominator of each n-gram order. Sentence
    i has the rows `reference_rows[i]:reference_rows[i + 1]`. `multiset` selects `literal_numerator` instead of
    `official_numerator`. `threads` is for the native kernel, also in the functions below.
    """
    del threads
    texts = references.lists()
    counts = np.zeros((len(texts), 2 + 2 * order), dtype=np.int64)
    numerator = literal_numerator if multiset else official_numerator
    for i, (source, hypothesis) in enumerate(zip(sources.lists(), hypotheses.lists(), strict=True)):
        rows = range(int(reference_rows[i]), int(reference_rows[i + 1]))
        for n in range(1, order + 1):
            in_source, in_hypothesis = ngrams(source, n), ngrams(hypothesis, n)
            for row in rows:
                counts[row, 2 * n] = numerator(in_hypothesis, in_source, ngrams(texts[row], n))
                counts[row, 2 * n + 1] = max(len(hypothesis) + 1 - n, 0)
        for row in rows:
            counts[row, :2] = len(hypothesis), len(texts[row])
    return counts


def official_numerator(hypothesis: Ngrams, source: Ngrams, reference: Ngrams) -> int:
    """Return matches minus penalty, at least 0, as the official script counts them.

    An n-gram that occurs in the reference is never penalized, even if the hypothesis has more of it.
    """
    match = sum((hypothesis & reference).values())
    penalty = sum(count for ngram, count in (hypothesis & source).items() if ngram not in reference)
    return max(match - penalty, 0)


def literal_numerator(hypothesis: Ngrams, source: Ngrams, reference: Ngrams) -> int:
    """Return Equation 1's numerator as printed: with multisets, possibly negative."""
    with_reference = hypothesis & reference
    with_source = hypothesis & source
    penalty = sum(max(0, count - with_reference[ngram]) for ngram, count in with_source.items())
    return sum(with_reference.values()) - penalty


def draw_rows(row_offsets: Offsets, first_iteration: int, iterations: int, python3: bool, threads: int = 1) -> Counts:
    """Return the drawn reference rows, as an array (iterations, sentences)."""
    del threads
    choices = np.diff(row_offsets)
    draw = _draw_python3 if python3 else _draw_python2
    drawn = [draw(random.Random(101 * (first_iteration + i)), choices.tolist()) for i in range(iterations)]
    return np.array(drawn, dtype=np.int64).reshape(iterations, len(choices)) + row_offsets[:-1]


def generator_states(iterations: int) -> States:
    """Return the initial state of every iteration's generator.

    A state has the generator's 624 words, then the index of the next word.
    """
    return np.array([random.Random(101 * i).getstate()[1] for i in range(iterations)], dtype=np.uint32)


def sampled_totals(
    counts: Counts,
    row_offsets: Offsets,
    iterations: int,
    python3: bool,
    threads: int = 1,
    states: States | None = None,
) -> Counts:
    """Return an array (iterations, counts): the summed counts of the drawn rows.

    If `states` of generators are given, draws continue from these states. The array is then updated in place.
    """
    del threads
    carried = generator_states(iterations) if states is None else states
    totals = np.zeros((iterations, counts.shape[1]), dtype=np.int64)
    choices = np.diff(row_offsets).tolist()
    draw = _draw_python3 if python3 else _draw_python2
    for iteration in range(iterations):
        generator = random.Random()
        generator.setstate((3, tuple(carried[iteration].tolist()), None))
        totals[iteration] = counts[row_offsets[:-1] + draw(generator, choices)].sum(axis=0)
        carried[iteration] = generator.getstate()[1]
    return totals


def _draw_python2(generator: random.Random, choices: Sequence[int]) -> list[int]:
    return [int(generator.random() * k) for k in choices]


def _draw_python3(generator: random.Random, choices: Sequence[int]) -> list[int]:
    return [generator.randrange(k) for k in choices]

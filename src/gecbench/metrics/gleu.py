"""GLEU, equal to the official script.

The papers are Napoles et al. 2015, Napoles et al. 2016 and Sakaguchi et al. 2016.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from gecbench import kernels
from gecbench.corpus.corpus import Corpus, CorpusCache
from gecbench.display import percent
from gecbench.errors import InputError
from gecbench.kernels.tokens import KnownLines, TokenRule, encode_lines, ngrams, offsets_of, split_tokens
from gecbench.metrics.base import (
    Counts,
    Metric,
    Signature,
    Statistics,
    Values,
    check_whole,
    mean_count,
    parameter,
    require_references,
)
from gecbench.metrics.explain import Cell, Explanation, Mark, Row
from gecbench.metrics.policy import Generator, Sampled

Variant = Literal["2017", "2016", "equation1", "multiset"]
_MOST_ITERATIONS = 100_000
NORMAL_975 = 1.959963984540054
_KNOWN_LINES: CorpusCache[KnownLines] = CorpusCache()


def known_lines(corpus: Corpus, rule: TokenRule) -> KnownLines:
    """Return the tokens of sources and references, cached for all systems."""
    known = _KNOWN_LINES.get(corpus, rule)
    if known is None:
        references = [text for texts in corpus.references or () for text in texts]
        known = KnownLines.of([encode_lines(corpus.sources), encode_lines(references)], rule)
        _KNOWN_LINES.put(corpus, rule, known)
    return known


@dataclass(frozen=True)
class GLEU(Metric):
    """GLEU: n-gram precision, minus a penalty for n-grams that should have changed.

    The precision is the share of the prediction's n-grams that are in a reference. The penalty counts n-grams kept from
    the source that are not in the reference. With several references, one is drawn per sentence, 500 times, and the
    mean is reported. As in the official script, the corpus score is 0 if there is a length of n-grams for which no
    sentence has more matches than penalties.

    Args:
        order: The longest n-gram. With `-n 3`, the official script leaves out longer n-grams but still divides by 4, so
            its score differs from `order=3`.
        iterations: How many times references are drawn.
        draws: "py2" draws references as Python 2 did, which gave the published numbers of JFLEG and the 2016 paper.
            "py3" draws as the same scripts do under Python 3.
        variant: The formula.

            - "2017": the official script since June 2017. The penalty counts n-gram types, and each sentence's
              numerator is at least 0.
            - "2016": the same, but with the brevity penalty of May 2016. Its two lengths were swapped, so it penalizes
              long outputs instead of short ones. Sakaguchi et al. 2016 report these numbers.
            - "equation1": Equation 1 of Sakaguchi et al. 2016 taken literally (multisets, no lower bound of 0).
            - "multiset": called GLEU in gec-metrics and GLEU+ elsewhere. It uses the counts of "equation1" and Python
              3's draws. An empty line has length 1, and sentence scores are not smoothed.
        tokens: "ascii" splits at ASCII white space, like the official script. "unicode" splits at all white space, like
            JFLEG's script under Python 3.

    Raises:
        InputError: A parameter has an unknown value.

    >>> GLEU().score(sources=["He go home now ."], predictions=["He goes home now ."],
    ...              references=[["He goes home now ."]]).value
    1.0
    """

    name: ClassVar[str] = "gleu"
    title: ClassVar[str] = "GLEU"
    description: ClassVar[str] = (
        "N-gram precision against sampled references, with a penalty for n-grams that should have changed"
    )
    papers: ClassVar[str] = "Napoles et al. 2015; Sakaguchi et al. 2016"
    explains: ClassVar[bool] = True

    order: int = parameter(4, "longest n-gram (the official script's -n works differently)")
    iterations: int = parameter(500, "how many times references are drawn")
    draws: Generator = parameter("py2", '"py2" (the draws of the published numbers) or "py3"')
    variant: Variant = parameter(
        "2017",
        '"2017" (official), "2016" (inverted brevity penalty), "equation1" or "multiset" (GLEU+, called GLEU in '
        "gec-metrics)",
    )
    tokens: TokenRule = parameter("ascii", 'split tokens at "ascii" (official) or "unicode" white space')

    def __post_init__(self) -> None:
        if self.variant == "multiset":
            object.__setattr__(self, "draws", "py3")
        super().__post_init__()
        check_whole("gleu", "order", self.order)
        check_whole("gleu", "iterations", self.iterations)
        if self.iterations > _MOST_ITERATIONS:
            raise InputError(f"gleu: iterations={self.iterations} is more than the limit of {_MOST_ITERATIONS:,}")

    @property
    def reference_policy(self) -> Sampled:
        """The policy that draws one reference per sentence in each iteration."""
        return Sampled(self.iterations, self.draws)

    def count(self, corpus: Corpus, predictions: Sequence[str]) -> Statistics:
        """Return the counts of each sentence against each of its references.

        They are the lengths of prediction and reference, then a numerator and a denominator for each n-gram order.
        """
        references = require_references(corpus, self.title)
        rows = offsets_of(references)
        known = known_lines(corpus, self.tokens)
        source, reference = known.tokens[: len(corpus)], known.tokens[len(corpus) :]
        hypothesis = known.number(encode_lines(predictions))
        counts = kernels.select("gleu").gleu_counts(
            source, hypothesis, reference, rows, self.order, self._is_literal, kernels.threads()
        )
        if self.variant == "multiset":
            np.maximum(counts[:, :2], 1, out=counts[:, :2])
        return Statistics(counts, rows)

    @property
    def _is_literal(self) -> bool:
        """Whether the penalty follows Equation 1."""
        return self.variant in ("equation1", "multiset")

    def explain(self, corpus: Corpus, predictions: Sequence[str], sentences: Sequence[int]) -> list[Explanation]:
        """Show which n-grams of some sentences match, and which are penalized.

        `Metric.explain` documents the arguments.
        """
        references = require_references(corpus, self.title)
        statistics = self.count(corpus, predictions)
        values = self._values_of_rows(statistics)
        found = []
        for i in sentences:
            rows = slice(*statistics.offsets[i : i + 2].tolist())
            texts = [corpus.sources[i], predictions[i], *references[i]]
            tokens = [split_tokens(text, self.tokens) for text in texts]
            found.append(explain_ngrams(i, tokens, values[rows].tolist(), self.order, self._is_literal))
        return found

    def values(self, totals: npt.NDArray[Any]) -> Values:
        """Return exp(log brevity penalty + mean log precision), or 0 if a count is ≤ 0."""
        usable = totals[..., 0] > 0
        for k in range(1, totals.shape[-1]):
            usable = usable & (totals[..., k] > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_precision = np.zeros(totals.shape[:-1])
            for n in range(1, self.order + 1):
                log_precision += np.log(totals[..., 2 * n] / totals[..., 2 * n + 1])
            values = np.exp(self._log_brevity(totals) + log_precision / self.order)
        return np.where(usable, values, 0.0)

    def parts(self, totals: Counts) -> dict[str, float]:
        """Return statistics of the draws.

        These are the standard deviation and the 95% interval of the draws' scores, and the means over the draws of the
        brevity penalty, lengths and precisions.
        """
        values = self.values(totals)
        mean, deviation = float(values.mean()), float(values.std())
        safe = np.maximum(totals, 1).astype(np.float64)
        parts = {
            "standard_deviation": deviation,
            "draws_low": mean - NORMAL_975 * deviation,
            "draws_high": mean + NORMAL_975 * deviation,
            "brevity_penalty": float(np.exp(self._log_brevity(safe)).mean()),
            "hypothesis_length": mean_count(totals[:, 0]),
            "reference_length": mean_count(totals[:, 1]),
        }
        for n in range(1, self.order + 1):
            precision = np.where(totals[:, 2 * n + 1] > 0, totals[:, 2 * n] / safe[:, 2 * n + 1], 0.0)
            parts[f"precision_{n}"] = float(precision.mean())
        return parts

    def sentence_values(self, statistics: Statistics) -> Values:
        """Return the score of each sentence, averaged over all its references.

        Nothing is drawn. The scores are smoothed, except in the variant "multiset".
        """
        means: Values = np.add.reduceat(self._values_of_rows(statistics), statistics.offsets[:-1])
        return means / statistics.choices()

    def _values_of_rows(self, statistics: Statistics) -> Values:
        """Return the score of each sentence and reference.

        As in the official script, every 0 among the counts becomes 1, including lengths and denominators. The variant
        "multiset" is not smoothed.
        """
        counts = statistics.counts
        return self.values(counts if self.variant == "multiset" else np.where(counts == 0, 1, counts))

    def signature_fields(self, corpus: Corpus) -> dict[str, object]:
        """Return variant, references, order, draws and tokens."""
        return {
            "variant": self.variant,
            "refs": corpus.reference_range(),
            "order": self.order,
            "draws": f"{self.iterations}:{self.draws}",
            "tok": self.tokens,
        }

    @staticmethod
    def signature_parameters(signature: Signature) -> dict[str, Any]:
        """Return the parameters stored in a signature."""
        iterations, _, draws = signature["draws"].partition(":")
        return {
            "order": int(signature["order"]),
            "iterations": int(iterations),
            "draws": draws,
            "variant": signature["variant"],
            "tokens": signature["tok"],
        }

    def _log_brevity(self, totals: npt.NDArray[Any]) -> Values:
        hypothesis, reference = totals[..., 0], totals[..., 1]
        ratio = hypothesis / reference if self.variant == "2016" else reference / hypothesis
        penalty: Values = np.minimum(0.0, 1.0 - ratio)
        return penalty


Tokens = Sequence[str]
_MEANINGS: dict[Mark, str] = {
    "match": "correct: the reference also has this n-gram",
    "wrong": "penalized: kept from the source, although the reference changed it",
    "note": "neither: counted in the denominator only",
}


@dataclass(frozen=True)
class NgramCredit:
    """One n-gram of a system: how often it matches, is penalized, or neither."""

    text: str
    matched: int
    penalized: int
    neither: int

    def cells(self) -> Iterator[Cell]:
        """Yield one cell per mark of the n-gram."""
        marks: tuple[tuple[Mark, int], ...] = (
            ("match", self.matched),
            ("wrong", self.penalized),
            ("note", self.neither),
        )
        for mark, count in marks:
            if count:
                yield Cell(self.text + (f" ×{count}" if count > 1 else ""), mark)


def ngram_credits(source: Tokens, prediction: Tokens, reference: Tokens, n: int, literal: bool) -> list[NgramCredit]:
    """Return the n-grams of the prediction in order, each with its credit.

    An n-gram matches as often as it occurs in the reference. Like the official script, the function penalizes n-grams
    that are in the source, but not in the reference at all. `literal`, as in Equation 1 of Sakaguchi et al. 2016, also
    penalizes further occurrences of an n-gram that the source has more often than the reference.
    """
    in_source, in_reference = ngrams(source, n), ngrams(reference, n)
    found = []
    for ngram, count in ngrams(prediction, n).items():
        matched = min(count, in_reference[ngram])
        kept = min(count, in_source[ngram])
        penalized = max(kept - matched, 0) if literal else 0 if in_reference[ngram] else kept
        found.append(NgramCredit(" ".join(ngram), matched, penalized, count - matched - penalized))
    return found


def explain_ngrams(
    sentence: int, texts: Sequence[Tokens], values: Sequence[float], order: int, literal: bool
) -> Explanation:
    """Explain a sentence (counted from 0).

    `texts` are the source, the prediction and the references. `values` are the scores by reference.
    """
    source, prediction, *references = texts
    rows = [Row("source", [Cell(" ".join(source))]), Row("system", [Cell(" ".join(prediction))])]
    counts = {"matched": 0, "penalized": 0, "neither": 0}
    for k, (reference, value) in enumerate(zip(references, values, strict=True), start=1):
        rows.append(Row(f"reference {k}", [Cell(" ".join(reference)), Cell(f"GLEU {percent(value)}", "note")]))
        for n in range(1, order + 1):
            found = ngram_credits(source, prediction, reference, n, literal)
            counts["matched"] += sum(each.matched for each in found)
            counts["penalized"] += sum(each.penalized for each in found)
            counts["neither"] += sum(each.neither for each in found)
            rows.append(Row(f"{n}-grams", [_sum(found, literal), *(cell for each in found for cell in each.cells())]))
    mean = percent(sum(values) / len(values))
    against = f"mean over {len(values)} references" if len(values) > 1 else "one reference"
    return Explanation(f"Sentence {sentence + 1}: GLEU {mean}, {against}", rows, counts=counts, meanings=_MEANINGS)


def _sum(found: Sequence[NgramCredit], literal: bool) -> Cell:
    """Show numerator and denominator.

    The official numerator is at least 0.
    """
    matched, penalized = sum(each.matched for each in found), sum(each.penalized for each in found)
    total = sum(each.matched + each.penalized + each.neither for each in found)
    numerator = matched - penalized if literal else max(matched - penalized, 0)
    equals = "=" if numerator == matched - penalized else "→"
    difference = f"{matched} − {penalized} {equals} " if penalized else ""
    return Cell(f"{difference}{numerator} of {total}", "note")

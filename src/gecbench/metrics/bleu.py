"""BLEU, computed with sacrebleu: the negative control of Sakaguchi et al. 2016."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from gecbench.corpus.corpus import Corpus
from gecbench.metrics.base import Counts, Metric, Signature, Statistics, Values, parameter, require_references
from gecbench.metrics.policy import SingleRow

_ORDER = 4
_LENGTHS = 3
_MOST_CACHED = 4096  # texts, each about 15 kB in the cache; enough for CoNLL-14 or JFLEG with references
Tokenizer = Literal["none", "13a", "intl", "char"]
Smoothing = Literal["exp", "floor", "add-k", "none"]
Variant = Literal["sacrebleu", "2016"]


@dataclass(frozen=True)
class BLEU(Metric):
    """BLEU by sacrebleu, with its defaults except for the tokenizer.

    BLEU ignores the source, so a system that changes nothing scores high. It is here as a negative control.

    Args:
        tokenize: The tokenizer of sacrebleu: "none", "13a", "intl" or "char". GEC text is already tokenized, so the
            default is "none". "13a" is sacrebleu's own default.
        lowercase: Ignore case.
        smoothing: The smoothing method of sacrebleu: "exp", "floor", "add-k" or "none".
        variant: "sacrebleu", or "2016" for the numbers of Sakaguchi et al. 2016. In "2016", the two lengths of the
            brevity penalty are swapped, so long outputs are penalized instead of short ones. Of two equally close
            reference lengths, the first is used, not the shorter one. Nothing is smoothed.

    Raises:
        InputError: A parameter has an unknown value.

    >>> round(BLEU().score(sources=["He go home now ."], predictions=["He goes home now ."],
    ...                    references=[["He goes home now ."]]).value, 4)
    1.0
    """

    name: ClassVar[str] = "bleu"
    title: ClassVar[str] = "BLEU"
    description: ClassVar[str] = "Machine-translation BLEU by sacrebleu, a negative control that ignores the source"
    papers: ClassVar[str] = "Papineni et al. 2002; Post 2018"

    tokenize: Tokenizer = parameter("none", "sacrebleu's tokenizer")
    lowercase: bool = parameter(False, "ignore case")
    smoothing: Smoothing = parameter("exp", "sacrebleu's smoothing of n-gram orders without a match")
    variant: Variant = parameter("sacrebleu", '"sacrebleu", or "2016" for the scores of Sakaguchi et al. 2016')

    def __post_init__(self) -> None:
        if self.variant == "2016":
            object.__setattr__(self, "smoothing", "none")
        super().__post_init__()

    @property
    def reference_policy(self) -> SingleRow:
        """No reference is chosen, because BLEU counts all references together."""
        return SingleRow()

    def count(self, corpus: Corpus, predictions: Sequence[str]) -> Statistics:
        """Return sacrebleu's statistics of each sentence: lengths, matches and totals.

        The counts have two reference lengths: one for the variant "sacrebleu", then one for "2016".
        """
        references = require_references(corpus, self.title)
        rows = [self._count_sentence(line, texts) for line, texts in zip(predictions, references, strict=True)]
        counts = np.array(rows, dtype=np.int64).reshape(-1, _LENGTHS + 2 * _ORDER)
        return Statistics(counts, np.arange(len(corpus) + 1, dtype=np.int64))

    def _count_sentence(self, prediction: str, references: Sequence[str]) -> list[int]:
        """Return the lengths, matches and totals of a sentence.

        The lengths are those of the prediction, of the closest reference for the variant "sacrebleu", and of the
        closest reference for "2016".
        """
        found, length = _ngrams(self._scorer._preprocess_segment(prediction))
        most, lengths = _most_ngrams(tuple(map(self._scorer._preprocess_segment, references)))
        matches, totals = [0] * _ORDER, [max(0, length - order) for order in range(_ORDER)]
        for ngram, count in found.items():
            if other := most.get(ngram):
                matches[len(ngram) - 1] += count if count < other else other
        shortest_closest = min(lengths, key=lambda candidate: (abs(candidate - length), candidate))
        first_closest = min(lengths, key=lambda candidate: abs(candidate - length))
        return [length, shortest_closest, first_closest, *matches, *totals]

    def values(self, totals: npt.NDArray[Any]) -> Values:
        """Return sacrebleu's BLEU of totals as a fraction."""
        flat = totals.reshape(-1, totals.shape[-1])
        values = np.empty(len(flat))
        smoothed = (flat[:, _LENGTHS:] == 0).any(axis=1) | (self.smoothing in ("floor", "add-k"))
        values[smoothed] = [self._compute(row).score / 100 for row in flat[smoothed].tolist()]
        values[~smoothed] = self._unsmoothed(flat[~smoothed]) / 100
        return values.reshape(totals.shape[:-1])

    def _unsmoothed(self, totals: npt.NDArray[Any]) -> Values:
        """Compute sacrebleu's BLEU of many totals at once.

        Each row of totals must have a match in every n-gram order.
        """
        precisions = 100.0 * totals[:, _LENGTHS : _LENGTHS + _ORDER] / totals[:, _LENGTHS + _ORDER :]
        lengths = totals[:, [2, 0] if self.variant == "2016" else [0, 1]].tolist()
        brevity = [1.0 if ours >= theirs else math.exp(1 - theirs / ours) for ours, theirs in lengths]
        means = [math.exp(sum(map(math.log, row)) / _ORDER) for row in precisions.tolist()]
        return np.multiply(brevity, means)

    def parts(self, totals: Counts) -> dict[str, float]:
        """Return brevity penalty, lengths and precisions."""
        found = self._compute(totals[0].tolist())
        parts = {
            "brevity_penalty": float(found.bp),
            "hypothesis_length": int(totals[0, 0]),
            "reference_length": int(totals[0, 2 if self.variant == "2016" else 1]),
        }
        return parts | {f"precision_{n}": found.precisions[n - 1] / 100 for n in range(1, _ORDER + 1)}

    def sentence_values(self, statistics: Statistics) -> Values:
        """Return sacrebleu's sentence BLEU (effective order)."""
        rows = statistics.counts.tolist()
        return np.array([self._compute(row, effective_order=True).score / 100 for row in rows])

    def signature_fields(self, corpus: Corpus) -> dict[str, object]:
        """Return references, casing, tokenizer, smoothing and sacrebleu's version."""
        from sacrebleu import __version__

        variant = {"variant": self.variant} if self.variant != "sacrebleu" else {}
        return {
            **variant,
            "refs": corpus.reference_range(),
            "case": "lower" if self.lowercase else "mixed",
            "tok": self.tokenize,
            "smooth": self.smoothing,
            "sacrebleu": __version__,
        }

    @staticmethod
    def signature_parameters(signature: Signature) -> dict[str, Any]:
        """Return the parameters stored in a signature."""
        return {
            "tokenize": signature["tok"],
            "lowercase": signature["case"] == "lower",
            "smoothing": signature["smooth"],
            "variant": signature.get("variant", "sacrebleu"),
        }

    @cached_property
    def _scorer(self) -> Any:
        import sacrebleu

        return sacrebleu.BLEU(
            lowercase=self.lowercase,
            force=True,
            tokenize=self.tokenize,
            smooth_method=self.smoothing,
            effective_order=True,
        )

    def _compute(self, row: list[float], effective_order: bool = False) -> Any:
        numbers = [int(number) for number in row]
        hypothesis, reference, first_closest = numbers[:_LENGTHS]
        lengths = (first_closest, hypothesis) if self.variant == "2016" else (hypothesis, reference)
        return self._scorer.compute_bleu(
            correct=numbers[_LENGTHS : _LENGTHS + _ORDER],
            total=numbers[_LENGTHS + _ORDER :],
            sys_len=lengths[0],
            ref_len=lengths[1],
            smooth_method=self.smoothing,
            effective_order=effective_order,
        )


@lru_cache(_MOST_CACHED)
def _ngrams(text: str) -> tuple[Counter[tuple[str, ...]], int]:
    """Return sacrebleu's n-grams of a preprocessed text and its number of tokens."""
    from sacrebleu.metrics.helpers import extract_all_word_ngrams

    return extract_all_word_ngrams(text, 1, _ORDER)


@lru_cache(_MOST_CACHED // 2)
def _most_ngrams(references: tuple[str, ...]) -> tuple[dict[tuple[str, ...], int], list[int]]:
    """Return the largest count of each n-gram in any one reference.

    The lengths of the references are also returned.
    """
    most: dict[tuple[str, ...], int] = {}
    lengths = []
    for text in references:
        ngrams, length = _ngrams(text)
        lengths.append(length)
        for ngram, count in ngrams.items():
            most[ngram] = max(count, most.get(ngram, 0))
    return most, lengths

"""GREEN (Koyama et al. 2024): F-beta of n-grams, equal to the official program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from gecbench import kernels
from gecbench.corpus.corpus import Corpus
from gecbench.display import percent
from gecbench.kernels.green import NgramChanges, ngram_changes
from gecbench.kernels.tokens import TokenArray, characters_of, encode_lines, intern_texts, ngrams, offsets_of
from gecbench.metrics.base import (
    Counts,
    Metric,
    Signature,
    Statistics,
    Values,
    check_number,
    check_whole,
    mean_count,
    parameter,
    require_references,
)
from gecbench.metrics.explain import Cell, Explanation, Mark, Row
from gecbench.metrics.gleu import known_lines
from gecbench.metrics.policy import BestRow

Unit = Literal["word", "char"]
Variant = Literal["official", "gec-metrics"]
_MEANINGS: dict[Mark, str] = {
    "match": "right: kept, deleted or inserted as in the reference",
    "wrong": "wrong: deleted or inserted, unlike in the reference",
    "miss": "missed: the reference deletes or inserts it",
}
# The mark and the format of the n-grams in each field of NgramChanges.
_SHOWN: tuple[tuple[Mark, str], ...] = (
    ("match", "{}"),
    ("match", "{} → ∅"),
    ("match", "∅ → {}"),
    ("wrong", "{} → ∅"),
    ("wrong", "∅ → {}"),
    ("miss", "{} → ∅"),
    ("miss", "∅ → {}"),
)


@dataclass(frozen=True)
class GREEN(Metric):
    """GREEN: F-beta of n-grams kept, deleted and inserted as in the reference.

    TP counts the n-grams kept, deleted or inserted as in the reference, FP those wrongly deleted or inserted, and FN
    those that the reference deletes or inserts, but the system does not. For each order n, p_n = TP / (TP + FP) and
    r_n = TP / (TP + FN) over the corpus. P is the geometric mean of all p_n, R that of all r_n, and F = 1 / (a / P +
    (1 - a) / R) with a = 1 / (beta² + 1). Each sentence uses the reference with the largest F. Ties are broken by F of
    the orders 1 to N - 1, then 1 to N - 2, ….

    Args:
        order: The longest n-gram, N.
        beta: The weight of recall. 2 weights recall twice as much as precision.
        unit: "word" n-grams, or "char" n-grams including spaces, for text without spaces between words.
        variant: "official" is the authors' program. A sentence with fewer than N tokens in all three texts then scores
            0, even if it is perfect, because r_N is 0. "gec-metrics" is the library of this name. There, r_n is 1
            if nothing is missed. Of the references with the largest F, the first is
            used. Words are split at single spaces.

    Raises:
        InputError: A parameter has an unknown value.

    >>> GREEN().score(sources=["He go home now ."], predictions=["He goes home now ."],
    ...               references=[["He goes home now ."]]).value
    1.0
    """

    name: ClassVar[str] = "green"
    title: ClassVar[str] = "GREEN"
    description: ClassVar[str] = "F2 of n-grams that are kept, deleted and inserted as in the best reference"
    papers: ClassVar[str] = "Koyama et al. 2024"
    explains: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = ("precision", "recall")

    order: int = parameter(4, "longest n-gram")
    beta: float = parameter(2.0, "weight of recall; 2 weights it twice as much as precision")
    unit: Unit = parameter("word", '"word" n-grams, or "char" n-grams including spaces')
    variant: Variant = parameter("official", '"official", or "gec-metrics", which differs on short sentences')

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("green", "order", self.order)
        check_number("green", "beta", self.beta)

    @property
    def reference_policy(self) -> BestReference:
        """The policy that chooses the best reference for each sentence alone."""
        return BestReference(self)

    def count(self, corpus: Corpus, predictions: Sequence[str]) -> Statistics:
        """Return TP, FP and FN per order, for each sentence and reference."""
        rows = offsets_of(require_references(corpus, self.title))
        counts = kernels.select("green").green_counts(
            *self._token_arrays(corpus, predictions), rows, self.order, kernels.threads()
        )
        return Statistics(counts, rows)

    def _token_arrays(self, corpus: Corpus, predictions: Sequence[str]) -> tuple[TokenArray, TokenArray, TokenArray]:
        """Return the tokens of sources, predictions and references."""
        size = len(corpus)
        if self.unit == "word" and self.variant == "official":
            known = known_lines(corpus, "unicode")
            return known.tokens[:size], known.number(encode_lines(predictions)), known.tokens[size:]
        lines = [*corpus.sources, *predictions, *(text for texts in corpus.references or () for text in texts)]
        if self.unit == "char":
            tokens = characters_of(lines if self.variant == "official" else [line.strip() for line in lines])
        else:
            tokens = intern_texts([self.tokens_of(line) for line in lines])
        return tokens[:size], tokens[size : 2 * size], tokens[2 * size :]

    def tokens_of(self, line: str) -> Sequence[str]:
        """Split a line into words or characters."""
        if self.variant == "official":
            return line if self.unit == "char" else line.split()
        stripped = line.strip()
        return stripped if self.unit == "char" else stripped.split(" ") if stripped else []

    def precision_recall(self, totals: npt.NDArray[Any]) -> tuple[Values, Values]:
        """Return p_n and r_n of each order, over the last axis."""
        right, wrong, missed = (totals[..., k::3].astype(np.float64) for k in range(3))
        lenient = self.variant == "gec-metrics"
        precision = np.where(wrong > 0, right / np.maximum(right + wrong, 1), 1.0)
        recall = np.where(missed > 0, right / np.maximum(right + missed, 1), 1.0 if lenient else right > 0)
        return precision, recall

    def f_of_orders(self, totals: npt.NDArray[Any], order: int) -> Values:
        """Return F over the orders 1 to `order` together, one value per row of totals."""
        precision, recall = (geometric_mean(each[..., :order]) for each in self.precision_recall(totals))
        return self._f_beta(precision, recall)

    def _f_beta(self, precision: Values, recall: Values) -> Values:
        alpha = 1 / (self.beta**2 + 1)
        usable = (precision > 0) & (recall > 0)
        safe_precision, safe_recall = np.where(usable, precision, 1), np.where(usable, recall, 1)
        return np.where(usable, 1 / (alpha / safe_precision + (1 - alpha) / safe_recall), 0.0)

    def values(self, totals: npt.NDArray[Any]) -> Values:
        """Return F over all orders together, one value per row of totals."""
        return self.f_of_orders(totals, self.order)

    def parts(self, totals: Counts) -> dict[str, float]:
        """Return precision and recall, overall and per order, and TP, FP and FN."""
        precision, recall = self.precision_recall(totals)
        parts = {
            "precision": float(geometric_mean(precision).mean()),
            "recall": float(geometric_mean(recall).mean()),
        }
        parts |= {name: mean_count(totals[:, k::3].sum(axis=1)) for k, name in enumerate(("tp", "fp", "fn"))}
        for n in range(1, self.order + 1):
            parts[f"precision_{n}"] = float(precision[:, n - 1].mean())
            parts[f"recall_{n}"] = float(recall[:, n - 1].mean())
        return parts

    def sentence_values(self, statistics: Statistics) -> Values:
        """Return F of each sentence against its best reference."""
        return self.values(statistics.counts[self.reference_policy.chosen(statistics)])

    def explain(self, corpus: Corpus, predictions: Sequence[str], sentences: Sequence[int]) -> list[Explanation]:
        """Show which n-grams of some sentences are right, wrong and missed.

        `Metric.explain` documents the arguments.
        """
        references = require_references(corpus, self.title)
        statistics = self.count(corpus, predictions)
        rows = self.reference_policy.chosen(statistics)
        found = []
        for i in sentences:
            place = int(rows[i] - statistics.offsets[i])
            texts = corpus.sources[i], predictions[i], references[i][place]
            found.append(self._explain_sentence(i, place, texts, statistics.counts[rows[i]]))
        return found

    def _explain_sentence(
        self, sentence: int, reference: int, texts: tuple[str, str, str], counts: Counts
    ) -> Explanation:
        labels = "source", "system", f"reference {reference + 1}"
        rows = [Row(label, [Cell(" ".join(text.split()))]) for label, text in zip(labels, texts, strict=True)]
        source, prediction, expected = map(self.tokens_of, texts)
        for n in range(1, self.order + 1):
            right, wrong, missed = counts[3 * n - 3 : 3 * n].tolist()
            sums = Cell(f"{right} right, {wrong} wrong, {missed} missed", "note")
            changes = ngram_changes(*(ngrams(tokens, n) for tokens in (source, prediction, expected)))
            rows.append(Row(f"{n}-grams", [sums, *self._cells(changes)]))
        totals = {name: int(counts[k::3].sum()) for k, name in enumerate(("TP", "FP", "FN"))}
        title = f"Sentence {sentence + 1}, reference {reference + 1}: GREEN {percent(float(self.values(counts)))}"
        return Explanation(title, rows, counts=totals, meanings=_MEANINGS)

    def _cells(self, changes: NgramChanges) -> Iterator[Cell]:
        """Yield one cell per n-gram and mark."""
        for found, (mark, form) in zip(changes, _SHOWN, strict=True):
            for ngram, count in found.items():
                text = "".join(ngram).replace(" ", "␣") if self.unit == "char" else " ".join(ngram)
                yield Cell(form.format(text) + (f" ×{count}" if count > 1 else ""), mark)

    def signature_fields(self, corpus: Corpus) -> dict[str, object]:
        """Return variant, references, order, beta and unit."""
        return {
            "variant": self.variant,
            "refs": corpus.reference_range(),
            "order": self.order,
            "beta": self.beta,
            "unit": self.unit,
        }

    @staticmethod
    def signature_parameters(signature: Signature) -> dict[str, Any]:
        """Return the parameters stored in a signature."""
        return {
            "order": int(signature["order"]),
            "beta": float(signature["beta"]),
            "unit": signature["unit"],
            "variant": signature["variant"],
        }


@dataclass(frozen=True)
class BestReference(BestRow):
    """Choose the reference with the largest F for the sentence alone.

    The official variant breaks ties by F of lower orders.
    """

    metric: GREEN

    def criteria(self, counts: Counts) -> Sequence[Values]:
        """Return F over the orders 1 to N.

        The official variant adds F over the orders 1 to N - 1, and so on down to 1.
        """
        orders = range(self.metric.order, 0, -1)
        return [
            self.metric.f_of_orders(counts, n) for n in (orders if self.metric.variant == "official" else orders[:1])
        ]


def geometric_mean(ratios: Values) -> Values:
    """Return the geometric mean over the last axis."""
    mean: Values = np.prod(ratios, axis=-1) ** (1 / ratios.shape[-1])
    return mean

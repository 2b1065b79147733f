"""What every metric is: counts per sentence, a policy over references, a value of totals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from gecbench.alignment_check import check_alignment
from gecbench.corpus import Corpus, Gold
from gecbench.errors import InputError
from gecbench.policy import Policy
from gecbench.result import Score
from gecbench.signature import Signature
from gecbench.statistics import Counts, Statistics
from gecbench.validation import check_predictions

Values = npt.NDArray[np.float64]


class Metric(ABC):
    """A metric with its parameters: subclasses are frozen dataclasses whose fields are the parameters."""

    name: ClassVar[str]
    title: ClassVar[str]

    @property
    @abstractmethod
    def reference_policy(self) -> Policy:
        """How references are chosen."""

    def gold(self, corpus: Corpus) -> Gold:
        """Return what of the corpus is scored against."""
        return "references"

    @abstractmethod
    def count(self, corpus: Corpus, predictions: Sequence[str]) -> Statistics:
        """Return the counts of every sentence against each of its references."""

    @abstractmethod
    def values(self, totals: npt.NDArray[Any]) -> Values:
        """Return the value of totals, over the last axis."""

    @abstractmethod
    def parts(self, totals: Counts) -> dict[str, float]:
        """Return the named parts of a corpus score from its totals, draws × counts."""

    @abstractmethod
    def sentence_values(self, statistics: Statistics) -> Values:
        """Return the score of each sentence alone."""

    @abstractmethod
    def signature_fields(self, corpus: Corpus) -> dict[str, object]:
        """Return the parameters as fields of the signature."""

    @classmethod
    @abstractmethod
    def from_signature(cls, signature: Signature) -> Metric:
        """Return the metric that a signature describes."""

    def score(
        self,
        *,
        sources: Sequence[str],
        predictions: Sequence[str],
        references: Sequence[Sequence[str]],
        aligned: bool = False,
    ) -> Score:
        """Score predictions; `references[i]` are the references of sentence i (sentence-major)."""
        return self.score_corpus(Corpus(sources=sources, references=references), predictions, aligned=aligned)

    def score_corpus(
        self, corpus: Corpus, predictions: Iterable[str], *, name: str = "predictions", aligned: bool = False
    ) -> Score:
        """Score predictions on a corpus; `aligned=True` skips the check for shifted lines."""
        checked = check_predictions(predictions, len(corpus), name)
        if not aligned:
            check_alignment(corpus.sources, checked, name)
        statistics = self.count(corpus, checked)
        return self.score_statistics(statistics, Signature.of(self.name, self._all_fields(corpus)))

    def score_statistics(self, statistics: Statistics, signature: Signature) -> Score:
        """Score counts that are already there."""
        totals = self.reference_policy.totals(statistics)
        value = float(np.mean(self.values(totals)))
        return Score(self, value, {**self.parts(totals), **statistics.notes}, signature, statistics)

    def value_of(self, statistics: Statistics) -> float:
        """Return the corpus value of counts, without its parts."""
        return float(np.mean(self.values(self.reference_policy.totals(statistics))))

    @classmethod
    def parameters(cls) -> Mapping[str, Any]:
        """Return the parameters and their defaults."""
        return {field.name: field.default for field in fields(cls)}  # type: ignore[arg-type]

    def _all_fields(self, corpus: Corpus) -> dict[str, object]:
        return {**self.signature_fields(corpus), "data": corpus.fingerprint(self.gold(corpus))}


def require_references(corpus: Corpus, metric: str) -> Sequence[Sequence[str]]:
    """Return the references of a corpus, or say that the metric needs them."""
    if corpus.references is None:
        raise InputError(
            f"{metric} needs references, but {corpus.name} has none",
            fix="Give reference files, or derive references from annotations first",
        )
    return corpus.references


def check_choice(metric: str, parameter: str, value: object, allowed: Sequence[object]) -> None:
    """Refuse a parameter value that is not one of the known ones."""
    if value not in allowed:
        known = ", ".join(map(repr, allowed))
        raise InputError(f"{metric}: {parameter}={value!r} is unknown", fix=f"Use one of {known}")


def check_positive(metric: str, parameter: str, value: object) -> None:
    """Refuse a parameter that must be a whole number of at least 1."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InputError(f"{metric}: {parameter}={value!r} is not a whole number of at least 1")

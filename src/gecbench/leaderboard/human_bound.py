"""How well a person does: each reference against the others, and a system's score relative to that."""

from __future__ import annotations

from dataclasses import dataclass

from gecbench.corpus import Corpus
from gecbench.metrics.base import Metric


@dataclass(frozen=True)
class HumanBound:
    """The mean score of each reference against the others, and those others, one corpus per reference left out."""

    value: float
    others: tuple[Corpus, ...]

    def ratio(self, metric: Metric, predictions: tuple[str, ...]) -> float | None:
        """Return a system's mean score against the same references as the people's, over the bound."""
        scores = [metric.value_of(metric.count(corpus, predictions)) for corpus in self.others]
        return sum(scores) / len(scores) / self.value if self.value > 0 else None


def human_bound(metric: Metric, corpus: Corpus) -> HumanBound | None:
    """Return the bound as JFLEG states it (Napoles et al. 2017, §4), None where the references do not allow it."""
    sizes = {len(texts) for texts in corpus.references or ()}
    if metric.gold != "references" or len(sizes) != 1 or sizes == {1}:
        return None
    people = sizes.pop()
    others = tuple(corpus.with_references([j for j in range(people) if j != k]) for k in range(people))
    outputs = (tuple(texts[k] for texts in corpus.references or ()) for k in range(people))
    values = [
        metric.value_of(metric.count(rest, predictions)) for rest, predictions in zip(others, outputs, strict=True)
    ]
    return HumanBound(sum(values) / people, others)

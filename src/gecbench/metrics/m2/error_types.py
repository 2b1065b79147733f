"""M2 by error type: recall of each gold category, and scores against the edits of one category alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError
from gecbench.metrics.m2.explain import match_sentences
from gecbench.metrics.m2.gold import of_types
from gecbench.metrics.m2.metric import M2


@dataclass(frozen=True)
class TypeScore:
    """One error type: gold edits of it and how many were corrected, with the annotators chosen for the whole score.

    `precision_alone`, `recall_alone` and `value_alone` are of the same predictions against annotations that hold only
    this type. As a system does not say which type it corrects, all its edits count as proposed.
    """

    type: str
    gold: int
    correct: int
    precision_alone: float
    recall_alone: float
    value_alone: float

    @property
    def recall(self) -> float:
        """Share of the gold edits of this type that the system made."""
        return self.correct / self.gold if self.gold else 1.0


def by_error_type(metric: M2, corpus: Corpus, predictions: Sequence[str]) -> list[TypeScore]:
    """Score each error type, the most frequent first (Bryant & Ng 2015, section 6.1, for the scores alone)."""
    if corpus.annotations is None:
        raise InputError(f"{corpus.name} has no coded edits", fix="Scores by error type need annotations (M2)")
    gold: Counter[str] = Counter()
    correct: Counter[str] = Counter()
    for match in match_sentences(metric, corpus, predictions):
        for edit, hit in zip(match.annotation.edits, match.matched_gold, strict=True):
            gold[edit.type] += 1
            correct[edit.type] += hit
    types = {edit.type for sentence in corpus.annotations for found in sentence for edit in found.edits}
    scores = []
    for name in sorted(types, key=lambda name: (-gold[name], name)):
        alone = metric.score_corpus(restrict_types(corpus, [name]), predictions, aligned=True)
        parts = alone.parts
        scores.append(TypeScore(name, gold[name], correct[name], parts["precision"], parts["recall"], alone.value))
    return scores


def restrict_types(corpus: Corpus, types: Sequence[str]) -> Corpus:
    """Return the corpus whose annotators made only edits of these types."""
    return corpus.replace(annotations=of_types(corpus.annotations or (), types))

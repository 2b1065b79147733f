"""M2 by error type: recall of each gold category, and scores against the edits of one category alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from gecbench.corpus.corpus import Corpus
from gecbench.corpus.edits import Annotation
from gecbench.errors import InputError
from gecbench.metrics.base import Score
from gecbench.metrics.m2.explain import SentenceMatch
from gecbench.metrics.ratios import percent


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

    def cells(self) -> dict[str, str]:
        """Return the row of a table, by column."""
        ratios = {
            "recall": self.recall,
            "alone: P": self.precision_alone,
            "R": self.recall_alone,
            "F": self.value_alone,
        }
        counts = {"type": self.type, "gold": str(self.gold), "correct": str(self.correct)}
        return counts | {column: percent(value) for column, value in ratios.items()}


def by_error_type(
    corpus: Corpus, types: Iterable[str], matches: Sequence[SentenceMatch], score: Callable[[Corpus], Score]
) -> list[TypeScore]:
    """Score each error type, the most frequent first (Bryant & Ng 2015, section 6.1, for the scores alone)."""
    gold: Counter[str] = Counter()
    correct: Counter[str] = Counter()
    for match in matches:
        for edit, hit in zip(match.annotation.edits, match.matched_gold, strict=True):
            gold[edit.type] += 1
            correct[edit.type] += hit
    scores = []
    for name in sorted(types, key=lambda name: (-gold[name], name)):
        alone = score(restrict_types(corpus, [name]))
        parts = alone.parts
        scores.append(TypeScore(name, gold[name], correct[name], parts["precision"], parts["recall"], alone.value))
    return scores


def error_types(corpus: Corpus) -> set[str]:
    """Return the types of a corpus's coded edits, or say that it has none."""
    if corpus.annotations is None:
        raise InputError(f"{corpus.name} has no coded edits", fix="Error types need annotations (M2)")
    return {edit.type for sentence in corpus.annotations for found in sentence for edit in found.edits}


def restrict_types(corpus: Corpus, types: Sequence[str]) -> Corpus:
    """Return the corpus whose annotators made only edits of these types (Bryant & Ng 2015, section 6.1)."""
    kept = set(types)

    def restricted(found: Annotation) -> Annotation:
        return replace(found, edits=tuple(edit for edit in found.edits if edit.type in kept))

    return corpus.replace(annotations=[[*map(restricted, sentence)] for sentence in corpus.annotations or ()])

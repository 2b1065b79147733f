"""What a page shows of a system beyond its corpus scores: scores of sentences, and of groups of sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gecbench.analysis.breakdown import by_edit_distance
from gecbench.corpus.corpus import Corpus
from gecbench.leaderboard.records import Details
from gecbench.metrics.base import Score


def details_of(scores: Mapping[str, Score], corpus: Corpus, predictions: Sequence[str]) -> Details:
    """Return the predictions with the scores of each sentence, and by edit distance."""
    return Details(
        predictions=predictions,
        sentence_scores={
            name: [round(float(value), 4) for value in score.sentence_scores()] for name, score in scores.items()
        },
        by_distance={
            name: [
                {"label": group.label, "sentences": group.sentences, "value": group.value}
                for group in by_edit_distance(score, corpus, predictions)
            ]
            for name, score in scores.items()
        },
    )

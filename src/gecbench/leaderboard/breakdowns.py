"""What a page shows of a system beyond its corpus scores: scores of sentences, and of groups of sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gecbench.analysis.breakdown import (
    DistanceGroup,
    GrammaticalityGroup,
    by_edit_distance,
    by_grammaticality,
    has_grammaticality,
)
from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError
from gecbench.leaderboard.records import TYPE_FIELDS, Details
from gecbench.metrics.base import Score


def details_of(scores: Mapping[str, Score], corpus: Corpus, predictions: Sequence[str]) -> Details:
    """Return the predictions with the scores of each sentence, and of groups of sentences or edits."""
    judged = scores if has_grammaticality(corpus) else {}
    return Details(
        predictions=predictions,
        sentence_scores={
            name: [round(float(value), 4) for value in score.sentence_scores()] for name, score in scores.items()
        },
        by_distance={name: _groups(by_edit_distance(score, corpus, predictions)) for name, score in scores.items()},
        by_grammaticality={name: _groups(by_grammaticality(score, corpus)) for name, score in judged.items()},
        by_type={name: found for name, score in scores.items() if (found := _types(score, corpus, predictions))},
    )


def _groups(groups: Iterable[DistanceGroup | GrammaticalityGroup]) -> list[dict[str, Any]]:
    return [{"label": group.label, "sentences": group.sentences, "value": group.value} for group in groups]


def _types(score: Score, corpus: Corpus, predictions: Sequence[str]) -> list[dict[str, Any]]:
    """Return the scores of error types, the most frequent first; none where the metric or the gold has no types.

    M2 has no precision of a type: a system does not say which type it corrects.
    """
    if "error-type" not in score.metric.breakdowns:
        return []
    try:
        found = score.metric.breakdown("error-type", corpus, predictions)
    except InputError:
        return []
    return [{name: getattr(each, name, None) for name in TYPE_FIELDS} for each in found]

"""What gecbench's `evaluate` modules share: features, a check of every row, and the result dictionary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import datasets
import evaluate

from gecbench.corpus import Corpus
from gecbench.errors import InputError
from gecbench.metrics.base import Metric
from gecbench.resample import with_interval
from gecbench.validation import check_predictions


def text_features() -> Any:
    """Return the features sources, predictions and references (a list per sentence)."""
    return datasets.Features(
        {
            "sources": datasets.Value("string"),
            "predictions": datasets.Value("string"),
            "references": datasets.Sequence(datasets.Value("string")),
        }
    )


class ReferenceMetric(evaluate.Metric):  # type: ignore[misc]
    """An `evaluate.Metric` over sources, predictions and references that checks every row it is given.

    `evaluate` looks at the type of the first row only and turns the others into strings, silently.
    """

    def compute(self, **inputs: Any) -> Any:
        """Compute the metric; all arguments by keyword."""
        given = [name for name in self._feature_names() if inputs.get(name) is not None]
        missing = sorted(set(self._feature_names()) - set(given))
        if given and missing:
            raise InputError(f"{', '.join(missing)} missing", fix=f"Pass {', '.join(self._feature_names())}")
        if given and len(inputs["sources"]) == 0:
            raise InputError("the corpus is empty", fix="Give at least one source sentence")
        return super().compute(**inputs)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **inputs: Any) -> None:
        """Add some sentences, each checked."""
        self.check_rows(predictions=predictions, references=references, **inputs)
        super().add_batch(predictions=predictions, references=references, **inputs)

    def add(self, *, prediction: Any = None, reference: Any = None, **inputs: Any) -> None:
        """Add one sentence, checked."""
        columns = {name: [value] for name, value in inputs.items()}
        self.check_rows(predictions=[prediction], references=[reference], **columns)
        super().add(prediction=prediction, reference=reference, **inputs)

    def check_rows(self, *, predictions: Any, references: Any, sources: Any = None, **unknown: Any) -> None:
        """Refuse rows of the wrong type or number."""
        if unknown:
            raise InputError(f"unknown input {', '.join(unknown)}", fix=f"Known: {', '.join(self._feature_names())}")
        if references is None:
            raise InputError("references is None", fix="references[i] must be the list of references of sentence i")
        corpus = Corpus(sources=sources, references=references)
        check_predictions(predictions, len(corpus))

    def result(
        self,
        metric: Metric,
        corpus: Corpus,
        predictions: Sequence[str],
        resamples: int,
        per_sentence: bool,
        aligned: bool,
    ) -> dict[str, Any]:
        """Return the score, its parts, interval and signature under flat keys."""
        score = metric.score_corpus(corpus, predictions, aligned=aligned)
        if resamples:
            score = with_interval(score, resamples)
        result: dict[str, Any] = {metric.name: score.value, **score.parts}
        result["interval_low"] = score.interval.low if score.interval else None
        result["interval_high"] = score.interval.high if score.interval else None
        if per_sentence:
            result["sentence_scores"] = score.sentence_scores().tolist()
        result["signature"] = str(score.signature)
        return result

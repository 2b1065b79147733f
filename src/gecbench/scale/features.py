"""Columns to filter pairs by: what each pair's own text says of it, whatever rows are around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gecbench import kernels
from gecbench.analysis.breakdown import edit_distances
from gecbench.corpus.checks import foreign_lines
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.raw_text import compare_tokenization, wrapped_lines
from gecbench.kernels.tokens import intern_lines
from gecbench.metrics.base import Metric
from gecbench.metrics.gleu import GLEU
from gecbench.metrics.policy import BestPerSentence
from gecbench.metrics.registry import make_metric
from gecbench.scale.counting import OnBad
from gecbench.scale.rows import Columns
from gecbench.scale.sentences import SentenceColumns, Values

_OF_PAIRS = {
    **dict.fromkeys(("tokens", "edits", "removed", "added", "characters"), "int64"),
    **dict.fromkeys(("foreign", "raw", "wrapped"), "bool"),
    "gleu_source": "double",
}
_OF_ANNOTATIONS = dict.fromkeys(("errant_tp", "errant_fp", "errant_fn"), "int64")


@dataclass(frozen=True)
class Features(SentenceColumns):
    """Adds the columns to filter by."""

    errant: str = "errant"

    @property
    def types(self) -> Mapping[str, str]:
        """What can be said of the pairs, of their references, of their annotations."""
        references = {} if self.columns.references is None else {"gleu": "double"}
        return {**_OF_PAIRS, **references, **(_OF_ANNOTATIONS if self.columns.annotations is not None else {})}

    def values(self, corpus: Corpus, predictions: Sequence[str]) -> Mapping[str, Values]:
        """Return the columns."""
        found = _features_of_pairs(corpus.sources, predictions)
        if corpus.references is not None:
            found["gleu"] = _gleu(corpus, predictions)
        if corpus.annotations is not None:
            found |= _errant(make_metric(self.errant), corpus, predictions)
        return found


def features(
    *,
    source: str = "source",
    prediction: str = "prediction",
    references: str | Sequence[str] | None = None,
    annotations: str | None = None,
    errant: str = "errant",
    on_bad: OnBad = "error",
) -> Features:
    """Return the function that adds columns to filter by to batches of rows, for `Dataset.map(…, batched=True)`.

    - `tokens` of the source; `edits` that make it the prediction, and how many tokens they have `removed` and `added`
      (`extract_edits`); `characters`, the Levenshtein distance;
    - `gleu_source`: sentence-level GLEU with the source as the only reference, 1 for a copy; `gleu`: against the
      `references`, where a column of them is named;
    - `foreign`: shares less than a fifth of its tokens with its source, as shifted lines do; `raw`: not tokenised like
      its source; `wrapped`: has a label, quotes, a number, a fence or an explanation that its source has not;
    - `errant_tp`, `errant_fp`, `errant_fn`: against the best of the annotators, where a column of `annotations` is
      named; `errant` is the metric with its parameters.
    """
    return Features(Columns(source, prediction, references, annotations), on_bad, errant=errant)


def _features_of_pairs(sources: Sequence[str], predictions: Sequence[str]) -> dict[str, Values]:
    return {
        "gleu_source": _gleu(Corpus(sources, [[source] for source in sources]), predictions),
        **_edits(sources, predictions),
        "characters": edit_distances(sources, predictions),
        "foreign": foreign_lines(sources, predictions),
        "raw": _raw(sources, predictions),
        "wrapped": np.array(wrapped_lines(sources, predictions), dtype=np.bool_),
    }


def _gleu(corpus: Corpus, predictions: Sequence[str]) -> Values:
    metric = GLEU()
    return metric.sentence_values(metric.count(corpus, predictions))


def _edits(sources: Sequence[str], predictions: Sequence[str]) -> dict[str, Values]:
    """Return the number of edits (`extract_edits`), and the tokens they remove and add."""
    sentences = len(sources)
    tokens = intern_lines([*sources, *predictions], "unicode")
    changes, bounds = kernels.select("edits").changed_spans(
        tokens[:sentences], tokens[sentences:], np.arange(sentences + 1, dtype=np.int64)
    )
    running = np.concatenate([np.zeros((1, 2), dtype=np.int64), (changes[:, 1::2] - changes[:, ::2]).cumsum(axis=0)])
    removed, added = np.diff(running[bounds], axis=0).T
    return {"tokens": tokens[:sentences].lengths(), "edits": np.diff(bounds), "removed": removed, "added": added}


def _raw(sources: Sequence[str], predictions: Sequence[str]) -> Values:
    flags = np.zeros(len(sources), dtype=np.bool_)
    flags[compare_tokenization(sources, predictions, probes=len(sources))[1]] = True
    return flags


def _errant(metric: Metric, corpus: Corpus, predictions: Sequence[str]) -> dict[str, Values]:
    """Return true positives, false positives and false negatives against the best annotator of the sentence."""
    statistics = metric.count(corpus, predictions)
    correct, proposed, gold = statistics.counts[BestPerSentence().chosen(statistics)].T
    return {"errant_tp": correct, "errant_fp": proposed - correct, "errant_fn": gold - correct}

"""Sentence scores and per-pair features as columns, independent of other rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from gecbench.analysis.breakdown import edit_distances
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.edits import find_changes
from gecbench.corpus.prepare import Preprocessing, compare_tokenization, foreign_lines, wrapped_lines
from gecbench.kernels.tokens import intern_lines
from gecbench.metrics.base import Metric, Metrics, make_metric, metric_columns
from gecbench.metrics.gleu import GLEU
from gecbench.metrics.policy import BestPerSentence
from gecbench.metrics.streaming import check_batch
from gecbench.scale import counting
from gecbench.scale.counting import BadRows, ColumnNames, OnBad, check_on_bad, column_of, metric_spec, read_rows
from gecbench.version import __version__

if TYPE_CHECKING:
    import pyarrow


Values = npt.NDArray[Any]


@dataclass(frozen=True)
class SentenceColumns(ABC):
    """Adds columns to each batch of rows.

    A value depends only on its own row, so the batch size does not matter. An invalid row raises an error. With
    `on_bad="skip"` its values are missing, and the column `fault` has the error.
    """

    columns: ColumnNames
    on_bad: OnBad = "error"
    version: str = __version__

    def __post_init__(self) -> None:
        check_on_bad(self.on_bad)

    @property
    @abstractmethod
    def types(self) -> Mapping[str, str]:
        """The Arrow type of each column, by name."""

    @abstractmethod
    def values(self, corpus: Corpus, predictions: Sequence[str]) -> Mapping[str, Values]:
        """Return the columns of the valid rows."""

    def __call__(self, batch: Any, indices: Sequence[int] | None = None) -> Any:
        """Return an Arrow batch with the new columns.

        For a mapping from names to lists, return only the new columns.
        """
        size = len(column_of(batch, self.columns.source))
        rows = read_rows(batch, self.columns, range(size) if indices is None else indices)
        if self.on_bad != "skip":
            bad = BadRows.of(rows, known_places=self.columns.index is not None or indices is not None)
            if bad.count:
                raise bad.error()
        found = {} if rows.corpus is None else self.values(rows.corpus, rows.predictions)
        added = {name: counting.spread(found[name].tolist() if found else [], rows.good, size) for name in self.types}
        if self.on_bad == "skip":
            added[counting.FAULT] = rows.faults
        return added if isinstance(batch, Mapping) else self._append(batch, added)

    @property
    def schema(self) -> pyarrow.Schema:
        """The columns added to Arrow batches."""
        import pyarrow

        fault = {counting.FAULT: "string"} if self.on_bad == "skip" else {}
        return pyarrow.schema([(name, pyarrow.type_for_alias(kind)) for name, kind in {**self.types, **fault}.items()])

    def _append(self, batch: Any, added: Mapping[str, Sequence[Any]]) -> pyarrow.Table:
        import pyarrow

        table = pyarrow.table(batch)
        for column in self.schema:
            table = table.append_column(column, pyarrow.array(added[column.name], column.type))
        return table


@dataclass(frozen=True)
class SentenceScores(SentenceColumns):
    """Adds the score of each sentence, one column per metric."""

    metrics: tuple[tuple[str, str], ...] = ()
    preprocessing: Preprocessing = field(default_factory=Preprocessing)

    @property
    def types(self) -> Mapping[str, str]:
        """The Arrow type of each metric's column, by name."""
        return {name: "double" for name, _ in self.metrics}

    def values(self, corpus: Corpus, predictions: Sequence[str]) -> Mapping[str, Values]:
        """Return `Score.sentence_scores` of every metric.

        Raise an error if the batch fails the input checks.
        """
        check_batch(self.preprocessing, corpus, predictions).decide()
        made = {name: make_metric(metric) for name, metric in self.metrics}
        return {
            name: np.asarray(metric.sentence_values(metric.count(corpus, predictions))) for name, metric in made.items()
        }


def sentence_scores(
    metrics: Metrics = ("gleu",),
    *,
    source: str = "source",
    prediction: str = "prediction",
    references: str | Sequence[str] | None = "references",
    annotations: str | None = None,
    on_bad: OnBad = "error",
    tokenized: bool = False,
    aligned: bool = False,
    foreign: Literal["warning", "error"] = "warning",
) -> SentenceScores:
    """Return a function that adds sentence scores to batches of rows.

    Use it with `Dataset.map(…, batched=True)`. The function raises an `InputError` if a batch fails the input checks.

    Args:
        metrics: Names of metrics, with parameters in parentheses if any, or metric objects.
        source: The column of sources.
        prediction: The column of predictions.
        references: The column or columns of references.
        annotations: The column of gold edits.
        on_bad: "error" raises an `InputError` for a row that cannot be scored. "skip" leaves its scores empty, and
            writes the reason to the column `fault`.
        tokenized: As in `counts`.
        aligned: As in `counts`.
        foreign: As in `counts`.

    Returns:
        The function. It can be pickled.

    Raises:
        InputError: A metric or an option is unknown, or the metric cannot be counted in batches.

    >>> rows = {"source": ["He go ."], "prediction": ["He goes ."], "references": [["He goes ."]]}
    >>> sentence_scores("gleu")(rows)
    {'gleu': [1.0]}
    """
    made = metric_columns(metrics)
    for metric in made.values():
        metric.check_parts()
    return SentenceScores(
        ColumnNames(source, prediction, references, annotations),
        on_bad,
        metrics=tuple((column, metric_spec(metric)) for column, metric in made.items()),
        preprocessing=Preprocessing("none", tokenized, aligned, foreign),
    )


_OF_PAIRS = {
    **dict.fromkeys(("tokens", "edits", "removed", "added", "characters"), "int64"),
    **dict.fromkeys(("foreign", "raw", "wrapped"), "bool"),
    "gleu_source": "double",
}
_OF_ANNOTATIONS = dict.fromkeys(("errant_tp", "errant_fp", "errant_fn"), "int64")


@dataclass(frozen=True)
class Features(SentenceColumns):
    """Adds columns by which rows can be filtered."""

    errant: str = "errant"

    @property
    def types(self) -> Mapping[str, str]:
        """The Arrow types of the columns. Some columns need references or annotations."""
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
    """Return a function that adds columns by which you can filter the rows.

    Use it with `Dataset.map(…, batched=True)`. It adds these columns:

    - `tokens`: the number of tokens of the source.
    - `edits`: the number of edits from source to prediction (`extract_edits`).
    - `removed`, `added`: the numbers of tokens that these edits remove and add.
    - `characters`: the Levenshtein distance in characters.
    - `gleu_source`: sentence-level GLEU with the source as the only reference. It is 1 for a copy.
    - `gleu`: sentence-level GLEU against `references`, if given.
    - `foreign`: whether the prediction shares less than 20% of its tokens with its source, as shifted lines do. Never
      true for an empty prediction, or for a source of fewer than four tokens.
    - `raw`: whether the prediction is not tokenized like its source.
    - `wrapped`: whether the prediction has a label, quotes, a list number, markup, a code fence or an explanation that
      its source does not have.
    - `errant_tp`, `errant_fp`, `errant_fn`: true positives, false positives and false negatives against the best
      annotator of `annotations`, if given.

    Args:
        source: The column of sources.
        prediction: The column of predictions.
        references: The column or columns of references.
        annotations: The column of gold edits.
        errant: The ERRANT metric with its parameters, such as `"errant(mode=cse)"`.
        on_bad: "error" raises an `InputError` for a row that cannot be read. "skip" leaves its columns empty, and
            writes the reason to the column `fault`.

    Returns:
        The function. It can be pickled.

    Raises:
        InputError: An option is unknown.

    >>> features()({"source": ["He go ."], "prediction": ["He goes ."]})["edits"]
    [1]
    """
    return Features(ColumnNames(source, prediction, references, annotations), on_bad, errant=errant)


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
    """Return the numbers of tokens, edits, removed tokens and added tokens.

    The edits are those of `extract_edits`.
    """
    sentences = len(sources)
    tokens = intern_lines([*sources, *predictions], "unicode")
    changes, bounds = find_changes(tokens[:sentences], tokens[sentences:], np.arange(sentences + 1, dtype=np.int64))
    running = np.concatenate([np.zeros((1, 2), dtype=np.int64), (changes[:, 1::2] - changes[:, ::2]).cumsum(axis=0)])
    removed, added = np.diff(running[bounds], axis=0).T
    return {"tokens": tokens[:sentences].lengths(), "edits": np.diff(bounds), "removed": removed, "added": added}


def _raw(sources: Sequence[str], predictions: Sequence[str]) -> Values:
    flags = np.zeros(len(sources), dtype=np.bool_)
    flags[compare_tokenization(sources, predictions, probes=len(sources))[1]] = True
    return flags


def _errant(metric: Metric, corpus: Corpus, predictions: Sequence[str]) -> dict[str, Values]:
    """Return true positives, false positives and false negatives.

    They are counted against the best annotator of each sentence.
    """
    statistics = metric.count(corpus, predictions)
    correct, proposed, gold = statistics.counts[BestPerSentence().chosen(statistics)].T
    return {"errant_tp": correct, "errant_fp": proposed - correct, "errant_fn": gold - correct}

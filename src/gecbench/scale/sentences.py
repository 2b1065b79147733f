"""Columns of values of each sentence alone, added to rows wherever they are: by `Dataset.map` and by Spark."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from gecbench.api import Metrics, metric_columns
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.door import judge
from gecbench.corpus.intake import Intake
from gecbench.metrics.registry import make_metric
from gecbench.scale import tables
from gecbench.scale.counting import OnBad, check_on_bad, spelled
from gecbench.scale.rows import Columns, Faults, Rows, column_of, read_rows
from gecbench.version import __version__

if TYPE_CHECKING:
    import pyarrow

Values = npt.NDArray[Any]


@dataclass(frozen=True)
class SentenceColumns(ABC):
    """Adds columns to each batch of rows; a value depends on its own row alone, so the batches do not matter.

    A row that cannot be read is refused, or, with `on_bad="skip"`, has no values but a `fault` that says why.
    """

    columns: Columns
    on_bad: OnBad = "error"
    version: str = __version__

    def __post_init__(self) -> None:
        check_on_bad(self.on_bad)

    @property
    @abstractmethod
    def types(self) -> Mapping[str, str]:
        """The names of the columns, each with its Arrow type."""

    @abstractmethod
    def values(self, corpus: Corpus, predictions: Sequence[str]) -> Mapping[str, Values]:
        """Return the columns of sentences that can be read."""

    def __call__(self, batch: Any, indices: Sequence[int] | None = None) -> Any:
        """Return the batch with its columns if it is Arrow; of a mapping from names to lists the new ones alone."""
        size = len(column_of(batch, self.columns.source))
        rows = read_rows(batch, self.columns, range(size) if indices is None else indices)
        if self.on_bad != "skip":
            self._refuse(rows, known_places=self.columns.index is not None or indices is not None)
        found = {} if rows.corpus is None else self.values(rows.corpus, rows.predictions)
        added = {name: tables.placed(found[name].tolist() if found else [], rows.good, size) for name in self.types}
        if self.on_bad == "skip":
            added[tables.FAULT] = rows.faults
        return added if isinstance(batch, Mapping) else self._append(batch, added)

    def _refuse(self, rows: Rows, known_places: bool) -> None:
        faults = Faults()
        for place, fault in zip(rows.places, rows.faults, strict=True):
            if fault is not None:
                faults.count += 1
                faults.say(place if known_places and isinstance(place, int) else -1, fault)
        if faults.count:
            raise faults.error()

    @property
    def schema(self) -> pyarrow.Schema:
        """The columns that are added to Arrow batches."""
        import pyarrow

        fault = {tables.FAULT: "string"} if self.on_bad == "skip" else {}
        return pyarrow.schema([(name, pyarrow.type_for_alias(kind)) for name, kind in {**self.types, **fault}.items()])

    def _append(self, batch: Any, added: Mapping[str, Sequence[Any]]) -> pyarrow.Table:
        import pyarrow

        table = pyarrow.table(batch)
        for column in self.schema:
            table = table.append_column(column, pyarrow.array(added[column.name], column.type))
        return table


@dataclass(frozen=True)
class SentenceScores(SentenceColumns):
    """Adds the score of each sentence, a column per metric."""

    metrics: tuple[tuple[str, str], ...] = ()
    intake: Intake = field(default_factory=Intake)

    @property
    def types(self) -> Mapping[str, str]:
        """The metrics' columns."""
        return {name: "double" for name, _ in self.metrics}

    def values(self, corpus: Corpus, predictions: Sequence[str]) -> Mapping[str, Values]:
        """Return `Score.sentence_scores` of every metric; a batch that the checks at the door refuse is refused."""
        judge(self.intake, corpus, predictions).decide()
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
    """Return the function that adds each sentence's scores to batches of rows; its arguments are those of `counts`."""
    made = metric_columns(metrics)
    for metric in made.values():
        metric.check_parts()
    return SentenceScores(
        Columns(source, prediction, references, annotations),
        on_bad,
        metrics=tuple((column, spelled(metric)) for column, metric in made.items()),
        intake=Intake("none", tokenized, aligned, foreign),
    )

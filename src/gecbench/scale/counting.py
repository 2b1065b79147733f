"""Counting batches wherever they are: the function that `Dataset.map` and Spark call."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from gecbench.api import Metrics, metric_columns
from gecbench.corpora.resolve import CorpusLike, resolve_corpus
from gecbench.corpus.corpus import Corpus, Gold
from gecbench.corpus.door import Verdict, check_intake, judge
from gecbench.corpus.intake import Intake
from gecbench.errors import InputError, Located
from gecbench.metrics.base import Metric
from gecbench.metrics.registry import make_metric
from gecbench.metrics.signature import Signature
from gecbench.metrics.statistics import Statistics
from gecbench.scale import tables
from gecbench.scale.rows import Columns, Rows, read_rows
from gecbench.version import __version__

if TYPE_CHECKING:
    import pyarrow

OnBad = Literal["error", "skip"]
ON_BAD = ("error", "skip")


@dataclass(frozen=True)
class Counts:
    """Counts each batch of rows: a function to be pickled, with the same `datasets` fingerprint in every process.

    `metrics` are pairs of a column's name and a metric as `make_metric` reads it. `version` is part of it,
    so that a cache of another release is not taken for this one's.
    """

    metrics: tuple[tuple[str, str], ...]
    columns: Columns
    intake: Intake = field(default_factory=Intake)
    on_bad: OnBad = "error"
    version: str = __version__

    def __post_init__(self) -> None:
        check_intake(self.intake)
        check_on_bad(self.on_bad)
        for metric in self._made().values():
            metric.check_parts()

    def __call__(self, batch: Any, indices: Sequence[int] | None = None) -> pyarrow.Table:
        """Return the table of a batch: Arrow, or a mapping from names to lists; `indices` are its rows' places."""
        rows, verdict = read_rows(batch, self.columns, indices), Verdict()
        if rows.corpus is not None:
            verdict = judge(self.intake, rows.corpus, rows.predictions, rows.good_places[0])
        return Counted.of(self._made(), rows).table(door=asdict(verdict), on_bad=self.on_bad)

    @property
    def schema(self) -> pyarrow.Schema:
        """The columns of every table that it returns."""
        return _schema(self._made(), self.columns.probe())

    def _made(self) -> dict[str, Metric]:
        return {column: make_metric(spelled) for column, spelled in self.metrics}


def counts(
    metrics: Metrics = ("gleu",),
    *,
    source: str = "source",
    prediction: str = "prediction",
    references: str | Sequence[str] | None = "references",
    annotations: str | None = None,
    index: str | None = None,
    on_bad: OnBad = "error",
    tokenized: bool = False,
    aligned: bool = False,
    foreign: Literal["warning", "error"] = "warning",
) -> Counts:
    """Return the function that counts batches of rows, for `Dataset.map(…, batched=True)` and Spark's `mapInArrow`.

    `references` names a column of lists of texts, or several columns of texts; `annotations` one of coded edits, as the
    datasets of gecbench hold them, and so may `prediction`. `index` names the column with each row's place in the
    corpus, counted from 0; without it `Dataset.map` gives places with `with_indices=True`.

    A row that cannot be scored gets a `fault` instead of counts. `on_bad` is what `merge` and `scores` do about it:
    refuse, or "skip" it and say so in the signature. `tokenized`, `aligned` and `foreign` are as in `gecbench.score`.
    """
    chosen = tuple((column, spelled(metric)) for column, metric in metric_columns(metrics).items())
    columns = Columns(source, prediction, references, annotations, index)
    return Counts(chosen, columns, Intake("none", tokenized, aligned, foreign), on_bad)


def tabulate(
    predictions: Iterable[str], corpus: CorpusLike, metrics: Metrics = ("gleu",), **intake: Any
) -> pyarrow.Table:
    """Return the counts of a corpus that is in memory, as the table that `merge` makes of its parts."""
    columns, door = metric_columns(metrics), Intake(**intake)
    check_intake(door)
    gold = resolve_corpus(corpus, list(columns.values()))
    admitted = door.admit(gold, predictions)
    rows = Rows(list(range(len(gold))), [None] * len(gold), gold, gold, admitted.lines)
    return Counted.of(columns, rows).table(door=asdict(Verdict(1)), on_bad="error")


@dataclass(frozen=True)
class Counted:
    """The rows of a batch, and for those that can be scored each metric's counts and how they were made."""

    rows: Rows
    schema: pyarrow.Schema
    statistics: dict[str, Statistics] = field(default_factory=dict)
    signatures: dict[str, Signature] = field(default_factory=dict)
    golds: dict[str, Gold] = field(default_factory=dict)
    hashes: dict[Gold, list[bytes]] = field(default_factory=dict)

    @classmethod
    def of(cls, metrics: Mapping[str, Metric], rows: Rows) -> Counted:
        """Count rows."""
        corpus, schema = rows.corpus, _schema(metrics, rows.probe)
        if corpus is None:
            return cls(rows, schema)
        golds = {name: metric.gold(corpus) for name, metric in metrics.items()}
        with Located(f"the batch that begins with row {rows.good_places[0]}"):
            statistics = {name: metric.count(corpus, rows.predictions) for name, metric in metrics.items()}
        signatures = {name: metric.signature(corpus, rows.predictions) for name, metric in metrics.items()}
        hashes = {gold: corpus.sentence_hashes(gold, rows.good_places) for gold in {*golds.values()}}
        return cls(rows, schema, statistics, signatures, golds, hashes)

    def table(self, **made: Any) -> pyarrow.Table:
        """Return it as a table; `made` goes into its column `batch`."""
        import pyarrow

        good, size = self.rows.good, len(self.rows.places)
        columns: dict[str, Any] = {tables.INDEX: self.rows.places, tables.FAULT: self.rows.faults}
        columns |= {tables.DATA + gold: tables.placed(found, good, size) for gold, found in self.hashes.items()}
        columns |= {name: tables.counts_column(each, good, size) for name, each in self.statistics.items()}
        facts = {name: self._facts(name) for name in self.statistics}
        batch = json.dumps({"gecbench": __version__, **made, "metrics": facts})
        columns[tables.BATCH] = [batch] + [None] * (size - 1)
        arrays = [_column(columns.get(each.name), each.type, size) for each in self.schema]
        return pyarrow.Table.from_arrays(arrays, schema=self.schema)

    def _facts(self, name: str) -> dict[str, object]:
        statistics = self.statistics[name]
        return {
            "signature": str(self.signatures[name]),
            "gold": self.golds[name],
            "width": statistics.counts.shape[1],
            "diagnostics": dict(statistics.diagnostics),
        }


def _column(values: Any, kind: Any, size: int) -> pyarrow.Array:
    import pyarrow

    if isinstance(values, pyarrow.Array):
        return values
    if pyarrow.types.is_integer(kind):
        values = [value if isinstance(value, int) and -(2**63) <= value < 2**63 else None for value in values]
    return pyarrow.nulls(size, kind) if values is None else pyarrow.array(values, kind)


def _schema(metrics: Mapping[str, Metric], probe: Corpus) -> pyarrow.Schema:
    return tables.schema(_golds(metrics, probe), list(metrics))


def _golds(metrics: Mapping[str, Metric], corpus: Corpus) -> list[Gold]:
    """Return what of a corpus the metrics are scored against."""
    return sorted({metric.gold(corpus) for metric in metrics.values()})


def check_on_bad(on_bad: str) -> None:
    """Refuse what can be done about bad rows by no name."""
    if on_bad not in ON_BAD:
        raise InputError(f"on_bad={on_bad!r} is unknown", fix=f"Use one of {', '.join(ON_BAD)}")


def spelled(metric: Metric) -> str:
    """Return a metric as `make_metric` reads it."""
    chosen = {name: getattr(metric, name) for name in metric.parameters()}
    changed = [f"{name}={chosen[name]}" for name, each in metric.parameters().items() if chosen[name] != each.default]
    return f"{metric.name}({','.join(changed)})" if changed else metric.name

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
from gecbench.errors import InputError
from gecbench.metrics.base import Metric
from gecbench.metrics.registry import make_metric
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
        return count_rows(self, read_rows(batch, self.columns, indices))

    @property
    def schema(self) -> pyarrow.Schema:
        """The columns of every table that it returns."""
        return _schema(self._made(), self._probe())

    def _made(self) -> dict[str, Metric]:
        return {column: make_metric(spelled) for column, spelled in self.metrics}

    def _probe(self) -> Corpus:
        """Return the smallest corpus with the gold that the columns hold."""
        references = None if self.columns.references is None else [["a"]]
        return Corpus(["a"], references, None if self.columns.annotations is None else [[]])


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
    gold = resolve_corpus(corpus)
    admitted = Intake(**intake).admit(gold, predictions)
    rows = Rows(list(range(len(gold))), [None] * len(gold), admitted.corpus, admitted.lines)
    return _table(metric_columns(metrics), rows, gold, {"door": asdict(Verdict(1)), "on_bad": "error"})


def count_rows(function: Counts, rows: Rows) -> pyarrow.Table:
    """Count the rows of a batch that can be scored."""
    verdict = Verdict()
    if rows.corpus is not None:
        verdict = judge(function.intake, rows.corpus, rows.predictions, rows.good_places[0])
    made = {"door": asdict(verdict), "on_bad": function.on_bad}
    return _table(function._made(), rows, function._probe(), made)


def _table(metrics: Mapping[str, Metric], rows: Rows, probe: Corpus, made: dict[str, Any]) -> pyarrow.Table:
    import pyarrow

    columns: dict[str, Any] = {tables.INDEX: rows.places, tables.FAULT: rows.faults}
    good, size, facts = rows.good, len(rows.places), {}
    if rows.corpus is not None:
        for gold in _golds(metrics, probe):
            hashes = rows.corpus.sentence_hashes(gold, rows.good_places)
            columns[tables.DATA + gold] = tables.placed(hashes, good, size)
        for name, metric in metrics.items():
            statistics = metric.count(rows.corpus, rows.predictions)
            columns[name] = tables.counts_column(statistics, good, size)
            facts[name] = {
                "signature": str(metric.signature(rows.corpus, rows.predictions)),
                "gold": metric.gold(rows.corpus),
                "width": statistics.counts.shape[1],
                "diagnostics": dict(statistics.diagnostics),
            }
    batch = json.dumps({"gecbench": __version__, **made, "metrics": facts})
    columns[tables.BATCH] = [batch] + [None] * (size - 1)
    schema = _schema(metrics, probe)
    arrays = [_column(columns.get(field.name), field.type, size) for field in schema]
    return pyarrow.Table.from_arrays(arrays, schema=schema)


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

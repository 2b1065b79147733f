"""Count batches of rows for `Dataset.map`, Spark and streams.

`counts` returns the function to map over batches. It reads a batch into `Rows` (a corpus, predictions, and the errors
of invalid rows), counts them for every metric (`Counted`), and returns the counts as an Arrow table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from gecbench.corpora.declaration import as_edits
from gecbench.corpora.load import CorpusLike, resolve_corpus
from gecbench.corpus.corpus import HASH_SIZE, Corpus, Gold, check_sentence_annotations, sum_hashes
from gecbench.corpus.edits import Annotation, EditedTexts, check_apart, span
from gecbench.corpus.prepare import Preprocessing
from gecbench.errors import InputError, counted, describe_field_error, error_context
from gecbench.kernels.tokens import offsets_of_sizes
from gecbench.metrics.base import METRICS, Metric, Metrics, Signature, Statistics, make_metric, metric_columns
from gecbench.metrics.streaming import CheckResult, check_batch, check_preprocessing
from gecbench.version import __version__

if TYPE_CHECKING:
    import pyarrow

OnBad = Literal["error", "skip"]
INDEX, FAULT, BATCH, DATA = "index", "fault", "batch", "data_"
SHOWN = 3
_PLACES = 2**63


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
    """Return a function that counts batches of rows.

    Use it with `Dataset.map(…, batched=True)` and Spark's `mapInArrow`. A row that cannot be scored gets an error
    message in the column `fault` instead of counts.

    Args:
        metrics: Names of metrics, with parameters in parentheses if any, or metric objects.
        source: The column of sources.
        prediction: The column of predictions: texts, or lists of edits as in the datasets of gecbench.
        references: A column with a list of texts per row, or several columns with one text per row.
        annotations: The column with the gold edits of each row, as in the datasets of gecbench.
        index: The column with each row's position in the corpus, from 0. Without it, pass `with_indices=True` to
            `Dataset.map`.
        on_bad: What `merge` and `scores` do with rows that cannot be scored: "error" raises an error, "skip" leaves
            them out and records their number in the signature.
        tokenized: Score text as it is, even if it is not tokenized like its sources, or has labels or code fences.
        aligned: Skip the checks for shifted lines, swapped texts and identical texts, and those of `foreign`.
        foreign: Whether to give a "warning" or an "error" if predictions do not resemble their sources, or are
            identical to a reference.

    Returns:
        The function. It can be pickled.

    Raises:
        InputError: A metric or an option is unknown, or the metric cannot be counted in batches.

    >>> rows = {"source": ["He go ."], "prediction": ["He goes ."], "references": [["He goes ."]]}
    >>> counts("gleu")(rows, [0]).column_names
    ['index', 'fault', 'data_references', 'gleu', 'batch']
    """
    chosen = tuple((column, metric_spec(metric)) for column, metric in metric_columns(metrics).items())
    columns = ColumnNames(source, prediction, references, annotations, index)
    return Counts(chosen, columns, Preprocessing("none", tokenized, aligned, foreign), on_bad)


@dataclass(frozen=True)
class Counts:
    """A function that counts batches of rows, made by `counts`.

    It can be pickled, and has the same `datasets` fingerprint in every process. `metrics` are pairs of a column name
    and a metric string for `make_metric`. `version` is a field, so that caches of another release are not reused.
    """

    metrics: tuple[tuple[str, str], ...]
    columns: ColumnNames
    preprocessing: Preprocessing = field(default_factory=Preprocessing)
    on_bad: OnBad = "error"
    version: str = __version__

    def __post_init__(self) -> None:
        check_preprocessing(self.preprocessing)
        check_on_bad(self.on_bad)
        for metric in self._metrics().values():
            metric.check_parts()

    def __call__(self, batch: Any, indices: Sequence[int] | None = None) -> pyarrow.Table:
        """Return the counts of a batch as an Arrow table.

        `batch` is an Arrow table or a mapping from names to lists. `indices` are the positions of its rows.
        """
        rows, result = read_rows(batch, self.columns, indices), CheckResult()
        if rows.corpus is not None:
            result = check_batch(self.preprocessing, rows.corpus, rows.predictions, rows.good_places[0])
        return Counted.of(self._metrics(), rows).table(checks=asdict(result), on_bad=self.on_bad)

    @property
    def schema(self) -> pyarrow.Schema:
        """The columns of the returned tables."""
        return _schema(self._metrics(), self.columns.probe())

    def _metrics(self) -> dict[str, Metric]:
        return {column: make_metric(spec) for column, spec in self.metrics}


def tabulate(
    predictions: Iterable[str], corpus: CorpusLike, metrics: Metrics = ("gleu",), **preprocessing: Any
) -> pyarrow.Table:
    """Count predictions for a corpus in memory.

    Args:
        predictions: One prediction per sentence, in order.
        corpus: The corpus, as in `gecbench.score`.
        metrics: Names of metrics, with parameters in parentheses if any, or metric objects.
        **preprocessing: `tokenize`, `tokenized`, `aligned` and `foreign`, as in `gecbench.score`.

    Returns:
        A table of counts, like the tables that `merge` returns.

    Raises:
        InputError: The input cannot be scored, or the metric cannot be counted in batches.

    >>> from gecbench.scale import scores
    >>> scores(tabulate(["He goes ."], [{"sentence": "He go .", "corrections": ["He goes ."]}], "m2"))["m2"].value
    1.0
    """
    columns, checker = metric_columns(metrics), Preprocessing(**preprocessing)
    check_preprocessing(checker)
    for metric in columns.values():
        metric_spec(metric)  # raises an error for a metric without counts
    gold = resolve_corpus(corpus, list(columns.values()))
    prepared = checker.prepare(gold, predictions)
    rows = Rows(list(range(len(gold))), [None] * len(gold), gold, gold, prepared.lines)
    return Counted.of(columns, rows).table(checks=asdict(CheckResult(1)), on_bad="error")


def metric_spec(metric: Metric) -> str:
    """Return a metric as a string that `make_metric` reads, such as `gleu(order=2)`."""
    if metric.name not in METRICS:
        metric.check_parts()
    chosen = {name: getattr(metric, name) for name in metric.parameters()}
    changed = [f"{name}={chosen[name]}" for name, each in metric.parameters().items() if chosen[name] != each.default]
    return f"{metric.name}({','.join(changed)})" if changed else metric.name


def check_on_bad(on_bad: str) -> None:
    """Raise an error for an unknown value of `on_bad`."""
    if on_bad not in get_args(OnBad):
        raise InputError(f"unknown value on_bad={on_bad!r}", fix=f"Choose one of {', '.join(get_args(OnBad))}")


@dataclass(frozen=True)
class Counted:
    """A batch's rows, with each metric's counts and signature for the valid rows."""

    rows: Rows
    schema: pyarrow.Schema
    statistics: dict[str, Statistics] = field(default_factory=dict)
    signatures: dict[str, Signature] = field(default_factory=dict)
    golds: dict[str, Gold] = field(default_factory=dict)
    hashes: dict[Gold, list[bytes]] = field(default_factory=dict)

    @classmethod
    def of(cls, metrics: Mapping[str, Metric], rows: Rows) -> Counted:
        """Compute the counts and signatures of the valid rows."""
        corpus, schema = rows.corpus, _schema(metrics, rows.probe)
        if corpus is None:
            return cls(rows, schema)
        golds = {name: metric.gold(corpus) for name, metric in metrics.items()}
        with error_context(f"the batch that begins with row {rows.good_places[0]}"):
            statistics = {name: metric.count(corpus, rows.predictions) for name, metric in metrics.items()}
        signatures = {name: metric.signature(corpus, rows.predictions) for name, metric in metrics.items()}
        hashes = {gold: corpus.sentence_hashes(gold, rows.good_places) for gold in {*golds.values()}}
        return cls(rows, schema, statistics, signatures, golds, hashes)

    def table(self, **made: Any) -> pyarrow.Table:
        """Return a table with one row per sentence.

        The arguments become fields of the JSON in the column `batch`.
        """
        import pyarrow

        good, size = self.rows.good, len(self.rows.places)
        columns: dict[str, Any] = {INDEX: self.rows.places, FAULT: self.rows.faults}
        columns |= {DATA + gold: spread(found, good, size) for gold, found in self.hashes.items()}
        columns |= {name: counts_column(each, good, size) for name, each in self.statistics.items()}
        facts = {name: self._facts(name) for name in self.statistics}
        batch = json.dumps({"gecbench": __version__, **made, "metrics": facts})
        columns[BATCH] = [batch] + [None] * (size - 1)
        arrays = [_to_array(columns.get(each.name), each.type, size) for each in self.schema]
        return pyarrow.Table.from_arrays(arrays, schema=self.schema)

    def _facts(self, name: str) -> dict[str, object]:
        statistics = self.statistics[name]
        return {
            "signature": str(self.signatures[name]),
            "gold": self.golds[name],
            "width": statistics.counts.shape[1],
            "diagnostics": dict(statistics.diagnostics),
        }


def _schema(metrics: Mapping[str, Metric], probe: Corpus) -> pyarrow.Schema:
    """Return the columns of a table of counts.

    `probe` is a corpus with the kind of gold to score against.
    """
    import pyarrow

    golds = sorted({metric.gold(probe) for metric in metrics.values()})
    hashes = [(DATA + gold, pyarrow.binary()) for gold in golds]
    counts = [(name, pyarrow.list_(pyarrow.int32())) for name in metrics]
    return pyarrow.schema(
        [(INDEX, pyarrow.int64()), (FAULT, pyarrow.string()), *hashes, *counts, (BATCH, pyarrow.string())]
    )


def _to_array(values: Any, kind: Any, size: int) -> pyarrow.Array:
    import pyarrow

    if isinstance(values, pyarrow.Array):
        return values
    if pyarrow.types.is_integer(kind):
        values = [value if isinstance(value, int) and -(2**63) <= value < 2**63 else None for value in values]
    return pyarrow.nulls(size, kind) if values is None else pyarrow.array(values, kind)


def counts_column(statistics: Statistics, good: Sequence[int], rows: int) -> pyarrow.Array:
    """Return a column with the counts of the `good` rows, and null in other rows."""
    import pyarrow

    width = statistics.counts.shape[1]
    sizes = np.zeros(rows, dtype=np.int32)
    sizes[np.asarray(good, dtype=np.int64)] = np.diff(statistics.offsets) * width
    offsets = offsets_of_sizes(sizes).astype(np.int32)
    faulty = np.ones(rows, dtype=bool)
    faulty[np.asarray(good, dtype=np.int64)] = False
    values = pyarrow.array(np.ascontiguousarray(statistics.counts, dtype=np.int32).ravel())
    return pyarrow.ListArray.from_arrays(pyarrow.array(offsets), values, mask=pyarrow.array(faulty))


def statistics_from_column(column: pyarrow.ChunkedArray, width: int) -> Statistics:
    """Convert a column of counts without nulls to statistics."""
    sizes: list[npt.NDArray[np.int64]] = []
    counts: list[npt.NDArray[np.int64]] = []
    for chunk in column.chunks:
        offsets = chunk.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
        sizes.append(np.diff(offsets))
        values = chunk.values.to_numpy(zero_copy_only=False)[offsets[0] : offsets[-1]] if len(offsets) else []
        counts.append(np.asarray(values, dtype=np.int64).reshape(-1, width))
    return Statistics(np.concatenate(counts), offsets_of_sizes(np.concatenate(sizes) // width))


def sum_hash_column(column: pyarrow.ChunkedArray) -> int:
    """Return the sum of a column of hashes without nulls."""
    import pyarrow

    total = 0
    for chunk in column.cast(pyarrow.binary(HASH_SIZE)).chunks:
        begin = chunk.offset * HASH_SIZE
        total += sum_hashes(bytes(chunk.buffers()[1][begin : begin + len(chunk) * HASH_SIZE]))
    return total


def spread(values: Sequence[Any], good: Sequence[int], rows: int) -> list[Any]:
    """Return a column with the values of the `good` rows, and None in other rows."""
    if len(values) == rows:
        return list(values)
    column: list[Any] = [None] * rows
    for row, value in zip(good, values, strict=True):
        column[row] = value
    return column


@dataclass(frozen=True)
class ColumnNames:
    """The names of the columns to read.

    `references` is one column of lists, or several columns of texts.
    """

    source: str
    prediction: str
    references: str | Sequence[str] | None = None
    annotations: str | None = None
    index: str | None = None

    def __post_init__(self) -> None:
        if self.references is not None and not isinstance(self.references, str):
            object.__setattr__(self, "references", tuple(self.references))

    def names(self) -> list[str]:
        """Return the names of all columns to read, each once."""
        references = [self.references] if isinstance(self.references, str) else self.references or ()
        named = (self.index, self.source, self.prediction, *references, self.annotations)
        return list(dict.fromkeys(name for name in named if name is not None))

    def probe(self) -> Corpus:
        """Return a minimal corpus with the kind of gold that the columns contain."""
        references = None if self.references is None else [["a"]]
        return Corpus(["a"], references, None if self.annotations is None else [[]])


@dataclass(frozen=True)
class Rows:
    """A batch: position and error of each row, and the texts of the valid rows.

    `probe` is a corpus with the kind of gold of the rows, even if none of them is valid.
    """

    places: list[int | None]
    faults: list[str | None]
    probe: Corpus
    corpus: Corpus | None = None
    predictions: Sequence[str] = ()

    @property
    def good(self) -> list[int]:
        """The numbers of the valid rows."""
        return [row for row, fault in enumerate(self.faults) if fault is None]

    @property
    def good_places(self) -> list[int]:
        """The positions of the valid rows."""
        return [
            place for place, fault in zip(self.places, self.faults, strict=True) if fault is None and place is not None
        ]


@dataclass
class BadRows:
    """The number of invalid rows of a corpus, and the errors of the first ones."""

    count: int = 0
    examples: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, rows: Rows, *, known_places: bool = True) -> BadRows:
        """Return the invalid rows of a batch.

        Without `known_places`, the examples do not name their rows.
        """
        bad = cls()
        for place, fault in zip(rows.places, rows.faults, strict=True):
            if fault is not None:
                bad.add([place if known_places and isinstance(place, int) else -1], fault)
        return bad

    def add(self, places: Sequence[int], reason: str) -> None:
        """Count rows with the same error."""
        self.count += len(places)
        for place in places[:SHOWN]:
            self.add_example(place, reason)

    def add_example(self, place: int, reason: str) -> None:
        """Keep the error as an example if it is one of the first.

        A negative `place` means that the position of the row is unknown.
        """
        if len(self.examples) < SHOWN:
            self.examples.append(f"row {place}: {reason}" if place >= 0 else reason)

    def error(self, seen: int | None = None) -> InputError:
        """Return the error to raise.

        `seen` is the number of rows read, if there may be more.
        """
        rows = f"{self.count:,} of the first {counted(seen, 'row')}" if seen else counted(self.count, "row")
        shown = "; ".join(self.examples) + ("; …" if self.count > len(self.examples) else "")
        note = " (rows are numbered from 0)" if any(example.startswith("row ") for example in self.examples) else ""
        fix = 'Fix these rows, or skip them with on_bad="skip"'
        return InputError(f"{rows} cannot be scored{note}: {shown}", fix=fix)


@dataclass(frozen=True)
class _RowErrors:
    """The first error of every row, or None."""

    found: list[str | None]

    def check(self, name: str, values: Sequence[Any], fault_of: Callable[[Any], str | None]) -> None:
        """Record the errors of a column's values."""
        for row, value in enumerate(values):
            if self.found[row] is None and (fault := fault_of(value)) is not None:
                self.found[row] = f"{name} {fault}"


def read_rows(batch: Any, columns: ColumnNames, indices: Sequence[int] | None) -> Rows:
    """Read a batch: an Arrow table or record batch, or a mapping from names to lists."""
    sources, predictions = column_of(batch, columns.source), column_of(batch, columns.prediction)
    places = _read_places(batch, columns, indices, len(sources))
    errors = _RowErrors([None] * len(sources))
    _check_places(errors, columns.index or "index", places)
    _check_texts(errors, columns.source, sources)
    edited = any(isinstance(value, list) for value in predictions)
    if edited:
        predictions = _read_annotations(errors, columns.prediction, predictions, sources, applied=True)
    else:
        _check_texts(errors, columns.prediction, predictions)
    references = _read_references(batch, columns, errors)
    annotations = None
    if columns.annotations is not None:
        given = column_of(batch, columns.annotations)
        annotations = _read_annotations(errors, columns.annotations, given, sources)
    good = [row for row, fault in enumerate(errors.found) if fault is None]
    if not good:
        return Rows(places, errors.found, columns.probe())

    def chosen(values: Sequence[Any] | None) -> list[Any] | None:
        return None if values is None else list(values) if len(good) == len(values) else [values[row] for row in good]

    kept = chosen(sources) or []
    corpus = Corpus(
        sources=kept,
        references=chosen(references),
        annotations=chosen(annotations),
        ids=[str(places[row]) for row in good],
    )
    texts = chosen(predictions) or []
    return Rows(places, errors.found, corpus, corpus, EditedTexts.of(kept, texts) if edited else texts)


def column_of(batch: Any, name: str) -> list[Any]:
    """Return a column of a batch as a list, or raise an error that lists the columns."""
    known = getattr(batch, "column_names", None) or (batch.schema.names if hasattr(batch, "schema") else list(batch))
    if name not in known:
        raise InputError(f"no column {name!r}", fix=f"Choose one of {', '.join(map(str, known))}")
    values = batch[name]
    as_list = getattr(values, "to_pylist", None) or getattr(values, "tolist", None)
    return list(as_list() if as_list else values)


def _read_places(batch: Any, columns: ColumnNames, indices: Sequence[int] | None, rows: int) -> list[int | None]:
    if columns.index is not None:
        return column_of(batch, columns.index)
    if indices is None:
        raise InputError(
            "there is no index: the positions of the rows in the corpus are unknown",
            fix='Give a column of whole numbers from 0 (index="…"), or pass with_indices=True to Dataset.map',
        )
    if len(indices) != rows:
        problem = f"{counted(len(indices), 'index', 'indices')} for {counted(rows, 'row')}"
        raise InputError(problem, fix="Pass one index per row")
    return [*indices]


def _check_places(errors: _RowErrors, name: str, places: Sequence[Any]) -> None:
    if set(map(type, places)) - {int} or min(places, default=0) < 0 or max(places, default=0) >= _PLACES:
        errors.check(name, places, _place_fault)


def _place_fault(place: Any) -> str | None:
    if place is None:
        return "is missing"
    is_place = isinstance(place, int) and not isinstance(place, bool) and 0 <= place < _PLACES
    return None if is_place else f"is {place!r:.40}, not a whole number of at least 0"


def _check_texts(errors: _RowErrors, name: str, values: Sequence[Any]) -> None:
    if set(map(type, values)) - {str}:
        errors.check(name, values, text_fault)


def text_fault(value: Any) -> str | None:
    """Return the error of a value that should be a text, or None."""
    if value is None:
        return "is missing"
    return None if isinstance(value, str) else f"is {value!r:.40}, not text"


def _read_references(batch: Any, columns: ColumnNames, errors: _RowErrors) -> Sequence[Any] | None:
    if columns.references is None:
        return None
    if isinstance(columns.references, str):
        rows = [[each] if isinstance(each, str) else each for each in column_of(batch, columns.references)]
        lists = not set(map(type, rows)) - {list, tuple} and all(rows)
        if not lists or set(map(type, chain.from_iterable(rows))) - {str}:
            errors.check(columns.references, rows, _texts_fault)
        return rows
    found = [column_of(batch, name) for name in columns.references]
    for name, values in zip(columns.references, found, strict=True):
        _check_texts(errors, name, values)
    return list(zip(*found, strict=True))


def _texts_fault(texts: Any) -> str | None:
    if not texts:
        return "is missing"
    if not isinstance(texts, (list, tuple)):
        return f"is {texts!r:.40}, not a list of texts"
    return next((f"contains {text!r:.40}, which is not text" for text in texts if not isinstance(text, str)), None)


def _read_annotations(
    errors: _RowErrors, name: str, values: Sequence[Any], sources: Sequence[Any], *, applied: bool = False
) -> list[list[Annotation]]:
    """Return the annotations of each row.

    Annotations that cannot be read are errors. With `applied`, edits that cannot be applied are errors, too.
    """
    found: list[list[Annotation]] = []
    for row, (value, source) in enumerate(zip(values, sources, strict=True)):
        read: list[Annotation] = []
        if errors.found[row] is None:
            try:
                read = [Annotation(entry["annotator"], as_edits(entry["edits"])) for entry in value]
                check_sentence_annotations(read, len(source.split()))
                if applied and read:
                    check_apart(source, sorted(read[0].edits, key=span))
            except InputError as error:
                errors.found[row] = f"{name}: {error.problem}"
            except (KeyError, TypeError) as error:
                errors.found[row] = (
                    f"{name} is missing" if value is None else f"{name} cannot be read: {describe_field_error(error)}"
                )
        found.append(read)
    return found

"""Score and filter Spark data frames (docs/scale.md).

The functions that count rows are the same as for `Dataset.map`. This module needs pyspark 4 with Java
(`pip install "gecbench[spark]"`), and gecbench on every worker.
"""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from gecbench import scale
from gecbench.analysis.report import Scores
from gecbench.analysis.significance import DEFAULT_SEED
from gecbench.api import DEFAULT_METRICS
from gecbench.errors import GecbenchError, InputError, MissingDependencyError
from gecbench.formats.tables import PREDICTION_NAMES, REFERENCE_NAMES, SOURCE_NAMES, Columns
from gecbench.metrics.base import Metrics
from gecbench.scale.counting import ColumnNames, Counts
from gecbench.scale.features import SentenceColumns

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession


__all__ = ["counts", "features", "score", "sentence_scores", "with_index"]
_PLACE = "__place__"
_ROWS_OF_A_PARTITION = 33  # bits of Spark's monotonically_increasing_id


def score(
    frame: DataFrame,
    metrics: Metrics = DEFAULT_METRICS,
    *,
    index: str | None = None,
    resamples: int = 0,
    seed: int = DEFAULT_SEED,
    **columns: Any,
) -> Scores:
    """Score the rows of a data frame.

    The scores are identical to those of `gecbench.score`. The workers compute counts. The driver receives only these
    counts, chooses references and computes the scores.

    Args:
        frame: The data frame.
        metrics: Names of metrics, with parameters in parentheses if any, or metric objects.
        index: The column with each row's position in the corpus, from 0. GLEU's random references and M2's choice of
            annotators depend on these positions. Without this column, rows are numbered by `with_index`, and the
            signature has the field `index:order`.
        resamples: Bootstrap resamples for 95% confidence intervals. 0 computes none.
        seed: The seed of the resampling.
        **columns: The other arguments of `gecbench.scale.counts`, such as `source`, `prediction` and `references`.

    Returns:
        The scores by metric.

    Raises:
        InputError: A column is missing, or rows cannot be scored.
        GecbenchError: Spark failed.
        gecbench.errors.MissingDependencyError: pyspark is not installed.
    """
    function = scale.counts(metrics, index=index or _PLACE, **columns)
    placed = frame if index else with_index(frame, _PLACE)
    parts = [
        _unpack(part)
        for part in _collect(_select_columns(placed, function.columns).mapInArrow(*_packed_counts(function)))
    ]
    if not parts:
        raise InputError("the data frame has no rows", fix="Give at least one")
    found = scale.scores(parts, resamples=resamples, seed=seed)
    return found if index else Scores({name: each.with_field("index", "order") for name, each in found.items()})


def counts(frame: DataFrame, metrics: Metrics = DEFAULT_METRICS, *, index: str, **columns: Any) -> DataFrame:
    """Return a data frame of counts.

    Write it as Parquet to score it later with `gecbench.scale.scores`.

    Args:
        frame: The data frame.
        metrics: Names of metrics, with parameters in parentheses if any, or metric objects.
        index: The column with each row's position in the corpus, from 0.
        **columns: The other arguments of `gecbench.scale.counts`, such as `source`, `prediction` and `references`.

    Returns:
        The frame of counts.

    Raises:
        InputError: A column is missing, or the metric cannot be counted in batches.
    """
    function = scale.counts(metrics, index=index, **columns)
    return _map_batches(_select_columns(frame, function.columns), function, function.schema)


def sentence_scores(frame: DataFrame, metrics: Metrics = DEFAULT_METRICS, **columns: Any) -> DataFrame:
    """Return the frame with one more column per metric: its sentence scores.

    Args:
        frame: The data frame.
        metrics: Names of metrics, with parameters in parentheses if any, or metric objects.
        **columns: The other arguments of `gecbench.scale.sentence_scores`.

    Returns:
        The frame.

    Raises:
        InputError: A column is missing, or the frame already has a column of this name.
    """
    return _with_columns(frame, scale.sentence_scores(metrics, **columns))


def features(frame: DataFrame, **columns: Any) -> DataFrame:
    """Return the frame with the columns of `gecbench.scale.features`.

    Args:
        frame: The data frame.
        **columns: The arguments of `gecbench.scale.features`.

    Returns:
        The frame.

    Raises:
        InputError: A column is missing, or the frame already has a column of this name.
    """
    return _with_columns(frame, scale.features(**columns))


def with_index(frame: DataFrame, name: str = "index") -> DataFrame:
    """Return the frame with a new column `name` that numbers its rows from 0.

    Rows are numbered in their order. The frame is computed twice, because the rows of each partition are counted first.
    Its order must be the same both times, as for files that are read and not shuffled. If the number of rows differs,
    `score` raises an error.

    Args:
        frame: The data frame.
        name: The name of the new column.

    Returns:
        The frame.

    Raises:
        GecbenchError: Spark failed.
        gecbench.errors.MissingDependencyError: pyspark is not installed.
    """
    functions = _functions()
    with readable_errors():
        sizes = {row[0]: row[1] for row in frame.groupBy(functions.spark_partition_id()).count().collect()}
    begins = list(accumulate((sizes.get(k, 0) for k in range(max(sizes, default=0))), initial=0))
    number = functions.monotonically_increasing_id()
    partition = functions.shiftright(number, _ROWS_OF_A_PARTITION).cast("int")
    row = number.bitwiseAND(functions.lit((1 << _ROWS_OF_A_PARTITION) - 1))
    return frame.withColumn(name, functions.element_at(functions.lit(begins), partition + 1) + row)


def _functions() -> Any:
    try:
        from pyspark.sql import functions
    except ImportError as error:
        raise MissingDependencyError('Spark needs pyspark. Install it: pip install "gecbench[spark]"') from error
    return functions


def _select_columns(frame: DataFrame, columns: ColumnNames) -> DataFrame:
    """Return the frame with only the columns to read."""
    for name in columns.names():
        if name not in frame.columns:
            raise InputError(f"no column {name!r}", fix=f"Choose one of {', '.join(frame.columns)}")
    return frame.select(*columns.names())


def _with_columns(frame: DataFrame, function: SentenceColumns) -> DataFrame:
    _select_columns(frame, function.columns)
    for name in function.schema.names:
        if name in frame.columns:
            raise InputError(f"the data frame already has a column {name!r}", fix="Rename or drop this column")
    return _map_batches(frame, function, function.schema, frame.schema.fields)


def _map_batches(frame: DataFrame, function: Callable[[Any], Any], added: pyarrow.Schema, kept: Any = ()) -> DataFrame:
    """Apply a function to each batch of a frame, and return the frame of the results."""
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import StructType

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in _with_rows(batches):
            yield from function(batch).to_batches()

    return frame.mapInArrow(run, StructType([*kept, *from_arrow_schema(added).fields]))


def _packed_counts(function: Counts) -> tuple[Callable[[Iterable[Any]], Iterator[Any]], str]:
    """Return a function that packs the counts of each batch into one binary value.

    Also return the schema of its results. Without packing, Java would convert every row, which takes as long as
    counting.
    """

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow

        options = pyarrow.ipc.IpcWriteOptions(compression="zstd")
        for batch in _with_rows(batches):
            table, sink = function(batch), pyarrow.BufferOutputStream()
            with pyarrow.ipc.new_stream(sink, table.schema, options=options) as stream:
                stream.write_table(table)
            yield pyarrow.RecordBatch.from_pydict({"part": [sink.getvalue().to_pybytes()]})

    return run, "part binary"


def _with_rows(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the batches that have rows, and use one thread.

    Spark already starts one worker per core.
    """
    os.environ.setdefault("GECBENCH_THREADS", "1")
    return (batch for batch in batches if batch.num_rows)


def _unpack(part: Any) -> pyarrow.Table:
    import pyarrow

    return pyarrow.ipc.open_stream(part.as_buffer()).read_all()


def _collect(frame: DataFrame) -> Any:
    with readable_errors():
        return frame.toArrow()["part"]


@contextmanager
def readable_errors() -> Iterator[None]:
    """Report errors of Spark in one sentence instead of a Java stack trace."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException, PythonException

    try:
        yield
    except PythonException as error:
        last = str(error).strip().splitlines()[-1]
        raise GecbenchError(f"a Spark worker failed: {last}") from error
    except (PySparkException, Py4JError) as error:
        lines = str(error).splitlines()
        said = lines[isinstance(error, Py4JError) and len(lines) > 1]  # the first line of Py4J only names the call
        raise GecbenchError(f"Spark failed: {said.removeprefix(': ')}") from error


_QUIET = {"spark.ui.enabled": "false", "spark.log.level": "ERROR"}
_FAST_START = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


def score_files(
    systems: Mapping[str, str], master: str, column: str | None, index: str | None, **options: Any
) -> dict[str, Scores]:
    """Score Parquet files or folders by system name.

    Each file or folder has the sources, predictions and gold of one system. Columns are found by their common names.
    `column` is the column of the predictions. For the other options see `score`.
    """
    found = {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        with session(master) as spark:
            for name, path in systems.items():
                with readable_errors():
                    frame = spark.read.parquet(path)
                found[name] = score(frame, index=index, **_find_columns(frame.columns, path, column), **options)
    return found


@contextmanager
def session(master: str) -> Iterator[SparkSession]:
    """Start a Spark session, or use the active one.

    A local session starts fast and logs little.
    """
    try:
        from pyspark.errors import PySparkRuntimeError
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise MissingDependencyError('Spark needs pyspark. Install it: pip install "gecbench[spark]"') from error
    if (active := SparkSession.getActiveSession()) is not None:
        yield active
        return
    if not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        raise MissingDependencyError("Spark needs Java 17 or later. Install it, or set JAVA_HOME")
    settings = {**_QUIET, "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower()}
    if master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        settings |= _FAST_START
    builder = SparkSession.builder.appName("gecbench").config(map=settings)
    try:
        opened = builder.master(master).getOrCreate()
    except (PySparkRuntimeError, OSError) as error:
        raise GecbenchError(f"Spark could not start: {str(error).splitlines()[0]}") from error
    try:
        yield opened
    finally:
        opened.stop()


def _find_columns(names: Sequence[str], path: str, column: str | None) -> dict[str, Any]:
    """Return the column arguments of `score`.

    With annotations, references may be missing.
    """
    known = Columns(dict.fromkeys(names, ()), path)
    annotations = next((name for name in names if name.lower() == "annotations"), None)
    needed = annotations is None or any(name.lower() in REFERENCE_NAMES for name in names)
    return {
        "source": known.find(SOURCE_NAMES, None, "Rename one to source"),
        "prediction": known.find(PREDICTION_NAMES, column, "Choose one with --column NAME"),
        "references": known.find(REFERENCE_NAMES, None, "Rename one to references") if needed else None,
        "annotations": annotations,
    }

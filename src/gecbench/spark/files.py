"""Parquet files scored by Spark, as the command line asks for it: a session, the usual columns, plain errors."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gecbench.analysis.report import Scores
from gecbench.errors import GecbenchError, MissingDependencyError
from gecbench.formats.columns import PREDICTION_NAMES, REFERENCE_NAMES, SOURCE_NAMES, Columns
from gecbench.spark.frames import failures_told, score

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_QUIET = {"spark.ui.enabled": "false", "spark.log.level": "ERROR"}
_BRIEF = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


def score_files(
    systems: Mapping[str, str], master: str, column: str | None, index: str | None, **options: Any
) -> dict[str, Scores]:
    """Score Parquet files or folders, each of them one system with its sources and its gold, by the system's name.

    Columns are found by their usual names; `column` is that of the predictions. The other options are those of `score`.
    """
    found = {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        with session(master) as spark:
            for name, path in systems.items():
                with failures_told():
                    frame = spark.read.parquet(path)
                found[name] = score(frame, index=index, **_usual_columns(frame.columns, path, column), **options)
    return found


@contextmanager
def session(master: str) -> Iterator[SparkSession]:
    """Open a session, or take the one that is open; what runs on this machine alone starts fast and says little."""
    try:
        from pyspark.errors import PySparkRuntimeError
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise MissingDependencyError('Spark needs pyspark: pip install "gecbench[spark]"') from error
    if (active := SparkSession.getActiveSession()) is not None:
        yield active
        return
    if not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        raise MissingDependencyError("Spark needs Java 17 or later: install it, or set JAVA_HOME")
    settings = {**_QUIET, "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower()}
    if master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        settings |= _BRIEF
    builder = SparkSession.builder.appName("gecbench").config(map=settings)
    try:
        opened = builder.master(master).getOrCreate()
    except (PySparkRuntimeError, OSError) as error:
        raise GecbenchError(f"Spark does not start: {str(error).splitlines()[0]}") from error
    try:
        yield opened
    finally:
        opened.stop()


def _usual_columns(names: Sequence[str], path: str, column: str | None) -> dict[str, Any]:
    """Return the columns by what they hold; where there are annotations, references may be missing."""
    known = Columns(dict.fromkeys(names, ()), path)
    annotations = next((name for name in names if name.lower() == "annotations"), None)
    needed = annotations is None or any(name.lower() in REFERENCE_NAMES for name in names)
    return {
        "source": known.find(SOURCE_NAMES, None, "source, for example"),
        "prediction": known.find(PREDICTION_NAMES, column, "--column NAME"),
        "references": known.find(REFERENCE_NAMES, None, "references, for example") if needed else None,
        "annotations": annotations,
    }

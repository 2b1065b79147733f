"""The same bits from Spark as from one process, however rows are partitioned, and whatever happens to a worker."""

import os
import shutil
import sys
import warnings

import numpy as np
import pyarrow
import pytest

import gecbench
from gecbench import scale
from gecbench.corpora.edits import annotation_rows
from gecbench.corpus.edits import EditedTexts
from gecbench.spark import frames

pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java", allow_module_level=True)

METRICS = ["gleu", "gleu(draws=py3)", "m2", "imeasure", "bleu"]
COLUMNS = {"index": "index", "annotations": "annotations"}


@pytest.fixture(scope="session")
def spark():
    """Start Spark on two cores; batches are small, and a task may fail."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"], os.environ["SPARK_LOCAL_IP"] = sys.executable, "127.0.0.1"
    options = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "3",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        session = SparkSession.builder.master("local[2,4]").config(map=options).getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


@pytest.fixture(scope="module")
def corpus():
    return gecbench.load_demo()


@pytest.fixture(scope="module")
def predictions():
    return gecbench.load_demo_systems()["rule-based"]


def rows_of(corpus, predictions):
    return {
        "index": list(range(len(corpus))),
        "source": list(corpus.sources),
        "prediction": list(predictions),
        "references": [list(texts) for texts in corpus.references],
        "annotations": [annotation_rows(found) for found in corpus.annotations],
    }


def frame_of(spark, rows, partitions=None):
    """Return a frame of rows in their order, or shuffled over some partitions."""
    from pyspark.sql import functions

    frame = spark.createDataFrame(pyarrow.table(rows))
    return frame if partitions is None else frame.orderBy(functions.rand(seed=partitions)).repartition(partitions)


def assert_same(found, expected):
    assert {name: each.to_dict() for name, each in found.items()} == {
        name: each.to_dict() for name, each in expected.items()
    }
    for name, each in expected.items():
        np.testing.assert_array_equal(found[name].statistics.counts, each.statistics.counts)
        np.testing.assert_array_equal(found[name].statistics.offsets, each.statistics.offsets)


@pytest.mark.parametrize("partitions", [1, 7, 64])
def test_shuffled_partitions_give_the_same_bits(spark, corpus, predictions, partitions):
    frame = frame_of(spark, rows_of(corpus, predictions), partitions)
    assert_same(frames.score(frame, METRICS, **COLUMNS), gecbench.score(predictions, corpus, METRICS))


def test_edits_give_the_same_bits(spark, corpus):
    edits = EditedTexts.of(corpus.sources, [sentence[:1] for sentence in corpus.annotations])
    rows = rows_of(corpus, edits) | {"prediction": [annotation_rows(sentence) for sentence in edits.annotations]}
    found = frames.score(frame_of(spark, rows, 7), "errant", references=None, **COLUMNS)
    assert_same(found, gecbench.score(edits, corpus, "errant"))


def test_a_killed_worker_changes_nothing(spark, corpus, predictions, tmp_path, monkeypatch):
    calls, count, marker = [], scale.counts, tmp_path / "killed"

    def dying_counts(*metrics, **columns):
        function = count(*metrics, **columns)

        def count_or_die(batch):
            from pyspark import TaskContext

            calls.append(batch)
            if len(calls) == 2 and TaskContext.get().partitionId() == 1 and TaskContext.get().attemptNumber() == 0:
                marker.touch()
                os.kill(os.getpid(), 9)
            return function(batch)

        count_or_die.columns = function.columns
        return count_or_die

    monkeypatch.setattr(frames.scale, "counts", dying_counts)
    found = frames.score(frame_of(spark, rows_of(corpus, predictions), 3), METRICS, **COLUMNS)
    assert marker.exists()
    assert_same(found, gecbench.score(predictions, corpus, METRICS))


def test_rows_without_an_index_are_numbered_by_their_order(spark, corpus, predictions):
    frame = frame_of(spark, rows_of(corpus, predictions)).drop("index").coalesce(2)
    found = frames.score(frame, ["gleu", "bleu"], resamples=20)
    expected = gecbench.score(predictions, corpus, ["gleu", "bleu"], resamples=20)
    for name, each in found.items():
        assert each.signature["index"] == "order"
        assert each.value == expected[name].value
        assert each.interval == expected[name].interval
        assert each.signature["data"] == expected[name].signature["data"]

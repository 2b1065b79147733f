"""The same bits from Spark as from one process, for any partitions, and if a worker is killed."""

import io
import os
import shutil
import sys
import warnings

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from hub_stand_in import HubStandIn
from scale_cases import CASES, demo

import gecbench
from gecbench import InputError, scale
from gecbench.cli import main

pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java", allow_module_level=True)


@pytest.fixture(scope="session")
def spark():
    """Start Spark on two cores; batches are small, and a task may fail."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"], os.environ["SPARK_LOCAL_IP"] = sys.executable, "127.0.0.1"
    options = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        session = SparkSession.builder.master("local[2,4]").config(map=options).getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


DEMO = demo()
CORPUS, PREDICTIONS = DEMO.corpus, DEMO.outputs


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


def scored(spark, case, partitions):
    """Score a case that is shuffled over some partitions, fourteen batches or more."""
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", len(case.corpus) // 14)
    return gecbench.spark.score(frame_of(spark, case.columns, partitions), **case.arguments)


@pytest.mark.parametrize("partitions", [1, 7, 64])
@pytest.mark.parametrize("make", CASES)
def test_shuffled_partitions_give_the_same_bits(spark, make, partitions):
    case = make()
    assert_same(scored(spark, case, partitions), case.alone)


@pytest.mark.parametrize("make", CASES)
def test_a_killed_worker_changes_nothing(spark, make, tmp_path, monkeypatch):
    case, calls, count, marker = make(), [], scale.counts, tmp_path / "killed"

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

    monkeypatch.setattr(gecbench.spark.scale, "counts", dying_counts)
    found = scored(spark, case, 3)
    assert marker.exists()
    assert_same(found, case.alone)


def test_rows_without_an_index_are_numbered_by_their_order(spark):
    frame = frame_of(spark, DEMO.columns).drop("index").coalesce(2)
    found = gecbench.spark.score(frame, ["gleu", "bleu"], resamples=20)
    expected = gecbench.score(PREDICTIONS, CORPUS, ["gleu", "bleu"], resamples=20)
    for name, each in found.items():
        assert each.signature["index"] == "order"
        assert each.value == expected[name].value
        assert each.interval == expected[name].interval
        assert each.signature["data"] == expected[name].signature["data"]


def test_bad_rows_are_refused_or_left_out(spark):
    rows = {name: list(values) for name, values in DEMO.columns.items()}
    rows["source"][4] = rows["prediction"][7] = rows["index"][9] = None
    rows["references"][11], rows["index"][20] = [], 21
    frame = frame_of(spark, rows, 7)
    with pytest.raises(InputError, match=r"6 rows cannot be scored .*(row \d+|index).* is missing; .*; …"):
        gecbench.spark.score(frame, index="index")
    kept = [i for i in range(len(CORPUS)) if i not in (4, 7, 9, 11, 20, 21)]
    found = gecbench.spark.score(frame, index="index", on_bad="skip")["gleu"]
    assert found.signature["skipped"] == "6"
    assert found.value == gecbench.score([PREDICTIONS[i] for i in kept], CORPUS.select(kept))["gleu"].value


def test_scores_and_features_of_sentences(spark):
    frame = frame_of(spark, DEMO.columns, 7)
    scored = gecbench.spark.sentence_scores(frame, ["gleu", "bleu"])
    renamed = scored.withColumnRenamed("gleu", "scored")
    both = gecbench.spark.features(renamed, references="references").toArrow().sort_by("index")
    for name, column in (("gleu", "scored"), ("bleu", "bleu")):
        expected = gecbench.score(PREDICTIONS, CORPUS, name)[name].sentence_scores()
        np.testing.assert_array_equal(both[column].to_numpy(), expected)
    for name, values in scale.features(references="references")(DEMO.columns).items():
        assert both[name].to_pylist() == values
    with pytest.raises(InputError, match="the data frame already has a column 'bleu'"):
        gecbench.spark.sentence_scores(scored, "bleu")


def test_counts_are_written_and_scored_later(spark, tmp_path):
    frame = frame_of(spark, DEMO.columns, 7)
    gecbench.spark.counts(frame, ["gleu", "m2"], index="index", annotations="annotations").write.parquet(
        str(tmp_path / "counts")
    )
    assert_same(scale.scores(scale.read(tmp_path / "counts")), gecbench.score(PREDICTIONS, CORPUS, ["gleu", "m2"]))


def test_wrong_use_is_said(spark):
    frame = frame_of(spark, DEMO.columns)
    with pytest.raises(InputError, match=r"no column 'sources'\. Choose one of index, source,"):
        gecbench.spark.score(frame, source="sources")
    with pytest.raises(InputError, match="the data frame has no rows"):
        gecbench.spark.score(frame.limit(0), index="index")
    with pytest.raises(gecbench.GecbenchError, match=r"a Spark worker failed: .*GLEU needs references"):
        gecbench.spark.score(frame, references=None, index="index")


def test_command_line(spark, tmp_path, run, capsys):
    rows = {("fixed" if name == "prediction" else name): values for name, values in DEMO.columns.items()}
    path = tmp_path / "rows.parquet"
    pyarrow.parquet.write_table(pyarrow.table(rows), path)
    printed = run("score", "--engine", "spark", "-p", path, "--column", "fixed", "--index", "index", "-m", "gleu", "m2")
    for each in gecbench.score(PREDICTIONS, CORPUS, ["gleu", "m2"]).values():
        assert f"{each.signature}\n" in printed
        assert f"{each:.2f}" in printed
    assert main(["score", "--engine", "spark", "-p", str(path)]) == 2
    assert "no column has a common name such as 'prediction' (columns: 'index', 'source'" in capsys.readouterr().err
    assert main(["score", "--engine", "spark", "-p", str(tmp_path / "nowhere")]) == 2
    assert "PATH_NOT_FOUND" in capsys.readouterr().err
    (tmp_path / "junk.parquet").write_text("no table at all\n")
    assert main(["score", "--engine", "spark", "-p", str(tmp_path / "junk.parquet")]) == 2
    assert "gecbench: Spark failed: org.apache.spark.SparkException: [FAILED_READ_FILE" in capsys.readouterr().err


def test_without_java_it_says_so(monkeypatch, refused):
    from pyspark.sql import SparkSession

    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    refused(["score", "--engine", "spark", "-p", "rows.parquet"], "Spark needs Java 17 or later. Install it, or set")


_SESSION = """
import os, sys
os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
from pyspark.sql import SparkSession
import gecbench
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
"""


def test_frames_are_read_from_the_hub_and_written_there(repository):
    """The manual's own lines, in a process of their own, with a stand-in on loopback for the Hub."""
    pytest.importorskip("pyspark_huggingface")
    manual = (repository / "docs" / "scale.md").read_text(encoding="utf-8")
    lines = manual.split("```text\nimport pyspark_huggingface")[1].split("```")[0]
    lines = lines.replace("user/pairs-filtered", "me/it").replace("user/pairs", "me/it")
    targets = [texts[0] for texts in CORPUS.references]
    targets[5] = targets[20]
    rows = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"source": list(CORPUS.sources), "prediction": targets}), rows)
    with HubStandIn(files={"data/train-00000-of-00001.parquet": rows.getvalue()}).running() as hub:
        done = hub.python(f"{_SESSION}import pyspark_huggingface{lines}")
    assert done.returncode == 0, done.stderr
    (commit,) = hub.commits
    assert (commit.repository, commit.deleted) == ("datasets/me/it", [])
    (written,) = (pyarrow.parquet.read_table(io.BytesIO(content)) for content in commit.files.values())
    assert written["prediction"].to_pylist() == [*targets[:5], *targets[6:]]

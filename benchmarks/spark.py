"""What Spark costs beside one process: the same made-up corpus, scored by both, to the same bits.

    python benchmarks/spark.py                                  # the table of docs/scale.md
    python benchmarks/spark.py gleu:300000:4 bleu:300000:4      # some rows of one's own

Processor time is that of all processes: of Spark the driver, Java from its start on, and the Python workers. Both read
the same Parquet file. Linux only.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measure import child, machine, machine_line, print_row
from texts import lines_of, make

SPARK_PARTS = ("driver", "java", "workers")
RUNS = [
    *("gleu:1000000:4", "gleu:20000:4", "gleu:1000000:1", "gleu:20000:1", "m2:1000000:2", "imeasure:1000000:2"),
    *("features:300000:1", "features:20000:1"),
]


def write_pairs(path: Path, sentences: int, references: int) -> None:
    """Write a made-up corpus as Parquet, in row groups that Spark can share out."""
    import pyarrow
    import pyarrow.parquet

    with tempfile.TemporaryDirectory() as folder:
        made = make(Path(folder), sentences, references=references, annotators=1)
        columns = {
            "index": list(range(sentences)),
            "source": lines_of(made.source),
            "prediction": lines_of(made.outputs[0]),
            "references": [list(texts) for texts in zip(*map(lines_of, made.references), strict=True)],
        }
    pyarrow.parquet.write_table(pyarrow.table(columns), path, row_group_size=50_000)


def in_one_process(path: str, metric: str) -> dict[str, Any]:
    """Score with `gecbench.score`."""
    import pyarrow.parquet

    import gecbench

    table = pyarrow.parquet.read_table(path)
    corpus = gecbench.Corpus(table["source"].to_pylist(), table["references"].to_pylist())
    score = gecbench.score(table["prediction"].to_pylist(), corpus, metric)[metric]
    return {"score": str(score), "value": score.value, "seconds": time.process_time()}


def with_spark(path: str, metric: str) -> dict[str, Any]:
    """Score with `gecbench.scale.spark.score`, or add the columns to filter by where the metric is "features"."""
    from gecbench.scale.spark import features, score, session

    with session("local[2]") as spark:
        frame = spark.read.parquet(path)
        if metric == "features":
            features(frame).write.format("noop").mode("overwrite").save()
            found: dict[str, Any] = {"score": "", "value": 0.0}
        else:
            scored = score(frame, metric, index="index")[metric]
            found = {"score": str(scored), "value": scored.value}
        parts = processor_times()
    return {**found, "seconds": sum(parts.values()), **parts}


def processor_times() -> dict[str, float]:
    """Return the processor time so far of this process, of Java, and of its children."""
    stats = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        stats[int(path.parent.name)] = int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    times, level = dict.fromkeys(SPARK_PARTS, 0.0), {os.getpid()}
    for part in (*SPARK_PARTS, "workers", "workers"):
        times[part] += sum(stats[process][1] for process in level)
        level = {process for process, (parent, _) in stats.items() if parent in level}
    return times


def main() -> None:
    """Measure both and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", default=RUNS, help="METRIC:SENTENCES:REFERENCES; the metric may be features")
    parser.add_argument("--child", nargs=3, metavar=("WHAT", "PATH", "METRIC"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        what, path, metric = options.child
        print(json.dumps((with_spark if what == "spark" else in_one_process)(path, metric)))
        return
    print(f"{machine_line(machine())}\n")
    names = ("one process", "Spark", *(f"of that {part}" for part in SPARK_PARTS), "ratio")
    print_row("metric", "sentences", "references", *names, "same bits")
    print_row("---", *["---:"] * 8, "---")
    for run in options.runs:
        metric, sentences, references = run.split(":")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "pairs.parquet"
            write_pairs(path, int(sentences), int(references))
            print_row(metric, f"{int(sentences):,}", references, *measured(str(path), metric))
            sys.stdout.flush()


def measured(path: str, metric: str) -> list[str]:
    """Return the rest of the row of a metric."""
    spark = child("spark.py", "--child", "spark", path, metric)
    parts = [f"{spark[part]:.1f} s" for part in ("seconds", *SPARK_PARTS)]
    if metric == "features":
        return ["", *parts, "", ""]
    one = child("spark.py", "--child", "one", path, metric)
    same = "yes" if (one["value"], one["score"]) == (spark["value"], spark["score"]) else "NO"
    return [f"{one['seconds']:.1f} s", *parts, f"{spark['seconds'] / one['seconds']:.2f}", same]


if __name__ == "__main__":
    main()

"""Measure streams and Spark against one process, on the same generated text, for docs/scale.md.

    python benchmarks/scale.py                                  # 0.1 and 1 million sentences, GLEU, M2, I-measure
    python benchmarks/scale.py --sizes 10 --metrics gleu --references 1    # the texts of 1 million ten times
    python benchmarks/scale.py --spark                          # what Spark costs
    python benchmarks/scale.py --spark gleu:300000:4 bleu:300000:4         # METRIC:SENTENCES:REFERENCES

Streams: memory by the number of sentences, and sentences per second. Each run is its own process with one thread. If a
size fits into memory, it is also scored without streaming. Both runs must print the same scores.

Spark: processor time of the driver, of Java from its start, and of the Python workers, compared with one process that
reads the same Parquet file. The scores must be equal bit by bit. Linux only.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measure import Usage, child, gecbench_program, machine, machine_line, print_row, run_program
from texts import Made, lines_of, made_files, make

MILLION = 1_000_000
SPARK_PARTS = ("driver", "java", "workers")
SPARK_RUNS = [
    *("gleu:1000000:4", "gleu:20000:4", "gleu:1000000:1", "gleu:20000:1", "m2:1000000:2", "imeasure:1000000:2"),
    *("features:300000:1", "features:20000:1"),
]


def arguments_of(made: Made, metric: str) -> list[str]:
    """Return the options that name files and metric."""
    gold = ["-s", made.source, "-r", *made.references] if metric in ("gleu", "bleu") else ["--gold", made.gold]
    return [*map(str, gold), "-p", str(made.outputs[0]), "-m", metric, "--tokenized"]


def made_apart(folder: Path, sentences: int, references: int) -> Made:
    """Generate texts in another process, because a child's peak memory is at least that of its parent."""
    size = ["--sizes", str(sentences / MILLION), "--references", str(references)]
    run_program([sys.executable, __file__, "--make", str(folder), *size])
    return made_files(folder, references)


def repeated(made: Made, folder: Path, times: int) -> Made:
    """Return files that repeat the files of another corpus several times, without gold edits."""
    again = made_files(folder, len(made.references))
    pairs = [(made.source, again.source), *zip(made.references, again.references, strict=True)]
    for path, target in (*pairs, (made.outputs[0], again.outputs[0])):
        with target.open("wb") as file:
            for _ in range(times):
                with path.open("rb") as part:
                    shutil.copyfileobj(part, file)
    return again


def score_program(*arguments: str) -> Usage:
    """Run gecbench on one thread."""
    return run_program(gecbench_program("score", *arguments), {"GECBENCH_THREADS": "1"})


def stream_row(metric: str, sentences: int, way: str, used: Usage) -> str:
    """Return a row of the table of streams."""
    rate = sentences / used.seconds
    return f"| {metric} | {sentences / MILLION:g} M | {way} | {used.megabytes:.0f} | {used.seconds:.0f} | {rate:,.0f} |"


def measure_stream(made: Made, sentences: int, metric: str, whole: bool) -> None:
    """Print time and memory of a stream and, if `whole`, of one process without streaming."""
    arguments = arguments_of(made, metric)
    streamed = score_program("--stream", *arguments)
    print(stream_row(metric, sentences, "stream", streamed), flush=True)
    if whole:
        alone = score_program(*arguments)
        print(stream_row(metric, sentences, "in memory", alone), flush=True)
        if alone.output != streamed.output:
            sys.exit(f"they differ:\n{alone.output}\n{streamed.output}")


def print_streams(options: argparse.Namespace) -> None:
    """Print time and memory of streams as a Markdown table."""
    print("| metric | sentences | way | peak, MB | processor time, s | sentences a second |")
    print("|---|---:|---|---:|---:|---:|")
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as folder:
            made = made_apart(Path(folder), round(min(size, 1) * MILLION), options.references)
            if size > 1:
                (Path(folder) / "all").mkdir()
                made = repeated(made, Path(folder) / "all", round(size))
            for metric in options.metrics:
                measure_stream(made, round(size * MILLION), metric, size <= options.alone)


def write_pairs(path: Path, sentences: int, references: int) -> None:
    """Write a generated corpus as Parquet, in row groups that Spark can distribute."""
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
    """Score with `gecbench.spark.score`, or add the columns for filtering if the metric is "features"."""
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


def spark_cells(path: str, metric: str) -> list[str]:
    """Return the remaining cells of the row of a metric."""
    spark = child("scale.py", "--child", "spark", path, metric)
    parts = [f"{spark[part]:.1f} s" for part in ("seconds", *SPARK_PARTS)]
    if metric == "features":
        return ["", *parts, "", ""]
    one = child("scale.py", "--child", "one", path, metric)
    same = "yes" if (one["value"], one["score"]) == (spark["value"], spark["score"]) else "NO"
    return [f"{one['seconds']:.1f} s", *parts, f"{spark['seconds'] / one['seconds']:.2f}", same]


def print_spark(runs: list[str]) -> None:
    """Print the processor time of Spark and of one process as a Markdown table."""
    print(f"{machine_line(machine())}\n")
    names = ("one process", "Spark", *(f"of that {part}" for part in SPARK_PARTS), "ratio")
    print_row("metric", "sentences", "references", *names, "same bits")
    print_row("---", *["---:"] * 8, "---")
    for run in runs:
        metric, sentences, references = run.split(":")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "pairs.parquet"
            write_pairs(path, int(sentences), int(references))
            print_row(metric, f"{int(sentences):,}", references, *spark_cells(str(path), metric))
            sys.stdout.flush()


def main() -> None:
    """Print the table that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=float, nargs="+", default=[0.1, 1], help="in millions of sentences")
    parser.add_argument("--metrics", nargs="+", default=["gleu", "m2", "imeasure"])
    parser.add_argument("--references", type=int, default=4)
    parser.add_argument("--alone", type=float, default=1, help="the most millions that are scored in memory, too")
    parser.add_argument("--make", metavar="FOLDER", type=Path, help="only write the texts of the first size")
    parser.add_argument(
        "--spark", metavar="RUN", nargs="*", help="METRIC:SENTENCES:REFERENCES; the metric may be features"
    )
    parser.add_argument("--child", nargs=3, metavar=("WHAT", "PATH", "METRIC"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        what, path, metric = options.child
        print(json.dumps((with_spark if what == "spark" else in_one_process)(path, metric)))
    elif options.make:
        make(options.make, round(options.sizes[0] * MILLION), references=options.references)
    elif options.spark is not None:
        print_spark(options.spark or SPARK_RUNS)
    else:
        print_streams(options)


if __name__ == "__main__":
    main()

"""Streams of made-up text: memory by the number of sentences, and sentences a second beside one process.

    python benchmarks/scale.py                                  # 0.1 and 1 million sentences, GLEU, M2, I-measure
    python benchmarks/scale.py --sizes 10 --metrics gleu --references 1    # the texts of 1 million ten times

Each run is a process of its own with one thread. Where a size fits into one process it is scored there, too, and what
both print must be the same.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from measure import Usage, gecbench_program, run_program
from texts import Made, made_files, make

MILLION = 1_000_000


def arguments_of(made: Made, metric: str) -> list[str]:
    """Return the options that name files and metric."""
    gold = ["-s", made.source, "-r", *made.references] if metric in ("gleu", "bleu") else ["--gold", made.gold]
    return [*map(str, gold), "-p", str(made.outputs[0]), "-m", metric, "--tokenized"]


def made_apart(folder: Path, sentences: int, references: int) -> Made:
    """Make texts in a process of its own: a program's peak is counted from that of the process that starts it."""
    size = ["--sizes", str(sentences / MILLION), "--references", str(references)]
    run_program([sys.executable, __file__, "--make", str(folder), *size])
    return made_files(folder, references)


def repeated(made: Made, folder: Path, times: int) -> Made:
    """Return files that hold those of another corpus several times; no gold edits."""
    again = made_files(folder, len(made.references))
    pairs = [(made.source, again.source), *zip(made.references, again.references, strict=True)]
    for path, target in (*pairs, (made.outputs[0], again.outputs[0])):
        with target.open("wb") as file:
            for _ in range(times):
                with path.open("rb") as part:
                    shutil.copyfileobj(part, file)
    return again


def measured(*arguments: str) -> Usage:
    """Run gecbench on one thread."""
    return run_program(gecbench_program("score", *arguments), {"GECBENCH_THREADS": "1"})


def row(metric: str, sentences: int, way: str, used: Usage) -> str:
    """Return a line of the table."""
    rate = sentences / used.seconds
    return f"| {metric} | {sentences / MILLION:g} M | {way} | {used.megabytes:.0f} | {used.seconds:.0f} | {rate:,.0f} |"


def measure(made: Made, sentences: int, metric: str, whole: bool) -> None:
    """Print what a stream takes, and one process."""
    arguments = arguments_of(made, metric)
    streamed = measured("--stream", *arguments)
    print(row(metric, sentences, "stream", streamed), flush=True)
    if whole:
        alone = measured(*arguments)
        print(row(metric, sentences, "in memory", alone), flush=True)
        if alone.output != streamed.output:
            sys.exit(f"they differ:\n{alone.output}\n{streamed.output}")


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=float, nargs="+", default=[0.1, 1], help="in millions of sentences")
    parser.add_argument("--metrics", nargs="+", default=["gleu", "m2", "imeasure"])
    parser.add_argument("--references", type=int, default=4)
    parser.add_argument("--alone", type=float, default=1, help="the most millions that are scored in memory, too")
    parser.add_argument("--make", metavar="FOLDER", type=Path, help="only write the texts of the first size")
    options = parser.parse_args()
    if options.make:
        make(options.make, round(options.sizes[0] * MILLION), references=options.references)
        return
    print("| metric | sentences | way | peak, MB | processor time, s | sentences a second |")
    print("|---|---:|---|---:|---:|---:|")
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as folder:
            made = made_apart(Path(folder), round(min(size, 1) * MILLION), options.references)
            if size > 1:
                (Path(folder) / "all").mkdir()
                made = repeated(made, Path(folder) / "all", round(size))
            for metric in options.metrics:
                measure(made, round(size * MILLION), metric, size <= options.alone)


if __name__ == "__main__":
    main()

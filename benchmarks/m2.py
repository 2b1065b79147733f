"""What M2 costs: CoNLL-14 systems against reading their files, outputs that repeat a clause, numbers of annotators.

    python benchmarks/m2.py           the whole table (about a minute)
    python benchmarks/m2.py --quick   fewer repetitions, small sizes

CoNLL-14 needs GECBENCH_MIRROR; the rest is synthetic. Memory is measured in a process of its own each time.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import platform
import random
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import numpy as np
from gleu import best, implementations, synthetic

import gecbench
import gecbench.analysis.significance
from gecbench.corpus.edits import Annotation, Edit, extract_edits
from gecbench.formats.m2 import parse_m2

CONLL14 = "www.comp.nus.edu.sg/~nlp/conll14st/conll14st-test-data.tar.gz"
GOLD = "conll14st-test-data/noalt/official-2014.combined.m2"
SUBMISSIONS = (
    "raw.githubusercontent.com/grammatical/evaluation/08cdad84ffae07dfa167e3e45d77a96e0e01a160"
    "/data/original/official_submissions"
)
REPEATS = ("own clause", "foreign clause", "one word")
LENGTHS = (500, 2_000, 10_000)
ANNOTATORS = (1, 2, 5, 10, 20)
SOURCE = 30
CLAUSE = 7


def main() -> None:
    options = _options()
    if options.measure:
        print(json.dumps(repeated_clause(**json.loads(options.measure))))
        return
    print(f"gecbench {gecbench.__version__}, {platform.python_implementation()} {platform.python_version()}, ", end="")
    print(f"numpy {np.__version__}, {os.cpu_count()} cores, one used")
    if os.environ.get("GECBENCH_MIRROR"):
        conll14(Path(os.environ["GECBENCH_MIRROR"]), repeats=5 if options.quick else 25)
    repeats_table(LENGTHS[:2] if options.quick else LENGTHS)
    annotators_table(200 if options.quick else 2_000)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, small sizes")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    return parser.parse_args()


def conll14(mirror: Path, repeats: int) -> None:
    with tarfile.open(mirror / CONLL14) as archive:
        member = archive.extractfile(GOLD)
        gold = member.read() if member else b""
    files = sorted(path for path in (mirror / SUBMISSIONS).iterdir() if path.name != "INPUT")
    corpus = parse_m2(_lines(gold))
    metric = gecbench.M2()
    print(f"\nCoNLL-14 ({len(corpus)} sentences, two annotators)\n")
    print("| system | reading and splitting | strings to score | ratio | next system | ratio | Python twin |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for file in files:
        data = file.read_bytes()
        outputs = _lines(data)
        reading = best(lambda: [line.split() for text in (gold, file.read_bytes()) for line in _lines(text)], repeats)  # noqa: B023
        first = best(lambda: metric.score_corpus(parse_m2(_lines(gold)), _lines(data)), repeats)  # noqa: B023
        further = best(lambda: metric.score_corpus(corpus, _lines(data)), repeats)  # noqa: B023
        twin = _with_kernels("python", lambda: best(lambda: metric.count(corpus, outputs), 1))  # noqa: B023
        print(
            f"| {file.name} | {_time(reading)} | {_time(first)} | {first / reading:.1f} × | {_time(further)} ", end=""
        )
        print(f"| {further / reading:.1f} × | {_time(twin)} |")


def _lines(data: bytes) -> list[str]:
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="\n").read().removesuffix("\n").split("\n")


def _with_kernels(implementation: str, work: object) -> float:
    before = os.environ.get("GECBENCH_KERNELS")
    os.environ["GECBENCH_KERNELS"] = implementation
    try:
        return work()  # type: ignore[operator, no-any-return]
    finally:
        os.environ.pop("GECBENCH_KERNELS")
        if before is not None:
            os.environ["GECBENCH_KERNELS"] = before


def repeats_table(lengths: tuple[int, ...]) -> None:
    print(f"\nOutputs that repeat a clause (source of {SOURCE} tokens, 5 gold edits)\n")
    print("| repeated | tokens | native | ns a cell | memory | bytes a cell | Python twin |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for kind in REPEATS:
        for length in lengths:
            row, twin = (_measured(name, kind, length) for name in (implementations()[0], "python"))
            cells = SOURCE * length
            print(f"| {kind} | {length:,} | {_time(row['seconds'])} | {1e9 * row['seconds'] / cells:.0f} ", end="")
            print(f"| {row['megabytes']:.1f} MB | {2**20 * row['megabytes'] / cells:.0f} | {_time(twin['seconds'])} |")


def _measured(implementation: str, kind: str, length: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--measure", json.dumps({"kind": kind, "length": length})]
    environment = {**os.environ, "GECBENCH_KERNELS": implementation}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def repeated_clause(kind: str, length: int) -> dict[str, float]:
    """Return seconds and megabytes of one sentence whose output repeats a clause, its own or not, or a word."""
    source = [f"w{i}" for i in range(SOURCE)]
    clause = source[10 : 10 + CLAUSE] if kind == "own clause" else [f"x{i}" for i in range(CLAUSE)]
    if kind == "one word":
        source, clause = [f"w{i % 3}" for i in range(SOURCE)], ["w0"]
    output = (source[:17] + clause * (length // len(clause) + 1))[:length]
    texts = {(3, 4): "z", (12, 13): "", (17, 17): " ".join(clause), (20, 22): "w0 w0", (29, 30): "y"}
    gold = Annotation(0, tuple(Edit(*span, (text,)) for span, text in texts.items()))
    corpus = gecbench.Corpus(sources=[" ".join(source)], annotations=[[gold]])
    metric = gecbench.M2()
    metric.count(corpus, [" ".join(source[:5])])
    before = peak_megabytes()
    begin = time.process_time()
    metric.count(corpus, [" ".join(output)])
    return {"seconds": time.process_time() - begin, "megabytes": peak_megabytes() - before}


def peak_megabytes() -> float:
    """Return the most memory that this process has held since it began (0 where the system does not tell)."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0.0
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")) / 1024


def annotators_table(sentences: int) -> None:
    print(f"\nBy number of annotators ({sentences:,} sentences, one token in eight changed by each; native)\n")
    print("| annotators | counting | relative to 2 | choosing | 1,000 resamples |\n|---:|---:|---:|---:|---:|")
    made = synthetic(sentences, max(ANNOTATORS))
    texts = gecbench.Corpus(**made)  # type: ignore[arg-type]
    chance = random.Random(2)
    outputs = [chance.choice(found) for found in texts.references or ()]
    edits = [
        [Annotation(k, extract_edits(source, text)) for k, text in enumerate(found)]
        for source, found in zip(texts.sources, texts.references or (), strict=True)
    ]
    metric = gecbench.M2()
    rows = {}
    for count in ANNOTATORS:
        corpus = gecbench.Corpus(sources=texts.sources, annotations=[found[:count] for found in edits])
        statistics = metric.count(corpus, outputs)
        rows[count] = (
            best(lambda: metric.count(corpus, outputs), 5),  # noqa: B023
            best(lambda: metric.value_of(statistics), 5),  # noqa: B023
            best(lambda: gecbench.analysis.significance.bootstrap_values(metric, statistics, 1_000), 1),  # noqa: B023
        )
    for count, (counting, choosing, resampling) in rows.items():
        relative = f"{counting / rows[2][0]:.2f}"
        print(f"| {count} | {_time(counting)} | {relative} | {_time(choosing)} | {_time(resampling)} |")


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.1f} ms"


if __name__ == "__main__":
    main()

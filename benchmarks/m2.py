"""What M2 costs: CoNLL-14 systems against reading their files, outputs that repeat a clause, numbers of annotators.

    python benchmarks/m2.py           the whole table (about a minute)
    python benchmarks/m2.py --quick   fewer repetitions, small sizes

CoNLL-14 needs GECBENCH_MIRROR; the rest is synthetic. Memory is measured in a process of its own each time.
"""

from __future__ import annotations

import io
import os
import random
from pathlib import Path

from gleu import synthetic
from measure import (
    best,
    conll14_member,
    implementations,
    is_quick,
    measured,
    mirror,
    peak_megabytes,
    print_row,
    submissions,
    time_label,
)

import gecbench
import gecbench.analysis.significance
from gecbench.corpus.edits import Annotation, Edit, extract_edits
from gecbench.formats.m2 import parse_m2

REPEATS = ("own clause", "foreign clause", "one word")
LENGTHS = (500, 2_000, 10_000)
ANNOTATORS = (1, 2, 5, 10, 20)
SOURCE = 30
CLAUSE = 7


def main() -> None:
    quick = is_quick(__doc__, repeated_clause, "fewer repetitions, small sizes")
    if folder := mirror():
        conll14(folder, repeats=5 if quick else 25)
    repeats_table(LENGTHS[:2] if quick else LENGTHS)
    annotators_table(200 if quick else 2_000)


def conll14(folder: Path, repeats: int) -> None:
    gold = conll14_member(folder, "noalt/official-2014.combined.m2")
    corpus = parse_m2(_lines(gold))
    metric = gecbench.M2()
    print(f"\nCoNLL-14 ({len(corpus)} sentences, two annotators)\n")
    print("| system | reading and splitting | strings to score | ratio | next system | ratio | Python twin |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for file in submissions(folder):
        data = file.read_bytes()
        outputs = _lines(data)
        reading = best(lambda: [line.split() for text in (gold, file.read_bytes()) for line in _lines(text)], repeats)  # noqa: B023
        first = best(lambda: metric.score_corpus(parse_m2(_lines(gold)), _lines(data)), repeats)  # noqa: B023
        further = best(lambda: metric.score_corpus(corpus, _lines(data)), repeats)  # noqa: B023
        twin = _with_kernels("python", lambda: best(lambda: metric.count(corpus, outputs), 1))  # noqa: B023
        times = [time_label(reading), time_label(first), f"{first / reading:.1f} ×"]
        print_row(file.name, *times, time_label(further), f"{further / reading:.1f} ×", time_label(twin))


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
            row, twin = (measured(name, kind=kind, length=length) for name in (implementations()[0], "python"))
            seconds, megabytes, cells = row["seconds"], row["megabytes"], SOURCE * length
            costs = [f"{1e9 * seconds / cells:.0f}", f"{megabytes:.1f} MB", f"{2**20 * megabytes / cells:.0f}"]
            print_row(kind, f"{length:,}", time_label(seconds), *costs, time_label(twin["seconds"]))


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
    seconds = best(lambda: metric.count(corpus, [" ".join(output)]), 1)
    return {"seconds": seconds, "megabytes": peak_megabytes() - before}


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
        print_row(count, time_label(counting), relative, time_label(choosing), time_label(resampling))


if __name__ == "__main__":
    main()

"""What GLEU costs: native kernels against their Python twins, and against sentences, references and draws.

    python benchmarks/gleu.py           the whole table (some minutes)
    python benchmarks/gleu.py --quick   the same on small sizes (some seconds)

Each measurement runs in a process of its own, so that its peak memory is its own. The text is synthetic; with
GECBENCH_MIRROR set, JFLEG's test set is timed too, against reading and splitting the same files.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

from measure import best, implementations, is_quick, measured, mirror, peak_megabytes, time_label

import gecbench
from gecbench import kernels
from gecbench.formats.parallel import read_parallel
from gecbench.formats.text import read_lines

JFLEG_TEST = "raw.githubusercontent.com/keisks/jfleg/ee06ff806a208aba815ac45313f4e750a48330a5/test"
SENTENCES = (1_000, 10_000, 100_000, 1_000_000)
REFERENCES = (1, 2, 4, 8, 16)
DRAWS = (1, 10, 100, 500, 1_000)
PYTHON_LIMIT = 10_000
LENGTH = 19


def main() -> None:
    quick = is_quick(__doc__, measure, "small sizes only", f"; {LENGTH} tokens a sentence on average")
    base = 2_000 if quick else 10_000
    speed(base)
    by_sentences([size for size in SENTENCES if not quick or size <= base])
    by_references(base)
    by_draws(base)
    if folder := mirror():
        jfleg(folder / JFLEG_TEST, repeats=5 if quick else 25)


def speed(sentences: int) -> None:
    print(f"\nSentences per second ({sentences:,} sentences, 4 references, 500 draws)\n")
    rows = {implementation: measured(implementation, sentences=sentences) for implementation in implementations()}
    print("| step | native | Python twin | ratio |\n|---|---:|---:|---:|")
    for step, words in (("count", "counting n-grams"), ("draw", "drawing and scoring"), ("both", "text to score")):
        speeds = {name: sentences / row[step] for name, row in rows.items()}
        native = speeds.get("native")
        ratio = f"{native / speeds['python']:.0f} ×" if native else "–"
        print(f"| {words} | {f'{native:,.0f}' if native else '–'} | {speeds['python']:,.0f} | {ratio} |")


def by_sentences(sizes: list[int]) -> None:
    print("\nBy number of sentences (4 references, 500 draws; a dash: the Python twin would take minutes)\n")
    print("| sentences | counting | drawing | µs a sentence | memory over the text | Python twin |")
    print("|---:|---:|---:|---:|---:|---:|")
    for size in sizes:
        row = measured(implementations()[0], sentences=size)
        twin = (
            f"{measured('python', sentences=size)['both'] / row['both']:.0f} × as long" if size <= PYTHON_LIMIT else "–"
        )
        memory = f"{row['memory']:,.0f} MB ({row['text']:,.0f} MB)"
        print(f"| {size:,} | {time_label(row['count'])} | {time_label(row['draw'])} | ", end="")
        print(f"{1e6 * row['both'] / size:.1f} | {memory} | {twin} |")


def by_references(sentences: int) -> None:
    print(f"\nBy number of references ({sentences:,} sentences, 500 draws; time relative to 4 references)\n")
    rows = {count: measured(implementations()[0], sentences=sentences, references=count) for count in REFERENCES}
    _relative("references", rows, rows[4])


def by_draws(sentences: int) -> None:
    print(f"\nBy number of draws ({sentences:,} sentences, 4 references; time relative to 500 draws)\n")
    rows = {count: measured(implementations()[0], sentences=sentences, draws=count) for count in DRAWS}
    _relative("draws", rows, rows[500])


def _relative(what: str, rows: dict[int, dict[str, float]], standard: dict[str, float]) -> None:
    print(f"| {what} | counting | drawing | text to score |\n|---:|---:|---:|---:|")
    for count, row in rows.items():
        cells = (f"{row[step] / standard[step]:.2f}" for step in ("count", "draw", "both"))
        print(f"| {count:,} | {' | '.join(cells)} |")


def jfleg(folder: Path, repeats: int) -> None:
    sources, *references = (folder / f"test.{name}" for name in ("src", "ref0", "ref1", "ref2", "ref3"))
    files = [sources, sources, *references]
    corpus = read_parallel(sources, references)
    predictions = list(corpus.sources)
    reading = best(lambda: [line.split() for file in files for line in read_lines(file)], repeats)
    scoring = best(lambda: _from_strings(corpus, predictions, "native"), repeats)
    print(f"\nJFLEG test ({len(corpus)} sentences, 4 references, 500 draws, the source as prediction)\n")
    print(f"reading and splitting the six files  {time_label(reading)}")
    print(f"strings to score                     {time_label(scoring)}  = {scoring / reading:.1f} × the reading")


def _from_strings(corpus: gecbench.Corpus, predictions: list[str], implementation: str) -> float:
    if implementation in implementations():
        os.environ["GECBENCH_KERNELS"] = implementation
    metric = gecbench.GLEU()
    found = metric.score(sources=corpus.sources, predictions=predictions, references=corpus.references or ())
    return found.value


def measure(sentences: int, references: int = 4, draws: int = 500) -> dict[str, float]:
    """Return seconds for counting, for drawing and scoring, for both; megabytes of the text and beyond it."""
    corpus = gecbench.Corpus(**synthetic(sentences, references))  # type: ignore[arg-type]
    predictions = [texts[0] if i % 3 else source for i, (source, texts) in enumerate(_pairs(corpus))]
    text = peak_megabytes()
    metric = gecbench.GLEU(iterations=draws)
    repeats = 7 if sentences <= 10_000 and kernels.active() == "native" else 1
    count = best(lambda: metric.count(corpus, predictions), repeats)
    statistics = metric.count(corpus, predictions)
    draw = best(lambda: metric.value_of(statistics), repeats)
    return {"count": count, "draw": draw, "both": count + draw, "text": text, "memory": peak_megabytes() - text}


def synthetic(sentences: int, references: int) -> dict[str, object]:
    """Return sources and references of made-up words, frequent and rare as in real text, one token in eight changed."""
    chance = random.Random(1)
    words = [f"w{number}" for number in range(30_000)]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    pool = chance.choices(words, weights, k=1 << 18)
    made: dict[str, list[object]] = {"sources": [], "references": []}
    for _ in range(sentences):
        begin = chance.randrange(len(pool) - 2 * LENGTH)
        tokens = pool[begin : begin + chance.randint(LENGTH - 12, LENGTH + 12)]
        made["sources"].append(" ".join(tokens))
        made["references"].append([_rewritten(tokens, pool, chance) for _ in range(references)])
    return dict(made)


def _rewritten(tokens: list[str], pool: list[str], chance: random.Random) -> str:
    changed = list(tokens)
    for _ in range(1 + len(tokens) // 8):
        changed[chance.randrange(len(changed))] = chance.choice(pool)
    return " ".join(changed)


def _pairs(corpus: gecbench.Corpus) -> Iterator[tuple[str, tuple[str, ...]]]:
    return zip(corpus.sources, corpus.references or (), strict=True)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()

"""What the I-measure costs: CoNLL-14 systems, alignments asked for and done, sentence length, number of groups, memory.

    python benchmarks/imeasure.py           the whole table (a minute or two)
    python benchmarks/imeasure.py --quick   fewer systems and repetitions, small sizes

CoNLL-14 needs GECBENCH_MIRROR; the rest is synthetic. Memory is measured in a process of its own each time.
"""

from __future__ import annotations

import random
from pathlib import Path

from measure import (
    SUBMISSIONS,
    best,
    conll14_member,
    implementations,
    is_quick,
    measured,
    mirror,
    peak_megabytes,
    submissions,
)

import gecbench
from gecbench import Alternative, Corpus, ErrorGroup, GroupedSentence, Replacement
from gecbench.formats.m2 import parse_m2

GOLDS = {
    "two annotators": "noalt/official-2014.combined.m2",
    "with alternatives": "alt/official-2014.combined-withalt.m2",
}
LENGTHS = (10, 25, 50, 100, 200, 400)
GROUPS = (1, 5, 10, 20, 40, 80)


def main() -> None:
    quick = is_quick(__doc__, measure, "fewer systems and repetitions, small sizes")
    repeats = 3 if quick else 11
    if folder := mirror():
        conll14(folder, ("AMU", "CAMB") if quick else None, repeats)
        whole(quick)
    by_length(LENGTHS[:4] if quick else LENGTHS, repeats)
    by_groups(GROUPS[:4] if quick else GROUPS, repeats)


def read_gold(folder: Path, gold: str) -> Corpus:
    return parse_m2(conll14_member(folder, GOLDS[gold]).decode().split("\n"))


def read_system(folder: Path, system: str) -> list[str]:
    return (folder / SUBMISSIONS / system).read_bytes().decode().split("\n")[:1312]


def conll14(folder: Path, systems: tuple[str, ...] | None, repeats: int) -> None:
    """Alignments asked for (one per mixed reference), done and spared, and time from strings to score."""
    names = systems or [path.name for path in submissions(folder)]
    for gold in GOLDS:
        corpus = read_gold(folder, gold)
        print(f"\nCoNLL-14, {gold}: 1,312 sentences, strings to score (gold grouped anew / known already)\n")
        print("| system | unmixed | mixed | asked for | done | pruned | cells | I unmixed | I mixed |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
        for name in names:
            lines = read_system(folder, name)
            times = {mixing: _times(corpus, lines, mixing, repeats) for mixing in (False, True)}
            plain, mixed = (gecbench.IMeasure(mixing=mixing).score_corpus(corpus, lines) for mixing in (False, True))
            asked, done = mixed.diagnostics["alignments_asked"], mixed.diagnostics["alignments_done"]
            cells = [
                f"{asked:.2e}",
                f"{done:,.0f}",
                f"{asked - done:.2e}",
                f"{mixed.diagnostics['alignment_cells']:,.0f}",
            ]
            values = [f"{100 * plain.value:.2f}", f"{100 * mixed.value:.2f}"]
            print(f"| {name} | {times[False]} | {times[True]} | {' | '.join([*cells, *values])} |")


def _times(corpus: Corpus, lines: list[str], mixing: bool, repeats: int) -> str:
    metric = gecbench.IMeasure(mixing=mixing)
    fresh = best(lambda: metric.score_corpus(corpus.replace(), lines), repeats)
    metric.score_corpus(corpus, lines)
    again = best(lambda: metric.score_corpus(corpus, lines), repeats)
    return f"{1000 * fresh:.0f} / {1000 * again:.0f} ms"


def whole(quick: bool) -> None:
    """Time and peak memory of a process that reads CoNLL-14 and scores one system."""
    print("\nOne process: reading the gold with alternatives and scoring CAMB\n")
    print("| kernels | mixing | scoring | peak memory of the process |\n|---|---|---:|---:|")
    for implementation in implementations():
        for mixing in (False, True):
            if implementation == "python" and quick:
                continue
            row = measured(implementation, mixing=mixing, system="CAMB")
            words = "full" if mixing else "none"
            print(f"| {implementation} | {words} | {row['seconds']:.2f} s | {row['memory']:.0f} MB |")


def measure(mixing: bool, system: str) -> dict[str, float]:
    metric = gecbench.IMeasure(mixing=mixing)
    folder = mirror() or Path()
    corpus, lines = read_gold(folder, "with alternatives"), read_system(folder, system)
    seconds = best(lambda: metric.score_corpus(corpus, lines), 1)
    return {"seconds": seconds, "memory": peak_megabytes()}


def by_length(lengths: tuple[int, ...], repeats: int) -> None:
    """One error in ten tokens, each with two alternatives; the output corrects half and spoils one token in twenty."""
    print("\nBy sentence length (one error in ten tokens, three choices each)\n")
    print("| tokens | references | alignments | cells | unmixed | mixed |\n|---:|---:|---:|---:|---:|---:|")
    for length in lengths:
        print(_row(f"{length}", length, max(1, length // 10), repeats))


def by_groups(numbers: tuple[int, ...], repeats: int) -> None:
    """The same, with errors ever closer in a sentence of 400 tokens."""
    print("\nBy number of groups (400 tokens, three choices each)\n")
    print("| groups | references | alignments | cells | unmixed | mixed |\n|---:|---:|---:|---:|---:|---:|")
    for number in numbers:
        print(_row(f"{number}", 400, number, repeats))


def _row(label: str, length: int, groups: int, repeats: int) -> str:
    corpus, outputs = synthetic_groups(length, groups, sentences=10)
    work = gecbench.IMeasure().score_corpus(corpus, outputs).diagnostics
    times = []
    for mixing in (False, True):
        metric = gecbench.IMeasure(mixing=mixing)
        times.append(f"{1e6 * best(lambda m=metric: m.score_corpus(corpus, outputs), repeats) / 10:,.0f} µs")
    counts = [f"{3**groups:.1e}", *(f"{work[name] / 10:,.0f}" for name in ("alignments_done", "alignment_cells"))]
    return f"| {' | '.join([label, *counts, *times])} |"


def synthetic_groups(length: int, groups: int, sentences: int) -> tuple[Corpus, list[str]]:
    generator = random.Random(length * 1000 + groups)
    sources, grouped, outputs = [], [], []
    for _ in range(sentences):
        words = [f"w{min(int(generator.paretovariate(0.7)), 5000)}" for _ in range(length)]
        places = [round((k + 0.5) * length / groups - 0.5) for k in range(groups)]
        errors = tuple(
            ErrorGroup(
                tuple(Alternative(str(n), (Replacement(place, place + 1, f"right{n}"),)) for n in range(2)), False
            )
            for place in places
        )
        output = list(words)
        for k, place in enumerate(places):
            output[place] = "right0" if k % 2 else output[place]
        for place in range(7, length, 20):
            output[place] = "wrong"
        sources.append(" ".join(words))
        grouped.append(GroupedSentence(errors, 3))
        outputs.append(" ".join(output))
    return Corpus(sources=sources, groups=grouped), outputs


if __name__ == "__main__":
    main()

"""How much of a sealed board's gold a prober learns from corpus scores, with and without rounding.

    python benchmarks/probing.py            CoNLL-14, a public system: the table of docs/leaderboard.md
    python benchmarks/probing.py --quick    the demo corpus
    python benchmarks/probing.py --padded   the second table: one edit among others that are surely wrong

The prober hands in a system's outputs, then the same with some sentences left as the source was, and looks at the
difference of the two scores: its sign tells whether the gold likes the system's change. Three readings of each probe:

- told: how often the two scores as told differ at all;
- bits: the entropy of the told difference over all probes, which bounds what one submission tells of the gold;
- edge: how often they would differ for one who has first, by further submissions, come to the edge of a rounding step.

A padded probe is the source with a number of sentences that are surely wrong (a made-up word at the end), and one
sentence of the system. Its score is compared with that of the padding alone. This is how to probe a single sentence
where submissions have to change several.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import log2

import gecbench
from gecbench.leaderboard.records import PRIVATE_MIN_CHANGES
from gecbench.leaderboard.scoring import usable_metrics
from gecbench.metrics.base import Score

STEPS = {"as computed": None, "0.01 points": 1e-4, "0.1 points": 1e-3, "1 point": 1e-2}
GROUPS = (1, 10, PRIVATE_MIN_CHANGES)


def load(*, quick: bool) -> tuple[gecbench.Corpus, Sequence[str]]:
    """Return a corpus and a system's outputs."""
    if quick:
        return gecbench.load_demo(), gecbench.load_demo_systems()["rule-based"]
    from gecbench.corpora.conll14 import system_outputs
    from gecbench.corpora.upstream import Upstream

    return gecbench.load_corpus("conll14_fluency:nucle"), system_outputs(Upstream.from_environment())["CAMB"]


def entropy(values: Sequence[object]) -> float:
    """Return the entropy of what was seen, in bits."""
    shares = [count / len(values) for count in Counter(values).values()]
    return sum(-share * log2(share) for share in shares)


def readings(base: float, probes: Sequence[float], step: float | None) -> tuple[float, float, float]:
    """Return told, bits and edge of some probes."""
    if step is None:
        told = [round(probe - base, 12) for probe in probes]
        share = sum(map(bool, told)) / len(told)
        return share, entropy(told), share
    told = [round(probe / step) - round(base / step) for probe in probes]
    below = sum(probe < base - 1e-12 for probe in probes) / len(probes)
    above = sum(probe > base + 1e-12 for probe in probes) / len(probes)
    return sum(map(bool, told)) / len(told), entropy(told), max(below, above)


PADDED_STEPS = (1e-4, 1e-3, 5e-3, 1e-2)
MOST_KNOWN = 8
PADDING = (0, PRIVATE_MIN_CHANGES - 1, 65, 262)


def print_padded(corpus: gecbench.Corpus, outputs: Sequence[str], changed: Sequence[int]) -> None:
    """Print how often one sentence of the system is seen in the score of a submission that is wrong otherwise."""
    wrong = [f"{source} zzyzx" for source in corpus.sources]
    names = " | ".join(f"{100 * step:g} points" for step in PADDED_STEPS)
    print(f"| metric | wrong sentences | precision as computed | {names} |")
    print("|---|---:|---:" + "|---:" * len(PADDED_STEPS) + "|")
    for name, metric in usable_metrics(corpus).items():
        if name not in ("gleu", "m2", "imeasure"):
            continue
        system, source, padded = (
            metric.score_corpus(corpus, lines, aligned=True, tokenized=True)
            for lines in (outputs, corpus.sources, wrong)
        )
        untouched = [i for i in range(len(corpus)) if i not in set(changed)]
        for size in PADDING:
            base = mixed(source, padded, untouched[:size])
            found = [mixed(base, system, [i]) for i in changed]
            told = [
                sum(round(score.value / step) != round(base.value / step) for score in found) / len(found)
                for step in PADDED_STEPS
            ]
            parts = "–"
            if "precision" in base.parts:
                seen = sum(score.parts["precision"] != base.parts["precision"] for score in found)
                parts = f"{seen / len(found):.0%}"
            row = " | ".join(f"{share:.0%}" for share in told)
            print(f"| {metric.title} | {size} | {parts} | {row} |", flush=True)
        print_edges(metric.title, mixed(source, padded, untouched[: PADDING[1]]), system, changed)


def print_edges(title: str, base: Score, system: Score, changed: Sequence[int]) -> None:
    """Print how many sentences known to be right a prober adds until most of the next ones are seen."""
    right = [i for i in changed[:100] if mixed(base, system, [i]).value > base.value + 1e-12]
    others = changed[100:200]
    for step in PADDED_STEPS[1:]:
        shares = []
        for known in range(min(MOST_KNOWN, len(right)) + 1):
            start = mixed(base, system, right[:known])
            found = [mixed(start, system, [i]).value for i in others]
            shares.append(sum(round(value / step) != round(start.value / step) for value in found) / len(found))
        most = max(shares)
        print(f"| {title} | edge of {100 * step:g} points | {shares.index(most)} known | {most:.0%} |", flush=True)


def mixed(score: Score, other: Score, sentences: Sequence[int]) -> Score:
    """Return a score with some sentences of another."""
    counts, offsets = score.statistics.counts.copy(), score.statistics.offsets
    for i in sentences:
        rows = slice(offsets[i], offsets[i + 1])
        counts[rows] = other.statistics.counts[rows]
    return score.metric.score_statistics(replace(score.statistics, counts=counts), score.signature)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="on the demo corpus")
    parser.add_argument("--padded", action="store_true", help="one edit among others that are surely wrong")
    options = parser.parse_args()
    corpus, outputs = load(quick=options.quick)
    changed = [
        i for i, (one, other) in enumerate(zip(corpus.sources, outputs, strict=True)) if one.split() != other.split()
    ]
    random.Random(7).shuffle(changed)
    print(f"{corpus.name}: {len(changed)} of {len(corpus)} sentences changed\n")
    if options.padded:
        print_padded(corpus, outputs, changed)
        return
    print("| metric | sentences per probe | scores told | told | bits | edge |\n|---|---:|---|---:|---:|---:|")
    for name, metric in usable_metrics(corpus).items():
        if name not in ("gleu", "m2", "imeasure"):
            continue
        system, source = (
            metric.score_corpus(corpus, lines, aligned=True, tokenized=True) for lines in (outputs, corpus.sources)
        )
        for size in GROUPS:
            groups = [changed[k : k + size] for k in range(0, len(changed) - size + 1, size)]
            probes = [mixed(system, source, group).value for group in groups]
            for label, step in STEPS.items():
                told, bits, edge = readings(system.value, probes, step)
                print(f"| {metric.title} | {size} | {label} | {told:.0%} | {bits:.2f} | {edge:.0%} |", flush=True)


if __name__ == "__main__":
    main()

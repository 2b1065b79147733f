"""Measure how much of a private board's gold a prober learns from corpus scores, with and without rounding.

    python benchmarks/probing.py            CoNLL-14, a public system: the table of docs/leaderboard.md
    python benchmarks/probing.py --quick    the demo corpus
    python benchmarks/probing.py --padded   one edit among many sentences that are surely wrong
    python benchmarks/probing.py --together M2 of the source with some corrected sentences, and all metrics together

A prober is a team that submits a system's outputs, then the same outputs with some sentences changed back to the
source, and compares the two scores. The sign of the difference shows whether the gold agrees with the system's change.
The table has:

- shown: the share of probes for which the board shows different scores;
- bits: the entropy of the shown difference over all probes, the most that one submission can reveal of the gold;
- edge: the share of probes that would show a difference if earlier submissions had brought the score to the edge of a
  rounding step.

A padded probe is the source with one sentence of the system and several sentences that are surely wrong (a made-up word
at the end). Its score is compared with the score of the wrong sentences alone. In this way a prober can test a single
sentence although a submission must change several.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import log2

import gecbench
from gecbench.analysis.significance import with_interval
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
    """Return the entropy of the values in bits."""
    shares = [count / len(values) for count in Counter(values).values()]
    return sum(-share * log2(share) for share in shares)


def readings(base: float, probes: Sequence[float], step: float | None) -> tuple[float, float, float]:
    """Return `shown`, `bits` and `edge` of some probes, as the module defines them."""
    if step is None:
        shown = [round(probe - base, 12) for probe in probes]
        share = sum(map(bool, shown)) / len(shown)
        return share, entropy(shown), share
    shown = [round(probe / step) - round(base / step) for probe in probes]
    below = sum(probe < base - 1e-12 for probe in probes) / len(probes)
    above = sum(probe > base + 1e-12 for probe in probes) / len(probes)
    return sum(map(bool, shown)) / len(shown), entropy(shown), max(below, above)


PADDED_STEPS = (1e-4, 1e-3, 5e-3, 1e-2)
MOST_KNOWN = 8
PADDING = (0, PRIVATE_MIN_CHANGES - 1, 65, 262)


def print_padded(corpus: gecbench.Corpus, outputs: Sequence[str], changed: Sequence[int]) -> None:
    """Print how often the score reveals one sentence of the system in a submission that is wrong otherwise."""
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
            shown = [
                sum(round(score.value / step) != round(base.value / step) for score in found) / len(found)
                for step in PADDED_STEPS
            ]
            parts = "–"
            if "precision" in base.parts:
                seen = sum(score.parts["precision"] != base.parts["precision"] for score in found)
                parts = f"{seen / len(found):.0%}"
            row = " | ".join(f"{share:.0%}" for share in shown)
            print(f"| {metric.title} | {size} | {parts} | {row} |", flush=True)
        print_edges(metric.title, mixed(source, padded, untouched[: PADDING[1]]), system, changed)


def print_edges(title: str, base: Score, system: Score, changed: Sequence[int]) -> None:
    """Print how many correct sentences a prober must add until the score reveals most further sentences."""
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


def print_together(corpus: gecbench.Corpus, outputs: Sequence[str], changed: Sequence[int]) -> None:
    """Print what M2 reveals of the source with some sentences of the system, and what all metrics reveal together."""
    metrics = {name: metric for name, metric in usable_metrics(corpus).items() if name not in ("errant", "cleme")}
    scores = {
        name: [metric.score_corpus(corpus, lines, aligned=True, tokenized=True) for lines in (outputs, corpus.sources)]
        for name, metric in metrics.items()
    }
    system, source = scores["m2"]
    chance = random.Random(7)
    for size in (PRIVATE_MIN_CHANGES, 100, 400):
        found = [mixed(source, system, chance.sample(changed, min(size, len(changed)))) for _ in range(200)]
        exact = sum(shows_correct_edits(score) for score in found)
        bits = entropy([shown(score) for score in found])
        print(f"M2 of the source with {size} sentences: {bits:.2f} bits, correct edits known in {exact / 200:.1%}")
    for size in (1, PRIVATE_MIN_CHANGES):
        groups = [changed[k : k + size] for k in range(0, len(changed) - size + 1, size)][:200]
        seen = [tuple(shown(mixed(*pair, group)) - shown(pair[0]) for pair in scores.values()) for group in groups]
        share = sum(map(any, seen)) / len(seen)
        print(
            f"all metrics, {size} changed back: seen in {share:.1%}, {entropy(seen):.2f} bits of {log2(len(seen)):.2f}"
        )
    resampled = {name: with_interval(pair[0], 1000) for name, pair in scores.items() if name != "bleu"}
    rows = []
    for i in changed[:40]:
        now = {name: with_interval(mixed(*scores[name], [i]), 1000) for name in resampled}
        rows.append(tuple(each for name in now for each in differences(now[name], resampled[name])))
    share = sum(map(any, rows)) / len(rows)
    print(f"with intervals, 1 changed back: seen in {share:.1%}, {entropy(rows):.2f} bits of {log2(len(rows)):.2f}")


def shows_correct_edits(score: Score) -> bool:
    """Return whether a prober who knows the numbers of proposed and gold edits can compute the correct ones from M2."""
    computed = shown(score) / 1000 * (score.parts["proposed"] + score.parts["gold"] / 4) / 1.25
    return abs(computed - score.parts["correct"]) < 0.5


def shown(score: Score) -> int:
    """Return a score in tenths of a point."""
    return round(1000 * score.value)


def differences(one: Score, other: Score) -> list[int]:
    """Return the differences of the values and of the interval limits, in tenths of a point."""
    ends = [
        [score.value, *(() if score.interval is None else (score.interval.low, score.interval.high))]
        for score in (one, other)
    ]
    return [round(1000 * left) - round(1000 * right) for left, right in zip(*ends, strict=True)]


def mixed(score: Score, other: Score, sentences: Sequence[int]) -> Score:
    """Return a score with the counts of some sentences taken from another score."""
    counts, offsets = score.statistics.counts.copy(), score.statistics.offsets
    for i in sentences:
        rows = slice(offsets[i], offsets[i + 1])
        counts[rows] = other.statistics.counts[rows]
    return score.metric.score_statistics(replace(score.statistics, counts=counts), score.signature)


def main() -> None:
    """Print the table that the options ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="on the demo corpus")
    parser.add_argument("--padded", action="store_true", help="one edit among others that are surely wrong")
    parser.add_argument("--together", action="store_true", help="all figures of a submission together")
    options = parser.parse_args()
    corpus, outputs = load(quick=options.quick)
    changed = [
        i for i, (one, other) in enumerate(zip(corpus.sources, outputs, strict=True)) if one.split() != other.split()
    ]
    random.Random(7).shuffle(changed)
    print(f"{corpus.name}: {len(changed)} of {len(corpus)} sentences changed\n")
    if options.padded or options.together:
        (print_padded if options.padded else print_together)(corpus, outputs, changed)
        return
    print("| metric | sentences per probe | scores shown | shown | bits | edge |\n|---|---:|---|---:|---:|---:|")
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
                shown, bits, edge = readings(system.value, probes, step)
                print(f"| {metric.title} | {size} | {label} | {shown:.0%} | {bits:.2f} | {edge:.0%} |", flush=True)


if __name__ == "__main__":
    main()

"""Simulate how reliable intervals and p-values are, and how GLEU changes with the order of the sentences.

    GECBENCH_MIRROR=folder python benchmarks/intervals.py                                all three tables (an hour)
    GECBENCH_MIRROR=folder python benchmarks/intervals.py --simulations 10 --pairs 50    rough (some minutes)

A real test set is the population: CoNLL-14's 1,312 sentences with two annotators and the outputs of its 12 systems, or
JFLEG's 747 test sentences with each of its four references against the other three. Each simulation draws a corpus from
the population, sentences with replacement. The true score is the score of the whole test set. Each metric is a function
of mean counts, so larger and larger draws converge to the true score.

1. Coverage: the share of drawn corpora whose 95% interval contains the true score. It should be .95.
2. Null: the outputs of two systems are swapped at random, sentence by sentence, so that neither system is better. The
   share of p < .05 should be .05, and the share of p < .5 should be .5.
3. Order: GLEU of the same outputs with the sentences shuffled.

The figures are those of docs/statistics.md.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from measure import markdown, mirror, show_progress
from texts import conll14_gold, conll14_systems, jfleg, lines_of

from gecbench import GLEU, M2, Corpus, IMeasure, derive_references
from gecbench.analysis.significance import TESTS, Pair, paired_tests, with_interval
from gecbench.formats.m2 import read_m2
from gecbench.metrics.base import Metric, Score, Statistics

SIZES = (120, 300, 747)
RESAMPLES = 1000
SHUFFLES = 20
LEVELS = (0.05, 0.5)
Scored = dict[str, list[Score]]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--simulations", type=int, default=400, metavar="N", help="drawn corpora of each system")
    options.add_argument("--pairs", type=int, default=1000, metavar="N", help="drawn pairs of equal systems")
    options.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="N", help="sentences of a drawn corpus")
    chosen = options.parse_args()
    if mirror() is None:
        sys.exit("Set GECBENCH_MIRROR to a folder with the corpora.")
    warnings.simplefilter("ignore")
    scored = score()
    header = ["metric, corpus", "systems", *(f"{size} sentences" for size in chosen.sizes)]
    print(f"95% intervals that hold the true score, mean (lowest) of systems, {chosen.simulations} draws each\n")
    print(markdown(header, coverage_rows(scored, chosen.sizes, chosen.simulations)), flush=True)
    header = ["metric, corpus", "test", *(f"{size}: p < {level:g}" for size in chosen.sizes for level in LEVELS)]
    print(f"\nShare of p-values of {chosen.pairs} pairs of equal systems\n")
    print(markdown(header, null_rows(scored, chosen.sizes, chosen.pairs), left=2), flush=True)
    print(f"\nGLEU of JFLEG's test set in {SHUFFLES} orders\n")
    print(markdown(["outputs", "in order", "lowest", "highest"], order_rows()))


def score() -> Scored:
    """Return the scores of several systems by metric and corpus."""
    with tempfile.TemporaryDirectory() as folder:
        conll14 = derive_references(read_m2(conll14_gold(Path(folder))))
    outputs = [lines_of(path) for name, path in conll14_systems().items() if name != "INPUT"]
    found = {
        f"{metric.title}, CoNLL-14": [scored_alone(metric, conll14, lines) for lines in outputs]
        for metric in (GLEU(), M2(), IMeasure())
    }
    return {"GLEU, JFLEG": list(score_references()), **found}


def score_references() -> Iterator[Score]:
    """Score each reference of JFLEG against the others."""
    source, _, *references = map(lines_of, jfleg())
    for k, lines in enumerate(references):
        others = list(zip(*references[:k], *references[k + 1 :], strict=True))
        yield scored_alone(GLEU(), Corpus(sources=source, references=others), lines)


def scored_alone(metric: Metric, corpus: Corpus, lines: Sequence[str]) -> Score:
    return metric.score_corpus(corpus, lines, aligned=True, tokenized=True)


def coverage_rows(scored: Scored, sizes: Sequence[int], simulations: int) -> Iterator[list[object]]:
    for name, systems in scored.items():
        cells = []
        for size in sizes:
            show_progress(f"coverage of {name}, {size} sentences")
            chance = np.random.default_rng(size)
            shares = [np.mean([covers(whole, size, chance) for _ in range(simulations)]) for whole in systems]
            cells.append(f"{shown(np.mean(shares))} ({shown(min(shares))})")
        show_progress("")
        yield [name, len(systems), *cells]


def covers(whole: Score, size: int, chance: np.random.Generator) -> bool:
    """Return whether the interval of a drawn corpus contains the score of the whole corpus."""
    drawn = whole.statistics.select(chance.integers(0, len(whole.statistics), size))
    interval = with_interval(rescored(whole, drawn), RESAMPLES).interval
    return interval is not None and interval.low <= whole.value <= interval.high


def null_rows(scored: Scored, sizes: Sequence[int], pairs: int) -> Iterator[list[str]]:
    for name, systems in scored.items():
        found: dict[str, list[str]] = {test: [] for test in TESTS}
        for size in sizes:
            show_progress(f"p-values of {name}, {size} sentences")
            chance = np.random.default_rng(size)
            p_values = np.array([null_p_values(systems, size, chance) for _ in range(pairs)])
            for test, column in zip(TESTS, p_values.T, strict=True):
                found[test] += [shown(np.mean(column < level)) for level in LEVELS]
        show_progress("")
        for test, shares in found.items():
            yield [name, test, *shares]


def null_p_values(systems: Sequence[Score], size: int, chance: np.random.Generator) -> list[float]:
    """Return each test's p-value for two systems. A coin flip per sentence decides which system gets which output."""
    first, second = (systems[k] for k in chance.choice(len(systems), 2, replace=False))
    both, sentences = Statistics.concatenate([first.statistics, second.statistics]), len(first.statistics)
    drawn, sides = chance.integers(0, sentences, size), chance.integers(0, 2, size)
    one, other = (rescored(first, both.select(drawn + sentences * each)) for each in (sides, 1 - sides))
    return [paired_tests(test, [Pair(one, other, ("one", "other"))], RESAMPLES)[0].p_value for test in TESTS]


def order_rows() -> Iterator[list[str]]:
    source, checked, *references = map(lines_of, jfleg())
    corpus = Corpus(sources=source, references=list(zip(*references, strict=True)))
    chance = np.random.default_rng(1)
    orders = [chance.permutation(len(source)) for _ in range(SHUFFLES)]
    for name, lines in (("source", source), ("spell-checked source", checked)):
        whole = scored_alone(GLEU(), corpus, lines)
        values = [rescored(whole, whole.statistics.select(order)).value for order in orders]
        yield [name, *(f"{100 * value:.2f}" for value in (whole.value, min(values), max(values)))]


def rescored(like: Score, statistics: Statistics) -> Score:
    """Return the score of the given counts, with the metric of another score."""
    return like.metric.score_statistics(statistics, like.signature)


def shown(share: float | np.floating[Any]) -> str:
    return f"{share:.3f}".removeprefix("0")


if __name__ == "__main__":
    main()

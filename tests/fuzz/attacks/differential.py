"""Hostile M2, GLEU and I-measure cases on which both kernels, and plain implementations of the papers, must agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
from m2_corpus import flatten, pack
from oracles.gleu import gleu_literally
from oracles.imeasure import choose_literally, literal_counts
from oracles.mixed_references import mixed_references

from gecbench.kernels import native_module, select
from gecbench.kernels.alignment import key
from gecbench.kernels.imeasure import Limits
from gecbench.kernels.tokens import MatchOptions, intern_lines, offsets_of
from gecbench.metrics.imeasure_gold import MixedGold

from ..attack import Attack, Budget, Finding
from ..hostile import FOLDED, GleuCase, IMeasureCase, M2Case, gleu_case, imeasure_case, m2_case

Outcomes = dict[str, Any]  # what each implementation gives; all must be equal
FULL = 1 << 40
EXACT = (Limits(listed=0), Limits(listed=FULL))


def both(name: str) -> dict[str, ModuleType]:
    """Return the installed implementations of a kernel."""
    names = ("python", "native") if native_module() is not None else ("python",)
    return {each: select(name, each) for each in names}


def m2_outcomes(case: M2Case) -> Iterator[Outcomes]:
    """Yield the counts and the official path. Python lists every edit, native code only some."""
    arrays = pack(*case[:3])
    options = MatchOptions(case.max_unchanged_words, case.release, flatten(FOLDED) if case.ignores_case else None)
    kernels = both("maxmatch").items()
    yield {name: kernel.match_corpus(*arrays, options)[0].tolist() for name, kernel in kernels}
    yield {name: kernel.match_sentence(*arrays, options)[2].tolist() for name, kernel in kernels}


def gleu_outcomes(case: GleuCase) -> Iterator[Outcomes]:
    """Yield the counts of every reference, totals of drawn references, and GREEN's counts of the same texts."""
    texts = [text for group in case.references for text in group]
    owners = [source for source, group in enumerate(case.references) for _ in group]
    literal = [
        gleu_literally(case.sources[i], case.hypotheses[i], text, case.order, case.multiset)
        for i, text in zip(owners, texts, strict=True)
    ]
    arrays = (*map(flatten, (case.sources, case.hypotheses, texts)), offsets_of(case.references))
    counts: Outcomes = {"literal": literal}
    totals: Outcomes = {}
    for name, kernel in both("gleu").items():
        found = kernel.gleu_counts(*arrays, case.order, case.multiset)
        counts[name] = found.tolist()
        totals[name] = kernel.sampled_totals(found, arrays[3], 3, case.python3).tolist()
    drawn = both("gleu")["python"].draw_rows(arrays[3], 0, 3, case.python3)
    totals["literal"] = np.array(literal, dtype=np.int64)[drawn].sum(axis=1).tolist()
    yield from (counts, totals)
    yield {name: kernel.green_counts(*arrays, case.order).tolist() for name, kernel in both("green").items()}


def imeasure_outcomes(case: IMeasureCase) -> Iterator[Outcomes]:
    """Yield the counts of each mixed reference, and the choice: by listing, by decomposition, and by the full table."""
    listed = [mixed_references(*pair) for pair in zip(case.sources, case.groups, strict=True)]
    gold = MixedGold.of(case.groups)
    texts = [text for group in listed for text in group]
    found = intern_lines([*case.sources, *case.hypotheses, *texts, *gold.texts], "ascii")
    size = len(case.sources)
    sources, hypotheses, rest = found[:size], found[size : 2 * size], found[2 * size :]
    references, corrections = rest[: len(texts)], rest[len(texts) :]
    offsets = offsets_of(listed)
    tokens = references.lists()
    literal = [
        [literal_counts(source, hypothesis, tokens[row]) for row in range(offsets[i], offsets[i + 1])]
        for i, (source, hypothesis) in enumerate(zip(sources.lists(), hypotheses.lists(), strict=True))
    ]
    counts: Outcomes = {"literal": [row for rows in literal for row in rows]}
    mixed: Outcomes = {}
    for name, kernel in both("imeasure").items():
        counts[name] = kernel.count_references(sources, hypotheses, references, offsets, FULL)[0].tolist()
        for limits in EXACT:
            way = f"{name}, {'decomposed' if limits.listed == 0 else 'listed'}"
            chosen = kernel.choose_mixed(sources, hypotheses, gold.arrays(corrections), case.goal, limits)
            mixed[way] = [part.tolist() for part in chosen[:3]]
    yield counts
    yield mixed
    if all(listed):
        picks = choose_literally(literal, case.goal)
        best = [rows[pick] for rows, pick in zip(literal, picks, strict=True)]
        ways = {way: [key(row, case.goal) for row in rows] for way, (_, rows, _) in mixed.items()}
        yield {"literal": [key(row, case.goal) for row in best], **ways}


def differing(make: Callable[[Random], Any], outcomes: Callable[[Any], Iterator[Outcomes]]) -> Any:
    """Return an attack that makes cases with a generator, on each of which all outcomes must be equal."""

    def run(seed: int, budget: Budget) -> Iterator[Finding]:
        for number in budget:
            case = make(Random(f"{seed} {number}"))
            for found in outcomes(case):
                first, *others = found.values()
                if any(other != first for other in others):
                    shown = "\n".join(f"{name}: {value}" for name, value in found.items())
                    yield Finding(f"{' and '.join(found)} differ", f"seed {seed}, case {number}: {case}\n{shown}")

    return run


def _long_m2(random: Random) -> M2Case:
    return m2_case(random, random.choice([20, 40]))


AGREE = "plain implementation of the paper, Python kernel and native kernel give equal numbers"
ATTACKS = [
    Attack(
        "differential-m2",
        "sentences of few, repeated tokens; gold edits that repeat, overlap or lie outside the sentence; all options",
        "Python and native kernels give equal numbers and choose the same path",
        differing(m2_case, m2_outcomes),
    ),
    Attack(
        "differential-m2-long",
        "the cases of `differential-m2`, but with texts of up to 40 tokens",
        "Python and native kernels give equal numbers and choose the same path",
        differing(_long_m2, m2_outcomes),
        share=0.2,
    ),
    Attack(
        "differential-gleu",
        "repeated tokens, up to 300 references, n-grams longer than the text, random draws of Python 2 and 3, "
        "both ways to count n-grams",
        AGREE,
        differing(gleu_case, gleu_outcomes),
        share=0.5,
    ),
    Attack(
        "differential-imeasure",
        "error groups that touch, overlap, edit the same span twice or lie outside the sentence; all objectives",
        f"{AGREE}, and the fast search chooses the same references as a search that tries all of them",
        differing(imeasure_case, imeasure_outcomes),
    ),
]

"""The MaxMatch kernel on real data: totals and per-sentence counts measured with the official scorer.

Runs where GECBENCH_MIRROR names a folder with the upstream files; tests/goldens/m2*.{json,csv} hold the numbers.
"""

from __future__ import annotations

import csv
import functools
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from m2_corpus import (
    JFLEG,
    NUS,
    REWRITES,
    SUBMISSIONS,
    Block,
    Interned,
    intern,
    lines,
    mirror,
    mirror_text,
    parse_m2,
)
from test_maxmatch import KERNELS

from gecbench.kernels.maxmatch_literal import close_lattice, match_closure

pytestmark = pytest.mark.skipif(mirror() is None, reason="GECBENCH_MIRROR is not set")

FOLDER = Path(__file__).parent / "goldens"
GOLDENS: dict[str, Any] = json.loads((FOLDER / "m2.json").read_text())
TOTALS = {name: run for name, run in GOLDENS["runs"].items() if "correct" in run}
NATIVE = KERNELS[-1]


@functools.cache
def conll_blocks(alternatives: bool) -> list[Block]:
    member = "alt/official-2014.combined-withalt.m2" if alternatives else "noalt/official-2014.combined.m2"
    return parse_m2(mirror_text(f"{NUS}/conll14st-test-data.tar.gz", f"conll14st-test-data/{member}"))


@functools.cache
def jfleg_blocks(part: str, dropped: int | None = None) -> list[Block]:
    """JFLEG's M2 file without the lines of annotator `dropped`; annotator 0 with no edits where none is left."""
    blocks = parse_m2(mirror_text(f"{JFLEG}/EACL_exp/m2converter/{part}.ref.m2"))
    if dropped is None:
        return blocks
    kept = [{key: edits for key, edits in block.annotators.items() if key != dropped} for block in blocks]
    return [Block(block.source, rest or {0: []}) for block, rest in zip(blocks, kept, strict=True)]


def system_lines(system: str) -> list[str]:
    return lines(mirror_text(f"{SUBMISSIONS}/{system}"))


@functools.cache
def load(name: str) -> Interned:
    """Gold and hypotheses of a run named as in the goldens."""
    corpus, part, system = name.split(".")
    if corpus == "conll14":
        return intern(conll_blocks(part == "withalt"), system_lines(system))
    if system == "source":
        return intern(jfleg_blocks(part), lines(mirror_text(f"{JFLEG}/{part}/{part}.src")))
    reference = int(system[3])
    return intern(jfleg_blocks(part, reference), lines(mirror_text(f"{JFLEG}/{part}/{part}.ref{reference}")))


def without_merged(blocks: list[Block], hypotheses: list[str]) -> Interned:
    """The 1,278 sentences that are left without the 34 merged ones."""
    merged = set(GOLDENS["merged_ids"])
    kept = [index for index in range(len(blocks)) if index + 1 not in merged]
    return intern([blocks[index] for index in kept], [hypotheses[index] for index in kept])


def totals(kernel: ModuleType, corpus: Interned, ignore: bool = False, release: str = "master") -> list[int]:
    folded = corpus.folded_arrays() if ignore else (None, None)
    counts, settled = kernel.match_corpus(
        *corpus.arrays, release=release, folded_characters=folded[0], folded_offsets=folded[1]
    )
    assert not (settled == kernel.TOO_LARGE).any()
    sample = np.arange(len(corpus.sources), dtype=np.int32)[None]
    return kernel.greedy_totals(counts, corpus.arrays.annotator_offsets, 0.25, sample)[0].tolist()


def printed(correct: int, proposed: int, gold: int) -> list[str]:
    """docs/m2.md, B.10, four decimals."""
    precision = correct / proposed if proposed else 1.0
    recall = correct / gold if gold else 1.0
    f_score = 1.25 * precision * recall / (0.25 * precision + recall) if correct else 0.0
    return [f"{value:.4f}" for value in (precision, recall, f_score)]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
@pytest.mark.parametrize("name", TOTALS)
def test_totals_of_the_official_scorer(name: str, kernel: ModuleType) -> None:
    run = TOTALS[name]
    measured = totals(kernel, load(name))
    assert measured == [run["correct"], run["proposed"], run["gold"]]
    assert printed(*measured) == run["printed"]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
@pytest.mark.parametrize("system", ["AMU", "CAMB", "CUUI"])
def test_counts_of_every_sentence(system: str, kernel: ModuleType) -> None:
    corpus = load(f"conll14.combined.{system}")
    counts, _ = kernel.match_corpus(*corpus.arrays)
    chosen = kernel.greedy_choice(counts, corpus.arrays.annotator_offsets, 0.25)
    with (FOLDER / f"m2_persentence_{system}.csv").open(newline="") as handle:
        expected = [[int(value) for value in row.values()] for row in csv.DictReader(handle)]
    blocks = conll_blocks(False)
    offsets = corpus.arrays.annotator_offsets.tolist()
    annotators = [
        list(block.annotators)[row - offsets[i]]
        for i, (block, row) in enumerate(zip(blocks, chosen.tolist(), strict=True))
    ]
    measured = [[i + 1, *counts[row].tolist(), annotators[i]] for i, row in enumerate(chosen.tolist())]
    assert measured == expected


@pytest.mark.parametrize("name", GOLDENS["release_3_2"])
def test_release_3_2(name: str) -> None:
    part, system = name.split(".")
    blocks, hypotheses = conll_blocks(False), system_lines(system)
    corpus = without_merged(blocks, hypotheses) if part == "combined1278" else intern(blocks, hypotheses)
    assert totals(NATIVE, corpus, release="3.2") == GOLDENS["release_3_2"][name]


@pytest.mark.parametrize("name", GOLDENS["jfleg_dev_variants"])
def test_jfleg_by_release_and_case(name: str) -> None:
    run, release, case = name.rsplit(".", 2)
    corpus = load(f"jfleg.{run}")
    measured = totals(NATIVE, corpus, ignore=case == "ign", release="3.2" if "v32" in release else "master")
    assert printed(*measured) == GOLDENS["jfleg_dev_variants"][name]


@pytest.mark.parametrize("system", GOLDENS["nucle_ignoring_case"])
def test_published_nucle_scores(system: str) -> None:
    corpus = without_merged(conll_blocks(False), system_lines(system))
    assert totals(NATIVE, corpus, ignore=True) == GOLDENS["nucle_ignoring_case"][system]


HYPOTHESES = {
    **{name: f"{SUBMISSIONS}/{name}" for name in ("NTHU", "POST", "RAC", "IPN")},
    "fluency": f"{REWRITES}/expert_annotations/expert_fluency/expert_fluencyA",
    "crowd": f"{REWRITES}/turker_annotations/turkers_fluency/turker_fluencyB",
}


@pytest.mark.parametrize("ignore", [False, True], ids=["plain", "ignore"])
@pytest.mark.parametrize("name", HYPOTHESES)
def test_every_sentence_equals_the_literal_algorithm(name: str, ignore: bool) -> None:
    """Systems and rewrites, both annotators, every third sentence."""
    corpus = intern(conll_blocks(False)[::3], lines(mirror_text(HYPOTHESES[name]))[::3])
    folded = corpus.folded() if ignore else None
    characters, offsets = corpus.folded_arrays() if ignore else (None, None)
    counts, _ = NATIVE.match_corpus(*corpus.arrays, folded_characters=characters, folded_offsets=offsets)
    expected = []
    for source, hypothesis, rows in zip(corpus.sources, corpus.hypotheses, corpus.golds, strict=True):
        closure = close_lattice(source, hypothesis, arc_limit=1_000_000)
        assert closure is not None
        expected += [list(match_closure(closure, source, golds, folded)[:3]) for golds in rows]
    assert counts.tolist() == expected

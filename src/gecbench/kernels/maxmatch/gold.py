"""Arcs of the lattice that agree with an annotator's edits (docs/m2.md, B.6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gecbench.kernels.maxmatch.edits import GoldEdit, Tokens
from gecbench.kernels.maxmatch.insertions import REWARD, InsertionPairing, insertion_runs
from gecbench.kernels.maxmatch.lattice import Lattice, merged_arc


class GoldArc(NamedTuple):
    """An arc whose text agrees with the gold edits `golds`; `cost` in thousandths."""

    tail: int
    head: int
    cost: int
    golds: tuple[int, ...]


class GoldArcs(NamedTuple):
    """All agreeing arcs by head, and the insertions of the source positions that have agreeing ones.

    The weights are `certain` if no gold edit agrees with kept tokens.
    """

    by_head: dict[int, list[GoldArc]]
    pairings: dict[int, InsertionPairing]
    certain: bool


def find_gold_arcs(
    lattice: Lattice,
    source: Sequence[int],
    hypothesis: Sequence[int],
    golds: Sequence[GoldEdit],
    max_unchanged_words: int,
) -> GoldArcs:
    """Agreeing arcs that the official closure really holds (docs/m2.md, B.5, B.6)."""
    arcs: list[GoldArc] = []
    pairings: dict[int, InsertionPairing] = {}
    certain = True
    for (start, end), texts in _texts_by_span(golds, len(source)).items():
        if start == end:
            agreeing = _agreeing_insertions(lattice, hypothesis, start, texts)
            if not agreeing:
                continue
            pairing = pairings[start] = InsertionPairing(lattice, start, agreeing)
            for ends, indexes in agreeing.items():
                arcs.append(GoldArc(*ends, pairing.cost(ends), tuple(indexes)))
        else:
            for tail, head, indexes in _agreeing_texts(lattice, hypothesis, (start, end), texts):
                merged = merged_arc(lattice, tail, head, max_unchanged_words)
                if merged is not None and merged.keeps:
                    certain = False
                elif merged is not None:
                    arcs.append(GoldArc(tail, head, REWARD, tuple(indexes)))
    by_head: dict[int, list[GoldArc]] = {}
    for arc in sorted(arcs):
        by_head.setdefault(arc.head, []).append(arc)
    return GoldArcs(by_head, pairings, certain)


def _texts_by_span(golds: Sequence[GoldEdit], length: int) -> dict[tuple[int, int], dict[Tokens, list[int]]]:
    spans: dict[tuple[int, int], dict[Tokens, list[int]]] = {}
    for index, gold in enumerate(golds):
        if 0 <= gold.start <= gold.end <= length:
            texts = spans.setdefault((gold.start, gold.end), {})
            for alternative in dict.fromkeys(gold.alternatives):
                texts.setdefault(alternative, []).append(index)
    return spans


def _agreeing_texts(
    lattice: Lattice, hypothesis: Sequence[int], span: tuple[int, int], texts: dict[Tokens, list[int]]
) -> list[tuple[int, int, list[int]]]:
    found = []
    for tail in range(lattice.row_offsets[span[0]], lattice.row_offsets[span[0] + 1]):
        column = lattice.columns[tail]
        for text, indexes in texts.items():
            if tuple(hypothesis[column : column + len(text)]) == text:
                head = lattice.find(span[1], column + len(text))
                if head >= 0:
                    found.append((tail, head, indexes))
    return found


def _agreeing_insertions(
    lattice: Lattice, hypothesis: Sequence[int], row: int, texts: dict[Tokens, list[int]]
) -> dict[tuple[int, int], list[int]]:
    found = {}
    for first, last in insertion_runs(lattice, row):
        for tail in range(first, last):
            column = lattice.columns[tail]
            for text, indexes in texts.items():
                fits = text and tail + len(text) <= last
                if fits and tuple(hypothesis[column : column + len(text)]) == text:
                    found[tail, tail + len(text)] = indexes
    return found

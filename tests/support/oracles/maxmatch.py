"""MaxMatch by the letter: the official triple loop on top of the literal algorithm (docs/m2.md, B.3-B.8)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from gecbench.kernels.maxmatch.closure import Arc, Closure, drop_merged_noops, single_step, try_merge
from gecbench.kernels.maxmatch.edits import MASTER, GoldEdit, Match
from gecbench.kernels.maxmatch.literal import match_closure


def minimal_arcs(source: Sequence[int], hypothesis: Sequence[int], substitution_cost: int) -> list[Arc]:
    """Arcs of all minimal alignments, found from the costs of aligning what is left of both texts (docs/m2.md, B.3)."""
    rest: dict[tuple[int, int], int] = {}
    moves: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for i, j in product(range(len(source), -1, -1), range(len(hypothesis), -1, -1)):
        same = source[i : i + 1] == hypothesis[j : j + 1]
        costs = {(i + 1, j + 1): 0 if same else substitution_cost, (i + 1, j): 1, (i, j + 1): 1}
        totals = {cell: rest[cell] + cost for cell, cost in costs.items() if cell in rest}
        rest[i, j] = min(totals.values(), default=0)
        moves[i, j] = [cell for cell, total in totals.items() if total == rest[i, j]]
    reached = [(0, 0)]
    for cell in reached:
        reached += [after for after in moves[cell] if after not in reached]
    return [(cell, after) for cell in reached for after in moves[cell]]


def union_lattice(source: Sequence[int], hypothesis: Sequence[int], release: str) -> Closure:
    """Both lattices together; an arc that is in both is listed twice (docs/m2.md, B.4)."""
    arcs = sorted(minimal_arcs(source, hypothesis, 1) + minimal_arcs(source, hypothesis, 2))
    edits = {arc: single_step(source, hypothesis, arc, release) for arc in arcs}
    vertices = sorted({(0, 0), *(head for _, head in arcs)})
    return Closure(vertices, arcs, dict.fromkeys(edits, 1), edits)


def add_transitive_arcs(lattice: Closure, max_unchanged_words: int) -> Closure:
    """Merged edits, by the official triple loop over k, i, j (docs/m2.md, B.5)."""
    vertices, arcs = lattice.vertices, list(lattice.arcs)
    lengths, edits = dict(lattice.lengths), dict(lattice.edits)
    for k in vertices:
        for i in vertices:
            if (i, k) not in lengths:
                continue
            for j in vertices:
                if (k, j) in lengths:
                    try_merge(arcs, lengths, edits, (i, k, j), max_unchanged_words)
    return Closure(vertices, arcs, lengths, edits)


def match_literally(
    source: Sequence[int],
    hypothesis: Sequence[int],
    golds: Sequence[GoldEdit],
    max_unchanged_words: int = 2,
    release: str = MASTER,
    folded: Sequence[Sequence[int]] | None = None,
) -> Match:
    """The official result for one sentence and one annotator."""
    closure = drop_merged_noops(add_transitive_arcs(union_lattice(source, hypothesis, release), max_unchanged_words))
    return match_closure(closure, source, golds, folded)

"""MaxMatch by the letter: the official triple loop on top of the literal algorithm (docs/m2.md, B.3-B.8)."""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.kernels.maxmatch.closure import Closure, drop_merged_noops, try_merge, union_lattice
from gecbench.kernels.maxmatch.edits import MASTER, GoldEdit, Match
from gecbench.kernels.maxmatch.literal import match_closure


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

"""The official arc list, word for word: alignments, their union, merged edits (docs/m2.md, B.3-B.5, B.12)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from gecbench.kernels.maxmatch.edits import VERSION_3_2, Options, Tokens
from gecbench.kernels.maxmatch.lattice import Lattice

Vertex = tuple[int, int]
Arc = tuple[Vertex, Vertex]


class ArcEdit(NamedTuple):
    """What an arc of the lattice does to the source (docs/m2.md, B.3)."""

    kind: str
    start: int
    end: int
    original: Tokens
    correction: Tokens
    unchanged: int


class Closure(NamedTuple):
    """The arc list in official order, with the length and the edit of every arc (docs/m2.md, B.5)."""

    vertices: list[Vertex]
    arcs: list[Arc]
    lengths: dict[Arc, int]
    edits: dict[Arc, ArcEdit]


def single_step(source: Sequence[int], hypothesis: Sequence[int], arc: Arc, release: str) -> ArcEdit:
    """The edit of an arc of length one; release 3.2 counts insertions before the first token otherwise (B.3, B.12)."""
    tail, head = arc
    original = tuple(source[tail[0] : head[0]])
    correction = tuple(hypothesis[tail[1] : head[1]])
    start, end = tail[0], head[0]
    if start == end:
        if release == VERSION_3_2 and start == 0:
            start = end = head[1] - 1
        return ArcEdit("ins", start, end, original, correction, 0)
    if not correction:
        return ArcEdit("del", start, end, original, correction, 0)
    if original == correction:
        return ArcEdit("noop", start, end, original, correction, 1)
    return ArcEdit("sub", start, end, original, correction, 0)


def union_lattice(lattice: Lattice, source: Sequence[int], hypothesis: Sequence[int], release: str) -> Closure:
    """Both lattices together; an arc that is in both is listed twice (docs/m2.md, B.4)."""
    vertices = list(zip(lattice.rows, lattice.columns, strict=True))
    entering = zip(vertices, lattice.steps, strict=True)
    arcs = sorted((vertices[step.tail], head) for head, steps in entering for step in steps for _ in range(step.copies))
    edits = {arc: single_step(source, hypothesis, arc, release) for arc in arcs}
    return Closure(vertices, arcs, dict.fromkeys(edits, 1), edits)


def _merge(first: ArcEdit, second: ArcEdit) -> ArcEdit:
    kind = first.kind if first.kind == second.kind != "sub" else "sub"
    return ArcEdit(
        kind,
        first.start,
        second.end,
        first.original + second.original,
        first.correction + second.correction,
        first.unchanged + second.unchanged,
    )


def try_merge(
    arcs: list[Arc],
    lengths: dict[Arc, int],
    edits: dict[Arc, ArcEdit],
    corner: tuple[Vertex, Vertex, Vertex],
    max_unchanged_words: int,
) -> bool:
    """Append the merged arc i → k → j if B.5 accepts it."""
    i, k, j = corner
    length = lengths[i, k] + lengths[k, j]
    if length >= lengths.get((i, j), length + 1):
        return False
    merged = _merge(edits[i, k], edits[k, j])
    if merged.unchanged > max_unchanged_words:
        return False
    arcs.append((i, j))
    lengths[i, j], edits[i, j] = length, merged
    return True


def add_transitive_arcs(lattice: Closure, max_unchanged_words: int, arc_limit: int) -> Closure | None:
    """Merged edits in the order of the official triple loop, from adjacency lists; None past `arc_limit`."""
    vertices, arcs = lattice.vertices, list(lattice.arcs)
    lengths, edits = dict(lattice.lengths), dict(lattice.edits)
    tails: dict[Vertex, list[Vertex]] = {vertex: [] for vertex in vertices}
    heads: dict[Vertex, list[Vertex]] = {vertex: [] for vertex in vertices}
    for tail, head in sorted(edits):
        tails[head].append(tail)
        heads[tail].append(head)
    for k in vertices:
        for i in tails[k]:
            for j in heads[k]:
                if try_merge(arcs, lengths, edits, (i, k, j), max_unchanged_words):
                    place = bisect_left(tails[j], i)
                    if tails[j][place : place + 1] != [i]:
                        tails[j].insert(place, i)
        if len(arcs) > arc_limit:
            return None
    return Closure(vertices, arcs, lengths, edits)


def drop_merged_noops(closure: Closure) -> Closure:
    """Remove merged noops from the list that is being walked, which skips their successors (docs/m2.md, B.5)."""
    arcs = list(closure.arcs)
    for arc in arcs:
        if closure.edits[arc].kind == "noop" and closure.lengths[arc] > 1:
            arcs.remove(arc)
    return closure._replace(arcs=arcs)


def close_lattice(
    lattice: Lattice, source: Sequence[int], hypothesis: Sequence[int], options: Options
) -> Closure | None:
    """The arc list of a sentence pair, or None past the limit."""
    if least_entries(lattice) > options.arc_limit:
        return None
    union = union_lattice(lattice, source, hypothesis, options.release)  # B.3, B.4
    closure = add_transitive_arcs(union, options.max_unchanged_words, options.arc_limit)  # B.5
    return None if closure is None else drop_merged_noops(closure)


def least_entries(lattice: Lattice) -> int:
    """Entries that unbroken insertions and deletions alone put into the official arc list: all pairs of a run."""
    insertions, deletions = [0] * len(lattice.rows), [0] * len(lattice.rows)
    for head, steps in enumerate(lattice.steps):
        for step in steps:
            if lattice.rows[step.tail] == lattice.rows[head]:
                insertions[head] = insertions[step.tail] + 1
            elif lattice.columns[step.tail] == lattice.columns[head]:
                deletions[head] = deletions[step.tail] + 1
    return sum(insertions) + sum(deletions)

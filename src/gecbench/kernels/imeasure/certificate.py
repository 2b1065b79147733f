"""Proof that all optimal alignments of a sentence pass through given cuts, for every mixed reference at once.

A cut is a point between two segments in all three texts. The stretches of an alignment in which each text stands at
the cut are intervals, and intervals that meet in pairs meet together: so an alignment that misses a cut misses it in
the two-way projection on some pair of texts.

Let d be a segment's two-way distance for a pair, and its slack the three-way cost above its three distances. Suppose
that for each pair every two-way path from one cut to a later one that misses all cuts between costs more than the d of
its segments plus the charges of the cuts missed, where a cut is charged the largest slack on either side of it. Take
an alignment apart at the cuts it passes. A stretch of one segment costs at least what the segment does. A longer one
misses every cut inside in some pair, so its three projections together cost more than all d of its segments plus the
charges of those cuts, which cover the slack of every segment: more than the same segments put together. Hence an
alignment that misses any cut is not optimal. Nor is a two-way one, by the same bound without slack, so that the
baseline's alignment passes through the cuts too. With all optimal paths through the cuts, the official traceback meets
the same ties segment by segment as in the whole sentence (docs/imeasure.md, section 8).

The references are a chain of segments with several branches each. Over all of them, the cheapest path that misses cuts
is one shortest path through text x chain, in which a branch starts with a credit of its own distance.
"""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.kernels.imeasure.pairs import GAP, MATCH, MISMATCH, Tokens

FAR = 1 << 40
Branch = tuple[Tokens, int]


def failing_cut(
    text: Tokens, cuts: Sequence[int], segments: Sequence[Sequence[Branch]], charges: Sequence[int]
) -> int | None:
    """A cut that some path may miss at too low a cost, None if there is none.

    Segment g of the chain is any of its branches (tokens, distance); cut g, after it, is at position cuts[g]
    of the text.
    """
    passed = [GAP * i for i in range(len(text) + 1)]
    missed = [FAR] * (len(text) + 1)
    for number, branches in enumerate(segments):
        after_passing = through_branches(text, passed, branches)
        after_missing = through_branches(text, missed, branches) if number else missed
        cut = cuts[number] if number < len(cuts) else len(text)
        if number and min(after_missing[i] + GAP * (cut - i) for i in range(cut + 1)) <= 0:
            return number - 1
        if number < len(cuts):
            missed = missing(list(map(min, after_passing, after_missing)), cut, charges[number])
            passed = [FAR] * cut + [GAP * i for i in range(len(text) + 1 - cut)]
    return None


def through_branches(text: Tokens, costs: Sequence[int], branches: Sequence[Branch]) -> list[int]:
    """Least cost of standing at each position of the text on arrival at the end of the segment."""
    best = [FAR] * len(costs)
    for tokens, distance in branches:
        ends = costs
        for number, token in enumerate(tokens):
            ends = advance(text, ends, token, number + 1 == len(tokens))
        best = [min(known, cost - distance) for known, cost in zip(best, ends, strict=True)]
    return best


def advance(text: Tokens, costs: Sequence[int], token: int, last: bool) -> list[int]:
    """Consume one token of the chain; after the last one the text does not move on yet."""
    row = [costs[0] + GAP]
    for i, other in enumerate(text):
        cost = min(costs[i] + (MATCH if token == other else MISMATCH), costs[i + 1] + GAP)
        row.append(cost if last else min(cost, row[i] + GAP))
    return row


def missing(costs: Sequence[int], cut: int, charge: int) -> list[int]:
    """Least cost of leaving the node between two segments without standing at the cut, less its charge."""
    left = FAR
    missed = []
    for i, cost in enumerate(costs):
        left = FAR if i == cut else min(cost, left + GAP)
        missed.append(left - charge if left < FAR // 2 else FAR)
    return missed

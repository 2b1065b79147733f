"""MaxMatch word for word, for sentences that rounding and list order decide (docs/m2.md, B.6-B.8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from gecbench.kernels.maxmatch.closure import Arc, ArcEdit, Closure, Vertex
from gecbench.kernels.maxmatch.edits import GoldEdit, Match, PathEdit

Place = TypeVar("Place")
PENALTY = 0.001


def matches(edit: ArcEdit, gold: GoldEdit, source: Sequence[int]) -> bool:
    """Same span, same original, and the correction is one of the alternatives (docs/m2.md, B.6).

    A gold span outside the sentence never matches, but still counts as a gold edit.
    """
    if (edit.start, edit.end) != (gold.start, gold.end) or not 0 <= gold.start <= gold.end <= len(source):
        return False
    return edit.original == tuple(source[gold.start : gold.end]) and edit.correction in gold.alternatives


def arc_weights(closure: Closure, golds: Sequence[GoldEdit], source: Sequence[int]) -> dict[Arc, float]:
    """Weights for one annotator (docs/m2.md, B.6)."""
    reward = -float(len(closure.arcs))
    weights: dict[Arc, float] = {arc: float(length) for arc, length in closure.lengths.items()}
    insertions: dict[int, list[Arc]] = {}
    by_span: dict[tuple[int, int], list[GoldEdit]] = {}
    for gold in golds:
        by_span.setdefault((gold.start, gold.end), []).append(gold)
    for arc in closure.arcs:
        edit = closure.edits[arc]
        if edit.start == edit.end:
            insertions.setdefault(edit.start, []).append(arc)
        elif any(matches(edit, gold, source) for gold in by_span.get((edit.start, edit.end), ())):
            weights[arc] = reward
        elif edit.kind != "noop":
            weights[arc] += PENALTY
    for position, arcs in insertions.items():
        here = by_span.get((position, position), [])
        weigh_insertions(
            sorted(arcs),
            len(here),
            lambda arc, index, here=here: matches(closure.edits[arc], here[index], source),  # type: ignore[misc]
            weights,
            reward,
        )
    return weights


def weigh_insertions(
    arcs: Sequence[tuple[Place, Place]],
    gold_count: int,
    is_match: Callable[[tuple[Place, Place], int], bool],
    weights: dict[tuple[Place, Place], float],
    reward: float,
    penalty: float = PENALTY,
) -> None:
    """Pair insertion arcs of one position with its gold insertions from both ends (docs/m2.md, B.6)."""
    left, right = 0, len(arcs) - 1
    gold_left, gold_right = 0, gold_count - 1
    at_left = True
    while left <= right:
        if left == right:
            at_left = True
        arc = arcs[left if at_left else right]
        order = range(gold_left, gold_right + 1) if at_left else range(gold_right, gold_left - 1, -1)
        found = next((index for index in order if is_match(arc, index)), None)
        if found is None:
            weights[arc] += penalty
            left, right = (left + 1, right) if at_left else (left, right - 1)
            at_left = not at_left
            continue
        weights[arc] = reward
        if at_left:
            gold_left, left = found + 1, left + 1
            while left < len(arcs) and arcs[left][0] != arc[1]:
                weights[arcs[left]] += penalty
                left += 1
        else:
            gold_right, right = found - 1, right - 1
            while right >= 0 and arcs[right][1] != arc[0]:
                weights[arcs[right]] += penalty
                right -= 1


def shortest_path(closure: Closure, weights: dict[Arc, float]) -> list[Arc]:
    """Bellman-Ford in list order with strict improvement, sums in floating point (docs/m2.md, B.7)."""
    first, last = closure.vertices[0], closure.vertices[-1]
    distance = dict.fromkeys(closure.vertices, float("inf"))
    distance[first] = 0.0
    previous: dict[Vertex, Vertex] = {}
    for _ in range(len(closure.vertices) - 1):
        changed = False
        for tail, head in closure.arcs:
            total = distance[tail] + weights[tail, head]
            if total < distance[head]:
                distance[head], previous[head] = total, tail
                changed = True
        if not changed:
            break
    path: list[Arc] = []
    while last != first:
        path.append((previous[last], last))
        last = previous[last]
    return path[::-1]


def folds_away(edit: ArcEdit, folded: Sequence[Sequence[int]]) -> bool:
    """True if original and correction agree without spaces and case; `folded` spells every token (docs/m2.md, B.8)."""
    original = [character for token in edit.original for character in folded[token]]
    return original == [character for token in edit.correction for character in folded[token]]


def count_correct(edits: Sequence[ArcEdit], golds: Sequence[GoldEdit], source: Sequence[int]) -> int:
    """Walk the proposed edits along the gold list, never stopping at a match (docs/m2.md, B.8)."""
    correct = position = 0
    for edit in edits:
        for index in range(position, len(golds)):
            if matches(edit, golds[index], source):
                correct += 1
                position = index + 1
    return correct


def match_closure(
    closure: Closure,
    source: Sequence[int],
    golds: Sequence[GoldEdit],
    folded: Sequence[Sequence[int]] | None = None,
) -> Match:
    """docs/m2.md, B.6-B.8 for one annotator; `folded` switches ignore_whitespace_casing on."""
    path = shortest_path(closure, arc_weights(closure, golds, source))  # B.6, B.7
    kept = [arc for arc in path if closure.edits[arc].kind != "noop"]
    if folded is not None:
        kept = [arc for arc in kept if not folds_away(closure.edits[arc], folded)]
    edits = [closure.edits[arc] for arc in kept]
    spans = [PathEdit(tail[0], head[0], tail[1], head[1]) for tail, head in kept]
    return Match(count_correct(edits, golds, source), len(kept), len(golds), spans)

"""MaxMatch, the kernel of M2 (Dahlmeier & Ng 2012), step by step as the official scorer does it (docs/m2.md).

For each sentence:

1. Align source and hypothesis in two Levenshtein tables and keep the steps of all minimal alignments (B.3).
2. Pool the steps of both tables. They are the arcs of a lattice from the start to the end of both texts (B.4).
3. Merge arcs that follow each other into longer edits (B.5).

For each annotator of the sentence:

4. Weigh the arcs, so that those that agree with a gold edit are preferred (B.6).
5. Find the lightest path. Its arcs that change something are the proposed edits (B.7).
6. Count the proposed edits that agree with the gold (B.8).

The list of arcs grows with the square of an inserted text. The native kernel finds the path without the list, by
dynamic programming. It uses the list only where rounding or the order of the list decides between equal paths.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gecbench.kernels import too_large_for_python
from gecbench.kernels.tokens import Offsets, TokenArray

MASTER, VERSION_3_2 = "master", "3.2"
FAST, LITERAL, TOO_LARGE = range(3)
PENALTY = 0.001
_MOST_CELLS = 4_000_000

Tokens = Sequence[int]
Vertex = tuple[int, int]  # how many tokens of the source and of the hypothesis lie behind
Arc = tuple[Vertex, Vertex]


class GoldEdit(NamedTuple):
    """One edit of an annotator: a source span and the corrections it accepts."""

    start: int
    end: int
    alternatives: tuple[tuple[int, ...], ...]


class GoldArrays(NamedTuple):
    """All gold edits of a corpus, laid end to end.

    Sentence s has the rows annotator_offsets[s]:annotator_offsets[s + 1], one per annotator. Row r has the edits
    edit_offsets[r]:edit_offsets[r + 1]. Edit e covers the source span [starts[e], ends[e]) and accepts the corrections
    alternative_offsets[e]:alternative_offsets[e + 1].
    """

    annotator_offsets: Offsets
    edit_offsets: Offsets
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    alternative_offsets: Offsets
    corrections: TokenArray

    def edits(self) -> list[GoldEdit]:
        """Return the edits as objects, in the same order."""
        corrections = [tuple(tokens) for tokens in self.corrections.lists()]
        bounds = self.alternative_offsets.tolist()
        return [
            GoldEdit(start, end, tuple(corrections[bounds[edit] : bounds[edit + 1]]))
            for edit, (start, end) in enumerate(zip(self.starts.tolist(), self.ends.tolist(), strict=True))
        ]


class Options(NamedTuple):
    """Options of the scorer.

    `max_unchanged_words`: the most unchanged words that a merged edit may span. -1 merges nothing (B.5).
    `release`: of the official scorer, "master" or "3.2" (B.12).
    `folded`: the lower-cased characters of every token id. They switch `ignore_whitespace_casing` on (B.8).
    `arc_limit`: the longest list of arcs that is made.
    """

    max_unchanged_words: int = 2
    release: str = MASTER
    folded: TokenArray | None = None
    arc_limit: int = 1_000_000


class PathEdit(NamedTuple):
    """One edit of the chosen path: its source span and its span of hypothesis tokens."""

    start: int
    end: int
    hypothesis_start: int
    hypothesis_end: int


class Match(NamedTuple):
    """Counts of one sentence and annotator, and the proposed edits."""

    correct: int
    proposed: int
    gold: int
    path: list[PathEdit]


class ArcEdit(NamedTuple):
    """What an arc does: its source span, its number of steps, and how many of these keep a token."""

    start: int
    end: int
    steps: int
    unchanged: int

    @property
    def is_noop(self) -> bool:
        """Whether the arc changes nothing."""
        return self.unchanged == self.steps


def match_corpus(
    sources: TokenArray, hypotheses: TokenArray, gold: GoldArrays, options: Options, threads: int = 1
) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """Count correct, proposed and gold edits of every sentence and annotator.

    Also returns for each row how it was counted: FAST where nothing was changed, else LITERAL. Only the native kernel
    has other FAST rows, and rows that are TOO_LARGE for the list of arcs. `threads` is for the native kernel.
    """
    del threads
    _check_options(options)
    folded = None if options.folded is None else options.folded.lists()
    golds, annotators, bounds = gold.edits(), gold.annotator_offsets.tolist(), gold.edit_offsets.tolist()
    counts, how = [], []
    for number, (source, hypothesis) in enumerate(zip(sources.lists(), hypotheses.lists(), strict=True)):
        rows = [golds[bounds[row] : bounds[row + 1]] for row in range(annotators[number], annotators[number + 1])]
        if source == hypothesis:
            counts += [(0, 0, len(row)) for row in rows]
            how += [FAST] * len(rows)
            continue
        lattice = build_lattice(source, hypothesis, options, number)
        counts += [match_annotator(lattice, row, folded)[:3] for row in rows]
        how += [LITERAL] * len(rows)
    return np.array(counts, dtype=np.int64).reshape(len(counts), 3), np.array(how, dtype=np.int8)


def match_sentence(
    source: TokenArray, hypothesis: TokenArray, gold: GoldArrays, options: Options
) -> tuple[NDArray[np.int64], int, NDArray[np.int32]]:
    """Return the counts of one sentence and one annotator, LITERAL, and the proposed edits.

    The edits are rows (start, end, hypothesis start, hypothesis end) from left to right.
    """
    _check_options(options)
    folded = None if options.folded is None else options.folded.lists()
    lattice = build_lattice(source.ids.tolist(), hypothesis.ids.tolist(), options)
    match = match_annotator(lattice, gold.edits(), folded)
    path = np.array(match.path, dtype=np.int32).reshape(len(match.path), 4)
    return np.array(match[:3], dtype=np.int64), LITERAL, path


def _check_options(options: Options) -> None:
    if options.release not in (MASTER, VERSION_3_2):
        raise ValueError(f"release is {MASTER!r} or {VERSION_3_2!r}, not {options.release!r}")
    if options.max_unchanged_words < -1:
        raise ValueError(f"max_unchanged_words is -1 or more, not {options.max_unchanged_words}")


# Steps 1 to 3: the lattice of a sentence.


@dataclass
class Lattice:
    """The vertices in order, the official list of arcs, and what each arc does. An arc may be listed twice."""

    source: Tokens
    hypothesis: Tokens
    vertices: list[Vertex]
    arcs: list[Arc]
    edits: dict[Arc, ArcEdit]

    def agrees(self, arc: Arc, gold: GoldEdit) -> bool:
        """Return whether an arc has the span and the original of a gold edit, and one of its corrections (B.6).

        A gold span outside the sentence never agrees, but it still counts as a gold edit.
        """
        edit, (tail, head) = self.edits[arc], arc
        if (edit.start, edit.end) != (gold.start, gold.end) or not 0 <= gold.start <= gold.end <= len(self.source):
            return False
        same_original = self.source[tail[0] : head[0]] == self.source[gold.start : gold.end]
        return same_original and tuple(self.hypothesis[tail[1] : head[1]]) in gold.alternatives

    def changes_only_case(self, arc: Arc, folded: Sequence[Tokens]) -> bool:
        """Return whether an arc changes only spaces and letter case; `folded` are the letters of each token (B.8)."""
        tail, head = arc
        original = [letter for token in self.source[tail[0] : head[0]] for letter in folded[token]]
        return original == [letter for token in self.hypothesis[tail[1] : head[1]] for letter in folded[token]]


def build_lattice(source: Tokens, hypothesis: Tokens, options: Options, number: int = 0) -> Lattice:
    """Return the lattice of all edits from source to hypothesis; `number` tells an error the sentence."""
    if len(source) * len(hypothesis) > _MOST_CELLS:
        raise too_large_for_python(f"sentence {number + 1} is too long to align")
    # Step 1, and step 2: an arc of both tables stays in the list twice.
    arcs = sorted(arc for cost in (1, 2) for arc in minimal_steps(source, hypothesis, cost))
    edits = {arc: _edit_of_step(source, hypothesis, arc, options.release) for arc in arcs}
    vertices = sorted({(0, 0), *(head for _, head in arcs)})
    lattice = Lattice(source, hypothesis, vertices, arcs, edits)
    # Step 3
    if not add_merged_arcs(lattice, options.max_unchanged_words, options.arc_limit):
        raise too_large_for_python(f"sentence {number + 1} has too many possible edits")
    remove_merged_noops(lattice)
    return lattice


def minimal_steps(source: Tokens, hypothesis: Tokens, substitution_cost: int) -> list[Arc]:
    """Return the steps of all minimal alignments; insertions and deletions cost 1 (step 1)."""
    costs = [list(range(len(hypothesis) + 1))]
    for i, token in enumerate(source, 1):
        above, row = costs[-1], [i]
        for j, other in enumerate(hypothesis):
            substitution = above[j] + (0 if token == other else substitution_cost)
            row.append(min(substitution, above[j + 1] + 1, row[j] + 1))
        costs.append(row)
    steps: list[Arc] = []
    waiting = [(len(source), len(hypothesis))]  # to walk back from
    reached = set(waiting)
    while waiting:
        i, j = head = waiting.pop()
        substitution = 0 if i and j and source[i - 1] == hypothesis[j - 1] else substitution_cost
        for tail, cost in (((i - 1, j - 1), substitution), ((i - 1, j), 1), ((i, j - 1), 1)):
            if min(tail) >= 0 and costs[tail[0]][tail[1]] + cost == costs[i][j]:
                steps.append((tail, head))
                if tail not in reached:
                    reached.add(tail)
                    waiting.append(tail)
    return steps


def _edit_of_step(source: Tokens, hypothesis: Tokens, arc: Arc, release: str) -> ArcEdit:
    """Return the edit of a single step; release 3.2 misplaces insertions before the first token (B.12)."""
    (start, column), (end, next_column) = arc
    if release == VERSION_3_2 and start == end == 0:
        return ArcEdit(column, column, 1, 0)
    keeps = start < end and column < next_column and source[start] == hypothesis[column]
    return ArcEdit(start, end, 1, int(keeps))


def add_merged_arcs(lattice: Lattice, max_unchanged_words: int, arc_limit: int) -> bool:
    """Merge arcs that follow each other, as the algorithm of Floyd and Warshall does (step 3).

    The official loops go over all triples of vertices: for each middle one, for each tail, for each head. Here they go
    only over the tails and heads that arcs join with the middle, in the same order. Returns False past `arc_limit`.
    """
    arcs, edits = lattice.arcs, lattice.edits
    tails: dict[Vertex, list[Vertex]] = {vertex: [] for vertex in lattice.vertices}
    heads: dict[Vertex, list[Vertex]] = {vertex: [] for vertex in lattice.vertices}
    for tail, head in sorted(edits):
        tails[head].append(tail)
        heads[tail].append(head)
    for middle in lattice.vertices:
        for tail in tails[middle]:
            first = edits[tail, middle]
            for head in heads[middle]:
                second = edits[middle, head]
                steps, unchanged = first.steps + second.steps, first.unchanged + second.unchanged
                known = edits.get((tail, head))
                if unchanged > max_unchanged_words or (known is not None and steps >= known.steps):
                    continue
                arcs.append((tail, head))  # once more if a longer way was listed before
                edits[tail, head] = ArcEdit(first.start, second.end, steps, unchanged)
                if known is None:
                    tails[head].insert(bisect_left(tails[head], tail), tail)
        if len(arcs) > arc_limit:
            return False
    return True


def remove_merged_noops(lattice: Lattice) -> None:
    """Remove merged arcs that change nothing, from the list that is being walked.

    So the arc after each removed one is skipped, and some stay. The length of the list counts in step 4.
    """
    for arc in lattice.arcs:
        if lattice.edits[arc].is_noop and lattice.edits[arc].steps > 1:
            lattice.arcs.remove(arc)


# Steps 4 to 6: the path of an annotator.


def match_annotator(lattice: Lattice, golds: Sequence[GoldEdit], folded: Sequence[Tokens] | None = None) -> Match:
    """Count one annotator's edits; `folded` leaves out proposed edits of spaces and letter case only."""
    path = find_lightest_path(lattice, weigh_arcs(lattice, golds))  # steps 4 and 5
    proposed = [arc for arc in path if not lattice.edits[arc].is_noop]
    if folded is not None:
        proposed = [arc for arc in proposed if not lattice.changes_only_case(arc, folded)]
    spans = [PathEdit(tail[0], head[0], tail[1], head[1]) for tail, head in proposed]
    return Match(count_correct(lattice, proposed, golds), len(proposed), len(golds), spans)


def weigh_arcs(lattice: Lattice, golds: Sequence[GoldEdit]) -> dict[Arc, float]:
    """Return the weight of every arc (step 4).

    An arc weighs its number of steps, and PENALTY more for every time that it is listed if it changes something. An arc
    that agrees with a gold edit weighs less than any path without it.
    """
    reward = -float(len(lattice.arcs))
    weights = {arc: float(edit.steps) for arc, edit in lattice.edits.items()}
    by_span: dict[tuple[int, int], list[GoldEdit]] = {}
    for gold in golds:
        by_span.setdefault((gold.start, gold.end), []).append(gold)
    insertions: dict[int, list[Arc]] = {}
    for arc in lattice.arcs:
        edit = lattice.edits[arc]
        if edit.start == edit.end:
            insertions.setdefault(edit.start, []).append(arc)
        elif any(lattice.agrees(arc, gold) for gold in by_span.get((edit.start, edit.end), ())):
            weights[arc] = reward
        elif not edit.is_noop:
            weights[arc] += PENALTY
    for position, arcs in insertions.items():
        here = by_span.get((position, position), [])

        def agrees(arc: Arc, number: int, here: Sequence[GoldEdit] = here) -> bool:
            return lattice.agrees(arc, here[number])

        weigh_insertions(sorted(arcs), len(here), agrees, weights, reward)
    return weights


def weigh_insertions(
    arcs: Sequence[Arc],
    golds: int,
    agrees: Callable[[Arc, int], bool],
    weights: dict[Arc, float],
    reward: float,
) -> None:
    """Pair the insertions at one position with the gold insertions there, from both ends (step 4).

    A pointer from the left and one from the right walk along the sorted arcs and change sides after each miss. After a
    match the pointer skips to the arcs that continue where the match ended. All arcs that are passed get a penalty.
    """
    left, right = 0, len(arcs) - 1
    first_gold, last_gold = 0, golds - 1
    at_left = True
    while left <= right:
        at_left = at_left or left == right
        arc = arcs[left if at_left else right]
        numbers = range(first_gold, last_gold + 1) if at_left else range(last_gold, first_gold - 1, -1)
        found = next((number for number in numbers if agrees(arc, number)), None)
        if found is None:
            weights[arc] += PENALTY
            left, right = (left + 1, right) if at_left else (left, right - 1)
            at_left = not at_left
            continue
        weights[arc] = reward
        if at_left:
            first_gold, left = found + 1, left + 1
            while left < len(arcs) and arcs[left][0] != arc[1]:
                weights[arcs[left]] += PENALTY
                left += 1
        else:
            last_gold, right = found - 1, right - 1
            while right >= 0 and arcs[right][1] != arc[0]:
                weights[arcs[right]] += PENALTY
                right -= 1


def find_lightest_path(lattice: Lattice, weights: dict[Arc, float]) -> list[Arc]:
    """Return the lightest path from the first vertex to the last, by Bellman and Ford's algorithm (step 5).

    Arcs are taken in the order of the list, and only a strictly lighter path replaces another. Sums are floats, so that
    rounding decides between paths of equal weight as it does in the official scorer.
    """
    distance = dict.fromkeys(lattice.vertices, float("inf"))
    start, vertex = lattice.vertices[0], lattice.vertices[-1]
    distance[start] = 0.0
    previous: dict[Vertex, Vertex] = {}
    changed = True
    while changed:
        changed = False
        for arc in lattice.arcs:
            tail, head = arc
            total = distance[tail] + weights[arc]
            if total < distance[head]:
                distance[head], previous[head] = total, tail
                changed = True
    path: list[Arc] = []
    while vertex != start:
        path.append((previous[vertex], vertex))
        vertex = previous[vertex]
    return path[::-1]


def count_correct(lattice: Lattice, proposed: Sequence[Arc], golds: Sequence[GoldEdit]) -> int:
    """Walk the proposed edits along the gold list and count those that agree, without stopping at a match (step 6)."""
    correct = position = 0
    for arc in proposed:
        for number in range(position, len(golds)):
            if lattice.agrees(arc, golds[number]):
                correct += 1
                position = number + 1
    return correct

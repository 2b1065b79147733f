"""MaxMatch, the kernel of M2 (Dahlmeier & Ng 2012), as in the official scorer.

The sections (§) are those of docs/metrics/m2.md. For each sentence:

1. Align source and hypothesis in two Levenshtein tables and keep the steps of all minimal alignments (§3).
2. Pool the steps of both tables. They are the arcs of a lattice from the start to the end of both texts (§4).
3. Merge arcs that follow each other into longer edits (§5).

For each annotator of the sentence:

4. Weigh the arcs. Arcs that agree with a gold edit are preferred (§6).
5. Find the lightest path. Its arcs that change something are the proposed edits (§7).
6. Count the proposed edits that agree with the gold (§8).

The list of arcs grows with the square of the inserted text. The native kernel finds the path without the list, by
dynamic programming. It uses the list only where rounding or the order of the list decides between equal paths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gecbench.kernels import too_large_for_python
from gecbench.kernels.tokens import GoldArrays, MatchOptions, TokenArray

MASTER, VERSION_3_2 = "master", "3.2"
FAST, LITERAL, TOO_LARGE = range(3)
PENALTY = 0.001
_MOST_CELLS = 4_000_000
_MOST_VERTICES = 4096

Tokens = Sequence[int]
Vertex = tuple[int, int]  # the numbers of source and hypothesis tokens before it
Arc = tuple[int, int]  # the numbers of the vertices that it leads from and to
Int16 = NDArray[np.int16]
Ints = NDArray[np.int64]


class GoldEdit(NamedTuple):
    """One edit of an annotator: a source span and the corrections it accepts."""

    start: int
    end: int
    alternatives: tuple[tuple[int, ...], ...]


def gold_edits(gold: GoldArrays) -> list[GoldEdit]:
    """Return the gold edits of a corpus as objects, in the same order."""
    corrections = [tuple(tokens) for tokens in gold.corrections.lists()]
    bounds = gold.alternative_offsets.tolist()
    return [
        GoldEdit(start, end, tuple(corrections[bounds[edit] : bounds[edit + 1]]))
        for edit, (start, end) in enumerate(zip(gold.starts.tolist(), gold.ends.tolist(), strict=True))
    ]


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


def match_corpus(
    sources: TokenArray, hypotheses: TokenArray, gold: GoldArrays, options: MatchOptions, threads: int = 1
) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """Count correct, proposed and gold edits of every sentence and annotator.

    Also returns how each row was counted: FAST if the sentence was not changed, else LITERAL. The native kernel counts
    more rows as FAST, and some as TOO_LARGE for the list of arcs. `threads` is for the native kernel.
    """
    del threads
    _check_options(options)
    folded = None if options.folded is None else options.folded.lists()
    golds, annotators, bounds = gold_edits(gold), gold.annotator_offsets.tolist(), gold.edit_offsets.tolist()
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
    source: TokenArray, hypothesis: TokenArray, gold: GoldArrays, options: MatchOptions
) -> tuple[NDArray[np.int64], int, NDArray[np.int32]]:
    """Return counts, method and proposed edits of one sentence and annotator.

    The method is always LITERAL, see `match_corpus`. The edits are rows (start, end, hypothesis start, hypothesis end)
    from left to right.
    """
    _check_options(options)
    folded = None if options.folded is None else options.folded.lists()
    lattice = build_lattice(source.ids.tolist(), hypothesis.ids.tolist(), options)
    match = match_annotator(lattice, gold_edits(gold), folded)
    path = np.array(match.path, dtype=np.int32).reshape(len(match.path), 4)
    return np.array(match[:3], dtype=np.int64), LITERAL, path


def _check_options(options: MatchOptions) -> None:
    if options.release not in (MASTER, VERSION_3_2):
        raise ValueError(f"release must be {MASTER!r} or {VERSION_3_2!r}, not {options.release!r}")
    if options.max_unchanged_words < -1:
        raise ValueError(f"max_unchanged_words must be at least -1, not {options.max_unchanged_words}")


# Steps 1 to 3: the lattice of a sentence. Vertices are numbered in the order of their positions.


@dataclass
class Lattice:
    """The arcs of a sentence, sorted, and the official list of arcs.

    Arc a leads from vertex `tails[a]` to `heads[a]`. It starts at the source position `starts[a]` and has `steps[a]`
    steps, of which `unchanged[a]` keep a token. The list has it `copies[a]` times. The list is divided into groups such
    that no arc begins where another arc of its group ends.
    """

    source: Tokens
    hypothesis: Tokens
    vertices: list[Vertex]
    ends: Int16  # the source position at which an arc to each vertex ends
    tails: Ints
    heads: Ints
    starts: Int16
    steps: Int16
    unchanged: Int16
    copies: Ints
    groups: list[Ints]

    def text(self, arc: int) -> tuple[Tokens, Tokens]:
        """Return the source tokens and the hypothesis tokens of an arc."""
        (row, column), (end_row, end_column) = self.vertices[self.tails[arc]], self.vertices[self.heads[arc]]
        return self.source[row:end_row], self.hypothesis[column:end_column]

    def agrees(self, arc: int, gold: GoldEdit) -> bool:
        """Return whether an arc agrees with a gold edit of the same span (§6).

        The arc must have the gold edit's original tokens and one of its corrections. A gold span outside the sentence
        never agrees, but it still counts as a gold edit.
        """
        if not 0 <= gold.start <= gold.end <= len(self.source):
            return False
        original, correction = self.text(arc)
        return original == self.source[gold.start : gold.end] and tuple(correction) in gold.alternatives

    def arcs_of_span(self, start: int, end: int) -> Ints:
        """Return the arcs of a source span."""
        return np.flatnonzero((self.starts == start) & (self.ends[self.heads] == end))


def build_lattice(source: Tokens, hypothesis: Tokens, options: MatchOptions, number: int = 0) -> Lattice:
    """Return the lattice of all edits from source to hypothesis.

    `number` is the index of the sentence, for error messages.
    """
    if len(source) * len(hypothesis) > _MOST_CELLS:
        raise too_large_for_python(f"sentence {number + 1} is too long to align")
    # Steps 1 and 2. A step that is in both tables is listed twice.
    pairs = sorted(step for cost in (1, 2) for step in minimal_steps(source, hypothesis, cost))
    vertices = sorted({(0, 0), *(head for _, head in pairs)})
    if len(vertices) > _MOST_VERTICES:
        raise too_large_for_python(f"sentence {number + 1} has too many possible edits")
    place = {vertex: index for index, vertex in enumerate(vertices)}
    singles = [(place[tail], place[head]) for tail, head in pairs]
    # Step 3
    table = MergedEdits(source, hypothesis, vertices, singles, options.release)
    groups = remove_merged_noops(table, table.merge(options.max_unchanged_words))
    by_tail = [np.array([*arcs], dtype=np.int64) for _, arcs in groupby(singles, key=itemgetter(0))]
    return table.lattice([*by_tail, *groups])


def minimal_steps(source: Tokens, hypothesis: Tokens, substitution_cost: int) -> list[tuple[Vertex, Vertex]]:
    """Return the steps of all minimal alignments (step 1).

    Insertions and deletions cost 1.
    """
    costs = [list(range(len(hypothesis) + 1))]
    for i, token in enumerate(source, 1):
        above, row = costs[-1], [i]
        for j, other in enumerate(hypothesis):
            substitution = above[j] + (0 if token == other else substitution_cost)
            row.append(min(substitution, above[j + 1] + 1, row[j] + 1))
        costs.append(row)
    steps: list[tuple[Vertex, Vertex]] = []
    waiting = [(len(source), len(hypothesis))]  # vertices to trace back from
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


class MergedEdits:
    """The edit between each pair of vertices.

    Arrays hold its number of steps (0: no edit), its number of unchanged words, and its start in the source.
    """

    def __init__(
        self, source: Tokens, hypothesis: Tokens, vertices: list[Vertex], singles: Sequence[Arc], release: str
    ) -> None:
        self.source, self.hypothesis, self.vertices = source, hypothesis, vertices
        self.steps, self.unchanged, self.starts = np.zeros((3, len(vertices), len(vertices)), dtype=np.int16)
        self.ends = np.array([row for row, _ in vertices], dtype=np.int16)
        self.next: list[list[int]] = [[] for _ in vertices]
        for tail, head in dict.fromkeys(singles):
            (row, column), (end_row, end_column) = vertices[tail], vertices[head]
            self.next[tail].append(head)
            self.steps[tail, head] = 1
            self.starts[tail, head] = row
            if row < end_row and column < end_column:
                self.unchanged[tail, head] = source[row] == hypothesis[column]
            # Release 3.2 misplaces insertions before the first token (§12).
            if release == VERSION_3_2 and row == end_row == 0:
                self.starts[tail, head] = self.ends[head] = column

    def merge(self, max_unchanged_words: int) -> list[Ints]:
        """Merge consecutive arcs in the order of Floyd and Warshall's algorithm (step 3).

        The official loops go over all triples of vertices: for each middle, for each tail, for each head. A merged arc
        is listed if it spans few enough unchanged words, and has fewer steps than all earlier arcs between its ends.
        Returns a group of (tail, head) for each middle vertex, in the order of the list. No two arcs of a group have
        the same ends, so numpy can make all of them at once.
        """
        groups = []
        for middle in range(len(self.vertices)):
            tails, heads = np.flatnonzero(self.steps[:middle, middle]), np.array(self.next[middle], dtype=np.int64)
            steps = self.steps[tails, middle][:, None] + np.int16(1)
            unchanged = self.unchanged[tails, middle][:, None] + self.unchanged[middle, heads]
            known = self.steps[tails[:, None], heads]
            accepted = (unchanged <= max_unchanged_words) & ((known == 0) | (steps < known))
            which_tail, which_head = np.nonzero(accepted)
            arcs = tails[which_tail], heads[which_head]
            self.steps[arcs] = steps[which_tail, 0]
            self.unchanged[arcs] = unchanged[accepted]
            self.starts[arcs] = self.starts[arcs[0], middle]
            groups.append(np.column_stack(arcs))
        return groups

    def lattice(self, groups: Sequence[Ints]) -> Lattice:
        """Return the lattice of the listed arcs."""
        size = len(self.vertices)
        listed = np.concatenate([group @ (size, 1) for group in groups])  # each arc as one number
        arcs, numbers, copies = np.unique(listed, return_inverse=True, return_counts=True)
        tails, heads = np.divmod(arcs, size)
        bounds = np.cumsum([len(group) for group in groups])
        return Lattice(
            self.source,
            self.hypothesis,
            self.vertices,
            self.ends,
            tails,
            heads,
            self.starts[tails, heads],
            self.steps[tails, heads],
            self.unchanged[tails, heads],
            copies,
            [part for part in np.split(numbers, bounds) if len(part)],
        )


def remove_merged_noops(table: MergedEdits, groups: Sequence[Ints]) -> list[Ints]:
    """Remove merged arcs that change nothing, except those the program skips.

    The official program removes arcs from a list while it loops over this list. So the loop skips the arc after each
    removed arc, even if the skipped arc changes nothing. If an arc is listed twice, its first entry is removed. The
    length of the remaining list affects the weights of step 4.
    """
    listed = np.concatenate([*groups, np.zeros((0, 2), dtype=np.int64)])
    tails, heads = listed.T
    noops = np.flatnonzero(table.steps[tails, heads] == table.unchanged[tails, heads]).tolist()
    places: dict[Arc, list[int]] = {}
    for place in noops:
        places.setdefault((int(tails[place]), int(heads[place])), []).append(place)
    kept = np.ones(len(listed), dtype=np.bool_)
    skipped = -1
    for place in noops:
        if place != skipped:
            kept[places[int(tails[place]), int(heads[place])].pop(0)] = False
            skipped = place + 1
    bounds = np.cumsum([len(group) for group in groups])[:-1]
    return [group[mask] for group, mask in zip(groups, np.split(kept, bounds), strict=True)] if groups else []


# Steps 4 to 6: the path of an annotator.


def match_annotator(lattice: Lattice, golds: Sequence[GoldEdit], folded: Sequence[Tokens] | None = None) -> Match:
    """Count one annotator's edits.

    With `folded`, proposed edits that change only spaces or case are ignored (§8).
    """
    path = find_lightest_path(lattice, weigh_arcs(lattice, golds))  # steps 4 and 5
    proposed = [arc for arc in path if lattice.unchanged[arc] < lattice.steps[arc]]
    if folded is not None:
        proposed = [arc for arc in proposed if not _changes_only_case(lattice, arc, folded)]
    ends = [(lattice.vertices[lattice.tails[arc]], lattice.vertices[lattice.heads[arc]]) for arc in proposed]
    spans = [PathEdit(tail[0], head[0], tail[1], head[1]) for tail, head in ends]
    return Match(count_correct(lattice, proposed, golds), len(proposed), len(golds), spans)


def _changes_only_case(lattice: Lattice, arc: int, folded: Sequence[Tokens]) -> bool:
    original, correction = ([letter for token in text for letter in folded[token]] for text in lattice.text(arc))
    return original == correction


def weigh_arcs(lattice: Lattice, golds: Sequence[GoldEdit]) -> NDArray[np.float64]:
    """Return the weight of every arc (step 4).

    The weight of an arc is its number of steps. If the arc changes something, it weighs PENALTY more for each time that
    it is listed. If the arc agrees with a gold edit, its weight is minus the length of the list instead.
    """
    reward = -float(lattice.copies.sum())
    weights = lattice.steps.astype(np.float64)
    changing = lattice.unchanged < lattice.steps
    for copy in range(lattice.copies.max(initial=0)):
        weights[changing & (lattice.copies > copy)] += PENALTY
    by_span: dict[tuple[int, int], list[GoldEdit]] = {}
    for gold in golds:
        by_span.setdefault((gold.start, gold.end), []).append(gold)
    for (start, end), here in by_span.items():
        arcs = lattice.arcs_of_span(start, end)
        if start == end:
            weigh_insertions(lattice, arcs, here, weights, reward)
        else:
            weights[[arc for arc in arcs.tolist() if any(lattice.agrees(arc, gold) for gold in here)]] = reward
    return weights


def weigh_insertions(
    lattice: Lattice, arcs: Ints, golds: Sequence[GoldEdit], weights: NDArray[np.float64], reward: float
) -> None:
    """Weigh the insertions at a position by pairing them with the gold's (step 4).

    Two pointers move along the sorted arcs, one from the left and one from the right. They take turns after each miss.
    After a match, the same pointer skips to the next arc that touches the matched arc. Every arc that a pointer passes
    without a match gets a penalty.
    """
    weights[arcs] = lattice.steps[arcs]
    listed = np.repeat(arcs, lattice.copies[arcs])
    tails, heads = lattice.tails[listed].tolist(), lattice.heads[listed].tolist()
    left, right = 0, len(listed) - 1
    first_gold, last_gold = 0, len(golds) - 1
    at_left = True
    while left <= right:
        at_left = at_left or left == right
        place = left if at_left else right
        arc = int(listed[place])
        numbers = range(first_gold, last_gold + 1) if at_left else range(last_gold, first_gold - 1, -1)
        found = next((number for number in numbers if lattice.agrees(arc, golds[number])), None)
        if found is None:
            weights[arc] += PENALTY
            left, right = (left + 1, right) if at_left else (left, right - 1)
            at_left = not at_left
            continue
        weights[arc] = reward
        if at_left:
            first_gold, left = found + 1, left + 1
            while left < len(listed) and tails[left] != heads[place]:
                weights[listed[left]] += PENALTY
                left += 1
        else:
            last_gold, right = found - 1, right - 1
            while right >= 0 and heads[right] != tails[place]:
                weights[listed[right]] += PENALTY
                right -= 1


def find_lightest_path(lattice: Lattice, weights: NDArray[np.float64]) -> list[int]:
    """Return the arcs of the lightest path, by Bellman and Ford's algorithm (step 5).

    The path leads from the first vertex to the last. Arcs are taken in the order of the list, and only a strictly
    lighter path replaces another. Sums are floats, so that rounding decides between paths of equal weight as it does in
    the official scorer. No arc begins where another arc of its group ends. So numpy can compare all arcs of a group
    with the distances before the group, and skip those arcs that do not shorten a distance.
    """
    distance = np.full(len(lattice.vertices), np.inf)
    distance[0] = 0
    entered_by: dict[int, int] = {}
    groups = [(arcs, lattice.tails[arcs], lattice.heads[arcs], weights[arcs]) for arcs in lattice.groups]
    changed = True
    while changed:
        changed = False
        for arcs, tails, heads, steps in groups:
            totals = distance[tails] + steps
            for place in np.flatnonzero(totals < distance[heads]).tolist():
                if totals[place] < distance[heads[place]]:
                    distance[heads[place]], entered_by[int(heads[place])] = totals[place], int(arcs[place])
                    changed = True
    path: list[int] = []
    vertex = len(lattice.vertices) - 1
    while vertex:
        path.append(entered_by[vertex])
        vertex = int(lattice.tails[path[-1]])
    return path[::-1]


def count_correct(lattice: Lattice, proposed: Sequence[int], golds: Sequence[GoldEdit]) -> int:
    """Count the matches of proposed edits in the gold list (step 6).

    Edits are taken from left to right. One edit can match several gold edits. The search for the next edit starts after
    the last match.
    """
    correct = position = 0
    for arc in proposed:
        span = (int(lattice.starts[arc]), int(lattice.ends[lattice.heads[arc]]))
        for number in range(position, len(golds)):
            if span == golds[number][:2] and lattice.agrees(arc, golds[number]):
                correct += 1
                position = number + 1
    return correct

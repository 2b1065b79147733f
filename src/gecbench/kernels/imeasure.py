"""The I-measure's kernel: find the best reference (Felice & Briscoe 2015).

A hypothesis is compared with references, either listed or mixed. A mixed reference takes one alternative of every error
group, whichever annotator it comes from. docs/metrics/imeasure.md describes how the official scorer chooses among
listed references (§6), and how the best mixed reference is found without listing all of them (§8). A row of counts has
fifteen numbers: TP TN FP FN FPN for detection, for correction, and for the baseline, which is the unchanged source.

The search for the best mixed reference of a sentence:

1. Cut the sentence between blocks of error groups. Between two cuts lies a segment.
2. List the references of each segment and align them.
3. Drop every cut that an optimal alignment of some reference may miss. Join the two segments at this cut, and
   list the references of the joined segment.
4. Pick one reference of each segment so that the sum of their counts is best (`kernels/best_sum.py`).

If a segment has too many references because many cuts were dropped, the sentence is searched without cuts
(`kernels/lattice.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gecbench.kernels import too_large_for_python
from gecbench.kernels.alignment import (
    GAP,
    MATCH,
    MISMATCH,
    Counts,
    Objective,
    Tokens,
    add_counts,
    align_pair,
    align_texts,
    alignment_cost,
    best_of,
    count_classes,
    pair_distance,
    table_cells,
)
from gecbench.kernels.best_sum import Edge, pick_best
from gecbench.kernels.lattice import Lattice, add_baseline
from gecbench.kernels.tokens import Offsets, TokenArray

DONE, COLLIDES, TOO_MANY, TOO_LONG = range(4)
_MOST_WORK = 1 << 28  # cells of the alignments of a segment, together
_LARGEST = 1 << 62
MOST_OPTIONS = 1 << 12  # references of a segment of a lattice

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Edit = tuple[int, int, tuple[int, ...]]  # start, end, and the tokens that replace the source's
Item = TypeVar("Item")


class Limits(NamedTuple):
    """Limits on time and memory: the largest allowed numbers of the following items.

    `listed`: mixed references of a sentence that is not cut. The result would be the same with cuts.
    `segment`: references of a segment. `sums`: distinct sums of counts. `cells`: cells of an alignment. `work`: cells
    of all alignments of a segment. `lattice`: cells of a search without cuts; 0 turns this search off.
    """

    listed: int = 2
    segment: int = 1 << 12
    sums: int = 1 << 16
    cells: int = 1 << 24
    work: int = 1 << 23
    lattice: int = 1 << 27


class RefusedError(Exception):
    """A sentence that cannot be scored exactly within the limits."""

    def __init__(self, status: int) -> None:
        self.status = status


class Group(NamedTuple):
    """Alternative corrections of one error, each a set of edits.

    An optional group may stay uncorrected.
    """

    alternatives: tuple[tuple[Edit, ...], ...]
    optional: bool

    def choices(self) -> list[tuple[Edit, ...]]:
        """Return the alternatives and, last, an empty one if the group is optional."""
        return [*self.alternatives, ()] if self.optional else list(self.alternatives)

    def extent(self) -> tuple[int, int]:
        """Return the first and the last position that any alternative touches."""
        edits = [edit for alternative in self.alternatives for edit in alternative]
        return min((edit[0] for edit in edits), default=0), max((edit[1] for edit in edits), default=0)


class GroupArrays(NamedTuple):
    """All groups of a corpus, laid end to end.

    Sentence s has the groups group_offsets[s]:group_offsets[s + 1], group g the alternatives
    alternative_offsets[g]:alternative_offsets[g + 1], alternative a the edits edit_offsets[a]:edit_offsets[a + 1].
    Edit e replaces the source span [spans[e, 0], spans[e, 1]) by `corrections[e]`.
    """

    group_offsets: Offsets
    optional: Int32
    alternative_offsets: Offsets
    edit_offsets: Offsets
    spans: Int32
    corrections: TokenArray

    def groups(self) -> list[list[Group]]:
        """Return the groups of each sentence as objects."""
        edits = [
            (start, end, tuple(tokens))
            for (start, end), tokens in zip(self.spans.tolist(), self.corrections.lists(), strict=True)
        ]
        alternatives = _split([tuple(part) for part in _split(edits, self.edit_offsets)], self.alternative_offsets)
        groups = [
            Group(tuple(choices), bool(free))
            for choices, free in zip(alternatives, self.optional.tolist(), strict=True)
        ]
        return _split(groups, self.group_offsets)


def _split(items: list[Item], offsets: Offsets) -> list[list[Item]]:
    return [items[start:end] for start, end in pairwise(offsets.tolist())]


# The native kernel also has these functions.


def align(source: Int32, hypothesis: Int32, reference: Int32) -> Int32:
    """Return the alignment's columns: positions in the three texts, -1 for a gap."""
    columns = align_texts(source.tolist(), hypothesis.tolist(), reference.tolist())
    return np.array(columns, dtype=np.int32).reshape(-1, 3)


def count_references(
    sources: TokenArray,
    hypotheses: TokenArray,
    references: TokenArray,
    sentence_offsets: Int64,
    cell_limit: int,
    threads: int = 1,
) -> tuple[Int64, Int32, Int64]:
    """Count the classes of every reference.

    Sentence s has the references sentence_offsets[s]:sentence_offsets[s + 1]. Also returns for each sentence a status,
    DONE or TOO_LONG, and the number of cells of its alignments. `threads` is for the native kernel.
    """
    del threads
    texts = references.lists()
    counts = np.zeros((len(texts), 15), dtype=np.int64)
    status = np.zeros(len(sources), dtype=np.int32)
    cells = np.zeros(len(sources), dtype=np.int64)
    bounds = pairwise(sentence_offsets.tolist())
    sentences = zip(sources.lists(), hypotheses.lists(), bounds, strict=True)
    for number, (source, hypothesis, (begin, end)) in enumerate(sentences):
        try:
            for row in range(begin, end):
                _check_lengths(source, hypothesis, texts[row], cell_limit)
                columns = align_texts(source, hypothesis, texts[row])
                counts[row] = count_classes(columns, source, hypothesis, texts[row])
                cells[number] += table_cells(source, hypothesis, texts[row])
        except RefusedError as refusal:
            status[number] = refusal.status
    return counts, status, cells


def _check_lengths(source: Tokens, hypothesis: Tokens, reference: Tokens, cell_limit: int) -> None:
    """Refuse a sentence whose two longest texts need over `cell_limit` cells."""
    _, second, first = sorted(len(text) + 1 for text in (source, hypothesis, reference))
    if first * second > cell_limit:
        raise RefusedError(TOO_LONG)


def choose_listed(counts: Int64, sentence_offsets: Int64, objective: Objective) -> Int64:
    """Return the row of each sentence's best reference (docs/metrics/imeasure.md §6)."""
    rows = counts.tolist()
    total = [0] * 15
    chosen = []
    for start, end in pairwise(sentence_offsets.tolist()):
        best = start + best_of(rows[start:end], total, objective)
        if objective.corpus:
            total = add_counts(total, rows[best])
        chosen.append(best)
    return np.array(chosen, dtype=np.int64)


def choose_mixed(
    sources: TokenArray,
    hypotheses: TokenArray,
    gold: GroupArrays,
    objective: Objective,
    limits: Limits,
    threads: int = 1,
) -> tuple[Int32, Int64, Int32, Int64]:
    """Choose the best mixed reference of every sentence, without listing them all.

    See docs/metrics/imeasure.md §8. Returns the alternative chosen in each group (-1: none), and for each sentence its
    counts, its status (DONE, COLLIDES, TOO_MANY or TOO_LONG) and its work: the numbers of mixed references, alignments,
    alignment cells and segments. `threads` is for the native kernel.
    """
    del threads
    total = [0] * 15
    choices: list[int] = []
    rows, states, work = [], [], []
    for source, hypothesis, groups in zip(sources.lists(), hypotheses.lists(), gold.groups(), strict=True):
        sentence = MixedSentence(source, hypothesis, groups, limits)
        chosen, counts, status = [-1] * len(groups), [0] * 15, DONE
        try:
            chosen, counts = sentence.choose(total, objective)
        except RefusedError as refusal:
            status = refusal.status
        if objective.corpus:
            total = add_counts(total, counts)
        choices.extend(chosen)
        rows.append(counts)
        states.append(status)
        work.append([min(sentence.references, _LARGEST), sentence.alignments, sentence.cells, sentence.segments])
    return (
        np.array(choices, dtype=np.int32),
        np.array(rows, dtype=np.int64).reshape(-1, 15),
        np.array(states, dtype=np.int32),
        np.array(work, dtype=np.int64).reshape(-1, 4),
    )


# Steps 1 and 2: segments and their references.


class Cut(NamedTuple):
    """A position in the source, and the position in the hypothesis aligned with it."""

    source: int
    hypothesis: int


class Option(NamedTuple):
    """A reference of a segment: choices, tokens and counts, and how it aligns.

    `choice` has the choice in each group. `distances` are the two-way distances of the reference to source and
    hypothesis. `slack` is the cost of the three-way alignment minus the sum of the three two-way distances.
    """

    choice: tuple[int, ...]
    tokens: tuple[int, ...]
    counts: list[int]
    distances: tuple[int, int]
    slack: int


@dataclass
class Segment:
    """The part of a sentence between two cuts: its groups and all its references.

    `distance` is the two-way distance of source and hypothesis.
    """

    groups: list[int]
    options: list[Option]
    source: Tokens
    hypothesis: Tokens
    distance: int


class MixedSentence:
    """The search for the best mixed reference of one sentence."""

    def __init__(self, source: Tokens, hypothesis: Tokens, groups: Sequence[Group], limits: Limits) -> None:
        self.source, self.hypothesis, self.groups, self.limits = source, hypothesis, groups, limits
        self.order = sorted(range(len(groups)), key=lambda g: groups[g].extent())
        self.references = math.prod(len(group.choices()) for group in groups)
        self.alignments = self.cells = self.segments = 0

    def choose(self, offset: Counts, goal: Objective) -> tuple[list[int], list[int]]:
        """Return the alternative chosen in each group (-1: none), and the counts."""
        try:
            segments = self.proven_segments()
            groups = [segment.groups for segment in segments]
            options = [[option.choice for option in segment.options] for segment in segments]
            layers = [[Edge(n, option.counts) for n, option in enumerate(segment.options)] for segment in segments]
        except RefusedError as refusal:
            if refusal.status != TOO_MANY or not self.limits.lattice:
                raise
            groups, options, layers = self.lattice()
        self.segments = len(layers)
        path = pick_best(layers, offset, goal, self.limits.sums)  # step 4
        if path is None:
            raise RefusedError(TOO_MANY)
        choices, counts = [-1] * len(self.groups), [0] * 15
        for inside, listed, edge in zip(groups, options, path, strict=True):
            counts = add_counts(counts, edge.counts)
            for group, choice in zip(inside, listed[edge.option], strict=True):
                choices[group] = choice if choice < len(self.groups[group].alternatives) else -1
        return choices, counts

    def proven_segments(self) -> list[Segment]:
        """Return segments with cuts that no optimal alignment of any reference misses."""
        cuts = [] if self.references <= self.limits.listed else self.find_cuts()  # step 1
        bounds = [Cut(0, 0), *cuts, Cut(len(self.source), len(self.hypothesis))]
        segments = [self.list_references(*pair) for pair in pairwise(bounds)]  # step 2
        while (missable := self.find_missable(bounds[1:-1], segments)) is not None:
            del bounds[missable + 1]  # step 3
            joined = self.list_references(bounds[missable], bounds[missable + 1])
            segments[missable : missable + 2] = [joined]
        return segments

    def find_missable(self, cuts: Sequence[Cut], segments: Sequence[Segment]) -> int | None:
        """Return the index of a cut that an optimal alignment may miss, or None (step 3)."""
        longest = max(self.source, self.hypothesis, key=len)  # the proof aligns every option with a whole text
        for option in (option for segment in segments for option in segment.options if cuts):
            _check_lengths(option.tokens, longest, (), self.limits.cells)
        return find_missable_cut(self.source, self.hypothesis, cuts, segments)

    def find_cuts(self) -> list[Cut]:
        """Return cuts between blocks (step 1).

        A cut is the middle of the longest run of tokens that no group edits and that the hypothesis keeps.
        """
        _check_lengths(self.source, self.hypothesis, (), self.limits.cells)
        kept = {i: j for i, j in align_pair(self.source, self.hypothesis) if i >= 0 and j >= 0}
        cuts = []
        for (_, left), (right, _) in pairwise(self.blocks()):
            places = [Cut(i, kept[i]) for i in range(left + 1, right) if i in kept]
            runs = [self.kept_run(place, left, right) for place in places]
            if any(runs):
                cuts.append(places[runs.index(max(runs))])
        return cuts

    def kept_run(self, place: Cut, left: int, right: int) -> int:
        """Return how many tokens on each side of `place` are unedited and kept.

        These tokens are in no block, and the hypothesis keeps them.
        """
        i, j = place
        run = 0
        while (
            i - run > left
            and i + run < right
            and j > run
            and j + run < len(self.hypothesis)
            and self.source[i - run - 1] == self.hypothesis[j - run - 1]
            and self.source[i + run] == self.hypothesis[j + run]
        ):
            run += 1
        return run

    def blocks(self) -> list[tuple[int, int]]:
        """Return the extents of blocks, or an empty list if an edit is out of range.

        A block is a set of groups that overlap or touch.
        """
        spans = [edit for group in self.groups for alternative in group.alternatives for edit in alternative]
        if any(not 0 <= start <= end <= len(self.source) for start, end, _ in spans):
            return []
        blocks = [[g] for g in self.order]
        while True:
            joined: list[list[int]] = []
            for block in blocks:
                if joined and self.groups[block[0]].extent()[0] <= self.reach(joined[-1]):
                    joined[-1] = joined[-1] + block
                else:
                    joined.append(block)
            if len(joined) == len(blocks):
                return [(self.groups[block[0]].extent()[0], self.reach(block)) for block in blocks]
            blocks = joined

    def reach(self, block: Sequence[int]) -> int:
        """Return where the edits of a block end.

        Edits are applied from right to left. If edits that start inside the span of an edit have already shortened
        the text, this edit reaches beyond its span.
        """
        groups = [self.groups[g] for g in block]
        end = max(group.extent()[1] for group in groups)
        for group in groups:
            for alternative in group.alternatives:
                others = [[alternative] if other is group else other.alternatives for other in groups]
                for edit in alternative:
                    reached, further = edit[1], _shortening(others, edit, edit[1])
                    while edit[1] + further > reached:
                        reached = edit[1] + further
                        further = _shortening(others, edit, reached)
                    end = max(end, reached)
        return min(len(self.source), end)

    def list_references(self, start: Cut, end: Cut) -> Segment:
        """List the references of the segment between two cuts, and align each (step 2)."""
        source = self.source[start.source : end.source]
        hypothesis = self.hypothesis[start.hypothesis : end.hypothesis]
        groups, references = self.groups_between(start.source, end.source)
        pairs = references * (len(source) + 1) * (len(hypothesis) + 1)
        if references > self.limits.segment or pairs > self.limits.work:
            raise RefusedError(TOO_MANY)
        if pairs > _MOST_WORK:
            raise too_large_for_python("a sentence has too many mixed references")
        _check_lengths(source, hypothesis, (), self.limits.cells)
        distance = pair_distance(source, hypothesis)
        options = []
        cells = 0
        for tokens, choice in self.list_texts(start.source, end.source).items():
            if cells > self.limits.work:
                raise RefusedError(TOO_MANY)
            texts = (source, hypothesis, list(tokens))
            _check_lengths(*texts, self.limits.cells)
            columns = align_texts(*texts)
            cells += table_cells(*texts)
            if cells > _MOST_WORK:
                raise too_large_for_python("a sentence has too many mixed references")
            distances = (pair_distance(source, tokens), pair_distance(hypothesis, tokens))
            slack = alignment_cost(columns, texts) - sum(distances) - distance
            options.append(Option(choice, tokens, count_classes(columns, *texts), distances, slack))
        self.alignments += len(options)
        self.cells += cells
        return Segment(groups, options, source, hypothesis, distance)

    def groups_between(self, start: int, end: int) -> tuple[list[int], int]:
        """Return the groups in a part of the source, and the number of combinations.

        A combination takes one choice of each group.
        """
        last = end == len(self.source)
        whole = last and not start
        places = [self.groups[g].extent()[0] for g in self.order]
        inside = [
            g for g, i in zip(self.order, places, strict=True) if whole or start <= i < end or (last and i == end)
        ]
        return inside, math.prod(len(self.groups[g].choices()) for g in inside)

    def list_texts(self, start: int, end: int) -> dict[tuple[int, ...], tuple[int, ...]]:
        """Map the distinct references of a segment to the first choices that give them."""
        inside, _ = self.groups_between(start, end)
        found: dict[tuple[int, ...], tuple[int, ...]] = {}
        for combination in product(*(enumerate(self.groups[g].choices()) for g in inside)):
            edits = [edit for _, choice in combination for edit in choice]
            collides = len({edit[:2] for edit in edits}) < len(edits)
            if not collides:
                tokens = apply_edits(self.source, edits, start, end)
                found.setdefault(tokens, tuple(index for index, _ in combination))
        if not found:
            raise RefusedError(COLLIDES)
        return found

    def lattice(self) -> tuple[list[list[int]], list[list[tuple[int, ...]]], list[list[Edge]]]:
        """Return each segment's groups, choices and edges, for the search without cuts."""
        _check_lengths(self.source, self.hypothesis, (), self.limits.cells)
        blocks = self.blocks()
        middles = [(left + right + 1) // 2 for (_, left), (right, _) in pairwise(blocks)]
        bounds = [0, *(i for i in middles if i < len(self.source)), len(self.source)]
        texts = [self.list_segment(*pair) for pair in pairwise(bounds)]
        options = [list(found) for found in texts]
        whole = Lattice(self.source, self.hypothesis, options, self.pivots(bounds))
        baseline = Lattice(self.source, (), options, [(i, 0) for i in bounds])
        layers, baseline_layers = whole.edges(self.limits.lattice), baseline.edges(self.limits.lattice)
        if layers is None or baseline_layers is None:
            raise RefusedError(TOO_MANY)
        self.alignments += sum(map(len, texts))
        self.cells += whole.cells + baseline.cells
        groups = [self.groups_between(*pair)[0] for pair in pairwise(bounds)]
        return groups, [list(found.values()) for found in texts], add_baseline(layers, baseline_layers)

    def list_segment(self, start: int, end: int) -> dict[tuple[int, ...], tuple[int, ...]]:
        """Return the references of a lattice segment, or refuse if there are too many."""
        if self.groups_between(start, end)[1] > MOST_OPTIONS:
            raise RefusedError(TOO_MANY)
        return self.list_texts(start, end)

    def pivots(self, bounds: Sequence[int]) -> list[tuple[int, int]]:
        """Return for each boundary its cell on the alignment of source and hypothesis."""
        passed, place = {0: 0}, 0
        for i, j in align_pair(self.source, self.hypothesis):
            place = j + 1 if j >= 0 else place
            if i >= 0:
                passed[i + 1] = place
        return [(i, passed[i]) for i in bounds[:-1]] + [(len(self.source), len(self.hypothesis))]


def _shortening(groups: Sequence[Sequence[Sequence[Edit]]], edit: Edit, end: int) -> int:
    """Return by how many tokens other edits can shorten the text at most.

    Other edits are those that start between the start of `edit` and `end`.
    """
    return sum(
        max(
            (
                sum(max(0, e - s - len(tokens)) for s, e, tokens in others if edit[0] <= s < end and (s, e) != edit[:2])
                for others in alternatives
            ),
            default=0,
        )
        for alternatives in groups
    )


def apply_edits(source: Tokens, edits: Sequence[Edit], start: int, end: int) -> tuple[int, ...]:
    """Apply edits to a part of the source, from right to left.

    An edit that would empty the whole text is skipped (docs/metrics/imeasure.md §3).
    """
    whole = end - start == len(source)
    current = list(source[start:end])
    for first, last, replacement in sorted(edits, reverse=True):
        trial = list(current)
        trial[first - start : last - start] = replacement
        current = trial if trial or not whole else current
    return tuple(current)


# Step 3: a proof that every optimal alignment passes through the cuts (in full: native/imeasure/mixing.hpp).
#
# An alignment passes a cut if it is at the cut in all three texts at the same time. If it misses a cut, it also misses
# the cut in the two-way alignment of some pair of texts. So it is enough to check each pair: every two-way path that
# misses cuts must cost more than the distances of the segments that it crosses plus the charges of the cuts that it
# misses. The charge of a cut is the largest slack of the segment before it plus the largest slack of the segment after
# it. A three-way alignment through the cut may cost that much more than the distances.
#
# All references are checked at once. In a pair, one text is fixed. The other text is a chain of segments with a branch
# for each reference. The cheapest path that misses cuts is a shortest path through text and chain. Each branch starts
# with a credit of its own distance.

_FAR = 1 << 40
Branch = tuple[Tokens, int]  # the tokens of a segment, and their distance to the segment of the other text


def find_missable_cut(
    source: Tokens, hypothesis: Tokens, cuts: Sequence[Cut], segments: Sequence[Segment]
) -> int | None:
    """Return the index of a cut that an optimal alignment may miss, or None (step 3)."""
    slack = [max(option.slack for option in segment.options) for segment in segments]
    charges = [left + right for left, right in pairwise(slack)]
    source_cuts, hypothesis_cuts = [cut.source for cut in cuts], [cut.hypothesis for cut in cuts]
    hypotheses: list[list[Branch]] = [[(segment.hypothesis, segment.distance)] for segment in segments]
    near_source: list[list[Branch]] = [
        [(option.tokens, option.distances[0]) for option in segment.options] for segment in segments
    ]
    near_hypothesis: list[list[Branch]] = [
        [(option.tokens, option.distances[1]) for option in segment.options] for segment in segments
    ]
    for text, places, chain in (
        (source, source_cuts, hypotheses),
        (source, source_cuts, near_source),
        (hypothesis, hypothesis_cuts, near_hypothesis),
    ):
        missable = _missable_in_pair(text, places, chain, charges)
        if missable is not None:
            return missable
    return None


def _missable_in_pair(
    text: Tokens, cuts: Sequence[int], chain: Sequence[Sequence[Branch]], charges: Sequence[int]
) -> int | None:
    """Return the index of a cut missed by a two-way path of cost 0 or less, or None.

    The distances of the segments and the charges of missed cuts are subtracted from the cost. Cut g is after segment g
    of the chain. For the start of a segment, `passed` and `missed` have the least cost of reaching each position of the
    text: `passed` for paths that passed the cut there, `missed` for paths that missed it.
    """
    passed = [GAP * i for i in range(len(text) + 1)]
    missed = [_FAR] * (len(text) + 1)
    for number, branches in enumerate(chain):
        after_passing = _cross_segment(text, passed, branches)
        after_missing = _cross_segment(text, missed, branches) if number else missed
        cut = cuts[number] if number < len(cuts) else len(text)
        if number and min(after_missing[i] + GAP * (cut - i) for i in range(cut + 1)) <= 0:
            return number - 1
        if number < len(cuts):
            missed = _miss_cut(list(map(min, after_passing, after_missing)), cut, charges[number])
            passed = [_FAR] * cut + [GAP * i for i in range(len(text) + 1 - cut)]
    return None


def _cross_segment(text: Tokens, costs: Sequence[int], branches: Sequence[Branch]) -> list[int]:
    """Return the least cost at each position after a segment, over all branches."""
    best = [_FAR] * len(costs)
    for tokens, distance in branches:
        ends = costs
        for number, token in enumerate(tokens):
            ends = _take_token(text, ends, token, number + 1 == len(tokens))
        best = [min(known, cost - distance) for known, cost in zip(best, ends, strict=True)]
    return best


def _take_token(text: Tokens, costs: Sequence[int], token: int, last: bool) -> list[int]:
    """Return the costs after one token of the chain.

    After the `last` token of a segment, gaps over the text are not yet added.
    """
    row = [costs[0] + GAP]
    for i, other in enumerate(text):
        cost = min(costs[i] + (MATCH if token == other else MISMATCH), costs[i + 1] + GAP)
        row.append(cost if last else min(cost, row[i] + GAP))
    return row


def _miss_cut(costs: Sequence[int], cut: int, charge: int) -> list[int]:
    """Return the least cost at each position for paths that miss the cut.

    The cut's charge is subtracted.
    """
    left = _FAR
    missed = []
    for i, cost in enumerate(costs):
        left = _FAR if i == cut else min(cost, left + GAP)
        missed.append(left - charge if left < _FAR // 2 else _FAR)
    return missed

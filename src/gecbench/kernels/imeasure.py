"""The I-measure's kernel: count references, and choose the best of them, listed or mixed (Felice & Briscoe 2015).

Counts are rows of fifteen: TP TN FP FN FPN for detection, for correction, and for the baseline that leaves the source
alone. docs/imeasure.md describes the official scorer's choice (section 6) and the search for mixed references, which
are too many to list (section 8).

The search for the best mixed reference of a sentence:

1. Cut the sentence between blocks of error groups. Between two cuts lies a segment.
2. List the references of each segment and align them.
3. Drop every cut that an optimal alignment of some reference may miss, and list the joined segment instead.
4. Pick one reference of each segment so that the sum of their counts is best.
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
    ACC,
    FN,
    FP,
    GAP,
    MATCH,
    MISMATCH,
    TN,
    WACC,
    Counts,
    F,
    I,
    Objective,
    P,
    R,
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
from gecbench.kernels.tokens import Offsets, TokenArray

DONE, COLLIDES, TOO_MANY, TOO_LONG = range(4)
_MOST_WORK = 1 << 28  # cells of all alignments of a segment
_LARGEST = 1 << 62

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Edit = tuple[int, int, tuple[int, ...]]  # start, end, and the tokens that replace the source's
Item = TypeVar("Item")


class Limits(NamedTuple):
    """The bounds on time and memory.

    They are the references of a segment, distinct sums of counts, cells of an alignment, and cells of all alignments of
    a segment. Sentences with at most `listed` mixed references are not cut; the result is the same.
    """

    listed: int = 2
    segment: int = 1 << 16
    sums: int = 1 << 18
    cells: int = 1 << 24
    work: int = 1 << 30


class RefusedError(Exception):
    """A sentence that cannot be scored exactly within the limits."""

    def __init__(self, status: int) -> None:
        self.status = status


class Group(NamedTuple):
    """Alternative corrections of one error, each a set of edits; an optional group may be left alone."""

    alternatives: tuple[tuple[Edit, ...], ...]
    optional: bool

    def choices(self) -> list[tuple[Edit, ...]]:
        """Return the alternatives, and nothing last if optional."""
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


# What the native kernel does, too.


def align(source: Int32, hypothesis: Int32, reference: Int32) -> Int32:
    """Return the columns of the alignment: positions in source, hypothesis and reference, -1 for a gap."""
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
    DONE or TOO_LONG, and the cells of its alignments. `threads` is for the native kernel.
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
    """Refuse texts of which two would make a table above the limit."""
    _, second, first = sorted(len(text) + 1 for text in (source, hypothesis, reference))
    if first * second > cell_limit:
        raise RefusedError(TOO_LONG)


def choose_listed(counts: Int64, sentence_offsets: Int64, objective: Objective) -> Int64:
    """Return the row of the best reference of every sentence (docs/imeasure.md, section 6)."""
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
    """Choose the best mixed reference of every sentence, without listing them all (docs/imeasure.md, section 8).

    Returns the alternative chosen in each group (-1: none), and for each sentence its counts, its status (DONE,
    COLLIDES, TOO_MANY or TOO_LONG) and its work: mixed references, alignments, their cells, segments. `threads` is for
    the native kernel.
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
    """A position in the source, and the one in the hypothesis that goes with it."""

    source: int
    hypothesis: int


class Option(NamedTuple):
    """A reference of a segment: the choice in each group, its tokens and counts, and how it aligns.

    `distances` are its two-way distances to source and hypothesis, `slack` is what the three-way alignment costs above
    the sum of all three two-way distances.
    """

    choice: tuple[int, ...]
    tokens: tuple[int, ...]
    counts: list[int]
    distances: tuple[int, int]
    slack: int


@dataclass
class Segment:
    """A stretch of the sentence that contains whole groups, with all its references.

    `distance` is the two-way distance of source and hypothesis.
    """

    groups: list[int]
    options: list[Option]
    source: Tokens
    hypothesis: Tokens
    distance: int


class MixedSentence:
    """One sentence, its hypothesis and its groups."""

    def __init__(self, source: Tokens, hypothesis: Tokens, groups: Sequence[Group], limits: Limits) -> None:
        self.source, self.hypothesis, self.groups, self.limits = source, hypothesis, groups, limits
        self.order = sorted(range(len(groups)), key=lambda g: groups[g].extent())
        self.references = math.prod(len(group.choices()) for group in groups)
        self.alignments = self.cells = self.segments = 0

    def choose(self, offset: Counts, goal: Objective) -> tuple[list[int], list[int]]:
        """Return the alternative chosen in each group (-1: none), and the counts of the reference they make."""
        segments = self.certified_segments()
        self.segments = len(segments)
        rows = [[option.counts for option in segment.options] for segment in segments]
        picks = pick_best(rows, offset, goal, self.limits.sums)  # step 4
        choices, counts = [-1] * len(self.groups), [0] * 15
        for segment, pick in zip(segments, picks, strict=True):
            option = segment.options[pick]
            counts = add_counts(counts, option.counts)
            for group, choice in zip(segment.groups, option.choice, strict=True):
                choices[group] = choice if choice < len(self.groups[group].alternatives) else -1
        return choices, counts

    def certified_segments(self) -> list[Segment]:
        """Return segments whose cuts lie on every optimal alignment of every mixed reference."""
        cuts = [] if self.references <= self.limits.listed else self.find_cuts()  # step 1
        bounds = [Cut(0, 0), *cuts, Cut(len(self.source), len(self.hypothesis))]
        segments = [self.list_references(*pair) for pair in pairwise(bounds)]  # step 2
        while (missable := find_missable_cut(self.source, self.hypothesis, bounds[1:-1], segments)) is not None:
            del bounds[missable + 1]  # step 3
            joined = self.list_references(bounds[missable], bounds[missable + 1])
            segments[missable : missable + 2] = [joined]
        return segments

    def find_cuts(self) -> list[Cut]:
        """Cut between blocks: in the middle of the longest unedited run that the hypothesis keeps (step 1)."""
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
        """Return how many tokens on both sides of a place are unedited and kept by the hypothesis."""
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
        """Return the extents of groups, joined where they overlap or touch; none if an edit is out of range."""
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

        Edits are applied from right to left, so one that overlaps another may reach further into the text, by as much
        as the others shorten it.
        """
        groups = [self.groups[g] for g in block]
        end = max(group.extent()[1] for group in groups)
        edits = [
            (g, a, edit) for g, group in enumerate(groups) for a, alt in enumerate(group.alternatives) for edit in alt
        ]
        overlap = any(
            (g != other_g or a == other_a) and edit[0] < other[1] and other[0] < edit[1]
            for n, (g, a, edit) in enumerate(edits)
            for other_g, other_a, other in edits[:n]
        )
        if not overlap:
            return end
        longest = [
            max(sum(e - s for s, e, _ in alt) for alt in group.alternatives) for group in groups if group.alternatives
        ]
        return min(len(self.source), end + sum(longest))

    def list_references(self, start: Cut, end: Cut) -> Segment:
        """List the references of the segment between two cuts, and align each (step 2)."""
        source = self.source[start.source : end.source]
        hypothesis = self.hypothesis[start.hypothesis : end.hypothesis]
        whole = len(source) == len(self.source)
        inside = [g for g in self.order if whole or start.source <= self.groups[g].extent()[0] <= end.source]
        references = math.prod(len(self.groups[g].choices()) for g in inside)
        pairs = references * (len(source) + 1) * (len(hypothesis) + 1)
        if references > self.limits.segment or pairs > self.limits.work:
            raise RefusedError(TOO_MANY)
        if pairs > _MOST_WORK:
            raise too_large_for_python("the mixed references of a sentence are too many")
        _check_lengths(source, hypothesis, (), self.limits.cells)
        distance = pair_distance(source, hypothesis)
        options: dict[tuple[int, ...], Option] = {}
        cells = 0
        for combination in product(*(enumerate(self.groups[g].choices()) for g in inside)):
            edits = [edit for _, choice in combination for edit in choice]
            tokens = apply_edits(source, edits, start.source)
            collides = len({edit[:2] for edit in edits}) < len(edits)
            if collides or tokens in options:
                continue
            if cells > self.limits.work:
                raise RefusedError(TOO_MANY)
            texts = (source, hypothesis, list(tokens))
            _check_lengths(*texts, self.limits.cells)
            columns = align_texts(*texts)
            cells += table_cells(*texts)
            if cells > _MOST_WORK:
                raise too_large_for_python("the mixed references of a sentence are too many")
            distances = (pair_distance(source, tokens), pair_distance(hypothesis, tokens))
            slack = alignment_cost(columns, texts) - sum(distances) - distance
            choice = tuple(index for index, _ in combination)
            options[tokens] = Option(choice, tokens, count_classes(columns, *texts), distances, slack)
        self.alignments += len(options)
        self.cells += cells
        if not options:
            raise RefusedError(COLLIDES)
        return Segment(inside, list(options.values()), source, hypothesis, distance)


def apply_edits(tokens: Tokens, edits: Sequence[Edit], shift: int) -> tuple[int, ...]:
    """Apply edits from right to left; one that would empty the text is skipped (docs/imeasure.md, section 3)."""
    current = list(tokens)
    for start, end, replacement in sorted(edits, reverse=True):
        trial = list(current)
        trial[start - shift : end - shift] = replacement
        current = trial or current
    return tuple(current)


# Step 3: a proof that every optimal alignment passes through the cuts (docs/imeasure.md, section 8).
#
# An alignment passes a cut if all three texts stand there at the same time. One that misses a cut misses it in the
# two-way alignment of some pair of texts. So it is enough that for each pair every two-way path that misses cuts costs
# more than the distances of the segments that it crosses plus the charges of the cuts that it misses. A cut is charged
# the largest slack of the segments on both sides, which is what a three-way alignment through the cut may cost more.
#
# A pair of texts is a text and a chain of segments with several branches each, the references. Over all references at
# once, the cheapest path that misses cuts is a shortest path through text and chain, in which each branch starts with a
# credit of its own distance.

_FAR = 1 << 40
Branch = tuple[Tokens, int]  # the tokens of a segment, and their distance to the segment of the other text


def find_missable_cut(
    source: Tokens, hypothesis: Tokens, cuts: Sequence[Cut], segments: Sequence[Segment]
) -> int | None:
    """Return the index of a cut that some optimal alignment may miss, None if there is none (step 3)."""
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
    """Return a cut that some two-way path may miss at too low a cost; cut g follows segment g of the chain.

    `passed` and `missed` are the least costs of standing at each position of the text at the start of a segment, on
    paths that passed the cut there and on paths that missed it.
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
    """Return the least cost of standing at each position of the text at the end of a segment, by any branch."""
    best = [_FAR] * len(costs)
    for tokens, distance in branches:
        ends = costs
        for number, token in enumerate(tokens):
            ends = _take_token(text, ends, token, number + 1 == len(tokens))
        best = [min(known, cost - distance) for known, cost in zip(best, ends, strict=True)]
    return best


def _take_token(text: Tokens, costs: Sequence[int], token: int, last: bool) -> list[int]:
    """Take one token of the chain; after the last one the text does not move on yet."""
    row = [costs[0] + GAP]
    for i, other in enumerate(text):
        cost = min(costs[i] + (MATCH if token == other else MISMATCH), costs[i + 1] + GAP)
        row.append(cost if last else min(cost, row[i] + GAP))
    return row


def _miss_cut(costs: Sequence[int], cut: int, charge: int) -> list[int]:
    """Return the least cost of going on to each position without standing at the cut, less the charge."""
    left = _FAR
    missed = []
    for i, cost in enumerate(costs):
        left = _FAR if i == cut else min(cost, left + GAP)
        missed.append(left - charge if left < _FAR // 2 else _FAR)
    return missed


# Step 4: the best sum of one row of counts from each segment.
#
# P, R, Acc, WAcc and single counts are ratios of sums. A ratio is maximized exactly, in integers (Dinkelbach 1967). All
# picks that reach the maximum are again one set of rows for each segment, over which the next key is maximized. F and I
# are not such ratios, and neither is WAcc where the weight is not a short binary fraction: there rounding decides
# between equals, so all distinct sums are collected and compared as floats.

Rows = Sequence[Sequence[Counts]]  # the rows of counts of each segment
Remaining = list[list[int]]  # which of them are still to choose from


class Ratio(NamedTuple):
    """Two weighted sums of counts, the lower one with a constant; it is 1 where the class `fault` is not counted."""

    upper: list[int]
    lower: list[int]
    constant: int = 0
    fault: int | None = None


def pick_best(segments: Rows, offset: Counts, goal: Objective, sum_limit: int) -> list[int]:
    """Pick one row of each segment so that their sum with the offset is best (step 4).

    Of equally good picks it is the first, in the order of the segments' rows, later segments varying fastest.
    """
    if len(segments) == 1:
        return [best_of(segments[0], offset, goal)]
    remaining = [_first_of_equals(rows) for rows in segments]
    weight = _short_fraction(goal.weight)
    if goal.metric == WACC and weight:
        return [rows[0] for rows in _narrow_by_keys(segments, remaining, offset, goal.aspect, weight)]
    if goal.metric not in (F, WACC, I):
        remaining, _ = maximize(segments, remaining, offset, metric_ratio(goal.metric, 5 * goal.aspect))
    return _best_of_all_sums(segments, remaining, offset, goal, sum_limit)


def _first_of_equals(rows: Sequence[Counts]) -> list[int]:
    first: dict[tuple[int, ...], int] = {}
    for index, row in enumerate(rows):
        first.setdefault(tuple(row), index)
    return list(first.values())


def _short_fraction(weight: float) -> tuple[int, int] | None:
    """Return the weight as a fraction of integers, if it has few enough bits for WAcc to be rounded only once.

    None at 0 and below, where denominators may be 0 or negative.
    """
    above, below = weight.as_integer_ratio()
    return (above, below) if 0 < above < 1 << 20 and below <= 1 << 10 else None


def _narrow_by_keys(
    segments: Rows, remaining: Remaining, offset: Counts, chosen: int, weight: tuple[int, int]
) -> Remaining:
    """Apply the keys WAcc, I and Acc of both aspects; at equal WAcc within (0, 1), I is the lowest baseline."""
    baseline = Ratio([int(n == 10 + FN) for n in range(15)], [int(n in (10 + TN, 10 + FN)) for n in range(15)])
    for aspect in (chosen, 1 - chosen):
        remaining, (right, whole) = maximize(segments, remaining, offset, metric_ratio(WACC, 5 * aspect, weight))
        if 0 < right < whole:
            remaining, _ = maximize(segments, remaining, offset, baseline)
        remaining, _ = maximize(segments, remaining, offset, metric_ratio(ACC, 5 * aspect))
    return remaining


def metric_ratio(metric: int, start: int, weight: tuple[int, int] = (1, 1)) -> Ratio:
    """Return a metric of the aspect whose counts begin at `start`, as a ratio of sums."""
    w, one = weight
    upper, lower = {
        P: ((1, 0, 0, 0, 0), (1, 0, 1, 0, 0)),
        R: ((1, 0, 0, 0, 0), (1, 0, 0, 1, 0)),
        ACC: ((1, 1, 0, 0, 0), (1, 1, 1, 1, -1)),
        WACC: ((2 * w, 2 * one, 0, 0, 0), (2 * w, 2 * one, 2 * w, 2 * one, -w - one)),
    }.get(metric, (tuple(int(n == metric) for n in range(5)), (0,) * 5))
    before, after = [0] * start, [0] * (10 - start)
    fault = {P: start + FP, R: start + FN}.get(metric)
    return Ratio([*before, *upper, *after], [*before, *lower, *after], int(metric < P), fault)


def maximize(segments: Rows, remaining: Remaining, offset: Counts, ratio: Ratio) -> tuple[Remaining, tuple[int, int]]:
    """Narrow every segment to the rows from which the largest ratio is reached; return them and that ratio.

    Dinkelbach's iteration: (a) Take the ratio value / whole of the current picks. (b) In each segment, find the rows of
    the largest gain upper * whole - lower * value. (c) If all gains together are 0, the ratio is the largest there is
    and these rows reach it. (d) Otherwise pick the first of them and repeat.
    """
    if ratio.fault is not None and not offset[ratio.fault]:
        faultless = [[n for n in rows if not segments[g][n][ratio.fault]] for g, rows in enumerate(remaining)]
        if all(faultless):
            return faultless, (1, 1)
    upper = [[_weigh(ratio.upper, segments[g][n]) for n in rows] for g, rows in enumerate(remaining)]
    lower = [[_weigh(ratio.lower, segments[g][n]) for n in rows] for g, rows in enumerate(remaining)]
    first_upper, first_lower = _weigh(ratio.upper, offset), _weigh(ratio.lower, offset) + ratio.constant
    picks = [0] * len(segments)
    while True:
        value = first_upper + sum(row[pick] for row, pick in zip(upper, picks, strict=True))  # (a)
        whole = first_lower + sum(row[pick] for row, pick in zip(lower, picks, strict=True))
        gains = [  # (b)
            [above * whole - below * value for above, below in zip(*rows, strict=True)]
            for rows in zip(upper, lower, strict=True)
        ]
        largest = [max(row) for row in gains]
        if first_upper * whole - first_lower * value + sum(largest) == 0:  # (c)
            kept = [
                [n for n, gain in zip(rows, row, strict=True) if gain == top]
                for rows, row, top in zip(remaining, gains, largest, strict=True)
            ]
            return kept, (value, whole)
        picks = [row.index(top) for row, top in zip(gains, largest, strict=True)]  # (d)


def _weigh(weights: Sequence[int], counts: Counts) -> int:
    return sum(weight * count for weight, count in zip(weights, counts, strict=True))


def _best_of_all_sums(segments: Rows, remaining: Remaining, offset: Counts, goal: Objective, limit: int) -> list[int]:
    """Collect every distinct sum with the first picks that make it, and compare them all."""
    sums: dict[tuple[int, ...], list[int]] = {(0,) * 15: []}
    for g, rows in enumerate(remaining):
        longer: dict[tuple[int, ...], list[int]] = {}
        for total, picks in sums.items():
            for n in rows:
                longer.setdefault(tuple(add_counts(total, segments[g][n])), [*picks, n])
            if len(longer) > limit:
                raise RefusedError(TOO_MANY)
        sums = longer
    candidates = list(sums)
    return sums[candidates[best_of(candidates, offset, goal)]]

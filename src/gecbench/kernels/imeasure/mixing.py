"""The best mixed reference of one sentence (Felice & Briscoe 2015, section 2.1).

The steps are those of docs/imeasure.md, section 8: 1 cut the sentence between blocks of groups, 2 list the references
of each segment, 3 find the best sum of counts. Between 2 and 3 the certificate proves the cuts or drops them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import prod
from typing import NamedTuple

from gecbench.kernels.imeasure.alignment import Aligner, Alignment
from gecbench.kernels.imeasure.certificate import failing_cut
from gecbench.kernels.imeasure.groups import COLLIDES, DONE, TOO_MANY, Edit, Group, Limits, RefusedError
from gecbench.kernels.imeasure.keys import Counts, Objective
from gecbench.kernels.imeasure.pairs import Tokens
from gecbench.kernels.imeasure.product import pick_best

MOST = 1 << 62


class Cut(NamedTuple):
    """A position in the source and the position in the hypothesis that goes with it."""

    source: int
    hypothesis: int


class Option(NamedTuple):
    """A reference of a segment: which choice of each group, its tokens and their alignment."""

    choice: tuple[int, ...]
    tokens: tuple[int, ...]
    found: Alignment


@dataclass
class Segment:
    """A stretch of the sentence that contains whole groups, with all its references."""

    groups: list[int]
    options: list[Option]
    source: Tokens
    hypothesis: Tokens
    distance: int


def apply_edits(tokens: Tokens, edits: Sequence[Edit], shift: int) -> tuple[int, ...]:
    """Apply edits from right to left; one that would empty the text is skipped (docs/imeasure.md, section 3)."""
    current = list(tokens)
    for start, end, replacement in sorted(edits, reverse=True):
        trial = list(current)
        trial[start - shift : end - shift] = replacement
        current = trial or current
    return tuple(current)


class MixedSentence:
    """One sentence, its hypothesis and its groups."""

    def __init__(self, source: Tokens, hypothesis: Tokens, groups: Sequence[Group], limits: Limits) -> None:
        self.source, self.hypothesis, self.groups, self.limits = source, hypothesis, groups, limits
        self.order = sorted(range(len(groups)), key=lambda g: groups[g].extent())
        self.asked = prod(len(group.choices()) for group in groups)
        self.alignments = self.cells = self.segments = 0

    def work(self) -> list[int]:
        """References asked for, alignments made, their steps and cells, segments."""
        return [min(self.asked, MOST), self.alignments, self.cells, self.segments]

    def choose(self, offset: Counts, goal: Objective) -> tuple[int, list[int], list[int]]:
        """Status, choice per group (-1 is none), counts."""
        choices, counts = [-1] * len(self.groups), [0] * 15
        try:
            segments = self.certified_segments()
            self.segments = len(segments)
            rows = [[option.found.counts for option in segment.options] for segment in segments]
            picks = pick_best(rows, offset, goal, self.limits.sums)  # step 3
            if picks is None:
                raise RefusedError(TOO_MANY)
        except RefusedError as refusal:
            return refusal.status, choices, counts
        for segment, pick in zip(segments, picks, strict=True):
            option = segment.options[pick]
            counts = [a + b for a, b in zip(counts, option.found.counts, strict=True)]
            for group, choice in zip(segment.groups, option.choice, strict=True):
                choices[group] = choice if choice < len(self.groups[group].alternatives) else -1
        return DONE, choices, counts

    def certified_segments(self) -> list[Segment]:
        """Segments that no optimal alignment of any mixed reference crosses; doubtful cuts are dropped."""
        # Step 1
        cuts = [] if self.asked <= self.limits.listed else self.find_cuts(self.blocks())
        bounds = [Cut(0, 0), *cuts, Cut(len(self.source), len(self.hypothesis))]
        # Step 2
        segments = [self.segment(*pair) for pair in pairwise(bounds)]
        # The certificate
        while (doubtful := self.doubtful_cut(bounds, segments)) is not None:
            del bounds[doubtful + 1]
            segments[doubtful : doubtful + 2] = [self.segment(bounds[doubtful], bounds[doubtful + 1])]
        return segments

    def doubtful_cut(self, bounds: Sequence[Cut], segments: Sequence[Segment]) -> int | None:
        """Index of a cut whose certificate fails for one of the three pairs of texts."""
        if len(segments) == 1:
            return None
        inner = bounds[1:-1]
        slack = [max(option.found.slack for option in segment.options) for segment in segments]
        charges = [left + right for left, right in pairwise(slack)]
        sources, hypotheses = [cut.source for cut in inner], [cut.hypothesis for cut in inner]
        plain = [[(segment.hypothesis, segment.distance)] for segment in segments]
        doubtful = failing_cut(self.source, sources, plain, charges)
        for side, text, places in ((0, self.source, sources), (1, self.hypothesis, hypotheses)):
            if doubtful is None:
                chain = [
                    [(option.tokens, option.found.distances[side]) for option in item.options] for item in segments
                ]
                doubtful = failing_cut(text, places, chain, charges)
        return doubtful

    def segment(self, start: Cut, end: Cut) -> Segment:
        """List the references of a stretch and align each."""
        whole = end.source - start.source == len(self.source)
        inside = [g for g in self.order if whole or start.source <= self.groups[g].extent()[0] <= end.source]
        source, hypothesis = (
            self.source[start.source : end.source],
            self.hypothesis[start.hypothesis : end.hypothesis],
        )
        references = prod(len(self.groups[g].choices()) for g in inside)
        pairs = references * (len(source) + 1) * (len(hypothesis) + 1)
        if references > self.limits.segment or pairs > self.limits.work:
            raise RefusedError(TOO_MANY)
        aligner = Aligner(source, hypothesis, self.limits.cells)
        options: dict[tuple[int, ...], Option] = {}
        for combination in product(*(enumerate(self.groups[g].choices()) for g in inside)):
            edits = [edit for _, choice in combination for edit in choice]
            tokens = apply_edits(source, edits, start.source)
            if len({edit[:2] for edit in edits}) == len(edits) and tokens not in options:
                if aligner.cells > self.limits.work:
                    raise RefusedError(TOO_MANY)
                choice = tuple(index for index, _ in combination)
                options[tokens] = Option(choice, tokens, aligner.align(tokens))
        self.alignments += len(options)
        self.cells += aligner.cells
        if not options:
            raise RefusedError(COLLIDES)
        return Segment(inside, list(options.values()), source, hypothesis, aligner.pair.distance)

    def blocks(self) -> list[tuple[int, int]]:
        """Extents of groups, joined where they overlap or touch; none if an edit is out of range."""
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
        """Where the edits of a block end; overlapping ones may reach further, by as much as they shorten the text."""
        groups = [self.groups[g] for g in block]
        end = max(group.extent()[1] for group in groups)
        together = [
            (g, a, edit) for g, group in enumerate(groups) for a, alt in enumerate(group.alternatives) for edit in alt
        ]
        overlap = any(
            (g != other_g or a == other_a) and edit[0] < other[1] and other[0] < edit[1]
            for n, (g, a, edit) in enumerate(together)
            for other_g, other_a, other in together[:n]
        )
        if not overlap:
            return end
        longest = [
            max(sum(e - s for s, e, _ in alt) for alt in group.alternatives) for group in groups if group.alternatives
        ]
        return min(len(self.source), end + sum(longest))

    def find_cuts(self, blocks: Sequence[tuple[int, int]]) -> list[Cut]:
        """Between blocks, the middle of the longest unedited run that the hypothesis keeps."""
        if len(blocks) < 2:
            return []
        excess = Aligner(self.source, self.hypothesis, self.limits.cells).pair.excess
        cuts = []
        for (_, left), (right, _) in pairwise(blocks):
            best, best_run = None, 0
            for i in range(left + 1, right):
                places = [j for j, value in enumerate(excess[i]) if value == 0]
                if len(places) == 1:
                    run = kept_run(self.source, self.hypothesis, (i, places[0]), (left, right))
                    if run > best_run:
                        best, best_run = Cut(i, places[0]), run
            if best is not None:
                cuts.append(best)
        return cuts


def kept_run(source: Tokens, hypothesis: Tokens, place: tuple[int, int], bounds: tuple[int, int]) -> int:
    """How many tokens on both sides of a place are unedited and kept by the hypothesis."""
    i, j = place
    run = 0
    while (
        i - run > bounds[0]
        and i + run < bounds[1]
        and j > run
        and j + run < len(hypothesis)
        and source[i - run - 1] == hypothesis[j - run - 1]
        and source[i + run] == hypothesis[j + run]
    ):
        run += 1
    return run

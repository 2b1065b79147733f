"""The best path of MaxMatch by dynamic programming, without the transitive arcs (docs/m2.md, B.7, B.8).

Costs are exact integers, thousandths of the official weights: 1000 for a step, 1 for every entry of an edit
in the arc list, REWARD for an edit that agrees with the gold. Merged edits are taken to be as short and as light as
any path between their ends allows; what the official lists really hold is checked on the path that wins.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from gecbench.kernels.maxmatch.edits import GoldEdit, Match, PathEdit
from gecbench.kernels.maxmatch.gold import GoldArc, GoldArcs
from gecbench.kernels.maxmatch.insertions import STEP
from gecbench.kernels.maxmatch.lattice import Lattice, merged_arc

UNREACHED = 1 << 62
KEEP, SINGLE, MERGED, GOLD = range(4)


class Counts(NamedTuple):
    """Edits proposed so far, those correct, and the position in the gold list (docs/m2.md, B.8)."""

    proposed: int
    correct: int
    position: int


class Closed(NamedTuple):
    """Best way to a vertex with no edit open; `tied` if an equally light way has other counts."""

    cost: int
    counts: Counts
    tied: bool
    tail: int
    kind: int


class Open(NamedTuple):
    """Best way to a vertex inside an edit that began at vertex `start`."""

    cost: int
    start: int
    tied: bool


NOTHING = Counts(0, 0, 0)
NO_WAY = Closed(UNREACHED, NOTHING, False, -1, KEEP)
NOT_OPEN = Open(UNREACHED, -1, False)


class PathSearch:
    """Search for one sentence and one annotator."""

    def __init__(
        self,
        lattice: Lattice,
        golds: Sequence[GoldEdit],
        arcs: GoldArcs,
        max_unchanged_words: int,
        spelling: Spelling | None,
    ) -> None:
        self.lattice, self.golds, self.arcs = lattice, golds, arcs
        self.limit, self.spelling = max_unchanged_words, spelling
        self.starts = [gold.start for gold in golds]
        self.in_order = self.starts == sorted(self.starts)
        self.closed = [NO_WAY] * len(lattice.rows)
        self.open = [[NOT_OPEN] * (max_unchanged_words + 1) for _ in lattice.rows]
        self.closed[0] = Closed(0, self.settle(NOTHING, 0), False, -1, KEEP)
        for vertex in range(1, len(lattice.rows)):
            self.close_at(vertex)
            self.open_at(vertex)

    def settle(self, counts: Counts, row: int) -> Counts:
        """Move the gold position over edits that begin before `row`: no later arc can match them."""
        position = counts.position
        if self.in_order:
            position = max(position, bisect_left(self.starts, row))
        else:
            while position < len(self.starts) and self.starts[position] < row:
                position += 1
        return counts if position == counts.position else counts._replace(position=position)

    def propose(self, counts: Counts, tail: int, head: int) -> Counts:
        """Counts after the unmatched edit from `tail` to `head`."""
        folds = self.spelling is not None and self.spelling.folds_away(tail, head)
        return self.settle(counts if folds else counts._replace(proposed=counts.proposed + 1), self.lattice.rows[head])

    def match(self, counts: Counts, arc: GoldArc) -> Counts:
        """Counts after an edit that agrees with gold edits: all of them from the position on (docs/m2.md, B.8)."""
        if self.spelling is None or not self.spelling.folds_away(arc.tail, arc.head):
            proposed, correct, position = counts
            for index in arc.golds:
                if index >= position:
                    correct, position = correct + 1, index + 1
            counts = Counts(proposed + 1, correct, position)
        return self.settle(counts, self.lattice.rows[arc.head])

    def close_at(self, vertex: int) -> None:
        """Best way to end a kept token or an edit at `vertex`."""
        closed, row = self.closed, self.lattice.rows[vertex]
        best = NO_WAY
        for tail, copies, unchanged in self.lattice.steps[vertex]:
            before = closed[tail]
            cost = before.cost + STEP + (0 if unchanged else copies)
            if cost <= best.cost:
                kind = KEEP if unchanged else SINGLE
                counts = self.settle(before.counts, row) if unchanged else self.propose(before.counts, tail, vertex)
                best = _better(best, Closed(cost, counts, before.tied, tail, kind))
            for way in self.open[tail][: self.limit + 1 - unchanged]:
                if way.cost + STEP <= best.cost and way.start >= 0:
                    counts = self.propose(closed[way.start].counts, way.start, vertex)
                    best = _better(best, Closed(way.cost + STEP, counts, way.tied, way.start, MERGED))
        for arc in self.arcs.by_head.get(vertex, ()):
            before = closed[arc.tail]
            if before.cost + arc.cost <= best.cost:
                counts = self.match(before.counts, arc)
                best = _better(best, Closed(before.cost + arc.cost, counts, before.tied, arc.tail, GOLD))
        closed[vertex] = best

    def open_at(self, vertex: int) -> None:
        """Best ways to be inside an edit at `vertex`, by the number of its unchanged words."""
        here = self.open[vertex]
        for tail, _, unchanged in self.lattice.steps[vertex]:
            before = self.closed[tail]
            if unchanged <= self.limit:
                way = Open(before.cost + STEP + 1, tail, before.tied)
                here[unchanged] = self.better_open(here[unchanged], way, vertex)
            for words in range(self.limit + 1 - unchanged):
                inside = self.open[tail][words]
                if inside.start >= 0:
                    way = inside._replace(cost=inside.cost + STEP)
                    here[words + unchanged] = self.better_open(here[words + unchanged], way, vertex)

    def better_open(self, best: Open, way: Open, vertex: int) -> Open:
        """The lighter way; equally light ones are tied unless they must end with equal counts."""
        if way.cost != best.cost:
            return way if way.cost < best.cost else best
        if best.start == way.start:
            return best if best.tied >= way.tied else way
        row = self.lattice.rows[vertex]
        mine, other = (self.settle(self.closed[start].counts, row) for start in (best.start, way.start))
        tied = best.tied or way.tied or mine != other or self.spelling is not None
        return best._replace(tied=tied)

    def path(self) -> list[tuple[int, int, int]]:
        """(tail, head, kind) of the winning path's arcs, left to right."""
        found, vertex = [], len(self.closed) - 1
        while vertex > 0:
            label = self.closed[vertex]
            found.append((label.tail, vertex, label.kind))
            vertex = label.tail
        return found[::-1]

    def is_official(self) -> bool:
        """True if no equally good path has other counts and every arc of this one weighs what was assumed."""
        if self.closed[-1].tied or not self.arcs.certain:
            return False
        for tail, head, kind in self.path():
            cost = self.closed[head].cost - self.closed[tail].cost
            rows = self.lattice.rows
            pairing = self.arcs.pairings.get(rows[tail]) if rows[tail] == rows[head] else None
            if pairing is not None and pairing.cost((tail, head)) != cost:
                return False
            if kind == MERGED:
                arc = merged_arc(self.lattice, tail, head, self.limit)
                if arc is None or arc.keeps or arc.length * STEP + arc.entries != cost:
                    return False
        return True

    def result(self) -> Match:
        """The counts and the edits of the winning path."""
        counts = self.closed[-1].counts
        return Match(counts.correct, counts.proposed, len(self.golds), self.edits())

    def edits(self) -> list[PathEdit]:
        """Edits of the winning path, those that fold away left out."""
        rows, columns = self.lattice.rows, self.lattice.columns
        return [
            PathEdit(rows[tail], rows[head], columns[tail], columns[head])
            for tail, head, kind in self.path()
            if kind != KEEP and not (self.spelling is not None and self.spelling.folds_away(tail, head))
        ]


def _better(best: Closed, way: Closed) -> Closed:
    if way.cost != best.cost:
        return way if way.cost < best.cost else best
    return best._replace(tied=best.tied or way.tied or best.counts != way.counts)


class Spelling:
    """Lower-cased characters of both sentences, to see which edits change only spaces and case (docs/m2.md, B.8)."""

    def __init__(
        self,
        lattice: Lattice,
        source: Sequence[int],
        hypothesis: Sequence[int],
        folded: Sequence[Sequence[int]],
    ) -> None:
        self.lattice = lattice
        self.source, self.source_offsets = _spell(source, folded)
        self.hypothesis, self.hypothesis_offsets = _spell(hypothesis, folded)

    def folds_away(self, tail: int, head: int) -> bool:
        """Return whether an arc changes only spaces and letter case."""
        rows, columns = self.lattice.rows, self.lattice.columns
        original = slice(self.source_offsets[rows[tail]], self.source_offsets[rows[head]])
        correction = slice(self.hypothesis_offsets[columns[tail]], self.hypothesis_offsets[columns[head]])
        same_length = original.stop - original.start == correction.stop - correction.start
        return same_length and self.source[original] == self.hypothesis[correction]


def _spell(tokens: Sequence[int], folded: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    characters: list[int] = []
    offsets = [0]
    for token in tokens:
        characters.extend(folded[token])
        offsets.append(len(characters))
    return characters, offsets

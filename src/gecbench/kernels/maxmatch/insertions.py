"""Weights of the insertion arcs of one position, without listing them (docs/m2.md, B.6).

The official scorer walks the sorted list of these arcs from both ends. Between two matches every visited entry gains
one penalty, so the walk is kept as a few penalised ranges of list places and a few rewards.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from typing import NamedTuple

from gecbench.kernels.maxmatch.lattice import Lattice

STEP = 1000
REWARD = -(1 << 40)

Ends = tuple[int, int]


class Event(NamedTuple):
    """Places [first, last) gain a penalty each; or, with `reward`, the arc at `first` gets the reward."""

    first: int
    last: int
    reward: bool


def insertion_runs(lattice: Lattice, row: int) -> list[Ends]:
    """Maximal vertex ranges (first, last), both included, of a row that insertions connect."""
    runs: list[Ends] = []
    first = lattice.row_offsets[row]
    for vertex in range(first + 1, lattice.row_offsets[row + 1] + 1):
        inside = vertex < lattice.row_offsets[row + 1]
        if inside and lattice.steps[vertex] and lattice.steps[vertex][-1].tail == vertex - 1:
            continue
        if vertex - 1 > first:
            runs.append((first, vertex - 1))
        first = vertex
    return runs


class InsertionPairing:
    """Pairs the insertion arcs of a position with its gold insertions; `agreeing` maps arcs to gold indexes."""

    def __init__(self, lattice: Lattice, row: int, agreeing: Mapping[Ends, list[int]]) -> None:
        self.lattice = lattice
        self.first_vertex = lattice.row_offsets[row]
        self.run_ends: dict[int, int] = {}
        self.places = [0] * (lattice.row_offsets[row + 1] - self.first_vertex + 1)
        for first, last in insertion_runs(lattice, row):
            self.run_ends.update(dict.fromkeys(range(first, last + 1), last))
        for offset in range(len(self.places) - 1):
            vertex = self.first_vertex + offset
            rest = self.run_ends.get(vertex, vertex) - vertex
            here = rest - 1 + lattice.steps[vertex + 1][-1].copies if rest else 0
            self.places[offset + 1] = self.places[offset] + here
        self.agreeing = sorted((*self.entries(arc), golds, arc) for arc, golds in agreeing.items())
        self.events: list[Event] = []
        self.walk()

    def first_place(self, tail: int) -> int:
        """Place of the first list entry that begins at `tail` or later."""
        return self.places[tail - self.first_vertex]

    def entries(self, arc: Ends) -> Ends:
        """Places [first, last) of an arc in the sorted list."""
        tail, head = arc
        copies = self.lattice.steps[tail + 1][-1].copies
        if head == tail + 1:
            return self.first_place(tail), self.first_place(tail) + copies
        place = self.first_place(tail) + copies + head - tail - 2
        return place, place + 1

    def cost(self, arc: Ends) -> int:
        """Final weight of an arc in thousandths."""
        first, last = self.entries(arc)
        cost = STEP * (arc[1] - arc[0])
        for event in self.events:
            if event.reward:
                cost = REWARD if event.first == first else cost
            else:
                cost += max(0, min(last, event.last) - max(first, event.first))
        return cost

    def next_match(self, bounds: Ends, window: Ends, from_left: bool) -> tuple[int, Ends, int] | None:
        """First place within `bounds` whose arc agrees with a gold index in `window`: (place, arc, gold)."""
        for first, last, golds, arc in self.agreeing if from_left else reversed(self.agreeing):
            place = max(first, bounds[0]) if from_left else min(last - 1, bounds[1])
            low, high = bisect_left(golds, window[0]), bisect_right(golds, window[1])
            if low < high and first <= place < last and bounds[0] <= place <= bounds[1]:
                return place, arc, golds[low] if from_left else golds[high - 1]
        return None

    def walk(self) -> None:
        """The official walk, whose plain form is `weigh_insertions` in literal.py.

        1. Each side's next match is a number of steps away; both sides take turns, so the nearer match comes first.
        2. Every entry passed until then gains a penalty.
        3. The match gets the reward, and its side skips to the arcs that continue where it ended.
        """
        left, right = 0, self.places[-1] - 1
        window = (0, max((golds[-1] for *_, golds, _ in self.agreeing), default=-1))
        at_left = True
        while left <= right:
            ahead = self.next_match((left, right), window, True)
            behind = self.next_match((left, right), window, False)
            if ahead is None or behind is None:
                self.events.append(Event(left, right + 1, False))
                return
            # Step 1
            left_steps, right_steps = ahead[0] - left, right - behind[0]
            left_first = left_steps <= right_steps if at_left else left_steps < right_steps
            if left_first:
                right_steps = left_steps if at_left else left_steps + 1
            else:
                left_steps = right_steps + 1 if at_left else right_steps
            # Step 2
            self.events.append(Event(left, left + left_steps, False))
            self.events.append(Event(right - right_steps + 1, right + 1, False))
            left, right = left + left_steps, right - right_steps
            at_left = left_first or left == right
            # Step 3
            if at_left:
                left, window = self.match_left(left, window)
            else:
                right, window = self.match_right(right, window)

    def match_left(self, left: int, window: Ends) -> tuple[int, Ends]:
        """Reward the arc at `left`, then pass all entries that do not begin where it ended."""
        found = self.next_match((left, left), window, True)
        assert found is not None
        _, arc, gold = found
        self.events.append(Event(self.entries(arc)[0], 0, True))
        continues = arc[1] < self.run_ends[arc[1]]
        after = self.first_place(arc[1]) if continues else self.places[-1]
        self.events.append(Event(left + 1, after, False))
        return max(after, left + 1), (gold + 1, window[1])

    def match_right(self, right: int, window: Ends) -> tuple[int, Ends]:
        """Reward the arc at `right`, then pass all entries that do not end where it started."""
        found = self.next_match((right, right), window, False)
        assert found is not None
        _, arc, gold = found
        self.events.append(Event(self.entries(arc)[0], 0, True))
        before = arc[0] - 1
        joined = before >= self.first_vertex and self.run_ends.get(before, before) >= arc[0]
        place = self.entries((before, arc[0]))[1] - 1 if joined else -1
        self.events.append(Event(place + 1, right, False))
        return place, (window[0], gold - 1)

"""Groups of alternative corrections, of which a mixed reference takes one each (Felice & Briscoe 2015, section 2.1)."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gecbench.kernels.tokens import Offsets, TokenArray

Item = TypeVar("Item")
Edit = tuple[int, int, tuple[int, ...]]
DONE, COLLIDES, TOO_MANY, TOO_LONG = range(4)


class RefusedError(Exception):
    """The sentence cannot be scored exactly within the limits."""

    def __init__(self, status: int) -> None:
        self.status = status


class Group(NamedTuple):
    """Distinct alternatives, each a set of edits; an optional group may be left alone."""

    alternatives: tuple[tuple[Edit, ...], ...]
    optional: bool

    def choices(self) -> list[tuple[Edit, ...]]:
        """The alternatives, and nothing last if optional."""
        return [*self.alternatives, ()] if self.optional else list(self.alternatives)

    def extent(self) -> tuple[int, int]:
        """From the first to the last token any alternative may touch."""
        edits = [edit for alternative in self.alternatives for edit in alternative]
        return min((edit[0] for edit in edits), default=0), max((edit[1] for edit in edits), default=0)


class GroupArrays(NamedTuple):
    """All groups of a corpus, laid end to end.

    Sentence s has the groups group_offsets[s]:group_offsets[s + 1], group g the alternatives
    alternative_offsets[g]:alternative_offsets[g + 1], alternative a the edits edit_offsets[a]:edit_offsets[a + 1];
    edit e replaces the source span [spans[e, 0], spans[e, 1]) by `corrections[e]`.
    """

    group_offsets: Offsets
    optional: NDArray[np.int32]
    alternative_offsets: Offsets
    edit_offsets: Offsets
    spans: NDArray[np.int32]
    corrections: TokenArray

    def groups(self) -> list[list[Group]]:
        """Return the groups of each sentence as objects."""
        edits = [
            (start, end, tuple(tokens))
            for (start, end), tokens in zip(self.spans.tolist(), self.corrections.lists(), strict=True)
        ]
        alternatives = _cut([tuple(part) for part in _cut(edits, self.edit_offsets)], self.alternative_offsets)
        groups = [
            Group(tuple(choices), bool(free))
            for choices, free in zip(alternatives, self.optional.tolist(), strict=True)
        ]
        return _cut(groups, self.group_offsets)


class Limits(NamedTuple):
    """The bounds on time and memory.

    They are the references of a segment, distinct sums of counts, cells of an alignment, and steps and cells of all
    alignments of a segment, both those between two texts and those between three.

    Sentences with at most `listed` combinations are enumerated, others decomposed into certified segments; the result
    is the same. A cell takes four bytes in native code.
    """

    listed: int = 2
    segment: int = 1 << 16
    sums: int = 1 << 18
    cells: int = 1 << 24
    work: int = 1 << 30


def _cut(items: list[Item], offsets: Offsets) -> list[list[Item]]:
    bounds = offsets.tolist()
    return [items[start:end] for start, end in pairwise(bounds)]

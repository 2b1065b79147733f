"""Edits, gold and proposed, and the options of MaxMatch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gecbench.kernels.tokens import Offsets, TokenArray

MASTER = "master"
VERSION_3_2 = "3.2"
Tokens = tuple[int, ...]


class GoldEdit(NamedTuple):
    """One edit of an annotator: a source span and the corrections it accepts."""

    start: int
    end: int
    alternatives: tuple[Tokens, ...]


class GoldArrays(NamedTuple):
    """All gold edits of a corpus, laid end to end.

    Sentence s has the rows annotator_offsets[s]:annotator_offsets[s + 1], one per annotator; row r has the edits
    edit_offsets[r]:edit_offsets[r + 1]; edit e covers the source span [starts[e], ends[e]) and accepts the corrections
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

    `folded` holds the lower-cased characters of every token id and switches ignore_whitespace_casing on (docs/m2.md,
    B.8). The literal algorithm gives up where its arc list outgrows `arc_limit` (B.7). With `max_unchanged_words` -1
    no edits are merged at all (B.5), which the literal algorithm alone can do; past its limit -1 is as 0.
    """

    max_unchanged_words: int = 2
    release: str = MASTER
    folded: TokenArray | None = None
    arc_limit: int = 1_000_000


class PathEdit(NamedTuple):
    """One edit of the chosen path: source span and hypothesis token span."""

    start: int
    end: int
    hypothesis_start: int
    hypothesis_end: int


class Match(NamedTuple):
    """Counts of one sentence against one annotator, and the edits that were proposed."""

    correct: int
    proposed: int
    gold: int
    path: list[PathEdit]

"""MaxMatch for a whole corpus: counts per sentence and annotator (Dahlmeier & Ng 2012; docs/m2.md, B.3-B.9).

Every sentence is first solved by dynamic programming in exact arithmetic. If all best paths have the same counts and
the best path's arcs weigh in the official lists what was assumed, that is the official result. Otherwise floating-point
noise and list order decide, and the sentence is settled by the literal algorithm, unless its arc list outgrows
`arc_limit`; then the exact answer stands and the row is marked TOO_LARGE.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gecbench.kernels.maxmatch_gold import find_gold_arcs
from gecbench.kernels.maxmatch_greedy import greedy_choice, greedy_totals
from gecbench.kernels.maxmatch_lattice import Lattice, build_lattice, least_entries
from gecbench.kernels.maxmatch_literal import GoldEdit, Match, close_lattice, match_closure
from gecbench.kernels.maxmatch_literal_lattice import MASTER, VERSION_3_2, Closure, Tokens
from gecbench.kernels.maxmatch_path import PathSearch, Spelling

__all__ = [
    "ARC_LIMIT",
    "FAST",
    "LITERAL",
    "TOO_LARGE",
    "greedy_choice",
    "greedy_totals",
    "match_corpus",
    "match_sentence",
]

FAST, LITERAL, TOO_LARGE = range(3)
ARC_LIMIT = 1_000_000

Integers = NDArray[np.int32]
Offsets = NDArray[np.int64]


class Settings(NamedTuple):
    """Options of the scorer, and the lower-cased characters of every token id if casing and spaces are ignored."""

    max_unchanged_words: int
    release: str
    arc_limit: int
    folded: list[list[int]] | None


class SentenceMatcher:
    """One sentence pair; its lattice and its literal closure serve all annotators."""

    def __init__(self, source: Sequence[int], hypothesis: Sequence[int], settings: Settings) -> None:
        self.source, self.hypothesis, self.settings = source, hypothesis, settings
        self.lattice: Lattice | None = None
        self.closure: Closure | None = None
        self.too_large = False

    def match(self, golds: Sequence[GoldEdit]) -> tuple[Match, int]:
        """Counts and path for one annotator, and how they were settled."""
        if self.source == self.hypothesis:
            return Match(0, 0, len(golds), []), FAST
        settings, lattice = self.settings, self.union()
        arcs = find_gold_arcs(lattice, self.source, self.hypothesis, golds, settings.max_unchanged_words)
        spelling = None
        if settings.folded is not None:
            spelling = Spelling(lattice, self.source, self.hypothesis, settings.folded)
        search = PathSearch(lattice, golds, arcs, settings.max_unchanged_words, spelling)
        if not self.moves_first_insertions() and search.is_official():
            return self.exact(search), FAST
        closure = self.literal_closure()
        if closure is None:
            return self.exact(search), TOO_LARGE
        return match_closure(closure, self.source, golds, settings.folded), LITERAL

    def union(self) -> Lattice:
        """The lattice, built once."""
        if self.lattice is None:
            self.lattice = build_lattice(self.source, self.hypothesis)
        return self.lattice

    def exact(self, search: PathSearch) -> Match:
        """The answer of exact arithmetic."""
        counts = search.closed[-1].counts
        return Match(counts.correct, counts.proposed, len(search.golds), search.edits())

    def moves_first_insertions(self) -> bool:
        """True if release 3.2 gives insertions before the first token other spans than master (docs/m2.md, B.12)."""
        return self.settings.release == VERSION_3_2 and self.union().row_offsets[1] > 2

    def literal_closure(self) -> Closure | None:
        """The official arc list, built once, or None past the limit."""
        if self.closure is not None or self.too_large:
            return self.closure
        settings = self.settings
        if least_entries(self.union()) <= settings.arc_limit:
            self.closure = close_lattice(
                self.source,
                self.hypothesis,
                settings.max_unchanged_words,
                settings.release,
                settings.arc_limit,
            )
        self.too_large = self.closure is None
        return self.closure

    def official_path(self, golds: Sequence[GoldEdit]) -> tuple[Match, int]:
        """Like `match`, but by the literal algorithm wherever it fits, so that the path too is the official one."""
        closure = self.literal_closure()
        if closure is None:
            return self.match(golds)
        return match_closure(closure, self.source, golds, self.settings.folded), LITERAL


def match_corpus(
    source_ids: Integers,
    source_offsets: Offsets,
    hypothesis_ids: Integers,
    hypothesis_offsets: Offsets,
    annotator_offsets: Offsets,
    edit_offsets: Offsets,
    edit_starts: Integers,
    edit_ends: Integers,
    alternative_offsets: Offsets,
    correction_ids: Integers,
    correction_offsets: Offsets,
    max_unchanged_words: int = 2,
    release: str = MASTER,
    folded_characters: Integers | None = None,
    folded_offsets: Offsets | None = None,
    arc_limit: int = ARC_LIMIT,
) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """Counts (correct, proposed, gold) of every row and how each was settled (docs/m2.md, B.3-B.8).

    Sentence s has the rows annotator_offsets[s]:annotator_offsets[s + 1], one per annotator; row r has the edits
    edit_offsets[r]:edit_offsets[r + 1], edit e the corrections alternative_offsets[e]:alternative_offsets[e + 1].
    `folded_*` holds the lower-cased characters of every token id and switches ignore_whitespace_casing on.
    """
    settings = _settings(max_unchanged_words, release, folded_characters, folded_offsets, arc_limit)
    sources = _sequences(source_ids, source_offsets)
    hypotheses = _sequences(hypothesis_ids, hypothesis_offsets)
    edits = _gold_edits(edit_starts, edit_ends, alternative_offsets, correction_ids, correction_offsets)
    counts, settled = [], []
    for sentence, (source, hypothesis) in enumerate(zip(sources, hypotheses, strict=True)):
        matcher = SentenceMatcher(source, hypothesis, settings)
        for row in range(annotator_offsets[sentence], annotator_offsets[sentence + 1]):
            match, how = matcher.match(edits[edit_offsets[row] : edit_offsets[row + 1]])
            counts.append(match[:3])
            settled.append(how)
    return np.array(counts, dtype=np.int64).reshape(len(counts), 3), np.array(settled, dtype=np.int8)


def match_sentence(
    source_ids: Integers,
    hypothesis_ids: Integers,
    edit_starts: Integers,
    edit_ends: Integers,
    alternative_offsets: Offsets,
    correction_ids: Integers,
    correction_offsets: Offsets,
    max_unchanged_words: int = 2,
    release: str = MASTER,
    folded_characters: Integers | None = None,
    folded_offsets: Offsets | None = None,
    arc_limit: int = ARC_LIMIT,
) -> tuple[NDArray[np.int64], int, NDArray[np.int32]]:
    """Counts of one sentence and annotator, how settled, and the official path's edits.

    The edits are rows (start, end, hypothesis start, hypothesis end), left to right (docs/m2.md, B.7, B.11).
    """
    settings = _settings(max_unchanged_words, release, folded_characters, folded_offsets, arc_limit)
    edits = _gold_edits(edit_starts, edit_ends, alternative_offsets, correction_ids, correction_offsets)
    matcher = SentenceMatcher(source_ids.tolist(), hypothesis_ids.tolist(), settings)
    match, how = matcher.official_path(edits)
    path = np.array(match.path, dtype=np.int32).reshape(len(match.path), 4)
    return np.array(match[:3], dtype=np.int64), how, path


def _settings(
    max_unchanged_words: int,
    release: str,
    folded_characters: Integers | None,
    folded_offsets: Offsets | None,
    arc_limit: int,
) -> Settings:
    if release not in (MASTER, VERSION_3_2):
        raise ValueError(f"release is {MASTER!r} or {VERSION_3_2!r}, not {release!r}")
    if max_unchanged_words < 0:
        raise ValueError(f"max_unchanged_words is 0 or more, not {max_unchanged_words}")
    folded = None
    if folded_characters is not None and folded_offsets is not None:
        folded = _sequences(folded_characters, folded_offsets)
    return Settings(max_unchanged_words, release, arc_limit, folded)


def _sequences(values: Integers, offsets: Offsets) -> list[list[int]]:
    flat, bounds = values.tolist(), offsets.tolist()
    return [flat[first:last] for first, last in pairwise(bounds)]


def _gold_edits(
    starts: Integers, ends: Integers, alternative_offsets: Offsets, ids: Integers, offsets: Offsets
) -> list[GoldEdit]:
    corrections: list[Tokens] = [tuple(tokens) for tokens in _sequences(ids, offsets)]
    bounds = alternative_offsets.tolist()
    return [
        GoldEdit(start, end, tuple(corrections[bounds[edit] : bounds[edit + 1]]))
        for edit, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True))
    ]

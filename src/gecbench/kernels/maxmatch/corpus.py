"""MaxMatch for a whole corpus: counts per sentence and annotator (docs/m2.md, B.3-B.8).

Every sentence is first solved by dynamic programming in exact arithmetic. If all best paths have the same counts and
the best path's arcs weigh in the official lists what was assumed, that is the official result. Otherwise floating-point
noise and list order decide, and the sentence is settled by the literal algorithm, unless its arc list outgrows
`arc_limit`; then the exact answer stands and the row is marked TOO_LARGE.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gecbench.kernels.maxmatch.closure import Closure, close_lattice
from gecbench.kernels.maxmatch.edits import MASTER, VERSION_3_2, GoldArrays, GoldEdit, Match, Options
from gecbench.kernels.maxmatch.gold import find_gold_arcs
from gecbench.kernels.maxmatch.lattice import Lattice, build_lattice
from gecbench.kernels.maxmatch.literal import match_closure
from gecbench.kernels.maxmatch.path import PathSearch, Spelling
from gecbench.kernels.tokens import TokenArray

FAST, LITERAL, TOO_LARGE = range(3)
Folded = list[list[int]] | None


class SentenceMatcher:
    """One sentence pair; its lattice and its literal closure serve all annotators."""

    def __init__(self, source: Sequence[int], hypothesis: Sequence[int], options: Options, folded: Folded) -> None:
        self.source, self.hypothesis, self.options, self.folded = source, hypothesis, options, folded

    @cached_property
    def lattice(self) -> Lattice:
        """The union of both lattices (docs/m2.md, B.3, B.4)."""
        return build_lattice(self.source, self.hypothesis)

    @cached_property
    def closure(self) -> Closure | None:
        """The official arc list, or None past the limit."""
        return close_lattice(self.lattice, self.source, self.hypothesis, self.options)

    def match(self, golds: Sequence[GoldEdit]) -> tuple[Match, int]:
        """Counts and path for one annotator, and how they were settled."""
        if self.source == self.hypothesis:
            return Match(0, 0, len(golds), []), FAST
        limit, lattice = max(self.options.max_unchanged_words, 0), self.lattice
        arcs = find_gold_arcs(lattice, self.source, self.hypothesis, golds, limit)  # B.5, B.6
        spelling = None if self.folded is None else Spelling(lattice, self.source, self.hypothesis, self.folded)
        search = PathSearch(lattice, golds, arcs, limit, spelling)  # B.7, B.8
        if self.options.max_unchanged_words >= 0 and not self.moves_first_insertions() and search.is_official():
            return search.result(), FAST
        if self.closure is None:
            return search.result(), TOO_LARGE
        return match_closure(self.closure, self.source, golds, self.folded), LITERAL

    def official_path(self, golds: Sequence[GoldEdit]) -> tuple[Match, int]:
        """Like `match`, but by the literal algorithm wherever it fits, so that the path too is the official one."""
        if self.closure is None:
            return self.match(golds)
        return match_closure(self.closure, self.source, golds, self.folded), LITERAL

    def moves_first_insertions(self) -> bool:
        """True if release 3.2 gives insertions before the first token other spans than master (docs/m2.md, B.12)."""
        return self.options.release == VERSION_3_2 and self.lattice.row_offsets[1] > 2


def match_corpus(
    sources: TokenArray, hypotheses: TokenArray, gold: GoldArrays, options: Options, threads: int = 1
) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """Counts (correct, proposed, gold) of every row, and how each was settled: FAST, LITERAL or TOO_LARGE.

    `threads` is for the native twin.
    """
    del threads
    folded = _checked_folding(options)
    edits, annotators, bounds = gold.edits(), gold.annotator_offsets.tolist(), gold.edit_offsets.tolist()
    counts, settled = [], []
    for sentence, (source, hypothesis) in enumerate(zip(sources.lists(), hypotheses.lists(), strict=True)):
        matcher = SentenceMatcher(source, hypothesis, options, folded)
        for row in range(annotators[sentence], annotators[sentence + 1]):
            match, how = matcher.match(edits[bounds[row] : bounds[row + 1]])
            counts.append(match[:3])
            settled.append(how)
    return np.array(counts, dtype=np.int64).reshape(len(counts), 3), np.array(settled, dtype=np.int8)


def match_sentence(
    source: TokenArray, hypothesis: TokenArray, gold: GoldArrays, options: Options
) -> tuple[NDArray[np.int64], int, NDArray[np.int32]]:
    """Counts of a corpus of one sentence and one annotator, how settled, and the official path's edits.

    The edits are rows (start, end, hypothesis start, hypothesis end), left to right (docs/m2.md, B.7, B.11).
    """
    folded = _checked_folding(options)
    matcher = SentenceMatcher(source.ids.tolist(), hypothesis.ids.tolist(), options, folded)
    match, how = matcher.official_path(gold.edits())
    path = np.array(match.path, dtype=np.int32).reshape(len(match.path), 4)
    return np.array(match[:3], dtype=np.int64), how, path


def _checked_folding(options: Options) -> Folded:
    if options.release not in (MASTER, VERSION_3_2):
        raise ValueError(f"release is {MASTER!r} or {VERSION_3_2!r}, not {options.release!r}")
    if options.max_unchanged_words < -1:
        raise ValueError(f"max_unchanged_words is -1 or more, not {options.max_unchanged_words}")
    return None if options.folded is None else options.folded.lists()

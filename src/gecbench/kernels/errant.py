"""Edits compared as `errant_compare` does.

Each annotator's edits become keys, and edits with equal keys match. The rules are those of errant 3.0.2, including its
double counting (docs/metrics/errant.md). Native version: errant.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from gecbench.errors import InputError
from gecbench.kernels.tokens import Ids, Offsets, offsets_of, offsets_of_sizes

Mode = Literal["cs", "cse", "ds", "dt"]
Outcome = Literal["tp", "fp", "fn"]
OUTCOMES: tuple[Outcome, ...] = ("tp", "fp", "fn")
EditFields = tuple[int, int, str, str]  # start, end, type and correction
Keyed = dict[tuple[Any, ...], list[str]]  # for each key, the types of the edits that have it
PairCounts = tuple[Offsets, Offsets]
Flags = npt.NDArray[np.uint8]
NOOP = "noop"
_CORRECTION_MODES = ("cs", "cse")
_MOST_PAIRS = 250_000  # pairs of annotators of one sentence
_MOST_TOKENS = 1_000_000  # in the edits of an annotator; mode "dt" makes a key of each


@dataclass(frozen=True)
class Selection:
    """The edits to compare, and the fields in which two edits must agree.

    `mode` selects the fields: span and correction ("cs"), span, correction and type ("cse"), span ("ds") or token
    ("dt"). `single` drops edits with two or more tokens on either side. `multi` drops all other edits. `filtered` lists
    types to drop. With `once`, edits of one annotator that agree in these fields count once.
    """

    mode: Mode = "cs"
    single: bool = False
    multi: bool = False
    filtered: frozenset[str] = frozenset()
    once: bool = False

    def keyed(self, edits: Iterable[EditFields]) -> Keyed:
        """Return an annotator's edits by key, in order of appearance."""
        found: Keyed = {}
        keys_of = _KEYS[self.mode]
        for edit in filter(self._selects, edits):
            for key in keys_of(edit):
                found.setdefault(key, []).append(edit[2])
        return {key: kinds[:1] for key, kinds in found.items()} if self.once else found

    def _selects(self, edit: EditFields) -> bool:
        start, end, kind, correction = edit
        several = end - start >= 2 or has_several_words(correction)
        return not ((self.single and several) or (self.multi and not several) or self.drops_type(kind))

    def drops_type(self, kind: str) -> bool:
        """Return whether edits of a type are dropped.

        `UNK`, an error without a correction, only counts for detection.
        """
        return kind in self.filtered or (kind == "UNK" and self.mode in _CORRECTION_MODES)


def has_several_words(correction: str) -> bool:
    """Return whether a correction has two tokens or more."""
    return len(correction.split()) >= 2


def _tokens(edit: EditFields) -> list[tuple[Any, ...]]:
    """Return a key per token that an edit touches.

    An insertion touches the token on its right. A noop has the key (-1, -1).
    """
    start, end = edit[:2]
    if start == -1:
        return [(-1, -1)]
    return [(token, token + 1) for token in range(start, start + 1 if start == end >= 0 else end)]


_KEYS: Mapping[Mode, Callable[[EditFields], Iterable[tuple[Any, ...]]]] = {
    "cs": lambda edit: ((edit[0], edit[1], edit[3]),),
    "cse": lambda edit: (edit,),
    "ds": lambda edit: (edit[:2],),
    "dt": _tokens,
}


class EditRows(NamedTuple):
    """The edits of a system, or of the gold, concatenated.

    A row is an annotator of a sentence. Sentence s has the rows row_offsets[s]:row_offsets[s + 1]. Row r has the edits
    edit_offsets[r]:edit_offsets[r + 1]. `types` and `corrections` are indexes of `strings`.
    """

    row_offsets: Offsets
    edit_offsets: Offsets
    starts: Offsets
    ends: Offsets
    types: Ids
    corrections: Ids
    strings: Sequence[str]

    def completed(self) -> EditRows:
        """Give a `noop` to each sentence without annotators, as `errant_compare` does."""
        rows = np.diff(self.row_offsets)
        unannotated = self.row_offsets[:-1][rows == 0]
        places, noop = self.edit_offsets[unannotated], len(self.strings)
        return EditRows(
            offsets_of_sizes(np.maximum(rows, 1)),
            offsets_of_sizes(np.insert(np.diff(self.edit_offsets), unannotated, 1)),
            np.insert(self.starts, places, -1),
            np.insert(self.ends, places, -1),
            np.insert(self.types, places, noop),
            np.insert(self.corrections, places, noop + 1),
            [*self.strings, NOOP, "-NONE-"],
        )

    def fields(self) -> Iterator[list[list[EditFields]]]:
        """Yield for each sentence a list of its rows, each a list of edits."""
        kinds, corrections = ([self.strings[k] for k in ids.tolist()] for ids in (self.types, self.corrections))
        edits = list(zip(self.starts.tolist(), self.ends.tolist(), kinds, corrections, strict=True))
        rows = [edits[begin:end] for begin, end in pairwise(self.edit_offsets.tolist())]
        for begin, end in pairwise(self.row_offsets.tolist()):
            yield rows[begin:end]


@dataclass(frozen=True)
class Comparison:
    """A system's edits (`ours`), the gold edits (`theirs`), and what to compare.

    Both sides have the same `strings`. Three flags of each string tell whether it is `noop`, a type to drop, and a
    correction of two or more tokens. With these flags, the native version needs no text.
    """

    ours: EditRows
    theirs: EditRows
    selection: Selection
    is_noop: Flags
    is_dropped: Flags
    is_several: Flags

    @classmethod
    def of(cls, ours: EditRows, theirs: EditRows, selection: Selection) -> Comparison:
        """Build a comparison; a sentence without annotators gets one edit, `noop`."""
        known: dict[str, int] = {}

        def numbered(side: EditRows) -> EditRows:
            numbers = np.array([known.setdefault(text, len(known)) for text in side.strings], dtype=np.int32)
            return side._replace(types=numbers[side.types], corrections=numbers[side.corrections])

        def flags(holds: Callable[[str], bool]) -> Flags:
            return np.array([holds(text) for text in known], dtype=np.uint8)

        ours, theirs = numbered(ours.completed()), numbered(theirs.completed())
        _check_work(ours, theirs, selection.mode)
        strings = [*known]
        return cls(
            ours._replace(strings=strings),
            theirs._replace(strings=strings),
            selection,
            is_noop=flags(NOOP.__eq__),
            is_dropped=flags(selection.drops_type),
            is_several=flags(has_several_words),
        )

    def keyed(self) -> Iterator[tuple[list[Keyed], list[Keyed]]]:
        """Yield for each sentence the system's and the gold's keyed edits per annotator."""
        for ours, theirs in zip(self.ours.fields(), self.theirs.fields(), strict=True):
            yield [*map(self.selection.keyed, ours)], [*map(self.selection.keyed, theirs)]


def _check_work(ours: EditRows, theirs: EditRows, mode: Mode) -> None:
    """Raise an error if comparing a sentence's annotators would take gigabytes."""
    rows = [np.diff(side.row_offsets) for side in (ours, theirs)]
    if len(rows[0]) == len(rows[1]) and len(large := np.flatnonzero(rows[0] * rows[1] > _MOST_PAIRS)):
        first = large[0]
        raise InputError(
            f"sentence {first + 1}: {rows[0][first]} x {rows[1][first]} pairs of annotators are too many to compare",
            fix="Check the last field of the sentence's A lines: it must be the number of the annotator",
        )
    for side in (ours, theirs) if mode == "dt" else ():
        tokens = offsets_of_sizes(np.maximum(side.ends - side.starts, 1))[side.edit_offsets]
        if len(large := np.flatnonzero(np.diff(tokens) > _MOST_TOKENS)):
            sentence = np.searchsorted(side.row_offsets, large[0], "right")
            problem = f"sentence {sentence}: the edits of an annotator span more than {_MOST_TOKENS:,} tokens"
            raise InputError(problem, fix="Check the start and end of these edits")


def count_pairs(compared: Comparison) -> PairCounts:
    """Return the counts of each pair of annotators, and each sentence's offset.

    The counts are TP, TP + FP and TP + FN. Each annotator of the system is compared with each annotator of the gold, in
    order of appearance.
    """
    rows = [[count_pair(one, other) for one in ours for other in theirs] for ours, theirs in compared.keyed()]
    flat = [row for sentence in rows for row in sentence]
    return np.array(flat, dtype=np.int64).reshape(-1, 3), offsets_of(rows)


def count_pair(hypothesis: Keyed, reference: Keyed) -> tuple[int, int, int]:
    """Return TP, TP + FP and TP + FN of one pair of annotators."""
    found = [outcome for _, outcome in outcomes(hypothesis, reference)]
    correct, wrong, missed = map(found.count, OUTCOMES)
    return correct, correct + wrong, correct + missed


def outcomes(hypothesis: Keyed, reference: Keyed) -> Iterator[tuple[str, Outcome]]:
    """Yield the type and outcome of every edit.

    A match counts once for each reference edit with the same key.
    """
    for key, kinds in hypothesis.items():
        if kinds[0] != NOOP:
            match = reference.get(key)
            for kind in kinds if match is None else match:
                yield kind, "fp" if match is None else "tp"
    for key, kinds in reference.items():
        if kinds[0] != NOOP and key not in hypothesis:
            for kind in kinds:
                yield kind, "fn"


def count_types(compared: Comparison, chosen: Offsets) -> dict[str, list[int]]:
    """Return TP, FP and FN by error type, in order of appearance.

    One pair of annotators per sentence is counted. `chosen` has the position of this pair among the sentence's rows of
    `count_pairs`.
    """
    pairs = []
    for (ours, theirs), place in zip(compared.keyed(), chosen.tolist(), strict=True):
        if not 0 <= place < len(ours) * len(theirs):
            raise ValueError("a position in `chosen` is outside the pairs of its sentence")
        pairs.append((ours[place // len(theirs)], theirs[place % len(theirs)]))
    return tally(pairs)


def tally(pairs: Iterable[tuple[Keyed, Keyed]]) -> dict[str, list[int]]:
    """Return TP, FP and FN of annotator pairs by error type, in appearance order."""
    counts: dict[str, list[int]] = {}
    for hypothesis, reference in pairs:
        for kind, outcome in outcomes(hypothesis, reference):
            counts.setdefault(kind, [0, 0, 0])[OUTCOMES.index(outcome)] += 1
    return counts

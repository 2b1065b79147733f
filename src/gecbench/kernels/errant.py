"""Edits compared as `errant_compare` does: sets of keys per annotator, and what two sets have in common.

The rules are those of errant 3.0.2 (docs/errant.md), its double counting included. Python twin of errant.cpp.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gecbench.kernels.tokens import Offsets, offsets_of

Mode = Literal["cs", "cse", "ds", "dt"]
Outcome = Literal["tp", "fp", "fn"]
OUTCOMES: tuple[Outcome, ...] = ("tp", "fp", "fn")
EditFields = tuple[int, int, str, str]  # start, end, type and correction, as they stand
Block = tuple[str, dict[int, list[EditFields]]]  # the source, and the edits of each annotator
Keyed = dict[tuple[Any, ...], list[str]]  # what is compared, with the types of the edits that fell on it
PairCounts = tuple[Offsets, Offsets]
NOOP = "noop"
NO_EDITS: list[EditFields] = [(-1, -1, NOOP, "-NONE-")]
_MOST_ANNOTATORS = 64
_MOST_TOKENS = 1_000_000  # in one edit
_NUMBER = "-?[0-9]{1,9}"
_USUAL_EDIT = re.compile(rf"A {_NUMBER} {_NUMBER}\|\|\|.*\|\|\|{_NUMBER}")


@dataclass(frozen=True)
class Selection:
    """Which edits are compared, and by what.

    `mode`: by span and correction ("cs"), with the type too ("cse"), by span alone ("ds") or by token ("dt").
    `single` drops edits of two tokens or more on either side, `multi` the others, `filtered` those of some types.
    `once`: edits that fall on one key are one.
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
        for edit in filter(self._selected, edits) if self.single or self.multi or self.filtered else edits:
            if edit[2] != "UNK" or self.mode in ("ds", "dt"):
                for key in keys_of(edit):
                    found.setdefault(key, []).append(edit[2])
        return {key: kinds[:1] for key, kinds in found.items()} if self.once else found

    def _selected(self, edit: EditFields) -> bool:
        start, end, kind, correction = edit
        several = end - start >= 2 or len(correction.split()) >= 2
        return not ((self.single and several) or (self.multi and not several) or kind in self.filtered)


def _tokens(edit: EditFields) -> list[tuple[Any, ...]]:
    """Return the tokens that an edit touches: an insertion the one on its right, a noop a place of its own."""
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


def count_files(hypothesis: bytes, reference: bytes, selection: Selection) -> PairCounts | None:
    """Return the counts of two M2 files, and where each sentence's begin; None if they are not of the usual form.

    Usual: the same `S ` lines in both, plain numbers, at most 64 annotators of a sentence, newlines alone. Anything
    else is for a reader that can explain it.
    """
    keyed = _usual_keys(hypothesis, reference, selection)
    return None if keyed is None else count_pairs(*keyed)


def tally_files(
    hypothesis: bytes, reference: bytes, selection: Selection, chosen: Offsets
) -> dict[str, list[int]] | None:
    """Return TP, FP and FN by error type, in order of appearance; None if the files are not of the usual form.

    They are those of one pair of annotators per sentence: `chosen` has its place among the sentence's rows.
    """
    keyed = _usual_keys(hypothesis, reference, selection)
    if keyed is None or len(chosen) != len(keyed[0]):
        return None
    pairs = []
    for ours, theirs, place in zip(*keyed, chosen.tolist(), strict=True):
        if not 0 <= place < len(ours) * len(theirs):
            return None
        pairs.append((ours[place // len(theirs)], theirs[place % len(theirs)]))
    return tally(pairs)


def _usual_keys(hypothesis: bytes, reference: bytes, selection: Selection) -> list[list[list[Keyed]]] | None:
    texts = [data.strip().decode() for data in (hypothesis, reference)]
    if not all(texts) or any("\r" in text for text in texts):
        return None
    try:
        files = [read_blocks(text) for text in texts]
    except NotAnEdit:
        return None
    ours, theirs = ([source for source, _ in blocks] for blocks in files)
    if ours != theirs or not all(map(_is_usual, texts)) or not all(map(_few, files)):
        return None
    return [[[*found.values()] for found in keyed_blocks(blocks, selection)] for blocks in files]


def _is_usual(text: str) -> bool:
    for block in text.split("\n\n"):
        source, *lines = block.split("\n")
        if not source.startswith("S ") or not all(map(_USUAL_EDIT.fullmatch, lines)):
            return False
        if any(line.count("|||") < 3 for line in lines):
            return False
    return True


def _few(blocks: Iterable[Block]) -> bool:
    return all(len(found) <= _MOST_ANNOTATORS for _, found in blocks)


class NotAnEdit(ValueError):  # noqa: N818
    """A line that `errant_compare` cannot read; its arguments are the line and its number."""


def read_blocks(text: str) -> list[Block]:
    """Read M2 as `errant_compare` does: each block's first line without `S `, and edits as they stand by annotator.

    Blocks are separated by one empty line; all lines of a block but its first are edits, the last field the annotator.
    """
    blocks: list[Block] = []
    spans, annotators = _Spans(), _Numbers()
    for block in text.split("\n\n"):
        source, *lines = block.split("\n")
        edits: dict[int, list[EditFields]] = {}
        for line in lines:
            fields = line.split("|||")
            try:
                edit = (*spans[fields[0]], fields[1], fields[2])
                edits.setdefault(annotators[fields[-1]], []).append(edit)
            except (IndexError, ValueError) as error:
                before = text.split("\n\n")[: len(blocks)]
                number = sum(block.count("\n") + 2 for block in before) + lines.index(line) + 2
                raise NotAnEdit(line, number) from error
        blocks.append((source[2:], edits))
    return blocks


class _Spans(dict[str, tuple[int, int]]):
    """Start and end of `A start end`, each text read once."""

    def __missing__(self, text: str) -> tuple[int, int]:
        start, end = map(int, text[2:].split()[:2])
        if end - start > _MOST_TOKENS or not text.startswith("A"):
            raise ValueError(text)
        self[text] = start, end
        return start, end


class _Numbers(dict[str, int]):
    """Whole numbers, each text read once."""

    def __missing__(self, text: str) -> int:
        self[text] = int(text)
        return self[text]


def keyed_blocks(blocks: Iterable[Block], selection: Selection) -> list[dict[int, Keyed]]:
    """Return the keys of each sentence's annotators; a sentence without edits has one annotator, who says so."""
    return [
        {annotator: selection.keyed(edits) for annotator, edits in (found or {0: NO_EDITS}).items()}
        for _, found in blocks
    ]


def count_pair(hypothesis: Keyed, reference: Keyed) -> tuple[int, int, int]:
    """Return TP, TP + FP and TP + FN: the number of outcomes."""
    correct = wrong = missed = 0
    for key, kinds in hypothesis.items():
        if kinds[0] != NOOP:
            match = reference.get(key)
            if match is None:
                wrong += len(kinds)
            else:
                correct += len(match)
    for key, kinds in reference.items():
        if key not in hypothesis and kinds[0] != NOOP:
            missed += len(kinds)
    return correct, correct + wrong, correct + missed


def count_pairs(hypotheses: Sequence[Sequence[Keyed]], references: Sequence[Sequence[Keyed]]) -> PairCounts:
    """Return a row per pair of annotators of each sentence: each of the hypothesis with each of the reference."""
    rows = [
        [count_pair(one, other) for one in ours for other in theirs]
        for ours, theirs in zip(hypotheses, references, strict=True)
    ]
    flat = [row for sentence in rows for row in sentence]
    return np.array(flat, dtype=np.int64).reshape(-1, 3), offsets_of(rows)


def outcomes(hypothesis: Keyed, reference: Keyed) -> Iterator[tuple[str, Outcome]]:
    """Yield the type and outcome of every edit: a match counts for each type that the reference has on its key."""
    for key, kinds in hypothesis.items():
        if kinds[0] != NOOP:
            match = reference.get(key)
            for kind in kinds if match is None else match:
                yield kind, "fp" if match is None else "tp"
    for key, kinds in reference.items():
        if kinds[0] != NOOP and key not in hypothesis:
            for kind in kinds:
                yield kind, "fn"


def tally(pairs: Iterable[tuple[Keyed, Keyed]]) -> dict[str, list[int]]:
    """Return TP, FP and FN of pairs of annotators by error type, in order of appearance."""
    counts: dict[str, list[int]] = {}
    for hypothesis, reference in pairs:
        for kind, outcome in outcomes(hypothesis, reference):
            counts.setdefault(kind, [0, 0, 0])[OUTCOMES.index(outcome)] += 1
    return counts

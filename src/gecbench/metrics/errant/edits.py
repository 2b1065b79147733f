"""Edits as `errant_compare` compares them: sets of keys per annotator, and what two sets have in common.

The rules are those of errant 3.0.2 (docs/errant.md), its double counting included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gecbench.formats.m2 import NOOP, EditFields
from gecbench.kernels.tokens import offsets_of
from gecbench.metrics.statistics import Statistics

Mode = Literal["cs", "cse", "ds", "dt"]
Outcome = Literal["tp", "fp", "fn"]
OUTCOMES: tuple[Outcome, ...] = ("tp", "fp", "fn")
Keyed = dict[tuple[Any, ...], list[str]]  # what is compared, with the types of the edits that fell on it
NO_EDITS: list[EditFields] = [(-1, -1, NOOP, "-NONE-")]


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


def count_pairs(hypotheses: Sequence[Sequence[Keyed]], references: Sequence[Sequence[Keyed]]) -> Statistics:
    """Return a row per pair of annotators of each sentence: each of the hypothesis with each of the reference."""
    rows = [
        [count_pair(one, other) for one in ours for other in theirs]
        for ours, theirs in zip(hypotheses, references, strict=True)
    ]
    flat = [row for sentence in rows for row in sentence]
    return Statistics(np.array(flat, dtype=np.int64).reshape(-1, 3), offsets_of(rows))


def tier(kind: str, level: int) -> str:
    """Return an error type at a tier: 1 its operation, 2 its category, 3 all of it.

    >>> [tier("R:NOUN:NUM", level) for level in (1, 2, 3)]
    ['R', 'NOUN:NUM', 'R:NOUN:NUM']
    """
    if kind == "UNK" or level == 3:
        return kind
    return kind[:1] if level == 1 else kind[2:]


def tally(found: Iterable[tuple[str, Outcome]]) -> dict[str, list[int]]:
    """Return TP, FP and FN by error type, in order of appearance."""
    counts: dict[str, list[int]] = {}
    for kind, outcome in found:
        counts.setdefault(kind, [0, 0, 0])[OUTCOMES.index(outcome)] += 1
    return counts


def at_tier(counts: Mapping[str, Sequence[int]], level: int) -> dict[str, list[int]]:
    """Return the counts of error types by what they are at a tier; `UNK` replaces what was there, as officially."""
    merged: dict[str, list[int]] = {}
    for kind, three in counts.items():
        name = tier(kind, level)
        before = [0, 0, 0] if kind == "UNK" else merged.get(name, [0, 0, 0])
        merged[name] = [have + more for have, more in zip(before, three, strict=True)]
    return merged

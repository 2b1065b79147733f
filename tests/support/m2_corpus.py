"""Corpora for the M2 tests, as text for the metric and as arrays for the kernel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from gecbench import Annotation, Edit
from gecbench.formats.m2 import parse_m2
from gecbench.kernels.maxmatch import GoldEdit
from gecbench.kernels.tokens import GoldArrays, TokenArray

TextEdit = tuple[int, int, tuple[str, ...]]

# The worked example of docs/metrics/m2.md §14.1.
_GOLD = """\
S Our fox ran at hill .
A 3 4|||Prep|||up|||REQUIRED|||-NONE-|||0
A 4 4|||Det|||that||this|||REQUIRED|||-NONE-|||0

S Our hen .
A 1 2|||Noun|||hens|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||-NONE-|||-NONE-|||1

S Young wolves is a pack hunter .
A 2 3|||Verb|||are|||REQUIRED|||-NONE-|||0
A 3 4|||Det|||-NONE-|||REQUIRED|||-NONE-|||0
A 5 6|||Noun|||hunters|||REQUIRED|||-NONE-|||0
A 1 2|||Noun|||wolf|||REQUIRED|||-NONE-|||1"""
THREE_SENTENCES = parse_m2(_GOLD.split("\n"))
THREE_OUTPUTS = ["My fox ran up that hill .", "Our hen .", "Young wolves are pack hunter ."]


def annotation(*edits: TextEdit, annotator: int = 0) -> Annotation:
    return Annotation(annotator, tuple(Edit(*edit) for edit in edits))


def flatten(sequences: Iterable[Sequence[int]]) -> TokenArray:
    """Values one after another, and where each sequence begins."""
    rows = list(sequences)
    offsets = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    return TokenArray(np.array([value for row in rows for value in row], dtype=np.int32), offsets)


def pack(source: list[int], hypothesis: list[int], golds: list[GoldEdit]) -> tuple[TokenArray, TokenArray, GoldArrays]:
    """One sentence and annotator, any edits whatsoever, as the kernel takes them."""
    one = np.array([0, 1], dtype=np.int64)
    gold = GoldArrays(
        one,
        one * len(golds),
        np.array([edit.start for edit in golds], dtype=np.int32),
        np.array([edit.end for edit in golds], dtype=np.int32),
        flatten([0] * len(edit.alternatives) for edit in golds).offsets,
        flatten(alternative for edit in golds for alternative in edit.alternatives),
    )
    return flatten([source]), flatten([hypothesis]), gold

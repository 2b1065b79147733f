"""Minimal reading of M2 gold and hypotheses for the kernel's tests (docs/m2.md, B.1, B.2)."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gecbench.kernels.maxmatch_literal import GoldEdit
from gecbench.kernels.maxmatch_order import official_annotator_order

NUS = "www.comp.nus.edu.sg/~nlp/conll14st"
SUBMISSIONS = (
    "raw.githubusercontent.com/grammatical/evaluation/08cdad84ffae07dfa167e3e45d77a96e0e01a160"
    "/data/original/official_submissions"
)
JFLEG = "raw.githubusercontent.com/keisks/jfleg/ee06ff806a208aba815ac45313f4e750a48330a5"
REWRITES = "raw.githubusercontent.com/keisks/reassess-gec/054786a923b2635ce33240c580d18c908c9a49a9/annotations"

TextEdit = tuple[int, int, tuple[str, ...]]


class Block(NamedTuple):
    """A source sentence and the edits of each annotator, in official visiting order."""

    source: str
    annotators: dict[int, list[TextEdit]]


def parse_m2(text: str) -> list[Block]:
    """Blocks of an M2 file, edits in file order, out-of-range ones dropped (docs/m2.md, B.1)."""
    blocks = []
    for chunk in text.strip("\n").split("\n\n"):
        lines = chunk.split("\n")
        source = lines[0][2:].strip()
        found: dict[int, list[TextEdit]] = {}
        for line in lines[1:]:
            fields = line[2:].split("|||")
            start, end = (int(offset) for offset in fields[0].split())
            edits = found.setdefault(int(fields[5]), [])
            if fields[1] != "noop" and min(start, end) >= 0 and max(start, end) <= len(source.split()):
                pieces = fields[2].split("||")
                edits.append((start, end, tuple("" if p == "-NONE-" else p.strip() for p in pieces)))
        found = found or {0: []}
        blocks.append(Block(source, {i: found[i] for i in official_annotator_order(list(found))}))
    return blocks


class Arrays(NamedTuple):
    """Interned sentences and edits, in the order `match_corpus` takes them."""

    source_ids: np.ndarray
    source_offsets: np.ndarray
    hypothesis_ids: np.ndarray
    hypothesis_offsets: np.ndarray
    annotator_offsets: np.ndarray
    edit_offsets: np.ndarray
    edit_starts: np.ndarray
    edit_ends: np.ndarray
    alternative_offsets: np.ndarray
    correction_ids: np.ndarray
    correction_offsets: np.ndarray


class Interned(NamedTuple):
    """A corpus ready for any of the three implementations."""

    arrays: Arrays
    sources: list[list[int]]
    hypotheses: list[list[int]]
    golds: list[list[list[GoldEdit]]]
    vocabulary: list[str]

    def folded(self) -> list[list[int]]:
        return [[ord(character) for character in token.lower()] for token in self.vocabulary]

    def folded_arrays(self) -> tuple[np.ndarray, np.ndarray]:
        return flatten(self.folded())


def flatten(sequences: Iterable[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Values one after another, and where each sequence begins."""
    rows = list(sequences)
    offsets = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    return np.array([value for row in rows for value in row], dtype=np.int32), offsets


def pack(sources: list[list[int]], hypotheses: list[list[int]], golds: list[list[list[GoldEdit]]]) -> Arrays:
    """Lists of ids and gold edits as the flat arrays of the kernel."""
    rows = [row for sentence in golds for row in sentence]
    edits = [edit for row in rows for edit in row]
    alternatives = [alternative for edit in edits for alternative in edit.alternatives]
    return Arrays(
        *flatten(sources),
        *flatten(hypotheses),
        flatten([[0] * len(sentence) for sentence in golds])[1],
        flatten([[0] * len(row) for row in rows])[1],
        np.array([edit.start for edit in edits], dtype=np.int32),
        np.array([edit.end for edit in edits], dtype=np.int32),
        flatten([[0] * len(edit.alternatives) for edit in edits])[1],
        *flatten(alternatives),
    )


def intern(blocks: Sequence[Block], hypotheses: Sequence[str]) -> Interned:
    """One vocabulary for everything; corrections are cut at single spaces, as their text is compared."""
    assert len(blocks) == len(hypotheses)
    ids: dict[str, int] = {}

    def numbers(tokens: Iterable[str]) -> list[int]:
        return [ids.setdefault(token, len(ids)) for token in tokens]

    sources = [numbers(block.source.split()) for block in blocks]
    outputs = [numbers(hypothesis.split()) for hypothesis in hypotheses]
    golds = [
        [
            [
                GoldEdit(start, end, tuple(tuple(numbers(c.split(" "))) if c else () for c in corrections))
                for start, end, corrections in edits
            ]
            for edits in block.annotators.values()
        ]
        for block in blocks
    ]
    return Interned(pack(sources, outputs, golds), sources, outputs, golds, list(ids))


def mirror() -> Path | None:
    """The folder of upstream files, if the environment names one."""
    folder = os.environ.get("GECBENCH_MIRROR")
    return Path(folder) if folder else None


def mirror_text(path: str, member: str | None = None) -> str:
    """A mirrored file, or a member of a mirrored archive, as text."""
    root = mirror()
    assert root is not None
    if member is None:
        return (root / path).read_bytes().decode()
    with tarfile.open(root / path) as archive:
        handle = archive.extractfile(member)
        assert handle is not None
        return handle.read().decode()


def lines(text: str) -> list[str]:
    """Lines split at newlines alone; no line after the last newline."""
    return text.removesuffix("\n").split("\n")

"""M2 files of the usual form as arrays (Python twin of m2.cpp).

Usual: blocks of one `S ` line and `A start end|||type|||corrections|||required|||comment|||annotator` lines, separated
by empty lines; plain numbers, no span outside its sentence. Anything else is for a reader that can explain it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from gecbench.kernels.tokens import Ids, Offsets

_SPAN = re.compile(r"(-?[0-9]{1,9}) (-?[0-9]{1,9})")
_NUMBER = re.compile(r"-?[0-9]{1,9}")


class EditTable(NamedTuple):
    """The edits of an M2 file, laid end to end.

    Sentence s is line source_lines[s] and has the annotators row_offsets[s]:row_offsets[s + 1], row r the edits
    edit_offsets[r]:edit_offsets[r + 1]; edit e replaces the tokens [starts[e], ends[e]) by one of the corrections
    alternative_offsets[e]:alternative_offsets[e + 1]. These are laid end to end in UTF-8, each with its length in
    bytes, without those whose blanks are not single spaces. `spelled` says the same as a fingerprint wants it: NUL
    before each sentence, 2 and the number before each annotator, 3, span and type before each edit, 1 before each
    correction.
    """

    source_lines: Offsets
    row_offsets: Offsets
    annotators: Offsets
    edit_offsets: Offsets
    starts: Ids
    ends: Ids
    alternative_offsets: Offsets
    corrections: bytes
    correction_lengths: Offsets
    spelled: bytes


class _Edit(NamedTuple):
    start: int
    end: int
    type: str
    corrections: list[str]


Rows = dict[int, list[_Edit]]


def read_edits(text: bytes) -> EditTable | None:
    """Read a file, lines separated by newlines; None if it is not of the usual form."""
    source_lines: list[int] = []
    sentences: list[Rows] = []
    inside, length = False, 0
    for number, line in enumerate(text.decode().split("\n")):
        if not line:
            inside = False
        elif not inside and line.startswith("S "):
            inside, length = True, len(line[2:].split())
            source_lines.append(number)
            sentences.append({})
        elif not inside or not line.startswith("A ") or not _add_edit(line, length, sentences[-1]):
            return None
    return _table(source_lines, sentences) if sentences else None


def _add_edit(line: str, length: int, rows: Rows) -> bool:
    fields = line[2:].split("|||")
    if len(fields) != 6 or not _SPAN.fullmatch(fields[0]) or not _NUMBER.fullmatch(fields[5]):
        return False
    edits = rows.setdefault(int(fields[5]), [])
    start, end = map(int, fields[0].split())
    if fields[1] == "noop":
        return True
    corrections = ["" if text == "-NONE-" else text.strip() for text in fields[2].split("||")]
    edits.append(_Edit(start, end, fields[1], corrections))
    return 0 <= start <= end <= length


def _table(source_lines: list[int], sentences: list[Rows]) -> EditTable:
    rows = [edits for sentence in sentences for edits in sentence.values()]
    edits = [edit for row in rows for edit in row]
    kept = [[text for text in edit.corrections if " ".join(text.split()) == text] for edit in edits]
    encoded = [text.encode() for texts in kept for text in texts]
    return EditTable(
        np.array(source_lines, dtype=np.int64),
        _offsets(list(map(len, sentences))),
        np.array([annotator for sentence in sentences for annotator in sentence], dtype=np.int64),
        _offsets(list(map(len, rows))),
        np.array([edit.start for edit in edits], dtype=np.int32),
        np.array([edit.end for edit in edits], dtype=np.int32),
        _offsets(list(map(len, kept))),
        b"".join(encoded),
        np.array(list(map(len, encoded)), dtype=np.int64),
        "".join(map(_spelled, sentences)).encode(),
    )


def _offsets(sizes: list[int]) -> Offsets:
    return np.cumsum([0, *sizes], dtype=np.int64)


def _spelled(sentence: Rows) -> str:
    spelled = "\x00"
    for annotator, edits in sentence.items():
        spelled += f"\x02{annotator}"
        for edit in edits:
            spelled += f"\x03{edit.start} {edit.end} {edit.type}\x01" + "\x01".join(edit.corrections)
    return spelled

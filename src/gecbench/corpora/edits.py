"""Edits as rows: reading M2 losslessly, applying edits, and deriving edits from a rewrite.

`gecbench.formats.m2` reads M2 for scoring; here `noop` lines and spans past the end are kept as published.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gecbench.corpora.schema import Field, ListOf, Struct
from gecbench.corpus.edits import Edit, apply_edits, extract_edits
from gecbench.errors import InputError

Row = dict[str, Any]
NOOP = "noop"

EDIT = Struct(
    (
        Field("start", "int32"),
        Field("end", "int32"),
        Field("corrections", ListOf("string")),
        Field("type", "string"),
        Field("required", "string"),
        Field("comment", "string"),
    )
)
ANNOTATIONS = ListOf(Struct((Field("annotator", "int32"), Field("edits", ListOf(EDIT)))))


@dataclass
class Block:
    """One sentence of an M2 file: its source and, by annotator in file order, the edits."""

    source: str
    edits: dict[int, list[Row]] = field(default_factory=dict)

    def annotations(self) -> list[Row]:
        """Return the annotations as published, `noop` lines included."""
        return [{"annotator": annotator, "edits": edits} for annotator, edits in self.edits.items()]

    def real_edits(self, annotator: int) -> list[Row]:
        """Return one annotator's edits without `noop` lines."""
        return [edit for edit in self.edits.get(annotator, []) if edit["type"] != NOOP]


def read_m2(lines: Sequence[str], file: str) -> list[Block]:
    """Return the sentences of an M2 file."""
    blocks: list[Block] = []
    for number, line in enumerate(lines, 1):
        if line == "S" or line.startswith("S "):
            blocks.append(Block(line[2:]))
        elif line.startswith("A ") and blocks:
            annotator, edit = _read_edit(line[2:], file, number)
            blocks[-1].edits.setdefault(annotator, []).append(edit)
        elif line:
            raise InputError("neither an S nor an A line", file=file, line=number)
    return blocks


def _read_edit(text: str, file: str, line: int) -> tuple[int, Row]:
    try:
        span, kind, correction, required, comment, annotator = text.split("|||")
        start, end = map(int, span.split())
        edit = edit_row(start, end, correction.split("||"), kind, required, comment)
        return int(annotator), edit
    except ValueError:
        raise InputError("not an M2 edit", file=file, line=line) from None


def edit_row(
    start: int,
    end: int,
    corrections: list[str],
    kind: str,
    required: str = "REQUIRED",
    comment: str = "-NONE-",
) -> Row:
    """Return an edit as a row."""
    return {
        "start": start,
        "end": end,
        "corrections": corrections,
        "type": kind,
        "required": required,
        "comment": comment,
    }


def as_edits(edits: Sequence[Row]) -> tuple[Edit, ...]:
    """Return rows as the corpus's edits, without `noop` lines."""
    return tuple(
        Edit(row["start"], row["end"], tuple(row["corrections"]), row["type"], row["required"], row["comment"])
        for row in edits
        if row["type"] != NOOP
    )


def rewrite(source: str, edits: Sequence[Row]) -> str:
    """Return the source with the first correction of every edit applied."""
    return apply_edits(source, as_edits(edits))


def derive_edits(source: str, rewrite: str) -> list[Row]:
    """Return the edits that `gecbench.extract_edits` reads off a rewrite, as rows."""
    return [
        edit_row(edit.start, edit.end, list(edit.corrections), edit.type, edit.required, edit.comment)
        for edit in extract_edits(source, rewrite)
    ]

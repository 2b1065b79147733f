"""Edits as rows of a dataset."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gecbench.corpora.schema import Field, ListOf, Struct
from gecbench.corpus.edits import Annotation, Edit
from gecbench.formats.m2 import NOOP

Row = dict[str, Any]

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


def annotation_rows(annotations: Iterable[Annotation]) -> list[Row]:
    """Return annotations as rows."""
    return [{"annotator": found.annotator, "edits": edit_rows(found.edits)} for found in annotations]


def edit_rows(edits: Iterable[Edit]) -> list[Row]:
    """Return edits as rows."""
    return [{**vars(edit), "corrections": list(edit.corrections)} for edit in edits]


def as_edits(rows: Sequence[Row]) -> tuple[Edit, ...]:
    """Return rows as the corpus's edits, without `noop` lines."""
    return tuple(Edit(**{**row, "corrections": tuple(row["corrections"])}) for row in rows if row["type"] != NOOP)

"""Read and write corpora as JSON Lines: one object per sentence.

The fields are `source`, `references`, `annotations`, `groups` and `id`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gecbench.corpus.corpus import Corpus, check_annotators, check_sentence_annotations, check_sentence_groups
from gecbench.corpus.edits import Annotation, Edit
from gecbench.corpus.groups import Alternative, ErrorGroup, GroupedSentence, Replacement
from gecbench.errors import InputError, describe_field_error, error_context
from gecbench.formats.text import read_lines, write_lines


def read_jsonl(path: str | Path) -> Corpus:
    """Read a corpus from a JSON Lines file.

    Every line needs `source`. Other fields must be on all lines or on none.
    """
    return parse_jsonl(read_lines(path), str(path))


def parse_jsonl(lines: Sequence[str], file: str) -> Corpus:
    """Parse the lines of a file, as `read_jsonl` does."""
    rows = json_values(lines, file)
    if not rows:
        raise InputError("the file is empty", file=file, fix="Give one JSON object per sentence")
    for number, row in enumerate(rows, start=1):
        _check_row(row, rows[0], file, number)
    columns: dict[str, Any] = {"sources": [row["source"] for row in rows], "name": Path(file).name}
    if "references" in rows[0]:
        columns["references"] = [row["references"] for row in rows]
    columns |= {key: _read_column(rows, key, file) for key in _NESTED if key in rows[0]}
    if "id" in rows[0]:
        columns["ids"] = [str(row["id"]) for row in rows]
    return Corpus(**columns)


def write_jsonl(corpus: Corpus, path: str | Path) -> None:
    """Write a corpus so that `read_jsonl` can read it."""
    lines = []
    for i, source in enumerate(corpus.sources):
        row: dict[str, object] = {"id": (corpus.ids or ())[i], "source": source}
        if corpus.references is not None:
            row["references"] = list(corpus.references[i])
        if corpus.annotations is not None:
            row["annotations"] = [asdict(annotation) for annotation in corpus.annotations[i]]
        if corpus.groups is not None:
            row["groups"] = asdict(corpus.groups[i])
        lines.append(json.dumps(row, ensure_ascii=False))
    write_lines(path, lines)


def json_values(lines: Sequence[str], file: str) -> list[Any]:
    """Return the JSON value on every line."""
    values = []
    for number, line in enumerate(lines, start=1):
        try:
            values.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            reason = f"{error.msg}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else error
            fix = "Give one JSON object per line"
            raise InputError(f"not JSON ({reason})", file=file, line=number, fix=fix) from error
    return values


def _check_row(row: Any, first: dict[str, Any], file: str, line: int) -> None:
    with error_context(file, line):
        if not isinstance(row, dict):
            raise InputError("not a JSON object", fix='Write {"source": ..., ...}')
        if not isinstance(row.get("source"), str):
            raise InputError("'source' is missing or not a string", fix='Write {"source": "...", ...}')
        if "reference" in row and not row.keys() & {"references", "annotations", "groups"}:
            raise InputError("'reference' is unknown", fix='Write "references": ["...", ...]')
        for key in ("references", "annotations", "groups", "id"):
            if (key in row) != (key in first):
                raise InputError(f"{key!r} is only on some lines", fix="Write it on all lines or on none")
        if "references" in row and not _is_list_of_texts(row["references"]):
            problem = "'references' is not a list of strings with at least one entry"
            raise InputError(problem, fix='Write "references": ["...", ...]')


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(text, str) for text in value)


def _read_column(rows: Sequence[dict[str, Any]], key: str, file: str) -> list[Any]:
    read, fix = _NESTED[key]
    values = []
    for line, row in enumerate(rows, start=1):
        with error_context(file, line):
            try:
                values.append(read(row[key], len(row["source"].split())))
            except (KeyError, TypeError) as error:
                raise InputError(f"{key!r} cannot be read: {describe_field_error(error)}", fix=fix) from error
    return values


def _annotations(value: Any, tokens: int) -> list[Annotation]:
    def edit(fields: dict[str, Any]) -> Edit:
        return Edit(**{**fields, "corrections": _tuple(fields["corrections"])})

    annotations = [Annotation(fields["annotator"], tuple(map(edit, fields["edits"]))) for fields in value]
    check_sentence_annotations(annotations, tokens)
    return annotations


def _groups(value: Any, tokens: int) -> GroupedSentence:
    def alternative(fields: dict[str, Any]) -> Alternative:
        changes = tuple(Replacement(**change) for change in fields["replacements"])
        return Alternative(**{**fields, "replacements": changes})

    def group(fields: dict[str, Any]) -> ErrorGroup:
        return ErrorGroup(tuple(map(alternative, fields["alternatives"])), fields["required"], fields["type"])

    sentence = GroupedSentence(**{**value, "groups": tuple(map(group, value["groups"]))})
    check_sentence_groups(sentence, tokens)
    check_annotators(sentence.annotators, len(json.dumps(value)))
    return sentence


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


_NESTED: dict[str, tuple[Callable[[Any, int], object], str]] = {
    "annotations": (
        _annotations,
        'Each annotation needs "annotator" and "edits", and each edit "start", "end" and "corrections"',
    ),
    "groups": (
        _groups,
        'Each group needs "required", "type" and "alternatives", and each alternative "annotator" and "replacements"',
    ),
}

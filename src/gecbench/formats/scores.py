"""Read the scores of systems and of their sentences for meta-evaluation.

The files are tab-separated.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from gecbench.errors import InputError, counted
from gecbench.formats.tables import finite_number, whole_number
from gecbench.formats.text import read_text

_Key = TypeVar("_Key", str, tuple[str, int])
SYSTEM_COLUMNS = {
    2: ("system", "score"),
    3: ("metric", "system", "score"),
    4: ("metric", "references", "system", "score"),
}
SENTENCE_COLUMNS = {
    3: ("system", "sentence", "score"),
    4: ("metric", "system", "sentence", "score"),
}


def read_system_scores(path: str | Path) -> dict[str, dict[str, float]]:
    """Read metric → system → score from a file (see `parse_system_scores`)."""
    return parse_system_scores(read_text(path), name=str(path))


def parse_system_scores(text: str, *, name: str) -> dict[str, dict[str, float]]:
    """Parse metric → system → score.

    Lines are [metric [references]] system score, separated by tabs. With references, the metric is called
    `metric|references`. Without a metric, the metric is named like the file. A header line with these column names is
    optional.
    """
    table: dict[str, dict[str, float]] = {}
    for line, row in _rows(text, name, SYSTEM_COLUMNS):
        _add(table, row["system"], row, name, line)
    return table


def read_sentence_scores(path: str | Path) -> dict[str, dict[tuple[str, int], float]]:
    """Read metric → (system, sentence) → score from a file.

    Lines are `system sentence score` or `metric system sentence score`, separated by tabs.
    """
    table: dict[str, dict[tuple[str, int], float]] = {}
    for line, row in _rows(read_text(path), str(path), SENTENCE_COLUMNS):
        try:
            sentence = whole_number(row["sentence"], "sentence", file=str(path), line=line)
        except InputError as error:
            raise InputError(error.problem, file=error.file, line=line, fix=_wanted(SENTENCE_COLUMNS)) from error
        _add(table, (row["system"], sentence), row, str(path), line)
    return table


def _add(table: dict[str, dict[_Key, float]], key: _Key, row: dict[str, str], name: str, line: int) -> None:
    metric = row.get("metric", Path(name).stem)
    if "references" in row:
        metric += "|" + row["references"]
    scores = table.setdefault(metric, {})
    if key in scores:
        shown = ", sentence ".join(map(str, key)) if isinstance(key, tuple) else key
        raise InputError(f"{metric} has two scores for {shown}", file=name, line=line, fix="Remove one of them")
    scores[key] = finite_number(row["score"], "the score", file=name, line=line)


def _rows(text: str, name: str, shapes: dict[int, tuple[str, ...]]) -> Iterator[tuple[int, dict[str, str]]]:
    columns: tuple[str, ...] | None = None
    for line, words in enumerate(text.split("\n"), start=1):
        fields = tuple(field.strip() for field in words.split("\t"))
        if fields == ("",):
            continue
        if columns is None:
            columns = shapes.get(len(fields))
            if columns is not None and tuple(field.lower() for field in fields) == columns:
                continue
        if columns is None or len(fields) != len(columns):
            problem = f"the line has {counted(len(fields), 'field')}"
            problem += f", but the first line has {len(columns)}" if columns else ""
            raise InputError(problem, file=name, line=line, fix=_wanted(shapes))
        yield line, dict(zip(columns, fields, strict=True))
    if columns is None:
        raise InputError("the file has no scores", file=name, fix=_wanted(shapes))


def _wanted(shapes: dict[int, tuple[str, ...]]) -> str:
    """Return advice that lists the fields of a line."""
    return "Write tab-separated fields: " + " or ".join(f"({', '.join(shape)})" for shape in shapes.values())

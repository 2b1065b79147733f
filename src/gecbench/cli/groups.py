"""A metric's scores taken apart, as tables: by edit distance, number of references or error type."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from gecbench.analysis.breakdown import by_edit_distance, by_reference_count
from gecbench.analysis.report import Report
from gecbench.analysis.tables import Table, render_table
from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError
from gecbench.metrics.base import Score
from gecbench.metrics.m2.error_types import by_error_type
from gecbench.metrics.m2.metric import M2

Groups = Mapping[str, Sequence[Any]]


def render_groups(
    by: str, report: Report, corpus: Corpus, systems: Mapping[str, Sequence[str]], table_format: str
) -> str:
    """Return the first metric's scores of every system, grouped."""
    group, table = GROUPINGS[by]
    metric = report.metrics[0]
    groups = {system: group(report[system][metric], corpus, systems[system]) for system in report}
    if table_format == "json":
        plain = {system: [asdict(part) for part in found] for system, found in groups.items()}
        return json.dumps({"metric": metric, "by": by, "systems": plain}, ensure_ascii=False, indent=2)
    return render_table(table(groups), table_format)


def _by_references(score: Score, _corpus: Corpus, _predictions: Sequence[str]) -> Sequence[Any]:
    return by_reference_count(score)


def _by_error_type(score: Score, corpus: Corpus, predictions: Sequence[str]) -> Sequence[Any]:
    if not isinstance(score.metric, M2):
        raise InputError(f"{score.name} knows no error types", fix="Give -m m2 with --by error-type")
    return by_error_type(score.metric, corpus, predictions)


def _distance_table(groups: Groups) -> Table:
    labels = [f"{group.label} changed" for group in next(iter(groups.values()))]
    cells = [
        [system, *("–" if part.value is None else f"{_percent(part.value)} ({part.sentences})" for part in found)]
        for system, found in groups.items()
    ]
    return Table(["characters:", *labels], cells)


def _reference_table(groups: Groups) -> Table:
    labels = [f"{group.references} ref{'s' if group.references > 1 else ''}" for group in next(iter(groups.values()))]
    cells = [
        [system, *(f"{_percent(part.value)} ({_percent(part.low)} – {_percent(part.high)})" for part in found)]
        for system, found in groups.items()
    ]
    return Table(["system", *labels], cells)


def _type_table(groups: Groups) -> Table:
    header = ["type", "system", "gold", "correct", "recall", "alone: P", "R", "F"]
    rows = [
        [
            part.type,
            system,
            str(part.gold),
            str(part.correct),
            *map(_percent, (part.recall, part.precision_alone, part.recall_alone, part.value_alone)),
        ]
        for system, found in groups.items()
        for part in found
    ]
    return Table(header, rows)


def _percent(value: float) -> str:
    return f"{100 * value:.2f}"


GROUPINGS: Mapping[str, tuple[Callable[[Score, Corpus, Sequence[str]], Sequence[Any]], Callable[[Groups], Table]]] = {
    "edit-distance": (by_edit_distance, _distance_table),
    "references": (_by_references, _reference_table),
    "error-type": (_by_error_type, _type_table),
}

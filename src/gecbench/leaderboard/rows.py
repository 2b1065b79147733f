"""The rows of a board's tables, as the page and its CSV show them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gecbench.analysis.tables import shown_p_value
from gecbench.leaderboard.ranking import BoardPlace, Significance
from gecbench.leaderboard.records import BoardTable, Record
from gecbench.leaderboard.scoring import is_plugin
from gecbench.leaderboard.seeds import is_same_system
from gecbench.metrics.base import METRICS

Row = Mapping[str, Any]
_RECORD_FIELDS = (
    *("system", "corpus", "reference_set", "kind", "role", "date", "submitter", "description", "unchanged"),
    *("year", "approach", "size", "open_weights"),
)
_CSV_RECORD = ("corpus", "reference_set", "system", "kind", "date", "submitter")
_CSV_FIGURE = (
    *("value", "low", "high", "capped", "human", "against_others", "ratio"),
    *("rank", "cluster", "p_value", "p_adjusted", "signature", "differs"),
)
_HUMAN: Row = {
    "id": "",
    "system": "Human",
    "role": "human",
    "kind": "scored",
    "date": "",
    "submitter": "",
    "description": "Mean score of each annotator against the others",
    "links": [],
}


def table_rows(records: Sequence[Record], tests: Significance, *, private: bool = False) -> list[Row]:
    """Return the rows of a table, with the rank and the cluster under each metric.

    A row has the fields of a record. Each system has one row: results that others reported for a scored system are
    added to the row of that system.
    """
    metrics = {
        metric
        for record in records
        for metric, figure in record.scores.items()
        if metric in METRICS or is_shown_plugin(metric, figure)
    }
    places = {metric: tests.places(records, metric) for metric in metrics}
    reported = [record for record in records if record.kind == "reported"]
    scored = [record for record in records if record.kind != "reported"]
    alone = [record for record in reported if not any(is_same_system(each, record) for each in scored)]
    return [
        *(_row(record, places, _reported_of(record, reported), private=private) for record in scored),
        *(_row(record, {}, {}, private=private) for record in alone),
    ]


def _reported_of(record: Record, reported: Sequence[Record]) -> dict[str, Any]:
    same = (other for other in reported if is_same_system(record, other))
    return {
        metric: {name: figure[name] for name in ("value", "source", "differs")}
        for other in same
        for metric, figure in other.scores.items()
    }


def human_row(table: BoardTable, rows: Sequence[Row]) -> Row | None:
    """Return a row with the human scores of a table, or None if there are none."""
    scores = {
        metric: {"value": figure["human"]}
        for row in reversed(rows)
        for metric, figure in row["scores"].items()
        if figure["human"] is not None
    }
    return {**_HUMAN, "corpus": table[0], "reference_set": table[1], "scores": scores} if scores else None


def _row(
    record: Record, places: Mapping[str, Mapping[str, BoardPlace]], reported: Mapping[str, Any], *, private: bool
) -> Row:
    scores = {
        metric: {
            **figure,
            **({"parts": {}} if private else {}),  # records of 0.2.0 have parts
            **_place(places.get(metric, {}).get(record.id), private=private),
        }
        for metric, figure in record.scores.items()
    }
    fields = {name: getattr(record, name) for name in _RECORD_FIELDS}
    outputs = None if private else record.outputs
    row = {"id": record.id, **fields, "links": list(record.links), "outputs": outputs, "scores": scores}
    return {**row, "reported": reported} if reported else row


def _place(place: BoardPlace | None, *, private: bool) -> dict[str, Any]:
    if place is None:
        return {}
    if place.differs:
        return {"differs": place.differs}
    p_values = {"p": place.p_value, "p_adjusted": place.p_adjusted}
    known = {name: None if private else p_value for name, p_value in p_values.items()}
    texts = {f"{name}_text": "" if p_value is None else shown_p_value(p_value) for name, p_value in known.items()}
    return {
        "rank": place.rank,
        "cluster": place.cluster,
        "p_value": known["p"],
        "p_adjusted": known["p_adjusted"],
        **texts,
    }


def packed(rows: Sequence[Row], human: Row | None) -> dict[str, Any]:
    """Return a table's rows in a compact form for the page.

    Empty fields of figures are left out, and signatures are indexes into a list.
    """
    signatures: dict[str, int] = {}

    def pack(row: Row) -> Row:
        scores = {}
        for metric, figure in row["scores"].items():
            kept = {name: rounded(value) for name, value in figure.items() if value not in (None, "", {})}
            if "signature" in kept:
                kept["signature"] = signatures.setdefault(kept["signature"], len(signatures))
            scores[metric] = kept
        return {**row, "scores": scores}

    kinds = {
        "rows": [pack(row) for row in rows if row["kind"] != "reported"],
        "reported": [pack(row) for row in rows if row["kind"] == "reported"],
    }
    return {**kinds, "people": human and pack(human), "signatures": list(signatures)}


def rounded(value: Any, digits: int = 12) -> Any:
    """Round a floating-point number to more decimals than the page shows."""
    return round(value, digits) if isinstance(value, float) else value


def is_shown_plugin(name: str, figure: Mapping[str, Any]) -> bool:
    """Return whether a score is from a plug-in whose name no metric of gecbench has."""
    return name not in METRICS and is_plugin(figure)


def csv_header() -> str:
    """Return the header line of the CSV."""
    return _csv([[*_CSV_RECORD, "metric", *_CSV_FIGURE]])


def csv_lines(row: Row) -> str:
    """Return a CSV line per metric of a row.

    Cells that a spreadsheet would run as formulas are escaped.
    """
    record = [row[name] for name in _CSV_RECORD]
    lines = ([*record, metric, *map(figure.get, _CSV_FIGURE)] for metric, figure in row["scores"].items())
    return _csv(map(_escape_csv_formula, line) for line in lines)


def _csv(lines: Iterable[Iterable[object]]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(lines)
    return stream.getvalue()


def _escape_csv_formula(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t")) else cell

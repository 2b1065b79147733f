"""What the page shows of a board: the rows of its tables, as scripts for the page and as lines of CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gecbench.analysis.tables import shown_p_value
from gecbench.leaderboard.ranking import BoardPlace, Significance
from gecbench.leaderboard.records import BoardTable, Record, digest
from gecbench.leaderboard.seeds import stands_for
from gecbench.metrics.registry import METRICS

Row = Mapping[str, Any]

_KEPT = ("system", "corpus", "reference_set", "kind", "role", "date", "submitter", "description", "unchanged")
_CSV_RECORD = ("corpus", "reference_set", "system", "kind", "date", "submitter")
_CSV_FIGURE = (
    *("value", "low", "high", "bounded", "human", "against_others", "ratio"),
    *("rank", "cluster", "p_value", "signature", "differs"),
)
_PEOPLE: Row = {
    "id": "",
    "system": "Human",
    "role": "human",
    "kind": "scored",
    "date": "",
    "submitter": "",
    "description": "Mean of each reference against the others",
    "links": [],
}


def group_by_table(records: Sequence[Record]) -> dict[BoardTable, list[Record]]:
    """Return the records by corpus and reference set."""
    tables: dict[BoardTable, list[Record]] = {}
    for record in records:
        tables.setdefault(record.table, []).append(record)
    return tables


def table_rows(records: Sequence[Record], tests: Significance, *, sealed: bool = False) -> list[Row]:
    """Return what the page shows of each record: its fields, and its places under each metric.

    A system stands once: what others reported of one that is scored here goes into its row.
    """
    metrics = {metric for record in records for metric in record.scores if metric in METRICS}
    places = {metric: tests.places(records, metric) for metric in metrics}
    reported = [record for record in records if record.kind == "reported"]
    scored = [record for record in records if record.kind != "reported"]
    alone = [record for record in reported if not any(stands_for(each, record) for each in scored)]
    return [
        *(_row(record, places, _reported_of(record, reported), sealed=sealed) for record in scored),
        *(_row(record, {}, {}, sealed=sealed) for record in alone),
    ]


def _reported_of(record: Record, reported: Sequence[Record]) -> dict[str, Any]:
    same = (other for other in reported if stands_for(record, other))
    return {
        metric: {name: figure[name] for name in ("value", "source", "differs")}
        for other in same
        for metric, figure in other.scores.items()
    }


def people_row(table: BoardTable, rows: Sequence[Row]) -> Row | None:
    """Return the people's row of a table, made of the bound that records carry."""
    scores = {
        metric: {"value": figure["human"]}
        for row in reversed(rows)
        for metric, figure in row["scores"].items()
        if figure["human"] is not None
    }
    return {**_PEOPLE, "corpus": table[0], "reference_set": table[1], "scores": scores} if scores else None


def script(name: str, value: object) -> bytes:
    """Return data as a script that hands it to the page: readable where a page from a disk may fetch nothing."""
    return f"GECBENCH.add({json.dumps(name)}, {json.dumps(value, separators=(',', ':'))});\n".encode()


def csv_header() -> str:
    """Return the names of the columns."""
    return _csv([[*_CSV_RECORD, "metric", *_CSV_FIGURE]])


def csv_lines(row: Row) -> str:
    """Return one line per metric of a record; cells that a spreadsheet would run as formulas are disarmed."""
    record = [row[name] for name in _CSV_RECORD]
    lines = ([*record, metric, *map(figure.get, _CSV_FIGURE)] for metric, figure in row["scores"].items())
    return _csv(map(_disarmed, line) for line in lines)


def table_key(table: BoardTable) -> str:
    """Return a short name for a table's files."""
    return digest("\0".join(table).encode())[:12]


def packed(rows: Sequence[Row], people: Row | None) -> dict[str, Any]:
    """Return a table's rows without empty figures, and their signatures, which many share, as numbers into a list."""
    signatures: dict[str, int] = {}

    def pack(row: Row) -> Row:
        scores = {}
        for metric, figure in row["scores"].items():
            kept = {name: _rounded(value) for name, value in figure.items() if value not in (None, "", {})}
            if "signature" in kept:
                kept["signature"] = signatures.setdefault(kept["signature"], len(signatures))
            scores[metric] = kept
        return {**row, "scores": scores}

    kinds = {
        "rows": [pack(row) for row in rows if row["kind"] != "reported"],
        "reported": [pack(row) for row in rows if row["kind"] == "reported"],
    }
    return {**kinds, "people": people and pack(people), "signatures": list(signatures)}


def _row(
    record: Record, places: Mapping[str, Mapping[str, BoardPlace]], reported: Mapping[str, Any], *, sealed: bool
) -> Row:
    scores = {
        metric: {**figure, **_place(places.get(metric, {}).get(record.id), sealed=sealed)}
        for metric, figure in record.scores.items()
    }
    fields = {name: getattr(record, name) for name in _KEPT}
    outputs = None if sealed else record.outputs
    row = {"id": record.id, **fields, "links": list(record.links), "outputs": outputs, "scores": scores}
    return {**row, "reported": reported} if reported else row


def _place(place: BoardPlace | None, *, sealed: bool) -> dict[str, Any]:
    if place is None:
        return {}
    if place.differs:
        return {"differs": place.differs}
    p_value = None if sealed else place.p_value
    shown = "" if p_value is None else shown_p_value(p_value)
    return {"rank": place.rank, "cluster": place.cluster, "p_value": p_value, "p_text": shown}


def _csv(lines: Iterable[Iterable[object]]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(lines)
    return stream.getvalue()


def _disarmed(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t")) else cell


def _rounded(value: Any) -> Any:
    """Return a number short enough for the page, yet exact enough for its decimals to be those of the value itself."""
    return round(value, 12) if isinstance(value, float) else value

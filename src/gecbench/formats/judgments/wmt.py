"""WMT CSV: one row per ranking, columns system1Id, system1rank, system2Id, … (two systems or more)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from math import isfinite, isnan, nan
from pathlib import Path

from gecbench.errors import InputError
from gecbench.formats.judgments.model import Judgment, Place, Ranking, rename_systems
from gecbench.formats.table import parse_csv, whole_number
from gecbench.formats.text import read_text, write_bytes

JFLEG_NAMES: Mapping[str, str] = {"turk": "Human", "NMT": "CAMB16", "CAMB": "CAMB14", "orig": "Original"}
COLUMNS = (
    *("srclang", "trglang", "srcIndex", "documentId", "segmentId", "judgeId"),
    *("system1Number", "system1Id", "system2Number", "system2Id", "system1rank", "system2rank"),
)


def read_wmt_csv(path: str | Path, *, first_sentence: int = 0) -> list[Ranking]:
    """Read the rankings of a WMT CSV; see `parse_wmt_csv`."""
    return parse_wmt_csv(read_text(path), file=str(path), first_sentence=first_sentence)


def parse_wmt_csv(text: str, *, file: str, first_sentence: int = 0) -> list[Ranking]:
    """Parse the rankings of a WMT CSV; `first_sentence` is the segmentId of the first sentence (0 or 1).

    A rank of -1 means "not ranked", as in WMT's five-way files.
    """
    rankings: list[Ranking] = []
    columns = ("segmentId", "system1Id", "system2Id", "system1rank", "system2rank")
    for line, row in parse_csv(text, columns, file=file):
        judge = row.get("judgeId", row.get("judgeID"))
        if not judge:
            raise InputError("no judge", file=file, line=line, fix="Fill the column judgeId.")
        sentence = whole_number(row["segmentId"], "segmentId", file=file, line=line) - first_sentence
        rankings.append(Ranking(sentence, judge, _places(row, file, line)))
    return rankings


def read_jfleg_pairwise(path: str | Path) -> list[Ranking]:
    """Read JFLEG's pairwise.csv; see `parse_jfleg_pairwise`."""
    return parse_jfleg_pairwise(read_text(path), file=str(path))


def parse_jfleg_pairwise(text: str, *, file: str) -> list[Ranking]:
    """Parse JFLEG's pairwise.csv under the names of its paper; sentences are GUG ids."""
    return rename_systems(parse_wmt_csv(text, file=file), JFLEG_NAMES)


def _places(row: Mapping[str, str], file: str, line: int) -> tuple[Place, ...]:
    places: list[Place] = []
    number = 1
    while f"system{number}Id" in row:
        system, rank = row[f"system{number}Id"].strip(), row.get(f"system{number}rank", "")
        value = _rank(rank, f"system{number}rank", file, line)
        if not system or any(system in place.systems for place in places):
            problem = f"{system} is compared with itself" if system else f"system{number}Id is empty"
            raise InputError(problem, file=file, line=line)
        places.append(Place((system,), nan if value == -1 else value))
        number += 1
    return tuple(places)


def _rank(text: str, column: str, file: str, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise InputError(f"{column} is {text!r}, not a number", file=file, line=line)
    return value


def write_wmt_csv(judgments: Iterable[Judgment], path: str | Path) -> None:
    """Write pairs as a WMT CSV that `read_wmt_csv` reads back unchanged."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for pair in judgments:
        identity = ("-1", "-1", pair.sentence, -1, pair.sentence, pair.judge)
        ranks = (_shortest(pair.rank1), _shortest(pair.rank2))
        writer.writerow((*identity, -1, pair.system1, -1, pair.system2, *ranks))
    write_bytes(path, stream.getvalue().encode())


def _shortest(rank: float) -> str:
    if isnan(rank):
        return "-1"
    return str(int(rank)) if rank == int(rank) else repr(rank)

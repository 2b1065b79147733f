"""Human judgments in tables: WMT CSV (read and written), Mechanical Turk results, the crowd study's expert file."""

from __future__ import annotations

import ast
import csv
import io
from collections.abc import Collection, Iterable, Mapping
from math import isnan, nan
from pathlib import Path
from types import MappingProxyType

from gecbench.errors import InputError
from gecbench.formats.judgment_xml import parse_ranking_xml
from gecbench.formats.judgments import Judgment, Place, Pseudonyms, Ranking, repeats_a_system
from gecbench.formats.table import finite_number, parse_csv, whole_number
from gecbench.formats.text import read_text, write_bytes


def read_judgments(path: str | Path) -> list[Ranking]:
    """Read rankings from a WMT CSV, a Mechanical Turk CSV or a ranking XML, told apart by how the file begins."""
    text = read_text(path)
    header = text.lstrip().split("\n", 1)[0]
    if header.startswith("<"):
        return parse_ranking_xml(text, file=str(path))
    if "AssignmentStatus" in header:
        return parse_mturk(text, file=str(path))
    if "segmentId" in header:
        return parse_wmt_csv(text, file=str(path))
    raise InputError(
        "neither a WMT CSV (with a column segmentId), a Mechanical Turk CSV nor a ranking XML",
        file=str(path),
        line=1,
        fix="A WMT CSV has the columns segmentId, judgeId, system1Id, system1rank, system2Id, system2rank",
    )


JFLEG_NAMES: Mapping[str, str] = {"turk": "Human", "NMT": "CAMB16", "CAMB": "CAMB14", "orig": "Original"}
WMT_COLUMNS = (
    *("srclang", "trglang", "srcIndex", "documentId", "segmentId", "judgeId"),
    *("system1Number", "system1Id", "system2Number", "system2Id", "system1rank", "system2rank"),
)


def parse_wmt_csv(
    text: str, *, file: str, first_sentence: int = 0, names: Mapping[str, str] = MappingProxyType({})
) -> list[Ranking]:
    """Parse the rankings of a WMT CSV; `first_sentence` is the segmentId of the first sentence (0 or 1).

    A rank of -1 means "not ranked", as in WMT's five-way files. Systems in `names` are renamed.
    """
    rankings: list[Ranking] = []
    columns = ("segmentId", "system1Id", "system2Id", "system1rank", "system2rank")
    for line, row in parse_csv(text, columns, file=file):
        judge = row.get("judgeId", row.get("judgeID"))
        if not judge:
            raise InputError("no judge", file=file, line=line, fix="Fill the column judgeId.")
        sentence = whole_number(row["segmentId"], "segmentId", file=file, line=line) - first_sentence
        rankings.append(Ranking(sentence, judge, _wmt_places(row, names, file, line)))
    return rankings


def parse_jfleg_pairwise(text: str, *, file: str) -> list[Ranking]:
    """Parse JFLEG's pairwise.csv under the names of its paper; sentences are GUG ids."""
    return parse_wmt_csv(text, file=file, names=JFLEG_NAMES)


def _wmt_places(row: Mapping[str, str], names: Mapping[str, str], file: str, line: int) -> tuple[Place, ...]:
    places: list[Place] = []
    number = 1
    while f"system{number}Id" in row:
        system, rank = row[f"system{number}Id"].strip(), row.get(f"system{number}rank", "")
        value = finite_number(rank, f"system{number}rank", file=file, line=line)
        name = names.get(system, system)
        if not system or any(name in place.systems for place in places):
            problem = f"{system} is compared with itself" if system else f"system{number}Id is empty"
            raise InputError(problem, file=file, line=line)
        places.append(Place((name,), nan if value == -1 else value))
        number += 1
    return tuple(places)


def write_wmt_csv(judgments: Iterable[Judgment], path: str | Path) -> None:
    """Write pairs as a WMT CSV that `read_wmt_csv` reads back unchanged."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(WMT_COLUMNS)
    for pair in judgments:
        identity = ("-1", "-1", pair.sentence, -1, pair.sentence, pair.judge)
        ranks = (_shortest(pair.rank1), _shortest(pair.rank2))
        writer.writerow((*identity, -1, pair.system1, -1, pair.system2, *ranks))
    write_bytes(path, stream.getvalue().encode())


def _shortest(rank: float) -> str:
    if isnan(rank):
        return "-1"
    return str(int(rank)) if rank == int(rank) else repr(rank)


SLOTS = range(1, 6)
UNUSED = "###"
APPROVED = "Approved"
MTURK_COLUMNS = (
    *("WorkerId", "AssignmentStatus", "Input.sentID"),
    *(f"Input.{what}{slot}" for what in ("system", "sentence") for slot in SLOTS),
    *(f"Answer.rank_{slot}" for slot in SLOTS),
)


def parse_mturk(
    text: str, *, file: str, statuses: Collection[str] | None = (APPROVED,), workers: Pseudonyms | None = None
) -> list[Ranking]:
    """Parse rankings as published; judges are w1, w2, … in order of appearance, never their WorkerIds.

    Assignments of other statuses (None: of none) and unused slots (`###`) are left out. Files that share `workers`
    share the names.
    """
    judges = Pseudonyms() if workers is None else workers
    rankings: list[Ranking] = []
    for line, row in parse_csv(text, MTURK_COLUMNS, file=file):
        judge, status = judges[row["WorkerId"]], row["AssignmentStatus"]
        if statuses is None or status in statuses:
            sentence = whole_number(row["Input.sentID"], "Input.sentID", file=file, line=line)
            seconds = row.get("WorkTimeInSeconds")
            taken = float(whole_number(seconds, "WorkTimeInSeconds", file=file, line=line)) if seconds else None
            rankings.append(Ranking(sentence, judge, _mturk_places(row, file, line), status == APPROVED, taken))
    return rankings


def _mturk_places(row: Mapping[str, str], file: str, line: int) -> tuple[Place, ...]:
    places: list[Place] = []
    for slot in SLOTS:
        names, rank = row[f"Input.system{slot}"], row[f"Answer.rank_{slot}"]
        if names == UNUSED:
            continue
        systems = tuple(names.split())
        if repeats_a_system(systems, places):
            raise InputError(f"Input.system{slot} is empty or repeats a system", file=file, line=line)
        value = whole_number(rank, f"Answer.rank_{slot}", file=file, line=line) if rank else nan
        places.append(Place(systems, value, row[f"Input.sentence{slot}"]))
    return tuple(places)


def parse_expert_groups(text: str, *, file: str, first_sentence: int = 0) -> list[Ranking]:
    """Parse lines `sentence TAB agreement TAB {'A B||C||D': [['1', '2', '2'], …], …}`; judges have no names.

    Of each line the first group of texts is read, as the study did; each of its lists of ranks becomes one
    ranking, of judge e1, e2, … by its position. The ids count from 0; the study took them to count from 1.
    """
    rankings: list[Ranking] = []
    for line, words in enumerate(text.split("\n"), start=1):
        fields = words.removesuffix("\r").split("\t")
        if fields == [""]:
            continue
        if len(fields) != 3:
            raise InputError(f"{len(fields)} fields instead of 3", file=file, line=line)
        sentence = whole_number(fields[0], "sentence", file=file, line=line) - first_sentence
        rankings.extend(_line_rankings(sentence, _table(fields[2], file, line), file, line))
    return rankings


def _table(text: str, file: str, line: int) -> dict[str, list[list[str]]]:
    try:
        table = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        table = None
    if isinstance(table, dict) and table and all(_is_group(*entry) for entry in table.items()):
        return table
    raise InputError("the third field is not a table of rankings", file=file, line=line)


def _is_group(names: object, rank_lists: object) -> bool:
    return (
        isinstance(names, str)
        and isinstance(rank_lists, list)
        and all(isinstance(ranks, list) and all(isinstance(rank, str) for rank in ranks) for ranks in rank_lists)
    )


def _line_rankings(sentence: int, table: dict[str, list[list[str]]], file: str, line: int) -> list[Ranking]:
    rankings: list[Ranking] = []
    names, rank_lists = next(iter(table.items()))
    groups = [tuple(group.split()) for group in names.split("||")]
    for number, ranks in enumerate(rank_lists, start=1):
        if len(ranks) != len(groups):
            raise InputError(f"{len(ranks)} ranks for {len(groups)} texts", file=file, line=line)
        values = [whole_number(rank, "rank", file=file, line=line) for rank in ranks]
        places = tuple(Place(group, value) for group, value in zip(groups, values, strict=True))
        rankings.append(Ranking(sentence, f"e{number}", places))
    return rankings

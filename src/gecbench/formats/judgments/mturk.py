"""Mechanical Turk results of Sakaguchi et al. 2016, as published and relabelled by the texts shown."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from html import unescape
from math import isnan, nan
from pathlib import Path

from gecbench.errors import InputError
from gecbench.formats.judgments.model import Place, Ranking
from gecbench.formats.judgments.pseudonyms import Pseudonyms
from gecbench.formats.table import parse_csv, whole_number
from gecbench.formats.text import read_text

SLOTS = range(1, 6)
UNUSED = "###"
APPROVED = "Approved"
COLUMNS = (
    *("WorkerId", "AssignmentStatus", "Input.sentID"),
    *(f"Input.{what}{slot}" for what in ("system", "sentence") for slot in SLOTS),
    *(f"Answer.rank_{slot}" for slot in SLOTS),
)


def read_mturk(path: str | Path, *, statuses: Collection[str] = (APPROVED,)) -> list[Ranking]:
    """Read the rankings of a results file; see `parse_mturk`."""
    return parse_mturk(read_text(path), file=str(path), statuses=statuses)


def parse_mturk(
    text: str, *, file: str, statuses: Collection[str] | None = (APPROVED,), workers: Pseudonyms | None = None
) -> list[Ranking]:
    """Parse rankings as published; judges are w1, w2, … in order of appearance, never their WorkerIds.

    Assignments of other statuses (None: of none) and unused slots (`###`) are left out. Files that share `workers`
    share the names.
    """
    judges = Pseudonyms() if workers is None else workers
    rankings: list[Ranking] = []
    for line, row in parse_csv(text, COLUMNS, file=file):
        judge, status = judges[row["WorkerId"]], row["AssignmentStatus"]
        if statuses is None or status in statuses:
            sentence = whole_number(row["Input.sentID"], "Input.sentID", file=file, line=line)
            seconds = row.get("WorkTimeInSeconds")
            taken = float(whole_number(seconds, "WorkTimeInSeconds", file=file, line=line)) if seconds else None
            rankings.append(Ranking(sentence, judge, _places(row, file, line), status == APPROVED, taken))
    return rankings


def _places(row: Mapping[str, str], file: str, line: int) -> tuple[Place, ...]:
    places: list[Place] = []
    for slot in SLOTS:
        names, rank = row[f"Input.system{slot}"], row[f"Answer.rank_{slot}"]
        if names == UNUSED:
            continue
        systems = tuple(names.split())
        seen = {system for place in places for system in place.systems}
        if not systems or len(set(systems)) != len(systems) or seen & set(systems):
            raise InputError(f"Input.system{slot} is empty or repeats a system", file=file, line=line)
        value = whole_number(rank, f"Answer.rank_{slot}", file=file, line=line) if rank else nan
        places.append(Place(systems, value, row[f"Input.sentence{slot}"]))
    return tuple(places)


def shown_text(text: str) -> str:
    """Return the text as a reader saw it: entities resolved (some are doubly escaped), white space joined."""
    return " ".join(unescape(unescape(text)).split())


def text_key(text: str) -> str:
    """Return what two displays of one output share: no white space, quotes or backslashes."""
    return re.sub(r"[\s\"'`\\]", "", unescape(unescape(text)))


def relabel(rankings: Iterable[Ranking], outputs: Mapping[str, Sequence[str]]) -> list[Ranking]:
    """Return rankings whose systems are found again from the texts shown, given every system's output lines.

    The systems of a place become all whose output of that sentence is the text shown, or, where the text is not
    recorded, the output of the system named first; none where nobody produced it. Places that show the same text are
    one, with the mean of the ranks they were given.
    """
    keys = {system: [text_key(line) for line in outputs[system]] for system in sorted(outputs)}
    return [replace(ranking, places=_relabelled(ranking, keys)) for ranking in rankings]


def _relabelled(ranking: Ranking, keys: Mapping[str, Sequence[str]]) -> tuple[Place, ...]:
    for system, lines in keys.items():
        if not 0 <= ranking.sentence < len(lines):
            raise InputError(
                f"sentence {ranking.sentence} was judged, but {system} has {len(lines)} lines",
                fix="Give the outputs of the whole test set, in its order",
            )
    shown: dict[str, list[Place]] = {}
    for place in ranking.places:
        key = keys[place.systems[0]][ranking.sentence] if place.text is None else text_key(place.text)
        shown.setdefault(key, []).append(place)
    places = []
    for key, same in shown.items():
        systems = tuple(system for system, lines in keys.items() if lines[ranking.sentence] == key)
        ranks = [place.rank for place in same if not isnan(place.rank)]
        places.append(Place(systems, sum(ranks) / len(ranks) if ranks else nan, same[0].text))
    return tuple(places)

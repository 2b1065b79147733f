"""Results published in papers and in JFLEG's README, as records marked "reported", each figure with its source."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from gecbench.leaderboard.records import Figure, Record, figure

_FILE = Path(__file__).parent / "seeds.json"


@cache
def seed_records() -> tuple[Record, ...]:
    """Return the published results; they come with the package and are never written into a board."""
    seeds = json.loads(_FILE.read_text(encoding="utf-8"))
    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    for table in seeds["tables"]:
        source = seeds["sources"][table["source"]]
        for system, percent in table["percent"].items():
            row = rows.setdefault((table["corpus"], table["reference_set"], system), {"scores": {}, "date": ""})
            row["scores"][table["metric"]] = _figure(percent, source)
            row["date"] = max(row["date"], source["date"])
    return tuple(_record(*key, row, seeds["systems"].get(key[2], {})) for key, row in rows.items())


def _record(corpus: str, reference_set: str, system: str, row: dict[str, Any], about: dict[str, str]) -> Record:
    links = [{"title": "paper", "url": about["url"]}] if "url" in about else []
    return Record(
        system=system,
        corpus=corpus,
        reference_set=reference_set,
        kind="reported",
        role=about.get("role", "system"),
        description=about.get("description", ""),
        links=links,
        **row,
    )


def _figure(percent: float, source: dict[str, str]) -> Figure:
    cited = {"title": source["title"], "url": source["url"]}
    return figure(round(percent / 100, 6), source=cited, differs=source["differs"])


def stands_for(scored: Record, reported: Record) -> bool:
    """Return whether a scored record is the system of a reported one: a system stands on a board once.

    Names are compared without case, and without what follows in brackets where the reported one has none.
    """
    if scored.table != reported.table or scored.kind != "scored":
        return False
    if reported.role != "system":
        return scored.role == reported.role == "source"
    name = scored.system.casefold()
    return reported.system.casefold() in (name, name.partition(" (")[0])

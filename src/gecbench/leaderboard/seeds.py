"""Published results as records marked "reported", and public outputs to seed a board with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from gecbench.corpora.conll14 import REWRITES, SYSTEMS, read_systems, rewrites
from gecbench.corpora.upstream import Upstream
from gecbench.corpus.corpus import Corpus
from gecbench.leaderboard.records import Figure, Record, figure
from gecbench.leaderboard.submission import Submission

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


def is_same_system(scored: Record, reported: Record) -> bool:
    """Return whether a scored and a reported record are of the same system, which is listed once.

    Names are compared without case, and without a part in brackets that the reported name does not have.
    """
    if scored.table != reported.table or scored.kind != "scored":
        return False
    if reported.role != "system":
        return scored.role == reported.role == "source"
    name = scored.system.casefold()
    return reported.system.casefold() in (name, name.partition(" (")[0])


_SOURCE = "Source (unchanged)"
_TASK: Any = {"links": ["https://aclanthology.org/W14-1701"], "date": "2014", "description": "CoNLL-2014 shared task"}
_REWRITE: Any = {
    "links": ["https://aclanthology.org/Q16-1013"],
    "date": "2016",
    "description": "Rewrite of Sakaguchi et al. 2016",
    "role": "human",
}


def public_submissions(corpus: Corpus, upstream: Upstream | None = None) -> Iterator[Submission]:
    """Yield the public outputs on a corpus: its source, and on CoNLL-14 twelve systems and eight rewrites.

    A rewrite that is one of the references is left out: it would be scored against itself.
    """
    sources = list(corpus.sources)
    as_they_are: Any = {"aligned": True, "tokenized": True}
    yield Submission(_SOURCE, sources, role="source", **as_they_are)
    if corpus.metadata.get("dataset") != "conll14_fluency":
        return
    upstream = upstream or Upstream.from_environment()
    outputs = read_systems(upstream, sources)
    for system in SYSTEMS:
        yield Submission(system, outputs[system], **_TASK, **as_they_are)
    known = {name for names in _columns(corpus).get("reference_names", ()) for name in names}
    for kind in REWRITES:
        for rewrite in rewrites(upstream, sources, kind):
            if rewrite.name not in known:
                yield Submission(_title(rewrite.name), rewrite.texts, **_REWRITE, **as_they_are)


def _columns(corpus: Corpus) -> dict[str, tuple[tuple[str, ...], ...]]:
    columns = corpus.metadata.get("columns")
    return columns if isinstance(columns, dict) else {}


def _title(name: str) -> str:
    """Return the name of a rewrite as a title.

    >>> _title("nonexpert_minimal_B")
    'Non-expert B, minimal'
    """
    who, kind, letter = name.split("_")
    return f"{who.replace('nonexpert', 'non-expert').capitalize()} {letter}, {kind}"

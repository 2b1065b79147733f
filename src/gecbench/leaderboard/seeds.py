"""Published results as records marked "reported", and public outputs to seed a board with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from gecbench.corpora.conll14 import REWRITES, SYSTEMS, read_systems, rewrites
from gecbench.corpora.published import PublishedResult, published_results
from gecbench.corpora.upstream import Upstream
from gecbench.corpus.corpus import Corpus
from gecbench.leaderboard.records import Figure, Record, figure
from gecbench.leaderboard.submission import Submission
from gecbench.metrics.base import METRICS


@cache
def seed_records() -> tuple[Record, ...]:
    """Return the published results as records; they come with the package and are never written into a board.

    Where several sources report a system's figure, the board shows the earliest.
    """
    rows: dict[tuple[str, str, str], list[PublishedResult]] = {}
    for result in published_results():
        if result.metric in METRICS:
            rows.setdefault((result.corpus, result.reference_set, result.system), []).append(result)
    return tuple(_record(found) for found in rows.values())


def _record(results: Sequence[PublishedResult]) -> Record:
    first = results[0]
    scores: dict[str, Figure] = {}
    for result in sorted(results, key=lambda result: result.date):
        scores.setdefault(result.metric, _figure(result))
    return Record(
        system=first.system,
        corpus=first.corpus,
        reference_set=first.reference_set,
        kind="reported",
        role=first.role,
        description=first.description,
        links=[{"title": "paper", "url": first.link}] if first.link else [],
        scores=scores,
        date=max(result.date for result in results),
    )


def _figure(result: PublishedResult) -> Figure:
    parts = {"precision": result.precision, "recall": result.recall}
    return figure(
        round(result.value / 100, 6),
        parts={name: round(value / 100, 6) for name, value in parts.items() if value is not None},
        source={"title": result.source, "url": result.url},
        differs=result.differs or "As reported by its authors",
    )


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

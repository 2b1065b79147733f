"""Which entries of a table can be ranked together: scored here, on the same data, with the same signature."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gecbench.errors import InputError
from gecbench.leaderboard.records import Record
from gecbench.metrics.signature import Signature

_WHO_AND_HOW_SURE = ("version", "resamples", "prep")
HowScored = tuple[str, frozenset[tuple[str, str]]]


@dataclass(frozen=True)
class Comparable:
    """The entries that are ranked, best first, and for each other scored one by its id what makes it differ."""

    ranked: Sequence[Record]
    others: Mapping[str, str]


def how_scored(record: Record, metric: str) -> HowScored | None:
    """Return data and settings of a figure; None where it was reported, not scored.

    The version that counted, the resamples of the interval and how natural text was split are no part of it.
    """
    if record.kind != "scored":
        return None
    try:
        signature = Signature.parse(record.scores[metric]["signature"])
    except InputError:
        return record.fingerprint, frozenset()
    kept = ((key, value) for key, value in signature.items() if key not in _WHO_AND_HOW_SURE)
    return record.fingerprint, frozenset(kept)


def comparable(records: Iterable[Record], metric: str, fingerprint: str | None = None) -> Comparable:
    """Choose the entries that are ranked: those on the board's data, of the settings that were used last.

    People are neither ranked nor said to differ, and figures as reported are left out.
    """
    groups: dict[HowScored, list[Record]] = {}
    for record in records:
        if metric in record.scores and record.role != "human" and (how := how_scored(record, metric)) is not None:
            groups.setdefault(how, []).append(record)
    if not groups:
        return Comparable((), {})

    def preference(how: HowScored) -> tuple[bool, str, int]:
        return how[0] == fingerprint, max(record.date for record in groups[how]), len(groups[how])

    chosen = max(groups, key=preference)
    others = {record.id: _difference(how, chosen) for how, found in groups.items() if how != chosen for record in found}
    best_first = sorted(
        groups[chosen], key=lambda record: (-record.scores[metric]["value"], record.date, record.system, record.id)
    )
    return Comparable(best_first, others)


def _difference(how: HowScored, chosen: HowScored) -> str:
    if how[0] != chosen[0]:
        return "Scored on another version of the data"
    words = sorted(f"{key}:{value}" for key, value in how[1] - chosen[1])
    return f"Scored with other settings: {', '.join(words) or 'unknown'}"

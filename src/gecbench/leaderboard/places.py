"""Where a new record stands on a board: its rank, and the test against the entry above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gecbench.errors import InputError
from gecbench.leaderboard.ranking import Significance, ranked
from gecbench.leaderboard.records import Record
from gecbench.leaderboard.submission import Scored
from gecbench.metrics.registry import METRICS


@dataclass(frozen=True)
class NewPlace:
    """A record's rank under the first metric, and the p-value against the nearest scored entry above."""

    metric: str
    rank: int
    of: int
    above: str | None
    p_value: float | None
    reported: int = 0

    @property
    def sentence(self) -> str:
        """The place in words."""
        words = f"rank {self.rank} of {self.of} by {METRICS[self.metric].title}"
        if self.reported:
            words += f" ({self.reported} as reported elsewhere, perhaps scored otherwise)"
        if self.above is None or self.p_value is None:
            return words
        return f"{words}; against {self.above} above: p = {self.p_value:.4f}{'*' if self.p_value < 0.05 else ''}"


def check_new(record: Record, records: Sequence[Record]) -> None:
    """Refuse outputs that are on the board already."""
    for other in records:
        if other.outputs == record.outputs and other.table == record.table and other.fingerprint == record.fingerprint:
            raise InputError(
                f"these outputs are on the board already, as {other.system!r}", fix="Each system is listed once"
            )


def place_of(scored: Scored, records: Sequence[Record], tests: Significance) -> NewPlace:
    """Return the place of a record that is not on the board yet, among those of its table."""
    record = scored.record
    metric = next(name for name in METRICS if name in record.scores)
    order = ranked([record, *(other for other in records if other.table == record.table)], metric)
    position = [other.id for other in order].index(record.id)
    reported = sum(not other.outputs for other in order)
    comparable = [other for other in order[:position] if other.outputs and other.fingerprint == record.fingerprint]
    if not comparable:
        return NewPlace(metric, position + 1, len(order), None, None, reported)
    tests.know(record, scored.details)
    p_value = tests.p_value(record, comparable[-1], metric)
    return NewPlace(metric, position + 1, len(order), comparable[-1].system, p_value, reported)

"""Ranks, p-values against the entry above, and clusters of systems that no test tells apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gecbench.analysis.significance import paired_randomisation
from gecbench.corpus.corpus import Corpus
from gecbench.errors import GecbenchError
from gecbench.leaderboard.measures import board_metric
from gecbench.leaderboard.records import Details, Record
from gecbench.leaderboard.store import FolderStore
from gecbench.leaderboard.submission import DEFAULT_RESAMPLES
from gecbench.metrics.base import Score
from gecbench.metrics.registry import METRICS

SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Place:
    """A record's place under one metric.

    `above` and `p_value` tell of the test against the nearest entry above that has outputs, `cluster` counts from 1;
    both are None for figures that cannot be tested.
    """

    rank: int
    above: str | None = None
    p_value: float | None = None
    cluster: int | None = None


def ranked(records: Iterable[Record], metric: str) -> list[Record]:
    """Return the systems that have a score under the metric, best first; people are not ranked."""
    found = [record for record in records if metric in record.scores and record.role != "human"]
    return sorted(found, key=lambda record: (-record.scores[metric]["value"], record.date, record.system, record.id))


class Significance:
    """Paired tests between the records of a board, each computed once and remembered in its folder.

    With `compute=False` only remembered ones are told.
    """

    def __init__(
        self,
        store: FolderStore,
        corpora: Mapping[tuple[str, str], Corpus],
        resamples: int = DEFAULT_RESAMPLES,
        *,
        compute: bool = True,
    ) -> None:
        self.store = store
        self.corpora = corpora
        self.resamples = resamples
        self.compute = compute
        self._predictions: dict[str | None, Sequence[str]] = {}
        self._scores: dict[tuple[object, ...], Score] = {}

    def know(self, record: Record, details: Details) -> None:
        """Take the details of a record that the board does not have yet."""
        self._predictions[record.outputs] = details.predictions

    def p_value(self, record: Record, other: Record, metric: str) -> float | None:
        """Return the p-value of the difference of two records, None where one has no outputs or another corpus."""
        corpus = self.corpora.get(record.table)
        if corpus is None or not record.outputs or not other.outputs:
            return None
        if {record.fingerprint, other.fingerprint} != {corpus.fingerprint()}:
            return None
        signature = record.scores[metric]["signature"]
        question = f"{metric}|{record.outputs}|{other.outputs}|{signature}|{self.resamples}"
        found = self.store.recall(question)
        if found is None and self.compute:
            try:
                found = self._test(record, other, metric)
            except GecbenchError:
                return None
            self.store.remember(question, found)
        return found

    def places(self, records: Iterable[Record], metric: str) -> dict[str, Place]:
        """Return the place of each record by its id.

        A cluster ends where a system differs from the cluster's best one (p < 0.05, approximate randomisation).
        """
        places: dict[str, Place] = {}
        above: Record | None = None
        best: Record | None = None
        cluster = 0
        for rank, record in enumerate(ranked(records, metric), start=1):
            if not record.outputs or record.table not in self.corpora:
                places[record.id] = Place(rank)
                continue
            p_value = None if above is None else self.p_value(record, above, metric)
            apart = None if best is None else self.p_value(record, best, metric)
            if best is None or (apart is not None and apart < SIGNIFICANT):
                best, cluster, apart = record, cluster + 1, 1.0
            known = None if apart is None else cluster
            places[record.id] = Place(rank, above.id if above else None, p_value, known)
            above = record
        return places

    def _test(self, record: Record, other: Record, metric: str) -> float:
        scores = [self._score(each, metric) for each in (record, other)]
        return paired_randomisation(scores[0], scores[1], ("system", "above"), self.resamples).p_value

    def _score(self, record: Record, metric: str) -> Score:
        key = (record.table, record.outputs, metric)
        if key not in self._scores:
            if record.outputs not in self._predictions and (details := self.store.details(record)) is not None:
                self.know(record, details)
            if record.outputs not in self._predictions or metric not in METRICS:
                raise GecbenchError("no outputs to test")
            predictions = self._predictions[record.outputs]
            self._scores[key] = board_metric(metric).score_corpus(self.corpora[record.table], predictions, aligned=True)
        return self._scores[key]


def known_corpora(corpora: Sequence[Corpus]) -> dict[tuple[str, str], Corpus]:
    """Return the corpora by table."""
    from gecbench.leaderboard.corpora import table_of

    return {table_of(corpus): corpus for corpus in corpora}

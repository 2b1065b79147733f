"""Rank comparable systems: paired tests, clusters, and the rank of a new record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from gecbench.analysis.significance import SIGNIFICANT, bootstrap_values, holm, resampled_p_value
from gecbench.analysis.tables import shown_p_value
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.prepare import Prepared
from gecbench.errors import GecbenchError, InputError
from gecbench.leaderboard.records import BoardTable, Record, table_of
from gecbench.leaderboard.scoring import DEFAULT_RESAMPLES, board_metric, metric_title, prepare_stored
from gecbench.leaderboard.store import FolderStore
from gecbench.metrics.base import METRICS, Score, Signature, Values

_NOT_COMPARED = ("version", "resamples", "prep", "capped")
HowScored = tuple[str, frozenset[tuple[str, str]]]


@dataclass(frozen=True)
class Comparable:
    """The ranked records, best first, and why other scored systems are not ranked.

    `others[id]` is the reason for the record with this id.
    """

    ranked: Sequence[Record]
    others: Mapping[str, str]


def how_scored(record: Record, metric: str) -> HowScored | None:
    """Return the corpus fingerprint and the metric's settings of a score.

    The result is None for a score that was only reported. Scores are comparable if their fingerprints and settings are
    equal. The version of gecbench, the resamples of the interval, the tokenizer of raw text and the number of capped
    sentences are left out, because scores remain comparable when they differ.
    """
    if record.kind != "scored":
        return None
    try:
        signature = Signature.parse(record.scores[metric]["signature"])
    except InputError:
        return record.fingerprint, frozenset()
    kept = ((key, value) for key, value in signature.items() if key not in _NOT_COMPARED)
    return record.fingerprint, frozenset(kept)


def goodness(record: Record, metric: str) -> float:
    """Return a record's score, negated if lower is better.

    A plug-in declares in its signature that lower is better.
    """
    figure = record.scores[metric]
    value = float(figure["value"])
    return -value if "|better:lower|" in figure["signature"] else value


def comparable(records: Iterable[Record], metric: str, fingerprint: str | None = None) -> Comparable:
    """Choose the systems to rank: those with the same data and the same settings.

    Of several groups of such systems, prefer the group with this `fingerprint`, then the group with the newest record,
    then the largest group. Baselines, human entries and reported results are not ranked, and the result has no reasons
    for them.
    """
    groups: dict[HowScored, list[Record]] = {}
    for record in records:
        if metric in record.scores and record.role == "system" and (how := how_scored(record, metric)) is not None:
            groups.setdefault(how, []).append(record)
    if not groups:
        return Comparable((), {})

    def preference(how: HowScored) -> tuple[bool, str, int]:
        return how[0] == fingerprint, max(record.date for record in groups[how]), len(groups[how])

    chosen = max(groups, key=preference)
    others = {record.id: _difference(how, chosen) for how, found in groups.items() if how != chosen for record in found}
    return Comparable(sorted(groups[chosen], key=lambda record: _ranking_key(record, metric)), others)


def _ranking_key(record: Record, metric: str) -> tuple[float, str, str, str]:
    """Return a key that sorts records by their score, best first."""
    return -goodness(record, metric), record.date, record.system, record.id


def _difference(how: HowScored, chosen: HowScored) -> str:
    if how[0] != chosen[0]:
        return "Scored on another version of the data"
    words = sorted(f"{key}:{value}" for key, value in how[1] - chosen[1])
    return f"Scored with other settings: {', '.join(words)}" if words else "Scored with unknown settings"


@dataclass(frozen=True)
class BoardPlace:
    """A system's rank and cluster under one metric.

    The first system of a cluster is tested against the first system of the cluster above. All other systems are tested
    against the first system of their own cluster.

    Attributes:
        rank: The rank from 1, or None if the record cannot be compared with the ranked systems.
        against: The id of the system that this system is tested against, or None if there is no test.
        p_value: The p-value of that test.
        p_adjusted: `p_value`, adjusted by Holm's method for the tests of `against` with all other ranked systems.
        cluster: The cluster from 1.
        differs: Why the record cannot be compared, if it cannot.
    """

    rank: int | None
    against: str | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    cluster: int | None = None
    differs: str = ""


@dataclass(frozen=True)
class Resampled:
    """A score and its values on the bootstrap samples.

    All systems of a corpus get the same samples.
    """

    value: float
    values: Values


@dataclass(frozen=True)
class Difference:
    """The difference between two systems, with its 95% interval and its p-value.

    The p-value is from the paired bootstrap test.
    """

    value: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True)
class Matrix:
    """The tests of all pairs of a table's records under one metric.

    `differences[i, j]` is record i minus record j, for i < j. `adjusted[i][j]` is the p-value of this pair, adjusted by
    Holm's method for all tests of system i against the other ranked systems (as in `gecbench compare --against`). It is
    None if record i or record j is not ranked.
    """

    records: Sequence[Record]
    differences: Mapping[tuple[int, int], Difference]
    adjusted: Sequence[Sequence[float | None]]


class Significance:
    """Paired bootstrap tests between the records of a board.

    Each record's scores are resampled once, and the values are stored in the board's folder. A test of two records then
    only subtracts their values. The records of a table are resampled together, because drawing samples takes as long as
    scoring them. With `compute=False`, only stored values are used.
    """

    def __init__(
        self,
        store: FolderStore,
        corpora: Mapping[BoardTable, Corpus],
        resamples: int = DEFAULT_RESAMPLES,
        *,
        compute: bool = True,
    ) -> None:
        self.store = store
        self.corpora = corpora
        self.resamples = resamples
        self.compute = compute
        self._prepared: dict[tuple[BoardTable, str | None], Prepared] = {}
        self._scores: dict[tuple[BoardTable, str | None, str], Score] = {}
        self._resampled: dict[str, Resampled | None] = {}

    def know(self, record: Record, prepared: Prepared, scores: Mapping[str, Score]) -> None:
        """Register the outputs and scores of a record that is not on the board yet.

        The record can then be tested. If the corpus was tokenized together with the outputs, the given scores are not
        used. The outputs are scored again on the original corpus, because the other records were scored on it.
        """
        corpus = self.corpora[record.table]
        self._prepared[record.table, record.outputs] = Prepared(corpus, prepared.lines)
        if prepared.corpus is corpus:
            self._scores.update({(record.table, record.outputs, metric): score for metric, score in scores.items()})

    def p_value(self, record: Record, other: Record, metric: str) -> float | None:
        """Return the p-value of a difference, or None if the records cannot be tested."""
        found = self.difference(record, other, metric)
        return None if found is None else found.p_value

    def difference(self, record: Record, other: Record, metric: str) -> Difference | None:
        """Return the difference between two records, or None if they cannot be tested.

        A record cannot be tested if it has no outputs, if it was scored on another version of the corpus, or if its
        bootstrap values are neither stored nor computed.
        """
        one, two = self.resampled(record, metric), self.resampled(other, metric)
        if one is None or two is None:
            return None
        value, values = one.value - two.value, one.values - two.values
        low, high = np.quantile(values[~np.isnan(values)], [0.025, 0.975])
        return Difference(value, float(low), float(high), resampled_p_value(values - values.mean(), value))

    def resampled(self, record: Record, metric: str) -> Resampled | None:
        """Return a record's bootstrap values, or None if the record cannot be tested."""
        if not self._can_test(record):
            return None
        question = self._question(record, metric)
        if question not in self._resampled:
            self.resample([record], metric)
        return self._resampled[question]

    def resample(self, records: Iterable[Record], metric: str) -> None:
        """Load the bootstrap values of records, and compute missing values together."""
        missing: dict[BoardTable, dict[str, Score]] = {}
        for record in records:
            question = self._question(record, metric) if metric in record.scores and self._can_test(record) else None
            if question is None or question in self._resampled:
                continue
            self._resampled[question] = self._load(question)
            if self._resampled[question] is None and self.compute:
                with suppress(GecbenchError):
                    missing.setdefault(record.table, {})[question] = self._score(record, metric)
        for scores in missing.values():
            values = bootstrap_values([*scores.values()], self.resamples)
            for (question, score), found in zip(scores.items(), values, strict=True):
                self._resampled[question] = Resampled(score.value, found)
                self.store.put_resampled(question, [score.value, *found.tolist()])

    def _question(self, record: Record, metric: str) -> str:
        signature = record.scores[metric]["signature"]
        return f"{metric}|{record.outputs}|{signature}|bootstrap|{self.resamples}"

    def _load(self, question: str) -> Resampled | None:
        stored = self.store.get_resampled(question)
        if stored is None or len(stored) != self.resamples + 1:
            return None
        return Resampled(stored[0], np.array(stored[1:]))

    def _can_test(self, record: Record) -> bool:
        corpus = self.corpora.get(record.table)
        return corpus is not None and bool(record.outputs) and record.fingerprint == corpus.fingerprint()

    def places(self, records: Sequence[Record], metric: str) -> dict[str, BoardPlace]:
        """Return the rank and cluster of each scored system by its id.

        Systems with equal scores share a rank. A cluster ends before the first system that differs significantly from
        the first system of the cluster.
        """
        found = comparable(records, metric, self._fingerprint(records))
        self.resample(found.ranked, metric)
        places = {name: BoardPlace(None, differs=differs) for name, differs in found.others.items()}
        rank, cluster = 0, 0
        leader: Record | None = None
        adjusted: dict[str, float] = {}
        for position, record in enumerate(found.ranked, start=1):
            above = found.ranked[position - 2] if position > 1 else None
            if above is None or goodness(record, metric) < goodness(above, metric):
                rank = position
            if not self._can_test(record):
                places[record.id] = BoardPlace(rank)
                continue
            p_value = None if leader is None else self.p_value(record, leader, metric)
            p_adjusted = None if p_value is None else adjusted[record.id]
            against = None if leader is None else leader.id
            if leader is None or (p_adjusted is not None and p_adjusted < SIGNIFICANT):
                leader, cluster = record, cluster + 1
                adjusted = self._adjusted(leader, found.ranked, metric)
            known = cluster if leader is record or p_value is not None else None
            places[record.id] = BoardPlace(rank, against, p_value, p_adjusted, known)
        return places

    def _adjusted(self, record: Record, ranked: Sequence[Record], metric: str) -> dict[str, float]:
        """Return a system's p-values against the other ranked systems, by their ids.

        The p-values are adjusted by Holm's method.
        """
        others = [other for other in ranked if other is not record and self._can_test(other)]
        p_values = [self.p_value(other, record, metric) for other in others]
        # A test that is not stored yet counts as a test with p = 1.
        adjusted = holm([1.0 if p is None else p for p in p_values])
        return {other.id: p for other, p in zip(others, adjusted, strict=True)}

    def matrix(self, records: Sequence[Record], metric: str) -> Matrix | None:
        """Return the tests of all pairs, or None if fewer than two records can be tested.

        The ranked systems come first, best first. Baselines and human entries follow.
        """
        found = comparable(records, metric, self._fingerprint(records))
        self.resample(records, metric)
        ranked = [record for record in found.ranked if self.resampled(record, metric) is not None]
        others = [
            record
            for record in records
            if record.role != "system" and metric in record.scores and self.resampled(record, metric) is not None
        ]
        others.sort(key=lambda record: -goodness(record, metric))
        tested = [*ranked, *others]
        if len(tested) < 2:
            return None
        pairs = combinations(range(len(tested)), 2)
        differences = {(i, j): self.difference(tested[i], tested[j], metric) for i, j in pairs}
        known = {pair: each for pair, each in differences.items() if each is not None}
        adjusted: list[list[float | None]] = [[None] * len(tested) for _ in tested]
        for i in range(len(ranked)):
            columns = [j for j in range(len(ranked)) if j != i]
            p_values = holm([known[min(i, j), max(i, j)].p_value for j in columns])
            for j, p_value in zip(columns, p_values, strict=True):
                adjusted[i][j] = p_value
        return Matrix(tested, known, adjusted)

    def _fingerprint(self, records: Sequence[Record]) -> str | None:
        corpus = self.corpora.get(records[0].table) if records else None
        return corpus.fingerprint() if corpus is not None else None

    def _score(self, record: Record, metric: str) -> Score:
        key = (record.table, record.outputs, metric)
        if key not in self._scores:
            self._scores[key] = board_metric(metric).score_prepared(self._outputs(record))
        return self._scores[key]

    def _outputs(self, record: Record) -> Prepared:
        key = (record.table, record.outputs)
        if key not in self._prepared:
            details = self.store.details(record)
            if details is None:
                raise GecbenchError("no outputs to test")
            self._prepared[key] = prepare_stored(self.corpora[record.table], details.predictions)
        return self._prepared[key]


def group_by_table(records: Sequence[Record]) -> dict[BoardTable, list[Record]]:
    """Return the records by corpus and reference set."""
    tables: dict[BoardTable, list[Record]] = {}
    for record in records:
        tables.setdefault(record.table, []).append(record)
    return tables


def fullest_first(tables: Mapping[BoardTable, Sequence[Record]]) -> list[BoardTable]:
    """Return the tables, those with the most scored systems first."""

    def size(table: BoardTable) -> tuple[int, int, int]:
        scored = [record for record in tables[table] if record.kind == "scored"]
        return sum(record.role == "system" for record in scored), len(scored), len(tables[table])

    return sorted(tables, key=lambda table: (*(-number for number in size(table)), table))


def corpora_by_table(corpora: Sequence[Corpus]) -> dict[BoardTable, Corpus]:
    """Return the corpora by table."""
    return {table_of(corpus): corpus for corpus in corpora}


@dataclass(frozen=True)
class Neighbor:
    """A system near a new record in the ranking, and the p-value of the difference."""

    system: str
    value: float
    p_value: float | None = None


@dataclass(frozen=True)
class NewPlace:
    """The rank of a new record among the comparable systems.

    Attributes:
        metric: The metric that ranks.
        rank: The rank from 1. For a baseline or human entry, the rank that its score would get.
        of: The number of ranked systems, including the new record.
        above: The system above in the ranking, if there is one.
        neighbors: The systems around the new record, best first.
        ranked: False for a baseline or human entry, which is not ranked.
    """

    metric: str
    rank: int
    of: int
    above: Neighbor | None = None
    neighbors: Sequence[Neighbor] = ()
    ranked: bool = True

    @property
    def sentence(self) -> str:
        """The rank in words, with the p-value of the test against the system above."""
        words = f"rank {self.rank} of {self.of} by {metric_title(self.metric)}"
        if not self.ranked:
            return f"not ranked (its score would get {words})"
        if self.above is None or self.above.p_value is None:
            return words
        shown = shown_p_value(self.above.p_value)
        relation = "p" if shown.startswith("<") else "p ="
        return f"{words} (difference from {self.above.system}, the system above: {relation} {shown})"


_NEIGHBORS = 2


def place_of(record: Record, records: Iterable[Record], tests: Significance, wanted: str) -> NewPlace:
    """Return the rank of a record that is not on the board yet.

    The metric `wanted` ranks the record. If the record has no score of this metric, its first metric ranks it. Pass the
    record's outputs to `tests.know` before this call.
    """
    metric = wanted if wanted in record.scores else next(name for name in METRICS if name in record.scores)
    mine = how_scored(record, metric)
    others = [other for other in records if other.table == record.table and metric in other.scores]
    alike = [other for other in others if how_scored(other, metric) == mine and other.role == "system"]
    order = sorted([record, *alike], key=lambda each: _ranking_key(each, metric))
    position = [other.id for other in order].index(record.id)
    better = [other for other in order[:position] if goodness(other, metric) > goodness(record, metric)]

    def neighbor(other: Record) -> Neighbor:
        return Neighbor(other.system, other.scores[metric]["value"], tests.p_value(record, other, metric))

    near = order[max(0, position - _NEIGHBORS) : position] + order[position + 1 : position + 1 + _NEIGHBORS]
    neighbors = [neighbor(other) for other in near]
    above = neighbors[min(position, _NEIGHBORS) - 1] if position else None
    return NewPlace(metric, len(better) + 1, len(order), above, neighbors, record.role == "system")

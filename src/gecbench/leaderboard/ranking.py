"""Rank comparable entries: p-values against the entry above, raw and adjusted, clusters, the rank of a new record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gecbench.analysis.significance import SIGNIFICANT, Pair, holm, paired_randomisation
from gecbench.analysis.tables import shown_p_value
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.prepare import Prepared
from gecbench.errors import GecbenchError, InputError
from gecbench.leaderboard.records import BoardTable, Record, table_of
from gecbench.leaderboard.scoring import DEFAULT_RESAMPLES, board_metric, prepare_stored
from gecbench.leaderboard.store import FolderStore
from gecbench.metrics.base import METRICS, Score, Signature

_NOT_COMPARED = ("version", "resamples", "prep", "capped")
HowScored = tuple[str, frozenset[tuple[str, str]]]


@dataclass(frozen=True)
class Comparable:
    """The entries that are ranked, best first, and how each other scored entry differs, by its id."""

    ranked: Sequence[Record]
    others: Mapping[str, str]


def how_scored(record: Record, metric: str) -> HowScored | None:
    """Return data and settings of a figure; None where it was reported, not scored.

    The version of gecbench, the resamples of the interval, the tokenizer of raw text and the number of capped sentences
    are not part of it.
    """
    if record.kind != "scored":
        return None
    try:
        signature = Signature.parse(record.scores[metric]["signature"])
    except InputError:
        return record.fingerprint, frozenset()
    kept = ((key, value) for key, value in signature.items() if key not in _NOT_COMPARED)
    return record.fingerprint, frozenset(kept)


def comparable(records: Iterable[Record], metric: str, fingerprint: str | None = None) -> Comparable:
    """Choose the entries that are ranked: those on the board's data, with the settings that were used last.

    Human entries are neither ranked nor marked as different, and reported figures are left out.
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


@dataclass(frozen=True)
class BoardPlace:
    """A record's place under one metric.

    `above` and `p_value` are of the test against the nearest entry above, `p_adjusted` is by Holm's method for all such
    tests of the ranking, `cluster` counts from 1; they are None where there was no test. A record that cannot be
    compared has no rank, and `differs` says why.
    """

    rank: int | None
    above: str | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    cluster: int | None = None
    differs: str = ""


class Significance:
    """Paired tests between the records of a board, each computed once and stored in its folder.

    With `compute=False` only stored ones are returned.
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

    def know(self, record: Record, prepared: Prepared, scores: Mapping[str, Score]) -> None:
        """Take the outputs of a record that the board does not have yet, and their scores.

        If the corpus was tokenized with the outputs, they are scored again: the other records are tested against the
        references as they are.
        """
        corpus = self.corpora[record.table]
        self._prepared[record.table, record.outputs] = Prepared(corpus, prepared.lines)
        if prepared.corpus is corpus:
            self._scores.update({(record.table, record.outputs, metric): score for metric, score in scores.items()})

    def p_value(self, record: Record, other: Record, metric: str) -> float | None:
        """Return the p-value of the difference between two records, None if one has no outputs or another corpus."""
        if not self._can_test(record, other):
            return None
        signature = record.scores[metric]["signature"]
        question = f"{metric}|{record.outputs}|{other.outputs}|{signature}|{self.resamples}"
        found = self.store.get_p_value(question)
        if found is None and self.compute:
            try:
                found = self._test(record, other, metric)
            except GecbenchError:
                return None
            self.store.put_p_value(question, found)
        return found

    def _can_test(self, record: Record, other: Record) -> bool:
        corpus = self.corpora.get(record.table)
        if corpus is None or not record.outputs or not other.outputs:
            return False
        return {record.fingerprint, other.fingerprint} == {corpus.fingerprint()}

    def places(self, records: Sequence[Record], metric: str) -> dict[str, BoardPlace]:
        """Return the place of each scored record by its id; equal scores share a rank, human entries have none.

        Tests are by approximate randomization.
        """
        found = comparable(records, metric, self._fingerprint(records))
        places = {name: BoardPlace(None, differs=differs) for name, differs in found.others.items()}
        adjacent = {record.id: (record, above) for above, record in pairwise(found.ranked)}
        tested = {name: self.p_value(*pair, metric) for name, pair in adjacent.items() if self._can_test(*pair)}
        # A test that is not stored yet counts, as if it found nothing.
        adjusted = dict(zip(tested, holm([1.0 if p is None else p for p in tested.values()]), strict=True))
        clusters = self._clusters([record for record in found.ranked if record.table in self.corpora], metric)
        rank = 0
        for position, record in enumerate(found.ranked, start=1):
            above = adjacent[record.id][1] if record.id in adjacent else None
            if above is None or record.scores[metric]["value"] < above.scores[metric]["value"]:
                rank = position
            if record.table not in self.corpora:
                places[record.id] = BoardPlace(rank)
                continue
            p_value = tested.get(record.id)
            p_adjusted = None if p_value is None else adjusted[record.id]
            cluster = clusters.get(record.id)
            places[record.id] = BoardPlace(rank, above.id if above else None, p_value, p_adjusted, cluster)
        return places

    def _clusters(self, ranked: Sequence[Record], metric: str) -> dict[str, int]:
        """Return the clusters of records by their id, but for those that cannot be tested.

        A cluster ends before the first record that differs from the cluster's best one, by a p-value adjusted for all
        records ranked below that best one.
        """
        clusters: dict[str, int] = {}
        number = 0
        while ranked:
            number += 1
            best, below = ranked[0], ranked[1:]
            end = self._first_apart(best, below, metric)
            tested = (record for record in below[:end] if self.p_value(record, best, metric) is not None)
            clusters |= {record.id: number for record in (best, *tested)}
            ranked = below[end:]
        return clusters

    def _first_apart(self, best: Record, below: Sequence[Record], metric: str) -> int:
        """Return where the first record is that differs significantly from the best one, the number of all if none.

        The adjusted p-value lies between p and p times the number of tests, so most records need no other tests.
        """
        testable = [place for place, record in enumerate(below) if self._can_test(record, best)]
        for place in testable:
            p_value = self.p_value(below[place], best, metric)
            if p_value is not None and p_value * len(testable) < SIGNIFICANT:
                return place
            if p_value is not None and p_value < SIGNIFICANT:
                break
        else:
            return len(below)
        p_values = [self.p_value(below[place], best, metric) for place in testable]
        adjusted = holm([1.0 if p is None else p for p in p_values])
        apart = (place for place, p in zip(testable, adjusted, strict=True) if p < SIGNIFICANT)
        return next(apart, len(below))

    def _fingerprint(self, records: Sequence[Record]) -> str | None:
        corpus = self.corpora.get(records[0].table) if records else None
        return corpus.fingerprint() if corpus is not None else None

    def _test(self, record: Record, other: Record, metric: str) -> float:
        pair = Pair(self._score(record, metric), self._score(other, metric), ("system", "above"))
        return paired_randomisation([pair], self.resamples)[0].p_value

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


def known_corpora(corpora: Sequence[Corpus]) -> dict[BoardTable, Corpus]:
    """Return the corpora by table."""
    return {table_of(corpus): corpus for corpus in corpora}


@dataclass(frozen=True)
class NewPlace:
    """A record's rank among those that are comparable with it, and the p-value against the nearest entry above."""

    metric: str
    rank: int
    of: int
    above: str | None = None
    p_value: float | None = None

    @property
    def sentence(self) -> str:
        """The place in words."""
        words = f"rank {self.rank} of {self.of} by {METRICS[self.metric].title}"
        if self.above is None or self.p_value is None:
            return words
        shown = shown_p_value(self.p_value)
        relation = "p" if shown.startswith("<") else "p ="
        return f"{words}; against {self.above} above: {relation} {shown}{'*' if self.p_value < SIGNIFICANT else ''}"


def place_of(record: Record, records: Iterable[Record], tests: Significance, wanted: str) -> NewPlace:
    """Return the place of a record that is not on the board yet, by the metric that is wanted or its first one.

    Its outputs are made known to `tests` before.
    """
    metric = wanted if wanted in record.scores else next(name for name in METRICS if name in record.scores)
    mine = how_scored(record, metric)
    others = [other for other in records if other.table == record.table and metric in other.scores]
    alike = [other for other in others if how_scored(other, metric) == mine]
    order = comparable([record, *alike], metric).ranked
    position = [other.id for other in order].index(record.id)
    better = [other for other in order[:position] if other.scores[metric]["value"] > record.scores[metric]["value"]]
    if not position:
        return NewPlace(metric, 1, len(order))
    p_value = tests.p_value(record, order[position - 1], metric)
    return NewPlace(metric, len(better) + 1, len(order), order[position - 1].system, p_value)

"""Breakdowns of scores by edit distance, grammaticality or number of references.

Some metrics define further breakdowns, such as by error type (`Metric.breakdown`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from gecbench.analysis.report import Report
from gecbench.analysis.significance import DEFAULT_SEED
from gecbench.analysis.tables import Table, render_table
from gecbench.corpus.corpus import Corpus
from gecbench.display import percent
from gecbench.errors import InputError, counted
from gecbench.metrics.base import METRICS, Score

DISTANCE_BINS = (0, 1, 6, 11, 16, 21, 31)
_GRAMMATICALITY = "gug_average"
_GRAMMATICALITY_BINS = (1.0, 2.0, 2.5, 3.0, 3.5, 4.0)
_MOST_REFERENCE_SETS = 100
_FIRST_HEADINGS = {"edit-distance": "characters:", "references": "system", "grammaticality": "GUG, 1 to 4:"}


@dataclass(frozen=True)
class SentenceGroup:
    """A group of sentences and their score, which is None if the group is empty."""

    low: float
    high: float | None
    sentences: int
    value: float | None

    @property
    def cell(self) -> str:
        """The score and the number of sentences as text."""
        return "–" if self.value is None else f"{percent(self.value)} ({self.sentences})"


@dataclass(frozen=True)
class DistanceGroup(SentenceGroup):
    """The sentences with a distance of `low` to `high` characters.

    If `high` is None, there is no upper limit.
    """

    @property
    def label(self) -> str:
        """The group's range as text."""
        if self.high is None:
            return f"{self.low}+"
        return str(self.low) if self.low == self.high else f"{self.low}-{self.high}"

    @property
    def column(self) -> str:
        """The heading of the column."""
        return f"{self.label} changed"


@dataclass(frozen=True)
class GrammaticalityGroup(SentenceGroup):
    """The sources that were judged at least `low` and below `high`.

    Judgments range from 1 (incomprehensible) to 4 (perfect). The last group includes 4.
    """

    @property
    def label(self) -> str:
        """The group's range as text."""
        return f"{self.low:g}-{self.high:g}"

    @property
    def column(self) -> str:
        """The heading of the column."""
        return f"judged {self.label}"


@dataclass(frozen=True)
class ReferenceGroup:
    """The mean, lowest and highest score over reference sets of the same size.

    Each of the `sets` sets has `references` references per sentence.
    """

    references: int
    sets: int
    value: float
    low: float
    high: float

    @property
    def column(self) -> str:
        """The heading of the column."""
        return counted(self.references, "ref")

    @property
    def cell(self) -> str:
        """The mean and the range as text."""
        return f"{percent(self.value)} ({percent(self.low)} – {percent(self.high)})"


def edit_distances(sources: Sequence[str], predictions: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return the edit distance in characters between each prediction and its source.

    This is the Levenshtein distance. A run of white space counts as one space.
    """
    from rapidfuzz.distance import Levenshtein

    pairs = zip(sources, predictions, strict=True)
    found = [Levenshtein.distance(" ".join(s.split()), " ".join(p.split())) for s, p in pairs]
    return np.array(found, dtype=np.int64)


def by_edit_distance(
    score: Score, corpus: Corpus, predictions: Sequence[str], bins: Sequence[int] = DISTANCE_BINS
) -> list[DistanceGroup]:
    """Score sentences in groups of similar distance between prediction and source.

    Figure 1 of Napoles et al. (2017) shows such groups. The distance is counted in characters. `bins` lists the
    smallest distance of each group.
    """
    if list(bins) != sorted(set(bins)) or not bins or bins[0] != 0:
        raise InputError(f"bins={list(bins)} is not a list of increasing numbers that starts with 0")
    return _by_distance(score, edit_distances(corpus.sources, predictions), bins)


def by_source_distance(score: Score, corpus: Corpus, bins: Sequence[int] = DISTANCE_BINS) -> list[DistanceGroup]:
    """Score sentences in groups of similar distance between source and references.

    The distance is counted in characters and averaged over the references. The groups do not depend on the outputs, so
    every system is scored on the same sentences. `bins` lists the smallest distance of each group.
    """
    if corpus.references is None:
        raise InputError(f"{corpus.name} has no references to group sentences by", fix="Use a corpus with references")
    pairs = [(source, text) for source, texts in zip(corpus.sources, corpus.references, strict=True) for text in texts]
    found = edit_distances([source for source, _ in pairs], [text for _, text in pairs])
    sentence = np.repeat(np.arange(len(corpus)), [len(texts) for texts in corpus.references])
    counts = np.bincount(sentence, minlength=len(corpus))
    means = np.bincount(sentence, weights=found, minlength=len(corpus)) / np.maximum(counts, 1)
    # A mean between two whole numbers belongs to the group of the lower number. But a mean between 0 and 1 counts as 1,
    # because the group of 0 is for unchanged sentences.
    return _by_distance(score, np.where(means > 0, np.maximum(means, 1), 0), bins)


def _by_distance(score: Score, distances: npt.NDArray[Any], bins: Sequence[int]) -> list[DistanceGroup]:
    group = np.searchsorted(np.asarray(bins), distances, side="right") - 1
    highs = [*(low - 1 for low in bins[1:]), None]
    return [
        DistanceGroup(low, high, *_group_score(score, group == k))
        for k, (low, high) in enumerate(zip(bins, highs, strict=True))
    ]


def by_grammaticality(score: Score, corpus: Corpus) -> list[GrammaticalityGroup]:
    """Score sentences in groups of similar human judgments of the source.

    The judgments are the grammaticality ratings of GUG (Heilman et al. 2014).
    """
    judgments = _grammaticality(corpus)
    if judgments is None:
        raise InputError(
            f"{corpus.name} has no grammaticality judgments",
            fix=f"Use JFLEG, which has them in the column {_GRAMMATICALITY}",
        )
    lows, highs = _GRAMMATICALITY_BINS[:-1], _GRAMMATICALITY_BINS[1:]
    group = np.searchsorted(np.asarray(lows), judgments, side="right") - 1
    return [
        GrammaticalityGroup(low, high, *_group_score(score, group == k))
        for k, (low, high) in enumerate(zip(lows, highs, strict=True))
    ]


def has_grammaticality(corpus: Corpus) -> bool:
    """Return whether a corpus has grammaticality judgments."""
    return _grammaticality(corpus) is not None


def _grammaticality(corpus: Corpus) -> npt.NDArray[np.float64] | None:
    columns = corpus.metadata.get("columns")
    if not isinstance(columns, Mapping) or _GRAMMATICALITY not in columns:
        return None
    return np.array(columns[_GRAMMATICALITY], dtype=np.float64)


def _group_score(score: Score, chosen: npt.NDArray[np.bool_]) -> tuple[int, float | None]:
    """Return the number of chosen sentences and their score."""
    members = np.flatnonzero(chosen)
    return len(members), score.metric.value_of(score.statistics.select(members)) if len(members) else None


def by_reference_count(score: Score) -> list[ReferenceGroup]:
    """Score against 1, 2, … references (Sakaguchi et al. 2016, Figure 5).

    The score is the mean over all sets of that many references. If there are more than 100 such sets, 100 random sets
    are used. All sentences need the same number of references.
    """
    sizes = set(score.statistics.choices().tolist())
    if len(sizes) != 1:
        raise InputError(
            f"the number of references per sentence varies from {min(sizes)} to {max(sizes)}",
            fix="Use a corpus with the same number of references for every sentence",
        )
    references = sizes.pop()
    if references > 1 and not score.metric.reference_policy.one_row_per_reference:
        raise InputError(
            f"{score.metric.title} compares all references of a sentence at once, so no reference can be left out",
            fix="Use another metric for this breakdown",
        )
    groups = []
    for k in range(1, references + 1):
        sets = _reference_sets(references, k)
        values = [score.metric.value_of(score.statistics.keep_choices(kept)) for kept in sets]
        groups.append(ReferenceGroup(k, len(sets), float(np.mean(values)), min(values), max(values)))
    return groups


def _reference_sets(references: int, size: int) -> list[tuple[int, ...]]:
    if comb(references, size) <= _MOST_REFERENCE_SETS:
        return list(combinations(range(references), size))
    generator = np.random.default_rng(DEFAULT_SEED)
    drawn: set[tuple[int, ...]] = set()
    while len(drawn) < _MOST_REFERENCE_SETS:
        drawn.add(tuple(sorted(generator.choice(references, size, replace=False).tolist())))
    return sorted(drawn)


def breakdown_names() -> tuple[str, ...]:
    """Return the names of all breakdowns.

    The breakdowns of this module come first, then those that only some metrics define.
    """
    return (*_FIRST_HEADINGS, *dict.fromkeys(name for metric in METRICS.values() for name in metric.breakdowns))


@dataclass(frozen=True)
class MacroAverage:
    """The mean of each score over error types, with the same weight for every type."""

    types: int
    means: Mapping[str, float]

    def cells(self) -> dict[str, str]:
        """Return the row of a table, by column."""
        return {"types": str(self.types)} | {column: percent(value) for column, value in self.means.items()}


def macro_average(types: Sequence[Any]) -> MacroAverage:
    """Average the scores of error types, with the same weight for every type.

    A type is included if the gold or the system has an edit of this type. As in all scores, a type without proposed
    edits has precision 1, and a type without gold edits has recall 1. The macro F is the mean of the types' F scores.

    Args:
        types: Scores of error types, categories or operations, as `Metric.breakdown` returns them for ERRANT and M2.

    Returns:
        The number of types, and the mean of each column of their scores.

    Raises:
        InputError: There are no types, or the groups are not error types.

    Example:
        >>> from gecbench.metrics.errant import ErrantTypeScore
        >>> often = ErrantTypeScore("R:VERB", tp=8, fp=2, fn=0, precision=0.8, recall=1.0, value=0.8333)
        >>> seldom = ErrantTypeScore("M:DET", tp=0, fp=1, fn=1, precision=0.0, recall=0.0, value=0.0)
        >>> macro_average([often, seldom]).means["P"]
        0.4
    """
    if not types or not all(hasattr(found, "ratios") for found in types):
        fix = "Use m2 or errant with a corpus of annotated edits"
        raise InputError("there are no error types to average over", fix=fix)
    rows = [found.ratios() for found in types]
    return MacroAverage(len(rows), {column: float(np.mean([row[column] for row in rows])) for column in rows[0]})


def render_breakdown(
    by: str,
    report: Report,
    corpus: Corpus,
    systems: Mapping[str, Sequence[str]],
    table_format: str,
    wide: bool = False,
    average: bool = False,
) -> str:
    """Return a table or JSON of each system's scores by group, for the first metric.

    With `average`, return the macro average over the groups instead. This works only for the metric's own breakdowns,
    such as by error type.
    """
    metric = report.metrics[0]
    _check_average(average, by, next(report[system][metric] for system in report))
    groups = {system: _groups(by, report[system][metric], corpus, systems[system]) for system in report}
    if average:
        return _render_averages(metric, by, groups, table_format, wide)
    if table_format == "json":
        plain = {system: [asdict(group) for group in found] for system, found in groups.items()}
        return json.dumps({"metric": metric, "by": by, "systems": plain}, ensure_ascii=False, indent=2)
    table = _by_system(by, groups) if by in _FIRST_HEADINGS else _by_group(groups)
    return _with_legend(render_table(table, table_format, wide), groups, table_format)


def _check_average(average: bool, by: str, score: Score) -> None:
    metric = score.metric
    if not average or by in metric.breakdowns:
        return
    if metric.breakdowns:
        fix = f"Choose a breakdown with --by: {', '.join(metric.breakdowns)}"
        raise InputError(f"--average macro cannot average the scores of {metric.name} by {by}", fix=fix)
    known = [name for name, each in METRICS.items() if "error-type" in each.breakdowns]
    problem = f"--average macro needs scores by error type, but {metric.name} has none"
    raise InputError(problem, fix=f"Use {' or '.join(known)}")


def _render_averages(metric: str, by: str, groups: Mapping[str, Sequence[Any]], table_format: str, wide: bool) -> str:
    averages = {system: macro_average(found) for system, found in groups.items()}
    if table_format == "json":
        plain = {system: {"types": found.types, **found.means} for system, found in averages.items()}
        named = {"metric": metric, "by": by, "average": "macro", "systems": plain}
        return json.dumps(named, ensure_ascii=False, indent=2)
    rows = [{"macro average": system, **found.cells()} for system, found in averages.items()]
    table = Table(list(rows[0]), [list(row.values()) for row in rows])
    return _with_legend(render_table(table, table_format, wide), groups, table_format)


def _with_legend(drawn: str, groups: Mapping[str, Sequence[Any]], table_format: str) -> str:
    """Return a table and, in text and Markdown, the legend of its columns."""
    legends = {each.legend for found in groups.values() for each in found if hasattr(each, "legend")}
    return "\n\n".join([drawn, *legends]) if table_format in ("text", "markdown") else drawn


def _groups(by: str, score: Score, corpus: Corpus, predictions: Sequence[str]) -> Sequence[Any]:
    if by == "edit-distance":
        return by_edit_distance(score, corpus, predictions)
    if by == "grammaticality":
        return by_grammaticality(score, corpus)
    return by_reference_count(score) if by == "references" else score.metric.breakdown(by, corpus, predictions)


def _by_system(by: str, groups: Mapping[str, Sequence[Any]]) -> Table:
    """Return a table with one row per system and one column per group."""
    columns = [group.column for group in next(iter(groups.values()))]
    return Table(
        [_FIRST_HEADINGS[by], *columns], [[system, *(each.cell for each in row)] for system, row in groups.items()]
    )


def _by_group(groups: Mapping[str, Sequence[Any]]) -> Table:
    """Return a table with one row per system and group, starting with the group."""
    rows = [{**group.cells(), "system": system} for system, found in groups.items() for group in found]
    first, *rest = [name for name in rows[0] if name != "system"] if rows else ["group"]
    return Table([first, "system", *rest], [[row[name] for name in (first, "system", *rest)] for row in rows])

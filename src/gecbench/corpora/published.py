"""Published results: scores that others reported, with their sources.

Compare your own scores with these results. The figures are in `published.json`: sources, systems, and tables of values
by system. A value is the score, or a list of precision, recall and the score.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gecbench.analysis.tables import COMMENT_MARKS
from gecbench.corpora.catalog import DATASETS
from gecbench.corpora.load import is_known_name, parse_corpus_name
from gecbench.display import percent
from gecbench.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from gecbench.analysis.report import Report
    from gecbench.metrics.base import Score

_FILE = Path(__file__).parent / "published.json"


@dataclass(frozen=True)
class PublishedResult:
    """One figure as its source reports it.

    Attributes:
        system: The system's name. It includes the source if several sources report a system of the same name.
        corpus: Dataset and split, such as `conll14_fluency:test`.
        reference_set: The configuration of the dataset, such as `nucle`: the two official annotators of CoNLL-14.
        metric: The metric's name. It may be a metric that gecbench does not have, such as `some`.
        value: The score as printed. For gecbench's metrics, it is in percent.
        precision: In percent, None if not reported.
        recall: In percent, None if not reported.
        approach: The kind of system, such as `tagging` or `LLM, prompted`.
        role: "system", "human" or "source".
        source: The publication or page that reports the score.
        url: The address of the source.
        date: When the score was reported: a year, a month or a day.
        differs: Known differences in references, sentences or settings; empty if none is known.
        recomputed: How close gecbench's score of the public outputs is: `equal`, `within 0.015`, or `reproduced` if
            `gecbench reproduce` prints both scores. Empty if the score was not recomputed.
        link: The system's paper or model.
        description: A note on the system.
    """

    system: str
    corpus: str
    reference_set: str
    metric: str
    value: float
    precision: float | None
    recall: float | None
    approach: str
    role: str
    source: str
    url: str
    date: str
    differs: str = ""
    recomputed: str = ""
    link: str = ""
    description: str = ""

    @property
    def year(self) -> int:
        """The year in which the result was reported."""
        return int(self.date[:4])


def published_results(corpus: str | None = None, metric: str | None = None) -> tuple[PublishedResult, ...]:
    """Return published results, from the best to the worst of each metric.

    Args:
        corpus: A name such as `conll14`, `jfleg:dev` or `bea19:test`; None for all.
        metric: A metric's name, such as `m2`; None for all.

    Returns:
        The results. Empty if the corpus is known but has no published results.

    Raises:
        InputError: No corpus or metric has this name.

    Example:
        >>> best = published_results("conll14", "m2")[0]
        >>> best.system, best.value, best.precision, best.year
        ('Majority voting with GRECO and GPT-4', 72.8, 83.9, 2024)
    """
    found = _all_results()
    if corpus is not None:
        found = tuple(result for result in found if _is_on(result, *_parse(corpus)))
    if metric is not None:
        known = list(dict.fromkeys(result.metric for result in _all_results()))
        if metric not in known:
            fix = did_you_mean(metric, known, f"Choose one of {', '.join(known)}")
            raise InputError(f"there are no published results with the metric {metric!r}", fix=fix)
        found = tuple(result for result in found if result.metric == metric)
    return found


@dataclass(frozen=True)
class Placement:
    """The rank of a score among published scores.

    `above` and `below` are the next better and the next worse result, or None.
    """

    value: float
    above: PublishedResult | None
    below: PublishedResult | None
    rank: int
    total: int

    def __str__(self) -> str:
        ends = (self.above, self.below)
        shown = [f"{each.system} ({each.value:.1f}, {each.year})" for each in ends if each is not None]
        if len(shown) == 2:
            where = f"between {shown[0]} and {shown[1]}"
        else:
            where = f"{'below' if self.above else 'above'} {shown[0]}"
        return f"{where} (rank {self.rank} of {self.total + 1})"

    def caveats(self) -> list[str]:
        """Return the known differences of the next better and next worse results.

        There is one sentence per source.
        """
        found = [each for each in (self.above, self.below) if each is not None and each.differs]
        return list(dict.fromkeys(f"{each.source}: {each.differs}." for each in found))


def place_among(value: float, results: Sequence[PublishedResult]) -> Placement | None:
    """Return the rank of a score among the published systems of one metric.

    Args:
        value: The score in percent.
        results: Results of one metric, as `published_results` returns them. Human scores and the unchanged source are
            ignored.

    Returns:
        The placement, or None if there is no system to compare with.

    Example:
        >>> print(place_among(52.0, published_results("jfleg:dev", "m2")))
        between Chollampatt et al. (2016) (52.7, 2017) and Yuan and Briscoe (2016) (50.8, 2017) (rank 2 of 5)
    """
    systems = sorted((each for each in results if each.role == "system"), key=lambda each: -each.value)
    if not systems:
        return None
    rank = sum(each.value > value for each in systems)
    above = systems[rank - 1] if rank else None
    below = systems[rank] if rank < len(systems) else None
    return Placement(value, above, below, rank + 1, len(systems))


def with_published(report: Report, corpus: str, report_format: str, wide: bool = False) -> str:
    """Return a rendered report with ranks among published results.

    Each score in the report gets its rank among the published results on the corpus. In JSON, the ranks are in
    `published`. In other formats, sentences or comments after the report give the ranks.
    """
    places = list(_places(report, corpus))
    if report_format == "json":
        return json.dumps({**report.to_dict(), "published": list(map(_plain, places))}, ensure_ascii=False, indent=2)
    comment = COMMENT_MARKS.get(report_format, "")
    lines = [f"Published results (gecbench published -c {corpus}), as reported by others:"]
    lines += [f"{system}: {text}" for system, _, _, text in places]
    lines += dict.fromkeys(
        f"Note on {caveat}" for _, _, place, _ in places if place is not None for caveat in place.caveats()
    )
    blank = "\n\n" if report_format in ("text", "markdown") else "\n"
    return report.render(report_format, wide) + blank + "\n".join(comment + line for line in lines)


def _places(report: Report, corpus: str) -> Iterator[tuple[str, Score, Placement | None, str]]:
    """Yield each system with its score, its placement and a sentence about them.

    The placement is None if there is nothing to compare with.
    """
    for metric in report.metrics:
        for system in report.ranked(metric):
            score = report[system][metric]
            results = [result for result in published_results(corpus) if result.metric == score.metric.name]
            place = place_among(100 * score.value, results)
            text = f"{metric} {percent(score.value)} is {place}" if place else f"no published results with {metric}"
            if place and score.metric != type(score.metric)():
                text += "; the published scores use the metric's default settings"
            yield system, score, place, f"{text}."


def _plain(found: tuple[str, Score, Placement | None, str]) -> dict[str, object]:
    system, score, place, text = found
    ends = {} if place is None else {"above": place.above, "below": place.below}
    neighbors = {name: None if end is None else {**asdict(end), "year": end.year} for name, end in ends.items()}
    numbers = {} if place is None else {"rank": place.rank, "results": place.total, "caveats": place.caveats()}
    return {"system": system, "metric": score.metric.name, "text": text, **numbers, **neighbors}


def _parse(corpus: str) -> tuple[str, str | None]:
    """Return the dataset and split of a corpus name, and its reference set.

    The reference set is None if the dataset has only one.
    """
    if corpus == "demo":
        return corpus, None
    if not is_known_name(corpus):
        names = corpora_with_results()
        fix = did_you_mean(corpus, names, f"Choose one of {', '.join(names)}")
        raise InputError(f"there are no published results on {corpus!r}", fix=fix)
    name, config, split = parse_corpus_name(corpus)
    declared = DATASETS[name]
    split = split or declared.config(config).default_split
    return f"{name}:{split}", (config or declared.default_config) if declared.several_reference_sets else None


def corpora_with_results() -> list[str]:
    """Return the names of the corpora with published results.

    Use the names with `published_results`.

    >>> corpora_with_results()[:4]
    ['jfleg:test', 'jfleg:dev', 'bn15', 'conll14:expert_fluency']
    """
    tables = dict.fromkeys((result.corpus, result.reference_set) for result in _all_results())
    return [_short_name(*table) for table in tables]


def _short_name(corpus: str, reference_set: str) -> str:
    name, _, split = corpus.partition(":")
    if DATASETS[name].several_reference_sets:
        return DATASETS[name].corpus_name(DATASETS[name].config(reference_set))
    return f"{name}:{'dev' if split == 'validation' else split}"


def _is_on(result: PublishedResult, corpus: str, reference_set: str | None) -> bool:
    return result.corpus == corpus and reference_set in (None, result.reference_set)


@cache
def _all_results() -> tuple[PublishedResult, ...]:
    data = json.loads(_FILE.read_text(encoding="utf-8"))
    found = [
        _result(table, system, value, data) for table in data["tables"] for system, value in table["values"].items()
    ]
    first_seen = {table: k for k, table in reversed(list(enumerate(map(_table, found))))}
    return tuple(sorted(found, key=lambda result: (first_seen[_table(result)], -result.value)))


def _table(result: PublishedResult) -> tuple[str, str, str]:
    return result.corpus, result.reference_set, result.metric


def _result(table: Mapping[str, Any], system: str, value: Any, data: Mapping[str, Any]) -> PublishedResult:
    about, source = data["systems"][system], data["sources"][table["source"]]
    precision, recall, score = value if isinstance(value, list) else (None, None, value)
    recomputed = table.get("recomputed", "")
    return PublishedResult(
        system=system,
        corpus=table["corpus"],
        reference_set=table["reference_set"],
        metric=table["metric"],
        value=score,
        precision=precision,
        recall=recall,
        approach=about["approach"],
        role=about.get("role", "system"),
        source=source["title"],
        url=source["url"],
        date=source["date"],
        differs=table.get("differs", source.get("differs", "")),
        recomputed=recomputed if isinstance(recomputed, str) else recomputed.get(system, ""),
        link=about.get("url", ""),
        description=about.get("description", ""),
    )

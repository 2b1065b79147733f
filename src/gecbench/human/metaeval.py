"""Meta-evaluation: metrics × reference sets against what people think of the same systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError
from gecbench.formats.judgments import Judgment
from gecbench.human.correlation import (
    METHODS,
    Correlation,
    Method,
    SentenceAgreement,
    correlate,
    correlate_runs,
    sentence_agreement,
)
from gecbench.human.ranking import HumanRanking
from gecbench.metrics.base import Metric
from gecbench.metrics.registry import make_metric
from gecbench.progress import progress

SystemScores = Mapping[str, float]
SentenceScores = Mapping[tuple[str, int], float]
NO_REFERENCES = "–"


@dataclass(frozen=True)
class MetricScores:
    """What a metric says about every system, and, if known, about every (system, sentence)."""

    metric: str
    references: str
    systems: SystemScores
    sentences: SentenceScores | None = None


@dataclass(frozen=True)
class MetaRow:
    """One metric with one reference set: correlations over systems, and agreement over sentences if known."""

    metric: str
    references: str
    correlations: Mapping[Method, Correlation]
    sentences: SentenceAgreement | None


def score_systems(
    metrics: Sequence[str | Metric],
    corpora: Mapping[str, Corpus],
    systems: Mapping[str, Sequence[str]],
    *,
    sentences: bool = False,
    **intake: Any,
) -> list[MetricScores]:
    """Score every system with every metric against every reference set; `sentences` adds sentence scores.

    `intake` are the fields of `Intake`, such as `tokenize="auto"`.
    """
    found = []
    made = [(metric.name if isinstance(metric, Metric) else metric, make_metric(metric)) for metric in metrics]
    with progress(len(made) * len(corpora) * len(systems), "scoring") as bar:
        for (label, metric), (name, corpus) in product(made, corpora.items()):
            scores = {}
            for system, lines in systems.items():
                scores[system] = metric.score_corpus(corpus, lines, name=f"predictions of {system}", **intake)
                bar.update(1)
            each = (
                {(s, i): v for s, score in scores.items() for i, v in enumerate(score.sentence_scores().tolist())}
                if sentences
                else None
            )
            found.append(MetricScores(label, name, {s: score.value for s, score in scores.items()}, each))
    return found


def meta_evaluate(
    scores: Sequence[MetricScores],
    human: HumanRanking | SystemScores,
    judgments: Sequence[Judgment] | None = None,
    *,
    methods: Sequence[Method] = METHODS,
    resamples: int = 0,
    seed: int = 0,
) -> list[MetaRow]:
    """Correlate metrics with human scores of the same systems, and with judgments of the same sentences.

    Intervals: with `resamples`, bootstrapped systems (and sentences); without, and with a human ranking that has runs,
    the interval says how far the coefficient moves with the judgments. Systems must be the same on both sides.

    >>> row, = meta_evaluate([MetricScores("mine", "-", {"A": 3, "B": 1, "C": 2})], {"A": 0.9, "B": 0.1, "C": 0.4})
    >>> row.correlations["spearman"].value
    1.0
    """
    if not scores:
        raise InputError("no metric to evaluate", fix="Give scores in a file, or a metric with references and systems")
    rows = []
    with progress(len(scores) * len(methods), "correlations") as bar:
        for found in scores:
            correlations = {}
            for method in methods:
                correlations[method] = _correlation(found.systems, human, method, resamples, seed)
                bar.update(1)
            agreement = None
            if judgments is not None and found.sentences is not None:
                agreement = sentence_agreement(found.sentences, judgments, resamples=resamples, seed=seed)
            rows.append(MetaRow(found.metric, found.references, correlations, agreement))
    return rows


def _correlation(
    metric: SystemScores, human: HumanRanking | SystemScores, method: Method, resamples: int, seed: int
) -> Correlation:
    if isinstance(human, HumanRanking) and not resamples:
        return correlate_runs(metric, human.scores(), human.runs, method)
    scores = human.scores() if isinstance(human, HumanRanking) else human
    return correlate(metric, scores, method, resamples=resamples, seed=seed)

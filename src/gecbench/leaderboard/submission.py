"""From a system's outputs to a record: every metric that the corpus allows, with intervals and the human bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from gecbench.analysis.breakdown import by_edit_distance
from gecbench.analysis.significance import with_interval
from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError
from gecbench.leaderboard.corpora import table_of
from gecbench.leaderboard.human_bound import human_figures
from gecbench.leaderboard.measures import board_metric
from gecbench.leaderboard.outputs import check_outputs, unchanged_share
from gecbench.leaderboard.records import Details, Figure, Record, digest
from gecbench.leaderboard.schema import LINK, LONGEST_NAME, MOST_LINKS, check_fields, day, fields_of, list_of, text
from gecbench.metrics.base import Score
from gecbench.metrics.registry import METRICS

Progress = Callable[[str, float], None]
DEFAULT_RESAMPLES = 1000


def today() -> str:
    """Return the date in UTC."""
    return datetime.now(timezone.utc).date().isoformat()


@dataclass(frozen=True)
class Submission:
    """A system's outputs and who hands them in; checked before anything is scored."""

    system: str
    predictions: Sequence[str]
    submitter: str = ""
    description: str = ""
    links: Sequence[str] = ()
    date: str = field(default_factory=today)
    file: str = "predictions"
    aligned: bool = False
    baseline: bool = False

    def __post_init__(self) -> None:
        check_fields(
            self.about(),
            {
                "system": text(LONGEST_NAME, empty=False),
                "submitter": text(LONGEST_NAME),
                "description": text(),
                "links": list_of(fields_of(LINK), MOST_LINKS),
                "date": day,
            },
            "submission",
        )

    def about(self) -> dict[str, Any]:
        """Return what the record says about the system."""
        return {
            "system": self.system,
            "submitter": self.submitter,
            "description": self.description,
            "links": [{"title": "", "url": url} for url in self.links],
            "date": self.date,
        }


@dataclass(frozen=True)
class Scored:
    """A record ready to be added, with its details and warnings."""

    record: Record
    details: Details
    warnings: tuple[str, ...]


def usable_metrics(corpus: Corpus) -> list[str]:
    """Return the metrics of the registry for which a corpus has the gold."""
    have = {
        "references": corpus.references is not None,
        "annotations": corpus.annotations is not None,
        "groups": corpus.groups is not None,
    }
    return [name for name in METRICS if have[board_metric(name).gold(corpus)]]


def score_submission(
    submission: Submission,
    corpus: Corpus,
    *,
    resamples: int = DEFAULT_RESAMPLES,
    progress: Progress | None = None,
) -> Scored:
    """Check a submission and score it with every metric; `progress` hears of each stage and the share done."""
    tell = progress or _silent
    tell("checking", 0.0)
    predictions = tuple(submission.predictions)
    warnings = check_outputs(predictions, corpus, submission.file, aligned=submission.aligned, copy=submission.baseline)
    metrics = usable_metrics(corpus)
    if not metrics:
        raise InputError(f"{corpus.name} has neither references nor annotations to score against")
    figures: dict[str, Figure] = {}
    scores: dict[str, Score] = {}
    for k, name in enumerate(metrics):
        tell(METRICS[name].title, (k + 0.1) / (len(metrics) + 1))
        try:
            scores[name] = _score(name, corpus, predictions, resamples)
        except InputError as error:
            warnings = [*warnings, f"{METRICS[name].title} is left out: {error}"]
            continue
        figures[name] = _figure(scores[name], corpus)
    if not scores:
        raise InputError("no metric can score these outputs", fix=" ".join(warnings))
    tell("details", len(metrics) / (len(metrics) + 1))
    details = _details(scores, corpus, predictions)
    name, reference_set = table_of(corpus)
    record = Record(
        **submission.about(),
        corpus=name,
        reference_set=reference_set,
        role="source" if submission.baseline else "system",
        fingerprint=corpus.fingerprint(),
        sentences=len(corpus),
        scores=figures,
        outputs=details.outputs,
        details=digest(details.to_json()),
        unchanged=unchanged_share(predictions, corpus),
    )
    tell("scored", 1.0)
    return Scored(record, details, tuple(warnings))


def _silent(_stage: str, _done: float) -> None:
    return None


def _score(name: str, corpus: Corpus, predictions: Sequence[str], resamples: int) -> Score:
    score = board_metric(name).score_corpus(corpus, predictions, aligned=True)
    return with_interval(score, resamples) if resamples else score


def _figure(score: Score, corpus: Corpus) -> Figure:
    human, ratio = human_figures(score, corpus)
    return {
        "value": score.value,
        "low": score.interval.low if score.interval else None,
        "high": score.interval.high if score.interval else None,
        "human": human,
        "ratio": ratio,
        "signature": str(score.signature),
        "source": None,
    }


def _details(scores: dict[str, Score], corpus: Corpus, predictions: tuple[str, ...]) -> Details:
    return Details(
        predictions=predictions,
        sentence_scores={
            name: [round(float(value), 4) for value in score.sentence_scores()] for name, score in scores.items()
        },
        by_distance={
            name: [
                {"label": group.label, "sentences": group.sentences, "value": group.value}
                for group in by_edit_distance(score, corpus, predictions)
            ]
            for name, score in scores.items()
        },
    )

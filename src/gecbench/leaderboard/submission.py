"""From a system's outputs to a place on a board: read, check, score, place, store. Nothing handed in is ever run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import Any

from gecbench.corpus.corpus import Corpus
from gecbench.corpus.intake import Intake
from gecbench.errors import InputError
from gecbench.leaderboard.outputs import check_lengths, check_outputs, unchanged_share
from gecbench.leaderboard.ranking import NewPlace, Significance, known_corpora, place_of
from gecbench.leaderboard.records import ABOUT, Details, Record, digest, table_of
from gecbench.leaderboard.schema import check_fields
from gecbench.leaderboard.scoring import DEFAULT_RESAMPLES, Progress, compute_figures
from gecbench.leaderboard.settings import Settings
from gecbench.leaderboard.store import Board, local_store


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
    role: str = "system"
    tokenize: str = "none"
    tokenized: bool = False

    def __post_init__(self) -> None:
        check_fields(self.about(), ABOUT, "submission")

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


@dataclass(frozen=True)
class Submitted(Scored):
    """A scored submission with its place, and what the board calls it (its name, or the address of a pull request).

    `skipped` has a warning for each record of the board that could not be read.
    """

    place: NewPlace
    added: str | None
    skipped: tuple[str, ...]


def submit(
    submission: Submission,
    corpus: Corpus,
    board: Board,
    *,
    dry_run: bool = False,
    resamples: int = DEFAULT_RESAMPLES,
    progress: Progress = lambda _stage, _done: None,
) -> Submitted:
    """Check a submission, score it, find its place among the board's records, and store it."""
    store = local_store(board)
    settings, loaded = store.settings, store.load()
    _check_allowance(submission, settings, loaded.records)
    scored = score_submission(submission, corpus, sealed=settings.sealed, progress=progress)
    _check_new(scored.record, loaded.records)
    tests = Significance(store, known_corpora([corpus]), resamples)
    place = place_of(scored.record, scored.details, loaded.records, tests, settings.metric)
    if settings.sealed:
        place = replace(place, p_value=None)
    added = None if dry_run else board.add(scored.record, scored.details)
    return Submitted(scored.record, scored.details, scored.warnings, place, added, loaded.warnings)


def score_submission(
    submission: Submission,
    corpus: Corpus,
    *,
    sealed: bool = False,
    resamples: int = DEFAULT_RESAMPLES,
    progress: Progress = lambda _stage, _done: None,
) -> Scored:
    """Check a submission and score it with every metric; `progress` hears of each stage and the share done.

    Of a `sealed` corpus only scores of the whole are told, rounded, and nothing that depends on single references.
    """
    progress("checking", 0.0)
    check_lengths(submission.predictions, corpus, submission.file)
    intake = Intake(submission.tokenize, submission.tokenized, submission.aligned, "error")
    admitted = intake.admit(corpus, submission.predictions, file=submission.file)
    predictions = admitted.lines
    about = {"aligned": submission.aligned, "copy": submission.role != "system", "sealed": sealed}
    warnings = check_outputs(predictions, corpus, submission.file, **about)
    figures = compute_figures(admitted, resamples, progress, sealed=sealed)
    name, reference_set = table_of(corpus)
    record = Record(
        **submission.about(),
        corpus=name,
        reference_set=reference_set,
        role=submission.role,
        fingerprint=corpus.fingerprint(),
        sentences=len(corpus),
        scores=figures.scores,
        outputs=figures.details.outputs,
        details=digest(figures.details.to_json()),
        unchanged=unchanged_share(predictions, corpus),
    )
    progress("scored", 1.0)
    return Scored(record, figures.details, (*warnings, *figures.warnings))


def _check_allowance(submission: Submission, settings: Settings, records: Sequence[Record]) -> None:
    """Refuse a submission beyond those that a submitter may make on a day."""
    if settings.per_day is None:
        return
    if not submission.submitter.strip():
        raise InputError("the submitter is not named", fix="This board limits submissions per name and day: give yours")
    name, day = _name(submission.submitter), today()
    made = sum(record.date == day and _name(record.submitter) == name for record in records)
    if made >= settings.per_day:
        fix = "Try again tomorrow; days end at midnight UTC"
        raise InputError(f"{submission.submitter} has made {made} submissions today, as many as allowed", fix=fix)


def _name(submitter: str) -> str:
    return " ".join(submitter.casefold().split())


def _check_new(record: Record, records: Sequence[Record]) -> None:
    for other in records:
        if other.outputs == record.outputs and other.table == record.table and other.fingerprint == record.fingerprint:
            raise InputError(
                f"these outputs are on the board already, as {other.system!r}", fix="Each system is listed once"
            )

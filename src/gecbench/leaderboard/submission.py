"""From a system's outputs to a place on a board: read, check, score, place, store. Nothing handed in is ever run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from gecbench.corpus.checks import check_line_count, misplaced_lines
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.intake import Intake
from gecbench.errors import InputError
from gecbench.formats.columns import parse_predictions
from gecbench.leaderboard.ranking import NewPlace, Significance, known_corpora, place_of
from gecbench.leaderboard.records import ABOUT, Details, Record, digest, table_of
from gecbench.leaderboard.schema import check_fields
from gecbench.leaderboard.scoring import DEFAULT_RESAMPLES, Progress, compute_figures
from gecbench.leaderboard.seeds import seed_records
from gecbench.leaderboard.store import Board, local_store
from gecbench.metrics.ratios import percent

MOST_BYTES = 8 * 2**20
_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"PK": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"7z\xbc\xaf": "7-Zip",
    b"\x28\xb5\x2f\xfd": "Zstandard",
    b"Rar!": "RAR",
}
_PLAIN = "Give plain text, one output per line, or JSON Lines"


class TooLargeError(InputError):
    """More bytes than the limit."""


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
    seeds: bool = True,
    dry_run: bool = False,
    resamples: int = DEFAULT_RESAMPLES,
    progress: Progress = lambda _stage, _done: None,
) -> Submitted:
    """Check a submission, score it, find its place among the board's records (and the seeds), and store it."""
    scored = score_submission(submission, corpus, progress=progress)
    store = local_store(board)
    loaded = store.load()
    _check_new(scored.record, loaded.records)
    others = [*loaded.records, *(seed_records() if seeds else ())]
    tests = Significance(store, known_corpora([corpus]), resamples)
    place = place_of(scored.record, scored.details, others, tests)
    added = None if dry_run else board.add(scored.record, scored.details)
    return Submitted(scored.record, scored.details, scored.warnings, place, added, loaded.warnings)


def score_submission(
    submission: Submission,
    corpus: Corpus,
    *,
    resamples: int = DEFAULT_RESAMPLES,
    progress: Progress = lambda _stage, _done: None,
) -> Scored:
    """Check a submission and score it with every metric; `progress` hears of each stage and the share done."""
    progress("checking", 0.0)
    _check_lengths(submission.predictions, corpus, submission.file)
    intake = Intake(submission.tokenize, submission.tokenized, submission.aligned, "error")
    admitted = intake.admit(corpus, submission.predictions, file=submission.file)
    predictions = admitted.lines
    warnings = check_outputs(predictions, corpus, submission.file, aligned=submission.aligned, copy=submission.baseline)
    figures = compute_figures(admitted, resamples, progress)
    name, reference_set = table_of(corpus)
    record = Record(
        **submission.about(),
        corpus=name,
        reference_set=reference_set,
        role="source" if submission.baseline else "system",
        fingerprint=corpus.fingerprint(),
        sentences=len(corpus),
        scores=figures.scores,
        outputs=figures.details.outputs,
        details=digest(figures.details.to_json()),
        unchanged=unchanged_share(predictions, corpus),
    )
    progress("scored", 1.0)
    return Scored(record, figures.details, (*warnings, *figures.warnings))


def read_outputs(data: bytes, file: str, corpus: Corpus, most_bytes: int = MOST_BYTES) -> list[str]:
    """Return the predictions in a file's content: text, or a table by its ending."""
    check_size(len(data), file, most_bytes)
    for magic, kind in _COMPRESSED.items():
        if data.startswith(magic):
            raise InputError(f"is compressed ({kind})", file=file, fix=_PLAIN)
    if b"\0" in data:
        raise InputError("is binary: it holds zero bytes", file=file, fix=_PLAIN)
    predictions = list(parse_predictions(data, file, corpus))
    for number, text in enumerate(predictions, start=1):
        _check_line(text, file, number)
    return predictions


def check_size(size: int, file: str, most_bytes: int = MOST_BYTES) -> None:
    """Refuse more bytes than the limit."""
    if size > most_bytes:
        limit = f"{most_bytes / 2**20:g} MB" if most_bytes >= 2**20 else f"{most_bytes} bytes"
        raise TooLargeError(f"is larger than the limit of {limit}", file=file)


def check_outputs(
    predictions: Sequence[str], corpus: Corpus, file: str, *, aligned: bool = False, copy: bool = False
) -> list[str]:
    """Refuse outputs that cannot be a system's; return warnings about those that look odd.

    `aligned` skips the check for shifted lines, `copy` lets the unchanged source pass (as a baseline).
    """
    misplaced = [] if aligned else misplaced_lines(predictions, _texts(corpus))
    _check_misplaced(misplaced, len(corpus), file)
    return [*_copies(predictions, corpus, file, copy), *_oddities(predictions, corpus, misplaced)]


def _check_lengths(predictions: Sequence[str], corpus: Corpus, file: str) -> None:
    fix = "Write one output per line, in order; an empty output is an empty line"
    check_line_count(len(predictions), len(corpus), corpus.name, file, fix)
    for number, (source, text) in enumerate(zip(corpus.sources, predictions, strict=True), start=1):
        if len(text.split()) > 100 + 10 * len(source.split()):
            raise InputError(
                f"{len(text.split())} tokens, where the source has {len(source.split())}",
                file=file,
                line=number,
                fix="A correction is about as long as its source",
            )


def unchanged_share(predictions: Sequence[str], corpus: Corpus) -> float:
    """Return the share of sentences whose tokens are those of the source."""
    pairs = zip(corpus.sources, predictions, strict=True)
    return sum(source.split() == text.split() for source, text in pairs) / len(corpus)


def _copies(predictions: Sequence[str], corpus: Corpus, file: str, copy: bool) -> list[str]:
    share = unchanged_share(predictions, corpus)
    if share == 1 and not copy:
        raise InputError(
            "every line is a copy of the source",
            file=file,
            fix="Give the system's outputs; --baseline lets the source itself be listed",
        )
    return [f"{percent(share, 0)} % of the lines are copies of the source"] if 0.95 <= share < 1 else []


def _texts(corpus: Corpus) -> list[tuple[str, ...]]:
    references = corpus.references if corpus.references is not None else [()] * len(corpus)
    return [(source, *texts) for source, texts in zip(corpus.sources, references, strict=True)]


def _check_misplaced(misplaced: Sequence[int], sentences: int, file: str) -> None:
    if len(misplaced) >= 3 and len(misplaced) > sentences / 5:
        raise InputError(
            f"{len(misplaced)} lines look like corrections of a neighbouring sentence",
            file=file,
            line=misplaced[0],
            fix="Pair line by line; skip this check with --aligned",
        )


def _oddities(predictions: Sequence[str], corpus: Corpus, misplaced: Sequence[int]) -> list[str]:
    warnings = []
    if misplaced:
        shown = ", ".join(map(str, misplaced[:5])) + (", …" if len(misplaced) > 5 else "")
        warnings.append(f"{len(misplaced)} lines look like corrections of a neighbouring sentence: {shown}")
    empty = sum(not text.strip() for text in predictions) - sum(not source.strip() for source in corpus.sources)
    if empty > 0:
        warnings.append(f"{empty} outputs are empty")
    return warnings


def _check_line(text: str, file: str, number: int) -> None:
    if "\n" in text:
        raise InputError("the output holds a line break", file=file, line=number, fix="Write each sentence on one line")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise InputError("the output holds a lone surrogate", file=file, line=number, fix="Write valid Unicode")


def _check_new(record: Record, records: Sequence[Record]) -> None:
    for other in records:
        if other.outputs == record.outputs and other.table == record.table and other.fingerprint == record.fingerprint:
            raise InputError(
                f"these outputs are on the board already, as {other.system!r}", fix="Each system is listed once"
            )

"""Submit outputs to a board, and verify stored records.

Submitted outputs are read, checked, scored, ranked and stored.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timezone
from math import isclose
from pathlib import Path
from typing import Any

from gecbench.analysis.significance import small_sample_note
from gecbench.corpus.corpus import Corpus, check_line_count
from gecbench.corpus.prepare import Prepared, Preprocessing, clean, misplaced_lines, share_guide
from gecbench.display import percent, tracked
from gecbench.errors import InputError, counted
from gecbench.formats.tables import parse_predictions
from gecbench.leaderboard.ranking import NewPlace, Significance, corpora_by_table, how_scored, place_of
from gecbench.leaderboard.records import BoardTable, Details, Record, Settings, check_fields, digest, table_of
from gecbench.leaderboard.scoring import DEFAULT_RESAMPLES, Progress, board_plugins, compute_figures, is_plugin
from gecbench.leaderboard.store import FolderStore
from gecbench.metrics.base import Score, Signature

MOST_BYTES = 8 * 2**20
_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"PK\x07\x08": "zip",
    **{b"BZh%d1AY&SY" % level: "bzip2" for level in range(1, 10)},
    b"\xfd7zXZ": "xz",
    b"7z\xbc\xaf": "7-Zip",
    b"\x28\xb5\x2f\xfd": "Zstandard",
    b"Rar!\x1a\x07": "RAR",
}
_OUTPUTS = "predictions"
_MOST_TIMES = 3
_SHORT = re.compile("[0-9]{1,9}")
_PLAIN = "Give plain text, one output per line, or JSON Lines"
_VERIFIED_FIELDS = ("corpus", "reference_set", "fingerprint", "sentences", "outputs", "unchanged")


class TooLargeError(InputError):
    """More bytes than the limit."""


def read_outputs(
    data: bytes, file: str, corpus: Corpus, most_bytes: int = MOST_BYTES, annotator: int | None = None
) -> list[str]:
    """Return the predictions in the content of a file.

    The extension of the file or its content shows whether it is a table, M2 edits, essays or plain text. The S lines of
    M2 edits may have full-width characters where the corpus has half-width ones, and vice versa.
    """
    check_size(len(data), file, most_bytes)
    for magic, kind in _COMPRESSED.items():
        if data.startswith(magic):
            raise InputError(f"is compressed ({kind})", file=file, fix=_PLAIN)
    if b"\0" in data:
        raise InputError("is a binary file: it contains NUL bytes", file=file, fix=_PLAIN)
    predictions = list(parse_predictions(data, file, corpus, annotator=annotator, ignore_width=True))
    for number, text in enumerate(predictions, start=1):
        _check_line(text, file, number)
    return predictions


def check_size(size: int, file: str, most_bytes: int = MOST_BYTES) -> None:
    """Refuse more bytes than the limit."""
    if size > most_bytes:
        limit = f"{most_bytes / 2**20:g} MB" if most_bytes >= 2**20 else f"{most_bytes} bytes"
        raise TooLargeError(f"is larger than the limit of {limit}", file=file)


def _check_line(text: str, file: str, number: int) -> None:
    if "\n" in text:
        raise InputError(
            "the output contains a line break", file=file, line=number, fix="Write each sentence on one line"
        )
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise InputError(
            "the output contains a character that cannot be encoded as UTF-8 (a lone surrogate)",
            file=file,
            line=number,
            fix="Write valid Unicode",
        )


def today() -> str:
    """Return the date in UTC."""
    return datetime.now(timezone.utc).date().isoformat()


@dataclass(frozen=True)
class Submission:
    """A system's outputs, and information about the system and its submitter.

    The fields that `about` returns are checked on creation. With `clean`, labels, quotes and code fences around the
    outputs are removed before scoring. For `aligned`, `tokenize` and `tokenized`, see `gecbench.score`. `role` is
    "system", "source", "baseline" or "human".
    """

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
    clean: bool = False
    year: int | None = None
    approach: str = ""
    size: str = ""
    open_weights: bool | None = None

    def __post_init__(self) -> None:
        check_fields(Record, self.about())

    def about(self) -> dict[str, Any]:
        """Return the fields of the record that describe the system."""
        return {
            "system": self.system,
            "submitter": self.submitter,
            "description": self.description,
            "links": [{"title": "", "url": url} for url in self.links],
            "date": self.date,
            "year": self.year,
            "approach": self.approach,
            "size": self.size,
            "open_weights": self.open_weights,
        }


@dataclass(frozen=True)
class Scored:
    """A scored submission: its record, details, warnings, outputs and scores.

    `rewritten` has an entry for each line that was cleaned or tokenized: the number of the line from 1, the submitted
    text and the scored text.
    """

    record: Record
    details: Details
    warnings: tuple[str, ...]
    prepared: Prepared
    scores: Mapping[str, Score]
    rewritten: tuple[tuple[int, str, str], ...] = ()


@dataclass(frozen=True)
class Submitted:
    """A scored submission with its rank.

    `added` is the name of the added record, or the address of a pull request, or None if nothing was added. `skipped`
    has a warning for each record of the board that could not be read.
    """

    record: Record
    warnings: tuple[str, ...]
    place: NewPlace
    added: str | None
    skipped: tuple[str, ...]
    rewritten: tuple[tuple[int, str, str], ...] = ()


def submit(
    submission: Submission,
    corpus: Corpus,
    store: FolderStore,
    *,
    dry_run: bool = False,
    counts: bool = False,
    resumed: bool = False,
    resamples: int = DEFAULT_RESAMPLES,
    progress: Progress = lambda _stage, _done: None,
) -> Submitted:
    """Check, score, rank and store a submission.

    Args:
        submission: The submission.
        corpus: The corpus that the system corrected.
        store: The board.
        dry_run: Whether to score only, without adding a record.
        counts: Whether a dry run counts against the limits of a private board.
        resumed: Whether a server stopped while it scored this submission, so that its record may exist already.
        resamples: The number of bootstrap resamples of the test against the neighbors in the ranking.
        progress: Called with each stage and the share done.

    Raises:
        InputError: If the submission is refused.
    """
    settings, loaded = store.settings, store.load()
    unlisted = store.unlisted.load().records if settings.private else ()
    others = [record for record in loaded.records if not (resumed and _is_of(record, submission))]
    _check_daily_limit(submission, settings, [*others, *unlisted])
    scored = score_submission(submission, corpus, private=settings.private, progress=progress)
    record = scored.record
    others = [other for other in loaded.records if not (resumed and other.id == record.id)]
    _check_new(record, others)
    _check_changes(scored, others, store)
    _check_changes(scored, [other for other in unlisted if other.outputs != record.outputs], store.unlisted, settings)
    tests = Significance(store, corpora_by_table([corpus]), resamples)
    tests.know(record, scored.prepared, scored.scores)
    place = place_of(record, others, tests, settings.ranked_by(record.table))
    if settings.private:
        unknown = [replace(neighbor, p_value=None) for neighbor in place.neighbors]
        above = None if place.above is None else replace(place.above, p_value=None)
        place = replace(place, above=above, neighbors=unknown)
    if dry_run and counts and settings.private:
        store.unlisted.add(record, scored.details)
    added = None if dry_run else store.add(record, scored.details)
    return Submitted(record, scored.warnings, place, added, loaded.warnings, scored.rewritten)


def _is_of(record: Record, submission: Submission) -> bool:
    return all(getattr(record, name) == value for name, value in submission.about().items())


def _check_daily_limit(submission: Submission, settings: Settings, records: Sequence[Record]) -> None:
    """Refuse a submission if its submitter has reached the daily limit of the board."""
    if settings.per_day is None:
        return
    most = counted(settings.per_day, "submission")
    if not submission.submitter.strip():
        raise InputError(
            "the name of the submitter is missing",
            fix=f"Give a name, because each submitter may make at most {most} per day",
        )
    name, day = normalized_submitter(submission.submitter), today()
    made = sum(record.date == day and normalized_submitter(record.submitter) == name for record in records)
    if made >= settings.per_day:
        problem = f"{submission.submitter} has reached the limit of {most} per day"
        raise InputError(problem, fix="Try again after midnight UTC")


def normalized_submitter(submitter: str) -> str:
    """Return a submitter's name in lower case with single blanks, to compare names."""
    return " ".join(submitter.casefold().split())


def _check_new(record: Record, records: Sequence[Record]) -> None:
    for other in records:
        if other.outputs == record.outputs and other.table == record.table and other.fingerprint == record.fingerprint:
            raise InputError(
                f"these outputs are already on the board, as {other.system!r}", fix="Submit each system once"
            )


def _check_changes(
    scored: Scored, records: Sequence[Record], store: FolderStore, settings: Settings | None = None
) -> None:
    """Refuse outputs that hardly differ from the source or earlier submissions.

    This applies to systems on a private board, and to earlier submissions of the same team. Otherwise, the difference
    between two scores would reveal whether the few different edits are correct.
    """
    needed = (settings or store.settings).needed_changes(len(scored.prepared.lines))
    if not needed or scored.record.role != "system":
        return
    team = normalized_submitter(scored.record.submitter)
    earlier = [
        (repr(other.system), details.predictions)
        for other in records
        if other.table == scored.record.table and normalized_submitter(other.submitter) == team
        if (details := store.details(other)) is not None and len(details.predictions) == len(scored.prepared.lines)
    ]
    for name, lines in [("the source", scored.prepared.corpus.sources), *earlier]:
        changed = sum(a.split() != b.split() for a, b in zip(lines, scored.prepared.lines, strict=True))
        if changed < needed:
            raise InputError(
                f"only {counted(changed, 'output')} differ{'s' if changed == 1 else ''} from {name}",
                fix=f"On this private board, at least {counted(needed, 'output')} must differ from the source and from "
                "each of your earlier submissions",
            )


def score_submission(
    submission: Submission,
    corpus: Corpus,
    *,
    private: bool = False,
    resamples: int = DEFAULT_RESAMPLES,
    progress: Progress = lambda _stage, _done: None,
) -> Scored:
    """Check a submission, and score it with every usable metric.

    `progress` is called with each stage and the share done. For a `private` corpus, the result has only rounded scores
    of the whole corpus, and nothing that depends on single references.
    """
    progress("checking the outputs", 0.0)
    file = submission.file
    _check_lengths(submission.predictions, corpus, file)
    given = submission.predictions
    if submission.clean:
        submission = replace(submission, predictions=clean(given, corpus.sources)[0])
    if private:  # if the tokenizer learned from the references, the tokenized lines would reveal words of them
        corpus = share_guide(Corpus(corpus.sources, metadata=corpus.metadata), corpus)
    prepared, notes = _prepare(submission, corpus)
    lines = enumerate(zip(given, prepared.lines, strict=True), start=1)
    rewritten = tuple((number, before, after) for number, (before, after) in lines if before != after)
    about: dict[str, bool] = {"aligned": submission.aligned, "copy": submission.role != "system", "private": private}
    notes += validate_outputs(prepared.lines, corpus, file, **about)
    if resamples and (note := small_sample_note(len(corpus), corpus.name)):
        notes.append(note)
    found = compute_figures(prepared, resamples, progress, private=private)
    name, reference_set = table_of(corpus)
    record = Record(
        **submission.about(),
        corpus=name,
        reference_set=reference_set,
        role=submission.role,
        fingerprint=corpus.fingerprint(),
        sentences=len(corpus),
        scores=found.figures,
        outputs=found.details.outputs,
        details=digest(found.details.to_json()),
        unchanged=_unchanged_share(prepared.lines, corpus),
    )
    progress("scored", 1.0)
    return Scored(record, found.details, (*notes, *found.warnings), prepared, found.scores, rewritten)


def _prepare(submission: Submission, corpus: Corpus) -> tuple[Prepared, list[str]]:
    """Return the checked outputs, and the warnings about them.

    Warnings about the corpus are dropped.
    """
    preprocessing = Preprocessing(submission.tokenize, submission.tokenized, submission.aligned, "error")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        prepared = preprocessing.prepare(corpus, submission.predictions, _OUTPUTS, submission.file)
    found = (str(each.message).rstrip(".") for each in caught)
    about_outputs = (text.removeprefix(f"{_OUTPUTS}: ") for text in found if text.startswith(_OUTPUTS))
    return prepared, [f"{submission.file}: {text}" for text in about_outputs]


def _check_lengths(predictions: Sequence[str], corpus: Corpus, file: str) -> None:
    """Raise an error if the number of outputs is wrong, or if they are much too long."""
    fix = "Write one output per line, in order, and an empty line for an empty output"
    check_line_count(len(predictions), len(corpus), corpus.name, file, fix)
    for number, (source, text) in enumerate(zip(corpus.sources, predictions, strict=True), start=1):
        if len(text.split()) > 100 + 10 * len(source.split()):
            raise InputError(
                f"{len(text.split())} tokens, but the source has {len(source.split())}",
                file=file,
                line=number,
                fix="Check this line: a correction is about as long as its source",
            )
    total, expected = (sum(len(text.split()) for text in texts) for texts in (predictions, corpus.sources))
    most = 1000 + _MOST_TIMES * expected
    if total > most:
        raise InputError(
            f"{total:,} tokens, but the sources have {expected:,}",
            file=file,
            fix=f"All outputs together may have at most {most:,} tokens",
        )


def validate_outputs(
    predictions: Sequence[str],
    corpus: Corpus,
    file: str,
    *,
    aligned: bool = False,
    copy: bool = False,
    private: bool = False,
) -> list[str]:
    """Refuse outputs that are clearly wrong, and return notes on suspicious outputs.

    Args:
        predictions: The outputs.
        corpus: The corpus that the system corrected.
        file: The name of the file in messages.
        aligned: Whether to skip the check for shifted lines.
        copy: Whether to accept the unchanged source, as a baseline.
        private: Whether to compare only with the sources, so that no message reveals a reference.

    Returns:
        Notes about suspicious outputs.

    Raises:
        InputError: If many lines look shifted, or if all lines are copies of the source.
    """
    misplaced = [] if aligned else misplaced_lines(predictions, _known_texts(corpus, private))
    if len(misplaced) >= 3 and len(misplaced) > len(corpus) / 5:
        raise InputError(
            f"{len(misplaced)} lines look like corrections of neighboring sentences",
            file=file,
            line=misplaced[0],
            fix="Give one output per line, in the order of the corpus, or skip this check with --aligned",
        )
    unchanged = _unchanged_share(predictions, corpus)
    if unchanged == 1 and not copy:
        fix = "Give the system's outputs, or use --baseline to list the source itself"
        raise InputError("every line is a copy of the source", file=file, fix=fix)
    notes = []
    if 0.95 <= unchanged < 1:
        notes.append(f"{percent(unchanged, 0)}% of the lines are copies of the source")
    if misplaced:
        shown = ", ".join(map(str, misplaced[:5])) + (", …" if len(misplaced) > 5 else "")
        if len(misplaced) == 1:
            notes.append(f"line {shown} looks like the correction of a neighboring sentence")
        else:
            notes.append(f"{len(misplaced)} lines look like corrections of neighboring sentences (lines {shown})")
    return notes


def _known_texts(corpus: Corpus, private: bool) -> list[tuple[str, ...]]:
    """Return the source of each sentence, and its references unless they are private."""
    references = [()] * len(corpus) if private or corpus.references is None else corpus.references
    return [(source, *texts) for source, texts in zip(corpus.sources, references, strict=True)]


def _unchanged_share(predictions: Sequence[str], corpus: Corpus) -> float:
    """Return the share of sentences with the same tokens as the source."""
    pairs = zip(corpus.sources, predictions, strict=True)
    return sum(source.split() == text.split() for source, text in pairs) / len(corpus)


@dataclass(frozen=True)
class VerificationResult:
    """The differences between a record and its new scores.

    `problems` is None if the record was not scored again.
    """

    file: str
    system: str
    problems: Sequence[str] | None


def verify_records(
    store: FolderStore, corpora: Mapping[BoardTable, Corpus], files: Sequence[str] = ()
) -> Iterator[VerificationResult]:
    """Score the records of a board again, and yield the differences.

    If `files` are given, only these records are scored again.
    """
    wanted = {Path(file).stem for file in files}
    paths = sorted((store.folder / "records").glob("*"))
    if missing := wanted - {path.stem for path in paths}:
        raise InputError(f"the board has no record {min(missing)[:80]!r}", fix="Give files in the folder records/")
    chosen = [path for path in paths if not files or path.stem in wanted]
    first_files: dict[object, str] = {}
    for path in set(paths) - set(chosen):
        with suppress(InputError, OSError):
            first_files[store.record(path).entry] = path.name
    for path in tracked(chosen, len(chosen), "rescoring records"):
        try:
            record = store.record(path)
        except (InputError, OSError) as error:
            yield VerificationResult(path.name, "", [str(error)])
            continue
        problems = _problems(record, store, corpora.get(record.table))
        first = first_files.setdefault(record.entry, path.name)
        if first != path.name:
            problems = [*(problems or ()), f"it has the same system, corpus and outputs as records/{first}"]
        yield VerificationResult(path.name, record.system, problems)


def _problems(record: Record, store: FolderStore, corpus: Corpus | None) -> list[str] | None:
    if record.kind == "reported":
        return None
    if corpus is None:
        return [f"the board has no corpus {record.corpus} ({record.reference_set})"]
    details = store.details(record)
    if details is None:
        return ["its outputs are missing or damaged"]
    again = Submission(
        **{name: getattr(record, name) for name in ("system", "submitter", "description", "date", "role")},
        predictions=details.predictions,
        aligned=True,
        tokenized=True,
    )
    try:
        scored = score_submission(again, corpus, private=store.settings.private, resamples=_resamples(record))
    except InputError as error:
        return [str(error)]
    changed = (name for name in _VERIFIED_FIELDS if getattr(record, name) != getattr(scored.record, name))
    found = [f"the field {name!r} differs when rescored" for name in changed]
    if record.role == "source" and record.unchanged != 1:
        found.append("its outputs are marked as the unchanged source, but differ from the source")
    new = board_plugins().keys() - record.scores.keys()  # plug-ins that were added after the record
    gone = {name for name, figure in record.scores.items() if is_plugin(figure)} - scored.record.scores.keys()
    kept, made = _without(asdict(details), gone), _without(asdict(scored.details), new)
    compared = (name for name in kept if kept[name] and name != "by_distance")  # only in 0.2.0, and not shown
    wrong = (name for name in compared if not _equal(kept[name], made[name]))
    found += [f"the field {name!r} of its details differs when rescored" for name in wrong]
    if store.settings.private:  # records of 0.2.0 have precision and recall, which no page shows
        record = replace(record, scores={name: {**each, "parts": {}} for name, each in record.scores.items()})
    metrics = {*record.scores, *scored.record.scores} - new
    return [*found, *(line for metric in sorted(metrics) for line in _differences(metric, record, scored.record))]


def _without(details: dict[str, Any], metrics: Collection[str]) -> dict[str, Any]:
    """Return details without the entries of these metrics."""
    return {
        name: {key: value for key, value in found.items() if key not in metrics} if isinstance(found, dict) else found
        for name, found in details.items()
    }


def _resamples(record: Record) -> int:
    """Return the number of resamples in a record's signatures, at most 10,000.

    The number is 0 if the signatures have none.
    """
    signatures = (Signature.parse(figure["signature"]) for figure in record.scores.values())
    found = {signature.get("resamples", "0").partition(":")[0] for signature in signatures}
    return min(int(max(found, key=int)), 10_000) if all(map(_SHORT.fullmatch, found)) else 0


def _differences(metric: str, claimed: Record, scored: Record) -> Iterator[str]:
    if metric in claimed.scores and metric not in scored.scores and is_plugin(claimed.scores[metric]):
        yield f"{metric}: not verified, because its plug-in was not given (--plugin)"
        return
    if metric not in claimed.scores or metric not in scored.scores:
        what = "in the record, but could not be computed here" if metric in claimed.scores else "not in the record"
        yield f"{metric}: the score is {what}"
        return
    if how_scored(claimed, metric) != how_scored(scored, metric):
        yield f"{metric}: the record was scored with other settings: {claimed.scores[metric]['signature']}"
    ours, theirs = scored.scores[metric], claimed.scores[metric]
    for name in ours:
        if name != "signature" and not _equal(theirs[name], ours[name]):
            yield f"{metric}: {name} is {_shown(theirs[name])} in the record, but {_shown(ours[name])} when rescored"


def _equal(claimed: Any, scored: Any) -> bool:
    """Return whether two values are equal, except for rounding errors."""
    if isinstance(claimed, dict) and isinstance(scored, dict):
        return claimed.keys() == scored.keys() and all(_equal(claimed[name], scored[name]) for name in scored)
    if isinstance(claimed, (list, tuple)) and isinstance(scored, (list, tuple)):
        return len(claimed) == len(scored) and all(map(_equal, claimed, scored))
    if isinstance(claimed, float) and isinstance(scored, float):
        return isclose(claimed, scored, rel_tol=1e-9, abs_tol=1e-9)
    return bool(claimed == scored)


def _shown(value: object) -> str:
    return f"{value:.6f}" if isinstance(value, float) else str(value)

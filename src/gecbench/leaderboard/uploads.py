"""Uploads to a server: limits, team tokens, and the queue of submissions."""

from __future__ import annotations

import hmac
import json
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from gecbench.analysis.tables import shown_p_value
from gecbench.corpus.corpus import Corpus
from gecbench.errors import GecbenchError, InputError, UnwritableError
from gecbench.formats.text import write_bytes
from gecbench.leaderboard.records import (
    Record,
    canonical_json,
    check_fields,
    digest,
    mapping_of,
    parse_json,
    sha256,
)
from gecbench.leaderboard.scoring import Progress
from gecbench.leaderboard.store import FolderStore, read_plain
from gecbench.leaderboard.submission import MOST_BYTES, Submission, normalized_submitter, submit, today
from gecbench.leaderboard.worker import StoppedError, TaskLimits, scorer_failure

Work = Callable[[Progress], dict[str, Any]]
MOST_TRIES = 3
_MOST_JOBS = 500
_PREVIEWED = 5
_ALIGNED = 'tick "Skip the check for shifted lines"'
_FORM_WORDS = {
    "pass aligned=True to skip this check": _ALIGNED,
    "skip this check with --aligned": f"if the order is right, {_ALIGNED}",
    'Pass tokenize="auto" to tokenize them, or tokenized=True to score them as they are': (
        'Choose "raw text" under Tokens'
    ),
    "Remove the extra text with gecbench.clean(lines, sources)": 'Tick "Remove labels and quotes"',
    "Give the system's outputs, or use --baseline to list the source itself": "Choose the file of the system's outputs",
}
"""Advice in error messages that names options or parameters, and the same advice in the words of the upload form."""
_FORM_FIELDS = {"system": "the name of the system", "url": "the link"}
_NOT_FORM = re.compile(r"--[a-z]|=True|=False|\b(?:column|annotator)=|gecbench\.|\bpath\b")


@dataclass(frozen=True)
class UploadLimits:
    """Limits of uploads.

    Attributes:
        most_bytes: The largest upload in bytes.
        per_minute: The number of uploads that a client may send per minute.
        waiting: The number of submissions that may wait or run at the same time.
        seconds: The longest time of an upload in seconds.
        scoring: The limits of the process that scores a submission.
    """

    most_bytes: int = MOST_BYTES
    per_minute: int = 10
    waiting: int = 20
    seconds: float = 60.0
    scoring: TaskLimits = field(default_factory=TaskLimits)


def score_upload(
    board: Path,
    submission: Submission,
    corpus: Corpus,
    resamples: int,
    resumed: bool,
    add: bool = True,
    *,
    progress: Progress,
) -> dict[str, Any]:
    """Score a submission, store it if `add`, and return a report.

    The report is for the submitter. A server runs this function in a child process.
    """
    store = FolderStore(board)
    adding: Any = {"dry_run": not add, "counts": True, "resumed": resumed}
    done = submit(submission, corpus, store, **adding, resamples=resamples, progress=progress)
    place = done.place
    return {
        "added": add,
        "scores": {
            name: {part: figure[part] for part in ("value", "low", "high", "parts")}
            for name, figure in done.record.scores.items()
        },
        "neighbors": [
            {"system": each.system, "value": each.value, "p_text": _shown(each.p_value)} for each in place.neighbors
        ],
        "rewritten": len(done.rewritten),
        "preview": [list(each) for each in done.rewritten[:_PREVIEWED]],
        "record": done.added,
        "corpus": done.record.corpus,
        "reference_set": done.record.reference_set,
        "metric": place.metric,
        "rank": place.rank,
        "of": place.of,
        "above": place.above.system if place.above else None,
        "p_value": place.above.p_value if place.above else None,
        "p_text": _shown(place.above.p_value if place.above else None),
        "warnings": [in_form_words(warning) for warning in done.warnings],
    }


def in_form_words(text: str) -> str:
    """Return a message in the words of the upload form.

    The message names controls of the form instead of options and parameters.

    >>> in_form_words("3 lines look shifted. Pair line by line; skip this check with --aligned.")
    '3 lines look shifted. Pair line by line; if the order is right, tick "Skip the check for shifted lines".'
    """
    for words, control in _FORM_WORDS.items():
        text = text.replace(words, control)
    return text


def form_error(error: InputError) -> InputError:
    """Return an error in the words of the upload form.

    Advice about options that the form does not have is left out.
    """
    field, _, rest = error.problem.partition(" ")
    named = f"{_FORM_FIELDS[field]} {rest}" if error.file is None and field in _FORM_FIELDS else error.problem
    problem, fix = in_form_words(named), in_form_words(error.fix or "")
    known = fix if fix and not _NOT_FORM.search(fix) else None
    return InputError(problem, file=error.file, line=error.line, fix=known)


def _shown(p_value: float | None) -> str:
    return "" if p_value is None else shown_p_value(p_value)


class Rate:
    """Limit how many uploads each client may send per minute, or per another period."""

    def __init__(self, most: int, seconds: float = 60, clock: Callable[[], float] = time.monotonic) -> None:
        self.most = most
        self.seconds = seconds
        self.clock = clock
        self._times: dict[str, list[float]] = {}

    def allows(self, client: str) -> bool:
        """Return whether the client may upload now, and count this upload if so."""
        now = self.clock()
        recent = {who: [t for t in times if t > now - self.seconds] for who, times in self._times.items()}
        self._times = {who: times for who, times in recent.items() if times}
        times = self._times.setdefault(client, [])
        if len(times) >= self.most:
            return False
        times.append(now)
        return True


class DailyCount:
    """Limit the uploads of each client or team per day (UTC).

    The counts are in a file, so they survive a restart.
    """

    def __init__(self, path: Path, most: int) -> None:
        self.path = path
        self.most = most
        self._lock = threading.Lock()

    def allows(self, client: str) -> bool:
        """Return whether the client may upload today, and count this upload if so.

        The count is saved at once.
        """
        with self._lock:
            day, counts = today(), self._load()
            made = counts.get(client, 0)
            if made >= self.most:
                return False
            content = {"day": day, "counts": {**counts, client: made + 1}}
            write_bytes(self.path, canonical_json(content), durable=True)
            return True

    def _load(self) -> dict[str, int]:
        with suppress(OSError, InputError, KeyError, TypeError, ValueError):
            content = parse_json(read_plain(self.path))
            if content["day"] == today():
                return {str(client): int(made) for client, made in content["counts"].items()}
        return {}


class TeamTokens:
    """The tokens of the teams that may upload.

    The board's `teams.json` has the SHA-256 of each team's token. A token is shown only once, when it is created. A
    board with this file accepts no upload without a token, even after all tokens were revoked.
    """

    def __init__(self, board: Path) -> None:
        self.path = board / "teams.json"

    def create(self, team: str) -> str:
        """Create and return a token for a team, replacing the team's earlier token."""
        check_fields(Record, {"submitter": team})
        if not normalized_submitter(team):
            raise InputError("the name of the team is empty", fix="Give a name")
        token = secrets.token_urlsafe(32)
        self._save({**self._without(team), team: digest(token.encode())})
        return token

    def revoke(self, team: str) -> None:
        """Remove the token of a team."""
        teams, kept = self.load() or {}, self._without(team)
        if len(kept) == len(teams):
            raise InputError(
                f"the board has no token for {team!r:.80}", fix=f"Teams with a token: {', '.join(teams) or 'none'}"
            )
        self._save(kept)

    def find(self, token: str) -> str | None:
        """Return the team of a token, or None for a wrong token."""
        return find_team(self.load() or {}, token)

    def load(self) -> dict[str, str] | None:
        """Return the hash of each team's token, or None for a board without the file."""
        if not self.path.exists() and not self.path.is_symlink():
            return None
        try:
            teams = parse_json(read_plain(self.path))
            mapping_of(sha256, re.compile(r"(?s).+"), 10_000)(teams, self.path.name)
        except (InputError, OSError) as error:
            raise InputError(f"cannot be read: {error}", file=self.path.name) from error
        return dict(teams)

    def _without(self, team: str) -> dict[str, str]:
        name = normalized_submitter(team)
        return {other: kept for other, kept in (self.load() or {}).items() if normalized_submitter(other) != name}

    def _save(self, teams: Mapping[str, str]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(self.path, canonical_json(teams), durable=True)
        self.path.chmod(0o600)


def find_team(teams: Mapping[str, str], token: str) -> str | None:
    """Return the team of a token, or None for a wrong token.

    The time that this takes does not reveal how much of a wrong token is right.
    """
    given = digest(token.encode("utf-8", "surrogatepass"))
    found = None
    for team, kept in teams.items():
        if hmac.compare_digest(given, kept):
            found = team
    return found


class Pending(NamedTuple):
    """An accepted submission, and how often a server has started to score it."""

    name: str
    submission: Submission
    corpus: str
    tries: int


@dataclass
class Job:
    """A submission that waits, is being scored, or has been scored.

    `state` is "waiting", "running", "done" or "failed". `result` has the report, or the error message.
    """

    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    state: str = "waiting"
    stage: str = ""
    done: float = 0.0
    result: dict[str, Any] = field(default_factory=dict)

    def report(self) -> dict[str, Any]:
        """Return the state of the job for the page."""
        return {"id": self.id, "state": self.state, "stage": self.stage, "done": round(self.done, 3), **self.result}


class PendingFolder:
    """Accepted submissions that are not scored yet, as files.

    If a server was stopped or killed, the next server scores the submissions that are left. A submission is moved to
    the folder `aside` if servers have stopped `most_tries` times while scoring it.
    """

    def __init__(self, folder: Path, most_tries: int = MOST_TRIES) -> None:
        self.folder = folder
        self.most_tries = most_tries

    def save(self, name: str, submission: Submission, corpus: str, tries: int = 0) -> None:
        """Write a submission, and return once it is on the disk."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot write: {error.strerror}", file=str(self.folder)) from error
        content = {"corpus": corpus, "submission": asdict(submission), "tries": tries}
        write_bytes(self.folder / f"{name}.json", json.dumps(content).encode(), durable=True)

    def remove(self, name: str) -> None:
        """Remove a submission."""
        (self.folder / f"{name}.json").unlink(missing_ok=True)

    def quarantine(self, name: str) -> Path:
        """Move a submission to the folder `aside`, and return its new path.

        No server tries to score it again.
        """
        place = self.folder / "aside" / f"{name}.json"
        place.parent.mkdir(exist_ok=True)
        (self.folder / f"{name}.json").replace(place)
        return place

    def load(self) -> Iterator[Pending]:
        """Yield the submissions that are left, oldest first, and skip damaged files."""
        for path in sorted(self.folder.glob("*.json"), key=lambda path: path.lstat().st_mtime):
            with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
                content = parse_json(read_plain(path))
                submission = Submission(**content["submission"])
                yield Pending(path.stem, submission, str(content["corpus"]), int(content.get("tries", 0)))


class Queue:
    """A queue of limited length, whose jobs are scored one at a time in a thread.

    If the result of a job cannot be written because the disk is full, the job waits and is tried again.
    """

    def __init__(self, most_waiting: int = 20, retry_seconds: float = 30.0) -> None:
        self.most_waiting = most_waiting
        self.retry_seconds = retry_seconds
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="scoring")

    def prepare(self) -> Job | None:
        """Return a job that has not started, or None if the queue is full."""
        with self._lock:
            if sum(job.state in ("waiting", "running") for job in self._jobs.values()) >= self.most_waiting:
                return None
            job = Job()
            self._jobs[job.id] = job
            return job

    def add_finished(self, job: Job) -> None:
        """Add a job that has ended, so that `find` returns it."""
        with self._lock:
            self._jobs[job.id] = job

    def discard(self, job: Job) -> None:
        """Remove a job that cannot start."""
        with self._lock:
            self._jobs.pop(job.id, None)

    def start(self, job: Job, work: Work) -> None:
        """Run a job after all jobs that were started before it."""
        with self._lock:
            self._jobs[job.id] = job
            while len(self._jobs) > _MOST_JOBS:
                self._jobs.popitem(last=False)
        self._worker.submit(self._run, job, work)

    def find(self, name: str) -> Job | None:
        """Return a job by its id."""
        with self._lock:
            return self._jobs.get(name)

    def close(self) -> None:
        """Wait for the running job to end, and start no other job."""
        self._worker.shutdown(wait=True, cancel_futures=True)

    def _retry(self, job: Job, work: Work) -> None:
        def again() -> None:
            with suppress(RuntimeError):  # the queue is closed, and the next server loads the submission
                self._worker.submit(self._run, job, work)

        timer = threading.Timer(self.retry_seconds, again)
        timer.daemon = True
        timer.start()

    def _run(self, job: Job, work: Work) -> None:
        def progress(stage: str, done: float) -> None:
            job.stage, job.done = stage, done

        job.state = "running"
        try:
            job.result = work(progress)
            job.state = "done"
        except (UnwritableError, OSError):
            job.state, job.stage, job.done = "waiting", "the board cannot be changed right now", 0.0
            self._retry(job, work)
        except StoppedError:
            job.state = "waiting"
        except GecbenchError as error:
            job.result, job.state = {"error": str(error)}, "failed"
        except Exception as error:
            job.result, job.state = {"error": scorer_failure(error)}, "failed"
            raise

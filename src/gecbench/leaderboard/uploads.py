"""Uploads to a server: their limits, and the queue in which they wait to be scored."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from gecbench.errors import GecbenchError, InputError
from gecbench.formats.text import write_bytes
from gecbench.leaderboard.scoring import Progress
from gecbench.leaderboard.submission import MOST_BYTES, Submission

Work = Callable[[Progress], dict[str, Any]]
MOST_TRIES = 3
_MOST_JOBS = 500


@dataclass(frozen=True)
class UploadLimits:
    """What is accepted: bytes and seconds per upload, uploads per client and minute, uploads waiting."""

    most_bytes: int = MOST_BYTES
    per_minute: int = 10
    waiting: int = 20
    seconds: float = 60.0


class Rate:
    """Count the uploads of each client in the last minute, or another period."""

    def __init__(self, most: int, seconds: float = 60, clock: Callable[[], float] = time.monotonic) -> None:
        self.most = most
        self.seconds = seconds
        self.clock = clock
        self._times: dict[str, list[float]] = {}

    def allows(self, client: str) -> bool:
        """Return whether the client may upload now, and count it."""
        now = self.clock()
        recent = {who: [t for t in times if t > now - self.seconds] for who, times in self._times.items()}
        self._times = {who: times for who, times in recent.items() if times}
        times = self._times.setdefault(client, [])
        if len(times) >= self.most:
            return False
        times.append(now)
        return True


class Pending(NamedTuple):
    """An accepted submission, and how often a server has started to score it."""

    name: str
    submission: Submission
    corpus: str
    tries: int


@dataclass
class Job:
    """One submission: `waiting`, `running`, `done` with a result, or `failed` with a sentence."""

    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    state: str = "waiting"
    stage: str = ""
    done: float = 0.0
    result: dict[str, Any] = field(default_factory=dict)

    def report(self) -> dict[str, Any]:
        """Return the state of the job for the page."""
        return {"id": self.id, "state": self.state, "stage": self.stage, "done": round(self.done, 3), **self.result}


class PendingFolder:
    """Accepted submissions as files, from when they are accepted until they are scored.

    If a server was stopped or killed, the next one scores what is left. A submission during which servers ended
    `most_tries` times is moved to the folder `aside`.
    """

    def __init__(self, folder: Path, most_tries: int = MOST_TRIES) -> None:
        self.folder = folder
        self.most_tries = most_tries

    def save(self, name: str, submission: Submission, corpus: str, tries: int = 0) -> None:
        """Write a submission; it is on the disk when this returns."""
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
        """Move a submission to where no server tries it again; return its path."""
        place = self.folder / "aside" / f"{name}.json"
        place.parent.mkdir(exist_ok=True)
        (self.folder / f"{name}.json").replace(place)
        return place

    def load(self) -> Iterator[Pending]:
        """Yield what is left, oldest first; damaged files are skipped."""
        for path in sorted(self.folder.glob("*.json"), key=lambda path: path.stat().st_mtime):
            with suppress(OSError, ValueError, KeyError, TypeError):
                content = json.loads(path.read_bytes())
                submission = Submission(**content["submission"])
                yield Pending(path.stem, submission, str(content["corpus"]), int(content.get("tries", 0)))


class Queue:
    """Jobs that are scored one after another in a thread; no more are accepted when too many wait."""

    def __init__(self, most_waiting: int = 20) -> None:
        self.most_waiting = most_waiting
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
        """Add a job that has ended, so that its state can be asked for."""
        with self._lock:
            self._jobs[job.id] = job

    def discard(self, job: Job) -> None:
        """Remove a job that cannot start."""
        with self._lock:
            self._jobs.pop(job.id, None)

    def start(self, job: Job, work: Work) -> None:
        """Run a job after those before it."""
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
        """Wait for the running job to end; those that wait are not started."""
        self._worker.shutdown(wait=True, cancel_futures=True)

    @staticmethod
    def _run(job: Job, work: Work) -> None:
        def progress(stage: str, done: float) -> None:
            job.stage, job.done = stage, done

        job.state = "running"
        try:
            job.result = work(progress)
            job.state = "done"
        except GecbenchError as error:
            job.result, job.state = {"error": str(error)}, "failed"
        except Exception as error:
            job.result, job.state = {"error": f"The scorer failed ({type(error).__name__})."}, "failed"
            raise

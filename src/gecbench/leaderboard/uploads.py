"""Uploads to a server: how large and how often they may be, and the queue in which they wait to be scored."""

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
_REMEMBERED = 500


@dataclass(frozen=True)
class Limits:
    """How much is taken: bytes and seconds per upload, uploads per client and minute, uploads waiting."""

    most_bytes: int = MOST_BYTES
    per_minute: int = 10
    waiting: int = 20
    seconds: float = 60.0


class Rate:
    """Counts the uploads of each client in the last minute, or another time."""

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


class Kept(NamedTuple):
    """A submission that waits, and how often a server has begun to score it."""

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
        """Return what the page is told."""
        return {"id": self.id, "state": self.state, "stage": self.stage, "done": round(self.done, 3), **self.result}


class Waiting:
    """Accepted submissions as files, from the answer that they are accepted until they are scored.

    What a server that was stopped or killed leaves here, the next one scores; but one during which servers ended
    `most_tries` times is set aside, in the folder `aside`.
    """

    def __init__(self, folder: Path, most_tries: int = MOST_TRIES) -> None:
        self.folder = folder
        self.most_tries = most_tries

    def keep(self, name: str, submission: Submission, corpus: str, tries: int = 0) -> None:
        """Write a submission down; it is on the disk when this returns."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot write: {error.strerror}", file=str(self.folder)) from error
        content = {"corpus": corpus, "submission": asdict(submission), "tries": tries}
        write_bytes(self.folder / f"{name}.json", json.dumps(content).encode(), durable=True)

    def drop(self, name: str) -> None:
        """Forget a submission."""
        (self.folder / f"{name}.json").unlink(missing_ok=True)

    def set_aside(self, name: str) -> Path:
        """Move a submission to where no server tries it again; return its place."""
        place = self.folder / "aside" / f"{name}.json"
        place.parent.mkdir(exist_ok=True)
        (self.folder / f"{name}.json").replace(place)
        return place

    def kept(self) -> Iterator[Kept]:
        """Yield what is left, oldest first; a damaged file is passed over."""
        for path in sorted(self.folder.glob("*.json"), key=lambda path: path.stat().st_mtime):
            with suppress(OSError, ValueError, KeyError, TypeError):
                content = json.loads(path.read_bytes())
                submission = Submission(**content["submission"])
                yield Kept(path.stem, submission, str(content["corpus"]), int(content.get("tries", 0)))


class Queue:
    """Jobs scored one after another in a thread; when too many wait, no more are taken."""

    def __init__(self, most_waiting: int = 20) -> None:
        self.most_waiting = most_waiting
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="scoring")

    def prepare(self) -> Job | None:
        """Return a job that is yet to start, or None where the queue is full."""
        with self._lock:
            if sum(job.state in ("waiting", "running") for job in self._jobs.values()) >= self.most_waiting:
                return None
            job = Job()
            self._jobs[job.id] = job
            return job

    def remember(self, job: Job) -> None:
        """Take a job that has ended, to answer for it."""
        with self._lock:
            self._jobs[job.id] = job

    def forget(self, job: Job) -> None:
        """Take back a job that cannot start."""
        with self._lock:
            self._jobs.pop(job.id, None)

    def start(self, job: Job, work: Work) -> None:
        """Have a job done when those before it are."""
        with self._lock:
            self._jobs[job.id] = job
            while len(self._jobs) > _REMEMBERED:
                self._jobs.popitem(last=False)
        self._worker.submit(self._run, job, work)

    def find(self, name: str) -> Job | None:
        """Return a job by its id."""
        with self._lock:
            return self._jobs.get(name)

    def close(self) -> None:
        """Let the running job end, and the waiting ones be."""
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

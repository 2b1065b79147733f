"""Submissions on their way: one is scored at a time, each can be asked how far it is."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from gecbench.errors import GecbenchError
from gecbench.leaderboard.submission import Progress

Work = Callable[[Progress], dict[str, Any]]
_REMEMBERED = 500


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


class Queue:
    """Jobs scored one after another in a thread; when too many wait, no more are taken."""

    def __init__(self, most_waiting: int = 20) -> None:
        self.most_waiting = most_waiting
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="scoring")

    def add(self, work: Work) -> Job | None:
        """Take a job, or return None where the queue is full."""
        with self._lock:
            if sum(job.state in ("waiting", "running") for job in self._jobs.values()) >= self.most_waiting:
                return None
            job = Job()
            self._jobs[job.id] = job
            while len(self._jobs) > _REMEMBERED:
                self._jobs.popitem(last=False)
        self._worker.submit(self._run, job, work)
        return job

    def find(self, name: str) -> Job | None:
        """Return a job by its id."""
        with self._lock:
            return self._jobs.get(name)

    def close(self) -> None:
        """Let the running job end and drop the waiting ones."""
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

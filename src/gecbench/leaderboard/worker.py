"""Run a task in a child process with limits on its time, processor time and memory.

A server scores untrusted text. In a process of its own, slow or greedy input can stop neither the page nor the other
submissions. The child ends when it meets a limit, and when its parent ends for whatever reason: it watches a pipe that
only the parent holds open.
"""

from __future__ import annotations

import errno
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gecbench.errors import GecbenchError, InputError, UnwritableError
from gecbench.leaderboard.scoring import Progress

Task = Callable[..., dict[str, Any]]
_GRACE_SECONDS = 5.0
# Readers of the page come first, already while the child imports its libraries.
_START = """
import os, sys
sys.path[:] = {path!r}
os.name != "posix" or os.nice(10)
from gecbench.leaderboard.worker import main
main()
"""


@dataclass(frozen=True)
class TaskLimits:
    """What a task may use: seconds by the clock, seconds of processor time over all threads, and bytes of memory.

    Windows limits the clock alone, macOS all but the memory.
    """

    seconds: float = 120.0
    processor_seconds: int = 240
    memory: int = 4 * 2**30


class TaskLimitError(GecbenchError):
    """A task used more than it may, or its process ended."""


class StoppedError(GecbenchError):
    """A task was stopped because the server ends."""


class Worker:
    """Run tasks one at a time, each in a new child process."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._lock = threading.Lock()

    def run(
        self,
        task: Task,
        *arguments: object,
        limits: TaskLimits = TaskLimits(),
        progress: Progress = lambda _stage, _done: None,
    ) -> dict[str, Any]:
        """Run a task and return its answer, which is JSON; `progress` is passed on to it.

        Raises:
            UnwritableError: If the task could not write a file.
            InputError: If the task refused its input.
            TaskLimitError: If the task met a limit.
            StoppedError: If `close` was called.
        """
        answer: dict[str, Any] = {}
        with self._start() as process:
            late = threading.Timer(limits.seconds + _GRACE_SECONDS, process.kill)
            late.daemon = True
            late.start()
            try:
                _send(process, (limits, task, arguments))
                for line in process.stdout or ():
                    answer = json.loads(line)
                    if "stage" in answer:
                        progress(answer["stage"], answer["done"])
                status = process.wait()
            finally:
                late.cancel()
                process.kill()
        if self._closed:
            raise StoppedError("the server was stopped")
        if "answer" in answer:
            return dict(answer["answer"])
        raise _error(answer, status, limits)

    def close(self) -> None:
        """Stop the task that runs, and refuse new ones."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.kill()

    def _start(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._closed:
                raise StoppedError("the server was stopped")
            command = [sys.executable, "-c", _START.format(path=sys.path)]
            pipe = subprocess.PIPE
            # In a session of its own, Ctrl-C reaches the server alone, which then ends its children.
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, start_new_session=True)
            return self._process


def _send(process: subprocess.Popen[bytes], task: object) -> None:
    """Send a child its task, and leave the pipe open: closed, it would end the child."""
    assert process.stdin is not None
    try:
        process.stdin.write(pickle.dumps(task))
        process.stdin.flush()
    except OSError:  # the child has ended, and its status says how
        with suppress(OSError):
            process.stdin.close()


def _error(answer: dict[str, Any], status: int, limits: TaskLimits) -> GecbenchError:
    if "unwritable" in answer:
        return UnwritableError("cannot write")
    if "refused" in answer:
        return InputError(**answer["refused"])
    if "error" in answer:
        return GecbenchError(answer["error"])
    return TaskLimitError(_limit_met("memory" in answer, status, limits))


def _limit_met(memory: bool, status: int, limits: TaskLimits) -> str:
    if memory:
        return f"Scoring needs more memory than the {limits.memory / 2**30:.3g} GB allowed."
    if os.name == "posix" and status == -signal.SIGXCPU:
        return f"Scoring takes more processor time than the {limits.processor_seconds} s allowed."
    if os.name != "posix" or status == -signal.SIGALRM:
        return f"Scoring takes longer than the {limits.seconds:g} s allowed."
    return f"The scoring process stopped unexpectedly (status {status})."


def main() -> None:
    """Run the task that the parent sends, print its progress and its answer as lines of JSON, and end."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else is printed goes to the server's log

    def send(answer: dict[str, Any]) -> None:
        answers.write(f"{json.dumps(answer)}\n")
        answers.flush()

    limits, task, arguments = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _apply(limits)
    try:
        found = {"answer": task(*arguments, progress=lambda stage, done: send({"stage": stage, "done": done}))}
    except OSError as error:
        found = {"memory" if error.errno == errno.ENOMEM else "unwritable": True}
    except UnwritableError:
        found = {"unwritable": True}
    except InputError as error:
        found = {"refused": {name: getattr(error, name) for name in ("problem", "file", "line", "fix")}}
    except GecbenchError as error:
        found = {"error": str(error)}
    except MemoryError:
        found = {"memory": True}
    except Exception as error:
        import traceback

        traceback.print_exc()
        found = {"error": f"The scorer failed ({type(error).__name__})."}
    with suppress(OSError):
        send(found)
    os._exit(0)  # at once: threads of libraries, and the one that waits for the parent, need no farewell


def _end_with_parent() -> None:
    while os.read(0, 4096):
        pass
    os._exit(1)


def _apply(limits: TaskLimits) -> None:
    """Limit this process; the system ends it with a signal, whatever it is doing."""
    if os.name != "posix":
        return
    import resource

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, limits.seconds)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (limits.processor_seconds, limits.processor_seconds + 1))
    with suppress(ValueError, OSError):  # macOS knows no such limit
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + limits.memory, used + limits.memory))

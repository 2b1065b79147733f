"""Run a task in a child process with limited time, CPU time and memory.

A server scores untrusted text. Scoring in a child process keeps slow or large input from blocking the page or other
submissions. The child stops when it reaches a limit. It also stops when its parent stops for any reason, because it
watches a pipe that only the parent holds open.
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
# The low priority (nice) is set before the imports, so that readers of the page come first from the start.
_START = """
import os, sys
sys.path[:] = {path!r}
os.name != "posix" or os.nice(10)
from gecbench.leaderboard.worker import main
main()
"""


@dataclass(frozen=True)
class TaskLimits:
    """The limits of a task: elapsed seconds, CPU seconds, and bytes of memory.

    CPU seconds are summed over all threads. The memory that the process uses before the task is not counted. On
    Windows, only the elapsed time is limited. On macOS, the memory is not limited.
    """

    seconds: float = 120.0
    processor_seconds: int = 240
    memory: int = 4 * 2**30


class TaskLimitError(GecbenchError):
    """A task reached a limit, or its process stopped unexpectedly."""


class StoppedError(GecbenchError):
    """A task was stopped because the server is stopping."""


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
        """Run a task and return its answer.

        Args:
            task: A function that can be pickled and returns JSON data.
            *arguments: Its positional arguments.
            limits: The limits of the child process.
            progress: Called with each stage that the task reports, and the share done.

        Raises:
            UnwritableError: If the task could not write a file.
            InputError: If the task refused its input.
            TaskLimitError: If the task reached a limit.
            StoppedError: If `close` was called.
            GecbenchError: If the task failed in another way.
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
        """Stop the running task, and refuse new tasks."""
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
            # In a new session, the child does not get Ctrl-C: only the server gets it, and then stops its children.
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, start_new_session=True)
            return self._process


def _send(process: subprocess.Popen[bytes], task: object) -> None:
    """Send a child its task, and leave the pipe open.

    The child stops when the pipe is closed.
    """
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
    fix = "Shorten unusually long outputs, or write to the board's owner."
    if memory:
        return f"Scoring needs more memory than the limit of {limits.memory / 2**30:.3g} GB. {fix}"
    if os.name == "posix" and status == -signal.SIGXCPU:
        return f"Scoring takes more CPU time than the limit of {limits.processor_seconds} s. {fix}"
    if os.name != "posix" or status == -signal.SIGALRM:
        return f"Scoring takes longer than the limit of {limits.seconds:g} s. {fix}"
    return (
        f"The scoring process stopped unexpectedly (status {status}). Try again later, or write to the board's owner."
    )


def scorer_failure(error: BaseException) -> str:
    """Return the message for an unexpected error of the scorer."""
    return f"The scorer failed ({type(error).__name__}). Write to the board's owner."


def main() -> None:
    """Run the task that the parent sends, and exit.

    The progress and the answer of the task are printed as lines of JSON.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # anything else that is printed goes to the server's log

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
        found = {"error": scorer_failure(error)}
    with suppress(OSError):
        send(found)
    os._exit(0)  # exit at once, without waiting for other threads


def _end_with_parent() -> None:
    while os.read(0, 4096):
        pass
    os._exit(1)


def _apply(limits: TaskLimits) -> None:
    """Limit the time, CPU time and memory of this process.

    The operating system stops the process with a signal at a limit of time. At the limit of memory, allocations fail.
    """
    if os.name != "posix":
        return
    import resource

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, limits.seconds)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (limits.processor_seconds, limits.processor_seconds + 1))
    with suppress(ValueError, OSError):  # macOS has no such limit
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + limits.memory, used + limits.memory))

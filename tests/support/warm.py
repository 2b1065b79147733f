"""Runs programs in a fork of a process that has imported gecbench already: what a new process does, sooner."""

from __future__ import annotations

import io
import itertools
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from multiprocessing.context import ForkServerContext
from pathlib import Path

# What is there of it. Not huggingface_hub, which reads the environment when it is imported, but what it imports.
IMPORTED = [
    *("gecbench.api", "gecbench.cli.options", "gecbench.leaderboard.server", "gecbench.leaderboard.server"),
    *(f"gecbench.metrics.{name}" for name in ("bleu", "errant.metric", "gleu", "imeasure.metric", "m2.metric")),
    *("numpy.random", "rapidfuzz.distance", "sacrebleu", "threadpoolctl"),
    *("fsspec", "httpcore2", "httpx2", "tqdm.auto", "yaml"),
]
_numbers = itertools.count()


def gecbench(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, and return its status and what it prints; options are those of `start`."""
    program = start(*arguments, **options)
    output, errors = program.communicate(timeout=120)
    return subprocess.CompletedProcess(arguments, program.returncode, output, errors or "")


def start(
    *arguments: object,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    together: bool = False,
    module: str = "gecbench.__main__",
) -> Program | subprocess.Popen[str]:
    """Start a command in a folder; `together`, errors are in the output. A module other than gecbench has a `main`."""
    words, place = list(map(str, arguments)), folder or Path.cwd()
    variables = dict(os.environ if environment is None else environment)
    if _forks() is not None:
        return Program(module, words, place, variables, together)
    variables["PYTHONPATH"] = os.pathsep.join(sys.path)
    command = [sys.executable, "-X", "utf8", "-m", module, *words]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT if together else subprocess.PIPE}
    return subprocess.Popen(command, cwd=place, env=variables, encoding="utf-8", **streams)


class Program:
    """A fork that runs a command, with what tests need of `subprocess.Popen`."""

    def __init__(
        self, module: str, words: Sequence[str], folder: Path, environment: Mapping[str, str], together: bool
    ) -> None:
        printed = Path(_place().name, str(next(_numbers)))
        self._output, self._errors = printed, printed if together else printed.with_suffix(".errors")
        for path in (self._output, self._errors):
            path.touch()
        arguments = (module, words, folder, environment, (self._output, self._errors))
        self._process = _forks().Process(target=_run, args=arguments)
        self._process.start()
        self.pid = self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired(self._process.name, timeout or 0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self._process.kill()

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        self.wait(timeout)
        output, errors = (path.read_text("utf-8", "replace") for path in (self._output, self._errors))
        return output, "" if self._output == self._errors else errors


@cache
def _forks() -> ForkServerContext | None:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return None
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(IMPORTED)
    return context


@cache
def _place() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="gecbench-printed-", ignore_cleanup_errors=True)


def _run(
    module: str, words: Sequence[str], folder: Path, environment: Mapping[str, str], printed: Sequence[Path]
) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    for number, path in enumerate(printed, 1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_APPEND), number)
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(io.FileIO(number, "w", closefd=False), encoding="utf-8", write_through=True)
        for number in (1, 2)
    )
    sys.argv = [module, *words]
    sys.exit(import_module(module).main())

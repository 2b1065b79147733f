"""Runs the command line in a fork of a process that has imported it already: what a new process prints, sooner."""

from __future__ import annotations

import io
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing.context import ForkServerContext
from pathlib import Path

# Not huggingface_hub, which reads the environment when it is imported.
IMPORTED = [
    *("gecbench.api", "gecbench.cli.options", "gecbench.metrics.bleu", "gecbench.metrics.imeasure.gold"),
    *("gecbench.leaderboard.page", "gecbench.leaderboard.submission"),
]


def gecbench(
    *arguments: object,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    together: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, and return its status and what it prints; `together`, errors are in the output."""
    words, place = list(map(str, arguments)), folder or Path.cwd()
    variables = dict(os.environ if environment is None else environment)
    if (context := _forks()) is None:
        command = [sys.executable, "-X", "utf8", "-m", "gecbench", *words]
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT if together else subprocess.PIPE}
        return subprocess.run(command, cwd=place, env=variables, encoding="utf-8", check=False, **streams)
    with tempfile.TemporaryDirectory() as printed:
        output, errors = Path(printed, "output"), Path(printed, "output" if together else "errors")
        process = context.Process(target=_run, args=(words, place, variables, (output, errors)))
        process.start()
        process.join()
        texts = (output.read_text(encoding="utf-8"), "" if together else errors.read_text(encoding="utf-8"))
        return subprocess.CompletedProcess(words, process.exitcode or 0, *texts)


@cache
def _forks() -> ForkServerContext | None:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return None
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(IMPORTED)
    return context


def _run(words: Sequence[str], folder: Path, environment: Mapping[str, str], printed: Sequence[Path]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    for number, path in enumerate(printed, 1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(io.FileIO(number, "w", closefd=False), encoding="utf-8", write_through=True)
        for number in (1, 2)
    )
    sys.argv = ["gecbench", *words]
    from gecbench.__main__ import main

    sys.exit(main())

"""Trace which files of gecbench a command runs through, and which packages call each other in both directions.

    python tests/support/walk.py score -s source.txt -r reference.txt -p predictions.txt
    python tests/support/walk.py --call load_corpus jfleg:test     a public function instead of a command

A file counts when one of its functions runs after the file was imported.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any


@dataclass
class Walk:
    """The files that ran, in order of their first call, and the pairs (caller, called) of packages."""

    files: list[str] = field(default_factory=list)
    calls: set[tuple[str, str]] = field(default_factory=set)

    def mutual_calls(self) -> list[tuple[str, str]]:
        """Return the pairs of packages that call each other in both directions."""
        return sorted((one, other) for one, other in self.calls if one < other and (other, one) in self.calls)


class Tracer:
    """A profile function that records calls of functions defined below a folder."""

    def __init__(self, folder: Path) -> None:
        self.prefix = str(folder) + os.sep
        self.walk = Walk()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        """Record one call; calls made while a module is being imported are ignored."""
        if event != "call" or not frame.f_code.co_filename.startswith(self.prefix):
            return
        stack = list(self._own_frames(frame))
        if any(each.f_code.co_name == "<module>" for each in stack):
            return
        called, *callers = (self._relative(each.f_code.co_filename) for each in stack)
        if called not in self.walk.files:
            self.walk.files.append(called)
        if callers and package(callers[0]) != package(called):
            self.walk.calls.add((package(callers[0]), package(called)))

    def _relative(self, file: str) -> str:
        return file.removeprefix(self.prefix).replace(os.sep, "/")

    def _own_frames(self, frame: FrameType | None) -> Iterator[FrameType]:
        while frame is not None:
            if frame.f_code.co_filename.startswith(self.prefix):
                yield frame
            frame = frame.f_back


def package(file: str) -> str:
    """Return the first folder of a file's path; of a file at the top, its name."""
    return file.partition("/")[0].removesuffix(".py")


def trace(function: Callable[[], object], folder: Path) -> Walk:
    """Run a function in this process and return its walk through a package's folder; what it prints is dropped."""
    tracer = Tracer(folder)
    threading.setprofile(tracer)
    sys.setprofile(tracer)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            function()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return tracer.walk


def walk(arguments: Sequence[str], folder: Path) -> Walk:
    """Trace a command in a new process, where no cache of an earlier run hides a file."""
    command = [sys.executable, __file__, *arguments]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout)
    return Walk(found["files"], set(map(tuple, found["calls"])))


def main() -> None:
    """Print the walk of a command or a call as JSON."""
    import gecbench
    from gecbench.cli import main as run

    def call() -> None:
        if sys.argv[1] == "--call":
            getattr(gecbench, sys.argv[2])(*sys.argv[3:])
        else:
            run(sys.argv[1:])

    found = trace(call, Path(gecbench.__file__).parent)
    print(json.dumps({"files": found.files, "calls": sorted(found.calls), "mutual": found.mutual_calls()}, indent=1))


if __name__ == "__main__":
    main()

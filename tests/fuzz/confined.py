"""Run gecbench on hostile input, each time in a process with limited time and memory, and judge the outcome.

The rule: a result, or one sentence and status 2, within the limits; never a traceback, never another file touched.
"""

from __future__ import annotations

import json
import os
import pickle
import re
import signal
import struct
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import gecbench

SECONDS = 20  # of processor time
MEMORY = 1 << 30  # beyond what the imports take
_USAGE = re.compile(r"usage: .*?(?=^gecbench)", re.DOTALL | re.MULTILINE)
_ONE_ERROR = re.compile(r"gecbench(?: [\w ]+: error)?: .+")


@dataclass(frozen=True)
class Case:
    """A command in a folder with these files. It may make or change only files whose names start with one of `outputs`.

    With `call`, a function of Python is called instead: its name and its arguments.
    """

    arguments: Sequence[str]
    files: Mapping[str, bytes] = field(default_factory=dict)
    outputs: frozenset[str] = frozenset()
    statuses: frozenset[int] = frozenset({0, 2})
    call: tuple[str, tuple[Any, ...], dict[str, Any]] | None = None


class Ending(NamedTuple):
    """How a case ended: exit status (or minus the signal), printed text, and files that are new, changed or deleted."""

    status: int
    output: str
    errors: str
    touched: frozenset[str]


class Confined:
    """A process that has imported gecbench and runs every case in a fork of itself."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-X", "utf8", str(Path(__file__).with_name("forks.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={
                **os.environ,
                "GECBENCH_THREADS": "2",
                "OMP_NUM_THREADS": "1",
                "HF_HUB_OFFLINE": "1",
                "COLUMNS": "200",
            },
        )

        self._answer()  # all is imported

    def _answer(self) -> int:
        assert self._server.stdout is not None
        (status,) = struct.unpack("<i", self._server.stdout.read(4))
        return int(status)

    def run(self, case: Case) -> Ending:
        """Run a case in a folder of its own, with a home and a folder for temporary files that must stay empty."""
        with tempfile.TemporaryDirectory(prefix="confined-") as place:
            return self.run_in(Path(place), case)

    def run_in(self, place: Path, case: Case) -> Ending:
        """Run a case in the folder `work` of a place, with the files that are already there."""
        assert self._server.stdin is not None
        work = place / "work"
        for name in ("work", "home", "tmp"):
            (place / name).mkdir(exist_ok=True)
        for name, content in case.files.items():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_bytes(content)
        before = _contents(place)
        request = pickle.dumps((str(place), list(case.arguments), case.call, SECONDS, MEMORY))
        self._server.stdin.write(struct.pack("<I", len(request)) + request)
        self._server.stdin.flush()
        status = self._answer()
        after = _contents(place)
        output, errors = (after.pop(name).decode("utf-8", "replace") for name in ("output", "errors"))
        touched = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        return Ending(status, output, errors, frozenset(name.removeprefix("work/") for name in touched))


@cache
def confined() -> Confined:
    """Return the process that runs cases. It ends when this process ends."""
    return Confined()


def _contents(place: Path) -> dict[str, bytes]:
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()}


def judge(case: Case, ending: Ending) -> str:
    """Return the problem of an ending in one line, or an empty text."""
    status, output, errors, touched = ending
    if status < 0:
        name = signal.Signals(-status).name
        return f"more than {SECONDS} s" if name in ("SIGXCPU", "SIGALRM") else f"killed by {name}"
    if "Traceback (most recent call last)" in errors:
        return f"traceback: {_last_line(errors)}"
    if status not in case.statuses:
        return f"status {status}: {_last_line(errors)}"
    if wrong := [name for name in touched if status or not name.startswith(tuple(case.outputs))]:
        return f"files touched with status {status}: {sorted(wrong)}"
    return _wrong_words(case, status, output, errors)


def _wrong_words(case: Case, status: int, output: str, errors: str) -> str:
    if "out of memory" in errors:
        return "out of memory"
    if set(re.findall(r"\b\w*Warning\b", errors)) - _own_warnings() or re.search(
        r"encountered in|divide by zero", errors
    ):
        return f"a warning of Python's: {_last_line(errors)}"
    if odd := {character for character in errors if unicodedata.category(character) in ("Cc", "Cf")} - {"\n", "\t"}:
        return f"control characters in a message: {sorted(map(ascii, odd))}"
    if status != 0:
        said = [line for line in _USAGE.sub("", errors).splitlines() if not line.startswith("gecbench: warning: ")]
        if len(said) != 1 or not _ONE_ERROR.fullmatch(said[0]):
            return f"not one sentence: {said[:3]}"
    if status == 0 and "json" in case.arguments:
        try:
            for text in output.splitlines() if "--per-sentence" in case.arguments else [output]:
                json.loads(text, parse_constant=_refuse)
        except ValueError as error:
            return f"not JSON ({error})"
    return ""


@cache
def _own_warnings() -> frozenset[str]:
    """Return the names of the warnings that gecbench itself gives about what it scores."""
    return frozenset(name for name in gecbench.__all__ if name.endswith("Warning"))


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _last_line(text: str) -> str:
    return next(reversed(text.strip().splitlines()), "nothing said")[:200]


def shown(case: Case, ending: Ending) -> str:
    """Return everything that is needed to reproduce a case."""
    files = "".join(f"  {name}: {content!r}\n" for name, content in case.files.items())
    return f"  {case.call or list(case.arguments)}\n{files}  status {ending.status}: {ending.errors[-1500:]}"

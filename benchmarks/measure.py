"""What the benchmarks share: processor time and memory of functions and programs, labels, tables, the machine.

Times are processor time, which other work disturbs little, and are read as multiples of a yardstick measured beside
them. It needs no package, so that peers can be measured in an environment of their own.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from io import StringIO
from pathlib import Path
from statistics import median
from typing import IO, Any

MOST_REPEATS = 25
YARDSTICKS = {"python": "pass", "numpy": "import numpy"}


@dataclass(frozen=True)
class Usage:
    """What a program took: seconds of processor time and of the clock, its most memory, what it printed."""

    seconds: float
    wall: float
    megabytes: float
    output: str


class FailedError(Exception):
    """A program that was to be measured failed; says how."""


def run_program(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Usage:
    """Run a program to its end, in an empty folder; its children's processor time is counted too."""
    if not hasattr(os, "wait4"):
        sys.exit("The processor time of programs cannot be measured here: use Linux or macOS.")
    temporary = tempfile.TemporaryFile
    with tempfile.TemporaryDirectory() as folder, temporary() as output, temporary() as errors:
        begin = time.perf_counter()
        whole = {**os.environ, **(environment or {})}
        try:
            running = subprocess.Popen(command, cwd=folder, env=whole, stdout=output, stderr=errors)
        except OSError as error:
            raise FailedError(f"{command[0]} cannot be run: {error.strerror}") from error
        _, status, used = os.wait4(running.pid, 0)
        wall = time.perf_counter() - begin
        running.returncode = os.waitstatus_to_exitcode(status)
        printed, complaints = (_content(stream) for stream in (output, errors))
    if running.returncode:
        last = (complaints.strip().splitlines() or ["it printed nothing"])[-1]
        raise FailedError(f"{Path(command[0]).name} ended with status {running.returncode}: {last}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Usage(used.ru_utime + used.ru_stime, wall, used.ru_maxrss * unit / 2**20, printed)


def _content(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode(errors="replace")


def gecbench_program(*arguments: object) -> list[str]:
    """Return the command line of gecbench: the script beside this Python, or the module where there is none."""
    script = shutil.which("gecbench", path=str(Path(sys.executable).parent))
    return [*([script] if script else [sys.executable, "-m", "gecbench"]), *map(str, arguments)]


def child(script: str, *arguments: object, python: str = sys.executable, **environment: str) -> dict[str, Any]:
    """Return the JSON that a script of this folder prints in a process of its own, with that process's memory."""
    used = run_program([python, str(Path(__file__).with_name(script)), *map(str, arguments)], environment)
    return {**json.loads(used.output), "megabytes": used.megabytes}


def beside(
    work: Callable[[], Usage | object], yardstick: Callable[[], Usage | object], seconds: float
) -> dict[str, Any]:
    """Measure work and its yardstick by turns for some seconds, at least once; return medians.

    The first time warms up, and counts only where it alone takes so much processor time. `cost` is what runs are
    compared by: processor time as a multiple of the yardstick's.
    """
    begin = time.perf_counter()
    lengths, yards = [_timed(work)], [_timed(yardstick) for _ in range(3)]
    if lengths[0].seconds < seconds:
        lengths.clear()
    while not lengths or (time.perf_counter() - begin < seconds and len(lengths) < MOST_REPEATS):
        lengths.append(_timed(work))
        yards.append(_timed(yardstick))
    processor, yard = median(each.seconds for each in lengths), median(each.seconds for each in yards)
    return {
        "seconds": processor,
        "wall": median(each.wall for each in lengths),
        "yardstick": yard,
        "cost": processor / yard,
        "megabytes": max(each.megabytes for each in lengths),
        "repeats": len(lengths),
    }


def _timed(work: Callable[[], Usage | object]) -> Usage:
    wall, begin = time.perf_counter(), time.process_time()
    done = work()
    if isinstance(done, Usage):
        return done
    return Usage(time.process_time() - begin, time.perf_counter() - wall, 0.0, "")


def best(work: Callable[[], object], repeats: int) -> float:
    """Return the shortest of some timings, in seconds of processor time."""
    return min(_timed(work).seconds for _ in range(repeats))


def quietly(main: Callable[..., object], *arguments: Any) -> object:
    """Call the function of a command and keep what it prints from the screen."""
    with redirect_stdout(StringIO()):
        return main(*arguments)


def split_files(files: Iterable[str | Path]) -> int:
    """Read files and split their lines, the least that any scorer does; return the number of tokens."""
    total = 0
    for file in files:
        with Path(file).open(encoding="utf-8") as lines:
            total += sum(len(line.split()) for line in lines)
    return total


def machine() -> dict[str, str]:
    """Return what the figures depend on."""
    return {
        "gecbench": _version("gecbench"),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "numpy": _version("numpy"),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": str(os.cpu_count()),
        "load": f"{os.getloadavg()[0]:.1f}",
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def machine_line(about: Mapping[str, str]) -> str:
    """Return the machine in one line, with how busy it was."""
    return (
        f"gecbench {about['gecbench']}, {about['python']}, numpy {about['numpy']}, {about['system']}, "
        f"{about['cores']} cores, load {about.get('load', 'unknown')} at the start"
    )


def time_label(seconds: float) -> str:
    """Return a time in seconds, milliseconds or microseconds."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{three_digits(seconds / size)} {unit}"
    return f"{three_digits(seconds * 1e6)} µs"


def three_digits(number: float) -> str:
    """Return a number with three digits, or all of those before its point."""
    decimals = 2 if abs(number) < 10 else 1 if abs(number) < 100 else 0
    return f"{number:,.{decimals}f}"


def markdown(header: Sequence[str], rows: Iterable[Sequence[object]], left: int = 1) -> str:
    """Return a Markdown table, padded to be read as it is; all but the first columns are numbers."""
    cells = [list(header), *([str(cell) for cell in row] for row in rows)]
    widths = [max(3, *(len(row[k]) for row in cells)) for k in range(len(header))]
    lines = ["| " + " | ".join(_pad(cell, widths[k], k < left) for k, cell in enumerate(row)) + " |" for row in cells]
    rule = "|".join("-" * (width + 2) if k < left else "-" * (width + 1) + ":" for k, width in enumerate(widths))
    return "\n".join([lines[0], f"|{rule}|", *lines[1:]])


def _pad(text: str, width: int, left: bool) -> str:
    return text.ljust(width) if left else text.rjust(width)


def tell(name: str) -> None:
    """Say on a terminal what is being measured; an empty name clears the line."""
    if sys.stderr.isatty():
        print(f"\r\033[K{name}", end="", file=sys.stderr, flush=True)


def print_row(*cells: object) -> None:
    """Print a row of a Markdown table."""
    print(f"| {' | '.join(map(str, cells))} |")


def mirror() -> Path | None:
    """Return the folder of the owners' files, if there is one."""
    found = os.environ.get("GECBENCH_MIRROR")
    return Path(found).resolve() if found else None


def saved_parts(path: str | Path) -> dict[str, Any]:
    """Return the parts of a results file by name; none where there is no such file."""
    return dict(json.loads(Path(path).read_text(encoding="utf-8"))) if Path(path).exists() else {}


def save_parts(path: str | Path, parts: Mapping[str, Any]) -> None:
    """Write parts of a results file as JSON, one measurement per line; its other parts stay as they are."""
    text = json.dumps({**saved_parts(path), **parts}, indent=1, ensure_ascii=False)
    innermost = re.sub(r"\{[^{}]*\}", lambda found: re.sub(r"\n\s*", " ", found[0]), text)
    Path(path).write_text(innermost + "\n", encoding="utf-8")


def rounded(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return a measurement with four digits to each number."""
    return {key: float(f"{value:.4g}") if isinstance(value, float) else value for key, value in found.items()}

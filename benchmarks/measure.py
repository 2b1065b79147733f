"""Shared by the benchmarks: processor time and memory of functions and programs, labels, tables, and the machine.

Times are processor time, because other work disturbs it little. Each is also given as a multiple of a yardstick that is
measured at the same time. This module needs no package, so peers can be measured in their own environment.
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
    """What a program used and printed: seconds of processor time, wall-clock seconds, peak memory, output."""

    seconds: float
    wall: float
    megabytes: float
    output: str


class FailedError(Exception):
    """A measured program failed. The message says how."""


def run_program(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Usage:
    """Run a program in an empty folder, and count its children's processor time too."""
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
    """Return the command line of gecbench: the script next to this Python, or else the module."""
    script = shutil.which("gecbench", path=str(Path(sys.executable).parent))
    return [*([script] if script else [sys.executable, "-m", "gecbench"]), *map(str, arguments)]


def child(script: str, *arguments: object, python: str = sys.executable, **environment: str) -> dict[str, Any]:
    """Run a script of this folder in its own process. Return the JSON that it prints, with its peak memory."""
    used = run_program([python, str(Path(__file__).with_name(script)), *map(str, arguments)], environment)
    return {**json.loads(used.output), "megabytes": used.megabytes}


def measure_with_yardstick(
    work: Callable[[], Usage | object], yardstick: Callable[[], Usage | object], seconds: float
) -> dict[str, Any]:
    """Measure work and its yardstick in turns for some seconds, at least once, and return medians.

    The first repeat is a warm-up. It counts only if it takes `seconds` of processor time alone. Runs are compared by
    `cost`: the processor time divided by the yardstick's.
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
    """Return the least processor time of several repeats, in seconds."""
    return min(_timed(work).seconds for _ in range(repeats))


def quietly(main: Callable[..., object], *arguments: Any) -> object:
    """Call a command's function without printing its output."""
    with redirect_stdout(StringIO()):
        return main(*arguments)


def split_files(files: Iterable[str | Path]) -> int:
    """Read files, split their lines, and return the number of tokens. Every scorer does at least this work."""
    total = 0
    for file in files:
        with Path(file).open(encoding="utf-8") as lines:
            total += sum(len(line.split()) for line in lines)
    return total


def machine() -> dict[str, str]:
    """Return the versions, the platform and the load that the figures depend on."""
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
    """Describe the machine and its load in one line."""
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
    """Return a number with three digits, or with all digits before the decimal point if there are more."""
    decimals = 2 if abs(number) < 10 else 1 if abs(number) < 100 else 0
    return f"{number:,.{decimals}f}"


def markdown(header: Sequence[str], rows: Iterable[Sequence[object]], left: int = 1) -> str:
    """Return a Markdown table with padded cells. All columns except the first `left` are right-aligned."""
    cells = [list(header), *([str(cell) for cell in row] for row in rows)]
    widths = [max(3, *(len(row[k]) for row in cells)) for k in range(len(header))]
    lines = ["| " + " | ".join(_pad(cell, widths[k], k < left) for k, cell in enumerate(row)) + " |" for row in cells]
    rule = "|".join("-" * (width + 2) if k < left else "-" * (width + 1) + ":" for k, width in enumerate(widths))
    return "\n".join([lines[0], f"|{rule}|", *lines[1:]])


def _pad(text: str, width: int, left: bool) -> str:
    return text.ljust(width) if left else text.rjust(width)


def show_progress(name: str) -> None:
    """Show on a terminal what is being measured. An empty name clears the line."""
    if sys.stderr.isatty():
        print(f"\r\033[K{name}", end="", file=sys.stderr, flush=True)


def print_row(*cells: object) -> None:
    """Print a row of a Markdown table."""
    print(f"| {' | '.join(map(str, cells))} |")


def mirror() -> Path | None:
    """Return the folder of GECBENCH_MIRROR, if it is set."""
    found = os.environ.get("GECBENCH_MIRROR")
    return Path(found).resolve() if found else None


def saved_parts(path: str | Path) -> dict[str, Any]:
    """Return the parts of a results file by name, or no parts if the file does not exist."""
    return dict(json.loads(Path(path).read_text(encoding="utf-8"))) if Path(path).exists() else {}


def save_parts(path: str | Path, parts: Mapping[str, Any]) -> None:
    """Write parts of a results file as JSON, one measurement per line, and keep its other parts."""
    text = json.dumps({**saved_parts(path), **parts}, indent=1, ensure_ascii=False)
    innermost = re.sub(r"\{[^{}]*\}", lambda found: re.sub(r"\n\s*", " ", found[0]), text)
    Path(path).write_text(innermost + "\n", encoding="utf-8")


def rounded(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return a measurement with its numbers rounded to four digits."""
    return {key: float(f"{value:.4g}") if isinstance(value, float) else value for key, value in found.items()}

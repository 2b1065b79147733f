"""What the benchmarks share: their options, the machine, times, memory, measurements in processes of their own."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import gecbench
from gecbench import kernels

Measurement = dict[str, float]
CONLL14 = "www.comp.nus.edu.sg/~nlp/conll14st/conll14st-test-data.tar.gz"
SUBMISSIONS = (
    "raw.githubusercontent.com/grammatical/evaluation/08cdad84ffae07dfa167e3e45d77a96e0e01a160"
    "/data/original/official_submissions"
)


def is_quick(description: str | None, measurement: Callable[..., Measurement], quick: str, more: str = "") -> bool:
    """Read the options, tell of the machine, and return whether to be quick; a child process measures and ends here."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measurement(**json.loads(options.measure))))
        sys.exit()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    print(f"gecbench {gecbench.__version__}, {python}, numpy {np.__version__}, {os.cpu_count()} cores, one used{more}")
    return bool(options.quick)


def measured(implementation: str, **settings: object) -> Measurement:
    """Return a measurement by this benchmark, made in a process of its own with the given kernels."""
    command = [sys.executable, sys.argv[0], "--measure", json.dumps(settings)]
    environment = {**os.environ, "GECBENCH_KERNELS": implementation}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    found: Measurement = json.loads(done.stdout)
    return found


def implementations() -> tuple[str, ...]:
    """Return the kernels that can run here, the faster first."""
    return kernels.IMPLEMENTATIONS if kernels.native_module() else ("python",)


def best(work: Callable[[], object], repeats: int) -> float:
    """Return the shortest of some timings, in seconds of processor time, which other work disturbs little."""
    timings = []
    for _ in range(repeats):
        begin = time.process_time()
        work()
        timings.append(time.process_time() - begin)
    return min(timings)


def peak_megabytes() -> float:
    """Return the most memory that this process has held since it began (0 where the system does not tell)."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")) / 1024
    try:
        import resource
    except ImportError:
        return 0.0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def time_label(seconds: float) -> str:
    """Return a time as seconds or milliseconds."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.1f} ms"


def print_row(*cells: object) -> None:
    """Print a row of a Markdown table."""
    print(f"| {' | '.join(map(str, cells))} |")


def mirror() -> Path | None:
    """Return the folder of the owners' files, if there is one."""
    found = os.environ.get("GECBENCH_MIRROR")
    return Path(found) if found else None


def conll14_member(folder: Path, name: str) -> bytes:
    """Return a file of CoNLL-14's test data."""
    with tarfile.open(folder / CONLL14) as archive:
        member = archive.extractfile(f"conll14st-test-data/{name}")
        return member.read() if member else b""


def submissions(folder: Path) -> list[Path]:
    """Return the files of the twelve systems of CoNLL-14."""
    return sorted(path for path in (folder / SUBMISSIONS).iterdir() if path.name != "INPUT")

"""Run the command line with a fault after some time, or at the N-th change of a file below the current folder.

A change is opening a file to write, renaming, removing, cutting or making one. "kill" ends the process there as
`kill -9` does; "full" and "denied" let the change fail as on a full disk or a read-only one, and all that follow, too.
"moment" ends the process after N milliseconds. The datasets are the tests' own small ones, next to the folder.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from pathlib import Path
from typing import Any

CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.truncate", "os.rmdir", "os.link", "os.symlink", "os.chmod"}
REMOVALS = {"os.remove", "os.rmdir"}
ERRORS = {"full": errno.ENOSPC, "denied": errno.EROFS}


class FaultInjector:
    """An audit hook that counts changes of files and lets the N-th one fail."""

    def __init__(self, folder: str, number: int, fault: str) -> None:
        self.folder, self.left, self.fault = os.path.realpath(folder), number, fault

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self._is_change(event, arguments):
            return
        self.left -= 1
        if self.left > 0:
            return
        if self.fault == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if not (self.fault == "full" and event in REMOVALS):
            code = ERRORS[self.fault]
            raise OSError(code, os.strerror(code), os.fspath(arguments[0]))

    def _is_change(self, event: str, arguments: tuple[Any, ...]) -> bool:
        if event == "open":
            path, _, flags = arguments
            if not flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                return False
        elif event in CHANGES:
            path = arguments[0]
        else:
            return False
        if not isinstance(path, (str, os.PathLike)):
            return False
        return os.path.realpath(path).startswith(self.folder + os.sep)


def use_small_datasets(mirror: Path) -> None:
    """Replace the datasets by those of the tests' small tree, and lock their checksums."""
    from corpora_support import pins_of

    from gecbench.corpora import build, upstream

    pins = pins_of(mirror)
    upstream.default_pins = lambda: pins
    build.LOCK_FILE = mirror.parent / "lock.tsv"
    os.environ["GECBENCH_MIRROR"] = str(mirror)


def run(number: int, fault: str, arguments: list[str]) -> None:
    """Run the command line with a fault after some changes or milliseconds; 0 means no fault."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
    from gecbench.cli import main
    from gecbench.scale import streaming

    use_small_datasets(Path.cwd().parent / "mirror")
    streaming._SECONDS_BETWEEN_STATES = 0
    if number and fault == "moment":
        signal.setitimer(signal.ITIMER_REAL, number / 1000)  # no handler: the signal ends the process as kill -9 does
    elif number:
        sys.addaudithook(FaultInjector(os.getcwd(), number, fault))  # noqa: PTH109
    sys.exit(main(arguments))

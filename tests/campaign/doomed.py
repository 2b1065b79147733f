"""Run the command line until its N-th change of a file below a folder, and let that one end badly.

python doomed.py FOLDER N kill|full|denied ARGUMENT...   (GECBENCH_TINY=1: the datasets are tests' own small ones)

A change is opening a file to write, renaming, removing, cutting or making one. "kill" ends the process there as
`kill -9` does; "full" and "denied" let the change fail as on a full disk or a read-only one, and all that follow, too.
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


class Doom:
    """An audit hook that counts changes and brings on the fault."""

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


def use_tiny_datasets() -> None:
    """Make the datasets those of the tests' small tree, which is beside the folder, and lock them so."""
    from corpora_support import pins_of

    from gecbench.corpora import lock, upstream

    mirror = Path(os.environ["GECBENCH_MIRROR"])
    pins = pins_of(mirror)
    upstream.default_pins = lambda: pins
    lock.LOCK_FILE = mirror.parent / "lock.tsv"


def main() -> int:
    """Run the command line with a fault ahead of it; 0 changes ahead means none."""
    folder, number, fault, *arguments = sys.argv[1:]
    from gecbench.cli import main as run

    if os.environ.get("GECBENCH_TINY"):
        use_tiny_datasets()
    if int(number):
        sys.addaudithook(Doom(folder, int(number), fault))
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())

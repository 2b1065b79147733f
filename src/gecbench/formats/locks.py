"""Files that one process at a time may write."""

from __future__ import annotations

from typing import IO, Any

from gecbench.errors import InputError

try:
    import fcntl
except ImportError:  # pragma: no cover - where there are no such locks
    fcntl = None  # type: ignore[assignment]


def lock(file: IO[Any], name: str, fix: str) -> None:
    """Take a file for this process until it is closed, or refuse it where another has it.

    Where the system or the file's disk knows no locks, none is taken.
    """
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise InputError("another run is writing here", file=name, fix=fix) from error
    except OSError:
        return

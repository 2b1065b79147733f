"""Import gecbench once, then run each case in a fork with limits on time and memory (see confined.py)."""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import resource
import signal
import struct
import sys
import tempfile
import traceback
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

_HEAVY = ("numpy", "scipy.stats", "pyarrow.parquet", "sacrebleu", "rapidfuzz", "yaml", "nltk")


def _imports() -> None:
    import gecbench

    own = [module.name for module in walk_packages(gecbench.__path__, "gecbench.") if "__main__" not in module.name]
    for name in (*own, *_HEAVY):
        with contextlib.suppress(ImportError):
            import_module(name)


def _bound(seconds: int, memory: int) -> None:
    size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (size + memory, size + memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(30 * seconds)


def _enter(place: Path) -> None:
    for descriptor, name, flags in ((0, os.devnull, os.O_RDONLY), (1, "output", None), (2, "errors", None)):
        new = os.O_CREAT | os.O_WRONLY | os.O_TRUNC if flags is None else flags
        os.dup2(os.open(place / name, new, 0o600), descriptor)
    sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))  # noqa: SIM115
    os.chdir(place / "work")
    os.environ |= {"HOME": str(place / "home"), "HF_HOME": str(place / "home" / "hf"), "TMPDIR": str(place / "tmp")}
    tempfile.tempdir = None


def _run(arguments: Sequence[str], call: tuple[str, tuple[Any, ...], dict[str, Any]] | None) -> int:
    from gecbench import GecbenchError
    from gecbench.cli import main

    try:
        if call is None:
            return main(arguments)
        module, _, name = call[0].partition(":")
        getattr(import_module(module), name)(*call[1], **call[2])
    except GecbenchError as error:
        print(f"gecbench: {error}", file=sys.stderr)
        return 2
    except SystemExit as end:
        return int(end.code or 0)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _case(place: str, arguments: Sequence[str], call: Any, seconds: int, memory: int) -> int:
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = 1
    try:
        _enter(Path(place))
        _bound(seconds, memory)
        status = _run(arguments, call)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)


def _answer(status: int) -> None:
    sys.stdout.buffer.write(struct.pack("<i", status))
    sys.stdout.buffer.flush()


def main() -> None:
    """Answer requests until there are no more."""
    _imports()
    gc.freeze()
    _answer(0)
    while size := sys.stdin.buffer.read(4):
        request = sys.stdin.buffer.read(*struct.unpack("<I", size))
        _answer(_case(*pickle.loads(request)))


if __name__ == "__main__":
    main()

"""Inner loops, each in readable Python and in fast C++ (`gecbench._native`).

A kernel is one of these inner loops. Its Python file follows the paper or the official program step by step. The native
kernel (C++) has the same functions and gives the same numbers. It is used if it is installed. `GECBENCH_KERNELS=python`
or `native` forces one of the two versions. Native kernels split large inputs among `GECBENCH_THREADS` threads, by
default one per processor. Results do not depend on the number of threads.
"""

from __future__ import annotations

import importlib
import os
from functools import cache
from types import ModuleType

from gecbench.errors import GecbenchError, InputError
from gecbench.version import REQUIREMENT

IMPLEMENTATIONS = ("native", "python")
_MOST_THREADS = 1024
_REINSTALL = f'GECBENCH_REQUIRE_NATIVE=1 pip install --force-reinstall "{REQUIREMENT}"'


@cache
def native_module() -> ModuleType | None:
    """Return the compiled extension, or None if gecbench was installed without it."""
    try:
        return importlib.import_module("gecbench._native")
    except ModuleNotFoundError:
        return None


def active() -> str:
    """Return the name of the implementation in use, `native` or `python`."""
    wanted = os.environ.get("GECBENCH_KERNELS", "").strip().lower()
    if not wanted:
        return "native" if native_module() is not None else "python"
    if wanted not in IMPLEMENTATIONS:
        raise GecbenchError(f"The environment variable GECBENCH_KERNELS is {wanted!r}. Set it to 'native' or 'python'.")
    if wanted == "native" and native_module() is None:
        raise GecbenchError(
            "GECBENCH_KERNELS=native, but gecbench was installed without its compiled kernels. "
            f"Install a C++17 compiler and run: {_REINSTALL}"
        )
    return wanted


def select(kernel: str, implementation: str | None = None) -> ModuleType:
    """Return the module of a kernel, by default in the implementation in use."""
    if (implementation or active()) == "python":
        return importlib.import_module(f"gecbench.kernels.{kernel}")
    module: ModuleType = getattr(native_module(), kernel)
    return module


def too_large_for_python(problem: str) -> InputError:
    """Return the error for an input that is too large for the Python kernels.

    The native kernels can process such an input in limited time and memory.
    """
    if native_module() is not None:
        return InputError(f"{problem} for the Python kernels", fix="Unset GECBENCH_KERNELS to use the compiled kernels")
    return InputError(
        f"{problem} for the Python kernels",
        fix=f"Install a C++17 compiler and run: {_REINSTALL}",
    )


def threads() -> int:
    """Return the number of threads that native kernels may use."""
    wanted = os.environ.get("GECBENCH_THREADS", "").strip()
    if not wanted:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not wanted.isdecimal() or not 1 <= int(wanted) <= _MOST_THREADS:
        raise GecbenchError(f"GECBENCH_THREADS={wanted!r} is not a whole number from 1 to {_MOST_THREADS:,}.")
    return int(wanted)

"""A progress bar on a terminal, for work that takes more than a moment; silent anywhere else."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from types import SimpleNamespace
from typing import Any

_SILENT = SimpleNamespace(update=lambda _steps: None)


def progress(total: int | None, what: str, start: int = 0) -> AbstractContextManager[Any]:
    """Return a bar with `update(steps)` that shows itself after a second, if standard error is a terminal.

    What was there at the `start` does not count in its rate.

    tqdm's own switch would import it everywhere and, even switched off, take a lock shared between processes, which a
    killed process leaves locked for all others.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        return nullcontext(_SILENT)
    from tqdm import tqdm

    bar: AbstractContextManager[Any] = tqdm(total=total, desc=what, initial=start, delay=1, leave=False)
    return bar

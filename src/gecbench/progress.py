"""A progress bar on a terminal, for work that takes more than a moment; silent anywhere else."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any


class _Silent:
    def __enter__(self) -> _Silent:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def update(self, steps: int) -> None:
        return None


def progress(total: int, what: str) -> AbstractContextManager[Any]:
    """Return a bar with `update(steps)` that shows itself after a second, if standard error is a terminal."""
    if not sys.stderr.isatty():
        return _Silent()
    try:
        from tqdm import tqdm
    except ImportError:
        return _Silent()
    bar: AbstractContextManager[Any] = tqdm(total=total, desc=what, delay=1, leave=False)
    return bar

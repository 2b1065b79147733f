"""A progress bar on a terminal, for work that takes more than a moment; silent anywhere else."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any


def progress(total: int | None, what: str) -> AbstractContextManager[Any]:
    """Return a bar with `update(steps)` that shows itself after a second, if standard error is a terminal."""
    from tqdm import tqdm

    bar: AbstractContextManager[Any] = tqdm(total=total, desc=what, delay=1, leave=False, disable=None)
    return bar

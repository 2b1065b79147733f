"""Format output for people: percentages, safe text, progress bars and log lines."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from time import monotonic
from types import SimpleNamespace
from typing import Any, TypeVar

_Item = TypeVar("_Item")
_SILENT = SimpleNamespace(update=lambda _steps: None)
_FIRST_LINE, _NEXT_LINE = 2.0, 10.0  # seconds
_RATE_SHOWN = 10
_quiet = False


def set_quiet(quiet: bool) -> None:
    """Turn progress bars and log lines off or on."""
    global _quiet  # noqa: PLW0603
    _quiet = quiet


def log_info(text: str) -> None:
    """Print a line to standard error, unless output is quiet."""
    if not _quiet:
        print(f"gecbench: {text}", file=sys.stderr)


def progress(total: int | None, what: str, start: int = 0) -> AbstractContextManager[Any]:
    """Return a context manager for a progress display with `update(steps)`.

    The display shows the percentage done, the speed and the time left. On a terminal, it is a tqdm bar that appears
    after one second. Elsewhere, it is a log line, printed after two seconds and then every ten seconds. An earlier run
    did the first `start` steps, so they do not count toward the speed. `TQDM_DISABLE=1` turns the display off.

    A disabled display does not use tqdm at all. Even a disabled tqdm bar takes a lock shared between processes, and a
    killed process would leave that lock held.
    """
    if _quiet or sys.stderr is None or os.environ.get("TQDM_DISABLE"):
        return nullcontext(_SILENT)
    if not sys.stderr.isatty():
        return nullcontext(_Lines(total, what, start))
    from tqdm import tqdm

    bar: AbstractContextManager[Any] = tqdm(total=total, desc=what, initial=start, delay=1, leave=False)
    return bar


def tracked(items: Iterable[_Item], total: int, what: str) -> Iterator[_Item]:
    """Yield the items, and show how many of the `total` items were yielded."""
    with progress(total, what) as bar:
        for item in items:
            yield item
            bar.update(1)


class _Lines:
    """Progress printed as log lines."""

    def __init__(self, total: int | None, what: str, start: int) -> None:
        self.total, self.what, self.start, self.done = total, what, start, start
        self.began = monotonic()
        self.due = self.began + _FIRST_LINE

    def update(self, steps: int) -> None:
        """Count the steps, and print a line if one is due."""
        self.done += steps
        now = monotonic()
        if now < self.due:
            return
        self.due = now + _NEXT_LINE
        rate = max(1, self.done - self.start) / (now - self.began)
        speed = f", {rate:,.0f} per second" if rate >= _RATE_SHOWN else ""
        if not self.total:
            log_info(f"{self.what}: {self.done:,} done{speed}")
        elif self.done < self.total:
            left = duration((self.total - self.done) / rate)
            log_info(f"{self.what}: {100 * self.done // self.total}%{speed}, about {left} left")


def duration(seconds: float) -> str:
    """Return a duration in readable units.

    >>> duration(40), duration(200), duration(9000)
    ('40 s', '3 min', '2 h 30 min')
    """
    if seconds < 99:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 99 else f"{minutes // 60} h {minutes % 60} min"


_JOINERS = "\u200c\u200d"  # zero-width characters in Persian and Hindi spelling, and in emoji


def is_plain(character: str) -> bool:
    """Return whether a character can be printed without escaping it.

    Control characters, invisible format characters (such as direction marks), lone surrogates and line breaks must be
    escaped.
    """
    from unicodedata import category

    return character in _JOINERS or category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


def visible(text: str) -> str:
    r"""Return text on one line with control characters and direction marks escaped.

    >>> print(visible("good\u202etxt.exe\x1b[2J"))
    good\u202etxt.exe\x1b[2J
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(character: str) -> str:
    if is_plain(character):
        return character
    return " " if character.isspace() else character.encode("unicode_escape").decode()


def shorten(text: str, length: int = 60) -> str:
    """Return the text on one line, cut to `length` characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def percent(value: float | None, digits: int = 2) -> str:
    """Return a ratio as a percentage, or a dash if it is missing or NaN."""
    return "–" if value is None or math.isnan(value) else f"{100 * value:.{digits}f}"

"""Finding lines that do not belong to their sources, before they get a silent score."""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.errors import InputError
from gecbench.validation import overlap

_PROBES = 2000
_RUN = 10
_WINDOW = 30
_SHORT = 4
_UNLIKE = 0.2


def check_alignment(
    sources: Sequence[str], lines: Sequence[str], name: str = "predictions", file: str | None = None
) -> None:
    """Raise where lines resemble the neighbouring sources and not their own, or resemble their own hardly at all.

    A line strays if it shares many more tokens with the source before or after it. Ten straying lines in a row (five or
    half of a shorter corpus) are an error, as are thirty in a row (or a shorter corpus of ten or more) that share less
    than a fifth of their tokens with their sources: corrections are not so. A few odd lines may be the system's own;
    lines of less than four tokens say nothing. Of more than two thousand lines some are looked at, evenly.
    """
    probes = range(0, len(sources), max(1, len(sources) // _PROBES))
    needed = min(_RUN, max(5, len(sources) // 2))
    straying = 0
    likeness: list[tuple[int, float]] = []
    for i in probes:
        if len(lines[i].split()) < _SHORT or len(sources[i].split()) < _SHORT:
            continue
        own = 1.0 if lines[i] == sources[i] else overlap(sources[i], lines[i])
        likeness.append((i, own))
        straying = straying + 1 if own < 0.6 and _strays(sources, lines[i], i, own) else 0
        if straying == needed:
            _refuse(
                f"{name} look shifted", likeness[-needed][0], "they resemble the sources of neighbouring lines", file
            )
    window = _WINDOW if len(likeness) >= _WINDOW else len(likeness)
    if window >= _RUN:
        _check_likeness(likeness, window, name, file)


def _strays(sources: Sequence[str], line: str, i: int, own: float) -> bool:
    neighbours = [sources[j] for j in (i - 1, i + 1) if 0 <= j < len(sources)]
    return any(overlap(neighbour, line) > max(0.4, own + 0.2) for neighbour in neighbours)


def _check_likeness(likeness: list[tuple[int, float]], window: int, name: str, file: str | None) -> None:
    total = sum(own for _, own in likeness[:window])
    for end in range(window, len(likeness) + 1):
        if total < _UNLIKE * window:
            first = likeness[end - window][0]
            _refuse(f"{name} do not belong to the sources", first, "they share hardly a word with their lines", file)
        if end < len(likeness):
            total += likeness[end][1] - likeness[end - window][1]


def _refuse(problem: str, first: int, evidence: str, file: str | None) -> None:
    raise InputError(
        f"{problem} from line {first + 1} on: {evidence}",
        file=file,
        fix="Pair line by line; skip this check with aligned=True (on the command line: --aligned)",
    )

"""Finding predictions whose lines are shifted against the sources, before they get a silent score."""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.errors import InputError
from gecbench.validation import overlap

_PROBES = 200
_RUN = 10


def check_alignment(sources: Sequence[str], predictions: Sequence[str], name: str = "predictions") -> None:
    """Raise where a run of predictions resembles the neighbouring sources and not its own.

    A line of four or more tokens is suspect if it shares less than a fifth of them with its source but most with a
    neighbouring one. Ten suspect lines in a row (five or half of a shorter corpus) are an error; a few may be the
    system's own.
    """
    step = max(1, len(sources) // _PROBES)
    if not any(_suspect(sources, predictions, i) for i in range(0, len(sources), step)):
        return
    longest = 0
    needed = min(_RUN, max(5, len(sources) // 2))
    for i in range(len(sources)):
        longest = longest + 1 if _suspect(sources, predictions, i) else 0
        if longest == needed:
            raise InputError(
                f"{name} look shifted from line {i - needed + 2} on: they resemble the sources of neighbouring lines",
                fix="Pair line by line; skip this check with aligned=True (on the command line: --aligned)",
            )


def _suspect(sources: Sequence[str], predictions: Sequence[str], i: int) -> bool:
    prediction = predictions[i]
    if prediction == sources[i] or len(prediction.split()) < 4 or overlap(sources[i], prediction) >= 0.2:
        return False
    neighbours = [sources[j] for j in (i - 1, i + 1) if 0 <= j < len(sources)]
    return any(overlap(neighbour, prediction) > 0.6 for neighbour in neighbours)

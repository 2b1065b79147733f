"""Error groups: the errors of a sentence, each with corrections that exclude one another (Felice & Briscoe 2015)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Replacement:
    """Replace source tokens `[start, end)` by the tokens of `text` ("" deletes; start = end inserts)."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Alternative:
    """One annotator's way of mending an error; its replacements belong together."""

    annotator: str
    replacements: tuple[Replacement, ...]


@dataclass(frozen=True)
class ErrorGroup:
    """One error and its mutually exclusive alternatives; one that is not required may also be left alone."""

    alternatives: tuple[Alternative, ...]
    required: bool = True
    type: str = ""


@dataclass(frozen=True)
class GroupedSentence:
    """The error groups of a sentence; `annotators` is their number, None where the file does not tell."""

    groups: tuple[ErrorGroup, ...] = ()
    annotators: int | None = None
    script: str = "1"

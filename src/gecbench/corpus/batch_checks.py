"""Input checks for a corpus that arrives in batches: each batch is checked, then all results together."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field

from gecbench.corpus.corpus import Corpus
from gecbench.corpus.edits import EditedTexts
from gecbench.corpus.prepare import Preprocessing
from gecbench.errors import InputError

_SHARE = 0.01
_ENOUGH_LINES = 200
_ENOUGH_PARTS = 3


class OddPartsWarning(UserWarning):
    """A few parts of a corpus would have been refused by themselves."""


@dataclass(frozen=True)
class CheckResult:
    """How many parts were looked at, how many of them the checks refuse or warn of, and the first sentence of each."""

    parts: int = 0
    refused: int = 0
    warned: int = 0
    refusal: str = ""
    warning: str = ""

    def __add__(self, other: CheckResult) -> CheckResult:
        return CheckResult(
            self.parts + other.parts,
            self.refused + other.refused,
            self.warned + other.warned,
            self.refusal or other.refusal,
            self.warning or other.warning,
        )

    def decide(self) -> None:
        """Refuse a corpus of which a hundredth of the parts is refused; warn of less."""
        if self.refused and self.refused >= _SHARE * self.parts:
            raise InputError(f"{self._share(self.refused)}{self.refusal}")
        if self.refused:
            warnings.warn(f"{self._share(self.refused)}{self.refusal}", OddPartsWarning, stacklevel=2)
        elif self.warned and self.warned >= _SHARE * self.parts:
            warnings.warn(f"{self._share(self.warned)}{self.warning}", OddPartsWarning, stacklevel=2)

    def all_batches_failed(self) -> bool:
        """Return whether all that came so far was refused."""
        return self.refused == self.parts >= _ENOUGH_PARTS

    def _share(self, found: int) -> str:
        return f"{found} of {self.parts} batches, the first one: " if self.parts > 1 else ""


def check_batch(
    preprocessing: Preprocessing,
    corpus: Corpus,
    lines: Sequence[str],
    first: int = 0,
    name: str = "predictions",
    file: str | None = None,
) -> CheckResult:
    """Return what the checks say of a part whose first sentence has this place in the whole, counted from 0."""
    place = f"in the batch that begins with sentence {first + 1}: " if first else ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            preprocessing.prepare(corpus, lines, name, file)
        except InputError as error:
            return CheckResult(1, refused=1, refusal=place + str(error))
    if caught:
        return CheckResult(1, warned=1, warning=place + str(caught[0].message))
    return CheckResult(1)


def check_preprocessing(preprocessing: Preprocessing) -> None:
    """Refuse to prepare text in parts: which of it is raw is seen from a whole corpus."""
    if preprocessing.tokenize != "none":
        raise InputError(
            f"tokenize={preprocessing.tokenize!r} needs the whole corpus",
            fix="Tokenise the text first (gecbench tokenize)",
        )


@dataclass
class BatchChecker:
    """The checks over a stream: small batches wait for others until there is enough to look at."""

    preprocessing: Preprocessing
    name: str = "predictions"
    file: str | None = None
    result: CheckResult = CheckResult()
    seen: int = 0
    _sources: list[str] = field(default_factory=list)
    _references: list[Sequence[str]] = field(default_factory=list)
    _lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        check_preprocessing(self.preprocessing)

    def add(self, corpus: Corpus, lines: Sequence[str]) -> None:
        """Look at the next sentences."""
        self.seen += len(lines)
        if isinstance(lines, EditedTexts):
            return
        if not self._lines and len(lines) >= _ENOUGH_LINES:
            self._check(corpus, lines)
            return
        self._sources += corpus.sources
        self._references += corpus.references or ()
        self._lines += lines
        if len(self._lines) >= _ENOUGH_LINES:
            self._check_waiting()

    def close(self) -> None:
        """Look at what waits, and decide."""
        if self._lines:
            self._check_waiting()
        self.result.decide()

    def _check_waiting(self) -> None:
        references = self._references if len(self._references) == len(self._sources) else None
        self._check(Corpus(sources=self._sources, references=references), self._lines)
        self._sources, self._references, self._lines = [], [], []

    def _check(self, part: Corpus, lines: Sequence[str]) -> None:
        self.result += check_batch(self.preprocessing, part, lines, self.seen - len(lines), self.name, self.file)
        if self.result.all_batches_failed():
            self.result.decide()

"""What a model is: sentences in, one corrected sentence each out, in order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from gecbench.errors import InputError
from gecbench.models.prompts import Prompt

_SHOWN = 60


@dataclass(frozen=True)
class Answer:
    """The correction of a line (from 1), with what else is known about it."""

    line: int
    text: str
    facts: Mapping[str, Any] = field(default_factory=dict)


Outputs = Generator[Sequence[str | Answer], None, None]


class ModelError(InputError):
    """A model failed; `rejected` holds outputs that cannot be paired with their sentences, and so are not kept."""

    rejected: Sequence[str] | None = None


class Model(ABC):
    """A model by its string, such as `cmd:sed s/a/b/`; subclasses say how it corrects."""

    batch: ClassVar[int | None] = 32
    """How many sentences it is handed at once unless told otherwise; None: all."""

    prompt: Prompt | None = None
    """What it is asked with, if it is asked."""

    def __init__(self, text: str) -> None:
        self.text = text

    @property
    @abstractmethod
    def name(self) -> str:
        """A short name for tables."""

    @property
    def options(self) -> Mapping[str, object]:
        """What besides its string changes its outputs."""
        return {}

    @property
    def revision(self) -> str | None:
        """The commit of its repository, once it is prepared and if it has one."""
        return None

    def prepare(self) -> None:
        """Load what it needs, so that what is missing is found before anything is written."""
        return

    @abstractmethod
    def correct(self, sentences: Sequence[str], lines: Sequence[int]) -> Outputs:
        """Yield the outputs as they come: texts in order, or answers in any; `lines` numbers the sentences, from 1."""

    def resume(self, answers: Iterable[Answer]) -> None:
        """Take note of the answers that an earlier run left."""
        return

    def account(self, answers: Iterable[Answer]) -> Mapping[str, Any]:
        """Return what a run's record says about its answers, beside the outputs themselves."""
        return {}

    def summarise(self, account: Mapping[str, Any]) -> Sequence[str]:
        """Return what a person should know about it, in a few lines."""
        return ()

    def failure(self, problem: str, line: int, sentence: str, fix: str | None = None) -> ModelError:
        """Return the error that names the model, the line and its sentence."""
        return ModelError(f"{shorten(self.text)}: {problem} (line {line}: {shorten(sentence)!r})", fix=fix)


def shorten(text: str, length: int = _SHOWN) -> str:
    """Return the text on one line, cut to `length` characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def flatten(text: str) -> str:
    r"""Return the text with each run of line breaks, and blanks around it, as one blank.

    >>> flatten("He goes\r\n home .\n")
    'He goes home .'
    """
    if "\n" not in text and "\r" not in text:
        return text
    return " ".join(part.strip() for part in text.replace("\r", "\n").split("\n") if part.strip())

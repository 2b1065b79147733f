"""What a model is: sentences in, one corrected sentence each out. Models are named by a string (`make_model`)."""

from __future__ import annotations

import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from gecbench.display import shorten
from gecbench.errors import InputError, did_you_mean
from gecbench.models.prompts import Prompt

_CLASSES = {
    "cmd": "gecbench.models.command:CommandModel",
    "python": "gecbench.models.function:FunctionModel",
    "transformers": "gecbench.models.pretrained:PretrainedModel",
    "endpoint": "gecbench.models.endpoint:EndpointModel",
}
_OPTIONS: dict[str, tuple[str, ...]] = {
    "cmd": ("timeout",),
    "transformers": ("prompt", "beams", "max_new_tokens", "device"),
    "endpoint": (
        *("name", "prompt", "concurrency", "timeout", "retries", "max_new_tokens", "request"),
        *("max_requests", "max_tokens", "key_variable"),
    ),
}


@dataclass(frozen=True)
class Answer:
    """The correction of a line (from 1); `facts` are what else the journal keeps about it."""

    line: int
    text: str
    facts: Mapping[str, Any] = field(default_factory=dict)


Outputs = Generator[Sequence[str | Answer], None, None]


class ModelError(InputError):
    """A model failed; `rejected` holds outputs that cannot be paired with their sentences, and so are not kept."""

    rejected: Sequence[str] | None = None


class Model(ABC):
    """A model by its string, such as `cmd:sed s/a/b/`; subclasses implement `name` and `correct`."""

    batch: ClassVar[int | None] = 32
    """Sentences per call of `correct` by default; None: all."""

    prompt: Prompt | None = None
    """The prompt, for models that take one."""

    def __init__(self, text: str) -> None:
        self.text = text

    @property
    @abstractmethod
    def name(self) -> str:
        """A short name for tables."""

    @property
    def options(self) -> Mapping[str, object]:
        """Settings other than its string that change its outputs."""
        return {}

    @property
    def revision(self) -> str | None:
        """The commit of its repository, once it is prepared and if it has one."""
        return None

    def prepare(self) -> None:
        """Load the model, so that missing parts are found before anything is written."""
        return

    @abstractmethod
    def correct(self, sentences: Sequence[str], lines: Sequence[int]) -> Outputs:
        """Yield the outputs as they come: texts in order, or answers in any; `lines` numbers the sentences, from 1."""

    def resume(self, answers: Iterable[Answer]) -> None:
        """Take note of the answers of an earlier run."""
        return

    def account(self, answers: Iterable[Answer]) -> Mapping[str, Any]:
        """Return further fields of the run's record."""
        return {}

    def summarize(self, account: Mapping[str, Any]) -> Sequence[str]:
        """Return the `account` of a run as a few lines for people."""
        return ()

    def failure(self, problem: str, line: int, sentence: str, fix: str | None = None) -> ModelError:
        """Return the error that names the model, the line and its sentence."""
        return ModelError(f"{shorten(self.text)}: {problem} (line {line}: {shorten(sentence)!r})", fix=fix)


def make_model(text: str, **options: Any) -> Model:
    """Return the model that a string names; options that are None count as not given.

    >>> make_model("cmd:sed 's/ a apple/ an apple/'").name
    "sed 's/ a apple/ an apple/'"
    """
    kind, _, rest = text.partition(":")
    if kind not in _CLASSES or not rest.strip():
        raise InputError(
            f"cannot parse the model {text!r}",
            fix=f"{did_you_mean(kind, _CLASSES)}Write cmd:COMMAND, python:module:function, "
            "transformers:FOLDER-OR-NAME or endpoint:URL",
        )
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in _OPTIONS.get(kind, ()):
            homes = [home for home, names in _OPTIONS.items() if name in names]
            fix = f"It is for {', '.join(homes)}: models" if homes else None
            raise InputError(f"{kind}: models have no option {name!r}", fix=fix)
    model: Model = pkgutil.resolve_name(_CLASSES[kind])(text, **given)
    return model


def flatten(text: str) -> str:
    r"""Return the text with each run of line breaks, and blanks around it, as one blank.

    >>> flatten("He goes\r\n home .\n")
    'He goes home .'
    """
    if "\n" not in text and "\r" not in text:
        return text
    return " ".join(part.strip() for part in text.replace("\r", "\n").split("\n") if part.strip())

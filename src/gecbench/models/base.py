"""The base class of models that correct sentences, and `make_model`."""

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
    """The correction of a line (counted from 1).

    `facts` are other fields to save, such as the number of requests.
    """

    line: int
    text: str
    facts: Mapping[str, Any] = field(default_factory=dict)


Outputs = Generator[Sequence[str | Answer], None, None]


class ModelError(InputError):
    """A model failed.

    `rejected` holds outputs that could not be paired with sentences.
    """

    rejected: Sequence[str] | None = None


class Model(ABC):
    """A model named by a string such as `cmd:sed s/a/b/`.

    Subclasses implement `name` and `correct`.
    """

    batch: ClassVar[int | None] = 32
    """The default number of sentences per call of `correct`. None: all sentences."""

    prompt: Prompt | None = None
    """The prompt, if the model takes one."""

    def __init__(self, text: str) -> None:
        self.text = text

    @property
    @abstractmethod
    def name(self) -> str:
        """A short name for tables."""

    @property
    def options(self) -> Mapping[str, object]:
        """The settings that affect the outputs, in addition to the model's string."""
        return {}

    @property
    def revision(self) -> str | None:
        """The commit of the model's repository, known after `prepare`, or None."""
        return None

    def prepare(self) -> None:
        """Load the model, to report missing files or packages before writing anything."""
        return

    @abstractmethod
    def correct(self, sentences: Sequence[str], lines: Sequence[int]) -> Outputs:
        """Yield the outputs as they arrive.

        Outputs are either texts in the order of the sentences, or `Answer`s in any order. `lines` are the numbers of
        the sentences, from 1.
        """

    def resume(self, answers: Iterable[Answer]) -> None:
        """Load the answers of an earlier run."""
        return

    def account(self, answers: Iterable[Answer]) -> Mapping[str, Any]:
        """Return further fields for the record of the run (`.run.json`)."""
        return {}

    def summarize(self, account: Mapping[str, Any]) -> Sequence[str]:
        """Return the `account` of a run as lines of text."""
        return ()

    def failure(self, problem: str, line: int, sentence: str, fix: str | None = None) -> ModelError:
        """Return an error that names the model, the line and the sentence.

        `fix` does not mention resuming: `correct` adds this advice if outputs were saved.
        """
        return ModelError(f"{shorten(self.text)}: {problem} (line {line}: {shorten(sentence)!r})", fix=fix)


def make_model(text: str, **options: Any) -> Model:
    """Create a model from its string.

    Args:
        text: The kind of the model, a colon, and the command, function, model or address.
        options: Options of this kind of model, such as `timeout` or `prompt`. Options that are None are ignored.

    Raises:
        InputError: The kind or an option is unknown, or the model cannot be created.

    >>> make_model("cmd:sed 's/ a apple/ an apple/'").name
    "sed 's/ a apple/ an apple/'"
    """
    kind, _, rest = text.partition(":")
    if kind not in _CLASSES or not rest.strip():
        forms = "Write cmd:COMMAND, python:module:function, transformers:FOLDER-OR-NAME or endpoint:URL"
        raise InputError(f"unknown model {text!r}", fix=did_you_mean(kind, set(_CLASSES) - {kind}, forms))
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in _OPTIONS.get(kind, ()):
            homes = [home for home, names in _OPTIONS.items() if name in names]
            fix = f"Leave it out{', or use another kind of model' if homes else ''}"
            kinds = f" ({' or '.join(f'{home}:' for home in homes)})" if homes else ""
            option = f"{name} (--{name.replace('_', '-')})" if homes else repr(name)
            raise InputError(f"models of the form {kind}:… have no option {option}", fix=f"{fix}{kinds}")
    model: Model = pkgutil.resolve_name(_CLASSES[kind])(text, **given)
    return model


def flatten(text: str) -> str:
    r"""Replace line breaks, and the blanks around them, with one space.

    >>> flatten("He goes\r\n home .\n")
    'He goes home .'
    """
    if "\n" not in text and "\r" not in text:
        return text
    return " ".join(part.strip() for part in text.replace("\r", "\n").split("\n") if part.strip())

"""Parameters of metrics: declared as fields of their class, read by documents, command lines and Hub modules."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from gecbench.errors import InputError


def parameter(default: Any, description: str) -> Any:
    """Declare a parameter: a dataclass field with its default and what it does."""
    return field(default=default, metadata={"description": description})


@dataclass(frozen=True)
class Parameter:
    """A parameter of a metric as documents and command lines show it; `choices` where its type is a Literal."""

    name: str
    default: Any
    description: str
    choices: tuple[object, ...]

    @property
    def kind(self) -> str:
        """The type of its values, such as `int` or `bool or "cap"`."""
        words = [f'"{word}"' for word in self.choices if type(word) is not type(self.default)]
        return " or ".join([type(self.default).__name__, *words])


@cache
def parameters_of(metric: type[Any]) -> dict[str, Parameter]:
    """Return the parameters of a metric's class by name."""
    hints = get_type_hints(metric)
    return {
        each.name: Parameter(each.name, each.default, each.metadata["description"], _choices(hints[each.name]))
        for each in fields(metric)
    }


def _choices(hint: Any) -> tuple[object, ...]:
    """Return the only values of a Literal, or of a bool or a Literal."""
    if get_origin(hint) is Literal:
        return get_args(hint)
    return tuple(value for part in get_args(hint) for value in ((False, True) if part is bool else get_args(part)))


def check_whole(metric: str, parameter: str, value: object, least: int = 1) -> None:
    """Refuse a parameter that must be a whole number of at least `least`."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InputError(f"{metric}: {parameter}={value!r} is not a whole number of at least {least}")

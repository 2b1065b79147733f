"""How a number was made, in one line that parses back: `gleu|variant:2017|refs:4|…|version:0.2.0`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gecbench.errors import InputError
from gecbench.version import __version__

MIXING_WORDS = {"yes": True, "no": False, "cap": "cap", "bounded": "bounded"}


@dataclass(frozen=True)
class Signature(Mapping[str, str]):
    """A metric's name and `key:value` fields, in order.

    >>> signature = Signature.parse("gleu|refs:4|draws:500:py2|version:0.2.0")
    >>> signature.metric, signature["draws"], str(signature)
    ('gleu', '500:py2', 'gleu|refs:4|draws:500:py2|version:0.2.0')
    """

    metric: str
    fields: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, metric: str, fields: Mapping[str, object]) -> Signature:
        """Make a signature, with this version of gecbench at its end."""
        pairs = tuple((key, _field(value)) for key, value in fields.items())
        return cls(metric, (*pairs, ("version", __version__)))

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a signature as it is printed."""
        metric, *rest = text.strip().split("|")
        pairs = tuple(part.partition(":") for part in rest)
        if not metric or not all(key and colon and value for key, colon, value in pairs):
            raise InputError(f"not a signature: {text!r}", fix="It reads metric|key:value|…|version:…")
        return cls(metric, tuple((key, value) for key, _, value in pairs))

    def with_field(self, key: str, value: object) -> Signature:
        """Return the signature with one more field, before the version."""
        return Signature(self.metric, (*self.fields[:-1], (key, _field(value)), self.fields[-1]))

    def __str__(self) -> str:
        return "|".join([self.metric, *(f"{key}:{value}" for key, value in self.fields)])

    def __getitem__(self, key: str) -> str:
        return dict(self.fields)[key]

    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self.fields)

    def __len__(self) -> int:
        return len(self.fields)


def _field(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)

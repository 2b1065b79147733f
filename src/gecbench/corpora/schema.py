"""Column types stated once: Arrow schemas, `datasets` features, card YAML and tables derive from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ListOf:
    """A list of values of one type."""

    item: FieldType


@dataclass(frozen=True)
class Struct:
    """A record of named fields."""

    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Field:
    """A named column or member, with the sentence that explains it in the card."""

    name: str
    type: FieldType
    description: str = ""


FieldType = str | ListOf | Struct


def feature(kind: FieldType) -> Any:
    """Return the `datasets` feature (`List` where the release has it, a Python list before)."""
    import datasets

    if isinstance(kind, ListOf):
        item = feature(kind.item)
        return datasets.List(item) if hasattr(datasets, "List") else [item]
    if isinstance(kind, Struct):
        return {field.name: feature(field.type) for field in kind.fields}
    return datasets.Value(kind)


def features(fields: tuple[Field, ...]) -> Any:
    """Return the `datasets.Features` of a configuration."""
    import datasets

    return datasets.Features({field.name: feature(field.type) for field in fields})


def arrow_schema(fields: tuple[Field, ...]) -> Any:
    """Return the pyarrow schema, without any metadata."""
    return features(fields).arrow_schema.remove_metadata()


def yaml_features(fields: tuple[Field, ...]) -> list[dict[str, Any]]:
    """Return the features as a card's `dataset_info` states them."""
    return [{"name": field.name} | _yaml_type(field.type) for field in fields]


def _yaml_type(kind: FieldType) -> dict[str, Any]:
    if isinstance(kind, ListOf):
        if isinstance(kind.item, Struct):
            return {"list": yaml_features(kind.item.fields)}
        inner = _yaml_type(kind.item)
        return {"list": inner.get("dtype", inner)}
    if isinstance(kind, Struct):
        return {"struct": yaml_features(kind.fields)}
    return {"dtype": kind}


def type_name(kind: FieldType) -> str:
    """Return the type in words for the card's table."""
    if isinstance(kind, ListOf):
        return f"list of {type_name(kind.item)}"
    if isinstance(kind, Struct):
        return "{" + ", ".join(f"{field.name}: {type_name(field.type)}" for field in kind.fields) + "}"
    return kind

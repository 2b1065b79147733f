"""What a dataset declares of itself: configurations with columns and splits, licence, sources, human judgments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from gecbench.corpora.schema import Field
from gecbench.corpora.upstream import Upstream
from gecbench.errors import InputError
from gecbench.formats.judgments import Ranking

RowsFunction = Callable[[Upstream, str], Iterator[dict[str, Any]]]
VERSION = "1.0.0"


@dataclass(frozen=True)
class Config:
    """One configuration: columns, splits, and the function that makes the rows.

    `pinned` is false where an upstream file could not be measured; such a one is built only on request.
    """

    name: str
    description: str
    fields: tuple[Field, ...]
    splits: tuple[str, ...]
    rows: RowsFunction
    pinned: bool = True

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return tuple(field.name for field in self.fields)

    @property
    def scorable(self) -> bool:
        """Return whether there are sentences and something to score them against."""
        return "sentence" in self.columns and bool({"corrections", "annotations"} & set(self.columns))


@dataclass(frozen=True)
class HumanJudgments:
    """Published judgments: rankings, the judged systems' outputs (None: not public), a corpus to score them on."""

    description: str
    rankings: Callable[[], list[Ranking]]
    systems: Callable[[], Mapping[str, list[str]]] | None = None
    corpus: str | None = None


@dataclass(frozen=True)
class DatasetDeclaration:
    """One dataset; `redistributable` is false where upstream states no licence that allows it.

    With `several_reference_sets` each configuration is a benchmark of its own, not another view of the same
    references. `aliases` are other names of it, each with the configuration that it means; `tokenizer` is how its
    sentences are split. `sources` name its upstream files, `judgments` the published rankings that belong to it.
    """

    name: str
    title: str
    homepage: str
    licence: str
    redistributable: bool
    sources: tuple[str, ...]
    default_config: str
    configs: Mapping[str, Config]
    several_reference_sets: bool = False
    aliases: Mapping[str, str] = field(default_factory=dict)
    tokenizer: str = "treebank"
    judgments: Mapping[str, HumanJudgments] = field(default_factory=dict)
    version: str = VERSION

    def config(self, name: str | None = None) -> Config:
        """Return a configuration by name, or the default one."""
        chosen = name or self.default_config
        if chosen not in self.configs:
            raise InputError(
                f"{self.name} has no configuration {chosen!r}", fix=f"Choose one of {', '.join(self.configs)}"
            )
        return self.configs[chosen]

    def pinned(self) -> list[Config]:
        """Return the configurations that are built without being asked for."""
        return [config for config in self.configs.values() if config.pinned]

    def splits(self) -> tuple[str, ...]:
        """Return the splits that any configuration has."""
        return tuple(dict.fromkeys(split for config in self.configs.values() for split in config.splits))


def by_name(*configs: Config) -> Mapping[str, Config]:
    """Return configurations by name, in this order."""
    return MappingProxyType({config.name: config for config in configs})

"""Dataset declarations: columns, configurations, splits, license and sources.

Each column type is declared once. Arrow schemas, `datasets` features, and the YAML and tables of cards use it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from gecbench.corpora.upstream import Upstream
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.edits import Annotation, Edit
from gecbench.errors import InputError, counted
from gecbench.formats.judgments import Ranking
from gecbench.formats.m2 import NOOP

VERSION = "1.0.0"
Row = dict[str, Any]
RowsFunction = Callable[[Upstream, str], Iterator[Row]]


@dataclass(frozen=True)
class DatasetDeclaration:
    """One dataset: its configurations, upstream sources, license and metric.

    Attributes:
        redistributable: Whether the upstream license allows others to redistribute the data.
        sources: The names of its sources in `upstream.SOURCES`.
        several_reference_sets: Each configuration is a separate benchmark, not another view of the same references.
        aliases: Other names of the dataset, each with the configuration that the name selects.
        tokenizer: The tokenizer of gecbench that is closest to `tokenization`, for `--tokenize auto`.
        judgments: Published human rankings of systems on this dataset, by name.
        tokenization: The tool that tokenized the published sentences.
        metric: The official metric, with parameters in parentheses. A configuration may have another.
        short_title: The name in tables and on web pages.
    """

    name: str
    title: str
    homepage: str
    license: str
    redistributable: bool
    sources: tuple[str, ...]
    default_config: str
    configs: Mapping[str, Config]
    several_reference_sets: bool = False
    aliases: Mapping[str, str] = field(default_factory=dict)
    tokenizer: str = "treebank"
    judgments: Mapping[str, HumanJudgments] = field(default_factory=dict)
    version: str = VERSION
    language: str = "en"
    tokenization: str = ""
    metric: str = "gleu"
    citation: str = ""
    short_title: str = ""

    def config(self, name: str | None = None) -> Config:
        """Return a configuration by name, or the default one."""
        chosen = name or self.default_config
        if chosen not in self.configs:
            raise InputError(
                f"{self.name} has no configuration {chosen!r}", fix=f"Choose one of {', '.join(self.configs)}"
            )
        return self.configs[chosen]

    def pinned(self) -> list[Config]:
        """Return the configurations that are built by default."""
        return [config for config in self.configs.values() if config.pinned]

    def scorable(self) -> list[Config]:
        """Return the configurations that a system can be scored on."""
        return [config for config in self.configs.values() if config.scorable]

    def official_metric(self, config: Config) -> str:
        """Return the metric of published results on a configuration."""
        return config.metric or self.metric

    def corpus_name(self, config: Config) -> str:
        """Return the shortest corpus name of a configuration.

        Examples are `conll14:alt` and `mucgec:dev`.
        """
        alias = next((alias for alias, meant in self.aliases.items() if meant == config.name), None)
        if alias is not None:
            return alias
        if config.name != self.default_config:
            prefix = next((alias for alias in self.aliases if ":" not in alias), self.name)
            return f"{prefix}:{config.name}"
        return self.name if config.default_split == "test" else f"{self.name}:dev"

    def splits(self) -> tuple[str, ...]:
        """Return the splits of all configurations, each once."""
        return tuple(dict.fromkeys(split for config in self.configs.values() for split in config.splits))


@dataclass(frozen=True)
class Config:
    """One configuration: columns, splits, and the function that makes the rows.

    Attributes:
        pinned: False if the hash of an upstream file is not known. Such a configuration is built only on request.
        metric: The official metric, if it is not the metric of the dataset.
        submit_to: The server that scores outputs against private references.
        files: The keys of its upstream files, or prefixes of keys. Empty if it needs all files of the dataset.
    """

    name: str
    description: str
    fields: tuple[Field, ...]
    splits: tuple[str, ...]
    rows: RowsFunction
    pinned: bool = True
    metric: str | None = None
    submit_to: str | None = None
    files: tuple[str, ...] = ()

    @property
    def default_split(self) -> str:
        """Return the split that is used by default: the test set if there is one."""
        return "test" if "test" in self.splits else self.splits[-1]

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return tuple(field.name for field in self.fields)

    @property
    def scorable(self) -> bool:
        """Return whether there are sentences and something to score them against."""
        return "sentence" in self.columns and bool({"corrections", "annotations"} & set(self.columns))

    def check_split(self, split: str) -> str:
        """Return the split, or raise an error that lists the known splits."""
        if split not in self.splits:
            fix = f"Choose one of {', '.join(self.splits)}"
            raise InputError(f"the configuration {self.name!r} has no split {split!r}", fix=fix)
        return split


def by_name(*configs: Config) -> Mapping[str, Config]:
    """Return a mapping from names to configurations, in the given order."""
    return MappingProxyType({config.name: config for config in configs})


@dataclass(frozen=True)
class HumanJudgments:
    """Published human judgments of systems.

    The functions read their files when they are called.

    Attributes:
        rankings: Returns the rankings.
        systems: Returns the outputs of the judged systems. None if they are not public.
        corpus: The name of the corpus to score the outputs on.
        sentences: Returns the positions of the judged sentences in the corpus; rankings and outputs cover only these.
            None if all sentences were judged.
        scores: Returns the published human scores by a method ("trueskill" or "expected-wins").
        sets: Named subsets of the systems.
    """

    description: str
    rankings: Callable[[], list[Ranking]]
    systems: Callable[[], Mapping[str, list[str]]] | None = None
    corpus: str | None = None
    sentences: Callable[[], Sequence[int]] | None = None
    scores: Callable[[str], Mapping[str, float]] | None = None
    sets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def judged_part(self, corpus: Corpus) -> Corpus:
        """Return the judged sentences of a corpus.

        If all its sentences were judged, return the corpus unchanged.
        """
        places = self.sentences() if self.sentences else range(len(corpus))
        if len(corpus) == len(places):
            return corpus
        if len(corpus) <= places[-1]:
            found = f"{corpus.name} has {counted(len(corpus), 'sentence')}"
            raise InputError(
                f"{found}, but the human judgments include sentence {places[-1] + 1}",
                fix=f"Give references for all sentences of {self.corpus}, or for the {len(places)} that were judged",
            )
        return corpus.select(places)


@dataclass(frozen=True)
class Field:
    """A named column or struct member, with its description for the dataset card."""

    name: str
    type: FieldType
    description: str = ""


@dataclass(frozen=True)
class ListOf:
    """A list of values of one type."""

    item: FieldType


@dataclass(frozen=True)
class Struct:
    """A record of named fields."""

    fields: tuple[Field, ...]


FieldType = str | ListOf | Struct


def features(fields: tuple[Field, ...]) -> Any:
    """Return the `datasets.Features` of a configuration."""
    import datasets

    return datasets.Features({field.name: _feature(field.type) for field in fields})


def _feature(kind: FieldType) -> Any:
    import datasets

    if isinstance(kind, ListOf):
        item = _feature(kind.item)
        return datasets.List(item) if hasattr(datasets, "List") else [item]  # releases before 4 take a Python list
    if isinstance(kind, Struct):
        return {field.name: _feature(field.type) for field in kind.fields}
    return datasets.Value(kind)


def arrow_schema(fields: tuple[Field, ...]) -> Any:
    """Return the pyarrow schema, without any metadata."""
    return features(fields).arrow_schema.remove_metadata()


def yaml_features(fields: tuple[Field, ...]) -> list[dict[str, Any]]:
    """Return the features in the form of a card's `dataset_info`."""
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


def describe_type(kind: FieldType) -> str:
    """Return the type in words, for the tables of a card."""
    if isinstance(kind, ListOf):
        return f"list of {describe_type(kind.item)}"
    if isinstance(kind, Struct):
        return "{" + ", ".join(f"{field.name}: {describe_type(field.type)}" for field in kind.fields) + "}"
    return kind


EDIT = Struct(
    (
        Field("start", "int32"),
        Field("end", "int32"),
        Field("corrections", ListOf("string")),
        Field("type", "string"),
        Field("required", "string"),
        Field("comment", "string"),
    )
)
ANNOTATIONS = ListOf(Struct((Field("annotator", "int32"), Field("edits", ListOf(EDIT)))))


def annotation_rows(annotations: Iterable[Annotation]) -> list[Row]:
    """Return annotations as rows of the type `ANNOTATIONS`."""
    return [{"annotator": found.annotator, "edits": edit_rows(found.edits)} for found in annotations]


def edit_rows(edits: Iterable[Edit]) -> list[Row]:
    """Return edits as rows of the type `EDIT`."""
    return [{**vars(edit), "corrections": list(edit.corrections)} for edit in edits]


def as_annotations(rows: Iterable[Row]) -> list[Annotation]:
    """Return rows of the type `ANNOTATIONS` as annotations, without `noop` edits."""
    return [Annotation(row["annotator"], as_edits(row["edits"])) for row in rows]


def as_edits(rows: Sequence[Row]) -> tuple[Edit, ...]:
    """Return rows of the type `EDIT` as edits, without `noop` edits."""
    return tuple(Edit(**{**row, "corrections": tuple(row["corrections"])}) for row in rows if row["type"] != NOOP)

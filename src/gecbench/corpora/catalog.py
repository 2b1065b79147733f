"""The datasets and their configurations: one declaration that builders, cards, files and the CLI all read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType

from gecbench.corpora import conll14, jfleg, judgments
from gecbench.corpora.edits import Row
from gecbench.corpora.schema import Field
from gecbench.corpora.upstream import Upstream
from gecbench.errors import InputError

_PACKAGE = Path(__file__).parent.parent

RowsFunction = Callable[[Upstream, str], Iterator[Row]]
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
class DatasetDeclaration:
    """One dataset; `redistributable` is false where upstream states no licence that allows it."""

    name: str
    title: str
    homepage: str
    licence: str
    redistributable: bool
    sources: tuple[str, ...]
    default_config: str
    configs: Mapping[str, Config]
    version: str = VERSION

    def config(self, name: str | None = None) -> Config:
        """Return a configuration by name, or the default one."""
        chosen = name or self.default_config
        if chosen not in self.configs:
            raise InputError(f"{self.name} has no configuration {chosen!r}", fix=f"Choose one of {_list(self.configs)}")
        return self.configs[chosen]

    def splits(self) -> tuple[str, ...]:
        """Return the splits that any configuration has."""
        return tuple(dict.fromkeys(split for config in self.configs.values() for split in config.splits))


def dataset(name: str) -> DatasetDeclaration:
    """Return a dataset by name."""
    if name not in DATASETS:
        raise InputError(f"there is no dataset {name!r}", fix=f"Choose one of {_list(DATASETS)}")
    return DATASETS[name]


def check_split(config: Config, split: str) -> str:
    """Return the split, or say which there are."""
    if split not in config.splits:
        raise InputError(f"{config.name} has no split {split!r}", fix=f"Choose one of {', '.join(config.splits)}")
    return split


@cache
def code_hash(package: Path = _PACKAGE) -> str:
    """Return a hash of all that makes rows; caches are keyed by it, so that changed code serves new rows."""
    digest = hashlib.sha256(VERSION.encode())
    for room in ("corpus", "formats", "corpora"):
        for path in sorted((package / room).rglob("*")):
            if path.name.endswith((".py", "pins.tsv")):
                digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _list(names: Mapping[str, object]) -> str:
    return ", ".join(names)


def _configs(*configs: Config) -> Mapping[str, Config]:
    return MappingProxyType({config.name: config for config in configs})


def _references(name: str, description: str, coded: bool = False, pinned: bool = True) -> Config:
    fields = conll14.ANNOTATED_FIELDS if coded else conll14.REFERENCE_FIELDS
    return Config(name, description, fields, ("test",), partial(conll14.reference_rows, name=name), pinned)


_BOTH = ("validation", "test")

JFLEG = DatasetDeclaration(
    name="jfleg",
    title="JFLEG with GUG judgements",
    homepage="https://github.com/keisks/jfleg",
    licence="cc-by-nc-sa-4.0",
    redistributable=True,
    sources=("jfleg", "gug"),
    default_config="default",
    configs=_configs(
        Config(
            "default",
            "sentences, four rewrites, GUG judgements",
            jfleg.DEFAULT_FIELDS,
            _BOTH,
            jfleg.default_rows,
        ),
        Config("m2", "edits per rewrite, derived and as published", jfleg.M2_FIELDS, _BOTH, jfleg.m2_rows),
        Config(
            "judgments",
            "pairwise human judgements of five systems and a rewrite",
            jfleg.JUDGMENT_FIELDS,
            ("validation",),
            jfleg.judgment_rows,
        ),
        Config("coded", "the 100 hand-coded sentences", jfleg.CODED_FIELDS, ("validation",), jfleg.coded_rows),
    ),
)

CONLL14_FLUENCY = DatasetDeclaration(
    name="conll14_fluency",
    title="CoNLL-14 with fluency and minimal rewrites",
    homepage="https://github.com/keisks/reassess-gec",
    licence="other",
    redistributable=False,
    sources=("conll14", "bn15", "reassess", "grammatical"),
    default_config="all",
    configs=_configs(
        _references("nucle", "the two official annotators", coded=True),
        Config(
            "nucle_alt",
            "the official annotations with the teams' alternatives, one to five per sentence",
            conll14.ANNOTATED_FIELDS,
            ("test",),
            conll14.alternative_rows,
        ),
        _references("bn15", "the ten annotators of Bryant & Ng 2015", coded=True, pinned=False),
        _references("expert_fluency", "two fluency rewrites by experts"),
        _references("nonexpert_fluency", "two fluency rewrites by the crowd"),
        _references("expert_minimal", "two minimal rewrites by experts"),
        _references("nonexpert_minimal", "two minimal rewrites by the crowd"),
        _references("all", "ten references: the two official annotators and the eight rewrites"),
        _references("all_bn15", "eighteen references: the ten of Bryant & Ng and the eight rewrites", pinned=False),
        Config(
            "systems",
            "outputs of the twelve systems of the shared task, and the input",
            conll14.SYSTEM_FIELDS,
            ("test",),
            conll14.system_rows,
        ),
        Config(
            "judgments",
            "rankings of systems (experts; crowd, as published and relabelled) and of references (crowd)",
            judgments.FIELDS,
            judgments.SPLITS,
            judgments.judgment_rows,
        ),
        Config(
            "extra_fluency",
            "six more crowd rewrites of twenty sentences",
            conll14.EXTRA_FIELDS,
            ("test",),
            conll14.extra_rows,
        ),
    ),
)

DATASETS: Mapping[str, DatasetDeclaration] = MappingProxyType(
    {declared.name: declared for declared in (JFLEG, CONLL14_FLUENCY)}
)

"""The datasets by name, what travels with the package for them, and the hash of the code that makes their rows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType

from gecbench.corpora import conll14, jfleg
from gecbench.corpora.declaration import VERSION, Config, DatasetDeclaration, HumanJudgments
from gecbench.corpora.demo import DATA, load_demo_systems
from gecbench.errors import InputError, did_you_mean
from gecbench.formats.judgments import read_judgments

_PACKAGE = Path(__file__).parent.parent
DATASETS: Mapping[str, DatasetDeclaration] = MappingProxyType(
    {module.DATASET.name: module.DATASET for module in (jfleg, conll14)}
)
_DEMO = HumanJudgments(
    "two judges of the demo's four toy systems",
    lambda: read_judgments(DATA / "judgments.csv"),
    load_demo_systems,
    "demo",
)
HUMAN_JUDGMENTS: Mapping[str, HumanJudgments] = MappingProxyType(
    {"demo": _DEMO} | {name: found for each in DATASETS.values() for name, found in each.judgments.items()}
)
_ALIASES = {alias: declared.name for declared in DATASETS.values() for alias in declared.aliases}


def is_dataset(name: str) -> bool:
    """Return whether a dataset has this name."""
    return name in DATASETS or name in _ALIASES


def dataset(name: str) -> DatasetDeclaration:
    """Return a dataset by its name, or by another name of it with the configuration that this means."""
    if name in _ALIASES:
        declared = DATASETS[_ALIASES[name]]
        return replace(declared, default_config=declared.aliases[name])
    if name not in DATASETS:
        raise InputError(
            f"there is no dataset {name!r}", fix=f"{did_you_mean(name, DATASETS)}Choose one of {', '.join(DATASETS)}"
        )
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


def modules_folder(kind: str) -> Path:
    """Return the folder of the modules of a kind, installed with the package or in its source tree."""
    for folder in (_PACKAGE / "_modules" / kind, _PACKAGE.parent.parent / kind):
        if folder.is_dir():
            return folder
    raise InputError(f"this installation carries no {kind} modules", fix="Reinstall gecbench")

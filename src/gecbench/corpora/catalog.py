"""The catalog: all datasets and human judgments by name.

This module also finds the folders of the cards in the package. `load.find_dataset` finds a dataset by its name or
alias.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from gecbench.corpora import conll14, jfleg, m2_corpora, mucgec, seeda
from gecbench.corpora.declaration import VERSION, DatasetDeclaration, HumanJudgments
from gecbench.corpora.demo import DATA, load_demo_systems
from gecbench.errors import InputError
from gecbench.formats.judgments import read_judgments

_PACKAGE = Path(__file__).parent.parent
DATASETS: Mapping[str, DatasetDeclaration] = MappingProxyType(
    {declared.name: declared for declared in (jfleg.DATASET, conll14.DATASET, *m2_corpora.DATASETS, mucgec.DATASET)}
)
ALIASES: Mapping[str, str] = MappingProxyType(
    {alias: declared.name for declared in DATASETS.values() for alias in declared.aliases}
)
_DEMO = HumanJudgments(
    "three judges ranked the four toy systems of the demo",
    lambda: read_judgments(DATA / "judgments.csv"),
    load_demo_systems,
    "demo",
)
HUMAN_JUDGMENTS: Mapping[str, HumanJudgments] = MappingProxyType(
    {"demo": _DEMO}
    | {name: found for each in DATASETS.values() for name, found in each.judgments.items()}
    | dict(seeda.JUDGMENTS)
)


@cache
def code_hash(package: Path = _PACKAGE) -> str:
    """Return a hash of all code that makes rows.

    Caches use it as a key, so that changed code makes new rows.
    """
    digest = hashlib.sha256(VERSION.encode())
    for folder in ("corpus", "formats", "corpora"):
        for path in sorted((package / folder).rglob("*")):
            if path.name.endswith((".py", "pins.tsv")):
                digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def modules_folder(kind: str) -> Path:
    """Return the folder of `datasets`, `metrics`, `harness` or `spaces` modules.

    The folder is in the installed package or in the source tree.
    """
    for folder in (_PACKAGE / "_modules" / kind, _PACKAGE.parent.parent / kind):
        if folder.is_dir():
            return folder
    raise InputError(f"the folder {kind} is missing from this installation of gecbench", fix="Reinstall gecbench")

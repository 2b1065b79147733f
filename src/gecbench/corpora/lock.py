"""The lock file: rows, bytes and content fingerprint of every split, committed with the code."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gecbench.corpora.catalog import DATASETS, dataset
from gecbench.corpora.declaration import Config
from gecbench.corpora.edits import Row
from gecbench.corpora.schema import FieldType, ListOf, Struct, yaml_features
from gecbench.corpora.upstream import Upstream
from gecbench.formats.text import write_bytes

LOCK_FILE = Path(__file__).parent / "lock.tsv"
_HEADER = "dataset\tconfig\tsplit\trows\tbytes\tcontent"
_WIDTH = {"int32": 4, "float64": 8, "bool": 1}


@dataclass(frozen=True)
class SplitLock:
    """What a split must hold."""

    rows: int
    bytes: int
    content: str


def lock_of(config: Config, rows: Iterable[Row]) -> SplitLock:
    """Return the lock of rows: their number, their size as plain values, and a hash of columns and values.

    The hash does not depend on the Parquet writer, so it can be compared between machines and releases.
    """
    digest = hashlib.sha256(_canonical(yaml_features(config.fields)))
    count = size = 0
    for row in rows:
        digest.update(_canonical([row[name] for name in config.columns]))
        count += 1
        size += sum(_bytes(row[field.name], field.type) for field in config.fields)
    return SplitLock(count, size, digest.hexdigest())


def _canonical(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def _bytes(value: Any, kind: FieldType) -> int:
    if value is None:
        return 0
    if isinstance(kind, ListOf):
        return 4 + sum(_bytes(item, kind.item) for item in value)
    if isinstance(kind, Struct):
        return sum(_bytes(value[field.name], field.type) for field in kind.fields)
    return 4 + len(value.encode()) if kind == "string" else _WIDTH[kind]


def read_lock(name: str) -> dict[tuple[str, str], SplitLock]:
    """Return the committed lock of a dataset by configuration and split."""
    locks = {}
    for line in LOCK_FILE.read_text(encoding="utf-8").splitlines()[1:]:
        owner, config, split, rows, size, content = line.split("\t")
        if owner == name:
            locks[config, split] = SplitLock(int(rows), int(size), content)
    return locks


def write_lock(name: str, upstream: Upstream | None = None) -> dict[tuple[str, str], SplitLock]:
    """Write a dataset's lock again, for a new dataset or when rows change on purpose; return it. Others are kept."""
    source = upstream or Upstream.from_environment()
    made = {
        (config.name, split): lock_of(config, config.rows(source, split))
        for config in dataset(name).pinned()
        for split in config.splits
    }
    lines = [_HEADER]
    for owner in DATASETS:
        for (config, split), lock in (made if owner == name else read_lock(owner)).items():
            lines.append("\t".join((owner, config, split, str(lock.rows), str(lock.bytes), lock.content)))
    write_bytes(LOCK_FILE, ("\n".join(lines) + "\n").encode())
    return made

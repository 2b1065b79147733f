"""Build and check a dataset folder: Parquet files, and the lock file with the fingerprint of every split."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gecbench.corpora.catalog import DATASETS, code_hash, dataset, modules_folder
from gecbench.corpora.declaration import (
    Config,
    DatasetDeclaration,
    FieldType,
    ListOf,
    Row,
    Struct,
    arrow_schema,
    yaml_features,
)
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


FINGERPRINTS = "fingerprints.json"
MODULE_FILES = ("README.md", "eval.yaml", "build.py")
WORKER_ID = re.compile(r"\bA[0-9A-Z]{11,20}\b")
Say = Callable[[str], None]


@dataclass(frozen=True)
class BuiltFile:
    """One Parquet file, by its path below `data/`."""

    path: str
    rows: int
    bytes: int
    sha256: str
    content: str


def build_dataset(
    name: str,
    folder: Path,
    *,
    configs: Sequence[str] | None = None,
    upstream: Upstream | None = None,
    say: Say = lambda _: None,
) -> list[BuiltFile]:
    """Write `folder/data/<config>/<split>.parquet` and `data/fingerprints.json`.

    Without `configs` all pinned configurations are built. The same rows and the same pyarrow release give the
    same bytes; the content fingerprint does not depend on the release. Nothing is written before all is made.
    """
    declared = dataset(name)
    source = upstream or Upstream.from_environment()
    chosen = [declared.config(each) for each in configs] if configs else declared.pinned()
    built, contents = [], []
    for config in chosen:
        for split in config.splits:
            file, content = _make_split(config, split, list(config.rows(source, split)))
            say(f"{file.path}: {file.rows} rows, {file.bytes} bytes, sha256 {file.sha256[:12]}…")
            built.append(file)
            contents.append(content)
    for file, content in zip(built, contents, strict=True):
        _write_whole(folder / "data" / file.path, content)
    _write_fingerprints(declared, folder / "data" / FINGERPRINTS, built)
    return built


def parquet_bytes(config: Config, rows: list[Row]) -> bytes:
    """Return the rows as a Parquet file without any Hugging Face or Arrow schema in its metadata."""
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.Table.from_pylist(rows, schema=arrow_schema(config.fields))
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(table, sink, compression="snappy", version="2.6", store_schema=False)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _make_split(config: Config, split: str, rows: list[Row]) -> tuple[BuiltFile, bytes]:
    content, lock = parquet_bytes(config, rows), lock_of(config, rows)
    path, digest = f"{config.name}/{split}.parquet", hashlib.sha256(content).hexdigest()
    return BuiltFile(path, lock.rows, len(content), digest, lock.content), content


def _write_fingerprints(declared: DatasetDeclaration, path: Path, built: list[BuiltFile]) -> None:
    import pyarrow

    known = {name: value for name, value in (_known_files(path) or {}).items() if (path.parent / name).is_file()}
    known |= {file.path: {key: value for key, value in vars(file).items() if key != "path"} for file in built}
    table = {
        "dataset": declared.name,
        "version": declared.version,
        "code": code_hash(),
        "pyarrow": pyarrow.__version__,
        "files": dict(sorted(known.items())),
    }
    _write_whole(path, (json.dumps(table, indent=2) + "\n").encode())


def _known_files(path: Path) -> dict[str, Any] | None:
    """Return what a table of fingerprints says of each file; None if it is damaged or missing."""
    try:
        files = json.loads(path.read_bytes())["files"]
        whole = all(isinstance(name, str) and isinstance(each["sha256"], str) for name, each in files.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return dict(files) if whole else None


def _write_whole(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, content)


def copy_module_files(name: str, folder: Path) -> list[str]:
    """Put card, benchmark file and build script where a folder lacks them; return the names of those copied."""
    source = modules_folder("datasets") / name
    folder.mkdir(parents=True, exist_ok=True)
    missing = [file for file in MODULE_FILES if not (folder / file).exists()]
    for file in missing:
        write_bytes(folder / file, (source / file).read_bytes())
    return missing


def verify_dataset(name: str, folder: Path) -> list[str]:
    """Return what is wrong with a built folder: files, hashes, columns, content, worker identifiers."""
    declared = dataset(name)
    table = folder / "data" / FINGERPRINTS
    if not table.is_file():
        return [f"{table} is missing: build the dataset first"]
    files = _known_files(table)
    if files is None:
        return [f"{table} is damaged"]
    locks = read_lock(name)
    problems = [
        f"data/{config.name}/{split}.parquet is missing"
        for config in declared.pinned()
        for split in config.splits
        if f"{config.name}/{split}.parquet" not in files
    ]
    for path, expected in files.items():
        config_name, _, file_name = path.partition("/")
        if config_name not in declared.configs:
            problems.append(f"data/{path} belongs to no configuration")
            continue
        lock = locks.get((config_name, file_name.removesuffix(".parquet")))
        problems += _verify_file(folder / "data" / path, declared.config(config_name), expected, lock)
    return problems


def _verify_file(path: Path, config: Config, expected: dict[str, Any], lock: SplitLock | None) -> Iterator[str]:
    import pyarrow.parquet

    if not path.is_file():
        yield f"{path} is missing"
        return
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != expected["sha256"]:
        yield f"{path}: expected sha256 {expected['sha256']}, found sha256 {found}"
        return
    try:
        table = pyarrow.parquet.read_table(path)
    except (pyarrow.ArrowException, OSError):
        yield f"{path}: is no whole Parquet file"
        return
    if not _same_columns(table.schema, config):
        yield f"{path}: columns or types are not those of {config.name}"
        return
    rows = table.to_pylist()
    made = lock_of(config, rows)
    if lock is not None and made != lock:
        yield f"{path}: expected content {lock.content}, found content {made.content}"
    if any(WORKER_ID.search(text) for row in rows for text in _names(row)):
        yield f"{path}: holds what looks like a crowd worker's identifier"


def _same_columns(schema: Any, config: Config) -> bool:
    wanted = arrow_schema(config.fields)
    same = [str(field.type).replace("element:", "item:") for field in schema] == [str(field.type) for field in wanted]
    return bool(schema.names == wanted.names and same)


def _names(row: Row) -> Iterator[str]:
    """Yield the strings that name people or items (running text may be in capitals)."""
    for column in {"judge", "workers", "id", "reference_names"} & row.keys():
        yield from [row[column]] if isinstance(row[column], str) else row[column] or ()


def describe_dataset(name: str, upstream: Upstream | None = None) -> dict[str, Any]:
    """Return a dataset's configurations with their sizes, and where its upstream files are now."""
    declared = dataset(name)
    locks = read_lock(name)
    source = upstream or Upstream.from_environment()
    return {
        "name": name,
        "title": declared.title,
        "version": declared.version,
        "licence": declared.licence,
        "homepage": declared.homepage,
        "code": code_hash(),
        "configs": {
            config.name: {
                "description": config.description,
                "columns": list(config.columns),
                "splits": {
                    split: locks[config.name, split].rows if (config.name, split) in locks else None
                    for split in config.splits
                },
            }
            for config in declared.configs.values()
        },
        "upstream": [row for each in declared.sources for row in source.describe(f"{each}/")],
    }

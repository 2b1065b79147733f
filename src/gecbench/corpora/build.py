"""Build and verify a dataset folder: Parquet files and a card.

This module also locks the expected contents of the splits of each dataset.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gecbench.corpora.catalog import DATASETS, code_hash, modules_folder
from gecbench.corpora.declaration import (
    Config,
    DatasetDeclaration,
    Field,
    FieldType,
    ListOf,
    Row,
    Struct,
    arrow_schema,
    describe_type,
    yaml_features,
)
from gecbench.corpora.demo import load_demo
from gecbench.corpora.load import find_dataset
from gecbench.corpora.upstream import SOURCES, Upstream
from gecbench.errors import InputError, counted, error_context
from gecbench.formats.text import write_bytes

LOCK_FILE = Path(__file__).parent / "lock.tsv"
FINGERPRINTS = "fingerprints.json"
MODULE_FILES = ("README.md", "eval.yaml", "build.py")
YAML_MARKERS = ("# generated: begin", "# generated: end")
TABLE_MARKERS = ("<!-- generated: begin -->", "<!-- generated: end -->")
_WORKER_ID = re.compile(r"\bA[0-9A-Z]{11,20}\b")
_LOCK_HEADER = "dataset\tconfig\tsplit\trows\tbytes\tcontent"
_WIDTH = {"int32": 4, "float64": 8, "bool": 1}


def _dataset(name: str) -> DatasetDeclaration:
    """Return a dataset by name or alias.

    Unlike in `find_dataset`, an alias does not set the default configuration.
    """
    return DATASETS[find_dataset(name).name]


# The lock file: the expected contents of every split


@dataclass(frozen=True)
class SplitLock:
    """The number of rows, the size and the content hash that a split must have."""

    rows: int
    bytes: int
    content: str


Locks = dict[tuple[str, str], SplitLock]
"""The locks of a dataset by configuration and split."""


def lock_of(config: Config, rows: Iterable[Row]) -> SplitLock:
    """Return the lock of rows.

    The lock is the number of rows, the size of their values in bytes, and a hash of columns and values. The hash does
    not depend on the Parquet writer, so it can be compared between machines and releases.
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


def read_lock(name: str) -> Locks:
    """Return the committed locks of a dataset."""
    name, locks = _dataset(name).name, {}
    for line in LOCK_FILE.read_text(encoding="utf-8").splitlines()[1:]:
        owner, config, split, rows, size, content = line.split("\t")
        if owner == name:
            locks[config, split] = SplitLock(int(rows), int(size), content)
    return locks


def write_lock(name: str, upstream: Upstream | None = None) -> Locks:
    """Update the locks of a dataset after an intended change, and return them.

    Locks of other datasets are kept.
    """
    declared, source = _dataset(name), upstream or Upstream.from_environment()
    made = {
        (config.name, split): lock_of(config, config.rows(source, split))
        for config in declared.pinned()
        for split in config.splits
    }
    lines = [_LOCK_HEADER]
    for owner in DATASETS:
        for (config, split), lock in (made if owner == declared.name else read_lock(owner)).items():
            lines.append("\t".join((owner, config, split, str(lock.rows), str(lock.bytes), lock.content)))
    write_bytes(LOCK_FILE, ("\n".join(lines) + "\n").encode())
    return made


# The Parquet files


@dataclass(frozen=True)
class BuiltFile:
    """One Parquet file. `path` is relative to the folder `data`."""

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
    say: Callable[[str], None] = lambda _: None,
) -> list[BuiltFile]:
    """Build a dataset in a folder.

    This writes `data/<config>/<split>.parquet` and `data/fingerprints.json`. By default, all pinned configurations are
    built. Nothing is written before all files have been made. The same rows and the same pyarrow release give the same
    bytes. The hash in `content` is the same for all pyarrow releases.
    """
    declared = _dataset(name)
    source = upstream or Upstream.from_environment()
    chosen = [declared.config(each) for each in configs] if configs else declared.pinned()
    if not chosen:
        fix = f"Give the configurations to build: gecbench data build {name} {' '.join(declared.configs)}"
        problem = f"no configuration of {name} is built by default, because the hashes of its files are not known"
        raise InputError(problem, fix=fix)
    built, contents = [], []
    for config in chosen:
        for split in config.splits:
            file, content = _make_split(config, split, list(config.rows(source, split)))
            say(f"{file.path}: {counted(file.rows, 'row')}, {counted(file.bytes, 'byte')}, sha256 {file.sha256[:12]}…")
            built.append(file)
            contents.append(content)
    for file, content in zip(built, contents, strict=True):
        path = folder / "data" / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, content)
    _write_fingerprints(declared, folder / "data" / FINGERPRINTS, built)
    return built


def _make_split(config: Config, split: str, rows: list[Row]) -> tuple[BuiltFile, bytes]:
    content, lock = parquet_bytes(config, rows), lock_of(config, rows)
    path, digest = f"{config.name}/{split}.parquet", hashlib.sha256(content).hexdigest()
    return BuiltFile(path, lock.rows, len(content), digest, lock.content), content


def parquet_bytes(config: Config, rows: list[Row]) -> bytes:
    """Return the rows as a Parquet file.

    Its metadata contains neither a Hugging Face schema nor an Arrow schema.
    """
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.Table.from_pylist(rows, schema=arrow_schema(config.fields))
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(table, sink, compression="snappy", version="2.6", store_schema=False)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _write_fingerprints(declared: DatasetDeclaration, path: Path, built: list[BuiltFile]) -> None:
    import pyarrow

    known = {name: value for name, value in (_read_fingerprints(path) or {}).items() if (path.parent / name).is_file()}
    known |= {file.path: {key: value for key, value in vars(file).items() if key != "path"} for file in built}
    table = {
        "dataset": declared.name,
        "version": declared.version,
        "code": code_hash(),
        "pyarrow": pyarrow.__version__,
        "files": dict(sorted(known.items())),
    }
    write_bytes(path, (json.dumps(table, indent=2) + "\n").encode())


def _read_fingerprints(path: Path) -> dict[str, Any] | None:
    """Return the recorded properties of each built file.

    Return None if the file of fingerprints is damaged or missing.
    """
    try:
        files = json.loads(path.read_bytes())["files"]
        whole = all(isinstance(name, str) and isinstance(each["sha256"], str) for name, each in files.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return dict(files) if whole else None


def copy_module_files(name: str, folder: Path) -> list[str]:
    """Copy the card, benchmark file and build script of a dataset to a folder.

    Files that the folder already has are kept. Return the names of the copied files. If gecbench has no card for the
    dataset, write a short card from the catalog.
    """
    declared = _dataset(name)
    source = modules_folder("datasets") / declared.name
    folder.mkdir(parents=True, exist_ok=True)
    if not source.is_dir():
        if (folder / "README.md").exists():
            return []
        write_bytes(folder / "README.md", render_card(name, _short_card(declared)).encode())
        return ["README.md"]
    missing = [file for file in MODULE_FILES if not (folder / file).exists()]
    for file in missing:
        write_bytes(folder / file, (source / file).read_bytes())
    return missing


def folder_problems(name: str, folder: Path) -> list[str]:
    """Return the problems of a built folder and its card."""
    return [*verify_dataset(name, folder), *card_problems(name, folder / "README.md")]


def verify_dataset(name: str, folder: Path) -> list[str]:
    """Return the problems of the data in a built folder.

    The check covers files, hashes, columns, content and identifiers of crowd workers.
    """
    declared = _dataset(name)
    table = folder / "data" / FINGERPRINTS
    if not table.is_file():
        return [f"{table} is missing"]
    files = _read_fingerprints(table)
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
            problems.append(f"data/{path} does not belong to any configuration of {declared.name}")
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
        yield f"{path} is not a complete Parquet file"
        return
    if not _has_columns(table.schema, config):
        yield f"{path}: its columns or types differ from those of the configuration {config.name}"
        return
    rows = table.to_pylist()
    made = lock_of(config, rows)
    if lock is not None and made != lock:
        yield f"{path}: expected the content hash {lock.content}, found {made.content}"
    if any(_WORKER_ID.search(text) for row in rows for text in _names(row)):
        yield f"{path} seems to contain the identifier of a crowd worker"


def _has_columns(schema: Any, config: Config) -> bool:
    wanted = arrow_schema(config.fields)
    same = [str(field.type).replace("element:", "item:") for field in schema] == [str(field.type) for field in wanted]
    return bool(schema.names == wanted.names and same)


def _names(row: Row) -> Iterator[str]:
    """Yield the strings that could contain the identifier of a crowd worker.

    Sentences are not searched, because words in capitals could look like such an identifier.
    """
    for column in {"judge", "workers", "id", "reference_names"} & row.keys():
        yield from [row[column]] if isinstance(row[column], str) else row[column] or ()


def describe_dataset(name: str, upstream: Upstream | None = None) -> dict[str, Any]:
    """Return a dataset's configurations, sizes and upstream files.

    Each upstream file comes with its current location.
    """
    declared = _dataset(name)
    locks = read_lock(name)
    source = upstream or Upstream.from_environment()
    return {
        "name": declared.name,
        "title": declared.title,
        "version": declared.version,
        "license": declared.license,
        "homepage": declared.homepage,
        "code": code_hash(),
        "configs": {
            config.name: {
                "description": config.description,
                "columns": list(config.columns),
                "splits": _split_sizes(config, locks),
            }
            for config in declared.configs.values()
        },
        "upstream": [row for each in declared.sources for row in source.describe(f"{each}/")],
    }


def _split_sizes(config: Config, locks: Locks) -> dict[str, int | None]:
    """Return the number of rows of each split, or None if it is not known."""
    found = {split: locks.get((config.name, split)) for split in config.splits}
    return {split: lock.rows if lock else None for split, lock in found.items()}


def list_corpora() -> list[dict[str, Any]]:
    """Return the catalog entry of every corpus that has sentences.

    The first is the demo corpus. Each corpus has its shortest name.
    """
    upstream = Upstream.from_environment()
    found = [
        _corpus_entry(declared, config, upstream)
        for declared in DATASETS.values()
        for config in declared.configs.values()
        if config.scorable or config.submit_to
    ]
    return [_demo_entry(), *found]


def _demo_entry() -> dict[str, Any]:
    """Return the entry of the demo corpus, which is part of the package."""
    return {
        "name": "demo",
        "title": "Demo corpus",
        "language": "en",
        "sentences": {"test": len(load_demo())},
        "description": "learner sentences with four fluent references and the edits of two annotators",
        "gold": "text",
        "metric": "gleu",
        "tokenization": "Penn Treebank",
        "license": "apache-2.0",
        "terms": None,
        "accepted": True,
        "redistributable": True,
        "pinned": True,
        "homepage": "https://github.com/gecbench/gecbench",
        "citation": "part of gecbench",
        "dataset": "demo",
        "config": "default",
    }


def _corpus_entry(declared: DatasetDeclaration, config: Config, upstream: Upstream) -> dict[str, Any]:
    locks, sources = read_lock(declared.name), [SOURCES[name] for name in declared.sources]
    return {
        "name": declared.corpus_name(config),
        "title": declared.title,
        "language": declared.language,
        "sentences": _split_sizes(config, locks),
        "description": config.description,
        "gold": "none" if not config.scorable else "edits" if "annotations" in config.columns else "text",
        "metric": None if config.submit_to else declared.official_metric(config),
        "tokenization": declared.tokenization,
        "license": declared.license,
        "terms": "; ".join(found.terms for found in sources if found.terms) or None,
        "accepted": all(map(upstream.is_accepted, sources)),
        "redistributable": declared.redistributable,
        "pinned": config.pinned,
        "homepage": declared.homepage,
        "citation": declared.citation,
        "dataset": declared.name,
        "config": config.name,
    }


# The card


def card_problems(name: str, card: Path) -> list[str]:
    """Return the problems of a card.

    A card can be missing, or its generated parts can be out of date.
    """
    if not card.is_file():
        return [f"{card} is missing"]
    text = card.read_text(encoding="utf-8")
    with error_context(str(card)):
        if render_card(name, text) == text:
            return []
    return [f"{card} does not match the dataset. Update the card: gecbench data lock {name}"]


def refresh_card(name: str, card: Path) -> bool:
    """Update the generated parts of a card, and return whether it changed."""
    before = card.read_text(encoding="utf-8")
    with error_context(str(card)):
        after = render_card(name, before)
    if after != before:
        write_bytes(card, after.encode())
    return after != before


def render_card(name: str, text: str) -> str:
    """Return the text of a card with its generated parts updated."""
    declared, locks = _dataset(name), read_lock(name)
    for markers, block in ((YAML_MARKERS, _yaml_block(declared, locks)), (TABLE_MARKERS, _tables(declared, locks))):
        before, begin, rest = text.partition(markers[0])
        _, end, after = rest.partition(markers[1])
        if not begin or not end or markers[0] in after:
            raise InputError(f"the card must contain {markers[0]!r} and then {markers[1]!r}, each exactly once")
        text = f"{before}{begin}\n{block}\n{end}{after}"
    return text


def _short_card(declared: DatasetDeclaration) -> str:
    """Return a card without its generated parts."""
    return "\n".join(
        [
            "---",
            f"license: {declared.license}",
            f"language: {declared.language}",
            f"pretty_name: {declared.title!r}",
            *YAML_MARKERS,
            "---",
            "",
            f"# {declared.title}",
            "",
            f"Built by gecbench from [the files of its owners]({declared.homepage}). Please cite {declared.citation}.",
            "",
            *TABLE_MARKERS,
            "",
        ]
    )


def _yaml_block(declared: DatasetDeclaration, locks: Locks) -> str:
    import yaml

    metadata = card_metadata(declared, locks)
    return str(yaml.safe_dump(metadata, sort_keys=False, allow_unicode=True, width=1000)).rstrip("\n")


def card_metadata(declared: DatasetDeclaration, locks: Locks) -> dict[str, Any]:
    """Return the `configs` and `dataset_info` entries of the card."""
    return {
        "configs": [_files_entry(declared, config) for config in declared.pinned()],
        "dataset_info": [_info_entry(declared, config, locks) for config in declared.pinned()],
    }


def _files_entry(declared: DatasetDeclaration, config: Config) -> dict[str, Any]:
    entry: dict[str, Any] = {"config_name": config.name}
    if config.name == declared.default_config:
        entry["default"] = True
    paths = [{"split": split, "path": f"data/{config.name}/{split}.parquet"} for split in config.splits]
    return entry | {"data_files": paths}


def _info_entry(declared: DatasetDeclaration, config: Config, locks: Locks) -> dict[str, Any]:
    splits = [
        {
            "name": split,
            "num_bytes": locks[config.name, split].bytes,
            "num_examples": locks[config.name, split].rows,
        }
        for split in config.splits
    ]
    return {
        "config_name": config.name,
        "version": declared.version,
        "features": yaml_features(config.fields),
        "splits": splits,
        "dataset_size": sum(split["num_bytes"] for split in splits),
    }


def _tables(declared: DatasetDeclaration, locks: Locks) -> str:
    """Return the tables of configurations, splits and fields.

    Configurations with the same fields share a table.
    """
    lines = ["| configuration | contents | splits (rows) |", "|---|---|---|"]
    by_fields: dict[tuple[Field, ...], list[str]] = {}
    for config in declared.configs.values():
        counts = ", ".join(_count(config.name, split, locks) for split in config.splits)
        star = " (default)" if config.name == declared.default_config else ""
        lines.append(f"| `{config.name}`{star} | {config.description} | {counts} |")
        by_fields.setdefault(config.fields, []).append(config.name)
    for fields, names in by_fields.items():
        lines += ["", f"Fields of {', '.join(f'`{each}`' for each in names)}:", ""]
        lines += ["| field | type | meaning |", "|---|---|---|"]
        lines += [f"| `{field.name}` | {describe_type(field.type)} | {field.description} |" for field in fields]
    return "\n".join(lines)


def _count(config: str, split: str, locks: Locks) -> str:
    lock = locks.get((config, split))
    return f"{split} ({lock.rows:,})" if lock else f"{split} (built on request)"

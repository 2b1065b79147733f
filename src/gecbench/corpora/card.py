"""The generated parts of a dataset card: configurations, features, sizes, tables of fields."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from gecbench.corpora.build import SplitLock, read_lock
from gecbench.corpora.catalog import dataset
from gecbench.corpora.declaration import Config, DatasetDeclaration, type_name, yaml_features
from gecbench.errors import InputError
from gecbench.formats.text import write_bytes

YAML_MARKERS = ("# generated: begin", "# generated: end")
TABLE_MARKERS = ("<!-- generated: begin -->", "<!-- generated: end -->")
Locks = dict[tuple[str, str], SplitLock]


def card_metadata(name: str) -> dict[str, Any]:
    """Return the `configs` and `dataset_info` entries of the card."""
    declared, locks = dataset(name), read_lock(name)
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


def yaml_block(name: str) -> str:
    """Return the generated lines of the card's YAML."""
    import yaml

    text = yaml.safe_dump(card_metadata(name), sort_keys=False, allow_unicode=True, width=1000)
    return f"{YAML_MARKERS[0]}\n{text}{YAML_MARKERS[1]}"


def table_block(name: str) -> str:
    """Return the generated tables of configurations, splits and fields."""
    declared, locks = dataset(name), read_lock(name)
    lines = ["| configuration | what | splits (rows) |", "|---|---|---|"]
    for config in declared.configs.values():
        counts = ", ".join(_count(config.name, split, locks) for split in config.splits)
        star = " (default)" if config.name == declared.default_config else ""
        lines.append(f"| `{config.name}`{star} | {config.description} | {counts} |")
    for fields, names in _by_fields(declared).items():
        lines += ["", f"Fields of {', '.join(f'`{each}`' for each in names)}:", ""]
        lines += ["| field | type | meaning |", "|---|---|---|"]
        lines += [f"| `{field.name}` | {type_name(field.type)} | {field.description} |" for field in fields]
    return "\n".join([TABLE_MARKERS[0], *lines, TABLE_MARKERS[1]])


def _count(config: str, split: str, locks: Locks) -> str:
    lock = locks.get((config, split))
    return f"{split} ({lock.rows:,})" if lock else f"{split} (built on request)"


def _by_fields(declared: DatasetDeclaration) -> dict[Any, list[str]]:
    groups: dict[Any, list[str]] = {}
    for config in declared.configs.values():
        groups.setdefault(config.fields, []).append(config.name)
    return groups


def render_card(name: str, text: str) -> str:
    """Return the card with its generated parts brought up to date."""
    for markers, block in ((YAML_MARKERS, yaml_block(name)), (TABLE_MARKERS, table_block(name))):
        pattern = re.compile(re.escape(markers[0]) + ".*?" + re.escape(markers[1]), re.DOTALL)
        if len(pattern.findall(text)) != 1:
            raise InputError(f"the card needs one {markers[0]!r} … {markers[1]!r}")
        text = pattern.sub(lambda _match, block=block: block, text)  # type: ignore[misc]
    return text


def refresh_card(name: str, path: Path) -> bool:
    """Bring the card's generated parts up to date; return whether anything changed."""
    before = path.read_text(encoding="utf-8")
    after = render_card(name, before)
    if after != before:
        write_bytes(path, after.encode())
    return after != before


def card_problems(name: str, path: Path) -> list[str]:
    """Return what is wrong with a card: missing, or drifted from the builder."""
    if not path.is_file():
        return [f"{path} is missing"]
    text = path.read_text(encoding="utf-8")
    if render_card(name, text) == text:
        return []
    return [f"{path} has drifted from the builder: gecbench data lock {name} writes it again"]

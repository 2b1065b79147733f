from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from corpora_support import WORKERS

from gecbench.corpora import catalog as catalog_module
from gecbench.corpora.catalog import DATASETS
from gecbench.corpora.load import load_dataset, load_rows
from gecbench.corpora.upstream import OfflineError
from gecbench.errors import InputError
from gecbench.huggingface.register import register_datasets, unregister_datasets

datasets = pytest.importorskip("datasets", minversion="2.21")
EVERY_CONFIG = [(name, config) for name, declared in DATASETS.items() for config in declared.configs]


@pytest.fixture
def registered():
    register_datasets()
    yield
    unregister_datasets()


@pytest.mark.parametrize(("name", "config"), EVERY_CONFIG)
def test_a_dataset_holds_the_rows(tiny_environment, tmp_path, name, config):
    loaded = load_dataset(name, config, cache_dir=tmp_path / "cache")
    expected = load_rows(name, config)
    assert {split: list(part) for split, part in loaded.items()} == expected


def test_one_split(tiny_environment, tmp_path):
    test = load_dataset("jfleg", split="test", cache_dir=tmp_path / "cache")
    assert (len(test), test[1]["sentence"]) == (2, "We goes out .")
    part = load_dataset("jfleg", split="test[:1]", cache_dir=tmp_path / "cache")
    assert len(part) == 1


@pytest.mark.parametrize("config", ["default", "m2"])
def test_streaming(tiny_environment, config):
    streamed = load_dataset("jfleg", config, split="validation", streaming=True)
    assert list(streamed) == load_rows("jfleg", config, "validation")
    assert set(load_dataset("jfleg", config, streaming=True)) == {"validation", "test"}


def test_the_second_load_needs_no_upstream(tiny_environment, tmp_path, monkeypatch):
    first = load_dataset("jfleg", split="test", cache_dir=tmp_path / "cache")
    monkeypatch.delenv("GECBENCH_MIRROR")
    second = load_dataset("jfleg", split="test", cache_dir=tmp_path / "cache")
    assert list(first) == list(second)
    with pytest.raises(OfflineError, match="GECBENCH_MIRROR"):
        load_dataset("jfleg", "coded", cache_dir=tmp_path / "cache")


@pytest.mark.parametrize("record", [True, False])
def test_prepared_rows_that_changed_are_prepared_again(tiny_environment, tmp_path, monkeypatch, record):
    def load():
        return list(load_dataset("jfleg", split="test", cache_dir=tmp_path / "cache"))

    good = load()
    (arrow,) = (tmp_path / "cache").rglob("*-test.arrow")
    content = arrow.read_bytes()
    assert content.count(b"We goes out .") == 1
    arrow.write_bytes(content.replace(b"We goes out .", b"We goes in  ."))
    if not record:
        (arrow.parent / "gecbench_sha256.json").write_text("damaged")
    with monkeypatch.context() as offline:
        offline.delenv("GECBENCH_MIRROR")
        with pytest.raises(OfflineError):
            load()
    assert load() == good
    assert arrow.read_bytes() == content


def test_changed_code_is_not_served_old_rows(tiny_environment, tmp_path, monkeypatch):
    load_dataset("jfleg", "coded", cache_dir=tmp_path / "cache")
    changed = catalog_module.code_hash()[::-1]
    monkeypatch.setattr("gecbench.corpora.load.code_hash", lambda: changed)
    real = DATASETS["jfleg"].configs["coded"]

    def new_rows(upstream, split):
        return ({**row, "codes_nus": "new"} for row in real.rows(upstream, split))

    monkeypatch.setitem(
        DATASETS["jfleg"].__dict__, "configs", {"coded": real.__class__(**{**vars(real), "rows": new_rows})}
    )
    again = load_dataset("jfleg", "coded", split="validation", cache_dir=tmp_path / "cache")
    assert again["codes_nus"][0] == "new"


def test_the_code_hash_covers_all_that_makes_rows_and_the_pins(tmp_path):
    package = Path(catalog_module.__file__).parent.parent
    shutil.copytree(package, tmp_path / "0", ignore=shutil.ignore_patterns("*.so", "__pycache__", "_modules"))
    assert catalog_module.code_hash(tmp_path / "0") == catalog_module.code_hash()
    hashes = {catalog_module.code_hash()}
    changes = ("corpora/jfleg.py", "corpora/pins.tsv", "corpus/edits.py", "formats/m2.py")
    for number, change in enumerate(changes, 1):
        shutil.copytree(tmp_path / "0", tmp_path / str(number))
        with (tmp_path / str(number) / change).open("ab") as file:
            file.write(b"\n")
        hashes.add(catalog_module.code_hash(tmp_path / str(number)))
    assert len(hashes) == 1 + len(changes)


def test_bare_names(tiny_environment, tmp_path, monkeypatch, registered):
    monkeypatch.chdir(tmp_path)
    loaded = datasets.load_dataset("jfleg", split="test", cache_dir=str(tmp_path / "cache"))
    assert list(loaded) == load_rows("jfleg", split="test")
    rankings = datasets.load_dataset("conll14_fluency", "judgments", cache_dir=str(tmp_path / "cache"))
    assert list(rankings) == ["expert", "crowd", "crowd_relabelled", "references"]
    streamed = datasets.load_dataset("jfleg", "m2", split="test", streaming=True)
    assert list(streamed) == load_rows("jfleg", "m2", "test")
    assert datasets.get_dataset_config_names("jfleg") == ["default", "m2", "judgments", "coded"]
    assert datasets.get_dataset_split_names("jfleg", "default") == ["validation", "test"]


def test_a_bare_name_takes_the_same_cache(tiny_environment, tmp_path, monkeypatch, registered):
    load_dataset("jfleg", cache_dir=tmp_path / "cache")
    monkeypatch.delenv("GECBENCH_MIRROR")
    assert len(datasets.load_dataset("jfleg", split="test", cache_dir=str(tmp_path / "cache"))) == 2


def test_a_bare_name_never_finds_another_dataset(tiny_environment, tmp_path, monkeypatch, registered):
    other = tmp_path / "elsewhere" / "jfleg"
    other.mkdir(parents=True)
    (other / "test.jsonl").write_text(json.dumps({"sentence": "not ours"}) + "\n")
    cache = str(tmp_path / "cache")
    assert datasets.load_dataset(str(other), split="test", cache_dir=cache)["sentence"][0] == "not ours"
    monkeypatch.chdir(other.parent)
    assert datasets.load_dataset("jfleg", split="test", cache_dir=cache)["sentence"][1] == "We goes out ."
    monkeypatch.chdir(other)
    assert datasets.load_dataset("jfleg", split="test", cache_dir=cache)["sentence"][1] == "We goes out ."


def test_registering_leaves_other_names_alone_and_can_be_undone(tmp_path):
    import datasets.load as load_module
    from datasets.packaged_modules import _PACKAGED_DATASETS_MODULES

    before = load_module.PackagedDatasetModuleFactory
    register_datasets()
    register_datasets()
    lines = tmp_path / "lines.txt"
    lines.write_text("one\ntwo\n")
    assert datasets.load_dataset("text", data_files=str(lines), cache_dir=str(tmp_path / "c"))["train"].num_rows == 2
    unregister_datasets()
    assert load_module.PackagedDatasetModuleFactory is before
    assert "jfleg" not in _PACKAGED_DATASETS_MODULES
    unregister_datasets()


def test_a_mirror_can_be_named_in_the_call(tiny_environment, tmp_path, monkeypatch, registered):
    monkeypatch.delenv("GECBENCH_MIRROR")
    cache = tmp_path / "cache"
    assert len(load_dataset("jfleg", split="test", cache_dir=cache, mirror=tiny_environment)) == 2
    assert len(load_dataset("jfleg", split="test", cache_dir=cache)) == 2
    streamed = load_dataset("jfleg", "m2", split="test", streaming=True, mirror=tiny_environment)
    assert len(list(streamed)) == 2
    given = datasets.load_dataset("jfleg", "coded", data_dir=str(tiny_environment), cache_dir=str(cache))
    assert given["validation"].num_rows == 1


def test_loading_touches_no_network(tiny_environment, tmp_path, monkeypatch, registered):
    def refuse(*_args, **_kwargs):
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert datasets.load_dataset("jfleg", cache_dir=str(tmp_path / "one"))["test"].num_rows == 2
    assert load_dataset("jfleg", "m2", cache_dir=tmp_path / "two")["test"].num_rows == 2


def test_wrong_names(tiny_environment, tmp_path):
    with pytest.raises(InputError, match="no configuration 'm3'"):
        load_dataset("jfleg", "m3")
    with pytest.raises(InputError, match="no split 'train'"):
        load_dataset("jfleg", split="train", cache_dir=tmp_path)


def test_no_worker_identifier_in_the_cache(tiny_environment, tmp_path):
    load_dataset("conll14_fluency", "judgments", cache_dir=tmp_path / "cache")
    load_dataset("conll14_fluency", "extra_fluency", cache_dir=tmp_path / "cache")
    stored = b"".join(path.read_bytes() for path in (tmp_path / "cache").rglob("*") if path.is_file())
    assert b"w1" in stored
    assert not any(worker.encode() in stored for worker in WORKERS)


def test_importing_corpora_imports_no_heavy_library():
    heavy = {"datasets", "pyarrow", "huggingface_hub", "tqdm"}
    code = f"import sys, gecbench.corpora; print(sorted({heavy} & set(sys.modules)))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"

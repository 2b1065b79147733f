from __future__ import annotations

import pytest
from corpora_support import WORKERS

from gecbench.corpora import catalog as catalog_module
from gecbench.corpora.catalog import DATASETS
from gecbench.corpora.load import load_dataset, load_rows
from gecbench.corpora.upstream import OfflineError
from gecbench.errors import InputError

datasets = pytest.importorskip("datasets", minversion="2.21")
EVERY_CONFIG = [(name, config) for name, declared in DATASETS.items() for config in declared.configs]


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


def test_an_alias_means_its_configuration(tiny_environment, tmp_path):
    loaded = load_dataset("conll14", split="test", cache_dir=tmp_path / "cache")
    assert list(loaded) == load_rows("conll14_fluency", "nucle", "test")

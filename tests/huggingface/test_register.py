"""Bare names in `evaluate.load` and `datasets.load_dataset`."""

import json
import socket

import evaluate
import pytest

import gecbench
from gecbench.corpora.build import copy_module_files
from gecbench.corpora.catalog import DATASETS
from gecbench.corpora.load import load_dataset, load_rows
from gecbench.huggingface.register import metric_modules, register_datasets, unregister_datasets

datasets = pytest.importorskip("datasets", minversion="2.21")


def test_registered_name_offline_and_undone():
    assert gecbench.register(quiet=True) == gecbench.register(quiet=True) == [*metric_modules(), *DATASETS]
    try:
        inputs = {"sources": ["He go home now ."], "predictions": ["He goes home now ."]}
        assert evaluate.load("gleu").compute(**inputs, references=[["He goes home now ."]])["gleu"] == 1.0
    finally:
        gecbench.unregister()
    assert not hasattr(evaluate.loading.evaluation_module_factory, "gecbench_original")
    with pytest.raises((FileNotFoundError, ConnectionError)):
        evaluate.loading.evaluation_module_factory("gleu-is-unknown-again")


def test_register_says_what_it_did(capsys):
    gecbench.register()
    gecbench.unregister()
    message = capsys.readouterr().err
    assert 'evaluate.load("gleu")' in message
    assert 'datasets.load_dataset("jfleg")' in message
    assert "gecbench.unregister()" in message


def test_unknown_module():
    with pytest.raises(gecbench.InputError, match="Known modules: cleme, errant, gleu, green, imeasure, m2"):
        gecbench.load_metric("meteor")


@pytest.fixture
def registered():
    register_datasets()
    yield
    unregister_datasets()


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


class TestRefusedAndExplained:
    def test_a_revision_is_refused(self, tiny_environment, tmp_path):
        gecbench.register(quiet=True)
        try:
            with pytest.raises(gecbench.InputError, match="revision='v1' cannot be loaded: 'gleu' comes from"):
                evaluate.load("gleu", revision="v1")
            with pytest.raises(gecbench.InputError, match="revision='v1' cannot be loaded: 'jfleg' comes from"):
                datasets.load_dataset("jfleg", revision="v1", cache_dir=str(tmp_path))
        finally:
            gecbench.unregister()
        assert not hasattr(datasets.load.dataset_module_factory, "gecbench_original")
        assert not hasattr(evaluate.inspect.evaluation_module_factory, "gecbench_original")

    def test_the_reason_of_an_error_and_the_citation(self, tiny_environment, tmp_path, registered):
        loaded = datasets.load_dataset("jfleg", split="test", cache_dir=str(tmp_path / "one"))
        assert loaded.info.citation.startswith("Napoles et al. 2017")
        for path in tiny_environment.rglob("test.ref0"):
            path.write_text("too few lines\n")
        with pytest.raises(gecbench.GecbenchError, match=r"test\.ref0"):
            datasets.load_dataset("jfleg", split="test", cache_dir=str(tmp_path / "two"))

    def test_a_module_can_be_inspected(self, tmp_path):
        gecbench.register(quiet=True)
        try:
            evaluate.inspect_evaluation_module("gleu", str(tmp_path / "gleu"))
        finally:
            gecbench.unregister()
        assert (tmp_path / "gleu" / "gleu.py").read_bytes() == (metric_modules()["gleu"] / "gleu.py").read_bytes()

    def test_a_folder_of_a_fresh_clone_builds_itself(self, tiny_environment, tmp_path, registered):
        folder = tmp_path / "datasets" / "jfleg"
        folder.mkdir(parents=True)
        copy_module_files("jfleg", folder)
        options = {
            "cache_dir": str(tmp_path / "cache"),
            "verification_mode": "no_checks",
        }  # the mirror's files are tiny
        loaded = datasets.load_dataset(str(folder), split="test", **options)
        assert list(loaded["sentence"]) == [row["sentence"] for row in load_rows("jfleg", split="test")]

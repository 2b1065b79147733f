from __future__ import annotations

import json

import pytest

from gecbench.corpora.build import read_lock, verify_dataset
from gecbench.corpora.catalog import DATASETS

pytest.importorskip("pyarrow")


def test_build_writes_a_folder_that_stands_alone(tiny_environment, folder, run):
    assert "coded/validation.parquet: 1 row," in run("data", "build", "jfleg", "coded", "m2")
    built = folder / "datasets" / "jfleg"
    assert {path.name for path in built.iterdir()} == {"README.md", "eval.yaml", "build.py", "data"}
    assert {path.name for path in (built / "data").iterdir()} == {"coded", "m2", "fingerprints.json"}


def test_verify_is_an_error_when_something_is_wrong(tiny_environment, folder, run, refused):
    run("data", "build", "jfleg", "-o", "out")
    assert any("expected the content hash" in problem for problem in verify_dataset("jfleg", folder / "out"))
    refused(
        ["data", "verify", "jfleg", "-o", "out"],
        "expected the content hash.* Build the dataset: gecbench data build jfleg -o out",
    )


def test_verify_accepts_the_real_thing(mirror, folder, run):
    run("data", "build", "jfleg", "-o", "out")
    assert "are correct" in run("data", "verify", "jfleg", "-o", "out")


def test_info_is_json(tiny_environment, run):
    info = json.loads(run("data", "info", "conll14_fluency"))
    assert info["configs"]["nucle"]["splits"] == {"test": 1312}
    assert all(row["where"] == "mirror" for row in info["upstream"])


def test_lock_records_a_dataset_and_renews_its_card(tiny_environment, lock_file, folder, run):
    run("data", "build", "jfleg", "-o", "out")
    before = {name: read_lock(name) for name in DATASETS}
    printed = run("data", "lock", "jfleg", "-o", "out")
    assert "default/validation: 3 rows" in printed
    assert f"recorded in {lock_file}" in printed
    assert "README.md: updated" in printed
    assert read_lock("jfleg")["default", "validation"].rows == 3
    assert read_lock("jfleg").keys() == before["jfleg"].keys()
    assert read_lock("conll14_fluency") == before["conll14_fluency"]
    run("data", "verify", "jfleg", "-o", "out")
    assert "README.md: unchanged" in run("data", "lock", "jfleg", "-o", "out")


def test_lock_of_the_real_thing_is_the_committed_one(mirror, lock_file, tmp_path, run):
    committed = lock_file.read_bytes()
    for name in DATASETS:
        run("data", "lock", name, "-o", tmp_path)
    assert lock_file.read_bytes() == committed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("build", "jflag"), "no dataset 'jflag'"),
        (("build", "jfleg", "m3"), "no configuration 'm3'"),
        (("lock", "jflag"), "no dataset 'jflag'"),
        (("verify", "jfleg"), "is missing. Build the dataset: gecbench data build jfleg"),
        (("verify", "jfleg", "m2"), "data verify does not take a configuration. Leave out m2"),
        (("build", "jfleg", "-p", "a.txt"), "data build does not take -p. Leave out -p"),
        (("source", "jfleg", "--aligned"), "data source does not take --aligned"),
        (("verify", "jfleg", "--tokenize", "auto"), "data verify does not take --tokenize"),
        (("info", "jfleg", "-o", "x"), "data info does not take -o"),
    ],
)
def test_mistakes_are_explained(tiny_environment, folder, refused, arguments, message):
    refused(["data", *arguments], message)
    assert not (folder / "datasets").exists()


MISSING = {
    "data": "ACTION, DATASET",
    "data info": "DATASET",
    "push": "KIND, NAME|FOLDER, --repo",
    "completion": "SHELL",
    "results --repo-dataset a/b": "ACTION",
}


@pytest.mark.parametrize(("words", "missing"), MISSING.items(), ids=MISSING)
def test_missing_arguments_are_named_as_in_the_help(words, missing, exits):
    assert f"the following arguments are required: {missing}. For help" in exits(words.split(), 2).err
    shown = exits([words.split()[0], "--help"]).out
    assert all(name in shown for name in missing.split(", "))

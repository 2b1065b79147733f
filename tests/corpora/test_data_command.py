from __future__ import annotations

import argparse
import json

import pytest

from gecbench.cli import data
from gecbench.corpora.catalog import DATASETS
from gecbench.corpora.lock import read_lock
from gecbench.corpora.parquet import verify_dataset
from gecbench.errors import GecbenchError, InputError

pytest.importorskip("pyarrow")


def run(*arguments: str) -> None:
    parser = argparse.ArgumentParser()
    data.add_parser(parser.add_subparsers())
    options = parser.parse_args(["data", *arguments])
    options.run(options)


def test_build_writes_a_folder_that_stands_alone(tiny_environment, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run("build", "jfleg", "coded", "m2")
    assert "coded/validation.parquet: 1 rows" in capsys.readouterr().out
    folder = tmp_path / "datasets" / "jfleg"
    assert {path.name for path in folder.iterdir()} == {"README.md", "eval.yaml", "build.py", "data"}
    assert {path.name for path in (folder / "data").iterdir()} == {"coded", "m2", "fingerprints.json"}


def test_verify_is_an_error_when_something_is_wrong(tiny_environment, tmp_path):
    run("build", "jfleg", "-o", str(tmp_path / "out"))
    assert any("expected content" in problem for problem in verify_dataset("jfleg", tmp_path / "out"))
    with pytest.raises(InputError, match="expected content"):
        run("verify", "jfleg", "-o", str(tmp_path / "out"))


def test_verify_accepts_the_real_thing(mirror, tmp_path, capsys):
    run("build", "jfleg", "-o", str(tmp_path / "out"))
    run("verify", "jfleg", "-o", str(tmp_path / "out"))
    assert "as they should be" in capsys.readouterr().out


def test_info_is_json(tiny_environment, capsys):
    run("info", "conll14_fluency")
    info = json.loads(capsys.readouterr().out)
    assert info["configs"]["nucle"]["splits"] == {"test": 1312}
    assert all(row["where"] == "mirror" for row in info["upstream"])


def test_lock_records_a_dataset_and_renews_its_card(tiny_environment, lock_file, tmp_path, capsys):
    folder = tmp_path / "out"
    run("build", "jfleg", "-o", str(folder))
    before = {name: read_lock(name) for name in DATASETS}
    run("lock", "jfleg", "-o", str(folder))
    printed = capsys.readouterr().out
    assert "default/validation: 3 rows" in printed
    assert f"locked in {lock_file}" in printed
    assert "README.md: renewed" in printed
    assert read_lock("jfleg")["default", "validation"].rows == 3
    assert read_lock("jfleg").keys() == before["jfleg"].keys()
    assert read_lock("conll14_fluency") == before["conll14_fluency"]
    run("verify", "jfleg", "-o", str(folder))
    run("lock", "jfleg", "-o", str(folder))
    assert "README.md: as is" in capsys.readouterr().out


def test_lock_of_the_real_thing_is_the_committed_one(mirror, lock_file, tmp_path):
    committed = lock_file.read_bytes()
    for name in DATASETS:
        run("lock", name, "-o", str(tmp_path))
    assert lock_file.read_bytes() == committed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("build", "jflag"), "no dataset 'jflag'"),
        (("build", "jfleg", "m3"), "no configuration 'm3'"),
        (("lock", "jflag"), "no dataset 'jflag'"),
        (("verify", "jfleg"), "build the dataset first"),
    ],
)
def test_mistakes_are_explained(tiny_environment, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GecbenchError, match=message):
        run(*arguments)
    assert not (tmp_path / "datasets").exists()

from __future__ import annotations

import hashlib
import json
import runpy
import shutil
import sys
from pathlib import Path

import pytest
import yaml
from corpora_support import WORKERS, files_of

from gecbench.corpora.build import (
    build_dataset,
    card_problems,
    copy_module_files,
    describe_dataset,
    lock_of,
    parquet_bytes,
    read_lock,
    refresh_card,
    render_card,
    verify_dataset,
)
from gecbench.corpora.catalog import DATASETS
from gecbench.errors import InputError

pytest.importorskip("pyarrow")
datasets = pytest.importorskip("datasets", minversion="2.21")
import pyarrow.parquet  # noqa: E402

FOLDERS = Path(__file__).parents[2] / "datasets"


@pytest.mark.parametrize("name", ["jfleg", "conll14_fluency"])
def test_a_built_folder_loads_with_plain_datasets(built, tiny, name, tmp_path):
    folder = built(name)
    pinned = DATASETS[name].pinned()
    assert datasets.get_dataset_config_names(str(folder)) == [config.name for config in pinned]
    for config in pinned:
        loaded = datasets.load_dataset(str(folder), config.name, cache_dir=str(tmp_path / "cache"))
        for split in config.splits:
            assert list(loaded[split]) == list(config.rows(tiny, split))
    default = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    expected = DATASETS[name].config()
    assert default[expected.splits[0]].column_names == list(expected.columns)
    assert verify_dataset(name, folder) == []


def test_an_alias_builds_its_dataset(tiny, tmp_path):
    """Its card, lock and default configuration are those of the dataset."""
    built = build_dataset("conll14", tmp_path, upstream=tiny)
    assert len(built) == sum(len(config.splits) for config in DATASETS["conll14_fluency"].pinned())
    assert copy_module_files("conll14", tmp_path) == ["README.md", "eval.yaml", "build.py"]
    assert card_problems("conll14", tmp_path / "README.md") == []
    assert copy_module_files("cweb:g", tmp_path / "cweb") == ["README.md"]
    assert read_lock("cweb:g") == read_lock("cweb")
    assert describe_dataset("cweb:g", tiny)["name"] == "cweb"


def test_a_built_folder_streams(built):
    streamed = datasets.load_dataset(str(built("jfleg")), "m2", split="test", streaming=True)
    assert [row["id"] for row in streamed] == ["test-1", "test-2"]


def test_building_twice_gives_the_same_bytes(tiny, tmp_path):
    for part in ("one", "two"):
        build_dataset("conll14_fluency", tmp_path / part, upstream=tiny)
    first = files_of(tmp_path / "one")
    assert len(first) == 14
    assert first == files_of(tmp_path / "two")


def test_parquet_carries_no_library_metadata(tiny):
    config = DATASETS["jfleg"].configs["m2"]
    content = parquet_bytes(config, list(config.rows(tiny, "test")))
    assert pyarrow.parquet.read_schema(pyarrow.BufferReader(content)).metadata is None
    assert b"huggingface" not in content
    assert b"ARROW:schema" not in content


def test_chosen_configurations_are_added_to_those_built_before(built, tiny):
    folder = built("conll14_fluency")
    build_dataset("conll14_fluency", folder, configs=["bn15"], upstream=tiny)
    table = json.loads((folder / "data" / "fingerprints.json").read_text())
    assert {"bn15/test.parquet", "nucle/test.parquet"} <= set(table["files"])
    assert verify_dataset("conll14_fluency", folder) == []


def test_verify_finds_what_is_wrong(built, lock_file):
    folder = built("jfleg")
    coded = folder / "data" / "coded" / "validation.parquet"
    good = coded.read_bytes()
    coded.write_bytes(good[:-1] + b"X")
    (problem,) = verify_dataset("jfleg", folder)
    assert problem.count("sha256") == 2
    coded.unlink()
    assert verify_dataset("jfleg", folder) == [f"{coded} is missing"]
    coded.write_bytes(good)
    content = read_lock("jfleg")["coded", "validation"].content
    lock_file.write_text(lock_file.read_text().replace(content, "0" * 64))
    (problem,) = verify_dataset("jfleg", folder)
    assert "expected the content hash " + "0" * 64 in problem
    (folder / "data" / "fingerprints.json").unlink()
    assert "is missing" in verify_dataset("jfleg", folder)[0]


DAMAGED = ["", "[]", "{", '{"files": 3}', '{"files": {"m2/test.parquet": {}}}', '{"files": {"m2/test.parquet": null}}']


@pytest.mark.parametrize("content", [*DAMAGED, "[" * 100_000, "\udce9"])
def test_damaged_fingerprints_are_found_and_made_again(built, tiny, content):
    folder = built("jfleg")
    table = folder / "data" / "fingerprints.json"
    good = table.read_bytes()
    table.write_bytes(content.encode(errors="surrogateescape"))
    assert verify_dataset("jfleg", folder) == [f"{table} is damaged"]
    build_dataset("jfleg", folder, upstream=tiny)
    assert table.read_bytes() == good


def test_fingerprints_of_files_elsewhere_are_refused(built):
    folder = built("jfleg")
    table = folder / "data" / "fingerprints.json"
    content = json.loads(table.read_text())
    content["files"]["../../secret.parquet"] = {"sha256": "0"}
    table.write_text(json.dumps(content))
    assert verify_dataset("jfleg", folder) == [
        "data/../../secret.parquet does not belong to any configuration of jfleg"
    ]


def forge(path: Path, content: bytes) -> None:
    """Replace a file of a built folder, and its hash in the fingerprints."""
    path.write_bytes(content)
    data = path.parents[1]
    table = json.loads((data / "fingerprints.json").read_text())
    table["files"][path.relative_to(data).as_posix()]["sha256"] = hashlib.sha256(content).hexdigest()
    (data / "fingerprints.json").write_text(json.dumps(table))


def test_half_a_parquet_file_with_a_forged_hash_is_found(built):
    folder = built("jfleg")
    half = folder / "data" / "m2" / "test.parquet"
    forge(half, half.read_bytes()[:200])
    assert verify_dataset("jfleg", folder) == [f"{half} is not a complete Parquet file"]


@pytest.mark.parametrize("before", [True, False])
def test_a_build_that_is_stopped_changes_nothing(tiny, tmp_path, before):
    def stop(line):
        if line.startswith("m2/test"):
            raise KeyboardInterrupt

    if before:
        build_dataset("jfleg", tmp_path, configs=["default"], upstream=tiny)
    there = files_of(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        build_dataset("jfleg", tmp_path, upstream=tiny, say=stop)
    assert files_of(tmp_path) == there


def test_verify_finds_other_columns_and_worker_identifiers(built, tiny):
    folder = built("conll14_fluency")
    config = DATASETS["conll14_fluency"].configs["judgments"]
    rows = [{**row, "judge": WORKERS[0]} for row in config.rows(tiny, "crowd")]
    path = folder / "data" / "judgments" / "crowd.parquet"
    forge(path, parquet_bytes(config, rows))
    problems = verify_dataset("conll14_fluency", folder)
    assert any("identifier" in problem for problem in problems)
    assert not any(WORKERS[0] in problem for problem in problems)
    forge(path, parquet_bytes(DATASETS["jfleg"].configs["coded"], []))
    assert any("columns" in problem for problem in verify_dataset("conll14_fluency", folder))


def test_the_content_fingerprint_sees_values_order_and_columns(tiny):
    config = DATASETS["jfleg"].configs["default"]
    rows = list(config.rows(tiny, "test"))
    locks = {
        lock_of(config, rows).content,
        lock_of(config, rows[::-1]).content,
        lock_of(config, [{**rows[0], "gug_average": 1.5}, rows[1]]).content,
        lock_of(DATASETS["jfleg"].configs["m2"], []).content,
        lock_of(config, []).content,
    }
    assert len(locks) == 5


@pytest.mark.parametrize("name", ["jfleg", "conll14_fluency"])
def test_the_card_is_complete_and_has_not_drifted(name):
    assert card_problems(name, FOLDERS / name / "README.md") == []
    text = (FOLDERS / name / "README.md").read_text(encoding="utf-8")
    _, front, body = text.split("---\n", 2)
    metadata = yaml.safe_load(front)
    assert metadata["license"] == DATASETS[name].license
    assert {entry["config_name"] for entry in metadata["configs"]} == {each.name for each in DATASETS[name].pinned()}
    for heading in (
        "## Dataset Details",
        "### Dataset Description",
        "### Dataset Sources",
        "## Uses",
        "### Out-of-Scope Use",
        "## Dataset Structure",
        "### Curation Rationale",
        "#### Data Collection and Processing",
        "#### Who are the source data producers?",
        "#### Annotation process",
        "#### Who are the annotators?",
        "#### Personal and Sensitive Information",
        "## Bias, Risks, and Limitations",
        "### Recommendations",
        "## Citation",
        "## Dataset Card Contact",
    ):
        assert f"\n{heading}\n" in body
    assert "More Information Needed" not in body


def test_a_drifted_card_is_noticed_and_brought_up_to_date(tmp_path):
    card = tmp_path / "README.md"
    assert "missing" in card_problems("jfleg", card)[0]
    text = (FOLDERS / "jfleg" / "README.md").read_text(encoding="utf-8")
    card.write_text(text.replace("num_examples: 754", "num_examples: 755"), encoding="utf-8")
    assert "does not match the dataset" in card_problems("jfleg", card)[0]
    assert refresh_card("jfleg", card)
    assert not refresh_card("jfleg", card)
    assert card.read_text(encoding="utf-8") == text
    with pytest.raises(InputError, match="generated"):
        render_card("jfleg", "no markers")


def test_files_of_the_module_are_copied_where_missing(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "eval.yaml").write_text("mine")
    assert copy_module_files("jfleg", tmp_path / "out") == ["README.md", "build.py"]
    assert (tmp_path / "out" / "eval.yaml").read_text() == "mine"
    assert card_problems("jfleg", tmp_path / "out" / "README.md") == []


def test_info(tiny):
    info = describe_dataset("jfleg", tiny)
    assert info["configs"]["default"]["splits"] == {"validation": 754, "test": 747}
    assert {row["where"] for row in info["upstream"]} == {"mirror"}
    unpinned = describe_dataset("conll14_fluency", tiny)
    assert unpinned["configs"]["bn15"]["splits"] == {"test": None}
    assert any(row["key"] == "bn15/A1.m2" and row["sha256"] is None for row in unpinned["upstream"])


@pytest.mark.parametrize(
    ("config", "message"), [("coded", "data/default/test.parquet is missing"), ("nonsense", "no configuration")]
)
def test_build_script(tiny_environment, tmp_path, monkeypatch, capsys, config, message):
    monkeypatch.setattr(sys, "argv", ["build.py", config])
    with pytest.raises(SystemExit, match=r"^2$"):
        runpy.run_path(shutil.copy(FOLDERS / "jfleg" / "build.py", tmp_path), run_name="__main__")
    assert message in capsys.readouterr().err

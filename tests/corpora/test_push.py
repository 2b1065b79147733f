from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hub_stand_in import COMMIT, HubStandIn

from gecbench.corpora.card import render_card
from gecbench.corpora.lock import compute_lock
from gecbench.corpora.parquet import build_dataset
from gecbench.huggingface.dataset_push import PushError, push_dataset

pytest.importorskip("huggingface_hub")
pytest.importorskip("pyarrow")
FOLDERS = Path(__file__).parents[2] / "datasets"


@pytest.fixture
def hub(monkeypatch, tmp_path):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    with HubStandIn(files=dict.fromkeys(["README.md", "data/old/gone.parquet"], b"?")).running() as stand_in:
        yield stand_in


@pytest.fixture
def folder(tiny, monkeypatch, tmp_path):
    def build(name: str) -> Path:
        locks = compute_lock(name, tiny)
        for module in ("parquet", "card"):
            monkeypatch.setattr(f"gecbench.corpora.{module}.read_lock", lambda _name: locks)
        shutil.copytree(FOLDERS / name, tmp_path / name, ignore=shutil.ignore_patterns("data"))
        card = tmp_path / name / "README.md"
        card.write_text(render_card(name, card.read_text(encoding="utf-8")), encoding="utf-8")
        build_dataset(name, tmp_path / name, upstream=tiny)
        (tmp_path / name / "notes.txt").write_text("not for upload")
        return tmp_path / name

    return build


def test_the_folder_is_uploaded_in_one_commit(hub, folder):
    source = folder("jfleg")
    address = push_dataset("jfleg", source, "me/it", token="made-up", endpoint=hub.url)
    assert address.endswith(f"/commit/{COMMIT}")
    (commit,) = hub.commits
    assert set(commit.files) == {
        "README.md",
        "build.py",
        "data/fingerprints.json",
        "data/coded/validation.parquet",
        "data/default/test.parquet",
        "data/default/validation.parquet",
        "data/judgments/validation.parquet",
        "data/m2/test.parquet",
        "data/m2/validation.parquet",
    }
    for path, content in commit.files.items():
        assert content == (source / path).read_bytes()
    assert commit.deleted == ["data/old/gone.parquet"]
    assert hub.created[-1]["type"] == "dataset"
    assert "JFLEG" in commit.summary


def test_pull_request_and_benchmark_file(hub, folder):
    address = push_dataset(
        "jfleg",
        folder("jfleg"),
        "me/it",
        token="made-up",
        endpoint=hub.url,
        create_pr=True,
        benchmark=True,
    )
    assert address.endswith("/discussions/1")
    assert "eval.yaml" in hub.commits[0].files


def test_what_has_no_licence_is_not_made_public_unasked(hub, folder):
    source = folder("conll14_fluency")
    with pytest.raises(PushError, match="licence"):
        push_dataset("conll14_fluency", source, "me/it", token="made-up", endpoint=hub.url)
    assert hub.requests == []
    push_dataset("conll14_fluency", source, "me/it", token="made-up", endpoint=hub.url, private=True)
    assert hub.created[-1].get("private") is True or hub.created[-1].get("visibility") == "private"
    push_dataset("conll14_fluency", source, "me/it", token="made-up", endpoint=hub.url, licence_confirmed=True)
    assert len(hub.commits) == 2


def test_a_damaged_folder_is_not_uploaded(hub, folder):
    source = folder("jfleg")
    (source / "data" / "coded" / "validation.parquet").write_bytes(b"damaged")
    with pytest.raises(PushError, match="sha256"):
        push_dataset("jfleg", source, "me/it", token="made-up", endpoint=hub.url)
    assert hub.requests == []


def test_a_drifted_card_is_not_uploaded(hub, folder):
    source = folder("jfleg")
    card = source / "README.md"
    card.write_text(
        card.read_text(encoding="utf-8").replace("config_name: coded", "config_name: other"), encoding="utf-8"
    )
    with pytest.raises(PushError, match="drifted"):
        push_dataset("jfleg", source, "me/it", token="made-up", endpoint=hub.url)

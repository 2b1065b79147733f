"""Uploads of gecbench's own datasets; tests/test_push.py has the other kinds and what all share."""

from __future__ import annotations

import pytest
from corpora_support import files_of
from hub_stand_in import COMMIT

from gecbench.errors import InputError
from gecbench.huggingface.push import PushError, plan_push, push

pytest.importorskip("pyarrow")


def test_the_folder_is_uploaded_in_one_commit(hub, built):
    hub.files = dict.fromkeys(["README.md", "data/old/gone.parquet"], b"?")
    source = built("jfleg")
    (source / "notes.txt").write_text("not for upload")
    address = push(plan_push("dataset", str(source), "me/it"), endpoint=hub.url)
    assert address.endswith(f"/commit/{COMMIT}")
    (commit,) = hub.commits
    built_files = files_of(source)
    assert built_files.keys() - commit.files.keys() == {"notes.txt", "eval.yaml"}
    assert commit.files.items() <= built_files.items()
    assert len([path for path in commit.files if path.endswith(".parquet")]) == 6
    assert commit.deleted == ["data/old/gone.parquet"]
    assert hub.created[-1]["type"] == "dataset"
    assert "JFLEG" in commit.summary


def test_pull_request_and_benchmark_file(hub, built):
    plan = plan_push("dataset", str(built("jfleg")), "me/it", pull_request=True, benchmark=True)
    assert push(plan, endpoint=hub.url).endswith("/discussions/1")
    assert "eval.yaml" in hub.commits[0].files


@pytest.mark.parametrize("renamed", [False, True])
def test_what_has_no_licence_is_not_made_public_unasked(hub, built, renamed):
    source = built("conll14_fluency")
    if renamed:
        source = source.rename(source.with_name("mine"))
    with pytest.raises(PushError, match="licence"):
        plan_push("dataset", str(source), "me/it")
    assert hub.requests == []
    push(plan_push("dataset", str(source), "me/it", private=True), endpoint=hub.url)
    assert hub.created[-1].get("private") is True or hub.created[-1].get("visibility") == "private"
    push(plan_push("dataset", str(source), "me/it", licence_confirmed=True), endpoint=hub.url)
    assert len(hub.commits) == 2


@pytest.mark.parametrize("renamed", [False, True])
@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("data/coded/validation.parquet", b"PAR1", b"damaged", "sha256"),
        ("README.md", b"config_name: coded", b"config_name: other", "drifted"),
    ],
)
def test_what_is_not_as_it_was_built_is_not_uploaded(built, renamed, file, old, new, message):
    source = built("jfleg")
    (source / file).write_bytes((source / file).read_bytes().replace(old, new))
    if renamed:
        source = source.rename(source.with_name("mine"))
    with pytest.raises(PushError, match=message):
        plan_push("dataset", str(source), "me/it", private=True)


def test_a_secret_stops_the_upload(hub, built, refused):
    source = built("jfleg")
    (source / "build.py").write_text(f'token = "hf_{"a1B2" * 9}"\n')
    refused(["push", "dataset", source, "--repo", "me/it"], "build.py:1: looks like a secret")
    assert hub.requests == []


def test_by_name_it_must_be_built_first(folder):
    with pytest.raises(InputError, match=r"not ready: no data.*gecbench data build jfleg"):
        plan_push("dataset", "jfleg", "me/it")

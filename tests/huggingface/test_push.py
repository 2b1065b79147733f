"""Uploads to the Hub, against a stand-in of its endpoints on loopback."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from corpora_support import files_of
from hub_stand_in import COMMIT

import gecbench
from gecbench.corpora import build
from gecbench.corpora.catalog import DATASETS
from gecbench.errors import InputError
from gecbench.huggingface.push import PushError, plan_push, push
from gecbench.huggingface.register import metric_modules
from gecbench.leaderboard.store import _FOLDERS

SPACE_CARD = "---\ntitle: Board\nsdk: static\n---\n\n# Board\n"
DATA_CARD = "---\nlicense: cc-by-4.0\n---\n\n# Data\n"
TOKEN = "hf_" + "a1B2" * 9
KEYS = ["github_pat_" + "a1_B2" * 9, "sk-ant-" + "a1-B2" * 9, "sk-proj-" + "a1B2" * 9, "xoxb-" + "12-ab" * 5]


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


@pytest.fixture
def board(tmp_path):
    pages = {"README.md": SPACE_CARD, "index.html": "<p>", "data/jfleg.json": "{}", "a.css": "p{}"}
    return write(tmp_path / "board", pages)


@pytest.fixture
def dataset(tmp_path):
    built = {"data/default/test.parquet": b"PAR1", "data/fingerprints.json": "{}"}
    other = {"README.md": DATA_CARD, "build.py": "pass", "eval.yaml": "name: x", "notes.txt": "mine"}
    return write(tmp_path / "corpus", built | other)


@pytest.mark.parametrize("name", metric_modules())
@pytest.mark.usefixtures("folder")
def test_a_metric_module_goes_into_a_space(hub, name):
    folder = metric_modules()[name]
    assert push(plan_push("metric", name, "me/it"), endpoint=hub.url).endswith(f"/commit/{COMMIT}")
    (commit,) = hub.commits
    assert commit.repository == "spaces/me/it"
    assert {f"{name}.py", "README.md", "app.py", "requirements.txt"} <= set(commit.files)
    assert commit.files == {path: (folder / path).read_bytes() for path in commit.files}
    assert name in commit.summary
    assert (hub.created[0]["type"], hub.created[0]["sdk"]) == ("space", "gradio")


def test_a_dataset_goes_with_its_data_and_old_data_goes_away(hub, dataset):
    hub.files = dict.fromkeys(["README.md", "data/old/test.parquet", "data/default/test.parquet", "LICENSE"], b"?")
    push(plan_push("dataset", str(dataset), "me/it"), endpoint=hub.url)
    (commit,) = hub.commits
    assert commit.repository == "datasets/me/it"
    expected = {"README.md", "build.py", "data/default/test.parquet", "data/fingerprints.json"}
    assert set(commit.files) == expected
    assert commit.deleted == ["data/old/test.parquet"]
    push(plan_push("dataset", str(dataset), "me/it", benchmark=True), endpoint=hub.url)
    assert set(hub.commits[1].files) == {*expected, "eval.yaml"}


def test_a_leaderboard_goes_into_a_static_space(hub, board):
    hub.files = dict.fromkeys(["README.md", "old.html", ".gitattributes"], b"?")
    push(plan_push("leaderboard", str(board), "me/it", private=True), endpoint=hub.url)
    assert set(hub.commits[0].files) == {"README.md", "index.html", "data/jfleg.json", "a.css"}
    assert hub.commits[0].deleted == []
    assert hub.created[0]["sdk"] == "static"
    assert hub.created[0].get("private") is True or hub.created[0].get("visibility") == "private"
    push(plan_push("leaderboard", str(board), "me/it", prune=True), endpoint=hub.url)
    assert hub.commits[1].deleted == ["old.html"]


def test_a_pull_request_makes_no_repository(hub, board):
    address = push(plan_push("leaderboard", str(board), "me/it", pull_request=True), endpoint=hub.url)
    assert address.endswith("/discussions/1")
    assert not hub.created
    assert hub.commits[0].pull_request


def ignore(folder, patterns):
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / ".gitignore").write_text(patterns)


def test_hidden_ignored_and_foreign_files_stay_here(board):
    write(board, {".env": "KEY=1", ".git/config": "", "x/hf_token.txt": "1", "server.pem": "1", "run.log": "1"})
    write(board, {"ignored.json": "{}", "a/b.json": "{}", "program.exe": b"MZ", "odd/pages.html": "<p>"})
    plain = plan_push("leaderboard", str(board), "me/it").files
    assert set(plain) == {
        *("README.md", "index.html", "data/jfleg.json", "a.css", "a/b.json", "odd/pages.html", "ignored.json"),
    }
    shutil.rmtree(board / ".git")
    ignore(board, "ignored.json\na/\n")
    assert set(plain) - set(plan_push("leaderboard", str(board), "me/it").files) == {"ignored.json", "a/b.json"}


def test_the_files_of_a_board_are_never_uploaded(board):
    """A page that an earlier version built into the folder of its board, or next to it."""
    page = set(plan_push("leaderboard", str(board), "me/it").files)
    kept = {"board.json", "teams.json", "uploads.json", *(f"{name}/x.json" for name in _FOLDERS)}
    write(board, dict.fromkeys([*kept, *(f"task/{name}" for name in kept - {"board.json"})], "{}"))
    write(board, {"waiting/unlisted/records/x.json": "{}", "data/board.json": "{}"})
    assert set(plan_push("leaderboard", str(board), "me/it").files) == page | {"data/board.json"}


def test_built_data_may_be_ignored(dataset):
    ignore(dataset, "data/\n")
    assert "data/default/test.parquet" in plan_push("dataset", str(dataset), "me/it").files


def test_a_page_in_an_ignored_folder_is_a_product(board):
    ignore(board.parent, "/board/\n")
    assert "data/jfleg.json" in plan_push("leaderboard", str(board), "me/it").files


def test_names_are_not_patterns(hub, board):
    write(board, {"system [1].html": "<p>", "system 1.log": "mine"})
    push(plan_push("leaderboard", str(board), "me/it"), endpoint=hub.url)
    assert "system [1].html" in hub.commits[0].files
    assert "system 1.log" not in hub.commits[0].files


@pytest.mark.parametrize("content", [TOKEN, "-----BEGIN OPENSSH PRIVATE KEY-----", "AKIA" + "A1B2" * 4, *KEYS])
def test_a_secret_stops_the_upload(hub, board, content, refused):
    write(board, {"data/x.json": f'{{}}\n"{content}"'})
    message = refused(["push", "leaderboard", board, "--repo", "me/it"], "x.json:2: seems to contain an API key")
    assert content not in message
    assert not hub.requests


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_a_link_out_of_the_folder_is_refused(board, tmp_path):
    (tmp_path / "private.json").write_text("{}")
    (board / "page.json").symlink_to(tmp_path / "private.json")
    with pytest.raises(gecbench.InputError, match="outside the folder"):
        plan_push("leaderboard", str(board), "me/it")


@pytest.mark.parametrize(
    ("kind", "card", "missing", "message"),
    [
        ("dataset", DATA_CARD, "data", r"because data.* is missing.*gecbench data build corpus"),
        ("dataset", "---\ntitle: x\n---\n", "", r"license \(none\).*--private"),
        ("dataset", "---\nlicense: other\n---\n", "", r"license \(other\).*--license-confirmed"),
        ("dataset", "# x\n", "", r"README.md: is missing or has no YAML header"),
        ("leaderboard", SPACE_CARD, "index.html", r"because index.html is missing.*gecbench leaderboard build"),
        ("leaderboard", "---\ntitle: x\n---\n", "", r"no valid sdk"),
        ("metric", SPACE_CARD, "", r"because board.py is missing"),
    ],
)
def test_what_is_not_ready_is_refused(kind, card, missing, message, board, dataset):
    folder = dataset if kind == "dataset" else board
    (folder / "README.md").write_text(card)
    if missing:
        (folder / missing).rename(folder.parent / "away")
    with pytest.raises(gecbench.InputError, match=message):
        plan_push(kind, str(folder), "me/it")


def test_data_without_a_license_goes_where_it_may(dataset):
    (dataset / "README.md").write_text("---\nlicense: other\n---\n")
    assert plan_push("dataset", str(dataset), "me/it", private=True).private
    assert plan_push("dataset", str(dataset), "me/it", license_confirmed=True).files


@pytest.mark.parametrize("repository", ["it", "me/it/more", "me/", "../it", "me/i t", ""])
def test_bad_repository_names(repository, board):
    with pytest.raises(gecbench.InputError, match="--repo"):
        plan_push("leaderboard", str(board), repository)


def test_without_login_nothing_is_sent(hub, board, monkeypatch):
    monkeypatch.delenv("HF_TOKEN")
    with pytest.raises(gecbench.InputError, match=r"not logged in.*hf auth login"):
        push(plan_push("leaderboard", str(board), "me/it"), endpoint=hub.url)
    assert not hub.requests


def test_what_the_hub_refuses_is_one_sentence(hub, board, monkeypatch):
    plan = plan_push("leaderboard", str(board), "me/it")
    hub.refusal = (403, "You don't have the rights")
    with pytest.raises(PushError, match=r"me/it: not uploaded: .*403.*\(You don't have the rights\)") as caught:
        push(plan, endpoint=hub.url)
    assert "\n" not in str(caught.value)
    hub.refusal = None
    monkeypatch.setenv("HF_TOKEN", "another")
    with pytest.raises(PushError, match="401") as caught:
        push(plan, endpoint=hub.url)
    assert "another" not in str(caught.value)
    assert not hub.commits


def test_metric_by_name_prefers_the_folder_here(folder):
    write(Path("metrics/gleu"), {"README.md": SPACE_CARD, "gleu.py": "pass"})
    assert plan_push("metric", "gleu", "me/it").files == ("README.md", "gleu.py")


@pytest.mark.parametrize("pull_request", [False, True])
def test_nothing_private_goes_into_a_public_repository(hub, dataset, pull_request):
    (dataset / "README.md").write_text("---\nlicense: other\n---\n")
    plan = plan_push("dataset", str(dataset), "me/it", private=True, pull_request=pull_request)
    hub.private = False
    with pytest.raises(PushError, match=r"me/it: not uploaded: the repository is public\. Make it private"):
        push(plan, endpoint=hub.url)
    assert not hub.commits
    hub.private = True
    push(plan, endpoint=hub.url)
    assert len(hub.commits) == 1


# Datasets that gecbench built


def test_a_built_dataset_is_uploaded_in_one_commit(hub, built):
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
def test_what_has_no_license_is_not_made_public_unasked(hub, built, renamed):
    source = built("conll14_fluency")
    if renamed:
        source = source.rename(source.with_name("mine"))
    with pytest.raises(PushError, match="--license-confirmed"):
        plan_push("dataset", str(source), "me/it")
    assert hub.requests == []
    push(plan_push("dataset", str(source), "me/it", private=True), endpoint=hub.url)
    assert hub.created[-1].get("private") is True or hub.created[-1].get("visibility") == "private"
    push(plan_push("dataset", str(source), "me/it", license_confirmed=True), endpoint=hub.url)
    assert len(hub.commits) == 2


@pytest.mark.parametrize("renamed", [False, True])
@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("data/coded/validation.parquet", b"PAR1", b"damaged", "sha256"),
        ("README.md", b"config_name: coded", b"config_name: other", "does not match the dataset"),
    ],
)
def test_what_is_not_as_it_was_built_is_not_uploaded(built, renamed, file, old, new, message):
    source = built("jfleg")
    (source / file).write_bytes((source / file).read_bytes().replace(old, new))
    if renamed:
        source = source.rename(source.with_name("mine"))
    with pytest.raises(PushError, match=message):
        plan_push("dataset", str(source), "me/it", private=True)


def test_by_name_it_must_be_built_first(folder):
    with pytest.raises(gecbench.InputError, match=r"because data.* is missing.*gecbench data build jfleg"):
        plan_push("dataset", "jfleg", "me/it")


@pytest.mark.parametrize("renamed", [False, True])
def test_corpora_that_may_not_be_redistributed_are_not_uploaded(tiny_environment, lock_file, tmp_path, renamed):
    """The check knows a folder by its name, and by what its fingerprints say under any other name."""
    pytest.importorskip("pyarrow")
    for name in (name for name, declared in DATASETS.items() if not declared.redistributable):
        folder = tmp_path / ("mine" + name if renamed else name)
        configs = None if DATASETS[name].pinned() else list(DATASETS[name].configs)
        build.write_lock(name)
        build.build_dataset(name, folder, configs=configs)
        build.copy_module_files(name, folder)
        build.refresh_card(name, folder / "README.md")
        with pytest.raises(PushError, match="may not be redistributed"):
            plan_push("dataset", str(folder), "me/it")


@pytest.mark.parametrize("name", ["ua-gec", "bea19"])
def test_a_dataset_that_is_not_built_says_how(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=f"{name} is not built here. Build it first: gecbench data build {name}"):
        plan_push("dataset", name, "me/it")


def test_a_short_card_says_the_license_and_loads(tiny_environment, lock_file, tmp_path):
    datasets = pytest.importorskip("datasets", minversion="2.21")
    build.write_lock("cweb")
    folder = tmp_path / "cweb"
    build.build_dataset("cweb", folder)
    assert build.copy_module_files("cweb", folder) == ["README.md"]
    assert "license: cc-by-nc-sa-4.0" in (folder / "README.md").read_text(encoding="utf-8")
    loaded = datasets.load_dataset(str(folder), "s", split="test", cache_dir=str(tmp_path / "cache"))
    assert loaded["corrections"][0] == ["The web is big .", "The web are big ."]
    assert "data/s/test.parquet" in plan_push("dataset", str(folder), "me/it").files

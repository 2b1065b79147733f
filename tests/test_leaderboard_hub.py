"""A board on the Hub, against a stand-in of its endpoints on this machine."""

import os
import subprocess
import sys

from boards import add, demo_board
from hub_stand_in import HubStandIn

import gecbench
from gecbench.leaderboard.records import Details, Record
from gecbench.leaderboard.store import FolderStore

BOARD = "hf://datasets/someone/board"


def run(tmp_path, hub, *arguments):
    environment = {key: value for key, value in os.environ.items() if not key.endswith("_OFFLINE")}
    environment |= {"HF_ENDPOINT": hub.url, "HF_TOKEN": hub.token, "HF_HOME": str(tmp_path / "home")}
    environment |= {"HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    command = [sys.executable, "-m", "gecbench", "leaderboard", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False)


def board_files(folder):
    kinds = ("records", "details")
    paths = [path for kind in kinds for path in sorted((folder / kind).glob("*.json"))]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_submit_opens_a_pull_request(tmp_path):
    folder = tmp_path / "board"
    demo_board(folder)
    outputs = [*gecbench.load_demo_systems()["good-corrector"][:-1], "New ."]
    file = tmp_path / "out.txt"
    file.write_text("".join(f"{line}\n" for line in outputs), encoding="utf-8")
    with HubStandIn(repository="someone/board", files=board_files(folder)).running() as hub:
        options = ("submit", "-c", "demo", "-p", file, "--name", "Hub system", "--board", BOARD)
        done = run(tmp_path, hub, *options)
        assert done.returncode == 0, done.stderr
        assert f"pull request: {hub.url}/datasets/someone/board/discussions/1" in done.stdout
        assert "of 5 by GLEU; against good-corrector above: p = " in done.stdout
        (commit,) = hub.commits
        assert commit.pull_request
        files = commit.files
        record = Record.from_json(next(data for name, data in files.items() if name.startswith("records/")))
        assert set(files) == {f"records/{record.id}.json", f"details/{record.details}.json"}
        assert record.system == "Hub system"
        assert list(Details.from_json(files[f"details/{record.details}.json"]).predictions) == outputs
        hub.files.update(files)
        again = run(tmp_path, hub, *options)
        assert again.returncode == 2
        assert "on the board already, as 'Hub system'" in again.stderr
        assert len(hub.commits) == 1


def test_list_and_build_read_the_hub_and_skip_what_is_bad(tmp_path):
    folder = tmp_path / "board"
    add(FolderStore(folder), "rules", gecbench.load_demo_systems()["rule-based"])
    files = {**board_files(folder), f"records/{'0' * 64}.json": b"{}", "README.md": b"# board"}
    with HubStandIn(repository="someone/board", files=files).running() as hub:
        done = run(tmp_path, hub, "list", "-c", "demo", "--board", BOARD)
        assert done.returncode == 0, done.stderr
        assert "rules" in done.stdout
        assert "is skipped" in done.stderr
        done = run(tmp_path, hub, "build", "--board", BOARD, "-c", "demo", "-o", tmp_path / "site")
        assert done.returncode == 0, done.stderr
        assert "rules" in (tmp_path / "site/data/board.json").read_text(encoding="utf-8")


def test_a_missing_repository_is_one_sentence(tmp_path):
    with HubStandIn(repository="someone/board").running() as hub:
        done = run(tmp_path, hub, "list", "--board", "hf://datasets/someone/else")
    assert done.returncode == 2
    assert done.stderr.startswith("gecbench: the Hub refused someone/else")
    assert done.stderr.count("\n") == 1

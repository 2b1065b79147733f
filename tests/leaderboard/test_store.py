"""A board on the Hub, against a stand-in of its endpoints on this machine."""

from pathlib import Path

from boards import DEMO, GOOD, add, demo_board, text
from hub_stand_in import HubStandIn

import gecbench
from gecbench.formats.jsonl import write_jsonl
from gecbench.leaderboard.records import Details, Record
from gecbench.leaderboard.store import FolderStore, Settings, init_board

BOARD = "hf://datasets/someone/board"


def board_files(folder):
    paths = [*folder.glob("records/*.json"), *folder.glob("details/*.json")]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_submit_opens_a_pull_request(tmp_path):
    folder = tmp_path / "board"
    demo_board(folder)
    outputs = [*GOOD[:-1], "New ."]
    file = tmp_path / "out.txt"
    file.write_bytes(text(outputs))
    with HubStandIn(repository="someone/board", files=board_files(folder)).running() as hub:
        options = ("leaderboard", "submit", "-c", "demo", "-p", file, "--name", "Hub system", "--board", BOARD)
        done = hub.gecbench(*options)
        assert done.returncode == 0, done.stderr
        assert f"pull request: {hub.url}/datasets/someone/board/discussions/1" in done.stdout
        assert "of 5 by GLEU; against good-corrector above: p = " in done.stdout
        records = [request for request in hub.requests if request.startswith("GET") and "/records/" in request]
        assert len(records) == len(set(records)) == 4, "the board is downloaded once"
        (commit,) = hub.commits
        assert commit.pull_request
        files = commit.files
        record = Record.from_json(next(data for name, data in files.items() if name.startswith("records/")))
        assert set(files) == {f"records/{record.id}.json", f"details/{record.details}.json"}
        assert record.system == "Hub system"
        assert list(Details.from_json(files[f"details/{record.details}.json"]).predictions) == outputs
        hub.files.update(files)
        again = hub.gecbench(*options)
        assert again.returncode == 2
        assert "on the board already, as 'Hub system'" in again.stderr
        assert len(hub.commits) == 1


def test_an_organisers_board_whose_gold_is_a_file(folder):
    write_jsonl(DEMO, "gold.jsonl")
    init_board(Path("task"), ["gold.jsonl"], Settings(title="T", publish_references=True))
    Path("gold.jsonl").rename("mine.jsonl")
    Path("out.txt").write_bytes(text(GOOD))
    files = {"board.json": Path("task/board.json").read_bytes()}
    with HubStandIn(repository="someone/board", files=files).running() as hub:
        options = ("leaderboard", "submit", "-p", "out.txt", "--name", "New", "--board", BOARD)
        refused = hub.gecbench(*options)
        assert refused.stderr == "gecbench: the board's corpus ../gold.jsonl is not here. Give its file with -c.\n"
        done = hub.gecbench(*options, "-c", "mine.jsonl")
        assert done.returncode == 0, done.stderr
        (commit,) = hub.commits
        record = Record.from_json(next(data for name, data in commit.files.items() if name.startswith("records/")))
        assert record.table == ("gold", "default")
        hub.files.update(commit.files)
        for words in (["list"], ["verify"], ["build", "-o", "site"]):
            done = hub.gecbench("leaderboard", *words, "--board", BOARD, "-c", "mine.jsonl")
            assert done.returncode == 0, done.stderr
        assert "New" in Path("site/data/board.json").read_text(encoding="utf-8")


def test_list_and_build_read_the_hub_and_skip_what_is_bad(tmp_path):
    folder = tmp_path / "board"
    add(FolderStore(folder), "rules", gecbench.load_demo_systems()["rule-based"])
    files = {**board_files(folder), f"records/{'0' * 64}.json": b"{}", "README.md": b"# board"}
    with HubStandIn(repository="someone/board", files=files).running() as hub:
        done = hub.gecbench("leaderboard", "list", "-c", "demo", "--board", BOARD)
        assert done.returncode == 0, done.stderr
        assert "rules" in done.stdout
        assert "is skipped" in done.stderr
        done = hub.gecbench("leaderboard", "build", "--board", BOARD, "-c", "demo", "-o", tmp_path / "site")
        assert done.returncode == 0, done.stderr
        assert "rules" in (tmp_path / "site/data/board.json").read_text(encoding="utf-8")


def test_a_missing_repository_is_one_sentence(tmp_path):
    with HubStandIn(repository="someone/board").running() as hub:
        done = hub.gecbench("leaderboard", "list", "--board", "hf://datasets/someone/else")
    assert done.returncode == 2
    assert done.stderr.startswith("gecbench: the Hub refused someone/else")
    assert done.stderr.count("\n") == 1

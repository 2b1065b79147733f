"""What a board tells its users to type, and its card: right for an organiser's own board."""

import json
import shlex
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
import yaml
from boards import DEMO, GOOD, QUICK, text

from gecbench.cli.main import main
from gecbench.formats.jsonl import write_jsonl
from gecbench.leaderboard.page import PagePlan, build_site
from gecbench.leaderboard.store import FolderStore, Settings, init_board
from gecbench.metrics.base import METRICS


def told(site="site"):
    return json.loads(Path(site, "data/board.json").read_text())["commands"]


@pytest.mark.parametrize("own", [True, False])
def test_an_open_boards_commands_run_as_they_stand(own, folder, run):
    write_jsonl(DEMO, "my task.jsonl")
    Path("outputs.txt").write_bytes(text(GOOD))
    corpus = () if own else ("-c", str(Path("my task.jsonl").resolve()))
    if own:
        run("leaderboard", "init", "the board", "--title", "T", "-c", "my task.jsonl", "--publish-references")
    run("leaderboard", "build", "--board", "the board", *corpus, "-o", "site")
    assert str(Path.cwd()) not in Path("site/data/board.json").read_text(), "no path of this machine is told"
    for command in told()[1:]:
        run(*shlex.split(command)[1:])
    assert "My system" in Path("site/data/board.json").read_text()
    for name in ("my task", "my task.jsonl"):
        assert "My system" in run("leaderboard", "list", "--board", "the board", "-c", name)


def test_a_board_of_several_corpora_keeps_them_all_on_its_page(folder, run):
    write_jsonl(DEMO, "second.jsonl")
    Path("outputs.txt").write_bytes(text(GOOD))
    run("leaderboard", "init", "task", "--title", "T", "-c", "demo", "second.jsonl", "--publish-references")
    run("leaderboard", "build", "--board", "task", "-o", "site")
    for command in told()[1:]:
        run(*shlex.split(command)[1:])
    tables = json.loads(Path("site/data/board.json").read_text())["tables"]
    assert {table["corpus"]: table["sentences"] for table in tables} == {"demo": len(DEMO), "second": len(DEMO)}


def test_init_says_that_the_metric_that_ranks_is_not_installed(folder, capsys, monkeypatch):
    monkeypatch.setattr(METRICS["errant"], "missing", classmethod(lambda _cls: "it lacks a model."))
    assert main(["leaderboard", "init", "task", "--title", "T", "-c", "demo", "--metric", "errant"]) == 0
    assert "note: until it can be scored here, another metric ranks: it lacks a model." in capsys.readouterr().err
    assert Path("task/board.json").is_file()


def test_seed_scores_what_the_board_has_not(folder, run, monkeypatch):
    printed = run("leaderboard", "seed", "--board", "board", "-c", "demo")
    assert "Source (unchanged): GLEU" in printed
    monkeypatch.setattr("gecbench.leaderboard.submission.score_submission", None)
    assert run("leaderboard", "seed", "--board", "board", "-c", "demo") == printed
    assert len(list(Path("board/records").iterdir())) == 1


def test_a_sealed_servers_command(folder):
    write_jsonl(DEMO, "my & task.jsonl")
    init_board(Path("task"), ["my & task.jsonl"], Settings(title="T"))
    store = FolderStore("task")
    corpora = store.corpora()
    for token in (True, False):
        build_site(store, "site", PagePlan(corpora, resamples=QUICK, server={"token": token}))
        (command,) = told()
        *words, address = shlex.split(command)
        assert ("Authorization: Bearer TOKEN" in words) is token
        assert dict(parse_qsl(urlsplit(address).query))["corpus"] == "my & task"


def test_the_board_lists_what_others_report_on_its_own_corpora_alone(folder, run):
    run("leaderboard", "init", "task", "--title", "T", "-c", "demo")
    assert run("leaderboard", "list", "--board", "task") == "The board is empty.\n"


@pytest.mark.parametrize("before", ["", "*.tmp\n", "*.tmp"])
def test_init_adds_to_what_a_repository_ignores(before, folder):
    Path("task").mkdir()
    Path("task/.gitignore").write_text(before)
    init_board(Path("task"), ["demo"], Settings(title="T"))
    lines = Path("task/.gitignore").read_text().splitlines()
    assert lines == [*before.split(), "/tests/", "/waiting/"]


def test_the_card_of_an_organisers_page(folder, run):
    title = 'Task: "A" é # 1'
    run("leaderboard", "init", "task", "--title", title, "-c", "demo", "--licence", "CC BY 4.0")
    run("leaderboard", "build", "--board", "task", "-o", "site")
    card = Path("site/README.md").read_text(encoding="utf-8")
    head = yaml.safe_load(card.split("---\n")[1])
    assert (head["title"], head["sdk"], head["app_file"]) == (title, "static", "index.html")
    assert "license" not in head, "ours is not theirs"
    assert f"# {title}\n" in card
    assert "JFLEG" not in card

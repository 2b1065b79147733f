"""Boards in a folder and on the Hub: damage, many writers, kills, corpora."""

import dataclasses
import json
import multiprocessing
import multiprocessing.connection
import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest
from boards import DEMO, DETAILS, GOOD, RULES, add, demo_board, made_up_record, text, variant
from hub_stand_in import HubStandIn

from gecbench import InputError
from gecbench.formats.jsonl import write_jsonl
from gecbench.formats.m2 import write_m2
from gecbench.leaderboard.records import Details, Record, Settings, canonical_json, digest, figure
from gecbench.leaderboard.store import FolderStore, init_board
from gecbench.leaderboard.submission import verify_records


def test_a_bad_record_is_skipped_with_a_warning(tmp_path):
    store = FolderStore(tmp_path)
    good = store.add(made_up_record(), DETAILS)
    folder = tmp_path / "records"
    (folder / "half.json").write_bytes(made_up_record().to_json()[:40])
    (folder / f"{'0' * 64}.json").write_bytes(made_up_record(system="forged").to_json())
    unknown = json.loads(made_up_record().to_json()) | {"surprise": 1}
    data = canonical_json(unknown)
    (folder / f"{digest(data)}.json").write_bytes(data)
    (folder / ".temporary.json.x1").write_bytes(b"{")
    (folder / "folder.json").mkdir()
    if sys.platform != "win32":
        (folder / f"{'1' * 64}.json").symlink_to(folder / f"{good}.json")
    loaded = store.load()
    assert [each.id for each in loaded.records] == [good]
    assert len(loaded.warnings) == (4 if sys.platform == "win32" else 5)
    assert any("its name is not the SHA-256 of its content" in warning for warning in loaded.warnings)
    assert any("has the unknown field surprise" in warning for warning in loaded.warnings)


RESPELLED = {
    "a blank at the end": lambda data: data + b" ",
    "blanks between": lambda data: json.dumps(json.loads(data), sort_keys=True).encode() + b"\n",
    "another order": lambda data: b"{" + b",".join(reversed(data.strip()[1:-1].rsplit(b",", 1))) + b"}\n",
    "an escape": lambda data: data.replace(b'"system"', b'"\\u0073ystem"'),
    "a key twice": lambda data: data.replace(b"{", b'{"corpus":"x",', 1),
    "another number": lambda data: data.replace(b'"value":0.5', b'"value":0.50'),
    "a whole number": lambda data: data.replace(b'"value":1.0', b'"value":1'),
    "an older schema": lambda data: canonical_json({**json.loads(data), "schema": 1}),
}


@pytest.mark.parametrize("respell", RESPELLED.values(), ids=RESPELLED)
def test_a_record_spelled_another_way_is_no_second_entry(tmp_path, respell):
    store = FolderStore(tmp_path)
    record = made_up_record(scores={"gleu": figure(0.5), "m2": figure(1.0)})
    name = store.add(record, DETAILS)
    data = respell(record.to_json())
    assert digest(data) != name
    (tmp_path / "records" / f"{digest(data)}.json").write_bytes(data)
    loaded = store.load()
    assert [each.system for each in loaded.records] == ["S"]
    (warning,) = loaded.warnings
    same = "the same system, corpus and outputs as records/"
    assert "was not written by gecbench" in warning or same in warning
    problems = [result.problems for result in verify_records(store, {record.table: DEMO})]
    assert any("not written by" in problem or same in problem for found in problems for problem in found)


def test_nothing_is_written_outside_or_under_a_wrong_name(tmp_path):
    store = FolderStore(tmp_path / "board")
    wrong = Details(["b"])
    with pytest.raises(InputError, match="do not belong to the record"):
        store.add(made_up_record(), wrong)
    hollow = made_up_record()
    object.__setattr__(hollow, "details", "../../secret")
    with pytest.raises(InputError, match="is not a SHA-256 hash"):
        store._path("details", "../../secret")
    assert store.details(hollow) is None
    assert not (tmp_path / "board").exists()


def test_damaged_details_are_missing_not_fatal(tmp_path):
    store = FolderStore(tmp_path)
    added = made_up_record()
    store.add(added, DETAILS)
    assert store.details(added) == dataclasses.replace(DETAILS)
    (tmp_path / "details" / f"{added.details}.json").write_bytes(b"{}")
    assert store.details(added) is None


def test_adding_twice_is_adding_once(tmp_path):
    store = FolderStore(tmp_path)
    assert store.add(made_up_record(), DETAILS) == store.add(made_up_record(), DETAILS)
    assert len(store.load().records) == 1


def test_answers_are_remembered_and_damage_is_not_believed(tmp_path):
    store = FolderStore(tmp_path)
    assert store.get_resampled("q") is None
    store.put_resampled("q", [0.25, 0.5])
    assert store.get_resampled("q") == [0.25, 0.5]
    next((tmp_path / "tests").glob("*.json")).write_bytes(b'{"question":"q"}')
    assert store.get_resampled("q") is None


@pytest.mark.parametrize("kind", ["records", "waiting"])
def test_leftovers_of_killed_writers_are_removed_when_old(tmp_path, kind):
    store = FolderStore(tmp_path)
    store.add(made_up_record(), DETAILS)
    (tmp_path / kind).mkdir(exist_ok=True)
    old, new = tmp_path / kind / ".a.new", tmp_path / kind / ".b.new"
    for path in (old, new):
        path.write_bytes(b"{")
    os.utime(old, (0, 0))
    store.remove_leftovers()
    assert not old.exists()
    assert new.exists()
    assert len(store.load().records) == 1


def submit_forever(folder, number, go_on, told):
    store = FolderStore(folder)
    for turn in range(100_000):
        if turn == 1:
            go_on.wait()
        details = Details([f"word {number} {turn} ."] * 100, {"gleu": [1.0] * 100}, {})
        names = {"outputs": details.outputs, "details": digest(details.to_json())}
        told.send(store.add(made_up_record(system=f"system {number} {turn}", **names), details))


@pytest.mark.skipif(sys.platform != "linux", reason="needs fork and kill -9")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_hundred_writers_killed_in_the_middle(tmp_path):
    context = multiprocessing.get_context("fork")
    demo_board(tmp_path)
    before = {each.id for each in FolderStore(tmp_path).load().records}
    writers, go_on = [], context.Event()
    for number in range(100):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=submit_forever, args=(tmp_path, number, go_on, theirs), daemon=True)
        process.start()
        theirs.close()
        writers.append((process, ours))
    acknowledged = set(before)
    deadline = time.monotonic() + 300
    waiting = {pipe for _, pipe in writers}
    while waiting and time.monotonic() < deadline:
        for pipe in multiprocessing.connection.wait(waiting, timeout=1):
            acknowledged.add(pipe.recv())
            waiting.discard(pipe)
    assert not waiting, "every writer has added a record"
    go_on.set()
    for _, pipe in writers[:10]:
        assert pipe.poll(60), "and goes on"
    for process, _ in random.Random(7).sample(writers, len(writers)):
        os.kill(process.pid, signal.SIGKILL)
    for process, pipe in writers:
        process.join()
        while pipe.poll():
            try:
                acknowledged.add(pipe.recv())
            except (EOFError, OSError):
                break
        assert process.exitcode == -signal.SIGKILL
    loaded = FolderStore(tmp_path).load()
    found = {each.id for each in loaded.records}
    assert not loaded.warnings, "no half file"
    assert len(acknowledged) >= 100
    assert acknowledged <= found, "what was told to be added is there"
    assert len(found - acknowledged) <= 100, "at most one more per writer"
    assert all(FolderStore(tmp_path).details(each) is not None for each in loaded.records)


def test_a_board_of_none_or_several_corpora_asks_for_one(tmp_path):
    with pytest.raises(InputError, match="no corpus is given"):
        FolderStore(tmp_path).choose_corpus(None)
    write_jsonl(DEMO, tmp_path / "second.jsonl")
    store = init_board(tmp_path / "task", ["demo", str(tmp_path / "second.jsonl")], Settings())
    with pytest.raises(InputError, match=r"the board has several corpora\. Choose one with -c: demo, second"):
        store.choose_corpus(None)


def test_corpora_are_known_again_and_named_without_a_path(folder):
    write_m2(DEMO, "gold.m2")
    store = init_board(Path("deep/task"), [str(Path("gold.m2").resolve()), "demo"], Settings(title="T"))
    assert [entry["corpus"] for entry in store.settings.corpora] == ["../../gold.m2", "demo"]
    assert [corpus.name for corpus in store.corpora()] == ["gold", "demo"]
    gold = Path("gold.m2").read_text()
    Path("gold.m2").write_text(gold.replace("|||REQUIRED", "x|||REQUIRED", 1))
    with pytest.raises(InputError, match=r"^the corpus ../../gold.m2 has changed since the board was created"):
        store.corpora()


BOARD = "hf://datasets/someone/board"


def board_files(folder):
    paths = [*folder.glob("records/*.json"), *folder.glob("details/*.json")]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_submit_opens_a_pull_request(tmp_path):
    folder = tmp_path / "board"
    demo_board(folder)
    outputs = variant("New")
    file = tmp_path / "out.txt"
    file.write_bytes(text(outputs))
    with HubStandIn(repository="someone/board", files=board_files(folder)).running() as hub:
        options = ("leaderboard", "submit", "-c", "demo", "-p", file, "--name", "Hub system", "--board", BOARD)
        done = hub.gecbench(*options)
        assert done.returncode == 0, done.stderr
        assert f"pull request: {hub.url}/datasets/someone/board/discussions/1" in done.stdout
        assert "of 4 by GLEU (difference from good-corrector, the system above: p = " in done.stdout
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
        assert "already on the board, as 'Hub system'" in again.stderr
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
        assert refused.stderr == "gecbench: the board's corpus ../gold.jsonl was not found. Give its file with -c.\n"
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
    add(FolderStore(folder), "rules", RULES)
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

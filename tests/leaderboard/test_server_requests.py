"""Clients that lie about who they are or never finish a request, and servers that are stopped with work to do."""

import contextlib
import os
import signal
import socket
import sys
import threading
import time

import pytest
from boards import DEMO, GOOD, call, finished, server, text, upload
from waiting import eventually

from gecbench.errors import InputError
from gecbench.leaderboard.store import FolderStore
from gecbench.leaderboard.submission import Submission
from gecbench.leaderboard.uploads import PendingFolder

pytest.importorskip("starlette", reason="the extra [leaderboard] is not installed")
uvicorn = pytest.importorskip("uvicorn", reason="the extra [leaderboard] is not installed")


def variant(word):
    return text([*GOOD[:-1], f"{word} ."])


def test_a_client_cannot_choose_its_address(tmp_path, monkeypatch):
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    with server(tmp_path, "--per-minute", "2") as (address, _):
        statuses = [upload(address, b"x\n", {"X-Forwarded-For": f"10.0.0.{k}"})[0] for k in range(4)]
    assert statuses == [400, 400, 429, 429]


def test_a_proxy_that_the_operator_names_is_believed(tmp_path, monkeypatch):
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.1")
    with server(tmp_path, "--per-minute", "2") as (address, _):
        statuses = [upload(address, b"x\n", {"X-Forwarded-For": f"10.0.0.{k}"})[0] for k in range(4)]
    assert statuses == [400] * 4


@pytest.fixture
def small_server(monkeypatch, request):
    """A server of a small application in a thread, with little patience; yields its port."""
    from gecbench.leaderboard import server

    async def application(scope, receive, send):
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
            await send({"type": "http.response.body", "body": b"ok"})

    monkeypatch.setattr(server, "HEAD_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        settings = server.configured(application, "127.0.0.1", 0)
        settings.timeout_keep_alive = getattr(request, "param", settings.timeout_keep_alive)
        running = uvicorn.Server(settings)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        eventually(lambda: running.started, "the server does not start")
        yield listener.getsockname()[1]
        running.should_exit = True
        thread.join(20)


ASKED = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize("small_server", [1], indirect=True, ids=["keep alive 1 s"])
@pytest.mark.parametrize("sent", [b"", b"GET", b"GET / HTTP/1.1\r\nHost: x\r\n", ASKED + b"GET / HT"], ids=str)
def test_half_a_request_is_hung_up_on(small_server, sent):
    streams = [socket.create_connection(("127.0.0.1", small_server), timeout=20) for _ in range(50)]
    for stream in streams:
        stream.sendall(sent)
    for stream in streams:
        with stream:
            answer = b"".join(iter(lambda: stream.recv(4096), b""))  # noqa: B023
        assert answer.count(b"200 OK") == sent.count(b"\r\n\r\n")


def test_a_dribble_is_hung_up_on(small_server):
    sent = 0
    with socket.create_connection(("127.0.0.1", small_server), timeout=20) as stream, contextlib.suppress(OSError):
        for byte in b"GET / HTTP/1.1\r\nX: " + b"x" * 600:
            stream.sendall(bytes([byte]))
            sent += 1
            time.sleep(0.02)
    assert sent < 600


def test_whole_requests_are_answered_after_a_pause(small_server):
    with socket.create_connection(("127.0.0.1", small_server), timeout=20) as stream:
        for _ in range(3):
            stream.sendall(ASKED)
            answer = b""
            while not answer.endswith(b"ok"):
                more = stream.recv(4096)
                assert more, "hung up on"
                answer += more
            assert answer.startswith(b"HTTP/1.1 200 OK")
            time.sleep(0.2)


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_what_was_accepted_is_scored_by_the_next_server(tmp_path, number):
    with server(tmp_path, "--per-minute", "1000") as (address, process):
        jobs = [upload(address, variant(f"w{k}"), name=f"s{k}") for k in range(2)]
        assert [status for status, _ in jobs] == [202] * 2
        os.kill(process.pid, number)
        process.wait()
    left = len(list((tmp_path / "waiting").glob("*.json")))
    there = {record.system for record in FolderStore(tmp_path).load().records}
    assert left + len(there) >= 2
    with server(tmp_path) as (address, _):
        for name, job in ((f"s{k}", job) for k, (_, job) in enumerate(jobs)):
            if name not in there:
                assert finished(address, job)["state"] == "done"
        eventually(lambda: not list((tmp_path / "waiting").glob("*.json")), "something waits for ever")
        assert call(address)[0] == 200
    assert {record.system for record in FolderStore(tmp_path).load().records} == {f"s{k}" for k in range(2)}


def test_damaged_leftovers_are_passed_over(tmp_path):
    waiting = PendingFolder(tmp_path / "waiting")
    assert list(waiting.load()) == []
    waiting.save("good", Submission(system="s", predictions=GOOD, links=["https://example.org"]), DEMO.name)
    for name, content in {"a": "", "b": "[]", "c": '{"corpus": "demo"}', "d": '{"submission": {}}'}.items():
        (tmp_path / "waiting" / f"{name}.json").write_text(content)
    ((name, submission, corpus, tries),) = waiting.load()
    assert (name, submission.system, list(submission.predictions)) == ("good", "s", list(GOOD))
    assert (corpus, tries) == ("demo", 0)
    assert submission.about()["links"] == [{"title": "", "url": "https://example.org"}]
    waiting.remove(name)
    waiting.remove(name)
    assert list(waiting.load()) == []


def test_what_was_accepted_and_cannot_be_written_stays_for_the_next_server(tmp_path):
    with server(tmp_path) as (address, _):
        (tmp_path / "records").write_text("in the way")
        status, job = upload(address, variant("x"), name="kept")
        assert status == 202
        assert finished(address, job)["state"] == "failed"
    assert len(list((tmp_path / "waiting").glob("*.json"))) == 1
    (tmp_path / "records").unlink()
    with server(tmp_path) as (address, _):
        assert finished(address, job)["state"] == "done"
    assert [record.system for record in FolderStore(tmp_path).load().records] == ["kept"]


def test_a_board_that_cannot_be_written_to_accepts_nothing(tmp_path):
    (tmp_path / "waiting").write_text("in the way")
    with server(tmp_path) as (address, _):
        status, answer = upload(address, variant("x"))
        assert (status, answer["error"]) == (503, "The board cannot be written to at present.")


def test_a_submission_that_ends_servers_is_set_aside_and_the_others_are_scored(tmp_path, capsys):
    from gecbench.leaderboard.page import PagePlan
    from gecbench.leaderboard.server import create_app

    waiting = PendingFolder(tmp_path / "waiting")
    waiting.save("deadly", Submission("deadly", GOOD), DEMO.name, tries=3)
    waiting.save("fine", Submission("fine", [*GOOD[:-1], "Fine ."]), DEMO.name, tries=2)
    create_app(FolderStore(tmp_path), PagePlan([DEMO], resamples=20))
    eventually(lambda: not list(waiting.folder.glob("*.json")), "something waits for ever")
    assert [record.system for record in FolderStore(tmp_path).load().records] == ["fine"]
    assert [path.name for path in (tmp_path / "waiting/aside").iterdir()] == ["deadly.json"]
    assert "deadly.json: servers ended 3 times while they scored it, so it was set aside" in capsys.readouterr().err


def test_tries_are_counted_when_scoring_begins(tmp_path, monkeypatch):
    from gecbench.leaderboard import server as serving
    from gecbench.leaderboard.page import PagePlan

    begun, go = threading.Event(), threading.Event()

    def slow(*_arguments, **_options):
        begun.set()
        go.wait(20)
        raise InputError("no good")

    monkeypatch.setattr(serving, "submit", slow)
    waiting = PendingFolder(tmp_path / "waiting")
    for k in range(3):
        waiting.save(f"s{k}", Submission(f"s{k}", GOOD), DEMO.name, tries=k)
    serving.create_app(FolderStore(tmp_path), PagePlan([DEMO], resamples=20))
    assert begun.wait(20)
    assert {left.name: left.tries for left in waiting.load()} == {"s0": 1, "s1": 1, "s2": 2}
    go.set()
    eventually(lambda: not list(waiting.folder.glob("*.json")), "something waits for ever")

"""The server: uploads, limits, refusals in a sentence, slow and lying clients, and servers that are stopped."""

import contextlib
import gzip
import json
import os
import signal
import socket
import sys
import threading
import time
from urllib.parse import urlsplit

import programs
import pytest
from boards import DEMO, GOOD, add, call, demo_board, finished, free_port, script_data, server, text, upload, variant
from waiting import eventually

import gecbench
from gecbench.errors import InputError
from gecbench.leaderboard.records import Settings
from gecbench.leaderboard.store import FolderStore, init_board
from gecbench.leaderboard.submission import Submission
from gecbench.leaderboard.uploads import PendingFolder

pytest.importorskip("starlette", reason="the extra [leaderboard] is not installed")


uvicorn = pytest.importorskip("uvicorn", reason="the extra [leaderboard] is not installed")


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    board = tmp_path_factory.mktemp("board")
    demo_board(board)
    (board / "secret.txt").write_text("secret")
    with server(board, "--megabytes", "0.1", "--per-minute", "1000") as (address, _):
        yield address, board


def test_page_and_headers(served):
    address, _ = served
    status, body, headers = call(address)
    assert status == 200
    assert b"GEC leaderboard" in body
    assert "script-src 'self'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    status, body, headers = call(f"{address}data/board.js")
    assert headers["content-type"].startswith("text/javascript")
    assert script_data(body)["server"]["corpora"] == ["demo"]


def test_page_is_packed_and_asked_for_once(served):
    address, _ = served
    _, plain, headers = call(f"{address}style.css")
    _, packed, _ = call(f"{address}style.css", headers={"Accept-Encoding": "gzip"})
    assert len(packed) < len(plain)
    assert gzip.decompress(packed) == plain
    assert call(f"{address}style.css", headers={"If-None-Match": headers["etag"]})[:2] == (304, b"")


def test_upload_is_scored_and_ranked(served):
    address, board = served
    status, job = upload(address, text(variant("Upload")), name="Uploaded", link="https://example.org")
    assert status == 202
    report = finished(address, job)
    assert report["state"] == "done", report
    assert (report["corpus"], report["metric"]) == ("demo", "gleu")
    expected = gecbench.score(variant("Upload"), DEMO)["gleu"].value
    record = next(each for each in FolderStore(board).load().records if each.id == report["record"])
    assert record.scores["gleu"]["value"] == expected
    assert record.links[0]["url"] == "https://example.org"
    _, body, _ = call(f"{address}data/board.json")
    row = next(row for row in json.loads(body)["records"] if row["id"] == report["record"])
    assert row["scores"]["gleu"]["rank"] == report["rank"]
    status, job = upload(address, text(variant("Upload")), name="Again")
    assert "already on the board, as 'Uploaded'" in finished(address, job)["error"]


REFUSED = {
    "too large": (b"x" * 200_000, {}, {}, 413, "larger than the limit of"),
    "binary": (b"\x00\x01" * 50, {}, {}, 400, "is a binary file"),
    "a gzip bomb": (gzip.compress(b"a\n" * 10_000_000), {}, {}, 400, "is compressed (gzip)"),
    "a zip": (b"PK\x03\x04", {}, {}, 400, "is compressed (zip)"),
    "an encoded body": (
        gzip.compress(b"a"),
        {"Content-Encoding": "gzip"},
        {},
        415,
        "Compressed uploads are not accepted",
    ),
    "not UTF-8": (b"caf\xe9\n", {}, {}, 400, "out.txt:1: not UTF-8"),
    "deep JSON": (b"[" * 90_000, {}, {"file": "x.jsonl"}, 400, "not JSON"),
    "no name": (text(GOOD), {}, {"name": ""}, 400, "system is empty"),
    "a script link": (text(GOOD), {}, {"link": "javascript:alert(1)"}, 400, "Links start with http"),
    "a corpus that is a path": (text(GOOD), {}, {"corpus": "../../etc/passwd"}, 400, "unknown corpus"),
    "an unknown tokenizer": (text(GOOD), {}, {"tokenize": "spacy"}, 400, "Use none or auto"),
    "a corpus on the disk": (text(GOOD), {}, {"corpus": "x.jsonl"}, 400, "unknown corpus"),
    "an origin that is not an address": (text(GOOD), {"Origin": "http://["}, {}, 403, "from other sites are rejected"),
    "another site": (text(GOOD), {"Origin": "https://evil.example"}, {}, 403, "from other sites are rejected"),
}


@pytest.mark.parametrize(("data", "headers", "query", "status", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_with_a_sentence(served, data, headers, query, status, message):
    address, board = served
    before = sorted((board / "records").iterdir()), sorted((board / "details").iterdir())
    found, body = upload(address, data, headers, **query)
    assert found == status
    assert message in body["error"]
    assert (sorted((board / "records").iterdir()), sorted((board / "details").iterdir())) == before


def connection(address):
    parts = urlsplit(address)
    return socket.create_connection((parts.hostname, parts.port), timeout=20)


def test_a_body_without_end_is_cut_off(served):
    address, _ = served
    head = b"POST /api/submissions?name=x&corpus=demo HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"2000\r\n" + b"a" * 0x2000 + b"\r\n"
    sent, answer = 0, b""
    with connection(address) as stream:
        stream.sendall(head)
        with contextlib.suppress(OSError):
            for _ in range(2000):
                stream.sendall(chunk)
                sent += 1
        with contextlib.suppress(OSError):
            answer = stream.recv(4096)
    assert sent < 2000 or b"413" in answer
    assert call(address)[0] == 200


def test_bad_outputs_fail_with_a_sentence(served):
    address, _ = served
    status, answer = upload(address, text(GOOD[:-1]))
    assert status == 400
    assert "41 lines, but demo has 42 sentences" in answer["error"]
    _, job = upload(address, text(DEMO.sources))
    assert "copy of the source" in finished(address, job)["error"]
    _, job = upload(address, text(gecbench.detokenize(GOOD)))
    assert "not tokenized like their sources" in finished(address, job)["error"]


OUTSIDE = (
    *("../secret.txt", "..%2fsecret.txt", "%2e%2e/secret.txt", "data/../../secret.txt", "/etc/passwd"),
    *("%2fetc%2fpasswd", "..\\secret.txt", "secret.txt", "records/", "data", "data/", "index.html%00.js"),
    *("//etc/passwd", ".git/config"),
)


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_path_leaves_the_page(served, path):
    with connection(served[0]) as stream:
        stream.sendall(f"GET /{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: stream.recv(4096), b""))
    assert answer.startswith((b"HTTP/1.1 404", b"HTTP/1.1 400"))
    assert b"secret" not in answer.partition(b"\r\n\r\n")[2]
    assert b"root:" not in answer


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "x@127.0.0.1"])
def test_a_server_of_this_machine_answers_to_no_other_name(served, host):
    address, _ = served
    status, body, _ = call(f"{address}data/board.json", headers={"Host": host, "Origin": f"http://{host}"})
    assert status in (400, 421), body
    assert b"records" not in body
    assert call(f"{address}data/board.json", headers={"Host": "LOCALHOST:9"})[0] == 200


def test_the_names_of_a_server():
    from gecbench.leaderboard.server import known_hosts

    assert known_hosts("0.0.0.0", []) is None
    assert "task.example.org" in known_hosts("127.0.0.1", ["task.example.org"])
    assert "evil.example" not in known_hosts("0.0.0.0", ["task.example.org"])


def test_unknown_job(served):
    assert call(f"{served[0]}api/submissions/nothing")[0] == 404


def test_records_from_elsewhere_appear(served):
    address, board = served
    added = add(FolderStore(board), "from the command line", variant("Elsewhere"))
    eventually(lambda: added.id.encode() in call(f"{address}data/board.json")[1], "the page shows no new record")


def test_token_rate_and_kill(tmp_path):
    with server(tmp_path, "--per-minute", "3", token="secret") as (address, process):
        status, body = upload(address, text(variant("a")))
        assert (status, body["error"]) == (401, "The token is missing or wrong. Ask the board's owner for a token.")
        status, _ = upload(address, text(variant("a")), {"Authorization": "Bearer wrong"})
        assert status == 401
        status, job = upload(address, text(variant("a")), {"Authorization": "Bearer secret"})
        assert status == 202
        done = finished(address, job)
        assert done["state"] == "done"
        status, body = upload(address, text(variant("b")))
        assert status == 429
        assert "You have sent 3 submissions in a minute" in body["error"]
        process.kill()
    assert [each.id for each in FolderStore(tmp_path).load().records] == [done["record"]]


@pytest.mark.parametrize(("proxies", "expected"), [(None, [400, 400, 429, 429]), ("127.0.0.1", [400] * 4)])
def test_a_client_is_who_a_named_proxy_says(tmp_path, monkeypatch, proxies, expected):
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    if proxies:
        monkeypatch.setenv("FORWARDED_ALLOW_IPS", proxies)
    with server(tmp_path, "--per-minute", "2") as (address, _):
        statuses = [upload(address, b"x\n", {"X-Forwarded-For": f"10.0.0.{k}"})[0] for k in range(4)]
    assert statuses == expected


@pytest.fixture
def small_server(monkeypatch, request):
    """A server of a small application in a thread, with little patience; yields its port."""
    from gecbench.leaderboard import server

    async def application(scope, receive, send):
        if scope["type"] == "http":
            body = b"x" * 20_000_000 if scope["path"] == "/large" else b"ok"
            length = str(len(body)).encode()
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", length)]})
            await send({"type": "http.response.body", "body": body})

    monkeypatch.setattr(server, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(server, "WRITE_SECONDS", 0.3)
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


def test_connections_that_read_nothing_are_hung_up_on(small_server, monkeypatch):
    """Each asks for more than the system's buffers hold, many times over, and reads none of it."""
    streams = []
    for _ in range(20):
        stream = socket.socket()
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stream.settimeout(20)
        stream.connect(("127.0.0.1", small_server))
        stream.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        streams.append(stream)
    for stream in streams:
        with stream:
            eventually(lambda: is_reset(stream), "still held")  # noqa: B023


def is_reset(stream):
    """Return whether the other side aborted, without reading what it sent."""
    return stream.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0 or not is_writable(stream)


def is_writable(stream):
    try:
        stream.send(b"x")
    except OSError:
        return False
    return True


def test_a_client_has_so_many_connections(small_server, monkeypatch):
    from gecbench.leaderboard import server

    monkeypatch.setattr(server, "MOST_CONNECTIONS", 3)
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    streams = [socket.create_connection(("127.0.0.1", small_server), timeout=20) for _ in range(3)]
    try:
        for stream in streams:
            stream.sendall(ASKED)
            assert stream.recv(4096).startswith(b"HTTP/1.1 200 OK")
        with socket.create_connection(("127.0.0.1", small_server), timeout=20) as stream, contextlib.suppress(OSError):
            stream.sendall(ASKED)
            assert stream.recv(4096) == b""
    finally:
        for stream in streams:
            stream.close()


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


def test_a_head_has_a_limit_whatever_is_installed(served):
    from uvicorn.protocols.http.h11_impl import H11Protocol

    from gecbench.leaderboard.server import TimeoutProtocol

    assert TimeoutProtocol.__base__ is H11Protocol, "httptools has no limit"
    place = urlsplit(served[0])
    with socket.create_connection((place.hostname, place.port), timeout=10) as client:
        with contextlib.suppress(OSError):  # hung up on while it is sending
            client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 200_000)
        with contextlib.suppress(ConnectionError):
            assert client.recv(100).startswith(b"HTTP/1.1 400 ")


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
        jobs = [upload(address, text(variant(f"w{k}")), name=f"s{k}") for k in range(2)]
        assert [status for status, _ in jobs] == [202] * 2
        os.kill(process.pid, number)
        process.wait()
    left, loaded = len(list((tmp_path / "waiting").glob("*.json"))), FolderStore(tmp_path).load()
    assert not loaded.warnings
    there = {record.system for record in loaded.records}
    assert left + len(there) >= 2
    with server(tmp_path) as (address, _):
        for name, job in ((f"s{k}", job) for k, (_, job) in enumerate(jobs)):
            if name not in there:
                assert finished(address, job)["state"] == "done"
        eventually(lambda: not list((tmp_path / "waiting").glob("*.json")), "something waits for ever")
        assert call(address)[0] == 200
    assert {record.system for record in FolderStore(tmp_path).load().records} == {f"s{k}" for k in range(2)}


def state(address, job):
    return json.loads(call(f"{address}api/submissions/{job['id']}")[1])


def test_two_servers_do_not_serve_one_board(tmp_path):
    with server(tmp_path):
        words = ["leaderboard", "serve", "--board", tmp_path, "-c", "demo", "--port", free_port()]
        done = programs.gecbench(*words)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "another server is running on this board. Stop it first." in done.stderr
    with server(tmp_path) as (address, _):
        assert call(address)[0] == 200


def test_what_was_accepted_and_cannot_be_written_stays_for_the_next_server(tmp_path):
    with server(tmp_path) as (address, _):
        (tmp_path / "records").write_text("in the way")
        status, job = upload(address, text(variant("x")), name="kept")
        assert status == 202
        eventually(lambda: "cannot be changed" in state(address, job)["stage"], "it is not tried")
        assert state(address, job)["state"] == "waiting"
        assert str(tmp_path) not in json.dumps(state(address, job))
    assert len(list((tmp_path / "waiting").glob("*.json"))) == 1
    (tmp_path / "records").unlink()
    with server(tmp_path) as (address, _):
        assert finished(address, job)["state"] == "done"
    assert [record.system for record in FolderStore(tmp_path).load().records] == ["kept"]


def test_what_was_stored_when_its_server_ended_is_done_and_counted_once(tmp_path):
    """The server ended between writing the record and removing the submission."""
    from gecbench.leaderboard.submission import submit

    store = init_board(tmp_path, ["demo"], Settings(title="T", per_day=1))
    submission = Submission("S", GOOD, submitter="Me", links=["https://example.org"])
    added = submit(submission, DEMO, store).added
    PendingFolder(tmp_path / "waiting").save("job", submission, DEMO.name, tries=1)
    with server(tmp_path) as (address, _):
        report = finished(address, {"id": "job"})
    assert (report["state"], report.get("record"), report.get("rank"), report.get("of")) == ("done", added, 1, 1)
    assert len(store.load().records) == 1


def test_a_board_that_cannot_be_written_to_accepts_nothing(tmp_path):
    (tmp_path / "waiting").write_text("in the way")
    with server(tmp_path) as (address, _):
        status, answer = upload(address, text(variant("x")))
        assert (status, answer["error"]) == (503, "The board cannot be changed right now. Try again later.")


def test_a_submission_that_ends_servers_is_set_aside_and_the_others_are_scored(tmp_path, capsys):
    from gecbench.leaderboard.page import PagePlan
    from gecbench.leaderboard.server import create_app

    waiting = PendingFolder(tmp_path / "waiting")
    waiting.save("deadly", Submission("deadly", GOOD), DEMO.name, tries=3)
    waiting.save("fine", Submission("fine", variant("Fine")), DEMO.name, tries=2)
    create_app(FolderStore(tmp_path), PagePlan([DEMO], resamples=20))
    eventually(lambda: not list(waiting.folder.glob("*.json")), "something waits for ever")
    assert [record.system for record in FolderStore(tmp_path).load().records] == ["fine"]
    assert [path.name for path in (tmp_path / "waiting/aside").iterdir()] == ["deadly.json"]
    assert (
        "deadly.json: the server stopped 3 times while scoring this submission, so the file was moved here"
        in capsys.readouterr().err
    )


def test_tries_are_counted_when_scoring_begins(tmp_path, monkeypatch):
    from gecbench.leaderboard import server as serving
    from gecbench.leaderboard.page import PagePlan

    begun, go = threading.Event(), threading.Event()

    def slow(*_arguments, **_options):
        begun.set()
        go.wait(20)
        raise InputError("no good")

    monkeypatch.setattr(serving.App, "_score", slow)
    waiting = PendingFolder(tmp_path / "waiting")
    for k in range(3):
        waiting.save(f"s{k}", Submission(f"s{k}", GOOD), DEMO.name, tries=k)
    serving.create_app(FolderStore(tmp_path), PagePlan([DEMO], resamples=20))
    assert begun.wait(20)
    assert {left.name: left.tries for left in waiting.load()} == {"s0": 1, "s1": 1, "s2": 2}
    go.set()
    eventually(lambda: not list(waiting.folder.glob("*.json")), "something waits for ever")

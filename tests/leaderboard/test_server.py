"""The server: uploads with progress, limits, refusals in a sentence, and no way out of the board's folder."""

import contextlib
import gzip
import json
import os
import re
import signal
import socket
import sys
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from boards import DEMO, GOOD, add, call, demo_board, finished, server, text, upload
from waiting import eventually

import gecbench
from gecbench.errors import InputError
from gecbench.leaderboard.store import FolderStore
from gecbench.leaderboard.uploads import Queue, Rate

pytest.importorskip("starlette", reason="the extra [leaderboard] is not installed")
pytest.importorskip("uvicorn", reason="the extra [leaderboard] is not installed")


def variant(word):
    return text([*GOOD[:-1], f"{word} ."])


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
    assert json.loads(body.decode().partition(", ")[2].rstrip(");\n"))["server"]["corpora"] == ["demo"]


def test_page_is_packed_and_asked_for_once(served):
    address, _ = served
    _, plain, headers = call(f"{address}style.css")
    _, packed, _ = call(f"{address}style.css", headers={"Accept-Encoding": "gzip"})
    assert len(packed) < len(plain)
    assert gzip.decompress(packed) == plain
    assert call(f"{address}style.css", headers={"If-None-Match": headers["etag"]})[:2] == (304, b"")


def test_upload_is_scored_and_ranked(served):
    address, board = served
    status, job = upload(address, variant("Upload"), name="Uploaded", link="https://example.org")
    assert status == 202
    report = finished(address, job)
    assert report["state"] == "done", report
    assert (report["corpus"], report["metric"]) == ("demo", "gleu")
    expected = gecbench.score([*GOOD[:-1], "Upload ."], DEMO)["gleu"].value
    record = next(each for each in FolderStore(board).load().records if each.id == report["record"])
    assert record.scores["gleu"]["value"] == expected
    assert record.links[0]["url"] == "https://example.org"
    _, body, _ = call(f"{address}data/board.json")
    row = next(row for row in json.loads(body)["records"] if row["id"] == report["record"])
    assert row["scores"]["gleu"]["rank"] == report["rank"]
    status, job = upload(address, variant("Upload"), name="Again")
    assert "on the board already, as 'Uploaded'" in finished(address, job)["error"]


REFUSED = {
    "too large": (b"x" * 200_000, {}, {}, 413, "larger than the limit of"),
    "binary": (b"\x00\x01" * 50, {}, {}, 400, "is binary"),
    "a gzip bomb": (gzip.compress(b"a\n" * 10_000_000), {}, {}, 400, "is compressed (gzip)"),
    "a zip": (b"PK\x03\x04", {}, {}, 400, "is compressed (zip)"),
    "an encoded body": (gzip.compress(b"a"), {"Content-Encoding": "gzip"}, {}, 415, "Compressed uploads are refused"),
    "not UTF-8": (b"caf\xe9\n", {}, {}, 400, "out.txt:1: not UTF-8"),
    "deep JSON": (b"[" * 90_000, {}, {"file": "x.jsonl"}, 400, "not JSON"),
    "no name": (text(GOOD), {}, {"name": ""}, 400, "system is empty"),
    "a script link": (text(GOOD), {}, {"link": "javascript:alert(1)"}, 400, "Links start with http"),
    "a corpus that is a path": (text(GOOD), {}, {"corpus": "../../etc/passwd"}, 400, "no such corpus here"),
    "an unknown tokeniser": (text(GOOD), {}, {"tokenize": "spacy"}, 400, "Use none or auto"),
    "a corpus on the disk": (text(GOOD), {}, {"corpus": "x.jsonl"}, 400, "no such corpus here"),
    "an origin that is no address": (text(GOOD), {"Origin": "http://["}, {}, 403, "not from other sites"),
    "another site": (text(GOOD), {"Origin": "https://evil.example"}, {}, 403, "not from other sites"),
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
    head = b"POST /api/submissions?name=x&corpus=demo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
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
    assert "not tokenised like their sources" in finished(address, job)["error"]


OUTSIDE = (
    *("../secret.txt", "..%2fsecret.txt", "%2e%2e/secret.txt", "data/../../secret.txt", "/etc/passwd"),
    *("%2fetc%2fpasswd", "..\\secret.txt", "secret.txt", "records/", "data", "data/", "index.html%00.js"),
    *("//etc/passwd", ".git/config"),
)


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_path_leaves_the_page(served, path):
    with connection(served[0]) as stream:
        stream.sendall(f"GET /{path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: stream.recv(4096), b""))
    assert answer.startswith((b"HTTP/1.1 404", b"HTTP/1.1 400"))
    assert b"secret" not in answer.partition(b"\r\n\r\n")[2]
    assert b"root:" not in answer


def test_unknown_job(served):
    assert call(f"{served[0]}api/submissions/nothing")[0] == 404


def test_records_from_elsewhere_appear(served):
    address, board = served
    added = add(FolderStore(board), "from the command line", [*GOOD[:-1], "Elsewhere ."])
    eventually(lambda: added.id.encode() in call(f"{address}data/board.json")[1], "the page shows no new record")


def test_token_rate_and_kill(tmp_path):
    with server(tmp_path, "--per-minute", "3", token="secret") as (address, process):
        status, body = upload(address, variant("a"))
        assert (status, body["error"]) == (401, "The token is missing or wrong.")
        status, _ = upload(address, variant("a"), {"Authorization": "Bearer wrong"})
        assert status == 401
        status, job = upload(address, variant("a"), {"Authorization": "Bearer secret"})
        assert status == 202
        done = finished(address, job)
        assert done["state"] == "done"
        status, body = upload(address, variant("b"))
        assert status == 429
        assert "More than 3 submissions in a minute" in body["error"]
        process.kill()
    assert [each.id for each in FolderStore(tmp_path).load().records] == [done["record"]]


@pytest.mark.skipif(sys.platform == "win32", reason="needs kill -9")
def test_killed_while_scoring_loses_nothing_that_was_told(tmp_path):
    with server(tmp_path, "--per-minute", "1000") as (address, process):
        jobs = [upload(address, variant(f"w{k}"), name=f"s{k}")[1] for k in range(4)]
        done = [finished(address, job)["record"] for job in jobs[:1]]
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    loaded = FolderStore(tmp_path).load()
    assert not loaded.warnings
    assert set(done) <= {each.id for each in loaded.records}
    with server(tmp_path) as (address, _):
        assert call(address)[0] == 200


def test_queue_refuses_when_full_and_reports_failures():
    queue = Queue(most_waiting=2)
    started, go = threading.Event(), threading.Event()

    def slow(progress):
        progress("slow", 0.5)
        started.set()
        go.wait(10)
        raise InputError("no good")

    def add(work):
        job = queue.prepare()
        if job is not None:
            queue.start(job, work)
        return job

    first = add(slow)
    assert started.wait(10)
    assert first.report()["stage"] == "slow"
    second = add(lambda progress: {"rank": 1})
    assert add(slow) is None
    go.set()
    queue.close()
    assert (first.state, first.result) == ("failed", {"error": "no good."})
    assert second.state in ("done", "waiting")
    queue.discard(second)
    assert queue.find(second.id) is None
    assert queue.find(first.id) is first
    assert queue.find("other") is None


def test_rate_forgets_after_a_minute():
    now = [0.0]
    rate = Rate(2, clock=lambda: now[0])
    assert [rate.allows("a"), rate.allows("a"), rate.allows("a"), rate.allows("b")] == [True, True, False, True]
    now[0] = 61
    assert rate.allows("a")
    assert list(rate._times) == ["a"]


def test_page_sources_ask_no_other_host(repository):
    for path in (repository / "spaces/leaderboard").rglob("*"):
        if path.suffix in (".html", ".js", ".css"):
            source = path.read_text(encoding="utf-8")
            found = [line for line in source.splitlines() if "://" in line and "http://www.w3.org/2000/svg" not in line]
            assert not [line for line in found if "hf://" not in line and "https://…" not in line], Path(path).name
            assert "innerHTML" not in source
            assert "eval(" not in source
            assert not re.search(r"\son\w+=", source) or path.suffix != ".html"

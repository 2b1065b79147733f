"""Boards for tests: the demo systems, scored quickly; hostile records; a server on a port of its own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import tempfile
import urllib.error
import urllib.request
from functools import cache
from pathlib import Path
from urllib.parse import urlencode

import programs
from waiting import eventually

import gecbench
from gecbench.leaderboard.page import PagePlan, build_site
from gecbench.leaderboard.records import Details, Record, digest, figure
from gecbench.leaderboard.store import FolderStore
from gecbench.leaderboard.submission import Submission, score_submission

QUICK = 20
DEMO = gecbench.load_demo()
GOOD = gecbench.load_demo_systems()["good-corrector"]
RULES = gecbench.load_demo_systems()["rule-based"]
DETAILS = Details(["a"], {"gleu": [1.0]}, {})
HOSTILE_NAME = "<img src=x onerror=window.hacked=1>[x](javascript:alert(1))"
RIGHT_TO_LEFT = "\u05e9\u05dc\u05d5\u05dd shalom"
LONG_NAME = "x" * 200
HOSTILE_SENTENCE = "<script>window.hacked=2</script> & \u2028 \u202e evil **bold**"


def text(lines) -> bytes:
    """Return lines as the content of a file."""
    return "".join(f"{line}\n" for line in lines).encode()


def variant(word: str) -> list[str]:
    """Return good outputs with another last line."""
    return [*GOOD[:-1], f"{word} ."]


def script_data(script: Path | bytes):
    """Return the data in a script that the page loads."""
    content = script if isinstance(script, bytes) else script.read_bytes()
    return json.loads(content.partition(b", ")[2].rstrip(b");\n"))


def made_up_record(**changes) -> Record:
    """Return a made-up record, of `DETAILS` unless they are changed."""
    outputs = {"outputs": DETAILS.outputs, "details": digest(DETAILS.to_json())}
    fields = {"system": "S", "corpus": "demo", "scores": {"gleu": figure(0.5)}, "date": "2026-01-02", **outputs}
    return Record(**{**fields, **changes})


def add(store: FolderStore, system: str, predictions, **about) -> Record:
    """Score quickly and add."""
    submission = Submission(system, list(predictions), date="2026-01-02", **about)
    scored = score_submission(submission, DEMO, resamples=QUICK)
    store.add(scored.record, scored.details)
    return scored.record


def demo_board(folder: Path) -> FolderStore:
    """Return a board with three demo systems and the source."""
    shutil.copytree(_scored_demo().name, folder, dirs_exist_ok=True)
    return FolderStore(folder)


@cache
def _scored_demo() -> tempfile.TemporaryDirectory:
    folder = tempfile.TemporaryDirectory(prefix="gecbench-board-", ignore_cleanup_errors=True)
    for name, predictions in gecbench.load_demo_systems().items():
        role = "source" if name == "do-nothing" else "system"
        add(FolderStore(folder.name), name, predictions, role=role)
    return folder


def hostile_board(folder: Path) -> FolderStore:
    """Return a demo board with names, links and sentences that try to be more than text."""
    store = demo_board(folder)
    outputs = [HOSTILE_SENTENCE, *RULES[1:]]
    link = "https://example.org/%22%3E%3Cscript%3Ewindow.hacked=3%3C/script%3E?a=<b>"
    texts = {
        "submitter": "<b onclick=window.hacked=4>me</b>",
        "description": "</script><script>window.hacked=5</script>",
    }
    add(store, HOSTILE_NAME, outputs, links=[link], **texts)
    add(store, RIGHT_TO_LEFT, [*outputs[:-1], "changed ."])
    add(store, LONG_NAME, [*outputs[:-1], "changed again ."])
    return store


def site(store: FolderStore, folder: Path, **options) -> str:
    """Build the page and return its address on the disk."""
    build_site(store, folder, PagePlan([DEMO], resamples=QUICK, publish_references=True, **options))
    return (folder / "index.html").as_uri()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(address: str) -> bool:
    with contextlib.suppress(OSError):
        return call(address)[0] == 200
    return False


@contextlib.contextmanager
def server(board: Path, *options: str, token: str = ""):
    """Run `gecbench leaderboard serve` and yield its address and process."""
    port = free_port()
    command = ["leaderboard", "serve", "--board", board, "--port", port]
    environment = {**os.environ, "GECBENCH_LEADERBOARD_TOKEN": token}
    corpus = () if (board / "board.json").exists() else ("-c", "demo", "--publish-references")
    process = programs.start(*command, *corpus, *options, environment=environment)
    address = f"http://127.0.0.1:{port}/"
    try:
        eventually(lambda: process.poll() is not None or answers(address), "the server is silent", every=0.05)
        assert process.poll() is None, "the server ended"
        yield address, process
    finally:
        process.kill()
        process.wait()


def call(address: str, data: bytes | None = None, headers: dict[str, str] | None = None) -> tuple[int, bytes, dict]:
    """Return status, body and headers of a request, whatever the status."""
    request = urllib.request.Request(address, data=data, headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read(), dict(answer.headers)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read(), dict(error.headers)


def upload(address: str, data: bytes, headers: dict[str, str] | None = None, **query: str) -> tuple[int, dict]:
    """Send outputs to a server; return the status and what it says."""
    query = {"name": "New", "corpus": "demo", "file": "out.txt", **query}
    status, body, _ = call(f"{address}api/submissions?{urlencode(query)}", data, headers)
    return status, json.loads(body)


def finished(address: str, job: dict) -> dict:
    """Wait until a submission is done or has failed, and return its report."""

    def ended():
        status, body, _ = call(f"{address}api/submissions/{job['id']}")
        assert status == 200
        report = json.loads(body)
        return report if report["state"] in ("done", "failed") else None

    return eventually(ended, "the submission does not end", seconds=120, every=0.05)

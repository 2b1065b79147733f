from __future__ import annotations

import base64
import contextlib
import json
import re
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from gecbench.corpora.build import build_dataset
from gecbench.corpora.card import render_card
from gecbench.corpora.lock import compute_lock
from gecbench.corpora.push import PushError, push_dataset

pytest.importorskip("huggingface_hub")
pytest.importorskip("pyarrow")
FOLDERS = Path(__file__).parents[2] / "datasets"
COMMIT = "c" * 40
DISCUSSION = {
    "num": 1,
    "title": "toy",
    "status": "draft",
    "createdAt": "2026-01-01T00:00:00.000Z",
    "repo": {"name": "me/toy", "type": "dataset"},
    "isPullRequest": True,
    "changes": {"base": "refs/heads/main"},
    "filesWithConflicts": [],
    "events": [],
}


class HubStandIn:
    """The few endpoints that an upload calls; keeps what was committed."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.created: dict[str, object] = {}
        self.commits: list[dict[str, object]] = []
        self.there = ["README.md", "data/old/gone.parquet"]
        self.url = ""

    @contextlib.contextmanager
    def running(self):
        server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, object]:  # noqa: PLR0911
        self.requests.append(f"{method} {path.partition('?')[0]}")
        if path.endswith("/validate-yaml"):
            return 200, {"errors": [], "warnings": []}
        if path == "/api/repos/create":
            self.created = json.loads(body)
            return 200, {"url": f"{self.url}/datasets/me/toy"}
        if "/preupload/" in path:
            files = json.loads(body)["files"]
            return 200, {"files": [{"path": f["path"], "uploadMode": "regular", "shouldIgnore": False} for f in files]}
        if "/tree/" in path:
            return 200, [{"type": "file", "path": name, "size": 1, "oid": "0" * 40} for name in self.there]
        if "/discussions" in path:
            return 200, DISCUSSION
        if "/commit/" in path:
            return 200, self._commit(path, body)
        if re.fullmatch(r"/api/datasets/me/toy(/revision/main)?", path):
            return 200, {"id": "me/toy", "sha": COMMIT, "siblings": []}
        return 404, {"error": "not part of the stand-in"}

    def _commit(self, path: str, body: bytes) -> dict[str, object]:
        lines = [json.loads(line) for line in body.splitlines()]
        files = {
            line["value"]["path"]: base64.b64decode(line["value"]["content"]) for line in lines if line["key"] == "file"
        }
        deleted = [line["value"]["path"] for line in lines if line["key"] == "deletedFile"]
        self.commits.append({"files": files, "deleted": deleted, "header": lines[0]["value"]})
        answer = {"commitOid": COMMIT, "commitUrl": f"{self.url}/datasets/me/toy/commit/{COMMIT}"}
        if "create_pr=1" in path:
            answer["pullRequestUrl"] = f"{self.url}/datasets/me/toy/discussions/1"
        return answer

    def _handler(self):
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def reply(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, content = hub.answer(self.command, self.path, body)
                text = json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_HEAD = reply  # noqa: N815

        return Handler


@pytest.fixture
def hub(monkeypatch, tmp_path):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    with HubStandIn().running() as stand_in:
        yield stand_in


@pytest.fixture
def folder(tiny, monkeypatch, tmp_path):
    def build(name: str) -> Path:
        locks = compute_lock(name, tiny)
        for module in ("build", "card"):
            monkeypatch.setattr(f"gecbench.corpora.{module}.read_lock", lambda _name: locks)
        shutil.copytree(FOLDERS / name, tmp_path / name, ignore=shutil.ignore_patterns("data"))
        card = tmp_path / name / "README.md"
        card.write_text(render_card(name, card.read_text(encoding="utf-8")), encoding="utf-8")
        build_dataset(name, tmp_path / name, upstream=tiny)
        (tmp_path / name / "notes.txt").write_text("not for upload")
        return tmp_path / name

    return build


def test_the_folder_is_uploaded_in_one_commit(hub, folder):
    source = folder("jfleg")
    address = push_dataset("jfleg", source, "me/toy", token="hf_made_up", endpoint=hub.url)
    assert address.endswith(f"/commit/{COMMIT}")
    (commit,) = hub.commits
    assert set(commit["files"]) == {
        "README.md",
        "build.py",
        "data/fingerprints.json",
        "data/coded/validation.parquet",
        "data/default/test.parquet",
        "data/default/validation.parquet",
        "data/judgments/validation.parquet",
        "data/m2/test.parquet",
        "data/m2/validation.parquet",
    }
    for path, content in commit["files"].items():
        assert content == (source / path).read_bytes()
    assert commit["deleted"] == ["data/old/gone.parquet"]
    assert hub.created["type"] == "dataset"
    assert "JFLEG" in commit["header"]["summary"]


def test_pull_request_and_benchmark_file(hub, folder):
    address = push_dataset(
        "jfleg",
        folder("jfleg"),
        "me/toy",
        token="hf_made_up",
        endpoint=hub.url,
        create_pr=True,
        benchmark=True,
    )
    assert address.endswith("/discussions/1")
    assert "eval.yaml" in hub.commits[0]["files"]


def test_what_has_no_licence_is_not_made_public_unasked(hub, folder):
    source = folder("conll14_fluency")
    with pytest.raises(PushError, match="licence"):
        push_dataset("conll14_fluency", source, "me/toy", token="hf_made_up", endpoint=hub.url)
    assert hub.requests == []
    push_dataset("conll14_fluency", source, "me/toy", token="hf_made_up", endpoint=hub.url, private=True)
    assert hub.created.get("private") is True or hub.created.get("visibility") == "private"
    push_dataset("conll14_fluency", source, "me/toy", token="hf_made_up", endpoint=hub.url, licence_confirmed=True)
    assert len(hub.commits) == 2


def test_a_damaged_folder_is_not_uploaded(hub, folder):
    source = folder("jfleg")
    (source / "data" / "coded" / "validation.parquet").write_bytes(b"damaged")
    with pytest.raises(PushError, match="sha256"):
        push_dataset("jfleg", source, "me/toy", token="hf_made_up", endpoint=hub.url)
    assert hub.requests == []


def test_a_drifted_card_is_not_uploaded(hub, folder):
    source = folder("jfleg")
    card = source / "README.md"
    card.write_text(
        card.read_text(encoding="utf-8").replace("config_name: coded", "config_name: other"), encoding="utf-8"
    )
    with pytest.raises(PushError, match="drifted"):
        push_dataset("jfleg", source, "me/toy", token="hf_made_up", endpoint=hub.url)

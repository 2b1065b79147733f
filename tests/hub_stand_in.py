"""A stand-in on loopback for the Hub's endpoints that an upload calls; it keeps what was sent."""

from __future__ import annotations

import base64
import contextlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COMMIT = "c" * 40


@dataclass
class Commit:
    """What one commit holds."""

    repository: str
    files: dict[str, bytes]
    deleted: list[str]
    summary: str
    pull_request: bool


@dataclass
class HubStandIn:
    """Answers like the Hub, for one user whose token is accepted."""

    token: str = "made-up"
    present: list[str] = field(default_factory=list)
    refusal: tuple[int, str] | None = None
    url: str = ""
    requests: list[str] = field(default_factory=list)
    created: list[dict[str, Any]] = field(default_factory=list)
    commits: list[Commit] = field(default_factory=list)

    def answer(self, method: str, path: str, body: bytes, token: str) -> tuple[int, Any]:
        path, _, query = path.partition("?")
        self.requests.append(f"{method} {path}")
        if token != f"Bearer {self.token}":
            return 401, {"error": "Invalid username or password."}
        if self.refusal and method == "POST":
            return self.refusal[0], {"error": self.refusal[1]}
        if path == "/api/repos/create":
            self.created.append(json.loads(body))
            return 200, {"url": f"{self.url}/{self.created[-1]['organization']}/{self.created[-1]['name']}"}
        endpoints = {
            "validate-yaml": lambda: {"errors": [], "warnings": []},
            "preupload/main": lambda: {"files": [_regular(file) for file in json.loads(body)["files"]]},
            "tree/main": lambda: [{"type": "file", "path": name, "size": 1, "oid": "0" * 40} for name in self.present],
            "commit/main": lambda: self._commit(path, query, body),
            "revision/main": lambda: {"id": "me/it", "sha": COMMIT, "siblings": []},
            "discussions": lambda: _DISCUSSION,
            "discussions/1": lambda: _DISCUSSION,
            "commit/refs/pr/1": lambda: self._commit(path, "create_pr=1", body),
            "preupload/refs/pr/1": lambda: {"files": [_regular(file) for file in json.loads(body)["files"]]},
            "revision/refs/pr/1": lambda: {"id": "me/it", "sha": COMMIT, "siblings": []},
        }
        for ending, make in endpoints.items():
            if path.replace("%2F", "/").endswith(f"/{ending}"):
                return 200, make()
        return 404, {"error": f"{method} {path} is not part of the stand-in"}

    def _commit(self, path: str, query: str, body: bytes) -> dict[str, Any]:
        lines = [json.loads(line) for line in body.splitlines()]
        self.commits.append(
            Commit(
                repository=path.partition("/commit/")[0].removeprefix("/api/"),
                files={
                    line["value"]["path"]: base64.b64decode(line["value"]["content"])
                    for line in lines
                    if line["key"] == "file"
                },
                deleted=[line["value"]["path"] for line in lines if line["key"] == "deletedFile"],
                summary=lines[0]["value"]["summary"],
                pull_request="create_pr=1" in query,
            )
        )
        answer = {"commitOid": COMMIT, "commitUrl": f"{self.url}/me/it/commit/{COMMIT}"}
        return {**answer, "pullRequestUrl": f"{self.url}/me/it/discussions/1"} if "create_pr=1" in query else answer

    @contextlib.contextmanager
    def running(self) -> Iterator[HubStandIn]:
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                return

            def reply(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                token = self.headers.get("Authorization") or ""
                status, content = stand_in.answer(self.command, self.path, body, token)
                data = json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_HEAD = reply  # noqa: N815

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()


def _regular(file: dict[str, Any]) -> dict[str, Any]:
    return {"path": file["path"], "uploadMode": "regular", "shouldIgnore": False}


_DISCUSSION = {
    "num": 1,
    "title": "made up",
    "status": "draft",
    "createdAt": "2026-01-01T00:00:00.000Z",
    "repo": {"name": "me/it", "type": "space"},
    "isPullRequest": True,
    "changes": {"base": "refs/heads/main"},
    "filesWithConflicts": [],
    "events": [],
}

"""A stand-in for the Hub's endpoints on this machine: enough to read a dataset repository and open a pull request."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

SHA = "a" * 40


class FakeHub(ThreadingHTTPServer):
    """Holds the files of one dataset repository and the pull requests made."""

    daemon_threads = True

    def __init__(self, repository: str, files: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.repository, self.files = repository, files
        self.pull_requests: list[dict[str, bytes]] = []
        self.headers_seen: list[dict[str, str]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: FakeHub
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        api = f"/api/datasets/{self.server.repository}"
        if path.startswith(f"{api}/tree/"):
            self._json(
                [
                    {"type": "file", "path": name, "size": len(data), "oid": _oid(data)}
                    for name, data in self.server.files.items()
                ]
            )
        elif path == api or path.startswith(f"{api}/revision/"):
            siblings = [{"rfilename": name} for name in self.server.files]
            self._json({"id": self.server.repository, "sha": SHA, "siblings": siblings, "private": False, "tags": []})
        else:
            self._file(path)

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        url = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.headers_seen.append(dict(self.headers))
        if url.path.endswith("/preupload/main"):
            files = [
                {"path": each["path"], "uploadMode": "regular", "shouldIgnore": False}
                for each in json.loads(body)["files"]
            ]
            self._json({"files": files})
        elif url.path.endswith("/commit/main") and parse_qs(url.query).get("create_pr") == ["1"]:
            lines = [json.loads(line) for line in body.splitlines()]
            files = {
                line["value"]["path"]: base64.b64decode(line["value"]["content"])
                for line in lines
                if line["key"] == "file"
            }
            self.server.pull_requests.append(files)
            number = len(self.server.pull_requests)
            discussion = f"{self.server.address}/datasets/{self.server.repository}/discussions/{number}"
            self._json(
                {
                    "success": True,
                    "commitOid": SHA,
                    "commitUrl": f"{self.server.address}/datasets/{self.server.repository}/commit/{SHA}",
                    "pullRequestUrl": discussion,
                }
            )
        else:
            self._json({"error": "not found"}, 404)

    def _file(self, path: str) -> None:
        prefix = f"/datasets/{self.server.repository}/resolve/{SHA}/"
        data = self.server.files.get(path.removeprefix(prefix)) if path.startswith(prefix) else None
        if data is None:
            self._json(
                {"error": "not found"}, 404, {"X-Error-Code": "RepoNotFound" if "/api/" in path else "EntryNotFound"}
            )
            return
        headers = {"ETag": f'"{_oid(data)}"', "X-Repo-Commit": SHA, "Content-Length": str(len(data))}
        self._answer(200, headers, data)

    def _json(self, value: object, status: int = 200, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(value).encode()
        self._answer(
            status, {"Content-Type": "application/json", "Content-Length": str(len(data)), **(headers or {})}, data
        )

    def _answer(self, status: int, headers: dict[str, str], data: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def _oid(data: bytes) -> str:
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()


@contextlib.contextmanager
def fake_hub(repository: str, files: dict[str, bytes]):
    """Run a stand-in with these files."""
    hub = FakeHub(repository, files)
    thread = threading.Thread(target=hub.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.shutdown()
        hub.server_close()
        thread.join()

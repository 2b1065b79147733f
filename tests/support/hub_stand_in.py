"""A stand-in on loopback for the Hub's endpoints that gecbench reads from and uploads to; it keeps what was sent."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import PurePosixPath
from typing import Any

import programs
from loopback import serving

COMMIT = "c" * 40
_API = re.compile(r"/api/(?P<kind>datasets|spaces|models)/(?P<repository>[^/]+/[^/]+)(?:/(?P<rest>.+))?")
_FILE = re.compile(r"/(?:(?:datasets|spaces)/)?(?P<repository>[^/]+/[^/]+)/resolve/[^/]+/(?P<rest>.+)")
_RANGE = re.compile(r"bytes=(\d+)-(\d+)")
_Answer = tuple[int, Any, dict[str, str]]


@dataclass
class Commit:
    """What one commit holds."""

    repository: str
    files: dict[str, bytes]
    deleted: list[str]
    summary: str
    pull_request: bool
    description: str = ""


@dataclass
class HubStandIn:
    """Answers like the Hub, for one user whose token is accepted, with one repository of these files."""

    token: str = "made-up"
    repository: str = "me/it"
    files: dict[str, bytes] = field(default_factory=dict)
    refusal: tuple[int, str] | None = None
    private: bool | None = None  # of the repository; None: not there yet, and made as asked for
    url: str = ""
    made_private: bool = False
    requests: list[str] = field(default_factory=list)
    created: list[dict[str, Any]] = field(default_factory=list)
    commits: list[Commit] = field(default_factory=list)

    def answer(self, method: str, path: str, body: bytes, token: str) -> _Answer:
        path, _, query = path.replace("%2F", "/").partition("?")
        self.requests.append(f"{method} {path}")
        if token != f"Bearer {self.token}":
            return 401, {"error": "Invalid username or password."}, {}
        if path == "/api/validate-yaml":
            return 200, {"errors": [], "warnings": []}, {}
        if self.refusal and method == "POST":
            return self.refusal[0], {"error": self.refusal[1]}, {}
        return self._allowed(path, query, body)

    def _allowed(self, path: str, query: str, body: bytes) -> _Answer:
        if path == "/api/repos/create":
            asked = json.loads(body)
            if self.private is not None:
                return 409, {"error": "You already created this repo", "url": f"{self.url}/{self.repository}"}, {}
            self.created.append(asked)
            self.made_private = asked.get("private") is True or asked.get("visibility") == "private"
            return 200, {"url": f"{self.url}/{self.created[-1]['organization']}/{self.created[-1]['name']}"}, {}
        if (found := _FILE.fullmatch(path)) and found["rest"] in self.files:
            data = self.files[found["rest"]]
            return 200, data, {"ETag": f'"{_hash(data)}"', "X-Repo-Commit": COMMIT}
        found = _API.fullmatch(path)
        known = self.files or self.created or self.private is not None
        there = found and found["repository"] == self.repository and (found["rest"] or known)
        if found is None or not there:
            return 404, {"error": "not found"}, {"X-Error-Code": "RepoNotFound" if found else "EntryNotFound"}
        return self._repository(found["kind"], found["rest"] or "revision/main", query, body)

    def _repository(self, kind: str, endpoint: str, query: str, body: bytes) -> _Answer:
        action, _, revision = endpoint.partition("/")
        if action == "preupload":
            paths = [file["path"] for file in json.loads(body)["files"]]
            files = [{"path": path, "uploadMode": "regular", "shouldIgnore": False} for path in paths]
            return 200, {"files": files}, {}
        if action == "tree":
            return 200, self._tree(revision.partition("/")[2], "recursive=true" in query.lower()), {}
        if action == "commit":
            return 200, self._commit(kind, body, "create_pr=1" in query or revision == "refs/pr/1"), {}
        if action == "revision":
            siblings = [{"rfilename": name} for name in self.files]
            private = self.made_private if self.private is None else self.private
            return 200, {"id": self.repository, "sha": COMMIT, "siblings": siblings, "private": private, "tags": []}, {}
        if action == "discussions":
            return 200, _DISCUSSION, {}
        return 404, {"error": f"{endpoint} is not part of the stand-in"}, {}

    def _tree(self, folder: str, recursive: bool) -> list[dict[str, Any]]:
        within = f"{folder}/" if folder else ""
        inside = {name: data for name, data in self.files.items() if name.startswith(within)}
        parents = {str(parent) for name in inside for parent in PurePosixPath(name).parents if str(parent) != "."}
        folders = [{"type": "directory", "path": name, "size": 0, "oid": ""} for name in parents if name != folder]
        files = [{"type": "file", "path": name, "size": len(data), "oid": _hash(data)} for name, data in inside.items()]
        return [each for each in (*folders, *files) if recursive or "/" not in str(each["path"]).removeprefix(within)]

    def _commit(self, kind: str, body: bytes, pull_request: bool) -> dict[str, Any]:
        lines = [json.loads(line) for line in body.splitlines()]
        files = {
            line["value"]["path"]: base64.b64decode(line["value"]["content"]) for line in lines if line["key"] == "file"
        }
        deleted = [line["value"]["path"] for line in lines if line["key"] == "deletedFile"]
        words = lines[0]["value"]
        made = Commit(f"{kind}/{self.repository}", files, deleted, words["summary"], pull_request, words["description"])
        self.commits.append(made)
        address = f"{self.url}/{kind}/{self.repository}"
        answer = {"success": True, "commitOid": COMMIT, "commitUrl": f"{address}/commit/{COMMIT}"}
        return {**answer, "pullRequestUrl": f"{address}/discussions/1"} if pull_request else answer

    def gecbench(self, *arguments: object, token: str = "") -> subprocess.CompletedProcess[str]:
        """Run the command line where this is the Hub, with an empty cache."""
        with self._environment(token) as environment:
            return programs.gecbench(*arguments, environment=environment)

    def python(self, program: str) -> subprocess.CompletedProcess[str]:
        """Run lines of Python where this is the Hub, with an empty cache."""
        with self._environment() as environment:
            command = [sys.executable, "-c", program]
            return subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False)

    @contextlib.contextmanager
    def _environment(self, token: str = "") -> Iterator[dict[str, str]]:
        environment = {key: value for key, value in os.environ.items() if not key.endswith("_OFFLINE")}
        environment |= {f"HF_HUB_DISABLE_{what}": "1" for what in ("XET", "TELEMETRY", "PROGRESS_BARS")}
        environment |= {"HF_ENDPOINT": self.url, "HF_TOKEN": token or self.token, "PYTHONUTF8": "1"}
        with tempfile.TemporaryDirectory() as home:
            yield {**environment, "HF_HOME": home}

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
                status, content, headers = stand_in.answer(self.command, self.path, body, token)
                data = content if isinstance(content, bytes) else json.dumps(content).encode()
                kind = {} if isinstance(content, bytes) else {"Content-Type": "application/json"}
                if status == 200 and (part := _RANGE.fullmatch(self.headers.get("Range") or "")):
                    status, kind["Content-Range"] = 206, f"bytes {part[1]}-{part[2]}/{len(data)}"
                    data = data[int(part[1]) : int(part[2]) + 1]
                self.send_response(status)
                for name, value in {**kind, "Content-Length": str(len(data)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

            do_GET = do_POST = do_HEAD = reply  # noqa: N815

        with serving(Handler) as self.url:
            yield self


def _hash(data: bytes) -> str:
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()


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

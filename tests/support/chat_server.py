"""A server on loopback that speaks OpenAI's chat completions, and misbehaves on demand."""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any

from loopback import serving

PATH = "/v1/chat/completions"


class _Message(dict[str, Any]):
    """The parts of an answer, where its text is not all."""

    __hash__ = object.__hash__  # type: ignore[assignment]


def message(content: str | None, finish: str = "stop", **more: Any) -> _Message:
    """Return an answer that ends so, with more fields in its message."""
    return _Message(content=content, finish=finish, **more)


class ChatServer:
    """Answers by a table from sentences to corrections; `plan[sentence]` lists what to do first, instead.

    A sentence is the last line of the prompt. What to do is a misdeed's name, a status with headers, or the text or
    message to answer with.
    """

    def __init__(self, answers: Mapping[str, str], plan: Mapping[str, list[Any]] | None = None) -> None:
        self.answers = dict(answers)
        self.plan: dict[str, list[Any]] = defaultdict(list, {key: list(todo) for key, todo in (plan or {}).items()})
        self.delay: Callable[[str], float] = lambda _sentence: 0.0
        self.fields: dict[str, Any] = {"model": "served", "system_fingerprint": "fp1"}
        self.usage: dict[str, int] | None = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        self.refuse_without: str | None = None
        self.asked: list[str] = []
        self.answered: Counter[str] = Counter()
        self.bodies: list[dict[str, Any]] = []
        self.keys: set[str] = set()
        self.times: list[tuple[str, float]] = []
        self.under_way = self.most_under_way = 0
        self.url = ""
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def running(self) -> Iterator[ChatServer]:
        with serving(type("Handler", (_Handler,), {"chat": self})) as url:
            self.url = f"{url}/v1"
            yield self

    def begin(self, body: dict[str, Any], key: str) -> tuple[str, Any]:
        """Take down a request and return its sentence and what to do."""
        sentence = body["messages"][-1]["content"].splitlines()[-1]
        with self._lock:
            self.asked.append(sentence)
            self.times.append((sentence, time.monotonic()))
            self.bodies.append(body)
            self.keys.add(key)
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
            todo = self.plan[sentence]
            return sentence, todo.pop(0) if todo else self.answers.get(sentence, sentence)

    def end(self, sentence: str, answered: bool) -> None:
        with self._lock:
            self.under_way -= 1
            self.answered[sentence] += answered

    def completion(self, content: str | None, finish: str = "stop", **message: Any) -> bytes:
        choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}
        usage = {"usage": self.usage} if self.usage else {}
        return json.dumps({"id": "x", "created": 1, "choices": [choice], **self.fields, **usage}).encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    chat: ChatServer

    def log_message(self, *_: object) -> None:
        return

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers.get("Authorization") or ""
        if self.path != PATH:
            self.send(404, b'{"error": "no such path"}')
            return
        if self.chat.refuse_without and key != f"Bearer {self.chat.refuse_without}":
            self.send(401, json.dumps({"error": {"message": f"Incorrect API key: {key}"}}).encode())
            return
        sentence, todo = self.chat.begin(body, key)
        answered = False
        try:
            time.sleep(self.chat.delay(sentence))
            answered = self.act(todo)
        except OSError:
            pass
        finally:
            self.chat.end(sentence, answered)

    def act(self, todo: Any) -> bool:
        """Do something, and return whether it was an answer."""
        if isinstance(todo, tuple):
            status, headers = todo
            self.send(status, b'{"error": {"message": "busy"}}', headers)
        elif todo in _MISDEEDS:
            _MISDEEDS[todo](self)
        else:
            self.send(200, self.chat.completion(**todo) if isinstance(todo, _Message) else self.chat.completion(todo))
            return True
        return False

    def close(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def half(self) -> None:
        whole = self.chat.completion("He goes")
        self.head(200, {"Content-Length": str(len(whole))})
        self.wfile.write(whole[:20])
        self.close()

    def drip(self) -> None:
        self.head(200, {"Content-Length": "1000"})
        for _ in range(100):
            self.wfile.write(b" ")
            time.sleep(0.05)

    def endless(self) -> None:
        self.head(200, {"Transfer-Encoding": "chunked"})
        while True:
            self.wfile.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")

    def head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def send(self, status: int, data: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.head(status, {"Content-Length": str(len(data)), **(headers or {})})
        self.wfile.write(data)


def _send_packed(handler: _Handler, times: int, blanks: int = 0) -> None:
    data = handler.chat.completion("He goes home.") + b" " * blanks
    for _ in range(times):
        data = gzip.compress(data)
    handler.send(200, data, {"Content-Encoding": ", ".join(["gzip"] * times)})


_MISDEEDS: dict[Any, Callable[[_Handler], None]] = {
    "close": _Handler.close,
    "half": _Handler.half,
    "drip": _Handler.drip,
    "endless": _Handler.endless,
    "no json": lambda handler: handler.send(200, b"<html>gateway</html>"),
    "no choices": lambda handler: handler.send(200, b'{"choices": []}'),
    "filtered": lambda handler: handler.send(400, b'{"error": {"code": "content_filter", "message": "no"}}'),
    "packed": lambda handler: _send_packed(handler, 1),
    "packed twice": lambda handler: _send_packed(handler, 2, 50_000_000),
    "packed bomb": lambda handler: _send_packed(handler, 1, 50_000_000),
    "large error": lambda handler: handler.send(500, b"x" * 3_000_000),
}

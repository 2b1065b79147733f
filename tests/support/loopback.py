"""Servers on this machine: any handler, and one for files that misbehaves on demand."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class _Server(ThreadingHTTPServer):
    request_queue_size = 128


@contextlib.contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Answer requests on loopback, and give the address."""
    server = _Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class Loopback:
    """Serves bytes by path; `plan[path]` lists what to do at successive requests (then: behave)."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.plan: dict[str, list[str]] = {}
        self.requests: list[tuple[str, str | None]] = []
        self.url = ""

    @contextlib.contextmanager
    def running(self):
        with serving(self._handler()) as self.url:
            yield self

    def _handler(self):
        loopback = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                wanted = self.headers.get("Range")
                loopback.requests.append((self.path, wanted))
                plan = loopback.plan.get(self.path, [])
                action = plan.pop(0) if plan else "serve"
                if action.isdigit() or action.startswith("http"):
                    self.send_response(int(action) if action.isdigit() else 302)
                    self.send_header(*(("Retry-After", "0") if action.isdigit() else ("Location", action)))
                    self.end_headers()
                    return
                content = loopback.files.get(self.path)
                if content is None:
                    self.send_error(404)
                    return
                if action == "wrong":
                    content = b"?" * len(content)
                if action == "long":
                    content += b"more than there should be"
                if action == "short":
                    content = content[: len(content) // 2]
                start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and action != "whole" else 0
                if start >= len(content) and start:
                    self.send_error(416)
                    return
                self.send_response(206 if start else 200)
                if start:
                    self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
                self.send_header("Content-Length", "abc" if action == "no length" else str(len(content) - start))
                self.end_headers()
                body = content[start:]
                self.wfile.write(body[: len(body) // 2] if action == "drop" else body)
                self.close_connection = True

        return Handler

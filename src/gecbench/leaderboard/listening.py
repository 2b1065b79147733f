"""How the server listens: who a client is, and how long it may take to say what it wants."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

HEAD_SECONDS = 10.0
_PROXIES = "FORWARDED_ALLOW_IPS"


def configured(app: Any, host: str, port: int) -> uvicorn.Config:
    """Return the server's settings.

    `X-Forwarded-For` is believed only from the proxies that the operator names in FORWARDED_ALLOW_IPS: a client that
    could choose its own address would never meet its limit.
    """
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        http=ImpatientProtocol,
        log_level="warning",
        timeout_keep_alive=10,
        limit_concurrency=500,
        proxy_headers=_PROXIES in os.environ,
    )


class ImpatientProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """Closes a connection whose request is not begun in full within some seconds."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Take a connection."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take some bytes of a request."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        super().connection_lost(exc)
        self._forget()

    def _watch(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._forget()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _forget(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

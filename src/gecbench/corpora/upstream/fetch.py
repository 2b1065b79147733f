"""Downloads that resume after a broken connection, retry with patience, and never leave half a file."""

from __future__ import annotations

import http.client
import os
import random
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gecbench.corpora.upstream.pins import UpstreamError
from gecbench.progress import progress

CHUNK = 1 << 16
RETRIED_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
LONGEST_DELAY = 30.0


class _TruncatedError(ConnectionError):
    """The connection closed before the announced number of bytes had come."""


@dataclass(frozen=True)
class Downloader:
    """How patiently files are fetched."""

    attempts: int = 5
    backoff: float = 0.5
    timeout: float = 30.0
    pause: Callable[[float], None] = time.sleep

    def fetch(self, url: str, partial: Path, *, size: int | None, limit: int) -> bool:
        """Bring `url` into `partial`, continuing what is there; return whether bytes were continued."""
        partial.parent.mkdir(parents=True, exist_ok=True)
        continued = False
        failure: Exception | None = None
        for attempt in range(self.attempts):
            if attempt:
                self.pause(self._delay(attempt, failure))
            try:
                continued |= self._attempt(url, partial, size, limit)
                return continued
            except urllib.error.HTTPError as error:
                with error:
                    if error.code == 416 and partial.exists():
                        partial.unlink()
                    elif error.code not in RETRIED_STATUSES:
                        raise UpstreamError(f"{url} answered {error.code} {error.reason}") from error
                failure = error
            except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
                failure = error
        raise UpstreamError(
            f"{url} could not be fetched in {self.attempts} attempts ({_describe(failure)})",
            "Try again later, or set GECBENCH_MIRROR to a folder that holds the file",
        ) from failure

    def _delay(self, attempt: int, failure: Exception | None) -> float:
        if isinstance(failure, urllib.error.HTTPError):
            asked = str(failure.headers.get("Retry-After", ""))
            if asked.isdigit():
                return min(float(asked), LONGEST_DELAY)
        return min(self.backoff * 2.0 ** (attempt - 1), LONGEST_DELAY) * random.uniform(1.0, 1.25)

    def _attempt(self, url: str, partial: Path, size: int | None, limit: int) -> bool:
        have = partial.stat().st_size if partial.exists() else 0
        if size is not None and have == size:
            return True
        headers = {"User-Agent": "gecbench", "Accept-Encoding": "identity"}
        if have:
            headers["Range"] = f"bytes={have}-"
        request = urllib.request.Request(url, headers=headers)
        with urllib.request.urlopen(request, timeout=self.timeout) as answer:
            continues = answer.status == 206 and _range_start(answer) == have
            if not continues:
                have = 0
            announced = answer.headers.get("Content-Length")
            total = size if size is not None else (have + int(announced) if announced else None)
            with partial.open("ab" if continues else "wb") as file:
                written = self._copy(answer, file, have, total, limit, url)
                file.flush()
                os.fsync(file.fileno())
        if total is not None and written < total:
            raise _TruncatedError(f"the connection closed after {written} of {total} bytes")
        return continues

    def _copy(self, answer: Any, file: Any, have: int, total: int | None, limit: int, url: str) -> int:
        with progress(total, url.rsplit("/", 1)[-1]) as bar:
            bar.update(have)
            while chunk := answer.read(CHUNK):
                have += len(chunk)
                if have > limit:
                    raise UpstreamError(f"{url} sends more than the {limit} bytes it should have")
                file.write(chunk)
                bar.update(len(chunk))
        return have


def _range_start(answer: Any) -> int | None:
    words = str(answer.headers.get("Content-Range", "")).removeprefix("bytes ").split("-")
    return int(words[0]) if words[0].isdigit() else None


def _describe(failure: Exception | None) -> str:
    return f"last: {type(failure).__name__}: {failure}" if failure else "no attempt was allowed"

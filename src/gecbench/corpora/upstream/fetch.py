"""Downloads that resume after a broken connection, retry with patience, and never leave half a file."""

from __future__ import annotations

import http.client
import os
import random
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gecbench.corpora.upstream.problems import UpstreamError
from gecbench.progress import progress

CHUNK = 1 << 16
PASSING_TROUBLE = frozenset({408, 425, 429, 500, 502, 503, 504})
LONGEST_PAUSE = 30.0


class _TruncatedError(ConnectionError):
    """The connection closed before the announced number of bytes had come."""


@dataclass(frozen=True)
class Downloader:
    """How patiently files are fetched."""

    attempts: int = 5
    backoff: float = 0.5
    timeout: float = 30.0
    progress: bool = True
    pause: Callable[[float], None] = time.sleep

    def fetch(self, url: str, partial: Path, *, size: int | None, limit: int) -> bool:
        """Bring `url` into `partial`, continuing what is there; return whether bytes were continued."""
        partial.parent.mkdir(parents=True, exist_ok=True)
        continued = False
        trouble: Exception | None = None
        for attempt in range(self.attempts):
            if attempt:
                self.pause(self._delay(attempt, trouble))
            try:
                continued |= self._attempt(url, partial, size, limit)
                return continued
            except urllib.error.HTTPError as error:
                with error:
                    if error.code == 416 and partial.exists():
                        partial.unlink()
                    elif error.code not in PASSING_TROUBLE:
                        raise UpstreamError(f"{url} answered {error.code} {error.reason}") from error
                trouble = error
            except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
                trouble = error
        raise UpstreamError(
            f"{url} could not be fetched in {self.attempts} attempts ({_describe(trouble)})",
            "Try again later, or set GECBENCH_MIRROR to a folder that holds the file",
        ) from trouble

    def _delay(self, attempt: int, trouble: Exception | None) -> float:
        if isinstance(trouble, urllib.error.HTTPError):
            asked = str(trouble.headers.get("Retry-After", ""))
            if asked.isdigit():
                return min(float(asked), LONGEST_PAUSE)
        return min(self.backoff * 2.0 ** (attempt - 1), LONGEST_PAUSE) * random.uniform(1.0, 1.25)

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
        shown = progress(total or 0, url.rsplit("/", 1)[-1]) if self.progress else nullcontext()
        with shown as bar:
            if bar is not None:
                bar.update(have)
            while chunk := answer.read(CHUNK):
                have += len(chunk)
                if have > limit:
                    raise UpstreamError(f"{url} sends more than the {limit} bytes it should have")
                file.write(chunk)
                if bar is not None:
                    bar.update(len(chunk))
        return have


def _range_start(answer: Any) -> int | None:
    words = str(answer.headers.get("Content-Range", "")).removeprefix("bytes ").split("-")
    return int(words[0]) if words[0].isdigit() else None


def _describe(trouble: Exception | None) -> str:
    return f"last: {type(trouble).__name__}: {trouble}" if trouble else "no attempt was allowed"

"""Download files, and read members of archives.

Downloads resume after a broken connection. Archive members are read without unpacking them to disk. We do not use the
pooch package, because its downloads restart from the first byte and have no size limit.
"""

from __future__ import annotations

import gzip
import http.client
import io
import os
import random
import stat
import tarfile
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any

from gecbench.display import progress
from gecbench.errors import ArchiveError, UpstreamError, counted

CHUNK = 1 << 16
RETRIED_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
LONGEST_DELAY = 30.0
MOST_MEMBERS = 10_000
_REPLACE = "Replace the archive with the published one"
Member = tuple[str, Callable[[], IO[bytes] | None]]
"""The path of an archive member, and a function that opens it, or returns None if it is not a plain file."""


class _SafeRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects that stay on the same server or lead to https."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        before, after = (urllib.parse.urlsplit(url)[:2] for url in (req.full_url, newurl))
        if after != before and after[0] != "https":
            raise UpstreamError(f"{req.full_url} redirects to {newurl}, which is not an https address")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _TruncatedError(ConnectionError):
    """The connection closed before the announced number of bytes had arrived."""


@dataclass(frozen=True)
class Downloader:
    """Downloads files. Retries resume where the connection broke."""

    attempts: int = 5
    backoff: float = 0.5
    timeout: float = 30.0
    pause: Callable[[float], None] = time.sleep

    def fetch(self, url: str, partial: Path, *, size: int | None, limit: int) -> bool:
        """Download `url` into the file `partial`.

        Return whether an earlier download in this file was resumed.
        """
        partial.parent.mkdir(parents=True, exist_ok=True)
        failure: Exception | None = None
        for attempt in range(self.attempts):
            if attempt:
                self.pause(self._delay(attempt, failure))
            try:
                return self._attempt(url, partial, size, limit)
            except urllib.error.HTTPError as error:
                with error:
                    if error.code == 416 and partial.exists():
                        partial.unlink()
                    elif error.code not in RETRIED_STATUSES:
                        raise UpstreamError(f"{url} answered {error.code} {error.reason}") from error
                failure = error
            except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
                if _is_unreachable(error):
                    raise UpstreamError(f"cannot connect to {_host(url)} ({_describe(error)})") from error
                failure = error
        attempts = counted(self.attempts, "attempt")
        raise UpstreamError(f"{url} could not be fetched in {attempts} ({_describe(failure)})") from failure

    def _delay(self, attempt: int, failure: Exception | None) -> float:
        if isinstance(failure, urllib.error.HTTPError):
            asked = str(failure.headers.get("Retry-After", ""))
            if _is_number(asked):
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
        with urllib.request.build_opener(_SafeRedirects).open(request, timeout=self.timeout) as answer:
            resumes = answer.status == 206 and _range_start(answer) == have
            if not resumes:
                have = 0
            announced = str(answer.headers.get("Content-Length", ""))
            total = size if size is not None else (have + int(announced) if _is_number(announced) else None)
            with partial.open("ab" if resumes else "wb") as file:
                written = self._copy(answer, file, have, total, limit, url)
                file.flush()
                os.fsync(file.fileno())
        if total is not None and written < total:
            raise _TruncatedError(f"the connection closed after {written:,} of {counted(total, 'byte')}")
        return resumes

    def _copy(self, answer: Any, file: Any, have: int, total: int | None, limit: int, url: str) -> int:
        with progress(total, url.rsplit("/", 1)[-1]) as bar:
            bar.update(have)
            while chunk := answer.read(CHUNK):
                have += len(chunk)
                if have > limit:
                    raise UpstreamError(f"{url} sends more than the expected {counted(limit, 'byte')}")
                file.write(chunk)
                bar.update(len(chunk))
        return have


def _range_start(answer: Any) -> int | None:
    words = str(answer.headers.get("Content-Range", "")).removeprefix("bytes ").split("-")
    return int(words[0]) if _is_number(words[0]) else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 20


def _is_unreachable(error: Exception) -> bool:
    """Return whether a retry is useless.

    It is useless if the host is unknown or refuses connections.
    """
    transient = (TimeoutError, ConnectionResetError, ConnectionAbortedError, BrokenPipeError)
    return isinstance(error, urllib.error.URLError) and not isinstance(error.reason, transient)


def _host(url: str) -> str:
    return urllib.parse.urlsplit(url).netloc


def _describe(failure: Exception | None) -> str:
    """Return the cause of a failure, such as `Connection refused`.

    The text that urllib adds is left out.
    """
    cause = failure.reason if isinstance(failure, urllib.error.URLError) else failure
    return str(getattr(cause, "strerror", None) or cause or type(cause).__name__)


def read_members(
    archive: Path, wanted: Mapping[str, int], *, name: str, folder: str = "", unpacked_limit: int
) -> dict[str, bytes]:
    """Return the bytes of the archive members in `wanted`.

    `wanted` maps the path of each member to the largest size allowed. Paths are relative to `folder`. If `folder` is
    empty, `wanted` has file names instead, and members in all folders are searched. Error messages call the archive
    `name`.
    """
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as opened:
                found = _collect(_zip_members(opened), wanted, folder, name)
        else:
            with archive.open("rb") as raw, _open_tar(raw, unpacked_limit, name) as tar:
                found = _collect(_tar_members(tar), wanted, folder, name)
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
        raise ArchiveError(f"{name} is damaged ({error})", "Delete it and download it again") from error
    missing = sorted(set(wanted) - set(found))
    if missing:
        raise ArchiveError(f"{name} lacks {', '.join(missing)}", _REPLACE)
    return found


def _path_below(folder: str, member: str, archive: str) -> str:
    path = PurePosixPath(member.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or (path.parts and path.parts[0].endswith(":")):
        raise ArchiveError(f"{archive} contains the path {member!r}, which leads out of its folder", _REPLACE)
    if not folder:
        return "" if "__MACOSX" in path.parts else path.name
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else ""


def _collect(members: Iterable[Member], wanted: Mapping[str, int], folder: str, archive: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for count, (path, open_member) in enumerate(members):
        if count >= MOST_MEMBERS:
            raise ArchiveError(f"{archive} contains more than {MOST_MEMBERS:,} files", _REPLACE)
        name = _path_below(folder, path, archive)
        if name not in wanted:
            continue
        if (opened := open_member()) is None:
            problem = f"{name} in {archive} is not a regular file: it may be a folder or a link"
            raise ArchiveError(problem, _REPLACE)
        with opened:
            content = opened.read(wanted[name] + 1)
        if len(content) > wanted[name]:
            problem = f"{name} in {archive} is larger than the expected {counted(wanted[name], 'byte')}"
            raise ArchiveError(problem, _REPLACE)
        if name in found:
            raise ArchiveError(f"{archive} contains {name} twice", _REPLACE)
        found[name] = content
    return found


def _zip_members(opened: zipfile.ZipFile) -> Iterator[Member]:
    for member in opened.infolist():
        plain = not member.is_dir() and stat.S_IFMT(member.external_attr >> 16) in (0, stat.S_IFREG)
        yield member.filename, partial(opened.open, member) if plain else lambda: None


def _tar_members(opened: tarfile.TarFile) -> Iterator[Member]:
    for member in opened:
        yield member.name, partial(opened.extractfile, member) if member.isreg() else lambda: None


def _open_tar(raw: IO[bytes], limit: int, archive: str) -> tarfile.TarFile:
    packed = raw.read(2) == b"\x1f\x8b"
    raw.seek(0)
    limited: Any = _LimitedStream(gzip.GzipFile(fileobj=raw) if packed else raw, limit, archive)
    return tarfile.open(fileobj=limited, mode="r|")


class _LimitedStream(io.RawIOBase):
    """A stream that raises an error after too many bytes.

    This stops decompression bombs.
    """

    def __init__(self, stream: Any, limit: int, archive: str) -> None:
        self._stream = stream
        self._left = limit
        self._archive = archive

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        chunk: bytes = self._stream.read(self._left + 1 if size < 0 else min(size, self._left + 1))
        self._left -= len(chunk)
        if self._left < 0:
            raise ArchiveError(f"{self._archive} unpacks to more bytes than expected", _REPLACE)
        return chunk

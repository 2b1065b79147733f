"""Reading chosen members of an archive into memory; nothing is ever unpacked to disk.

So no path of the archive can lead out of a folder; links, encrypted members and bombs are refused.
"""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import IO, Any

from gecbench.corpora.upstream.pins import ArchiveError

MOST_MEMBERS = 10_000


def read_members(
    archive: Path, wanted: Mapping[str, int], *, folder: str = "", unpacked_limit: int
) -> dict[str, bytes]:
    """Return the bytes of the members named in `wanted` (name → largest size allowed).

    Names are those below `folder`; where `folder` is empty a member is found by its last path component.
    """
    try:
        if zipfile.is_zipfile(archive):
            found = _read_zip(archive, wanted, folder)
        else:
            found = _read_tar(archive, wanted, folder, unpacked_limit)
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, RuntimeError) as error:
        raise ArchiveError(f"{archive} is damaged ({error})", "Delete it and fetch it again") from error
    missing = sorted(set(wanted) - set(found))
    if missing:
        raise ArchiveError(f"{archive} lacks {', '.join(missing)}")
    return found


def _name_of(member: str, folder: str, archive: Path) -> str:
    path = PurePosixPath(member.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or (path.parts and path.parts[0].endswith(":")):
        raise ArchiveError(f"{archive} holds the path {member!r}, which leads out of its folder")
    if not folder:
        return "" if "__MACOSX" in path.parts else path.name
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else ""


def _store(found: dict[str, bytes], name: str, content: bytes, limit: int, archive: Path) -> None:
    if len(content) > limit:
        raise ArchiveError(f"{name} in {archive} is larger than the {limit} bytes it should have")
    if name in found:
        raise ArchiveError(f"{archive} holds {name} twice")
    found[name] = content


def _read_zip(archive: Path, wanted: Mapping[str, int], folder: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    with zipfile.ZipFile(archive) as opened:
        members = opened.infolist()
        if len(members) > MOST_MEMBERS:
            raise ArchiveError(f"{archive} holds {len(members)} members")
        for member in members:
            name = _name_of(member.filename, folder, archive)
            if name not in wanted or member.is_dir():
                continue
            kind = stat.S_IFMT(member.external_attr >> 16)
            if kind not in (0, stat.S_IFREG):
                raise ArchiveError(f"{name} in {archive} is not a plain file")
            with opened.open(member) as stream:
                _store(found, name, stream.read(wanted[name] + 1), wanted[name], archive)
    return found


def _read_tar(archive: Path, wanted: Mapping[str, int], folder: str, limit: int) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    with archive.open("rb") as raw, tarfile.open(fileobj=_bounded(raw, limit, archive), mode="r|") as opened:
        for count, member in enumerate(opened):
            if count >= MOST_MEMBERS:
                raise ArchiveError(f"{archive} holds more than {MOST_MEMBERS} members")
            name = _name_of(member.name, folder, archive)
            if name not in wanted:
                continue
            stream = opened.extractfile(member) if member.isreg() else None
            if stream is None:
                raise ArchiveError(f"{name} in {archive} is not a plain file")
            _store(found, name, stream.read(wanted[name] + 1), wanted[name], archive)
    return found


def _bounded(raw: IO[bytes], limit: int, archive: Path) -> Any:
    packed = raw.read(2) == b"\x1f\x8b"
    raw.seek(0)
    return _Bounded(gzip.GzipFile(fileobj=raw) if packed else raw, limit, archive)


class _Bounded(io.RawIOBase):
    """A stream that refuses to give more bytes than allowed: a bomb stops here."""

    def __init__(self, stream: Any, limit: int, archive: Path) -> None:
        self._stream = stream
        self._left = limit
        self._archive = archive

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        chunk: bytes = self._stream.read(self._left + 1 if size < 0 else min(size, self._left + 1))
        self._left -= len(chunk)
        if self._left < 0:
            raise ArchiveError(f"{self._archive} unpacks to more than it should hold")
        return chunk

"""Reading chosen members of an archive into memory; nothing is ever unpacked to disk.

So no path of the archive can lead out of a folder; links, encrypted members and bombs are refused.
"""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any

from gecbench.corpora.upstream.pins import ArchiveError

MOST_MEMBERS = 10_000
Member = tuple[str, Callable[[], IO[bytes] | None]]
"""A member's path, and what opens it: None where it is not a plain file."""


def read_members(
    archive: Path, wanted: Mapping[str, int], *, folder: str = "", unpacked_limit: int
) -> dict[str, bytes]:
    """Return the bytes of the members named in `wanted` (name → largest size allowed).

    Names are those below `folder`; where `folder` is empty a member is found by its last path component.
    """
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as opened:
                found = _collect(_zip_members(opened), wanted, folder, archive)
        else:
            with archive.open("rb") as raw, _open_tar(raw, unpacked_limit, archive) as tar:
                found = _collect(_tar_members(tar), wanted, folder, archive)
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


def _collect(members: Iterable[Member], wanted: Mapping[str, int], folder: str, archive: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for count, (path, open_member) in enumerate(members):
        if count >= MOST_MEMBERS:
            raise ArchiveError(f"{archive} holds more than {MOST_MEMBERS} members")
        name = _name_of(path, folder, archive)
        if name not in wanted:
            continue
        if (opened := open_member()) is None:
            raise ArchiveError(f"{name} in {archive} is not a plain file")
        with opened:
            content = opened.read(wanted[name] + 1)
        if len(content) > wanted[name]:
            raise ArchiveError(f"{name} in {archive} is larger than the {wanted[name]} bytes it should have")
        if name in found:
            raise ArchiveError(f"{archive} holds {name} twice")
        found[name] = content
    return found


def _zip_members(opened: zipfile.ZipFile) -> Iterator[Member]:
    for member in opened.infolist():
        plain = not member.is_dir() and stat.S_IFMT(member.external_attr >> 16) in (0, stat.S_IFREG)
        yield member.filename, partial(opened.open, member) if plain else lambda: None


def _tar_members(opened: tarfile.TarFile) -> Iterator[Member]:
    for member in opened:
        yield member.name, partial(opened.extractfile, member) if member.isreg() else lambda: None


def _open_tar(raw: IO[bytes], limit: int, archive: Path) -> tarfile.TarFile:
    packed = raw.read(2) == b"\x1f\x8b"
    raw.seek(0)
    bounded: Any = _Bounded(gzip.GzipFile(fileobj=raw) if packed else raw, limit, archive)
    return tarfile.open(fileobj=bounded, mode="r|")


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

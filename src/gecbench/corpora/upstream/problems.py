"""Errors of fetching and checking upstream files."""

from __future__ import annotations

from pathlib import Path

from gecbench.errors import GecbenchError


class UpstreamError(GecbenchError):
    """An upstream file cannot be had."""

    def __init__(self, problem: str, fix: str = "") -> None:
        self.problem = problem
        self.fix = fix
        super().__init__(f"{problem}. {fix}.".rstrip(" .") + ".")

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.problem, self.fix))


class OfflineError(UpstreamError):
    """The file is neither in the mirror nor in the cache, and the network may not be used."""


class ArchiveError(UpstreamError):
    """An archive is damaged, too large, or holds something it should not."""


class HashMismatchError(UpstreamError):
    """A file is not the pinned one; both hashes are named and the file is kept."""

    def __init__(self, what: str, expected: str, found: str, kept: Path | None = None) -> None:
        self.what = what
        self.expected = expected
        self.found = found
        self.kept = kept
        where = f" The file was kept as {kept}" if kept else ""
        super().__init__(
            f"{what} is not the pinned file: expected sha256 {expected}, found sha256 {found}",
            where.strip() or "Replace it by the published file",
        )

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.what, self.expected, self.found, self.kept))

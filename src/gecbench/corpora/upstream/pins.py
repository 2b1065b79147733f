"""What every upstream file must be (address, commit, size and SHA-256), and the errors where it is not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from gecbench.errors import GecbenchError

MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class Source:
    """A place that publishes files: a repository at one commit, or one archive."""

    name: str
    url: str
    commit: str | None = None
    archive: bool = False
    member_folder: str = ""
    archive_limit: int = 16 * MEBIBYTE
    unpacked_limit: int = 64 * MEBIBYTE


@dataclass(frozen=True)
class Pin:
    """One upstream file; size and hash are None where no copy could be measured."""

    source: Source
    path: str
    size: int | None
    sha256: str | None

    @property
    def key(self) -> str:
        """Return the name by which the file is asked for, such as `jfleg/dev/dev.src`."""
        return f"{self.source.name}/{self.path}"

    @property
    def url(self) -> str:
        """Return the address of the file, or of the archive that holds it."""
        return self.source.url if self.source.archive else f"{self.source.url}/{self.path}"

    @property
    def limit(self) -> int:
        """Return how many bytes the file may have at most."""
        return self.size if self.size is not None else 4 * MEBIBYTE


def _github(name: str, repository: str, commit: str) -> Source:
    return Source(name, f"https://raw.githubusercontent.com/{repository}/{commit}", commit)


SOURCES: Mapping[str, Source] = MappingProxyType(
    {
        source.name: source
        for source in (
            _github("jfleg", "keisks/jfleg", "ee06ff806a208aba815ac45313f4e750a48330a5"),
            _github("gug", "EducationalTestingService/gug-data", "5f2c5c023a20fdc18ecc3e2630bb0d71898e4277"),
            _github("reassess", "keisks/reassess-gec", "054786a923b2635ce33240c580d18c908c9a49a9"),
            _github("grammatical", "grammatical/evaluation", "08cdad84ffae07dfa167e3e45d77a96e0e01a160"),
            Source(
                "conll14",
                "https://www.comp.nus.edu.sg/~nlp/conll14st/conll14st-test-data.tar.gz",
                archive=True,
                member_folder="conll14st-test-data",
            ),
            Source("bn15", "https://www.comp.nus.edu.sg/~nlp/sw/10gec_annotations.zip", archive=True),
        )
    }
)

BN15_ANNOTATORS = 10


@lru_cache(maxsize=1)
def default_pins() -> Mapping[str, Pin]:
    """Return every pinned file by key; the ten members of the Bryant & Ng archive carry no hash yet."""
    pins = {}
    table = (Path(__file__).parent / "pins.tsv").read_text(encoding="utf-8")
    for row in table.splitlines()[1:]:
        source, path, size, sha256 = row.split("\t")
        pin = Pin(SOURCES[source], path, int(size), sha256)
        pins[pin.key] = pin
    for number in range(1, BN15_ANNOTATORS + 1):
        pin = Pin(SOURCES["bn15"], f"A{number}.m2", None, None)
        pins[pin.key] = pin
    return MappingProxyType(pins)


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

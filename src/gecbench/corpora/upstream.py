"""Read upstream files, and check their SHA-256.

The files come from a mirror folder, the local cache or the network.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gecbench.display import log_info
from gecbench.errors import InputError, UpstreamError, counted
from gecbench.formats.text import cache_folder, split_lines

if TYPE_CHECKING:
    from gecbench.corpora.download import Downloader

MEBIBYTE = 1 << 20
MIRROR_VARIABLE = "GECBENCH_MIRROR"
ACCEPT_VARIABLE = "GECBENCH_ACCEPT_LICENSE"
BASE_URL_VARIABLE = "GECBENCH_UPSTREAM_URL"
OFFLINE_VARIABLES = ("GECBENCH_OFFLINE", "HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE")
BN15_ANNOTATORS = 10


@dataclass(frozen=True)
class Source:
    """A place that publishes files: a repository at one commit, or one archive.

    `license` is shown before the first download. If you must accept the license, `terms` says what the license allows.
    `other_url` is a second address of an archive. `unpinned` lists the files whose hash is not known.
    """

    name: str
    url: str
    commit: str | None = None
    archive: bool = False
    license: str = ""
    terms: str = ""
    other_url: str | None = None
    unpinned: tuple[str, ...] = ()
    member_folder: str = ""
    archive_limit: int = 16 * MEBIBYTE
    unpacked_limit: int = 64 * MEBIBYTE


@dataclass(frozen=True)
class Pin:
    """One upstream file. Size and hash are None if they are not known."""

    source: Source
    path: str
    size: int | None
    sha256: str | None

    @property
    def key(self) -> str:
        """Return the name of the file in gecbench, such as `jfleg/dev/dev.src`."""
        return f"{self.source.name}/{self.path}"

    @property
    def url(self) -> str:
        """Return the address of the file, or of the archive that holds it."""
        return self.source.url if self.source.archive else f"{self.source.url}/{self.path}"

    @property
    def place(self) -> str:
        """Return the path of the file or its archive: `<host>/<path>`.

        The path is relative to a mirror or the cache.
        """
        return self.places[0]

    @property
    def places(self) -> tuple[str, ...]:
        """Return the path for each address of the file."""
        urls = (self.url, *([self.source.other_url] if self.source.other_url else []))
        return tuple(url.split("://", 1)[-1] for url in urls)

    @property
    def limit(self) -> int:
        """Return the largest size allowed, in bytes."""
        return self.size if self.size is not None else 4 * MEBIBYTE


def _github(name: str, repository: str, commit: str, terms: str = "") -> Source:
    return Source(name, f"https://raw.githubusercontent.com/{repository}/{commit}", commit, license=terms)


SOURCES: Mapping[str, Source] = MappingProxyType(
    {
        source.name: source
        for source in (
            _github("jfleg", "keisks/jfleg", "ee06ff806a208aba815ac45313f4e750a48330a5", "CC BY-NC-SA 4.0"),
            _github("gug", "EducationalTestingService/gug-data", "5f2c5c023a20fdc18ecc3e2630bb0d71898e4277"),
            _github("reassess", "keisks/reassess-gec", "054786a923b2635ce33240c580d18c908c9a49a9"),
            _github("grammatical", "grammatical/evaluation", "08cdad84ffae07dfa167e3e45d77a96e0e01a160"),
            _github("seeda", "tmu-nlp/SEEDA", "0c6c07f98dcfab016f1169b680997f1f29ea0705"),
            _github("cweb", "SimonHFL/CWEB", "08d1da0ff2b78885b1f060b4fa11460a98eb9218", "CC BY-NC-SA 4.0"),
            _github("ua-gec", "grammarly/ua-gec", "4757f72f192c4a41e4c8fb1d9690a948f87cf6d6", "CC BY 4.0"),
            _github("geccc", "ufal/GECCC", "257381c8cb0f9855c0c5b2680691c0a1ac18e48f", "CC BY-SA 4.0"),
            _github("mucgec", "HillZhang1999/MuCGEC", "39221934ee4ccf07801879136a75dd7e11319977", "Apache 2.0"),
            Source(
                "conll14",
                "https://www.comp.nus.edu.sg/~nlp/conll14st/conll14st-test-data.tar.gz",
                archive=True,
                member_folder="conll14st-test-data",
            ),
            Source(
                "conll13",
                "https://www.comp.nus.edu.sg/~nlp/conll13st/release2.3.1.tar.gz",
                archive=True,
                member_folder="release2.3.1",
                unpinned=("original/data/official-preprocessed.m2",),
            ),
            Source(
                "bn15",
                "https://www.comp.nus.edu.sg/~nlp/sw/10gec_annotations.zip",
                archive=True,
                other_url="https://aclanthology.org/attachments/P15-1068.Datasets.zip",
                unpinned=tuple(f"A{number}.m2" for number in range(1, BN15_ANNOTATORS + 1)),
            ),
            Source(
                "bea19",
                "https://www.cl.cam.ac.uk/research/nl/bea2019st/data/wi+locness_v2.1.bea19.tar.gz",
                archive=True,
                member_folder="wi+locness",
                license="the licenses of Write & Improve and LOCNESS, in the archive",
                terms="non-commercial research and education only, no redistribution; "
                "see https://www.cl.cam.ac.uk/research/nl/bea2019st/",
                unpacked_limit=256 * MEBIBYTE,
                unpinned=("m2/ABCN.dev.gold.bea19.m2", "test/ABCN.test.bea19.orig"),
            ),
        )
    }
)


@lru_cache(maxsize=1)
def default_pins() -> Mapping[str, Pin]:
    """Return every upstream file by key, including files whose hash is not known."""
    pins = {}
    table = (Path(__file__).parent / "pins.tsv").read_text(encoding="utf-8")
    for row in table.splitlines()[1:]:
        source, path, size, sha256 = row.split("\t")
        pin = Pin(SOURCES[source], path, int(size), sha256)
        pins[pin.key] = pin
    for pin in (Pin(source, path, None, None) for source in SOURCES.values() for path in source.unpinned):
        pins[pin.key] = pin
    return MappingProxyType(pins)


class OfflineError(UpstreamError):
    """An upstream file is not available, and downloads are switched off.

    The file is neither in the mirror nor in the cache.
    """


class HashMismatchError(UpstreamError):
    """A file does not have the pinned hash. The error names both hashes."""

    def __init__(self, what: str, expected: str, found: str, kept: Path | None = None) -> None:
        self.what = what
        self.expected = expected
        self.found = found
        self.kept = kept
        problem = f"{what} is not the expected file: expected sha256 {expected}, found sha256 {found}"
        look = f"To find the reason, open the downloaded file, which was kept as {kept}"
        super().__init__(problem, look if kept else "Replace it with the published file")

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.what, self.expected, self.found, self.kept))


def offline() -> bool:
    """Return whether an environment variable forbids downloads.

    The variables are those in `OFFLINE_VARIABLES`, such as GECBENCH_OFFLINE.
    """
    return any(os.environ.get(name, "").upper() in {"1", "ON", "YES", "TRUE"} for name in OFFLINE_VARIABLES)


class Upstream:
    """Reads pinned files from the mirror, the cache or the network.

    The places are tried in this order. Files from the network are stored in the cache. In the folders `mirror` and
    `cache`, the path of a file is `<host>/<path>`. `base_url` is a mirror on the web with the same paths.
    """

    def __init__(
        self,
        *,
        mirror: Path | None = None,
        cache: Path | None = None,
        pins: Mapping[str, Pin] | None = None,
        base_url: str | None = None,
        is_offline: bool = False,
        downloader: Downloader | None = None,
    ) -> None:
        self.mirror = mirror
        self.cache = cache or cache_folder()
        self.pins = default_pins() if pins is None else pins
        self.base_url = base_url
        self.is_offline = is_offline
        self.downloader = downloader
        self._members: dict[str, dict[str, bytes]] = {}

    @classmethod
    def from_environment(cls, mirror: str | Path | None = None) -> Upstream:
        """Create an instance from the environment variables.

        `mirror` overrides GECBENCH_MIRROR.
        """
        folder = mirror or os.environ.get(MIRROR_VARIABLE) or None
        if folder is not None and not Path(folder).expanduser().is_dir():
            fix = "Give an existing folder" if mirror else f"Correct or unset {MIRROR_VARIABLE}"
            raise UpstreamError(f"the mirror {folder} is not a folder", fix)
        return cls(
            mirror=Path(folder).expanduser() if folder else None,
            base_url=os.environ.get(BASE_URL_VARIABLE) or None,
            is_offline=offline(),
        )

    def read(self, key: str) -> bytes:
        """Return the bytes of a file after checking its hash."""
        if key not in self.pins:
            raise UpstreamError(f"{key} is not an upstream file")
        pin = self.pins[key]
        if pin.source.archive and pin.source.name in self._members:
            return self._members[pin.source.name][pin.path]
        path = self._locate(pin)
        if pin.source.archive:
            self._verify(pin, path, str(path))
            return self._members[pin.source.name][pin.path]
        content = path.read_bytes()
        _check_hash(pin, content, str(path))
        return content

    def text(self, key: str) -> str:
        """Return the text of a file, with its line ends and without a byte order mark."""
        return self.read(key).decode("utf-8-sig")

    def lines(self, key: str, expected: int | None = None) -> list[str]:
        r"""Return the stripped lines of a text file.

        Only "\n" ends a line, and blank lines are kept as data.
        """
        lines = [line.strip() for line in split_lines(self.read(key), key)]
        if expected is not None and len(lines) != expected:
            raise InputError(f"{counted(len(lines), 'line')}, but the source has {expected}", file=key)
        return lines

    def describe(self, prefix: str = "") -> list[dict[str, Any]]:
        """Return the pin and the current location of upstream files.

        Only files whose key starts with `prefix` are included.
        """
        return [
            {
                "key": key,
                "url": pin.url,
                "commit": pin.source.commit,
                "size": pin.size,
                "sha256": pin.sha256,
                "where": self._where(pin),
            }
            for key, pin in self.pins.items()
            if key.startswith(prefix)
        ]

    def _where(self, pin: Pin) -> str:
        if self._find(self.mirror, pin):
            return "mirror"
        return "cache" if self._find(self.cache, pin) else "network"

    @staticmethod
    def _find(folder: Path | None, pin: Pin) -> Path | None:
        """Return the path of a file or its archive in a folder.

        The folder is a mirror or the cache. Return None if the file is not there.
        """
        paths = [folder / place for place in pin.places] if folder else []
        return next((path for path in paths if path.is_file()), None)

    def _locate(self, pin: Pin) -> Path:
        """Return the path of a file or its archive.

        If needed, download it into the cache first.
        """
        self._check_terms(pin.source)
        if found := self._find(self.mirror, pin):
            return found
        if (found := self._find(self.cache, pin)) and self._cached_is_good(pin, found):
            return found
        if self.is_offline:
            missing = "" if self.mirror else f"{pin.key} is not in the cache {self.cache}, and "
            *names, last = OFFLINE_VARIABLES
            reason, fix = f"{missing}downloads are switched off", f"unset {', '.join(names)} and {last}"
            raise OfflineError(*self._unavailable(pin, reason, fix))
        return self._fetch(pin)

    def _fetch(self, pin: Pin) -> Path:
        """Download a file into the cache, and return its path.

        If its first address fails, try the second.
        """
        for place in pin.places:
            target = self.cache / place
            try:
                with _lock(target):
                    if not target.is_file():
                        self._download(pin, target, f"{pin.url.partition('://')[0]}://{place}")
            except UpstreamError:
                if place == pin.places[-1]:
                    raise
            else:
                return target
        raise AssertionError

    def accept_license(self, name: str) -> None:
        """Record in the cache that you accept the license of a source."""
        self._acceptance(name).parent.mkdir(parents=True, exist_ok=True)
        self._acceptance(name).touch()

    def is_accepted(self, source: Source) -> bool:
        """Return whether a source may be used.

        You must have accepted its license, or the license must need no acceptance.
        """
        return not source.terms or self._acceptance(source.name).is_file()

    def _acceptance(self, name: str) -> Path:
        return self.cache / "accepted-licenses" / name

    def _check_terms(self, source: Source) -> None:
        """Raise an error if the license of a source must be accepted first."""
        if self.is_accepted(source):
            return
        if source.name in re.split(r"[,\s]+", os.environ.get(ACCEPT_VARIABLE, "")):
            self.accept_license(source.name)
            return
        raise UpstreamError(
            f"the license of {source.name} must be accepted first ({source.terms})",
            f"Run gecbench corpora --accept-license {source.name}, or set {ACCEPT_VARIABLE}={source.name}",
        )

    def _unavailable(self, pin: Pin, reason: str, fix: str) -> tuple[str, str]:
        """Return the problem and the fix for a missing file.

        The file is neither in the mirror nor in the cache.
        """
        if self.mirror is not None:
            return f"the mirror {self.mirror} lacks {pin.place}, and {reason}", f"Add the file to the mirror, or {fix}"
        return reason, f"Set {MIRROR_VARIABLE} to a folder that contains {pin.place}, or {fix}"

    def _cached_is_good(self, pin: Pin, target: Path) -> bool:
        try:
            self._verify(pin, target, str(target))
        except UpstreamError:
            _quarantine(target)
            return False
        return True

    def _download(self, pin: Pin, target: Path, url: str) -> None:
        """Download a file into the cache.

        If a resumed download has a wrong hash, download it again from the start.
        """
        from gecbench.corpora.download import Downloader

        if self.base_url:
            url = f"{self.base_url.rstrip('/')}/{url.partition('://')[2]}"
        self._show_license(pin.source)
        partial = target.with_name(target.name + ".part")
        size = None if pin.source.archive else pin.size
        limit = pin.source.archive_limit if pin.source.archive else pin.limit
        for is_last in (False, True):
            try:
                resumed = (self.downloader or Downloader()).fetch(url, partial, size=size, limit=limit)
            except UpstreamError as error:
                raise UpstreamError(*self._unavailable(pin, error.problem, "try again later")) from error
            try:
                self._verify(pin, partial, url)
            except UpstreamError as error:
                kept = _quarantine(partial)
                if is_last or not resumed:
                    raise _with_kept_file(error, kept) from error
            else:
                partial.replace(target)
                self._license_marker(pin.source).parent.mkdir(parents=True, exist_ok=True)
                self._license_marker(pin.source).touch()
                if pin.sha256 is None:
                    digest = hashlib.sha256(target.read_bytes()).hexdigest()
                    log_info(f"no hash is known for {url}, so the download was not checked. Its sha256 is {digest}")
                return

    def _show_license(self, source: Source) -> None:
        """Show the license of a source before its first download."""
        if source.license and not self._license_marker(source).exists():
            log_info(f"{source.name} is published under {source.license} ({source.url})")

    def _license_marker(self, source: Source) -> Path:
        return self.cache / "shown-licenses" / source.name

    def _verify(self, pin: Pin, path: Path, name: str) -> None:
        """Check the hash of a file, or of each member of an archive.

        Error messages call the file `name`.
        """
        source = pin.source
        if not source.archive:
            _check_hash(pin, path.read_bytes(), name)
        elif source.name not in self._members:
            self._members[source.name] = self._read_archive(source, path, name)

    def _read_archive(self, source: Source, path: Path, name: str) -> dict[str, bytes]:
        """Return the bytes of the members of an archive after checking their hashes."""
        from gecbench.corpora.download import read_members

        pins = [pin for pin in self.pins.values() if pin.source.name == source.name]
        limits = {pin.path: pin.limit for pin in pins}
        folder, unpacked_limit = source.member_folder, source.unpacked_limit
        members = read_members(path, limits, name=name, folder=folder, unpacked_limit=unpacked_limit)
        for pin in pins:
            _check_hash(pin, members[pin.path], f"{pin.path} in {name}")
        return members


def check_sources(found: Sequence[str], sentences: Sequence[str], file: str) -> None:
    """Raise an error if the sentences of a file differ from `sentences`.

    White space is ignored.
    """
    if len(found) != len(sentences):
        raise InputError(f"{counted(len(found), 'sentence')}, but the source has {len(sentences)}", file=file)
    for line, (text, sentence) in enumerate(zip(found, sentences, strict=True), 1):
        if text.split() != sentence.split():
            raise InputError(f"sentence {line} differs from sentence {line} of the source", file=file)


def _check_hash(pin: Pin, content: bytes, name: str) -> None:
    if pin.sha256 is not None and (found := hashlib.sha256(content).hexdigest()) != pin.sha256:
        raise HashMismatchError(name, pin.sha256, found)


def _with_kept_file(error: UpstreamError, kept: Path) -> UpstreamError:
    if isinstance(error, HashMismatchError):
        return HashMismatchError(error.what, error.expected, error.found, kept)
    return type(error)(error.problem, f"The downloaded file was kept as {kept}")


def _quarantine(path: Path) -> Path:
    """Rename a corrupt file without overwriting another, and return its new path."""
    name = path.name.removesuffix(".part") + ".corrupt"
    kept, number = path.with_name(name), 1
    while kept.exists():
        kept, number = path.with_name(f"{name}.{number}"), number + 1
    path.replace(kept)
    return kept


@contextlib.contextmanager
def _lock(target: Path) -> Iterator[None]:
    """Let one process at a time download a file.

    This needs the package filelock. Without it, there is no lock.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        from filelock import FileLock
    except ImportError:
        yield
        return
    with FileLock(f"{target}.lock"):
        yield

"""A board, stored in a folder or in a dataset repository on the Hub.

A board has settings, corpora and records. A repository is a copy of a board's folder. There is one file per record,
named by a hash of its content, so that several writers at the same time cannot collide.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import IO, Any

from gecbench.corpora.load import is_known_name, resolve_corpus
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.prepare import Preprocessing
from gecbench.display import percent, visible
from gecbench.errors import GecbenchError, InputError, UnwritableError
from gecbench.formats.text import read_bytes, write_bytes
from gecbench.leaderboard.records import (
    DIGEST,
    LOGOS,
    SETTINGS_FILE,
    Details,
    Record,
    Settings,
    canonical_json,
    corpus_name,
    digest,
    parse_json,
    table_of,
)

PRIVATE_PER_DAY = 5
_LARGEST_LOGO = 2**20
_LARGEST_RECORD = 64 * 2**20
_LEFTOVER_SECONDS = 3600
_UNPUBLISHED = b"/tests/\n/waiting/\n/teams.json\n/uploads.json\n/.lock\n"
_LOCK = ".lock"
_FOLDERS = ("records", "details", "tests", "waiting")
_HUB = "hf://datasets/"


def init_board(folder: Path, corpora: Sequence[str], settings: Settings, logo: str | None = None) -> FolderStore:
    """Create a board: write `board.json` and the logo into a folder.

    `board.json` has the fingerprint of every corpus. Only the organizer may see exact p-values and waiting submissions,
    so a `.gitignore` keeps the files with them out of a repository.

    Args:
        folder: The folder, new or without a board.
        corpora: Names or files of corpora.
        settings: The settings. Corpora and logo are filled in, and the metric if none is set and a corpus is a file.
        logo: The file of an image.

    Returns:
        The new board.

    Raises:
        InputError: If the folder is a file or a board already, a corpus cannot be used, or the logo is not a supported
            image.
    """
    if (folder / SETTINGS_FILE).exists():
        raise InputError("already exists", file=str(folder / SETTINGS_FILE), fix="Edit it, or choose another folder")
    if folder.exists() and not folder.is_dir():
        raise InputError("is a file, not a folder", file=str(folder), fix="Give another folder")
    resolved = [_resolve(name) for name in corpora]
    for corpus in resolved:
        Preprocessing(aligned=True).prepare(corpus, corpus.sources, "sources")
    tables = [table_of(corpus) for corpus in resolved]
    if doubled := [table for table in tables if tables.count(table) > 1]:
        fix = "Give each corpus once, or rename one of the files"
        raise InputError(f"two corpora have the name {doubled[0][0]}", fix=fix)
    entries = [
        {"corpus": _relative_name(folder, name), "fingerprint": corpus.fingerprint()}
        for name, corpus in zip(corpora, resolved, strict=True)
    ]
    image = None if logo is None else (f"logo{Path(logo).suffix.lower()}", _read_logo(logo))
    if settings.metric is None and not all(map(is_known_name, corpora)):
        settings = replace(settings, metric="m2" if any(Path(name).suffix == ".m2" for name in corpora) else "gleu")
    written = replace(settings, corpora=entries, logo=image and image[0])
    folder.mkdir(parents=True, exist_ok=True)
    if image is not None:
        write_bytes(folder / image[0], image[1])
    _ignore_unpublished(folder / ".gitignore")
    write_bytes(folder / SETTINGS_FILE, written.to_json())
    return FolderStore(folder)


def _resolve(name: str) -> Corpus:
    """Return a corpus, whose name contains no folder.

    A corpus in a file is named after the file alone, so that no path is published.
    """
    corpus = resolve_corpus(name)
    return corpus if is_known_name(name) else corpus.replace(name=table_of(corpus)[0])


def _relative_name(folder: Path, name: str) -> str:
    return name if is_known_name(name) else Path(os.path.relpath(name, folder)).as_posix()


def _read_logo(path: str) -> bytes:
    endings = [Path(logo).suffix for logo in LOGOS]
    if Path(path).suffix.lower() not in endings:
        fix = f"Give a file of type {', '.join(endings[:-1])} or {endings[-1]}"
        raise InputError("is not a supported image", file=path, fix=fix)
    data = read_bytes(path)
    if len(data) > _LARGEST_LOGO:
        raise InputError("is larger than 1 MB", file=path, fix="Give a smaller image")
    return data


def _ignore_unpublished(path: Path) -> None:
    kept = path.read_bytes() if path.is_file() else b""
    between = b"" if not kept or kept.endswith(b"\n") else b"\n"
    write_bytes(path, kept + between + _UNPUBLISHED)


@dataclass(frozen=True)
class Loaded:
    """The records of a board, oldest first, and a warning for each skipped record."""

    records: tuple[Record, ...]
    warnings: tuple[str, ...]


class FolderStore:
    """A board in a folder.

    The settings are in `board.json`. Each file in `records/`, `details/` and `tests/` is named by a SHA-256. Such a
    file is written completely or not at all, and never changed afterwards. Details are written before the record that
    refers to them. If a writer is killed in between, only details without a record are left.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    @cached_property
    def settings(self) -> Settings:
        """The board's settings, which are read only once.

        Open the folder again to see a change.
        """
        path = self.folder / SETTINGS_FILE
        if not path.is_file():
            return Settings()
        try:
            return Settings.from_json(path.read_bytes())
        except InputError as error:
            raise InputError(f"cannot be read: {error}", file=str(path)) from error

    @property
    def unlisted(self) -> FolderStore:
        """Submissions that a private board scored but did not add.

        They count against the limits and are never shown.
        """
        return FolderStore(self.folder / "waiting" / "unlisted")

    def corpora(self) -> list[Corpus]:
        """Return the corpora of the board's settings.

        Raises:
            InputError: If a corpus is missing or has changed.
        """
        corpora = []
        for entry in self.settings.corpora:
            name = entry["corpus"]
            if not is_known_name(name) and not (self.folder / name).is_file():
                raise InputError(f"the board's corpus {name} was not found", fix="Give its file with -c")
            corpus = _resolve(name if is_known_name(name) else str(self.folder / name))
            if corpus.fingerprint() != entry["fingerprint"]:
                fix = "Restore its old version, or create a new board, because old and new scores are not comparable"
                raise InputError(f"the corpus {name} has changed since the board was created", fix=fix)
            corpora.append(corpus)
        return corpora

    def register(self, corpora: Sequence[Corpus]) -> None:
        """Write known corpora into the settings, so that `build` and `serve` find them.

        If the folder has no settings, it becomes an open board (the references of known corpora are public), and the
        corpora of its existing records are also added.
        """
        there = (self.folder / SETTINGS_FILE).exists()
        settings = self.settings if there else Settings(publish_references=True)
        found = [*([] if there else self.corpora_of_records()), *corpora]
        entries = {entry["fingerprint"]: entry for entry in settings.corpora}
        for corpus in found:
            entry = {"corpus": corpus.name, "fingerprint": corpus.fingerprint()}
            entries.setdefault(entry["fingerprint"], entry)
        if there and len(entries) == len(settings.corpora):
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        if not there:
            _ignore_unpublished(self.folder / ".gitignore")
        write_bytes(self.folder / SETTINGS_FILE, replace(settings, corpora=list(entries.values())).to_json())
        self.__dict__.pop("settings", None)  # read again

    def corpora_of_records(self, given: Sequence[Corpus] = ()) -> list[Corpus]:
        """Return the corpora of the records, except those in `given`.

        Raises:
            InputError: If a record is on a corpus in a file, because records do not contain its path.
        """
        known = {table_of(corpus) for corpus in given}
        tables = dict.fromkeys(record.table for record in self.load().records if record.table not in known)
        files = [name for name, _ in tables if not is_known_name(name)]
        if files:
            problem = f"the board has records on {', '.join(dict.fromkeys(files))}, but not the path of the corpus file"
            raise InputError(problem, fix="Give the corpus file with -c")
        return [resolve_corpus(corpus_name(table)) for table in tables]

    def choose_corpus(self, name: str | None) -> Corpus:
        """Return the corpus of a submission.

        This is one of the board's corpora, or any corpus if the board has none. A corpus in a file is named after the
        file without its folder, so that no path is published.

        Args:
            name: A name or file, or None if the board has only one corpus.
        """
        if not self.settings.corpora:
            if name is None:
                fix = "Use -c, or create a board with a corpus: gecbench leaderboard init"
                raise InputError("no corpus is given", fix=fix)
            corpus = resolve_corpus(name)
            return corpus if is_known_name(name) else corpus.replace(name=Path(name).name)
        if name is not None and (given := self._match_board_corpus(name)) is not None:
            return given
        corpora = self.corpora()
        if name is None and len(corpora) == 1:
            return corpora[0]
        for corpus, entry in zip(corpora, self.settings.corpora, strict=True):
            if name in (corpus.name, table_of(corpus)[0], entry["corpus"]):
                return corpus
        problem = f"the board has no corpus {name!r:.80}" if name else "the board has several corpora"
        raise InputError(problem, fix=f"Choose one with -c: {', '.join(corpus.name for corpus in corpora)}")

    def _match_board_corpus(self, name: str) -> Corpus | None:
        """Return the corpus in a file if its content is a corpus of the board, else None."""
        if is_known_name(name) or not Path(name).is_file():
            return None
        corpus = resolve_corpus(name)
        same = [entry["corpus"] for entry in self.settings.corpora if entry["fingerprint"] == corpus.fingerprint()]
        return corpus.replace(name=table_of(corpus.replace(name=same[0]))[0]) if same else None

    def add(self, record: Record, details: Details | None = None) -> str:
        """Write a record with its details, and return the record's name.

        Adding a record twice changes nothing.
        """
        if details is not None:
            data = details.to_json()
            if digest(data) != record.details or details.outputs != record.outputs:
                raise InputError("the details do not belong to the record")
            self._write("details", digest(data), data)
        data = record.to_json()
        self._write("records", digest(data), data)
        return digest(data)

    def load(self) -> Loaded:
        """Read all records, with a warning for each skipped record.

        A record is skipped if it cannot be read, or if it repeats an earlier record.
        """
        found, warnings = [], []
        for path in sorted((self.folder / "records").glob("*.json")):
            try:
                found.append((self.record(path), path.name))
            except (InputError, OSError) as error:
                warnings.append(f"records/{visible(path.name)} is skipped: {error}"[:400])
        found.sort(key=lambda each: (each[0].date, each[0].system))
        records: dict[object, Record] = {}
        for record, name in found:
            first = records.setdefault(record.entry, record)
            if first is not record:
                same = "it has the same system, corpus and outputs as"
                warnings.append(f"records/{visible(name)} is skipped: {same} records/{first.id}.json")
        return Loaded(tuple(records.values()), tuple(warnings))

    def record(self, path: Path) -> Record:
        """Read one record, or raise an error that says what is wrong with it."""
        return Record.from_json(_read(path))

    def details(self, record: Record) -> Details | None:
        """Return the details of a record, or None if they are missing or damaged."""
        if record.details is None:
            return None
        try:
            return Details.from_json(_read(self._path("details", record.details)))
        except (InputError, OSError):
            return None

    def get_resampled(self, question: str) -> list[float] | None:
        """Return the stored values of a resampled score, or None if there are none.

        `question` names the metric, the outputs, the signature and the number of resamples. A damaged file is ignored.
        """
        with suppress(OSError, InputError, KeyError, TypeError):
            kept = parse_json(read_plain(self._path("tests", digest(question.encode()))))
            if kept["question"] == question and all(isinstance(value, float) for value in kept["answer"]):
                return list(kept["answer"])
        return None

    def put_resampled(self, question: str, values: Sequence[float]) -> None:
        """Store the values of a resampled score in `tests/`.

        The score is then resampled only once.
        """
        if not all(map(isfinite, values)):
            return  # JSON has no NaN, so this score is resampled each time
        data = canonical_json({"question": question, "answer": list(values)})
        self._write("tests", digest(question.encode()), data, durable=False)

    def remove_leftovers(self) -> None:
        """Remove temporary files of killed writers that are older than an hour."""
        for path in (path for kind in _FOLDERS for path in (self.folder / kind).glob(".*")):
            with suppress(OSError):
                if path.is_file() and path.stat().st_mtime < time.time() - _LEFTOVER_SECONDS:
                    path.unlink(missing_ok=True)

    def check_page_folder(self, folder: Path) -> None:
        """Raise an error if a page in this folder would be mixed with the board.

        The files of a private board must not be published with the page.
        """
        board, page = self.folder.resolve(), folder.resolve()
        if board == page:
            problem = "is the board itself"
        elif board.is_relative_to(page):
            problem = f"contains the board {self.folder}"
        elif any(page.is_relative_to(board / name) for name in _FOLDERS):
            problem = f"is a folder of the board {self.folder}"
        elif folder.exists() and not folder.is_dir():
            problem = "is a file, not a folder"
        else:
            return
        raise InputError(problem, file=str(folder), fix="Give another folder with -o")

    def changed(self) -> float:
        """Return the time when a record was last added.

        Compare times with `!=`, because clocks can be set back.
        """
        folder = self.folder / "records"
        return folder.stat().st_mtime if folder.is_dir() else 0.0

    def _path(self, kind: str, name: str) -> Path:
        if not DIGEST.fullmatch(name):
            raise InputError(f"{name!r:.80} is not a SHA-256 hash, so the board has no file of this name")
        return self.folder / kind / f"{name}.json"

    def _write(self, kind: str, name: str, data: bytes, *, durable: bool = True) -> None:
        path = self._path(kind, name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnwritableError(f"cannot write: {error.strerror}", file=str(path.parent)) from error
        write_bytes(path, data, durable=durable)


class HubStore(FolderStore):
    """A board in a dataset repository on the Hub.

    The repository is copied into a temporary folder and read there. Adding a record opens a pull request and does not
    change the copy.
    """

    def __init__(self, repository: str, revision: str = "main") -> None:
        self._place = {"repo_id": repository, "repo_type": "dataset", "revision": revision}
        self._temporary = tempfile.TemporaryDirectory(prefix="gecbench-board-", ignore_cleanup_errors=True)
        super().__init__(self._temporary.name)
        wanted = ["records/*.json", "details/*.json", SETTINGS_FILE, *LOGOS]
        self._call("snapshot_download", local_dir=self.folder, allow_patterns=wanted)

    def add(self, record: Record, details: Details | None = None) -> str:
        """Open a pull request that adds a record, and return the request's address."""
        from huggingface_hub import CommitOperationAdd

        files = {f"records/{record.id}.json": record.to_json()}
        if details is not None:
            files[f"details/{record.details}.json"] = details.to_json()
        commit = self._call(
            "create_commit",
            operations=[CommitOperationAdd(path, data) for path, data in files.items()],
            commit_message=f"Add {record.system} on {record.corpus}"[:200],
            commit_description=_summary(record),
            create_pr=True,
        )
        return str(commit.pr_url or commit.commit_url)

    def _call(self, name: str, **arguments: Any) -> Any:
        from huggingface_hub import HfApi, constants
        from huggingface_hub.errors import HfHubHTTPError

        if constants.HF_HUB_OFFLINE:
            raise InputError("HF_HUB_OFFLINE is set", fix="Unset it to reach a board on the Hub")
        try:
            return getattr(HfApi(), name)(**self._place, **arguments)
        except HfHubHTTPError as error:
            fix = "Check the name, and log in with hf auth login"
            raise InputError(f"the Hub refused {self._place['repo_id']}: {_first_line(error)}", fix=fix) from error
        except (OSError, RuntimeError) as error:
            raise GecbenchError(f"the Hub cannot be reached: {_first_line(error)}") from error


def open_board(address: str, *, hub: bool = True, create: bool = False) -> FolderStore:
    """Open the board at an address: a folder, or `hf://datasets/NAME/BOARD`.

    Args:
        address: The address. A folder must exist, so that a misspelled path is not taken for an empty board.
        hub: Whether boards on the Hub are accepted.
        create: Whether the folder may be missing. The first record that is added creates it.

    Raises:
        InputError: If there is no board at this address.
    """
    if address.startswith(_HUB):
        repository, _, revision = address.removeprefix(_HUB).rstrip("/").partition("@")
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
            raise InputError(f"{address!r} is not a repository address", fix=f"Write {_HUB}NAME/BOARD")
        if not hub:
            raise InputError("this command needs a board in a folder, not on the Hub", fix="Give --board FOLDER")
        return HubStore(repository, revision or "main")
    if "://" in address:
        raise InputError(f"cannot open a board at {address!r}", fix=f"Give a folder, or {_HUB}NAME/BOARD")
    if Path(address).exists() and not Path(address).is_dir():
        raise InputError("is a file, not a folder", file=address, fix="Give the folder of a board with --board")
    if not create and not Path(address).exists():
        fix = "Check --board, or create the board with gecbench leaderboard init"
        raise InputError("no such folder", file=address, fix=fix)
    return FolderStore(address)


def lock_board(folder: Path) -> IO[bytes] | None:
    """Lock a board's folder for one server until the returned file is closed.

    The result is None for a read-only folder. Two servers on one board would score waiting submissions twice and count
    the uploads of a day separately.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        stream = (folder / _LOCK).open("ab")
    except OSError:
        return None
    if not try_lock(stream):
        stream.close()
        raise InputError("another server is running on this board", file=str(folder), fix="Stop it first")
    return stream


def try_lock(stream: IO[bytes]) -> bool:
    """Lock an open file, and return False if another process has locked it.

    The lock lasts until the file is closed or this process ends.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def read_plain(path: Path) -> bytes:
    """Read a regular file of a board's folder.

    Links, pipes (which may never end) and files that are too large are refused.
    """
    if path.is_symlink() or not path.is_file():
        raise InputError("it is not a regular file")
    if path.stat().st_size > _LARGEST_RECORD:
        raise InputError(f"it is larger than {_LARGEST_RECORD // 2**20} MB")
    return path.read_bytes()


def _read(path: Path) -> bytes:
    data = read_plain(path)
    if digest(data) != path.stem:
        raise InputError("its name is not the SHA-256 of its content")
    return data


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]


def _summary(record: Record) -> str:
    scores = record.scores.items()
    return "\n".join(f"{metric}: {percent(figure['value'])} `{figure['signature']}`" for metric, figure in scores)

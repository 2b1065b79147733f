"""Where a board is kept: in a folder, or in a dataset repository on the Hub that is read as such a folder.

There is one file per record, named by its content, so that any number of writers cannot collide.
"""

from __future__ import annotations

import re
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gecbench.display import percent
from gecbench.errors import GecbenchError, InputError, UnwritableError
from gecbench.formats.text import write_bytes
from gecbench.leaderboard.records import Details, Record, canonical, digest, parse
from gecbench.leaderboard.schema import DIGEST
from gecbench.leaderboard.settings import FILE, LOGOS, Settings, read_settings

_HUB = "hf://datasets/"
_MOST_BYTES = 64 * 2**20
_LEFTOVER_SECONDS = 3600


@dataclass(frozen=True)
class Loaded:
    """The records of a board that can be read, oldest first, and a sentence for each that cannot."""

    records: tuple[Record, ...]
    warnings: tuple[str, ...]


class FolderStore:
    """A board in a folder: `records/`, `details/` and `tests/`, each file named by the SHA-256 of what it says.

    A file appears whole or not at all, and is never changed afterwards. `details` are written before the record that
    names them, so a writer that is killed leaves at most a file that nothing refers to.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    @property
    def settings(self) -> Settings:
        """What the organiser says of the board."""
        return read_settings(self.folder)

    def add(self, record: Record, details: Details | None = None) -> str:
        """Write a record with its details; return its name. Adding the same twice changes nothing."""
        if details is not None:
            data = details.to_json()
            if digest(data) != record.details or details.outputs != record.outputs:
                raise InputError("the details are not those of the record")
            self._write("details", digest(data), data)
        data = record.to_json()
        self._write("records", digest(data), data)
        return digest(data)

    def load(self) -> Loaded:
        """Read every record; a bad one is skipped with a warning, never fatal."""
        records, warnings = [], []
        for path in sorted((self.folder / "records").glob("*.json")):
            try:
                records.append(self.record(path))
            except (InputError, OSError) as error:
                warnings.append(f"records/{path.name!a} is skipped: {error}"[:400])
        records.sort(key=lambda record: (record.date, record.system))
        return Loaded(tuple(records), tuple(warnings))

    def record(self, path: Path) -> Record:
        """Read one record, or say what is wrong with it."""
        return Record.from_json(_read(path))

    def details(self, record: Record) -> Details | None:
        """Return the details of a record, None where they are missing or damaged."""
        if record.details is None:
            return None
        try:
            return Details.from_json(_read(self._path("details", record.details)))
        except (InputError, OSError):
            return None

    def recall(self, question: str) -> float | None:
        """Return the answer that was remembered for a question, if any."""
        with suppress(OSError, InputError, KeyError, TypeError):
            kept = parse(self._path("tests", digest(question.encode())).read_bytes())
            if kept["question"] == question and isinstance(kept["answer"], float):
                return float(kept["answer"])
        return None

    def remember(self, question: str, answer: float) -> None:
        """Keep the answer to a question of this board in `tests/`, so that it is computed once."""
        data = canonical({"question": question, "answer": answer})
        self._write("tests", digest(question.encode()), data, durable=False)

    def remove_leftovers(self) -> None:
        """Remove the temporary files of writers that were killed, once they are an hour old."""
        kinds = ("records", "details", "tests", "waiting")
        for path in (path for kind in kinds for path in (self.folder / kind).glob(".*")):
            with suppress(OSError):
                if path.is_file() and path.stat().st_mtime < time.time() - _LEFTOVER_SECONDS:
                    path.unlink(missing_ok=True)

    def changed(self) -> float:
        """Return when a record was last added: another time than before, earlier if the clock was set back."""
        folder = self.folder / "records"
        return folder.stat().st_mtime if folder.is_dir() else 0.0

    def _path(self, kind: str, name: str) -> Path:
        if not DIGEST.fullmatch(name):
            raise InputError(f"{name!r:.80} is not the name of a file of the board")
        return self.folder / kind / f"{name}.json"

    def _write(self, kind: str, name: str, data: bytes, *, durable: bool = True) -> None:
        path = self._path(kind, name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnwritableError(f"cannot write: {error.strerror}", file=str(path.parent)) from error
        write_bytes(path, data, durable=durable)


class BoardCopy(FolderStore):
    """A copy of a board on the Hub in a temporary folder, which goes when the copy does; records go to the Hub."""

    def __init__(self, origin: HubBoard) -> None:
        self.origin = origin
        self._temporary = tempfile.TemporaryDirectory(prefix="gecbench-board-", ignore_cleanup_errors=True)
        super().__init__(self._temporary.name)

    def add(self, record: Record, details: Details | None = None) -> str:
        """Open a pull request; return its address."""
        return self.origin.add(record, details)


@dataclass(frozen=True)
class HubBoard:
    """A dataset repository with `records/` and `details/`, laid out as a board's folder is."""

    repository: str
    revision: str = "main"
    endpoint: str | None = None

    def download(self) -> BoardCopy:
        """Return a copy of the board as it is now."""
        copy = BoardCopy(self)
        wanted = ["records/*.json", "details/*.json", FILE, *(f"logo{ending}" for ending in LOGOS)]
        self._call("snapshot_download", local_dir=copy.folder, allow_patterns=wanted)
        return copy

    def add(self, record: Record, details: Details | None) -> str:
        """Open a pull request that adds the record and its details; return its address."""
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
        place = {"repo_id": self.repository, "repo_type": "dataset", "revision": self.revision}
        try:
            return getattr(HfApi(endpoint=self.endpoint), name)(**place, **arguments)
        except HfHubHTTPError as error:
            fix = "Check the name, and log in with hf auth login"
            raise InputError(f"the Hub refused {self.repository}: {_first_line(error)}", fix=fix) from error
        except (OSError, RuntimeError) as error:
            raise GecbenchError(f"the Hub cannot be reached: {_first_line(error)}") from error


Board = FolderStore | HubBoard


def open_board(address: str) -> Board:
    """Return the board of an address; a folder need not exist yet."""
    if address.startswith(_HUB):
        repository, _, revision = address.removeprefix(_HUB).rstrip("/").partition("@")
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
            raise InputError(f"{address!r} names no repository", fix=f"Write {_HUB}NAME/BOARD")
        return HubBoard(repository, revision or "main")
    if "://" in address:
        raise InputError(f"cannot open a board at {address!r}", fix=f"Give a folder, or {_HUB}NAME/BOARD")
    if Path(address).exists() and not Path(address).is_dir():
        raise InputError("is a file, not a board's folder", file=address)
    return FolderStore(address)


def local_store(board: Board) -> FolderStore:
    """Return the board as a folder: itself, or a copy of the Hub's."""
    return board if isinstance(board, FolderStore) else board.download()


def _read(path: Path) -> bytes:
    if path.is_symlink() or not path.is_file():
        raise InputError("not a plain file")
    if path.stat().st_size > _MOST_BYTES:
        raise InputError("too large")
    data = path.read_bytes()
    if digest(data) != path.stem:
        raise InputError("its content does not match its name")
    return data


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]


def _summary(record: Record) -> str:
    scores = record.scores.items()
    return "\n".join(f"{metric}: {percent(figure['value'])} `{figure['signature']}`" for metric, figure in scores)

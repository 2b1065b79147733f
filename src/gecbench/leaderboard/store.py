"""A board as a folder: one file per record, named by its content, so that any number of writers cannot collide."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from gecbench.errors import InputError
from gecbench.formats.text import write_bytes
from gecbench.leaderboard.records import Details, Record, canonical, digest, parse
from gecbench.leaderboard.schema import DIGEST

MOST_BYTES = 64 * 2**20
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
        for path in sorted(self._folder("records").glob("*.json")):
            try:
                records.append(Record.from_json(_read(path)))
            except (InputError, OSError) as error:
                warnings.append(f"records/{path.name!a} is skipped: {error}"[:400])
        records.sort(key=lambda record: (record.date, record.system))
        return Loaded(tuple(records), tuple(warnings))

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
        try:
            kept = parse(self._path("tests", digest(question.encode())).read_bytes())
            if kept["question"] == question and isinstance(kept["answer"], float):
                return float(kept["answer"])
        except (OSError, InputError, KeyError, TypeError):
            pass
        return None

    def remember(self, question: str, answer: float) -> None:
        """Keep the answer to a question of this board in `tests/`, so that it is computed once."""
        data = canonical({"question": question, "answer": answer})
        self._write("tests", digest(question.encode()), data, durable=False)

    def remove_leftovers(self) -> None:
        """Remove the temporary files of writers that were killed, once they are an hour old."""
        kinds = ("records", "details", "tests")
        for path in (path for kind in kinds for path in self._folder(kind).glob(".*")):
            try:
                if path.is_file() and path.stat().st_mtime < time.time() - _LEFTOVER_SECONDS:
                    path.unlink(missing_ok=True)
            except OSError:
                continue

    def changed(self) -> float:
        """Return when a record was last added, as a time that only grows."""
        folder = self._folder("records")
        return folder.stat().st_mtime if folder.is_dir() else 0.0

    def _folder(self, kind: str) -> Path:
        return self.folder / kind

    def _path(self, kind: str, name: str) -> Path:
        if not DIGEST.fullmatch(name):
            raise InputError(f"{name!r:.80} is not the name of a file of the board")
        return self._folder(kind) / f"{name}.json"

    def _write(self, kind: str, name: str, data: bytes, *, durable: bool = True) -> None:
        path = self._path(kind, name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot write: {error.strerror}", file=str(path.parent)) from error
        write_bytes(path, data, durable=durable)


def _read(path: Path) -> bytes:
    if path.is_symlink() or not path.is_file():
        raise InputError("not a plain file")
    if path.stat().st_size > MOST_BYTES:
        raise InputError("too large")
    data = path.read_bytes()
    if digest(data) != path.stem:
        raise InputError("its content does not match its name")
    return data

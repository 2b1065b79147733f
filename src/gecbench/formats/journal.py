"""Journals that let you resume a run after it was interrupted.

`RowJournal` is a JSON Lines file with one row per result. `StateJournal` is a folder with the finished parts of a table
and one file for the state of the run. This file is replaced as a whole. A journal stores the key of its run: the
options that must not change. A run with another key cannot use the journal. Only one process can use it at a time.

Use a journal as a context manager: `load` the results of an earlier run, append or save, then `finish`, which deletes
the journal. If you leave the context without `finish`, the journal is kept for the next run.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gecbench.errors import InputError, counted, write_advice
from gecbench.formats.text import flush_file, lock, write_bytes

if TYPE_CHECKING:
    import pyarrow
    from typing_extensions import Self


_DIGITS = 64


class Journal(ABC):
    """Base class of journals, with the key of the run and a lock.

    The lock reserves the journal for one process. `elsewhere` is the advice in error messages for using another
    journal.
    """

    def __init__(self, path: Path, key: Mapping[str, object], elsewhere: str) -> None:
        self.path = path
        self._key: dict[str, Any] = json.loads(json.dumps(key))
        self._elsewhere = elsewhere
        self._locked: IO[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    @abstractmethod
    def leave(self) -> None:
        """Close the journal, and keep it for the next run.

        If there is nothing to resume from, delete the journal.
        """

    def close(self) -> None:
        """Unlock the journal."""
        if self._locked is not None:
            self._locked.close()
            self._locked = None

    def _lock(self, file: Path) -> IO[bytes]:
        """Open a file of the journal and lock it for this process."""
        opened = file.open("a+b", buffering=0)
        try:
            lock(opened, str(self.path), self._elsewhere)
        except BaseException:
            opened.close()
            raise
        self._locked = opened
        return opened


class RowJournal(Journal):
    """A JSON Lines file with the key of the run and one row per result.

    The key is on the first line. The rows are in order of arrival. Rows are written with one system call. If the
    process is killed, at most the last row is incomplete, and `load` drops it.
    """

    def __init__(self, path: Path, key: Mapping[str, object], elsewhere: str) -> None:
        super().__init__(path, key, elsewhere)
        self._rows = 0
        self._complete: int | None = None  # bytes of key and complete rows, until the rest is cut off

    def load(self, *, restart: bool = False) -> list[dict[str, Any]]:
        """Open the file and return its rows. With `restart`, discard all rows instead.

        Raises an InputError if the file is damaged, in use or from another run. The file does not change before the
        first row is added, so you can still reject a row with `damaged`.
        """
        if self.path.is_symlink() or (self.path.exists() and not self.path.is_file()):
            raise InputError("is not a regular file", file=str(self.path), fix=self._elsewhere)
        try:
            file = self._lock(self.path)
        except OSError as error:
            problem = f"cannot write: {error.strerror}"
            raise InputError(problem, file=str(self.path), fix=write_advice(error)) from error
        try:
            if restart:
                file.truncate(0)
            return self._read_rows()
        except BaseException:
            self.close()
            raise

    def damaged(self, row: int) -> InputError:
        """Return the error for a row (from 0) that this run cannot have written."""
        return self._damage(row + 2)

    def append(self, rows: Iterable[Mapping[str, object]]) -> None:
        """Add rows at the end."""
        self._rows += self._write(rows)

    def truncate(self, rows: int) -> None:
        """Keep only the first rows."""
        self._write([])
        kept = self.path.read_bytes().split(b"\n")[: rows + 1]
        self._file().truncate(sum(len(row) + 1 for row in kept))
        self._rows = rows

    def finish(self) -> None:
        """Delete the file, because the run is complete."""
        self.close()
        self.path.unlink(missing_ok=True)

    def leave(self) -> None:
        """Close the file and keep it for the next run, unless it has no rows."""
        if self._locked and not self._rows:
            self.finish()
        self.close()

    def _file(self) -> IO[bytes]:
        if self._locked is None:
            raise AssertionError("the journal is not loaded")
        return self._locked

    def _write(self, rows: Iterable[Mapping[str, object]]) -> int:
        lines = [f"{json.dumps(row)}\n" for row in rows]
        head = f"{json.dumps(self._key)}\n" if self._complete == 0 else ""
        data = "".join([head, *lines]).encode()
        try:
            if self._complete is not None:
                self._file().truncate(self._complete)
                self._complete = None
            while data:
                data = data[self._file().write(data) :]
        except OSError as error:
            raise InputError(f"cannot write: {error.strerror}", file=str(self.path)) from error
        return len(lines)

    def _read_rows(self) -> list[dict[str, Any]]:
        """Return the complete rows."""
        content, rows = self.path.read_bytes(), []
        *lines, torn = content.split(b"\n")
        if not lines and not json.dumps(self._key).encode().startswith(torn):
            raise self._damage(1)
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise self._damage(number) from error
            if not isinstance(row, dict):
                raise self._damage(number)
            if number == 1:
                self._check_key(row)
            else:
                rows.append(row)
        self._rows, self._complete = len(rows), len(content) - len(torn)
        return rows

    def _check_key(self, found: Mapping[str, object]) -> None:
        if found == self._key:
            return
        names = [name for name in self._key if found.get(name) != self._key[name]]
        differences = [f"{name}: {found.get(name)!r} in the file, {self._key[name]!r} now" for name in names]
        raise InputError(
            f"contains the outputs of another run ({'; '.join(differences) or 'with other options'})",
            file=str(self.path),
            fix=f"{self._elsewhere}, or discard them with --restart",
        )

    def _damage(self, number: int) -> InputError:
        fix = "Discard the file with --restart"
        return InputError("this line is damaged", file=str(self.path), line=number, fix=fix)


class State(NamedTuple):
    """The state of a run: JSON values and arrays."""

    facts: dict[str, Any]
    arrays: dict[str, npt.NDArray[Any]]


class _Part(NamedTuple):
    """A finished part of a table: its number of rows and the hash of its file."""

    rows: int
    digest: str


def _hash_of(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(2**20):
            found.update(chunk)
    return found.hexdigest()


class StateJournal(Journal):
    """A folder with the state of a run and the finished parts of its table.

    The folder is next to the table that the run writes (`target`), or in the current folder if the run writes no table.

    Each part of the table is closed before the state lists it. A resumed run keeps the listed parts and writes all
    other rows again. The parts are kept until the table is complete. The state has the number of rows and the hash of
    each part. The file of the state starts with a hash of its other bytes. So any later change to a part or the state
    is detected.
    """

    _FACTS = "facts"

    def __init__(self, key: Mapping[str, object], target: Path | None, elsewhere: str) -> None:
        name = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:8]
        super().__init__(Path(f"{target or f'gecbench-{name}'}.journal"), key, elsewhere)
        self._target = target
        self._state = self.path / "state"
        self._parts: list[_Part] = []
        self._rows = 0
        self._writer: Any = None

    def load(self, *, resume: bool) -> State | None:
        """Return the last state of the unfinished run.

        Without `resume`, return None for a new run. Raises an InputError if the state is damaged or missing, belongs to
        another run, or would be overwritten.
        """
        exists = self._state.exists()
        if exists:
            self._own_folder()
        if not resume and not exists:
            return None
        if not resume:
            fix = "Resume the run with --resume, or delete the folder"
            raise InputError("this folder belongs to an unfinished run", file=str(self.path), fix=fix)
        if not exists:
            raise InputError("there is no unfinished run to resume", file=str(self.path), fix="Start without --resume")
        facts, arrays = self._read_state()
        try:
            key, parts = facts.pop("key"), [_Part(int(rows), str(digest)) for rows, digest in facts.pop("parts")]
        except (KeyError, TypeError, ValueError) as error:
            raise self.damaged() from error
        if key != self._key:
            fix = "Use the files and options of that run, or delete the folder"
            raise InputError("belongs to a run with other files or options", file=str(self.path), fix=fix)
        for number, part in enumerate(parts):
            self._check_part(self._part(number), part)
        self._parts = parts
        return State(facts, arrays)

    def damaged(self) -> InputError:
        """Return the error for a state that this run cannot have written."""
        fix = "Delete the folder of this file, and start without --resume"
        return InputError("the saved state is damaged", file=str(self._state), fix=fix)

    def append(self, table: pyarrow.Table) -> None:
        """Add rows to the open part of the table."""
        import pyarrow.parquet

        if self._writer is None:
            self._own_folder()
            path = self._part(len(self._parts))
            self._writer = pyarrow.parquet.ParquetWriter(path, table.schema, compression="zstd")
        self._writer.write_table(table)
        self._rows += table.num_rows

    def save(self, state: State) -> None:
        """Close the open part, and replace the state."""
        self._own_folder()
        self._close_part()
        arrays: dict[str, Any] = dict(state.arrays)
        arrays[self._FACTS] = json.dumps({**state.facts, "key": self._key, "parts": self._parts})
        content = io.BytesIO()
        np.savez(content, **arrays)
        data = content.getvalue()
        write_bytes(self._state, hashlib.sha256(data).hexdigest().encode() + data, durable=True)

    def finish(self) -> None:
        """Join the parts into the table at `target`, and delete the folder."""
        self._close_part()
        if self._target and self._parts:
            self._join_parts().replace(self._target)
        self.discard()

    def leave(self) -> None:
        """Keep the folder for the next run if it has a state, and delete it otherwise."""
        if self._state.exists():
            self.close()
        else:
            self.discard()

    def discard(self) -> None:
        """Delete the folder of this run.

        The state is deleted first, so that no run resumes from an incomplete folder.
        """
        is_ours = self._locked is not None
        self.close()
        if is_ours:
            with suppress(OSError):
                self._state.unlink(missing_ok=True)
            shutil.rmtree(self.path, ignore_errors=True)

    def close(self) -> None:
        """Close the open part, and unlock the folder."""
        self._close_part()
        super().close()

    def _own_folder(self) -> None:
        if self._locked is None:
            self.path.mkdir(exist_ok=True)
            self._lock(self.path / "lock")

    def _close_part(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None
            path = self._part(len(self._parts))
            flush_file(path)  # must be on disk before the state that refers to it
            self._parts.append(_Part(self._rows, _hash_of(path)))
            self._rows = 0

    def _join_parts(self) -> Path:
        import pyarrow.parquet

        whole = self.path / "whole.parquet"
        schema = pyarrow.parquet.read_schema(self._part(0))
        with pyarrow.parquet.ParquetWriter(whole, schema, compression="zstd") as writer:
            for number in range(len(self._parts)):
                for batch in pyarrow.parquet.ParquetFile(self._part(number)).iter_batches():
                    writer.write_batch(batch)
        return whole

    def _read_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return the values and arrays of the state, after checking its hash."""
        from zipfile import BadZipFile

        try:
            content = self._state.read_bytes()
            digest, data = content[:_DIGITS], content[_DIGITS:]
            if hashlib.sha256(data).hexdigest().encode() != digest:
                raise self.damaged()
            with np.load(io.BytesIO(data), allow_pickle=False) as file:
                arrays = dict(file)
            facts = json.loads(str(arrays.pop(self._FACTS)))
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise self.damaged() from error
        if not isinstance(facts, dict):
            raise self.damaged()
        return facts, arrays

    def _check_part(self, path: Path, part: _Part) -> None:
        """Raise an error if a part of the table was changed or deleted."""
        fix = "Delete the folder of this file, and start without --resume"
        try:
            digest = _hash_of(path)
        except OSError as error:
            raise InputError("a part of the table is missing", file=str(path), fix=fix) from error
        if digest != part.digest:
            problem = f"has changed since the interrupted run wrote {counted(part.rows, 'row')} to this file"
            raise InputError(problem, file=str(path), fix=fix)

    def _part(self, number: int) -> Path:
        return self.path / f"part-{number:06d}.parquet"

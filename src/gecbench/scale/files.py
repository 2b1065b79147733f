"""Files read batch by batch: lines of text, columns of JSON Lines and Parquet, blocks of M2."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError
from gecbench.formats.columns import EDITS, Columns
from gecbench.formats.jsonl import json_values
from gecbench.formats.m2 import parse_m2
from gecbench.formats.text import STANDARD_INPUT, lines_of, split_lines

_CHUNK = 2**20
_UNREAD = (".csv", ".tsv", ".xml")


class Values(Protocol):
    """Values of sentences, to be taken some at a time."""

    def take(self, count: int) -> Sequence[Any]:
        """Return the next values, fewer at the end."""


class Lines:
    """The lines of a text file, `.gz` file or standard input, as `formats.text.read_lines` reads them."""

    def __init__(self, path: str) -> None:
        self.path, self.taken = path, 0
        self._file = _opened(path)

    def take(self, count: int) -> list[str]:
        """Return the next lines."""
        with _readable(self.path):
            data = b"".join(islice(self._file, count))
        try:
            lines = split_lines(data, self.path) if self.taken == 0 else lines_of(data.decode())
        except UnicodeDecodeError as error:
            line = self.taken + data.count(b"\n", 0, error.start) + 1
            fix = f"Convert it first, for example: iconv -f latin1 -t utf-8 {self.path}"
            raise InputError(
                f"not UTF-8: byte 0x{data[error.start]:02x}", file=self.path, line=line, fix=fix
            ) from error
        self.taken += len(lines)
        return lines


class JsonColumn:
    """A column of JSON Lines, found by its usual names or by its own."""

    def __init__(self, path: str, names: Sequence[str], wanted: str | None) -> None:
        self._lines, self._names, self._wanted = Lines(path), names, wanted

    def take(self, count: int) -> list[Any]:
        """Return the next values; a row without the column has none."""
        before = self._lines.taken
        lines = self._lines.take(count)
        try:
            rows = json_values(lines, self._lines.path)
        except InputError as error:
            number = before + (error.line or 0)
            raise InputError(error.problem, file=error.file, line=number, fix=error.fix) from error
        for number, row in enumerate(rows, start=before + 1):
            if not isinstance(row, dict):
                raise InputError("not a JSON object", file=self._lines.path, line=number)
        if rows and self._wanted is None:
            self._wanted = _found(rows[0], self._names, None, self._lines.path)
        return [row.get(self._wanted) for row in rows]


class ParquetColumn:
    """A column of a Parquet file, found by its usual names or by its own."""

    def __init__(self, path: str, names: Sequence[str], wanted: str | None) -> None:
        import pyarrow
        import pyarrow.parquet

        try:
            self._file = pyarrow.parquet.ParquetFile(path)
        except FileNotFoundError as error:
            raise InputError("no such file", file=path, fix="Check the path") from error
        except (pyarrow.ArrowException, OSError) as error:
            raise InputError(f"not a Parquet file: {str(error).splitlines()[0]}", file=path) from error
        self.rows = self._file.metadata.num_rows
        column = _found(self._file.schema_arrow.names, names, wanted, path)
        self._batches = self._file.iter_batches(columns=[column])
        self._waiting: list[Any] = []

    def take(self, count: int) -> list[Any]:
        """Return the next values."""
        while len(self._waiting) < count and (batch := next(self._batches, None)) is not None:
            self._waiting += batch.column(0).to_pylist()
        taken, self._waiting = self._waiting[:count], self._waiting[count:]
        return taken


class Blocks:
    """The sentences of an M2 file, as corpora of annotations."""

    def __init__(self, path: str) -> None:
        self.path, self._number = path, 0
        self._lines = Lines(path)
        self._waiting: list[str] = []

    def take(self, count: int) -> Sequence[Corpus]:
        """Return the next sentences as one corpus, none at the end."""
        lines, before, blocks = list[str](), self._number, 0
        while blocks < count and (line := self._next()) is not None:
            blocks += not line.strip() and bool(lines) and bool(lines[-1].strip())
            lines.append(line)
        if not any(line.strip() for line in lines):
            return ()
        try:
            return (parse_m2(lines, self.path),)
        except InputError as error:
            number = None if error.line is None else error.line + before
            raise InputError(error.problem, file=error.file, line=number, fix=error.fix) from error

    def _next(self) -> str | None:
        if not self._waiting:
            self._waiting = self._lines.take(_CHUNK // 64)[::-1]
        self._number += bool(self._waiting)
        return self._waiting.pop() if self._waiting else None


def values_of(path: str, names: Sequence[str], wanted: str | None = None) -> Values:
    """Return the texts of a file: the column of a table that has one of these names, else its lines."""
    ending = Path(path.removesuffix(".gz")).suffix.lower()
    if ending in _UNREAD:
        raise InputError(f"{ending} is not read as a stream", file=path, fix="Use text, .jsonl or .parquet")
    if ending == ".jsonl":
        return JsonColumn(path, names, wanted)
    if ending == ".parquet":
        return ParquetColumn(path, names, wanted)
    if wanted is not None:
        raise InputError("plain text has no columns", file=path, fix="Columns are for .jsonl and .parquet")
    return Lines(path)


def is_edits(path: str) -> bool:
    """Return whether a file's name says that it holds coded edits."""
    return path.removesuffix(".gz").endswith(EDITS)


def count_sentences(path: str, values: Values) -> int | None:
    """Return how many values a file holds, where that is quickly known: not of `.gz` and of standard input."""
    if isinstance(values, ParquetColumn):
        return int(values.rows)
    if path == STANDARD_INPUT or path.endswith(".gz") or not Path(path).is_file() or is_edits(path):
        return None
    with Path(path).open("rb") as file:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(_CHUNK), b""))


def _found(known: Sequence[str], names: Sequence[str], wanted: str | None, path: str) -> str:
    return Columns(dict.fromkeys(known, ()), path).find(names, wanted, "--column NAME")


def _opened(path: str) -> Iterable[bytes]:
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise InputError("standard input is closed", fix="Name a file, or pipe something into it")
        return sys.stdin.buffer
    if Path(path).is_dir():
        raise InputError("is a directory, not a file", file=path)
    with _readable(path):
        return gzip.open(path, "rb") if path.endswith(".gz") else Path(path).open("rb")


@contextmanager
def _readable(path: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise InputError("no such file", file=path, fix="Check the path") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"is not a whole gzip file ({error})", file=path) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error

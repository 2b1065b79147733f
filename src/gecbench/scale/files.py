"""Files read batch by batch: lines of text, columns of JSON Lines and Parquet, blocks of M2."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any, Protocol

from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError
from gecbench.formats.columns import EDITS, Columns
from gecbench.formats.jsonl import json_values
from gecbench.formats.m2 import parse_m2
from gecbench.formats.text import STANDARD_INPUT, lines_of, split_lines

_CHUNK = 2**20
_LINES = 2**14
_UNREAD = (".csv", ".tsv", ".xml")


class Values(Protocol):
    """Something of each sentence, to be taken some sentences at a time."""

    def take(self, count: int) -> Any:
        """Return that of the next sentences, at most so many, and nothing at the end."""


class Lines:
    """The lines of a text file, `.gz` file or standard input, as `formats.text.read_lines` reads them."""

    def __init__(self, path: str) -> None:
        self.path, self.taken = path, 0
        self._file = _opened(path)

    def take(self, count: int) -> list[str]:
        """Return the next lines."""
        with _readable(self.path):
            raw = list(islice(self._file, count))
        if len(raw) < count and self.path != STANDARD_INPUT:
            self._file.close()
            self._file = io.BytesIO()
        data = b"".join(raw)
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


@dataclass(frozen=True)
class Wanted:
    """A column of a table, by its usual names or by its own, and whether the table may have a column of ids."""

    names: Sequence[str]
    column: str | None = None
    ids: bool = True


class JsonColumn:
    """A column of JSON Lines."""

    def __init__(self, path: str, wanted: Wanted) -> None:
        self._lines, self._wanted = Lines(path), wanted
        self._column: str | None = None

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
        if rows and self._column is None:
            self._column = _found(list(rows[0]), self._wanted, self._lines.path)
        return [row.get(self._column) for row in rows]


class ParquetColumn:
    """A column of a Parquet file."""

    def __init__(self, path: str, wanted: Wanted) -> None:
        file = _parquet(path)
        batches = file.iter_batches(columns=[_found(file.schema_arrow.names, wanted, path)])
        self._path, self._values = path, chain.from_iterable(batch.column(0).to_pylist() for batch in batches)

    def take(self, count: int) -> list[Any]:
        """Return the next values."""
        with _readable_parquet(self._path):
            return list(islice(self._values, count))


class Blocks:
    """The sentences of an M2 file, as corpora of annotations."""

    def __init__(self, path: str) -> None:
        self.path, self._before = path, 0
        self._lines = Lines(path)
        self._waiting: list[str] = []
        self._ends: list[int] = []
        self._begin = 0

    def take(self, count: int) -> Sequence[Corpus]:
        """Return the next sentences as one corpus, none at the end."""
        while len(self._ends) < count and (more := self._lines.take(_LINES)):
            self._add(more)
        end = self._ends[count - 1] if count <= len(self._ends) else len(self._waiting)
        del self._ends[:count]
        lines, before = self._waiting[self._begin : end], self._before + self._begin
        self._begin = end
        if not any(line.strip() for line in lines):
            return ()
        try:
            return (parse_m2(lines, self.path),)
        except InputError as error:
            number = None if error.line is None else error.line + before
            raise InputError(error.problem, file=error.file, line=number, fix=error.fix) from error

    def _add(self, lines: list[str]) -> None:
        """Let more lines wait; a block ends with the empty line after its text."""
        if taken := self._begin:
            del self._waiting[:taken]
            self._ends = [end - taken for end in self._ends]
            self._before, self._begin = self._before + taken, 0
        pairs = enumerate(pairwise([*(self._waiting[-1:] or [""]), *lines]), start=len(self._waiting) + 1)
        self._ends += [end for end, (above, line) in pairs if not line.strip() and above.strip()]
        self._waiting += lines


def values_of(path: str, wanted: Wanted) -> Values:
    """Return the texts of a file: a column of a table, else its lines."""
    ending = Path(path.removesuffix(".gz")).suffix.lower()
    if ending in _UNREAD:
        raise InputError(f"{ending} is not read as a stream", file=path, fix="Use text, .jsonl or .parquet")
    if ending == ".jsonl":
        return JsonColumn(path, wanted)
    if ending == ".parquet":
        return ParquetColumn(path, wanted)
    if wanted.column is not None:
        raise InputError("plain text has no columns", file=path, fix="Columns are for .jsonl and .parquet")
    return Lines(path)


def is_edits(path: str) -> bool:
    """Return whether a file's name says that it holds coded edits."""
    return path.removesuffix(".gz").endswith(EDITS)


def count_sentences(path: str) -> int | None:
    """Return how many values a file holds, where that is quickly known: not of `.gz`, M2 and standard input."""
    if path == STANDARD_INPUT or path.endswith(".gz") or is_edits(path) or not Path(path).is_file():
        return None
    if Path(path).suffix.lower() == ".parquet":
        return int(_parquet(path).metadata.num_rows)
    with Path(path).open("rb") as file:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(_CHUNK), b""))


def _found(known: Sequence[str], wanted: Wanted, path: str) -> str:
    ids = [name for name in known if name.lower() == "id"]
    if ids and not wanted.ids:
        fix = "Sort it as the corpus is and drop that column, or leave out --stream"
        raise InputError(f"has a column {ids[0]!r}, but a stream pairs row by row", file=path, fix=fix)
    return Columns(dict.fromkeys(known, ()), path).find(wanted.names, wanted.column, "--column NAME")


def _parquet(path: str) -> Any:
    import pyarrow.parquet

    with _readable_parquet(path):
        return pyarrow.parquet.ParquetFile(path)


def _opened(path: str) -> Any:
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise InputError("standard input is closed", fix="Name a file, or pipe something into it")
        return sys.stdin.buffer
    if Path(path).is_dir():
        raise InputError("is a directory, not a file", file=path)
    with _readable(path):
        return gzip.open(path, "rb") if path.endswith(".gz") else Path(path).open("rb")


@contextmanager
def _readable_parquet(path: str) -> Iterator[None]:
    import pyarrow

    try:
        with _readable(path):
            yield
    except pyarrow.ArrowException as error:
        raise InputError(f"not a whole Parquet file: {str(error).splitlines()[0]}", file=path) from error


@contextmanager
def _readable(path: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise InputError("no such file", file=path, fix="Check the path") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"is not a whole gzip file ({error})", file=path) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from error

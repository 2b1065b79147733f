"""Read the files of a corpus and of predictions in parallel, batch by batch.

This takes constant memory.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, Protocol, TypeVar

from gecbench.corpora.load import resolve_corpus
from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError, counted, error_context
from gecbench.formats.jsonl import json_values
from gecbench.formats.m2 import parse_m2
from gecbench.formats.parquet import ParquetFile
from gecbench.formats.tables import (
    EDITS,
    ENDINGS,
    PREDICTION_NAMES,
    REFERENCE_NAMES,
    SOURCE_NAMES,
    Columns,
    check_not_m2,
    edited_texts,
    id_column,
    is_essays,
    is_m2,
)
from gecbench.formats.text import STANDARD_INPUT, gzip_error, lines_of, split_lines
from gecbench.metrics.base import with_needed_references
from gecbench.scale.counting import ColumnNames, Rows, read_rows, text_fault

MOST_IN_BATCH = 2**26

_HEAD = 1 << 16
_CHUNK = 2**20
_LINES = 2**14
_NOT_STREAMED = (".csv", ".tsv", ".xml")
_PAIRED = "Write one line per sentence in both files, in the same order"
_START_AGAIN = "Delete the .journal folder of the interrupted run, and start without --resume"
_COLUMNS = ColumnNames("source", "prediction", "references")
_Item = TypeVar("_Item")


class Reader(Protocol):
    """Reads a file in steps.

    A step returns one item per sentence: a text, or the gold of the sentence.
    """

    def take(self, count: int) -> Any:
        """Return the next `count` items, or fewer at the end of the file."""

    def digests(self) -> list[str]:
        """Return one hash per file of the items read so far.

        A resumed run compares these hashes with those that the interrupted run saved.
        """


@dataclass(frozen=True)
class Inputs:
    """The files of a run.

    The corpus is given by `source` and `references`, by `gold` (M2), or by a `corpus` that is loaded as a whole.
    """

    predictions: str
    metrics: tuple[str, ...]
    source: str | None = None
    references: tuple[str, ...] = ()
    gold: str | None = None
    corpus: str | None = None
    column: str | None = None
    annotator: int | None = None

    def files(self) -> list[str]:
        """Return the names of the files."""
        return [name for name in (self.source, *self.references, self.gold, self.corpus, self.predictions) if name]

    def key(self) -> dict[str, object]:
        """Return the settings that must not change before an interrupted run is resumed."""
        found = [Path(name).stat() if Path(name).is_file() else None for name in self.files()]
        return {**vars(self), "files": [each and [each.st_size, each.st_mtime_ns] for each in found]}

    def sentences(self) -> int | None:
        """Return the number of predictions, or None if counting is slow.

        It is slow for `.gz`, M2 and standard input.
        """
        path = self.predictions
        if path == STANDARD_INPUT or path.endswith(".gz") or not Path(path).is_file() or _is_m2(path):
            return None
        if Path(path).suffix.lower() == ".parquet":
            return ParquetFile(path, path, streamed=True).rows
        with Path(path).open("rb") as file:
            return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(_CHUNK), b""))

    def batches(self, size: int, first: int = 0, digests: Sequence[str] = ()) -> Batches:
        """Return batches of at most `size` rows from row `first` on.

        `digests` are the hashes of the rows before row `first`.
        """
        return Batches(self, size, first, digests)

    def gold_reader(self) -> Reader:
        """Open the sources and the gold."""
        if self.gold is not None:
            if not _is_m2(self.gold):
                fix = "Give --gold an M2 file, or leave out --stream"
                raise InputError("is not an M2 file and cannot be streamed", file=self.gold, fix=fix)
            return _M2Reader(self.gold, self.metrics)
        if self.corpus is not None:
            return _CorpusReader(resolve_corpus(self.corpus, list(self.metrics)))
        if self.source is None or not self.references:
            raise InputError(
                "-s and -r must be given together", fix="Give the source file and at least one reference file"
            )
        return _ParallelReader(self.source, self.references)

    def prediction_reader(self) -> Reader:
        """Open the predictions."""
        if _is_m2(self.predictions):
            return _M2Reader(self.predictions, annotator=self.annotator)
        if self.annotator is not None:
            fix = f"Give an M2 file, or leave out --annotator {self.annotator}"
            raise InputError("only an M2 file has annotators", file=self.predictions, fix=fix)
        has_ids = self.predictions == self.source
        wanted = _Wanted(PREDICTION_NAMES, "Choose one with --column NAME", self.column, has_ids)
        return _text_reader(self.predictions, wanted)


class Batches:
    """Iterate over all files of a run in parallel, batch by batch.

    `digests` are the hashes of the rows before row `first`, which an interrupted run saved.
    """

    def __init__(self, inputs: Inputs, size: int, first: int, digests: Sequence[str]) -> None:
        self._inputs, self._size, self._first, self._expected = inputs, min(size, sys.maxsize), first, digests
        self._predictions = inputs.prediction_reader()  # opened before the gold, which may have to be downloaded
        self._gold = inputs.gold_reader()

    def __iter__(self) -> Iterator[Rows]:
        self._skip()
        begin = self._first
        while found := self._gold.take(self._size):
            yield self._rows(found, self._predictions.take(len(found)), begin)
            begin += len(found)
        if self._predictions.take(1):
            problem = f"more predictions than the {counted(begin, 'sentence')} of {self._inputs.files()[0]}"
            raise InputError(problem, file=self._inputs.predictions, fix=_PAIRED)

    def digests(self) -> list[str]:
        """Return a hash of the rows read so far for each file of `Inputs.files`."""
        return [*self._gold.digests(), *self._predictions.digests()]

    def _skip(self) -> None:
        """Skip the rows that the interrupted run scored.

        Raise an error if these rows changed.
        """
        begin = 0
        while begin < self._first and (found := self._gold.take(min(self._size, self._first - begin))):
            begin += len(self._predictions.take(len(found)))
        scored = counted(self._first, "sentence")
        if begin < self._first:
            problem = f"has only {counted(begin, 'prediction')}, but the interrupted run scored {scored}"
            raise InputError(problem, file=self._inputs.predictions, fix=_START_AGAIN)
        if not self._first:
            return
        for file, ours, theirs in zip(self._inputs.files(), self.digests(), self._expected, strict=True):
            if ours != theirs:
                first = "sentence" if self._first == 1 else scored
                problem = f"the first {first} changed since the interrupted run"
                raise InputError(problem, file=file, fix=_START_AGAIN)

    def _rows(self, gold: Corpus | _Parallel, predictions: Any, begin: int) -> Rows:
        if len(predictions) < len(gold):
            problem = (
                f"{counted(begin + len(predictions), 'prediction')}, but {self._inputs.files()[0]} has more sentences"
            )
            raise InputError(problem, file=self._inputs.predictions, line=begin + len(predictions) + 1, fix=_PAIRED)
        places = range(begin, begin + len(gold))
        if isinstance(predictions, Corpus):
            corpus = gold.corpus() if isinstance(gold, _Parallel) else gold
            with error_context(f"{self._inputs.predictions}, batch that starts at sentence {begin + 1}"):
                return Rows(list(places), [None] * len(gold), corpus, corpus, edited_texts(predictions, corpus))
        if isinstance(gold, _Parallel):
            columns = {"source": gold.sources, "references": gold.references, "prediction": predictions}
            return read_rows(columns, _COLUMNS, places)
        return _rows_of_corpus(gold, predictions, places)


def _rows_of_corpus(corpus: Corpus, predictions: Sequence[Any], places: range) -> Rows:
    """Return the rows of a corpus. A row is invalid if its prediction is not a text."""
    faults = [fault and f"prediction {fault}" for fault in map(text_fault, predictions)]
    good = [row for row, fault in enumerate(faults) if fault is None]
    if len(good) == len(faults):
        return Rows(list(places), faults, corpus, corpus, predictions)
    if not good:
        return Rows(list(places), faults, corpus)
    return Rows(list(places), faults, corpus, corpus.select(good), [predictions[row] for row in good])


@dataclass(frozen=True)
class _Parallel:
    """Sources and references from several files.

    In a table, any value may be missing.
    """

    sources: list[Any]
    references: list[Any]

    def __len__(self) -> int:
        return len(self.sources)

    def corpus(self) -> Corpus:
        texts = [[found] if isinstance(found, str) else found for found in self.references]
        return Corpus(sources=self.sources, references=texts)


class _ParallelReader:
    def __init__(self, source: str, references: Sequence[str]) -> None:
        self._files = (source, *references)
        self._taken = 0
        self._columns = [
            _text_reader(source, _Wanted(SOURCE_NAMES, "Rename one to source")),
            *(
                _text_reader(file, _Wanted(REFERENCE_NAMES, "Rename one to references", ids=file == source))
                for file in references
            ),
        ]

    def take(self, count: int) -> _Parallel:
        sources, *references = (column.take(count) for column in self._columns)
        if not self._taken:
            for file, values in zip(self._files, (sources, *references), strict=True):
                texts = [value for value in values if isinstance(value, str)]
                check_not_m2(texts, file)
                if is_essays(texts):
                    raise InputError("essays cannot be streamed", file=file, fix="Leave out --stream")
        for file, values in zip(self._files[1:], references, strict=True):
            if len(values) != len(sources):
                kind = "more" if len(values) > len(sources) else "fewer"
                line = self._taken + min(len(values), len(sources)) + 1
                raise InputError(f"{kind} lines than {self._files[0]}", file=file, line=line, fix=_PAIRED)
        self._taken += len(sources)
        return _Parallel(sources, references[0] if len(references) == 1 else list(zip(*references, strict=True)))

    def digests(self) -> list[str]:
        return [digest for column in self._columns for digest in column.digests()]


class _CorpusReader:
    """Slices of a corpus that is in memory."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus, self._taken = corpus, 0

    def take(self, count: int) -> Corpus | tuple[()]:
        begin, self._taken = self._taken, min(self._taken + count, len(self._corpus))
        return self._corpus.select(range(begin, self._taken)) if begin < self._taken else ()

    def digests(self) -> list[str]:
        return [self._corpus.fingerprint()]


class _M2Reader:
    """The sentences of an M2 file.

    They have the references that the metrics need, or the edits of one annotator.
    """

    def __init__(self, path: str, metrics: Sequence[str] = (), annotator: int | None = None) -> None:
        self._path, self._metrics, self._annotator = path, metrics, annotator
        self._has_annotator = annotator is None
        self._lines = _LineReader(path)
        self._blocks = _blocks(self._lines)
        self._taken = 0

    def take(self, count: int) -> Corpus | tuple[()]:
        lines = list(_capped(chain.from_iterable(islice(self._blocks, count)), len, self._path))
        if not lines:
            if not self._has_annotator:
                fix = "Choose another --annotator"
                raise InputError(f"there is no annotator {self._annotator}", file=self._path, fix=fix)
            return ()
        with _numbered_from(self._taken):
            corpus = parse_m2(lines, self._path)
        self._taken += len(lines)
        if self._annotator is not None and (table := corpus.edit_table()) is not None:
            chosen = table.of_annotator(self._annotator)
            self._has_annotator |= len(chosen.annotators) > 0
            return corpus.replace(annotations=chosen)
        return with_needed_references(corpus, self._metrics)

    def digests(self) -> list[str]:
        return self._lines.digests()


def _blocks(reader: _LineReader) -> Iterator[list[str]]:
    """Yield the lines of each block of M2.

    A block ends at the first empty line after its text.
    """
    block: list[str] = []
    has_text, size = False, 0
    while lines := reader.take(_LINES):
        for line in lines:
            block.append(line)
            size += len(line)
            if size > MOST_IN_BATCH:
                raise _too_large(reader.path)
            if line.strip():
                has_text = True
            elif has_text:
                yield block
                block, has_text, size = [], False, 0
    if has_text:
        yield block


@dataclass(frozen=True)
class _Wanted:
    """How to find a column of a table.

    The column has the name `column`, or else one of the common `names`. `ids` tells whether the table may have a column
    of ids. `fix` is the advice in the error for a missing column.
    """

    names: Sequence[str]
    fix: str
    column: str | None = None
    ids: bool = True

    def find(self, known: Sequence[str], path: str) -> str:
        ids = id_column(known)
        if ids is not None and not self.ids:
            fix = "Sort the rows in the order of the corpus and drop that column, or leave out --stream"
            raise InputError(f"has an id column ({ids!r}), but --stream pairs rows by position", file=path, fix=fix)
        return Columns(dict.fromkeys(known, ()), path).find(self.names, self.column, self.fix)


def _text_reader(path: str, wanted: _Wanted) -> Reader:
    """Return a reader for a column of a table, or for the lines of another file."""
    ending = Path(path.removesuffix(".gz")).suffix.lower()
    if ending in _NOT_STREAMED:
        raise InputError(f"{ending} files cannot be streamed", file=path, fix="Use text, .jsonl or .parquet")
    if ending == ".jsonl":
        return _JsonReader(path, wanted)
    if ending == ".parquet":
        return _ParquetReader(path, wanted)
    if wanted.column is not None:
        fix = "Leave out --column, or give a table (.jsonl, .parquet)"
        raise InputError("plain text has no columns", file=path, fix=fix)
    return _LineReader(path)


class _LineReader:
    """The lines of a text file, `.gz` file or standard input.

    They are the same as those that `formats.text.read_lines` returns.
    """

    def __init__(self, path: str) -> None:
        self.path, self.taken = path, 0
        self._file = _open_lines(path)
        self._hash = hashlib.sha256()

    def take(self, count: int) -> list[str]:
        with _reading(self.path):
            raw = list(islice(self._lines(), count))
        if len(raw) < count and self.path != STANDARD_INPUT:
            self._file.close()
            self._file = io.BytesIO()
        data = b"".join(raw)
        try:
            lines = split_lines(data, self.path) if self.taken == 0 else lines_of(data.decode())
        except UnicodeDecodeError as error:
            line = self.taken + data.count(b"\n", 0, error.start) + 1
            fix = f"Convert the file first, for example: iconv -f latin1 -t utf-8 {self.path}"
            raise InputError(
                f"not UTF-8: byte 0x{data[error.start]:02x}", file=self.path, line=line, fix=fix
            ) from error
        self.taken += len(lines)
        self._hash.update("".join(f"{line}\n" for line in lines).encode())
        return lines

    def _lines(self) -> Iterator[bytes]:
        """Return the lines.

        In a `.gz` file, their size is limited, because a few bytes can unpack to a huge line.
        """
        if not self.path.endswith(".gz"):
            return iter(self._file)
        return _capped(iter(lambda: self._file.readline(MOST_IN_BATCH + 1), b""), len, self.path)

    def digests(self) -> list[str]:
        return [self._hash.hexdigest()]


class _JsonReader:
    """A column of a JSON Lines file. A row without this column has the value None."""

    def __init__(self, path: str, wanted: _Wanted) -> None:
        self._lines, self._wanted = _LineReader(path), wanted
        self._column: str | None = None

    def take(self, count: int) -> list[Any]:
        path, before = self._lines.path, self._lines.taken
        lines = self._lines.take(count)
        with _numbered_from(before):
            rows = json_values(lines, path)
            for number, row in enumerate(rows, start=1):
                if not isinstance(row, dict):
                    raise InputError("not a JSON object", file=path, line=number, fix="Write {...} on every line")
        if rows and self._column is None:
            self._column = self._wanted.find(list(rows[0]), path)
        return [row.get(self._column) for row in rows]

    def digests(self) -> list[str]:
        return self._lines.digests()


class _ParquetReader:
    """A column of a Parquet file."""

    def __init__(self, path: str, wanted: _Wanted) -> None:
        file = ParquetFile(path, path, streamed=True)
        self._path = path
        self._values = file.column(wanted.find(file.names, path))
        self._hash = hashlib.sha256()

    def take(self, count: int) -> list[Any]:
        values = list(_capped(islice(self._values, count), _text_size, self._path))
        for value in values:
            self._hash.update(f"{value!r}\n".encode())
        return values

    def digests(self) -> list[str]:
        return [self._hash.hexdigest()]


def _capped(items: Iterable[_Item], size_of: Callable[[_Item], int], path: str) -> Iterator[_Item]:
    """Yield the items of one batch of a file.

    Raise an error if their text exceeds the limit.
    """
    size = 0
    for item in items:
        size += size_of(item)
        if size > MOST_IN_BATCH:
            raise _too_large(path)
        yield item


def _too_large(path: str) -> InputError:
    fix = "Give a smaller --batch-size, or shorten the longest texts"
    return InputError(f"a batch has more text than the limit of {MOST_IN_BATCH:,} bytes", file=path, fix=fix)


def _text_size(value: Any) -> int:
    """Return the length of a text, or of the texts in a list."""
    if isinstance(value, list):
        return sum(map(_text_size, value))
    return len(value) if isinstance(value, str | bytes) else 1


def _is_m2(path: str) -> bool:
    """Return whether a file is M2, by its extension or its first lines."""
    name = path.removesuffix(".gz").lower()
    if name.endswith(EDITS) or name.endswith(ENDINGS) or path == STANDARD_INPUT or not Path(path).is_file():
        return name.endswith(EDITS)
    with _reading(path), _open_lines(path) as file:
        head: bytes = file.read(_HEAD)
    return is_m2(head.decode(errors="replace").split("\n"))


def _open_lines(path: str) -> Any:
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise InputError("standard input is closed", fix="Give a file, or pipe text into the command")
        return sys.stdin.buffer
    if Path(path).is_dir():
        raise InputError("is a directory, not a file", file=path)
    with _reading(path):
        return gzip.open(path, "rb") if path.endswith(".gz") else Path(path).open("rb")


@contextmanager
def _reading(path: str) -> Iterator[None]:
    """Convert errors of the file system and of gzip to `InputError`."""
    try:
        yield
    except FileNotFoundError as error:
        raise InputError("no such file", file=path, fix="Check the path") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise gzip_error(error, path) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from error


@contextmanager
def _numbered_from(before: int) -> Iterator[None]:
    """Add the number of lines before this batch to the line number of an error."""
    try:
        yield
    except InputError as error:
        line = None if error.line is None else error.line + before
        raise InputError(error.problem, file=error.file, line=line, fix=error.fix) from error

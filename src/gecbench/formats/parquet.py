"""Read columns of Parquet files with a memory limit.

The limit is needed because a few bytes can decode to gigabytes of repeated text.

First we check the number of rows and the unpacked size in the file's metadata. Only the requested columns are read.

Parquet stores a repeated text once, in the dictionary of a row group. So we look up the longest text of each
dictionary, read rows in batches that cannot decode to more than 64 MiB, and add up the decoded sizes. A list in one
row can hold any number of texts. If these could exceed 64 MiB, we read them as dictionary indices, and decode them
piece by piece once their size is known.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gecbench.errors import InputError, counted

if TYPE_CHECKING:
    import pyarrow

MOST_DECODED = 2**30
MOST_DECODED_OF_SMALL = 2**26
MOST_RATIO = 200
_BYTES_PER_VALUE = 8
_ROWS_PER_BATCH = 2**14
_UNPACK = "Write the data as text or JSON Lines, or split it into smaller files"


class ParquetFile:
    """An open Parquet file.

    `names` are the names of its columns, and `rows` is the number of rows. `column` yields the values of a column.

    `source` is a path or the content of a file. `file` is the name for error messages. The decoded text may be at most
    200 times as large as the file. Unless the file is `streamed`, the decoded text is also limited to 1 GiB.
    """

    def __init__(self, source: str | bytes, file: str, *, streamed: bool = False) -> None:
        import pyarrow.parquet

        self.file = file
        with self._reading("not a Parquet file, or incomplete", "Write it again"):
            opened = pyarrow.BufferReader(source) if isinstance(source, bytes) else pyarrow.OSFile(source)
            size = opened.size()
            self._file = pyarrow.parquet.ParquetFile(opened)
            self._coded = pyarrow.parquet.ParquetFile(opened, read_dictionary=_texts_of(self._file.schema))
            self.names: list[str] = self._file.schema_arrow.names
            self.rows: int = self._file.metadata.num_rows
        allowed = max(MOST_RATIO * size, MOST_DECODED_OF_SMALL)
        self._most = allowed if streamed else min(allowed, MOST_DECODED)
        self._most_at_once = min(self._most, MOST_DECODED_OF_SMALL)
        self._decoded = 0
        self._check(self.rows * _BYTES_PER_VALUE, f"its {counted(self.rows, 'row')} need")

    def column(self, name: str) -> Iterator[Any]:
        """Yield the values of a column. Texts that are not UTF-8 are yielded as bytes."""
        with self._reading("the Parquet file is damaged"):
            if self.names.count(name) > 1:
                raise InputError(f"there are several columns named {name!r}", file=self.file, fix="Rename all but one")
            kind = self._file.schema_arrow.field(name).type
            for group in range(self._file.metadata.num_row_groups):
                for values in self._batches(name, group, is_nested=kind.num_fields > 0):
                    self._decoded += _size_of(values)
                    self._check(self._decoded, "its text decodes to")
                    for piece in _pieces(values):
                        yield from _to_python(piece if piece.type == kind else piece.cast(kind))

    def _batches(self, name: str, group: int, *, is_nested: bool) -> Iterator[pyarrow.Array]:
        """Yield a column of a row group in batches.

        Lists that could decode to too many bytes stay encoded.
        """
        metadata = self._file.metadata.row_group(group)
        parts = [metadata.column(place) for place in range(metadata.num_columns)]
        parts = [part for part in parts if f"{part.path_in_schema}.".startswith(f"{name}.")]
        values = sum(part.num_values for part in parts)
        unpacked = sum(part.total_uncompressed_size for part in parts)
        self._check(max(unpacked, values * _BYTES_PER_VALUE), f"its column {name!r} unpacks to")
        # in delta encoding, a text may share a prefix with the text before it
        is_delta = any("DELTA_BYTE_ARRAY" in part.encodings for part in parts)
        if is_delta and is_nested:
            problem = f"the lists of {name!r} are in delta encoding, which cannot be read"
            raise InputError(problem, file=self.file, fix="Write them without delta encoding, or use JSON Lines")
        file, longest = self._file, unpacked if is_delta else self._longest_coded(name, group)
        rows = _ROWS_PER_BATCH if is_nested else max(1, min(_ROWS_PER_BATCH, self._most_at_once // max(1, longest)))
        if is_nested and unpacked + values * longest > self._most_at_once:
            file = self._coded
        for batch in file.iter_batches(columns=[name], batch_size=rows, row_groups=[group]):
            yield batch.column(0)

    def _longest_coded(self, name: str, group: int) -> int:
        """Return the size in bytes of the longest text in a column's dictionaries.

        Reading one row loads all dictionaries.
        """
        for batch in self._coded.iter_batches(columns=[name], batch_size=1, row_groups=[group]):
            return _longest_coded(batch.column(0))
        return 0

    @contextmanager
    def _reading(self, problem: str, fix: str | None = None) -> Iterator[None]:
        """Convert Arrow and file system errors to `InputError`.

        Without a `fix`, the message quotes Arrow.
        """
        import pyarrow

        try:
            yield
        except FileNotFoundError as error:
            raise InputError("no such file", file=self.file, fix="Check the path") from error
        except (pyarrow.ArrowException, OSError) as error:
            if isinstance(error, OSError) and error.errno:
                raise InputError(f"cannot be read: {os.strerror(error.errno)}", file=self.file) from error
            problem = problem if fix else f"{problem}: {str(error).splitlines()[0]}"
            raise InputError(problem, file=self.file, fix=fix) from error
        except UnicodeDecodeError as error:
            raise InputError("a column name is not UTF-8", file=self.file, fix="Rename the column") from error

    def _check(self, size: int, what: str) -> None:
        if size > self._most:
            problem = f"{what} more than {self._most:,} bytes, the limit for a file of this size"
            raise InputError(f"is too large: {problem}", file=self.file, fix=_UNPACK)


class ParquetColumns(Mapping[str, list[Any]]):
    """The columns of a Parquet file by name, read on first use."""

    def __init__(self, file: ParquetFile) -> None:
        self._file = file
        self._read: dict[str, list[Any]] = {}

    def __getitem__(self, name: str) -> list[Any]:
        if name not in self._file.names:
            raise KeyError(name)
        if name not in self._read:
            self._read[name] = list(self._file.column(name))
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._file.names

    def __iter__(self) -> Iterator[str]:
        return iter(self._file.names)

    def __len__(self) -> int:
        return len(self._file.names)


def _texts_of(schema: Any) -> list[str]:
    """Return the paths of all text fields, including those in lists and structures."""
    leaves = [schema.column(place) for place in range(len(schema))]
    texts = [leaf for leaf in leaves if leaf.logical_type.type in ("STRING", "NONE")]
    return [leaf.path for leaf in texts if leaf.physical_type == "BYTE_ARRAY"]


def _pieces(array: pyarrow.Array) -> Iterator[pyarrow.Array]:
    """Yield slices of an array that each decode to at most 64 MiB, or hold one value."""
    if len(array) > 1 and _size_of(array) > MOST_DECODED_OF_SMALL:
        yield from _pieces(array[: len(array) // 2])
        yield from _pieces(array[len(array) // 2 :])
    else:
        yield array


def _size_of(array: pyarrow.Array) -> int:
    """Return the decoded size of all values in bytes.

    The size includes an overhead per Python object.
    """
    import pyarrow

    own = len(array) * _BYTES_PER_VALUE
    if _is_coded(array.type):
        lengths = _lengths(array.dictionary).take(array.indices)
        return own + int(lengths.cast(pyarrow.int64()).sum().as_py() or 0)
    if array.type.num_fields:
        return own + sum(map(_size_of, _children(array)))
    return own + int(array.nbytes)


def _longest_coded(array: pyarrow.Array) -> int:
    """Return the size in bytes of the longest text in an array's dictionaries."""
    from pyarrow import compute

    if _is_coded(array.type):
        return int(compute.max(_lengths(array.dictionary)).as_py() or 0)
    return max(map(_longest_coded, _children(array)), default=0) if array.type.num_fields else 0


def _is_coded(kind: pyarrow.DataType) -> bool:
    from pyarrow import types

    return types.is_dictionary(kind) and not types.is_primitive(kind.value_type)


def _lengths(texts: pyarrow.Array) -> pyarrow.Array:
    import pyarrow
    from pyarrow import compute

    return compute.binary_length(texts.cast(pyarrow.large_binary()))


def _children(array: pyarrow.Array) -> list[pyarrow.Array]:
    """Return the arrays inside an array of lists, maps or structures."""
    from pyarrow import types

    if types.is_map(array.type):
        return [array.keys, array.items]
    found = array.flatten()
    return list(found) if types.is_struct(array.type) else [found]


def _to_python(array: pyarrow.Array) -> list[Any]:
    """Return the values. Texts that are not UTF-8 are returned as bytes."""
    import pyarrow

    try:
        return list(array.to_pylist())
    except UnicodeDecodeError:
        if pyarrow.types.is_string(array.type) or pyarrow.types.is_large_string(array.type):
            return [None if value is None else _decoded(value) for value in array.cast(pyarrow.binary()).to_pylist()]
        return [_element(array, place) for place in range(len(array))]


def _element(array: pyarrow.Array, place: int) -> Any:
    try:
        return array[place].as_py()
    except UnicodeDecodeError as error:
        return error.object


def _decoded(value: bytes) -> str | bytes:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value

"""Lines of text: UTF-8, split on newlines only, empty lines kept."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from gecbench.errors import InputError

STANDARD_INPUT = "-"
BYTE_ORDER_MARK = "\ufeff"


def read_lines(path: str | Path) -> list[str]:
    r"""Return the lines of a file: `.gz` is read as is, `-` is standard input.

    Only "\n" ends a line (a "\r" before it is dropped), so that a form feed, U+0085 or U+2028 inside a sentence
    does not shift what follows. Empty lines are data; a byte order mark is not.
    """
    return split_lines(read_bytes(path), str(path))


def split_lines(data: bytes, file: str) -> list[str]:
    """Return the lines of a file's content, as `read_lines` does; `file` is its name in errors."""
    return lines_of(decode(data, file))


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, as `read_lines` does."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def read_text(path: str | Path) -> str:
    """Return a file's text as it is, line ends included; `.gz` is unpacked, a byte order mark dropped."""
    return decode(read_bytes(path), str(path))


def read_marked_text(path: str | Path) -> str:
    """Return a file's text as `read_text` does, but with its byte order mark, which official programs take for text."""
    data = read_bytes(path)
    mark = BYTE_ORDER_MARK if data.startswith(BYTE_ORDER_MARK.encode()) else ""
    return mark + decode(data, str(path))


def universal_newlines(text: str) -> str:
    """Return the text with a newline for every end of a line, as Python 3 opens files."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(path: str | Path) -> bytes:
    """Return the content of a file: `.gz` is unpacked, `-` is standard input."""
    if str(path) == STANDARD_INPUT:
        return sys.stdin.buffer.read()
    file = Path(path)
    if file.is_dir():
        raise InputError("is a directory, not a file", file=str(path))
    try:
        data = file.read_bytes()
    except FileNotFoundError as error:
        raise InputError("no such file", file=str(path), fix="Check the path") from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from error
    if not str(path).endswith(".gz"):
        return data
    import gzip
    import zlib

    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"is not a whole gzip file ({error})", file=str(path)) from error


def write_lines(path: str | Path, lines: Iterable[str]) -> None:
    """Write lines to a file as a whole or not at all; `-` is standard output."""
    rows = list(lines)
    for number, line in enumerate(rows, start=1):
        if "\n" in line:
            raise InputError(
                "a line break inside a sentence",
                file=str(path),
                line=number,
                fix="One sentence per line needs one line",
            )
    text = "".join(f"{line}\n" for line in rows)
    if str(path) == STANDARD_INPUT:
        sys.stdout.write(text)
        return
    data = text.encode()
    if str(path).endswith(".gz"):
        import gzip

        data = gzip.compress(data, mtime=0)
    write_bytes(path, data)


def write_bytes(path: str | Path, data: bytes, *, durable: bool = False) -> None:
    """Write a file through a temporary one beside it, so that it never exists half-written.

    `durable` waits until the disk has it.
    """
    from tempfile import mkstemp

    target = Path(path)
    try:
        handle, temporary = mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror}", file=str(path)) from error
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            if durable:
                stream.flush()
                os.fsync(stream.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(target)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise InputError(f"cannot write: {error.strerror}", file=str(path)) from error


def decode(data: bytes, file: str) -> str:
    """Return the text of a file's content: UTF-8, without a byte order mark."""
    if data.startswith(b"PAR1"):
        raise InputError(
            "is a Parquet file, not text",
            file=file,
            fix="Give it the ending .parquet, and name its column with --column",
        )
    try:
        return data.removeprefix(BYTE_ORDER_MARK.encode()).decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}",
            file=file,
            line=line,
            fix=f"Convert it first, for example: iconv -f latin1 -t utf-8 {file}",
        ) from error

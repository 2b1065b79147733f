"""Read and write text files, lock files, and find the cache folder.

Text is UTF-8, and only newlines end a line.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from gecbench.errors import InputError, UnwritableError, write_advice

STANDARD_INPUT = "-"
BYTE_ORDER_MARK = "\ufeff"
MOST_UNPACKED = 2**30


def read_lines(path: str | Path) -> list[str]:
    r"""Return the lines of a file.

    `.gz` files are unpacked, and `-` is standard input.

    Only "\n" ends a line (a "\r" before it is dropped), so a form feed, U+0085 or U+2028 inside a sentence does not
    shift the lines after it. Empty lines are kept, and a byte order mark is dropped. A file whose lines end in "\r"
    alone is an error.
    """
    return split_lines(read_bytes(path), str(path))


def split_lines(data: bytes, file: str) -> list[str]:
    """Return the lines of a file's content, as `read_lines` does.

    `file` is the name for error messages.
    """
    text = decode(data, file)
    if "\n" not in text and "\r" in text.rstrip("\r"):
        fix = rf"Convert the file first: tr '\r' '\n' < {file}"
        raise InputError("the lines end with a carriage return only", file=file, line=1, fix=fix)
    return lines_of(text)


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, as `read_lines` does."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def read_text(path: str | Path) -> str:
    """Return a file's text with unchanged line ends.

    `.gz` files are unpacked, and a byte order mark is dropped.
    """
    return decode(read_bytes(path), str(path))


def read_marked_text(path: str | Path) -> str:
    """Return a file's text like `read_text`, but keep its byte order mark.

    The official programs keep it too.
    """
    data = read_bytes(path)
    mark = BYTE_ORDER_MARK if data.startswith(BYTE_ORDER_MARK.encode()) else ""
    return mark + decode(data, str(path))


def universal_newlines(text: str) -> str:
    """Replace all kinds of line ends with a newline.

    Python 3 does the same when it opens files.
    """
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(path: str | Path) -> bytes:
    """Return the content of a file.

    `.gz` files are unpacked, and `-` is standard input.
    """
    if str(path) == STANDARD_INPUT:
        if sys.stdin is None:
            raise InputError("standard input is closed", fix="Give a file, or pipe text into the command")
        return sys.stdin.buffer.read()
    check_files([path])
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from error
    if not str(path).endswith(".gz"):
        return data
    import gzip
    import zlib

    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            unpacked = packed.read(MOST_UNPACKED + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise gzip_error(error, str(path)) from error
    if len(unpacked) > MOST_UNPACKED:
        raise InputError(f"unpacks to more than {MOST_UNPACKED / 2**30:g} GiB", file=str(path), fix="Unpack it first")
    return unpacked


def gzip_error(error: Exception, file: str) -> InputError:
    """Return the error for a file that cannot be unpacked."""
    if str(error).startswith("Not a gzipped file"):
        return InputError("is not a gzip file", file=file, fix="Rename it, or compress it with gzip")
    return InputError(f"the gzip file is damaged ({error})", file=file, fix="Compress it again")


def check_files(paths: Iterable[str | Path | None]) -> None:
    """Raise an error for missing files, before anything is read or downloaded.

    None and `-` are skipped.
    """
    for path in paths:
        if path is None or str(path) == STANDARD_INPUT:
            continue
        if Path(path).is_dir():
            raise InputError("is a directory, not a file", file=str(path))
        if not Path(path).exists():
            raise InputError("no such file", file=str(path), fix="Check the path")


def write_lines(path: str | Path, lines: Iterable[str]) -> None:
    """Write lines to a file atomically. `-` is standard output."""
    rows = list(lines)
    for number, line in enumerate(rows, start=1):
        if "\n" in line:
            raise InputError(
                "the sentence contains a line break",
                file=str(path),
                line=number,
                fix="Replace it with a space, or write JSON Lines",
            )
    text = "".join(f"{line}\n" for line in rows)
    if str(path) == STANDARD_INPUT:
        if sys.stdout is None:
            raise InputError("standard output is closed", fix="Give a file to write to")
        sys.stdout.write(text)
        return
    data = text.encode()
    if str(path).endswith(".gz"):
        import gzip

        data = gzip.compress(data, mtime=0)
    write_bytes(path, data)


def write_bytes(path: str | Path, data: bytes, *, durable: bool = False) -> None:
    """Write a file atomically, through a temporary file in the same folder.

    Links are followed. A device or a pipe is written to directly. A new file gets its permissions from the umask. An
    existing file keeps its permissions. With `durable`, wait until the data is on disk.
    """
    try:
        found = _status(path)
        if found and not stat.S_ISREG(found.st_mode):
            with Path(path).open("wb") as stream:
                stream.write(data)
            return
        target = Path(os.path.realpath(path))
        temporary = target.with_name(f".{os.urandom(8).hex()}.new")
        try:
            with temporary.open("xb") as stream:
                stream.write(data)
                if durable:
                    stream.flush()
                    os.fsync(stream.fileno())
            if found:
                temporary.chmod(stat.S_IMODE(found.st_mode))
            temporary.replace(target)
            if durable and os.name == "posix":
                flush_file(target.parent)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UnwritableError(f"cannot write: {error.strerror}", file=str(path), fix=write_advice(error)) from error


def zip_bytes(files: Mapping[str, bytes]) -> bytes:
    """Return a zip archive of these files.

    The same content always gives the same bytes.
    """
    import zipfile

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def flush_file(path: Path) -> None:
    """Wait until a file, or a folder's list of files, is on disk."""
    opened = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def check_not_overwriting(outputs: Iterable[str | Path | None], inputs: Iterable[str | Path | None] = ()) -> None:
    """Raise an error if an output would overwrite an input or another output.

    Devices and pipes are allowed.
    """
    taken = {place: str(path) for path in inputs if (place := _place(path))}
    for path in outputs:
        place = _place(path)
        if place in taken:
            fix = "Write each output to its own file"
            raise InputError("would be overwritten", file=taken[place], fix=fix)
        if place:
            taken[place] = str(path)


def is_same_file(one: str | Path, other: str | Path) -> bool:
    """Return whether two paths refer to the same regular file."""
    return (place := _place(one)) is not None and place == _place(other)


def _place(path: str | Path | None) -> object:
    """Return the identity of a regular file, or None for anything else.

    The file may not exist yet.
    """
    if path is None or str(path) == STANDARD_INPUT:
        return None
    try:
        found = _status(path)
    except OSError:
        return None
    if found is None:
        return os.path.realpath(path)
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _status(path: str | Path) -> os.stat_result | None:
    try:
        return Path(path).stat()
    except FileNotFoundError:
        return None


_PACKED = (
    (b"PAR1", "a Parquet file", "Rename it to end in .parquet, and choose a column with column=NAME"),
    (b"\x1f\x8b", "a gzip file", "Rename it to end in .gz"),
    (b"PK\x03\x04", "a zip archive", "Unpack it, or export its text as UTF-8"),
    (b"BZh91AY&SY", "a bzip2 file", "Unpack it"),
    (b"\xfd7zXZ\x00", "an xz file", "Unpack it"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard file", "Unpack it"),
)


def decode(data: bytes, file: str) -> str:
    """Decode a file's content as UTF-8, without a byte order mark."""
    for start, kind, fix in _PACKED:
        if data.startswith(start):
            raise InputError(f"is {kind}, not text", file=file, fix=fix)
    if encoding := _wide_encoding(data):
        fix = f"Convert the file first: iconv -f {encoding} -t utf-8 {file}"
        raise InputError(f"is {encoding.upper()} text, not UTF-8", file=file, fix=fix)
    try:
        return data.removeprefix(BYTE_ORDER_MARK.encode()).decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}",
            file=file,
            line=line,
            fix=f"Convert the file first, for example: iconv -f latin1 -t utf-8 {file}",
        ) from error


def _wide_encoding(data: bytes) -> str | None:
    """Return the name of a UTF-16 or UTF-32 encoding, or None.

    The encoding is recognized by a byte order mark or, in Latin text without a mark, by zeros in every other byte.
    """
    for mark, encoding in ((b"\xff\xfe\0\0", "utf-32"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return encoding
    even, odd = data[:1000:2], data[1:1000:2]
    if len(even) < 8 or b"\0" not in data[:1000]:
        return None
    zeros = (even.count(0) / len(even), odd.count(0) / len(odd))
    return "utf-16le" if zeros[1] > 0.6 > zeros[0] else "utf-16be" if zeros[0] > 0.6 > zeros[1] else None


def cache_folder() -> Path:
    """Return the folder for downloaded files and cached scores.

    It is inside the Hugging Face cache.
    """
    if home := os.environ.get("HF_HOME"):
        return Path(home).expanduser() / "gecbench"
    general = os.environ.get("XDG_CACHE_HOME")
    root = Path(general).expanduser() if general else Path.home() / ".cache"
    return root / "huggingface" / "gecbench"


try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]


def lock(file: IO[Any], name: str, fix: str) -> None:
    """Lock a file for this process until it is closed.

    Raise an error if another process holds the lock. Do nothing if the system or the file system does not support
    locks.
    """
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise InputError("is in use by another run", file=name, fix=fix) from error
    except OSError:
        return

"""Text files: UTF-8, split on newlines only, empty lines kept; atomic writes, file locks and the cache folder."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from gecbench.errors import InputError, UnwritableError

STANDARD_INPUT = "-"
BYTE_ORDER_MARK = "\ufeff"
MOST_UNPACKED = 2**30


def read_lines(path: str | Path) -> list[str]:
    r"""Return the lines of a file: `.gz` is read as is, `-` is standard input.

    Only "\n" ends a line (a "\r" before it is dropped), so that a form feed, U+0085 or U+2028 inside a sentence
    does not shift what follows. Empty lines are data; a byte order mark is not. A file whose lines end in "\r" alone
    is refused.
    """
    return split_lines(read_bytes(path), str(path))


def split_lines(data: bytes, file: str) -> list[str]:
    """Return the lines of a file's content, as `read_lines` does; `file` is its name in errors."""
    text = decode(data, file)
    if "\n" not in text and "\r" in text.rstrip("\r"):
        fix = r"Convert it first, as tr '\r' '\n' does"
        raise InputError("lines end in a carriage return alone", file=file, line=1, fix=fix)
    return lines_of(text)


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
        if sys.stdin is None:
            raise InputError("standard input is closed", fix="Name a file, or pipe something into it")
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
        raise InputError(f"is not a whole gzip file ({error})", file=str(path)) from error
    if len(unpacked) > MOST_UNPACKED:
        raise InputError(f"unpacks to more than {MOST_UNPACKED / 2**30:g} GiB", file=str(path), fix="Unpack it first")
    return unpacked


def check_files(paths: Iterable[str | Path | None]) -> None:
    """Refuse a file that is not there, before anything is read or fetched; None and standard input pass."""
    for path in paths:
        if path is None or str(path) == STANDARD_INPUT:
            continue
        if Path(path).is_dir():
            raise InputError("is a directory, not a file", file=str(path))
        if not Path(path).exists():
            raise InputError("no such file", file=str(path), fix="Check the path")


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
        if sys.stdout is None:
            raise InputError("standard output is closed", fix="Name a file to write to")
        sys.stdout.write(text)
        return
    data = text.encode()
    if str(path).endswith(".gz"):
        import gzip

        data = gzip.compress(data, mtime=0)
    write_bytes(path, data)


def write_bytes(path: str | Path, data: bytes, *, durable: bool = False) -> None:
    """Write a file through a temporary one beside it, so that it never exists half-written.

    A link is followed, and what is no regular file (a device, a pipe) is written to, not replaced. A new file has the
    permissions that the umask leaves, an old one keeps its own. `durable` waits until the disk has it.
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
        raise UnwritableError(f"cannot write: {error.strerror}", file=str(path)) from error


def zip_bytes(files: Mapping[str, bytes]) -> bytes:
    """Return a zip archive of these files, the same bytes for the same content."""
    import zipfile

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def flush_file(path: Path) -> None:
    """Wait until the disk has a file, or the names of a folder's files; `path` may be either."""
    opened = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def check_not_overwriting(outputs: Iterable[str | Path | None], inputs: Iterable[str | Path | None] = ()) -> None:
    """Refuse to write over an input, or two outputs to one file; whatever is no regular file takes all that comes."""
    taken = {place: str(path) for path in inputs if (place := _place(path))}
    for path in outputs:
        place = _place(path)
        if place in taken:
            fix = "Write each output to a file of its own"
            raise InputError("would be overwritten", file=taken[place], fix=fix)
        if place:
            taken[place] = str(path)


def is_same_file(one: str | Path, other: str | Path) -> bool:
    """Return whether two paths name one regular file."""
    return (place := _place(one)) is not None and place == _place(other)


def _place(path: str | Path | None) -> object:
    """Return what all names of one regular file, there or to be, have in common; None for anything else."""
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
    (b"PAR1", "a Parquet file", "Give it the ending .parquet, and name its column with --column"),
    (b"\x1f\x8b", "a gzip file", "Give it the ending .gz"),
    (b"PK\x03\x04", "a zip archive", "Unpack it, or export its text as UTF-8"),
)


def decode(data: bytes, file: str) -> str:
    """Return the text of a file's content: UTF-8, without a byte order mark."""
    for start, kind, fix in _PACKED:
        if data.startswith(start):
            raise InputError(f"is {kind}, not text", file=file, fix=fix)
    if encoding := _wide_encoding(data):
        fix = f"Convert it first: iconv -f {encoding} -t utf-8 {file}"
        raise InputError(f"is {encoding.upper()} text, not UTF-8", file=file, fix=fix)
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


def _wide_encoding(data: bytes) -> str | None:
    """Return the name of UTF-16 or UTF-32, by a byte order mark or by every other byte being zero, as in Latin text."""
    for mark, encoding in ((b"\xff\xfe\0\0", "utf-32"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return encoding
    even, odd = data[:1000:2], data[1:1000:2]
    if len(even) < 8 or b"\0" not in data[:1000]:
        return None
    zeros = (even.count(0) / len(even), odd.count(0) / len(odd))
    return "utf-16le" if zeros[1] > 0.6 > zeros[0] else "utf-16be" if zeros[0] > 0.6 > zeros[1] else None


def cache_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Return the folder for fetched files and cached scores, inside the Hugging Face cache home."""
    # Looked up here and not as a default, since `Dataset.map` of several processes replaces os.environ by a copy.
    environment = os.environ if environment is None else environment
    if home := environment.get("HF_HOME"):
        return Path(home).expanduser() / "gecbench"
    general = environment.get("XDG_CACHE_HOME")
    root = Path(general).expanduser() if general else Path.home() / ".cache"
    return root / "huggingface" / "gecbench"


try:
    import fcntl
except ImportError:  # pragma: no cover - where there are no such locks
    fcntl = None  # type: ignore[assignment]


def lock(file: IO[Any], name: str, fix: str) -> None:
    """Take a file for this process until it is closed, or refuse it where another has it.

    Where the system or the file's disk knows no locks, none is taken.
    """
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise InputError("another run is writing here", file=name, fix=fix) from error
    except OSError:
        return

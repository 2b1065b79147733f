"""Tables in CSV or TSV with a header, read strictly: every fault names the line where its record starts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from math import isfinite, nan

from gecbench.errors import InputError


def parse_csv(
    text: str, required: Iterable[str], *, file: str, delimiter: str = ","
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each record of a table with a header, as (line where it starts, column → value).

    Columns at the end that are not required may be missing from a record, as in MTurk's result files.
    """
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
    header: list[str] | None = None
    needed, line = 0, 1
    try:
        for record in reader:
            start, line = line, reader.line_num + 1
            if header is None:
                header, needed = _header(record, required, file)
            elif record:
                if not needed <= len(record) <= len(header):
                    problem = f"{len(record)} fields where the header has {len(header)}"
                    raise InputError(problem, file=file, line=start)
                yield start, dict(zip(header, record, strict=False))
    except csv.Error as error:
        raise InputError(f"broken CSV ({error})", file=file, line=line) from error
    if header is None:
        raise InputError("the file is empty", file=file, fix="A header line is needed")


def _header(record: list[str], required: Iterable[str], file: str) -> tuple[list[str], int]:
    required = tuple(required)
    missing = [column for column in required if column not in record]
    if missing:
        raise InputError(f"no column {', '.join(missing)}", file=file, line=1)
    if len(set(record)) != len(record):
        raise InputError("a column name occurs twice", file=file, line=1)
    return record, max((record.index(column) + 1 for column in required), default=len(record))


def whole_number(text: str, what: str, *, file: str, line: int) -> int:
    """Return the text as an integer, or an error naming the field."""
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{what} is {text!r}, not a whole number", file=file, line=line) from None


def finite_number(text: str, what: str, *, file: str, line: int) -> float:
    """Return the text as a finite number, or an error naming the field."""
    try:
        value = float(text)
    except ValueError:
        value = nan
    if not isfinite(value):
        raise InputError(f"{what} is {text!r}, not a finite number", file=file, line=line)
    return value

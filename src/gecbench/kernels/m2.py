"""M2 files parsed into arrays: source sentences with edits per annotator.

A block is `S tokens`, then one line per edit, `A start end|||type|||corrections|||required|||comment|||annotator`,
then an empty line. Tokens are separated by Unicode whitespace.

Published files contain more. The parsers skip text before the S line of a block, comments (`I …`, and `# …` between
blocks), ChERRANT's corrected sentences (`T0-A0 …`, `T0 …`) and further numbers after a span. A second S line in a block
is an error, because it is unclear which sentence the edits belong to.

`errant_compare` reads a layout of its own. Blocks are separated by exactly one empty line. The first line of a block is
its sentence, even without `S `. All other lines are edits, and their last field is the annotator. `errant_compare`
fails on ChERRANT's corrected sentences, but this parser skips them.

The parsers in this module are the reference. Their errors explain what is wrong with a file. The native parser (m2.cpp)
reads only the layout that nearly every file has: `S ` lines, edits of six fields with plain numbers, and empty lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gecbench.errors import InputError, counted, plain_number
from gecbench.kernels.tokens import Ids, Offsets, offsets_of

MAX_ERRANT_SPAN = 10_000  # tokens; detection by token makes a key of each token
_LARGEST = 2**61
_TARGET = re.compile(r"T\d+(?:-A\d+)?(?: |$)")
_SKIPPED = re.compile(rf"I |{_TARGET.pattern}")
_COMMENT = re.compile(r"I |#")
M2_EDIT = re.compile(r"A -?\d+ -?\d+\|\|\|")
_EDIT_FORM = "Write an edit as: A start end|||type|||correction|||REQUIRED|||-NONE-|||annotator"


class ParsedM2(NamedTuple):
    """The edits of an M2 file as published, concatenated.

    Sentence s is on line source_lines[s] (counted from 0), has source_lengths[s] tokens, and its annotators are the
    rows row_offsets[s]:row_offsets[s + 1], in order of appearance. Row r belongs to annotators[r] and has the edits
    edit_offsets[r]:edit_offsets[r + 1], in file order. Edit e is on line edit_lines[e] and spans the tokens
    starts[e]:ends[e]. Its other fields are indexes of `strings`, the distinct fields as written in the file.
    """

    source_lines: Offsets
    source_lengths: Offsets
    row_offsets: Offsets
    annotators: Offsets
    edit_offsets: Offsets
    edit_lines: Offsets
    starts: Offsets
    ends: Offsets
    types: Ids
    corrections: Ids
    required: Ids
    comments: Ids
    strings: list[str]


def parse(text: bytes, errant: bool = False) -> ParsedM2 | None:
    """Parse the text of an M2 file; `errant` selects the layout of `errant_compare`.

    The native version returns None for any layout but the standard one. Such files need this parser.
    """
    lines = text.decode().split("\n")
    return parse_errant_lines(lines) if errant else parse_lines(lines)


def parse_lines(lines: Sequence[str], file: str = "M2 text") -> ParsedM2:
    """Parse the lines of an M2 file; `file` is its name in error messages."""
    table = _Table()
    inside = False
    unexplained = 0  # number of the first line of text after the last empty line, if no S line has followed
    for number, line in enumerate([*lines, ""], start=1):
        if not line or line.isspace():
            if unexplained:
                raise _no_source_error(lines, file, unexplained)
            inside = False
        elif inside:
            if not _SKIPPED.match(line):
                table.add_edit(number, *_parse_edit(line, file, number))
        elif line == "S" or line.startswith("S "):
            table.add_sentence(number, line)
            inside, unexplained = True, 0
        elif line.startswith("A "):
            raise _no_source_error(lines, file, unexplained or number)
        elif not _COMMENT.match(line):
            unexplained = unexplained or number
    if not table.sentences:
        raise no_sentences_error(file)
    return table.arrays()


def parse_errant_lines(lines: Sequence[str], file: str = "M2 text", first: int = 1) -> ParsedM2:
    """Parse lines as `errant_compare` does.

    `file` and `first` are for error messages: the name of the file, and the number of the first given line in it.
    """
    table = _Table()
    inside = False
    for number, line in enumerate(lines, start=1):
        if not inside:
            table.add_sentence(number, line)
            inside = True
        elif _TARGET.match(line):
            continue
        elif line:
            try:
                table.add_edit(number, *_parse_errant_edit(line))
            except (IndexError, ValueError) as error:
                if not _has_m2_lines(lines):
                    raise _not_m2_error(file) from error
                raise _malformed_edit_error(line, file, first + number - 1) from error
        else:
            inside = False
    return table.arrays()


Fields = tuple[int, int, int, str, str, str, str]  # start, end, annotator, type, corrections, required, comment


def _parse_edit(line: str, file: str, number: int) -> Fields:
    if not line.startswith("A "):
        raise _malformed_edit_error(line, file, number)
    fields = line[2:].split("|||")
    if len(fields) < 6:
        raise InputError(f"the edit has {counted(len(fields), 'field')}, not 6", file=file, line=number, fix=_EDIT_FORM)
    try:
        start, end = map(_whole_number, fields[0].split()[:2])
    except ValueError as error:
        problem = f"the span {fields[0]!r} is not two whole numbers"
        raise InputError(problem, file=file, line=number, fix=_EDIT_FORM) from error
    try:
        annotator = _whole_number(fields[5])
    except ValueError as error:
        problem = f"the annotator {fields[5]!r} is not a whole number"
        raise InputError(problem, file=file, line=number, fix=_EDIT_FORM) from error
    return start, end, annotator, fields[1], fields[2], fields[3], fields[4]


def _parse_errant_edit(line: str) -> Fields:
    fields = line.split("|||")
    start, end = map(_whole_number, fields[0][2:].split()[:2])
    if not line.startswith("A") or end - start > MAX_ERRANT_SPAN:
        raise ValueError(line)
    return start, end, _whole_number(fields[-1]), fields[1], fields[2], "", ""


def _whole_number(text: str) -> int:
    """Parse a whole number; numbers beyond ±2**61 become ±2**61.

    Such numbers lie outside every sentence either way.
    """
    return max(-_LARGEST, min(int(plain_number(text)), _LARGEST))


class _Table:
    """The sentences and edits parsed so far."""

    def __init__(self) -> None:
        self.sentences: list[dict[int, list[tuple[int, ...]]]] = []
        self._source_lines: list[tuple[int, int]] = []
        self._strings: dict[str, int] = {}

    def add_sentence(self, number: int, line: str) -> None:
        self._source_lines.append((number - 1, len(line[2:].split())))
        self.sentences.append({})

    def add_edit(self, number: int, start: int, end: int, annotator: int, *fields: str) -> None:
        strings = [self._strings.setdefault(field, len(self._strings)) for field in fields]
        self.sentences[-1].setdefault(annotator, []).append((number - 1, start, end, *strings))

    def arrays(self) -> ParsedM2:
        rows = [edits for sentence in self.sentences for edits in sentence.values()]
        lines, lengths = np.array(self._source_lines, dtype=np.int64).reshape(-1, 2).T.copy()
        edits = np.array([edit for row in rows for edit in row], dtype=np.int64).reshape(-1, 7).T.copy()
        strings = edits[3:].astype(np.int32)
        return ParsedM2(
            source_lines=lines,
            source_lengths=lengths,
            row_offsets=offsets_of(self.sentences),
            annotators=np.array([annotator for sentence in self.sentences for annotator in sentence], dtype=np.int64),
            edit_offsets=offsets_of(rows),
            edit_lines=edits[0],
            starts=edits[1],
            ends=edits[2],
            types=strings[0],
            corrections=strings[1],
            required=strings[2],
            comments=strings[3],
            strings=[*self._strings],
        )


def no_sentences_error(file: str) -> InputError:
    """Return the error for a file without sentences."""
    return InputError("no sentences", file=file, fix="Start each block with a line 'S …'")


class NotM2Error(InputError):
    """A file has no lines of M2, such as plain text."""


def _has_m2_lines(lines: Sequence[str]) -> bool:
    """Return whether any line is a source line or an edit."""
    return any(line == "S" or line.startswith("S ") or M2_EDIT.match(line) for line in lines)


def _not_m2_error(file: str) -> NotM2Error:
    return NotM2Error("is not an M2 file: no line starts with 'S '", file=file, fix="Give an M2 file")


def _no_source_error(lines: Sequence[str], file: str, number: int) -> InputError:
    if not _has_m2_lines(lines):
        return _not_m2_error(file)
    return InputError(
        f"the block does not start with a source line but with {lines[number - 1][:40]!r}",
        file=file,
        line=number,
        fix="Start each block with a line 'S …', and separate blocks by one empty line",
    )


def _malformed_edit_error(line: str, file: str, number: int) -> InputError:
    fix = "Put exactly one empty line before each line that starts with 'S '" if line.startswith("S") else _EDIT_FORM
    return InputError(f"not an edit line: {line[:40]!r}", file=file, line=number, fix=fix)

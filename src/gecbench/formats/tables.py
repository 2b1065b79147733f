"""Read tables and parallel text.

Tables are JSON Lines, CSV, TSV, Parquet, data frames and `datasets`.

Text columns are found by common names, or by the name you give. If the table has an `id` column, rows may be in any
order. This column has the ids of the corpus, or sentence numbers counted from 0 or 1. If the table has a `source`
column, its sentences must be the sentences of the corpus.
"""

from __future__ import annotations

import csv
import io
import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite, nan
from pathlib import Path
from typing import Any

import numpy as np

from gecbench.corpus.corpus import Corpus, check_line_count, check_ordered, python_values
from gecbench.corpus.edits import EditedTexts, EditTable
from gecbench.corpus.prepare import MixedUpTextWarning
from gecbench.corpus.tokenize import plain_form
from gecbench.display import log_info
from gecbench.errors import GIVE_TEXT, InputError, counted, plain_number, type_name
from gecbench.formats.jsonl import json_values
from gecbench.formats.m2 import parse_m2, read_m2
from gecbench.formats.parquet import ParquetColumns, ParquetFile
from gecbench.formats.text import (
    check_not_overwriting,
    decode,
    read_bytes,
    read_lines,
    split_lines,
    write_lines,
)
from gecbench.kernels.m2 import M2_EDIT, NotM2Error


def parse_csv(
    text: str, required: Iterable[str], *, file: str, delimiter: str = ","
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each record of a table with a header, as (first line, column → value).

    Optional columns at the end may be missing from a record, as in Mechanical Turk's result files.
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
                    problem = f"the row has {counted(len(record), 'field')}, but the header has {len(header)}"
                    fix = "Write one field per column, and quote fields that contain the delimiter"
                    raise InputError(problem, file=file, line=start, fix=fix)
                yield start, dict(zip(header, record, strict=False))
    except csv.Error as error:
        fix = "Check the quotation marks of this row"
        raise InputError(f"not valid CSV ({error})", file=file, line=line, fix=fix) from error
    if header is None:
        raise InputError("the file is empty", file=file, fix="Write a header line and one line per row")


def _header(record: list[str], required: Iterable[str], file: str) -> tuple[list[str], int]:
    required = tuple(required)
    missing = [column for column in required if column not in record]
    if missing:
        problem = f"no column{'s' if len(missing) > 1 else ''} {', '.join(missing)}"
        raise InputError(problem, file=file, line=1, fix="Check the column names in the header")
    if len(set(record)) != len(record):
        double = next(name for name in record if record.count(name) > 1)
        raise InputError(f"there are several columns named {double!r}", file=file, line=1, fix="Rename all but one")
    return record, max((record.index(column) + 1 for column in required), default=len(record))


def whole_number(text: str, what: str, *, file: str, line: int) -> int:
    """Return the text as an integer, or raise an error that names the field."""
    try:
        return int(plain_number(text))
    except ValueError:
        raise InputError(f"{what} is {text!r}, not a whole number", file=file, line=line) from None


def finite_number(text: str, what: str, *, file: str, line: int) -> float:
    """Return the text as a finite number, or raise an error that names the field."""
    try:
        value = float(plain_number(text))
    except ValueError:
        value = nan
    if not isfinite(value):
        raise InputError(f"{what} is {text!r}, not a finite number", file=file, line=line)
    return value


ENDINGS = (".jsonl", ".csv", ".tsv", ".parquet")
EDITS = ".m2"
PREDICTION_NAMES = (
    *("prediction", "predictions", "hypothesis", "output", "outputs", "correction", "corrected", "corrected_text"),
    *("corrected_sentence", "response", "generated", "generated_text", "answer", "model_output", "completion"),
)
SOURCE_NAMES = ("source", "sources", "src", "input", "original", "sentence")
REFERENCE_NAMES = ("references", "reference", "refs", "ref", "target", "targets", "corrections", "gold")
_ID_NAMES = ("id", "idx")
_NUMBERING_NAMES = ("", "index", "unnamed: 0", "row", "line", "number", "sent_id", "sentence_id", "example_id")
_UNDECIDED = ("text",)
_SHOWN = 3
_MIN_NUMBERED = 8
_TABLE_SHARE = 0.8


@dataclass(frozen=True)
class Columns:
    """The columns of a table by name, all of the same length.

    `place` is the file name for error messages.
    """

    values: Mapping[str, Sequence[Any]]
    place: str | None = None

    def __len__(self) -> int:
        return len(next(iter(self.values.values()), ()))

    def find(self, names: Sequence[str], wanted: str | None, fix: str) -> str:
        """Return the name of the column to read.

        This is `wanted` if given, else the only column with a common name. `fix` is the advice in the error message if
        there is no such column.
        """
        if wanted is not None:
            if wanted not in self.values:
                raise self._not_found(f"no column {wanted!r}", fix)
            return wanted
        for usual in (names, _UNDECIDED):
            found = [name for name in self.values if name.lower() in usual]
            if len(found) == 1:
                return found[0]
            if found:
                raise self._not_found(f"it is unclear which column to read: {' or '.join(map(repr, found))}", fix)
        raise self._not_found(f"no column has a common name such as {names[0]!r}", fix)

    def texts(self, name: str) -> list[str]:
        """Return a column of texts.

        If a row has no text, raise an error that names the first such row.
        """
        for row, value in enumerate(self.values[name], 1):
            if not isinstance(value, str):
                kind = "missing" if value is None else type_name(value)
                kind = "bytes that are not UTF-8" if isinstance(value, bytes) else kind
                problem = f"the column {name!r} must contain text, but its value in row {row} is {kind}"
                raise InputError(problem, file=self.place, fix="Fix this row, or choose another column")
        return list(self.values[name])

    def _not_found(self, problem: str, fix: str) -> InputError:
        names = ", ".join(map(repr, self.values))
        return InputError(f"{problem} (columns: {names})", file=self.place, fix=fix)


def read_predictions(
    path: str | Path,
    corpus: Corpus,
    column: str | None = None,
    annotator: int | None = None,
    ignore_width: bool = False,
) -> Sequence[str]:
    """Read the predictions of one system, in the order of the corpus.

    A table is recognized by the ending of the file, M2 edits and essays by its content. Any other file is plain text.
    `column` chooses a column of a table. `annotator` chooses one of several annotators of edits. With `ignore_width`,
    the sources of edits may differ from the corpus in full-width and half-width characters.
    """
    return parse_predictions(read_bytes(path), str(path), corpus, column, annotator, ignore_width)


def parse_predictions(
    data: bytes,
    file: str,
    corpus: Corpus,
    column: str | None = None,
    annotator: int | None = None,
    ignore_width: bool = False,
) -> Sequence[str]:
    """Parse the content of a file, as `read_predictions` does."""
    ending = Path(file.removesuffix(".gz")).suffix.lower()
    texts = [] if ending in ENDINGS else split_lines(data, file)
    _check_not_json(texts, file)
    if column is None and (ending == EDITS or is_m2(texts)):
        return edited_texts(parse_m2(texts, file), corpus, file, annotator, ignore_width)
    if annotator is not None:
        fix = f"Give an M2 file, or leave out annotator={annotator}"
        raise InputError("only an M2 file has annotators", file=file, fix=fix)
    if ending in ENDINGS:
        columns = _READERS[ending](data, file)
        texts = columns if isinstance(columns, list) else paired_predictions(columns, corpus, column)
    elif column is not None:
        fix = f"Leave out column=…, or give a table ({', '.join(ENDINGS)})"
        raise InputError("plain text has no columns", file=file, fix=fix)
    elif is_essays(texts):
        return paired_predictions(parse_essays(texts, file), corpus)
    fix = _table_hint(texts) or "Write one output per line, in order, and an empty line for an empty output"
    check_line_count(len(texts), len(corpus), corpus.name, file, fix)
    if ending not in ENDINGS and _tabs(texts) > _TABLE_SHARE > _tabs(corpus.sources):
        raise InputError(
            "almost all lines contain tabs, as in a table without a header",
            file=file,
            fix="Keep only the column of the predictions",
        )
    return texts


def edited_texts(
    edited: Corpus,
    corpus: Corpus,
    file: str | None = None,
    annotator: int | None = None,
    ignore_width: bool = False,
) -> EditedTexts:
    """Return predictions given as edits.

    The edits must cover the sentences of the corpus in order. If there are several annotators, `annotator` must choose
    one. With `ignore_width`, sentences may differ in full-width and half-width characters, and the sentences of the
    corpus are used.
    """
    if len(edited) != len(corpus):
        raise InputError(
            f"{counted(len(edited), 'sentence')}, but {corpus.name} has {len(corpus)}",
            file=file,
            fix="Give an S line for every sentence",
        )
    for i, (theirs, ours) in enumerate(zip(edited.sources, corpus.sources, strict=True)):
        if theirs != ours and not is_same_sentence(theirs, ours, ignore_width):
            fix = "Use the same sentences with the same tokenization"
            if is_same_sentence(theirs, ours, ignore_width=True):
                fix = "To accept differences between full-width and half-width characters, pass ignore_width=True"
            raise InputError(
                f"sentence {i + 1} differs from {corpus.name}: {theirs[:60]!r}, not {ours[:60]!r}",
                file=file,
                fix=fix,
            )
    try:
        table = edited.edit_table() or EditTable.of(edited.annotations or ())
        sources = corpus.sources if ignore_width else edited.sources
        return EditedTexts.of(sources, _one_annotator(table, annotator))
    except InputError as error:
        raise InputError(error.problem, file=file, fix=error.fix) from error


_HALF_WIDTH = {full: full - 0xFEE0 for full in range(0xFF01, 0xFF5F)}


def is_same_sentence(one: str, other: str, ignore_width: bool = False) -> bool:
    """Return whether two sentences have the same tokens.

    With `ignore_width`, full-width and half-width characters count as equal.

    >>> is_same_sentence("他 说 ：", "他 说 :"), is_same_sentence("他 说 ：", "他 说 :", ignore_width=True)
    (False, True)
    """
    if ignore_width:
        one, other = one.translate(_HALF_WIDTH), other.translate(_HALF_WIDTH)
    return one.split() == other.split()


_ESSAY = re.compile(r"### essay_id = (.*)")


def is_essays(lines: Sequence[str]) -> bool:
    """Return whether lines are essays in MultiGEC's format.

    Each essay starts with a line `### essay_id = …`, and its text follows.
    """
    return _ESSAY.match(next((line for line in lines[:200] if line.strip()), "")) is not None


def parse_essays(lines: Sequence[str], file: str) -> Columns:
    """Return the ids and texts of essays. Each essay becomes one line of text.

    >>> parse_essays(["### essay_id = a1", "My town .", "", "It is big .", "", "### essay_id = a2", ""], "x.md").values
    {'id': ['a1', 'a2'], 'text': ['My town . It is big .', '']}
    """
    essays: dict[str, list[str]] = {}
    current: list[str] = []
    for number, line in enumerate(lines, 1):
        if heading := _ESSAY.match(line):
            name = heading[1].strip()
            if not name or name in essays:
                problem = f"a second essay has the id {name!r}" if name else "the essay has no id"
                raise InputError(problem, file=file, line=number, fix="Give each essay an id of its own")
            current = essays[name] = []
        else:
            current.append(line)
    return Columns({"id": [*essays], "text": [" ".join(" ".join(text).split()) for text in essays.values()]}, file)


def is_m2(lines: Sequence[str]) -> bool:
    """Return whether lines start like an M2 file."""
    first = lines[:200]
    return any(line.startswith("S ") for line in first) and any(map(M2_EDIT.match, first))


_USE_GOLD = "Use --gold instead of -s and -r: the file has both sources and corrections"
USE_PLAIN_TEXT = "Give a file with one sentence per line"


def check_not_m2(lines: Sequence[str], file: str, fix: str = _USE_GOLD) -> None:
    """Raise an error for texts that are an M2 file."""
    if is_m2(lines):
        raise InputError("is an M2 file, not plain text", file=file, fix=fix)


def _check_not_json(lines: Sequence[str], file: str) -> None:
    is_named = Path(file.removesuffix(".gz")).suffix.lower() == ".json"
    if is_named and any(map(_is_json, ("".join(lines[:1]), "\n".join(lines)))):
        fix = "Write one JSON object per line, and name the file .jsonl"
        raise InputError("is JSON, not plain text", file=file, fix=fix)


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), (list, dict))
    except (ValueError, RecursionError):
        return False


def read_plain_text(path: str) -> list[str]:
    """Read one sentence per line, and reject tables, XML and M2."""
    ending = Path(path.removesuffix(".gz")).suffix.lower()
    if ending in (*ENDINGS, ".xml"):
        raise InputError(f"is a {ending} file, not plain text", file=path, fix=USE_PLAIN_TEXT)
    lines = read_lines(path)
    check_not_m2(lines, path, USE_PLAIN_TEXT)
    return lines


def _one_annotator(table: EditTable, annotator: int | None) -> EditTable:
    known = sorted({*table.annotators.tolist()})
    if annotator is None and (table.row_offsets[1:] - table.row_offsets[:-1] > 1).any():
        raise InputError(
            f"edits of {len(known)} annotators ({', '.join(map(str, known))}), but predictions come from one system",
            fix=f"Choose one annotator, for example annotator={known[0]}",
        )
    if annotator is not None and annotator not in known:
        fix = f"Choose one of {', '.join(map(str, known))}" if known else f"Leave out annotator={annotator}"
        raise InputError(f"there is no annotator {annotator}", fix=fix)
    if annotator is None:
        return table
    chosen = table.of_annotator(annotator)
    others = (np.diff(table.row_offsets) > 0) & (np.diff(chosen.row_offsets) == 0)
    if others.any():
        left_out = f"annotator {annotator} left out {counted(int(others.sum()), 'sentence')} that others annotated"
        log_info(f"{left_out}. There, the output is the unchanged source")
    return chosen


def _tabs(lines: Sequence[str]) -> float:
    return sum("\t" in line for line in lines) / len(lines)


def _table_hint(lines: Sequence[str]) -> str | None:
    """Return advice if plain text looks like a table with a header, or None."""
    for delimiter, ending in ((",", ".csv"), ("\t", ".tsv")):
        header = lines[0].lower().replace('"', "").split(delimiter) if lines else []
        if {name.strip() for name in header} & {*PREDICTION_NAMES, *SOURCE_NAMES, *REFERENCE_NAMES}:
            return f"The file looks like a table: rename it to end in {ending}, and choose a column with column=NAME"
    return None


def _read_texts(path: str | Path, names: Sequence[str]) -> tuple[list[str], Columns | None]:
    """Read the lines of a text file, or a column of a table together with its table.

    `names` are the possible names of the column.
    """
    ending = Path(str(path).removesuffix(".gz")).suffix.lower()
    if ending not in ENDINGS:
        lines = read_lines(path)
        _check_not_json(lines, str(path))
        return lines, None
    columns = _READERS[ending](read_bytes(path), str(path))
    if isinstance(columns, list):
        return columns, None
    fix = f"Rename the columns so that exactly one has one of these names: {', '.join(names)}"
    return columns.texts(columns.find(names, None, fix)), columns


def columns_of(table: Any) -> Columns | None:
    """Return the columns of a table, or None for anything else.

    Tables are a `datasets.Dataset`, a pandas, polars or Arrow table, a mapping of lists, or a list of mappings.
    """
    if hasattr(table, "collect_schema") and hasattr(table, "collect"):  # a polars LazyFrame
        table = table.collect()
    names = getattr(table, "column_names", None) or getattr(table, "columns", None)
    if names is not None and not callable(names) and hasattr(table, "__getitem__"):
        return Columns({str(name): list(python_values(table[name])) for name in names})
    if isinstance(table, Mapping):
        return Columns({str(name): _listed(str(name), values) for name, values in table.items()})
    if isinstance(table, Sequence) and table and all(isinstance(row, Mapping) for row in table):
        return Columns(_transposed(table, None))
    return None


def _listed(name: str, values: Any) -> list[Any]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputError(
            f"the column {name!r} is a single {type(values).__name__}", fix="Give a list, one entry per row"
        )
    check_ordered(values, name)
    return list(python_values(values))


def texts_of(
    predictions: Any,
    corpus: Corpus,
    column: str | None = None,
    annotator: int | None = None,
    ignore_width: bool = False,
) -> Any:
    """Return the texts of a file or a table in the order of the corpus.

    Other predictions are returned unchanged.
    """
    if isinstance(predictions, Path):
        return read_predictions(predictions, corpus, column, annotator, ignore_width)
    if annotator is not None:
        problem = f"annotator={annotator} is only for M2 files, but the predictions are not a file"
        raise InputError(problem, fix="Leave out annotator")
    if isinstance(predictions, str):
        problem = "predictions is a single string, not a list of sentences"
        raise InputError(problem, fix='Pass a list with one string per sentence, or a file as Path("output.txt")')
    if isinstance(predictions, (bytes, EditedTexts)):
        return predictions
    columns = columns_of(predictions)
    if columns is not None:
        return paired_predictions(columns, corpus, column)
    if column is not None:
        problem = f"column={column!r} is only for tables, but the predictions are not a table"
        raise InputError(problem, fix="Leave out column")
    check_ordered(predictions, "predictions")
    return list(python_values(predictions)) if isinstance(predictions, Iterable) else predictions


def paired_predictions(columns: Columns, corpus: Corpus, column: str | None = None) -> list[str]:
    """Return the predictions of a table in the order of the corpus.

    Rows are matched by id if the table has an id column, and by position otherwise.
    """
    texts = columns.texts(columns.find(PREDICTION_NAMES, column, "Choose one with column=NAME"))
    order = _order_by_id(columns, corpus.ids or ())
    sources = [name for name in columns.values if name.lower() in SOURCE_NAMES]
    if len(texts) == len(corpus) and len(sources) == 1:
        _check_sources(columns, sources[0], corpus, order)
    return [texts[row] for row in order]


def id_column(names: Iterable[str]) -> str | None:
    """Return the name of the id column, or None."""
    listed = list(names)
    return next((name for usual in _ID_NAMES for name in listed if name.lower() == usual), None)


def _order_by_id(columns: Columns, ids: Sequence[str]) -> Sequence[int]:
    """Return the row of each sentence.

    Rows are matched by id, or by position if the table has no ids. The ids are those of the corpus, or sentence numbers
    counted from 0 or 1.
    """
    name = id_column(columns.values)
    if name is None:
        _warn_of_numbering(columns)
        return range(len(columns))
    given = [*map(str, columns.values[name])]
    start = None if set(given) == set(ids) else _first_number(given, ids)
    if start is not None:
        numbers = f"{name} {start} to {start + len(ids) - 1}"
        log_info(f"{columns.place or 'predictions'}: using {numbers} as sentence numbers, counted from {start}")
        ids = [str(start + i) for i in range(len(ids))]
    rows = {value: row for row, value in enumerate(given)}
    double = [value for row, value in enumerate(given) if rows[value] != row]
    known = set(ids)
    problems = {
        ("duplicate id", "duplicate ids"): list(dict.fromkeys(double)),
        ("id is not in the corpus", "ids are not in the corpus"): [value for value in rows if value not in known],
        ("id of the corpus is missing", "ids of the corpus are missing"): [value for value in ids if value not in rows],
    }
    for problem, names in problems.items():
        if names:
            examples = ", ".join(map(repr, names[:_SHOWN])) + (", …" if len(names) > _SHOWN else "")
            raise InputError(
                f"{counted(len(names), *problem)}: {examples}",
                file=columns.place,
                fix=f"Use the corpus's ids ({ids[0]!r} to {ids[-1]!r}), number all {counted(len(ids), 'sentence')} "
                f"from 0 or 1, or drop the column {name!r} if the rows are in the order of the corpus",
            )
    return [rows[value] for value in ids]


def _warn_of_numbering(columns: Columns) -> None:
    """Warn if a column such as `index` numbers the rows in another order.

    A few rows can have such numbers by chance. A column of sources is compared with the sources instead.
    """
    if len(columns) < _MIN_NUMBERED or any(name.lower() in SOURCE_NAMES for name in columns.values):
        return
    for name in columns.values:
        if name.lower() in _NUMBERING_NAMES:
            given = [*map(str, columns.values[name])]
            start = _first_number(given, [str(i) for i in range(len(given))])
            if start is not None and given != [str(start + i) for i in range(len(given))]:
                problem = f"{columns.place or 'predictions'}: the column {name!r} numbers the rows in another order"
                warnings.warn(
                    f"{problem}. Rows are paired by position. If their order is wrong, sort them by this column",
                    MixedUpTextWarning,
                    stacklevel=5,
                )


def _first_number(given: Sequence[str], ids: Sequence[str]) -> int | None:
    """Return the number from which the given ids count all sentences, 0 or 1.

    Return None if the ids are not the numbers of all sentences. If the ids of the corpus are other numbers, only these
    ids are valid, so return None.
    """
    starts = {start: [str(start + i) for i in range(len(ids))] for start in (0, 1)}
    if any(value.isdecimal() for value in ids) and list(ids) not in starts.values():
        return None
    return next((start for start, numbers in starts.items() if sorted(given) == sorted(numbers)), None)


def _check_sources(columns: Columns, name: str, corpus: Corpus, order: Sequence[int]) -> None:
    theirs = columns.texts(name)
    for i, row in enumerate(order):
        if _letters(theirs[row]) != _letters(corpus.sources[i]):
            raise InputError(
                f"the {name} in row {row + 1} is not sentence {i + 1} of {corpus.name}: "
                f"{theirs[row][:60]!r}, not {corpus.sources[i][:60]!r}",
                file=columns.place,
                fix="Give the corpus that the system corrected",
            )


def _letters(text: str) -> str:
    return "".join(plain_form(text).split())


def _read_jsonl(data: bytes, file: str) -> Columns | list[str]:
    """Return the columns of JSON objects, or the texts of JSON strings.

    The texts are returned if every line is a string.
    """
    rows = json_values(split_lines(data, file), file)
    if rows and all(isinstance(row, str) for row in rows):
        return rows
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise InputError(
                "not a JSON object", file=file, line=number, fix='Write {"prediction": "..."} on every line'
            )
    return Columns(_transposed(rows, file), file)


def _transposed(rows: Sequence[Mapping[str, Any]], place: str | None) -> dict[str, list[Any]]:
    names = list(rows[0]) if rows else []
    for number, row in enumerate(rows, 1):
        if set(row) != set(names):
            odd = ", ".join(sorted(set(row) ^ set(names)))
            problem = f"row {number} does not have the same fields as row 1 (difference: {odd})"
            raise InputError(problem, file=place, fix="Use the same fields in all rows")
    return {name: [row[name] for row in rows] for name in names}


def _read_table(data: bytes, file: str, delimiter: str) -> Columns:
    records = [record for _, record in parse_csv(decode(data, file), (), file=file, delimiter=delimiter)]
    return Columns(_transposed(records, file), file)


def _read_parquet(data: bytes, file: str) -> Columns:
    return Columns(ParquetColumns(ParquetFile(data, file)), file)


_READERS: Mapping[str, Callable[[bytes, str], Columns | list[str]]] = {
    ".jsonl": _read_jsonl,
    ".csv": partial(_read_table, delimiter=","),
    ".tsv": partial(_read_table, delimiter="\t"),
    ".parquet": _read_parquet,
}


def read_parallel(source: str | Path, references: Sequence[str | Path]) -> Corpus:
    """Read a corpus from a source file and one file per reference.

    Sentences are paired by line number, essays and rows of tables with an id column by id.
    """
    if not references:
        raise InputError("there are no reference files", fix="Give at least one")
    sources, table = _read_texts(source, SOURCE_NAMES)
    if not sources:
        raise InputError("the file is empty", file=str(source), fix="Give one sentence per line")
    if is_essays(sources):
        return _read_parallel_essays(parse_essays(sources, str(source)), references)
    check_not_m2(sources, str(source))
    ids = _unique_ids(table) if table else None
    columns = [_read_reference(path, ids, str(source), len(sources)) for path in references]
    files = {"reference_files": tuple(map(str, references))}
    return Corpus(sources, list(zip(*columns, strict=True)), ids=ids, name=Path(source).name, metadata=files)


def _unique_ids(table: Columns) -> list[str] | None:
    """Return the ids of a table, or None if an id is missing or given twice."""
    name = id_column(table.values)
    ids = [] if name is None else list(table.values[name])
    return [*map(str, ids)] if ids and None not in ids and len(set(map(str, ids))) == len(ids) else None


def _read_reference(path: str | Path, ids: Sequence[str] | None, source: str, sentences: int) -> list[str]:
    """Return the references of a file in the order of the sources.

    `ids` are the ids of the sources. Without them, only ids that number the sentences are used.
    """
    texts, table = _read_texts(path, REFERENCE_NAMES)
    check_not_m2(texts, str(path))
    name = id_column(table.values) if table else None
    if table and name and str(path) != source:
        numbers = [str(i) for i in range(1, sentences + 1)]
        if ids or _first_number([*map(str, table.values[name])], numbers) is not None:
            return [texts[row] for row in _order_by_id(table, ids or numbers)]
    fix = "Write one line per sentence in both files, in the same order"
    check_line_count(len(texts), sentences, source, str(path), fix)
    return texts


def _read_parallel_essays(sources: Columns, references: Sequence[str | Path]) -> Corpus:
    """Return the corpus of essays, with references paired by id.

    Every essay needs at least one reference.
    """
    names, texts = sources.values["id"], sources.values["text"]
    files = [parse_essays(read_lines(path), str(path)).values for path in references]
    columns = [dict(zip(values["id"], values["text"], strict=True)) for values in files]
    for path, column in zip(references, columns, strict=True):
        if unknown := [name for name in column if name not in set(names)]:
            problem = f"essay {unknown[0]!r} is not in {sources.place}"
            raise InputError(problem, file=str(path), fix=f"Remove the essay, or add its source to {sources.place}")
    found = [[column[name] for column in columns if name in column] for name in names]
    if not all(found):
        name = names[[*map(bool, found)].index(False)]
        fix = "Add a correction of this essay to a reference file"
        raise InputError(f"essay {name!r} has no reference", file=sources.place, fix=fix)
    return Corpus(texts, found, ids=names, name=Path(str(sources.place)).name)


def read_edits(path: str) -> Corpus:
    """Read edits from I-measure XML if the name ends in .xml, else from M2."""
    if path.removesuffix(".gz").endswith(".xml"):
        from gecbench.formats.imeasure_xml import read_imeasure_xml

        return read_imeasure_xml(path)
    try:
        return read_m2(path)
    except NotM2Error as error:
        raise InputError(error.problem, file=error.file, fix=GIVE_TEXT) from error


def write_parallel(corpus: Corpus, source: str | Path, references: Sequence[str | Path]) -> None:
    """Write a corpus as a source file and one file per reference."""
    if corpus.references is None or any(len(texts) != len(references) for texts in corpus.references):
        size = corpus.reference_range()
        if "-" in size:
            problem = f"{corpus.name} has {size.replace('-', ' to ')} references per sentence, not the same number"
            raise InputError(problem, fix="Write JSON Lines instead, with -o FILE.jsonl")
        raise InputError(
            f"{corpus.name} has {size} reference{'' if size == '1' else 's'} per sentence, but there "
            f"{'is' if len(references) == 1 else 'are'} {counted(len(references), 'reference file')}",
            fix="Give one file per reference",
        )
    check_not_overwriting([source, *references])
    write_lines(source, corpus.sources)
    for k, path in enumerate(references):
        write_lines(path, [texts[k] for texts in corpus.references])

"""Score files as a stream: constant memory, progress, and runs that can be stopped and resumed."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shutil
import signal
import sys
import threading
import warnings
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from itertools import chain, islice, pairwise
from pathlib import Path
from time import monotonic
from typing import IO, TYPE_CHECKING, Any, Protocol

import numpy as np

from gecbench.analysis.report import Scores
from gecbench.corpora.load import resolve_corpus
from gecbench.corpus.batch_checks import BatchChecker, CheckResult
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.prepare import Preprocessing
from gecbench.display import progress
from gecbench.errors import GecbenchError, InputError, error_context
from gecbench.formats.jsonl import json_values
from gecbench.formats.m2 import parse_m2
from gecbench.formats.tables import EDITS, PREDICTION_NAMES, REFERENCE_NAMES, SOURCE_NAMES, Columns, edited_texts
from gecbench.formats.text import STANDARD_INPUT, check_not_overwriting, lines_of, lock, split_lines, write_bytes
from gecbench.metrics.base import Metric, metric_columns, with_needed_references
from gecbench.metrics.streaming import Stream
from gecbench.scale.counting import ColumnNames, Counted, Faults, OnBad, Rows, read_rows, text_fault
from gecbench.version import __version__

if TYPE_CHECKING:
    import pyarrow


_STATE = "state.npz"
_LOCK = "lock"
_FACTS = "facts"


class Journal:
    """A folder beside the table of sentences, or in the current one, that is gone when the run is complete.

    The state is replaced as a whole. Parts of the table are closed before the state that counts them is written, so
    that whatever a kill leaves behind them is written again; they stay until the whole table is in its place. A lock
    keeps the folder for one run at a time.
    """

    def __init__(self, key: Mapping[str, object], target: Path | None) -> None:
        self._key = json.loads(json.dumps({**key, "version": __version__}))
        name = hashlib.sha256(json.dumps(self._key, sort_keys=True).encode()).hexdigest()[:8]
        self.folder = Path(f"{target}.journal") if target else Path(f"gecbench-{name}.journal")
        self._target = target
        self._parts = 0
        self._writer: Any = None
        self._lock: IO[bytes] | None = None

    def load(self, streams: Mapping[str, Stream], resume: bool) -> dict[str, Any]:
        """Return the facts of an unfinished run whose streams go on, or none for a new one."""
        path = self.folder / _STATE
        if path.exists():
            self._own()
        if not resume:
            if path.exists():
                fix = "Go on with --resume, or delete the folder"
                raise InputError("an unfinished run is here", file=str(self.folder), fix=fix)
            return {}
        if not path.exists():
            raise InputError("no unfinished run is here", file=str(self.folder), fix="Start it without --resume")
        try:
            with np.load(path, allow_pickle=False) as state:
                arrays = dict(state)
            facts: dict[str, Any] = json.loads(str(arrays.pop(_FACTS)))
        except (OSError, ValueError, KeyError) as error:
            raise InputError("is not the state of a run", file=str(path), fix="Delete the folder") from error
        if facts["key"] != self._key:
            raise InputError("belongs to a run with other files or options", file=str(self.folder), fix="Delete it")
        for number, (name, stream) in enumerate(streams.items()):
            ours = {key.partition(".")[2]: each for key, each in arrays.items() if key.startswith(f"{number}.")}
            stream.restore(facts["streams"][name], ours)
        self._parts = int(facts["parts"])
        return facts

    def save(self, streams: Mapping[str, Stream], facts: Mapping[str, Any]) -> None:
        """Write how far the run came."""
        self._own()
        self._close_part()
        arrays: dict[str, Any] = {}
        known: dict[str, object] = {}
        for number, (name, stream) in enumerate(streams.items()):
            known[name], ours = stream.state()
            arrays |= {f"{number}.{key}": each for key, each in ours.items()}
        arrays[_FACTS] = json.dumps({**facts, "key": self._key, "streams": known, "parts": self._parts})
        content = io.BytesIO()
        np.savez(content, **arrays)
        write_bytes(self.folder / _STATE, content.getvalue(), durable=True)

    def write(self, table: pyarrow.Table) -> None:
        """Append to the part of the table that is open."""
        import pyarrow.parquet

        if self._writer is None:
            self._own()
            self._writer = pyarrow.parquet.ParquetWriter(self._part(self._parts), table.schema, compression="zstd")
        self._writer.write_table(table)

    def finish(self) -> None:
        """Put the table together where it belongs, and delete the folder."""
        self._close_part()
        if self._target and self._parts:
            self._join().replace(self._target)
        self.discard()

    def discard(self) -> None:
        """Delete the folder, if it is this run's; the state first, so that nobody goes on with half of it."""
        is_ours = self._lock is not None
        self.close()
        if is_ours:
            with suppress(OSError):
                (self.folder / _STATE).unlink(missing_ok=True)
            shutil.rmtree(self.folder, ignore_errors=True)

    def leave(self) -> None:
        """Leave the folder as the last state has it, or none if there is no state."""
        if (self.folder / _STATE).exists():
            self.close()
        else:
            self.discard()

    def close(self) -> None:
        """Let go of the open part and of the folder."""
        self._close_part()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _own(self) -> None:
        """Take the folder for this run."""
        if self._lock is None:
            self.folder.mkdir(exist_ok=True)
            file = (self.folder / _LOCK).open("wb")
            try:
                lock(file, str(self.folder), "Wait for it, or write to another --per-sentence FILE")
            except InputError:
                file.close()
                raise
            self._lock = file

    def _close_part(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None
            self._parts += 1

    def _join(self) -> Path:
        import pyarrow.parquet

        whole = self.folder / "whole.parquet"
        schema = pyarrow.parquet.read_schema(self._part(0))
        with pyarrow.parquet.ParquetWriter(whole, schema, compression="zstd") as writer:
            for number in range(self._parts):
                for batch in pyarrow.parquet.ParquetFile(self._part(number)).iter_batches():
                    writer.write_batch(batch)
        return whole

    def _part(self, number: int) -> Path:
        return self.folder / f"part-{number:06d}.parquet"


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


_PAIRED = "Both need one line per sentence, in the same order; an empty output is an empty line"
_COLUMNS = ColumnNames("source", "prediction", "references")


@dataclass(frozen=True)
class Inputs:
    """The files of a run: `source` and `references`, or `gold` (M2), or a `corpus`, which is read at once."""

    predictions: str
    metrics: tuple[str, ...]
    source: str | None = None
    references: tuple[str, ...] = ()
    gold: str | None = None
    corpus: str | None = None
    column: str | None = None

    def files(self) -> list[str]:
        """Return the names of the files."""
        return [name for name in (self.source, *self.references, self.gold, self.corpus, self.predictions) if name]

    def key(self) -> dict[str, object]:
        """Return what a run that goes on must have in common with the one before."""
        found = [Path(name).stat() if Path(name).is_file() else None for name in self.files()]
        return {**vars(self), "files": [each and [each.st_size, each.st_mtime_ns] for each in found]}

    def sentences(self) -> int | None:
        """Return the number of sentences, where it is quickly known."""
        if is_edits(self.predictions):
            return None
        return count_sentences(self.predictions)

    def batches(self, size: int, first: int = 0) -> Iterator[Rows]:
        """Yield batches of at most so many rows, from the row `first` on."""
        gold, ours, size = self._gold(), self._predictions(), min(size, sys.maxsize)
        begin = 0
        while begin < first and (found := gold.take(min(size, first - begin))):
            begin += len(ours.take(len(found)))
        if begin < first:
            raise InputError(f"ends before the {first} sentences that were scored", file=self.predictions)
        while found := gold.take(size):
            yield self._rows(found, ours.take(len(found)), begin)
            begin += len(found)
        if ours.take(1):
            problem = f"more predictions than the {begin} sentences of {self.files()[0]}"
            raise InputError(problem, file=self.predictions, fix=_PAIRED)

    def _gold(self) -> Values:
        if self.gold is not None:
            if not is_edits(self.gold):
                raise InputError("is not read as a stream", file=self.gold, fix="--stream takes M2 (.m2)")
            return _Joined(Blocks(self.gold), self.metrics)
        if self.corpus is not None:
            return _Slices(resolve_corpus(self.corpus, list(self.metrics)))
        if self.source is None or not self.references:
            raise InputError("-s and -r belong together", fix="Give the source file and at least one reference file")
        return _Parallel(self.source, self.references)

    def _predictions(self) -> Values:
        if is_edits(self.predictions):
            return _Joined(Blocks(self.predictions), ())
        wanted = Wanted(PREDICTION_NAMES, self.column, ids=self.predictions == self.source)
        return values_of(self.predictions, wanted)

    def _rows(self, gold: Any, outputs: Any, begin: int) -> Rows:
        if len(outputs) < len(gold):
            problem = f"{begin + len(outputs)} predictions, but {self.files()[0]} has more sentences"
            raise InputError(problem, file=self.predictions, line=begin + len(outputs) + 1, fix=_PAIRED)
        places = range(begin, begin + len(gold))
        if isinstance(outputs, Corpus):
            corpus = gold.corpus() if isinstance(gold, Table) else gold
            with error_context(f"{self.predictions}, from sentence {begin + 1} on"):
                return Rows(list(places), [None] * len(gold), corpus, corpus, edited_texts(outputs, corpus))
        if isinstance(gold, Table):
            return read_rows({**gold, "prediction": outputs}, _COLUMNS, places)
        return rows_of_corpus(gold, outputs, begin)


class _Parallel:
    """Sources and references that stand in files side by side, as columns."""

    def __init__(self, source: str, references: Sequence[str]) -> None:
        self._names = (source, *references)
        self._seen = 0
        self._columns = [
            values_of(name, Wanted(SOURCE_NAMES if k == 0 else REFERENCE_NAMES)) for k, name in enumerate(self._names)
        ]

    def take(self, count: int) -> Table:
        source, *references = (column.take(count) for column in self._columns)
        for name, values in zip(self._names[1:], references, strict=True):
            if len(values) != len(source):
                kind = "more" if len(values) > len(source) else "fewer"
                line = self._seen + min(len(values), len(source)) + 1
                raise InputError(f"{kind} lines than {self._names[0]}", file=name, line=line, fix=_PAIRED)
        self._seen += len(source)
        rows = references[0] if len(references) == 1 else list(zip(*references, strict=True))
        return Table({"source": source, "references": rows})


class Table(dict[str, Any]):
    """Columns by name, as long as their rows."""

    def corpus(self) -> Corpus:
        """Return the rows as a corpus."""
        texts = [[found] if isinstance(found, str) else found for found in self["references"]]
        return Corpus(sources=self["source"], references=texts)

    def __len__(self) -> int:
        return len(self["source"])

    def __bool__(self) -> bool:
        return bool(self["source"])


class _Joined:
    """Sentences with coded edits, as corpora with what the metrics need."""

    def __init__(self, blocks: Blocks, metrics: Sequence[str]) -> None:
        self._blocks, self._metrics = blocks, metrics

    def take(self, count: int) -> Any:
        found = self._blocks.take(count)
        return with_needed_references(found[0], self._metrics) if found else ()


class _Slices:
    """A corpus that is in memory."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus, self._begin = corpus, 0

    def take(self, count: int) -> Any:
        begin, self._begin = self._begin, min(self._begin + count, len(self._corpus))
        return self._corpus.select(range(begin, self._begin)) if begin < self._begin else ()


def rows_of_corpus(corpus: Corpus, outputs: Sequence[Any], begin: int) -> Rows:
    """Return the rows of a corpus; those whose output is no text are faulty."""
    faults = [text_fault(output) for output in outputs]
    places: list[int | None] = list(range(begin, begin + len(corpus)))
    if not any(faults):
        return Rows(places, faults, corpus, corpus, outputs)
    good = [row for row, fault in enumerate(faults) if fault is None]
    named = [fault and f"prediction {fault}" for fault in faults]
    if not good:
        return Rows(places, named, corpus)
    return Rows(places, named, corpus, corpus.select(good), [outputs[row] for row in good])


BATCH_SIZE = 10_000
_SECONDS_BETWEEN_STATES = 15.0
_ALIGNED = Preprocessing(tokenized=True, foreign="error")


class StoppedError(GecbenchError):
    """A run that was stopped, and how to go on."""


@dataclass(frozen=True)
class StreamOptions:
    """How files are streamed."""

    preprocessing: Preprocessing
    batch_size: int = BATCH_SIZE
    on_bad: OnBad = "error"
    per_sentence: Path | None = None
    resume: bool = False


class FileStream:
    """A run over files: what it carries from batch to batch."""

    def __init__(self, inputs: Inputs, options: StreamOptions) -> None:
        self._inputs, self._options = inputs, options
        check_not_overwriting([options.per_sentence], inputs.files())
        _check_target(options.per_sentence)
        self._metrics = metric_columns(list(inputs.metrics))
        self._streams = {name: Stream(metric) for name, metric in self._metrics.items()}
        self._checker = BatchChecker(options.preprocessing, file=inputs.predictions)
        self._journal = Journal({**inputs.key(), "preprocessing": vars(options.preprocessing)}, options.per_sentence)
        self._reference_checkers: list[BatchChecker] = []
        self._rows = self._skipped = 0
        self._is_kept = True

    def run(self) -> Scores:
        """Score all batches, and return the scores."""
        try:
            if facts := self._journal.load(self._streams, self._options.resume):
                self._restore(facts)
            with _Stoppable() as stoppable:
                self._walk(stoppable)
            for checker in self._checkers():
                checker.close()
            scores = {name: self._score(stream) for name, stream in self._streams.items()}
            self._journal.finish()
        except StoppedError:
            raise self._stopped() from None
        except BaseException:
            self._journal.leave()
            raise
        return Scores(scores)

    def _restore(self, facts: Mapping[str, Any]) -> None:
        self._rows, self._skipped = facts["rows"], facts["skipped"]
        for k in range(len(facts["checkers"]) - 1):
            self._add_reference_door(k)
        for checker, result in zip(self._checkers(), facts["checkers"], strict=True):
            checker.result, checker.seen = CheckResult(**result), self._rows

    def _checkers(self) -> list[BatchChecker]:
        return [self._checker, *self._reference_checkers]

    def _add_reference_door(self, k: int) -> None:
        file = self._inputs.references[min(k, len(self._inputs.references) - 1)]
        self._reference_checkers.append(BatchChecker(_ALIGNED, "the references", file))

    def _walk(self, stoppable: _Stoppable) -> None:
        saved = monotonic()
        with progress(self._inputs.sentences(), "sentences", self._rows) as bar:
            for rows in self._inputs.batches(self._options.batch_size, self._rows):
                with stoppable.undivided():
                    self._add(rows)
                    if self._is_kept and monotonic() - saved > _SECONDS_BETWEEN_STATES:
                        self._save()
                        saved = monotonic()
                bar.update(len(rows.places))

    def _add(self, rows: Rows) -> None:
        faulty = [row for row, fault in enumerate(rows.faults) if fault is not None]
        if faulty and self._options.on_bad == "error":
            faults = Faults(len(faulty))
            for row in faulty:
                faults.say(rows.places[row] or 0, rows.faults[row] or "")
            raise faults.error(self._rows + len(rows.places))
        if rows.corpus is not None:
            self._look(rows.corpus, rows.predictions)
        self._count(rows)
        self._rows += len(rows.places)
        self._skipped += len(faulty)

    def _look(self, corpus: Corpus, predictions: Sequence[str]) -> None:
        """Look at the predictions, and whether references stand on their lines, as those of files are looked at."""
        self._checker.add(corpus, predictions)
        if self._inputs.references and not self._options.preprocessing.aligned:
            sources = Corpus(sources=corpus.sources)
            for k, column in enumerate(corpus.reference_columns()):
                if k == len(self._reference_checkers):
                    self._add_reference_door(k)
                self._reference_checkers[k].add(sources, column)

    def _count(self, rows: Rows) -> None:
        counted = Counted.of(self._metrics, rows)
        for name, statistics in counted.statistics.items():
            self._streams[name].take(statistics, counted.signatures[name], counted.hashes[counted.golds[name]])
        if self._options.per_sentence is not None:
            self._journal.write(with_scores(counted, self._metrics, self._options.on_bad))

    def _score(self, stream: Stream) -> Any:
        score = stream.score()
        return score.with_field("skipped", self._skipped) if self._skipped else score

    def _save(self) -> None:
        checkers = [asdict(checker.result) for checker in self._checkers()]
        facts = {"rows": self._rows, "skipped": self._skipped, "checkers": checkers}
        try:
            self._journal.save(self._streams, facts)
        except (OSError, InputError) as error:
            self._is_kept = False
            warnings.warn(f"a run that is stopped cannot go on: {error}", stacklevel=2)

    def _stopped(self) -> StoppedError:
        if not self._rows:
            self._journal.discard()
            return StoppedError("stopped before the first batch was done")
        self._save()
        if not self._is_kept:
            return StoppedError(f"stopped after {self._rows:,} sentences")
        again = f"The same command with --resume goes on from there ({self._journal.folder})"
        return StoppedError(f"stopped after {self._rows:,} sentences. {again}.")


def with_scores(counted: Counted, metrics: Mapping[str, Metric], on_bad: OnBad) -> pyarrow.Table:
    """Return the table of a batch with the score of each sentence, a column `…_score` per metric."""
    import pyarrow

    table = counted.table(checks=asdict(CheckResult()), on_bad=on_bad)
    good, size = counted.rows.good, len(counted.rows.places)
    for name, metric in metrics.items():
        column = np.full(size, np.nan)
        if good:
            column[good] = metric.sentence_values(counted.statistics[name])
        table = table.append_column(f"{name}_score", pyarrow.array(column, from_pandas=True))
    return table


def _check_target(path: Path | None) -> None:
    """Refuse at once what could not be written at the end."""
    if path is not None and path.exists() and not path.is_file():
        raise InputError("is not a file that can be replaced", file=str(path), fix="Name a file of its own")
    if path is not None and not path.parent.is_dir():
        raise InputError("no such folder", file=str(path.parent), fix="Make it first")


class _Stoppable:
    """Stops at once while a batch is read, and after the batch while one is counted or written (SIGINT, SIGTERM).

    Asked twice it stops at once there, too, and the run goes on from its last state.
    """

    _SIGNALS: Sequence[signal.Signals] = (signal.SIGINT, signal.SIGTERM)

    def __init__(self) -> None:
        self._counting = self._asked = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> _Stoppable:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._stop) for number in self._SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @contextmanager
    def undivided(self) -> Iterator[None]:
        """Put off stopping until this is done."""
        self._counting = True
        yield
        self._counting = False
        if self._asked:
            raise StoppedError

    def _stop(self, *_: object) -> None:
        if not self._counting:
            raise StoppedError
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True

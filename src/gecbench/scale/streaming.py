"""Score files as a stream, in constant memory.

A run shows its progress, and can be stopped and resumed.
"""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from gecbench.analysis.report import Scores
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.prepare import Preprocessing
from gecbench.display import progress
from gecbench.errors import GecbenchError, InputError, counted
from gecbench.formats.journal import State, StateJournal
from gecbench.formats.text import check_not_overwriting
from gecbench.metrics.base import Metric, Score, metric_columns
from gecbench.metrics.streaming import BatchChecker, CheckResult, Stream
from gecbench.scale.counting import BadRows, Counted, OnBad, Rows
from gecbench.scale.files import Inputs
from gecbench.version import __version__

if TYPE_CHECKING:
    import pyarrow


BATCH_SIZE = 10_000
_SECONDS_BETWEEN_STATES = 15.0
_ALIGNED = Preprocessing(tokenized=True, foreign="error")
_OTHER_FORMATS = {".txt", ".tsv", ".csv", ".json", ".jsonl", ".m2", ".xml", ".gz"}


class StreamStoppedError(GecbenchError):
    """An error for a run that was stopped. Its message says how to resume."""


@dataclass(frozen=True)
class StreamOptions:
    """The options of a streamed run."""

    preprocessing: Preprocessing
    batch_size: int = BATCH_SIZE
    on_bad: OnBad = "error"
    per_sentence: Path | None = None
    resume: bool = False


class FileStream:
    """A run over files that keeps only totals in memory.

    It reads, checks and counts one batch after the other. The totals are saved in a journal every 15 seconds and when
    the run is stopped, so that it can be resumed.
    """

    def __init__(self, inputs: Inputs, options: StreamOptions) -> None:
        self._inputs, self._options = inputs, options
        check_not_overwriting([options.per_sentence], inputs.files())
        _check_target(options.per_sentence)
        self._metrics = metric_columns(list(inputs.metrics))
        self._streams = {name: Stream(metric) for name, metric in self._metrics.items()}
        self._checker = BatchChecker(options.preprocessing, file=inputs.predictions)
        self._reference_checkers: list[BatchChecker] = []
        key = {**inputs.key(), "preprocessing": vars(options.preprocessing), "version": __version__}
        elsewhere = "Wait for that run to end, or write to another --per-sentence FILE"
        self._journal = StateJournal(key, options.per_sentence, elsewhere)
        self._rows = self._skipped = 0
        self._digests: list[str] = []
        self._is_resumable = True

    def run(self) -> Scores:
        """Score all batches, and return the scores."""
        with self._journal:
            if state := self._journal.load(resume=self._options.resume):
                self._restore(state)
            try:
                with _Stoppable() as stoppable:
                    self._add_batches(stoppable)
            except StreamStoppedError:
                raise self._stopped() from None
            for checker in self._checkers():
                checker.close()
            scores = {name: self._score(stream) for name, stream in self._streams.items()}
            self._journal.finish()
        return Scores(scores)

    def _add_batches(self, stoppable: _Stoppable) -> None:
        saved = monotonic()
        with progress(self._inputs.sentences(), "sentences", self._rows) as bar:
            batches = self._inputs.batches(self._options.batch_size, self._rows, self._digests)
            for rows in batches:
                with stoppable.after_this():
                    self._add(rows)
                    self._digests = batches.digests()  # save them now: reading the next batch changes them
                    if self._is_resumable and monotonic() - saved > _SECONDS_BETWEEN_STATES:
                        self._save()
                        saved = monotonic()
                bar.update(len(rows.places))

    def _add(self, rows: Rows) -> None:
        bad = BadRows.of(rows)
        if bad.count and self._options.on_bad == "error":
            raise bad.error(self._rows + len(rows.places))
        if rows.corpus is not None:
            self._check(rows.corpus, rows.predictions)
        counted = Counted.of(self._metrics, rows)
        for name, statistics in counted.statistics.items():
            self._streams[name].take(statistics, counted.signatures[name], counted.hashes[counted.golds[name]])
        if self._options.per_sentence is not None:
            self._journal.append(_with_scores(counted, self._metrics, self._options.on_bad))
        self._rows += len(rows.places)
        self._skipped += bad.count

    def _check(self, corpus: Corpus, predictions: Sequence[str]) -> None:
        """Check predictions, and whether reference files are aligned with the sources."""
        self._checker.add(corpus, predictions)
        if self._inputs.references and not self._options.preprocessing.aligned:
            sources = Corpus(sources=corpus.sources)
            for k, column in enumerate(corpus.reference_columns()):
                if k == len(self._reference_checkers):
                    self._add_reference_checker()
                self._reference_checkers[k].add(sources, column)

    def _add_reference_checker(self) -> None:
        files = self._inputs.references
        file = files[min(len(self._reference_checkers), len(files) - 1)]
        self._reference_checkers.append(BatchChecker(_ALIGNED, "the references", file))

    def _checkers(self) -> list[BatchChecker]:
        return [self._checker, *self._reference_checkers]

    def _score(self, stream: Stream) -> Score:
        score: Score = stream.score()
        stream.metric.warn_of_outcome(score, self._checker.name)
        return score.with_field("skipped", self._skipped) if self._skipped else score

    def _save(self) -> None:
        """Save the state.

        If the state cannot be saved, warn and continue: only resuming becomes impossible.
        """
        facts: dict[str, Any] = {"rows": self._rows, "skipped": self._skipped, "streams": {}}
        facts["digests"] = self._digests
        facts["checkers"] = [asdict(checker.result) for checker in self._checkers()]
        arrays: dict[str, Any] = {}
        for number, (name, stream) in enumerate(self._streams.items()):
            facts["streams"][name], found = stream.state()
            arrays |= {f"{number}.{key}": each for key, each in found.items()}
        try:
            self._journal.save(State(facts, arrays))
        except (OSError, InputError) as error:
            self._is_resumable = False
            warnings.warn(f"this run cannot be resumed if it is interrupted: {error}", stacklevel=2)

    def _restore(self, state: State) -> None:
        try:
            self._restore_facts(state)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise self._journal.damaged() from error

    def _restore_facts(self, state: State) -> None:
        facts = state.facts
        self._rows, self._skipped, self._digests = int(facts["rows"]), int(facts["skipped"]), list(facts["digests"])
        for number, (name, stream) in enumerate(self._streams.items()):
            found = {key.partition(".")[2]: each for key, each in state.arrays.items() if key.startswith(f"{number}.")}
            stream.restore(facts["streams"][name], found)
        for _ in facts["checkers"][1:]:
            self._add_reference_checker()
        for checker, result in zip(self._checkers(), facts["checkers"], strict=True):
            checker.result, checker.seen = CheckResult(**result), self._rows

    def _stopped(self) -> StreamStoppedError:
        if not self._rows:
            self._journal.discard()
            return StreamStoppedError("stopped before the first batch was complete, so nothing was saved")
        self._save()
        if not self._is_resumable:
            return StreamStoppedError(f"stopped after {counted(self._rows, 'sentence')}")
        done = f"{counted(self._rows, 'sentence')} (saved in {self._journal.path})"
        return StreamStoppedError(f"stopped after {done}. To resume, run the same command with --resume.")


def _with_scores(counted: Counted, metrics: Mapping[str, Metric], on_bad: OnBad) -> pyarrow.Table:
    """Return the table of a batch, with the sentence scores of each metric.

    The column of a metric's scores is named `…_score`.
    """
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
    """Raise an error before the run if the file cannot be written at the end."""
    if path is not None and path.exists() and not path.is_file():
        raise InputError("is not a regular file", file=str(path), fix="Write the scores to another file")
    if path is not None and not path.parent.is_dir():
        raise InputError("no such folder", file=str(path.parent), fix="Create it first")
    if path is not None and path.suffix in _OTHER_FORMATS:
        fix = "Give a file name that ends in .parquet"
        raise InputError("sentence scores are written as Parquet", file=str(path), fix=fix)


class _Stoppable:
    """Turns SIGINT and SIGTERM into `StreamStoppedError`.

    While a batch is read, the error is raised at once. While a batch is counted, it is raised after the batch. A second
    signal then raises `KeyboardInterrupt` at once, and the run can be resumed from its last saved state.
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
    def after_this(self) -> Iterator[None]:
        """Delay stopping until the end of the `with` block."""
        self._counting = True
        yield
        self._counting = False
        if self._asked:
            raise StreamStoppedError

    def _stop(self, *_: object) -> None:
        if not self._counting:
            raise StreamStoppedError
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True

"""Files scored as a stream: constant memory, progress, and a run that can be stopped and goes on."""

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
from gecbench.api import metric_columns
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.door import Door, Verdict
from gecbench.corpus.intake import Intake
from gecbench.errors import GecbenchError, InputError
from gecbench.formats.text import check_outputs
from gecbench.metrics.base import Metric
from gecbench.metrics.stream import Stream
from gecbench.progress import progress
from gecbench.scale.batches import Inputs
from gecbench.scale.counting import Counted, OnBad
from gecbench.scale.journal import Journal
from gecbench.scale.rows import Faults, Rows

if TYPE_CHECKING:
    import pyarrow

BATCH_SIZE = 10_000
_SECONDS_BETWEEN_STATES = 15.0
_ALIGNED = Intake(tokenized=True, foreign="error")


class StoppedError(GecbenchError):
    """A run that was stopped, and how to go on."""


@dataclass(frozen=True)
class StreamOptions:
    """How files are streamed."""

    intake: Intake
    batch_size: int = BATCH_SIZE
    on_bad: OnBad = "error"
    per_sentence: Path | None = None
    resume: bool = False


class FileStream:
    """A run over files: what it carries from batch to batch."""

    def __init__(self, inputs: Inputs, options: StreamOptions) -> None:
        self._inputs, self._options = inputs, options
        check_outputs([options.per_sentence], inputs.files())
        _check_target(options.per_sentence)
        self._metrics = metric_columns(list(inputs.metrics))
        self._streams = {name: Stream(metric) for name, metric in self._metrics.items()}
        self._door = Door(options.intake, file=inputs.predictions)
        self._journal = Journal({**inputs.key(), "intake": vars(options.intake)}, options.per_sentence)
        self._reference_doors: list[Door] = []
        self._rows = self._skipped = 0
        self._is_kept = True

    def run(self) -> Scores:
        """Score all batches, and return the scores."""
        try:
            if facts := self._journal.load(self._streams, self._options.resume):
                self._restore(facts)
            with _Stoppable() as stoppable:
                self._walk(stoppable)
            for door in self._doors():
                door.close()
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
        for k in range(len(facts["doors"]) - 1):
            self._add_reference_door(k)
        for door, verdict in zip(self._doors(), facts["doors"], strict=True):
            door.verdict, door.seen = Verdict(**verdict), self._rows

    def _doors(self) -> list[Door]:
        return [self._door, *self._reference_doors]

    def _add_reference_door(self, k: int) -> None:
        file = self._inputs.references[min(k, len(self._inputs.references) - 1)]
        self._reference_doors.append(Door(_ALIGNED, "the references", file))

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
        self._door.look(corpus, predictions)
        if self._inputs.references and not self._options.intake.aligned:
            sources = Corpus(sources=corpus.sources)
            for k, column in enumerate(corpus.reference_columns()):
                if k == len(self._reference_doors):
                    self._add_reference_door(k)
                self._reference_doors[k].look(sources, column)

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
        doors = [asdict(door.verdict) for door in self._doors()]
        facts = {"rows": self._rows, "skipped": self._skipped, "doors": doors}
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

    table = counted.table(door=asdict(Verdict()), on_bad=on_bad)
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

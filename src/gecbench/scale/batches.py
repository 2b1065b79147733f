"""The batches of a stream from files: sources, references or coded edits, and one system's predictions."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gecbench.corpora.resolve import apply_edits_for, resolve_corpus
from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError, Located
from gecbench.formats.columns import PREDICTION_NAMES, REFERENCE_NAMES, SOURCE_NAMES, edited_texts
from gecbench.scale.files import Blocks, Values, Wanted, count_sentences, is_edits, values_of
from gecbench.scale.rows import Columns, Rows, read_rows, text_fault

_PAIRED = "Both need one line per sentence, in the same order; an empty output is an empty line"
_COLUMNS = Columns("source", "prediction", "references")


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
            with Located(f"{self.predictions}, from sentence {begin + 1} on"):
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
        return apply_edits_for(self._metrics, found[0]) if found else ()


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

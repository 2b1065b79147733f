"""Rows of a batch as a corpus and its predictions; those that are none are found and said to be so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from gecbench.corpora.edits import as_edits
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.edits import Annotation, EditedTexts, check_apart, span
from gecbench.corpus.gold_checks import check_sentence_annotations
from gecbench.errors import InputError, unfit

SHOWN = 3
_PLACES = 2**63


@dataclass(frozen=True)
class Columns:
    """The names of the columns to read; `references` are one column of lists, or several of texts."""

    source: str
    prediction: str
    references: str | Sequence[str] | None = None
    annotations: str | None = None
    index: str | None = None

    def __post_init__(self) -> None:
        if self.references is not None and not isinstance(self.references, str):
            object.__setattr__(self, "references", tuple(self.references))

    def names(self) -> list[str]:
        """Return the names of all columns that are read, once each."""
        references = [self.references] if isinstance(self.references, str) else self.references or ()
        named = (self.index, self.source, self.prediction, *references, self.annotations)
        return list(dict.fromkeys(name for name in named if name is not None))

    def probe(self) -> Corpus:
        """Return the smallest corpus with the gold that the columns hold."""
        references = None if self.references is None else [["a"]]
        return Corpus(["a"], references, None if self.annotations is None else [[]])


@dataclass(frozen=True)
class Rows:
    """A batch as it was read: the place of each row in the corpus, what is wrong with it, and the others' texts.

    `probe` is a corpus with the gold that the rows have, also where none of them can be scored.
    """

    places: list[int | None]
    faults: list[str | None]
    probe: Corpus
    corpus: Corpus | None = None
    predictions: Sequence[str] = ()

    @property
    def good(self) -> list[int]:
        """The numbers of the rows that can be scored."""
        return [row for row, fault in enumerate(self.faults) if fault is None]

    @property
    def good_places(self) -> list[int]:
        """The places of the rows that can be scored."""
        return [
            place for place, fault in zip(self.places, self.faults, strict=True) if fault is None and place is not None
        ]


@dataclass
class Faults:
    """How many rows of a corpus cannot be scored, and why the first of them cannot."""

    count: int = 0
    examples: list[str] = field(default_factory=list)

    def say(self, place: int, reason: str) -> None:
        """Keep an example; a place below 0 is none."""
        if len(self.examples) < SHOWN:
            self.examples.append(f"row {place}: {reason}" if place >= 0 else reason)

    def note(self, places: Sequence[int], reason: str) -> None:
        """Count rows that share a reason."""
        self.count += len(places)
        for place in places[:SHOWN]:
            self.say(int(place), reason)

    def error(self, seen: int | None = None) -> InputError:
        """Return the refusal; `seen` is how many rows were looked at, if there may be more."""
        rows = "1 row" if self.count == 1 else f"{self.count} rows"
        rows += f" of the first {seen:,}" if seen else ""
        shown = "; ".join(self.examples) + ("; …" if self.count > len(self.examples) else "")
        fix = 'Correct them, or leave them out: on_bad="skip" (on the command line: --on-bad skip)'
        return InputError(f"{rows} cannot be scored (counted from 0): {shown}", fix=fix)


@dataclass(frozen=True)
class _RowFaults:
    """The first fault of every row."""

    found: list[str | None]

    def look(self, name: str, values: Sequence[Any], fault_of: Callable[[Any], str | None]) -> None:
        """Note what is wrong with a column's values."""
        for row, value in enumerate(values):
            if self.found[row] is None and (fault := fault_of(value)) is not None:
                self.found[row] = f"{name} {fault}"


def read_rows(batch: Any, columns: Columns, indices: Sequence[int] | None) -> Rows:
    """Read a batch: an Arrow table or record batch, or a mapping from names to lists."""
    sources, predictions = column_of(batch, columns.source), column_of(batch, columns.prediction)
    places = _places(batch, columns, indices, len(sources))
    faults = _RowFaults([None] * len(sources))
    _look_places(faults, columns.index or "index", places)
    _look_texts(faults, columns.source, sources)
    edited = any(isinstance(value, list) for value in predictions)
    if edited:
        predictions = _annotated(faults, columns.prediction, predictions, sources, applied=True)
    else:
        _look_texts(faults, columns.prediction, predictions)
    references = _references(batch, columns, faults)
    annotations = None
    if columns.annotations is not None:
        given = column_of(batch, columns.annotations)
        annotations = _annotated(faults, columns.annotations, given, sources)
    good = [row for row, fault in enumerate(faults.found) if fault is None]
    if not good:
        return Rows(places, faults.found, columns.probe())

    def chosen(values: Sequence[Any] | None) -> list[Any] | None:
        return None if values is None else list(values) if len(good) == len(values) else [values[row] for row in good]

    kept = chosen(sources) or []
    corpus = Corpus(
        sources=kept,
        references=chosen(references),
        annotations=chosen(annotations),
        ids=[str(places[row]) for row in good],
    )
    texts = chosen(predictions) or []
    return Rows(places, faults.found, corpus, corpus, EditedTexts.of(kept, texts) if edited else texts)


def column_of(batch: Any, name: str) -> list[Any]:
    """Return a column of a batch as a list, or say which columns there are."""
    known = getattr(batch, "column_names", None) or (batch.schema.names if hasattr(batch, "schema") else list(batch))
    if name not in known:
        raise InputError(f"no column {name!r}", fix=f"Columns: {', '.join(map(str, known))}")
    values = batch[name]
    as_list = getattr(values, "to_pylist", None) or getattr(values, "tolist", None)
    return list(as_list() if as_list else values)


def _places(batch: Any, columns: Columns, indices: Sequence[int] | None, rows: int) -> list[int | None]:
    if columns.index is not None:
        return column_of(batch, columns.index)
    if indices is None:
        raise InputError(
            "no index: which place a row has in its corpus is not known",
            fix='Name a column of whole numbers from 0 (index="…"), or call Dataset.map with with_indices=True',
        )
    if len(indices) != rows:
        raise InputError(f"{len(indices)} indices for {rows} rows")
    return [*indices]


def _look_places(faults: _RowFaults, name: str, places: Sequence[Any]) -> None:
    if set(map(type, places)) - {int} or min(places, default=0) < 0 or max(places, default=0) >= _PLACES:
        faults.look(name, places, _place_fault)


def _place_fault(place: Any) -> str | None:
    if place is None:
        return "is missing"
    is_place = isinstance(place, int) and not isinstance(place, bool) and 0 <= place < _PLACES
    return None if is_place else f"is {place!r:.40}, not a whole number from 0"


def _look_texts(faults: _RowFaults, name: str, values: Sequence[Any]) -> None:
    if set(map(type, values)) - {str}:
        faults.look(name, values, text_fault)


def text_fault(value: Any) -> str | None:
    """Return what is wrong with a value that should be a text."""
    if value is None:
        return "is missing"
    return None if isinstance(value, str) else f"is {value!r:.40}, not a text"


def _references(batch: Any, columns: Columns, faults: _RowFaults) -> Sequence[Any] | None:
    if columns.references is None:
        return None
    if isinstance(columns.references, str):
        rows = [[each] if isinstance(each, str) else each for each in column_of(batch, columns.references)]
        lists = not set(map(type, rows)) - {list, tuple} and all(rows)
        if not lists or set(map(type, chain.from_iterable(rows))) - {str}:
            faults.look(columns.references, rows, _texts_fault)
        return rows
    found = [column_of(batch, name) for name in columns.references]
    for name, values in zip(columns.references, found, strict=True):
        _look_texts(faults, name, values)
    return list(zip(*found, strict=True))


def _texts_fault(texts: Any) -> str | None:
    if not texts:
        return "is missing"
    if not isinstance(texts, (list, tuple)):
        return f"is {texts!r:.40}, not a list of texts"
    return next((f"has one that {fault}" for text in texts if (fault := text_fault(text))), None)


def _annotated(
    faults: _RowFaults, name: str, values: Sequence[Any], sources: Sequence[Any], *, applied: bool = False
) -> list[list[Annotation]]:
    """Return the annotations of each row; where they cannot be read, or `applied`, none and a fault."""
    found: list[list[Annotation]] = []
    for row, (value, source) in enumerate(zip(values, sources, strict=True)):
        read: list[Annotation] = []
        if faults.found[row] is None:
            try:
                read = [Annotation(entry["annotator"], as_edits(entry["edits"])) for entry in value]
                check_sentence_annotations(read, len(source.split()))
                if applied and read:
                    check_apart(source, sorted(read[0].edits, key=span))
            except InputError as error:
                faults.found[row] = f"{name}: {error.problem}"
            except (KeyError, TypeError) as error:
                faults.found[row] = f"{name} is missing" if value is None else f"{name} cannot be read: {unfit(error)}"
        found.append(read)
    return found

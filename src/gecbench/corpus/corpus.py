"""A corpus: sources, references, annotations, error groups; frozen, and checked once, when it is made."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal, TypeVar, cast

from gecbench.corpus.checks import check_references, check_texts
from gecbench.corpus.edits import Annotation
from gecbench.corpus.error_groups import GroupedSentence
from gecbench.corpus.fingerprint import fingerprint_of, hash_sentences, sum_hashes
from gecbench.corpus.gold_checks import check_sentence_annotations, check_sentence_groups
from gecbench.errors import InputError, Located
from gecbench.kernels.m2 import EditTable

Gold = Literal["references", "annotations", "groups"]
Derived = TypeVar("Derived")


@dataclass(frozen=True)
class DeferredAnnotations:
    """Annotations that are made when they are first asked for; until then their table serves."""

    make: Callable[[], Sequence[Sequence[Annotation]]]
    table: EditTable


@dataclass(frozen=True)
class Corpus:
    """Sources with references (sentence-major), annotations, error groups, or several of them.

    `references[i]` are the corrected versions of sentence i, `annotations[i]` its annotators' edits, `groups[i]` its
    errors with their alternative corrections. Each may be absent for the whole corpus; the number may differ between
    sentences. `metadata["columns"]`, if there, holds further values of each sentence by name.

    >>> Corpus(sources=["He go ."], references=[["He goes .", "He went ."]])
    Corpus(name='corpus', sentences=1, references=2)
    """

    sources: Sequence[str]
    references: Sequence[Sequence[str]] | None = None
    annotations: Sequence[Sequence[Annotation]] | None = None
    ids: Sequence[str] | None = None
    name: str = "corpus"
    metadata: Mapping[str, object] = field(default_factory=dict)
    groups: Sequence[GroupedSentence] | None = None

    def __post_init__(self) -> None:
        sources = check_texts(self.sources, "sources")
        if not sources:
            raise InputError("the corpus is empty", fix="Give at least one source sentence")
        set_field = object.__setattr__
        set_field(self, "sources", sources)
        set_field(self, "_derived", {})
        if self.references is not None:
            set_field(self, "references", check_references(self.references, sources))
        self._set_annotations(self.annotations)
        if self.groups is not None:
            set_field(self, "groups", _check_groups(self.groups, sources))
        if self.ids is not None:
            _check_length("ids", len(self.ids), len(sources))
        set_field(self, "ids", tuple(self.ids or map(str, range(1, len(sources) + 1))))
        set_field(self, "metadata", MappingProxyType(dict(self.metadata)))

    def _set_annotations(self, given: object) -> None:
        if isinstance(given, DeferredAnnotations):
            _check_length("annotations", len(given.table.row_offsets) - 1, len(self.sources))
            self.__dict__["_deferred"] = self.__dict__.pop("annotations")
        elif self.annotations is not None:
            _check_length("annotations", len(self.annotations), len(self.sources))
            object.__setattr__(self, "annotations", _check_annotations(self.annotations, self.sources))

    def __len__(self) -> int:
        return len(self.sources)

    def __repr__(self) -> str:
        parts = [f"name={self.name!r}", f"sentences={len(self)}"]
        if self.references is not None:
            parts.append(f"references={self.reference_range()}")
        if self.annotations is not None:
            annotators = {annotation.annotator for sentence in self.annotations for annotation in sentence}
            parts.append(f"annotators={len(annotators)}")
        if self.groups is not None:
            parts.append(f"groups={sum(len(sentence.groups) for sentence in self.groups)}")
        return f"Corpus({', '.join(parts)})"

    def __reduce__(self) -> tuple[object, ...]:
        made = {field.name: getattr(self, field.name) for field in fields(self)}
        return Corpus, tuple({**made, "metadata": dict(self.metadata)}.values())

    def has(self, gold: Gold) -> bool:
        """Return whether the corpus has a kind of gold."""
        return self.edit_table() is not None if gold not in self.__dict__ else self.__dict__[gold] is not None

    def edit_table(self) -> EditTable | None:
        """Return the annotations as arrays, where they were read as such."""
        deferred: DeferredAnnotations | None = self.__dict__.get("_deferred")
        return None if deferred is None else deferred.table

    def reference_range(self) -> str:
        """Return the number of references per sentence: `4`, or `1-4` where it differs."""
        if self.references is None:
            return "0"
        sizes = set(map(len, self.references))
        return str(min(sizes)) if len(sizes) == 1 else f"{min(sizes)}-{max(sizes)}"

    def reference_columns(self) -> list[list[str]]:
        """Return the k-th reference of every sentence, for each k; a sentence that has fewer gives its source."""
        sizes = {*map(len, self.references or ())}
        if len(sizes) == 1:
            return [list(column) for column in zip(*self.references or (), strict=True)]
        most = max(sizes, default=0)
        pairs = list(zip(self.sources, self.references or (), strict=False))
        return [[texts[k] if k < len(texts) else source for source, texts in pairs] for k in range(most)]

    def with_references(self, chosen: Sequence[int]) -> Corpus:
        """Return the same corpus with only the references of these positions."""
        if self.references is None:
            raise InputError(f"{self.name} has no references to choose from")
        references = [[texts[k] for k in chosen if k < len(texts)] for texts in self.references]
        made = self.replace(references=references)
        made.derived("origin of the references", lambda: (self, tuple(chosen)))
        return made

    def origin(self) -> tuple[Corpus, tuple[int, ...]] | None:
        """Return the corpus that `with_references` was asked of, and for which positions."""
        return self.derived("origin of the references", lambda: None)

    def select(self, sentences: Sequence[int]) -> Corpus:
        """Return the corpus of these sentences, in this order."""
        columns = {name: getattr(self, name) for name in ("sources", "references", "annotations", "ids", "groups")}
        chosen = {name: values and [values[i] for i in sentences] for name, values in columns.items()}
        return self.replace(**chosen, metadata=_select_columns(self.metadata, sentences))

    def fingerprint(self, gold: Gold | None = None) -> str:
        """Return eight hexadecimal digits that change with the sources and the gold (by default all there is)."""
        return self.derived(
            ("fingerprint", gold), lambda: fingerprint_of(sum_hashes(b"".join(self.sentence_hashes(gold))))
        )

    def derived(self, key: Hashable, make: Callable[[], Derived]) -> Derived:
        """Return what `make` makes of this corpus, made once: a corpus never changes."""
        known: dict[Hashable, object] = self.__dict__["_derived"]
        if key not in known:
            known[key] = make()
        return cast(Derived, known[key])

    def sentence_hashes(self, gold: Gold | None = None, places: Iterable[int] | None = None) -> list[bytes]:
        """Return the hashes that the fingerprint is the sum of, one per sentence; `places` are theirs in the whole."""
        texts = map("".join, zip(*self._spelled(gold), strict=True))
        return hash_sentences(range(len(self)) if places is None else places, texts)

    def _spelled(self, gold: Gold | None) -> Iterator[Sequence[str]]:
        """Yield the sources, and the gold of every sentence as text."""
        yield self.sources
        if gold in ("references", None) and self.references is not None:
            yield ["\x00" + "\x01".join(texts) for texts in self.references]
        if gold in ("annotations", None) and self.has("annotations"):
            yield self._spelled_annotations()
        if gold in ("groups", None) and self.groups is not None:
            yield [f"\x00{grouped!r}" for grouped in self.groups]

    def _spelled_annotations(self) -> Sequence[str]:
        table = self.edit_table()
        spelled = [] if table is None else table.spelled.decode().split("\x00")[1:]
        if len(spelled) == len(self):
            return ["\x00" + text for text in spelled]
        return ["\x00" + "".join([*map(_spelled, sentence)]) for sentence in self.annotations or ()]

    def replace(self, **changes: object) -> Corpus:
        """Return the same corpus with some fields changed."""
        return Corpus(**{**self._fields(), **changes})

    def _fields(self) -> dict[str, Any]:
        known = {field.name: self.__dict__.get(field.name) for field in fields(self)}
        if (table := self.edit_table()) is not None:
            known["annotations"] = DeferredAnnotations(lambda: self.annotations or (), table)
        return known


class _MadeWhenAsked:
    """Makes deferred annotations: looked up only while a corpus has none of its own."""

    def __get__(self, corpus: Corpus | None, _owner: type[Corpus]) -> Sequence[Sequence[Annotation]] | None:
        if corpus is None:
            return None
        deferred: DeferredAnnotations = corpus.__dict__["_deferred"]
        made = corpus.__dict__["annotations"] = tuple(map(tuple, deferred.make()))
        return made


Corpus.annotations = _MadeWhenAsked()  # type: ignore[assignment]


def _select_columns(metadata: Mapping[str, object], sentences: Sequence[int]) -> dict[str, object]:
    columns = metadata.get("columns")
    if not isinstance(columns, Mapping):
        return dict(metadata)
    chosen = {name: tuple(values[i] for i in sentences) for name, values in columns.items()}
    return {**metadata, "columns": chosen}


def _check_length(what: str, found: int, sentences: int) -> None:
    if found != sentences:
        raise InputError(f"{found} {what} for {sentences} sources", fix=f"Give one entry of {what} per source")


def _check_annotations(
    annotations: Sequence[Sequence[Annotation]], sources: Sequence[str]
) -> tuple[tuple[Annotation, ...], ...]:
    checked = tuple(map(tuple, annotations))
    for i, (sentence, source) in enumerate(zip(checked, sources, strict=True)):
        with Located(f"annotations[{i}]"):
            check_sentence_annotations(sentence, len(source.split()))
    return checked


def _spelled(found: Annotation) -> str:
    edits = [f"\x03{e.start} {e.end} {e.type}\x01" + "\x01".join(e.corrections) for e in found.edits]
    return f"\x02{found.annotator}" + "".join(edits)


def _check_groups(groups: Sequence[GroupedSentence], sources: Sequence[str]) -> tuple[GroupedSentence, ...]:
    checked = tuple(groups)
    _check_length("groups", len(checked), len(sources))
    for i, (sentence, source) in enumerate(zip(checked, sources, strict=True)):
        with Located(f"groups[{i}]"):
            check_sentence_groups(sentence, len(source.split()))
    return checked

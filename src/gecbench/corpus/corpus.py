"""Corpus: sources with references, annotations or error groups.

A corpus is validated once, when it is created. Validation errors name the argument and the position. The fingerprint is
the sum of per-sentence hashes, so the parts of a corpus can be hashed separately. Each hash covers the sentence's
position, because GLEU's random references and M2's choice of annotators depend on the order of the sentences.
"""

from __future__ import annotations

import weakref
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields
from hashlib import blake2b
from itertools import chain
from math import isnan
from types import MappingProxyType
from typing import Any, Generic, Literal, TypeVar

import numpy as np

from gecbench.corpus.edits import Annotation, Edit, EditTable
from gecbench.corpus.groups import ErrorGroup, GroupedSentence, Replacement
from gecbench.errors import InputError, counted, error_context, type_name

Gold = Literal["references", "annotations", "groups"]
Value = TypeVar("Value")
HASH_SIZE = 16
_MODULUS = 1 << 8 * HASH_SIZE
_LARGEST = 2**31  # numbers in annotations fit in 32 bits
_KINDS = {
    str: "a string",
    bool: "true or false",
    Annotation: "an Annotation",
    Edit: "an Edit",
    ErrorGroup: "an ErrorGroup",
    GroupedSentence: "a GroupedSentence",
    Replacement: "a Replacement",
}
_SENTENCE_MAJOR = "references[i] must be the list of references of sentence i"
_HALF_OPEN = "Spans are half-open: 0 <= start <= end <= number of tokens"


@dataclass(frozen=True)
class Corpus:
    """Source sentences with references, annotations or error groups.

    A corpus never changes after it is created.

    Args:
        sources: The source sentences: tokens separated by spaces.
        references: `references[i]` is the list of corrected versions of sentence i. Sentences may have different
            numbers of references.
        annotations: `annotations[i]` is the list of `Annotation` objects of sentence i, one per annotator.
        ids: One identifier per sentence. By default "1", "2", …
        name: The name of the corpus in messages.
        metadata: Further facts about the corpus. `metadata["columns"]` maps the name of each further column to its
            values, one per sentence.
        groups: `groups[i]` is the `GroupedSentence` with the error groups of sentence i, for the I-measure.

    Raises:
        InputError: There are no sources, the arguments have different lengths, or a value is invalid.

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
        if isinstance(given, EditTable):
            _check_length("annotations", len(given), len(self.sources))
            self.__dict__["_table"] = self.__dict__.pop("annotations")
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
        """Return whether the corpus has a given kind of gold.

        Args:
            gold: "references", "annotations" or "groups".

        >>> Corpus(["He go ."], [["He goes ."]]).has("annotations")
        False
        """
        return self.edit_table() is not None if gold not in self.__dict__ else self.__dict__[gold] is not None

    def edit_table(self) -> EditTable | None:
        """Return the annotations as an `EditTable`.

        Return None if the corpus has no annotations, or was made from `Annotation` objects.
        """
        return self.__dict__.get("_table")

    def reference_range(self) -> str:
        """Return the number of references per sentence: `4`, or `1-4` if it varies.

        >>> Corpus(["a", "b"], [["a"], ["b", "c"]]).reference_range()
        '1-2'
        """
        if self.references is None:
            return "0"
        sizes = set(map(len, self.references))
        return str(min(sizes)) if len(sizes) == 1 else f"{min(sizes)}-{max(sizes)}"

    def reference_columns(self) -> list[list[str]]:
        """Return the references as columns.

        Column k is the k-th reference of every sentence. A sentence with fewer references contributes its source
        instead.

        >>> Corpus(["a", "b"], [["a"], ["b", "c"]]).reference_columns()
        [['a', 'b'], ['a', 'c']]
        """
        sizes = {*map(len, self.references or ())}
        if len(sizes) == 1:
            return [list(column) for column in zip(*self.references or (), strict=True)]
        most = max(sizes, default=0)
        pairs = list(zip(self.sources, self.references or (), strict=False))
        return [[texts[k] if k < len(texts) else source for source, texts in pairs] for k in range(most)]

    def with_references(self, chosen: Sequence[int]) -> Corpus:
        """Return the same corpus with only some of its references.

        Args:
            chosen: The positions of the references to keep, from 0.

        Returns:
            A new corpus.

        Raises:
            InputError: The corpus has no references, or a sentence has none at the chosen positions.

        >>> Corpus(["a"], [["b", "c", "d"]]).with_references([0, 2]).references
        (('b', 'd'),)
        """
        if self.references is None:
            raise InputError(f"{self.name} has no references to choose from", fix="Give references")
        references = [[texts[k] for k in chosen if k < len(texts)] for texts in self.references]
        made = self.replace(references=references)
        object.__setattr__(made, "_origin", (self, tuple(chosen)))
        return made

    def origin(self) -> tuple[Corpus, tuple[int, ...]] | None:
        """Return the original corpus and the positions of the chosen references.

        Return None if this corpus was not made by `with_references`.
        """
        found: tuple[Corpus, tuple[int, ...]] | None = self.__dict__.get("_origin")
        return found

    def select(self, sentences: Sequence[int]) -> Corpus:
        """Return a corpus with only some sentences.

        Args:
            sentences: The positions of the sentences to keep, from 0, in the order wanted.

        Returns:
            A new corpus.

        Raises:
            InputError: `sentences` is empty.
            IndexError: The corpus has no sentence at a position.

        >>> Corpus(["a", "b", "c"]).select([2, 0]).sources
        ('c', 'a')
        """
        columns = {name: getattr(self, name) for name in ("sources", "references", "annotations", "ids", "groups")}
        chosen = {name: values and [values[i] for i in sentences] for name, values in columns.items()}
        return self.replace(**chosen, metadata=_select_columns(self.metadata, sentences))

    def fingerprint(self, gold: Gold | None = None) -> str:
        """Return eight hexadecimal digits that identify the sources and their gold.

        Args:
            gold: The gold to hash with the sources: "references", "annotations" or "groups". By default all three.

        >>> Corpus(["He go ."], [["He goes ."]]).fingerprint()
        '6a72405c'
        """
        found = _FINGERPRINTS.get(self, gold)
        if found is None:
            total = sum_hashes(b"".join(self.sentence_hashes(gold)))
            found = _FINGERPRINTS.put(self, gold, fingerprint_of(total))
        return found

    def sentence_hashes(self, gold: Gold | None = None, places: Iterable[int] | None = None) -> list[bytes]:
        """Return one hash per sentence. Their sum gives the fingerprint.

        Args:
            gold: The kind of gold to hash, as in `fingerprint`.
            places: The positions of the sentences in the whole corpus, if this corpus is only a part of it.
        """
        texts = map("".join, zip(*self._serialize(gold), strict=True))
        return hash_sentences(range(len(self)) if places is None else places, texts)

    def _serialize(self, gold: Gold | None) -> Iterator[Sequence[str]]:
        """Yield the sources, then each kind of gold as one text per sentence."""
        yield self.sources
        if gold in ("references", None) and self.references is not None:
            yield ["\x00" + "\x01".join(texts) for texts in self.references]
        if gold in ("annotations", None) and self.has("annotations"):
            table = self.edit_table() or EditTable.of(self.annotations or ())
            yield ["\x00" + text for text in table.serialized]
        if gold in ("groups", None) and self.groups is not None:
            yield [f"\x00{grouped!r}" for grouped in self.groups]

    def replace(self, **changes: object) -> Corpus:
        """Return the same corpus with some fields changed.

        Args:
            **changes: The new values of these fields, by name.

        Raises:
            InputError: The new values are invalid.

        >>> Corpus(["a"]).replace(name="mine").name
        'mine'
        """
        return Corpus(**{**self._fields(), **changes})

    def _fields(self) -> dict[str, Any]:
        known = {field.name: self.__dict__.get(field.name) for field in fields(self)}
        if (table := self.edit_table()) is not None:
            known["annotations"] = table
        return known


class CorpusCache(Generic[Value]):
    """A cache of values per corpus and key.

    The values of a corpus are dropped when the corpus is deleted. A corpus never changes, so cached values stay valid.
    Each metric has its own cache. `put` takes a value, not a function that computes it, because a lower package never
    calls a higher one.
    """

    def __init__(self) -> None:
        self._values: dict[int, dict[Hashable, Value]] = {}

    def get(self, corpus: Corpus, key: Hashable = None) -> Value | None:
        """Return the cached value, or None."""
        return self._values.get(id(corpus), {}).get(key)

    def put(self, corpus: Corpus, key: Hashable, value: Value) -> Value:
        """Store a value until the corpus is deleted, and return it."""
        if id(corpus) not in self._values:
            self._values[id(corpus)] = {}
            weakref.finalize(corpus, self._values.pop, id(corpus), None).atexit = False
        self._values[id(corpus)][key] = value
        return value


_FINGERPRINTS: CorpusCache[str] = CorpusCache()


class _LazyAnnotations:
    """Create the annotations of an edit table when they are first read.

    Afterwards they are in the `__dict__` of the corpus, so Python does not call this descriptor again.
    """

    def __get__(self, corpus: Corpus | None, _owner: type[Corpus]) -> Sequence[Sequence[Annotation]] | None:
        if corpus is None:
            return None
        table: EditTable = corpus.__dict__["_table"]
        made = corpus.__dict__["annotations"] = table.annotations
        return made


Corpus.annotations = _LazyAnnotations()  # type: ignore[assignment]


def check_texts(texts: Iterable[str], argument: str) -> tuple[str, ...]:
    """Return the texts as a tuple, or raise an error.

    The error names the first item that is not a string.
    """
    if isinstance(texts, (str, bytes)):
        raise InputError(
            f"{argument} is a single {type(texts).__name__}, not a list of sentences",
            fix="Pass a list with one string per sentence",
        )
    if not isinstance(texts, Iterable):
        raise InputError(f"{argument} is {_kind(texts)}", fix="Pass a list with one string per sentence")
    check_ordered(texts, argument)
    checked = tuple(python_values(texts))
    if set(map(type, checked)) - {str}:
        for i, text in enumerate(checked):
            _check_text(text, f"{argument}[{i}]")
        return tuple(map(str, checked))
    return checked


def python_values(values: Any) -> Any:
    """Convert an Arrow array to a list of Python values.

    Return anything else unchanged.
    """
    return values.to_pylist() if hasattr(values, "to_pylist") else values


def check_ordered(texts: object, argument: str) -> None:
    """Raise an error for a set or a dictionary.

    Texts are paired by their order, so a list is needed.
    """
    if isinstance(texts, (Set, Mapping)):
        fix = "Pass a list, because texts are paired by their position"
        raise InputError(f"{argument} is {_kind(texts)}, not a list", fix=fix)


def check_references(references: Sequence[Sequence[str]], sources: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the references of each sentence as tuples.

    Raise an error if their shape is wrong.
    """
    if isinstance(references, (str, bytes)):
        raise InputError(f"references is a single {type(references).__name__}", fix=_SENTENCE_MAJOR)
    if not isinstance(references, Iterable):
        raise InputError(f"references is {_kind(references)}", fix=_SENTENCE_MAJOR)
    check_ordered(references, "references")
    rows = list(python_values(references))
    plain = set(map(type, rows)) <= {list, tuple} and set(map(type, chain.from_iterable(rows))) <= {str}
    checked = tuple(map(tuple, rows)) if plain else _check_rows(rows)
    _check_shape(checked, sources)
    if not all(checked):
        i = checked.index(())
        problem = f"references[{i}] is empty: sentence {i + 1} has no reference"
        raise InputError(problem, fix="Give at least one reference")
    return checked


def _check_rows(rows: Sequence[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    for i, texts in enumerate(rows):
        if texts is None or isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
            raise InputError(
                f"references[{i}] is {_kind(texts)}, not a list of strings",
                fix=f"{_SENTENCE_MAJOR}: wrap single references as [[reference] for reference in references]",
            )
    return tuple(check_texts(texts, f"references[{i}]") for i, texts in enumerate(rows))


def check_line_count(lines: int, sentences: int, name: str, file: str, fix: str) -> None:
    """Raise an error if a file does not have one line per sentence.

    `name` is the corpus or file with the sentences.
    """
    if lines != sentences:
        raise InputError(
            f"{counted(lines, 'line')}, but {name} has {counted(sentences, 'sentence')}",
            file=file,
            line=min(lines, sentences) + 1,
            fix=fix,
        )


def _check_annotations(
    annotations: Sequence[Sequence[Annotation]], sources: Sequence[str]
) -> tuple[tuple[Annotation, ...], ...]:
    checked = tuple(map(tuple, annotations))
    for i, (sentence, source) in enumerate(zip(checked, sources, strict=True)):
        with error_context(f"annotations[{i}]"):
            check_sentence_annotations(sentence, len(source.split()))
    return checked


def _check_groups(groups: Sequence[GroupedSentence], sources: Sequence[str]) -> tuple[GroupedSentence, ...]:
    checked = tuple(groups)
    _check_length("groups", len(checked), len(sources))
    for i, (sentence, source) in enumerate(zip(checked, sources, strict=True)):
        with error_context(f"groups[{i}]"):
            check_sentence_groups(sentence, len(source.split()))
    return checked


def _check_length(what: str, found: int, sentences: int) -> None:
    if found != sentences:
        raise InputError(
            f"{counted(found, what.removesuffix('s'))} for {counted(sentences, 'source')}",
            fix=f"Give {what} with one entry per source",
        )


def _check_shape(references: tuple[tuple[str, ...], ...], sources: Sequence[str]) -> None:
    transposed_fix = f"{_SENTENCE_MAJOR}: pass list(zip(*references))"
    if len(references) != len(sources):
        if references and all(len(texts) == len(sources) for texts in references):
            raise InputError(
                f"references look transposed: {counted(len(references), 'list')} of {counted(len(sources), 'text')} "
                f"for {counted(len(sources), 'source')}",
                fix=transposed_fix,
            )
        found = f"references for {counted(len(references), 'sentence')}"
        raise InputError(f"there are {counted(len(sources), 'source')}, but {found}", fix=_SENTENCE_MAJOR)
    if _square_and_transposed(references, sources):
        problem = "references look transposed: each list seems to contain one reference of every sentence"
        raise InputError(problem, fix=transposed_fix)


def _square_and_transposed(references: tuple[tuple[str, ...], ...], sources: Sequence[str]) -> bool:
    if len(sources) < 2 or any(len(texts) != len(sources) for texts in references):
        return False
    if sum(len(source.split()) for source in sources) < 4 * len(sources):
        return False
    by_row = _mean_overlap(sources, references)
    by_column = _mean_overlap(sources, tuple(zip(*references, strict=True)))
    return by_column > 0.5 and by_column > 1.5 * by_row


def _mean_overlap(sources: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    pairs = [(source, text) for source, texts in zip(sources, references, strict=True) for text in texts]
    return sum(overlap(source, text) for source, text in pairs) / len(pairs)


def overlap(left: str, right: str) -> float:
    """Return the Jaccard overlap of the token sets of two sentences.

    The overlap is 1 if both are empty.
    """
    first, second = set(left.split()), set(right.split())
    union = len(first | second)
    return len(first & second) / union if union else 1.0


def _check_text(text: object, place: str) -> None:
    if not isinstance(text, str):
        is_missing = text is None or (isinstance(text, float) and isnan(text))  # NaN: missing in a data frame
        fix = "Write an empty sentence as ''" if is_missing else "Pass a list with one string per sentence"
        raise InputError(f"{place} is {_kind(text)}, not a string", fix=fix)


def _kind(value: object) -> str:
    if value is None:
        return "None"
    return type_name(value) + (f" ({value!r})" if isinstance(value, (str, int, float)) else "")


def check_span(start: int, end: int, tokens: int) -> None:
    """Raise an error if a span does not fit in a sentence with this many tokens."""
    if not 0 <= start <= end <= tokens:
        raise InputError(
            f"the span {start} {end} does not fit a sentence of {counted(tokens, 'token')}", fix=_HALF_OPEN
        )


def check_annotators(annotators: int | None, size: int) -> None:
    """Raise an error if a sentence states more annotators than it has bytes.

    The bytes are those of the sentence in its file. Each annotator takes time and memory, so a few bytes must not state
    millions of annotators.
    """
    if annotators is not None and annotators > size:
        raise InputError(
            f"{counted(annotators, 'annotator')} for a sentence of {counted(size, 'byte')}, which can have at most "
            f"{counted(size, 'annotator')}",
            fix="Correct the number of annotators",
        )


def check_sentence_annotations(sentence: Sequence[Annotation], tokens: int) -> None:
    """Raise an error for invalid annotations of a sentence with this many tokens."""
    for annotation in sentence:
        _check(annotation, Annotation, "an annotation")
        _check_number(annotation.annotator, "annotator")
        for edit in annotation.edits:
            if not _is_plain_edit(edit, tokens):
                _check_edit(edit, tokens)
    if len(sentence) > 1 and len({annotation.annotator for annotation in sentence}) != len(sentence):
        raise InputError("an annotator is listed twice", fix="Put all edits of an annotator into one Annotation")


def check_sentence_groups(sentence: GroupedSentence, tokens: int) -> None:
    """Raise an error for invalid error groups of a sentence with this many tokens."""
    _check(sentence, GroupedSentence, "the sentence")
    _check(sentence.script, str, "script")
    if sentence.annotators is not None:
        _check_number(sentence.annotators, "annotators")
    for group in sentence.groups:
        _check(group, ErrorGroup, "a group")
        _check(group.required, bool, "required")
        _check(group.type, str, "type")
        for alternative in group.alternatives:
            _check(alternative.annotator, str, "annotator")
            for change in alternative.replacements:
                _check_replacement(change, tokens)


def _is_plain_edit(edit: Edit, tokens: int) -> bool:
    """Return whether a fast check shows that an edit is valid.

    A valid edit passes this check if it has one correction and fields of exact types.
    """
    return (
        type(edit) is Edit
        and type(edit.start) is int is type(edit.end)
        and 0 <= edit.start <= edit.end <= tokens
        and type(edit.corrections) is tuple
        and len(edit.corrections) == 1
        and type(edit.corrections[0]) is str is type(edit.type) is type(edit.required) is type(edit.comment)
    )


def _check_edit(edit: Edit, tokens: int) -> None:
    _check(edit, Edit, "an edit")
    _check_place(edit, tokens)
    texts: Any = edit.corrections
    if not isinstance(texts, (tuple, list)) or not texts or set(map(type, texts)) - {str}:
        raise InputError(f"corrections is {texts!r:.60}, not a list of strings", fix='For a deletion, write [""]')
    for name in ("type", "required", "comment"):
        _check(getattr(edit, name), str, name)


def _check_replacement(change: Replacement, tokens: int) -> None:
    _check(change, Replacement, "a replacement")
    _check_place(change, tokens)
    _check(change.text, str, "text")


def _check_place(change: Edit | Replacement, tokens: int) -> None:
    if type(change.start) is not int or type(change.end) is not int:
        _check_number(change.start, "start")
        _check_number(change.end, "end")
    check_span(change.start, change.end, tokens)


def _check_number(value: object, name: str) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not -_LARGEST <= value < _LARGEST:
        raise InputError(f"{name} is {value!r:.60}, not a whole number that fits in 32 bits")


def _check(value: object, kind: type, name: str) -> None:
    if not isinstance(value, kind):
        raise InputError(f"{name} is {value!r:.60}, not {_KINDS[kind]}")


def hash_sentences(places: Iterable[int], texts: Iterable[str]) -> list[bytes]:
    """Return a hash of the position (from 0) and the text of each sentence."""
    return [
        blake2b(f"{place}\n{text}".encode(errors="surrogatepass"), digest_size=HASH_SIZE).digest()
        for place, text in zip(places, texts, strict=True)
    ]


def sum_hashes(hashes: bytes) -> int:
    """Return the sum of hashes that are concatenated in one byte string."""
    words = np.frombuffer(hashes, dtype="<u4").reshape(-1, HASH_SIZE // 4).sum(axis=0, dtype=np.uint64)
    return add_sums(int(word) << 32 * k for k, word in enumerate(words))


def add_sums(sums: Iterable[int]) -> int:
    """Return the total of several sums of hashes."""
    total: int = sum(sums) % _MODULUS
    return total


def fingerprint_of(total: int) -> str:
    """Return the fingerprint (eight hexadecimal digits) for a sum of hashes."""
    return total.to_bytes(HASH_SIZE, "little")[:4].hex()


def _select_columns(metadata: Mapping[str, object], sentences: Sequence[int]) -> dict[str, object]:
    columns = metadata.get("columns")
    if not isinstance(columns, Mapping):
        return dict(metadata)
    chosen = {name: tuple(values[i] for i in sentences) for name, values in columns.items()}
    return {**metadata, "columns": chosen}

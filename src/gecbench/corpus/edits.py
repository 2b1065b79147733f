"""Edits of annotators: apply them to a source, or extract them from a rewrite."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice, pairwise

import numpy as np

from gecbench import kernels
from gecbench.errors import InputError, counted
from gecbench.kernels.tokens import EncodedLines, Ids, Offsets, TokenArray, intern_lines, offsets_of, offsets_of_sizes

_MOST_CELLS = 400_000_000  # bytes of the alignment table of one pair


@dataclass(frozen=True)
class Edit:
    """Replace the source tokens `[start, end)` with one of the corrections.

    Args:
        start: The position of the first token to replace, from 0.
        end: The position after the last token to replace. `start == end` inserts before the token at `start`.
        corrections: The alternative corrections. `("",)` deletes the tokens.
        type: The error type, such as "R:VERB:SVA".
        required: The field of M2 files that contains "REQUIRED".
        comment: The comment field of M2 files.

    >>> from gecbench import apply_edits
    >>> apply_edits("He go .", [Edit(1, 2, ("goes",))])
    'He goes .'
    """

    start: int
    end: int
    corrections: tuple[str, ...]
    type: str = "UNK"
    required: str = "REQUIRED"
    comment: str = "-NONE-"


@dataclass(frozen=True)
class Annotation:
    """The edits of one sentence by one annotator.

    Without edits, the annotator left the sentence unchanged.

    Args:
        annotator: The number of the annotator.
        edits: The edits, in the order of the text.

    >>> from gecbench import Edit
    >>> Annotation(0, (Edit(1, 2, ("goes",)),)).annotator
    0
    """

    annotator: int
    edits: tuple[Edit, ...]


@dataclass(frozen=True, eq=False)
class EditTable:
    """The annotations of a corpus as concatenated arrays.

    The property `annotations` returns them as objects. Sentence s has the rows row_offsets[s]:row_offsets[s + 1], one
    per annotator. Row r is annotators[r] with the edits edit_offsets[r]:edit_offsets[r + 1]. Edit e spans the tokens
    starts[e]:ends[e]. Its corrections are alternatives[corrections[e]]. `types`, `required` and `comments` are
    positions in `strings`.
    """

    row_offsets: Offsets
    annotators: Offsets
    edit_offsets: Offsets
    starts: Offsets
    ends: Offsets
    types: Ids
    corrections: Ids
    required: Ids
    comments: Ids
    strings: Sequence[str]
    alternatives: Sequence[tuple[str, ...]]

    @classmethod
    def of(cls, annotations: Sequence[Sequence[Annotation]]) -> EditTable:
        """Convert annotations to arrays."""
        rows = list(chain.from_iterable(annotations))
        strings: dict[str, int] = {}
        alternatives: dict[tuple[str, ...], int] = {}
        edits = [
            (
                edit.start,
                edit.end,
                strings.setdefault(edit.type, len(strings)),
                alternatives.setdefault(tuple(edit.corrections), len(alternatives)),
                strings.setdefault(edit.required, len(strings)),
                strings.setdefault(edit.comment, len(strings)),
            )
            for row in rows
            for edit in row.edits
        ]
        if not all(isinstance(text, str) for text in chain(strings, *alternatives)):
            problem = "an edit has a type, correction or comment that is not a string"
            raise InputError(problem, fix='Use strings. For a deletion, write corrections=[""]')
        columns = _whole_numbers(edits, "the start or end of an edit").reshape(-1, 6).T.copy()
        positions = columns[2:].astype(np.int32)
        return cls(
            row_offsets=offsets_of(annotations),
            annotators=_whole_numbers([row.annotator for row in rows], "the number of an annotator"),
            edit_offsets=offsets_of([row.edits for row in rows]),
            starts=columns[0],
            ends=columns[1],
            types=positions[0],
            corrections=positions[1],
            required=positions[2],
            comments=positions[3],
            strings=[*strings],
            alternatives=[*alternatives],
        )

    def __len__(self) -> int:
        return len(self.row_offsets) - 1

    @cached_property
    def annotations(self) -> tuple[tuple[Annotation, ...], ...]:
        """The annotations of each sentence as objects."""
        edits = list(
            map(
                Edit,
                self.starts.tolist(),
                self.ends.tolist(),
                [self.alternatives[k] for k in self.corrections.tolist()],
                *([self.strings[k] for k in ids.tolist()] for ids in (self.types, self.required, self.comments)),
            )
        )
        rows = zip(self.annotators.tolist(), pairwise(self.edit_offsets.tolist()), strict=True)
        made = [Annotation(annotator, tuple(edits[begin:end])) for annotator, (begin, end) in rows]
        return tuple(tuple(made[begin:end]) for begin, end in pairwise(self.row_offsets.tolist()))

    @cached_property
    def serialized(self) -> list[str]:
        """Each sentence's annotations as text for a fingerprint.

        The text has annotators, spans, types and corrections.
        """
        corrections = ["\x01".join(texts) for texts in self.alternatives]
        edits = [
            f"\x03{start} {end} {self.strings[kind]}\x01{corrections[k]}"
            for start, end, kind, k in zip(
                *(ids.tolist() for ids in (self.starts, self.ends, self.types, self.corrections)), strict=True
            )
        ]
        rows = [
            f"\x02{annotator}{''.join(edits[begin:end])}"
            for annotator, (begin, end) in zip(
                self.annotators.tolist(), pairwise(self.edit_offsets.tolist()), strict=True
            )
        ]
        return ["".join(rows[begin:end]) for begin, end in pairwise(self.row_offsets.tolist())]

    def of_types(self, kept: Collection[str]) -> EditTable:
        """Return the table with only the edits of these types.

        Annotators left without edits stay.
        """
        mask = np.isin(self.types, [k for k, name in enumerate(self.strings) if name in kept])
        columns = {name: getattr(self, name)[mask] for name in _EDIT_COLUMNS}
        return replace(self, edit_offsets=offsets_of_sizes(mask)[self.edit_offsets], **columns)

    def of_annotator(self, number: int) -> EditTable:
        """Return only the edits of one annotator.

        Sentences without that annotator have no row.
        """
        rows, sizes = self.annotators == number, np.diff(self.edit_offsets)
        mask = np.repeat(rows, sizes)
        columns = {name: getattr(self, name)[mask] for name in _EDIT_COLUMNS}
        return replace(
            self,
            row_offsets=offsets_of_sizes(rows)[self.row_offsets],
            annotators=self.annotators[rows],
            edit_offsets=offsets_of_sizes(sizes[rows]),
            **columns,
        )

    def comparable_corrections(self) -> tuple[Offsets, EncodedLines]:
        """Return the corrections that can occur in tokenized text.

        The result is the offsets of each edit's corrections, and these corrections. Corrections with white space other
        than single spaces are left out, because no tokenized text equals them.
        """
        kept = [[text.encode() for text in texts if is_single_spaced(text)] for texts in self.alternatives]
        chosen = [kept[k] for k in self.corrections.tolist()]
        texts = list(chain.from_iterable(chosen))
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        return offsets_of(chosen), EncodedLines(b"".join(texts), lengths)


_EDIT_COLUMNS = ("starts", "ends", "types", "corrections", "required", "comments")


def _whole_numbers(values: Sequence[object], what: str) -> Offsets:
    """Return whole numbers as an array.

    Anything else is an error, because numpy would drop fractions silently.
    """
    found = np.array(values) if values else np.empty(0, dtype=np.int64)
    if found.dtype.kind not in "iu":
        raise InputError(f"{what} is not a whole number that fits in 64 bits")
    return found.astype(np.int64)


def is_single_spaced(text: str) -> bool:
    """Return whether the only white space is single spaces between tokens."""
    return " ".join(text.split()) == text


class EditedTexts(tuple[str, ...]):
    """Predictions given as edits.

    They are a tuple of corrected texts that also holds the edits. Create them with `EditedTexts.of`. The text of a
    sentence is its source with the edits of its first annotation applied. A sentence without annotations is unchanged.
    Metrics that compare edits (ERRANT, CLEME) use the given edits instead of extracting edits from the text.

    >>> from gecbench import Annotation, Edit
    >>> EditedTexts.of(["He go ."], [[Annotation(0, (Edit(1, 2, ("goes",)),))]])
    ('He goes .',)
    """

    table: EditTable

    @classmethod
    def of(cls, sources: Sequence[str], annotations: Sequence[Sequence[Annotation]] | EditTable) -> EditedTexts:
        """Create the predictions by applying edits to the sources.

        Args:
            sources: The source sentences.
            annotations: The annotations of each sentence, as objects or as an `EditTable`.

        Returns:
            The corrected texts with their edits.

        Raises:
            InputError: The number of annotations differs from the number of sources, or edits of a sentence's first
                annotation overlap.
        """
        table = annotations if isinstance(annotations, EditTable) else EditTable.of(annotations)
        if len(table) != len(sources):
            problem = f"annotations of {counted(len(table), 'sentence')} for {counted(len(sources), 'source')}"
            raise InputError(problem, fix="Give annotations with one entry per source")
        texts = cls(_apply_first_rows(sources, table))
        texts.table = table
        return texts

    @cached_property
    def annotations(self) -> tuple[tuple[Annotation, ...], ...]:
        """The annotations of each sentence.

        A sentence without annotations gets an annotation without edits.
        """
        return tuple(sentence or (Annotation(0, ()),) for sentence in self.table.annotations)

    def select(self, sentences: Sequence[int]) -> EditedTexts:
        """Return the texts of some sentences, with their edits.

        Args:
            sentences: The positions of the sentences to keep, from 0, in the order wanted.
        """
        chosen = EditedTexts(self[i] for i in sentences)
        chosen.table = EditTable.of([self.table.annotations[i] for i in sentences])
        return chosen


def _apply_first_rows(sources: Sequence[str], table: EditTable) -> Iterator[str]:
    """Yield each source with the edits of its first annotator applied.

    For sorted edits that do not overlap, the result is the same as with `apply_edits`. No `Edit` objects are created.
    """
    words = [texts[0].split() for texts in table.alternatives]
    columns = (ids.tolist() for ids in (table.starts, table.ends, table.corrections))
    edits = list(zip(*columns, strict=True))
    bounds = table.edit_offsets.tolist()
    for i, (source, (row, last)) in enumerate(zip(sources, pairwise(table.row_offsets.tolist()), strict=True)):
        tokens = source.split()
        following = len(tokens)
        for start, end, correction in reversed(edits[bounds[row] : bounds[row + 1]]) if row < last else ():
            if not 0 <= start <= end <= following:
                yield apply_edits(source, table.annotations[i][0].edits)
                break
            tokens[start:end] = words[correction]
            following = start
        else:
            yield " ".join(tokens)


def apply_edits(source: str, edits: Sequence[Edit], alternative: int = 0, *, official: bool = False) -> str:
    """Return the source with all edits applied.

    The tokens of the result are joined by single spaces. Insertions at the same position are applied in the given
    order, before a replacement that starts there.

    Args:
        source: The source sentence.
        edits: The edits, in any order.
        alternative: The position of the correction to apply, from 0. An edit with fewer corrections uses its last one.
        official: Apply edits like the official I-measure scorer: from right to left, even if they overlap. An edit that
            would leave the sentence empty is skipped (docs/metrics/imeasure.md §3).

    Returns:
        The corrected sentence.

    Raises:
        InputError: Two edits overlap, and `official` is false.

    >>> from gecbench import Edit
    >>> apply_edits("He go school .", [Edit(1, 2, ("goes",)), Edit(2, 2, ("to",))])
    'He goes to school .'
    """
    tokens = source.split()
    ordered = sorted(edits, key=span)
    length = len(tokens)
    if not official:
        check_apart(source, ordered)
    for edit in reversed(ordered):
        start, end = span(edit) if official else (min(edit.start, length), min(edit.end, length))
        removed = tokens[start:end]
        tokens[start:end] = edit.corrections[min(alternative, len(edit.corrections) - 1)].split()
        if official:
            tokens = tokens or removed
    return " ".join(tokens)


def span(edit: Edit) -> tuple[int, int]:
    """Return the span of an edit, by which edits are sorted."""
    return edit.start, edit.end


def check_apart(source: str, ordered: Sequence[Edit]) -> None:
    """Raise an error if edits, sorted by span, overlap."""
    done = 0
    for edit in ordered:
        if edit.start < done:
            raise InputError(
                f"the edit of tokens [{edit.start}, {edit.end}) overlaps the previous edit in {source!r}",
                fix="Edits of one annotator must not overlap",
            )
        done = edit.end


def extract_edits(source: str, rewrite: str) -> tuple[Edit, ...]:
    """Extract the edits that turn a source into a rewrite.

    The edits come from a Levenshtein alignment of tokens. Adjacent changes become one edit. If several alignments have
    the lowest cost, one is chosen step by step from the end of the sentence. Each step prefers keeping or replacing a
    token over deleting one, and deleting over inserting.

    This follows Sakaguchi et al. (2016), section 4.1, except for one thing: their converter also matches tokens with
    the same lemma, while gecbench matches only equal tokens. Case matters.

    Args:
        source: The source sentence.
        rewrite: The corrected sentence.

    Returns:
        The edits. Their types are M (missing), U (unnecessary) and R (replacement).

    Raises:
        InputError: The texts are too long to align.

    >>> extract_edits("He go school .", "He goes to school .")
    (Edit(start=1, end=2, corrections=('goes to',), type='R', required='REQUIRED', comment='-NONE-'),)
    """
    return extract_all_edits([source], [[rewrite]])[0][0]


def extract_all_edits(sources: Sequence[str], rewrites: Sequence[Sequence[str]]) -> list[tuple[tuple[Edit, ...], ...]]:
    """Extract the edits of every rewrite of each source, as `extract_edits` does."""
    texts = [text for row in rewrites for text in row]
    tokens, rows, middle = intern_lines([*sources, *texts], "unicode"), offsets_of(rewrites), len(sources)
    changes, bounds = find_changes(tokens[:middle], tokens[middle:], rows)
    spans = zip(*changes.T.tolist(), strict=True)
    known = _KnownEdits()
    edits = []
    for text, count in zip(texts, np.diff(bounds).tolist(), strict=True):
        words = text.split() if count else ()
        made = [known[start, end, " ".join(words[first:last])] for start, end, first, last in islice(spans, count)]
        edits.append(tuple(made))
    return [tuple(edits[begin:end]) for begin, end in pairwise(rows.tolist())]


def find_changes(sources: TokenArray, rewrites: TokenArray, rows: Offsets) -> tuple[Ids, Offsets]:
    """Return the changed spans of every rewrite.

    The rewrites of source i are `rewrites[rows[i]:rows[i + 1]]`.

    Raises:
        InputError: The alignment table of a pair would take gigabytes. The table leaves out the tokens that both texts
            share at the start and at the end.
    """
    owners = np.repeat(np.arange(len(sources)), np.diff(rows))
    cells = sources.lengths()[owners] * rewrites.lengths()
    for row in np.flatnonzero(cells > _MOST_CELLS).tolist():
        before, after = sources[owners[row] : owners[row] + 1].ids, rewrites[row : row + 1].ids
        start = _shared_prefix_length(before, after)
        end = _shared_prefix_length(before[start:][::-1], after[start:][::-1])
        if (len(before) - start - end) * (len(after) - start - end) > _MOST_CELLS:
            raise InputError(
                f"sentence {owners[row] + 1}: {len(before)} tokens are too many to align with {len(after)} tokens",
                fix="Split the sentence",
            )
    found: tuple[Ids, Offsets] = kernels.select("edits").changed_spans(sources, rewrites, rows)
    return found


def _shared_prefix_length(one: Ids, other: Ids) -> int:
    """Return how many tokens two texts share at their start."""
    size = min(len(one), len(other))
    differs = np.flatnonzero(one[:size] != other[:size])
    return int(differs[0]) if len(differs) else size


class _KnownEdits(dict[tuple[int, int, str], Edit]):
    """A cache of edits by span and text.

    Rewrites of a sentence share many edits.
    """

    def __missing__(self, change: tuple[int, int, str]) -> Edit:
        start, end, text = change
        made = self[change] = Edit(start, end, (text,), "M" if start == end else "R" if text else "U")
        return made

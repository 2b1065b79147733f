"""Gold edits as the flat arrays that the MaxMatch kernel takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise

import numpy as np

from gecbench.corpus.corpus import Corpus
from gecbench.corpus.derive import extracted_annotations, ungroup
from gecbench.corpus.edits import Annotation
from gecbench.corpus.python2 import dict_order, integer_hash, lower
from gecbench.errors import InputError
from gecbench.kernels.m2 import EditTable
from gecbench.kernels.maxmatch import GoldArrays, Options
from gecbench.kernels.tokens import (
    NO_TOKENS,
    EncodedLines,
    KnownLines,
    Offsets,
    TokenArray,
    encode_lines,
    offsets_of,
)

_MOST_CELLS = 25_000_000


@dataclass(frozen=True)
class GoldRows:
    """What a corpus is scored against, the same for every system: sources, gold edits, and the tokens of both."""

    sources: TokenArray
    gold: GoldArrays
    known: KnownLines

    @classmethod
    def of(cls, parts: Sequence[EncodedLines], flat: GoldArrays) -> GoldRows:
        """Number the sources and then every correction that some output could equal, which `flat` lacks."""
        known, sentences = KnownLines.of(parts, "unicode"), len(flat.annotator_offsets) - 1
        return cls(known.tokens[:sentences], flat._replace(corrections=known.tokens[sentences:]), known)


@dataclass(frozen=True)
class MatchInput:
    """Sources, hypotheses and gold edits of a corpus, interned together."""

    sources: TokenArray
    hypotheses: TokenArray
    gold: GoldArrays
    folded: TokenArray | None

    def arguments(self, max_unchanged_words: int, release: str) -> tuple[TokenArray, TokenArray, GoldArrays, Options]:
        """Return what the kernel's `match_corpus` and `match_sentence` take."""
        return self.sources, self.hypotheses, self.gold, Options(max_unchanged_words, release, self.folded)


def in_official_order(sentence: Sequence[Annotation]) -> Sequence[Annotation]:
    """Return a sentence's annotations as the official scorer visits them; nobody at all is one without edits."""
    if len(sentence) < 2:
        return sentence or [Annotation(0, ())]
    return [sentence[k] for k in _visiting_order(tuple(annotation.annotator for annotation in sentence))]


@cache
def _visiting_order(annotators: tuple[int, ...]) -> list[int]:
    """Return the order of a dictionary that is filled from another in that one's order (docs/m2.md, B.9)."""
    first = dict_order([integer_hash(annotator) for annotator in annotators])
    second = dict_order([integer_hash(annotators[k]) for k in first])
    return [first[k] for k in second]


def gold_rows(sources: Sequence[str], annotations: Sequence[Sequence[Annotation]]) -> GoldRows:
    """Lay out the annotations of a corpus; one per row, in the order given."""
    rows = list(chain.from_iterable(annotations))
    edits = list(chain.from_iterable(annotation.edits for annotation in rows))
    corrections = [[text for text in edit.corrections if _comparable(text)] for edit in edits]
    lines = [*sources, *chain.from_iterable(corrections)]
    flat = GoldArrays(
        annotator_offsets=offsets_of(annotations),
        edit_offsets=offsets_of([annotation.edits for annotation in rows]),
        starts=np.array([edit.start for edit in edits], dtype=np.int32),
        ends=np.array([edit.end for edit in edits], dtype=np.int32),
        alternative_offsets=offsets_of(corrections),
        corrections=NO_TOKENS,
    )
    return GoldRows.of([encode_lines(lines)], flat)


def table_rows(sources: Sequence[str], table: EditTable) -> GoldRows | None:
    """Return the same of annotations read as arrays; None where the official scorer visits the rows otherwise."""
    annotators, bounds = table.annotators.tolist(), table.row_offsets.tolist()
    together = {tuple(annotators[begin:end]) for begin, end in pairwise(bounds)}
    if any(_visiting_order(present) != list(range(len(present))) for present in together):
        return None
    sizes = np.diff(table.row_offsets)
    corrections = EncodedLines(table.corrections, table.correction_lengths)
    nobody = table.row_offsets[:-1][sizes == 0]
    rows = np.insert(np.diff(table.edit_offsets), nobody, 0)
    flat = GoldArrays(_offsets(np.maximum(sizes, 1)), _offsets(rows), *table[4:7], NO_TOKENS)
    return GoldRows.of([encode_lines(sources), corrections], flat)


def _offsets(sizes: Offsets) -> Offsets:
    return np.concatenate([[0], np.cumsum(sizes)])


def match_input(gold: GoldRows, hypotheses: Sequence[str], fold: bool) -> MatchInput:
    """Intern a corpus; `fold` adds every token's lower-cased characters for `ignore_whitespace_casing`."""
    tokens = gold.known.number(encode_lines(hypotheses))
    _check_lengths(gold.sources.lengths(), tokens.lengths())
    folded = _folded([*gold.known.vocabulary.lines(), *hypotheses]) if fold else None
    return MatchInput(gold.sources, tokens, gold.gold, folded)


def _check_lengths(sources: Offsets, hypotheses: Offsets) -> None:
    """Refuse a pair of sentences whose table of edits would take gigabytes."""
    large = np.flatnonzero(sources.astype(np.int64) * hypotheses > _MOST_CELLS)
    if len(large):
        first = large[0]
        raise InputError(
            f"sentence {first + 1}: {sources[first]} tokens are too many to align with {hypotheses[first]}",
            fix="Split the sentence",
        )


def _comparable(correction: str) -> bool:
    """Return False for a correction whose blanks are not single spaces: officially it equals no text."""
    return " ".join(correction.split()) == correction


def _folded(lines: Sequence[str]) -> TokenArray:
    vocabulary = dict.fromkeys(chain.from_iterable(map(str.split, lines)))
    folded = [lower(token) for token in vocabulary]
    characters = np.frombuffer("".join(folded).encode("utf-32-le"), dtype="<i4").astype(np.int32)
    return TokenArray(characters, offsets_of(folded))


def restrict(annotations: Sequence[Sequence[Annotation]], annotators: Sequence[int]) -> list[list[Annotation]]:
    """Return the annotations of these annotators only."""
    kept = set(annotators)
    return [[annotation for annotation in sentence if annotation.annotator in kept] for sentence in annotations]


def complete(annotations: Sequence[Sequence[Annotation]]) -> list[list[Annotation]]:
    """Return one annotation of every annotator for every sentence; who is not listed made no edit there."""
    everybody = sorted({annotation.annotator for sentence in annotations for annotation in sentence}) or [0]
    completed = []
    for sentence in annotations:
        found = {annotation.annotator: annotation for annotation in sentence}
        completed.append([found.get(annotator, Annotation(annotator, ())) for annotator in everybody])
    return completed


def all_annotations(corpus: Corpus) -> Sequence[Sequence[Annotation]]:
    """Return the annotations of a corpus, else those of its error groups, else edits extracted from its references."""
    if corpus.annotations is None and corpus.groups is not None:
        return ungroup(corpus).annotations or ()
    return corpus.annotations if corpus.annotations is not None else extracted_annotations(corpus)


def check_rectangular(annotations: Sequence[Sequence[Annotation]], wanted: Sequence[int] | None) -> None:
    """Refuse to score a rewrite that is not there as one that changed nothing."""
    references = max(map(len, annotations)) if wanted is None else len(wanted)
    for i, sentence in enumerate(annotations):
        if len(sentence) != references:
            raise InputError(
                f"m2: sentence {i + 1} has {len(sentence)} of the {references} references wanted",
                fix="Leave out annotators=… and policy=average, or give every sentence the same number of references",
            )

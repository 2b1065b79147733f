"""Gold edits as the flat arrays that the MaxMatch kernel takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

import numpy as np
import numpy.typing as npt

from gecbench.corpus.corpus import Corpus
from gecbench.corpus.derive import extracted_annotations, ungroup
from gecbench.corpus.edits import Annotation, Edit
from gecbench.errors import InputError
from gecbench.kernels.maxmatch import GoldArrays, Options
from gecbench.kernels.maxmatch.order import official_annotator_order
from gecbench.kernels.tokens import EncodedLines, TokenArray, encode_lines, intern_encoded


@dataclass(frozen=True)
class GoldRows:
    """What a corpus is scored against, the same for every system.

    Row r is one annotator of one sentence; the rows of sentence i are `offsets[i]` to `offsets[i + 1]`. `lines` are the
    sources and then every correction that some output could equal.
    """

    annotations: Sequence[Sequence[Annotation]]
    lines: Sequence[str]
    encoded: EncodedLines
    offsets: npt.NDArray[np.int64]
    edit_offsets: npt.NDArray[np.int64]
    edit_starts: npt.NDArray[np.int32]
    edit_ends: npt.NDArray[np.int32]
    alternative_offsets: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.annotations)


@dataclass(frozen=True)
class MatchInput:
    """Sources, hypotheses and gold edits of a corpus, interned together."""

    gold: GoldRows
    sources: TokenArray
    hypotheses: TokenArray
    corrections: TokenArray
    folded: TokenArray | None

    def arguments(self, max_unchanged_words: int, release: str) -> tuple[TokenArray, TokenArray, GoldArrays, Options]:
        """Return what the kernel's `match_corpus` and `match_sentence` take."""
        rows, spans = (self.gold.offsets, self.gold.edit_offsets), (self.gold.edit_starts, self.gold.edit_ends)
        gold = GoldArrays(*rows, *spans, self.gold.alternative_offsets, self.corrections)
        return self.sources, self.hypotheses, gold, Options(max_unchanged_words, release, self.folded)


def in_official_order(sentence: Sequence[Annotation]) -> Sequence[Annotation]:
    """Return a sentence's annotations as the official scorer visits them; nobody at all is one without edits."""
    if len(sentence) < 2:
        return sentence or [Annotation(0, ())]
    return [sentence[k] for k in _visiting_order(tuple(annotation.annotator for annotation in sentence))]


@cache
def _visiting_order(annotators: tuple[int, ...]) -> list[int]:
    return [annotators.index(annotator) for annotator in official_annotator_order(annotators)]


def gold_rows(sources: Sequence[str], annotations: Sequence[Sequence[Annotation]]) -> GoldRows:
    """Lay out the annotations of a corpus; one per row, in the order given."""
    rows = list(chain.from_iterable(annotations))
    edits = list(chain.from_iterable(annotation.edits for annotation in rows))
    corrections = [[text for text in edit.corrections if _comparable(text)] for edit in edits]
    lines = [*sources, *chain.from_iterable(corrections)]
    return GoldRows(
        annotations=annotations,
        lines=lines,
        encoded=encode_lines(lines),
        offsets=_offsets([len(sentence) for sentence in annotations]),
        edit_offsets=_offsets([len(annotation.edits) for annotation in rows]),
        edit_starts=np.array([edit.start for edit in edits], dtype=np.int32),
        edit_ends=np.array([edit.end for edit in edits], dtype=np.int32),
        alternative_offsets=_offsets([len(texts) for texts in corrections]),
    )


def match_input(gold: GoldRows, hypotheses: Sequence[str], fold: bool) -> MatchInput:
    """Intern a corpus; `fold` adds every token's lower-cased characters for `ignore_whitespace_casing`."""
    tokens = intern_encoded([gold.encoded, encode_lines(hypotheses)], "unicode")
    sentences, fixed = len(gold), len(gold.lines)
    _check_spans(gold, tokens[:sentences])
    return MatchInput(
        gold=gold,
        sources=tokens[:sentences],
        hypotheses=tokens[fixed:],
        corrections=tokens[sentences:fixed],
        folded=_folded([*gold.lines, *hypotheses]) if fold else None,
    )


def _comparable(correction: str) -> bool:
    """Return False for a correction whose blanks are not single spaces: officially it equals no text."""
    return " ".join(correction.split()) == correction


def _check_spans(gold: GoldRows, sources: TokenArray) -> None:
    sentence = np.repeat(np.repeat(np.arange(len(gold)), np.diff(gold.offsets)), np.diff(gold.edit_offsets))
    lengths = sources.lengths()[sentence]
    wrong = np.flatnonzero((gold.edit_starts < 0) | (gold.edit_starts > gold.edit_ends) | (gold.edit_ends > lengths))
    if len(wrong):
        edit = wrong[0]
        raise InputError(
            f"the span {gold.edit_starts[edit]} {gold.edit_ends[edit]} of an edit in sentence {sentence[edit] + 1} "
            f"does not fit its {lengths[edit]} tokens",
            fix="Spans are half-open: 0 <= start <= end <= number of tokens",
        )


def _offsets(sizes: Sequence[int]) -> npt.NDArray[np.int64]:
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def _folded(lines: Sequence[str]) -> TokenArray:
    vocabulary = dict.fromkeys(chain.from_iterable(map(str.split, lines)))
    folded = [token.lower() for token in vocabulary]
    characters = np.frombuffer("".join(folded).encode("utf-32-le"), dtype="<i4").astype(np.int32)
    return TokenArray(characters, _offsets([len(token) for token in folded]))


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


def of_types(annotations: Sequence[Sequence[Annotation]], types: Sequence[str]) -> list[list[Annotation]]:
    """Return the annotations with only the edits of these types (Bryant & Ng 2015, section 6.1)."""
    kept = set(types)

    def edits(annotation: Annotation) -> tuple[Edit, ...]:
        return tuple(edit for edit in annotation.edits if edit.type in kept)

    return [[Annotation(found.annotator, edits(found)) for found in sentence] for sentence in annotations]


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

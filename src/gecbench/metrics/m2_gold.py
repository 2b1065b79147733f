"""Gold edits as the flat arrays that the MaxMatch kernel eats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gecbench.corpus import Annotation, Edit
from gecbench.kernels.maxmatch_order import official_annotator_order
from gecbench.tokens import TokenArray, intern_lines

_NEVER_A_TOKEN = "\x00"


@dataclass(frozen=True)
class MatchInput:
    """Sources, hypotheses and gold edits of a corpus, interned together.

    Row r is one annotator of one sentence; the rows of sentence i are `rows[i]` to `rows[i + 1]`.
    """

    sources: TokenArray
    hypotheses: TokenArray
    rows: npt.NDArray[np.int64]
    edit_offsets: npt.NDArray[np.int64]
    edit_starts: npt.NDArray[np.int32]
    edit_ends: npt.NDArray[np.int32]
    alternative_offsets: npt.NDArray[np.int64]
    corrections: TokenArray
    folded: tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]] | None

    def arguments(self) -> tuple[npt.NDArray[np.generic], ...]:
        """Return the arrays in the order of the kernel's `match_corpus`."""
        return (
            self.sources.ids,
            self.sources.offsets,
            self.hypotheses.ids,
            self.hypotheses.offsets,
            self.rows,
            self.edit_offsets,
            self.edit_starts,
            self.edit_ends,
            self.alternative_offsets,
            self.corrections.ids,
            self.corrections.offsets,
        )


def in_official_order(sentence: Sequence[Annotation]) -> list[Annotation]:
    """Return a sentence's annotations as the official scorer visits them; nobody at all is one without edits."""
    if not sentence:
        return [Annotation(0, ())]
    by_annotator = {annotation.annotator: annotation for annotation in sentence}
    return [by_annotator[annotator] for annotator in official_annotator_order(by_annotator)]


def match_input(
    sources: Sequence[str], hypotheses: Sequence[str], annotations: Sequence[Sequence[Annotation]], fold: bool
) -> MatchInput:
    """Intern a corpus; `fold` adds every token's lower-cased characters for `ignore_whitespace_casing`."""
    rows = [annotation for sentence in annotations for annotation in sentence]
    edits = [edit for annotation in rows for edit in annotation.edits]
    corrections = [_comparable(text) for edit in edits for text in edit.corrections]
    lines = [*sources, *hypotheses, *corrections]
    tokens = intern_lines(lines, "unicode")
    sentences = len(sources)
    return MatchInput(
        sources=tokens[:sentences],
        hypotheses=tokens[sentences : 2 * sentences],
        rows=_offsets([len(sentence) for sentence in annotations]),
        edit_offsets=_offsets([len(annotation.edits) for annotation in rows]),
        edit_starts=np.array([edit.start for edit in edits], dtype=np.int32),
        edit_ends=np.array([edit.end for edit in edits], dtype=np.int32),
        alternative_offsets=_offsets([len(edit.corrections) for edit in edits]),
        corrections=tokens[2 * sentences :],
        folded=_folded(lines) if fold else None,
    )


def _comparable(correction: str) -> str:
    """Return a correction as tokens; one whose blanks are not single spaces equals no text, officially."""
    tokens = correction.split()
    return correction if " ".join(tokens) == correction else _NEVER_A_TOKEN + "".join(tokens)


def _offsets(sizes: Sequence[int]) -> npt.NDArray[np.int64]:
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def _folded(lines: Sequence[str]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    vocabulary = dict.fromkeys(token for line in lines for token in line.split())
    characters = [[ord(character) for character in token.lower()] for token in vocabulary]
    flat = np.array([code for codes in characters for code in codes], dtype=np.int32)
    return flat, _offsets([len(codes) for codes in characters])


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

"""Edits from a rewrite: what an annotator changed, read off an alignment of source and reference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gecbench.corpus import Annotation, Corpus, Edit
from gecbench.errors import InputError


def extract_edits(source: str, rewrite: str) -> tuple[Edit, ...]:
    """Return the edits of a Levenshtein alignment of tokens at unit costs, neighbouring changes as one edit.

    Sakaguchi et al. 2016, section 4.1, without the partial matches (same lemma) of their converter: tokens match only
    if they are equal, letter case included. Types are M (missing), U (unnecessary) and R (replacement).

    >>> extract_edits("He go school .", "He goes to school .")
    (Edit(start=1, end=2, corrections=('goes to',), type='R', required='REQUIRED', comment='-NONE-'),)
    """
    before, after = source.split(), rewrite.split()
    return tuple(
        Edit(start, end, (" ".join(after[first:last]),), "M" if start == end else "U" if first == last else "R")
        for start, end, first, last in _changed_spans(before, after)
    )


def derive_annotations(corpus: Corpus) -> Corpus:
    """Return the corpus with one annotator per reference, whose edits are extracted from the rewrite.

    A reference equal to its source is an annotator without edits.
    """
    if corpus.references is None:
        raise InputError(f"{corpus.name} has no references to extract edits from")
    annotations = [
        [Annotation(k, extract_edits(source, text)) for k, text in enumerate(texts)]
        for source, texts in zip(corpus.sources, corpus.references, strict=True)
    ]
    return corpus.replace(annotations=annotations)


def _changed_spans(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield (start, end, first, last): source tokens [start, end) became rewrite tokens [first, last)."""
    from rapidfuzz.distance import Levenshtein

    done_before = done_after = 0
    for block in Levenshtein.editops(before, after).as_matching_blocks():
        if (block.a, block.b) != (done_before, done_after):
            yield done_before, block.a, done_after, block.b
        done_before, done_after = block.a + block.size, block.b + block.size

"""Gold and given edits as ERRANT reads them."""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.corpus.corpus import Corpus
from gecbench.corpus.derive import ungroup
from gecbench.corpus.edits import Annotation, Edit
from gecbench.errors import InputError
from gecbench.kernels.errant import EditFields
from gecbench.metrics.errant.annotate import Annotator, edit_of
from gecbench.progress import tracked


def fields_of(annotation: Annotation) -> list[EditFields]:
    """Return edits with their corrections as one string: alternatives (`||`) mean nothing to ERRANT."""
    return [(edit.start, edit.end, edit.type, "||".join(edit.corrections)) for edit in annotation.edits]


def gold_annotations(corpus: Corpus, annotator: Annotator, anew: bool) -> list[list[Annotation]]:
    """Return the annotations of a corpus, or of its error groups, else those of its rewrites.

    `anew` extracts them once more. A sentence that nobody annotated has one annotation without edits.
    """
    if corpus.annotations is None and corpus.groups is None:
        if corpus.references is None:
            raise InputError(f"ERRANT needs annotations or references, but {corpus.name} has neither")
        pairs = zip(corpus.sources, corpus.references, strict=True)
        return [
            [Annotation(k, annotator.edits(source, text)) for k, text in enumerate(texts)]
            for source, texts in tracked(pairs, len(corpus), "annotating references")
        ]
    annotated = corpus if corpus.annotations is not None else ungroup(corpus)
    found = [[*sentence] or [Annotation(0, ())] for sentence in annotated.annotations or ()]
    if not anew:
        return found
    return [
        [Annotation(one.annotator, _renewed(source, one.edits, annotator)) for one in sentence]
        for source, sentence in zip(corpus.sources, found, strict=True)
    ]


def _renewed(source: str, edits: Sequence[Edit], annotator: Annotator) -> tuple[Edit, ...]:
    fields = [(edit.start, edit.end, edit.type, edit.corrections[0]) for edit in edits]
    return tuple(map(edit_of, annotator.renewed(source, fields))) if edits else ()


def check_tokens(sources: Sequence[str], texts: Sequence[str], annotator: Annotator) -> None:
    """Refuse texts whose edits would be at other places than the gold's, because spaCy splits the source otherwise."""
    for i, (source, text) in enumerate(zip(sources, texts, strict=True)):
        if source.split() != text.split() and annotator.tokens(source) != source.split():
            raise InputError(
                f"errant: with tok=yes spaCy splits source {i + 1} into other tokens than the gold's edits count",
                fix="Leave out tok, or score against rewrites",
            )

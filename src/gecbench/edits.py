"""Applying edits: from an annotated source to the corrected sentence."""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.corpus import Corpus, Edit
from gecbench.errors import InputError


def apply_edits(source: str, edits: Sequence[Edit], alternative: int = 0) -> str:
    """Return the source with all edits applied, tokens joined by single spaces.

    Insertions at one place are applied in the order given, and before a replacement that starts there. Of several
    corrections the one at `alternative` is taken, or the last where there are fewer.

    >>> apply_edits("He go school .", [Edit(1, 2, ("goes",)), Edit(2, 2, ("to",))])
    'He goes to school .'
    """
    tokens = source.split()
    corrected: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.start < done:
            raise InputError(
                f"the edit of [{edit.start}, {edit.end}) overlaps the one before it in {source!r}",
                fix="Edits of one annotator must not overlap",
            )
        corrected.extend(tokens[done : edit.start])
        corrected.extend(edit.corrections[min(alternative, len(edit.corrections) - 1)].split())
        done = edit.end
    corrected.extend(tokens[done:])
    return " ".join(corrected)


def derive_references(corpus: Corpus) -> Corpus:
    """Return the corpus with one reference per annotator of each sentence, made by applying the edits.

    A sentence that nobody annotated gets its source as the only reference.
    """
    if corpus.annotations is None:
        raise InputError(f"{corpus.name} has no annotations to derive references from")
    references = [
        [apply_edits(source, annotation.edits) for annotation in sentence] or [" ".join(source.split())]
        for source, sentence in zip(corpus.sources, corpus.annotations, strict=True)
    ]
    return corpus.replace(references=references)

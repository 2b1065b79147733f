"""One kind of gold from another: references, annotations and error groups of a corpus."""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.corpus.corpus import Corpus
from gecbench.corpus.edits import Annotation, Edit, apply_edits, extract_all_edits, span
from gecbench.corpus.error_groups import Alternative, GroupedSentence, group_annotations
from gecbench.errors import InputError


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


def derive_annotations(corpus: Corpus) -> Corpus:
    """Return the corpus with one annotator per reference, whose edits are extracted from the rewrite.

    A reference equal to its source is an annotator without edits.
    """
    return corpus.replace(annotations=extracted_annotations(corpus))


def extracted_annotations(corpus: Corpus) -> tuple[tuple[Annotation, ...], ...]:
    """Return each sentence's annotations, one per reference; they are extracted once."""
    edits = _extracted_edits(corpus)
    return corpus.derived(
        "annotations extracted from references",
        lambda: tuple(tuple([Annotation(k, made) for k, made in enumerate(sentence)]) for sentence in edits),
    )


def _extracted_edits(corpus: Corpus) -> Sequence[Sequence[tuple[Edit, ...]]]:
    """Return the edits of each reference; of some references of a corpus those that were extracted from all."""
    references, origin = corpus.references, corpus.origin()
    if references is None:
        raise InputError(f"{corpus.name} has no references to extract edits from")
    if origin is None:
        return corpus.derived("edits of references", lambda: extract_all_edits(corpus.sources, references))
    whole, chosen = origin
    return [[edits[k] for k in chosen if k < len(edits)] for edits in _extracted_edits(whole)]


def derive_groups(corpus: Corpus, treebank: bool = True) -> Corpus:
    """Return the corpus with error groups made from its annotations, or from its references if it has none.

    As officially only the first of an edit's corrections is used, split as in a treebank (`can't` to `ca n't`) unless
    `treebank` is false; rewrites are taken as they are. A corpus that has groups keeps them.
    """
    if corpus.groups is not None:
        return corpus
    if corpus.annotations is None and corpus.references is None:
        raise InputError(f"{corpus.name} has neither annotations nor references to group")
    split = treebank and corpus.annotations is not None
    annotated = corpus if corpus.annotations is not None else derive_annotations(corpus)
    return corpus.replace(groups=[group_annotations(sentence, split) for sentence in annotated.annotations or ()])


def ungroup(corpus: Corpus) -> Corpus:
    """Return the corpus with one annotation per annotator of its error groups, edits in the order of the text.

    Where a sentence gives a larger number of annotators, the others get an annotation without edits.
    """
    if corpus.groups is None:
        raise InputError(f"{corpus.name} has no error groups")
    names = sorted({item.annotator for sentence in corpus.groups for item in _alternatives(sentence)})
    numbers = {name: int(name) for name in names if name.isdecimal()}
    if len(set(numbers.values())) < len(names):
        numbers = {name: number for number, name in enumerate(names)}
    return corpus.replace(annotations=[_annotations(sentence, numbers) for sentence in corpus.groups])


def _alternatives(sentence: GroupedSentence) -> list[Alternative]:
    return [alternative for group in sentence.groups for alternative in group.alternatives]


def _annotations(sentence: GroupedSentence, numbers: dict[str, int]) -> list[Annotation]:
    edits: dict[int, list[Edit]] = {}
    for group in sentence.groups:
        for alternative in group.alternatives:
            edits.setdefault(numbers[alternative.annotator], []).extend(
                Edit(change.start, change.end, (change.text,), group.type or "UNK")
                for change in alternative.replacements
            )
    idle = (number for number in range(len(edits) + (sentence.annotators or 0)) if number not in edits)
    while len(edits) < (sentence.annotators or 0):
        edits[next(idle)] = []
    return [Annotation(annotator, tuple(sorted(edits[annotator], key=span))) for annotator in sorted(edits)]

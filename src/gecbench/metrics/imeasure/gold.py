"""What the I-measure scores a sentence against: error groups to mix, or the references as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gecbench.corpus.corpus import Corpus
from gecbench.corpus.derive import derive_groups
from gecbench.corpus.edits import apply_edits, span
from gecbench.corpus.error_groups import GroupedSentence, is_bridged
from gecbench.corpus.mixing import Choice, alternatives_of, annotator_references, unmixed_references
from gecbench.errors import InputError
from gecbench.kernels.imeasure import GroupArrays
from gecbench.kernels.tokens import NO_TOKENS, TokenArray, offsets_of


@dataclass(frozen=True)
class MixedGold:
    """Groups of alternatives of edits, also as the kernel's flat arrays; `texts` holds each edit's correction.

    Alternatives of a group that make the same edits count once. The arrays lack the corrections' tokens, which are
    numbered together with a system's.
    """

    alternatives: Sequence[Sequence[Sequence[Choice]]]
    texts: Sequence[str]
    flat: GroupArrays

    @classmethod
    def of(cls, sentences: Sequence[GroupedSentence]) -> MixedGold:
        """Lay groups, alternatives and edits end to end."""
        nested = [[alternatives_of(group) for group in sentence.groups] for sentence in sentences]
        groups = [group for sentence in nested for group in sentence]
        alternatives = [alternative for group in groups for alternative in group]
        edits = [edit for alternative in alternatives for edit in alternative]
        optional = [not group.required for sentence in sentences for group in sentence.groups]
        flat = GroupArrays(
            group_offsets=offsets_of(nested),
            optional=np.array(optional, dtype=np.int32),
            alternative_offsets=offsets_of(groups),
            edit_offsets=offsets_of(alternatives),
            spans=np.array([span(edit) for edit in edits], dtype=np.int32).reshape(-1, 2),
            corrections=NO_TOKENS,
        )
        return cls(nested, [edit.corrections[0] for edit in edits], flat)

    def arrays(self, corrections: TokenArray) -> GroupArrays:
        """Return the groups as the kernel takes them; `corrections` are the tokens of `texts`."""
        return self.flat._replace(corrections=corrections)

    def reference(self, sentence: int, source: str, picks: Sequence[int]) -> str:
        """Return the reference that takes the given distinct alternative of each group, -1 for none."""
        offered = zip(self.alternatives[sentence], picks, strict=True)
        edits = [edit for alternatives, pick in offered if pick >= 0 for edit in alternatives[pick]]
        return apply_edits(source, edits, official=True)


def spaced_sources(corpus: Corpus) -> list[str]:
    """Return the sources, their tokens separated by single spaces."""
    return corpus.derived("spaced sources", lambda: [" ".join(source.split()) for source in corpus.sources])


def grouped_sentences(corpus: Corpus, treebank: bool) -> Sequence[GroupedSentence]:
    """Return the error groups of a corpus; they are made once."""
    if corpus.groups is not None:
        return corpus.groups
    if corpus.annotations is None:
        _require_references(corpus)
    grouped = corpus.derived(f"groups treebank={treebank}", lambda: derive_groups(corpus, treebank))
    return grouped.groups or ()


def bridged_sentences(corpus: Corpus, treebank: bool) -> set[int]:
    """Return the sentences whose groups are not independent."""
    groups = grouped_sentences(corpus, treebank)
    return corpus.derived(
        f"bridged treebank={treebank}", lambda: {i for i, item in enumerate(groups) if is_bridged(item)}
    )


def listed_references(corpus: Corpus, treebank: bool, sentences: Sequence[int]) -> list[list[str]]:
    """Return the unmixed references of some sentences, tokens separated by single spaces."""
    if len(sentences) == len(corpus):
        return corpus.derived(f"unmixed treebank={treebank}", lambda: _list_references(corpus, treebank, sentences))
    return _list_references(corpus, treebank, sentences)


def _list_references(corpus: Corpus, treebank: bool, sentences: Sequence[int]) -> list[list[str]]:
    groups, annotations, sources = corpus.groups, corpus.annotations, spaced_sources(corpus)
    if groups is not None:
        return [unmixed_references(sources[i], groups[i]) for i in sentences]
    if annotations is not None:
        return [annotator_references(sources[i], annotations[i], treebank) for i in sentences]
    references = _require_references(corpus)
    return [[" ".join(text.split()) for text in references[i]] for i in sentences]


def _require_references(corpus: Corpus) -> Sequence[Sequence[str]]:
    if corpus.references is None:
        raise InputError(f"the I-measure needs error groups, annotations or references, but {corpus.name} has none")
    return corpus.references

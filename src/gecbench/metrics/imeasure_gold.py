"""The gold of the I-measure: listed references and mixed error groups.

The error groups are arrays for the kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gecbench import kernels
from gecbench.corpus.corpus import Corpus, CorpusCache
from gecbench.corpus.derive import alternatives_of, annotator_references, extracted_annotations, unmixed_references
from gecbench.corpus.edits import Annotation, Edit, EditTable, apply_edits, span
from gecbench.corpus.groups import GroupedSentence, is_bridged, split_correction
from gecbench.corpus.python2 import dict_order, string_hashes
from gecbench.errors import InputError
from gecbench.kernels.grouping import GroupLayout
from gecbench.kernels.imeasure import GroupArrays
from gecbench.kernels.tokens import NO_TOKENS, Ids, Offsets, TokenArray, intern_lines, offsets_of, offsets_of_sizes


class FlatEdits(NamedTuple):
    """The concatenated edits of a corpus.

    Sentence s has the edits `sentence_offsets[s]:sentence_offsets[s + 1]`. Each edit has an annotator, a span, a
    correction with single spaces, and the correction's tokens. `people` is the number of annotators of each sentence.
    """

    sentence_offsets: Offsets
    annotators: Offsets
    spans: Ids
    people: Ids
    texts: Sequence[str]
    tokens: TokenArray

    @classmethod
    def of(cls, annotations: Sequence[Sequence[Annotation]], treebank: bool) -> FlatEdits:
        """Convert annotations to arrays."""
        edits = [edit for sentence in annotations for item in sentence for edit in item.edits]
        texts = [split_correction(edit.corrections[0], treebank) for edit in edits]
        return cls(
            sentence_offsets=np.cumsum([0, *(sum(len(item.edits) for item in each) for each in annotations)]),
            annotators=np.array([item.annotator for each in annotations for item in each for _ in item.edits]),
            spans=np.array([span(edit) for edit in edits], dtype=np.int32).reshape(-1, 2),
            people=np.array([*map(len, annotations)], dtype=np.int32),
            texts=texts,
            tokens=intern_lines(texts, "unicode"),
        )

    def of_some(self, chosen: Sequence[int]) -> FlatEdits:
        """Return only the edits of some annotators, renumbered from 0.

        `chosen` lists these annotators in ascending order.
        """
        kept = np.flatnonzero(np.isin(self.annotators, chosen))
        offsets, places = _select(self.tokens.offsets, kept)
        return FlatEdits(
            np.searchsorted(kept, self.sentence_offsets),
            np.searchsorted(chosen, self.annotators[kept]),
            self.spans[kept],
            np.searchsorted(chosen, self.people).astype(np.int32),
            [self.texts[edit] for edit in kept.tolist()],
            TokenArray(self.tokens.ids[places], offsets),
        )


@dataclass(frozen=True)
class MixedGold:
    """The error groups of sentences, as flat arrays for the kernel.

    `texts` holds the correction of each edit. If alternatives of a group have the same edits, only one is kept. The
    arrays do not include the tokens of corrections, because they are numbered together with a system's tokens.
    `bridged` marks sentences whose groups are not independent.
    """

    texts: Sequence[str]
    flat: GroupArrays
    bridged: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, sentences: Sequence[GroupedSentence]) -> MixedGold:
        """Concatenate groups, alternatives and edits."""
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
        bridged = np.array([is_bridged(sentence) for sentence in sentences], dtype=np.bool_)
        return cls([edit.corrections[0] for edit in edits], flat, bridged)

    @classmethod
    def of_table(cls, table: EditTable, treebank: bool) -> MixedGold:
        """Group the edits of a table of annotations."""
        corrections = [split_correction(texts[0], treebank) for texts in table.alternatives]
        texts = [corrections[k] for k in table.corrections.tolist()]
        edits = FlatEdits(
            sentence_offsets=table.edit_offsets[table.row_offsets],
            annotators=np.repeat(table.annotators, np.diff(table.edit_offsets)),
            spans=np.column_stack([table.starts, table.ends]).astype(np.int32),
            people=np.diff(table.row_offsets).astype(np.int32),
            texts=texts,
            tokens=intern_lines(texts, "unicode"),
        )
        return cls.of_edits(edits)

    @classmethod
    def of_edits(cls, edits: FlatEdits) -> MixedGold:
        """Group the annotators' edits.

        The result equals `of(group_annotations(…))`, but no objects are created.
        """
        numbered = np.unique(edits.annotators, return_inverse=True)[1].astype(np.int32)
        found = kernels.select("grouping").group_edits(
            edits.sentence_offsets, numbered, edits.spans, edits.tokens, edits.people
        )
        layout = GroupLayout(*found)
        first = layout.members[layout.member_offsets[:-1]]
        flat = GroupArrays(*layout[:4], np.ascontiguousarray(edits.spans[first]), NO_TOKENS)
        return cls(_joined_texts(edits.texts, layout), flat, layout.bridged.astype(np.bool_))

    def select(self, sentences: Sequence[int]) -> MixedGold:
        """Return the groups of these sentences, in this order."""
        flat, chosen = self.flat, np.asarray(sentences, dtype=np.int64)
        group_offsets, groups = _select(flat.group_offsets, chosen)
        alternative_offsets, alternatives = _select(flat.alternative_offsets, groups)
        edit_offsets, edits = _select(flat.edit_offsets, alternatives)
        arrays = GroupArrays(
            group_offsets, flat.optional[groups], alternative_offsets, edit_offsets, flat.spans[edits], NO_TOKENS
        )
        return MixedGold([self.texts[edit] for edit in edits.tolist()], arrays, self.bridged[chosen])

    def combinations(self) -> list[int]:
        """Return the number of combinations of each sentence, including conflicting ones."""
        choices = (np.diff(self.flat.alternative_offsets) + self.flat.optional).tolist()
        return [prod(choices[begin:end]) for begin, end in pairwise(self.flat.group_offsets.tolist())]

    def arrays(self, corrections: TokenArray) -> GroupArrays:
        """Return the arrays for the kernel. `corrections` are the tokens of `texts`."""
        return self.flat._replace(corrections=corrections)

    def reference(self, sentence: int, source: str, picks: Sequence[int]) -> str:
        """Return the reference that results from the chosen alternatives.

        `picks[g]` is the alternative chosen for group g, or -1 for no edit.
        """
        flat, first = self.flat, self.flat.group_offsets[sentence]
        edits = []
        for group, pick in enumerate(picks, start=first):
            begin, end = flat.edit_offsets[flat.alternative_offsets[group] + pick :][:2] if pick >= 0 else (0, 0)
            spans = flat.spans[begin:end].tolist()
            edits += [
                Edit(start, stop, (text,)) for (start, stop), text in zip(spans, self.texts[begin:end], strict=True)
            ]
        return apply_edits(source, edits, official=True)


def _joined_texts(texts: Sequence[str], layout: GroupLayout) -> list[str]:
    """Return the correction of each edit.

    Corrections of one annotator at one place are joined in file order.
    """
    members, joined = layout.members.tolist(), [texts[member] for member in layout.members.tolist()]
    if len(members) == len(layout.member_offsets) - 1:
        return joined
    bounds = pairwise(layout.member_offsets.tolist())
    return [" ".join(filter(None, joined[begin:end])) for begin, end in bounds]


def _select(offsets: Offsets, chosen: npt.NDArray[np.int64]) -> tuple[Offsets, npt.NDArray[np.int64]]:
    """Concatenate the chosen parts of an array.

    Return the new offsets of these parts, and the old positions of their items.
    """
    sizes = offsets[chosen + 1] - offsets[chosen]
    found = offsets_of_sizes(sizes)
    return found, np.repeat(offsets[chosen] - found[:-1], sizes) + np.arange(found[-1])


_MIXED_GOLD: CorpusCache[MixedGold] = CorpusCache()
_REWRITES: CorpusCache[FlatEdits] = CorpusCache()
_SPACED_SOURCES: CorpusCache[list[str]] = CorpusCache()
_LISTED: CorpusCache[list[list[str]]] = CorpusCache()


def mixed_gold(corpus: Corpus, treebank: bool) -> MixedGold:
    """Return the error groups of a corpus, cached.

    If the corpus has no error groups, make them from its annotations, else from its references.
    """
    found = _MIXED_GOLD.get(corpus, treebank)
    return _MIXED_GOLD.put(corpus, treebank, _mixed_gold(corpus, treebank)) if found is None else found


def _mixed_gold(corpus: Corpus, treebank: bool) -> MixedGold:
    if corpus.groups is not None:
        return MixedGold.of(corpus.groups)
    if (table := corpus.edit_table()) is not None:
        return MixedGold.of_table(table, treebank)
    if corpus.annotations is not None:
        return MixedGold.of_edits(FlatEdits.of(corpus.annotations, treebank))
    return MixedGold.of_edits(_rewritten(corpus))


def _rewritten(corpus: Corpus) -> FlatEdits:
    """Return the edits of the references.

    If the corpus keeps only some references of another corpus, the arrays of the other corpus are reused.
    """
    _require_references(corpus)
    whole, chosen = corpus.origin() or (corpus, ())
    if whole is not corpus and [*chosen] == sorted({*chosen}):
        return _rewritten(whole).of_some(chosen)
    found = _REWRITES.get(corpus)
    if found is None:
        found = _REWRITES.put(corpus, None, FlatEdits.of(extracted_annotations(corpus), treebank=False))
    return found


def spaced_sources(corpus: Corpus) -> list[str]:
    """Return the sources with single spaces between tokens."""
    found = _SPACED_SOURCES.get(corpus)
    if found is None:
        found = _SPACED_SOURCES.put(corpus, None, [" ".join(source.split()) for source in corpus.sources])
    return found


def listed_references(corpus: Corpus, treebank: bool, sentences: Sequence[int]) -> list[list[str]]:
    """Return the unmixed references of some sentences.

    Their tokens are separated by single spaces.
    """
    if len(sentences) < len(corpus):
        return _list_references(corpus, treebank, sentences)
    found = _LISTED.get(corpus, treebank)
    return _LISTED.put(corpus, treebank, _list_references(corpus, treebank, sentences)) if found is None else found


def _list_references(corpus: Corpus, treebank: bool, sentences: Sequence[int]) -> list[list[str]]:
    groups, annotations, sources = corpus.groups, corpus.annotations, spaced_sources(corpus)
    if groups is not None:
        listed = [unmixed_references(sources[i], groups[i]) for i in sentences]
        return _in_official_order([sources[i] for i in sentences], listed)
    if annotations is not None:
        listed = [annotator_references(sources[i], annotations[i], treebank) for i in sentences]
        return _in_official_order([sources[i] for i in sentences], listed)
    references = _require_references(corpus)
    return [[" ".join(text.split()) for text in references[i]] for i in sentences]


def _in_official_order(sources: Sequence[str], references: Sequence[Sequence[str]]) -> list[list[str]]:
    """Sort each sentence's references in the official order.

    This is the order of the official scorer's dictionary (docs/metrics/imeasure.md §6). A reference that is identical
    to the source is inserted into the dictionary first.
    """
    keys = [sorted(texts, key=source.__ne__) for source, texts in zip(sources, references, strict=True)]
    hashes = iter(string_hashes([text for texts in keys for text in texts if len(texts) > 1]))
    orders = [dict_order([next(hashes) for _ in texts]) if len(texts) > 1 else [0] for texts in keys]
    return [[texts[k] for k in order] for texts, order in zip(keys, orders, strict=True)]


def _require_references(corpus: Corpus) -> Sequence[Sequence[str]]:
    if corpus.references is None:
        fix = "Give annotations (an M2 file), error groups or references"
        raise InputError(f"the I-measure needs gold edits or references, but {corpus.name} has none", fix=fix)
    return corpus.references

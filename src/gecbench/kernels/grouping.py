"""Error groups: the edits of several annotators, clustered by overlap.

A group is one error. Each annotator's edits in the group are one alternative. If several edits of an alternative have
the same span, they are joined. Equal alternatives are kept once. See docs/metrics/imeasure.md §2 and §3.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gecbench.kernels.tokens import Ids, Offsets, TokenArray

Span = Sequence[int]


class GroupLayout(NamedTuple):
    """The groups of a corpus, concatenated.

    Sentence s has the groups group_offsets[s]:group_offsets[s + 1]. Group g has the alternatives
    alternative_offsets[g]:alternative_offsets[g + 1]. Alternative a has the edits edit_offsets[a]:edit_offsets[a + 1].
    Edit e joins the input edits members[member_offsets[e]:member_offsets[e + 1]], all with the same span. A group is
    optional if not all annotators corrected it. A sentence is bridged if edits of two of its groups overlap.
    """

    group_offsets: Offsets
    optional: Ids
    alternative_offsets: Offsets
    edit_offsets: Offsets
    member_offsets: Offsets
    members: Offsets
    bridged: NDArray[np.uint8]


def group_edits(sentence_offsets: Offsets, annotators: Ids, spans: Ids, texts: TokenArray, people: Ids) -> GroupLayout:
    """Return the error groups of every sentence.

    Sentence s has `people[s]` annotators and the edits sentence_offsets[s]:sentence_offsets[s + 1]. In edit e,
    annotator `annotators[e]` replaces the source tokens [spans[e, 0], spans[e, 1]) by the tokens `texts[e]`.
    """
    layout = _Layout(annotators.tolist(), spans.tolist(), texts.lists())
    for (begin, end), workers in zip(pairwise(sentence_offsets.tolist()), people.tolist(), strict=True):
        layout.add_sentence(range(begin, end), workers)
    return layout.arrays()


def _overlapping(span: Span, starts: Offsets, ends: Offsets) -> NDArray[np.bool_]:
    """Return which edits overlap a span.

    Two spans overlap if they are equal, if they share a token, or if one is an insertion inside the other.
    """
    start, end = span[0], span[1]
    found: NDArray[np.bool_] = ((starts == start) & (ends == end)) | ((start < ends) & (starts < end))
    return found


def _columns(spans: Sequence[Span]) -> tuple[Offsets, Offsets]:
    found = np.array([span[:2] for span in spans], dtype=np.int64).reshape(-1, 2)
    return found[:, 0].copy(), found[:, 1].copy()


def cluster_spans(spans: Sequence[Span]) -> list[list[int]]:
    """Return clusters of overlapping spans (docs/metrics/imeasure.md §2).

    The clusters are in text order. Each is a list of indexes of spans, by decreasing length of the span.
    """
    clusters: list[list[int]] = []
    # 1. Take the edits by decreasing length. Edits of equal length keep their order.
    order = sorted(range(len(spans)), key=lambda k: spans[k][0] - spans[k][1])
    starts, ends = _columns([spans[k] for k in order])
    joined = np.zeros(len(spans), dtype=np.int64)
    for place, candidate in enumerate(order):
        # 2. Each edit joins the first cluster with an edit that it overlaps, or starts a new cluster.
        touching = joined[:place][_overlapping(spans[candidate], starts[:place], ends[:place])]
        if not touching.size:
            clusters.append([])
        joined[place] = touching.min() if touching.size else len(clusters) - 1
        clusters[joined[place]].append(candidate)
    # 3. Clusters are never merged. They are sorted by the span of their first edit, which is their longest.
    return sorted(clusters, key=lambda cluster: (spans[cluster[0]][0], spans[cluster[0]][1]))


def is_bridged(groups: Sequence[Sequence[Span]]) -> bool:
    """Return whether spans of two groups overlap."""
    owners = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    starts, ends = _columns([span for group in groups for span in group])
    return any(
        bool((_overlapping(span, starts, ends) & (owners != owner)).any())
        for owner, group in enumerate(groups)
        for span in group
    )


class _Layout:
    def __init__(self, annotators: list[int], spans: list[list[int]], texts: list[list[int]]) -> None:
        self.annotators, self.spans, self.texts = annotators, spans, texts
        self.group_offsets, self.alternative_offsets, self.edit_offsets, self.member_offsets = [0], [0], [0], [0]
        self.optional: list[bool] = []
        self.members: list[int] = []
        self.bridged: list[bool] = []

    def add_sentence(self, rows: range, people: int) -> None:
        clusters = [[rows[k] for k in cluster] for cluster in cluster_spans([self.spans[row] for row in rows])]
        for cluster in clusters:
            by_annotator: dict[int, list[int]] = {}
            for row in cluster:
                by_annotator.setdefault(self.annotators[row], []).append(row)
            alternatives = [self._joined(by_annotator[annotator]) for annotator in sorted(by_annotator)]
            distinct: dict[object, list[list[int]]] = {}
            for edits in alternatives:
                distinct.setdefault(self._content(edits), edits)
            for edits in distinct.values():
                self._add_alternative(edits)
            self.alternative_offsets.append(len(self.edit_offsets) - 1)
            self.optional.append(len(by_annotator) != people)
        self.group_offsets.append(len(self.optional))
        self.bridged.append(is_bridged([[self.spans[row] for row in cluster] for cluster in clusters]))

    def arrays(self) -> GroupLayout:
        return GroupLayout(
            np.array(self.group_offsets, dtype=np.int64),
            np.array(self.optional, dtype=np.int32),
            np.array(self.alternative_offsets, dtype=np.int64),
            np.array(self.edit_offsets, dtype=np.int64),
            np.array(self.member_offsets, dtype=np.int64),
            np.array(self.members, dtype=np.int64),
            np.array(self.bridged, dtype=np.uint8),
        )

    def _joined(self, rows: list[int]) -> list[list[int]]:
        """Return lists of an annotator's edits with the same span, in text order."""
        joined: dict[tuple[int, ...], list[int]] = {}
        for row in rows:
            joined.setdefault(tuple(self.spans[row]), []).append(row)
        return [joined[span] for span in sorted(joined)]

    def _content(self, edits: list[list[int]]) -> tuple[object, ...]:
        """Return the spans and tokens by which equal alternatives are found."""
        return tuple(
            (*self.spans[rows[0]], tuple(token for row in rows for token in self.texts[row])) for rows in edits
        )

    def _add_alternative(self, edits: list[list[int]]) -> None:
        for rows in edits:
            self.members.extend(rows)
            self.member_offsets.append(len(self.members))
        self.edit_offsets.append(len(self.member_offsets) - 1)

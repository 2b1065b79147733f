"""The I-measure's gold as the flat arrays that its kernel eats: error groups to mix, or references to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from gecbench.corpus.edits import apply_edits, span
from gecbench.corpus.error_groups import GroupedSentence
from gecbench.corpus.mixing import Choice, alternatives_of

Offsets = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ListedGold:
    """References to choose from; those of sentence i are `texts[offsets[i]:offsets[i + 1]]`."""

    texts: Sequence[str]
    offsets: Offsets

    @classmethod
    def of(cls, references: Sequence[Sequence[str]]) -> ListedGold:
        """Take references sentence by sentence, their tokens separated by single spaces."""
        return cls([text for texts in references for text in texts], offsets_of(references))


@dataclass(frozen=True)
class MixedGold:
    """Groups of alternatives of changes: `texts` holds each change's replacement, `spans` its start and end.

    Alternatives of a group that make the same changes count once.
    """

    alternatives: Sequence[Sequence[Sequence[Choice]]]
    texts: Sequence[str]
    group_offsets: Offsets
    group_optional: npt.NDArray[np.int32]
    alternative_offsets: Offsets
    change_offsets: Offsets
    spans: npt.NDArray[np.int32]

    @classmethod
    def of(cls, sentences: Sequence[GroupedSentence]) -> MixedGold:
        """Lay groups, alternatives and changes end to end."""
        nested = [[alternatives_of(group) for group in sentence.groups] for sentence in sentences]
        groups = [group for sentence in nested for group in sentence]
        alternatives = [alternative for group in groups for alternative in group]
        edits = [edit for alternative in alternatives for edit in alternative]
        optional = [not group.required for sentence in sentences for group in sentence.groups]
        return cls(
            alternatives=nested,
            texts=[edit.corrections[0] for edit in edits],
            group_offsets=offsets_of(nested),
            group_optional=np.array(optional, dtype=np.int32),
            alternative_offsets=offsets_of(groups),
            change_offsets=offsets_of(alternatives),
            spans=np.array([span(edit) for edit in edits], dtype=np.int32).reshape(-1, 2),
        )

    def reference(self, sentence: int, source: str, picks: Sequence[int]) -> str:
        """Return the reference that takes the given distinct alternative of each group, -1 for none."""
        offered = zip(self.alternatives[sentence], picks, strict=True)
        edits = [edit for alternatives, pick in offered if pick >= 0 for edit in alternatives[pick]]
        return apply_edits(source, edits, official=True)


def offsets_of(parts: Sequence[Sequence[object]]) -> Offsets:
    """Return where each part begins when all are laid end to end."""
    return np.fromiter(accumulate(map(len, parts), initial=0), dtype=np.int64, count=len(parts) + 1)

"""The I-measure's gold as the flat arrays that its kernel takes: error groups to mix, or references to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from gecbench.corpus.error_groups import GroupedSentence
from gecbench.corpus.mixing import Changes, alternatives_of, apply_changes
from gecbench.kernels.imeasure import GroupArrays
from gecbench.kernels.tokens import TokenArray

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

    alternatives: Sequence[Sequence[Sequence[Changes]]]
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
        changes = [change for alternative in alternatives for change in alternative]
        optional = [not group.required for sentence in sentences for group in sentence.groups]
        return cls(
            alternatives=nested,
            texts=[" ".join(tokens) for _, _, tokens in changes],
            group_offsets=offsets_of(nested),
            group_optional=np.array(optional, dtype=np.int32),
            alternative_offsets=offsets_of(groups),
            change_offsets=offsets_of(alternatives),
            spans=np.array([change[:2] for change in changes], dtype=np.int32).reshape(-1, 2),
        )

    def arrays(self, corrections: TokenArray) -> GroupArrays:
        """Return the groups as the kernel takes them; `corrections` are the tokens of `texts`."""
        offsets = (self.alternative_offsets, self.change_offsets)
        return GroupArrays(self.group_offsets, self.group_optional, *offsets, self.spans, corrections)

    def reference(self, sentence: int, source: str, picks: Sequence[int]) -> str:
        """Return the reference that takes the given distinct alternative of each group, -1 for none."""
        offered = zip(self.alternatives[sentence], picks, strict=True)
        changes = [change for alternatives, pick in offered if pick >= 0 for change in alternatives[pick]]
        return " ".join(apply_changes(source.split(), changes))


def offsets_of(parts: Sequence[Sequence[object]]) -> Offsets:
    """Return where each part begins when all are laid end to end."""
    return np.fromiter(accumulate(map(len, parts), initial=0), dtype=np.int64, count=len(parts) + 1)

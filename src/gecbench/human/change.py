"""Extent of change between texts: sTER, share changed, identical share, character distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from typing import Any

from gecbench.errors import InputError


@dataclass(frozen=True)
class Change:
    """Means over sentences: TER edits (sTER), share that differs, character Levenshtein distance."""

    sentences: int
    ster: float
    changed: float
    characters: float

    @property
    def identical(self) -> float:
        """The share of sentences that are the same in both."""
        return 1 - self.changed


def change(before: Sequence[str], after: Sequence[str]) -> Change:
    """How far `after` is from `before` (Sakaguchi et al. 2016, §3.2).

    Edits are those of sacrebleu's TER with its defaults, so case does not count there; it does count for
    `changed` and `characters`. Lines are compared without leading and trailing whitespace.
    """
    pairs = _pairs(before, after)
    total = len(pairs)
    return Change(
        sentences=total,
        ster=sum(ter_edits(x, y) for x, y in pairs) / total,
        changed=sum(x != y for x, y in pairs) / total,
        characters=sum(character_distance(x, y) for x, y in pairs) / total,
    )


def mean_change(changes: Sequence[Change]) -> Change:
    """The mean over several comparisons of the same sentences, each weighing the same."""
    if not changes or len({each.sentences for each in changes}) != 1:
        raise InputError("a mean of changes needs comparisons of the same sentences")
    count = len(changes)
    return Change(
        changes[0].sentences,
        sum(each.ster for each in changes) / count,
        sum(each.changed for each in changes) / count,
        sum(each.characters for each in changes) / count,
    )


def change_within(annotators: Sequence[Sequence[str]]) -> Change:
    """The mean change over all pairs of annotators of one group."""
    return mean_change([change(one, other) for one, other in combinations(annotators, 2)])


def change_between(group: Sequence[Sequence[str]], others: Sequence[Sequence[str]]) -> Change:
    """The mean change over all pairs of one annotator from each group."""
    return mean_change([change(one, other) for one, other in product(group, others)])


def identical_sentences(annotators: Sequence[Sequence[str]], *, at_least: int = 2) -> float:
    """The share of sentences that at least so many annotators wrote alike."""
    lines = list(zip(*annotators, strict=True))
    alike = sum(max(line.count(text) for text in line) >= at_least for line in lines)
    return alike / len(lines) if lines else float("nan")


def ter_edits(hypothesis: str, reference: str) -> float:
    """Insertions, deletions, substitutions and shifts that turn the hypothesis into the reference."""
    if hypothesis.lower().split() == reference.lower().split():
        return 0.0
    return float(_ter().sentence_score(hypothesis, [reference]).num_edits)


def character_distance(first: str, second: str) -> int:
    """Levenshtein distance in characters, through rapidfuzz."""
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance(first, second)


@lru_cache(maxsize=1)
def _ter() -> Any:
    from sacrebleu.metrics.ter import TER

    return TER()


def _pairs(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, str]]:
    if len(before) != len(after) or not before:
        raise InputError(
            f"{len(before)} sentences cannot be compared with {len(after)}",
            fix="Both sides need the same sentences, at least one.",
        )
    return [(x.strip(), y.strip()) for x, y in zip(before, after, strict=True)]

"""Every mixed reference of a sentence, listed (Felice & Briscoe 2015, section 2.1)."""

from __future__ import annotations

from math import prod

from gecbench import GroupedSentence, apply_edits
from gecbench.corpus.derive import combinations, group_choices


def combination_count(sentence: GroupedSentence) -> int:
    """Return the number of ways to mix the alternatives (before combinations that collide are dropped)."""
    return prod(map(len, group_choices(sentence)))


def mixed_references(source: str, sentence: GroupedSentence) -> list[str]:
    """Return the distinct references that taking one choice of each group gives, without those that collide."""
    return list(
        dict.fromkeys(apply_edits(source, edits, official=True) for edits in combinations(group_choices(sentence)))
    )

"""Error types at three tiers: the operation, the category, or both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def tier(kind: str, level: int) -> str:
    """Return an error type at a tier: 1 its operation, 2 its category, 3 all of it.

    >>> [tier("R:NOUN:NUM", level) for level in (1, 2, 3)]
    ['R', 'NOUN:NUM', 'R:NOUN:NUM']
    """
    if kind == "UNK" or level == 3:
        return kind
    return kind[:1] if level == 1 else kind[2:]


def at_tier(counts: Mapping[str, Sequence[int]], level: int) -> dict[str, list[int]]:
    """Return the counts of error types by what they are at a tier; `UNK` replaces what was there, as officially."""
    merged: dict[str, list[int]] = {}
    for kind, three in counts.items():
        name = tier(kind, level)
        before = [0, 0, 0] if kind == "UNK" else merged.get(name, [0, 0, 0])
        merged[name] = [have + more for have, more in zip(before, three, strict=True)]
    return merged

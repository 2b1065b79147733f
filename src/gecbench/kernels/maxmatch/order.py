"""The order in which the official scorer visits the annotators of a sentence (docs/m2.md, B.9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_SMALLEST_TABLE = 8
_PERTURB_SHIFT = 5
_WORD = 1 << 64


def official_annotator_order(ids: Iterable[int]) -> list[int]:
    """Keys of a CPython 2 dict of integers, in iteration order, after inserting `ids` in the order given.

    The table starts with 8 slots, grows to more than four times its keys once it is two thirds full,
    and resolves collisions by the perturbed probe `5 * slot + perturb + 1` (docs/m2.md, B.9).
    """
    table: list[int | None] = [None] * _SMALLEST_TABLE
    used = 0
    for key in ids:
        slot = _free_slot(table, key)
        if table[slot] is not None:
            continue
        table[slot] = key
        used += 1
        if used * 3 >= len(table) * 2:
            table = _grown(table, used)
    return [key for key in table if key is not None]


def _free_slot(table: Sequence[int | None], key: int) -> int:
    mask = len(table) - 1
    hashed = (-2 if key == -1 else key) % _WORD
    slot, perturb = hashed, hashed
    while table[slot & mask] is not None and table[slot & mask] != key:
        slot = slot * 5 + perturb + 1
        perturb >>= _PERTURB_SHIFT
    return slot & mask


def _grown(table: Sequence[int | None], used: int) -> list[int | None]:
    size = _SMALLEST_TABLE
    while size <= used * (4 if used <= 50_000 else 2):
        size *= 2
    larger: list[int | None] = [None] * size
    for key in table:
        if key is not None:
            larger[_free_slot(larger, key)] = key
    return larger

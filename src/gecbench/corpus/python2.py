"""Reproduce Python 2.7: dictionary order, white space and lower case.

The official scorers of M2, I-measure and GLEU were run under 64-bit CPython 2.7. Its dictionaries iterate in hash
order, and its character tables are those of Unicode 5.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

_SMALLEST_TABLE = 8
_PERTURB_SHIFT = 5
_WORD = 1 << 64
# These ranges contain all letters with a lower-case form in Unicode 5.2. The other characters in them still have none.
_LOWERED = (
    (0x41, 0x5A),
    (0xC0, 0xDE),
    (0x100, 0x24E),
    (0x370, 0x376),
    (0x386, 0x3AB),
    (0x3CF, 0x42F),
    (0x460, 0x524),
    (0x531, 0x556),
    (0x10A0, 0x10C5),
    (0x1E00, 0x1F6F),
    (0x1F88, 0x1FFC),
    (0x2126, 0x2132),
    (0x2160, 0x216F),
    (0x2183, 0x2183),
    (0x24B6, 0x24CF),
    (0x2C00, 0x2C2E),
    (0x2C60, 0x2CED),
    (0xA640, 0xA65E),
    (0xA662, 0xA66C),
    (0xA680, 0xA696),
    (0xA722, 0xA78B),
    (0xFF21, 0xFF3A),
    (0x10400, 0x10427),
)
_MONGOLIAN_VOWEL_SEPARATOR = "\u180e"


def dict_order(hashes: Sequence[int]) -> list[int]:
    """Return the order in which a Python 2.7 dictionary iterates over its keys.

    The keys have these hashes, and are inserted in this order. The table starts with 8 slots. Once it is two thirds
    full, it grows to more than four times the number of keys. Collisions are resolved by the perturbed probe `5 * slot
    + perturb + 1` (docs/metrics/m2.md §9).
    """
    table: list[int | None] = [None] * _SMALLEST_TABLE
    for position in range(len(hashes)):
        table[_free_slot(table, hashes[position])] = position
        used = position + 1
        if used * 3 >= len(table) * 2:
            table = _grown(table, used, hashes)
    return [position for position in table if position is not None]


def _free_slot(table: Sequence[int | None], hashed: int) -> int:
    mask = len(table) - 1
    slot = perturb = hashed % _WORD
    while table[slot & mask] is not None:
        slot = slot * 5 + perturb + 1
        perturb >>= _PERTURB_SHIFT
    return slot & mask


def _grown(table: Sequence[int | None], used: int, hashes: Sequence[int]) -> list[int | None]:
    size = _SMALLEST_TABLE
    while size <= used * (4 if used <= 50_000 else 2):
        size *= 2
    larger: list[int | None] = [None] * size
    for position in table:
        if position is not None:
            larger[_free_slot(larger, hashes[position])] = position
    return larger


def integer_hash(number: int) -> int:
    """Return Python 2.7's hash of an integer."""
    return -2 if number == -1 else number


def string_hashes(texts: Sequence[str]) -> list[int]:
    """Return Python 2.7's hash of each text.

    Start with x = 128 times the first code point, and set x = 1000003 x ^ c for each code point c. The hash is x ^ the
    length of the text.

    >>> string_hashes(["a", ""])
    [12416037344, 0]
    """
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    codes = np.frombuffer("".join(texts).encode("utf-32-le"), dtype="<u4")
    starts = np.cumsum(lengths) - lengths
    longest_first = np.argsort(-lengths, kind="stable")
    at_least = np.searchsorted(-lengths[longest_first], -np.arange(1, lengths.max(initial=0) + 1), side="right")
    hashes = np.zeros(len(texts), dtype=np.uint64)
    for place, count in enumerate(at_least.tolist()):
        some = longest_first[:count]
        found = codes[starts[some] + place].astype(np.uint64)
        hashes[some] = (hashes[some] if place else found << np.uint64(7)) * np.uint64(1000003) ^ found
    hashed: list[int] = (hashes ^ lengths.astype(np.uint64)).tolist()
    return hashed


def lower(text: str) -> str:
    """Return the text in lower case, with the tables of Unicode 5.2.

    Each character is changed by itself.

    >>> lower("İΑΣ"), lower("\u1c90") == "\u1c90"
    ('iασ', True)
    """
    return text.lower() if text.isascii() else text.translate(_lower_table())


@cache
def _lower_table() -> dict[int, str]:
    return {code: chr(code).lower()[0] for first, last in _LOWERED for code in range(first, last + 1)}


def with_spaces(text: str) -> str:
    """Replace U+180E with a space.

    It is the only character that was white space in Unicode 5.2 and no longer is.
    """
    return text.replace(_MONGOLIAN_VOWEL_SEPARATOR, " ")

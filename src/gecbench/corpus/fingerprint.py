"""A fingerprint that merges: the sum of the sentences' hashes, the same whatever parts they come in and in what order.

A sentence's hash is of its place in the corpus, its source and its gold, so that sentences in another order are
another corpus: what GLEU draws and M2 chooses depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

HASH_SIZE = 16
_MODULUS = 1 << 8 * HASH_SIZE


def hash_sentences(places: Iterable[int], texts: Iterable[str]) -> list[bytes]:
    """Return the hash of each sentence, of its place (from 0) and its text."""
    return [
        blake2b(f"{place}\n{text}".encode(errors="surrogatepass"), digest_size=HASH_SIZE).digest()
        for place, text in zip(places, texts, strict=True)
    ]


def sum_hashes(hashes: bytes) -> int:
    """Return the sum of hashes that are laid end to end."""
    words = np.frombuffer(hashes, dtype="<u4").reshape(-1, HASH_SIZE // 4).sum(axis=0, dtype=np.uint64)
    return add_sums(int(word) << 32 * k for k, word in enumerate(words))


def add_sums(sums: Iterable[int]) -> int:
    """Return the sum of all parts' sums."""
    total: int = sum(sums) % _MODULUS
    return total


def fingerprint_of(total: int) -> str:
    """Return eight hexadecimal digits of a corpus whose hashes have this sum."""
    return total.to_bytes(HASH_SIZE, "little")[:4].hex()

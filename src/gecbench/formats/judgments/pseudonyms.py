"""Crowd workers appear as w1, w2, …; their platform identifiers go no further than here."""

from __future__ import annotations


class Pseudonyms:
    """Names in order of first appearance.

    >>> names = Pseudonyms()
    >>> names["someone"], names["else"], names["someone"]
    ('w1', 'w2', 'w1')
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def __getitem__(self, identifier: str) -> str:
        return self._names.setdefault(identifier, f"w{len(self._names) + 1}")

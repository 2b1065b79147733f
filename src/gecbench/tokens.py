"""Tokens as small integers: what the kernels eat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from gecbench import kernels
from gecbench.errors import InputError

TokenRule = Literal["ascii", "unicode"]


@dataclass(frozen=True)
class TokenArray:
    """Token sequences laid end to end: sequence i is `ids[offsets[i]:offsets[i + 1]]`."""

    ids: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, part: slice) -> TokenArray:
        begin, end, _ = part.indices(len(self))
        bounds = self.offsets[begin : end + 1]
        return TokenArray(self.ids[bounds[0] : bounds[-1]], bounds - bounds[0])

    def lengths(self) -> npt.NDArray[np.int64]:
        """Return the number of tokens of each sequence."""
        return np.diff(self.offsets)


def split_tokens(line: str, rule: TokenRule) -> list[str]:
    r"""Split a line on runs of whitespace: ASCII blanks only, or all that Unicode calls whitespace.

    >>> split_tokens("a b\u00a0c", "ascii"), split_tokens("a b\u00a0c", "unicode")
    (['a', 'b\xa0c'], ['a', 'b', 'c'])
    """
    if rule == "unicode":
        return line.split()
    return [token.decode() for token in line.encode().split()]


def intern_lines(lines: Sequence[str], rule: TokenRule) -> TokenArray:
    """Split lines by the rule and number the tokens, equal tokens alike across all lines."""
    encoded = [_encode(line) for line in lines]
    line_offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(line) for line in encoded], out=line_offsets[1:])
    ids, offsets = kernels.select("interning").intern(b"".join(encoded), line_offsets, rule == "unicode")
    return TokenArray(ids, offsets)


def _encode(line: str) -> bytes:
    try:
        return line.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"text with a lone surrogate, which UTF-8 cannot hold: {line!r}",
            fix="Decode the file as UTF-8, without errors='surrogateescape'",
        ) from error

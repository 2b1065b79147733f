"""Text as arrays of token numbers, the input of all kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Sized
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from gecbench import kernels
from gecbench.errors import InputError

Ids = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]
Ngrams = Counter[tuple[Any, ...]]
TokenRule = Literal["ascii", "unicode"]


@dataclass(frozen=True)
class TokenArray:
    """Token sequences end to end: sequence i is `ids[offsets[i]:offsets[i + 1]]`."""

    ids: Ids
    offsets: Offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, part: slice) -> TokenArray:
        begin, end, _ = part.indices(len(self))
        bounds = self.offsets[begin : end + 1]
        return TokenArray(self.ids[bounds[0] : bounds[-1]], bounds - bounds[0])

    def lengths(self) -> Offsets:
        """Return the number of tokens of each sequence."""
        return np.diff(self.offsets)

    def lists(self) -> list[list[int]]:
        """Return the sequences as lists."""
        tokens, bounds = self.ids.tolist(), self.offsets.tolist()
        return [tokens[begin:end] for begin, end in pairwise(bounds)]


NO_TOKENS = TokenArray(np.zeros(0, dtype=np.int32), np.zeros(1, dtype=np.int64))


def offsets_of(parts: Sequence[Sized]) -> Offsets:
    """Return the offset of each part laid end to end, and the total length last."""
    return np.cumsum([0, *map(len, parts)], dtype=np.int64)


def offsets_of_sizes(sizes: npt.NDArray[Any]) -> Offsets:
    """Return the offset of each part of the given sizes, and the total size last.

    In a mask, True counts as 1 and False as 0.
    """
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def intern(text: bytes, line_offsets: Offsets, unicode_whitespace: bool, threads: int = 1) -> tuple[Ids, Offsets]:
    """Number the tokens of all lines.

    Returns the numbers, line after line, and where the numbers of each line start. Line i of the input is
    `text[line_offsets[i]:line_offsets[i + 1]]`. Equal tokens have equal numbers, given in the order of first
    appearance. Only the native kernel uses `threads`.
    """
    return intern_and_list(text, line_offsets, unicode_whitespace, threads)[:2]


def intern_and_list(
    text: bytes, line_offsets: Offsets, unicode_whitespace: bool, threads: int = 1
) -> tuple[Ids, Offsets, bytes, Offsets]:
    """Return the result of `intern`, the distinct tokens, and their lengths in bytes.

    The distinct tokens are laid end to end, in the order of their numbers.
    """
    del threads
    numbers: dict[str | bytes, int] = {}
    ids: list[int] = []
    offsets = [0]
    bounds = line_offsets.tolist()
    for begin, end in pairwise(bounds):
        line = text[begin:end]
        tokens: list[str] | list[bytes] = line.decode().split() if unicode_whitespace else line.split()
        ids.extend([numbers.setdefault(token, len(numbers)) for token in tokens])
        offsets.append(len(ids))
    vocabulary = [token.encode() if isinstance(token, str) else token for token in numbers]
    lengths = np.array([*map(len, vocabulary)], dtype=np.int64)
    return np.array(ids, dtype=np.int32), np.array(offsets, dtype=np.int64), b"".join(vocabulary), lengths


def split_tokens(line: str, rule: TokenRule) -> list[str]:
    r"""Split a line on runs of ASCII whitespace, or of all Unicode whitespace.

    >>> split_tokens("a b\u00a0c", "ascii"), split_tokens("a b\u00a0c", "unicode")
    (['a', 'b\xa0c'], ['a', 'b', 'c'])
    """
    if rule == "unicode":
        return line.split()
    return [token.decode() for token in line.encode().split()]


def ngrams(tokens: Sequence[Any], n: int) -> Ngrams:
    """Return the multiset of n-grams of a sequence."""
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


@dataclass(frozen=True)
class EncodedLines:
    """Lines as bytes end to end, and their lengths: the input of `intern_encoded`."""

    text: bytes
    lengths: Offsets

    def offsets(self) -> Offsets:
        """Return the offset of each line, and the total length last."""
        return offsets_of_sizes(self.lengths)

    def lines(self) -> list[str]:
        """Return the lines as text."""
        return [self.text[begin:end].decode() for begin, end in pairwise(self.offsets().tolist())]


def encode_lines(lines: Sequence[str]) -> EncodedLines:
    """Encode lines as UTF-8, each with a line feed at its end.

    The line feed keeps the tokens of two lines apart.
    """
    joined = "\n".join([*lines, ""])
    try:
        text = joined.encode()
    except UnicodeEncodeError as error:
        line = next(line for line in lines if any("\ud800" <= character <= "\udfff" for character in line))
        raise InputError(
            f"the text contains a character that cannot be encoded as UTF-8 (a lone surrogate): {line!r}",
            fix="Decode the file as UTF-8, without errors='surrogateescape'",
        ) from error
    if len(text) == len(joined):
        lengths = np.fromiter(map(len, lines), dtype=np.int64, count=len(lines))
    else:
        lengths = np.array([len(line) if line.isascii() else len(line.encode()) for line in lines], dtype=np.int64)
    return EncodedLines(text, lengths + 1)


def intern_lines(lines: Sequence[str], rule: TokenRule) -> TokenArray:
    """Split lines as `split_tokens` does, and number the tokens.

    Equal tokens have the same number in all lines.
    """
    return intern_encoded([encode_lines(lines)], rule)


def intern_encoded(parts: Sequence[EncodedLines], rule: TokenRule) -> TokenArray:
    """Split the lines of all `parts`, put end to end, and number the tokens."""
    return TokenArray(*kernels.select("tokens").intern(*_concatenate(parts), rule == "unicode", kernels.threads()))


def intern_texts(texts: Sequence[Sequence[str]]) -> TokenArray:
    """Number the tokens of split texts; equal tokens have the same number."""
    numbers: dict[str, int] = {}
    ids = [numbers.setdefault(token, len(numbers)) for text in texts for token in text]
    return TokenArray(np.array(ids, dtype=np.int32), offsets_of(texts))


def characters_of(lines: Sequence[str]) -> TokenArray:
    """Return the characters of each line, blanks included, as code points."""
    text = "".join(lines).encode("utf-32-le", "surrogatepass")
    return TokenArray(np.frombuffer(text, dtype="<i4").astype(np.int32), offsets_of(lines))


@dataclass(frozen=True)
class KnownLines:
    """Lines with tokens numbered once, for comparison with many other lines."""

    tokens: TokenArray
    vocabulary: EncodedLines
    rule: TokenRule

    @classmethod
    def of(cls, parts: Sequence[EncodedLines], rule: TokenRule) -> KnownLines:
        """Split the lines of all `parts`, put end to end, and number the tokens."""
        found = kernels.select("tokens").intern_and_list(*_concatenate(parts), rule == "unicode", kernels.threads())
        return cls(TokenArray(*found[:2]), EncodedLines(*found[2:]), rule)

    def number(self, lines: EncodedLines) -> TokenArray:
        """Number the tokens of other lines; a known token keeps its number."""
        return intern_encoded([self.vocabulary, lines], self.rule)[len(self.vocabulary.lengths) :]


def _concatenate(parts: Sequence[EncodedLines]) -> tuple[bytes, Offsets]:
    offsets = np.concatenate([[0], *(part.lengths for part in parts)]).cumsum(dtype=np.int64)
    return b"".join(part.text for part in parts), offsets


def count_shared(left: bytes, left_offsets: Offsets, right: bytes, right_offsets: Offsets) -> Ids:
    """Count the tokens of each pair of lines: left, right, in both, and in either.

    The tokens in both lines and in either line are counted once each. Line i of a text is
    `text[offsets[i]:offsets[i + 1]]`, in UTF-8. Tokens are separated by Unicode whitespace.
    """
    rows = []
    for ours, theirs in zip(_split(left, left_offsets), _split(right, right_offsets), strict=True):
        rows.append((len(ours), len(theirs), len({*ours} & {*theirs}), len({*ours} | {*theirs})))
    return np.array(rows, dtype=np.int32).reshape(-1, 4)


def _split(text: bytes, offsets: Offsets) -> list[list[str]]:
    return [text[begin:end].decode(errors="surrogatepass").split() for begin, end in pairwise(offsets.tolist())]


class GoldArrays(NamedTuple):
    """All gold edits of a corpus, laid end to end.

    Sentence s has the rows annotator_offsets[s]:annotator_offsets[s + 1], one per annotator. Row r has the edits
    edit_offsets[r]:edit_offsets[r + 1]. Edit e covers the source span [starts[e], ends[e]) and accepts the corrections
    alternative_offsets[e]:alternative_offsets[e + 1].
    """

    annotator_offsets: Offsets
    edit_offsets: Offsets
    starts: Ids
    ends: Ids
    alternative_offsets: Offsets
    corrections: TokenArray


class MatchOptions(NamedTuple):
    """Options of MaxMatch (docs/metrics/m2.md).

    `max_unchanged_words`: the most unchanged words that a merged edit may span. -1 merges nothing (§5).
    `release`: the release of the official scorer, "master" or "3.2" (§12).
    `folded`: the lower-cased characters of every token id. If given, they turn on `ignore_whitespace_casing` (§8).
    `arc_limit`: the most arcs that the native kernel lists (§7).
    """

    max_unchanged_words: int = 2
    release: str = "master"
    folded: TokenArray | None = None
    arc_limit: int = 1_000_000

"""Tokens as numbers: both kernels give the same numbers, on any number of threads."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gecbench import kernels
from gecbench.kernels.tokens import KnownLines, encode_lines, intern_lines, split_tokens

needs_native = pytest.mark.skipif(kernels.native_module() is None, reason="installed without compiled kernels")
texts = st.text(st.sampled_from("ab é \t\n\x0b\x1c\x85\xa0\u1680\u2000\u200a\u2028\u202f\u205f\u3000\u200b\U0001f600"))


@settings(max_examples=200)
@given(lines=st.lists(texts, max_size=6), unicode_whitespace=st.booleans())
def test_interning(both_kernels, lines, unicode_whitespace):
    encoded = [line.encode() for line in lines]
    offsets = np.cumsum([0, *map(len, encoded)]).astype(np.int64)
    arguments = (b"".join(encoded), offsets, unicode_whitespace)
    native, python = (module.intern_and_list(*arguments) for module in both_kernels("tokens"))
    for left, right in zip(native, python, strict=True):
        assert type(left) is type(right)
        assert isinstance(left, bytes) or left.dtype == right.dtype
        np.testing.assert_array_equal(left, right)
    for module in both_kernels("tokens"):
        for alone, listed in zip(module.intern(*arguments), python, strict=False):
            np.testing.assert_array_equal(alone, listed)


@needs_native
@pytest.mark.usefixtures("kernels_of")
@given(known=st.lists(texts, max_size=4), lines=st.lists(texts, max_size=4), rule=st.sampled_from(["ascii", "unicode"]))
def test_known_lines_keep_their_numbers(known, lines, rule):
    numbered = KnownLines.of([encode_lines(known[:1]), encode_lines(known[1:])], rule)
    later = numbered.number(encode_lines(lines))
    assert numbered.tokens.lists() + later.lists() == intern_lines([*known, *lines], rule).lists()


def test_tokens_and_lines_of_all_sizes(both_kernels):
    """Tokens of up to three machine words that differ in one byte, in lines of up to a thousand bytes."""
    generator = random.Random(5)
    tokens = ["".join(generator.choices("ab", k=size)) for size in range(1, 25) for _ in range(40)]
    encoded = [" ".join(generator.choices(tokens, k=size)).encode() for size in range(80)]
    offsets = np.cumsum([0, *map(len, encoded)]).astype(np.int64)
    for unicode_whitespace in (False, True):
        found = (
            module.intern_and_list(b"".join(encoded), offsets, unicode_whitespace) for module in both_kernels("tokens")
        )
        for left, right in zip(*found, strict=True):
            np.testing.assert_array_equal(left, right)


def test_interning_on_several_threads(both_kernels):
    """Enough lines for several parts, which have some words in common and others not."""
    words = np.random.default_rng(2).integers(0, 9, size=(20_000, 3)) * np.arange(1, 20_001)[:, None] // 7
    encoded = [" ".join(map(str, line)).encode() for line in words]
    offsets = np.cumsum([0, *map(len, encoded)]).astype(np.int64)
    python, native = both_kernels("tokens")
    expected = python.intern_and_list(b"".join(encoded), offsets, False)
    for threads in (1, 2, 4):
        found = native.intern_and_list(b"".join(encoded), offsets, False, threads)
        for left, right in zip(found, expected, strict=True):
            np.testing.assert_array_equal(left, right)
        for left, right in zip(native.intern(b"".join(encoded), offsets, False, threads), expected, strict=False):
            np.testing.assert_array_equal(left, right)


@pytest.mark.usefixtures("kernels_of")
@settings(max_examples=100)
@given(lines=st.lists(texts, max_size=6))
def test_interning_agrees_with_split(lines):
    for rule in ("ascii", "unicode"):
        tokens = intern_lines(lines, rule)
        words = [split_tokens(line, rule) for line in lines]
        assert tokens.lengths().tolist() == [len(split) for split in words]
        flat = [word for split in words for word in split]
        assert len(set(zip(flat, tokens.ids.tolist(), strict=True))) == len(set(flat)) == len(set(tokens.ids.tolist()))


def test_lines_with_line_feeds_inside_stay_whole(kernels_of: str) -> None:
    encoded = encode_lines(["a\nb", "", "é \n", "c"])
    assert encoded.lengths.tolist() == [4, 1, 5, 2]
    tokens = intern_lines(["a\nb", "", "b é\n", "a"], "unicode")
    assert tokens.lists() == [[0, 1], [], [1, 2], [0]]


def test_the_numbers_of_tokens_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [" ".join(f"w{i * k % 977}" for k in range(i % 9)) for i in range(20_000)]
    found = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("GECBENCH_THREADS", threads)
        found.append(intern_lines([*lines, "x" * 100_000, *([""] * 9_000)], "ascii"))
    for other in found[1:]:
        assert np.array_equal(other.ids, found[0].ids)
        assert np.array_equal(other.offsets, found[0].offsets)

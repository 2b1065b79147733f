"""Changed spans and the translation edit rate: both kernels give the same.

The Python reference of the search for shifts is sacrebleu's.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mirror_files import conll14_rewrites, jfleg, needs_mirror, submission
from sacrebleu.metrics import lib_ter

from gecbench.errors import InputError
from gecbench.kernels.tokens import TokenArray, intern_lines, offsets_of

sentences = st.lists(st.sampled_from(["a", "b", "c", "A", "é"]), max_size=9).map(" ".join)
few_words = st.lists(st.integers(0, 3), max_size=14)
some_words = st.lists(st.integers(0, 9), min_size=1, max_size=60)


def token_array(lines):
    return TokenArray(np.array([word for line in lines for word in line], dtype=np.int32), offsets_of(lines))


def assert_equal_edits(both_kernels, pairs):
    before, after = map(token_array, zip(*pairs, strict=True))
    python, native = (module.ter_edits(before, after, threads=2) for module in both_kernels("edits"))
    assert native.dtype == python.dtype
    np.testing.assert_array_equal(native, python)


@settings(max_examples=150)
@given(pairs=st.lists(st.tuples(few_words, few_words), min_size=1, max_size=5))
def test_few_words(both_kernels, pairs):
    assert_equal_edits(both_kernels, pairs)


@settings(max_examples=60)
@given(words=some_words, data=st.data())
def test_moved_words(both_kernels, words, data):
    moved = list(words)
    for _ in range(data.draw(st.integers(1, 4))):
        start, size = data.draw(st.integers(0, len(moved))), data.draw(st.integers(0, 12))
        part = moved[start : start + size]
        del moved[start : start + size]
        place = data.draw(st.integers(0, len(moved)))
        moved[place:place] = [*part, *data.draw(st.lists(st.integers(0, 9), max_size=1))]
    assert_equal_edits(both_kernels, [(words, moved), (moved, words)])


@pytest.mark.parametrize("length", [49, 50, 51, 120, 200])
def test_lengths_that_widen_the_beam(both_kernels, length):
    words = np.random.default_rng(length).integers(0, 4, length).tolist()
    assert_equal_edits(both_kernels, [([1], words), (words, [1]), ([1, 2], words), ([], words), (words, []), ([], [])])


def test_the_limit_on_shifts_tried(both_kernels, monkeypatch):
    """After a thousand tried shifts the search stops, and the best shift so far is not applied."""
    generator = np.random.default_rng(0)
    pair = [generator.integers(0, 3, 40).tolist() for _ in range(2)]
    before, after = (token_array([words]) for words in pair)
    assert [module.ter_edits(before, after).tolist() for module in both_kernels("edits")] == [[14], [14]]
    monkeypatch.setattr(lib_ter, "_MAX_SHIFT_CANDIDATES", 10**6)
    assert lib_ter.translation_edit_rate(*pair)[0] == 12


def test_native_refuses_bad_offsets(both_kernels):
    _, native = both_kernels("edits")
    good, ids = token_array([[1, 2]]), np.array([1, 2], dtype=np.int32)
    for offsets in ([0, 9], [1, 2], [0, 3, 2], []):
        with pytest.raises(ValueError, match="offsets"):
            native.ter_edits(good, TokenArray(ids, np.array(offsets, dtype=np.int64)))
    with pytest.raises(ValueError, match="references must have length 1, not 2"):
        native.ter_edits(good, token_array([[1], [2]]))


@needs_mirror
def test_real_rewrites(both_kernels):
    corpus = conll14_rewrites("NE-fluency").select(range(0, 1312, 8))
    texts = [corpus.sources, *zip(*corpus.references, strict=True), submission("AMU")[::8]]
    tokens = [intern_lines([line.lower() for line in (*one, *other)], "unicode") for one, other in pairwise(texts)]
    for both in tokens:
        half = len(corpus)
        python, native = (module.ter_edits(both[:half], both[half:]) for module in both_kernels("edits"))
        np.testing.assert_array_equal(native, python)
        assert native.sum() > 0


def changes(kernel, sources, rewrites):
    tokens = intern_lines([*sources, *(text for texts in rewrites for text in texts)], "unicode")
    return kernel.changed_spans(tokens[: len(sources)], tokens[len(sources) :], offsets_of(rewrites))


def assert_equal(python, native):
    for ours, theirs in zip(python, native, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


@settings(max_examples=200)
@given(st.lists(st.tuples(sentences, st.lists(sentences, max_size=3)), max_size=4))
def test_changed_spans(both_kernels, rows):
    sources, rewrites = [source for source, _ in rows], [texts for _, texts in rows]
    assert_equal(*(changes(kernel, sources, rewrites) for kernel in both_kernels("edits")))


@needs_mirror
def test_changed_spans_of_real_data(both_kernels):
    for split in ("dev", "test"):
        references = list(zip(*(jfleg(split, f"ref{k}") for k in range(4)), strict=True))
        assert_equal(*(changes(kernel, jfleg(split, "src"), references) for kernel in both_kernels("edits")))
    corpus = conll14_rewrites("NE-fluency")
    outputs = list(zip(*map(submission, ("AMU", "CAMB", "NTHU")), strict=True))
    for rewrites in (corpus.references, outputs):
        assert_equal(*(changes(kernel, corpus.sources, rewrites) for kernel in both_kernels("edits")))


def test_python_refuses_a_table_that_would_take_gigabytes(both_kernels):
    python, native = both_kernels("edits")
    before, after = " ".join(["a"] * 5_000), " ".join(["b"] * 5_000)
    assert changes(native, [before], [[after]])[0].tolist() == [[0, 5_000, 0, 5_000]]
    with pytest.raises(InputError, match="change of 5000 tokens into 5000 tokens is too long for the Python kernels"):
        changes(python, [before], [[after]])


def test_native_refuses_spans_of_arrays_that_do_not_fit(both_kernels):
    _, native = both_kernels("edits")
    good = TokenArray(np.array([1, 2], dtype=np.int32), np.array([0, 2], dtype=np.int64))
    rows = np.array([0, 1], dtype=np.int64)
    assert [found.tolist() for found in native.changed_spans(good, good, rows)] == [[], [0, 0]]
    for offsets in ([0, 9], [1, 2], [0, 3, 2], []):
        with pytest.raises(ValueError, match="offsets"):
            native.changed_spans(good, replace(good, offsets=np.array(offsets, dtype=np.int64)), rows)
    for wrong in ([0, 2], [0], [0, 1, 1], [-1, 1]):
        with pytest.raises(ValueError, match="rewrite_rows"):
            native.changed_spans(good, good, np.array(wrong, dtype=np.int64))

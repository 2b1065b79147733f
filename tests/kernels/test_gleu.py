"""GLEU's n-gram counts and draws of references: both kernels give the same."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mirror_files import conll14_rewrites, jfleg, needs_mirror, submission

from gecbench import Corpus, kernels
from gecbench.kernels.tokens import TokenArray, intern_lines
from gecbench.metrics.gleu import GLEU

needs_native = pytest.mark.skipif(kernels.native_module() is None, reason="installed without compiled kernels")
sentences = st.lists(st.sampled_from("abc"), max_size=7).map(" ".join)


@settings(max_examples=200)
@given(
    rows=st.lists(st.tuples(sentences, sentences, st.lists(sentences, min_size=1, max_size=3)), min_size=1, max_size=4),
    order=st.integers(1, 6),
    multiset=st.booleans(),
)
def test_ngram_counts(both_kernels, rows, order, multiset):
    sources, hypotheses, references = zip(*rows, strict=True)
    flat = [text for group in references for text in group]
    tokens = intern_lines([*sources, *hypotheses, *flat], "ascii")
    n = len(sources)
    texts = tokens[:n], tokens[n : 2 * n], tokens[2 * n :]
    owners = np.cumsum([0, *map(len, references)]).astype(np.int64)
    native, python = (module.gleu_counts(*texts, owners, order, multiset) for module in both_kernels("gleu"))
    np.testing.assert_array_equal(native, python)


@pytest.mark.parametrize("words", [3, 20, 127, 128, 300])
def test_ngrams_of_long_lines(both_kernels, words):
    """Lines of up to 600 tokens, with few distinct words, or with more than the kernel's square table holds."""
    generator = np.random.default_rng(words)
    lines = [" ".join(map(str, generator.integers(0, words, size=size))) for size in (100, 254, 257, 600)]
    tokens = intern_lines([*lines, *lines[::-1], *lines[1:], lines[0]], "ascii")
    rows = np.arange(5, dtype=np.int64)
    for multiset in (False, True):
        found = (m.gleu_counts(tokens[:4], tokens[4:8], tokens[8:], rows, 4, multiset) for m in both_kernels("gleu"))
        np.testing.assert_array_equal(*found)


@needs_native
def test_any_number_of_threads(both_kernels):
    """More sentences and draws than one task has. Some columns depend on the draw, one does not."""
    _, native = both_kernels("gleu")
    generator = np.random.default_rng(3)
    lines = [" ".join(generator.choice(list("abcd"), 6)) for _ in range(4 * 600)]
    tokens = intern_lines(lines, "ascii")
    texts, rows = (tokens[:600], tokens[600:1200], tokens[1200:]), np.arange(0, 1201, 2, dtype=np.int64)
    counts, *others = (native.gleu_counts(*texts, rows, 4, False, threads) for threads in (1, 2, 7))
    draws = [native.draw_rows(rows, 0, 70, False, threads) for threads in (1, 2, 7)]
    totals = [native.sampled_totals(counts, rows, 70, False, threads) for threads in (1, 2, 7)]
    for one, *same in ((counts, *others), draws, totals):
        for other in same:
            np.testing.assert_array_equal(other, one)
    np.testing.assert_array_equal(totals[0], counts[draws[0]].sum(axis=1))


def test_native_refuses_rows_it_cannot_draw(both_kernels):
    _, native = both_kernels("gleu")
    counts = np.ones((2, 4), dtype=np.int64)
    for offsets in ([1, 2], [0, 2, 2], [0, 2, 1], [0, 2**40], []):
        for call in (
            lambda rows: native.draw_rows(rows, 0, 1, False),
            lambda rows: native.sampled_totals(counts, rows, 1, False),
        ):
            with pytest.raises(ValueError, match="row_offsets must rise from 0"):
                call(np.array(offsets, dtype=np.int64))
    with pytest.raises(ValueError, match="do not fit"):
        native.sampled_totals(counts, np.array([0, 3], dtype=np.int64), 1, False)
    with pytest.raises(ValueError, match="iterations"):
        native.draw_rows(np.array([0, 2], dtype=np.int64), 0, -1, False)


def test_native_refuses_bundles_it_cannot_read(both_kernels):
    _, native = both_kernels("gleu")
    rows = np.array([0, 1], dtype=np.int64)
    good = TokenArray(np.array([1, 2], dtype=np.int32), np.array([0, 2], dtype=np.int64))
    assert native.gleu_counts(good, good, good, rows, 1, False).tolist() == [[2, 2, 2, 2]]
    for bad in (replace(good, ids=good.ids.astype(np.int64)), replace(good, ids=np.array([1, 0, 2, 0], np.int32)[::2])):
        with pytest.raises(TypeError, match="ids"):
            native.gleu_counts(good, bad, good, rows, 1, False)
    for offsets in ([0, 9], [1, 2], [0, 3, 2], []):
        with pytest.raises(ValueError, match="offsets"):
            native.gleu_counts(good, replace(good, offsets=np.array(offsets, dtype=np.int64)), good, rows, 1, False)
    with pytest.raises(ValueError, match="reference_rows"):
        native.gleu_counts(good, good, good, np.array([0, 2], dtype=np.int64), 1, False)


@settings(max_examples=100)
@given(
    choices=st.lists(st.integers(1, 9), min_size=1, max_size=700),
    first=st.integers(0, 40_000_000),
    python3=st.booleans(),
)
def test_draws(both_kernels, choices, first, python3):
    offsets = np.cumsum([0, *choices]).astype(np.int64)
    native, python = (module.draw_rows(offsets, first, 2, python3) for module in both_kernels("gleu"))
    np.testing.assert_array_equal(native, python)
    counts = np.arange(11 * offsets[-1], dtype=np.int64).reshape(-1, 11)
    counts[:, 4] = 7
    native, python = (module.sampled_totals(counts, offsets, 3, python3) for module in both_kernels("gleu"))
    np.testing.assert_array_equal(native, python)


@pytest.mark.parametrize("choices", [1000, 60_000, 65_536, 3_000_000])
def test_draws_of_many_choices(both_kernels, choices):
    """So many draws that some also depend on the second word of a random number."""
    offsets = choices * np.arange(200, dtype=np.int64)
    for python3 in (False, True):
        np.testing.assert_array_equal(*(module.draw_rows(offsets, 0, 200, python3) for module in both_kernels("gleu")))


@needs_native
@needs_mirror
def test_counts_of_all_real_data_are_equal(monkeypatch):
    corpora = []
    for split in ("dev", "test"):
        references = list(zip(*(jfleg(split, f"ref{k}") for k in range(4)), strict=True))
        corpora.append((Corpus(sources=jfleg(split, "src"), references=references), jfleg(split, "spellchecked.src")))
    systems = {"E-fluency": "AMU", "NE-fluency": "CAMB", "E-minimal": "NTHU", "NE-minimal": "POST", "NUCLE": "CUUI"}
    corpora += [(conll14_rewrites(references), submission(system)) for references, system in systems.items()]
    for corpus, predictions in corpora:
        for metric in (GLEU(), GLEU(variant="equation1")):
            found = []
            for implementation in ("native", "python"):
                monkeypatch.setenv("GECBENCH_KERNELS", implementation)
                found.append(metric.count(corpus, predictions).counts)
            np.testing.assert_array_equal(*found)

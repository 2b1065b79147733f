"""GREEN's n-gram counts: examples by hand, and both kernels give the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mirror_files import conll14_rewrites, jfleg, needs_mirror, submission

from gecbench import GREEN, Corpus, kernels
from gecbench.kernels.tokens import intern_lines, offsets_of

needs_native = pytest.mark.skipif(kernels.native_module() is None, reason="installed without compiled kernels")
sentences = st.lists(st.sampled_from("abc"), max_size=7).map(" ".join)


def arrays(sources, hypotheses, references):
    flat = [text for group in references for text in group]
    tokens, n = intern_lines([*sources, *hypotheses, *flat], "ascii"), len(sources)
    return tokens[:n], tokens[n : 2 * n], tokens[2 * n :], offsets_of(references)


@pytest.mark.parametrize(
    ("source", "hypothesis", "reference", "counts"),
    [
        ("a", "a", "a", [1, 0, 0]),  # kept
        ("a", "", "", [1, 0, 0]),  # rightly deleted
        ("", "a", "a", [1, 0, 0]),  # rightly inserted
        ("a", "", "a", [0, 1, 0]),  # over-deleted
        ("", "a", "", [0, 1, 0]),  # over-inserted
        ("a", "a", "", [0, 0, 1]),  # should have been deleted
        ("", "", "a", [0, 0, 1]),  # should have been inserted
        ("a a a", "a a", "a", [2, 0, 1]),  # one kept, one rightly deleted, one left
        ("a", "a a a", "a a", [2, 1, 0]),  # one kept, one rightly inserted, one too many
        ("a b", "a c", "a d", [2, 1, 1]),  # a kept, b deleted; c is wrong, d missed
    ],
)
def test_each_kind_of_change(implementation, source, hypothesis, reference, counts):
    kernel = kernels.select("green", implementation)
    assert kernel.green_counts(*arrays([source], [hypothesis], [[reference]]), 1).tolist() == [counts]


@settings(max_examples=200)
@given(
    rows=st.lists(st.tuples(sentences, sentences, st.lists(sentences, min_size=1, max_size=3)), min_size=1, max_size=4),
    order=st.integers(1, 6),
)
def test_both_kernels_count_alike(both_kernels, rows, order):
    texts = arrays(*zip(*rows, strict=True))
    np.testing.assert_array_equal(*(module.green_counts(*texts, order) for module in both_kernels("green")))


@pytest.mark.parametrize("words", [3, 20, 63, 64, 127, 128, 300])
def test_long_lines(both_kernels, words):
    """Lines of up to 600 tokens, with few distinct words, or with more than the kernel's square table holds."""
    generator = np.random.default_rng(words)
    lines = [" ".join(map(str, generator.integers(0, words, size=size))) for size in (100, 127, 254, 600)]
    texts = arrays(lines, lines[::-1], [[line] for line in [*lines[1:], lines[0]]])
    np.testing.assert_array_equal(*(module.green_counts(*texts, 4) for module in both_kernels("green")))


@needs_native
def test_any_number_of_threads():
    generator = np.random.default_rng(3)
    lines = [" ".join(generator.choice(list("abcd"), 6)) for _ in range(4 * 600)]
    texts = arrays(lines[:600], lines[600:1200], list(zip(lines[1200:1800], lines[1800:], strict=True)))
    one, *others = (kernels.select("green", "native").green_counts(*texts, 4, threads) for threads in (1, 2, 7))
    for other in others:
        np.testing.assert_array_equal(other, one)


@needs_native
@needs_mirror
@pytest.mark.parametrize("unit", ["word", "char"])
def test_counts_of_real_data_are_equal(unit, monkeypatch):
    references = list(zip(*(jfleg("dev", f"ref{k}") for k in range(4)), strict=True))
    corpora = [(Corpus(sources=jfleg("dev", "src"), references=references), jfleg("dev", "spellchecked.src"))]
    systems = {"E-fluency": "AMU", "NE-minimal": "POST", "NUCLE": "CUUI"}
    corpora += [(conll14_rewrites(name).select(range(200)), submission(systems[name])[:200]) for name in systems]
    for corpus, predictions in corpora:
        found = []
        for implementation in ("native", "python"):
            monkeypatch.setenv("GECBENCH_KERNELS", implementation)
            found.append(GREEN(unit=unit).count(corpus, predictions).counts)
        np.testing.assert_array_equal(*found)

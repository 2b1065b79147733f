"""BLEU's counts are sacrebleu's, sentence by sentence, on both kernels."""

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from mirror_files import conll14_rewrites, needs_mirror, submission

from gecbench import BLEU, Corpus, load_demo, load_demo_systems
from gecbench.kernels.tokens import NO_TOKENS, TokenArray, intern_lines

lines = st.lists(st.sampled_from(["a", "b", "B", "c.", "(d)"]), max_size=9).map(" ".join)


def by_sacrebleu(predictions, references, **options):
    """Return lengths, matches and totals that sacrebleu's scorer finds for each sentence alone."""
    scorer = sacrebleu.BLEU(force=True, **options)
    rows = []
    for prediction, texts in zip(predictions, references, strict=True):
        found = scorer.corpus_score([prediction], [[text] for text in texts])
        rows.append([found.sys_len, found.ref_len, *found.counts, *found.totals])
    return rows


@pytest.mark.usefixtures("kernels_of")
@settings(max_examples=50)
@given(
    rows=st.lists(st.tuples(lines, st.lists(lines, min_size=1, max_size=3)), min_size=1, max_size=4),
    tokenize=st.sampled_from(["none", "13a", "char"]),
    lowercase=st.booleans(),
)
def test_counts_are_those_of_sacrebleu(rows, tokenize, lowercase):
    predictions, references = zip(*rows, strict=True)
    corpus = Corpus(sources=["x"] * len(rows), references=references)
    counts = BLEU(tokenize=tokenize, lowercase=lowercase).count(corpus, predictions).counts
    expected = by_sacrebleu(predictions, references, tokenize=tokenize, lowercase=lowercase)
    assert np.delete(counts, 2, axis=1).tolist() == expected


@settings(max_examples=100)
@given(rows=st.lists(st.tuples(lines, st.lists(lines, min_size=1, max_size=3)), min_size=1, max_size=4))
def test_twins(twins, rows):
    predictions, references = zip(*rows, strict=True)
    tokens = intern_lines([*predictions, *(text for texts in references for text in texts)], "unicode")
    offsets = np.cumsum([0, *map(len, references)])
    python, native = (
        module.bleu_counts(tokens[: len(rows)], tokens[len(rows) :], offsets, 3, threads=2) for module in twins("bleu")
    )
    assert native.dtype == python.dtype
    np.testing.assert_array_equal(native, python)


def test_of_two_lengths_equally_close_the_shorter_and_the_first(kernels_of):
    corpus = Corpus(sources=["a b"], references=[["a b c", "a", "a b c d"]])
    assert BLEU().count(corpus, ["a b"]).counts[0, :3].tolist() == [2, 1, 3]


def test_native_refuses_bad_offsets(twins):
    _, native = twins("bleu")
    good = TokenArray(np.array([1, 2], dtype=np.int32), np.array([0, 2], dtype=np.int64))
    assert native.bleu_counts(good, good, np.array([0, 1]), 1).tolist() == [[2, 2, 2, 2, 2]]
    for rows in ([0, 2], [1, 1], [0, 1, 1], []):
        with pytest.raises(ValueError, match="reference_rows"):
            native.bleu_counts(good, good, np.array(rows, dtype=np.int64), 1)
    with pytest.raises(ValueError, match="no reference_rows"):
        native.bleu_counts(good, NO_TOKENS, np.array([0, 0]), 1)
    with pytest.raises(ValueError, match="order"):
        native.bleu_counts(good, good, np.array([0, 1]), 0)


@pytest.mark.usefixtures("kernels_of")
def test_demo():
    corpus = load_demo()
    for predictions in load_demo_systems().values():
        counts = BLEU().count(corpus, predictions).counts
        expected = by_sacrebleu(predictions, corpus.references, tokenize="none")
        assert np.delete(counts, 2, axis=1).tolist() == expected


@needs_mirror
def test_real_data(twins):
    corpus, predictions = conll14_rewrites("E-fluency"), submission("CAMB")
    tokens = intern_lines([*predictions, *(text for texts in corpus.references for text in texts)], "unicode")
    offsets = np.cumsum([0, *map(len, corpus.references)])
    half = len(corpus)
    python, native = (module.bleu_counts(tokens[:half], tokens[half:], offsets, 4) for module in twins("bleu"))
    np.testing.assert_array_equal(native, python)

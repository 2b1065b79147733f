"""BLEU's counts are sacrebleu's, sentence by sentence."""

import numpy as np
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from gecbench import BLEU, Corpus, load_demo, load_demo_systems

lines = st.lists(st.sampled_from(["a", "b", "B", "c.", "(d)"]), max_size=9).map(" ".join)


def by_sacrebleu(predictions, references, **options):
    """Return lengths, matches and totals that sacrebleu's scorer finds for each sentence alone."""
    scorer = sacrebleu.BLEU(force=True, **options)
    rows = []
    for prediction, texts in zip(predictions, references, strict=True):
        found = scorer.corpus_score([prediction], [[text] for text in texts])
        rows.append([found.sys_len, found.ref_len, *found.counts, *found.totals])
    return rows


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


def test_of_two_lengths_equally_close_the_shorter_and_the_first():
    corpus = Corpus(sources=["a b"], references=[["a b c", "a", "a b c d"]])
    assert BLEU().count(corpus, ["a b"]).counts[0, :3].tolist() == [2, 1, 3]


def test_demo():
    corpus = load_demo()
    for predictions in load_demo_systems().values():
        counts = BLEU().count(corpus, predictions).counts
        expected = by_sacrebleu(predictions, corpus.references, tokenize="none")
        assert np.delete(counts, 2, axis=1).tolist() == expected


def test_large_corpora_are_counted_without_a_cache(monkeypatch):
    corpus, predictions = load_demo(), load_demo_systems()["rule-based"]
    cached = BLEU().count(corpus, predictions).counts
    monkeypatch.setattr("gecbench.metrics.bleu._MOST_CACHED", 0)
    assert BLEU().count(corpus, predictions).counts.tolist() == cached.tolist()

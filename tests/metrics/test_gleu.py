"""GLEU against the worked example and the random test vectors of the official script."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import corpora

from gecbench import GLEU, Corpus, kernels

SOURCES = [
    "This sentences contain gramamtical error .",
    "This is a sentence .",
    "This is no change .",
    "I bought a pen to write a letter to a friend .",
    "Hi .",
]
PREDICTIONS = [
    "This sentence contains a grammatical error .",
    "the sentence was corrected into completely different one .",
    "This is no change .",
    "I bought a pen to write a letter to a friend .",
    "Hi !",
]
REFERENCES = [
    ["This sentence contains a grammatical error .", "These sentences contain grammatical errors ."],
    ["dummy sentence .", "another dummy sentence ."],
    ["This is no change .", "This is no change ."],
    ["I bought a pen to write a letter to the friend .", "I bought a pen to write the letter to the friend ."],
    ["Hi !", "Hello ."],
]
EXAMPLE = {"sources": SOURCES, "predictions": PREDICTIONS, "references": REFERENCES}


@pytest.mark.usefixtures("kernels_of")
class TestWorkedExample:
    """Printed by the unmodified official script under CPython 2.7.18."""

    def test_corpus_score(self):
        score = GLEU().score(**EXAMPLE)
        assert f"{score.value:.6f}" == "0.372116"
        assert f"{score.parts['standard_deviation']:.6f}" == "0.128738"
        assert f"{score.parts['draws_low']:.3f}" == "0.120"
        assert f"{score.parts['draws_high']:.3f}" == "0.624"

    def test_ten_iterations(self):
        assert f"{GLEU(iterations=10).score(**EXAMPLE).value:.6f}" == "0.393444"

    def test_python3_draws(self):
        score = GLEU(draws="py3").score(**EXAMPLE)
        assert f"{score.value:.6f} {score.parts['standard_deviation']:.6f}" == "0.368816 0.131053"

    def test_one_reference_is_not_drawn(self):
        score = GLEU().score(**{**EXAMPLE, "references": [[texts[0]] for texts in REFERENCES]})
        assert f"{score.value:.6f}" == "0.555492"
        assert score.parts["standard_deviation"] == 0

    def test_sentence_scores(self):
        sentences = GLEU().score(**EXAMPLE).sentence_scores()
        assert [f"{value:.6f}" for value in sentences] == ["0.592875", "0.160366", "1.000000", "0.376133", "0.920448"]


@pytest.mark.parametrize(
    ("seed", "references", "python3", "expected"),
    [
        (101, 4, False, "2 0 3 3 1 2 0 0 1 2 0 3"),
        (101, 4, True, "1 2 3 0 1 1 2 3 1 2 3 0"),
        (0, 4, False, "3 3 1 1 2 1 3 1 1 2 3 2"),
        (0, 4, True, "3 3 0 2 3 3 2 3 2 1 1 2"),
        (0, 2, False, "1 1 0 0 1 0 1 0 0 1 1 1"),
        (0, 2, True, "1 1 0 1 1 1 1 1 1 0 0 1"),
        (0, 3, False, "2 2 1 0 1 1 2 0 1 1 2 1"),
        (0, 3, True, "1 1 0 1 2 1 1 1 1 1 2 0"),
    ],
)
def test_draws_of_both_pythons(kernels_of, seed, references, python3, expected):
    offsets = np.arange(0, 12 * references + 1, references, dtype=np.int64)
    rows = kernels.select("gleu").draw_rows(offsets, seed // 101, 1, python3)[0]
    assert (rows - offsets[:-1]).tolist() == [int(draw) for draw in expected.split()]


@pytest.mark.usefixtures("kernels_of")
@pytest.mark.parametrize(
    ("source", "prediction", "reference", "parameters", "expected"),
    [
        # The penalty looks at types: the source has `a` three times, the reference once, and the surplus costs nothing.
        ("a a a", "a a a", "a", {"order": 1}, [3, 1, 1, 3]),
        ("a a a", "a a a", "a", {"order": 1, "variant": "equation1"}, [3, 1, 1 - 2, 3]),
        # The numerator of a sentence is at least zero, but not in Equation 1.
        ("a b", "a b", "c d", {"order": 1}, [2, 2, 0, 2]),
        ("a b", "a b", "c d", {"order": 1, "variant": "equation1"}, [2, 2, -2, 2]),
        ("a b", "a b", "c d", {"order": 1, "variant": "multiset"}, [2, 2, -2, 2]),
        # An empty hypothesis is counted; in gec-metrics it has length 1.
        ("a b", "", "a c", {"order": 2}, [0, 2, 0, 0, 0, 0]),
        ("a b", "", "a c", {"order": 2, "variant": "multiset"}, [1, 2, 0, 0, 0, 0]),
        # A no-break space is part of a token; any run of ASCII blanks separates.
        ("a", "a\u00a0b", "a", {"order": 1}, [1, 1, 0, 1]),
        ("a", "a\u00a0b", "a", {"order": 1, "tokens": "unicode"}, [2, 1, 1, 2]),
        ("a", " a \t b\x0b\x0cc ", "a", {"order": 1}, [3, 1, 1, 3]),
    ],
)
def test_counts(source, prediction, reference, parameters, expected):
    corpus = Corpus(sources=[source], references=[[reference]])
    assert GLEU(**parameters).count(corpus, [prediction]).counts[0].tolist() == expected


@pytest.mark.usefixtures("kernels_of")
class TestValue:
    def test_brevity_penalty_of_2017_punishes_short_outputs(self):
        short = {"sources": ["x"], "predictions": ["a b c d"], "references": [["a b c d e f g h"]]}
        assert GLEU().score(**short).value == pytest.approx(math.exp(1 - 8 / 4))
        assert GLEU(variant="2016").score(**short).value == 1

    def test_brevity_penalty_of_2016_punishes_long_outputs(self):
        long = {"sources": ["x"], "predictions": ["a b c d a b c d"], "references": [["a b c d"]]}
        precision = (4 / 8 * 3 / 7 * 2 / 6 * 1 / 5) ** 0.25
        assert GLEU().score(**long).value == pytest.approx(precision)
        assert GLEU(variant="2016").score(**long).value == pytest.approx(math.exp(1 - 8 / 4) * precision)

    def test_zero_as_soon_as_an_order_has_no_match(self):
        perfect = {"sources": ["Hi ."], "predictions": ["Hi !"], "references": [["Hi !"]]}
        score = GLEU().score(**perfect)
        assert score.value == 0
        assert score.sentence_scores().tolist() == [1]
        assert GLEU(order=2).score(**perfect).value == 1

    def test_multiset_draws_as_python_3_and_smooths_nothing(self):
        metric = GLEU(variant="multiset")
        assert metric.draws == "py3"
        perfect = {"sources": ["Hi ."], "predictions": ["Hi !"], "references": [["Hi !"]]}
        assert metric.score(**perfect).sentence_scores().tolist() == [0]
        assert GLEU(variant="equation1").score(**perfect).sentence_scores().tolist() == [1]

    def test_a_sentence_with_more_penalties_than_matches_scores_zero_by_equation_1(self):
        wrong = {"sources": ["a b"], "predictions": ["a b"], "references": [["c d"]]}  # numerator -2 of 2
        assert GLEU(order=1, variant="equation1").score(**wrong).sentence_scores().tolist() == [0]
        assert GLEU(order=1).score(**wrong).sentence_scores().tolist() == [1 / 2]

    def test_a_corpus_of_empty_hypotheses_scores_zero(self):
        score = GLEU().score(sources=["a b"], predictions=[""], references=[["a c"]])
        assert score.value == 0
        assert score.parts["hypothesis_length"] == 0

    def test_ragged_references(self):
        score = GLEU().score(
            sources=["a b c d e", "f g h i j"],
            predictions=["a b c d x", "f g h i j"],
            references=[["a b c d x"], ["f g h i j", "f g h i k", "l m n o p"]],
        )
        assert 0 < score.value < 1
        assert score.signature["refs"] == "1-3"


@pytest.mark.parametrize("variant", ["2017", "2016", "equation1", "multiset"])
@settings(max_examples=60)
@given(corpus=corpora)
def test_laws(variant, corpus):
    sources, predictions, references = zip(*corpus, strict=True)
    gleu = GLEU(iterations=7, variant=variant)
    score = gleu.score(sources=sources, predictions=predictions, references=references, aligned=True)
    assert 0 <= score.value <= 1
    assert ((score.sentence_scores() >= 0) & (score.sentence_scores() <= 1)).all()
    assert GLEU.from_signature(score.signature) == gleu


@settings(max_examples=60)
@given(texts=st.lists(st.lists(st.sampled_from("abcd"), min_size=4, max_size=9).map(" ".join), min_size=1, max_size=4))
def test_a_perfect_output_scores_one(texts):
    assert GLEU().score(sources=["x"] * len(texts), predictions=texts, references=[[t] for t in texts]).value == 1

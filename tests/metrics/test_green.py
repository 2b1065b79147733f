"""GREEN against the official program and gec-metrics, on generated cases and on SEEDA."""

import numpy as np
import pytest
from hypothesis import given, settings
from mirror_files import golden, needs_mirror, seeda_corpus, seeda_output
from strategies import corpora

from gecbench import GREEN, Corpus

CASES = golden("green_cases.json.gz")["cases"]
FIGURES = golden("green_seeda.json.gz")


def corpus_of(case):
    return Corpus(sources=case["sources"], references=list(zip(*case["references"], strict=True)))


def assert_printed(values, strings):
    """Compare fractions with what the official program prints: per cent, ten digits."""
    np.testing.assert_allclose(100 * np.array(values), np.array(strings, dtype=float), rtol=0, atol=0.501e-10)


@pytest.mark.usefixtures("kernels_of")
@pytest.mark.parametrize("unit", ["word", "char"])
@pytest.mark.parametrize("beta", ["0.5", "1", "2"])
def test_generated_cases(unit, beta):
    metric = GREEN(unit=unit, beta=float(beta))
    for case in CASES:
        expected = case["expected"][unit][beta]
        statistics = metric.count(corpus_of(case), case["corrections"])
        parts = metric.parts(metric.reference_policy.totals(statistics))
        sentences = metric.sentence_values(statistics)
        corpus = [metric.value_of(statistics), parts["precision"], parts["recall"], sentences.mean()]
        assert_printed(corpus, [expected[name] for name in ("corpus", "precision", "recall", "mean_of_sentences")])
        assert_printed(sentences, expected["sentences"])
        chosen = metric.reference_policy.chosen(statistics) - statistics.offsets[:-1]
        assert chosen.tolist() == expected["chosen_reference"]


@pytest.mark.usefixtures("kernels_of")
@pytest.mark.parametrize("unit", ["word", "char"])
@pytest.mark.parametrize("beta", ["0.5", "1", "2"])
def test_generated_cases_as_gec_metrics_scores_them(unit, beta):
    metric = GREEN(unit=unit, beta=float(beta), variant="gec-metrics")
    for case in CASES:
        expected = case["expected"][unit][beta]["gecmetrics"]
        statistics = metric.count(corpus_of(case), case["corrections"])
        assert 100 * metric.value_of(statistics) == pytest.approx(expected["corpus"], abs=1e-10)
        assert 100 * metric.sentence_values(statistics) == pytest.approx(expected["sentences"], abs=1e-10)


@needs_mirror
@pytest.mark.parametrize("references", FIGURES["references"])
@pytest.mark.parametrize("system", FIGURES["systems"])
def test_seeda(system, references):
    known, corpus, outputs = FIGURES["references"][references], seeda_corpus(references), seeda_output(system)
    for unit in ("word", "char"):
        expected = known[f"green_official_{unit}"]
        for beta in ("0.5", "1", "2"):
            metric = GREEN(unit=unit, beta=float(beta))
            statistics = metric.count(corpus, outputs)
            sentences = metric.sentence_values(statistics)
            strings = [expected[level][beta][system] for level in ("corpus", "mean_of_sentences")]
            assert_printed([metric.value_of(statistics), sentences.mean()], strings)
            if beta == "2" and system in expected["sentences_beta_2"]:
                assert_printed(sentences, expected["sentences_beta_2"][system])
    statistics = GREEN(variant="gec-metrics").count(corpus, outputs)
    expected = known["green_gecmetrics_beta_2"]
    assert GREEN(variant="gec-metrics").value_of(statistics) == pytest.approx(expected["corpus"][system], abs=1e-12)
    if system in expected["sentences"]:
        values = GREEN(variant="gec-metrics").sentence_values(statistics)
        assert values == pytest.approx(expected["sentences"][system], abs=1e-12)


SHORT = {"sources": ["Hi ."], "predictions": ["Hi !"], "references": [["Hi !"]]}


def test_a_perfect_short_sentence_scores_nothing_officially():
    assert GREEN().score(**SHORT).value == 0
    assert GREEN(variant="gec-metrics").score(**SHORT).value == 1
    assert GREEN(order=2).score(**SHORT).value == 1


def test_characters_include_blanks():
    """Source "a b", output "ab", reference "ab": the blank is rightly deleted."""
    score = GREEN(order=1, unit="char").score(sources=["a b"], predictions=["ab"], references=[["ab"]], tokenized=True)
    assert (score.parts["tp"], score.parts["fp"], score.parts["fn"]) == (3, 0, 0)


def test_parts_by_hand():
    """Unigrams: a kept, b deleted, c inserted wrongly, d missed. Bigrams: "a b" deleted, "a c" wrong, "a d" missed."""
    score = GREEN(order=2, beta=1).score(sources=["a b"], predictions=["a c"], references=[["a d"]])
    assert {name: score.parts[name] for name in ("tp", "fp", "fn")} == {"tp": 3, "fp": 2, "fn": 2}
    assert [score.parts[f"precision_{n}"] for n in (1, 2)] == [2 / 3, 1 / 2]
    assert [score.parts[f"recall_{n}"] for n in (1, 2)] == [2 / 3, 1 / 2]
    assert score.parts["precision"] == score.parts["recall"] == pytest.approx((1 / 3) ** 0.5, abs=1e-15)
    assert score.value == pytest.approx((1 / 3) ** 0.5, abs=1e-15)


def test_the_best_reference_counts():
    corpus = Corpus(sources=["a b c d e"], references=[["x y z", "a b c d f", "a b c d f"]])
    score = GREEN().score_corpus(corpus, ["a b c d f"])
    assert score.value == 1
    assert GREEN().reference_policy.chosen(score.statistics).tolist() == [1]


def test_explanation_by_hand():
    corpus = Corpus(sources=["the cat sat on mat"], references=[["a cat", "the cat sat on the mat"]])
    [explained] = GREEN(order=2).explain(corpus, ["the cats sat on mat"], [0])
    lines = [line.split(maxsplit=1) for line in explained.to_text().splitlines()]
    assert " ".join(lines[0]).startswith("Sentence 1, reference 2: GREEN ")
    assert [rest for label, rest in lines[1:] if label.endswith("-grams")] == [
        "4 right, 2 wrong, 1 missed  +the  +sat  +on  +mat  !cat → ∅  !∅ → cats  -∅ → the",
        "1 right, 4 wrong, 3 missed  +sat on  !the cat → ∅  !cat sat → ∅  !∅ → the cats  !∅ → cats sat  "
        "-on mat → ∅  -∅ → on the  -∅ → the mat",
    ]
    assert explained.counts == {"TP": 5, "FP": 6, "FN": 4}


def test_explanation_shows_blanks_of_characters():
    corpus = Corpus(sources=["a b"], references=[["ab"]])
    [explained] = GREEN(order=1, unit="char").explain(corpus, ["a b"], [0])
    assert explained.to_text().splitlines()[-1].split(maxsplit=1)[1] == "2 right, 0 wrong, 1 missed  +a  +b  -␣ → ∅"


@pytest.mark.parametrize("variant", ["official", "gec-metrics"])
@settings(max_examples=60)
@given(corpus=corpora)
def test_laws(variant, corpus):
    sources, predictions, references = zip(*corpus, strict=True)
    green = GREEN(variant=variant, order=2)
    score = green.score(sources=sources, predictions=predictions, references=references, aligned=True)
    assert 0 <= score.value <= 1
    sentences = score.sentence_scores()
    assert ((sentences >= 0) & (sentences <= 1)).all()
    alone = [green.value_of(score.statistics.select([i])) for i in range(len(sources))]
    np.testing.assert_allclose(sentences, alone, rtol=0, atol=1e-15)
    assert GREEN.from_signature(score.signature) == green

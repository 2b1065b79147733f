"""M2 through the metric class: the worked example, edges, parameters and signature (docs/metrics/m2.md)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from m2_corpus import THREE_OUTPUTS, THREE_SENTENCES, annotation
from strategies import corpora

import gecbench
from gecbench import M2, Annotation, Corpus, Edit, InputError, derive_annotations, load_demo, make_metric
from gecbench.formats.m2 import parse_m2
from gecbench.kernels import select
from gecbench.metrics.m2 import restrict_types

pytestmark = pytest.mark.usefixtures("kernels_of")


def counts(score):
    return tuple(int(score.parts[name]) for name in ("correct", "proposed", "gold"))


def figures(score):
    return [round(value, 4) for value in (score.parts["precision"], score.parts["recall"], score.value)]


def one(source, prediction, *edits, **parameters):
    """The score of one sentence and one annotator."""
    corpus = Corpus(sources=[source], annotations=[[annotation(*edits)]])
    return M2(**parameters).score_corpus(corpus, [prediction])


def test_three_sentences():
    """§14.1."""
    score = M2().score_corpus(THREE_SENTENCES, THREE_OUTPUTS)
    assert counts(score) == (4, 5, 5)
    assert figures(score) == [0.8, 0.8, 0.8]
    assert score.statistics.counts.tolist() == [[2, 3, 2], [0, 0, 1], [0, 0, 0], [2, 2, 3], [0, 1, 1]]
    rows = M2().reference_policy.chosen(score.statistics)
    assert rows.tolist() == [0, 2, 3]
    assert score.sentence_scores() == pytest.approx([1.25 * 2 / 3.5, 1, 1.25 * 2 / (0.75 + 2)])
    in_order = np.array([[0, 1, 2]], dtype=np.int32)
    totals = select("greedy").sample_totals(score.statistics.counts, score.statistics.offsets, 0.25, in_order)
    assert totals.tolist() == [[4, 5, 5]]


def test_a_score_says_what_was_settled_the_official_way():
    """§14.2."""
    score = one("f a", "e a c f")
    assert score.diagnostics["settled_literally"] == 1
    assert score.diagnostics["too_large_for_literal"] == 0


class TestFigures:
    """§10."""

    @pytest.mark.parametrize(
        ("prediction", "edits", "expected"),
        [
            ("a b", [(0, 1, ("x",))], [1, 0, 0]),
            ("a b", [], [1, 1, 1]),
            ("a c", [], [0, 1, 0]),
            ("x b", [(0, 1, ("x",))], [1, 1, 1]),
        ],
        ids=["unchanged", "nothing to do", "edits without gold", "perfect"],
    )
    def test_zero_denominators(self, prediction, edits, expected):
        assert figures(one("a b", prediction, *edits)) == expected

    @pytest.mark.parametrize("beta", [0, 0.5, 1, 2.5])
    def test_beta(self, beta):
        score = one("a b c d e f g h", "x b c d y f g h", (0, 1, ("x",)), (2, 3, ("z",)), (7, 8, ("w",)), beta=beta)
        assert counts(score) == (1, 2, 3)
        precision, recall = 1 / 2, 1 / 3
        assert score.value == pytest.approx((1 + beta**2) * precision * recall / (beta**2 * precision + recall))

    def test_beta_zero_is_precision_and_chooses_by_it(self):
        corpus = Corpus(
            sources=["a b c d"],
            annotations=[[annotation((0, 1, ("x",)), (3, 4, ("y",))), annotation((0, 1, ("x",)), annotator=1)]],
        )
        score = M2(beta=0).score_corpus(corpus, ["x b c d"])
        assert (score.value, counts(score)) == (1, (1, 1, 2)), "equal precision: the first annotator stays"
        assert M2(beta=0).score_corpus(corpus, ["a b c d"]).value == 0, "precision 1 and recall 0: 0/0 counts as 0"


class TestOddGold:
    """§8: kept as the official scorer has them."""

    def test_a_duplicate_is_credited_twice(self):
        with pytest.warns(
            gecbench.MixedUpTextWarning, match="predictions: precision is above 100, because an annotator"
        ):
            assert figures(one("a b c", "a x c", (1, 2, ("x",)), (1, 2, ("x",)))) == [2, 1, 1.6667]

    def test_a_thousand_edits(self):
        source = " ".join(f"w{i}" for i in range(1000))
        edits = [(i, i + 1, (f"v{i}",)) for i in range(1000)]
        changed = " ".join(f"v{i}" if i % 2 else f"w{i}" for i in range(1000))
        assert counts(one(source, changed, *edits)) == (500, 500, 1000)

    def test_a_sentence_beyond_all_measure_is_refused(self):
        long = " ".join("ab" * 10_000)
        with pytest.raises(
            InputError, match=r"too long to align \(source: 20,000 tokens, prediction: 19,999 tokens\)\. Split"
        ):
            one(long, long[2:], (0, 1, ("b",)))

    def test_a_thousand_edits_of_one_token(self):
        edits = [(1, 2, (f"v{i}",)) for i in range(1000)]
        assert counts(one("a b c", "a v7 c", *edits)) == (1, 1, 1000)

    @pytest.mark.parametrize("span", [(2, 4), (-1, 1), (2, 1), (4, 4)])
    def test_a_span_outside_the_sentence_is_refused(self, span):
        with pytest.raises(InputError, match=r"annotations\[1\]: the span -?\d \d does not fit a sentence of 3 tokens"):
            Corpus(sources=["a", "a b c"], annotations=[[], [annotation((*span, ("x",)))]])

    def test_a_dropped_edit_registers_its_annotator(self):
        """§1."""
        lines = ["S a b", "A 0 1|||T|||x|||REQUIRED|||-NONE-|||0", "A 1 7|||T|||y|||REQUIRED|||-NONE-|||1"]
        with pytest.raises(InputError, match="M2 text:3: the span 1 7 does not fit"):
            parse_m2(lines)
        score = M2().score_corpus(parse_m2(lines, out_of_range="drop"), ["a b"])
        assert score.statistics.counts.tolist() == [[0, 0, 1], [0, 0, 0]]
        assert score.value == 1

    def test_an_annotator_listed_twice_is_refused(self):
        with pytest.raises(InputError, match=r"annotations\[0\]: an annotator is listed twice"):
            Corpus(sources=["a"], annotations=[[Annotation(3, ()), Annotation(3, ())]])
        with pytest.raises(InputError, match=r"annotations\[0\]: an annotation is \[.*, not an Annotation"):
            Corpus(sources=["a"], annotations=[[[Edit(0, 1, ("b",))]]])

    def test_a_clause_repeated_for_ever(self):
        source = " ".join(f"w{i}" for i in range(30))
        score = one(source, source + " w10 w11 w12 w13" * 120, (3, 4, ("x",)))
        assert counts(score) == (0, 1, 1)


class TestGold:
    def test_annotations_come_before_references(self):
        corpus = Corpus(sources=["a b"], references=[["a c"]], annotations=[[annotation((0, 1, ("x",)))]])
        score = M2().score_corpus(corpus, ["x b"])
        assert score.value == 1
        assert score.signature["gold"] == "edits"
        assert score.signature["data"] == corpus.fingerprint("annotations") != corpus.fingerprint("references")

    def test_rewrites_stand_for_annotators(self):
        corpus = Corpus(sources=["a b c", "a"], references=[["a x c", "y b c"], ["a"]])
        score = M2().score_corpus(corpus, ["y b c", "a"])
        assert score.value == 1
        assert score.signature["gold"] == "rewrites:1-2"
        derived = derive_annotations(corpus)
        assert M2().score_corpus(derived, ["y b c", "a"]).statistics.counts.tolist() == score.statistics.counts.tolist()

    def test_sentences_without_annotators(self):
        corpus = Corpus(sources=["a b", "c"], annotations=[[], []])
        for policy in ("greedy-cumulative", "best-per-sentence", "average"):
            assert figures(M2(policy=policy).score_corpus(corpus, ["a x", "c"])) == [0, 1, 0]

    def test_neither(self):
        with pytest.raises(InputError, match="M2 needs annotations or references"):
            M2().score_corpus(Corpus(sources=["a"]), ["a"])

    def test_one_rewrite_too_few(self):
        corpus = Corpus(sources=["a b", "a"], references=[["a x", "y b"], ["a"]])
        for parameters in ({"annotators": "1"}, {"policy": "average"}):
            with pytest.raises(InputError, match=r"sentence 2 has only [01] of (1 reference|2 references)"):
                M2(**parameters).score_corpus(corpus, ["a x", "a"])

    def test_official_order_of_annotators_decides_ties(self):
        """§9: 8 is visited before 1."""
        edits = {8: (0, 1, ("x",)), 1: (1, 2, ("y",))}
        corpus = Corpus(sources=["a b"], annotations=[[annotation(edits[k], annotator=k) for k in (1, 8)]])
        assert [found.annotator for found in M2().annotations(corpus)[0]] == [8, 1]


def test_unknown_annotator():
    with pytest.raises(InputError, match=r"demo has no annotator 5\. Choose from 0, 1"):
        M2(annotators="0+5").score_corpus(load_demo(), load_demo().sources)


parameters = st.fixed_dictionaries(
    {},
    optional={
        "beta": st.floats(0, 10),
        "max_unchanged_words": st.integers(0, 5),
        "ignore_whitespace_casing": st.booleans(),
        "release": st.sampled_from(["master", "3.2"]),
        "policy": st.sampled_from(["greedy-cumulative", "best-per-sentence", "average"]),
        "annotators": st.sampled_from(["all", "0", "1", "1+0", 1]),
    },
)


FOUR = load_demo().select(range(4))


@settings(max_examples=20)
@given(parameters)
def test_the_signature_parses_back(chosen):
    metric = M2(**chosen)
    score = metric.score_corpus(FOUR, FOUR.sources)
    assert make_metric(str(score.signature)) == metric


sentences = st.lists(st.sampled_from("abcd"), max_size=6).map(" ".join)


@settings(max_examples=60)
@given(corpora)
def test_laws_against_rewrites(rows):
    """Extracted edits are neither doubled nor out of order, so nothing exceeds 1."""
    sources, predictions, references = zip(*rows, strict=True)
    corpus = Corpus(sources=sources, references=references)
    score = M2().score_corpus(corpus, predictions, aligned=True)
    assert 0 <= score.value <= 1
    assert ((score.sentence_scores() >= 0) & (score.sentence_scores() <= 1)).all()


@settings(max_examples=60)
@given(sentences, st.lists(st.permutations("abcdxy").map(lambda tokens: " ".join(tokens[:4])), min_size=1, max_size=3))
def test_a_rewrite_without_repeated_words_is_perfect(source, rewrites):
    score = M2().score_corpus(Corpus(sources=[source], references=[rewrites]), rewrites[-1:], aligned=True)
    assert (score.parts["precision"], score.parts["recall"]) == (1, 1)


def test_a_rewrite_with_repeated_words_may_not_be():
    """§6: a gold insertion is credited to one of several equal ones at its place, on whatever path that lies."""
    corpus = Corpus(sources=["a c"], references=[["c b c b"]])
    assert [edit.corrections for edit in derive_annotations(corpus).annotations[0][0].edits] == [("c b",), ("b",)]
    assert counts(M2().score_corpus(corpus, ["c b c b"])) == (1, 2, 2)


class TestErrorTypes:
    def test_by_hand(self):
        """Annotators 0, 1, 0 are chosen; the scores of one type choose again, against the edits of one type."""
        scores = {found.type: found for found in M2().breakdown("error-type", THREE_SENTENCES, THREE_OUTPUTS)}
        assert list(scores) == ["Det", "Noun", "Prep", "Verb"]
        assert {name: (found.correct, found.gold) for name, found in scores.items()} == {
            **{"Det": (2, 2), "Noun": (0, 1)},
            **{"Prep": (1, 1), "Verb": (1, 1)},
        }
        assert [found.recall for found in scores.values()] == [1, 0, 1, 1]
        # Det alone: (1, 2, 1), (0, 0, 0), (1, 2, 1): where nothing else is gold, other changes merge.
        det = scores["Det"]
        assert (det.precision_alone, det.recall_alone) == (0.5, 1)
        assert det.value_alone == pytest.approx(1.25 * 0.5 / (0.125 + 1))
        # Noun alone: (0, 1, 0), annotator 1's (0, 0, 0), (0, 1, 1).
        noun = scores["Noun"]
        assert (noun.precision_alone, noun.recall_alone, noun.value_alone) == (0, 0, 0)

    def test_needs_coded_edits(self):
        with pytest.raises(InputError, match="no error types"):
            M2().breakdown("error-type", Corpus(sources=["a"], references=[["b"]]), ["b"])


@pytest.mark.parametrize(
    ("policy", "mixing"),
    [
        *(("greedy-cumulative", mixing) for mixing in (False, True)),
        *(("best-per-sentence", mixing) for mixing in (False, True)),
        ("average", False),
    ],
)
def test_a_type_alone_is_scored_as_a_corpus_of_that_type(policy, mixing, monkeypatch):
    corpus, outputs = gecbench.load_demo(), gecbench.load_demo_systems()["rule-based"]
    metric = M2(policy=policy, mixing=mixing)
    counted = []
    count = M2.count
    monkeypatch.setattr(M2, "count", lambda self, part, lines: counted.append(len(part)) or count(self, part, lines))
    found = metric.breakdown("error-type", corpus, outputs)
    assert sum(counted) < len(found) * len(corpus), "sentences without a type are counted once"
    for each in found:
        part = restrict_types(corpus, [each.type])
        alone = metric.score_statistics(count(metric, part, outputs), metric.signature(part, outputs))
        assert (each.value_alone, each.precision_alone) == (alone.value, alone.parts["precision"])


@pytest.mark.parametrize("parameters", [{}, {"policy": "average"}, {"ignore_whitespace_casing": True}])
def test_a_sentence_of_a_corpus_is_matched_as_alone(parameters):
    demo, metric = load_demo(), M2(**parameters)
    for outputs in gecbench.load_demo_systems().values():
        found = metric.matches(demo, outputs)
        sentences = zip(demo.sources, outputs, found, strict=True)
        assert found == [metric.match(source, line, match.annotation) for source, line, match in sentences]

"""The I-measure: the paper's examples, gold of three kinds, mixing and its limits, resampling, signature, laws."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from imeasure_examples import LISTING_1, SMALL
from imeasure_support import GOLDEN, Sentence, alternative, choose, corpus_of, optional, printed, required, totals
from oracles.mixed_references import mixed_references

import gecbench
from gecbench import Annotation, Corpus, Edit, IMeasure, InputError, make_metric
from gecbench.analysis.significance import Pair, paired_t_test
from gecbench.kernels.imeasure import Limits
from gecbench.metrics.imeasure import MixingLimitWarning

DEMO, SYSTEMS = gecbench.load_demo(), gecbench.load_demo_systems()
GOOD = SYSTEMS["rule-based"]


def test_every_small_golden_has_its_input():
    assert SMALL.keys() == GOLDEN["small"].keys()


@pytest.mark.parametrize("listed", [0, 1000])
@pytest.mark.parametrize(("name", "mode"), list(product(SMALL, ["mix", "nomix"])))
def test_small_examples_score_as_the_official_program(name, mode, listed, kernels_of):
    sentences, hypotheses = SMALL[name]
    settings = gecbench.IMeasure(beta=0.5)
    expected = GOLDEN["small"][name][mode]
    if expected is None:
        with pytest.raises(InputError, match="every combination"):
            choose(sentences, hypotheses, settings, mode == "mix", kernels_of, listed=listed)
    else:
        choice = choose(sentences, hypotheses, settings, mode == "mix", kernels_of, listed=listed)
        assert printed(choice.counts, 2.0, 0.5) == expected


@pytest.mark.parametrize("mixing", [True, False])
def test_the_metric_gives_the_same(mixing, kernels_of):
    for name, (sentences, hypotheses) in SMALL.items():
        expected = GOLDEN["small"][name]["mix" if mixing else "nomix"]
        metric = gecbench.IMeasure(mixing=mixing, beta=0.5)
        if name in ("negative_index", "out_of_range"):
            with pytest.raises(InputError, match=r"groups\[0\]: the span -?\d+ -?\d+ does not fit a sentence of 7"):
                corpus_of(sentences)
            continue
        if expected is None:
            with pytest.raises(InputError, match=r"sentence 1: its references cannot .* Join the groups"):
                metric.score_corpus(corpus_of(sentences), hypotheses)
            continue
        parts = metric.score_corpus(corpus_of(sentences), hypotheses).parts
        for aspect in ("detection", "correction"):
            counts = [parts[f"{aspect}_{count}"] for count in ("tp", "tn", "fp", "fn", "fpn")]
            names = [f"{aspect}_{ratio}" for ratio in ("precision", "recall", "f", "accuracy")]
            names += ["baseline_accuracy", f"{aspect}_weighted_accuracy", "baseline_weighted_accuracy"]
            names += [f"{aspect}_improvement"]
            assert [*counts, *(float(f"{100 * parts[ratio]:.2f}") for ratio in names)] == expected[aspect]


def test_listing_1_makes_four_references():
    found = set(mixed_references(LISTING_1.source, LISTING_1.grouped()))
    assert found == {
        "These machines are designed for helping people .",
        "These machines are designed to help people .",
        "This machine is designed for helping people .",
        "This machine is designed to help people .",
    }


def test_the_chosen_reference_is_reported():
    sentences, hypotheses = SMALL["table1"]
    choice = choose(sentences, hypotheses, gecbench.IMeasure(), True, "python")
    assert choice.reference(0) == hypotheses[0]
    assert choice.work[:, 0].tolist() == [4]
    assert totals(choice.counts)["baseline"] == [0, 5, 0, 3, 0]


@pytest.mark.usefixtures("kernels_of")
@pytest.mark.parametrize("mixing", [True, False, "cap"])
def test_leaving_the_text_alone_is_zero(mixing):
    score = IMeasure(mixing=mixing).score_corpus(DEMO, DEMO.sources)
    assert score.value == 0
    assert score.parts["correction_tp"] == score.parts["correction_fp"] == 0
    assert score.parts["correction_weighted_accuracy"] == score.parts["baseline_weighted_accuracy"] < 1


@pytest.mark.usefixtures("kernels_of")
def test_an_annotator_s_text_is_perfect():
    corpus = gecbench.derive_references(DEMO)
    for k in range(2):
        outputs = [texts[k] for texts in corpus.references]
        for mixing in (True, False):
            score = IMeasure(mixing=mixing, treebank=False).score_corpus(DEMO, outputs)
            assert (score.value, score.parts["correction_fn"], score.parts["correction_fp"]) == (1, 0, 0)


def test_mixing_never_lowers_the_weighted_accuracy_of_a_sentence():
    for outputs in SYSTEMS.values():
        rows = [IMeasure(mixing=mixing).count(DEMO, outputs).counts for mixing in (True, False)]
        keys = [
            np.array([gecbench.metrics.imeasure.weighted_accuracy(row[5:10], 2.0) for row in counts]) for counts in rows
        ]
        assert (keys[0] >= keys[1]).all()
        assert (keys[0] > keys[1]).any() or outputs == SYSTEMS["do-nothing"] or outputs == SYSTEMS["good-corrector"]


words = st.lists(st.sampled_from("abcd"), min_size=1, max_size=6).map(" ".join)


@settings(max_examples=60)
@given(words, words, st.lists(words, min_size=1, max_size=3), st.booleans())
def test_laws(source, prediction, references, mixing):
    """I lies in [-1, 1]; the source alone gives 0, or 1 if it is right; a reference gives 1; unmixed, order is free."""
    metric = IMeasure(mixing=mixing)

    def value(text, gold):
        return metric.score(sources=[source], predictions=[text], references=[gold]).value

    assert -1 <= value(prediction, references) <= 1
    assert value(source, references) in ({1} if source in references else {0, 1} if mixing else {0})
    assert value(references[0], references) == 1
    if not mixing:
        assert value(prediction, references) == value(prediction, [*references[::-1], references[0]])


def test_rewrites_are_the_references_where_nothing_is_mixed():
    corpus = Corpus(sources=["We can not go"], references=[["We can't go", "We cannot  go"]])
    score = IMeasure(mixing=False).score_corpus(corpus, ["We cannot go"])
    assert (score.value, score.diagnostics["alignments_asked"]) == (1, 2)
    assert "|gold:rewrites:2|mixing:no|" in str(score.signature)


def test_groups_win_over_annotations_and_these_over_references():
    source, outputs = ["a b c d"], ["a x c d"]
    groups = corpus_of([Sentence("a b c d", (required(alternative(0, (1, 2, "x"))),), 1)]).groups
    annotations = [[Annotation(0, (Edit(2, 3, ("y",)),))]]
    parts = {"references": [["a b c z"]], "annotations": annotations, "groups": groups}
    for gold, expected in (("references", -1), ("annotations", -1), ("groups", 1)):
        known = {name: parts[name] for name in ("references", "annotations", "groups")[: list(parts).index(gold) + 1]}
        corpus = Corpus(sources=source, **known)
        metric = IMeasure()
        assert metric.gold(corpus) == gold
        assert np.sign(metric.score_corpus(corpus, outputs).value) == expected
    for mixing in (True, False):
        with pytest.raises(InputError, match="needs gold edits or references, but corpus has none"):
            IMeasure(mixing=mixing).score_corpus(Corpus(sources=source), outputs)


HARD = Sentence(
    " ".join(f"w{k}" for k in range(24)), tuple(optional(alternative(0, (k, k + 1, "x"))) for k in range(24)), 2
)
BRIDGED = Sentence("a b c d", (optional(alternative(0, (0, 2, "x"))), optional(alternative(1, (1, 3, "y")))), 2)
EASY = Sentence("p q r s", (optional(alternative(0, (1, 2, "x"))), optional(alternative(1, (3, 4, "z")))), 2)
OUTPUTS = [HARD.source, "a y d", "p x r z"]


@pytest.mark.usefixtures("kernels_of")
def test_what_cannot_be_mixed_is_refused_kept_unmixed_or_excluded():
    corpus = corpus_of([HARD, BRIDGED, EASY])
    with pytest.raises(InputError, match=r"sentence 1: it has too many mixed references .*mixing=yes"):
        IMeasure(mixing="strict").score_corpus(corpus, OUTPUTS)
    kept = IMeasure(mixing="cap").score_corpus(corpus, OUTPUTS)
    names = ("bridged_sentences", "unmixed_sentences", "excluded_sentences")
    assert [*(kept.diagnostics[name] for name in names), kept.parts["scored_sentences"]] == [1, 2, 0, 3]
    assert kept.sentence_scores().tolist() == [1, 1, 1]
    out = IMeasure(mixing="cap", beyond="excluded").score_corpus(corpus, OUTPUTS)
    assert [*(out.diagnostics[name] for name in names), out.parts["scored_sentences"]] == [1, 0, 2, 1]
    assert out.value == 1
    assert np.isnan(out.sentence_scores()).tolist() == [True, True, False]
    with pytest.raises(InputError, match="every sentence was excluded"):
        IMeasure(mixing="cap", cap=3, beyond="excluded").score_corpus(corpus, OUTPUTS)


def test_bridged_groups_are_mixed_as_the_official_scorer_does_and_reported():
    score = IMeasure().score_corpus(corpus_of([BRIDGED, EASY]), OUTPUTS[1:])
    assert score.diagnostics["bridged_sentences"] == 1
    assert score.parts["scored_sentences"] == 2


def test_a_limit_of_the_kernel_is_met_by_cap_too(monkeypatch):
    """A sentence below the cap that the kernel gives up on is treated as beyond it."""
    monkeypatch.setattr(IMeasure, "limits", Limits(segment=2, lattice=0))
    corpus = corpus_of([EASY])
    assert IMeasure(mixing="cap").score_corpus(corpus, ["p x r s"]).diagnostics["unmixed_sentences"] == 1
    with pytest.raises(InputError, match="every sentence was excluded"):
        IMeasure(mixing="cap", beyond="excluded").score_corpus(corpus, ["p x r s"])


@pytest.mark.usefixtures("kernels_of")
def test_what_is_beyond_the_limits_is_scored_unmixed_and_reported():
    corpus = corpus_of([HARD, BRIDGED, EASY])
    outputs = [HARD.source, "x d", "p x r s"]
    with pytest.warns(MixingLimitWarning, match=r"^mine: scored 1 sentence without mixing, .*mixing=strict"):
        capped = IMeasure().score_corpus(corpus, outputs, name="mine")
    others = IMeasure().score_corpus(corpus_of([BRIDGED, EASY]), outputs[1:])
    assert capped.diagnostics["capped_sentences"] == capped.diagnostics["unmixed_sentences"] == 1
    assert (capped.signature["capped"], "capped" in others.signature) == ("1", False)
    assert capped.sentence_scores()[1:].tolist() == others.sentence_scores().tolist()
    unmixed = IMeasure(mixing=False).score_corpus(corpus, outputs)
    assert capped.sentence_scores()[0] == unmixed.sentence_scores()[0]
    assert IMeasure.from_signature(capped.signature) == capped.metric


@pytest.mark.usefixtures("kernels_of")
def test_a_stream_reports_what_is_beyond_the_limits():
    corpus = corpus_of([HARD, EASY])
    halves = [(corpus.select([k]), [text]) for k, text in enumerate([HARD.source, "p x r s"])]
    with pytest.warns(MixingLimitWarning, match="scored 1 sentence without mixing"):
        streamed = IMeasure().stream(halves)
    with pytest.warns(MixingLimitWarning):
        whole = IMeasure().score_corpus(corpus, [HARD.source, "p x r s"])
    assert (streamed.value, str(streamed.signature)) == (whole.value, str(whole.signature))


def test_no_sentence_is_left_unmixed_where_references_are_chosen_for_the_corpus():
    with pytest.raises(InputError, match=r"imeasure: .*cannot be combined with mixing=cap and beyond=unmixed"):
        IMeasure(mixing="cap", optimise="corpus")
    with pytest.raises(InputError, match="sentence 1: it has too many mixed references"):
        IMeasure(optimise="corpus").score_corpus(corpus_of([HARD]), [HARD.source])


@pytest.mark.parametrize(
    "text",
    [
        "imeasure(mixing=no,beta=0.5)",
        "imeasure(mixing=strict)",
        "imeasure(mixing=cap,cap=16,beyond=excluded)",
        "imeasure(objective=df,optimise=corpus,weight=1.5,treebank=no,tokens=unicode)",
    ],
)
def test_parameters_and_signatures_read_back(text):
    metric = make_metric(text)
    signature = metric.score_corpus(DEMO, GOOD).signature
    assert make_metric(str(signature)) == metric
    with pytest.raises(InputError, match="mixing='maybe' is not yes, no, strict or cap"):
        make_metric("imeasure(mixing=maybe)")
    with pytest.raises(InputError, match="not a complete I-measure signature"):
        make_metric("imeasure|mixing:cap|version:1")


def test_no_break_spaces_separate_gold_but_not_predictions():
    corpus = Corpus(sources=["a\u00a0b c"], references=[["a\u00a0b c"]])
    assert IMeasure(mixing=False).score_corpus(corpus, ["a\u00a0b c"], aligned=True).value < 0
    assert IMeasure(mixing=False, tokens="unicode").score_corpus(corpus, ["a\u00a0b c"]).value == 1


@pytest.mark.usefixtures("kernels_of")
def test_empty_texts_are_scored():
    corpus = Corpus(sources=["", "a b", ""], references=[[""], ["a b"], ["x"]])
    score = IMeasure(mixing=False).score_corpus(corpus, ["", "", "x"])
    assert score.sentence_scores().tolist() == [1, -1, 1]
    assert IMeasure().score_corpus(corpus, ["", "", "x"]).parts["correction_fp"] == 2


def test_long_outputs_and_long_sentences_stay_bounded(kernels_of):
    source = " ".join(f"w{k % 90}" for k in range(200))
    outputs = [" ".join(["junk"] * 1000), source.replace("w7 ", "v7 ") + " tail"]
    corpus = Corpus(sources=[source] * 2, references=[[source.replace("w9 ", "u9 ")]] * 2)
    score = IMeasure().score_corpus(corpus, outputs, aligned=True)
    assert -1 <= score.value < 0
    assert score.diagnostics["alignment_cells"] < (3_000_000 if kernels_of == "native" else 1 << 26)


@pytest.mark.usefixtures("kernels_of")
def test_what_is_too_long_to_align_is_refused():
    corpus = Corpus(sources=["a " * 6000], references=[["b " * 6000]])
    with pytest.raises(InputError, match="sentence 1: source, prediction and references are too long to align"):
        IMeasure(mixing=False).score_corpus(corpus, ["c " * 6000], aligned=True)


class TestResampling:
    METRIC = IMeasure()

    def test_references_chosen_for_the_corpus_cannot_be_resampled(self):
        metric = IMeasure(optimise="corpus")
        assert gecbench.score(GOOD, DEMO, [metric])["imeasure"].value > 0
        with pytest.raises(InputError, match=r"cannot be resampled.*optimise=sentence"):
            gecbench.score(GOOD, DEMO, [metric], resamples=10)
        report = gecbench.compare(SYSTEMS, DEMO, [metric], resamples=0, test="t-test")
        assert len(report.tests) == 3

    def test_paired_t_test_is_student_s(self):
        from scipy import stats

        one, two = (self.METRIC.score_corpus(DEMO, SYSTEMS[name]) for name in ("rule-based", "spell-checker"))
        found = paired_t_test(Pair(one, two, ("rule-based", "spell-checker")))
        differences = one.sentence_scores() - two.sentence_scores()
        t = differences.mean() / (differences.std(ddof=1) / np.sqrt(len(differences)))
        assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), len(differences) - 1))
        assert (found.test, found.resamples, found.difference) == ("t-test", 0, one.value - two.value)
        assert paired_t_test(Pair(one, one, ("a", "b"))).p_value == 1

    def test_t_test_leaves_out_excluded_sentences(self):
        corpus = corpus_of([HARD, EASY, EASY, EASY])
        metric = IMeasure(mixing="cap", beyond="excluded")
        outputs = [HARD.source, "p x r z", "p x r s", "q q q q"]
        report = gecbench.compare(
            {"new": outputs, "old": [sentence.source for sentence in (HARD, EASY, EASY, EASY)]},
            corpus,
            [metric],
            resamples=0,
            test="t-test",
            against="old",
            aligned=True,
        )
        assert 0 < report.tests[0].p_value < 1
        assert "(p < 0.05, a paired t-test on the sentence scores)" in " ".join(report.render().split())
        short = metric.score_corpus(corpus.select([0, 1]), outputs[:2])
        with pytest.raises(InputError, match="at least two sentences"):
            paired_t_test(Pair(short, short, ("a", "b")))


class TestMixedM2:
    """M2 over the same error groups (Felice & Briscoe 2015, Tables 1 and 10)."""

    def test_table_1(self):
        sentences, outputs = SMALL["table1"]
        corpus = corpus_of(sentences)
        plain, mixed = (gecbench.M2(mixing=mixing).score_corpus(corpus, outputs) for mixing in (False, True))
        assert [round(plain.parts[name], 2) for name in ("precision", "recall")] == [0.67, 0.67]
        assert [mixed.parts[name] for name in ("precision", "recall")] == [1, 1]
        assert mixed.diagnostics["unmixed_sentences"] == 0
        assert str(mixed.signature).count("|mixing:yes|") == 1
        assert make_metric(str(mixed.signature)) == gecbench.M2(mixing=True)
        assert "mixing" not in str(plain.signature)

    def test_mixed_annotations_are_those_of_the_transform(self):
        for outputs in SYSTEMS.values():
            mixed, unmixed = gecbench.mix_annotations(DEMO)
            score = gecbench.M2(mixing="cap").score_corpus(DEMO, outputs)
            assert score.diagnostics["unmixed_sentences"] == len(unmixed)
            assert score.value == gecbench.M2().score_corpus(mixed, outputs).value
            assert score.value >= gecbench.M2(policy="best-per-sentence").score_corpus(DEMO, outputs).value - 1e-12

    def test_too_many_are_refused_or_kept(self):
        corpus = corpus_of([HARD, EASY])
        with pytest.raises(InputError, match=r"corrections of sentence 1 cannot be mixed.*1,024.*mixing=cap"):
            gecbench.M2(mixing=True).score_corpus(corpus, [HARD.source, "p x r z"])
        score = gecbench.M2(mixing="cap").score_corpus(corpus, [HARD.source, "p x r z"])
        assert score.diagnostics["unmixed_sentences"] == 1
        assert score.parts["correct"] == 2
        with pytest.raises(InputError, match="cannot be combined with policy=average"):
            gecbench.M2(mixing=True, policy="average")

    def test_chosen_annotators_alone_are_mixed(self):
        corpus = corpus_of([EASY])
        alone = gecbench.M2(mixing=True, annotators="0").score_corpus(corpus, ["p x r z"])
        assert [alone.parts[name] for name in ("correct", "proposed", "gold")] == [1, 2, 1]

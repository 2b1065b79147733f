"""GLEU on the real corpora: every figure of the official script, to 1e-9."""

import pytest
from mirror_files import (
    KEPT,
    conll14_rewrites,
    golden,
    jfleg,
    needs_mirror,
    seeda_corpus,
    seeda_output,
    submission,
)

from gecbench import BLEU, GLEU, Corpus

pytestmark = needs_mirror
GOLDEN = golden("gleu.json")
SEEDA = golden("green_seeda.json.gz")
JFLEG_RUNS = [name for name in GOLDEN["jfleg"] if not name.endswith("human_average")]


def jfleg_run(name):
    _, split, system = name.split(".")
    columns = [jfleg(split, f"ref{k}") for k in range(4)]
    sources = jfleg(split, "src")
    if system.startswith("ref"):
        predictions = columns.pop(int(system[3]))
    else:
        predictions = sources if system == "source" else jfleg(split, "spellchecked.src")
    return Corpus(sources=sources, references=list(zip(*columns, strict=True))), predictions


@pytest.mark.parametrize("name", JFLEG_RUNS)
def test_jfleg(name):
    corpus, predictions = jfleg_run(name)
    expected = GOLDEN["jfleg"][name]
    for draws, key in (("py2", "py2_full_precision"), ("py3", "py3_draws")):
        score = GLEU(draws=draws).score_corpus(corpus, predictions)
        assert score.value == pytest.approx(expected[key]["mean"], abs=1e-9)
        assert score.parts["standard_deviation"] == pytest.approx(expected[key]["std"], abs=1e-9)


@pytest.mark.parametrize(("split", "published"), [("dev", "38.21"), ("test", "40.54")])
def test_jfleg_source_as_published(split, published):
    corpus, predictions = jfleg_run(f"jfleg.{split}.source")
    assert f"{100 * GLEU().score_corpus(corpus, predictions).value:.2f}" == published


@pytest.mark.parametrize("split", ["dev", "test"])
def test_jfleg_human_average(split):
    values = [GLEU().score_corpus(*jfleg_run(f"jfleg.{split}.ref{k}_vs_others")).value for k in range(4)]
    assert sum(values) / 4 == pytest.approx(GOLDEN["jfleg"][f"jfleg.{split}.human_average"]["py2"], abs=1e-9)


@pytest.mark.parametrize("name", GOLDEN["conll14"])
def test_conll14(name):
    _, reference_set, system = name.split(".")
    expected = GOLDEN["conll14"][name]
    whole = conll14_rewrites(reference_set)
    predictions = submission(system)
    official = GLEU().score_corpus(whole, predictions)
    assert official.value == pytest.approx(expected["official_full_precision_1312"]["mean"], abs=1e-9)
    assert official.parts["standard_deviation"] == pytest.approx(
        expected["official_full_precision_1312"]["std"], abs=1e-9
    )
    python3 = GLEU(draws="py3").score_corpus(whole, predictions)
    assert python3.value == pytest.approx(expected["py3_draws_1312"]["mean"], abs=1e-9)

    part, chosen = whole.select(KEPT), [predictions[i] for i in KEPT]
    assert GLEU().score_corpus(part, chosen).value == pytest.approx(
        expected["official_full_precision_1278"]["mean"], abs=1e-9
    )
    swapped = GLEU(variant="2016").score_corpus(part, chosen)
    assert swapped.value == pytest.approx(expected["pre2017_inverseBP_1278"], abs=1e-9)
    assert swapped.value == pytest.approx(expected["published_metric_scores"], abs=1e-11)


@pytest.mark.parametrize("name", GOLDEN["bleu_sacrebleu_none"])
def test_bleu_is_sacrebleu(name):
    reference_set, system = name.split("/")
    part = conll14_rewrites(reference_set).select(KEPT)
    predictions = submission("INPUT" if system == "source" else system)
    chosen = [predictions[i] for i in KEPT]
    assert BLEU().score_corpus(part, chosen).value == pytest.approx(GOLDEN["bleu_sacrebleu_none"][name], abs=1e-12)
    old = BLEU(variant="2016").score_corpus(part, chosen)
    assert old.value == pytest.approx(GOLDEN["bleu_2016"][name]["computed"], abs=1e-9)
    assert old.value == pytest.approx(GOLDEN["bleu_2016"][name]["published"], abs=1e-11)


@pytest.mark.parametrize("references", SEEDA["references"])
@pytest.mark.parametrize("system", SEEDA["systems"])
def test_multiset_is_what_gec_metrics_calls_gleu(system, references):
    metric, expected = GLEU(variant="multiset"), SEEDA["references"][references]["gleu_plus_gecmetrics"]
    score = metric.score_corpus(seeda_corpus(references), seeda_output(system), aligned=True)
    assert score.value == pytest.approx(expected["corpus"][system], abs=1e-12)
    if system in expected["sentences"]:
        assert score.sentence_scores() == pytest.approx(expected["sentences"][system], abs=1e-12)

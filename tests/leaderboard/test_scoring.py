"""Metrics, human scores and groups of a scored submission."""

import pytest
from boards import DEMO, RULES
from mirror_files import golden

import gecbench
from gecbench import GLEU, M2, Corpus, InputError
from gecbench.analysis.breakdown import by_grammaticality
from gecbench.leaderboard.records import Details, canonical_json, parse_json
from gecbench.leaderboard.scoring import details_of, human_figures, prepare_stored, usable_metrics

READY = [name for name, metric in gecbench.METRICS.items() if metric.missing() is None]


def test_metrics_that_need_what_is_not_installed_are_left_out(monkeypatch):
    need_errant = [name for name, metric in gecbench.METRICS.items() if metric.extra == "errant"]
    for name in need_errant:
        monkeypatch.setattr(gecbench.METRICS[name], "missing", lambda: "errant is not installed")
    assert list(usable_metrics(DEMO)) == [name for name in gecbench.METRICS if name not in need_errant]
    for name in need_errant:
        monkeypatch.setattr(gecbench.METRICS[name], "missing", lambda: None)
    assert list(usable_metrics(DEMO)) == list(gecbench.METRICS)


def test_metrics_without_gold_are_left_out():
    annotated = gecbench.Corpus(sources=DEMO.sources, annotations=DEMO.annotations)
    assert not {"gleu", "bleu"} & set(usable_metrics(annotated))
    assert usable_metrics(gecbench.Corpus(sources=["a"])) == {}


def people(human, against_others):
    ratio = None if against_others is None else against_others / human
    return {"human": human, "against_others": against_others, "ratio": ratio}


def test_human_bound_by_hand():
    sentences = ["a b c d e .", "f g h i j ."]
    same = gecbench.Corpus(sources=["x b c d e .", "x g h i j ."], references=[[line] * 3 for line in sentences])
    assert human_figures(gecbench.GLEU().score_corpus(same, sentences), same) == people(1.0, 1.0)
    unchanged = human_figures(gecbench.GLEU().score_corpus(same, same.sources), same)
    assert unchanged == people(1.0, gecbench.GLEU().score_corpus(same, same.sources).value)
    one = gecbench.Corpus(sources=same.sources, references=[[line] for line in sentences])
    assert human_figures(gecbench.GLEU().score_corpus(one, sentences), one) == people(None, None)
    assert human_figures(gecbench.BLEU().score_corpus(same, sentences), same) == people(pytest.approx(1), None), (
        "BLEU pools references"
    )


def test_human_bound_is_jflegs(mirror):
    corpus = gecbench.load_corpus("jfleg:test", upstream=mirror)
    expected = golden("gleu.json")["jfleg"]["jfleg.test.human_average"]
    value = human_figures(gecbench.GLEU().score_corpus(corpus, corpus.sources), corpus)["human"]
    assert value == pytest.approx(expected["py2"], abs=1e-6)
    assert 100 * value == pytest.approx(expected["published_x100"], abs=0.02)


JUDGED = [1.0 + 3 * i / (len(DEMO) - 1) for i in range(len(DEMO))]


CORPUS = DEMO.replace(metadata={"columns": {"gug_average": JUDGED}})


@pytest.mark.parametrize("metric", [GLEU(), M2()])
def test_a_slice_is_scored_as_a_corpus_of_its_own(metric):
    groups = by_grammaticality(metric.score_corpus(CORPUS, RULES), CORPUS)
    assert [group.label for group in groups] == ["1-2", "2-2.5", "2.5-3", "3-3.5", "3.5-4"]
    for group in groups:
        members = [
            i for i, judged in enumerate(JUDGED) if group.low <= judged < group.high or judged == group.high == 4
        ]
        part = Corpus(
            sources=[DEMO.sources[i] for i in members],
            references=[DEMO.references[i] for i in members],
            annotations=[DEMO.annotations[i] for i in members],
        )
        assert group.sentences == len(members)
        assert group.value == pytest.approx(metric.score_corpus(part, [RULES[i] for i in members]).value, abs=1e-12)
    assert sum(group.sentences for group in groups) == len(DEMO)


def test_without_judgements():
    with pytest.raises(InputError, match="demo has no grammaticality judgments"):
        by_grammaticality(GLEU().score_corpus(DEMO, RULES), DEMO)


def test_details_carry_the_groups():
    scores = {metric.name: metric.score_corpus(CORPUS, RULES) for metric in (GLEU(), M2())}
    details = details_of(scores, prepare_stored(CORPUS, RULES))
    assert set(details.by_grammaticality) == {"gleu", "m2"}
    assert set(details.by_type) == {"m2"}
    types = details.by_type["m2"]
    for name in ("correct", "gold"):
        assert sum(each[name] for each in types) == scores["m2"].parts[name]
    assert all(each["recall"] == pytest.approx(each["correct"] / each["gold"]) for each in types if each["gold"])
    assert details_of(scores, prepare_stored(DEMO, RULES)).by_grammaticality == {}


def test_errant_has_precision_of_types(tiny_model):
    metric = gecbench.ERRANT(model=str(tiny_model))
    score = metric.score_corpus(DEMO, RULES)
    types = details_of({"errant": score}, prepare_stored(DEMO, RULES)).by_type["errant"]
    assert sum(each["correct"] for each in types) == score.parts["tp"]
    assert sum(each["gold"] for each in types) == score.parts["tp"] + score.parts["fn"]
    assert any(each["precision"] is not None and each["value"] is not None for each in types)


def test_details_of_earlier_versions_are_read():
    scores = {"gleu": GLEU().score_corpus(DEMO, RULES)}
    details = details_of(scores, prepare_stored(DEMO, RULES))
    old = parse_json(details.to_json())
    del old["by_type"], old["by_grammaticality"]
    assert Details.from_json(canonical_json(old)).predictions == list(RULES)
    with pytest.raises(InputError, match="other fields"):
        Details.from_json(canonical_json({**old, "gold": []}))

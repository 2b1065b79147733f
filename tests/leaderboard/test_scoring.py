"""Scores of groups on a board: by error type, and by how grammatical people judged the source."""

import pytest

import gecbench
from gecbench import GLEU, M2, Corpus, InputError
from gecbench.analysis.breakdown import by_grammaticality
from gecbench.leaderboard.records import Details, canonical_json, parse_json
from gecbench.leaderboard.scoring import details_of, prepare_stored

DEMO = gecbench.load_demo()
OUTPUTS = gecbench.load_demo_systems()["rule-based"]
JUDGED = [1.0 + 3 * i / (len(DEMO) - 1) for i in range(len(DEMO))]
CORPUS = DEMO.replace(metadata={"columns": {"gug_average": JUDGED}})


@pytest.mark.parametrize("metric", [GLEU(), M2()])
def test_a_slice_is_scored_as_a_corpus_of_its_own(metric):
    groups = by_grammaticality(metric.score_corpus(CORPUS, OUTPUTS), CORPUS)
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
        assert group.value == pytest.approx(metric.score_corpus(part, [OUTPUTS[i] for i in members]).value, abs=1e-12)
    assert sum(group.sentences for group in groups) == len(DEMO)


def test_without_judgements():
    with pytest.raises(InputError, match="demo has no judgements of grammaticality"):
        by_grammaticality(GLEU().score_corpus(DEMO, OUTPUTS), DEMO)


def test_details_carry_the_groups():
    scores = {metric.name: metric.score_corpus(CORPUS, OUTPUTS) for metric in (GLEU(), M2())}
    details = details_of(scores, prepare_stored(CORPUS, OUTPUTS))
    assert set(details.by_grammaticality) == {"gleu", "m2"}
    assert set(details.by_type) == {"m2"}
    types = details.by_type["m2"]
    for name in ("correct", "gold"):
        assert sum(each[name] for each in types) == scores["m2"].parts[name]
    assert all(each["recall"] == pytest.approx(each["correct"] / each["gold"]) for each in types if each["gold"])
    assert details_of(scores, prepare_stored(DEMO, OUTPUTS)).by_grammaticality == {}


def test_errant_has_precision_of_types(tiny_model):
    metric = gecbench.ERRANT(model=str(tiny_model))
    score = metric.score_corpus(DEMO, OUTPUTS)
    types = details_of({"errant": score}, prepare_stored(DEMO, OUTPUTS)).by_type["errant"]
    assert sum(each["correct"] for each in types) == score.parts["tp"]
    assert sum(each["gold"] for each in types) == score.parts["tp"] + score.parts["fn"]
    assert any(each["precision"] is not None and each["value"] is not None for each in types)


def test_details_of_earlier_versions_are_read():
    scores = {"gleu": GLEU().score_corpus(DEMO, OUTPUTS)}
    details = details_of(scores, prepare_stored(DEMO, OUTPUTS))
    old = parse_json(details.to_json())
    del old["by_type"], old["by_grammaticality"]
    assert Details.from_json(canonical_json(old)).predictions == list(OUTPUTS)
    with pytest.raises(InputError, match="other fields"):
        Details.from_json(canonical_json({**old, "gold": []}))

"""Metrics by name, their parameters, their signatures and their counts."""

import pickle
import re

import numpy as np
import pytest

import gecbench
from gecbench.leaderboard.scoring import board_metric
from gecbench.metrics.base import METRICS, Statistics, make_metric

COUNTS = {"tp", "hypothesis_length", "correct", "proposed", "gold", "correction_tp", "baseline_fn", "scored_sentences"}


@pytest.mark.parametrize("name", METRICS)
def test_registry_and_signatures(name):
    metric = make_metric(name)
    assert type(metric) is METRICS[name]
    assert metric.name == name
    for words in (metric.title, metric.description, metric.papers):
        assert words == words.strip() != ""
    for parameter in metric.parameters().values():
        assert getattr(metric, parameter.name) == parameter.default
        assert parameter.description
    demo = gecbench.load_demo()
    score = metric.score_corpus(demo, demo.sources)
    assert make_metric(str(score.signature)) == metric
    assert score.signature["version"] == gecbench.__version__
    assert score.signature["data"] == demo.fingerprint(metric.gold(demo))
    assert set(score.to_dict()) == {"metric", "value", "parts", "diagnostics", "interval", "sentences", "signature"}
    weighted = getattr(metric, "weights", "none") != "none"
    counts = {name: value for name, value in score.parts.items() if name in COUNTS and not weighted}
    assert counts or weighted
    assert all(type(count) is int for count in [*counts.values(), *score.diagnostics.values()])
    assert pickle.loads(pickle.dumps(score)).value == score.value


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_does_what_its_class_declares(name):
    metric, demo = make_metric(name), gecbench.load_demo()
    if metric.explains:
        assert len(metric.explain(demo, demo.sources, [3, 5])) == 2
    else:
        with pytest.raises(gecbench.InputError, match=f"{name} cannot explain sentences"):
            metric.explain(demo, demo.sources, [3, 5])
    for by in metric.breakdowns:
        assert len({tuple(group.cells()) for group in metric.breakdown(by, demo, demo.sources)}) == 1
    with pytest.raises(gecbench.InputError, match=f"{name} has no scores by color"):
        metric.breakdown("color", demo, demo.sources)
    assert board_metric(name) == METRICS[name]()


WRONG_PARAMETERS = [
    ("gleu", "order", [0, True], "not a whole number"),
    ("gleu", "iterations", [0], "not a whole number"),
    ("gleu", "iterations", [10**8], "more than the limit of 100,000"),
    ("gleu", "draws", ["py4"], "unknown"),
    ("gleu", "variant", ["2015"], "unknown"),
    ("gleu", "tokens", ["spaces"], "unknown"),
    ("m2", "beta", [-1, float("nan"), "1"], "not a number"),
    ("m2", "max_unchanged_words", [-2, 1.5, True], "not a whole number"),
    ("m2", "release", ["2.0"], "unknown"),
    ("m2", "policy", ["best"], "unknown"),
    ("m2", "annotators", ["first", "0,1", ""], "unknown"),
    ("errant", "beta", [0, -1, float("nan"), "1"], "not a number"),
    ("errant", "mode", ["c"], "unknown"),
    ("errant", "duplicates", ["twice"], "unknown"),
    ("errant", "policy", ["average"], "unknown"),
    ("errant", "merge", ["none"], "unknown"),
    ("errant", "filter", ["", "R|M"], "not valid. Give a text without"),
    ("green", "order", [0, 1.5], "not a whole number"),
    ("green", "beta", [-1, float("nan"), "1"], "not a number from 0 to 1,000,000"),
    ("green", "unit", ["byte"], "unknown"),
    ("green", "variant", ["2024"], "unknown"),
    ("cleme", "version", [0, "1", 3], "unknown"),
    ("cleme", "assumption", ["mixed"], "unknown"),
    ("cleme", "weights", ["similarity"], "unknown"),
    ("imeasure", "mixing", ["some"], "unknown"),
    ("imeasure", "cap", [0], "not a whole number"),
    ("imeasure", "beyond", ["ignored"], "unknown"),
    ("imeasure", "objective", ["cfpn", "xwacc"], "unknown"),
    ("imeasure", "optimise", ["all"], "unknown"),
    ("imeasure", "weight", ["x", float("nan"), -1e7], "not a number from -1,000,000 to 1,000,000"),
    ("imeasure", "beta", ["x", -1.0], "not a number from 0 to 1,000,000"),
    ("imeasure", "tokens", ["bytes"], "unknown"),
]


@pytest.mark.parametrize(
    ("name", "parameter", "value", "problem"),
    [(*metric, value, problem) for *metric, values, problem in WRONG_PARAMETERS for value in values],
)
def test_wrong_parameters_are_named(name, parameter, value, problem):
    with pytest.raises(gecbench.InputError, match=re.escape(f"{name}: {parameter}={value!r} is {problem}")):
        METRICS[name](**{parameter: value})


def test_parameters_are_part_of_the_signature():
    metric = make_metric("gleu(order=3, iterations=9, draws=py3, variant=2016, tokens=unicode)")
    demo = gecbench.load_demo()
    signature = metric.score_corpus(demo, demo.sources).signature
    assert str(signature).startswith("gleu|variant:2016|refs:4|order:3|draws:9:py3|tok:unicode|data:")
    assert make_metric(str(signature)) == metric
    lower = make_metric("bleu(lowercase=yes,tokenize=13a)")
    assert make_metric(str(lower.score_corpus(demo, demo.sources).signature)) == lower


@pytest.mark.parametrize(
    "text", ["gleu|order:4", "gleu|order", "|x:1", "gleu|order:4|draws:x:py2|variant:2017|tok:ascii"]
)
def test_broken_signatures_are_refused(text):
    with pytest.raises(gecbench.InputError, match="signature"):
        make_metric(text)


@pytest.mark.parametrize("text", ["gleu:order=0", "f0.5", "gleu(order=3"])
def test_the_form_of_a_metric_is_shown_by_an_example(text):
    problem = f"cannot parse the metric '{text}'. Write a name such as gleu, or a name with parameters in quotes: "
    with pytest.raises(gecbench.InputError, match=f'^{re.escape(problem)}"gleu\\(order=3\\)"\\.$'):
        make_metric(text)
    assert make_metric("gleu(order=3)").order == 3


@pytest.mark.parametrize(
    ("command", "metric"),
    [("compute_gleu", "gleu"), ("errant_compare", "errant"), ("ieval", "imeasure"), ("M2Scorer", "m2")],
)
def test_names_of_official_scorers_suggest_their_metric(command, metric):
    with pytest.raises(gecbench.InputError, match=rf"^unknown metric '{command}'\. Did you mean {metric}\?$"):
        make_metric(command)


def test_statistics_selection():
    statistics = Statistics(np.arange(12).reshape(6, 2), np.array([0, 1, 3, 6]))
    part = statistics.select([2, 0])
    assert part.counts.tolist() == [[6, 7], [8, 9], [10, 11], [0, 1]]
    assert part.offsets.tolist() == [0, 3, 4]
    kept = Statistics(np.arange(8).reshape(4, 2), np.array([0, 2, 4])).keep_choices([1])
    assert kept.counts.tolist() == [[2, 3], [6, 7]]
    assert kept.offsets.tolist() == [0, 1, 2]

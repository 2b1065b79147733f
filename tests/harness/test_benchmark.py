"""The same digits from every way to a score: Python, the command line, `evaluate`, a run, and the harnesses."""

import importlib.metadata
import os
import re
import runpy
from dataclasses import replace
from math import isnan, nan

import harness_faces as faces
import pytest

import gecbench
from gecbench import kernels
from gecbench.corpora.catalog import modules_folder
from gecbench.corpus.tokenize import detokenize
from gecbench.harness.benchmark import BENCHMARKS, corpus_figures, explain, prepare, score_answers
from gecbench.models.replies import read_reply

WAYS = {
    "the command line": faces.on_the_command_line,
    "evaluate": faces.with_evaluate,
    "gecbench run": faces.by_gecbench_run,
    "lm-eval": faces.in_lm_eval,
    "inspect": faces.in_inspect,
    "lighteval": faces.in_lighteval,
}


def answers_to(name):
    """Return a system's tokenized answers: a toy system, a rewriter, a system of the shared task."""
    if name == "demo":
        return gecbench.load_demo_systems()["good-corrector"]
    if not os.environ.get("GECBENCH_MIRROR"):
        pytest.skip("GECBENCH_MIRROR is not set")
    if name == "jfleg":
        return BENCHMARKS[name].corpus.reference_columns()[1]
    return [row["AMU"] for row in gecbench.load_rows("conll14_fluency", "systems", "test")]


@pytest.fixture(
    scope="module",
    params=[(name, raw) for name in ("demo", "jfleg", "conll14") for raw in (True, False)],
    ids=lambda each: f"{each[0]}-{'raw' if each[1] else 'tokenized'}",
)
def case(request):
    """Return a benchmark with replies, natural or tokenized; a sentence that comes twice has one reply."""
    name, raw = request.param
    if name != "demo" and kernels.active() != "native":
        pytest.skip("too slow on the Python kernels")
    answers = answers_to(name)
    benchmark = replace(BENCHMARKS[name], raw=raw)
    replies = dict(zip(benchmark.requests(), detokenize(answers) if raw else answers, strict=True))
    return faces.Case(benchmark, tuple(replies[request] for request in benchmark.requests()))


@pytest.fixture(scope="module")
def expected(case):
    return faces.in_python(case, None)


@pytest.mark.parametrize("way", WAYS)
def test_the_same_digits(case, expected, way, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    given = {"capsys": capsys} if way in ("the command line", "gecbench run") else {}
    assert WAYS[way](case, tmp_path, **given) == expected


@pytest.mark.parametrize("way", ["lm-eval", "inspect", "lighteval"])
def test_replies_are_read_as_those_of_a_served_model(way, tmp_path):
    plain = faces.demo_case()
    sentences = plain.benchmark.sentences()
    replies = [
        f"Corrected sentence: **{text}**" if k % 2 else f"<think>Hm.</think>\n\n{text}"
        for k, text in enumerate(plain.replies)
    ]
    replies[3:6] = ["", "I'm sorry, but I cannot help with that.", "<think>never ends"]
    unanswered = [*plain.replies[:3], *sentences[3:6], *plain.replies[6:]]
    assert WAYS[way](faces.demo_case(replies), tmp_path) == {
        **faces.in_python(faces.demo_case(unanswered), None),
        "unanswered": 3,
    }


def test_parts_are_tokenised_like_the_whole():
    corpus = gecbench.Corpus(
        sources=["We can not go .", "They cannot go .", "He go ."] * 5 + ["x-ray it ."],
        references=[["We can not go .", "We cannot go ."], ["They can not go ."], ["He goes , etc."]] * 5
        + [["x- ray it ."]],
    )
    answers = {2: "He goes, etc.", 15: "x-ray it."}
    whole = prepare(corpus, {**dict(enumerate(detokenize(corpus.sources))), **answers})
    assert prepare(corpus, answers).lines == (whole.lines[2], whole.lines[15])
    assert prepare(corpus, answers).corpus.sources == (corpus.sources[2], corpus.sources[15])


def test_what_would_be_refused_is_logged(caplog):
    corpus = BENCHMARKS["demo"].corpus
    wrapped = {i: f"So I say to you {text}" for i, text in enumerate(detokenize(corpus.sources))}
    score_answers(corpus, wrapped, ["gleu"])
    assert "almost all answers have a label before them" in caplog.text
    caplog.clear()
    shifted = dict(enumerate([*corpus.sources[1:], corpus.sources[0]]))
    score_answers(corpus, shifted, ["gleu"])
    assert "answers look shifted" in caplog.text
    caplog.clear()
    score_answers(corpus, dict(enumerate(corpus.sources)), ["gleu"])
    assert not caplog.text


def refuse_the_imeasure(monkeypatch):
    """Make sentences as hard for the I-measure as some answers to JFLEG are."""

    def refuse(*_given, **_options):
        raise gecbench.InputError("it has too many mixed references to score exactly", fix="mixing=cap")

    monkeypatch.setattr(gecbench.IMeasure, "count", refuse)


def with_nan(figures, names):
    return {name: str(float(nan if name in names else value)) for name, value in figures.items()}


@pytest.mark.parametrize("way", ["lm-eval", "inspect", "lighteval"])
def test_a_metric_that_refuses_takes_no_other_with_it(way, tmp_path, monkeypatch, caplog):
    case = faces.demo_case()
    expected = faces.in_python(case, None)
    refuse_the_imeasure(monkeypatch)
    found = WAYS[way](case, tmp_path)
    assert with_nan(found, []) == with_nan(expected, ["imeasure"])


def test_a_refusal_is_a_warning(monkeypatch, caplog):
    refuse_the_imeasure(monkeypatch)
    demo = BENCHMARKS["demo"]
    assert list(score_answers(demo.corpus, dict(enumerate(demo.sentences())), ["imeasure", "gleu"])) == ["gleu"]
    assert "imeasure is NaN: it has too many mixed references to score exactly" in caplog.text
    values, views = explain(demo.corpus, 0, demo.sentences()[0], ["m2", "imeasure"])
    assert (values["m2"] >= 0, isnan(values["imeasure"])) == (True, True)
    assert len(views) == 1


@pytest.mark.skipif(kernels.active() != "native", reason="too slow on the Python kernels")
@pytest.mark.usefixtures("mirror")
def test_any_answer_to_jfleg_is_scored():
    jfleg = BENCHMARKS["jfleg"]
    readings = {i: read_reply("Hello.", text) for i, text in enumerate(jfleg.sentences())}
    figures = corpus_figures(jfleg.corpus, readings, jfleg.metrics)
    assert 0 <= figures["gleu"] < 0.05
    assert isnan(figures["imeasure"]) or -1 <= figures["imeasure"] < 0


def test_a_look_without_explanations():
    assert explain(BENCHMARKS["demo"].corpus, 0, "It is .", ["bleu"])[1] == []


TITLES = {"lm-evaluation-harness": "lm-eval", "Inspect AI": "inspect-ai", "lighteval": "lighteval"}


def version_of(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def test_what_is_installed(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["gecbench.harness"])
    runpy.run_module("gecbench.harness", run_name="__main__")
    printed = capsys.readouterr().out
    assert f"--include_path {modules_folder('harness') / 'lm_eval'} --tasks gecbench_jfleg" in printed
    for name, benchmark in BENCHMARKS.items():
        assert re.search(rf"^  {name} +{benchmark.description}$", printed, re.MULTILINE)
    for title, package in TITLES.items():
        assert f"{title}: {version_of(package)}" in printed
    monkeypatch.setattr("sys.argv", ["gecbench.harness", "lm-eval"])
    runpy.run_module("gecbench.harness", run_name="__main__")
    assert capsys.readouterr().out == f"{modules_folder('harness') / 'lm_eval'}\n"

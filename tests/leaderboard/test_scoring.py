"""Metrics, human scores and groups of a scored submission."""

import json

import pytest
from boards import DEMO, RULES
from mirror_files import golden

import gecbench
from gecbench import GLEU, M2, Corpus, InputError
from gecbench.analysis.breakdown import by_grammaticality
from gecbench.leaderboard.page import PagePlan, build_site
from gecbench.leaderboard.ranking import comparable, corpora_by_table
from gecbench.leaderboard.records import Details, canonical_json, parse_json
from gecbench.leaderboard.scoring import PLUGINS, details_of, human_figures, prepare_stored, usable_metrics
from gecbench.leaderboard.store import FolderStore
from gecbench.leaderboard.submission import Submission, submit, verify_records

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
    with pytest.raises(InputError, match="but nothing else"):
        Details.from_json(canonical_json({**old, "gold": []}))


PLUGIN = """
import gecbench

@gecbench.metric(name="changes", version="1", higher_is_better=False)
def changes(sources, outputs, references):
    return [float(source != output) for source, output in zip(sources, outputs)]
"""


@pytest.fixture
def plugin(folder, monkeypatch):
    """A plug-in in the current folder, of which lower is better, that scores submissions."""
    (folder / "my_changes.py").write_text(PLUGIN)
    monkeypatch.setenv(PLUGINS, "python:my_changes:changes")


def submitted(store, name, outputs):
    done = submit(Submission(name, outputs, aligned=True, tokenized=True), DEMO, store)
    return done.record


def test_a_plugin_is_a_column_that_says_so(plugin, tmp_path):
    """One system changes half of the sentences, the other all; the plug-in prefers the first, unlike GLEU."""
    store = FolderStore(tmp_path / "board")
    best = gecbench.load_demo_systems()["good-corrector"]
    half = [output if i % 2 else source for i, (source, output) in enumerate(zip(DEMO.sources, best, strict=True))]
    changed = [[source != output for source, output in zip(DEMO.sources, texts, strict=True)] for texts in (half, best)]
    few, many = (submitted(store, name, texts) for name, texts in (("few", half), ("many", best)))
    figures = [record.scores["changes"] for record in (few, many)]
    assert [figure["value"] for figure in figures] == pytest.approx([sum(flags) / len(DEMO) for flags in changed])
    assert figures[0]["low"] < figures[0]["value"] < figures[0]["high"]
    assert figures[0]["signature"].startswith("python|function:my_changes:changes|name:changes|release:1|better:lower|")
    assert figures[0]["human"] is None
    assert [record.system for record in comparable([many, few], "changes").ranked] == ["few", "many"]
    assert [record.system for record in comparable([many, few], "gleu").ranked] == ["many", "few"]
    build_site(store, tmp_path / "site", PagePlan([DEMO], seeds=False, resamples=20))
    board = json.loads((tmp_path / "site/data/board.json").read_text(encoding="utf-8"))
    assert board["tables"][0]["metrics"][-1] == "changes"
    (shown,) = [metric for metric in board["metrics"] if metric.get("plugin")]
    assert (shown["name"], shown["title"], shown["higher_is_better"]) == ("changes", "changes (plug-in)", False)
    ranks = {row["system"]: row["scores"]["changes"]["rank"] for row in board["records"]}
    assert ranks == {"few": 1, "many": 2}


def test_a_plugin_is_verified_if_it_is_given(plugin, tmp_path, monkeypatch):
    store = FolderStore(tmp_path / "board")
    submitted(store, "with", RULES)
    tables = corpora_by_table([DEMO])
    assert [each.problems for each in verify_records(store, tables)] == [[]]
    monkeypatch.delenv(PLUGINS)
    assert [each.problems for each in verify_records(store, tables)] == [
        ["changes: not verified, because its plug-in was not given (--plugin)"]
    ]
    other = FolderStore(tmp_path / "other")
    submitted(other, "without", RULES)
    monkeypatch.setenv(PLUGINS, "python:my_changes:changes")
    assert [each.problems for each in verify_records(other, tables)] == [[]]

"""The I-measure from the command line and through `evaluate`: explain, convert, score, the module and its card."""

from __future__ import annotations

import json

import pytest
from documents import ROOT, table
from imeasure_examples import LISTING_1, imeasure_files
from imeasure_support import GOLDEN

import gecbench
from gecbench.formats.imeasure_xml import read_imeasure_xml
from gecbench.formats.jsonl import read_jsonl
from gecbench.formats.m2 import format_m2, read_m2
from gecbench.metrics.imeasure import align_tokens, classify

files = imeasure_files  # the fixture, under the name that tests use
DEMO = gecbench.load_demo()
RULES = gecbench.load_demo_systems()["rule-based"]


def test_explain_shows_the_alignment_and_its_classes(files, run):
    (files / "other.txt").write_text("These machine <b> designed to help people .\n")
    shown = run("explain", "--gold", "gold.xml", "-p", "other.txt", "-m", "imeasure")
    legend, _, explained = shown.partition("\n\n")
    assert [line[:4] for line in legend.splitlines()] == ["+ TP", "! FP"]
    title, *rows = explained.splitlines()
    # 2·2 + 4 of 2·(2 + 2) + 4 + 1 - 3/2, against 5 of 8 tokens
    assert title == "Sentence 1: I 18.84, WAcc 69.57 (source 62.50); TP 2 TN 4 FP 2 FN 1 FPN 1"
    labels = [row.split()[0] for row in rows]
    assert labels == ["source", "system", "reference", "detection", "correction"]
    starts = [[k for k in range(1, len(row)) if row[k - 1] == " " != row[k]] for row in rows[:3]]
    assert starts[0] == starts[1] == starts[2]
    assert rows[2].split()[1:] == ["These", "machines", "are", "designed", "to", "help", "people", "."]
    assert rows[3].split()[1:] == ["+TP", "!FP", "+TP", "TN", "+TP", "TN", "TN", "TN"]
    assert rows[4].split()[1:] == ["+TP", "!FP", "!FP", "FN", "FPN", "TN", "+TP", "TN", "TN", "TN"]
    run("explain", "--gold", "gold.xml", "-p", "other.txt", "-m", "imeasure", "--html", "page.html")
    page = (files / "page.html").read_text()
    assert "&lt;b&gt;" in page
    assert "machine <b>" not in page
    assert page.count("<tr>") == 5


def test_explain_breaks_long_alignments_into_blocks(files, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    shown = run("explain", "--gold", "gold.xml", "-p", "system.txt", "-m", "imeasure")
    _legend, *blocks = shown.split("\n\n")
    assert len(blocks) > 1
    assert all(len(line) <= 40 for block in blocks for line in block.splitlines()[1:])
    sources = [line for line in shown.splitlines() if line.startswith("  source")]
    assert " ".join(word for line in sources for word in line.split()[1:]) == LISTING_1.source


def test_explain_says_what_is_excluded(files, run, refused):
    shown = run("explain", "--gold", "gold.xml", "-p", "system.txt", "-m", "imeasure(mixing=cap,cap=1,beyond=excluded)")
    assert shown.startswith("Sentence 1: excluded")
    assert "Choose a metric with -m: gleu, m2, errant, imeasure" in refused(
        ["explain", "--gold", "gold.xml", "-p", "system.txt", "-m", "bleu"]
    )


@pytest.mark.parametrize(
    ("column", "classes"),
    [
        ("aaa", "TN TN"),
        ("aab", "FN FN"),
        ("aa-", "FN FN"),
        ("aba", "FP FP"),
        ("abb", "TP TP"),
        ("abc", "TP FP FN FPN"),
        ("ab-", "TP FP FN FPN"),
        ("a-a", "FP FP"),
        ("a-b", "TP FP FN FPN"),
        ("a--", "TP TP"),
        ("-aa", "TP TP"),
        ("-ab", "TP FP FN FPN"),
        ("-a-", "FP FP"),
        ("--a", "FN FN"),
    ],
)
def test_table_6(column, classes):
    assert " ".join(classify(*(None if symbol == "-" else symbol for symbol in column))) == classes


@pytest.mark.usefixtures("kernels_of")
def test_explained_classes_add_up_to_the_counts():
    metric = gecbench.IMeasure()
    selection = metric.select(DEMO, RULES)
    for i in range(len(DEMO)):
        columns = align_tokens(DEMO.sources[i], RULES[i], selection.reference(i))
        names = [name for column in columns for name in classify(*column)[1].split()]
        assert [names.count(name) for name in ("TP", "TN", "FP", "FN", "FPN")] == selection.counts[i, 5:10].tolist()


def test_convert_there_and_back(files, run):
    run("convert", "demo.m2", "-o", "demo.xml")
    run("convert", "demo.xml", "-o", "again.m2")
    run("convert", "again.m2", "-o", "again.xml")
    assert read_imeasure_xml("again.xml").groups == read_imeasure_xml("demo.xml").groups
    once, again = read_m2("demo.m2"), read_m2("again.m2")
    assert [len(found) for found in once.annotations] == [len(found) for found in again.annotations]
    for metric in (gecbench.IMeasure(), gecbench.IMeasure(mixing=False)):
        values = {metric.score_corpus(corpus, RULES).value for corpus in (once, again, read_imeasure_xml("demo.xml"))}
        assert len(values) == 1
    run("convert", "demo.xml", "-o", "demo.jsonl")
    kept = read_jsonl("demo.jsonl")
    assert kept.groups == read_imeasure_xml("demo.xml").groups
    assert kept.references is not None
    text = run("convert", "gold.xml", "--annotator", "1", "-o", "-")
    assert text == "This machine is designed to help people .\n"


@pytest.mark.parametrize(
    "groups", ['"x"', '{"groups": [{}]}', '{"groups": [], "annotators": 1, "color": 2}', '{"groups": 3}']
)
def test_bad_groups_in_json_lines(files, refused, groups):
    (files / "bad.jsonl").write_text(f'{{"source": "a", "groups": {groups}}}\n')
    assert "bad.jsonl:1: 'groups' cannot be read" in refused(["convert", "bad.jsonl", "-o", "out.m2"])
    assert not (files / "out.m2").exists()


def test_score_and_compare_from_xml(files, run):
    run("convert", "demo.m2", "-o", "demo.xml")
    metrics = ["imeasure", "m2(mixing=cap)", "gleu"]
    printed = run("score", "--gold", "demo.xml", "-p", "demo.txt", "-m", *metrics, "--format", "json")
    scores = {score["metric"]: score["value"] for score in json.loads(printed)["systems"][0]["scores"]}
    grouped = read_imeasure_xml("demo.xml")
    assert scores["imeasure"] == gecbench.IMeasure().score_corpus(grouped, RULES).value
    assert scores["m2"] == gecbench.M2(mixing="cap").score_corpus(grouped, RULES).value
    (files / "old.txt").write_text("".join(f"{line}\n" for line in DEMO.sources))
    compared = run(
        "compare", "--gold", "demo.xml", "-p", "demo.txt", "old.txt", "-m", "imeasure", "--test", "t-test",
        "--resamples", "0",
    )  # fmt: skip
    assert "(p < 0.05, a paired t-test on the sentence scores)." in " ".join(compared.split())


def test_per_sentence_scores_of_excluded_sentences_are_null(files, run):
    printed = run(
        "score", "--gold", "demo.m2", "-p", "demo.txt", "--per-sentence", "--format", "json",
        "-m", "imeasure(mixing=cap,cap=4,beyond=excluded)",
    )  # fmt: skip
    values = [json.loads(line)["value"] for line in printed.splitlines()]
    selection = gecbench.IMeasure(mixing="cap", cap=4, beyond="excluded").select(DEMO, RULES)
    assert [value is None for value in values] == (~selection.scored).tolist()
    assert 0 < selection.scored.sum() < len(DEMO)


@pytest.mark.parametrize(
    ("gold", "metric", "message"),
    [
        ("gold.xml", "imeasure(mixing=cap,cap=1,beyond=excluded)", "every sentence was excluded"),
        ("uncounted.xml", "imeasure(mixing=no)", "number of annotators of the sentence 'a b' is not given"),
    ],
)
def test_what_cannot_be_scored(files, refused, gold, metric, message):
    (files / "uncounted.xml").write_text("<scripts><script><sentence><text>a b</text></sentence></script></scripts>")
    assert message in refused(["score", "--gold", gold, "-p", "system.txt", "-m", metric])


BLOCKS = "\n".join(format_m2(DEMO)).strip("\n").split("\n\n")


class TestModule:
    def test_blocks_of_edits(self):
        module = gecbench.load_metric("imeasure")
        result = module.compute(sources=DEMO.sources, predictions=RULES, references=BLOCKS, per_sentence=True)
        expected = gecbench.IMeasure().score_corpus(DEMO, RULES)
        assert result["imeasure"] == result["correction_improvement"] == expected.value
        assert result["sentence_scores"] == expected.sentence_scores().tolist()
        assert {name: result[name] for name in expected.parts} == expected.parts

    def test_rewrites_and_options(self):
        module = gecbench.load_metric("imeasure")
        options = {
            **{"mixing": "cap", "cap": 4, "beyond": "excluded"},
            **{"objective": "df", "optimise": "corpus", "weight": 3.0, "beta": 0.5},
            **{"treebank": False, "tokens": "unicode"},
        }
        inputs = {"sources": DEMO.sources, "predictions": RULES, "references": DEMO.references}
        expected = gecbench.IMeasure(**options).score(**inputs)
        result = module.compute(**inputs, **options)
        assert (result["imeasure"], result["signature"]) == (expected.value, str(expected.signature))
        assert module.compute(**inputs, mixing=False, resamples=20)["interval_low"] is not None
        with pytest.raises(gecbench.InputError, match="mixing='some'"):
            module.compute(**inputs, mixing="some")
        assert module.compute(**inputs)["imeasure"] == gecbench.IMeasure().score(**inputs).value


class TestCard:
    TEXT = (ROOT / "metrics/imeasure/README.md").read_text(encoding="utf-8")

    def test_published_values(self):
        for system, published in table(self.TEXT, "system"):
            assert float(published) == GOLDEN["reassess"][system.partition(" ")[0]][-1]
        for gold, system, *shown in table(self.TEXT, "gold"):
            run = f"{'combined' if gold == 'two annotators' else 'withalt'} {system}"
            assert shown == [f"{100 * GOLDEN[kind][run]['I']:.2f}" for kind in ("unmixed", "mixed")]

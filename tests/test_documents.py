"""Run the documents' examples and compare their output; check their tables, headers and links."""

from __future__ import annotations

import difflib
import gzip
import json
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from chat_server import ChatServer
from documents import (
    BLOCK,
    METRICS_TABLE,
    ROOT,
    Console,
    commands,
    lacks_its_needs,
    metrics_table,
    table,
    without_versions,
)
from mirror_files import golden
from served import NATURAL

import gecbench
from gecbench.corpora.load import resolve_corpus
from gecbench.corpora.published import published_results
from gecbench.formats.m2 import read_m2
from gecbench.formats.tables import read_parallel
from gecbench.formats.text import read_lines
from gecbench.models.prompts import NAMES
from gecbench.models.replies import UNANSWERED
from gecbench.version import REQUIREMENT

METRIC_CARDS = sorted(ROOT.glob("metrics/*/README.md"))
CARDS = [*METRIC_CARDS, *sorted(ROOT.glob("datasets/*/README.md"))]
SERVED, HUB = ROOT / "docs/served-models.md", ROOT / "docs/hub.md"
JUDGE = ROOT / "docs/tutorials/llm-judge.md"
PUBLISHED = ROOT / "docs/tutorials/compare-with-published.md"
NEED_A_SERVER = (SERVED, HUB, JUDGE, PUBLISHED)
MANUAL = [path for path in sorted(ROOT.glob("docs/**/*.md")) if path not in NEED_A_SERVER]
SHOWING = [path for path in MANUAL if re.search(r"^(>>>|\$) ", path.read_text(encoding="utf-8"), re.MULTILINE)]
RUN = [ROOT / "README.md", *SHOWING, *CARDS]
SPACES = sorted(ROOT.glob("spaces/*/README.md"))
DOCUMENTS = sorted([*ROOT.glob("*.md"), *CARDS, *SPACES, *ROOT.glob("benchmarks/*.md"), *ROOT.glob("docs/**/*.md")])
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
SOURCE = REQUIREMENT.removeprefix("gecbench @ ")
SITE, REPOSITORY = "https://gecbench.github.io/gecbench/", "https://github.com/gecbench/gecbench/blob/main/"


def page(name: str) -> str:
    """Return the text of a page of the manual."""
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def site_page(name: str) -> str:
    """Return the text of a page with the tables that the site makes from benchmarks/results.json."""
    if not hasattr(os, "wait4"):
        pytest.skip("the benchmarks need os.wait4")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        return runpy.run_path(str(ROOT / "benchmarks/document.py"))["filled"](page(name))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(text: str, language: str) -> list[str]:
    return [block["body"] for block in BLOCK.finditer(text) if block["language"] == language]


def header_of(card: Path) -> dict[str, Any]:
    """Return the YAML header of a card."""
    before, header, _ = card.read_text(encoding="utf-8").split("---\n", 2)
    assert not before
    return yaml.safe_load(header)


def together() -> dict[str, list[Path]]:
    """Return the documents to run in one process each: what needs errant, and the others."""
    errant = ROOT / "docs/metrics/errant.md"
    return {"errant": [errant], "others": [path for path in RUN if path != errant]}


@pytest.mark.parametrize("documents", together().values(), ids=together())
def test_documents_show_what_happens(documents: list[Path], tmp_path: Path) -> None:
    if documents == [ROOT / "docs/metrics/errant.md"] and find_spec("errant") is None:
        pytest.skip("errant is not installed")
    offline = {"HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    command = [sys.executable, "-X", "utf8", ROOT / "tests/support/documents.py", *documents]
    run = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, **offline}, capture_output=True, encoding="utf-8", check=False
    )
    assert run.returncode == 0, run.stderr
    shown = without_versions("".join(document.read_text(encoding="utf-8") for document in documents))
    assert_same(shown, without_versions(run.stdout))


def assert_same(shown: list[str], real: list[str]) -> None:
    assert shown == real, "\n".join(difflib.unified_diff(shown, real, "shown", "real", lineterm=""))


SHOWN = "http://localhost:8000/v1"
FENCED, REFUSED = list(NATURAL)[2], list(NATURAL)[8]
REPLIES = {**NATURAL, FENCED: f"```\n{NATURAL[FENCED]}\n```", REFUSED: "I'm sorry, but I can't help with that."}


def verdicts() -> dict[str, str]:
    """Return the judge's replies by the last line of its prompts: for the rule-based outputs, but A in every sixth."""
    pairs = zip(gecbench.load_demo().sources, gecbench.load_demo_systems()["rule-based"], strict=True)
    changed = [pair for pair in pairs if pair[0] != pair[1]]
    replies = {f"B: {output}": "B is better." if k % 6 else "A" for k, (_, output) in enumerate(changed)}
    return {**replies, **{f"B: {source}": "A" for source, _ in changed}}


def corrections() -> dict[str, str]:
    """Return replies for CoNLL-14: the corrections of GPT-3.5 that SEEDA published, where the mirror has them."""
    folders = Path(os.environ.get("GECBENCH_MIRROR", "nowhere")).glob("raw.githubusercontent.com/tmu-nlp/SEEDA/*")
    for folder in folders:
        outputs = (folder / "outputs/all/GPT-3.5.txt").read_text(encoding="utf-8").splitlines()
        sources = gecbench.load_corpus("conll14").sources
        return dict(zip(gecbench.detokenize(sources), gecbench.detokenize(outputs), strict=True))
    return {}


@pytest.mark.parametrize("document", NEED_A_SERVER, ids=name_of)
def test_documents_on_served_models_show_what_happens(document: Path, tmp_path: Path, online: None) -> None:
    pytest.importorskip("huggingface_hub", minversion="1.0")
    console = Console(tmp_path)
    console.run("gecbench demo --write demo", "")
    text = document.read_text(encoding="utf-8")
    replies = corrections() if document == PUBLISHED else {**REPLIES, **verdicts()}
    with ChatServer(replies).running() as server:

        def run(block: re.Match[str]) -> str:
            if block["language"] != "console" or lacks_its_needs(text, block):
                return block[0]
            done = [
                console.run(*(part.replace(SHOWN, server.url) for part in both)).replace(server.url, SHOWN)
                for both in commands(block["body"])
            ]
            return block[0].replace(block["body"], "".join(done))

        assert_same(without_versions(text), without_versions(BLOCK.sub(run, text)))
    if document == JUDGE:
        kept = (tmp_path / "judge_replies.jsonl").read_text(encoding="utf-8").splitlines()
        assert len(kept) == len(server.bodies)
        assert blocks(text, "json") == ["".join(f"{line}\n" for line in kept[:2])]


def test_prompts_and_outcomes_are_those_there_are() -> None:
    text = SERVED.read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([\w-]+)`(?: \(default\))? \| ", text, re.MULTILINE)) == set(NAMES)
    unchanged = re.findall(r"\| the source, unchanged \| `([\w ]+)` \|", text)
    assert set(unchanged) == set(UNANSWERED)


def test_the_framework_is_the_one_that_the_datasets_name() -> None:
    declared = {yaml.safe_load(path.read_text())["evaluation_framework"] for path in ROOT.glob("datasets/*/eval.yaml")}
    assert set(re.findall(r'^\+\t\tname: "(.*)",$', HUB.read_text(encoding="utf-8"), re.MULTILINE)) == declared


@pytest.mark.parametrize("card", CARDS, ids=name_of)
def test_card_has_blocks_with_output(card: Path) -> None:
    assert any(">>>" in body for body in blocks(card.read_text(encoding="utf-8"), "python"))


def test_every_journey_of_the_tutorials_is_run() -> None:
    assert {path.name for path in [*SHOWING, *NEED_A_SERVER] if path.parent.name == "tutorials"} == {
        path.name for path in ROOT.glob("docs/tutorials/*.md") if path.name != "index.md"
    }


def test_readme_runs_the_command_line() -> None:
    run = [command.split() for body in blocks(README, "console") for command, _ in commands(body)]
    assert {words[1] for words in run if words[0] == "gecbench"} >= {"score", "explain"}


def test_metrics_table_is_the_registry() -> None:
    found = METRICS_TABLE.search(page("metrics/index"))
    assert found
    assert found[0] == metrics_table()
    assert [row[0] for row in table(page("metrics/index"), "name")] == [f"`{name}`" for name in gecbench.METRICS]


SOURCES = ["He go to school .", "I am agree with you .", "She like cats ."]
ONE_EACH = [[source] for source in SOURCES]
RIGHT = gecbench.Corpus(
    sources=SOURCES, references=[["He goes to school ."], ["I agree with you ."], ["She likes cats ."]]
)
LONGER = [f"{word}a {word}b {word}c {word}d {word}e" for word in "pqrstuvwxyz"]


def scoring(
    predictions: object = SOURCES, references: object = ONE_EACH, sources: object = SOURCES, **checks: object
) -> Callable[[], object]:
    return lambda: gecbench.GLEU().score(sources=sources, predictions=predictions, references=references, **checks)  # type: ignore[arg-type]


BAD_INPUT: dict[str, Callable[[], object]] = {
    "fewer predictions than sources": scoring(predictions=SOURCES[:2]),
    "transposed references": scoring(references=[SOURCES, SOURCES]),
    "a string instead of a list": scoring(sources=["He go ."], predictions=["He go ."], references=["He goes ."]),
    "a sentence without references": scoring(references=[SOURCES[:1], [], SOURCES[2:]]),
    "None among the predictions": scoring(predictions=[SOURCES[0], None, SOURCES[2]]),
    "a set, whose order is random": scoring(predictions={*SOURCES}),
    "an empty corpus": scoring([], [], []),
    "a file that is not UTF-8": lambda: read_lines("latin1.txt"),
    "a UTF-16 file": lambda: read_lines("utf16.txt"),
    "a gzip file without `.gz` in its name": lambda: read_lines("packed.txt"),
    "a missing file": lambda: read_lines("nowhere.txt"),
    "a directory": lambda: read_lines("folder"),
    "an M2 span beyond the sentence": lambda: read_m2("bad.m2"),
    "an M2 file as the sources": lambda: read_parallel("bad.m2", ["plain.txt"]),
    "plain text as a corpus": lambda: resolve_corpus("plain.txt"),
    "metrics with a comma": lambda: gecbench.make_metric("gleu,m2"),
    "a metric of your own that returns NaN": lambda: gecbench.score(SOURCES, RIGHT, "python:nan_metric:score"),
    "predictions with wrong upper and lower case": scoring(
        [text.upper() for text in LONGER], [[source] for source in LONGER], LONGER, foreign="error"
    ),
    "predictions shifted by a line": scoring(LONGER[1:] + LONGER[:1], [[source] for source in LONGER], LONGER),
    "a reference that is the source": scoring(LONGER, [[source] for source in LONGER], LONGER),
    "edits of two annotators as predictions": lambda: gecbench.score(Path("two.m2"), "two.m2", "m2"),
}


@pytest.mark.parametrize("fault", BAD_INPUT)
def test_table_of_bad_input(fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("plain.txt").write_text("A line .\n", encoding="utf-8")
    Path("utf16.txt").write_text("A line .\n", encoding="utf-16")
    Path("packed.txt").write_bytes(gzip.compress(b"A line .\n"))
    Path("latin1.txt").write_bytes("A line .\nCaf\xe9 .\n".encode("latin1"))
    Path("nan_metric.py").write_text("def score(*texts): return [1.0, float('nan'), 1.0]\n", encoding="utf-8")
    Path("bad.m2").write_text("S I am agree with you .\nA 4 9|||Prep|||on|||REQUIRED|||-NONE-|||0\n", encoding="utf-8")
    edit = "A 1 2|||Vform||||||REQUIRED|||-NONE-|||"
    Path("two.m2").write_text(f"S I am agree with you .\n{edit}0\n{edit}1\n", encoding="utf-8")
    with pytest.raises(gecbench.InputError) as caught:
        BAD_INPUT[fault]()
    assert dict(table(page("errors"), "bad input"))[fault] == f"`{caught.value}`"


def test_table_of_bad_input_is_whole() -> None:
    assert [row[0] for row in table(page("errors"), "bad input")] == list(BAD_INPUT)


CORRECTED = [[f"{source} ."] for source in LONGER]
ODD_INPUT: dict[str, Callable[[], object]] = {
    "blanks that are not ASCII": scoring([line.replace(" ", "\u00a0") for line in LONGER], CORRECTED, LONGER),
    "subwords of BPE": scoring([line.replace(" ", "@@ ", 1) for line in LONGER], CORRECTED, LONGER),
    "pieces of SentencePiece": scoring([line.replace(" ", " ▁", 1) for line in LONGER], CORRECTED, LONGER),
    "NUL bytes": scoring([line.replace(" ", "\0 ", 1) for line in LONGER], CORRECTED, LONGER),
    "empty lines": scoring([""] * len(LONGER), CORRECTED, LONGER),
    "predictions that are a reference": scoring([text for [text] in CORRECTED], CORRECTED, LONGER),
    "a reference twice": scoring(LONGER, [texts * 2 for texts in CORRECTED], LONGER),
}


@pytest.mark.parametrize("fault", ODD_INPUT)
def test_table_of_odd_input(fault: str) -> None:
    with pytest.warns((gecbench.DamagedTextWarning, gecbench.MixedUpTextWarning)) as caught:
        ODD_INPUT[fault]()
    assert [f"`{warning.message}`" for warning in caught] == [dict(table(page("errors"), "odd input"))[fault]]


def test_table_of_odd_input_is_whole() -> None:
    assert [row[0] for row in table(page("errors"), "odd input")] == list(ODD_INPUT)


def test_signature_table_names_the_fields() -> None:
    corpus = gecbench.Corpus(sources=SOURCES, references=ONE_EACH)
    score = gecbench.score(SOURCES, corpus, resamples=2, tokenize="treebank")["gleu"]
    assert [row[0].strip("`") for row in table(page("signature"), "field")] == [*score.signature][:-1]
    sample = re.search(r"^`(gleu\|.*)`$", page("signature"), re.MULTILINE)
    assert sample
    assert f"\n{sample[1]}\n" in page("tutorials/results-table"), "the sample is not the one that gecbench demo prints"


def test_readme_starts_with_a_demo_and_ends_with_the_tests() -> None:
    shown = [(block["language"], block["body"].strip()) for block in BLOCK.finditer(README)]
    assert shown[0] == ("bash", "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/gecbench demo")
    assert shown[-1] == ("bash", 'python3 -m venv .venv && .venv/bin/pip install ".[test]" && .venv/bin/pytest')
    assert re.search(r"^## Run the tests\n\n```bash\n.*pytest\n```$", README, re.MULTILINE)


INSTALLED = [*DOCUMENTS, *sorted(ROOT.glob("examples/*")), *sorted(ROOT.glob("metrics/*/requirements.txt"))]


@pytest.mark.parametrize("document", INSTALLED, ids=name_of)
def test_gecbench_is_installed_from_where_it_is(document: Path) -> None:
    """There is no release on PyPI yet: the name alone would fail."""
    text = document.read_text(encoding="utf-8")
    if document.name == "CHANGELOG.md":
        return
    installed = re.findall(r"pip install[^`\n]*?[\s\"'](gecbench\b[^\"'`\n]*)", text)
    if document.name == "requirements.txt":
        installed = [line for line in text.splitlines() if line.startswith("gecbench")]
        assert installed
    for requirement in installed:
        assert re.fullmatch(rf"gecbench(\[[\w,-]+\])? @ {re.escape(SOURCE)}", requirement)


def test_readme_is_short() -> None:
    assert README.count("\n") <= 150


def test_figures_of_the_readme_are_those_of_the_pages() -> None:
    rows = table(page("exact"), "scorer")
    generated = [n for row in rows for n in re.findall(r"(?:^|; )([\d,]+) ", row[1])]
    real = [row[2].split()[0] for row in rows]
    cases, systems = (sum(int(n.replace(",", "")) for n in numbers) for numbers in (generated, real))
    assert f"in {cases:,} generated and {systems} real cases" in " ".join(README.split())
    words, speed = " ".join(README.split()), site_page("benchmarks")
    for command, official, between in (
        ("m2scorer CAMB gold.m2", "18.8 s", " (official scorer: "),
        ("score -c jfleg:test", "3.6 s", " (official script: "),
    ):
        ours = re.search(rf"^\| `gecbench {command}`, a cold process .*\((\d+) ms\)", speed, re.MULTILINE)
        assert ours
        assert official in speed
        assert f"{int(ours[1]) / 1000:.1f} s{between}{official}" in words


def test_links_of_the_readme_are_absolute_and_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", BLOCK.sub("", README))
    assert links
    for link in links:
        if link.startswith(SITE):
            name = link.removeprefix(SITE).partition("#")[0].rstrip("/")
            assert (ROOT / f"docs/{name}.md").exists() or (ROOT / f"docs/{name}/index.md").exists(), link
        else:
            start = (
                REPOSITORY
                if link.startswith(REPOSITORY)
                else "https://raw.githubusercontent.com/gecbench/gecbench/main/"
            )
            assert link.startswith(start)
            assert (ROOT / link.removeprefix(start)).exists(), link


@pytest.mark.parametrize("card", METRIC_CARDS, ids=name_of)
def test_card_is_complete(card: Path) -> None:
    header = header_of(card)
    assert {"evaluate", "metric"} <= set(header["tags"])
    assert header["title"]
    assert header["description"]
    assert (card.parent / header["app_file"]).is_file()
    wanted = ["Metric description", "How to use", "Inputs", "Output values", "Values from popular papers", "Examples"]
    wanted += ["Limitations and bias", "Citation", "Further references"]
    assert re.findall(r"^##+ (.*)", card.read_text(encoding="utf-8"), re.MULTILINE) == wanted
    assert "gecbench" in (card.parent / "requirements.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("card", SPACES, ids=name_of)
def test_space_is_static_and_whole(card: Path) -> None:
    header = header_of(card)
    assert header["sdk"] == "static"
    assert len(header["short_description"]) <= 60
    page = (card.parent / header["app_file"]).read_text(encoding="utf-8")
    wanted = [name for name in re.findall(r'(?:src|href)="([^"#]+)"', page) if not name.startswith("data/")]
    assert wanted
    assert not [name for name in wanted if not (card.parent / name).is_file()]


def test_published_values_in_the_gleu_card() -> None:
    text = (ROOT / "metrics/gleu/README.md").read_text(encoding="utf-8")
    goldens = golden("gleu.json")
    jfleg, fluency = table(text, "system"), table(text.partition("CoNLL-14 with")[2], "system")
    for system, split, published, ours in jfleg:
        known = goldens["jfleg"][f"jfleg.{split}.{'source' if system == 'source' else 'human_average'}"]
        value = known["py2_full_precision"]["mean"] if system == "source" else known["py2"]
        assert (float(published), float(ours)) == (known["published_x100"], round(100 * value, 2))
    for system, published, official in fluency:
        known = goldens["conll14"][f"conll14.E-fluency.{'INPUT' if 'INPUT' in system else system}"]
        assert published == f"{100 * known['published_metric_scores']:.2f}"
        assert official == f"{100 * known['official_full_precision_1278']['mean']:.2f}"


def test_published_values_in_the_m2_card() -> None:
    text = (ROOT / "metrics/m2/README.md").read_text(encoding="utf-8")
    goldens = golden("m2.json")
    cells = [cell for row in table(text, "system") for cell in row]
    published = dict(zip(cells[::2], cells[1::2], strict=True))
    assert {**published, "INPUT": "0.0000"} == goldens["published"]["nucle_ignoring_case"]
    for gold, system, *digits in table(text, "gold"):
        part = "combined" if gold == "two annotators" else "withalt"
        assert digits == goldens["runs"][f"conll14.{part}.{system}"]["printed"]
    humans = [f"{100 * goldens['human_average'][f'jfleg.{split}']:.2f}" for split in ("dev", "test")]
    words = " ".join(text.split())
    assert f"{humans[0]} on the development set (published: 63.2), {humans[1]} on the test set" in words
    assert goldens["published"]["jfleg_dev_human_average_x100"] == 63.2


def test_published_values_in_the_errant_card() -> None:
    text = (ROOT / "metrics/errant/README.md").read_text(encoding="utf-8")
    for system, *values in table(text, "system"):
        printed = [golden("errant.json")["stdout"][system][mode] for mode in ("default", "cse", "ds", "dt")]
        assert values == [each.splitlines()[-3].split("\t")[-1] for each in printed]


def test_values_of_gec_metrics_in_the_page_on_gleu() -> None:
    known = golden("green_seeda.json.gz")["references"]["right"]
    columns = ("gleu_official_gecmetrics", "gleu_plus_gecmetrics")
    rows = table(page("faq"), "system")
    assert len(rows) == 3
    for system, *shown in rows:
        assert shown == [f"{100 * known[name]['corpus'][system.split()[0]]:.2f}" for name in columns]
    official, plus = (float(value) for value in rows[-1][1:])
    assert f"| {official - plus:.2f} points for the unchanged text of SEEDA |" in page("faq")


def test_official_values_in_the_green_card() -> None:
    known = golden("green_seeda.json.gz")["references"]["right"]
    columns = [("word", "2"), ("word", "0.5"), ("char", "2")]
    rows = table((ROOT / "metrics/green/README.md").read_text(encoding="utf-8"), "system")
    assert len(rows) == 6
    for system, *shown in rows:
        found = [known[f"green_official_{unit}"]["corpus"][beta][system.split()[0]] for unit, beta in columns]
        assert shown == [f"{float(value):.4f}" for value in found]
    unchanged = known["green_official_word"]["corpus"]["0.5"].pop("INPUT")
    assert all(float(value) < float(unchanged) for value in known["green_official_word"]["corpus"]["0.5"].values())


def test_official_values_in_the_cleme_card() -> None:
    rows = table((ROOT / "metrics/cleme/README.md").read_text(encoding="utf-8"), "system")
    known = golden("cleme_conll14.json.gz")["systems"]
    assert [row[0] for row in rows] == sorted(
        known, key=lambda name: -known[name]["dependent"]["cleme"]["corpus_weighted"]["f"]
    )
    for system, *shown in rows:
        levels = [
            (way, kind) for way in ("dependent", "independent") for kind in ("corpus_weighted", "corpus_unweighted")
        ]
        found = [known[system][way]["cleme"][kind]["f"] for way, kind in levels]
        second = known[system]["independent"]["cleme2_corpus_factors"]["corpus_unweighted"]
        assert shown == [f"{value:.4f}" for value in (*found, second["com"], second["ove"])]


def test_official_values_in_the_errant_document() -> None:
    text = (ROOT / "docs/metrics/errant.md").read_text(encoding="utf-8")
    for system, mode, official, value, *_ in table(text, "system"):
        flags = "default" if mode == "`cs`" else mode.strip("`")
        printed = golden("errant.json")["stdout"][system][flags].splitlines()[-3].split("\t")
        assert (official.split(", "), value) == (printed[:3], printed[-1])


def test_published_values_in_the_page_on_harnesses() -> None:
    known = [
        {each.system: each.value for each in published_results(corpus, "gleu") if "README" in each.source}
        for corpus in ("jfleg:dev", "jfleg:test")
    ]
    names = {"the source, unchanged": "Source (unchanged)", "human: each rewriter against the other three": "Human"}
    rows = table((ROOT / "docs/harnesses.md").read_text(encoding="utf-8"), "JFLEG, GLEU")
    assert len(rows) == 6
    for system, *shown in rows:
        found = [values.get(names.get(system, system)) for values in known]
        assert shown == ["–" if value is None else f"{value:.2f}" for value in found]


def test_our_figures_beside_the_converter_of_2016_are_those_of_the_reproduction() -> None:
    text = site_page("REPRODUCTION")
    rows = table(page("findings"), "metric, references")
    assert len(rows) == 8
    for name, *shown in rows:
        metric, references = name.split(", ")
        known = text.partition(f"### Table 6, {metric}\n")[2].partition("\n###")[0]
        cells = next(row for row in known.splitlines() if row.startswith(f"| {references} (2) |")).split(" | ")
        assert (shown[0], shown[1], shown[3], shown[4]) == (cells[1], cells[3], cells[5], cells[7])


def test_our_rows_in_the_comparison_with_other_tools() -> None:
    tools = runpy.run_path(str(ROOT / "tools/other_tools.py"))
    systems = gecbench.load_demo_systems()
    rows = [row for row in table(page("tools"), "tool") if row[0] == "gecbench"]
    assert len(rows) == 6
    for _, name, _, *shown in rows:
        score = tools["our_errant"] if name == "`errant`" else tools["ours"](name.strip("`"))
        assert shown == [f"{score(systems[system]):.2f}" for system in tools["SYSTEMS"]]


def test_figures_in_the_page_on_gec_metrics() -> None:
    """Those of gec-metrics are in its README and in the comparison with other tools; ours are computed."""
    text = page("tutorials/from-gec-metrics")
    results = json.loads((ROOT / "benchmarks/results.json").read_text(encoding="utf-8"))["reproduction"]
    sections = next(each for each in results if each["paper"] == "seeda")["sections"]
    known = next(each for each in sections if "README" in each["title"])["rows"]
    levels = {"TrueSkill": "corpus", "Expected Wins": "corpus EW", "pairs of outputs": "sentence"}
    symbols = {"pearson": "r", "spearman": "ρ", "accuracy": "acc."}
    rows = table(text, "SEEDA, GLEU+")
    assert len(rows) == 4
    for place, *shown in rows:
        human, level, what = place.split(", ")
        key = ["GLEU+", f"{human[0].upper()}, base", levels[level], symbols[what]]
        assert shown in [row[4:7] for row in known if row[:4] == key]
    theirs = {name: values for tool, name, _, *values in table(page("tools"), "tool") if tool.startswith("gec-metrics")}
    places = ("do-nothing", "spell-checker", "rule-based", "good-corrector")
    for system, plus, our_plus, official, our_official in table(text, "system"):
        k = places.index(system)
        assert (plus, official) == (theirs["`GLEU`"][k], theirs["`GLEUOfficial`"][k])
        outputs = gecbench.load_demo_systems()[system]
        for shown, metric in ((our_plus, "gleu(variant=multiset)"), (our_official, "gleu(draws=py3)")):
            assert shown == f"{100 * gecbench.score(outputs, 'demo', metric)['gleu'].value:.2f}"


def test_picture_of_the_readme_shows_the_demo() -> None:
    drawn = runpy.run_path(str(ROOT / "tools/picture.py"))["picture"]()
    assert drawn == (ROOT / "docs/assets/picture.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_relative_links_resolve(document: Path) -> None:
    text = BLOCK.sub("", document.read_text(encoding="utf-8"))
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    relative = [link.partition("#")[0] for link in links if not re.match(r"https?:|mailto:|#", link)]
    assert not [link for link in relative if not (document.parent / link).exists()]


WORKFLOWS = ("ci", "docs", "nightly", "release", "wheels")


@pytest.mark.parametrize("name", ["CITATION.cff", *(f".github/workflows/{name}.yml" for name in WORKFLOWS)])
def test_yaml_parses(name: str) -> None:
    if not (ROOT / name).exists():
        pytest.skip("not part of a source distribution")
    assert isinstance(yaml.safe_load((ROOT / name).read_text(encoding="utf-8")), dict)


def test_citation_names_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == gecbench.__version__
    assert f"## [{gecbench.__version__}] - {citation['date-released']}" in CHANGELOG.splitlines()


@pytest.mark.parametrize("document", [ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *CARDS], ids=name_of)
def test_signatures_shown_are_of_this_version(document: Path) -> None:
    shown = set(re.findall(r"\bversion:(\d[\d.]*)", document.read_text(encoding="utf-8")))
    assert shown <= {gecbench.__version__}


def test_changelog_is_in_order() -> None:
    versions = re.split(r"^## ", CHANGELOG, flags=re.MULTILINE)[1:]
    assert versions[0].startswith("[Unreleased]\n")
    assert all(re.match(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d\n", version) for version in versions[1:])
    for version in versions:
        sections = re.findall(r"^### (\w+)$", version, re.MULTILINE)
        assert sections == [name for name in ("Added", "Changed", "Removed", "Fixed") if name in sections]
    # What begins the same way twice was merged twice.
    beginnings = re.findall(r"^(- .{30}|  .{40})", CHANGELOG, re.MULTILINE)
    assert len(beginnings) == len(set(beginnings))

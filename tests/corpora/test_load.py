"""One resolver: names, files, rows and objects, from Python, the command line and the board."""

import gzip
import json
import re
from pathlib import Path

import pytest

import gecbench
from gecbench.corpora.demo import DATA
from gecbench.corpora.load import resolve_corpus

DEMO, GOOD = gecbench.load_demo(), gecbench.load_demo_systems()["good-corrector"]
OUTPUTS = str(DATA / "systems" / "good-corrector.txt")


@pytest.fixture
def files(tmp_path, run):
    """Write the demo's coded edits in every kind of file."""
    for name in ("task.m2", "task.xml", "task.jsonl"):
        run("convert", DATA / "gold.m2", "-o", tmp_path / name)
    (tmp_path / "task.m2.gz").write_bytes(gzip.compress((tmp_path / "task.m2").read_bytes()))
    return tmp_path


def test_names_and_objects():
    assert resolve_corpus(DEMO) is DEMO
    assert resolve_corpus("demo").fingerprint() == DEMO.fingerprint()


@pytest.mark.parametrize("name", ["jfleg:test", "jfleg", "conll14_fluency:nucle", "conll14_fluency:all:test"])
def test_names_of_datasets(tiny_environment, name):
    expected = gecbench.load_corpus(name)
    found = resolve_corpus(name)
    assert (found.name, found.fingerprint()) == (expected.name, expected.fingerprint())


@pytest.mark.parametrize("name", ["task.m2", "task.xml", "task.jsonl", "task.m2.gz"])
def test_files_of_every_kind(files, name):
    edited = gecbench.derive_references(gecbench.Corpus(DEMO.sources, annotations=DEMO.annotations))
    expected = gecbench.score(GOOD, edited)["gleu"].value
    for path in (files / name, str(files / name)):
        assert resolve_corpus(path).name == name
        assert gecbench.score(GOOD, path)["gleu"].value == pytest.approx(expected, abs=1e-12)


def test_rows(tiny_environment):
    rows = gecbench.load_rows("jfleg", split="test")
    found = resolve_corpus(rows)
    assert found.references == gecbench.load_corpus("jfleg:test").references
    assert found.ids == ("test-1", "test-2")
    datasets = pytest.importorskip("datasets", minversion="2.21")
    assert resolve_corpus(datasets.Dataset.from_list(rows)).fingerprint() == found.fingerprint()
    edited = resolve_corpus(gecbench.load_rows("jfleg", "m2", "test"))
    assert edited.annotations == gecbench.load_corpus("jfleg:m2:test").annotations


def test_edits_are_applied_where_a_metric_needs_references(tmp_path):
    overlapping = tmp_path / "overlapping.m2"
    edits = ["A 0 2|||X|||He goes|||REQUIRED|||-NONE-|||0", "A 1 2|||X|||went|||REQUIRED|||-NONE-|||0"]
    overlapping.write_text("\n".join(["S He go home .", *edits, "", ""]))
    assert resolve_corpus(overlapping, ["m2"]).references is None
    assert resolve_corpus(overlapping).references is None
    with pytest.raises(gecbench.InputError, match="overlap"):
        resolve_corpus(overlapping, ["m2", "gleu"])


def test_every_python_function_takes_a_name():
    scores = gecbench.score(GOOD, "demo", ["gleu", "m2"])
    assert scores["m2"].value == gecbench.score(GOOD, DEMO, ["m2"])["m2"].value
    report = gecbench.compare({"good": GOOD}, "demo", resamples=10, test=None)
    assert report["good"]["gleu"].value == scores["gleu"].value
    named, given = (gecbench.human_bound("m2", corpus, sizes="last") for corpus in ("demo", DEMO))
    assert named.rows == given.rows
    assert gecbench.correct(str.upper, "demo") == [source.upper() for source in DEMO.sources]


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("jflge:test", r"Did you mean jfleg:test\?$"),
        ("conl14", r"Did you mean conll14\?$"),
        ("xyz", r"'xyz'\. Give a corpus name \(demo, jfleg, jfleg:m2, conll14, conll14:alt, bn15, "),
        (Path("nowhere/at-all"), r"a file \(\.m2, \.xml, \.jsonl\) or a dataset on the Hub"),
        ("nowhere.m2", "nowhere.m2: no such file"),
        ("jfleg:tset", r"nor a split of jfleg\. Did you mean test\?$"),
        ("jfleg:xyz", r"nor a split of jfleg\. Configurations: default, .*; splits: validation, test\.$"),
        (42, "an int is not a corpus"),
        (["a sentence"], "a list is not a corpus"),
        ([{"text": "He go ."}], r"columns sentence and corrections \(or annotations\), but have text\. Add or rename"),
        ([{"sentence": "a", "corrections": ["b"]}, {"sentence": "a"}], "row 2 does not have the same fields as row 1"),
        ([], "the corpus is empty"),
    ],
)
def test_what_is_no_corpus(what, message):
    with pytest.raises(gecbench.InputError, match=message):
        gecbench.score(GOOD, what)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("JFLEG", "jfleg"),
        ("JFLEG:test", "jfleg:test"),
        ("CoNLL-14", "conll14"),
        ("jfleg-test", "jfleg:test"),
        ("jfleg/test", "jfleg:test"),
        ("jfleg test", "jfleg:test"),
        ("JFLEG:Dev", "jfleg:dev"),
        ("cweb/s/dev", "cweb:s:dev"),
        ("conll14_bn15", "conll14:bn15"),
        ("Demo", "demo"),
    ],
)
def test_names_with_other_case_or_punctuation(written, name, refused):
    hint = rf"there is no corpus or file '{written}'\. Did you mean {name}\?$"
    with pytest.raises(gecbench.InputError, match=hint):
        gecbench.score(GOOD, written)
    refused(["score", "-c", written, "-p", OUTPUTS], hint)


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("jfleg-test", "no dataset 'jfleg-test'. Did you mean jfleg:test?"),
        ("CoNLL-14", "no dataset 'CoNLL-14'. Did you mean conll14?"),
        ("jfleg:Dev", "nor a split of jfleg. Did you mean dev?"),
    ],
)
def test_names_of_datasets_with_other_case_or_punctuation(written, hint):
    with pytest.raises(gecbench.InputError, match=f"{re.escape(hint)}$"):
        gecbench.load_corpus(written)


def test_a_name_that_is_not_a_string():
    with pytest.raises(gecbench.InputError, match="name=3 is not a string"):
        gecbench.load_corpus(3)


@pytest.mark.parametrize("name", ["task.m2", "task.xml", "task.jsonl"])
def test_the_command_line_takes_the_same(files, run, name):
    found = {}
    for option in ("-c", "--gold") if name != "task.jsonl" else ("-c",):
        printed = run("score", option, files / name, "-p", OUTPUTS, "-m", "gleu", "m2", "-f", "json")
        (system,) = json.loads(printed)["systems"]
        found[option] = [scored["value"] for scored in system["scores"]]
    assert all(values == found["-c"] for values in found.values())


def test_the_board_takes_an_m2_file(files, run):
    board, given = ["--board", files / "board"], ["-c", files / "task.m2"]
    (files / "board").mkdir()
    submitted = run("leaderboard", "submit", *given, "-p", OUTPUTS, "--name", "Good", *board)
    assert "rank 1 of 1 by GLEU" in submitted
    assert "Good" in run("leaderboard", "list", "-c", "task", "--without-published", *board)
    run("leaderboard", "build", *given, *board, "-o", files / "site")


@pytest.mark.parametrize("frame", ["dicts", "pandas", "polars", "datasets"])
def test_tables_with_usual_names_are_corpora(frame):
    rows = [{"source": "He go .", "target": "He goes ."}, {"source": "I agree .", "target": "I agree ."}]
    table = {
        "dicts": lambda: rows,
        "pandas": lambda: pytest.importorskip("pandas").DataFrame(rows),
        "polars": lambda: pytest.importorskip("polars").DataFrame(rows),
        "datasets": lambda: pytest.importorskip("datasets").Dataset.from_list(rows),
    }[frame]()
    found = resolve_corpus(table)
    assert found.sources == ("He go .", "I agree .")
    assert found.references == (("He goes .",), ("I agree .",))

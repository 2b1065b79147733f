"""`score` and `compare` from Python: wrong values and settings, systems compared with each other."""

import json
import shutil
from pathlib import Path
from types import MappingProxyType

import pytest

import gecbench
from gecbench import InputError, compare, score
from gecbench.corpora.demo import DATA
from gecbench.formats.m2 import read_m2

DEMO, SYSTEMS = gecbench.load_demo(), gecbench.load_demo_systems()
SOURCES = ["He go home .", "They is here .", "A cat sleep ."]
PREDICTIONS = ["He goes home .", "They are here .", "A cat sleeps ."]
REFERENCES = [
    ["He goes home .", "He went home ."],
    ["They are here .", "They were here ."],
    ["A cat sleeps .", "Cats sleep ."],
]
GOOD = {"sources": SOURCES, "predictions": PREDICTIONS, "references": REFERENCES}
TRANSPOSED = [list(column) for column in zip(*REFERENCES, strict=True)]
SQUARE = [["He goes home .", "They are here .", "A cat sleeps ."]] * 3
BAD_VALUES = {
    "fewer predictions": ({"predictions": PREDICTIONS[:2]}, r"2 predictions for 3 sources"),
    "more predictions": ({"predictions": [*PREDICTIONS, "x"]}, r"4 predictions for 3 sources"),
    "fewer references": ({"references": REFERENCES[:1]}, r"3 sources, but references for 1 sentence"),
    "transposed references": ({"references": TRANSPOSED}, r"references look transposed.*list\(zip\(\*references\)\)"),
    "transposed square references": ({"references": SQUARE}, r"references look transposed"),
    "a string for a list of references": ({"references": ["one", "two", "three"]}, r"references\[0\] is a str"),
    "a string among lists": ({"references": [*REFERENCES[:2], "Cats sleep ."]}, r"references\[2\] is a str"),
    "one string as references": ({"references": "Cats sleep ."}, r"references is a single str"),
    "a string for predictions": ({"predictions": "He goes home ."}, r"predictions is a single str"),
    "a number for predictions": (
        {"predictions": 3},
        r"predictions is an int \(3\)\. Pass a list with one string per sentence",
    ),
    "a truth for references": ({"references": True}, r"references is a bool \(True\)\. references\[i\] must be"),
    "no references for a sentence": ({"references": [*REFERENCES[:2], []]}, r"sentence 3 has no reference"),
    "None among predictions": ({"predictions": [*PREDICTIONS[:2], None]}, r"predictions\[2\] is None"),
    "None among references": ({"references": [*REFERENCES[:2], [None]]}, r"references\[2\]\[0\] is None"),
    "None for a list of references": ({"references": [*REFERENCES[:2], None]}, r"references\[2\] is None"),
    "a number among predictions": ({"predictions": [*PREDICTIONS[:2], 7]}, r"predictions\[2\] is an int"),
    "a list among predictions": ({"predictions": [*PREDICTIONS[:2], ["A cat"]]}, r"predictions\[2\] is a list"),
    "None among sources": ({"sources": [*SOURCES[:2], None]}, r"sources\[2\] is None"),
    "a lone surrogate": ({"predictions": [*PREDICTIONS[:2], "\udce9"]}, r"lone surrogate"),
    "a set of predictions": (
        {"predictions": {*PREDICTIONS}},
        r"predictions is a set, not a list\..* by their position",
    ),
    "a set of sources": ({"sources": frozenset(SOURCES)}, r"sources is a frozenset, not a list"),
    "a set of references": ({"references": {(text,) for text in PREDICTIONS}}, r"references is a set, not a list"),
    "a set among lists": ({"references": [*REFERENCES[:2], {"A cat sleeps ."}]}, r"references\[2\] is a set"),
    "keys of a dictionary": ({"predictions": dict.fromkeys(PREDICTIONS).keys()}, r"predictions is a dict_keys"),
    "an empty corpus": ({"sources": [], "predictions": [], "references": []}, r"the corpus is empty"),
}


@pytest.mark.parametrize(("change", "message"), BAD_VALUES.values(), ids=BAD_VALUES)
def test_api(change, message):
    with pytest.raises(gecbench.InputError, match=message):
        gecbench.GLEU().score(**{**GOOD, **change})


@pytest.mark.parametrize("number", [True, 3, 2.5, None])
def test_predictions_that_are_no_list(number):
    with pytest.raises(gecbench.InputError, match="predictions is"):
        gecbench.score(number, "demo")
    with pytest.raises(gecbench.InputError, match="predictions of a is"):
        gecbench.compare({"a": number, "b": number}, "demo")


@pytest.mark.parametrize("unordered", [set, frozenset])
def test_predictions_without_an_order(unordered):
    corpus, lines = gecbench.Corpus(SOURCES, REFERENCES), unordered(PREDICTIONS)
    with pytest.raises(gecbench.InputError, match="set, not a list"):
        gecbench.score(lines, corpus)
    with pytest.raises(gecbench.InputError, match="set, not a list"):
        gecbench.compare({"a": lines, "b": PREDICTIONS}, corpus, resamples=2)
    with pytest.raises(gecbench.InputError, match="set, not a list"):
        gecbench.compare({"a": {"prediction": lines}}, corpus, test=None)


@pytest.mark.parametrize("column", ["He goes .", b"x", 3, None], ids=str)
def test_a_column_that_is_no_list(column):
    with pytest.raises(gecbench.InputError, match="the column 'prediction' is a single"):
        gecbench.compare({"a": {"prediction": column}}, "demo", test=None)


@pytest.mark.parametrize(("change", "message"), BAD_VALUES.values(), ids=BAD_VALUES)
def test_evaluate(change, message):
    module = gecbench.load_metric("gleu")
    with pytest.raises(gecbench.InputError, match=message):
        module.compute(**{**GOOD, **change})
    assert module.compute(**GOOD)["gleu"] > 0, "a refused call leaves nothing behind"


BAD_SETTINGS = {
    "no metrics": ({"metrics": 5}, "metrics is an int, not a list"),
    "a number for a metric": ({"metrics": ["gleu", 4]}, "the metric is an int"),
    "resamples that are a string": ({"resamples": "20"}, "resamples='20' is not a whole number"),
    "resamples that are a fraction": ({"resamples": 1.5}, r"resamples=1\.5 is not a whole number"),
    "a negative seed": ({"resamples": 5, "seed": -1}, "seed=-1 is not a whole number of at least 0"),
    "a seed that is a string": ({"resamples": 5, "seed": "x"}, "seed='x' is not a whole number of at least 0"),
}


@pytest.mark.parametrize(("settings", "message"), BAD_SETTINGS.values(), ids=BAD_SETTINGS)
def test_settings_of_another_type(settings, message):
    with pytest.raises(gecbench.InputError, match=message):
        gecbench.score(DEMO.sources, DEMO, **settings)


@pytest.mark.parametrize("metrics", [["gleu"], ["gleu", "m2"], ["bleu"], ["m2"]], ids=" ".join)
@pytest.mark.parametrize("form", [str, Path, read_m2], ids=["name", "path", "corpus"])
def test_an_m2_file_gives_references_as_on_the_command_line(folder, run, form, metrics):
    shutil.copy(DATA / "gold.m2", "x.m2")
    shutil.copy(DATA / "systems" / "rule-based.txt", "out.txt")
    printed = json.loads(run("score", "--gold", "x.m2", "-m", *metrics, "-p", "out.txt", "-f", "json"))
    expected = [(each["value"], each["signature"]) for each in printed["systems"][0]["scores"]]
    for found in (
        gecbench.score(SYSTEMS["rule-based"], form("x.m2"), metrics),
        gecbench.compare({"a": SYSTEMS["rule-based"]}, form("x.m2"), metrics, resamples=0, test=None)["a"],
    ):
        assert [(each.value, str(each.signature)) for each in found.values()] == expected


def test_a_file_name_for_predictions_is_refused_with_a_hint():
    with pytest.raises(gecbench.InputError, match=r'or a file as Path\("output\.txt"\)'):
        gecbench.score("output.txt", "demo")


def test_a_corpus_with_neither_edits_nor_references_is_refused():
    with pytest.raises(InputError, match=r"GLEU needs references, but corpus has none\. Give references, or derive"):
        gecbench.score(["a b"], gecbench.Corpus(sources=["a b"]))


def test_empty_outputs_are_scored():
    assert gecbench.score([""] * len(DEMO), DEMO)["gleu"].value == 0


def test_all_systems_are_checked_before_one_is_scored(monkeypatch):
    monkeypatch.setattr(gecbench.GLEU, "count", lambda *_: pytest.fail("it was scored"))
    demo = gecbench.load_demo()
    shifted = [*demo.sources[1:], demo.sources[0]]
    with pytest.raises(gecbench.InputError, match="predictions of b look shifted"):
        gecbench.compare({"a": demo.sources, "b": shifted}, demo)


class TestCompare:
    def test_against(self):
        report = compare(SYSTEMS, DEMO, resamples=20, against="above")
        pairs = [(test.system, test.baseline) for test in report.tests]
        ranked = report.ranked()
        assert ranked == ["good-corrector", "rule-based", "spell-checker", "do-nothing"]
        assert pairs == list(zip(ranked[1:], ranked[:-1], strict=True))
        named = compare(SYSTEMS, DEMO, resamples=20, against="rule-based")
        assert {test.baseline for test in named.tests} == {"rule-based"}
        assert len(named.tests) == 3

    def test_wrong_use(self):
        with pytest.raises(InputError, match="is not one of the systems"):
            compare(SYSTEMS, DEMO, resamples=5, against="nobody")
        unknown = r"test='z' is unknown\. Use 'randomization', 'bootstrap', 't-test' or None"
        with pytest.raises(InputError, match=unknown):
            compare(SYSTEMS, DEMO, resamples=5, test="z")
        with pytest.raises(InputError, match="needs at least two systems"):
            compare({"alone": SYSTEMS["rule-based"]}, DEMO)
        with pytest.raises(InputError, match="no systems"):
            compare({}, DEMO)
        with pytest.raises(InputError, match=r"^the name of a system is an int \(2\), not a string\. Use compare\("):
            compare({"one": SYSTEMS["rule-based"], 2: SYSTEMS["do-nothing"]}, DEMO, resamples=5)
        with pytest.raises(InputError, match=r"Use compare\("):
            score(SYSTEMS, DEMO)
        with pytest.raises(InputError, match="metrics is empty"):
            score(SYSTEMS["rule-based"], DEMO, metrics=[])
        with pytest.raises(InputError, match="resamples=-1 is not a whole number of at least 0"):
            score(SYSTEMS["rule-based"], DEMO, resamples=-1)
        with pytest.raises(InputError, match="1 prediction of short for 42 sources"):
            compare({"short": ["x"], "rule-based": SYSTEMS["rule-based"]}, DEMO)

    def test_tests_name_their_column(self):
        two = {name: SYSTEMS[name] for name in ("do-nothing", "rule-based")}
        report = compare(two, DEMO, ["gleu", "gleu(draws=py3)", "m2"], resamples=5)
        assert [test.metric for test in report.tests] == ["gleu", "gleu(draws=py3)", "m2"]
        assert report.table().header.count("p") == 3
        with pytest.raises(InputError, match="gleu is given twice"):
            compare(two, DEMO, ["gleu", "gleu"], resamples=5)

    def test_a_wide_report_is_stacked(self):
        metrics = ["gleu", "m2", "bleu", "gleu(order=3)"]
        text = compare(SYSTEMS, DEMO, metrics, resamples=5).render("text")
        first, second, _legend, _signatures = text.split("\n\n")
        assert max(map(len, [*first.splitlines(), *second.splitlines()])) <= 80
        assert first.count("good-corrector") == second.count("good-corrector") == 1

    def test_the_same_metric_twice(self):
        found = score(SYSTEMS["rule-based"], DEMO, metrics=["gleu", "gleu(draws=py3)"])
        assert list(found) == ["gleu", "gleu(draws=py3)"]
        assert found["gleu"].value != found["gleu(draws=py3)"].value


def test_an_empty_reference_scores():
    corpus = gecbench.Corpus(sources=["a b c d"], references=[["", "a b c d"]])
    assert 0 < score(["a b c d"], corpus)["gleu"].value < 1


def test_meta_is_the_command(run):
    rows = gecbench.meta(["gleu", "m2"], runs=20, ties="drop", windows=3)
    printed = json.loads(
        run("meta", "-m", "gleu", "m2", "--runs", "20", "--ties", "drop", "--windows", "3", "-f", "json")
    )
    for row, shown in zip(rows, printed, strict=True):
        assert row.metric == shown["metric"]
        assert row.sentences.tau == shown["sentences"]["tau"]
        assert row.correlations["pearson"].value == shown["systems"]["pearson"]["value"]
        assert [window.values["pearson"] for window in row.windows] == [one["pearson"] for one in shown["windows"]]


@pytest.mark.parametrize(
    ("human", "message"),
    [("seeda", r"unknown judgments 'seeda'\. .*Choose one of demo"), ("conll14-references", "are not public")],
)
def test_meta_needs_judgments_with_outputs(human, message):
    with pytest.raises(gecbench.InputError, match=message):
        gecbench.meta("gleu", human)


def test_meta_of_some_systems():
    (row,) = gecbench.meta("gleu", systems=["good-corrector", "rule-based", "do-nothing"], runs=20)
    assert row.correlations["spearman"].items == 3
    with pytest.raises(gecbench.InputError, match="unknown system or set 'base'"):
        gecbench.meta("gleu", systems="base")


class TestArrowAndPolars:
    """Columns of Arrow and polars are read as Python's own values."""

    ROWS = MappingProxyType({"sentence": SOURCES, "corrections": REFERENCES, "prediction": PREDICTIONS})
    EXPECTED = gecbench.GLEU().score(**GOOD).value

    def test_arrow(self):
        pyarrow = pytest.importorskip("pyarrow")
        table = pyarrow.table(dict(self.ROWS))
        corpus = table.select(["sentence", "corrections"])
        assert score(table.select(["prediction"]), corpus)["gleu"].value == self.EXPECTED
        assert score(table["prediction"], corpus)["gleu"].value == self.EXPECTED, "a chunked array"
        assert score(pyarrow.array(PREDICTIONS), corpus.to_batches()[0])["gleu"].value == self.EXPECTED
        made = gecbench.Corpus(table["sentence"], table["corrections"])
        assert made.references == tuple(map(tuple, REFERENCES))

    def test_polars(self):
        polars = pytest.importorskip("polars")
        frame = polars.DataFrame(dict(self.ROWS))
        corpus = frame.select("sentence", "corrections")
        assert score(frame.select("prediction").lazy(), corpus.lazy())["gleu"].value == self.EXPECTED
        assert score(frame["prediction"], corpus)["gleu"].value == self.EXPECTED


def test_scores_as_plain_data_and_as_a_frame():
    scores = score(SYSTEMS["rule-based"], DEMO, ["gleu", "m2"])
    assert scores.to_dict()["m2"] == scores["m2"].to_dict()
    json.dumps(scores.to_dict())
    pytest.importorskip("pandas")
    frame = scores.to_pandas()
    assert frame.loc["predictions", "m2_recall"] == scores["m2"].parts["recall"]
    assert frame.loc["predictions", "gleu"] == scores["gleu"].value


class TestHub:
    """A dataset of the Hub by name; here a folder of the same form."""

    @pytest.fixture
    def folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
        folder = tmp_path / "owner" / "name"
        folder.mkdir(parents=True)
        rows = [{"sentence": s, "corrections": r} for s, r in zip(SOURCES, REFERENCES, strict=True)]
        (folder / "test.jsonl").write_text("\n".join(map(json.dumps, rows)))
        return folder

    @pytest.mark.parametrize("name", ["hf:owner/name", "hf:owner/name:test", "hf:owner/name:default:test"])
    def test_names(self, folder, name):
        assert score(PREDICTIONS, name)["gleu"].value == gecbench.GLEU().score(**GOOD).value

    def test_refused(self, folder):
        with pytest.raises(InputError, match=r"hf:owner/name:train cannot be loaded: .*train.*Check the name"):
            score(PREDICTIONS, "hf:owner/name:train")
        with pytest.raises(InputError, match="Write hf:owner/name:configuration:split"):
            score(PREDICTIONS, "hf:owner/name:a:b:c")

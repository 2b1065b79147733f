"""`python:module:function` as a metric: scores, signatures, the cache, and functions that fail."""

import itertools
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from mirror_files import needs_mirror, seeda_corpus, seeda_output

import gecbench
from gecbench.formats.text import cache_folder, write_lines
from gecbench.leaderboard.scoring import board_metric
from gecbench.metrics.base import metric_class

DEMO, SYSTEMS = gecbench.load_demo(), gecbench.load_demo_systems()
NUMBERS = itertools.count()
SMALL = gecbench.Corpus(
    sources=["He go home now .", "They is here .", "I likes it ."],
    references=[["He goes home now ."], ["They are here ."], ["I like it .", "I love it ."]],
)
OUTPUTS = ["He goes home now .", "They is here .", "I love it ."]


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """Write a module into the current folder and return the metric that its function is; the cache begins empty."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)

    def write(code, name=None):
        name = name or f"own_metric_{next(NUMBERS)}"
        Path(f"{name}.py").write_text(code, encoding="utf-8")
        sys.modules.pop(name, None)
        return f"python:{name}:score"

    return write


def body(lines, before=""):
    return f"{before}\ndef score(sources, outputs, references):\n    {lines}\n"


def score_of(spec, outputs=OUTPUTS, corpus=SMALL, **options):
    [found] = gecbench.score(outputs, corpus, spec, **options).values()
    return found


EXACT = body("return [float(output in texts) for output, texts in zip(outputs, references)]")
OUR_GLEU = """
from gecbench import GLEU, Corpus

def score(sources, outputs, references):
    metric = GLEU()
    return metric.sentence_values(metric.count(Corpus(sources=sources, references=references), outputs)).tolist()
"""


@pytest.mark.usefixtures("kernels_of")
@pytest.mark.parametrize("system", SYSTEMS)
def test_our_own_gleu_gives_the_same_bits(plugin, system):
    scores = gecbench.score(SYSTEMS[system], DEMO, ["gleu", plugin(OUR_GLEU, "our_gleu")])
    ours, own = (score.sentence_scores() for score in scores.values())
    assert own.tobytes() == ours.tobytes()


@needs_mirror
def test_our_own_gleu_gives_the_same_bits_on_seeda(plugin):
    scores = gecbench.score(seeda_output("T5"), seeda_corpus("official"), ["gleu", plugin(OUR_GLEU)])
    ours, own = (score.sentence_scores() for score in scores.values())
    assert own.tobytes() == ours.tobytes()


def test_our_own_gleu_prints_the_same_sentence_scores(plugin, run):
    spec = plugin(OUR_GLEU)
    write_lines("out.txt", SYSTEMS["rule-based"])
    given = ["score", "-c", "demo", "-p", "out.txt", "--per-sentence", "-f", "json", "-m"]
    printed = (map(json.loads, run(*given, metric).splitlines()) for metric in ("gleu", spec))
    ours, own = ([line["value"] for line in lines] for lines in printed)
    assert len(ours) == len(DEMO)
    assert own == ours


def test_the_corpus_score_is_the_mean_of_the_sentence_scores(plugin):
    score = score_of(plugin(EXACT), resamples=50)
    assert score.sentence_scores().tolist() == [1, 0, 1]
    assert score.value == 2 / 3
    assert 0 <= score.interval.low <= score.value <= score.interval.high <= 1


def test_tests_resample_sentences(plugin):
    """Nine of ten sentences right against none: a sign test has p = 2/2^9 = 0.004."""
    verbs = ["go", "come", "walk", "drive", "write", "read", "cook", "sing", "play", "sleep"]
    sources = [f"She {verb} every day ." for verb in verbs]
    right = [f"She {verb}s every day ." for verb in verbs]
    corpus = gecbench.Corpus(sources=sources, references=[[text] for text in right])
    systems = {"nothing": sources, "right": [*right[:9], sources[9]]}
    for test in ("randomization", "bootstrap"):
        report = gecbench.compare(systems, corpus, plugin(EXACT), resamples=500, test=test)
        assert report.ranked() == ["right", "nothing"]
        assert report.tests[0].difference == pytest.approx(0.9)
        assert report.tests[0].p_value < 0.05
    assert gecbench.compare(systems, corpus, plugin(EXACT), test="t-test").tests[0].p_value < 0.05


def test_declared_name_version_and_direction(plugin):
    declared = '@gecbench.metric(name="errors left", version="2.1", higher_is_better=False)'
    code = f"import gecbench\n{declared}{body('return [float(o not in r) for o, r in zip(outputs, references)]')}"
    spec = plugin(code)
    [(column, score)] = gecbench.score(OUTPUTS, SMALL, spec).items()
    assert (column, score.name, score.value) == ("errors left", "errors left", 1 / 3)
    assert str(score).startswith("errors left = 33.33  python|")
    place = spec.removeprefix("python:")
    assert str(score.signature).startswith(
        f"python|function:{place}|name:errors left|release:2.1|better:lower|corpus:mean|refs:1-2|data:"
    )
    systems = {"nothing": SMALL.sources, "better": OUTPUTS}
    report = gecbench.compare(systems, SMALL, [spec, "gleu"], resamples=20, test="bootstrap", against="above")
    assert report.ranked() == ["better", "nothing"]
    assert [(test.system, test.baseline) for test in report.tests] == [("nothing", "better")] * 2
    assert (0, 1) in report.table().bold


def test_without_a_declaration_name_and_version_come_from_the_module(plugin):
    """The version is the beginning of what sha256sum prints for the file."""
    score = score_of(plugin("def score(sources, outputs, references): return [1.0] * len(outputs)\n", "undeclared"))
    assert score.name == "undeclared"
    assert score.signature["release"] == "ce1b8e5c4765"
    assert score.signature["better"] == "higher"


COUNTING = body(
    "calls.append(len(outputs))\n    return [float(len(output)) for output in outputs]", before="calls = []"
)


def test_a_second_run_costs_nothing(plugin):
    spec = plugin(COUNTING)
    first = score_of(spec)
    calls = sys.modules[spec.split(":")[1]].calls
    assert calls == [3, 3]
    assert score_of(spec).sentence_scores().tobytes() == first.sentence_scores().tobytes()
    assert calls == [3, 3]
    score_of(spec, SMALL.sources)
    assert calls == [3] * 4


def test_other_code_is_called_again(plugin):
    spec = plugin(body("return [0.25] * len(outputs)"), "edited_metric")
    assert score_of(spec).value == 0.25
    plugin(body("return [0.125] * len(outputs)"), "edited_metric")
    assert score_of(spec).value == 0.125


def test_an_edited_file_does_not_spoil_the_cache_before_it_is_imported_again(plugin):
    spec = plugin(body("return [0.25] * len(outputs)"), "edited_later")
    assert score_of(spec).value == 0.25
    Path("edited_later.py").write_text(body("return [0.125] * len(outputs)"), encoding="utf-8")
    assert score_of(spec, SMALL.sources).value == 0.25
    del sys.modules["edited_later"]
    assert score_of(spec, SMALL.sources).value == 0.125


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY damaged", None])
def test_a_damaged_cache_is_made_again(plugin, content):
    spec = plugin(EXACT)
    value = score_of(spec).value
    [file] = (cache_folder() / "plugins").iterdir()
    if content is None:
        np.save(file, np.array([0.0, np.nan, 0.0]))
    else:
        file.write_bytes(content)
    assert score_of(spec).value == value
    assert np.load(file).tolist() == [1, 0, 1]


def test_a_cache_that_cannot_be_written_is_no_error(plugin, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "file"))
    assert score_of(plugin(EXACT)).value == 2 / 3


def test_what_a_function_prints_does_not_mix_with_the_scores(plugin, capsys):
    score_of(plugin(body("print('hello')\n    return [0.5] * len(outputs)", before="print('imported')")))
    assert capsys.readouterr() == ("", "imported\nhello\nhello\n")


FAULTS = {
    "return [0.5] * 2": "returned 2 scores for 3 sentences. The function must take lists of sources",
    "return [0.5, float('nan'), 1]": "returned nan for sentence 2",
    "return [0.5, 1, float('-inf')]": "returned -inf for sentence 3",
    "return ['0.5'] * 3": "returned a str, not a number, for sentence 1",
    "return [1, None, 1]": "returned a NoneType, not a number, for sentence 2",
    "return [1, True, 1]": "returned a bool, not a number, for sentence 2",
    "return 'abc'": "returned a str, not a list",
    "return dict(zip(outputs, [1, 1, 1]))": "returned a dict, not a list",
    "return frozenset(range(len(outputs)))": "returned a frozenset, not a list",
    "return 0.5": "returned a float, not a list. The function must take lists of sources, outputs and references, and",
    "return None": "returned a NoneType, not a list",
    "import numpy; return numpy.array(0.5)": "returned a ndarray, not a list",
    "return (1 / 0 for _ in outputs)": r"raised ZeroDivisionError: division by zero \(",
    "return [len(references[0][9])] * 3": r"raised IndexError: list index out of range \(own_metric_\d+.py, line 3\)",
    "raise SystemExit('bye')": "raised SystemExit: bye",
    "raise KeyError": r"raised KeyError \(",
    "import random; return [random.random() for _ in outputs]": r"is not deterministic: it returned 0\.\d+, then 0",
    "return [k / len(outputs) for k, _ in enumerate(outputs)]": None,
}


@pytest.mark.parametrize(("code", "message"), FAULTS.items())
def test_functions_that_fail(plugin, code, message):
    spec = plugin(body(code))
    if message is None:  # the three sentences that are asked again are the whole corpus
        assert score_of(spec).value == pytest.approx(1 / 3)
        return
    with pytest.raises(gecbench.InputError, match=f"^{spec} {message}") as caught:
        score_of(spec)
    assert str(caught.value).count("\n") == 0
    assert not (cache_folder() / "plugins").exists()


def test_scores_that_depend_on_other_sentences_are_refused(plugin):
    """A bootstrap takes sentences for independent; a score by rank is not."""
    spec = plugin(body("return [k / len(outputs) for k, _ in enumerate(outputs)]"))
    with pytest.raises(
        gecbench.InputError, match=r"is not deterministic: it returned 0.47619, then 0.333333 \(sentence 21, scored"
    ):
        score_of(spec, SYSTEMS["rule-based"], DEMO)


def test_last_digits_may_differ(plugin):
    score_of(plugin(body("return [0.5 + 1e-6 * len(outputs)] * len(outputs)")), SYSTEMS["rule-based"], DEMO)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("python:", "cannot parse the metric 'python:'. Write python:module:function"),
        ("python:json", "cannot parse the metric 'python:json'"),
        ("python:no_such_module:score", "cannot import no_such_module: ModuleNotFoundError"),
        ("python:json:no_such", "json has no 'no_such'"),
        ("python:json:__name__", "json:__name__ is a str, not a function"),
        ("python:math:fsum", "has no version and no source file. Declare a version"),
        ("python", "the metric 'python' needs a function"),
        ("python|function:json:dumps|name:x|release:1|version:0.3.0", "a signature never imports code"),
        ("python:json:dumps,gleu", "is more than one metric"),
    ],
)
def test_names_that_are_refused(plugin, spec, message):
    with pytest.raises(gecbench.InputError, match=message.replace("|", r"\|")):
        gecbench.make_metric(spec)


@pytest.mark.parametrize("fault", ["1 / 0", "import no_such_package"])
def test_a_module_that_fails_on_import_is_named_with_its_line(plugin, fault):
    spec = plugin(f"import sys\n{fault}\n", "broken_module")
    with pytest.raises(gecbench.InputError, match=r" \(broken_module\.py, line 2\)\. Correct this module, or install"):
        gecbench.make_metric(spec)


def test_only_lines_of_the_module_are_named(plugin, monkeypatch):
    spec = plugin("def score(:\n", "misspelled_module")
    monkeypatch.syspath_prepend(Path.cwd())
    monkeypatch.chdir(Path(gecbench.__file__).parent)  # as if gecbench were installed below the current folder
    with pytest.raises(gecbench.InputError) as error:
        gecbench.make_metric(spec)
    assert "(misspelled_module.py, line 1)" in str(error.value)
    assert "plugin.py" not in str(error.value)


def test_signatures_and_boards_import_nothing(plugin):
    spec = plugin("open('imported', 'w')\n" + EXACT, "never_imported")
    with pytest.raises(gecbench.InputError, match="never imports"):
        gecbench.make_metric(f"python|function:{spec[7:]}|name:x|release:1|better:higher|corpus:mean|version:0.3.0")
    for attempt in (board_metric, metric_class):
        with pytest.raises(gecbench.InputError, match="unknown metric"):
            attempt(spec)
    assert not Path("imported").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"name": "a|b", "version": "1"}, r"'a\|b' is not a valid name"),
        ({"name": "", "version": "1"}, "'' is not a valid name"),
        ({"name": "x" * 61, "version": "1"}, "Use 1 to 60 printable characters"),
        ({"name": "mine", "version": 1}, "1 is not a valid version"),
        ({"name": "mine", "version": "1\n"}, "is not a valid version"),
        ({"name": "GLEU", "version": "1"}, "already has a metric called GLEU"),
        ({"name": "mine", "version": "1", "higher_is_better": "yes"}, "neither True nor False"),
    ],
)
def test_declarations_that_are_refused(words, message):
    with pytest.raises(gecbench.InputError, match=message):
        gecbench.metric(**words)


def test_two_functions_of_a_module_have_a_column_each(plugin):
    spec = plugin(EXACT + body("return [0.5] * len(outputs)").replace("score", "other"))
    specs = [spec, spec.replace(":score", ":other")]
    assert list(gecbench.score(OUTPUTS, SMALL, specs)) == specs


def test_commands(plugin, run, refused):
    spec = plugin(EXACT)
    for name, lines in SYSTEMS.items():
        write_lines(f"{name}.txt", lines)
    given = ["-c", "demo", "-p", *(f"{name}.txt" for name in SYSTEMS)]
    assert run("compare", *given, "-m", spec, "--resamples", "20").count("95% interval.") == 1
    assert run("meta", "--runs", "2", "-m", spec, "gleu").splitlines()[2].startswith(spec)
    refused(["explain", *given[:4], "-m", spec], "cannot explain sentences. Choose a metric with -m: gleu")
    stream = ["-s", "do-nothing.txt", "-r", "good-corrector.txt", "-p", "rule-based.txt", "--stream"]
    refused(["score", *stream, "-m", spec], "cannot be merged like counts")


def test_tables_of_counts_are_refused(plugin):
    pytest.importorskip("pyarrow")
    from gecbench import scale

    spec = plugin(EXACT)
    for attempt in (lambda: scale.tabulate(OUTPUTS, SMALL, spec), lambda: scale.counts(spec)):
        with pytest.raises(gecbench.InputError, match="cannot be merged like counts"):
            attempt()


def test_references_are_made_from_edits(plugin):
    edits = DEMO.replace(references=None)
    first = [texts[0] for texts in gecbench.derive_references(edits).references]
    assert score_of(plugin(EXACT), first, edits, aligned=True).value == 1

"""Every kind of bad input gets one clear sentence, on the API, the command line and `evaluate` alike."""

import gzip
import json
import os
import subprocess
import sys
import textwrap

import pytest

import gecbench
from gecbench.cli import main
from gecbench.corpora.demo import DATA
from gecbench.formats.jsonl import read_jsonl

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
    "fewer references": ({"references": REFERENCES[:1]}, r"references for 1 sentences, but 3 sources"),
    "transposed references": ({"references": TRANSPOSED}, r"references look transposed.*list\(zip\(\*references\)\)"),
    "transposed square references": ({"references": SQUARE}, r"references look transposed"),
    "a string for a list of references": ({"references": ["one", "two", "three"]}, r"references\[0\] is a str"),
    "a string among lists": ({"references": [*REFERENCES[:2], "Cats sleep ."]}, r"references\[2\] is a str"),
    "one string as references": ({"references": "Cats sleep ."}, r"references is a single str"),
    "a string for predictions": ({"predictions": "He goes home ."}, r"predictions is a single str"),
    "a number for predictions": ({"predictions": 3}, r"predictions is a int \(3\)\. Pass predictions=\[\.\.\.\]"),
    "a truth for references": ({"references": True}, r"references is a bool \(True\)\. references\[i\] must be"),
    "no references for a sentence": ({"references": [*REFERENCES[:2], []]}, r"no references for sentence 3"),
    "None among predictions": ({"predictions": [*PREDICTIONS[:2], None]}, r"predictions\[2\] is None"),
    "None among references": ({"references": [*REFERENCES[:2], [None]]}, r"references\[2\]\[0\] is None"),
    "None for a list of references": ({"references": [*REFERENCES[:2], None]}, r"references\[2\] is None"),
    "a number among predictions": ({"predictions": [*PREDICTIONS[:2], 7]}, r"predictions\[2\] is a int"),
    "a list among predictions": ({"predictions": [*PREDICTIONS[:2], ["A cat"]]}, r"predictions\[2\] is a list"),
    "None among sources": ({"sources": [*SOURCES[:2], None]}, r"sources\[2\] is None"),
    "a lone surrogate": ({"predictions": [*PREDICTIONS[:2], "\udce9"]}, r"lone surrogate"),
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
    "no metrics": ({"metrics": None}, "metrics are names, not a NoneType"),
    "a number for a metric": ({"metrics": ["gleu", 4]}, "a metric is a name or a Metric, not a int"),
    "resamples that are a string": ({"resamples": "20"}, "resamples='20' is not a whole number"),
    "resamples that are a fraction": ({"resamples": 1.5}, r"resamples=1\.5 is not a whole number"),
    "a negative seed": ({"resamples": 5, "seed": -1}, "seed=-1 is not a whole number of at least 0"),
    "a seed that is a string": ({"resamples": 5, "seed": "x"}, "seed='x' is not a whole number of at least 0"),
}


@pytest.mark.parametrize(("settings", "message"), BAD_SETTINGS.values(), ids=BAD_SETTINGS)
def test_settings_of_another_type(settings, message):
    with pytest.raises(gecbench.InputError, match=message):
        gecbench.score(DEMO.sources, DEMO, **settings)


def text(lines):
    return "".join(f"{line}\n" for line in lines).encode()


M2 = b"S He go home .\nA 1 2|||SVA|||goes|||REQUIRED|||-NONE-|||0\n\n"
GOOD_FILES = {"s": text(SOURCES), "p": text(PREDICTIONS), "r0": text(TRANSPOSED[0]), "r1": text(TRANSPOSED[1])}
BAD_FILES = {
    "fewer predictions": ({"p": text(PREDICTIONS[:2])}, r"p:3: 2 lines, but s has 3 sentences"),
    "more predictions": ({"p": text([*PREDICTIONS, "x"])}, r"p:4: 4 lines, but s has 3 sentences"),
    "fewer references": ({"r1": text(["a"])}, r"r1:2: 1 lines, but .*s has 3 sentences"),
    "not UTF-8": ({"p": b"fine\ncaf\xe9\nx\n"}, r"p:2: not UTF-8: byte 0xe9 at offset 8"),
    "UTF-16": ({"p": "a\nb\nc\n".encode("utf-16")}, r"p:1: not UTF-8"),
    "an empty corpus": ({"s": b"", "p": b"", "r0": b"", "r1": b""}, r"s: the file is empty"),
    "carriage returns alone": ({"p": b"a\rb\rc\r"}, r"p:1: lines end in a carriage return alone.*tr "),
    "a missing file": ({"p": None}, r"p: no such file"),
    "a missing reference": ({"r0": None}, r"r0: no such file"),
    "a directory": ({"p": "directory"}, r"p: is a directory"),
    "a directory as source": ({"s": "directory"}, r"s: is a directory"),
}


@pytest.mark.parametrize(("change", "message"), BAD_FILES.values(), ids=BAD_FILES)
def test_command_line(change, message, folder, refused):
    for name, content in {**GOOD_FILES, **change}.items():
        if content == "directory":
            (folder / name).mkdir()
        elif content is not None:
            (folder / name).write_bytes(content)
    refused(["score", "-s", "s", "-r", "r0", "r1", "-p", "p"], message)


BAD_M2 = {
    "a span beyond the end": (M2.replace(b"1 2", b"1 9"), r"g.m2:2: the span 1 9 does not fit a sentence of 4 tokens"),
    "a span that ends before it starts": (M2.replace(b"1 2", b"2 1"), r"g.m2:2: the span 2 1 does not fit"),
    "a negative span": (M2.replace(b"1 2", b"-1 -1"), r"g.m2:2: the span -1 -1 does not fit"),
    "a span that is no number": (M2.replace(b"1 2", b"one two"), r"g.m2:2: the span 'one two'"),
    "one offset": (M2.replace(b"1 2", b"1"), r"g.m2:2: the span '1'"),
    "an annotator that is no number": (M2.replace(b"|||0", b"|||x"), r"g.m2:2: .*annotator 'x'"),
    "two fields": (b"S a\nA 1 2|||X\n", r"g.m2:2: 2 fields where 6 are needed"),
    "a missing field": (M2.replace(b"|||REQUIRED", b""), r"g.m2:2: 5 fields where 6 are needed"),
    "an S line missing": (M2 + M2.partition(b"\n")[2], r"g.m2:4: the block does not start with a source line"),
    "an empty line missing": (M2.strip() + b"\n" + M2, r"g.m2:3: not an edit line: 'S He go home \.'.*new block"),
    "an S line without its S": (M2.replace(b"S He", b"He"), r"g.m2:2: the block does not start with a source line"),
    "a block of text": (M2 + b"# note\nHe go .\n\n" + M2, r"g.m2:5: the block .* source line but with 'He go \.'"),
    "text at the end": (M2 + b"The end", r"g.m2:4: the block does not start .* 'The end'"),
    "a comment among the edits": (M2.strip() + b"\n# unsure\n\n", r"g.m2:3: not an edit line: '# unsure'"),
    "two S lines in a block": (b"S He .\n" + M2, r"g.m2:2: not an edit line: 'S He go home \.'.*empty line before"),
    "a line of another kind": (M2.strip() + b"\nhello\n\n", r"g.m2:3: not an edit line: 'hello'"),
    "no sentences": (b"\n\n", r"g.m2: no sentences"),
    "overlapping edits": (
        M2.strip() + b"\nA 0 2|||Others|||She goes|||REQUIRED|||-NONE-|||0\n\n",
        r"the edit of \[1, 2\) overlaps",
    ),
    "not UTF-8": (M2.replace(b"home", b"\xff"), r"g.m2:1: not UTF-8"),
}


def edited(**fields):
    edit = {"start": 0, "end": 1, "corrections": ["x"], "type": "T", **fields}
    row = {"source": "a b", "annotations": [{"annotator": 0, "edits": [edit]}]}
    return text([json.dumps({"source": "a", "annotations": []}), json.dumps(row)])


def grouped(**fields):
    change = {"start": 0, "end": 1, "text": "x"}
    change |= {name: fields.pop(name) for name in change.keys() & fields}
    group = {"alternatives": [{"annotator": "0", "replacements": [change]}], "required": True, "type": "T"}
    group |= {name: fields.pop(name) for name in group.keys() & fields}
    return text([json.dumps({"source": "a b", "groups": {"groups": [group], "annotators": 1, **fields}})])


def test_the_bad_files_are_made_from_good_ones(folder):
    for made in (edited(), grouped()):
        (folder / "c.jsonl").write_bytes(made)
        assert read_jsonl("c.jsonl").sources[-1] == "a b"


BAD_JSONL = {
    "not JSON": (b'{"source": \n', r"c.jsonl:1: not JSON"),
    "not an object": (b"[1]\n", r"c.jsonl:1: not a JSON object"),
    "no source": (b'{"references": ["a"]}\n', r"c.jsonl:1: no string under 'source'"),
    "a string for references": (b'{"source": "a", "references": "a"}\n', r"c.jsonl:1: 'references' is not a list"),
    "no references for a sentence": (
        b'{"source": "a", "references": ["a"]}\n{"source": "a", "references": []}\n',
        r"c.jsonl:2: 'references' is not a list",
    ),
    "references on some lines": (
        b'{"source": "a", "references": ["a"]}\n{"source": "a"}\n',
        r"c.jsonl:2: .*some lines",
    ),
    "bad annotations": (
        b'{"source": "a", "annotations": [{"edits": 3}]}\n',
        r"c.jsonl:1: 'annotations' cannot be read",
    ),
    "corrections that are a string": (
        edited(corrections="cat"),
        r"c.jsonl:2: corrections is 'cat', not a list of strings. A deletion is \[\"\"\]",
    ),
    "no corrections": (edited(corrections=[]), r"c.jsonl:2: corrections is \(\), not a list of strings"),
    "a correction that is null": (edited(corrections=[None]), r"c.jsonl:2: corrections is \(None,\), not a list"),
    "a fractional span": (edited(start=0.5), r"c.jsonl:2: start is 0.5, not a whole number"),
    "a span of strings": (edited(start="0", end="1"), r"c.jsonl:2: start is '0', not a whole number"),
    "a span of truths": (edited(start=False), r"c.jsonl:2: start is False, not a whole number"),
    "a span of 33 bits": (edited(end=2**32), r"c.jsonl:2: the span 0 4294967296 does not fit a sentence of 2 tokens"),
    "a span beyond the end": (edited(end=3), r"c.jsonl:2: the span 0 3 does not fit a sentence of 2 tokens"),
    "a span that ends before it starts": (edited(start=2), r"c.jsonl:2: the span 2 1 does not fit"),
    "a negative span": (edited(start=-1), r"c.jsonl:2: the span -1 1 does not fit"),
    "a type that is a number": (edited(type=3), r"c.jsonl:2: type is 3, not a string"),
    "a field that edits have not": (
        edited(begin=3),
        r"c.jsonl:2: 'annotations' cannot be read: unknown 'begin'. Each needs",
    ),
    "an edit without its span": (
        edited().replace(b'"start": 0, "end": 1, ', b""),
        r"c.jsonl:2: 'annotations' cannot be read: no 'start' and 'end'. Each needs",
    ),
    "an edit without corrections": (
        edited().replace(b', "corrections": ["x"]', b""),
        r"c.jsonl:2: 'annotations' cannot be read: no 'corrections'. Each needs",
    ),
    "an infinite annotator": (
        edited().replace(b'"annotator": 0', b'"annotator": 1e400'),
        r"c.jsonl:2: annotator is inf, not a whole number",
    ),
    "an annotator of 65 bits": (
        edited().replace(b'"annotator": 0', b'"annotator": 36893488147419103232'),
        r"c.jsonl:2: annotator is 36893488147419103232, not a whole number of at most 31 bits",
    ),
    "annotations that are null": (
        b'{"source": "a b", "annotations": [null]}\n',
        r"c.jsonl:1: 'annotations' cannot be read: a value of another type. Each needs",
    ),
    "edits that are null": (
        b'{"source": "a b", "annotations": [{"annotator": 0, "edits": [null]}]}\n',
        r"c.jsonl:1: 'annotations' cannot be read",
    ),
    "groups that are null": (grouped(groups=[None]), r"c.jsonl:1: 'groups' cannot be read"),
    "annotators that are a string": (grouped(annotators="x"), r"c.jsonl:1: annotators is 'x', not a whole number"),
    "more annotators than bytes": (grouped(annotators=10**9), r"c.jsonl:1: 1000000000 annotators of a sentence that"),
    "a script that is a number": (grouped(script=1), r"c.jsonl:1: script is 1, not a string"),
    "a replacement beyond the end": (grouped(end=3), r"c.jsonl:1: the span 0 3 does not fit a sentence of 2 tokens"),
    "a replacement at a string": (grouped(end="1"), r"c.jsonl:1: end is '1', not a whole number"),
    "a replacement by a number": (grouped(text=1), r"c.jsonl:1: text is 1, not a string"),
    "required that is a string": (grouped(required="no"), r"c.jsonl:1: required is 'no', not true or false"),
    "no references at all": (b'{"source": "a"}\n', r"GLEU needs references, but c.jsonl has none"),
    "an empty file": (b"", r"c.jsonl: the file is empty"),
}


@pytest.mark.parametrize(
    ("option", "file", "content", "message"),
    [
        pytest.param(option, file, *case, id=f"{file} {name}")
        for option, file, cases in (("--gold", "g.m2", BAD_M2), ("-c", "c.jsonl", BAD_JSONL))
        for name, case in cases.items()
    ],
)
def test_gold_on_the_command_line(option, file, content, message, folder, refused):
    (folder / file).write_bytes(content)
    (folder / "p").write_text("He goes home .\n")
    refused(["score", option, file, "-p", "p"], message)


BAD_USES = {
    "unknown metric": (["-m", "bertscore"], r"unknown metric 'bertscore'.*Known metrics: gleu"),
    "unknown parameter": (["-m", "gleu(n=3)"], r"gleu has no parameter 'n'.*order"),
    "parameter of the wrong kind": (["-m", "gleu(order=four)"], r"gleu: order='four' is not a number"),
    "unknown value": (["-m", "gleu(draws=py5)"], r"draws='py5' is unknown"),
    "broken metric": (["-m", "gleu(order=4"], r"cannot read the metric"),
    "the same file twice": (["-p", "p", "p"], r"p: the same predictions file is given twice"),
    "two corpora": (["-c", "demo"], r"more than one corpus"),
    "standard input twice": (["-p", "-", "-"], r"standard input \(-\) is named more than once"),
}


@pytest.mark.parametrize(("options", "message"), BAD_USES.values(), ids=BAD_USES)
def test_wrong_use(options, message, folder, refused):
    for name, content in GOOD_FILES.items():
        (folder / name).write_bytes(content)
    refused(["score", "-s", "s", "-r", "r0", "r1", "-p", "p", *options], message)


def test_a_bad_metric_is_refused_before_anything_is_said(folder, capsys):
    for name, content in GOOD_FILES.items():
        (folder / name).write_bytes(content)
    assert main(["score", "-s", "s", "-r", "r0", "r1", "-p", "p", "--clean", "-m", "gleu(order=0)"]) == 2
    assert capsys.readouterr().err == "gecbench: gleu: order=0 is not a whole number of at least 1.\n"


def test_an_unknown_corpus(refused):
    refused(
        ["score", "-c", "jflge:test", "-p", "p"],
        r"no corpus or file 'jflge:test'\. Did you mean jfleg:test\? Corpora: demo, jfleg",
    )


def test_truncated_gzip(tmp_path, refused):
    path = tmp_path / "p.gz"
    path.write_bytes(gzip.compress(text(PREDICTIONS))[:-12])
    refused(["score", "-c", "demo", "-p", str(path)], r"p.gz: is not a whole gzip file")


def test_a_gzip_bomb_is_refused(tmp_path, refused, monkeypatch):
    monkeypatch.setattr("gecbench.formats.text.MOST_UNPACKED", 2**20)
    path = tmp_path / "p.gz"
    path.write_bytes(gzip.compress(bytes(2**22)))
    refused(["score", "-c", "demo", "-p", str(path)], r"p.gz: unpacks to more than .* GiB. Unpack it first")
    path.write_bytes(gzip.compress(text(DEMO.sources)) + gzip.compress(b""))
    assert main(["score", "-c", "demo", "-p", str(path)]) == 0


@pytest.mark.parametrize("number", [99_999_999_999, 10_000_001])
def test_resamples_without_end_are_refused(number, refused):
    systems = DATA / "systems" / "good-corrector.txt"
    refused(["score", "-c", "demo", "-p", systems, "--resamples", str(number)], f"resamples={number} is more than")
    with pytest.raises(gecbench.InputError, match="is more than"):
        gecbench.load_metric("gleu").compute(**GOOD, resamples=number)


@pytest.mark.parametrize("stream", ["stdin", "stdout"])
def test_closed_streams(stream, monkeypatch, tmp_path, capsys):
    source = tmp_path / "s.txt"
    source.write_text("He goes .\n")
    monkeypatch.setattr(sys, stream, None)
    command = ["score", "-c", "demo", "-p", "-"] if stream == "stdin" else ["detokenize", str(source), "-o", "-"]
    assert main(command) == 2
    assert f"standard {stream.removeprefix('std')}put is closed" in capsys.readouterr().err


def test_stopped_while_the_command_is_imported(monkeypatch, capsys):
    def stop(_name):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["gecbench.cli.main"], "import_module", stop)
    assert main(["score"]) == 130
    assert capsys.readouterr().err == "gecbench: stopped\n"


def test_stopped_while_a_library_is_imported(tmp_path):
    numpy = """
    import os, signal
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        raise ImportError("advice on how to install numpy")
    """
    (tmp_path / "numpy.py").write_text(textwrap.dedent(numpy))
    command = [sys.executable, "-m", "gecbench", "score", "-c", "demo", "-p", "x"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    stopped = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (stopped.returncode, stopped.stdout, stopped.stderr) == (130, "", "gecbench: stopped\n")


def shifted(lines, from_line):
    return [*lines[:from_line], *lines[from_line + 1 :], "The end ."]


def turned(lines, by):
    return lines[by:] + lines[:by]


DEMO, SYSTEMS = gecbench.load_demo(), gecbench.load_demo_systems()
MISPLACED = [(shifted(DEMO.sources, k), f"shifted from line {k + 1} on") for k in (0, 20)]
MISPLACED += [(turned(SYSTEMS["good-corrector"], by), r"from line \d+ on") for by in (1, -1, 2, 7)]
MISPLACED += [(turned(SYSTEMS["rule-based"], by), r"from line \d+ on") for by in (1, -1, 2, 7)]
MISPLACED += [(SYSTEMS["good-corrector"][::-1], "look shifted from line 1 on")]


@pytest.mark.parametrize(("outputs", "message"), MISPLACED, ids=range(11))
def test_misplaced_lines_are_an_error_that_names_the_first(outputs, message):
    with pytest.raises(gecbench.InputError, match=message):
        gecbench.score(outputs, DEMO)


def test_a_shifted_reference_file_is_an_error_that_names_it(tmp_path, refused):
    columns = list(zip(*DEMO.references, strict=True))
    for name, lines in {"s": DEMO.sources, "r0": columns[0], "r1": turned(columns[1], 1)}.items():
        (tmp_path / name).write_bytes(text(lines))
    paths = [str(tmp_path / name) for name in ("s", "r0", "r1")]
    command = ["score", "-s", paths[0], "-r", *paths[1:], "-p", paths[0]]
    refused(command, r"r1: the references look shifted from line \d+ on")
    assert main([*command, "--aligned"]) == 0


def test_empty_outputs_are_scored():
    assert gecbench.score([""] * len(DEMO), DEMO)["gleu"].value == 0


def test_the_check_can_be_skipped():
    assert gecbench.score(shifted(DEMO.sources, 0), DEMO, aligned=True)["gleu"].value >= 0


def test_real_systems_and_a_few_odd_lines_pass():
    odd = [*DEMO.sources[:10], *DEMO.sources[11:16], *DEMO.sources[15:]]
    for outputs in (odd, *SYSTEMS.values()):
        assert gecbench.score(outputs, DEMO)["gleu"].value > 0

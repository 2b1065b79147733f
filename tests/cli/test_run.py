"""`gecbench run` as a person and a script use it."""

import gzip
import json
import re
import sys
from pathlib import Path

import pytest
from programs import script

import gecbench
from gecbench.cli import main
from gecbench.corpora.demo import DATA

DEMO = gecbench.load_demo()
GOOD = gecbench.load_demo_systems()["good-corrector"]
MODEL = "from gecbench import load_demo, load_demo_systems\n"
MODEL += "TABLE = dict(zip(load_demo().sources, load_demo_systems()['good-corrector']))\n"
MODEL += "def good(text: str):\n    return TABLE[text]\n"


@pytest.fixture(autouse=True)
def model(folder):
    Path("good_model.py").write_text(MODEL)


def run(capsys, *arguments):
    assert main(["run", *map(str, arguments)]) == 0
    return capsys.readouterr()


def test_run_scores_as_score_does(capsys, folder):
    arguments = ["-c", "demo", "-m", "gleu", "bleu", "--resamples", "20"]
    ran = run(capsys, "--model", "python:good_model:good", *arguments, "-o", "good.txt")
    assert ran.err == "gecbench: the outputs are in good.txt\n"
    assert Path("good.txt").read_text(encoding="utf-8").splitlines() == GOOD
    assert main(["score", *arguments, "-p", "good.txt"]) == 0
    assert capsys.readouterr().out == ran.out


def test_a_telling_name_where_none_is_given(capsys, folder):
    ran = run(capsys, "--model", "python:good_model:good", "-c", "demo", "--name", "best")
    (output,) = folder.glob("demo.good.*.txt")
    assert f"outputs are in {output.name}" in ran.err
    assert "\nbest " in ran.out


@pytest.mark.parametrize("name", ["out.jsonl", "out.txt.gz", "out.jsonl.gz"])
def test_formats_of_the_outputs(capsys, name):
    run(capsys, "--model", "python:good_model:good", "-c", "demo", "-o", name)
    data = Path(name).read_bytes()
    lines = (gzip.decompress(data) if name.endswith(".gz") else data).decode().splitlines()
    assert lines == GOOD or [json.loads(line)["prediction"] for line in lines] == GOOD
    assert main(["score", "-c", "demo", "-p", name, "-f", "json"]) == 0
    expected = gecbench.score(GOOD, DEMO)["gleu"].value
    assert json.loads(capsys.readouterr().out)["systems"][0]["scores"][0]["value"] == expected


def test_plain_text_corpora(capsys):
    references = [str(DATA / f"reference{k}.txt") for k in range(4)]
    corpus = ["-s", str(DATA / "source.txt"), "-r", *references]
    ran = run(capsys, "--model", "python:good_model:good", *corpus, "-o", "x.txt", "-f", "json")
    value = json.loads(ran.out)["systems"][0]["scores"][0]["value"]
    assert value == gecbench.score(GOOD, DEMO)["gleu"].value


def test_an_earlier_output_stays_until_the_new_one_is_whole(capsys):
    Path("out.txt").write_text("earlier\n")
    assert main(["run", "--model", "python:os:listdir", "-c", "demo", "-o", "out.txt"]) == 2
    assert Path("out.txt").read_text() == "earlier\n"
    run(capsys, "--model", "python:good_model:good", "-c", "demo", "-o", "out.txt")
    assert Path("out.txt").read_text(encoding="utf-8").splitlines() == GOOD


UNLIKE = {
    "shifted": ("SOURCES[(SOURCES.index(text) + 1) % len(SOURCES)]", "look shifted from line 1 on: they resemble"),
    "random words": (
        "' '.join(f'{word}{len(text)}' for word in ('zebra', 'quartz', 'violin', 'marble'))",
        "do not belong to the sources from line 1 on: the lines share hardly any words with the sources",
    ),
    "always the same": (
        "'one and the same answer'",
        "do not belong to the sources from line 1 on: the lines share hardly any words with the sources",
    ),
}


@pytest.mark.parametrize(("answer", "message"), UNLIKE.values(), ids=UNLIKE)
def test_a_models_own_outputs_are_scored_with_a_warning(capsys, folder, recwarn, answer, message):
    """Each output was made from its source, so none can be paired wrongly; harnesses score them as well."""
    code = f"SOURCES = {list(DEMO.sources)!r}\ndef correct(text: str):\n    return {answer}\n"
    Path("unlike_model.py").write_text(code)
    sys.modules.pop("unlike_model", None)
    ran = run(capsys, "--model", "python:unlike_model:correct", "-c", "demo", "-o", "out.txt", "-f", "json")
    outputs = Path("out.txt").read_text(encoding="utf-8").splitlines()
    found = json.loads(ran.out)["systems"][0]["scores"][0]["value"]
    assert found == gecbench.score(outputs, DEMO, aligned=True)["gleu"].value
    told = [str(each.message) for each in recwarn if each.category is gecbench.ForeignTextWarning]
    assert len(told) == 1
    assert message in told[0]
    assert told[0].startswith("predictions of correct ")
    assert "The predictions are scored as they are; pass aligned=True to skip this check" in told[0]
    assert main(["score", "-c", "demo", "-p", "out.txt"]) == 2, "a file may be paired wrongly"


BAD = {
    "no corpus": (["--model", "cmd:cat"], "no corpus"),
    "a model that is none": (["--model", "cat", "-c", "demo"], "unknown model 'cat'"),
    "an unknown metric": (["--model", "cmd:touch ran", "-c", "demo", "-m", "blue"], "unknown metric 'blue'"),
    "no references": (["--model", "cmd:touch ran", "-c", "bare.jsonl"], "needs references"),
    "standard output": (["--model", "cmd:touch ran", "-c", "demo", "-o", "-"], "need a regular file"),
    "a folder": (["--model", "cmd:touch ran", "-c", "demo", "-o", "."], "need a regular file"),
    "nowhere to write": (["--model", "cmd:touch ran", "-c", "demo", "-o", "no/where.txt"], "cannot write"),
    "another kind's option": (
        ["--model", "python:os:fspath", "-c", "demo", "--timeout", "3"],
        "have no option timeout (--timeout)",
    ),
    "no such command": (["--model", "cmd:no-such-command-here", "-c", "demo"], "after 0 of 42 lines"),
    "transformers from nowhere": (["--model", "transformers:./nowhere", "-c", "demo"], "transformers|nowhere"),
}


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD)
def test_wrong_use(capsys, folder, arguments, message):
    Path("bare.jsonl").write_text('{"source": "a"}\n')
    before = {path.name for path in folder.iterdir()}
    assert main(["run", *arguments]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("gecbench: ")
    assert any(word in last for word in message.split("|"))
    assert {path.name for path in folder.iterdir()} - {"__pycache__"} == before, "nothing ran, nothing is half-written"


@pytest.mark.parametrize(
    ("arguments", "fix"),
    [
        (["cmd:head -3"], "nothing else, on standard output (rejected output: out.txt.rejected.txt)."),
        (["cmd:head -3; exit 3"], "Try the command in a shell, then repeat the run to resume."),
        (["cmd:exit 3"], "Try the command in a shell."),
        ([r"cmd:tr a '\r'"], "Return one line, or pass --flatten to replace line breaks with spaces."),
        (["endpoint:http://me@h", "--name", "x"], "in an environment variable: --key-variable NAME."),
        (["endpoint:http://h", "--name", "x", "--key-variable", "NONE"], "--key-variable NAME, not the key itself."),
    ],
)
def test_a_model_that_fails_gets_one_fix(folder, capsys, arguments, fix):
    assert main(["run", "-c", "demo", "--raw", "-o", "out.txt", "--model", *arguments]) == 2
    said = capsys.readouterr().err
    assert said.endswith(f" {fix}\n")
    assert re.sub(r"\(line.*?'\)", "", said).count(". ") == 1, "more than two sentences"


@pytest.mark.parametrize("option", [["--batch", "0"], ["--timeout", "-1"], ["--timeout", "nan"], ["--beams", "x"]])
def test_bad_numbers(capsys, option):
    with pytest.raises(SystemExit, match=r"^2$"):
        main(["run", "--model", "cmd:cat", "-c", "demo", *option])


def test_sentences_are_never_run(capsys, folder):
    corpus = gecbench.Corpus(sources=["$(touch ran)", "`touch ran`", "; touch ran"], references=[["a"]] * 3)
    gecbench.formats.jsonl.write_jsonl(corpus, "evil.jsonl")
    echo = script(folder, "sys.stdout.write(sys.stdin.read())")
    run(capsys, "--model", echo, "-c", "evil.jsonl", "-o", "out.txt")
    assert Path("out.txt").read_text().splitlines() == list(corpus.sources)
    assert not Path("ran").exists()

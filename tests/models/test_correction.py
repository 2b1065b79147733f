"""A run that is killed resumes where it stopped, and ends with the same outputs."""

import json
import random
import re
import sys
import time
from pathlib import Path

import programs
import pytest
from corrections import SMALL, kept_rows
from programs import script
from waiting import eventually

import gecbench
from gecbench.cli import main
from gecbench.formats.journal import RowJournal
from gecbench.models import default_output, make_model, partial_path
from gecbench.models.base import ModelError
from gecbench.models.correction import run_key

DEMO = gecbench.load_demo()
EXPECTED = [source.replace(" the ", " THE ") for source in DEMO.sources]
PARTIAL = partial_path(Path("out.txt"))
MODULE = """
import time
def fix(sentences: list[str]) -> list[str]:
    with open("seen", "a") as log:
        log.write("".join(f"{sentence}\\n" for sentence in sentences))
    time.sleep(0.03)
    return [sentence.replace(" the ", " THE ") for sentence in sentences]
"""
COMMAND = """
for line in sys.stdin:
    open("seen", "a", encoding="utf-8").write(line)
    time.sleep(0.02)
    sys.stdout.write(line.replace(" the ", " THE "))
    sys.stdout.flush()
"""


@pytest.fixture(params=["command", "function"])
def arguments(request, folder):
    """A run of a slow model, as arguments of the command line."""
    Path("slow_model.py").write_text(MODULE)
    model = ["python:slow_model:fix", "--batch", "2"] if request.param == "function" else [script(folder, COMMAND)]
    return ["run", "--model", *model, "-c", "demo", "-o", "out.txt", "-f", "json"]


def outputs():
    return Path("out.txt").read_text(encoding="utf-8").splitlines()


def kill_after_rows(process, wanted):
    eventually(lambda: len(kept_rows()) >= wanted or process.poll() is not None, seconds=60)
    process.kill()
    process.communicate()


def test_killed_in_the_middle_and_run_again(arguments):
    kill_after_rows(programs.start(*arguments), 10)
    time.sleep(0.3)  # what the orphaned command still prints goes nowhere
    kept = len(kept_rows())
    assert 10 <= kept < len(DEMO)
    assert not Path("out.txt").exists()
    Path("seen").unlink()
    second = programs.gecbench(*arguments)
    assert second.returncode == 0, second.stderr
    assert f"{kept} of 42 outputs are already done" in second.stderr
    assert Path("seen").read_text(encoding="utf-8").splitlines() == list(DEMO.sources[kept:]), "only what was left"
    assert outputs() == EXPECTED
    assert json.loads(second.stdout)["systems"][0]["scores"][0]["value"] == gecbench.score(EXPECTED, DEMO)["gleu"].value
    assert not PARTIAL.exists()


def test_killed_again_and_again(arguments):
    generator = random.Random(7)
    for _ in range(30):
        kill_after_rows(programs.start(*arguments), len(kept_rows()) + generator.randint(1, 20))
        if Path("out.txt").exists():
            break
    assert main(arguments) == 0
    assert outputs() == EXPECTED


def leave_rows(model, rows):
    """Write the journal of an unfinished run."""
    with RowJournal(PARTIAL, run_key(make_model(model), DEMO), "") as journal:
        journal.load()
        journal.append(rows)


def test_killed_after_the_last_output(folder):
    command = script(folder, "open('ran', 'w')")
    leave_rows(command, [{"line": line, "prediction": text} for line, text in enumerate(EXPECTED, start=1)])
    assert gecbench.correct(command, DEMO, "out.txt") == EXPECTED
    assert outputs() == EXPECTED
    assert not PARTIAL.exists()
    assert not Path("ran").exists()


def test_outputs_of_another_run_are_not_taken(folder, refused):
    leave_rows("cmd:cat", [{"line": 2, "prediction": "b"}])
    before = PARTIAL.read_bytes()
    run = ["run", "--model", "cmd:false", "-c", "demo", "-o", "out.txt"]
    other = r"another run \(model: 'cmd:cat' in the file, 'cmd:false' now\)"
    refused(run, f"{other}. Choose another -o, or discard them with --restart")
    gecbench.formats.jsonl.write_jsonl(DEMO.select(range(40)), "part.jsonl")
    refused(["run", "--model", "cmd:cat", "-c", "part.jsonl", "-o", "out.txt"], r"another run \(corpus: ")
    assert PARTIAL.read_bytes() == before, "nothing was touched"
    refused([*run, "--restart"], "exit code 1 after 0 of 42 lines")
    assert not PARTIAL.exists()


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"line": 43, "prediction": "x"},
        {"line": 2, "prediction": "x"},
        {"line": 1, "prediction": "\ud800"},
        {"line": 1, "prediction": None},
        {"line": True, "prediction": "x"},
    ],
)
def test_rows_that_are_not_answers_are_damage(folder, row):
    leave_rows("cmd:cat", [{"line": 2, "prediction": "b"}, row])
    before = PARTIAL.read_bytes()
    with pytest.raises(gecbench.InputError, match=r"out.txt.partial.jsonl:3: this line is damaged.*--restart"):
        gecbench.correct("cmd:cat", DEMO, "out.txt")
    assert PARTIAL.read_bytes() == before, "a file that is refused stays as it is"
    assert gecbench.correct("cmd:cat", DEMO, "out.txt", restart=True) == list(DEMO.sources)


def test_without_an_output_file_no_error_says_that_outputs_are_saved(folder):
    def fail(sentence: str):
        if sentence != DEMO.sources[0]:
            raise OSError("disk")
        return sentence

    for model, advice in ("cmd:head -2; exit 3", "Try the command in a shell"), (fail, "Fix the function"):
        with pytest.raises(ModelError, match=rf"\)\. {advice}, and pass output=FILE to be able to resume\.$"):
            gecbench.correct(model, DEMO, batch=1)
        with pytest.raises(ModelError, match=rf"\)\. {advice}, then repeat the run to resume\.$"):
            gecbench.correct(model, DEMO, "out.txt", restart=True, batch=1)


@pytest.mark.parametrize("output", [None, "out.txt"])
def test_without_outputs_no_error_speaks_of_resuming(folder, output):
    with pytest.raises(ModelError, match=r"\)\. Try the command in a shell\.$"):
        gecbench.correct("cmd:exit 3", DEMO, output)


def test_missing_transformers(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(gecbench.errors.MissingDependencyError, match=r"pip install 'gecbench\[transformers\]'"):
        gecbench.correct("transformers:nowhere", SMALL, tmp_path / "out.txt")
    assert not list(tmp_path.iterdir())


def test_default_names_differ_by_model_and_corpus():
    models = [make_model("cmd:cat /etc/../x"), make_model("cmd:cat /etc/./x"), make_model("python:os:fspath")]
    names = {str(default_output(model, corpus)) for model in models for corpus in (SMALL, DEMO)}
    assert len(names) == 6
    assert all(re.fullmatch(r"[\w-]+\.[\w-]+\.[0-9a-f]{8}\.txt", name) for name in names)

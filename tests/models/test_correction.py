"""Models over a corpus: commands, functions; what fails is named, and nothing that was made is lost."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from programs import script
from waiting import eventually

import gecbench
from gecbench.cli import main
from gecbench.models import ModelError, default_output, make_model, partial_path

DEMO = gecbench.load_demo()
SMALL = gecbench.Corpus(
    sources=["He go .", "", "Café \u2028 olé .", "'; echo $HOME `id` \"|| exit 9", "They is ."],
    references=[["He goes ."], [""], ["Café ."], ["x"], ["They are ."]],
    name="small",
)
UPPER = [source.upper() for source in SMALL.sources]


def rows(output):
    lines = partial_path(Path(output)).read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["prediction"] for line in lines[1:]]


ECHO = "for line in sys.stdin:\n    sys.stdout.write(line.upper())\n"


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize("timeout", [None, 0.5, 30])
def test_what_a_command_leaves_behind_does_not_hold_the_run(timeout):
    before = time.monotonic()
    assert gecbench.correct("cmd:sleep 60 & cat", SMALL, timeout=timeout) == list(SMALL.sources)
    assert time.monotonic() - before < 50, "it waited for the sleeper"


@pytest.mark.parametrize("batch", [None, 1, 2, 100])
def test_a_command_maps_lines_to_lines(tmp_path, batch):
    output = tmp_path / "out.txt"
    assert gecbench.correct(script(tmp_path, ECHO), SMALL, output, batch=batch) == UPPER
    assert gecbench.correct(script(tmp_path, ECHO), SMALL, batch=batch) == UPPER
    assert output.read_bytes().decode() == "".join(f"{line}\n" for line in UPPER)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.py", "out.txt", "out.txt.run.json"]


def test_how_often_a_command_starts(tmp_path):
    body = "open('starts', 'a').write('x')\n" + ECHO
    for batch, starts in ((None, 1), (2, 3)):
        started = tmp_path / str(starts)
        started.mkdir()
        command = script(started, f"os.chdir({str(started)!r})\n{body}")
        gecbench.correct(command, SMALL, batch=batch)
        assert (started / "starts").read_text() == "x" * starts


@pytest.mark.skipif(os.name != "posix", reason="the shell is sh")
def test_a_command_goes_through_the_shell():
    assert gecbench.correct("cmd:cat | sed 's/is/are/' | cat", SMALL)[4] == "They are ."


def test_carriage_returns_and_a_missing_last_newline(tmp_path):
    command = script(tmp_path, "sys.stdout.write('\\r\\n'.join(line.strip() for line in sys.stdin))")
    corpus = gecbench.Corpus(sources=["a b", "c d"])
    assert gecbench.correct(command, corpus) == ["a b", "c d"]


def test_large_input_and_output_do_not_block(tmp_path):
    corpus = gecbench.Corpus(sources=["word " * 200] * 3000)
    command = script(tmp_path, "text = sys.stdin.read()\nprint(text * 1, end='')\nsys.stderr.write('x' * 300000)")
    assert gecbench.correct(command, corpus) == list(corpus.sources)


FAILURES = {
    "dies": (
        "for k in range(3):\n    print(k)\nprint('torn', end='', flush=True)\nos._exit(3)",
        3,
        "exit code 3 after 3 of 5 lines.*line 4",
    ),
    "dies at once": (
        "raise SystemExit('no model here')",
        0,
        "exit code 1 after 0 of 5 lines, saying 'no model here'.*line 1",
    ),
    "fails at the end": (ECHO + "sys.exit(7)", 5, "exit code 7 after 5 of 5"),
    "not UTF-8": (
        "print('one', flush=True)\nsys.stdout.buffer.write(b'caf\\xe9\\n')",
        1,
        "not UTF-8: byte 0xe9 at offset 3.*line 2",
    ),
    "hangs": (
        "print('one', flush=True)\ntime.sleep(60)",
        1,
        "printed nothing for 2 seconds after 1 of 5 lines.*line 2",
    ),
    "a line break inside": (
        "for line in sys.stdin:\n    print('a\\rb' if line == '\\n' else 'x', flush=True)",
        1,
        "line break inside.*line 2.*--flatten",
    ),
    "one endless line": (
        "while True:\n    sys.stdout.write('x' * 100000)",
        0,
        "a line of more than 1000000 bytes.*line 1",
    ),
}


def check_failure(model, output, kept, message, **options):
    with pytest.raises(ModelError, match=message):
        gecbench.correct(model, SMALL, output, **options)
    assert len(rows(output)) == kept if kept else not partial_path(output).exists()
    assert not output.exists()


@pytest.mark.parametrize(("body", "kept", "message"), FAILURES.values(), ids=FAILURES)
def test_a_command_that_fails(tmp_path, body, kept, message):
    timeout = 2 if "sleep" in body else None
    check_failure(script(tmp_path, body), tmp_path / "out.txt", kept, message, timeout=timeout)


@pytest.mark.skipif(os.name != "posix", reason="asks the system for the process")
@pytest.mark.parametrize(
    "body", ["time.sleep(60)", "while True: print('y')", "print(b'\\xff', flush=True)\ntime.sleep(60)"]
)
def test_a_failed_command_and_what_it_started_are_ended(tmp_path, body):
    command = script(tmp_path, f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\n{body}")
    with pytest.raises(ModelError):
        gecbench.correct(f"{command} | cat", SMALL, timeout=1)
    question = ["ps", "-o", "stat=", "-p", (tmp_path / "pid").read_text()]

    def ended():
        return subprocess.run(question, capture_output=True, check=False).stdout.strip()[:1] in (b"", b"Z")

    eventually(ended, "the command was left running")


MISCOUNTS = {
    "fewer": ("print(sys.stdin.readline(), end='')", 1, "printed 1 lines for 5 sentences.*line 2"),
    "none": ("sys.stdin.read()", 0, "printed 0 lines for 5 sentences.*line 1"),
    "one more": ("print('Loading the model')\n" + ECHO, 6, "printed 6 lines for 5 sentences.*line 5"),
    "endless": ("while True:\n    print('y')", 11, "printed 11 lines for 5 sentences"),
}


@pytest.mark.parametrize(("body", "printed", "message"), MISCOUNTS.values(), ids=MISCOUNTS)
def test_a_miscount_rejects_what_cannot_be_paired_and_keeps_the_rest(tmp_path, body, printed, message):
    corpus = gecbench.Corpus(sources=["first", *SMALL.sources])
    output, marker = tmp_path / "out.txt", tmp_path / "marker"
    first = f"if not os.path.exists({str(marker)!r}):\n    open({str(marker)!r}, 'w')\n"
    first += "    print(sys.stdin.readline(), end='', flush=True)\n    os._exit(1)\n"
    command = script(tmp_path, first + body)
    with pytest.raises(ModelError, match="after 1 of 6 lines"):
        gecbench.correct(command, corpus, output)
    message = re.sub(r"line (\d)", lambda found: f"line {int(found[1]) + 1}", message)
    with pytest.raises(ModelError, match=message + ".*what it printed is in .*out.txt.rejected.txt"):
        gecbench.correct(command, corpus, output)
    assert rows(output) == ["first"], "the earlier output is kept"
    assert not output.exists()
    rejected = (tmp_path / "out.txt.rejected.txt").read_bytes()
    assert rejected.count(b"\n") == printed
    script(tmp_path, ECHO)
    assert gecbench.correct(command, corpus, output) == ["first", *UPPER]


def test_sentences_that_no_line_can_hold(tmp_path):
    for sentence, message in (("a\nb", "line break"), ("a\ud800b", "lone surrogate")):
        with pytest.raises(ModelError, match=f"{message}.*line 2"):
            gecbench.correct(script(tmp_path, ECHO), gecbench.Corpus(sources=["fine", sentence]))


def by_sentence(text: str) -> str:
    return text.upper()


def by_list(texts: list[str]) -> list[str]:
    assert isinstance(texts, list)
    return [text.upper() for text in texts]


def generating(texts: "list[str]"):
    return (text.upper() for text in texts)


class Corrector:
    def __call__(self, text):
        return text.upper()


UNANNOTATED = [lambda text: text.upper(), lambda texts: [text.upper() for text in texts]]


@pytest.mark.parametrize("function", [by_sentence, by_list, *UNANNOTATED, generating, Corrector(), str.upper])
@pytest.mark.parametrize("batch", [None, 1, 2])
def test_functions(function, batch, tmp_path):
    assert gecbench.correct(function, SMALL, tmp_path / "out.txt", batch=batch) == UPPER


def test_annotated_functions_get_no_trial():
    seen = []

    def correct(texts: list[str]) -> list[str]:
        seen.append(texts)
        return texts

    gecbench.correct(correct, SMALL, batch=3)
    assert seen == [list(SMALL.sources[:3]), list(SMALL.sources[3:])]


def fails_on(wanted, answer):
    def function(text: str):
        if text == wanted:
            return answer()
        return text

    return function


def fail():
    raise ValueError("no idea")


@pytest.mark.parametrize(
    ("function", "kept", "message"),
    [
        (fails_on("They is .", fail), 4, "raised ValueError: no idea.*line 5: 'They is .'"),
        (fails_on("", lambda: sys.exit("bye")), 1, "raised SystemExit: bye.*line 2"),
        (fails_on("", lambda: None), 1, "returned a NoneType, not a string.*line 2"),
        (fails_on("", lambda: "a\nb"), 1, "line break inside.*line 2"),
        (fails_on("", lambda: "\udce9"), 1, "lone surrogate.*line 2"),
        (lambda texts: [text for text in texts if text], 0, "returned 4 outputs for 5 sentences.*line 1"),
        (lambda texts: [*texts[:2], None, *texts[3:]], 0, "returned a NoneType among strings.*line 3"),
        (lambda texts: None, 0, "returned a NoneType for a list"),
        (lambda texts: ["fine", "a\nb", *texts[2:]], 1, "line break inside.*line 2"),
    ],
)
def test_functions_that_fail(function, kept, message, tmp_path):
    check_failure(function, tmp_path / "out.txt", kept, message)


def test_line_breaks_are_flattened_if_so_asked():
    broken = gecbench.correct(lambda text: "\r\n He goes\n\nhome .\n", SMALL, flatten_lines=True)
    assert set(broken) == {"He goes home ."}


def test_what_a_function_prints_does_not_mingle(folder, capsys):
    Path("chatty_model.py").write_text(
        "print('importing')\ndef fix(text: str):\n    print('fixing')\n    return text\n"
    )
    assert main(["run", "--model", "python:chatty_model:fix", "-c", "demo", "-o", "out.txt", "-f", "json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["systems"][0]["system"] == "fix"
    assert "importing\n" in captured.err
    assert "fixing\n" in captured.err


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("sed", "cannot read the model 'sed'.*cmd:COMMAND"),
        ("cmd: ", "cannot read the model"),
        ("perl:x", "cannot read the model"),
        ("python:os", "cannot read the model"),
        ("python::f", "cannot read the model"),
        ("python:no_such_module_here:f", "cannot import no_such_module_here: ModuleNotFoundError"),
        ("python:os:nothing.here", "os has no 'nothing.here'"),
        ("python:os:sep", "is a str, not a function"),
    ],
)
def test_bad_model_strings(model, message):
    with pytest.raises(gecbench.InputError, match=message):
        make_model(model)


def test_options_belong_to_a_kind():
    with pytest.raises(
        gecbench.InputError, match=r"python: models have no option 'timeout'.*for cmd, endpoint: models"
    ):
        make_model("python:os:getcwd", timeout=3)
    with pytest.raises(gecbench.InputError, match=r"no prompt 'Correct this'.*a text with \{sentence\}"):
        make_model("transformers:x", prompt="Correct this")
    assert make_model("cmd:cat", timeout=None).timeout is None


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

"""A run that is killed goes on where it stopped, and ends with the same outputs."""

import json
import random
import sys
import time
from pathlib import Path

import programs
import pytest
from waiting import eventually

import gecbench
from gecbench.cli import main
from gecbench.models import make_model, partial_path
from gecbench.models.base import Answer
from gecbench.models.correction import Journal, run_key

DEMO = gecbench.load_demo()
EXPECTED = [source.replace(" the ", " THE ") for source in DEMO.sources]
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
def model(request, folder):
    Path("slow_model.py").write_text(MODULE)
    return programs.script(folder, COMMAND) if request.param == "command" else "python:slow_model:fix"


def arguments(model):
    batch = ["--batch", "2"] if model.startswith("python") else []
    return ["run", "--model", model, "-c", "demo", "-o", "out.txt", "-f", "json", *batch]


def count_rows():
    partial = partial_path(Path("out.txt"))
    return partial.read_bytes().count(b"\n") - 1 if partial.exists() else 0


def kill_after_rows(process, wanted):
    eventually(lambda: count_rows() >= wanted or process.poll() is not None, seconds=60)
    process.kill()
    process.communicate()


def test_killed_in_the_middle_and_run_again(model):
    kill_after_rows(programs.start(*arguments(model)), 10)
    time.sleep(0.3)  # what the orphaned command still prints goes nowhere
    kept = count_rows()
    assert 10 <= kept < len(DEMO)
    assert not Path("out.txt").exists()
    Path("seen").unlink()
    second = programs.gecbench(*arguments(model))
    assert second.returncode == 0, second.stderr
    assert f"{kept} of 42 outputs are there already" in second.stderr
    assert Path("seen").read_text(encoding="utf-8").splitlines() == list(DEMO.sources[kept:]), "only what was left"
    assert Path("out.txt").read_text(encoding="utf-8").splitlines() == EXPECTED
    assert json.loads(second.stdout)["systems"][0]["scores"][0]["value"] == gecbench.score(EXPECTED, DEMO)["gleu"].value
    assert not partial_path(Path("out.txt")).exists()


def test_killed_again_and_again(model):
    generator = random.Random(7)
    for _ in range(30):
        kill_after_rows(programs.start(*arguments(model)), count_rows() + generator.randint(1, 20))
        if Path("out.txt").exists():
            break
    assert main(arguments(model)) == 0
    assert Path("out.txt").read_text(encoding="utf-8").splitlines() == EXPECTED


def test_killed_after_the_last_output(folder):
    command = programs.script(folder, "open('ran', 'w')")
    with Journal(partial_path(Path("out.txt")), run_key(make_model(command), DEMO)) as whole:
        whole.append(answers(EXPECTED))
    assert gecbench.correct(command, DEMO, "out.txt") == EXPECTED
    assert Path("out.txt").read_text(encoding="utf-8").splitlines() == EXPECTED
    assert not partial_path(Path("out.txt")).exists()
    assert not Path("ran").exists()


def answers(outputs, first=1):
    return [Answer(line, text) for line, text in enumerate(outputs, start=first)]


def texts(found):
    return [answer.text for answer in found.answers.values()]


def journal(path, restart=False):
    return Journal(path, run_key(make_model("cmd:cat"), DEMO), restart=restart)


def test_every_torn_end_is_dropped(tmp_path):
    path = tmp_path / "out.partial.jsonl"
    with journal(path) as made:
        made.append(answers(["One é .", "Two ."]))
        made.append(answers(["Three ."], 3))
    whole = path.read_bytes()
    ends = [position + 1 for position, byte in enumerate(whole) if byte == 0x0A]
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with journal(path) as found:
            complete = sum(end <= length for end in ends)
            assert texts(found) == ["One é .", "Two .", "Three ."][: max(0, complete - 1)]
            found.append(answers(["Next ."], 9))
        with journal(path) as found:
            assert texts(found)[-1] == "Next ."


def test_outputs_of_another_run_are_not_taken(folder, refused):
    Path("broken_model.py").write_text("def a(text: str):\n    return 1 / 0 if 'libary' in text else text\nb = a\n")
    first = ["run", "--model", "python:broken_model:a", "-c", "demo", "-o", "out.txt"]
    refused(first)
    before = partial_path(Path("out.txt")).read_bytes()
    other = [word.replace(":a", ":b") for word in first]
    message = r"another run \(model: 'python:broken_model:a', not 'python:broken_model:b'\).*--restart"
    refused(other, message)
    gecbench.formats.jsonl.write_jsonl(DEMO.select(range(40)), "part.jsonl")
    refused([word.replace("demo", "part.jsonl") for word in first], r"another run \(corpus: ")
    assert partial_path(Path("out.txt")).read_bytes() == before, "nothing was touched"
    refused([*other, "--restart"])
    assert partial_path(Path("out.txt")).read_bytes() == before.replace(b":a", b":b")


@pytest.mark.parametrize(
    ("number", "line"),
    [
        (0, b"x"),
        (0, b"[]"),
        (1, b"{}"),
        (1, b'{"line": 43, "prediction": "x"}'),
        (3, b'{"line": 2, "prediction": "x"}'),
        (2, b"\xff"),
        (1, b'{"line": 1, "prediction": "\\ud800"}'),
        (1, b'{"line": true, "prediction": "x"}'),
        (2, b"[" * 100_000),
    ],
)
def test_a_damaged_file_is_an_error(tmp_path, number, line):
    path = tmp_path / "out.partial.jsonl"
    with journal(path) as made:
        made.append(answers(["a", "b", "c"]))
    lines = path.read_bytes().split(b"\n")
    lines[number] = line
    damaged = b"\n".join(lines) + b'{"line": 4'
    path.write_bytes(damaged)
    with pytest.raises(gecbench.InputError, match=rf"out.partial.jsonl(:{number + 1}: damaged|: holds).*--restart"):
        journal(path)
    assert path.read_bytes() == damaged, "a file that is refused stays as it is"
    with journal(path, restart=True) as restarted:
        assert not restarted.answers


def test_a_file_without_a_line_that_is_not_ours_stays(tmp_path):
    path = tmp_path / "out.partial.jsonl"
    path.write_bytes(b"my notes")
    with pytest.raises(gecbench.InputError, match=r"out.partial.jsonl:1: damaged.*--restart"):
        journal(path)
    assert path.read_bytes() == b"my notes"


def test_more_rows_than_sentences_are_an_error(tmp_path):
    path = tmp_path / "out.partial.jsonl"
    with journal(path) as made:
        made.append(answers(["a"]))
    path.write_bytes(path.read_bytes() + b'{"line": 99999, "prediction": "x"}\n' * 3)
    with pytest.raises(gecbench.InputError, match=r"out.partial.jsonl:3: damaged.*--restart"):
        journal(path)


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
def test_starting_again_empties_no_other_file(tmp_path):
    other, path = tmp_path / "other", tmp_path / "out.partial.jsonl"
    other.write_text("mine")
    path.symlink_to(other)
    for restart in (False, True):
        with pytest.raises(gecbench.InputError, match="is no plain file"):
            journal(path, restart=restart)
    assert other.read_text() == "mine"


def test_two_runs_do_not_write_to_one_file(tmp_path):
    pytest.importorskip("fcntl")
    with journal(tmp_path / "x"), pytest.raises(gecbench.InputError, match="another run is writing"):
        journal(tmp_path / "x")
    assert journal(tmp_path / "x").answers == {}


def test_cutting_back(tmp_path):
    with journal(tmp_path / "x") as made:
        made.append(answers(["a", "é", "c"]))
        made.cut(2)
        made.append(answers(["d"], 3))
    with journal(tmp_path / "x") as found:
        assert texts(found) == ["a", "é", "d"]


def test_answers_in_any_order_keep_their_facts(tmp_path):
    given = [Answer(7, "x", {"requests": 2}), Answer(3, "y"), Answer(42, "", {"answer": "I can not."})]
    with journal(tmp_path / "x") as made:
        made.append(given[:1])
        made.append(given[1:])
    with journal(tmp_path / "x") as found:
        assert list(found.answers.values()) == given

"""`python:module:function`: functions of a sentence or of a list, and those that fail."""

import json
import sys
from pathlib import Path

import pytest
from corrections import SMALL, UPPER, check_failure

import gecbench
from gecbench.cli import main


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
        return answer() if text == wanted else text

    return function


def exits(argument):
    sys.exit(0)


def exits_midway(texts: list[str]):
    yield "fine"
    sys.exit(0)


def fail():
    raise ValueError("no idea")


@pytest.mark.parametrize(
    ("function", "kept", "message"),
    [
        (fails_on("They is .", fail), 4, "raised ValueError: no idea.*line 5: 'They is .'"),
        (fails_on("", lambda: sys.exit("bye")), 1, "raised SystemExit: bye.*line 2"),
        (exits, 0, r"raised SystemExit: 0 \(line 1"),
        (exits_midway, 0, r"raised SystemExit: 0 \(line 1"),
        (fails_on("", lambda: None), 1, "returned a NoneType, not a string.*line 2"),
        (fails_on("", lambda: "a\nb"), 1, "line break.*line 2"),
        (fails_on("", lambda: "\udce9"), 1, "lone surrogate.*line 2"),
        (lambda texts: [text for text in texts if text], 0, "returned 4 outputs for 5 sentences.*line 1"),
        (lambda texts: [*texts[:2], None, *texts[3:]], 0, "contains a NoneType, not only strings.*line 3"),
        (lambda texts: None, 0, "returned a NoneType, but was given a list"),
        (lambda texts: {*texts}, 0, "returned a set, but was given a list.*take a list and return a list"),
        (frozenset, 0, "returned a frozenset, but was given a list"),
        (lambda texts: {text: text for text in texts}, 0, "returned a dict, but was given a list"),
        (lambda texts: ["fine", "a\nb", *texts[2:]], 1, "line break.*line 2"),
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


def test_a_function_that_exits_does_not_pass(folder, refused):
    Path("exiting_model.py").write_text("import sys\ndef fix(text):\n    sys.exit(0)\n")
    words = ["run", "--model", "python:exiting_model:fix", "-c", "demo", "-o", "out.txt", "--fail-under", "0.9"]
    assert refused(words).startswith("gecbench: python:exiting_model:fix: raised SystemExit: 0 (line 1: ")

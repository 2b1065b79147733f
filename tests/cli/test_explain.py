"""The explain command."""

import pytest
from m2_corpus import THREE_OUTPUTS, THREE_SENTENCES

from gecbench import M2


def test_command_line(three_files, run):
    output = run("explain", "--gold", "gold.m2", "-p", "out.txt", "--sentences", "3", "--colour", "never")
    [explanation] = M2().explain(THREE_SENTENCES, THREE_OUTPUTS, [2])
    assert output == f"{explanation.to_text()}\n"
    both = run("explain", "--gold", "gold.m2", "-p", "out.txt", "same.txt")
    assert both.count("Sentence 1, annotator 0") == 2
    assert both.startswith("=== out\n")
    assert "\n=== same\n" in both
    assert run("explain", "--gold", "gold.m2", "-p", "out.txt", "--html", "page.html") == ""
    assert (three_files / "page.html").read_text(encoding="utf-8").count("<table>") == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sentences", "4"], "no sentence 4. Sentences are counted from 1 to 3"),
        (["same.txt", "--html", "page.html"], "a page shows one system"),
        (["-m", "bleu"], "bleu has no edits to explain"),
    ],
)
def test_errors(three_files, refused, arguments, message):
    assert message in refused(["explain", "--gold", "gold.m2", "-p", "out.txt", *arguments])
    assert not (three_files / "page.html").exists()

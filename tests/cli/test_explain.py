"""The explain command."""

import re

import pytest
from m2_corpus import THREE_OUTPUTS, THREE_SENTENCES

from gecbench import M2, METRICS, load_demo
from gecbench.cli import main
from gecbench.formats.text import write_lines
from gecbench.metrics.explain import SIGNS


def test_command_line(three_files, run):
    output = run("explain", "--gold", "gold.m2", "-p", "out.txt", "--sentences", "3", "--color", "never")
    [explanation] = M2().explain(THREE_SENTENCES, THREE_OUTPUTS, [2])
    signs = "+ made by the system, and in the gold\n- in the gold, not made by the system\n"
    assert output == f"{signs}\n{explanation.to_text()}\n"
    signs += "! made by the system, not in the gold\n"
    both = run("explain", "--gold", "gold.m2", "-p", "out.txt", "same.txt")
    assert both.count("Sentence 1, annotator 0") == 2
    assert both.startswith(f"{signs}\n=== out\n")
    assert both.count(signs) == 1
    assert "\n=== same\n" in both
    assert run("explain", "--gold", "gold.m2", "-p", "out.txt", "--html", "page.html") == ""
    assert (three_files / "page.html").read_text(encoding="utf-8").count("<table>") == 3


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        (["2"], [2]),
        (["1-3"], [1, 2, 3]),
        (["3", "1"], [3, 1]),
        (["3,1-2"], [3, 1, 2]),
        (["2-3", "1-2", "3"], [2, 3, 1]),
    ],
)
def test_sentences_are_numbers_and_ranges(words, numbers, three_files, run):
    shown = run("explain", "--gold", "gold.m2", "-p", "out.txt", "--sentences", *words)
    assert [int(number) for number in re.findall(r"^Sentence (\d)", shown, re.MULTILINE)] == numbers


@pytest.mark.parametrize("metric", ["gleu", "imeasure", "green"])
def test_every_metric_has_its_legend(metric, three_files, run):
    shown = run("explain", "-c", "demo", "-p", write_demo_output(), "-m", metric, "--sentences", "1")
    [explained] = METRICS[metric]().explain(load_demo(), load_demo().sources, [0])
    used = {cell.mark for row in explained.rows for cell in row.cells}
    signs = [f"{SIGNS[mark]} {words}" for mark, words in explained.meanings.items() if mark in used and SIGNS[mark]]
    assert signs
    assert shown.startswith("\n".join(signs) + "\n\nSentence 1")


def write_demo_output():
    """Write the demo's sources as outputs; return the file's name."""
    write_lines("copied.txt", load_demo().sources)
    return "copied.txt"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sentences", "4"], "there is no sentence 4. Sentences are numbered from 1 to 3"),
        (["--sentences", "1-4"], "there is no sentence 4. Sentences are numbered from 1 to 3"),
        (["--sentences", "1", f"2-{10**17}"], f"there is no sentence {10**17}. Sentences are numbered from 1 to 3"),
        (["same.txt", "--html", "page.html"], "--html can show only one system"),
        (["-m", "bleu"], "bleu cannot explain sentences"),
    ],
)
def test_errors(three_files, refused, arguments, message):
    assert message in refused(["explain", "--gold", "gold.m2", "-p", "out.txt", *arguments])
    assert not (three_files / "page.html").exists()


@pytest.mark.parametrize("text", ["0", "3-2", "1-", "-2", "1,,2", "one", "1_0", "٣"])
def test_sentences_that_are_no_numbers(text, three_files, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["explain", "--gold", "gold.m2", "-p", "out.txt", f"--sentences={text}"])
    message = capsys.readouterr().err
    assert "is not a sentence number or a range (counted from 1, as in 3,17 or 1-50)." in message

"""The convert command."""

from pathlib import Path

import pytest

from gecbench.corpora.demo import DATA


def test_convert(run, tmp_path):
    gold = DATA / "gold.m2"
    run("convert", gold, "-o", tmp_path / "a.jsonl")
    run("convert", tmp_path / "a.jsonl", "-o", tmp_path / "b.m2")
    assert (tmp_path / "b.m2").read_text().strip() == gold.read_text().strip()
    run("convert", gold, "--to-source", tmp_path / "s", "--to-references", tmp_path / "r0", tmp_path / "r1")
    assert (tmp_path / "s").read_text() == (DATA / "source.txt").read_text()
    alone = run("convert", gold, "-o", "-", "--annotator", "1")
    assert alone == (tmp_path / "r1").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["convert"], "no input"),
        (["convert", "a.m2", "-o", "b.m2"], "no such file"),
        (["convert", "a.m2", "-s", "s", "-r", "r", "-o", "b.m2"], "more than one input"),
        (["convert", "a.txt", "-o", "b.m2"], "cannot tell the format"),
        (["convert", str(DATA / "gold.m2")], "no output"),
        (["convert", str(DATA / "gold.m2"), "-o", "out.xyz"], "cannot tell the output format"),
        (["convert", str(DATA / "gold.m2"), "-o", "-", "--annotator", "5"], "no annotator 5"),
        (["convert", str(DATA / "gold.m2"), "--to-source", "s"], "belong together"),
    ],
)
def test_wrong_use(refused, folder, arguments, message):
    refused(arguments, message)
    assert not list(folder.iterdir())


def test_line_breaks_inside_a_sentence_are_not_written(refused, folder):
    Path("a.jsonl").write_text('{"source": "He go .\\nx", "references": ["He goes ."]}\n')
    command = ["convert", "a.jsonl", "--to-source", "s", "--to-references", "r"]
    refused(command, "s:1: a line break inside a sentence")
    assert not Path("s").exists()

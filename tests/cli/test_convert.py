"""Conversions between parallel text, M2, I-measure XML and JSON Lines."""

from pathlib import Path

import pytest

from gecbench.corpora.demo import DATA

GOLD = str(DATA / "gold.m2")


def test_convert(run, tmp_path):
    run("convert", GOLD, "-o", tmp_path / "a.jsonl")
    run("convert", tmp_path / "a.jsonl", "-o", tmp_path / "b.m2")
    assert (tmp_path / "b.m2").read_text().strip() == (DATA / "gold.m2").read_text().strip()
    run("convert", GOLD, "--to-source", tmp_path / "s", "--to-references", tmp_path / "r0", tmp_path / "r1")
    assert (tmp_path / "s").read_text() == (DATA / "source.txt").read_text()
    alone = run("convert", GOLD, "-o", "-", "--annotator", "1")
    assert alone == (tmp_path / "r1").read_text()


def test_error_groups_become_annotations_again(run, folder):
    run("convert", GOLD, "-o", "gold.xml")
    run("convert", "gold.xml", "-o", "again.m2")
    sources = [line for line in Path("again.m2").read_text().splitlines() if line.startswith("S ")]
    assert sources == [line for line in (DATA / "gold.m2").read_text().splitlines() if line.startswith("S ")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no input"),
        (["a.m2", "-o", "b.m2"], "no such file"),
        (["a.m2", "-s", "s", "-r", "r", "-o", "b.m2"], "more than one input"),
        (["a.txt", "-o", "b.m2"], "cannot tell the format"),
        ([GOLD], "no output"),
        ([GOLD, "-o", "out.xyz"], "cannot tell the output format"),
        ([GOLD, "-o", "-", "--annotator", "5"], "no annotator 5"),
        ([GOLD, "--to-source", "s"], "belong together"),
        (["-s", "s", "-o", "b.m2"], "-s and -r belong together"),
    ],
)
def test_wrong_use(refused, folder, arguments, message):
    refused(["convert", *arguments], message)
    assert not list(folder.iterdir())


def test_annotators_of_a_corpus_without_any(refused, folder):
    Path("a.jsonl").write_text('{"source": "He go .", "references": ["He goes ."]}\n')
    refused(["convert", "a.jsonl", "-o", "-", "--annotator", "0"], "has no annotators")


def test_line_breaks_inside_a_sentence_are_not_written(refused, folder):
    Path("a.jsonl").write_text('{"source": "He go .\\nx", "references": ["He goes ."]}\n')
    command = ["convert", "a.jsonl", "--to-source", "s", "--to-references", "r"]
    refused(command, "s:1: the sentence contains a line break")
    assert not Path("s").exists()

"""Tokenization and its inverse on the command line."""

from pathlib import Path

import pytest

from gecbench import load_demo
from gecbench.corpora.demo import DATA
from gecbench.formats.text import read_lines, write_lines


def test_named_tokenizers(run, folder):
    write_lines("raw.txt", ["He doesn't go, now.", ""])
    assert run("tokenize", "raw.txt") == "He does n't go , now .\n\n"
    assert run("tokenize", "raw.txt", "-t", "moses") == "He doesn 't go , now .\n\n"


@pytest.mark.parametrize("guide", [["-c", "demo"], ["-s", DATA / "source.txt"]])
def test_a_corpus_is_tokenized_as_it_was(run, folder, guide):
    run("detokenize", DATA / "source.txt", "-o", "raw.txt")
    assert Path("raw.txt").read_bytes() != (DATA / "source.txt").read_bytes()
    run("tokenize", "raw.txt", *guide, "-o", "again.txt")
    assert read_lines("again.txt") == list(load_demo().sources)


def test_one_way_at_a_time(refused):
    refused(["tokenize", DATA / "source.txt", "-t", "moses", "-c", "demo"], "-t, -c and -s cannot be combined")


@pytest.mark.parametrize("name", ["gold.m2", "all.jsonl", "all.tsv", "gold.xml", "all.parquet.gz"])
def test_other_formats_are_not_sentences(name, folder, refused):
    Path(name).write_bytes((DATA / "gold.m2").read_bytes())
    write_lines("raw.txt", ["He goes."])
    problem = f"{name}: is (an M2|a .*) file, not plain text. Give a file with one sentence per line."
    for arguments in (["detokenize", name], ["tokenize", name], ["tokenize", "raw.txt", "-s", name]):
        refused(arguments, problem)


def test_outputs_are_not_edits(folder, refused):
    for guide in (["-c", "demo"], ["-s", DATA / "source.txt"]):
        refused(["tokenize", DATA / "gold.m2", *guide], "gold.m2: is an M2 file, not plain text. Give a file with one")


def test_outputs_may_be_a_table(run, folder):
    write_lines("raw.jsonl", ['{"prediction": "He goes, now."}'])
    write_lines("source.txt", ["He go , now ."])
    assert run("tokenize", "raw.jsonl", "-s", "source.txt") == "He goes , now .\n"


def test_the_file_of_sources_is_named(folder, refused):
    write_lines("raw.txt", ["He goes.", "She goes."])
    write_lines("short.txt", ["He go ."])
    refused(["tokenize", "raw.txt", "-s", "short.txt"], "raw.txt:2: 2 lines, but short.txt has 1 sentence")

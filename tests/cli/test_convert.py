"""Conversions between parallel text, M2, I-measure XML and JSON Lines."""

from pathlib import Path

import pytest

from gecbench.cli import main
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


def test_help_says_that_m2_needs_edits(run, folder, exits, refused):
    assert "corpus.jsonl -o gold.m2        (if the corpus has edits)\n" in exits(["convert", "--help"]).out
    run("convert", "-s", DATA / "source.txt", "-r", DATA / "reference0.txt", "-o", "corpus.jsonl")
    refused(["convert", "corpus.jsonl", "-o", "gold.m2"], "corpus.jsonl has no annotations to write as M2")


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
        (["a.txt", "-o", "b.m2"], "a.txt: no such file"),
        ([str(DATA / "source.txt"), "-o", "b.m2"], "source.txt: is plain text, not a corpus file"),
        ([GOLD], "no output"),
        ([GOLD, "-o", "out.xyz"], "unknown output format"),
        ([GOLD, "-o", "-", "--annotator", "5"], "no annotator 5"),
        *[
            (
                [GOLD, "--annotator", "0", "-o", name],
                f"^gecbench: {name}: --annotator can write only plain text. Choose a file name that ends in .txt.\n$",
            )
            for name in ("a0.m2", "a0.xml", "a0.jsonl", "a0.m2.gz")
        ],
        ([GOLD, "--to-source", "s"], "must be given together"),
        (["-s", "s", "-o", "b.m2"], "-s and -r must be given together"),
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


EDIT = "A 1 2|||R:VERB|||{}|||REQUIRED|||-NONE-|||{}\n"


def test_an_annotator_without_lines_did_not_leave_the_sentence_unchanged(folder, capsys):
    """CoNLL-14's combined file leaves out annotator 1 where both made the same edits."""
    both = "S He go home .\n" + EDIT.format("goes", 0) + EDIT.format("went", 1) + "\n"
    agreed = "S She go home .\n" + EDIT.format("goes", 0) + "\n"
    Path("combined.m2").write_text(both + agreed + "S Fine .\n\n")
    assert main(["convert", "combined.m2", "--annotator", "1", "-o", "-"]) == 0
    printed = capsys.readouterr()
    assert printed.out == "He went home .\nShe goes home .\nFine .\n"
    note = "annotator 1 left out 1 sentence that others annotated. There, the first annotator's edits are used"
    assert note in printed.err


def test_the_combined_file_of_conll14_gives_the_second_annotators_own_text(mirror, folder):
    """The references of `official-2014.1.m2`: 88 sentences have no lines of that annotator in the combined file."""
    for name, annotator in (("combined", "1"), ("1", "0")):
        Path(f"{name}.m2").write_bytes(mirror.read(f"conll14/noalt/official-2014.{name}.m2"))
        assert main(["convert", f"{name}.m2", "--annotator", annotator, "-o", f"{name}.txt"]) == 0
    assert Path("combined.txt").read_bytes() == Path("1.txt").read_bytes()

"""Files read batch by batch: the scores of files read at once, and the same errors."""

import json

import pyarrow
import pyarrow.parquet
import pytest
from scale_cases import demo

import gecbench

DEMO, OUTPUTS = demo().corpus, demo().outputs
TEXT = ["-s", "source.txt", "-r", *(f"ref{k}.txt.gz" for k in range(4))]
INPUTS = {
    "text": ([*TEXT, "-p", "output.txt", "-m", "gleu", "bleu", "m2"], None),
    "json lines": ([*TEXT, "-p", "output.jsonl", "-m", "gleu"], None),
    "edits": (["--gold", "gold.m2", "-p", "output.txt", "-m", "m2", "imeasure", "gleu"], None),
    "edits of a system": (["--gold", "gold.m2", "-p", "system.m2", "-m", "errant"], None),
    "a corpus": (["-c", "demo", "-p", "output.txt", "-m", "m2"], None),
    "standard input": (["-s", "source.txt", "-r", "ref0.txt.gz", "-p", "-"], "output.txt"),
    "parquet": (["-s", "all.parquet", "-r", "all.parquet", "-p", "all.parquet"], None),
}


@pytest.mark.parametrize(("arguments", "piped"), INPUTS.values(), ids=INPUTS)
@pytest.mark.parametrize("size", ["1", "7", "10000", "9" * 18])
def test_files_of_all_kinds(arguments, piped, size, files, run, monkeypatch):
    def printed(*more):
        if piped:
            monkeypatch.setattr("sys.stdin", (files / piped).open())
        return str(run("score", *arguments, *more))

    streamed = printed("--stream", "--batch-size", size)
    if "all.parquet" in arguments:
        arguments = [*TEXT, "-p", "all.parquet"]
    assert streamed == printed()


def test_rows_without_text(files, refused, run):
    rows = [*OUTPUTS[:3], None, *OUTPUTS[4:]]
    pyarrow.parquet.write_table(pyarrow.table({"output": rows}), "null.parquet")
    arguments = ["score", "--stream", *TEXT, "-p", "null.parquet", "--batch-size", "10"]
    refused(
        arguments,
        r"1 of the first 10 rows cannot be scored \(rows are numbered from 0\): row 3: prediction is missing",
    )
    kept = [i for i in range(42) if i != 3]
    expected = gecbench.score([OUTPUTS[i] for i in kept], DEMO.select(kept), "gleu")["gleu"]
    (score,) = json.loads(run(*arguments, "--on-bad", "skip", "-f", "json"))["systems"][0]["scores"]
    assert score["value"] == expected.value
    assert "skipped:1" in score["signature"]


def test_a_parquet_file_that_is_broken_in_its_middle(files, refused):
    content = bytearray((files / "all.parquet").read_bytes())
    content[200:400] = bytes(200)
    (files / "broken.parquet").write_bytes(content)
    arguments = ["score", "--stream", *TEXT, "-p", "broken.parquet", "--column", "source"]
    refused(arguments, "broken.parquet: (cannot be read|the Parquet file is damaged|not a Parquet file)")


@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        (TEXT, "ref0.txt.gz"),
        (["-s", "source.txt", "-r", "all.parquet"], "all.parquet"),
        (["--gold", "gold.m2"], "gold.m2"),
    ],
)
def test_a_batch_of_much_text_is_refused(arguments, file, files, refused, run, monkeypatch):
    """A few bytes of Parquet or gzip can unpack to gigabytes in one batch."""
    command = ["score", "--stream", *arguments, "-p", "output.txt", "-m", "gleu"]
    expected = run(*command)
    monkeypatch.setattr("gecbench.scale.files.MOST_IN_BATCH", 1500)
    refused(command, f"{file}: a batch has more text than the limit of 1,500 bytes. Give a smaller --batch-size")
    assert run(*command, "--batch-size", "2") == expected
    monkeypatch.setattr("gecbench.scale.files.MOST_IN_BATCH", 20)
    refused([*command, "--batch-size", "1"], f"{file}: a batch has more text than the limit of 20 bytes")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*TEXT, "-p", "short.txt"], "short.txt:42: 41 predictions, but source.txt has more sentences"),
        (["-s", "short.txt", *TEXT[2:], "-p", "short.txt"], "ref0.txt.gz:42: more lines than short.txt"),
        (["-s", "source.txt", "-r", "short.txt", "-p", "output.txt"], "short.txt:42: fewer lines than source.txt"),
        (["-s", "short.txt", "-r", "short.txt", "-p", "output.txt", "--aligned"], "output.txt: more predictions than"),
        ([*TEXT, "-p", "latin.txt"], "latin.txt:9: not UTF-8: byte 0xe9"),
        ([*TEXT, "-p", "broken.jsonl"], "broken.jsonl:9: not JSON"),
        ([*TEXT, "-p", "ids.jsonl"], "ids.jsonl: has an id column \\('id'\\), but --stream pairs rows by position"),
        (["-s", "source.txt", "-r", "ids.jsonl", "-p", "output.txt"], "ids.jsonl: has an id column \\('id'\\), but"),
        ([*TEXT, "-p", "half.txt.gz"], "half.txt.gz: the gzip file is damaged"),
        ([*TEXT, "-p", "no.parquet"], "no.parquet: not a Parquet file, or incomplete. Write it again"),
        ([*TEXT, "-p", "none.parquet"], "none.parquet: no such file"),
        ([*TEXT, "-p", "table.csv"], "table.csv: .csv files cannot be streamed"),
        ([*TEXT, "-p", "none.txt"], "none.txt: no such file"),
        (["--gold", "broken.m2", "-p", "output.txt", "-m", "m2"], "broken.m2:2[0-9]: the span"),
        ([*TEXT, "-p", "output.txt", "--resamples", "9"], "--resamples cannot be combined with --stream"),
        ([*TEXT, "-p", "output.txt", "output.txt"], "--stream scores one system at a time"),
        ([*TEXT, "-p", "output.txt", "--by", "edit-distance"], "gecbench: --by cannot be combined with --stream"),
        ([*TEXT, "-p", "output.txt", "--clean"], "gecbench: --clean cannot be combined with --stream"),
        ([*TEXT, "-p", "output.txt", "--per-sentence"], "--stream cannot print sentence scores. Write them to"),
        ([*TEXT, "-p", "output.txt", "--per-sentence", "out.tsv"], "out.tsv: sentence scores are written as Parquet"),
        ([*TEXT, "-p", "output.txt", "--tokenize", "auto"], "Tokenize the file first: gecbench tokenize FILE -s"),
        ([*TEXT, "-p", "raw.txt"], "Tokenize the file first: gecbench tokenize FILE -s SOURCE, or pass --tokenized to"),
        ([*TEXT, "-p", "text.txt.gz"], "text.txt.gz: is not a gzip file. Rename it, or compress it with gzip"),
        ([*TEXT, "-p", "output.txt", "--per-sentence", "output.txt"], "output.txt: would be overwritten"),
        ([*TEXT, "-p", "output.txt", "--per-sentence", "/dev/null"], "/dev/null: is not a regular file"),
        ([*TEXT, "-p", "output.txt", "--per-sentence", "."], "is not a regular file"),
        ([*TEXT, "-p", "output.txt", "--per-sentence", "none/per.parquet"], "none: no such folder. Create it first"),
        ([*TEXT, "-p", "output.txt", "--master", "local"], "--master needs --engine spark"),
        ([*TEXT, "-p", "output.txt", "--engine", "spark"], "-s, -r, --gold and -c cannot be combined with --engine"),
        (["-p", "output.txt", "--engine", "spark"], "--stream cannot be combined with --engine spark"),
        (["-p", "output.txt"], "no corpus"),
    ],
)  # fmt: skip
def test_refused(arguments, message, files, refused):
    lines = (files / "output.txt").read_bytes().splitlines(keepends=True)
    (files / "short.txt").write_bytes(b"".join(lines[:-1]))
    (files / "raw.txt").write_text("".join(line.replace(" .", ".") for line in map(bytes.decode, lines)))
    (files / "text.txt.gz").write_bytes(b"".join(lines))
    (files / "latin.txt").write_bytes(b"".join([*lines[:8], b"caf\xe9\n", *lines[9:]]))
    (files / "no.parquet").write_bytes(b"PAR1")
    (files / "ids.jsonl").write_text("".join(json.dumps({"id": 1, "output": "a"}) + "\n" for _ in OUTPUTS))
    rows = (files / "output.jsonl").read_text().splitlines(keepends=True)
    (files / "broken.jsonl").write_text("".join([*rows[:8], "{\n", *rows[9:]]))
    (files / "half.txt.gz").write_bytes((files / "ref0.txt.gz").read_bytes()[:600])
    gold = (files / "gold.m2").read_text().splitlines(keepends=True)
    number = next(i for i, line in enumerate(gold) if i >= 19 and line.startswith("A ") and "noop" not in line)
    fields = gold[number].split("|||")
    (files / "broken.m2").write_text(
        "".join([*gold[:number], "|||".join(["A 98 99", *fields[1:]]), *gold[number + 1 :]])
    )
    before = sorted(files.iterdir())
    refused(["score", "--stream", "--batch-size", "3", *arguments], message)
    assert sorted(files.iterdir()) == before

"""Parquet files that decode to far more than their size are refused before they do."""

import subprocess
import sys

import pyarrow
import pyarrow.parquet
import pytest

from gecbench import InputError
from gecbench.formats import parquet
from gecbench.formats.parquet import ParquetColumns, ParquetFile

TEXT = pyarrow.string()


def written(column, **options):
    sink = pyarrow.BufferOutputStream()
    table = pyarrow.table({"other": pyarrow.nulls(len(column)), "output": column})
    pyarrow.parquet.write_table(table, sink, compression="zstd", store_schema=False, **options)
    return sink.getvalue().to_pybytes()


def repeated(text, count):
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * count, pyarrow.int32()), pyarrow.array([text]))


def one_list(values):
    return pyarrow.ListArray.from_arrays(pyarrow.array([0, len(values)]), values)


def delta(column, path="output"):
    return written(column, use_dictionary=False, column_encoding={path: "DELTA_BYTE_ARRAY"})


BOMBS = {
    "repeated": lambda: written(repeated("x" * 1_000_000, 100_000)),
    "rows": lambda: written(pyarrow.nulls(50_000_000, TEXT)),
    "one text": lambda: written(["x" * 100_000_000], use_dictionary=False),
    "prefixes": lambda: delta(["x" * 500_000 + str(number) for number in range(200)]),
    "a list": lambda: written(one_list(repeated("x" * 100_000, 100_000))),
    "a list of prefixes": lambda: delta(
        one_list(pyarrow.array(["x" * 500_000 + str(number) for number in range(200)])), "output.list.element"
    ),
    "a list of nothing": lambda: written(one_list(pyarrow.nulls(10_000_000, TEXT))),
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_bomb_is_refused_in_little_memory(kind, tmp_path):
    data = BOMBS[kind]()
    assert len(data) < 250_000
    path = tmp_path / "bomb.parquet"
    path.write_bytes(data)
    (tmp_path / "s.txt").write_text("One .\n")
    program = """if True:
        import sys
        import pyarrow.parquet
        from gecbench.cli import main
        main(["score", "-s", "s.txt", "-r", "s.txt", "-p", "s.txt", "--aligned"])

        def peak():
            lines = open("/proc/self/status").read().splitlines()
            return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) // 1024

        before = peak()
        files = ["-s", "s.txt", "-r", "s.txt", "-p", "bomb.parquet", "--aligned"]
        status = main(["score", *sys.argv[1:], *files, "-m", "gleu"])
        print(status, peak() - before)
    """
    if not sys.platform.startswith("linux"):
        pytest.skip("reads the memory of a process from /proc")
    for options in ([], ["--stream"]):
        command = [sys.executable, "-c", program, *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        status, megabytes = done.stdout.split()[-2:]
        assert status == "2"
        assert done.stderr.count("\n") == 1, done.stderr
        assert "bomb.parquet: " in done.stderr
        assert options or "limit for a file of this size" in done.stderr or "delta encoding" in done.stderr
        assert int(megabytes) < 500


def test_only_columns_asked_for_are_read(monkeypatch):
    rows = ["One .", "Two ."]
    table = pyarrow.table({"output": rows, "long": ["x" * 100_000] * 2})
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(table, sink)
    data = sink.getvalue().to_pybytes()
    monkeypatch.setattr(parquet, "MOST_DECODED", 10_000)
    columns = ParquetColumns(ParquetFile(data, "out.parquet"))
    assert list(columns) == ["output", "long"]
    assert columns["output"] == rows
    with pytest.raises(InputError, match=r"unpacks to .* limit"):
        columns["long"]


def test_what_a_large_file_decodes_to_may_grow_with_it():
    """80 MB of text that is packed to less than a hundredth."""
    texts = [f"{number} {number * 7919 % 1000003} " + "word " * 80 for number in range(200_000)]
    data = written(pyarrow.array(texts))
    assert sum(map(len, texts)) > parquet.MOST_DECODED_OF_SMALL
    assert ParquetColumns(ParquetFile(data, "out.parquet"))["output"] == texts


@pytest.mark.parametrize(
    "values", [[["a", "b"], None, ["c", None], []], [{"a": "x", "b": [1]}, None], [[["a"], ["b", "c"]]], [1, 2], [b"x"]]
)
def test_values_of_every_kind_come_as_they_are(values):
    assert ParquetColumns(ParquetFile(written(pyarrow.array(values)), "out.parquet"))["output"] == values


def test_lists_in_many_row_groups():
    values = [[f"text {number}", "the same"] for number in range(100)]
    assert ParquetColumns(ParquetFile(written(values, row_group_size=9), "out.parquet"))["output"] == values


@pytest.mark.parametrize("column", [["the same text"] * 90, [["a text", "the same"]] * 90, [["long " * 40], ["x"]] * 9])
def test_values_are_decoded_in_small_pieces(column, monkeypatch):
    sizes = []
    convert = parquet._to_python
    monkeypatch.setattr(parquet, "_to_python", lambda array: sizes.append(parquet._size_of(array)) or convert(array))
    monkeypatch.setattr(parquet, "MOST_RATIO", 10**6)
    monkeypatch.setattr(parquet, "MOST_DECODED_OF_SMALL", 100)
    file = ParquetFile(written(pyarrow.array(column)), "out.parquet", streamed=True)
    assert ParquetColumns(file)["output"] == column
    assert len(sizes) > 3
    assert max(sizes) < 300


def bad_texts(good="ab", bad=b"\xff\xfe"):
    """Return a column of two texts, of which the second is not UTF-8."""
    ends = pyarrow.array([0, len(good), len(good) + len(bad)], pyarrow.int32()).buffers()[1]
    return pyarrow.Array.from_buffers(TEXT, 2, [None, ends, pyarrow.py_buffer(good.encode() + bad)])


def test_texts_that_are_not_utf8(tmp_path, monkeypatch, refused, run):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.txt").write_text("ab\nab\n")
    (tmp_path / "p.parquet").write_bytes(written(bad_texts()))
    files = ["-s", "s.txt", "-r", "s.txt", "-p", "p.parquet", "-m", "gleu", "--aligned"]
    refused(["score", *files], r"'output' must contain text, but its value in row 2 is bytes that are not UTF-8")
    refused(["score", "--stream", *files], "row 1: prediction is b'.xff.xfe', not text")
    assert "skipped:1" in run("score", "--stream", *files, "--on-bad", "skip", "-f", "json")
    (tmp_path / "r.parquet").write_bytes(written(one_list(bad_texts())))
    refused(["score", "--stream", "-s", "s.txt", "-r", "r.parquet", "-p", "s.txt", "-m", "gleu"], "row 1|r.parquet")

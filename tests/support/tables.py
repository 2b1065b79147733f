"""A small corpus, and its corrections as tables of every kind."""

import csv
import io
import json

import pytest

import gecbench

SOURCES = ["He go home , now .", 'She say " yes " .', "They is late .", "We sings ."]
TEXTS = ["He goes home , now .", 'She says " yes " .', "They are late .", "We sing ."]
CORPUS = gecbench.Corpus(
    sources=SOURCES, references=[[text] for text in TEXTS], ids=["a1", "a2", "b1", "b2"], name="four"
)
IDS = list(CORPUS.ids)


def rows(column="prediction", texts=TEXTS, **more):
    columns = {**more, column: texts}
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def as_jsonl(table):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in table).encode()


def as_delimited(table, delimiter):
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(table[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(table)
    return stream.getvalue().encode()


def as_parquet(table):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    stream = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(table), stream)
    return stream.getvalue()


WRITERS = {
    ".jsonl": as_jsonl,
    ".csv": lambda table: as_delimited(table, ","),
    ".tsv": lambda table: as_delimited(table, "\t"),
    ".parquet": as_parquet,
}


def as_dataset(table):
    import datasets

    return datasets.Dataset.from_list(table)


FRAMES = {
    "list": lambda table: table,
    "mapping": lambda table: {name: [row[name] for row in table] for name in table[0]},
    "dataset": as_dataset,
    "pandas": lambda table: pytest.importorskip("pandas").DataFrame(table),
    "polars": lambda table: pytest.importorskip("polars").DataFrame(table),
}

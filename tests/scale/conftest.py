"""The demo as files."""

import gzip
import json

import pyarrow
import pyarrow.parquet
import pytest
from scale_cases import demo, demo_edits

from gecbench.corpus.corpus import Corpus
from gecbench.formats.m2 import write_m2


@pytest.fixture
def files(folder):
    """Write the demo as files of every kind into an empty folder, and work there."""
    corpus, outputs = demo().corpus, demo().outputs
    (folder / "source.txt").write_text("".join(f"{line}\n" for line in corpus.sources))
    (folder / "output.txt").write_text("".join(f"{line}\r\n" for line in outputs))
    (folder / "output.jsonl").write_text("".join(json.dumps({"n": 1, "prediction": line}) + "\n" for line in outputs))
    for k in range(4):
        with gzip.open(folder / f"ref{k}.txt.gz", "wt") as file:
            file.writelines(f"{texts[k]}\n" for texts in corpus.references)
    columns = {"source": corpus.sources, "references": demo().columns["references"], "output": outputs}
    pyarrow.parquet.write_table(pyarrow.table(columns), folder / "all.parquet", row_group_size=9)
    write_m2(corpus, folder / "gold.m2")
    write_m2(Corpus(sources=corpus.sources, annotations=demo_edits().outputs.annotations), folder / "system.m2")
    return folder

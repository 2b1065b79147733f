"""The tables of a board: which corpus and which reference set."""

from __future__ import annotations

from pathlib import Path

from gecbench.corpora.resolve import CORPUS_FILES
from gecbench.corpus.corpus import Corpus


def table_of(corpus: Corpus) -> tuple[str, str]:
    """Return the name and the reference set under which a corpus is listed.

    >>> table_of(Corpus(sources=["a"], name="conll14_fluency:nucle:test"))
    ('conll14_fluency:test', 'nucle')
    """
    parts = corpus.name.split(":")
    if len(parts) == 3:
        return f"{parts[0]}:{parts[2]}", parts[1]
    file = Path(Path(corpus.name).name.removesuffix(".gz"))
    return file.stem if file.suffix in CORPUS_FILES else file.name, "default"

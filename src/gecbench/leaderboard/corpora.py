"""The corpora a board knows by name: the one place where names become corpora."""

from __future__ import annotations

from pathlib import Path

from gecbench.corpora.catalog import DATASETS
from gecbench.corpora.load import is_corpus_name, load_corpus
from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError


def resolve_corpus(name: str) -> Corpus:
    """Return the corpus of a name: `demo`, one of the datasets (`jfleg:test`), or the path of a JSON Lines file."""
    if name == "demo":
        from gecbench.corpora.demo import load_demo

        return load_demo()
    if is_corpus_name(name):
        return load_corpus(name)
    if name.removesuffix(".gz").endswith(".jsonl"):
        from gecbench.formats.jsonl import read_jsonl

        return read_jsonl(name)
    known = ", ".join(["demo", *DATASETS])
    raise InputError(f"unknown corpus {name!r:.80}", fix=f"Corpora: {known}; or name a JSON Lines file (.jsonl)")


def table_of(corpus: Corpus) -> tuple[str, str]:
    """Return the name and the reference set under which a corpus is listed.

    >>> table_of(Corpus(sources=["a"], name="conll14_fluency:nucle:test"))
    ('conll14_fluency:test', 'nucle')
    """
    parts = corpus.name.split(":")
    if len(parts) == 3:
        return f"{parts[0]}:{parts[2]}", parts[1]
    return Path(corpus.name).name.removesuffix(".gz").removesuffix(".jsonl"), "default"

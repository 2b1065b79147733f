"""Corpora: pinned upstream files, turned into typed rows, datasets and corpora ready to score."""

from __future__ import annotations

from gecbench.corpora.load import is_corpus_name, load_corpus, load_dataset, load_rows, parse_corpus_name
from gecbench.corpora.registration import register_datasets, unregister_datasets
from gecbench.corpora.upstream import Upstream

__all__ = [
    "Upstream",
    "is_corpus_name",
    "load_corpus",
    "load_dataset",
    "load_rows",
    "parse_corpus_name",
    "register_datasets",
    "unregister_datasets",
]

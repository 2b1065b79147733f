"""The one way from what a user names to a `Corpus`: a known name, a file, rows, or a corpus itself.

Scoring a `Corpus` passes through here, so readers and the catalogue are imported only for names, files and rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError, did_you_mean
from gecbench.formats.text import STANDARD_INPUT
from gecbench.metrics.base import Metric
from gecbench.metrics.registry import make_metric

CorpusLike = Corpus | str | Path | Iterable[Mapping[str, Any]]
CORPUS_FILES = (".m2", ".xml", ".jsonl")


def resolve_corpus(what: CorpusLike, metrics: Sequence[str | Metric] | None = None) -> Corpus:
    """Return a corpus from a name (`demo`, `jfleg:test`), a file (.m2, .xml, .jsonl; .gz too), rows, or itself.

    Rows (a `datasets.Dataset`, a pandas or polars frame, a list of dictionaries) have the columns `sentence` and
    `corrections` or `annotations`, or the usual names for source and references. Edits of a file
    are applied to give references: where one of `metrics` needs them, or, without `metrics`, if they can be applied.

    >>> resolve_corpus("demo").reference_range()
    '4'
    """
    if isinstance(what, Corpus):
        return what
    if isinstance(what, (str, Path)):
        return _named(str(what), metrics)
    return _of_table(what)


def _of_table(table: Any) -> Corpus:
    from gecbench.corpora.load import corpus_of_rows
    from gecbench.formats.columns import REFERENCE_NAMES, SOURCE_NAMES, Columns, columns_of

    listed = list(table) if isinstance(table, Iterator) else table
    columns = columns_of(listed) if not isinstance(listed, list) or listed else Columns({})
    if columns is None:
        raise InputError(f"a {type(table).__name__} is not a corpus", fix=f"Give a Corpus or a name. {known_corpora()}")
    values = dict(columns.values)
    for name, usual in (("sentence", SOURCE_NAMES), ("corrections", REFERENCE_NAMES)):
        found = [each for each in values if each.lower() in usual]
        if name not in values and "annotations" not in values and len(found) == 1:
            values[name] = values.pop(found[0])
    if "corrections" in values:
        values["corrections"] = [[texts] if isinstance(texts, str) else texts for texts in values["corrections"]]
    rows = [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]
    return corpus_of_rows(rows, name="rows")


def _named(name: str, metrics: Sequence[str | Metric] | None) -> Corpus:
    if name == "demo":
        from gecbench.corpora.demo import load_demo

        return load_demo()
    from gecbench.corpora.load import is_corpus_name, load_corpus

    if is_corpus_name(name):
        return load_corpus(name)
    return apply_edits_for(metrics, read_file(name))


def is_known_name(name: str) -> bool:
    """Return whether a name means a corpus of ours, and no file."""
    from gecbench.corpora.load import is_corpus_name

    return name == "demo" or is_corpus_name(name)


def read_file(name: str) -> Corpus:
    """Read a file by its ending; what has another ending, or comes by standard input, must be JSON Lines."""
    ending = Path(name.removesuffix(".gz")).suffix
    if ending not in CORPUS_FILES and name != STANDARD_INPUT and not Path(name).exists():
        raise InputError(f"no corpus or file {name!r:.80}", fix=_near_corpus(name) + known_corpora())
    if ending in (".m2", ".xml"):
        return read_edits(name)
    from gecbench.formats.jsonl import read_jsonl

    return read_jsonl(name)


def read_edits(path: str) -> Corpus:
    """Read coded edits: I-measure XML if the name ends in .xml, else M2."""
    if path.removesuffix(".gz").endswith(".xml"):
        from gecbench.formats.imeasure_xml import read_imeasure_xml

        return read_imeasure_xml(path)
    from gecbench.formats.m2 import read_m2

    return read_m2(path)


def _near_corpus(name: str) -> str:
    from gecbench.corpora.catalog import DATASETS

    rest = name.removeprefix(name.partition(":")[0])
    return did_you_mean(name, ["demo", *(declared + rest for declared in DATASETS)])


def known_corpora() -> str:
    """Return the names that mean a corpus, with configurations and splits, and the endings of files."""
    from gecbench.corpora.catalog import DATASETS

    names = ["demo"]
    for declared in DATASETS.values():
        configs = [config for config in declared.configs.values() if config.scorable]
        splits = dict.fromkeys(split for config in configs for split in config.splits)
        names.append(f"{declared.name}[:{'|'.join(config.name for config in configs)}][:{'|'.join(splits)}]")
    return f"Corpora: {', '.join(names)}; or a file: {', '.join(CORPUS_FILES)}"


def apply_edits_for(metrics: Sequence[str | Metric] | None, corpus: Corpus) -> Corpus:
    """Return the corpus with references if a metric needs them; for no metrics, if its edits can be applied."""
    if not corpus.has("annotations") and not corpus.has("groups"):
        return corpus
    if metrics is not None:
        chosen = [metrics] if isinstance(metrics, (str, Metric)) else metrics
        needed = any(make_metric(metric).gold(corpus) == "references" for metric in chosen)
        return with_references(corpus) if needed else corpus
    try:
        return with_references(corpus)
    except InputError:
        return corpus


def with_references(corpus: Corpus) -> Corpus:
    """Return the corpus with references, made by applying its edits if it has none."""
    from gecbench.corpus.derive import derive_references
    from gecbench.corpus.mixing import derive_group_references

    if corpus.references is not None:
        return corpus
    return derive_references(corpus) if corpus.has("annotations") else derive_group_references(corpus)

"""Parallel text: a source file, one file per reference, one file per system, paired by line number."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gecbench.corpus.checks import check_alignment, check_line_count
from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError
from gecbench.formats.columns import REFERENCE_NAMES, SOURCE_NAMES, read_texts
from gecbench.formats.text import check_outputs, write_lines


def read_parallel(source: str | Path, references: Sequence[str | Path], *, aligned: bool = False) -> Corpus:
    """Read a corpus from a source file and one file per reference; `aligned=True` skips the check for shifted lines."""
    if not references:
        raise InputError("no reference files", fix="Give at least one")
    sources = read_texts(source, SOURCE_NAMES)
    if not sources:
        raise InputError("the file is empty", file=str(source), fix="Give one sentence per line")
    columns = [read_texts(path, REFERENCE_NAMES) for path in references]
    for path, column in zip(references, columns, strict=True):
        fix = "Both need one line per sentence, in the same order; an empty output is an empty line"
        check_line_count(len(column), len(sources), str(source), str(path), fix)
        if not aligned:
            check_alignment(sources, column, "the references", str(path))
    return Corpus(sources=sources, references=list(zip(*columns, strict=True)), name=Path(source).name)


def write_parallel(corpus: Corpus, source: str | Path, references: Sequence[str | Path]) -> None:
    """Write a corpus as a source file and one file per reference."""
    if corpus.references is None or any(len(texts) != len(references) for texts in corpus.references):
        raise InputError(
            f"{corpus.name} has {corpus.reference_range()} references per sentence, but {len(references)} files "
            "were named",
            fix="Parallel text needs the same number for every sentence; JSON Lines takes any",
        )
    check_outputs([source, *references])
    write_lines(source, corpus.sources)
    for k, path in enumerate(references):
        write_lines(path, [texts[k] for texts in corpus.references])

"""The demo corpus: sentences like those of learners.

The sentences were written for gecbench. The corpus needs no download.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError
from gecbench.formats.m2 import read_m2
from gecbench.formats.tables import read_parallel
from gecbench.formats.text import read_lines

DATA = Path(__file__).parent / "data"


def load_demo() -> Corpus:
    """Load the demo corpus.

    Returns:
        A corpus of 42 sentences. Each has four fluent references and the edits of two annotators.

    >>> load_demo()
    Corpus(name='demo', sentences=42, references=4, annotators=2)
    """
    texts = read_parallel(DATA / "source.txt", [DATA / f"reference{k}.txt" for k in range(4)])
    gold = read_m2(DATA / "gold.m2")
    return texts.replace(annotations=gold.edit_table(), name="demo", metadata={"tokenizer": "treebank"})


def load_demo_systems() -> dict[str, list[str]]:
    """Load the outputs of four toy systems on the demo corpus.

    Returns:
        The outputs of each system by name.

    >>> list(load_demo_systems())
    ['do-nothing', 'good-corrector', 'rule-based', 'spell-checker']
    """
    return {path.stem: read_lines(path) for path in sorted((DATA / "systems").glob("*.txt"))}


def copy_demo(folder: str | Path) -> list[Path]:
    """Copy the files of the demo corpus into a new folder, and return their paths."""
    target = Path(folder)
    if target.exists():
        raise InputError("already exists", file=str(folder), fix="Give the name of a new folder")
    try:
        shutil.copytree(DATA, target)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=str(folder)) from error
    return sorted(path for path in target.rglob("*") if path.is_file())

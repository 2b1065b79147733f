"""Corpora as columns of rows, with scores of one process: what streams, parts and Spark have to come out at."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from mirror_files import CLEME, MIRROR, conll14_gold, jfleg, needs_mirror, submission

import gecbench
from gecbench import kernels
from gecbench.corpora.declaration import annotation_rows
from gecbench.corpus.corpus import Corpus
from gecbench.formats.m2 import read_m2


class Case(NamedTuple):
    """A corpus and a system's output, the same as columns, how `scale.counts` reads them, and one process's scores."""

    corpus: Corpus
    outputs: Any
    columns: dict[str, list[Any]]
    arguments: dict[str, Any]
    alone: Any

    @classmethod
    def of(cls, corpus: Corpus, outputs: Any, metrics: list[str]) -> Case:
        """Lay out a corpus; predictions that were given as edits stay edits."""
        edits = outputs.annotations if isinstance(outputs, gecbench.EditedTexts) else None
        predictions = [*outputs] if edits is None else [annotation_rows(found) for found in edits]
        columns = {"index": list(range(len(corpus))), "source": [*corpus.sources], "prediction": predictions}
        arguments: dict[str, Any] = {"metrics": metrics, "index": "index", "references": None}
        if corpus.references is not None:
            columns["references"] = [[*texts] for texts in corpus.references]
            arguments["references"] = "references"
        if corpus.annotations is not None:
            columns["annotations"] = [annotation_rows(found) for found in corpus.annotations]
            arguments["annotations"] = "annotations"
        return cls(corpus, outputs, columns, arguments, gecbench.score(outputs, corpus, metrics))

    def parts(self, size: int) -> list[range]:
        """Return the rows of batches of some size."""
        rows = len(self.corpus)
        return [range(begin, min(begin + size, rows)) for begin in range(0, rows, size)]


def count_batches(function: Any, columns: dict[str, list[Any]], size: int) -> list[Any]:
    """Return the tables of counts of batches of some size."""
    rows = len(columns["source"])
    slices = [slice(begin, begin + size) for begin in range(0, rows, size)]
    return [function({name: values[part] for name, values in columns.items()}) for part in slices]


def assert_same(found: Any, expected: Any) -> None:
    """Check that scores are equal to the bit, with their parts and the scores of sentences."""
    assert (found, found.parts, found.diagnostics) == (expected, expected.parts, expected.diagnostics)
    assert np.array_equal(found.sentence_scores(), expected.sentence_scores(), equal_nan=True)


@cache
def demo() -> Case:
    """Return the demo with one of its systems."""
    variants = ["gleu(draws=py3)", "gleu(variant=equation1)", "gleu(variant=multiset)", "m2(mixing=cap)"]
    metrics = ["gleu", "m2", "imeasure", "green", "bleu", *variants]
    return Case.of(gecbench.load_demo(), gecbench.load_demo_systems()["rule-based"], metrics)


@cache
def demo_edits() -> Case:
    """Return the edits of the demo's second annotator as a system's, against those of the first."""
    corpus = gecbench.load_demo()
    first, second = ([[found[k]] for found in corpus.annotations or ()] for k in range(2))
    gold = Corpus(sources=corpus.sources, annotations=first)
    metrics = ["errant", "cleme(weights=none)", "cleme(version=2,assumption=independent,weights=none)"]
    return Case.of(gold, gecbench.EditedTexts.of(corpus.sources, second), metrics)


@cache
def jfleg_rewrites() -> Case:
    """Return JFLEG's test set with its spell-checked source as a system."""
    references = list(zip(*(jfleg("test", f"ref{k}") for k in range(4)), strict=True))
    corpus = Corpus(sources=jfleg("test", "src"), references=references)
    return Case.of(corpus, jfleg("test", "spellchecked.src"), ["gleu", "gleu(draws=py3)", "bleu"])


@cache
def conll14_texts() -> Case:
    """Return CoNLL-14 with the outputs of AMU."""
    return Case.of(conll14_gold(), submission("AMU"), ["m2", "imeasure"])


@cache
def conll14_edits() -> Case:
    """Return CoNLL-14 and the outputs of AMU as ERRANT annotated both."""
    gold, system = (read_m2(Path(MIRROR or "") / CLEME / f"{name}.errant") for name in ("conll14", "conll14-AMU"))
    return Case.of(gold, gecbench.EditedTexts.of(gold.sources, system.annotations or ()), ["errant"])


_quick = pytest.mark.skipif(kernels.active() == "python", reason="the Python kernels take minutes")
CASES = [
    *(pytest.param(make, id=make.__name__) for make in (demo, demo_edits)),
    *(
        pytest.param(make, id=make.__name__, marks=[needs_mirror, _quick])
        for make in (jfleg_rewrites, conll14_texts, conll14_edits)
    ),
]

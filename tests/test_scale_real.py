"""Streams and parts of real corpora: the bits of one process."""

from __future__ import annotations

from typing import Any

import pytest
from mirror_files import conll14_gold, jfleg, needs_mirror, submission

import gecbench
from gecbench import kernels, scale
from gecbench.corpora.edits import annotation_rows
from gecbench.corpus.corpus import Corpus

pytestmark = [needs_mirror, pytest.mark.skipif(kernels.active() == "python", reason="the Python twins take minutes")]


def rewrites() -> tuple[Corpus, Any]:
    """Return JFLEG's test set with its spell-checked source as a system."""
    references = list(zip(*(jfleg("test", f"ref{k}") for k in range(4)), strict=True))
    return Corpus(sources=jfleg("test", "src"), references=references), jfleg("test", "spellchecked.src")


def edits() -> tuple[Corpus, Any]:
    """Return CoNLL-14 with the outputs of AMU."""
    return conll14_gold(), submission("AMU")


CASES = {
    "gleu": rewrites,
    "gleu(draws=py3)": rewrites,
    "bleu": rewrites,
    "m2": edits,
    "imeasure": edits,
}


@pytest.mark.parametrize("size", [7, 10_000])
@pytest.mark.parametrize("metric", CASES)
def test_as_one_process(metric: str, size: int) -> None:
    corpus, outputs = CASES[metric]()
    made = gecbench.make_metric(metric)
    expected = made.score_corpus(corpus, outputs)
    parts = [range(begin, min(begin + size, len(corpus))) for begin in range(0, len(corpus), size)]
    streamed = made.stream((corpus.select(part), outputs[part.start : part.stop]) for part in parts)
    assert (streamed, streamed.parts, streamed.diagnostics) == (expected, expected.parts, expected.diagnostics)
    columns: dict[str, Any] = {"source": list(corpus.sources), "prediction": list(outputs)}
    if corpus.references is None:
        columns["gold"] = [annotation_rows(found) for found in corpus.annotations or ()]
        function = scale.counts(metric, references=None, annotations="gold")
    else:
        columns["gold"] = [list(texts) for texts in corpus.references]
        function = scale.counts(metric, references="gold")
    batches = ({name: values[part.start : part.stop] for name, values in columns.items()} for part in parts)
    tables = [function(batch, part) for batch, part in zip(batches, parts, strict=True)]
    (merged,) = scale.scores(tables[::-1]).values()
    assert (merged, merged.parts, merged.diagnostics) == (expected, expected.parts, expected.diagnostics)

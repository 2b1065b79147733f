"""GLEU by number of references: Figure 5 of Sakaguchi et al. 2016."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gecbench.analysis.tables import Table
from gecbench.corpora.load import load_rows
from gecbench.corpus.corpus import Corpus
from gecbench.metrics.gleu import GLEU
from gecbench.metrics.statistics import Statistics
from gecbench.papers.data import Conll14
from gecbench.papers.document import Figure, Section
from gecbench.papers.figures import line_with_range

SetScore = Callable[[Statistics, int], float]
DRAWS = 2000


def figure5(data: Conll14) -> tuple[Section, Figure]:
    """Return mean, lowest and highest GLEU of the twelve systems against 1, 2, … crowd rewrites."""
    corpus, lines = _crowd_rewrites(data)
    counts = [
        GLEU().count(corpus, [outputs[i] for i in lines]) for name, outputs in data.systems.items() if name != "INPUT"
    ]
    sizes = list(range(1, int(counts[0].choices()[0]) + 1))
    drawn, best = (100 * np.array([_curve(one, sizes, score) for one in counts]) for score in (_drawn, _best))
    rows = [
        [str(size), *(f"{value:.2f}" for column in (drawn[:, k], best[:, k]) for value in _summary(column))]
        for k, size in enumerate(sizes)
    ]
    header = ["references", "drawn: mean", "lowest", "highest", "best: mean", "lowest", "highest"]
    notes = (
        f"{len(lines)} sentences, twelve systems, all sets of each number of references. Of the paper's ten crowd "
        "rewrites eight are public (two of the set, six more); the six are not tokenised and are split here by "
        "sacrebleu's 13a rules.",
        "The paper prints no numbers; it says that GLEU rises with the number of references and levels off at four. "
        "The GLEU it defines does not rise: every draw takes one reference of each sentence, so more references only "
        "change what is averaged. It rises, ever more slowly, if each sentence is scored against its best reference.",
    )

    tables = {"best reference": best, "drawn reference": drawn}
    draw = partial(line_with_range, places=sizes, tables=tables, labels=("Number of references", "GLEU"))
    section = Section("Figure 5: GLEU by number of references", Table(header, rows), notes)
    caption = "Mean GLEU of 12 systems with different numbers of fluency references"
    note = (
        "Dots: mean of the systems; bars: from the lowest to the highest. Red as in the paper; grey as it defines GLEU."
    )
    return section, Figure("figure5", caption, draw, note, (6, 4.3))


def _crowd_rewrites(data: Conll14) -> tuple[Corpus, list[int]]:
    extra = load_rows("conll14_fluency", "extra_fluency", "test", upstream=data.upstream)
    lines = [int(row["id"]) - 1 for row in extra]
    crowd = data.whole("nonexpert_fluency").references or ()
    rewrites = [[*crowd[i], *map(_tokenised, row["corrections"])] for i, row in zip(lines, extra, strict=True)]
    return Corpus(sources=[data.systems["INPUT"][i] for i in lines], references=rewrites, name="extra"), lines


def _curve(counted: Statistics, sizes: list[int], score: SetScore) -> list[float]:
    """Return the mean score over all sets of 1, 2, … references."""
    curve = []
    for size in sizes:
        sets = list(combinations(range(sizes[-1]), size))
        curve.append(float(np.mean([score(counted.keep_choices(kept), len(sets)) for kept in sets])))
    return curve


def _drawn(counted: Statistics, sets: int) -> float:
    return GLEU(iterations=max(1, DRAWS // sets)).value_of(counted)


def _best(counted: Statistics, _sets: int) -> float:
    """Return GLEU against the reference of each sentence by which its smoothed score is highest."""
    metric = GLEU()
    table = counted.counts.reshape(len(counted), -1, counted.counts.shape[1])
    chosen = metric.values(np.maximum(table, 1)).argmax(axis=1)
    return float(metric.values(table[np.arange(len(table)), chosen].sum(axis=0)))


def _summary(column: NDArray[np.float64]) -> tuple[float, float, float]:
    return float(column.mean()), float(column.min()), float(column.max())


def _tokenised(text: str) -> str:
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    tokenizer: Any = Tokenizer13a()  # type: ignore[no-untyped-call]
    return str(tokenizer(text))

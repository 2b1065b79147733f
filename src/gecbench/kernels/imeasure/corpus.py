"""The I-measure's kernel for a whole corpus (Felice & Briscoe 2015; docs/imeasure.md).

Counts are int64 rows of fifteen: TP TN FP FN FPN for detection, for correction, and for the baseline that leaves the
source alone. A status is 0 done, 1 every combination collides, 2 too many references, 3 too long. The work on a mixed
sentence is four numbers: references asked for, alignments made, their steps and cells, segments.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gecbench.kernels.imeasure.alignment import Aligner
from gecbench.kernels.imeasure.groups import GroupArrays, Limits, RefusedError
from gecbench.kernels.imeasure.keys import Objective, best_of
from gecbench.kernels.imeasure.mixing import MixedSentence
from gecbench.kernels.tokens import TokenArray

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


def align(source: Int32, hypothesis: Int32, reference: Int32) -> Int32:
    """Columns of the alignment: positions in source, hypothesis and reference, -1 for a gap (section 2.2)."""
    aligner = Aligner(source.tolist(), hypothesis.tolist())
    return np.array(aligner.align(reference.tolist()).columns, dtype=np.int32).reshape(-1, 3)


def count_references(
    sources: TokenArray,
    hypotheses: TokenArray,
    references: TokenArray,
    sentence_offsets: Int64,
    cell_limit: int,
    threads: int = 1,
) -> tuple[Int64, Int32, Int64]:
    """Counts of every reference; sentence_offsets says whose references are whose.

    Also returns a status (0 done, 3 too long) and the steps and cells of the alignments, both per sentence. `threads`
    is for the native twin.
    """
    del threads
    texts, bounds = references.lists(), sentence_offsets.tolist()
    counts = np.zeros((len(texts), 15), dtype=np.int64)
    status = np.zeros(len(bounds) - 1, dtype=np.int32)
    cells = np.zeros(len(bounds) - 1, dtype=np.int64)
    for number, (source, hypothesis) in enumerate(zip(sources.lists(), hypotheses.lists(), strict=True)):
        try:
            aligner = Aligner(source, hypothesis, cell_limit)
            for row in range(bounds[number], bounds[number + 1]):
                counts[row] = aligner.align(texts[row]).counts
            cells[number] = aligner.cells
        except RefusedError as refusal:
            status[number] = refusal.status
    return counts, status, cells


def choose_listed(counts: Int64, sentence_offsets: Int64, objective: Objective) -> Int64:
    """Row of the best reference of every sentence (docs/imeasure.md, section 6)."""
    rows, bounds = counts.tolist(), sentence_offsets.tolist()
    total = [0] * 15
    chosen = []
    for start, end in pairwise(bounds):
        best = start + best_of(rows[start:end], total, objective)
        if objective.corpus:
            total = [a + b for a, b in zip(total, rows[best], strict=True)]
        chosen.append(best)
    return np.array(chosen, dtype=np.int64)


def choose_mixed(
    sources: TokenArray,
    hypotheses: TokenArray,
    gold: GroupArrays,
    objective: Objective,
    limits: Limits,
    threads: int = 1,
) -> tuple[Int32, Int64, Int32, Int64]:
    """The best mixed reference of every sentence, without listing them all (docs/imeasure.md, section 8).

    Returns the alternative chosen in each group (-1: none), and per sentence counts, status, work. `threads` is for
    the native twin.
    """
    del threads
    total = [0] * 15
    choices: list[int] = []
    rows, states, work = [], [], []
    for source, hypothesis, groups in zip(sources.lists(), hypotheses.lists(), gold.groups(), strict=True):
        sentence = MixedSentence(source, hypothesis, groups, limits)
        status, chosen, counts = sentence.choose(total, objective)
        if objective.corpus:
            total = [a + b for a, b in zip(total, counts, strict=True)]
        choices.extend(chosen)
        rows.append(counts)
        states.append(status)
        work.append(sentence.work())
    return (
        np.array(choices, dtype=np.int32),
        np.array(rows, dtype=np.int64).reshape(-1, 15),
        np.array(states, dtype=np.int32),
        np.array(work, dtype=np.int64).reshape(-1, 4),
    )

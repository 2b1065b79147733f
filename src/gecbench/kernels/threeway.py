"""The I-measure's kernel: count references, and choose among them, listed or mixed (Felice & Briscoe 2015).

Texts are flat arrays of token numbers with offsets. Counts are int64 rows of fifteen: TP TN FP FN FPN for
detection, for correction, and for the baseline that leaves the source alone. A status is 0 done, 1 every
combination collides, 2 too many references, 3 too long. The work on a mixed sentence is four numbers:
references asked for, alignments made, three-way cells filled, segments.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gecbench.kernels.threeway_alignment import Aligner, TooLongError
from gecbench.kernels.threeway_keys import Objective, best_of
from gecbench.kernels.threeway_mixing import TOO_LONG, Group, MixedSentence

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]


def sequences(ids: Int32, offsets: Int64) -> list[list[int]]:
    """The flat array as lists."""
    flat, bounds = ids.tolist(), offsets.tolist()
    return [flat[start:end] for start, end in pairwise(bounds)]


def align(source: Int32, hypothesis: Int32, reference: Int32) -> Int32:
    """Columns of the alignment: positions in source, hypothesis and reference, -1 for a gap (section 2.2)."""
    aligner = Aligner(source.tolist(), hypothesis.tolist())
    return np.array(aligner.align(reference.tolist()).columns, dtype=np.int32).reshape(-1, 3)


def count_references(
    source_ids: Int32,
    source_offsets: Int64,
    hypothesis_ids: Int32,
    hypothesis_offsets: Int64,
    reference_ids: Int32,
    reference_offsets: Int64,
    sentence_offsets: Int64,
    cell_limit: int,
) -> tuple[Int64, Int32, Int64]:
    """Counts of every reference; sentence_offsets says whose references are whose.

    Also returns a status (0 done, 3 too long) and the number of three-way cells, both per sentence.
    """
    references = sequences(reference_ids, reference_offsets)
    bounds = sentence_offsets.tolist()
    counts = np.zeros((len(references), 15), dtype=np.int64)
    status = np.zeros(len(bounds) - 1, dtype=np.int32)
    cells = np.zeros(len(bounds) - 1, dtype=np.int64)
    texts = zip(sequences(source_ids, source_offsets), sequences(hypothesis_ids, hypothesis_offsets), strict=True)
    for number, (source, hypothesis) in enumerate(texts):
        try:
            aligner = Aligner(source, hypothesis, cell_limit)
            for row in range(bounds[number], bounds[number + 1]):
                counts[row] = aligner.align(references[row]).counts
            cells[number] = aligner.cells
        except TooLongError:
            status[number] = TOO_LONG
    return counts, status, cells


def choose_listed(counts: Int64, sentence_offsets: Int64, objective: Int64, parameters: Float64) -> Int64:
    """Row of the best reference of every sentence (docs/imeasure.md, section 6).

    objective is aspect, metric and whether to go by the corpus; parameters are the weight of WAcc and the
    beta of F.
    """
    goal = Objective(*objective.tolist(), *parameters.tolist())
    rows, bounds = counts.tolist(), sentence_offsets.tolist()
    total = [0] * 15
    chosen = []
    for start, end in pairwise(bounds):
        best = start + best_of(rows[start:end], total, goal)
        if goal.corpus:
            total = [a + b for a, b in zip(total, rows[best], strict=True)]
        chosen.append(best)
    return np.array(chosen, dtype=np.int64)


def choose_mixed(
    source_ids: Int32,
    source_offsets: Int64,
    hypothesis_ids: Int32,
    hypothesis_offsets: Int64,
    group_offsets: Int64,
    group_optional: Int32,
    alternative_offsets: Int64,
    edit_offsets: Int64,
    edit_spans: Int32,
    edit_token_offsets: Int64,
    edit_token_ids: Int32,
    objective: Int64,
    parameters: Float64,
    limits: Int64,
) -> tuple[Int32, Int64, Int32, Int64]:
    """The best mixed reference of every sentence, without listing them all (section 2.1).

    Returns the alternative chosen in each group (-1: none), and per sentence counts, status, work. limits:
    combinations listed outright, references of a segment, distinct sums of counts, cells of an alignment.
    """
    goal = Objective(*objective.tolist(), *parameters.tolist())
    groups = read_groups(
        group_optional, alternative_offsets, edit_offsets, edit_spans, edit_token_offsets, edit_token_ids
    )
    bounds = group_offsets.tolist()
    sources, hypotheses = sequences(source_ids, source_offsets), sequences(hypothesis_ids, hypothesis_offsets)
    total = [0] * 15
    choices: list[int] = []
    rows, states, work = [], [], []
    for source, hypothesis, (start, end) in zip(sources, hypotheses, pairwise(bounds), strict=True):
        sentence = MixedSentence(source, hypothesis, groups[start:end], limits.tolist())
        status, chosen, counts = sentence.choose(total, goal)
        if goal.corpus:
            total = [a + b for a, b in zip(total, counts, strict=True)]
        choices.extend(chosen)
        rows.append(counts)
        states.append(status)
        work.append(sentence.work())
    counted, done = (
        np.array(rows, dtype=np.int64).reshape(-1, 15),
        np.array(work, dtype=np.int64).reshape(-1, 4),
    )
    return np.array(choices, dtype=np.int32), counted, np.array(states, dtype=np.int32), done


def read_groups(
    optional: Int32,
    alternative_offsets: Int64,
    edit_offsets: Int64,
    spans: Int32,
    token_offsets: Int64,
    token_ids: Int32,
) -> list[Group]:
    """Groups of alternatives of edits from flat arrays."""

    def cut(items: list[Any], offsets: Int64) -> list[list[Any]]:
        bounds = offsets.tolist()
        return [items[start:end] for start, end in pairwise(bounds)]

    edits = [
        (start, end, tuple(tokens))
        for (start, end), tokens in zip(spans.tolist(), sequences(token_ids, token_offsets), strict=True)
    ]
    alternatives = cut(cut(edits, edit_offsets), alternative_offsets)
    return [
        Group(tuple(map(tuple, choices)), bool(free))
        for choices, free in zip(alternatives, optional.tolist(), strict=True)
    ]

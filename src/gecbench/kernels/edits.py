"""Differences between two texts: changed spans and TER edits.

Changed spans come from a Levenshtein alignment. TER is the translation edit rate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from gecbench.kernels import too_large_for_python
from gecbench.kernels.tokens import Ids, Offsets, TokenArray

Tokens = Sequence[int]
_MOST_CELLS = 1 << 24  # of the table for one pair of texts


def changed_spans(sources: TokenArray, rewrites: TokenArray, rewrite_rows: Offsets) -> tuple[Ids, Offsets]:
    """Return the changes of all rewrites, and where each rewrite's changes start.

    Source i has the rewrites `rewrite_rows[i]:rewrite_rows[i + 1]`. A change is a row `(start, end, first, last)`:
    source tokens [start, end) became rewrite tokens [first, last).
    """
    texts, bounds = rewrites.lists(), rewrite_rows.tolist()
    changes: list[tuple[int, int, int, int]] = []
    offsets = [0]
    for i, source in enumerate(sources.lists()):
        for rewrite in texts[bounds[i] : bounds[i + 1]]:
            changes.extend(_changes(source, rewrite))
            offsets.append(len(changes))
    return np.array(changes, dtype=np.int32).reshape(-1, 4), np.array(offsets, dtype=np.int64)


def _changes(before: Tokens, after: Tokens) -> Iterator[tuple[int, int, int, int]]:
    """Yield the changes of a rewrite: the spans between kept tokens."""
    i = j = 0
    for kept_i, kept_j in [*_kept_tokens(before, after), (len(before), len(after))]:
        if (kept_i, kept_j) != (i, j):
            yield i, kept_i, j, kept_j
        i, j = kept_i + 1, kept_j + 1


def _kept_tokens(before: Tokens, after: Tokens) -> list[tuple[int, int]]:
    """Return the positions in both texts of all kept tokens, from left to right.

    Tokens shared at the start are always kept. The rest is aligned by tracing back through a Levenshtein table. On
    ties, keep or replace comes before delete, and delete before insert. So tokens shared at the end are always kept
    too, and need no table.
    """
    shared, kept = 0, []
    while shared < min(len(before), len(after)) and before[shared] == after[shared]:
        shared += 1
    rows, columns = len(before) - shared, len(after) - shared
    while rows and columns and before[shared + rows - 1] == after[shared + columns - 1]:
        rows, columns = rows - 1, columns - 1
        kept.append((shared + rows, shared + columns))
    if rows * columns > _MOST_CELLS:
        raise too_large_for_python(f"a change of {rows} tokens into {columns} tokens is too long")
    costs = [list(range(columns + 1))]
    for i in range(1, rows + 1):
        above, row, token = costs[-1], [i], before[shared + i - 1]
        for j in range(1, columns + 1):
            replace = above[j - 1] + (token != after[shared + j - 1])
            row.append(min(replace, above[j] + 1, row[-1] + 1))
        costs.append(row)
    i, j = rows, columns
    while i and j:
        equal = before[shared + i - 1] == after[shared + j - 1]
        if costs[i][j] == costs[i - 1][j - 1] + (not equal):
            i, j = i - 1, j - 1
            if equal:
                kept.append((shared + i, shared + j))
        elif costs[i][j] == costs[i - 1][j] + 1:
            i -= 1
        else:
            j -= 1
    return [(k, k) for k in range(shared)] + kept[::-1]


def ter_edits(hypotheses: TokenArray, references: TokenArray, threads: int = 1) -> npt.NDArray[np.int64]:
    """Return the number of TER edits from each hypothesis to its reference.

    Edits are insertions, deletions, substitutions and shifts. `threads` is for the native kernel.
    """
    from sacrebleu.metrics.lib_ter import translation_edit_rate

    del threads
    pairs = zip(hypotheses.lists(), references.lists(), strict=True)
    edits = [0 if left == right else translation_edit_rate(left, right)[0] for left, right in pairs]  # type: ignore[arg-type]
    return np.array(edits, dtype=np.int64)

"""Where a rewrite differs from its source: a Levenshtein alignment of tokens at unit costs (Python twin of edits.cpp).

Of several alignments of least cost the one that, read from the end, keeps or replaces rather than deletes, and deletes
rather than inserts; tokens shared at the start are kept first of all. Neighbouring changes are one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gecbench.kernels.tokens import Ids, Offsets, TokenArray

Tokens = Sequence[int]


def changed_spans(sources: TokenArray, rewrites: TokenArray, rewrite_rows: Offsets) -> tuple[Ids, Offsets]:
    """Return the changes of all rewrites end to end, and where those of each rewrite begin.

    The rewrites of source i are rows `rewrite_rows[i]` to `rewrite_rows[i + 1]`. A change is a row `(start, end, first,
    last)`: source tokens [start, end) became rewrite tokens [first, last).
    """
    texts, bounds = rewrites.lists(), rewrite_rows.tolist()
    changes: list[tuple[int, int, int, int]] = []
    offsets = [0]
    for i, source in enumerate(sources.lists()):
        for rewrite in texts[bounds[i] : bounds[i + 1]]:
            changes.extend(_between_matches(source, rewrite))
            offsets.append(len(changes))
    return np.array(changes, dtype=np.int32).reshape(-1, 4), np.array(offsets, dtype=np.int64)


def _between_matches(before: Tokens, after: Tokens) -> Iterator[tuple[int, int, int, int]]:
    i = j = 0
    for matched_i, matched_j in [*_matches(before, after), (len(before), len(after))]:
        if (matched_i, matched_j) != (i, j):
            yield i, matched_i, j, matched_j
        i, j = matched_i + 1, matched_j + 1


def _matches(before: Tokens, after: Tokens) -> list[tuple[int, int]]:
    """Return the equal tokens on the alignment."""
    shared = 0
    while shared < min(len(before), len(after)) and before[shared] == after[shared]:
        shared += 1
    rows, columns = len(before) - shared, len(after) - shared
    costs = [list(range(columns + 1))]
    for i in range(1, rows + 1):
        above, row, token = costs[-1], [i], before[shared + i - 1]
        for j in range(1, columns + 1):
            replace = above[j - 1] + (token != after[shared + j - 1])
            row.append(min(replace, above[j] + 1, row[-1] + 1))
        costs.append(row)
    pairs = []
    i, j = rows, columns
    while i and j:
        equal = before[shared + i - 1] == after[shared + j - 1]
        if costs[i][j] == costs[i - 1][j - 1] + (not equal):
            i, j = i - 1, j - 1
            if equal:
                pairs.append((shared + i, shared + j))
        elif costs[i][j] == costs[i - 1][j] + 1:
            i -= 1
        else:
            j -= 1
    return [(k, k) for k in range(shared)] + pairs[::-1]

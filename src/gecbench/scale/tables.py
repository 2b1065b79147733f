"""Statistics as columns of Arrow tables, and back, without a Python object per sentence.

A table has one row per sentence:

- `index`: its place in the corpus, from 0;
- `fault`: why it cannot be scored, null if it can; its other columns are then null;
- `data_references`, `data_annotations`: the hash that goes into the fingerprint of the data, by the gold it is of;
- one column per metric, named as in `gecbench.score`: the counts of all its rows (references, annotators) end to end;
- `batch`: on the first row of each batch how it was made, as JSON; null elsewhere. It is a column, not metadata of the
  schema, because engines drop those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gecbench.corpus.fingerprint import HASH_SIZE, sum_hashes
from gecbench.metrics.statistics import Statistics

if TYPE_CHECKING:
    import pyarrow

INDEX, FAULT, BATCH, DATA = "index", "fault", "batch", "data_"


def schema(golds: Sequence[str], metrics: Sequence[str]) -> pyarrow.Schema:
    """Return the columns of a table of these metrics."""
    import pyarrow

    hashes = [(DATA + gold, pyarrow.binary()) for gold in golds]
    counts = [(name, pyarrow.list_(pyarrow.int32())) for name in metrics]
    return pyarrow.schema(
        [(INDEX, pyarrow.int64()), (FAULT, pyarrow.string()), *hashes, *counts, (BATCH, pyarrow.string())]
    )


def counts_column(statistics: Statistics, good: Sequence[int], rows: int) -> pyarrow.Array:
    """Return counts as a column of so many rows: those of the `good` ones, null elsewhere."""
    import pyarrow

    width = statistics.counts.shape[1]
    sizes = np.zeros(rows, dtype=np.int32)
    sizes[np.asarray(good, dtype=np.int64)] = np.diff(statistics.offsets) * width
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    faulty = np.ones(rows, dtype=bool)
    faulty[np.asarray(good, dtype=np.int64)] = False
    values = pyarrow.array(np.ascontiguousarray(statistics.counts, dtype=np.int32).ravel())
    return pyarrow.ListArray.from_arrays(pyarrow.array(offsets), values, mask=pyarrow.array(faulty))


def statistics_of(column: pyarrow.ChunkedArray, width: int) -> Statistics:
    """Return the statistics that a column without nulls holds."""
    sizes: list[npt.NDArray[np.int64]] = []
    counts: list[npt.NDArray[np.int64]] = []
    for chunk in column.chunks:
        offsets = chunk.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
        sizes.append(np.diff(offsets))
        values = chunk.values.to_numpy(zero_copy_only=False)[offsets[0] : offsets[-1]] if len(offsets) else []
        counts.append(np.asarray(values, dtype=np.int64).reshape(-1, width))
    rows = np.concatenate([[0], np.cumsum(np.concatenate(sizes) // width)]).astype(np.int64)
    return Statistics(np.concatenate(counts), rows)


def sum_of_column(column: pyarrow.ChunkedArray) -> int:
    """Return the sum of a column of hashes without nulls."""
    import pyarrow

    total = 0
    for chunk in column.cast(pyarrow.binary(HASH_SIZE)).chunks:
        begin = chunk.offset * HASH_SIZE
        total += sum_hashes(bytes(chunk.buffers()[1][begin : begin + len(chunk) * HASH_SIZE]))
    return total


def placed(values: Sequence[Any], good: Sequence[int], rows: int) -> list[Any]:
    """Return values of the good rows among all rows, None elsewhere."""
    if len(values) == rows:
        return list(values)
    column: list[Any] = [None] * rows
    for row, value in zip(good, values, strict=True):
        column[row] = value
    return column

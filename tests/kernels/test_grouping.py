"""Error groups: the native kernel rejects arrays that do not fit (more tests in metrics/test_imeasure_gold.py)."""

import numpy as np
import pytest
from counted_tuple import CountedTuple
from numpy.testing import assert_array_equal

from gecbench.kernels.grouping import cluster_spans, is_bridged
from gecbench.kernels.tokens import TokenArray


def test_native_refuses_arrays_that_do_not_fit(both_kernels):
    python, native = both_kernels("grouping")
    texts = TokenArray(np.array([1, 2], dtype=np.int32), np.array([0, 1, 2], dtype=np.int64))
    good = {
        "sentence_offsets": np.array([0, 2]),
        "annotators": np.array([0, 1], dtype=np.int32),
        "spans": np.array([[0, 1], [2, 3]], dtype=np.int32),
        "texts": texts,
        "people": np.array([2], dtype=np.int32),
    }
    for ours, theirs in zip(python.group_edits(**good), native.group_edits(**good), strict=True):
        assert_array_equal(ours, theirs)
    for name, wrong in (
        ("sentence_offsets", np.array([0, 3])),
        ("sentence_offsets", np.array([0, 1, 2])),
        ("annotators", good["annotators"][:1]),
        ("spans", good["spans"][:1]),
        ("people", np.array([2, 2], dtype=np.int32)),
        ("texts", TokenArray(texts.ids, np.array([0, 9, 2], dtype=np.int64))),
    ):
        with pytest.raises(ValueError, match=r"offsets|must have length"):
            native.group_edits(**{**good, name: wrong})


@pytest.mark.parametrize("groups", [False, True])
def test_the_work_grows_with_the_edits(groups):
    """A sentence with 5,000 edits (240 kB of M2) once took 4.5 s, and one with 10,000 edits four times as long."""
    work = []
    for size in (100, 200):
        CountedTuple.reads = 0
        spans = [CountedTuple((2 * k, 2 * k + 1)) for k in range(size)]
        if groups:
            assert not is_bridged([[span] for span in spans])
        else:
            assert cluster_spans(spans) == [[k] for k in range(size)]
        work.append(CountedTuple.reads)
    assert work[1] <= 2 * work[0]

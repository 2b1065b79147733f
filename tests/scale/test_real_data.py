"""Streams and parts of real corpora: the bits of one process."""

from __future__ import annotations

from typing import Any

import pytest
from scale_cases import REAL, Case

import gecbench
from gecbench import scale


def parts_of(case: Case, size: int) -> list[range]:
    sentences = len(case.corpus)
    return [range(begin, min(begin + size, sentences)) for begin in range(0, sentences, size)]


def assert_same(found: Any, expected: Any) -> None:
    assert (found, found.parts, found.diagnostics) == (expected, expected.parts, expected.diagnostics)


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("make", REAL)
def test_streams(make: Any, size: int) -> None:
    case = make()
    parts, select = parts_of(case, size), getattr(case.outputs, "select", None)
    outputs = [select(part) if select else case.outputs[part.start : part.stop] for part in parts]
    for metric, expected in case.alone.items():
        batches = zip(map(case.corpus.select, parts), outputs, strict=True)
        assert_same(gecbench.make_metric(metric).stream(batches), expected)


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("make", REAL)
def test_parts(make: Any, size: int) -> None:
    case = make()
    function = scale.counts(**case.arguments)
    slices = [slice(part.start, part.stop) for part in parts_of(case, size)]
    tables = [function({column: values[part] for column, values in case.columns.items()}) for part in slices]
    for metric, score in scale.scores(tables[::-1]).items():
        assert_same(score, case.alone[metric])


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("make", REAL)
def test_dataset_map(make: Any, processes: int) -> None:
    import datasets

    datasets.disable_progress_bars()
    case = make()
    dataset = datasets.Dataset.from_dict(case.columns).shuffle(seed=processes)
    function = scale.counts(**case.arguments)
    counted = dataset.map(function, batched=True, batch_size=100, num_proc=processes)
    for metric, score in scale.scores(counted).items():
        assert_same(score, case.alone[metric])

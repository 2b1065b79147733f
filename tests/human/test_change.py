"""Extent of change between texts."""

from __future__ import annotations

from itertools import combinations

import pytest
from sacrebleu.metrics.lib_ter import translation_edit_rate

from gecbench.errors import InputError
from gecbench.human.change import (
    change,
    character_distance,
    mean_change,
    ter_edits_of,
)


@pytest.mark.parametrize(
    ("before", "after", "edits"),
    [
        ("the cat sat", "the cat sat", 0),
        ("The cat sat", "the CAT sat", 0),  # TER does not see case
        ("the cat sat", "a cat sat down", 2),
        ("today we eat fish and rice", "we eat fish and rice today", 1),  # one shift
        ("", "a b", 2),
    ],
)
@pytest.mark.usefixtures("kernels_of")
def test_ter_counts_edits(before: str, after: str, edits: int) -> None:
    assert ter_edits_of([(before, after)]) == {(before, after): edits}
    assert translation_edit_rate(before.lower().split(), after.lower().split())[0] == edits


def test_change_sees_case_where_ter_does_not() -> None:
    result = change(["The cat ", "a dog"], ["the cat", "a dog"])
    assert (result.sentences, result.ster, result.changed, result.identical) == (2, 0, 0.5, 0.5)
    assert result.characters == 0.5


def test_characters() -> None:
    assert character_distance("kitten", "sitting") == 3


def test_groups_average_over_pairs() -> None:
    one, two, three = ["a b", "c"], ["a b", "d"], ["x y", "d"]
    pairs = (change(before, after) for before, after in combinations([one, two, three], 2))
    assert mean_change(list(pairs)).identical == pytest.approx((0.5 + 0 + 0.5) / 3)
    assert mean_change([change(one, two), change(one, three)]).ster == pytest.approx((0.5 + 1.5) / 2)


def test_what_cannot_be_compared() -> None:
    with pytest.raises(InputError, match="1 sentence cannot be compared with 2"):
        change(["a"], ["a", "b"])
    with pytest.raises(InputError, match="0 sentences"):
        change([], [])
    with pytest.raises(InputError, match="not measured on the same sentences"):
        mean_change([])

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gecbench.corpora.edits import derive_edits, read_m2, rewrite
from gecbench.errors import InputError

WORDS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9).map(" ".join)


@given(WORDS, WORDS)
def test_derived_edits_give_the_rewrite_back(source, target):
    assert rewrite(source, derive_edits(source, target)) == target


@given(WORDS, WORDS)
def test_derived_edits_are_apart_and_change_something(source, target):
    edits = derive_edits(source, target)
    for before, after in pairwise(edits):
        assert before["end"] < after["start"]
    for edit in edits:
        replaced = " ".join(source.split()[edit["start"] : edit["end"]])
        assert replaced != edit["corrections"][0]


def levenshtein(before: list[str], after: list[str]) -> int:
    row = list(range(len(after) + 1))
    for i, token in enumerate(before, 1):
        left = [i]
        for j, other in enumerate(after, 1):
            left.append(min(row[j] + 1, left[-1] + 1, row[j - 1] + (token != other)))
        row = left
    return row[-1]


@given(WORDS, WORDS)
def test_derived_edits_cost_no_more_than_the_token_distance(source, target):
    sizes = [
        max(edit["end"] - edit["start"], len(edit["corrections"][0].split())) for edit in derive_edits(source, target)
    ]
    assert sum(sizes) == levenshtein(source.split(), target.split())


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("he go home", "he goes home", [(1, 2, "goes", "R")]),
        ("he go home", "he go to home", [(2, 2, "to", "M")]),
        ("he go to home", "he go home", [(2, 3, "", "U")]),
        ("a b c d", "a x y d", [(1, 3, "x y", "R")]),
        ("same", "same", []),
        ("", "new", [(0, 0, "new", "M")]),
        ("gone", "", [(0, 1, "", "U")]),
    ],
)
def test_derived_edits_by_hand(source, target, expected):
    found = [
        (edit["start"], edit["end"], edit["corrections"][0], edit["type"]) for edit in derive_edits(source, target)
    ]
    assert found == expected


def test_insertions_at_one_place_keep_file_order():
    lines = ["S a b", "A 1 1|||X|||one|||REQUIRED|||-NONE-|||0", "A 1 1|||X|||two|||REQUIRED|||-NONE-|||0"]
    block = read_m2(lines, "toy")[0]
    assert rewrite(block.source, block.real_edits(0)) == "a one two b"


def test_m2_is_read_without_loss():
    lines = [
        "S a b",
        "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1",
        "A 0 9|||Vt|||x||y z|||OPTIONAL|||why|||0",
        "A 1 2|||Um||||||REQUIRED|||-NONE-|||0",
        "",
        "S c",
    ]
    first, second = read_m2(lines, "toy")
    assert [entry["annotator"] for entry in first.annotations()] == [1, 0]
    edit = first.edits[0][0]
    assert (edit["start"], edit["end"], edit["corrections"]) == (0, 9, ["x", "y z"])
    assert (edit["required"], edit["comment"]) == ("OPTIONAL", "why")
    assert first.edits[0][1]["corrections"] == [""]
    assert first.real_edits(1) == []
    assert (second.source, second.annotations()) == ("c", [])


@pytest.mark.parametrize("line", ["A 1|||X|||y|||R|||-|||0", "A 1 2|||X", "nonsense"])
def test_bad_m2_names_file_and_line(line):
    with pytest.raises(InputError, match=r"gold\.m2:2"):
        read_m2(["S a", line], "gold.m2")

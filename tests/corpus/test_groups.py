from __future__ import annotations

import pytest

from gecbench.corpus.edits import Annotation, Edit, apply_edits
from gecbench.corpus.groups import (
    AnnotatedEdit,
    ErrorGroup,
    group_annotations,
    group_edits,
    is_bridged,
    split_treebank,
)

Shape = list[tuple[bool, dict[str, list[tuple[int, int, str]]]]]


def edits(*described: tuple[int, int, int, str]) -> list[AnnotatedEdit]:
    return [AnnotatedEdit(annotator, Edit(start, end, (text,), "X")) for annotator, start, end, text in described]


def shape(groups: tuple[ErrorGroup, ...]) -> Shape:
    return [
        (
            group.required,
            {a.annotator: [(r.start, r.end, r.text) for r in a.replacements] for a in group.alternatives},
        )
        for group in groups
    ]


@pytest.mark.parametrize(
    ("described", "expected"),
    [
        pytest.param([(1, 5, 6, "e")], [(False, {"1": [(5, 6, "e")]})], id="one of two annotators"),
        pytest.param(
            [(0, 5, 6, "t"), (1, 5, 6, "w")],
            [(True, {"0": [(5, 6, "t")], "1": [(5, 6, "w")]})],
            id="same span",
        ),
        pytest.param(
            [(0, 2, 2, ","), (0, 2, 2, "the"), (1, 2, 2, ";")],
            [(True, {"0": [(2, 2, ","), (2, 2, "the")], "1": [(2, 2, ";")]})],
            id="insertions at one place",
        ),
        pytest.param(
            [(0, 2, 4, "x y"), (1, 2, 2, ","), (1, 4, 4, ";")],
            [(False, {"1": [(2, 2, ",")]}), (False, {"0": [(2, 4, "x y")]}), (False, {"1": [(4, 4, ";")]})],
            id="insertions at the edges stay apart",
        ),
        pytest.param(
            [(0, 1, 5, "x y"), (1, 3, 3, ",")],
            [(True, {"0": [(1, 5, "x y")], "1": [(3, 3, ",")]})],
            id="insertion inside joins",
        ),
        pytest.param(
            [(0, 0, 3, "p"), (1, 2, 5, "q"), (0, 4, 7, "r")],
            [(True, {"0": [(0, 3, "p"), (4, 7, "r")], "1": [(2, 5, "q")]})],
            id="chain in file order",
        ),
        pytest.param(
            [(0, 0, 2, "p"), (0, 3, 5, "r"), (1, 1, 4, "q")],
            [(True, {"0": [(0, 2, "p"), (3, 5, "r")], "1": [(1, 4, "q")]})],
            id="long bridge comes first",
        ),
        pytest.param(
            [(0, 0, 4, "P"), (0, 5, 9, "Q"), (1, 3, 6, "R")],
            [(True, {"0": [(0, 4, "P")], "1": [(3, 6, "R")]}), (False, {"0": [(5, 9, "Q")]})],
            id="short bridge joins the first cluster only",
        ),
    ],
)
def test_clusters_as_the_official_converter(described: list[tuple[int, int, int, str]], expected: Shape) -> None:
    assert shape(group_edits(edits(*described), 2)) == expected


def test_a_short_bridge_is_reported() -> None:
    described = edits((0, 0, 4, "P"), (0, 5, 9, "Q"), (1, 3, 6, "R"))
    annotations = [Annotation(0, tuple(item.edit for item in described[:2])), Annotation(1, (described[2].edit,))]
    assert is_bridged(group_annotations(annotations))
    assert not is_bridged(group_annotations(annotations[:1]))


def test_annotators_without_edits_count_and_only_the_first_correction_is_used() -> None:
    annotations = [Annotation(0, (Edit(0, 1, ("First", "Second"), "Nn"),)), Annotation(3, ())]
    sentence = group_annotations(annotations)
    assert sentence.annotators == 2
    assert shape(sentence.groups) == [(False, {"0": [(0, 1, "First")]})]


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("We can't", "We ca n't"),
        ('"cannot"', "`` can not ''"),
        ("there.", "there ."),
        ("known,the", "known , the"),
        ("1,000 or 3:30", "1,000 or 3:30"),
        ("the U.S. army (here)", "the U.S. army ( here )"),
        ("dogs' dog's I'll", "dogs ' dog 's I 'll"),
        ("half-baked state-of-the-art ideas", "half-baked state-of-the-art ideas"),
        ("was n't 's ca n't", "was n't 's ca n't"),
        ("one--two...", "one -- two ..."),
        ("Gonna cannoneer", "Gon na cannoneer"),
        ("", ""),
    ],
)
def test_treebank_splitting(text: str, split: str) -> None:
    assert split_treebank(text) == split
    assert split_treebank(split) == split


def test_splitting_can_be_left_out() -> None:
    sentence = group_annotations([Annotation(0, (Edit(0, 1, ("x,y",)),))], treebank=False)
    assert shape(sentence.groups) == [(True, {"0": [(0, 1, "x,y")]})]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([(2, 2, "x"), (2, 3, "y")], "a b x y d e f ."),
        ([(9, 12, "x")], "a b c d e f . x"),
        ([(-1, -1, "x")], "a b c d e f x ."),
        ([(0, 7, "")], "a b c d e f ."),
        ([(0, 6, ""), (6, 7, "")], "a b c d e f"),
        ([(1, 4, "X Y"), (2, 3, "z")], "a X Y e f ."),
        ([(1, 4, "X"), (3, 4, "")], "a X f ."),
        ([(1, 2, "x"), (1, 2, "y")], "a x c d e f ."),
    ],
)
def test_changes_are_applied_from_the_right_unchecked(changes: list[tuple[int, int, str]], expected: str) -> None:
    unchecked = [Edit(start, end, (text,)) for start, end, text in changes]
    assert apply_edits("a b c d e f .", unchecked, official=True) == expected

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from imeasure_support import alternative, optional, required
from oracles.mixed_references import mixed_references

from gecbench import derive_groups, ungroup
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.derive import annotator_references, combination_count, mix_annotations, unmixed_references
from gecbench.corpus.edits import Annotation, Edit, apply_edits
from gecbench.corpus.groups import (
    AnnotatedEdit,
    ErrorGroup,
    GroupedSentence,
    group_annotations,
    group_edits,
    is_bridged,
    split_treebank,
)
from gecbench.errors import InputError

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


def test_mixing_drops_combinations_that_edit_one_span_twice() -> None:
    sentence = GroupedSentence((optional(alternative(0, (1, 2, "x"))), optional(alternative(1, (1, 2, "y")))), 2)
    assert mixed_references("a b c", sentence) == ["a x c", "a y c", "a b c"]
    assert combination_count(sentence) == 4
    assert unmixed_references("a b c", sentence) == ["a x c", "a y c"]
    assert is_bridged(sentence)


def test_equal_alternatives_count_once() -> None:
    same = [alternative(annotator, (0, 1, "x")) for annotator in range(3)]
    assert combination_count(GroupedSentence((required(*same),), 3)) == 1


def test_refusals_name_the_sentence() -> None:
    many = GroupedSentence(tuple(optional(alternative(0, (n, n + 1, "x"))) for n in range(8)), None)
    assert combination_count(many) == 256
    with pytest.raises(InputError, match="number of annotators of 'a b c d e f g h' is not given"):
        unmixed_references("a b c d e f g h", many)
    with pytest.raises(InputError, match="neither annotations nor references"):
        derive_groups(Corpus(sources=["a"]))
    with pytest.raises(InputError, match="no error groups"):
        ungroup(Corpus(sources=["a"]))
    with pytest.raises(InputError, match="no annotations to mix"):
        mix_annotations(Corpus(sources=["a"]))


some_edits = st.builds(
    lambda start, length, text: Edit(start, start + length, (text,)),
    st.integers(0, 5),
    st.integers(0, 2),
    st.sampled_from(["", "x", "can't", "y z"]),
)
annotated = st.lists(
    st.builds(Annotation, st.integers(0, 3), st.lists(some_edits, max_size=4).map(tuple)),
    max_size=3,
    unique_by=lambda annotation: annotation.annotator,
)


@given(annotated, st.booleans())
def test_references_without_groups_are_those_of_the_groups(annotations: list[Annotation], treebank: bool) -> None:
    source = "a b c d e f g"
    by_groups = unmixed_references(source, group_annotations(annotations, treebank))
    assert annotator_references(source, annotations, treebank) == by_groups


@given(annotated)
def test_what_is_grouped_again_is_the_same(annotations: list[Annotation]) -> None:
    """Groups to annotations and back: the same numbers of annotators and the same unmixed references."""
    grouped = derive_groups(Corpus(sources=["a b c d e f g"], annotations=[annotations]), treebank=False)
    again = derive_groups(ungroup(grouped).replace(groups=None), treebank=False)
    assert again.groups[0].annotators == grouped.groups[0].annotators
    source = grouped.sources[0]
    assert unmixed_references(source, again.groups[0]) == unmixed_references(source, grouped.groups[0])


def test_rewrites_are_grouped_as_they_are() -> None:
    corpus = derive_groups(Corpus(sources=["We can not go"], references=[["We can't go", "We cannot go"]]))
    assert shape(corpus.groups[0].groups) == [(True, {"0": [(1, 3, "can't")], "1": [(1, 3, "cannot")]})]
    assert derive_groups(corpus) is corpus


def test_mixed_annotations_keep_every_correction_and_say_what_stays_unmixed() -> None:
    first, second = Edit(0, 1, ("x", "y"), "A"), Edit(2, 3, ("z",), "B")
    sentences = [
        [Annotation(0, (first,)), Annotation(1, (second,))],
        [Annotation(4, (first, second)), Annotation(7, ())],
    ]
    mixed, unmixed = mix_annotations(Corpus(sources=["a b c", "a b c"], annotations=sentences), limit=4)
    assert unmixed == []
    for found in mixed.annotations:
        assert [item.edits for item in found] == [(first, second), (first,), (second,), ()]
    same, unmixed = mix_annotations(Corpus(sources=["a b c", "a b c"], annotations=sentences), limit=3)
    assert unmixed == [0, 1]
    assert [list(found) for found in same.annotations] == sentences


def test_annotations_are_mixed_by_given_groups() -> None:
    groups = (
        required(alternative(0, (0, 1, "These"), (2, 3, "are")), alternative(1, (1, 2, "machine"))),
        optional(alternative(1, (4, 5, "to"))),
    )
    corpus = Corpus(sources=["This machines is designed for help"], groups=[GroupedSentence(groups, 2)])
    mixed, _ = mix_annotations(corpus)
    texts = [[edit.corrections[0] for edit in item.edits] for item in mixed.annotations[0]]
    assert texts == [["These", "are", "to"], ["These", "are"], ["machine", "to"], ["machine"]]


def test_annotators_of_hand_made_groups_get_numbers() -> None:
    groups = (required(alternative("ann", (0, 1, "x")), alternative("bob", (0, 1, "y"))),)
    (sentence,) = ungroup(Corpus(sources=["a b"], groups=[GroupedSentence(groups, 3)])).annotations
    assert [(item.annotator, len(item.edits)) for item in sentence] == [(0, 1), (1, 1), (2, 0)]

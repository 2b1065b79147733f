"""Edits read off an alignment of source and rewrite (docs/metrics/m2.md §15)."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gecbench import Annotation, Edit, EditedTexts, InputError, apply_edits
from gecbench.corpora.declaration import as_edits, edit_rows
from gecbench.corpus.edits import EditTable, extract_all_edits, extract_edits

on_both_kernels = pytest.mark.usefixtures("kernels_of")

sentences = st.lists(st.sampled_from(["a", "b", "c", "A", "é"]), max_size=9).map(" ".join)


def levenshtein(before, after):
    """Textbook table, unit costs."""
    row = list(range(len(after) + 1))
    for i, token in enumerate(before, start=1):
        previous, row = row, [i]
        for j, other in enumerate(after, start=1):
            row.append(min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (token != other)))
    return row[-1]


@on_both_kernels
@settings(max_examples=100)
@given(sentences, sentences)
def test_properties(source, rewrite):
    edits = extract_edits(source, rewrite)
    assert as_edits(edit_rows(edits)) == edits
    assert apply_edits(source, edits) == rewrite
    assert bool(edits) == (source.split() != rewrite.split())
    assert all(left.end < right.start for left, right in pairwise(edits)), "changes that touch are one edit"
    cost = sum(max(edit.end - edit.start, len(edit.corrections[0].split())) for edit in edits)
    assert cost == levenshtein(source.split(), rewrite.split())
    for edit in edits:
        assert " ".join(source.split()[edit.start : edit.end]) != edit.corrections[0]
        kind = "M" if edit.start == edit.end else "R" if edit.corrections[0] else "U"
        assert edit.type == kind


@on_both_kernels
@pytest.mark.parametrize(
    ("source", "rewrite", "expected"),
    [
        ("he go home", "he goes home", [Edit(1, 2, ("goes",), "R")]),
        ("he go home", "he go to home", [Edit(2, 2, ("to",), "M")]),
        ("he go to home", "he go home", [Edit(2, 3, ("",), "U")]),
        ("a b c d", "a x y d", [Edit(1, 3, ("x y",), "R")]),
        ("same", "same", []),
        ("", "new", [Edit(0, 0, ("new",), "M")]),
        ("gone", "", [Edit(0, 1, ("",), "U")]),
    ],
)
def test_by_hand(source, rewrite, expected):
    assert list(extract_edits(source, rewrite)) == expected


@on_both_kernels
def test_example():
    found = extract_edits("He go school by feets .", "He goes to school on foot !")
    assert found == (Edit(1, 2, ("goes to",), "R"), Edit(3, 6, ("on foot !",), "R"))
    assert extract_edits("a  b\u00a0c", "a b c") == ()
    assert extract_edits("the end", "The end") == (Edit(0, 1, ("The",), "R"),)


@on_both_kernels
def test_all_at_once():
    sources, rewrites = ["a b", "", "c d e"], [["a b", "b"], [], ["c e", "d c e", ""]]
    expected = [
        [extract_edits(source, text) for text in texts] for source, texts in zip(sources, rewrites, strict=True)
    ]
    assert [list(found) for found in extract_all_edits(sources, rewrites)] == expected


def test_insertions_keep_their_order_and_precede_a_replacement():
    edits = [Edit(1, 2, ("B",)), Edit(1, 1, ("x",)), Edit(1, 1, ("y",)), Edit(3, 3, ("end",))]
    assert apply_edits("a b c", edits) == "a x y B c end"


edits = st.builds(
    Edit,
    st.integers(-1, 4),
    st.integers(0, 5),
    st.lists(st.sampled_from(["", "x", "y  z"]), min_size=1, max_size=2).map(tuple),
    st.sampled_from(["R", "noop"]),
)
rows = st.lists(st.builds(Annotation, st.integers(0, 9), st.lists(edits, max_size=3).map(tuple)), max_size=2)


@given(st.lists(st.tuples(sentences, rows), min_size=1, max_size=3))
def test_a_table_has_the_annotations_and_texts_of_its_objects(corpus):
    sources, annotations = [source for source, _ in corpus], tuple(tuple(row) for _, row in corpus)
    assert EditTable.of(annotations).annotations == annotations
    try:
        texts = [apply_edits(source, row[0].edits if row else ()) for source, row in corpus]
    except InputError as error:
        with pytest.raises(InputError, match=re.escape(str(error))):
            EditedTexts.of(sources, annotations)
    else:
        found = EditedTexts.of(sources, annotations)
        assert found == tuple(texts)
        assert found.annotations == tuple(row or (Annotation(0, ()),) for row in annotations)
        assert found.select([0]).annotations == found.annotations[:1]


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (Annotation(0, (Edit(0.5, 1, ("x",)),)), "the start or end of an edit is not a whole number"),
        (Annotation(0, (Edit("0", 1, ("x",)),)), "the start or end of an edit is not a whole number"),
        (Annotation(None, ()), "the number of an annotator is not a whole number"),
        (Annotation(0, (Edit(0, 1, ("x",), 3),)), "type, correction or comment that is not a string"),
        (Annotation(0, (Edit(0, 1, (None,)),)), "type, correction or comment that is not a string"),
    ],
)
def test_edits_of_other_types_are_refused(annotation, message):
    with pytest.raises(InputError, match=message):
        EditedTexts.of(["a b"], [[annotation]])


@pytest.mark.parametrize("convert", [list, EditTable.of])
def test_edits_of_more_or_fewer_sentences_than_sources_are_refused(convert):
    with pytest.raises(InputError, match=r"annotations of 2 sentences for 1 source\. Give annotations with"):
        EditedTexts.of(["a b"], convert([[], []]))
    with pytest.raises(InputError, match="annotations of 1 sentence for 2 sources"):
        EditedTexts.of(["a b", "c"], convert([[]]))


def test_texts_too_long_to_align_are_refused():
    """Their table would take gigabytes; what both texts share at their ends needs no table."""
    start, end = " ".join(["a"] * 30_000), " ".join(["b"] * 30_000)
    assert [edit.corrections for edit in extract_edits(f"{start} x {end}", f"{start} y {end}")] == [("y",)]
    with pytest.raises(InputError, match="sentence 1: 30000 tokens are too many to align with 30000"):
        extract_edits(start, end)

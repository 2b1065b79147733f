"""Edits read off an alignment of source and rewrite (docs/m2.md, B.15)."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gecbench import Corpus, Edit, InputError, apply_edits, derive_annotations
from gecbench.corpora.edits import as_edits, edit_rows
from gecbench.corpus.edits import extract_edits

sentences = st.lists(st.sampled_from(["a", "b", "c", "A", "é"]), max_size=9).map(" ".join)


def levenshtein(before, after):
    """Textbook table, unit costs."""
    row = list(range(len(after) + 1))
    for i, token in enumerate(before, start=1):
        previous, row = row, [i]
        for j, other in enumerate(after, start=1):
            row.append(min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (token != other)))
    return row[-1]


@settings(max_examples=400, deadline=None)
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


def test_example():
    found = extract_edits("He go school by feets .", "He goes to school on foot !")
    assert found == (Edit(1, 2, ("goes to",), "R"), Edit(3, 6, ("on foot !",), "R"))
    assert extract_edits("a  b\u00a0c", "a b c") == ()
    assert extract_edits("the end", "The end") == (Edit(0, 1, ("The",), "R"),)


def test_every_reference_is_an_annotator():
    corpus = derive_annotations(Corpus(sources=["a b", "c"], references=[["a b", "a x", "b"], ["c"]]))
    assert [[found.annotator for found in sentence] for sentence in corpus.annotations] == [[0, 1, 2], [0]]
    assert [len(found.edits) for found in corpus.annotations[0]] == [0, 1, 1]
    assert corpus.references is not None


def test_without_references():
    with pytest.raises(InputError, match="no references to extract edits from"):
        derive_annotations(Corpus(sources=["a"]))

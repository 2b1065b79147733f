"""Edits, error groups and references derived from each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from imeasure_support import alternative, optional, required
from oracles.mixed_references import combination_count, mixed_references

from gecbench import derive_annotations, derive_groups, ungroup
from gecbench.corpus import derive
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.derive import annotator_references, mix_annotations, unmixed_references
from gecbench.corpus.edits import Annotation, Edit, extract_all_edits
from gecbench.corpus.groups import GroupedSentence, group_annotations, is_bridged
from gecbench.errors import InputError

on_both_kernels = pytest.mark.usefixtures("kernels_of")


@on_both_kernels
def test_every_reference_is_an_annotator():
    corpus = derive_annotations(Corpus(sources=["a b", "c"], references=[["a b", "a x", "b"], ["c"]]))
    assert [[found.annotator for found in sentence] for sentence in corpus.annotations] == [[0, 1, 2], [0]]
    assert [len(found.edits) for found in corpus.annotations[0]] == [0, 1, 1]
    assert corpus.references is not None


@on_both_kernels
def test_without_references():
    with pytest.raises(InputError, match="no references to extract edits from"):
        derive_annotations(Corpus(sources=["a"]))


@on_both_kernels
def test_edits_of_some_references_are_not_extracted_again(monkeypatch):
    corpus = Corpus(sources=["a b", "c"], references=[["a b", "a x", "b"], ["c", "d"]])
    asked = []
    monkeypatch.setattr(derive, "extract_all_edits", lambda *texts: asked.append(texts) or extract_all_edits(*texts))
    some = derive_annotations(corpus.with_references([2, 1]))
    again = derive_annotations(corpus.with_references([2, 1]).with_references([0, 1]).with_references([1, 0]))
    assert len(asked) == 1
    for found, references in ((some, [["b", "a x"], ["d"]]), (again, [["a x", "b"], ["d"]])):
        assert found.references == tuple(map(tuple, references))
        alone = derive_annotations(Corpus(sources=["a b", "c"], references=references))
        assert found.annotations == alone.annotations


def test_mixing_drops_combinations_that_edit_one_span_twice():
    sentence = GroupedSentence((optional(alternative(0, (1, 2, "x"))), optional(alternative(1, (1, 2, "y")))), 2)
    assert mixed_references("a b c", sentence) == ["a x c", "a y c", "a b c"]
    assert combination_count(sentence) == 4
    assert unmixed_references("a b c", sentence) == ["a x c", "a y c"]
    assert is_bridged(sentence)


def test_equal_alternatives_count_once():
    same = [alternative(annotator, (0, 1, "x")) for annotator in range(3)]
    assert combination_count(GroupedSentence((required(*same),), 3)) == 1


def test_refusals_name_the_sentence():
    many = GroupedSentence(tuple(optional(alternative(0, (n, n + 1, "x"))) for n in range(8)), None)
    assert combination_count(many) == 256
    with pytest.raises(InputError, match="number of annotators of the sentence 'a b c d e f g h' is not given"):
        unmixed_references("a b c d e f g h", many)
    with pytest.raises(InputError, match="neither annotations nor references"):
        derive_groups(Corpus(sources=["a"]))
    with pytest.raises(InputError, match="no error groups"):
        ungroup(Corpus(sources=["a"]))
    with pytest.raises(InputError, match="neither annotations nor error groups to mix"):
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
def test_references_without_groups_are_those_of_the_groups(annotations: list[Annotation], treebank: bool):
    source = "a b c d e f g"
    by_groups = unmixed_references(source, group_annotations(annotations, treebank))
    assert annotator_references(source, annotations, treebank) == by_groups


@given(annotated)
def test_what_is_grouped_again_is_the_same(annotations: list[Annotation]):
    """Groups to annotations and back: the same numbers of annotators and the same unmixed references."""
    grouped = derive_groups(Corpus(sources=["a b c d e f g"], annotations=[annotations]), treebank=False)
    again = derive_groups(ungroup(grouped).replace(groups=None), treebank=False)
    assert again.groups[0].annotators == grouped.groups[0].annotators
    source = grouped.sources[0]
    assert unmixed_references(source, again.groups[0]) == unmixed_references(source, grouped.groups[0])


def test_rewrites_are_grouped_as_they_are():
    corpus = derive_groups(Corpus(sources=["We can not go"], references=[["We can't go", "We cannot go"]]))
    [group] = corpus.groups[0].groups
    assert group.required
    found = [change.text for item in group.alternatives for change in item.replacements]
    assert found == ["can't", "cannot"]
    assert derive_groups(corpus) is corpus


def test_mixed_annotations_keep_every_correction_and_say_what_stays_unmixed():
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


def test_annotations_are_mixed_by_given_groups():
    groups = (
        required(alternative(0, (0, 1, "These"), (2, 3, "are")), alternative(1, (1, 2, "machine"))),
        optional(alternative(1, (4, 5, "to"))),
    )
    corpus = Corpus(sources=["This machines is designed for help"], groups=[GroupedSentence(groups, 2)])
    mixed, _ = mix_annotations(corpus)
    texts = [[edit.corrections[0] for edit in item.edits] for item in mixed.annotations[0]]
    assert texts == [["These", "are", "to"], ["These", "are"], ["machine", "to"], ["machine"]]


def test_annotators_of_hand_made_groups_get_numbers():
    groups = (required(alternative("ann", (0, 1, "x")), alternative("bob", (0, 1, "y"))),)
    (sentence,) = ungroup(Corpus(sources=["a b"], groups=[GroupedSentence(groups, 3)])).annotations
    assert [(item.annotator, len(item.edits)) for item in sentence] == [(0, 1), (1, 1), (2, 0)]

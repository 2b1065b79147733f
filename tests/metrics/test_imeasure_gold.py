"""Error groups as arrays, made without objects: what the groups made one by one are."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mirror_files import conll14_gold, jfleg, needs_mirror
from numpy.testing import assert_array_equal
from oracles.mixed_references import combination_count

from gecbench import Annotation, Corpus, Edit, apply_edits
from gecbench.corpus.derive import choices_of, extracted_annotations
from gecbench.corpus.groups import group_annotations
from gecbench.formats.m2 import noop_line, parse_m2
from gecbench.metrics.imeasure_gold import FlatEdits, MixedGold, mixed_gold

on_both_kernels = pytest.mark.usefixtures("kernels_of")

some_edits = st.builds(
    lambda start, length, texts: Edit(start, start + length, tuple(texts)),
    st.integers(0, 6),
    st.integers(0, 4),
    st.lists(st.sampled_from(["", "x", "can't", "y  z", "y", " z"]), min_size=1, max_size=2),
)
annotated = st.lists(
    st.builds(Annotation, st.sampled_from([0, 1, 2, 10, -3, 10**12]), st.lists(some_edits, max_size=5).map(tuple)),
    max_size=4,
    unique_by=lambda annotation: annotation.annotator,
)


def assert_equal(ours, theirs):
    assert list(ours.texts) == list(theirs.texts)
    assert_array_equal(ours.bridged, theirs.bridged)
    for name in ("group_offsets", "optional", "alternative_offsets", "edit_offsets", "spans"):
        left, right = getattr(ours.flat, name), getattr(theirs.flat, name)
        assert left.dtype == right.dtype
        assert left.flags.c_contiguous
        assert_array_equal(left, right, err_msg=name)


@on_both_kernels
@settings(max_examples=75)
@given(st.lists(annotated, max_size=4), st.booleans(), st.data())
def test_arrays_are_those_of_the_groups(sentences, treebank, data):
    grouped = [group_annotations(sentence, treebank) for sentence in sentences]
    gold = MixedGold.of_edits(FlatEdits.of(sentences, treebank))
    assert_equal(gold, MixedGold.of(grouped))
    assert gold.combinations() == [combination_count(sentence) for sentence in grouped]
    chosen = data.draw(st.lists(st.sampled_from(range(len(sentences))), unique=True)) if sentences else []
    assert_equal(gold.select(chosen), MixedGold.of([grouped[i] for i in chosen]))
    source = "a b c d e f g h i j k"
    for i, sentence in enumerate(grouped):
        offered = [choices_of(group) for group in sentence.groups]
        picks = [data.draw(st.integers(0, len(choices) - 1)) for choices in offered]
        edits = [edit for choices, pick in zip(offered, picks, strict=True) for edit in choices[pick]]
        as_given = [-1 if not choices[pick] else pick for choices, pick in zip(offered, picks, strict=True)]
        assert gold.reference(i, source, as_given) == apply_edits(source, edits, official=True)


PLAIN, ODD = ["", "x", "can't", "y z", "y", "-NONE-"], ["y", "y  z", "\x01"]


def edit_line(edit, annotator, texts):
    text = texts[edit.start % len(texts)]
    return f"A {edit.start} {edit.end}|||T|||{text}||z|||REQUIRED|||-NONE-|||{annotator}"


@on_both_kernels
@settings(max_examples=50)
@given(st.lists(annotated, min_size=1, max_size=3), st.booleans(), st.sampled_from([PLAIN, ODD]))
def test_a_file_gives_the_same_arrays(sentences, treebank, texts):
    lines = []
    for sentence in sentences:
        lines.append("S a b c d e f g h i j k")
        for annotator, made in ((item.annotator % 10**9, item.edits) for item in sentence):
            lines += [edit_line(edit, annotator, texts) for edit in made] or [noop_line(annotator)]
        lines.append("")
    corpus = parse_m2(lines)
    assert corpus.edit_table() is not None
    gold = mixed_gold(corpus, treebank)
    assert texts is ODD or "annotations" not in vars(corpus), "edits were made as objects"
    assert_equal(gold, MixedGold.of_edits(FlatEdits.of(corpus.annotations, treebank)))


@on_both_kernels
@needs_mirror
def test_real_data():
    table = conll14_gold("withalt").edit_table()
    assert_equal(
        MixedGold.of_table(table, True), MixedGold.of_edits(FlatEdits.of(conll14_gold("withalt").annotations, True))
    )
    golds = [(conll14_gold(part).annotations, True) for part in ("combined", "withalt", 0)]
    references = list(zip(*(jfleg("test", f"ref{k}") for k in range(4)), strict=True))
    golds.append((extracted_annotations(Corpus(sources=jfleg("test", "src"), references=references)), False))
    for annotations, treebank in golds:
        grouped = [group_annotations(sentence, treebank) for sentence in annotations]
        assert_equal(MixedGold.of_edits(FlatEdits.of(annotations, treebank)), MixedGold.of(grouped))


texts_of_few_words = st.lists(st.sampled_from("abc"), max_size=5).map(" ".join)


@on_both_kernels
@settings(max_examples=75)
@given(
    st.lists(
        st.tuples(texts_of_few_words, st.lists(texts_of_few_words, min_size=1, max_size=4)), min_size=1, max_size=4
    ),
    st.lists(st.integers(0, 3), min_size=1, max_size=3, unique=True),
)
def test_some_of_the_rewrites_have_the_groups_that_they_have_alone(pairs, chosen):
    sources, references = zip(*pairs, strict=True)
    rows = [[texts[k] for k in chosen if k < len(texts)] for texts in references]
    assume(all(rows))
    some = Corpus(sources=sources, references=references).with_references(chosen)
    assert_equal(mixed_gold(some, True), mixed_gold(Corpus(sources=sources, references=rows), True))

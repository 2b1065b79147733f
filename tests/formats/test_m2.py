"""M2 files as arrays: both parsers read the same, and the arrays are the same gold as the objects made of them."""

import pickle
from itertools import chain
from unittest import mock

import numpy as np
import pytest
from annotations import annotated_sentences
from hypothesis import given, settings
from hypothesis import strategies as st
from mirror_files import conll14_member, jfleg, needs_mirror

from gecbench import M2, Annotation, Corpus, Edit, InputError, derive_annotations, derive_references, load_demo
from gecbench.formats import m2
from gecbench.formats.m2 import format_m2, parse_blocks, parse_m2, read_m2, write_m2
from gecbench.kernels.m2 import ParsedM2
from gecbench.metrics.m2 import gold_rows, in_official_order, table_rows

on_both_kernels = pytest.mark.usefixtures("kernels_of")

texts = st.text(st.sampled_from("ab  é|\t\x1c\xa0\u2028\u3000-"), max_size=6)
numbers = st.sampled_from(["0", "1", "2", "3", "007", "-1", "9", "8", "+1", "1_0", "٣", "1234567890", ""])
corrections = st.one_of(texts, st.sampled_from(["", "-NONE-", "x", "x y", "x||y", "x  y||-NONE-||z ", " -NONE-"]))
usual_edits = st.builds(
    lambda start, length, kind, text, annotator: (
        f"A {start} {start + length}|||{kind}|||{text}|||REQUIRED|||-NONE-|||{annotator}"
    ),
    st.integers(0, 2),
    st.integers(0, 1),
    st.sampled_from(["Nn", "", "noop", "é"]),
    st.sampled_from(["", "-NONE-", "x", " x y", "x  y", "x||y", "é||-NONE-||z "]),
    st.sampled_from([0, 1, 8, 13]),
)
odd_edits = st.builds(
    lambda start, end, kind, text, annotator: f"A {start} {end}|||{kind}|||{text}|||R|||C|||{annotator}",
    numbers,
    numbers,
    st.sampled_from(["Nn", "noop"]),
    corrections,
    numbers,
)
blocks = st.builds(
    lambda source, edits: [f"S {source}", *edits, ""],
    st.sampled_from(["a b c", " a  b\u3000c ", "a b c\r", "é b c d"]),
    st.lists(usual_edits, max_size=5),
)
strange = st.lists(
    st.one_of(odd_edits, usual_edits, st.sampled_from(["S", "S ", "", " ", "I x", "T0-A0 x", "text", "\r", "a\nb"])),
    max_size=4,
)
files = st.lists(st.one_of(blocks, blocks, blocks, strange), max_size=4).map(
    lambda parts: [*chain.from_iterable(parts)]
)


def as_objects(corpus):
    """Return the corpus with its annotations as objects, and without their table."""
    return Corpus(sources=corpus.sources, annotations=corpus.annotations, name=corpus.name)


def assert_same(read, expected):
    assert expected.edit_table() is None
    assert read.fingerprint() == expected.fingerprint()
    assert read.fingerprint("annotations") == expected.fingerprint("annotations")
    if (rows := table_rows(read.sources, read.edit_table())) is not None:
        plain = gold_rows(expected.sources, [in_official_order(found) for found in expected.annotations])
        assert rows.known.vocabulary.lines() == plain.known.vocabulary.lines()
        arrays = [
            (*(*gold.gold[:-1], *vars(gold.gold.corrections).values()), *vars(gold.sources).values())
            for gold in (rows, plain)
        ]
        for ours, theirs in zip(*arrays, strict=True):
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours, theirs)
    assert read == expected


def outcome(read):
    try:
        return read()
    except InputError as error:
        return str(error)


@settings(max_examples=150)
@given(files, st.sampled_from(["error", "drop"]))
def test_both_kernels(both_kernels, lines, out_of_range):
    with mock.patch.object(m2, "_parse_fast", return_value=None):
        expected = outcome(lambda: parse_m2(lines, out_of_range=out_of_range))
    found = outcome(lambda: parse_m2(lines, out_of_range=out_of_range))
    if isinstance(expected, str):
        assert found == expected
    else:
        assert_same(found, as_objects(expected))
    python, native = both_kernels("m2")
    arrays = native.parse("\n".join(lines).encode())
    if arrays is not None:
        assert_same_arrays(arrays, python.parse("\n".join(lines).encode()))


def assert_same_arrays(found, expected):
    for name, ours, theirs in zip(ParsedM2._fields, found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs, err_msg=name)
        assert isinstance(ours, list) or ours.dtype == theirs.dtype, name


@given(st.lists(blocks, min_size=1, max_size=4).map(lambda parts: "\n".join(chain.from_iterable(parts)).strip("\n")))
def test_both_kernels_read_the_layout_of_errant_compare(both_kernels, text):
    python, native = (kernel.parse(text.encode(), True) for kernel in both_kernels("m2"))
    assert_same_arrays(native, python)


LINE = "A 0 1|||R:OTHER|||c|||REQUIRED|||-NONE-|||0"
NOT_STANDARD = {
    "no S": f"X a b\n{LINE}",
    "nothing": "",
    "a comment": "S a b\nI comment",
    "a sign": "S a b\n" + LINE.replace("0 1", "+0 1"),
    "two blanks": "S a b\n" + LINE.replace("0 1", "0  1"),
    "three numbers": "S a b\n" + LINE.replace("0 1", "0 1 2"),
    "ten digits": "S a b\n" + LINE.replace("0 1", "0 1234567890"),
    "two fields": "S a b\nA 0 1|||R:OTHER|||0",
    "seven fields": f"S a b\n{LINE}|||0",
    "no annotator": f"S a b\n{LINE[:-1]}",
}
NOT_STANDARD_FOR_ERRANT = {
    "a long span": "S a b\n" + LINE.replace("0 1", "0 2000000"),
    "two empty lines": "S a b\n\n\nS a b",
}


@pytest.mark.parametrize("fault", [*NOT_STANDARD, *NOT_STANDARD_FOR_ERRANT])
def test_the_native_parser_leaves_unusual_files_to_the_reference(fault, both_kernels):
    _, native = both_kernels("m2")
    assert native.parse(f"S a b\n{LINE}\n\nS c".encode(), True) is not None
    text = {**NOT_STANDARD, **NOT_STANDARD_FOR_ERRANT}[fault].encode()
    assert native.parse(text, True) is None
    assert (native.parse(text, False) is None) == (fault in NOT_STANDARD)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["S a", f"{LINE}9999999999"], r"x\.m2:2: the annotator number 9999999999 is too large"),
        (["S a", LINE + "9" * 60], rf"x\.m2:2: the annotator number {2**61} is too large"),
        (
            ["S a", f"A 0 {'9' * 60}|||T|||x|||R|||-|||0"],
            rf"x\.m2:2: the span 0 {2**61} does not fit a sentence of 1 token",
        ),
        (["S a", "", "S a b", LINE, LINE.replace("0 1", "2 1")], r"x\.m2:5: the span 2 1 does not fit a .* 2 tokens"),
    ],
)
def test_numbers_that_no_corpus_can_hold(lines, message):
    with pytest.raises(InputError, match=message):
        parse_m2(lines, "x.m2")


@on_both_kernels
def test_every_file_is_read_as_arrays():
    demo = load_demo()
    lines = format_m2(demo)
    expected = Corpus(sources=demo.sources, annotations=demo.annotations, name="M2 text")
    assert_same(parse_m2(lines), expected)
    assert_same(parse_m2(["text before", *lines]), expected)


@on_both_kernels
def test_annotations_are_made_when_first_read():
    corpus = parse_m2(["S a b", "A 0 1|||Nn|||x|||REQUIRED|||-NONE-|||0"])
    other = corpus.replace(name="other")
    for each in (corpus, other):
        assert each.has("annotations")
        assert not each.has("references")
        assert M2().score_corpus(each, ["x b"]).value == 1
        assert "annotations" not in vars(each)
    assert other.annotations == ((Annotation(0, (Edit(0, 1, ("x",), "Nn"),)),),)
    assert other.annotations is corpus.annotations, "copies share them"
    assert Corpus(sources=["a"]).annotations is None
    assert not Corpus(sources=["a"]).has("annotations")


@on_both_kernels
def test_a_corpus_of_arrays_can_be_copied_selected_and_pickled():
    lines = ["S a b", "A 0 1|||Nn|||x|||REQUIRED|||-NONE-|||0", "", "S c", "A -1 -1|||noop|||-NONE-|||R|||-NONE-|||0"]
    corpus = parse_m2(lines)
    plain = as_objects(corpus)
    for change in (
        lambda given: given.replace(name="x"),
        lambda given: given.replace(annotations=None),
        lambda given: given.select([1]),
        lambda given: pickle.loads(pickle.dumps(given)),
        repr,
    ):
        assert change(parse_m2(lines)) == change(plain)
    assert corpus.replace(annotations=None).edit_table() is None
    with pytest.raises(InputError, match=r"2 annotations for 1 source\b"):
        corpus.replace(sources=["a"])


@on_both_kernels
def test_many_annotators_of_one_sentence():
    lines = ["S a", *(f"A 0 1|||Nn|||x|||REQUIRED|||-NONE-|||{k % 30_000}" for k in range(60_000))]
    table = parse_m2(lines).edit_table()
    assert table.annotators.tolist() == list(range(30_000))
    assert np.diff(table.edit_offsets).tolist() == [2] * 30_000


@on_both_kernels
@needs_mirror
def test_real_data():
    for name in (
        "alt/official-2014.combined-withalt.m2",
        "noalt/official-2014.combined.m2",
        "noalt/official-2014.1.m2",
    ):
        lines = conll14_member(name).split("\n")
        read = parse_m2(lines)
        assert table_rows(read.sources, read.edit_table()) is not None
        assert_same(read, as_objects(read))
    references = list(zip(*(jfleg("test", f"ref{k}") for k in range(4)), strict=True))
    lines = format_m2(derive_annotations(Corpus(sources=jfleg("test", "src"), references=references)))
    read = parse_m2(lines)
    assert_same(read, as_objects(read))


M2_TEXT = [
    "S The cat sat at mat .",
    "A 3 4|||Prep|||on|||REQUIRED|||-NONE-|||0",
    "A 4 4|||ArtOrDet|||the||a|||REQUIRED|||-NONE-|||0",
    "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1",
    "",
    "S The dog .",
    "",
    "S Giant otters is an apex predator .",
    "A 2 3|||SVA|||are|||REQUIRED|||-NONE-|||0",
    "A 3 4|||ArtOrDet||||||REQUIRED|||-NONE-|||0",
    "A 5 6|||Nn|||predators|||REQUIRED|||-NONE-|||0",
    "",
]


class TestM2:
    def test_reading(self):
        corpus = parse_m2(M2_TEXT)
        assert corpus.sources[1] == "The dog ."
        assert corpus.annotations[0] == (
            Annotation(0, (Edit(3, 4, ("on",), "Prep"), Edit(4, 4, ("the", "a"), "ArtOrDet"))),
            Annotation(1, ()),
        )
        assert corpus.annotations[1] == ()
        assert corpus.annotations[2][0].edits[1].corrections == ("",)

    def test_round_trip_of_text(self):
        assert format_m2(parse_m2(M2_TEXT)) == M2_TEXT

    def test_references(self):
        references = derive_references(parse_m2(M2_TEXT)).references
        assert references == (
            ("The cat sat on the mat .", "The cat sat at mat ."),
            ("The dog .",),
            ("Giant otters are apex predators .",),
        )

    def test_none_is_a_deletion(self):
        corpus = parse_m2(["S a b", "A 0 1|||Rloc-|||-NONE-|||REQUIRED|||-NONE-|||0"])
        assert derive_references(corpus).references == (("b",),)

    def test_comment_lines_and_missing_final_blank_line(self):
        corpus = parse_m2(["S a b", "I ignored", "A 0 1|||Mec|||A|||REQUIRED|||-NONE-|||3"])
        assert corpus.annotations == ((Annotation(3, (Edit(0, 1, ("A",), "Mec"),)),),)

    @pytest.mark.parametrize(
        "lines",
        [
            pytest.param(["I 7", "# learner 12", "S a b", "A 0 1|||M|||A|||R|||-|||0"], id="text before S"),
            pytest.param(["# a header", "", "S a b", "A 0 1|||M|||A|||R|||-|||0"], id="a header of its own"),
            pytest.param(["S a b", "A 0 1 7|||M|||A|||R|||-|||0"], id="further numbers in the span"),
            pytest.param(["S a b", "T0-A0 A b", "A 0 1|||M|||A|||R|||-|||0"], id="ChERRANT"),
            pytest.param(["S a b", "T0-A0 A b", "A 0 1|||M|||A|||R|||-|||0", "T0-A1"], id="ChERRANT, an empty one"),
        ],
    )
    def test_files_of_the_wild(self, lines):
        corpus = parse_m2(lines)
        assert corpus.sources == ("a b",)
        assert corpus.annotations == ((Annotation(0, (Edit(0, 1, ("A",), "M", "R", "-"),)),),)

    def test_edits_beyond_the_end_can_be_dropped_as_the_official_scorer_does(self):
        lines = ["S a b", "A 1 5|||Mec|||x|||REQUIRED|||-NONE-|||2"]
        assert parse_m2(lines, out_of_range="drop").annotations == ((Annotation(2, ()),),)

    def test_odd_characters_inside_a_line(self):
        corpus = parse_m2(["S a\u2028b\x0cc", "A 2 3|||Mec|||C|||REQUIRED|||-NONE-|||0"])
        assert derive_references(corpus).references == (("a b C",),)

    def test_an_empty_sentence(self):
        assert parse_m2(["S ", "", "S", ""]).sources == ("", "")

    def test_blocks_are_read_without_loss(self):
        lines = [
            "S a b",
            "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1",
            "A 0 9|||Vt|||x||y z|||OPTIONAL|||why|||0",
            "A 1 2|||Um||||||REQUIRED|||-NONE-|||0",
            "",
            "S c",
        ]
        first, second = parse_blocks(lines, "toy")
        assert first.annotations == (
            Annotation(1, (Edit(-1, -1, ("-NONE-",), "noop"),)),
            Annotation(0, (Edit(0, 9, ("x", "y z"), "Vt", "OPTIONAL", "why"), Edit(1, 2, ("",), "Um"))),
        )
        assert (second.source, second.annotations) == ("c", ())

    def test_insertions_at_one_place_keep_file_order(self):
        lines = ["S a b", "A 1 1|||X|||one|||REQUIRED|||-NONE-|||0", "A 1 1|||X|||two|||REQUIRED|||-NONE-|||0"]
        assert derive_references(parse_m2(lines)).references == (("a one two b",),)


@settings(max_examples=100)
@given(sentences=st.lists(annotated_sentences(), min_size=1, max_size=4))
def test_files_round_trip(sentences, tmp_path_factory):
    path = tmp_path_factory.mktemp("round-trip") / "a.m2"
    sources, annotations = zip(*sentences, strict=True)
    corpus = Corpus(sources=sources, annotations=annotations)
    write_m2(corpus, path)
    again = read_m2(path)
    assert (again.sources, again.annotations) == (corpus.sources, corpus.annotations)

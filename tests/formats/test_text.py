"""Readers and writers round-trip, and odd characters do not shift lines."""

import gzip
import io
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gecbench import Annotation, Corpus, Edit, InputError, apply_edits, derive_references, load_demo
from gecbench.formats.jsonl import read_jsonl, write_jsonl
from gecbench.formats.m2 import format_m2, parse_blocks, parse_m2, read_m2, write_m2
from gecbench.formats.tables import read_parallel, read_predictions, write_parallel
from gecbench.formats.text import read_lines, write_lines

ODD = [
    "plain",
    "",
    "trailing space ",
    " \t leading",
    "no\u00a0break",
    "line\u2028separator",
    "next\x85line",
    "form\x0cfeed",
    "é",
]


class TestText:
    @pytest.mark.parametrize(
        ("content", "lines"),
        [
            pytest.param("\n".join([*ODD, ""]).encode(), ODD, id="odd characters do not shift lines"),
            pytest.param(b"\xef\xbb\xbfone\r\n\r\nthree", ["one", "", "three"], id="CRLF, byte order mark, no newline"),
            pytest.param(b"one\n\n\n", ["one", "", ""], id="empty lines at the end are data"),
        ],
    )
    def test_reading(self, content, lines, tmp_path, monkeypatch):
        (tmp_path / "a.txt").write_bytes(content)
        assert read_lines(tmp_path / "a.txt") == lines
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert read_lines("-") == lines

    @pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
    def test_round_trip(self, tmp_path, name):
        write_lines(tmp_path / name, ODD)
        assert read_lines(tmp_path / name) == ODD
        assert [path.name for path in tmp_path.iterdir()] == [name], "no temporary file is left"

    def test_gzip_is_reproducible(self, tmp_path):
        write_lines(tmp_path / "a.gz", ODD)
        assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == "".join(f"{line}\n" for line in ODD).encode()
        first = (tmp_path / "a.gz").read_bytes()
        write_lines(tmp_path / "a.gz", ODD)
        assert (tmp_path / "a.gz").read_bytes() == first

    def test_nothing_half_written_where_it_cannot_write(self, tmp_path):
        with pytest.raises(InputError, match="cannot write"):
            write_lines(tmp_path / "missing" / "a.txt", ["x"])


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


def test_insertions_keep_their_order_and_precede_a_replacement():
    edits = [Edit(1, 2, ("B",)), Edit(1, 1, ("x",)), Edit(1, 1, ("y",)), Edit(3, 3, ("end",))]
    assert apply_edits("a b c", edits) == "a x y B c end"


words = st.text(st.sampled_from("abcé'"), min_size=1, max_size=3)


@st.composite
def annotated_sentences(draw):
    tokens = draw(st.lists(words, max_size=6))
    annotations = []
    for annotator in draw(st.sets(st.integers(0, 12), max_size=3)):
        cuts = sorted(draw(st.sets(st.integers(0, len(tokens)), max_size=4)))
        edits = [
            Edit(start, end, tuple(draw(st.lists(st.one_of(words, st.just("")), min_size=1, max_size=2))), "Wci")
            for start, end in zip(cuts[::2], cuts[1::2], strict=False)
        ]
        annotations.append(Annotation(annotator, tuple(edits)))
    return " ".join(tokens), annotations


@settings(max_examples=100)
@given(sentences=st.lists(annotated_sentences(), min_size=1, max_size=4))
def test_m2_and_json_lines_round_trip(sentences, tmp_path_factory):
    folder = tmp_path_factory.mktemp("round-trip")
    sources, annotations = zip(*sentences, strict=True)
    corpus = derive_references(Corpus(sources=sources, annotations=annotations))
    write_m2(corpus, folder / "a.m2")
    again = read_m2(folder / "a.m2")
    assert (again.sources, again.annotations) == (corpus.sources, corpus.annotations)
    write_jsonl(corpus, folder / "a.jsonl")
    again = read_jsonl(folder / "a.jsonl")
    assert (again.sources, again.annotations, again.references) == (
        corpus.sources,
        corpus.annotations,
        corpus.references,
    )
    assert again.fingerprint() == corpus.fingerprint()


def test_parallel_round_trip(tmp_path):
    demo = load_demo()
    paths = [tmp_path / f"r{k}.txt" for k in range(4)]
    write_parallel(demo, tmp_path / "s.txt", paths)
    again = read_parallel(tmp_path / "s.txt", paths)
    assert (again.sources, again.references) == (demo.sources, demo.references)


def test_parallel_refuses_ragged_references(tmp_path):
    ragged = Corpus(sources=["a", "b"], references=[["a"], ["b", "c"]])
    with pytest.raises(InputError, match="1-2 references per sentence"):
        write_parallel(ragged, tmp_path / "s", [tmp_path / "r"])
    assert not list(tmp_path.iterdir())


def test_predictions_as_json_lines(tmp_path):
    path = tmp_path / "p.jsonl"
    corpus = Corpus(sources=["a", "b"], ids=["1", "2"])
    for text in ('{"prediction": "a", "id": 1}\n{"prediction": "b", "id": 2}\n', '"a"\n"b"\n'):
        path.write_text(text)
        assert read_predictions(path, corpus) == ["a", "b"]
    path.write_text('{"prediction": "a"}\n{"output": "b"}\n')
    with pytest.raises(InputError, match=r"p.jsonl: row 2 differs from the first in output, prediction"):
        read_predictions(path, corpus)


class TestCorpus:
    def test_fingerprint_follows_the_content(self):
        one = Corpus(sources=["a"], references=[["b", "c"]])
        assert one.fingerprint() == Corpus(sources=["a"], references=[["b", "c"]], name="other").fingerprint()
        assert one.fingerprint() != Corpus(sources=["a"], references=[["c", "b"]]).fingerprint()
        assert one.fingerprint() != Corpus(sources=["a"], references=[["b"]]).fingerprint()
        annotated = Corpus(sources=["a"], references=[["b", "c"]], annotations=[[Annotation(0, ())]])
        assert annotated.fingerprint("references") == one.fingerprint("references")
        assert annotated.fingerprint("annotations") != one.fingerprint("annotations")

    def test_selection(self):
        demo = load_demo()
        part = demo.select([3, 1])
        assert part.sources == (demo.sources[3], demo.sources[1])
        assert part.ids == ("4", "2")
        assert part.annotations == (demo.annotations[3], demo.annotations[1])
        assert demo.with_references([2]).references == tuple((texts[2],) for texts in demo.references)

    def test_selection_keeps_columns_beside_their_sentences(self):
        corpus = Corpus(sources=["a", "b", "c"], metadata={"columns": {"essay": (1, 2, 3)}, "split": "test"})
        assert corpus.select([2, 0]).metadata == {"columns": {"essay": (3, 1)}, "split": "test"}

    def test_frozen_and_copied(self):
        references = [["b"]]
        corpus = Corpus(sources=["a"], references=references)
        references[0].append("c")
        assert corpus.references == (("b",),)
        with pytest.raises(AttributeError):
            corpus.name = "other"

    def test_pickles(self):
        import pickle

        demo = load_demo()
        assert pickle.loads(pickle.dumps(demo)).fingerprint() == demo.fingerprint()

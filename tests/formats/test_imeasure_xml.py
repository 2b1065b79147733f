"""I-measure gold files: the paper's listing, round trips, and files that are refused."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from imeasure_support import alternative

from gecbench.corpus.corpus import Corpus
from gecbench.corpus.groups import Alternative, ErrorGroup, GroupedSentence, Replacement
from gecbench.errors import InputError
from gecbench.formats.imeasure_xml import (
    format_imeasure_xml,
    parse_imeasure_xml,
    read_imeasure_xml,
    write_imeasure_xml,
)

LISTING_1 = b"""<scripts><script id="s9">
<sentence id="1" numann="2">
<text>
This machines is designed for help
people .
</text>
<error-list>
<error id="1" req="yes" type="SVA">
<alt ann="0"><c start="0" end="1">These</c><c start="2" end="3">are</c></alt>
<alt ann="1"><c start="1" end="2">machine</c></alt>
</error>
<error id="2" req="no" type="Vform"><alt ann="0"><c start="5" end="6"/></alt></error>
</error-list>
</sentence></script></scripts>"""


def wrap(inside: str) -> bytes:
    return f"<scripts>\n<script>\n{inside}\n</script>\n</scripts>".encode()


def test_reads_the_paper_s_listing() -> None:
    corpus = parse_imeasure_xml(LISTING_1)
    assert corpus.sources == ("This machines is designed for help people .",)
    assert corpus.ids == ("1",)
    machines = (alternative(0, (0, 1, "These"), (2, 3, "are")), alternative(1, (1, 2, "machine")))
    expected = (
        ErrorGroup(machines, required=True, type="SVA"),
        ErrorGroup((alternative(0, (5, 6, "")),), required=False, type="Vform"),
    )
    assert corpus.groups == (GroupedSentence(expected, annotators=2, script="s9"),)


words = st.lists(
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"], exclude_characters="\ufffe\uffff"), min_size=1),
    max_size=4,
).map(lambda tokens: " ".join(" ".join(tokens).split()))
names = st.text(st.sampled_from("ab01<>&\"'\n\t "), max_size=4)
replacements = st.builds(
    lambda start, length, text: Replacement(start, start + length, text), st.integers(0, 2), st.integers(0, 2), words
)
alternatives = st.builds(Alternative, names, st.lists(replacements, max_size=2).map(tuple))
groups = st.builds(ErrorGroup, st.lists(alternatives, max_size=2).map(tuple), st.booleans(), names)
sentences = st.builds(GroupedSentence, st.lists(groups, max_size=2).map(tuple), st.none() | st.integers(0, 3), names)


@given(
    st.lists(
        st.tuples(words.map(lambda text: f"a b c d {text}".strip()), sentences, names.filter(bool)),
        min_size=1,
        max_size=3,
    )
)
def test_what_is_written_is_read_again(written: list[tuple[str, GroupedSentence, str]]) -> None:
    sources, grouped, ids = zip(*written, strict=True)
    corpus = Corpus(sources=sources, groups=grouped, ids=ids)
    again = parse_imeasure_xml("".join(f"{line}\n" for line in format_imeasure_xml(corpus)).encode())
    assert (again.sources, again.groups, again.ids) == (corpus.sources, corpus.groups, corpus.ids)
    assert again.fingerprint() == corpus.fingerprint("groups")


@pytest.mark.parametrize("name", ["gold.xml", "gold.xml.gz"])
def test_files_round_trip(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    corpus = parse_imeasure_xml(LISTING_1)
    write_imeasure_xml(corpus, path)
    again = read_imeasure_xml(path)
    assert (again.groups, again.name) == (corpus.groups, name)
    kept = pickle.loads(pickle.dumps(again.select([0, 0])))
    assert kept.groups == corpus.groups * 2
    assert repr(again) == f"Corpus(name='{name}', sentences=1, groups=2)"


def test_ids_are_optional() -> None:
    corpus = parse_imeasure_xml(wrap("<sentence><text>a</text></sentence><sentence id='x'><text>b</text></sentence>"))
    assert corpus.ids == ("1", "x")


EXTERNAL = b"""<?xml version="1.0"?>
<!DOCTYPE scripts [<!ENTITY secret SYSTEM "file:///etc/hostname">]>
<scripts><script><sentence id="1"><text>&secret;</text></sentence></script></scripts>"""


@pytest.mark.parametrize(
    ("data", "place", "problem"),
    [
        (EXTERNAL, ":2", "the declarations <!DOCTYPE ...> and <!ENTITY ...> are not allowed"),
        (wrap("<sentence>\n<text>a</txt></sentence>"), ":4", "mismatched tag"),
        (wrap("<sentence><text>a &nope; b</text></sentence>"), ":3", "undefined entity"),
        (wrap("<sentence>\n<texts>a</texts></sentence>"), ":4", "element <texts> is not allowed inside <sentence>"),
        (wrap("<sentence numann='two'><text>a</text></sentence>"), ":3", "numann='two' is not an integer"),
        (wrap("<sentence>\n</sentence>"), ":4", "no <text>"),
        (wrap("<sentence><text>a</text><text>b</text></sentence>"), ":3", "two <text>"),
        (wrap("<sentence>outside<text>a</text></sentence>"), ":3", "'outside' outside"),
        (wrap("<sentence><text>a</text>\n<error-list><error><alt>\n<c start='0'>b</c>"), ":5", "end is missing"),
        (wrap(f"<sentence numann='{10**12}'><text>a</text></sentence>"), ":3", "numann=1000000000000 is too large"),
        (LISTING_1[:200], f":{LISTING_1[:200].count(10) + 1}", "not well-formed"),
        (b"<scripts></scripts>", "", "the file has no sentences"),
    ],
)
def test_what_cannot_be_read_is_named_with_file_and_line(
    data: bytes, place: str, problem: str, tmp_path: Path, refused
) -> None:
    path = tmp_path / "gold.xml"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_imeasure_xml(path)
    assert str(caught.value).startswith(f"{path}{place}: ")
    assert problem in str(caught.value)
    (tmp_path / "one.txt").write_text("a b\n")
    shown = refused(["score", "--gold", path, "-p", tmp_path / "one.txt", "-m", "imeasure(mixing=no)"])
    assert str(caught.value) in shown


def sentence(tokens: str, start: int, end: int) -> str:
    change = f'<c start="{start}" end="{end}">x</c>'
    return f'<sentence>\n<text>{tokens}</text><error-list><error><alt ann="0">\n{change}</alt></error></error-list>'


@pytest.mark.parametrize(("start", "end"), [(2, 0), (-5, -1), (0, 10), (3, 3), (0, 3)])
def test_a_span_that_does_not_fit_is_refused(start: int, end: int) -> None:
    data = f"<scripts><script>{sentence('a b', start, end)}</sentence></script></scripts>".encode()
    with pytest.raises(InputError, match=rf"XML:3: the span {start} {end} does not fit a sentence of 2 tokens"):
        parse_imeasure_xml(data)


@pytest.mark.parametrize("text_first", [True, False])
def test_the_last_span_that_fits_is_read(text_first: bool) -> None:
    parts = ["<text>a b</text>", '<error-list><error><alt><c start="2" end="2">x</c></alt></error></error-list>']
    made = f"<scripts><sentence>{''.join(parts if text_first else parts[::-1])}</sentence></scripts>"
    (found,) = parse_imeasure_xml(made.encode()).groups
    assert found.groups[0].alternatives[0].replacements == (Replacement(2, 2, "x"),)


def test_annotators_are_no_more_than_the_bytes_of_a_sentence() -> None:
    """A file of 170 bytes must not make a thousand million annotators."""

    def parse(annotators: int) -> Corpus:
        sentence = f'<sentence id="1" numann="{annotators}"><text>a b</text></sentence>'
        return parse_imeasure_xml(f"<scripts>\n<script>\n{sentence}</script></scripts>".encode())

    with pytest.raises(InputError, match=r"XML:3: 1,000,000,000 annotators for a sentence of \d\d bytes"):
        parse(10**9)
    assert parse(40).groups[0].annotators == 40


def test_a_character_that_xml_cannot_hold_is_refused() -> None:
    with pytest.raises(InputError, match=r"U\+0008"):
        format_imeasure_xml(Corpus(sources=["a\bb"], groups=[GroupedSentence()]))


@pytest.mark.parametrize(
    ("groups", "problem"),
    [([], r"0 groups for 1 source\b"), (["x"], r"groups\[0\]: the sentence is 'x', not a GroupedSentence")],
)
def test_a_corpus_checks_its_groups(groups: list[object], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Corpus(sources=["a"], groups=groups)


def test_a_corpus_without_groups_cannot_be_written() -> None:
    with pytest.raises(InputError, match="no error groups to write as XML"):
        format_imeasure_xml(Corpus(sources=["a"]))

"""The MaxMatch kernel: the official scorer's quirks, and three implementations that must agree (docs/m2.md)."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from m2_corpus import THREE_OUTPUTS, THREE_SENTENCES, TextEdit, flatten, literal_rows, pack, sentence
from oracles.maxmatch import match_literally

from gecbench import M2
from gecbench.kernels import native_module, select
from gecbench.kernels.maxmatch.edits import GoldEdit, Match, Options

FOLDED = [[1], [1], [2], [1, 1], [3], [2, 1]]


KERNELS = [select("maxmatch", name) for name in ("python", "native")[: 1 + (native_module() is not None)]]


@pytest.fixture(scope="module")
def kernel(implementation: str) -> ModuleType:
    return select("maxmatch", implementation)


def counts_of(
    kernel: ModuleType,
    source: str,
    hypothesis: str,
    *edits: TextEdit,
    ignore_case: bool = False,
    max_unchanged_words: int = 2,
    release: str = "master",
) -> tuple[int, ...]:
    """Counts of one sentence, asserted to be the literal algorithm's too."""
    prepared = sentence(source, hypothesis, *edits, ignore_case=ignore_case)
    counts, _ = kernel.match_corpus(*prepared.arguments(max_unchanged_words, release))
    [[row]] = literal_rows(prepared)
    folded = prepared.folded and prepared.folded.lists()
    literal = match_literally(*row, max_unchanged_words, release, folded)
    assert tuple(counts[0]) == literal[:3]
    return literal[:3]


def test_worked_example_of_three_sentences(kernel: ModuleType, implementation: str) -> None:
    """docs/m2.md, B.14.1: counts of every annotator, the greedy choice and its totals."""
    prepared = M2().prepare(THREE_SENTENCES, THREE_OUTPUTS)
    counts, _ = kernel.match_corpus(*prepared.arguments(2, "master"))
    assert counts.tolist() == [[2, 3, 2], [0, 0, 1], [0, 0, 0], [2, 2, 3], [0, 1, 1]]
    greedy, offsets = select("greedy", implementation), prepared.gold.annotator_offsets
    assert greedy.choose_rows(counts, offsets, 0.25).tolist() == [0, 2, 3]
    assert greedy.sample_totals(counts, offsets, 0.25, np.array([[0, 1, 2]], dtype=np.int32)).tolist() == [[4, 5, 5]]


def test_rounding_and_doubled_arcs_decide(kernel: ModuleType) -> None:
    """docs/m2.md, B.14.2: exact arithmetic would propose one edit."""
    assert counts_of(kernel, "f a", "e a c f") == (0, 2, 0)
    _, settled = kernel.match_corpus(*sentence("f a", "e a c f").arguments(2, "master"))
    assert settled.tolist() == [kernel.LITERAL]


def test_ties_go_to_the_first(kernel: ModuleType) -> None:
    """docs/m2.md, B.14.3."""
    assert counts_of(kernel, "a b a", "a a a b") == (0, 1, 0)


def test_merging_spans_at_most_two_unchanged_words(kernel: ModuleType) -> None:
    """docs/m2.md, B.5."""
    assert counts_of(kernel, "x a b y", "p a b q", (0, 4, ("p a b q",))) == (1, 1, 1)
    assert counts_of(kernel, "x a b c y", "p a b c q", (0, 5, ("p a b c q",))) == (0, 2, 1)
    wide = {"max_unchanged_words": 3}
    assert counts_of(kernel, "x a b c y", "p a b c q", (0, 5, ("p a b c q",)), **wide) == (1, 1, 1)
    narrow = {"max_unchanged_words": 1}
    assert counts_of(kernel, "x a b y", "p a b q", (0, 4, ("p a b q",)), **narrow) == (0, 2, 1)


def test_quirks_of_counting(kernel: ModuleType) -> None:
    """docs/m2.md, B.8: duplicates are credited twice; gold edits out of textual order are lost."""
    assert counts_of(kernel, "a b c", "a x c", (1, 2, ("x",)), (1, 2, ("x",))) == (2, 1, 2)
    assert counts_of(kernel, "a b c d", "x b c y", (3, 4, ("y",)), (0, 1, ("x",))) == (1, 2, 2)
    assert counts_of(kernel, "a b c d", "x b c y", (0, 1, ("x",)), (3, 4, ("y",))) == (2, 2, 2)
    correct, _, gold = counts_of(kernel, "a b", "a x y b", (1, 1, ("y",)), (1, 1, ("x",)))
    assert (correct, gold) == (1, 2)


def test_alternatives_and_adjacent_edits(kernel: ModuleType) -> None:
    """docs/m2.md, B.6, B.7: any alternative will do; unmatched neighbours merge, matched ones stay apart."""
    assert counts_of(kernel, "a b c", "a x c", (1, 2, ("y", "x"))) == (1, 1, 1)
    assert counts_of(kernel, "a b c d", "a x y d") == (0, 1, 0)
    assert counts_of(kernel, "a b c d", "a x y d", (1, 2, ("x",)), (2, 3, ("y",))) == (2, 2, 2)
    assert counts_of(kernel, "a b c d", "a x y d", (1, 3, ("x y",)), (2, 3, ("y",))) == (1, 1, 2)


def test_release_3_2_misplaces_insertions_at_the_front(kernel: ModuleType) -> None:
    """docs/m2.md, B.12."""
    assert counts_of(kernel, "a b", "x y a b", (0, 0, ("x y",)), release="master")[0] == 1
    assert counts_of(kernel, "a b", "x y a b", (0, 0, ("x y",)), release="3.2")[0] == 0
    assert counts_of(kernel, "a b", "x a b", (0, 0, ("x",)), release="3.2") == (1, 1, 1)


def test_ignoring_whitespace_and_case(kernel: ModuleType) -> None:
    """docs/m2.md, B.8: such edits are not proposed, yet their gold edits stay and are missed."""
    assert counts_of(kernel, "the Cat sat", "The Cat sat", (0, 1, ("The",)), ignore_case=True) == (0, 0, 1)
    assert counts_of(kernel, "I can not swim", "I cannot swim", ignore_case=True) == (0, 0, 0)
    assert counts_of(kernel, "I can not swim", "I cannot swim") == (0, 1, 0)
    assert counts_of(kernel, "i can not swam", "i can not swim", ignore_case=True) == (0, 1, 0)


@pytest.mark.parametrize(
    ("source", "hypothesis", "expected"),
    [([], [], (0, 0, 1)), ([], [0, 1], (0, 1, 1)), ([0, 1], [], (0, 1, 1)), ([0, 1], [0, 1], (0, 0, 1))],
)
def test_a_gold_edit_outside_the_sentence_never_matches(
    kernel: ModuleType, source: list[int], hypothesis: list[int], expected: tuple[int, ...]
) -> None:
    """The kernel counts it as gold; the metric refuses it, and the reader may drop it (docs/m2.md, B.1)."""
    counts, _ = kernel.match_corpus(*pack(source, hypothesis, [GoldEdit(7, 9, ((0,),))]), Options())
    assert tuple(counts[0]) == expected


def test_identity_gold_edit_is_never_correct(kernel: ModuleType) -> None:
    """docs/m2.md, B.6."""
    assert counts_of(kernel, "a b c", "a x c", (0, 1, ("a",))) == (0, 1, 1)


def test_bad_arguments_are_refused(kernel: ModuleType) -> None:
    prepared = sentence("a", "b")
    with pytest.raises(ValueError, match="release"):
        kernel.match_corpus(*prepared.arguments(2, "2.0"))
    with pytest.raises(ValueError, match="max_unchanged_words"):
        kernel.match_corpus(*prepared.arguments(-1, "master"))


def test_long_repetition_is_bounded(kernel: ModuleType) -> None:
    """A tie in a lattice too large for the arc list keeps the exact answer and says so."""
    *arrays, options = sentence("f a", "e a c f").arguments(2, "master")
    counts, settled = kernel.match_corpus(*arrays, options._replace(arc_limit=5))
    assert (counts.tolist(), settled.tolist()) == ([[0, 1, 0]], [kernel.TOO_LARGE])
    source, clause = list(range(12)), [3, 4, 5]
    repeated = pack(source, source[:6] + clause * 60, [GoldEdit(6, 6, ((3, 4, 5),))])
    assert kernel.match_corpus(*repeated, Options())[0][0, 0] == 1


def test_a_thousand_gold_edits(kernel: ModuleType) -> None:
    """Every one is gold; one per source token can be correct."""
    source, hypothesis = [0] * 5 + [1, 2, 3], [0] * 5 + [4, 5, 6]
    golds = [GoldEdit(start, start + 1, ((4 + start - 5,),)) for start in (5, 6, 7)]
    noise = [GoldEdit(index % 8, index % 8 + 1, ((9,),)) for index in range(997)]
    counts, _ = kernel.match_corpus(*pack(source, hypothesis, noise + golds), Options())
    assert counts.tolist() == [[3, 3, 1000]]


tokens = st.integers(0, 3)
sentences = st.lists(tokens, max_size=7)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[int], list[int], list[GoldEdit]]:
    """Few symbols, so many ties; gold edits that often agree, repeat, overlap, lie outside or out of order."""
    source, hypothesis = draw(sentences), draw(st.lists(tokens, max_size=9))
    if draw(st.booleans()):
        place = draw(st.integers(0, len(source)))
        hypothesis = source[:place] + draw(st.lists(tokens, max_size=3)) + source[place + draw(st.integers(0, 2)) :]
    pieces = st.builds(lambda at, size: tuple(hypothesis[at : at + size]), st.integers(0, 9), st.integers(0, 3))
    texts = st.lists(pieces | st.lists(tokens, max_size=3).map(tuple), max_size=3).map(tuple)
    near = st.builds(lambda at, size, text: GoldEdit(at, at + size, text), st.integers(0, 7), st.integers(0, 2), texts)
    wild = st.builds(GoldEdit, st.integers(-2, 9), st.integers(-2, 9), texts)
    golds = draw(st.lists(near | wild, max_size=6))
    golds += draw(st.lists(st.sampled_from(golds), max_size=2)) if golds else []
    return source, hypothesis, golds


@settings(max_examples=1000, deadline=None)
@given(pairs(), st.sampled_from([2, 2, 0, 1, 3]), st.sampled_from(["master", "3.2"]), st.booleans())
def test_all_implementations_agree(
    pair: tuple[list[int], list[int], list[GoldEdit]], unchanged: int, release: str, ignore: bool
) -> None:
    """Literal, fast Python and native: counts, how they were settled, official path, exact answers past the limit."""
    source, hypothesis, golds = pair
    literal: Match = match_literally(source, hypothesis, golds, unchanged, release, FOLDED if ignore else None)
    arrays = pack(source, hypothesis, golds)
    options = Options(unchanged, release, flatten(FOLDED) if ignore else None)
    outcomes = []
    for kernel in KERNELS:
        counts, settled = kernel.match_corpus(*arrays, options)
        assert tuple(counts[0]) == literal[:3]
        counts, how, path = kernel.match_sentence(*arrays, options)
        assert (tuple(counts), how) == (literal[:3], kernel.LITERAL)
        assert [tuple(edit) for edit in path.tolist()] == literal.path
        exact, bounded = kernel.match_corpus(*arrays, options._replace(arc_limit=0))
        assert (bounded[0] == kernel.FAST) == (settled[0] == kernel.FAST)
        outcomes.append((settled.tolist(), exact.tolist(), bounded.tolist()))
    assert outcomes[1:] == outcomes[:-1]

"""MaxMatch: quirks of the official scorer, in the metric and in both kernels, which must agree (docs/metrics/m2.md)."""

from __future__ import annotations

from itertools import product
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from m2_corpus import TextEdit, annotation, flatten, pack

from gecbench import M2, Corpus, InputError
from gecbench.kernels import maxmatch, select
from gecbench.kernels.maxmatch import GoldEdit
from gecbench.kernels.tokens import MatchOptions

FOLDED = [[1], [1], [2], [1, 1], [3], [2, 1]]


@pytest.fixture(scope="module")
def kernel(implementation: str) -> ModuleType:
    return select("maxmatch", implementation)


IGNORE = {"ignore_whitespace_casing": True}
SENTENCES: list[tuple[str, str, list[TextEdit], dict[str, Any], tuple[int, int, int]]] = [
    # docs/metrics/m2.md §14.2: exact arithmetic would propose one edit; §14.3: the first of equal paths stays.
    ("f a", "e a c f", [], {}, (0, 2, 0)),
    ("a b a", "a a a b", [], {}, (0, 1, 0)),
    # §5: two unchanged words may lie within an edit but not three.
    ("x a b y", "p a b q", [(0, 4, ("p a b q",))], {}, (1, 1, 1)),
    ("x a b y", "p a b q", [(0, 4, ("p a b q",))], {"max_unchanged_words": 1}, (0, 2, 1)),
    ("x a b c y", "p a b c q", [(0, 5, ("p a b c q",))], {}, (0, 2, 1)),
    ("x a b c y", "p a b c q", [(0, 5, ("p a b c q",))], {"max_unchanged_words": 3}, (1, 1, 1)),
    ("x y", "p q", [(0, 2, ("p q",))], {"max_unchanged_words": -1}, (0, 2, 1)),  # §5: none merged
    ("a", "a b c", [(1, 1, ("b c",))], {"max_unchanged_words": -1}, (0, 2, 1)),
    # §8: duplicates are credited twice; gold edits out of textual order are lost.
    ("a b c", "a x c", [(1, 2, ("x",)), (1, 2, ("x",))], {}, (2, 1, 2)),
    ("a b c d", "x b c y", [(3, 4, ("y",)), (0, 1, ("x",))], {}, (1, 2, 2)),
    ("a b c d", "x b c y", [(0, 1, ("x",)), (3, 4, ("y",))], {}, (2, 2, 2)),
    ("a b", "a x y b", [(1, 1, ("y",)), (1, 1, ("x",))], {}, (1, 2, 2)),
    # §6, §7: any alternative will do; unmatched neighbors merge, matched ones stay apart; overlaps are all gold.
    ("a b c", "a x c", [(1, 2, ("y", "x"))], {}, (1, 1, 1)),
    ("a b c d", "a x y d", [], {}, (0, 1, 0)),
    ("a b c d", "a x y d", [(1, 2, ("x",)), (2, 3, ("y",))], {}, (2, 2, 2)),
    ("a b c d", "a x y d", [(1, 3, ("x y",)), (2, 3, ("y",))], {}, (1, 1, 2)),
    # §6: a gold edit that changes nothing is never correct.
    ("a b c", "a x c", [(0, 1, ("a",))], {}, (0, 1, 1)),
    # §12: release 3.2 misplaces several words inserted at the front.
    ("a b", "x y a b", [(0, 0, ("x y",))], {}, (1, 1, 1)),
    ("a b", "x y a b", [(0, 0, ("x y",))], {"release": "3.2"}, (0, 1, 1)),
    ("a b", "x a b", [(0, 0, ("x",))], {"release": "3.2"}, (1, 1, 1)),
    # §8: edits of whitespace and case are not proposed, yet their gold edits stay and are missed.
    ("the cat", "The cat", [(0, 1, ("The",))], {}, (1, 1, 1)),
    ("the cat", "The cat", [(0, 1, ("The",))], IGNORE, (0, 0, 1)),
    ("the Cat sat", "The Cat sat", [(0, 1, ("The",))], IGNORE, (0, 0, 1)),
    ("I can not", "I cannot", [], IGNORE, (0, 0, 0)),
    ("I can not swim", "I cannot swim", [], IGNORE, (0, 0, 0)),
    ("I can not swim", "I cannot swim", [], {}, (0, 1, 0)),
    ("i can not swam", "i can not swim", [], IGNORE, (0, 1, 0)),
    ("straße İ", "STRASSE İ", [], IGNORE, (0, 1, 0)),
    # §1: the text of a correction is compared, and that has single spaces.
    ("a b", "a x y", [(1, 2, ("x  y",))], {}, (0, 1, 1)),
    ("a b", "a x y", [(1, 2, ("x\u00a0y",))], {}, (0, 1, 1)),
    ("a b", "a x y", [(1, 2, ("x  y", "x y"))], {}, (1, 1, 1)),
    ("a b", "a \x00x", [(1, 2, (" x",))], {}, (0, 1, 1)),
    # §2: tokens are split on Unicode whitespace.
    ("a\u00a0b  c", "a b\u3000c", [], {}, (0, 0, 0)),
    # Empty, identical, nothing shared.
    ("", "", [], {}, (0, 0, 0)),
    ("", "a b", [], {}, (0, 1, 0)),
    ("a b", "", [], {}, (0, 1, 0)),
    ("a b", "a b", [], {}, (0, 0, 0)),
    ("", "a b", [(0, 0, ("a b",))], {}, (1, 1, 1)),
    ("a b", "", [(0, 2, ("",))], {}, (1, 1, 1)),
    ("a b c", "x y z w", [(0, 3, ("x y z w",))], {}, (1, 1, 1)),
    ("a b c", "x y z w", [(0, 1, ("x",))], {}, (1, 2, 1)),
]


@pytest.mark.parametrize(("source", "hypothesis", "edits", "parameters", "expected"), SENTENCES)
def test_one_sentence_and_one_annotator(
    kernels_of: str, source: str, hypothesis: str, edits: list[TextEdit], parameters: dict[str, Any], expected: Any
) -> None:
    """The kernel and the metric give the expected counts."""
    metric = M2(**parameters)
    prepared = metric.prepare_sentence(source, hypothesis, annotation(*edits))
    counts, _ = select("maxmatch").match_corpus(*prepared.arguments(metric.max_unchanged_words, metric.release))
    assert tuple(counts[0]) == expected
    score = metric.score_corpus(Corpus(sources=[source], annotations=[[annotation(*edits)]]), [hypothesis])
    assert tuple(score.parts[name] for name in ("correct", "proposed", "gold")) == expected


@pytest.mark.parametrize(
    ("source", "hypothesis", "expected"),
    [([], [], (0, 0, 1)), ([], [0, 1], (0, 1, 1)), ([0, 1], [], (0, 1, 1)), ([0, 1], [0, 1], (0, 0, 1))],
)
def test_a_gold_edit_outside_the_sentence_never_matches(
    kernel: ModuleType, source: list[int], hypothesis: list[int], expected: tuple[int, ...]
) -> None:
    """The kernel counts the edit as gold. The metric rejects it, and the reader can drop it (docs/metrics/m2.md §1)."""
    counts, _ = kernel.match_corpus(*pack(source, hypothesis, [GoldEdit(7, 9, ((0,),))]), MatchOptions())
    assert tuple(counts[0]) == expected


def test_bad_arguments_are_refused(kernel: ModuleType) -> None:
    prepared = M2().prepare_sentence("a", "b", annotation())
    with pytest.raises(ValueError, match="release"):
        kernel.match_corpus(*prepared.arguments(2, "2.0"))
    with pytest.raises(ValueError, match="max_unchanged_words"):
        kernel.match_corpus(*prepared.arguments(-2, "master"))


def test_a_repeated_clause(kernel: ModuleType) -> None:
    source, clause = list(range(12)), [3, 4, 5]
    repeated = pack(source, source[:6] + clause * 12, [GoldEdit(6, 6, ((3, 4, 5),))])
    assert kernel.match_corpus(*repeated, MatchOptions())[0][0, 0] == 1


def test_native_keeps_the_exact_answer_past_the_limit(both_kernels: Any) -> None:
    """A tie in a lattice too large for the arc list (docs/metrics/m2.md §14.2), and a long repetition without ties."""
    _, native = both_kernels("maxmatch")
    *arrays, options = M2().prepare_sentence("f a", "e a c f", annotation()).arguments(2, "master")
    assert native.match_corpus(*arrays, options)[1].tolist() == [native.LITERAL]
    counts, how = native.match_corpus(*arrays, options._replace(arc_limit=5))
    assert (counts.tolist(), how.tolist()) == ([[0, 1, 0]], [native.TOO_LARGE])
    source, clause = list(range(12)), [3, 4, 5]
    repeated = pack(source, source[:6] + clause * 60, [GoldEdit(6, 6, ((3, 4, 5),))])
    assert native.match_corpus(*repeated, options)[0][0, 0] == 1


def test_python_names_the_ways_out_past_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    python = select("maxmatch", "python")
    many_edits = pack(list(range(64)), list(range(100, 164)), [])
    with pytest.raises(InputError, match="sentence 1 has too many possible edits for the Python kernels"):
        python.match_corpus(*many_edits, MatchOptions())
    too_long = pack([0] * 2001, [1] * 2001, [])
    monkeypatch.setattr("gecbench.kernels.native_module", lambda: None)
    with pytest.raises(InputError, match=r"sentence 1 is too long to align .* Install a C\+\+17 compiler"):
        python.match_corpus(*too_long, MatchOptions())


def test_what_python_cannot_do_ends_a_command_with_one_line(refused, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("GECBENCH_KERNELS", "python")
    (tmp_path / "gold.m2").write_text(f"S {'a ' * 2000}.\n", encoding="utf-8")
    (tmp_path / "output.txt").write_text(f"{'b ' * 2000}.\n", encoding="utf-8")
    arguments = ["score", "-m", "m2", "--gold", tmp_path / "gold.m2", "-p", tmp_path / "output.txt", "--aligned"]
    refused(arguments, "sentence 1 is too long to align for the Python kernels")


tokens = st.integers(0, 3)
sentences = st.lists(tokens, max_size=7)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[int], list[int], list[GoldEdit]]:
    """Few symbols, so many ties. Gold edits often agree, repeat, overlap, lie outside the text or are not in order."""
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


@settings(max_examples=400)
@given(pairs(), st.sampled_from([2, 2, 0, 1, 3, -1]), st.sampled_from(["master", "3.2"]), st.booleans())
def test_both_kernels_agree(
    both_kernels: Any, pair: tuple[list[int], list[int], list[GoldEdit]], unchanged: int, release: str, ignore: bool
) -> None:
    """Python lists every edit, native code only some; counts and official path are the same."""
    python, native = both_kernels("maxmatch")
    arrays, options = pack(*pair), MatchOptions(unchanged, release, flatten(FOLDED) if ignore else None)
    expected, _ = python.match_corpus(*arrays, options)
    counts, how = native.match_corpus(*arrays, options)
    assert counts.tolist() == expected.tolist()
    for one, other in zip(
        python.match_sentence(*arrays, options), native.match_sentence(*arrays, options), strict=True
    ):
        assert np.asarray(one).tolist() == np.asarray(other).tolist()
    counts, limited = native.match_corpus(*arrays, options._replace(arc_limit=0))
    assert (limited[0] == native.FAST) == (how[0] == native.FAST)
    assert limited[0] == native.TOO_LARGE or counts.tolist() == expected.tolist()


@settings(max_examples=150)
@given(sentences, st.lists(tokens, max_size=9), st.sampled_from([2, 0, 1, 3, -1]), st.sampled_from(["master", "3.2"]))
def test_arcs_are_listed_as_by_the_official_triple_loop(
    source: list[int], hypothesis: list[int], unchanged: int, release: str
) -> None:
    """Merge edits with the official triple loop over middle, tail and head vertices (docs/metrics/m2.md §5)."""
    single, lattice = (
        maxmatch.build_lattice(source, hypothesis, MatchOptions(most, release)) for most in (-1, unchanged)
    )
    edits, arcs = edits_of(single), arcs_of(single)
    for middle, tail, head in product(range(len(single.vertices)), repeat=3):
        if (tail, middle) in edits and (middle, head) in edits:
            start, steps, kept = edits[tail, middle]
            steps, kept = steps + edits[middle, head][1], kept + edits[middle, head][2]
            shorter = (tail, head) not in edits or steps < edits[tail, head][1]
            if shorter and kept <= unchanged:
                arcs.append((tail, head))
                edits[tail, head] = (start, steps, kept)
    for arc in arcs:
        _, steps, kept = edits[arc]
        if steps == kept > 1:
            arcs.remove(arc)
    assert arcs_of(lattice) == arcs
    assert edits_of(lattice) == {arc: edits[arc] for arc in sorted(set(arcs))}


def arcs_of(lattice: maxmatch.Lattice) -> list[tuple[int, int]]:
    """Return the official list of arcs, with repetitions."""
    listed = np.concatenate([np.zeros(0, dtype=np.int64), *lattice.groups])
    return list(zip(lattice.tails[listed].tolist(), lattice.heads[listed].tolist(), strict=True))


def edits_of(lattice: maxmatch.Lattice) -> dict[tuple[int, int], tuple[int, int, int]]:
    """Return the start, steps and unchanged words of each arc."""
    ends, facts = (lattice.tails, lattice.heads), (lattice.starts, lattice.steps, lattice.unchanged)
    arcs, found = (zip(*(part.tolist() for part in parts), strict=True) for parts in (ends, facts))
    return dict(zip(arcs, found, strict=True))

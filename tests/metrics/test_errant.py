"""The metric `errant`: by hand, its options and policies, and predictions that are edits."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import errant_m2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracles import errant as oracle

import gecbench
from gecbench import ERRANT, Annotation, Corpus, Edit, EditedTexts, InputError
from gecbench.analysis.significance import bootstrap_values
from gecbench.formats.m2 import parse_errant, parse_m2
from gecbench.kernels import native_module, select
from gecbench.kernels.errant import Comparison, Selection
from gecbench.kernels.greedy import ten_thousandths
from gecbench.metrics.base import Statistics
from gecbench.metrics.policy import GreedyCumulative, GreedyRounded

GOLD = parse_m2(
    """\
S She like cat and dog .
A 1 2|||R:VERB:SVA|||likes|||REQUIRED|||-NONE-|||0
A 2 3|||R:NOUN:NUM|||cats|||REQUIRED|||-NONE-|||0
A 4 5|||R:NOUN:NUM|||dogs|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:TENSE|||liked|||REQUIRED|||-NONE-|||1

S I am agree with you .
A 1 2|||U:VERB||||||REQUIRED|||-NONE-|||0
A 1 3|||R:VERB|||do agree|||REQUIRED|||-NONE-|||1
""".splitlines()
)
SYSTEM = parse_m2(
    """\
S She like cat and dog .
A 1 2|||R:VERB|||likes|||REQUIRED|||-NONE-|||0
A 2 2|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 4 5|||R:NOUN:NUM|||dogs|||REQUIRED|||-NONE-|||0

S I am agree with you .
A 1 3|||R:VERB|||agree|||REQUIRED|||-NONE-|||0
""".splitlines()
)


def edits_of(corpus: Corpus) -> EditedTexts:
    return EditedTexts.of(corpus.sources, corpus.annotations or ())


EDITS = edits_of(SYSTEM)


def counts(score: gecbench.Score) -> list[float]:
    return [score.parts[name] for name in ("tp", "fp", "fn")]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, [2, 2, 2]),  # likes and dogs match annotator 0; the second sentence misses one edit of either
        ({"mode": "cse"}, [1, 3, 3]),
        ({"mode": "ds"}, [3, 1, 1]),  # [1, 3) is annotator 1's span in the second sentence
        ({"mode": "dt"}, [5, 0, 0]),  # the insertion before cat is on the token that the gold changes
        ({"single": True}, [2, 1, 1]),
        ({"multi": True}, [0, 1, 0]),
        ({"filter": "R:NOUN:NUM+U:VERB"}, [1, 2, 0]),
    ],
)
def test_by_hand(parameters: dict[str, Any], expected: list[int], kernels_of: str) -> None:
    score = ERRANT(**parameters).score_corpus(GOLD, EDITS)
    assert counts(score) == expected
    tp, fp, fn = expected
    assert round(score.value, 4) == oracle.figures(tp, fp, fn, 0.5)[2]
    assert gecbench.make_metric(str(score.signature)) == ERRANT(**parameters)


def test_a_choice_that_leaves_no_edits_is_refused() -> None:
    with pytest.raises(InputError, match="single and multi together exclude all edits"):
        ERRANT(single=True, multi=True)


TWICE = parse_m2(["S a b c", *["A 1 1|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0"] * 2])
ONCE = parse_m2(["S a b c", "A 1 1|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0"])


def test_double_counting_is_official_and_once_is_not() -> None:
    """Errant's issue 49: two edits of the reference on one key make two matches of one edit."""
    ours = edits_of(ONCE)
    assert counts(ERRANT().score_corpus(TWICE, ours)) == [2, 0, 0]
    assert counts(ERRANT(duplicates="once").score_corpus(TWICE, ours)) == [1, 0, 0]
    twice = edits_of(TWICE)
    assert counts(ERRANT().score_corpus(ONCE, twice)) == [1, 0, 0], "the other way round it never was counted twice"
    nothing = Corpus(sources=["a b c"], annotations=[[Annotation(0, ())]])
    assert counts(ERRANT().score_corpus(nothing, twice)) == [0, 2, 0]
    assert counts(ERRANT(duplicates="once").score_corpus(nothing, twice)) == [0, 1, 0]


def test_corrections_are_strings_and_detected_errors_count_for_detection_only() -> None:
    gold = parse_m2(
        ["S a b", "A 0 1|||R:OTHER|||x||y|||REQUIRED|||-NONE-|||0", "A 1 2|||UNK||||||REQUIRED|||-NONE-|||0"]
    )
    one = parse_m2(["S a b", "A 0 1|||R:OTHER|||x|||REQUIRED|||-NONE-|||0"])
    ours = edits_of(one)
    assert counts(ERRANT().score_corpus(gold, ours)) == [0, 1, 1]
    assert counts(ERRANT(mode="ds").score_corpus(gold, ours)) == [1, 0, 1]


def test_each_annotation_of_the_system_is_tried() -> None:
    score = ERRANT().score_corpus(GOLD, edits_of(GOLD))
    assert score.statistics.choices().tolist() == [4, 4]
    assert counts(score) == [4, 0, 0], "annotator 0 with herself: more matches than annotator 1"


def test_breakdowns_have_the_officials_tiers() -> None:
    def rows(by: str) -> dict[str, tuple[int, int, int]]:
        return {one.type: (one.tp, one.fp, one.fn) for one in ERRANT().breakdown(by, GOLD, EDITS)}

    assert rows("operation") == {"R": (2, 1, 1), "M": (0, 1, 0), "U": (0, 0, 1)}
    assert rows("category")["NOUN:NUM"] == (1, 0, 1)
    assert rows("error-type")["R:VERB:SVA"] == (1, 0, 0), "a match counts for the gold's type"
    assert next(iter(rows("error-type"))) == "R:NOUN:NUM", "the most frequent in the gold first"


def test_explained() -> None:
    first, second = (each.to_text() for each in ERRANT().explain(GOLD, EDITS, [0, 1]))
    assert first.splitlines()[0] == "Sentence 1, annotator 0: 2 TP, 1 FP, 1 FN"
    lines = [
        "  system edits  +like → likes [1,2) R:VERB: wrong verb",
        "                !∅ → the [2,2) M:DET: missing determiner",
        "                +dog → dogs [4,5) R:NOUN:NUM: wrong noun number",
    ]
    assert "\n".join(lines) in first
    assert "-cat → cats [2,3) R:NOUN:NUM: wrong noun number" in first
    assert "I agree with you ." in second
    left_out = ERRANT(filter="M:DET").explain(GOLD, EDITS, [0])[0].to_text()
    assert "∅ → the [2,2) M:DET (left out)" in left_out


def test_the_official_choice_is_made_with_rounded_f(kernels_of: str) -> None:
    """A tie after rounding goes to more matches, although F is a little lower: a hundred thousand others hide it."""
    rows = [[100_000] * 3, [0, 0, 0], [1, 2, 1]]
    statistics = Statistics(np.array(rows, dtype=np.int64), np.array([0, 1, 3], dtype=np.int64))
    assert GreedyRounded(0.5).chosen(statistics).tolist() == [0, 2]
    assert GreedyCumulative(0.5).chosen(statistics).tolist() == [0, 1]


@settings(max_examples=150)
@given(st.floats(0, 1) | st.integers(0, 32).map(lambda k: k / 32) | st.integers(0, 20_000).map(lambda k: k / 20_000))
def test_rounding_is_pythons(value: float) -> None:
    rounded = float(ten_thousandths(np.array([value]))[0])
    assert rounded / 10_000 == pytest.approx(round(value, 4), abs=1e-12)


SHARED = settings(max_examples=75, suppress_health_check=[HealthCheck.function_scoped_fixture])


def compared(files: tuple[str, str], selection: Selection) -> Comparison:
    return Comparison.of(*(parse_errant(text, "M2 text").edits for text in files), selection)


@SHARED
@given(files=errant_m2.two_files(), selection=errant_m2.SELECTIONS, data=st.data())
def test_both_kernels_count_alike(
    files: tuple[str, str], selection: Selection, data: st.DataObject, both_kernels: Any
) -> None:
    python, native = both_kernels("errant")
    both = compared(files, selection)
    counts, offsets = python.count_pairs(both)
    for ours, theirs in zip((counts, offsets), native.count_pairs(both), strict=True):
        assert ours.dtype == theirs.dtype
        assert ours.tolist() == theirs.tolist()
    chosen = np.array([data.draw(st.integers(0, size - 1)) for size in np.diff(offsets).tolist()], dtype=np.int64)
    expected = list(python.count_types(both, chosen).items())
    assert list(native.count_types(both, chosen).items()) == expected


BLOCK = "S a b\nA 0 1|||R:OTHER|||c|||REQUIRED|||-NONE-|||0\n"


@pytest.mark.parametrize("places", [[], [1], [-1], [0, 0]])
def test_only_pairs_that_exist_can_be_chosen(places: list[int], implementation: str) -> None:
    both = compared((BLOCK, BLOCK), Selection())
    with pytest.raises(ValueError):  # noqa: PT011 - each kernel has its own words
        select("errant", implementation).count_types(both, np.array(places, dtype=np.int64))


def test_the_native_kernel_refuses_arrays_that_do_not_fit(both_kernels: Any) -> None:
    native, both = both_kernels("errant")[1], compared((BLOCK, BLOCK), Selection())
    for change in ({"types": both.ours.types + 9}, {"ends": both.ours.ends[:0]}, {"row_offsets": both.ours.ends[:0]}):
        with pytest.raises(ValueError, match=r"length|indexes"):
            native.count_pairs(replace(both, ours=both.ours._replace(**change)))


def test_blanks_that_are_not_ascii_separate_words(implementation: str) -> None:
    kernel = select("errant", implementation)
    for blank, words in (("\u3000", 2), ("\u00a0", 2), ("é", 1)):
        block = BLOCK.replace("|c|", f"|c{blank}d|")
        for selection, count in (
            (Selection(), 1),
            (Selection(single=True), 2 - words),
            (Selection(multi=True), words - 1),
        ):
            assert kernel.count_pairs(compared((block, block), selection))[0].tolist() == [[count] * 3]


ROWS = st.lists(st.lists(st.tuples(*[st.integers(0, 6)] * 3), min_size=1, max_size=4), min_size=1, max_size=12)


@settings(max_examples=100)
@given(sentences=ROWS, beta=st.sampled_from([0.5, 1.0, 2.0]))
def test_both_kernels_choose_as_the_rule_says(sentences: list[list[tuple[int, int, int]]], beta: float) -> None:
    """The rows are TP, FP and FN."""
    flat = [[tp, tp + fp, tp + fn] for rows in sentences for tp, fp, fn in rows]
    offsets = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
    total, expected = (0, 0, 0), []
    for rows in sentences:

        def rank(row: tuple[int, int, int], before: tuple[int, int, int] = total) -> tuple[float, ...]:
            sums = [a + b for a, b in zip(before, row, strict=True)]
            return (oracle.figures(*sums, beta)[2], row[0], -row[1], -row[2])

        best = max(rows, key=rank)
        expected.append(rows.index(best))
        total = tuple(a + b for a, b in zip(total, best, strict=True))  # type: ignore[assignment]
    for kernel in ("python", "native")[: 1 + (native_module() is not None)]:
        found = select("greedy", kernel).choose_rows(np.array(flat, dtype=np.int64), offsets, beta**2, True)
        assert (found - offsets[:-1]).tolist() == expected, kernel


def test_intervals_tests_and_sentences(kernels_of: str) -> None:
    score = gecbench.score(EDITS, GOLD, "errant", resamples=50)["errant"]
    assert score.interval is not None
    assert score.interval.low <= score.value <= score.interval.high
    assert score.sentence_scores().round(4).tolist() == [0.6667, 0.0]
    (values,) = bootstrap_values([score], 20)
    assert set(values.round(4)) <= {0.6667, 0.5, 0.0}, "only these corpora can be drawn from two sentences"
    report = gecbench.compare({"idle": list(GOLD.sources), "system": EDITS}, GOLD, "errant", resamples=20)
    assert report.ranked() == ["system", "idle"]


def test_human_bound_needs_no_texts(kernels_of: str) -> None:
    bound = gecbench.human_bound("errant", GOLD, {"system": EDITS})
    assert [row.size for row in bound.rows] == [1, 2]
    alone = [
        ERRANT().score_corpus(
            GOLD.replace(annotations=[[row[1 - k]] for row in GOLD.annotations]),
            EditedTexts.of(GOLD.sources, [[row[k]] for row in GOLD.annotations or ()]),
        )
        for k in (0, 1)
    ]
    assert bound.row(1).human == pytest.approx(sum(one.value for one in alone) / 2)
    assert bound.row(2).systems["system"] == pytest.approx(ERRANT().score_corpus(GOLD, EDITS).value)
    part = gecbench.human_bound("errant", GOLD, {"system": EDITS}, sentences=[0])
    assert part.row(2).systems["system"] == pytest.approx(
        ERRANT().score_corpus(GOLD.select([0]), EDITS.select([0])).value
    )


class TestEditsAsPredictions:
    @pytest.fixture
    def files(self, folder: Path) -> Path:
        from gecbench.formats.m2 import write_m2

        write_m2(GOLD, "gold.m2")
        write_m2(SYSTEM, "system.m2")
        return folder

    def test_any_metric_scores_them(self, files: Path, run: Any) -> None:
        Path("system.txt").write_text("".join(f"{text}\n" for text in EDITS), encoding="utf-8")
        assert list(EDITS) == ["She likes the cat and dogs .", "I agree with you ."]
        words = ["-c", "gold.m2", "-m", "gleu", "m2", "bleu", "-f", "json"]
        edits, texts = (json.loads(run("score", *words, "-p", name)) for name in ("system.m2", "system.txt"))
        assert edits == texts

    def test_every_view_of_a_score(self, files: Path, run: Any) -> None:
        words = ["-c", "gold.m2", "-p", "system.m2"]
        assert "R     system   2   1   1" in run("score", *words, "-m", "errant", "--by", "operation")
        assert "66.67" in run("score", *words, "-m", "errant", "--per-sentence")
        assert "[1,2) R:VERB" in run("explain", *words, "-m", "errant")
        assert "system" in run("human", "bound", *words, "-m", "errant")
        assert "errant" in run("score", *words, "-m", "errant", "gleu", "-f", "latex")

    def test_other_sentences_are_refused(self, files: Path, refused: Any) -> None:
        Path("other.m2").write_text("S She like cat and dog .\n\nS I agree .\n\n", encoding="utf-8")
        words = ["score", "-c", "gold.m2", "-m", "errant", "-p"]
        refused([*words, "other.m2"], r"other.m2: sentence 2 differs from gold.m2: 'I agree \.', not")
        Path("short.m2").write_text("S She like cat and dog .\n\n", encoding="utf-8")
        refused([*words, "short.m2"], r"short.m2: 1 sentence, but gold.m2 has 2\. Give an S line for every sentence")
        refused([*words, "system.m2", "--tokenize", "auto"], "edits of tokens, so they cannot be tokenized")
        overlapping = Path("system.m2").read_text(encoding="utf-8").replace("A 2 2|||M:DET", "A 1 3|||R:DET")
        Path("overlapping.m2").write_text(overlapping, encoding="utf-8")
        refused([*words, "overlapping.m2"], r"overlapping.m2: the edit of tokens \[1, 3\) overlaps .*must not overlap")

    def test_overlapping_edits_are_refused(self) -> None:
        with pytest.raises(InputError, match="overlaps"):
            EditedTexts.of(["a b"], [[Annotation(0, (Edit(0, 2, ("c",)), Edit(1, 2, ("d",))))]])

    def test_a_sentence_nobody_touched_is_as_it_was(self) -> None:
        assert EditedTexts.of(["a b"], [[]]) == ("a b",)
        gold = parse_m2(["S a b", "A 0 1|||R:OTHER|||c|||REQUIRED|||-NONE-|||0"])
        assert counts(ERRANT().score_corpus(gold, EditedTexts.of(["a b"], [[]]))) == [0, 0, 1]
        nothing = Corpus(sources=["a b"], annotations=[[]])
        assert counts(ERRANT().score_corpus(nothing, EditedTexts.of(["a b"], [[]]))) == [0, 0, 0]


BLOCKS = ["S a b\nA 0 1|||R:OTHER|||c|||REQUIRED|||-NONE-|||0", "S d e"]


class TestModule:
    def compute(self, predictions: list[str], **options: Any) -> dict[str, Any]:
        module = gecbench.load_metric("errant")
        return dict(module.compute(sources=["a b", "d e"], predictions=predictions, references=BLOCKS, **options))

    def test_blocks_are_edits(self) -> None:
        found = self.compute(BLOCKS, per_sentence=True, resamples=5)
        assert [found[name] for name in ("errant", "tp", "fp", "fn")] == [1.0, 1, 0, 0]
        assert found["sentence_scores"] == [1.0, 1.0]
        assert "|system:edits|" in found["signature"]

    def test_texts_without_a_change_need_no_errant(self) -> None:
        found = self.compute(["a b", "d e"], mode="ds")
        assert [found[name] for name in ("errant", "tp", "fp", "fn")] == [0.0, 0, 0, 1]

    def test_texts_are_annotated(self, tiny_model: Path) -> None:
        module = gecbench.load_metric("errant")
        found = module.compute(
            sources=["She like cat ."],
            predictions=["She likes cats ."],
            references=[["She likes cats .", "She liked the cat ."]],
            model=str(tiny_model),
        )
        assert [found[name] for name in ("tp", "fp", "fn")] == [2, 0, 0]

    def test_blocks_of_other_sentences_are_refused(self) -> None:
        with pytest.raises(InputError, match=r"predictions\[1\]: the S line of sentence 2 differs from its source"):
            self.compute([BLOCKS[0], "S d"])
        with pytest.raises(InputError, match=r"predictions\[1\] is a string that is not an M2 block"):
            self.compute([BLOCKS[0], "d e"])

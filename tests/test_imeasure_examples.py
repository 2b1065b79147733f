"""The paper's examples and the official scorer's quirks, as small sentences of letters."""

from __future__ import annotations

from itertools import product

import pytest
from imeasure_support import GOLDEN, Sentence, alternative, choose, corpus_of, optional, printed, required, totals
from oracles.mixed_references import mixed_references

import gecbench
from gecbench.corpus.groups import ErrorGroup
from gecbench.errors import InputError

KERNELS = ("python", "native")
Example = tuple[list[Sentence], list[str]]
LETTERS = "a b c d e f ."
MACHINES = "Machine is design to help people ."


def one(*changes: tuple[int, int, str]) -> tuple[ErrorGroup, ...]:
    return (required(alternative(0, *changes)),)


def small(source: str, groups: tuple[ErrorGroup, ...], hypothesis: str, annotators: int = 1) -> Example:
    return [Sentence(source, groups, annotators)], [hypothesis]


X, Y = (alternative(annotator, (1, 2, text)) for annotator, text in enumerate("xy"))
LISTING_1 = Sentence(
    "This machines is designed for help people .",
    (
        required(alternative(0, (0, 1, "These"), (2, 3, "are")), alternative(1, (1, 2, "machine"))),
        required(alternative(0, (5, 6, "helping")), alternative(1, (4, 5, "to"))),
    ),
    2,
)
TABLE_3 = one((0, 1, "Machines"), (1, 2, "are"), (2, 3, "designed"))
TABLE_5 = one((0, 1, "There"), (2, 4, "widespread"), (4, 5, "use"))
FIGURE_1 = (required(alternative(0, (3, 4, "a word")), alternative(1, (3, 4, "words"))),)
SMALL: dict[str, Example] = {
    "example": ([LISTING_1], ["This machines are designed to help people ."]),
    "table1": ([LISTING_1], ["These machines are designed to help people ."]),
    "table2": small(MACHINES, one((0, 1, "Machines"), (1, 3, "are designed")), "Machine is designed to help people ."),
    "table3a": small(MACHINES, TABLE_3, "The machine is designed for helping people ."),
    "table3b": small(MACHINES, TABLE_3, "Machines is a design on the helping of the people ."),
    "table4": small("A B", one((1, 2, "")), "C"),
    "table5": small("Their is wide spread usage of technology .", TABLE_5, "There is widespread use of technology ."),
    "figure1": small("You have missed word .", FIGURE_1, "You have missed a word .", annotators=2),
    "alt_two_same_ann": small(LETTERS, (required(X, alternative(0, (1, 2, "y"))),), "a x c d e f ."),
    "case": small("the cat sat", one((0, 1, "The")), "the cat sat"),
    "delete_all_ignored": small(LETTERS, one((0, 7, "")), LETTERS),
    "empty_hyp": small(LETTERS, one((1, 2, "x")), ""),
    "fpn": small("a b c", one((1, 2, "y")), "a x c"),
    "hyp_eq_ref_ties": small("a a b a", one((0, 4, "a b")), "a b"),
    "insert_same_pos": small(LETTERS, one((2, 2, "x"), (2, 2, "y")), "a b x y c d e f ."),
    "insert_then_replace": small(LETTERS, one((2, 2, "x")) + one((2, 3, "y")), "a b x y d e f ."),
    "long_base_vs_paper": small("a b c", one((1, 2, "x")), "a b y c"),
    "negative_index": small(LETTERS, one((-1, -1, "x")), "a b c d e f x ."),
    "no_errors": small(LETTERS, (), LETTERS, annotators=0),
    "no_errors_changed": small(LETTERS, (), "a b X c d f .", annotators=0),
    "nomix_missing_annotator": small(LETTERS, (optional(X, Y),), LETTERS, annotators=3),
    "optional": small(LETTERS, (optional(X), optional(alternative(1, (4, 5, "y")))), "a b c d y f .", annotators=2),
    "out_of_range": small(LETTERS, one((9, 12, "x")), "a b c d e f . x"),
    "overlap_not_checked": small(
        LETTERS, (*one((1, 4, "X Y")), required(alternative(1, (2, 3, "z")))), "a X Y e f .", annotators=2
    ),
    "replace_same_span_concat": small(LETTERS, one((2, 3, "x"), (2, 3, "y")), "a b x y d e f ."),
    "same_span_incompatible": small(LETTERS, (optional(X), optional(Y)), "a x c d e f .", annotators=2),
    "same_span_incompatible_required_crash": small(LETTERS, (required(X), required(Y)), "a x c d e f .", annotators=2),
    "tie_counts": small("a", one((0, 1, "b c a")), "a b c"),
    "tie_counts2": small("a", one((0, 1, "b c c")), "a a b"),
    "two_sents_one_hyp_line": (
        [Sentence(LETTERS, one((1, 2, "x")), 1), Sentence("p q .", one((1, 2, "r")), 1)],
        ["a x c d e f .", ""],
    ),
    "whitespace_text": small("  a  b c ", (optional(X),), "a b c", annotators=2),
}


def test_every_small_golden_has_its_input() -> None:
    assert SMALL.keys() == GOLDEN["small"].keys()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("listed", [0, 1000])
@pytest.mark.parametrize(("name", "mode"), list(product(SMALL, ["mix", "nomix"])))
def test_small_examples_score_as_the_official_program(name: str, mode: str, listed: int, kernel: str) -> None:
    sentences, hypotheses = SMALL[name]
    settings = gecbench.IMeasure(beta=0.5)
    expected = GOLDEN["small"][name][mode]
    if expected is None:
        with pytest.raises(InputError, match="every combination"):
            choose(sentences, hypotheses, settings, mode == "mix", kernel, listed=listed)
    else:
        choice = choose(sentences, hypotheses, settings, mode == "mix", kernel, listed=listed)
        assert printed(choice.counts, 2.0, 0.5) == expected


@pytest.mark.parametrize("mixing", [True, False])
def test_the_metric_gives_the_same(mixing: bool, kernels_of: str) -> None:
    for name, (sentences, hypotheses) in SMALL.items():
        expected = GOLDEN["small"][name]["mix" if mixing else "nomix"]
        metric = gecbench.IMeasure(mixing=mixing, beta=0.5)
        if name in ("negative_index", "out_of_range"):
            with pytest.raises(InputError, match=r"groups\[0\]: the span -?\d+ -?\d+ does not fit a sentence of 7"):
                corpus_of(sentences)
            continue
        if expected is None:
            with pytest.raises(InputError, match=r"sentence 1: every combination .* Join those groups"):
                metric.score_corpus(corpus_of(sentences), hypotheses)
            continue
        parts = metric.score_corpus(corpus_of(sentences), hypotheses).parts
        for aspect in ("detection", "correction"):
            counts = [parts[f"{aspect}_{count}"] for count in ("tp", "tn", "fp", "fn", "fpn")]
            names = [f"{aspect}_{ratio}" for ratio in ("precision", "recall", "f", "accuracy")]
            names += ["baseline_accuracy", f"{aspect}_weighted_accuracy", "baseline_weighted_accuracy"]
            names += [f"{aspect}_improvement"]
            assert [*counts, *(float(f"{100 * parts[ratio]:.2f}") for ratio in names)] == expected[aspect]


def test_listing_1_makes_four_references() -> None:
    found = set(mixed_references(LISTING_1.source, LISTING_1.grouped()))
    assert found == {
        "These machines are designed for helping people .",
        "These machines are designed to help people .",
        "This machine is designed for helping people .",
        "This machine is designed to help people .",
    }


def test_the_chosen_reference_is_told() -> None:
    sentences, hypotheses = SMALL["table1"]
    choice = choose(sentences, hypotheses, gecbench.IMeasure(), True, "python")
    assert choice.reference(0) == hypotheses[0]
    assert choice.work[:, 0].tolist() == [4]
    assert totals(choice.counts)["baseline"] == [0, 5, 0, 3, 0]

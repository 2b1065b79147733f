"""The paper's examples and the official scorer's quirks, as small sentences of letters."""

from __future__ import annotations

from itertools import product

import pytest
from imeasure_support import GOLDEN, Sentence, alternative, choose, corpus_of, optional, printed, required, totals
from oracles.mixed_references import mixed_references

import gecbench
from gecbench.corpus.error_groups import ErrorGroup
from gecbench.errors import InputError
from gecbench.metrics.imeasure.choice import ChoiceSettings

KERNELS = ("python", "native")
LETTERS = "a b c d e f ."
MACHINES = "Machine is design to help people ."


def one(*changes: tuple[int, int, str]) -> tuple[ErrorGroup, ...]:
    return (required(alternative(0, *changes)),)


LISTING_1 = Sentence(
    "This machines is designed for help people .",
    (
        required(alternative(0, (0, 1, "These"), (2, 3, "are")), alternative(1, (1, 2, "machine"))),
        required(alternative(0, (5, 6, "helping")), alternative(1, (4, 5, "to"))),
    ),
    2,
)
TABLE_3 = one((0, 1, "Machines"), (1, 2, "are"), (2, 3, "designed"))
SMALL: dict[str, tuple[list[Sentence], list[str]]] = {
    "example": ([LISTING_1], ["This machines are designed to help people ."]),
    "table1": ([LISTING_1], ["These machines are designed to help people ."]),
    "table2": (
        [Sentence(MACHINES, one((0, 1, "Machines"), (1, 3, "are designed")), 1)],
        ["Machine is designed to help people ."],
    ),
    "table3a": ([Sentence(MACHINES, TABLE_3, 1)], ["The machine is designed for helping people ."]),
    "table3b": (
        [Sentence(MACHINES, TABLE_3, 1)],
        ["Machines is a design on the helping of the people ."],
    ),
    "table4": ([Sentence("A B", one((1, 2, "")), 1)], ["C"]),
    "table5": (
        [
            Sentence(
                "Their is wide spread usage of technology .",
                one((0, 1, "There"), (2, 4, "widespread"), (4, 5, "use")),
                1,
            )
        ],
        ["There is widespread use of technology ."],
    ),
    "figure1": (
        [
            Sentence(
                "You have missed word .",
                (required(alternative(0, (3, 4, "a word")), alternative(1, (3, 4, "words"))),),
                2,
            )
        ],
        ["You have missed a word ."],
    ),
    "alt_two_same_ann": (
        [Sentence(LETTERS, (required(alternative(0, (1, 2, "x")), alternative(0, (1, 2, "y"))),), 1)],
        ["a x c d e f ."],
    ),
    "case": ([Sentence("the cat sat", one((0, 1, "The")), 1)], ["the cat sat"]),
    "delete_all_ignored": ([Sentence(LETTERS, one((0, 7, "")), 1)], [LETTERS]),
    "empty_hyp": ([Sentence(LETTERS, one((1, 2, "x")), 1)], [""]),
    "fpn": ([Sentence("a b c", one((1, 2, "y")), 1)], ["a x c"]),
    "hyp_eq_ref_ties": ([Sentence("a a b a", one((0, 4, "a b")), 1)], ["a b"]),
    "insert_same_pos": ([Sentence(LETTERS, one((2, 2, "x"), (2, 2, "y")), 1)], ["a b x y c d e f ."]),
    "insert_then_replace": (
        [Sentence(LETTERS, one((2, 2, "x")) + one((2, 3, "y")), 1)],
        ["a b x y d e f ."],
    ),
    "long_base_vs_paper": ([Sentence("a b c", one((1, 2, "x")), 1)], ["a b y c"]),
    "negative_index": ([Sentence(LETTERS, one((-1, -1, "x")), 1)], ["a b c d e f x ."]),
    "no_errors": ([Sentence(LETTERS, (), 0)], [LETTERS]),
    "no_errors_changed": ([Sentence(LETTERS, (), 0)], ["a b X c d f ."]),
    "nomix_missing_annotator": (
        [Sentence(LETTERS, (optional(alternative(0, (1, 2, "x")), alternative(1, (1, 2, "y"))),), 3)],
        [LETTERS],
    ),
    "optional": (
        [Sentence(LETTERS, (optional(alternative(0, (1, 2, "x"))), optional(alternative(1, (4, 5, "y")))), 2)],
        ["a b c d y f ."],
    ),
    "out_of_range": ([Sentence(LETTERS, one((9, 12, "x")), 1)], ["a b c d e f . x"]),
    "overlap_not_checked": (
        [Sentence(LETTERS, (*one((1, 4, "X Y")), required(alternative(1, (2, 3, "z")))), 2)],
        ["a X Y e f ."],
    ),
    "replace_same_span_concat": (
        [Sentence(LETTERS, one((2, 3, "x"), (2, 3, "y")), 1)],
        ["a b x y d e f ."],
    ),
    "same_span_incompatible": (
        [Sentence(LETTERS, (optional(alternative(0, (1, 2, "x"))), optional(alternative(1, (1, 2, "y")))), 2)],
        ["a x c d e f ."],
    ),
    "same_span_incompatible_required_crash": (
        [Sentence(LETTERS, (*one((1, 2, "x")), required(alternative(1, (1, 2, "y")))), 2)],
        ["a x c d e f ."],
    ),
    "tie_counts": ([Sentence("a", one((0, 1, "b c a")), 1)], ["a b c"]),
    "tie_counts2": ([Sentence("a", one((0, 1, "b c c")), 1)], ["a a b"]),
    "two_sents_one_hyp_line": (
        [Sentence(LETTERS, one((1, 2, "x")), 1), Sentence("p q .", one((1, 2, "r")), 1)],
        ["a x c d e f .", ""],
    ),
    "whitespace_text": (
        [Sentence("  a  b c ", (optional(alternative(0, (1, 2, "x"))),), 2)],
        ["a b c"],
    ),
}


def test_every_small_golden_has_its_input() -> None:
    assert SMALL.keys() == GOLDEN["small"].keys()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("listed", [0, 1000])
@pytest.mark.parametrize(("name", "mode"), list(product(SMALL, ["mix", "nomix"])))
def test_small_examples_score_as_the_official_program(name: str, mode: str, listed: int, kernel: str) -> None:
    sentences, hypotheses = SMALL[name]
    settings = ChoiceSettings(beta=0.5, listed=listed)
    expected = GOLDEN["small"][name][mode]
    if expected is None:
        with pytest.raises(InputError, match="every combination"):
            choose(sentences, hypotheses, settings, mode == "mix", kernel)
    else:
        choice = choose(sentences, hypotheses, settings, mode == "mix", kernel)
        assert printed(choice.counts, 2.0, 0.5) == expected


@pytest.mark.parametrize("mixing", [True, False])
def test_the_metric_gives_the_same(mixing: bool, kernels_of: str) -> None:
    for name, (sentences, hypotheses) in SMALL.items():
        expected = GOLDEN["small"][name]["mix" if mixing else "nomix"]
        metric = gecbench.IMeasure(mixing=mixing, beta=0.5)
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
    choice = choose(sentences, hypotheses, ChoiceSettings(), True, "python")
    assert choice.reference(0) == hypotheses[0]
    assert choice.work[:, 0].tolist() == [4]
    assert totals(choice.counts)["baseline"] == [0, 5, 0, 3, 0]

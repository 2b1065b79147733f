"""The examples of Felice & Briscoe 2015 and small ones of letters."""

from __future__ import annotations

import pytest
from imeasure_support import Sentence, alternative, corpus_of, optional, required

from gecbench import load_demo, load_demo_systems
from gecbench.corpus.groups import ErrorGroup
from gecbench.formats.imeasure_xml import write_imeasure_xml
from gecbench.formats.m2 import write_m2
from gecbench.formats.text import write_lines

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


@pytest.fixture
def imeasure_files(tmp_path, monkeypatch):
    """Work in a folder with an example of the paper and the demo corpus, each with gold and outputs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    sentences, hypotheses = SMALL["example"]
    write_imeasure_xml(corpus_of(sentences), "gold.xml")
    write_lines("system.txt", hypotheses)
    write_m2(load_demo(), "demo.m2")
    write_lines("demo.txt", load_demo_systems()["rule-based"])
    return tmp_path

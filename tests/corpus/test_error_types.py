"""Error types in words."""

import re

import pytest

from gecbench import load_demo
from gecbench.corpus.error_types import (
    CONLL14_TYPES,
    ERRANT_CATEGORIES,
    describe_error_type,
    error_type_in_words,
)


def test_conll14_has_28_types():
    """Ng et al. 2014 define 28 error types."""
    assert len(CONLL14_TYPES) == 28


def test_errant_has_the_25_categories_of_english():
    """Bryant et al. 2017, Table 2: 25 categories with UNK."""
    english = {
        "ADJ",
        "ADJ:FORM",
        "ADV",
        "CONJ",
        "CONTR",
        "DET",
        "MORPH",
        "NOUN",
        "NOUN:INFL",
        "NOUN:NUM",
        "NOUN:POSS",
        "ORTH",
        "OTHER",
        "PART",
        "PREP",
        "PRON",
        "PUNCT",
        "SPELL",
        "VERB",
        "VERB:FORM",
        "VERB:INFL",
        "VERB:SVA",
        "VERB:TENSE",
        "WO",
    }
    assert len(english) == 24
    assert english <= set(ERRANT_CATEGORIES)
    assert error_type_in_words("UNK") == "unknown type"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Wci", "wrong collocation or idiom"),
        ("Rloc-", "redundant words"),
        ("R:NOUN:NUM", "wrong noun number"),
        ("M:DET", "missing determiner"),
        ("U:PUNCT", "unnecessary punctuation"),
        ("VERB:TENSE", "verb tense"),
        ("Nn/Prep", "noun number / preposition"),
        ("noop", "no error"),
        ("R", "wrong words"),
    ],
)
def test_known_types(name, words):
    assert error_type_in_words(name) == words
    assert describe_error_type(name) == f"{name}: {words}"


@pytest.mark.parametrize("name", ["", "X", "R:", "Q", "X:DET", "R:NOUN:", "F/Style", "Nn/", "/", "wci"])
def test_unknown_types_stay_as_they_are(name):
    assert error_type_in_words(name) == ""
    assert describe_error_type(name) == name


def test_every_type_of_the_demo_is_known():
    annotations = load_demo().annotations
    types = {edit.type for sentence in annotations for one in sentence for edit in one.edits}
    assert types
    assert all(map(error_type_in_words, types))


def test_descriptions_are_plain_words():
    """They go into pages and tables as they are."""
    for words in (*CONLL14_TYPES.values(), *ERRANT_CATEGORIES.values()):
        assert re.fullmatch(r"[a-z][a-z ,()-]+", words)

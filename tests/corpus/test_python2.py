"""Orders, lower case and white space of Python 2.7, on which the last figures of the official scorers depend.

The expected values were printed by CPython 2.7.18 (64 bit); scores are the official programs' (docs/metrics/m2.md §9).
"""

import hashlib

import pytest

from gecbench import M2
from gecbench.corpus.python2 import dict_order, integer_hash, lower, string_hashes, with_spaces
from gecbench.formats.m2 import parse_m2


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ([1, 8], [8, 1]),
        ([10, 9, 2], [9, 10, 2]),
        ([3, 11], [11, 3]),
        ([11, 3], [3, 11]),
        ([5, 3, 0, 7, 6, 1], [0, 1, 3, 5, 6, 7]),
        ([9, 1, 2, 3, 4], [9, 2, 3, 4, 1]),
        ([9, 1, 2, 3, 4, 33], [33, 2, 3, 4, 1, 9]),
        ([-1, 7, -2], [-2, -1, 7]),
    ],
)
def test_the_order_of_a_dictionary(keys, expected):
    assert [keys[k] for k in dict_order([integer_hash(key) for key in keys])] == expected


def test_the_hash_of_strings():
    """Of "a" by hand: 97 · 128 · 1000003 = 12416037248, with 97 and then the length 1 exclusive-ored."""
    assert string_hashes(["abc", "", "a"]) == [1453079729188098211, 0, 12416037344]
    assert string_hashes([]) == []


@pytest.mark.parametrize(
    "printed",
    [
        ["a b c d y f .", "a x c d y f .", "a b c d e f .", "a x c d e f ."],
        ["You have missed words .", "You have missed a word ."],
        ["a b z d e f .", "a X Y e f ."],
    ],
)
def test_the_order_of_a_dictionary_of_strings(printed):
    """The official I-measure program lists references in this order."""
    for keys in (printed, printed[::-1]):
        assert [keys[k] for k in dict_order(string_hashes(keys))] == printed


def test_lower_case_is_that_of_unicode_5_2():
    """All 1,029 letters that `unicode.lower` changed, and no other."""
    characters = (chr(code) for code in range(0x110000))
    pairs = [(each, lower(each)) for each in characters if lower(each) != each]
    assert len(pairs) == 1029
    listed = "\n".join(f"{ord(upper):x} {ord(changed):x}" for upper, changed in pairs)
    expected = "d3676718ee46f85fd5a25b053bf400d28f7acfdf7763badf1dd9025fa09bc8f7"
    assert hashlib.sha256(listed.encode()).hexdigest() == expected
    assert lower("ΑΣ ÀB") == "ας àb".replace("ς", "σ")


def test_white_space_is_that_of_unicode_5_2():
    blanks = [code for code in range(0x110000) if not with_spaces(chr(code)).strip()]
    assert blanks == [
        *(9, 10, 11, 12, 13, 28, 29, 30, 31, 32, 0x85, 0xA0, 0x1680, 0x180E),
        *(*range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000),
    ]


@pytest.mark.usefixtures("kernels_of")
class TestM2:
    def test_annotators_are_visited_in_the_order_of_a_copied_dictionary(self):
        """§9's example: once copied, 3 comes before 11."""
        edits = ["0 1|||T|||w", "0 2|||T|||q", "1 3|||T|||q", "2 4|||T|||q", "3 4|||T|||q"]
        lines = ["S a b c d", "A 1 2|||T|||x|||REQUIRED|||-NONE-|||3"]
        corpus = parse_m2([*lines, *(f"A {edit}|||REQUIRED|||-NONE-|||11" for edit in edits)])
        score = M2().score_corpus(corpus, ["w x y z"], aligned=True)
        assert (round(score.parts["precision"], 4), score.parts["recall"]) == (0.3333, 1)

    @pytest.mark.parametrize(
        ("source", "prediction", "ignored"),
        [("İ b", "i b", True), ("ΑΣ b", "ασ b", True), ("ΑΣ b", "ας b", False), ("\u1c90 b", "\u10d0 b", False)],
    )
    def test_case_is_ignored_as_unicode_5_2_has_it(self, source, prediction, ignored):
        corpus = parse_m2([f"S {source}"])
        score = M2(ignore_whitespace_casing=True).score_corpus(corpus, [prediction], aligned=True)
        assert score.parts["proposed"] == (0 if ignored else 1)

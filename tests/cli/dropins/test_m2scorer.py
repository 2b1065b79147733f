"""`gecbench m2scorer`: options, exit status and the official scorer's reading; figures: docs/metrics/m2.md."""

import pytest

from gecbench.cli import main
from gecbench.formats.text import write_lines


@pytest.fixture
def small(folder):
    write_lines("gold.m2", ["S a b c", "A 1 2|||T|||x|||R|||-|||0"])
    write_lines("right.txt", ["a x c"])
    return folder


@pytest.mark.parametrize(
    "words", [["--verb"], ["--very"], ["-v", "--b", "0.5"], ["--max=2", "--verbose"], ["-v", "--rel", "master"]]
)
def test_abbreviations(six, run, words):
    assert run("m2scorer", *words, "rule-based.6.txt", "gold6.m2") == run(
        "m2scorer", "-v", "rule-based.6.txt", "gold6.m2"
    )


@pytest.mark.parametrize(
    ("words", "status"),
    [(["--ver", "a", "b"], 1), (["--beta"], 1), (["-x"], 1), (["--verbose=1"], 1), (["one"], 255), ([*"abc"], 255)],
)
def test_exit_status(folder, capsys, words, status):
    assert main(["m2scorer", *words]) == status
    assert capsys.readouterr().out == ""


def test_release_3_2(folder, run):
    """§12: two words inserted before the first token cannot match."""
    write_lines("gold.m2", ["S a b c", "A 0 0|||T|||x y|||R|||-|||0"])
    write_lines("out.txt", ["x y a b c"])
    assert "Recall      : 1.0000" in run("m2scorer", "out.txt", "gold.m2")
    assert "Recall      : 0.0000" in run("m2scorer", "--release", "3.2", "out.txt", "gold.m2")


def test_a_byte_order_mark_is_part_of_the_first_token(small, run):
    (small / "bom.txt").write_bytes(b"\xef\xbb\xbfa x c\n")
    assert run("m2scorer", "bom.txt", "gold.m2").endswith("F_0.5       : 0.5556\n")
    assert "100.00" in run("score", "--gold", "gold.m2", "-p", "bom.txt", "-m", "m2"), "elsewhere it is none"


def test_white_space_of_python_2(folder, run):
    write_lines("gold.m2", ["S a\u180eb c", "A 1 2|||T|||x|||R|||-|||0"])
    write_lines("out.txt", ["a x\u180ec"])
    assert run("m2scorer", "out.txt", "gold.m2").endswith("F_0.5       : 1.0000\n")


def test_negative_numbers_are_accepted(folder, run):
    write_lines("gold.m2", ["S x y", "A 0 1|||T|||p|||R|||-|||0"])
    write_lines("out.txt", ["p q"])
    printed = run("m2scorer", "--max_unchanged_words", "-3", "--beta", "-1", "out.txt", "gold.m2")
    assert printed == "Precision   : 0.5000\nRecall      : 1.0000\nF_-1.0       : 0.6667\n"


def test_verbose_shows_letters_as_python_2_did(folder, run):
    write_lines("gold.m2", ["S an café 's", "A 1 2|||T|||cafés||中|||R|||-|||3"])
    write_lines("out.txt", ["an 中 's"])
    shown = run("m2scorer", "-v", "out.txt", "gold.m2").splitlines()
    assert shown[:6] == [
        ">> Annotator: 3",
        "SOURCE        : an café 's",
        "HYPOTHESIS    : an 中 's",
        r"EDIT SEQ      : [(1, 2, u'caf\xe9', u'\u4e2d')]",
        r"GOLD EDITS    : [(1, 2, u'caf\xe9', [u'caf\xe9s', u'\u4e2d'])]",
        r"CORRECT EDITS : [(1, 2, u'caf\xe9', u'\u4e2d')]",
    ]


def test_a_gold_edit_listed_twice_is_credited_twice(small, run):
    """§8."""
    write_lines("twice.m2", ["S a b c", *["A 1 2|||T|||x|||R|||-|||0"] * 2])
    shown = run("m2scorer", "-v", "right.txt", "twice.m2")
    assert "CORRECT EDITS : [(1, 2, u'b', u'x'), (1, 2, u'b', u'x')]\n# correct     : 2\n" in shown
    assert "\nP = 2.0\nR = 1.0\nF_0.5 = 1.66666666667\n" in shown


@pytest.mark.parametrize("beta", ["inf", "-inf", "nan"])
def test_no_annotator_is_chosen_if_f_is_not_a_number(small, run, kernels_of, beta):
    """§11: the totals stay 0, so that P and R are 1."""
    printed = run("m2scorer", "-v", "--beta", beta, "right.txt", "gold.m2")
    assert f"f_{beta}         : nan\n" in printed
    assert ">> Chosen Annotator for line 1 : -1\n" in printed
    assert printed.endswith(f"Precision   : 1.0000\nRecall      : 1.0000\nF_{beta}       : nan\n")


def test_a_beta_beyond_a_million(small, run):
    assert run("m2scorer", "--beta", "1e9", "right.txt", "gold.m2").endswith("\nF_1000000000.0       : 1.0000\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--beta", "1e200", "right.txt", "gold.m2"], "--beta 1e200 is too large"),
        (["--beta", "x", "right.txt", "gold.m2"], "--beta 'x' is not a number"),
        (["--max_unchanged_words", "1.5", "right.txt", "gold.m2"], "'1.5' is not a whole number"),
        (["--release", "3.1", "right.txt", "gold.m2"], "--release '3.1' is unknown. Use master or 3.2"),
        (["nowhere.txt", "gold.m2"], "nowhere.txt: no such file"),
    ],
)
def test_refused(small, refused, words, message):
    assert message in refused(["m2scorer", *words], status=1)

"""Errors survive pickling and suggest the name that was meant."""

import pickle

import pytest

import gecbench
from gecbench.corpora.demo import DATA
from gecbench.errors import did_you_mean

GOOD = str(DATA / "systems" / "good-corrector.txt")


def test_errors_survive_pickling():
    error = gecbench.InputError("wrong", file="a", line=2, fix="Fix it")
    assert str(pickle.loads(pickle.dumps(error))) == str(error) == "a:2: wrong. Fix it."


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["-m", "imesure"], r"unknown metric 'imesure'\. Did you mean imeasure\?$"),
        (["-c", "dmeo"], r"no corpus or file 'dmeo'\. Did you mean demo\?$"),
        (["-c", "jflge:test"], r"Did you mean jfleg:test\?$"),
        (["-c", "jfleg:tset"], r"nor a split of jfleg\. Did you mean test\?$"),
        (["-m", "gleu(drws=py3)"], r"gleu has no parameter 'drws'\. Did you mean draws\?$"),
    ],
)
def test_did_you_mean_in_names(refused, arguments, hint):
    refused(["score", "-p", GOOD, *([] if "-c" in arguments else ["-c", "demo"]), *arguments], hint)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (
            ["meta", "--human", "conl14"],
            r"^gecbench: unknown human judgments 'conl14'\. Did you mean conll14\?$",
        ),
        (["reproduce", "sakaguchi"], r"unknown paper 'sakaguchi'\. Did you mean sakaguchi2016\?$"),
        (["run", "--model", "pyton:x:y", "-c", "demo"], r"model .pyton:x:y.\. Did you mean python\?$"),
    ],
)
def test_did_you_mean_in_other_commands(refused, arguments, hint):
    refused(arguments, hint)


@pytest.mark.parametrize(
    ("word", "hint"),
    [("B-C", "Did you mean b_c?"), ("abcd", "Did you mean abc?"), ("-", "none"), ("xyz", "none"), ("", "none")],
)
def test_case_and_punctuation_do_not_matter(word, hint):
    assert did_you_mean(word, iter(["abc", "b_c", "_"]), "none") == hint


def test_nothing_near_is_not_guessed(refused):
    assert "Did you mean" not in refused(["score", "-c", "demo", "-p", GOOD, "-m", "xylophone"], "unknown metric")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "-c", "demo", "-p", GOOD, "-m", "gleu(order=1_0)"], r"gleu: order='1_0' is not a whole number"),
        (["score", "-c", "demo", "-p", GOOD, "-m", "m2(annotators=0_1)"], r"m2: annotators='0_1' is unknown"),
        (["score", "--gold", "gold.m2", "-p", GOOD, "-m", "m2"], r"gold.m2:2: the span '1_0 11' is not"),
        (["meta", "scores.tsv", "--human", "scores.tsv"], r"scores.tsv:1: .*'1_0', not a finite number"),
    ],
    ids=["parameter", "annotators", "M2", "table"],
)
def test_numbers_with_underscores_are_refused(folder, refused, arguments, message):
    """Python reads `1_0` as 10."""
    (folder / "gold.m2").write_text("S " + "a " * 12 + "\nA 1_0 11|||R|||x|||REQUIRED|||-NONE-|||0\n\n")
    (folder / "scores.tsv").write_text("a\t1_0\nb\t2\nc\t3\n")
    refused(arguments, message)

"""Named prompts."""

from pathlib import Path

import pytest

import gecbench
from gecbench.corpus.tokenize import detokenize
from gecbench.models.prompts import NAMES, PLACE, Prompt, find_prompt


def test_the_names():
    assert NAMES == ("few-shot", "fluency", "minimal")
    for name in NAMES:
        prompt = find_prompt(name)
        assert prompt.name == name
        assert prompt.text.count(PLACE) == 1
        assert prompt.fill("He go .").count("He go .") == 1
        assert prompt.text == prompt.text.strip()


def test_a_sentence_that_looks_like_a_place():
    assert find_prompt("Correct: {sentence}").fill("a {sentence} {0}") == "Correct: a {sentence} {0}"


def test_the_examples_are_of_the_demo():
    demo = gecbench.load_demo()
    natural = dict(zip(detokenize(demo.sources), detokenize(demo.reference_columns()[0]), strict=True))
    shown = [line.partition(": ")[2] for line in find_prompt("few-shot").text.splitlines()[2:] if line]
    pairs = list(zip(shown[:-2:2], shown[1::2], strict=False))
    assert len(pairs) == 4
    assert pairs == [(source, natural[source]) for source, _ in pairs]


def test_own_prompts(folder):
    Path("mine.txt").write_text("Fix é this:\n{sentence}\n", encoding="utf-8")
    assert find_prompt("mine.txt") == Prompt("own", "Fix é this:\n{sentence}")
    assert (
        find_prompt("mine.txt").label == Prompt("own", "Fix é this:\n{sentence}").label != find_prompt("minimal").label
    )


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("maximal", r"unknown prompt 'maximal'. Give the name of a prompt \(few-shot, fluency, minimal"),
        ("empty.txt", "empty.txt: the prompt has no"),
    ],
)
def test_wrong_prompts(folder, wanted, message):
    Path("empty.txt").write_text("Fix it.\n")
    with pytest.raises(gecbench.InputError, match=message):
        find_prompt(wanted)

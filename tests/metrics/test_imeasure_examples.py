"""The paper's examples and the official scorer's quirks, as small sentences of letters."""

from __future__ import annotations

from itertools import product

import pytest
from imeasure_examples import LISTING_1, SMALL
from imeasure_support import GOLDEN, choose, corpus_of, printed, totals
from oracles.mixed_references import mixed_references

import gecbench
from gecbench.errors import InputError

KERNELS = ("python", "native")


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

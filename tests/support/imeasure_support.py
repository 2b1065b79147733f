"""Shared by the I-measure's tests: kernels, goldens, real data from the mirror."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from types import ModuleType
from typing import NamedTuple
from unittest import mock

import pytest
from hypothesis import strategies as st
from mirror_files import conll14_gold, golden, submission

from gecbench import (
    Alternative,
    Corpus,
    ErrorGroup,
    GroupedSentence,
    InputError,
    Replacement,
    derive_groups,
    kernels,
)
from gecbench.corpus.derive import unmixed_references
from gecbench.kernels import alignment
from gecbench.kernels.alignment import MEASURES
from gecbench.kernels.imeasure import Limits
from gecbench.kernels.tokens import intern_lines
from gecbench.metrics.imeasure import REFUSALS, ChosenReferences, IMeasure, choose_listed, choose_mixed, known_lines
from gecbench.metrics.imeasure_gold import MixedGold

GOLDEN = golden("imeasure.json")


class Sentence(NamedTuple):
    source: str
    groups: tuple[ErrorGroup, ...]
    annotators: int | None = None

    def grouped(self) -> GroupedSentence:
        return GroupedSentence(self.groups, self.annotators)


def kernel_of(name: str) -> ModuleType:
    if name == "native" and kernels.native_module() is None:
        pytest.skip("installed without compiled kernels")
    return kernels.select("imeasure", name)


def alternative(annotator: int | str, *changes: tuple[int, int, str]) -> Alternative:
    return Alternative(str(annotator), tuple(Replacement(*change) for change in changes))


def required(*alternatives: Alternative) -> ErrorGroup:
    return ErrorGroup(alternatives, required=True)


def optional(*alternatives: Alternative) -> ErrorGroup:
    return ErrorGroup(alternatives, required=False)


def corpus_of(sentences: Sequence[Sentence]) -> Corpus:
    return Corpus(
        sources=[sentence.source for sentence in sentences], groups=[sentence.grouped() for sentence in sentences]
    )


def limited(metric: IMeasure, **limits: int) -> IMeasure:
    """The metric with other limits of its kernel, such as the combinations that are listed."""
    object.__setattr__(metric, "limits", Limits(**limits))
    return metric


def choose(
    sentences: Sequence[Sentence],
    hypotheses: Sequence[str],
    settings: IMeasure,
    mixing: bool,
    kernel: str,
    **limits: int,
) -> ChosenReferences:
    """Choose without the metric around it; a sentence that cannot be done raises."""
    sources = [" ".join(sentence.source.split()) for sentence in sentences]
    kernel_of(kernel)
    with mock.patch.dict(os.environ, GECBENCH_KERNELS=kernel):
        if mixing:
            gold = MixedGold.of([sentence.grouped() for sentence in sentences])
            known = known_lines(sources, gold.texts, settings.tokens)
            limited_settings = limited(settings, **limits) if limits else settings
            choice = choose_mixed(sources, hypotheses, gold, known, limited_settings)
        else:
            listed = [unmixed_references(sentence.source, sentence.grouped()) for sentence in sentences]
            choice = choose_listed(sources, hypotheses, listed, settings)
    for status in choice.status.tolist():
        if status:
            raise InputError(REFUSALS[status][0])
    return choice


@functools.cache
def conll14(name: str) -> Corpus:
    return derive_groups(conll14_gold(name))


@functools.cache
def conll14_system(name: str) -> tuple[str, ...]:
    return conll14("combined").sources if name == "INPUT" else tuple(submission(name)[:1312])


def sentences_of(corpus: Corpus) -> list[Sentence]:
    pairs = zip(corpus.sources, corpus.groups, strict=True)
    return [Sentence(source, item.groups, item.annotators) for source, item in pairs]


def totals(counts) -> dict[str, list[int]]:
    sums = counts.sum(axis=0).tolist()
    return {"detection": sums[:5], "correction": sums[5:10], "baseline": sums[10:15]}


def printed(counts, weight: float, beta: float) -> dict[str, list[float]]:
    """What the official scorer prints: counts, then percentages with two decimals."""
    sums = totals(counts)
    base, base_accuracy = alignment.weighted_accuracy(sums["baseline"], weight), alignment.accuracy(sums["baseline"])
    rows = {}
    for aspect in ("detection", "correction"):
        found = sums[aspect]
        wacc = alignment.weighted_accuracy(found, weight)
        ratios = [
            alignment.precision(found),
            alignment.recall(found),
            alignment.f_score(found, beta),
            alignment.accuracy(found),
        ]
        scores = [*ratios, base_accuracy, wacc, base, alignment.improvement(wacc, base)]
        rows[aspect] = [*found, *(float(f"{100 * score:.2f}") for score in scores)]
    return rows


WORDS = ["u", "v", "w", "x"]


@st.composite
def grouped(draw: st.DrawFn) -> tuple[Sentence, str]:
    """A sentence of few, repeated tokens with groups that may touch, overlap or leave the sentence."""
    token = st.sampled_from(draw(st.sampled_from([WORDS[:2], WORDS, [*map(str, range(40))]])))
    source = draw(st.lists(token, min_size=1, max_size=14))
    size = len(source)
    groups = []
    for _ in range(draw(st.integers(0, 5))):
        place = draw(st.integers(0, size))
        alternatives = []
        for annotator in range(draw(st.integers(1, 2))):
            start = max(0, min(size, place + draw(st.integers(-1, 1)))) if draw(st.integers(0, 30)) else -1
            end = start + draw(st.integers(0, 2))
            text = " ".join(draw(st.lists(token, max_size=2)))
            alternatives.append(alternative(annotator, (start, end, text)))
        groups.append(ErrorGroup(tuple(alternatives), draw(st.booleans())))
    hypothesis = list(source)
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(hypothesis)))
        hypothesis[place : place + draw(st.integers(0, 1))] = draw(st.lists(token, max_size=1))
    return Sentence(" ".join(source), tuple(groups), 2), " ".join(hypothesis)


objectives = st.builds(
    IMeasure,
    objective=st.just("cwacc") | st.builds("{}{}".format, st.sampled_from("dc"), st.sampled_from(MEASURES)),
    optimise=st.sampled_from(["sentence", "corpus"]),
    weight=st.sampled_from([2.0, 2.0, 1.0, 1.37, 0.0, -1.0, -0.7]),
    beta=st.sampled_from([0.5, 1.0, 0.0]),
)


def raw(batch: list[tuple[Sentence, str]], settings: IMeasure, kernel: str) -> list[list[int]]:
    sentences, hypotheses = zip(*batch, strict=True)
    gold = MixedGold.of([sentence.grouped() for sentence in sentences])
    tokens = intern_lines([*(sentence.source for sentence in sentences), *hypotheses, *gold.texts], "ascii")
    n = len(sentences)
    source, hypothesis, change = tokens[:n], tokens[n : 2 * n], tokens[2 * n :]
    found = kernel_of(kernel).choose_mixed(source, hypothesis, gold.arrays(change), settings.goal(), settings.limits)
    return [array.tolist() for array in found]

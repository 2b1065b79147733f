"""Shared by the I-measure's tests: kernels, goldens, real data from the mirror."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from types import ModuleType
from typing import NamedTuple
from unittest import mock

import pytest
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
from gecbench.kernels.imeasure import Limits
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

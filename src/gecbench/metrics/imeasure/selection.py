"""The references that the I-measure scores a system against, over a whole corpus: mixed, unmixed, or some of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt

from gecbench.corpus.corpus import Corpus
from gecbench.corpus.derive import derive_groups
from gecbench.corpus.error_groups import GroupedSentence, is_bridged
from gecbench.corpus.mixing import annotator_references, combination_count, unmixed_references
from gecbench.errors import InputError
from gecbench.kernels.tokens import TokenRule
from gecbench.metrics.imeasure.choice import (
    REFUSALS,
    TOO_LONG,
    Choice,
    ChoiceSettings,
    choose_listed,
    choose_mixed,
)
from gecbench.metrics.imeasure.gold import ListedGold, MixedGold
from gecbench.metrics.statistics import Counts

Mixing = bool | Literal["cap"]
Beyond = Literal["unmixed", "excluded"]
_NOTHING = "the I-measure needs error groups, annotations or references, but {} has none"


@dataclass(frozen=True)
class Plan:
    """Which sentences are mixed, what happens to the others, and how references are chosen."""

    mixing: Mixing
    cap: int
    beyond: Beyond
    treebank: bool
    tokens: TokenRule
    settings: ChoiceSettings


@dataclass(frozen=True)
class Selection:
    """Per sentence the counts of its chosen reference, and whether it was scored, mixed and cleanly grouped."""

    counts: Counts
    scored: npt.NDArray[np.bool_]
    mixed: npt.NDArray[np.bool_]
    bridged: int
    parts: Sequence[tuple[Sequence[int], Choice]]

    def reference(self, sentence: int) -> str | None:
        """Return the reference chosen for a sentence, None if it was excluded."""
        if not self.scored[sentence]:
            return None
        for sentences, choice in reversed(self.parts):
            if sentence in sentences:
                return choice.reference(sentences.index(sentence))
        return None

    def diagnostics(self) -> dict[str, int]:
        """Return how much work it was, and which sentences were treated otherwise."""
        choices = [choice for _, choice in self.parts]
        return {
            "alignments_asked": sum(sum(choice.asked) for choice in choices),
            "alignments_done": sum(int(choice.alignments.sum()) for choice in choices),
            "alignment_cells": sum(int(choice.cells.sum()) for choice in choices),
            "bridged_sentences": self.bridged,
            "unmixed_sentences": int((self.scored & ~self.mixed).sum()),
            "excluded_sentences": int((~self.scored).sum()),
        }


def select_references(corpus: Corpus, predictions: Sequence[str], plan: Plan) -> Selection:
    """Choose a reference for every sentence, or say which sentence cannot be scored exactly."""
    everything = range(len(corpus))
    if plan.mixing == "cap":
        return _select_capped(corpus, predictions, plan)
    if not plan.mixing:
        return _combine(corpus, [], [(everything, _choose_unmixed(corpus, predictions, plan, everything))])
    choice = _choose_mixed(corpus, predictions, plan, everything)
    _refuse(corpus, choice.status, everything)
    return _combine(corpus, everything, [(everything, choice)], _bridged(corpus, plan))


def grouped_sentences(corpus: Corpus, treebank: bool) -> Sequence[GroupedSentence]:
    """Return the error groups of a corpus; they are made once."""
    if corpus.groups is not None:
        return corpus.groups
    if corpus.annotations is None and corpus.references is None:
        raise InputError(_NOTHING.format(corpus.name))
    grouped = corpus.derived(f"groups treebank={treebank}", lambda: derive_groups(corpus, treebank))
    return grouped.groups or ()


def _select_capped(corpus: Corpus, predictions: Sequence[str], plan: Plan) -> Selection:
    sentences = grouped_sentences(corpus, plan.treebank)
    bridged = set(_bridged(corpus, plan))
    inside = [i for i, item in enumerate(sentences) if i not in bridged and combination_count(item) <= plan.cap]
    choice = _choose_mixed(corpus, predictions, plan, inside)
    if plan.beyond == "unmixed":
        _refuse(corpus, np.where(choice.status == TOO_LONG, choice.status, 0), inside)
    mixed = [i for i, status in zip(inside, choice.status, strict=True) if not status]
    parts: list[tuple[Sequence[int], Choice]] = [(inside, choice)]
    beyond = sorted(set(range(len(corpus))) - set(mixed))
    if plan.beyond == "unmixed" and beyond:
        parts.append((beyond, _choose_unmixed(corpus, predictions, plan, beyond)))
    return _combine(corpus, mixed, parts, sorted(bridged))


def _combine(
    corpus: Corpus,
    mixed: Sequence[int],
    parts: Sequence[tuple[Sequence[int], Choice]],
    bridged: Sequence[int] = (),
) -> Selection:
    counts: Counts = np.zeros((len(corpus), 15), dtype=np.int64)
    scored, is_mixed = np.zeros(len(corpus), dtype=bool), np.zeros(len(corpus), dtype=bool)
    is_mixed[list(mixed)] = True
    for sentences, choice in parts:
        done = np.asarray(sentences, dtype=np.int64)[choice.status == 0]
        counts[done] = choice.counts[choice.status == 0]
        scored[done] = True
    return Selection(counts, scored, is_mixed, len(bridged), parts)


def _choose_mixed(corpus: Corpus, predictions: Sequence[str], plan: Plan, sentences: Sequence[int]) -> Choice:
    groups = grouped_sentences(corpus, plan.treebank)
    gold = corpus.derived(
        f"mixed treebank={plan.treebank} cap={plan.mixing == 'cap' and plan.cap}",
        lambda: MixedGold.of([groups[i] for i in sentences]),
    )
    return _choose(partial(choose_mixed, gold=gold), corpus, predictions, plan, sentences)


def _choose_unmixed(corpus: Corpus, predictions: Sequence[str], plan: Plan, sentences: Sequence[int]) -> Choice:
    whole = len(sentences) == len(corpus)
    name = f"unmixed treebank={plan.treebank}"
    gold = (
        corpus.derived(name, lambda: _unmixed(corpus, plan, sentences)) if whole else _unmixed(corpus, plan, sentences)
    )
    choice = _choose(partial(choose_listed, gold=gold), corpus, predictions, plan, sentences)
    _refuse(corpus, choice.status, sentences)
    return choice


def _unmixed(corpus: Corpus, plan: Plan, sentences: Sequence[int]) -> ListedGold:
    sources = _sources(corpus)
    if corpus.groups is not None:
        return ListedGold.of([unmixed_references(sources[i], corpus.groups[i]) for i in sentences])
    if corpus.annotations is not None:
        annotations = corpus.annotations
        return ListedGold.of([annotator_references(sources[i], annotations[i], plan.treebank) for i in sentences])
    if corpus.references is None:
        raise InputError(_NOTHING.format(corpus.name))
    return ListedGold.of([[" ".join(text.split()) for text in corpus.references[i]] for i in sentences])


def _choose(
    choose: partial[Choice], corpus: Corpus, predictions: Sequence[str], plan: Plan, sentences: Sequence[int]
) -> Choice:
    sources = _sources(corpus)
    return choose(
        [sources[i] for i in sentences],
        [predictions[i] for i in sentences],
        settings=plan.settings,
        rule=plan.tokens,
    )


def _sources(corpus: Corpus) -> list[str]:
    return corpus.derived("spaced sources", lambda: [" ".join(source.split()) for source in corpus.sources])


def _bridged(corpus: Corpus, plan: Plan) -> list[int]:
    sentences = grouped_sentences(corpus, plan.treebank)
    return corpus.derived(
        f"bridged treebank={plan.treebank}", lambda: [i for i, item in enumerate(sentences) if is_bridged(item)]
    )


def _refuse(corpus: Corpus, status: npt.NDArray[np.int32], sentences: Sequence[int]) -> None:
    """Raise for the first sentence the kernel could not do exactly."""
    failed = np.flatnonzero(status)
    if len(failed):
        number = sentences[int(failed[0])]
        problem, fix = REFUSALS[int(status[failed[0]])]
        raise InputError(f"sentence {(corpus.ids or ())[number]}: {problem}", fix=fix)

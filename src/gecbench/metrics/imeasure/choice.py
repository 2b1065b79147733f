"""Choosing the best reference of every sentence for the I-measure (docs/imeasure.md, sections 3 and 6).

All calls of the kernel are here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from gecbench import kernels
from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError
from gecbench.kernels.alignment import METRICS, Objective, classify_column
from gecbench.kernels.imeasure import Limits
from gecbench.kernels.tokens import KnownLines, TokenRule, encode_lines, intern_lines, offsets_of, split_tokens
from gecbench.metrics.base import Metric
from gecbench.metrics.imeasure.accuracy import COUNT_NAMES
from gecbench.metrics.imeasure.gold import (
    MixedGold,
    listed_references,
    mixed_gold,
    spaced_sources,
)
from gecbench.metrics.parameters import check_whole, parameter
from gecbench.metrics.statistics import Counts

Mixing = bool | Literal["cap", "bounded"]
Beyond = Literal["unmixed", "excluded"]
ASPECTS = ("d", "c")
EXCLUDED, DONE, COLLIDES, TOO_MANY, TOO_LONG = range(-1, 4)
REFUSALS = {
    COLLIDES: ("every combination of its required groups edits one span twice", "Join those groups, or do not mix"),
    TOO_MANY: ("its mixed references are too many to score exactly", "Leave such sentences unmixed: mixing=cap"),
    TOO_LONG: ("source, prediction and references are too long to align", "Split the sentence"),
}


@dataclass(frozen=True)
class ReferenceChoice(Metric):
    """The parameters of `IMeasure`, which say what is mixed and maximised, and the bounds on time and memory."""

    limits: ClassVar[Limits] = Limits()
    few: ClassVar[Limits] = Limits(segment=1 << 10, sums=1 << 12)
    affordable_cells: ClassVar[int] = 1 << 28

    mixing: Mixing = parameter(
        True,
        'mix the annotators\' corrections; False: not; "cap": where there are at most `cap` mixes; "bounded": where '
        "that takes little time",
    )
    cap: int = parameter(1024, 'the most mixes of a sentence with mixing="cap"')
    beyond: Beyond = parameter("unmixed", 'what sentences with more mixes are, "unmixed" or "excluded"')
    objective: str = parameter(
        "cwacc", "what the chosen reference maximises: d or c and a measure, such as df or cwacc"
    )
    optimise: Literal["sentence", "corpus"] = parameter(
        "sentence", 'choose references by each "sentence" alone or by the running total of the "corpus"'
    )
    weight: float = parameter(2.0, "of corrections against untouched tokens in WAcc")
    beta: float = parameter(1.0, "of F (the paper reports 0.5)")
    treebank: bool = parameter(True, "split annotators' corrections as the official converter does")
    tokens: TokenRule = parameter(
        "ascii", 'what separates the predictions\' tokens: "ascii" blanks (official) or all "unicode" whitespace'
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("imeasure", "cap", self.cap)
        if self.objective[:1] not in ASPECTS or self.objective[1:] not in METRICS:
            known = f"d (detection) or c (correction) and one of {', '.join(METRICS)}, such as cwacc"
            raise InputError(f"imeasure: objective={self.objective!r} is unknown", fix=f"Use {known}")
        for name, value, least in (("weight", self.weight, -1e6), ("beta", self.beta, 0)):
            if not isinstance(value, (int, float)) or not least <= value <= 1e6:
                raise InputError(f"imeasure: {name}={value!r} is not a number from {least:.0f} to a million")
        leaves_unmixed = self.mixing == "bounded" or (self.mixing == "cap" and self.beyond == "unmixed")
        if leaves_unmixed and self.optimise == "corpus":
            raise InputError(
                "imeasure: optimise=corpus goes through the sentences in order and cannot leave some unmixed",
                fix="Use mixing=cap and beyond=excluded, or optimise=sentence",
            )

    def goal(self) -> Objective:
        """Return what is maximised, as the kernels take it."""
        aspect, metric = ASPECTS.index(self.objective[0]), METRICS.index(self.objective[1:])
        return Objective(aspect, metric, self.optimise == "corpus", self.weight, self.beta)


@dataclass(frozen=True)
class Selection:
    """Per sentence the counts of the chosen reference, the status (0 done), and the work it took.

    Counts are TP TN FP FN FPN for detection, for correction and for the baseline that leaves the source alone; the
    work is the number of references offered, of alignments made, and of their steps and cells. `reference(i)` is the
    text of the reference chosen for sentence i.
    """

    counts: Counts
    status: npt.NDArray[np.int32]
    work: npt.NDArray[np.int64]
    reference: Callable[[int], str]
    diagnostics: Mapping[str, int] = field(default_factory=dict)

    @property
    def scored(self) -> npt.NDArray[np.bool_]:
        """Whether each sentence was scored."""
        return np.equal(self.status, DONE)


def select_references(corpus: Corpus, predictions: Sequence[str], settings: ReferenceChoice) -> Selection:
    """Choose a reference for every sentence, or say which sentence cannot be scored exactly."""
    sources, capped = spaced_sources(corpus), settings.mixing == "cap"
    parts: list[tuple[Sequence[int], Selection]] = []
    mixed: set[int] = set()
    excluding = capped and settings.beyond == "excluded"
    # 1. Mix all sentences, or those that are cleanly grouped and within the cap (section 3).
    if settings.mixing:
        key = f"mixed treebank={settings.treebank} cap={capped and settings.cap} tokens={settings.tokens}"
        inside, kept, gold, known = corpus.derived(key, lambda: _mixable(corpus, settings))
        bounded = settings.mixing == "bounded"
        limits = settings.few if bounded else settings.limits
        chosen = choose_mixed(kept, [predictions[i] for i in inside], gold, known, settings, limits)
        parts.append((inside, chosen))
        if bounded and (again := _affordable(sources, predictions, chosen.status, gold, settings)):
            parts.append((again, _mix_again(sources, predictions, again, gold.select(again), settings)))
        if not excluding:
            refused = set(REFUSALS) if settings.mixing is True else {TOO_LONG}
            _check_status(corpus, chosen.status, inside, refused)
        mixed = {i for part, made in parts for i, scored in zip(part, made.scored, strict=True) if scored}
    # 2. Score the others against their unmixed references, unless they are to be excluded.
    left = [i for i in range(len(corpus)) if i not in mixed]
    if left and not excluding:
        references = listed_references(corpus, settings.treebank, left)
        chosen = choose_listed([sources[i] for i in left], [predictions[i] for i in left], references, settings)
        _check_status(corpus, chosen.status, left, set(REFUSALS))
        parts.append((left, chosen))
    bridged = int(mixed_gold(corpus, settings.treebank).bridged.sum()) if settings.mixing else 0
    return _join(len(corpus), parts, len(mixed), bridged)


def _mixable(corpus: Corpus, settings: ReferenceChoice) -> tuple[Sequence[int], Sequence[str], MixedGold, KnownLines]:
    """Return the sentences to mix, their sources, their groups, and the tokens of both."""
    gold, sources = mixed_gold(corpus, settings.treebank), spaced_sources(corpus)
    inside: Sequence[int] = range(len(corpus))
    if settings.mixing == "cap":
        within = [mixes <= settings.cap for mixes in gold.combinations()]
        inside = [i for i, clean in enumerate((~gold.bridged).tolist()) if clean and within[i]]
        gold, sources = gold.select(inside), [sources[i] for i in inside]
    return inside, sources, gold, known_lines(sources, gold.texts, settings.tokens)


def _mix_again(
    sources: Sequence[str],
    predictions: Sequence[str],
    sentences: Sequence[int],
    gold: MixedGold,
    settings: ReferenceChoice,
) -> Selection:
    """Choose mixed references of some sentences under the usual limits."""
    kept = [sources[i] for i in sentences]
    known = known_lines(kept, gold.texts, settings.tokens)
    return choose_mixed(kept, [predictions[i] for i in sentences], gold, known, settings, settings.limits)


def _affordable(
    sources: Sequence[str],
    predictions: Sequence[str],
    status: npt.NDArray[np.int32],
    gold: MixedGold,
    settings: ReferenceChoice,
) -> list[int]:
    """Return the sentences with too many references for `few` that `affordable_cells` suffice for, cheapest first."""
    combinations = gold.combinations()

    def cost(i: int) -> int:
        return combinations[i] * len(sources[i].split()) * len(predictions[i].split())

    left = [i for i in np.flatnonzero(status == TOO_MANY).tolist() if combinations[i] <= settings.limits.segment]
    left.sort(key=cost)
    spent = accumulate(map(cost, left))
    return sorted(i for i, cells in zip(left, spent, strict=True) if cells <= settings.affordable_cells)


def _check_status(corpus: Corpus, status: npt.NDArray[np.int32], sentences: Sequence[int], refused: set[int]) -> None:
    """Raise for the first sentence that the kernel could not do exactly."""
    failed = np.flatnonzero(np.isin(status, list(refused)))
    if len(failed):
        problem, fix = REFUSALS[int(status[failed[0]])]
        raise InputError(f"sentence {(corpus.ids or ())[sentences[int(failed[0])]]}: {problem}", fix=fix)


def _join(size: int, parts: Sequence[tuple[Sequence[int], Selection]], mixed: int, bridged: int) -> Selection:
    """Return the selection of a whole corpus from those of some of its sentences; the others are excluded."""
    counts: Counts = np.zeros((size, 15), dtype=np.int64)
    status = np.full(size, EXCLUDED, dtype=np.int32)
    work = np.zeros((size, 3), dtype=np.int64)
    owners = np.zeros((size, 2), dtype=np.int64)  # which part chose for a sentence, and where in it
    for number, (sentences, part) in enumerate(parts):
        places = np.asarray(sentences, dtype=np.int64)
        counts[places[part.scored]] = part.counts[part.scored]
        status[places] = part.status
        work[places] += part.work
        owners[places] = np.column_stack([np.full(len(places), number), np.arange(len(places))])

    def reference(i: int) -> str:
        number, place = map(int, owners[i])
        return parts[number][1].reference(place)

    scored = int((status == DONE).sum())
    offered, alignments, cells = map(sum, work.T.tolist())
    diagnostics = {
        "alignments_asked": offered,
        "alignments_done": alignments,
        "alignment_cells": cells,
        "bridged_sentences": bridged,
        "unmixed_sentences": scored - mixed,
        "excluded_sentences": size - scored,
    }
    return Selection(counts, status, work, reference, diagnostics)


def choose_listed(
    sources: Sequence[str], predictions: Sequence[str], references: Sequence[Sequence[str]], settings: ReferenceChoice
) -> Selection:
    """Choose one of each sentence's references."""
    kernel = kernels.select("imeasure")
    texts, offsets = [text for group in references for text in group], offsets_of(references)
    known = known_lines(sources, texts, settings.tokens)
    source, reference = known.tokens[: len(sources)], known.tokens[len(sources) :]
    hypothesis = known.number(encode_lines(predictions))
    counts, status, cells = kernel.count_references(
        source, hypothesis, reference, offsets, settings.limits.cells, threads=kernels.threads()
    )
    rows = kernel.choose_listed(counts, offsets, settings.goal())
    offered = np.diff(offsets)
    return Selection(counts[rows], status, np.column_stack([offered, offered, cells]), lambda i: texts[rows[i]])


def choose_mixed(
    sources: Sequence[str],
    predictions: Sequence[str],
    gold: MixedGold,
    known: KnownLines,
    settings: ReferenceChoice,
    limits: Limits | None = None,
) -> Selection:
    """Choose one of the references that each sentence's groups can be mixed to, without listing them.

    `known` are the `known_lines` of the sources and of the texts of the gold.
    """
    source, correction = known.tokens[: len(sources)], known.tokens[len(sources) :]
    hypothesis = known.number(encode_lines(predictions))
    picks, counts, status, work = kernels.select("imeasure").choose_mixed(
        source,
        hypothesis,
        gold.arrays(correction),
        settings.goal(),
        limits or settings.limits,
        threads=kernels.threads(),
    )

    def reference(i: int) -> str:
        begin, end = gold.flat.group_offsets[i : i + 2]
        return gold.reference(i, sources[i], picks[begin:end].tolist())

    return Selection(counts, status, work[:, :3], reference)


def known_lines(sources: Sequence[str], gold: Sequence[str], rule: TokenRule) -> KnownLines:
    """Number the tokens of sources and gold, which must have single spaces, so that any rule splits them alike."""
    return KnownLines.of([encode_lines(sources), encode_lines(gold)], rule)


def align_tokens(source: str, prediction: str, reference: str) -> list[tuple[str | None, str | None, str | None]]:
    """Return the official three-way alignment of texts with single spaces, column by column (None is a gap)."""
    texts = (source, prediction, reference)
    numbers = intern_lines(texts, "ascii")
    columns = kernels.select("imeasure").align(*(np.ascontiguousarray(numbers[k : k + 1].ids) for k in range(3)))
    words = [split_tokens(text, "ascii") for text in texts]
    return [
        tuple(None if place < 0 else words[text][place] for text, place in enumerate(column))  # type: ignore[misc]
        for column in columns.tolist()
    ]


def classify(source: str | None, prediction: str | None, reference: str | None) -> tuple[str, str]:
    """Return the names of a column's classes for detection and correction (Felice & Briscoe 2015, Table 6)."""
    detection, correction = (
        " ".join(COUNT_NAMES[k].upper() for k in classes) for classes in classify_column(source, prediction, reference)
    )
    return detection, correction

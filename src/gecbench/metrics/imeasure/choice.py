"""Choosing the best reference of every sentence for the I-measure (docs/imeasure.md, sections 3 and 6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType

import numpy as np
import numpy.typing as npt

from gecbench import kernels
from gecbench.errors import InputError
from gecbench.kernels.imeasure import Limits, Objective
from gecbench.kernels.tokens import TokenArray, TokenRule, intern_lines
from gecbench.metrics.imeasure.gold import ListedGold, MixedGold
from gecbench.metrics.statistics import Counts

ASPECTS = ("d", "c")
METRICS = ("tp", "tn", "fp", "fn", "p", "r", "f", "acc", "wacc", "i")
DONE, COLLIDES, TOO_MANY, TOO_LONG = range(4)
REFUSALS = {
    COLLIDES: ("every combination of its required groups edits one span twice", "Join those groups, or do not mix"),
    TOO_MANY: ("its mixed references are too many to score exactly", "Leave such sentences unmixed: mixing=cap"),
    TOO_LONG: ("source, prediction and references are too long to align", "Split the sentence"),
}


@dataclass(frozen=True)
class ChoiceSettings:
    """What is maximised, and the bounds on time and memory.

    `objective` is d (detection) or c (correction) and a metric; `corpus` goes greedily by the running total. Sentences
    with at most `listed` combinations are enumerated, others decomposed into certified segments; the result is the
    same. The limits: references of one segment, distinct sums of counts, cells of one alignment (four bytes each in
    native code).
    """

    objective: str = "cwacc"
    corpus: bool = False
    weight: float = 2.0
    beta: float = 1.0
    listed: int = 8
    segment_limit: int = 1 << 16
    sum_limit: int = 1 << 18
    cell_limit: int = 1 << 24

    def __post_init__(self) -> None:
        if self.objective[:1] not in ASPECTS or self.objective[1:] not in METRICS:
            known = f"d (detection) or c (correction) and one of {', '.join(METRICS)}, such as cwacc"
            raise InputError(f"imeasure: objective={self.objective!r} is unknown", fix=f"Use {known}")
        for name, value in (("weight", self.weight), ("beta", self.beta)):
            if not isinstance(value, (int, float)) or not 0 < value <= 1e6:
                raise InputError(f"imeasure: {name}={value!r} is not a number above 0")

    def goal(self) -> Objective:
        """Return what is maximised, as the kernels take it."""
        aspect, metric = ASPECTS.index(self.objective[0]), METRICS.index(self.objective[1:])
        return Objective(aspect, metric, self.corpus, self.weight, self.beta)

    def limits(self) -> Limits:
        """Return the limits as the kernels take them."""
        return Limits(self.listed, self.segment_limit, self.sum_limit, self.cell_limit)


@dataclass(frozen=True)
class Choice:
    """Per sentence the counts of the chosen reference, how it went (0 done), and the work it took.

    Counts are TP TN FP FN FPN for detection, for correction and for the baseline that leaves the source alone.
    `reference(i)` is the text of the reference chosen for sentence i.
    """

    counts: Counts
    status: npt.NDArray[np.int32]
    asked: Sequence[int]
    alignments: npt.NDArray[np.int64]
    cells: npt.NDArray[np.int64]
    reference: Callable[[int], str]


def choose_listed(
    sources: Sequence[str],
    predictions: Sequence[str],
    gold: ListedGold,
    settings: ChoiceSettings,
    rule: TokenRule = "ascii",
    kernel: ModuleType | None = None,
) -> Choice:
    """Choose one of each sentence's references."""
    kernel = kernel or kernels.select("imeasure")
    source, hypothesis, reference = _intern(sources, predictions, gold.texts, rule)
    counts, status, cells = kernel.count_references(source, hypothesis, reference, gold.offsets, settings.cell_limit)
    rows = kernel.choose_listed(counts, gold.offsets, settings.goal())
    offered = np.diff(gold.offsets)
    return Choice(counts[rows], status, offered.tolist(), offered, cells, lambda i: gold.texts[rows[i]])


def choose_mixed(
    sources: Sequence[str],
    predictions: Sequence[str],
    gold: MixedGold,
    settings: ChoiceSettings,
    rule: TokenRule = "ascii",
    kernel: ModuleType | None = None,
) -> Choice:
    """Choose one of the references that each sentence's groups can be mixed to, without listing them."""
    kernel = kernel or kernels.select("imeasure")
    source, hypothesis, change = _intern(sources, predictions, gold.texts, rule)
    picks, counts, status, work = kernel.choose_mixed(
        source, hypothesis, gold.arrays(change), settings.goal(), settings.limits()
    )

    def reference(i: int) -> str:
        begin, end = gold.group_offsets[i : i + 2]
        return gold.reference(i, sources[i], picks[begin:end].tolist())

    return Choice(counts, status, work[:, 0].tolist(), work[:, 1], work[:, 2], reference)


def _intern(
    sources: Sequence[str], predictions: Sequence[str], gold: Sequence[str], rule: TokenRule
) -> tuple[TokenArray, TokenArray, TokenArray]:
    """Number all tokens in one call; sources and gold must have single spaces, so that any rule splits them alike."""
    tokens = intern_lines([*sources, *predictions, *gold], rule)
    middle, end = len(sources), len(sources) + len(predictions)
    return tokens[:middle], tokens[middle:end], tokens[end:]

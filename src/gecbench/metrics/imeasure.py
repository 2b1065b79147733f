"""I-measure (Felice & Briscoe 2015): how much a system improves the text.

See docs/metrics/imeasure.md.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from gecbench import kernels
from gecbench.corpus.corpus import Corpus, CorpusCache, Gold
from gecbench.display import percent
from gecbench.errors import InputError, counted
from gecbench.kernels.alignment import MEASURES, Objective, classify_column
from gecbench.kernels.imeasure import Limits
from gecbench.kernels.tokens import KnownLines, TokenRule, encode_lines, intern_lines, offsets_of, split_tokens
from gecbench.metrics.base import (
    MIXING_WORDS,
    Counts,
    Metric,
    Score,
    Signature,
    Statistics,
    Values,
    check_number,
    check_whole,
    f_beta_as_ieval,
    parameter,
    precision_recall,
)
from gecbench.metrics.explain import Cell, Explanation, Mark, Row
from gecbench.metrics.imeasure_gold import MixedGold, listed_references, mixed_gold, spaced_sources
from gecbench.metrics.policy import OrderDependent, Policy, SingleRow

COUNT_NAMES = ("tp", "tn", "fp", "fn", "fpn")
DETECTION, CORRECTION, BASELINE, SCORED = slice(0, 5), slice(5, 10), slice(10, 15), 15
_ASPECTS = {"detection": DETECTION, "correction": CORRECTION}
ASPECTS = ("d", "c")
Mixing = bool | Literal["strict", "cap"]
Beyond = Literal["unmixed", "excluded"]
EXCLUDED, DONE, COLLIDES, TOO_MANY, TOO_LONG = range(-1, 4)
REFUSALS = {
    COLLIDES: (
        "its references cannot be mixed, because every combination of its required error groups has two edits of the "
        "same span",
        "Join the groups that edit the same span, or use mixing=no",
    ),
    TOO_MANY: (
        "it has too many mixed references to score exactly",
        "Use mixing=yes and optimise=sentence: such sentences are then scored against unmixed references",
    ),
    TOO_LONG: ("source, prediction and references are too long to align", "Split the sentence"),
}


class MixingLimitWarning(UserWarning):
    """Some sentences have too many mixed references to search."""


@dataclass(frozen=True)
class IMeasure(Metric):
    """I-measure: the improvement of a system over the unchanged source.

    A perfect system scores 1, and the source itself 0. Below 0, the system is worse than the source.

    Tokens of source, prediction and reference are aligned three-way and classified. The weighted accuracy (WAcc) gives
    right and wrong corrections more weight than unchanged tokens. The score I compares the WAcc of the system with the
    WAcc of the unchanged source. Each sentence is scored against its best reference. Scores equal those of the official
    scorer, ties included.

    Args:
        mixing: Which references to use.

            - True: all combinations of the annotators' corrections of independent errors. The best one is found without
              listing them. If the search exceeds its limits, the sentence is scored against its best single annotator.
              A warning, the diagnostics and the signature (`capped:1`) state how many sentences are affected. With
              `optimise="corpus"`, such a sentence is an error.
            - "strict": the same, but raise an error for such a sentence.
            - False: the annotators as they are, or the references if the corpus has nothing else.
            - "cap": mix only sentences with at most `cap` combinations and without edits that overlap several error
              groups. `beyond` decides how other sentences are treated.
        cap: The largest number of combinations for `mixing="cap"`.
        beyond: What to do with the sentences that `mixing="cap"` leaves unmixed. "unmixed" scores them against unmixed
            references, "excluded" leaves them out.
        objective: The value that the chosen reference maximizes: d (detection) or c (correction), followed by one of tp
            tn fp fn p r f acc wacc i.
        optimise: Choose references that maximize the score of each "sentence", or the running total of the "corpus".
        weight: The weight of corrections relative to unchanged tokens in WAcc.
        beta: The beta of F. The paper reports 0.5.
        treebank: Split corrections as the official converter does (`can't` becomes `ca n't`).
        tokens: Split predictions at "ascii" (official) or "unicode" white space. Sources and corrections are always
            split at all white space.

    Raises:
        InputError: A parameter has an unknown value, or `optimise="corpus"` is combined with `mixing="cap"` and
            `beyond="unmixed"`.

    >>> from gecbench.formats.m2 import parse_m2
    >>> corpus = parse_m2(["S He go to school by feet .", "A 1 2|||SVA|||goes|||REQUIRED|||-NONE-|||0",
    ...                    "A 4 6|||Prep|||on foot|||REQUIRED|||-NONE-|||0"])
    >>> score = IMeasure().score_corpus(corpus, ["He goes to school by feet ."])
    >>> round(score.value, 4), score.parts["correction_tp"], score.parts["correction_fn"]
    (0.4167, 1, 2)
    """

    name: ClassVar[str] = "imeasure"
    title: ClassVar[str] = "I-measure"
    description: ClassVar[str] = (
        "Improvement of the weighted token accuracy over the source. The reference is the best mix of the annotators' "
        "corrections"
    )
    papers: ClassVar[str] = "Felice & Briscoe 2015"
    lowest: ClassVar[float] = -1.0
    golds: ClassVar[tuple[Gold, ...]] = ("groups", "annotations", "references")
    explains: ClassVar[bool] = True
    limits: ClassVar[Limits] = Limits()

    mixing: Mixing = parameter(
        True,
        'mix the annotators\' corrections; "strict": error if there are too many mixes to search; "cap": mix only '
        "sentences with at most `cap` mixes; False: do not mix",
    )
    cap: int = parameter(1024, 'the largest number of mixes with mixing="cap"')
    beyond: Beyond = parameter(
        "unmixed",
        'with mixing="cap", score the other sentences without mixing ("unmixed"), or leave them out ("excluded")',
    )
    objective: str = parameter(
        "cwacc",
        "value that the chosen reference maximizes: d (detection) or c (correction), then a measure, such as cwacc",
    )
    optimise: Literal["sentence", "corpus"] = parameter(
        "sentence", 'choose references that maximize the score of each "sentence", or the running total of the "corpus"'
    )
    weight: float = parameter(2.0, "weight of corrections relative to unchanged tokens in WAcc")
    beta: float = parameter(1.0, "beta of F (the paper reports 0.5)")
    treebank: bool = parameter(True, "tokenize the annotators' corrections as the official converter does")
    tokens: TokenRule = parameter("ascii", 'split predictions at "ascii" (official) or "unicode" white space')

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("imeasure", "cap", self.cap)
        if self.objective[:1] not in ASPECTS or self.objective[1:] not in MEASURES:
            known = f"d (detection) or c (correction), followed by one of {', '.join(MEASURES)}, such as cwacc"
            raise InputError(f"imeasure: objective={self.objective!r} is unknown", fix=f"Use {known}")
        check_number("imeasure", "weight", self.weight, least=-1e6)
        check_number("imeasure", "beta", self.beta)
        if self.mixing == "cap" and self.beyond == "unmixed" and self.optimise == "corpus":
            raise InputError(
                "imeasure: optimise=corpus cannot be combined with mixing=cap and beyond=unmixed",
                fix="Use beyond=excluded, or optimise=sentence",
            )

    def goal(self) -> Objective:
        """Return the options that decide which reference is chosen."""
        aspect, metric = ASPECTS.index(self.objective[0]), MEASURES.index(self.objective[1:])
        return Objective(aspect, metric, self.optimise == "corpus", self.weight, self.beta)

    @property
    def reference_policy(self) -> Policy:
        """The policy for a single row per sentence.

        There is only one row, because references are chosen while counting.
        """
        return OrderDependent() if self.optimise == "corpus" else SingleRow()

    def select(self, corpus: Corpus, predictions: Sequence[str]) -> ChosenReferences:
        """Choose a reference for every sentence."""
        return select_references(corpus, predictions, self)

    def count(self, corpus: Corpus, predictions: Sequence[str]) -> Statistics:
        """Return the counts of each sentence, in one row.

        A row has the counts of detection, correction and baseline, then 1 if the sentence was scored.
        """
        selection = self.select(corpus, predictions)
        if not selection.scored.any():
            raise InputError(
                "every sentence was excluded, so there is nothing to score", fix="Use a larger cap or beyond=unmixed"
            )
        counts = np.column_stack([selection.counts, selection.scored])
        return Statistics(counts, np.arange(len(corpus) + 1, dtype=np.int64), selection.diagnostics)

    def values(self, totals: npt.NDArray[Any]) -> Values:
        """Return I of the aspect "correction", or NaN if no sentence was scored."""
        return np.where(totals[..., SCORED] > 0, improvement(totals, CORRECTION, self.weight), np.nan)

    def parts(self, totals: Counts) -> dict[str, float]:
        """Return counts and ratios of detection, correction and baseline."""
        total = totals[0]
        parts: dict[str, float] = {}
        for name, aspect in _ASPECTS.items():
            counts = total[aspect].tolist()
            parts |= {f"{name}_{count}": value for count, value in zip(COUNT_NAMES, counts, strict=True)}
            tp, _, fp, fn, _ = counts
            precision, recall = precision_recall(np.array([tp, tp + fp, tp + fn]))
            parts |= {
                f"{name}_precision": float(precision),
                f"{name}_recall": float(recall),
                f"{name}_f": float(f_beta_as_ieval(precision, recall, self.beta)),
                f"{name}_accuracy": float(weighted_accuracy(total[aspect], 1.0)),
                f"{name}_weighted_accuracy": float(weighted_accuracy(total[aspect], self.weight)),
                f"{name}_improvement": float(improvement(total, aspect, self.weight)),
            }
        baseline = total[BASELINE]
        return {
            **parts,
            "baseline_tn": int(baseline[1]),
            "baseline_fn": int(baseline[3]),
            "baseline_accuracy": float(weighted_accuracy(baseline, 1.0)),
            "baseline_weighted_accuracy": float(weighted_accuracy(baseline, self.weight)),
            "scored_sentences": int(total[SCORED]),
        }

    def explain(self, corpus: Corpus, predictions: Sequence[str], sentences: Sequence[int]) -> list[Explanation]:
        """Show the alignments of some sentences with their chosen references.

        `Metric.explain` documents the arguments.
        """
        selection, sources = self.select(corpus, predictions), spaced_sources(corpus)
        outputs = {i: " ".join(split_tokens(predictions[i], self.tokens)) for i in sentences}
        return [explain_sentence(selection, i, sources[i], outputs[i], self.weight) for i in sentences]

    def outcome_fields(self, diagnostics: Mapping[str, int]) -> dict[str, object]:
        """Return the number of sentences that could not be mixed within the limits."""
        capped = diagnostics.get("capped_sentences", 0)
        return {"capped": capped} if capped else {}

    def warn_of_outcome(self, score: Score, name: str) -> None:
        """Warn that sentences could not be mixed within the limits."""
        if capped := score.diagnostics.get("capped_sentences", 0):
            warnings.warn(
                f"{name}: scored {counted(capped, 'sentence')} without mixing, because of too many mixed references. "
                "Use imeasure(mixing=strict) to make this an error.",
                MixingLimitWarning,
                stacklevel=2,
            )

    def sentence_values(self, statistics: Statistics) -> Values:
        """Return I of each sentence's correction, or NaN if the sentence was excluded."""
        return self.values(statistics.counts)

    def signature_fields(self, corpus: Corpus) -> dict[str, object]:
        """Return gold, mixing, objective, weights and tokens."""
        gold = {"groups": "groups", "annotations": "edits", "references": f"rewrites:{corpus.reference_range()}"}
        return {
            "gold": gold[self.gold(corpus)],
            "mixing": f"cap:{self.cap}:{self.beyond}" if self.mixing == "cap" else self.mixing,
            "max": self.objective,
            "by": self.optimise,
            "weight": self.weight,
            "beta": self.beta,
            "split": "treebank" if self.treebank else "blanks",
            "tok": self.tokens,
        }

    @staticmethod
    def signature_parameters(signature: Signature) -> dict[str, Any]:
        """Return the parameters stored in a signature."""
        kind, *capped = signature["mixing"].split(":")
        return {
            "mixing": MIXING_WORDS[kind],
            **({"cap": int(capped[0]), "beyond": capped[1]} if capped else {}),
            "objective": signature["max"],
            "optimise": signature["by"],
            "weight": float(signature["weight"]),
            "beta": float(signature["beta"]),
            "treebank": signature["split"] == "treebank",
            "tokens": signature["tok"],
        }


def weighted_accuracy(counts: npt.NDArray[Any], weight: float) -> Values:
    """Return the weighted accuracy (WAcc) of counts, or 1 without tokens.

    The counts are TP, TN, FP, FN and FPN (§2.3.1 of the paper). Weight 1 gives the plain accuracy (Acc).
    """
    tp, tn, fp, fn, fpn = (counts[..., k].astype(np.float64) for k in range(5))
    right = weight * tp + tn
    whole = weight * (tp + fp) + tn + fn - (weight + 1) * fpn / 2
    return np.where(whole != 0, right / np.where(whole != 0, whole, 1), 1.0)


def improvement(totals: npt.NDArray[Any], aspect: slice, weight: float) -> Values:
    """Return the improvement I of an aspect (§2.3.3 of the paper).

    I is computed from the weighted accuracies of system and baseline.
    """
    system = weighted_accuracy(totals[..., aspect], weight)
    baseline = weighted_accuracy(totals[..., BASELINE], weight)
    with np.errstate(divide="ignore"):  # possible only with a negative weight
        better = (system - baseline) / np.where(system > baseline, 1 - baseline, 1)
        worse = system / np.where(system < baseline, baseline, 1) - 1
    return np.where(system == baseline, np.floor(system), np.where(system > baseline, better, worse))


@dataclass(frozen=True)
class ChosenReferences:
    """The references chosen for the sentences, with counts and status.

    Counts are TP TN FP FN FPN for detection, for correction and for the unchanged source. The status 0 means that the
    sentence was scored. The work of the search is the numbers of references, alignments and alignment cells.
    `reference(i)` returns the reference of sentence i.
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


Mixable = tuple[Sequence[int], Sequence[str], MixedGold, KnownLines]
_MIXABLE: CorpusCache[Mixable] = CorpusCache()


def select_references(corpus: Corpus, predictions: Sequence[str], metric: IMeasure) -> ChosenReferences:
    """Choose a reference for each sentence.

    If a sentence cannot be scored, raise an error that names this sentence.
    """
    sources = spaced_sources(corpus)
    parts: list[tuple[Sequence[int], ChosenReferences]] = []
    left: Sequence[int] = range(len(corpus))
    excluding = metric.mixing == "cap" and metric.beyond == "excluded"
    # 1. Mix all sentences, or those with independent groups and at most `cap` combinations (section 3).
    if metric.mixing:
        inside, kept, gold, known = _mixable(corpus, metric)
        chosen = choose_mixed(kept, [predictions[i] for i in inside], gold, known, metric)
        if metric.mixing != "cap":  # a search limit must not prevent scoring the corpus
            strict = metric.mixing == "strict" or metric.optimise == "corpus"
            _check_status(corpus, chosen.status, inside, set(REFUSALS) if strict else {COLLIDES})
        parts.append((inside, chosen))
        mixed = {i for i, scored in zip(inside, chosen.scored, strict=True) if scored}
        left = [i for i in range(len(corpus)) if i not in mixed]
    # 2. Score the others against their unmixed references, unless they are excluded.
    if left and not excluding:
        references = listed_references(corpus, metric.treebank, left)
        chosen = choose_listed([sources[i] for i in left], [predictions[i] for i in left], references, metric)
        _check_status(corpus, chosen.status, left, set(REFUSALS))
        parts.append((left, chosen))
    joined = _join(len(corpus), parts)
    scored = int(joined.scored.sum())
    diagnostics = {
        **joined.diagnostics,
        "bridged_sentences": int(mixed_gold(corpus, metric.treebank).bridged.sum()) if metric.mixing else 0,
        "capped_sentences": len(left) if metric.mixing is True else 0,
        "unmixed_sentences": 0 if excluding else len(left),
        "excluded_sentences": len(corpus) - scored,
    }
    return replace(joined, diagnostics=diagnostics)


def _mixable(corpus: Corpus, metric: IMeasure) -> Mixable:
    """Return the sentences to mix with their sources, groups and tokens, cached."""
    key = metric.treebank, metric.mixing == "cap" and metric.cap, metric.tokens
    found = _MIXABLE.get(corpus, key)
    if found is not None:
        return found
    gold, sources = mixed_gold(corpus, metric.treebank), spaced_sources(corpus)
    inside: Sequence[int] = range(len(corpus))
    if metric.mixing == "cap":
        within = [mixes <= metric.cap for mixes in gold.combinations()]
        inside = [i for i, clean in enumerate((~gold.bridged).tolist()) if clean and within[i]]
        gold, sources = gold.select(inside), [sources[i] for i in inside]
    known = known_lines(sources, gold.texts, metric.tokens)
    return _MIXABLE.put(corpus, key, (inside, sources, gold, known))


def _check_status(corpus: Corpus, status: npt.NDArray[np.int32], sentences: Sequence[int], refused: set[int]) -> None:
    """Raise an error for the first sentence whose status is in `refused`."""
    failed = np.flatnonzero(np.isin(status, list(refused)))
    if len(failed):
        problem, fix = REFUSALS[int(status[failed[0]])]
        raise InputError(f"sentence {(corpus.ids or ())[sentences[int(failed[0])]]}: {problem}", fix=fix)


def _join(size: int, parts: Sequence[tuple[Sequence[int], ChosenReferences]]) -> ChosenReferences:
    """Join the references chosen for parts of a corpus.

    Sentences that are in no part are excluded.
    """
    counts: Counts = np.zeros((size, 15), dtype=np.int64)
    status = np.full(size, EXCLUDED, dtype=np.int32)
    work = np.zeros((size, 3), dtype=np.int64)
    owners = np.zeros((size, 2), dtype=np.int64)  # the part of each sentence, and its position there
    for number, (sentences, part) in enumerate(parts):
        places = np.asarray(sentences, dtype=np.int64)
        counts[places[part.scored]] = part.counts[part.scored]
        status[places] = part.status
        work[places] += part.work
        owners[places] = np.column_stack([np.full(len(places), number), np.arange(len(places))])

    def reference(i: int) -> str:
        number, place = map(int, owners[i])
        return parts[number][1].reference(place)

    offered, alignments, cells = map(sum, work.T.tolist())
    diagnostics = {"alignments_asked": offered, "alignments_done": alignments, "alignment_cells": cells}
    return ChosenReferences(counts, status, work, reference, diagnostics)


def choose_listed(
    sources: Sequence[str], predictions: Sequence[str], references: Sequence[Sequence[str]], metric: IMeasure
) -> ChosenReferences:
    """Choose one of the listed references of each sentence."""
    kernel = kernels.select("imeasure")
    texts, offsets = [text for group in references for text in group], offsets_of(references)
    known = known_lines(sources, texts, metric.tokens)
    source, reference = known.tokens[: len(sources)], known.tokens[len(sources) :]
    hypothesis = known.number(encode_lines(predictions))
    counts, status, cells = kernel.count_references(
        source, hypothesis, reference, offsets, metric.limits.cells, threads=kernels.threads()
    )
    rows = kernel.choose_listed(counts, offsets, metric.goal())
    offered = np.diff(offsets)
    return ChosenReferences(counts[rows], status, np.column_stack([offered, offered, cells]), lambda i: texts[rows[i]])


def choose_mixed(
    sources: Sequence[str],
    predictions: Sequence[str],
    gold: MixedGold,
    known: KnownLines,
    metric: IMeasure,
) -> ChosenReferences:
    """Choose one of the mixed references of each sentence without listing them.

    `known` are the `known_lines` of the sources and the gold texts.
    """
    source, correction = known.tokens[: len(sources)], known.tokens[len(sources) :]
    hypothesis = known.number(encode_lines(predictions))
    picks, counts, status, work = kernels.select("imeasure").choose_mixed(
        source,
        hypothesis,
        gold.arrays(correction),
        metric.goal(),
        metric.limits,
        threads=kernels.threads(),
    )

    def reference(i: int) -> str:
        begin, end = gold.flat.group_offsets[i : i + 2]
        return gold.reference(i, sources[i], picks[begin:end].tolist())

    return ChosenReferences(counts, status, work[:, :3], reference)


def known_lines(sources: Sequence[str], gold: Sequence[str], rule: TokenRule) -> KnownLines:
    """Convert the tokens of sources and gold texts to integers.

    The only white space in these lines is single spaces, so every `rule` splits them into the same tokens.
    """
    return KnownLines.of([encode_lines(sources), encode_lines(gold)], rule)


GAP = "–"
_MEANINGS: dict[Mark, str] = {
    "match": "TP: a change that the system makes and that is in the reference",
    "miss": "FN: a change in the reference that the system does not make",
    "wrong": "FP, FPN: a change that the system makes, but that is not in the reference",
    "note": "TN: the same in source, system and reference",
}
_MARKS: dict[str, Mark] = {"TP": "match", "TN": "note", "FP": "wrong", "FN": "miss"}


def explain_sentence(
    selection: ChosenReferences, sentence: int, source: str, prediction: str, weight: float
) -> Explanation:
    """Explain a sentence (counted from 0) against its chosen reference.

    The tokens of `source` and `prediction` are separated by single spaces.
    """
    if not selection.scored[sentence]:
        rows = [Row("source", [Cell(source)]), Row("system", [Cell(prediction)])]
        title = f"Sentence {sentence + 1}: excluded, because its references were not mixed"
        return Explanation(title, rows, meanings=_MEANINGS)
    columns = align_tokens(source, prediction, selection.reference(sentence))
    classes = [classify(*column) for column in columns]
    texts = (("source", 0), ("system", 1), ("reference", 2))
    rows = [Row(label, [Cell(column[k] or GAP) for column in columns]) for label, k in texts]
    for label, k in (("detection", 0), ("correction", 1)):
        rows.append(Row(label, [Cell(names[k], _MARKS[names[k][:2]]) for names in classes]))
    tally = dict(zip(map(str.upper, COUNT_NAMES), selection.counts[sentence][CORRECTION].tolist(), strict=True))
    return Explanation(_title(selection, sentence, tally, weight), rows, True, tally, _MEANINGS)


def _title(selection: ChosenReferences, sentence: int, tally: Mapping[str, int], weight: float) -> str:
    counts = selection.counts[sentence]
    system, baseline = (float(weighted_accuracy(counts[part], weight)) for part in (CORRECTION, BASELINE))
    gained = float(improvement(counts, CORRECTION, weight))
    listed = " ".join(f"{name} {count}" for name, count in tally.items())
    return (
        f"Sentence {sentence + 1}: I {percent(gained)}, WAcc {percent(system)} (source {percent(baseline)}); {listed}"
    )


def align_tokens(source: str, prediction: str, reference: str) -> list[tuple[str | None, str | None, str | None]]:
    """Return the official alignment of three texts, as columns.

    The tokens of the texts are separated by single spaces. In the columns, None is a gap.
    """
    texts = (source, prediction, reference)
    numbers = intern_lines(texts, "ascii")
    columns = kernels.select("imeasure").align(*(np.ascontiguousarray(numbers[k : k + 1].ids) for k in range(3)))
    words = [split_tokens(text, "ascii") for text in texts]
    return [
        tuple(None if place < 0 else words[text][place] for text, place in enumerate(column))  # type: ignore[misc]
        for column in columns.tolist()
    ]


def classify(source: str | None, prediction: str | None, reference: str | None) -> tuple[str, str]:
    """Return the classes of a column for detection and for correction.

    See Table 6 of Felice & Briscoe 2015.
    """
    detection, correction = (
        " ".join(COUNT_NAMES[k].upper() for k in classes) for classes in classify_column(source, prediction, reference)
    )
    return detection, correction

"""CLEME and CLEME 2.0 (Ye et al. 2023, 2025), equal to the official program."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from gecbench.corpus.corpus import Corpus, CorpusCache, Gold
from gecbench.corpus.edits import EditTable, check_apart, span
from gecbench.display import percent
from gecbench.errors import InputError, counted
from gecbench.kernels.greedy import ten_thousandths
from gecbench.metrics.base import Counts, Metric, Signature, Statistics, Values, mean_count, parameter
from gecbench.metrics.errant import ERRANT
from gecbench.metrics.errant_annotate import DEFAULT_MODEL
from gecbench.metrics.explain import Cell, Explanation, Mark, Row
from gecbench.metrics.policy import BestRow, GreedyObjective, Policy, SingleRow

Assumption = Literal["dependent", "independent"]
Weighting = Literal["length", "none"]
Tokens = Sequence[str]
Edits = list[tuple[int, int, Tokens]]  # start, end and correction, in text order, without overlaps
Factors = tuple[float, float, float, float]
Columns = Sequence[Any] | npt.NDArray[Any]  # totals in the order of KINDS, each a number or an array

KINDS = ("TP", "FP_ne", "FP_un", "FN", "TN")  # the columns of the counts
TP, FP_NE, FP_UN, FN, TN = range(5)
CORPUS_FACTORS: Factors = (0.45, 0.35, 0.15, 0.05)
SENTENCE_FACTORS: Factors = (0.35, 0.25, 0.20, 0.20)
_LEAST_WEIGHT, _MOST_WEIGHT = 0.75, 1.25
_MOST_CHUNKS = 250_000  # limit for the changed chunks of a sentence times its annotators
_WEIGHT_UNIT = 2**36  # weights are stored as integers: a weight of 1 is this many units
_MARKS: tuple[Mark, ...] = ("match", "wrong", "wrong", "miss", "plain")
_MEANINGS: dict[Mark, str] = {
    "match": "TP: changed as in the reference",
    "wrong": "FP: changed, but not as in the reference (FP_un: the reference does not change it)",
    "miss": "FN: not changed, but the reference changes it",
}


class Chunk(NamedTuple):
    """A part [start, end) of the source, and what each text has in its place.

    `targets` holds the tokens of each text for this part, and `changed` whether the text edits the part. The system's
    text comes first, then the references.
    """

    start: int
    end: int
    targets: list[Tokens]
    changed: list[bool]

    def length(self, text: int = 0) -> int:
        """Return the length in the source or in a text, whichever is larger.

        Text 0 is the system's.
        """
        return max(self.end - self.start, len(self.targets[text]))

    def kinds(self, assumption: Assumption) -> list[int]:
        """Classify the system's chunk.

        If `assumption` is "dependent", the chunk is classified against each reference. If it is "independent", the
        chunk is classified once, against all references.
        """
        ours, *theirs = self.targets
        changes, *others = self.changed
        if assumption == "dependent":
            if not changes:
                return [TN if ours == target else FN for target in theirs]
            pairs = zip(theirs, others, strict=True)
            return [TP if ours == target else FP_NE if changed else FP_UN for target, changed in pairs]
        if not changes:
            return [FN if all(others) else TN]
        return [TP if ours in theirs else FP_NE if any(others) else FP_UN]


def changed_parts(texts: Sequence[Edits]) -> list[tuple[int, int]]:
    """Return the parts of a source that at least one text edits.

    Edits that overlap or touch are in the same part.
    """
    merged: list[tuple[int, int]] = []
    for start, end in sorted([edit[:2] for edits in texts for edit in edits]):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def chunk_at(start: int, end: int, tokens: Tokens, texts: Sequence[Edits]) -> Chunk:
    """Return the chunk for a part of the source.

    The edits of each text must be sorted.
    """
    inside = [edits[bisect_left(edits, start, key=_start) : bisect_right(edits, end, key=_start)] for edits in texts]
    source = tokens[start:end]
    targets = [_apply(edits, start, end, tokens) if edits else source for edits in inside]
    return Chunk(start, end, targets, [bool(edits) for edits in inside])


def _apply(edits: Edits, start: int, end: int, tokens: Tokens) -> Tokens:
    """Return the tokens [start, end) with edits applied."""
    target: list[str] = []
    for first, last, correction in edits:
        target += tokens[start:first]
        target += correction
        start = last
    target += tokens[start:end]
    return target


def unchanged_parts(changed: Sequence[tuple[int, int]], tokens: Tokens) -> list[tuple[int, int]]:
    """Return the parts of a source before, between and after the changed parts."""
    if not changed:
        return [(0, len(tokens))]
    starts, ends = [0, *(end for _, end in changed)], [*(start for start, _ in changed), len(tokens)]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if start < end]


def split_chunks(tokens: Tokens, texts: Sequence[Edits]) -> list[Chunk]:
    """Split a source into changed and unchanged chunks, in text order."""
    changed = changed_parts(texts)
    kept = [
        Chunk(start, end, [tokens[start:end]] * len(texts), [False] * len(texts))
        for start, end in unchanged_parts(changed, tokens)
    ]
    return sorted([*kept, *(chunk_at(*place, tokens, texts) for place in changed)], key=_place)


def edits_by_sentence(sources: Sequence[str], table: EditTable) -> list[list[Edits]]:
    """Return the sorted edits of each annotator of each sentence.

    Overlapping edits are an error. As in the official program, `x||y` is one correction, and a correction whose first
    word is `-NONE-` is a deletion.
    """
    corrections = [_correction("||".join(texts)) for texts in table.alternatives]
    columns = (table.starts.tolist(), table.ends.tolist(), [corrections[k] for k in table.corrections.tolist()])
    edits = list(zip(*columns, strict=True))
    rows = [edits[begin:end] for begin, end in pairwise(table.edit_offsets.tolist())]
    found = [rows[begin:end] or [[]] for begin, end in pairwise(table.row_offsets.tolist())]
    for i, annotators in enumerate(found):
        for row, annotator in enumerate(annotators):
            if len(annotator) > 1:
                annotator.sort(key=_place)
                if any(left[1] > right[0] for left, right in pairwise(annotator)):
                    check_apart(sources[i], sorted(table.annotations[i][row].edits, key=span))
    return found


_place, _start = itemgetter(0, 1), itemgetter(0)


def _correction(text: str) -> Tokens:
    words = text.split()
    return [] if words[:1] == ["-NONE-"] else words


def _is_empty(tokens: Tokens, edits: Edits) -> bool:
    """Return whether a text has no tokens left."""
    return len(tokens) + sum(len(correction) - (end - start) for start, end, correction in edits) == 0


class GoldTexts(NamedTuple):
    """The tokens of each source, and the edits of its references.

    References that delete everything are left out.
    """

    tokens: Sequence[Tokens]
    references: list[list[Edits]]
    annotators: list[list[int]]

    @classmethod
    def of(cls, sources: Sequence[str], table: EditTable) -> GoldTexts:
        """Convert a table of edits.

        References that delete the whole sentence are left out. If all references do, the first is kept.
        """
        tokens = [source.split() for source in sources]
        numbers, bounds = table.annotators.tolist(), pairwise(table.row_offsets.tolist())
        references, annotators = [], []
        for words, found, (begin, end) in zip(tokens, edits_by_sentence(sources, table), bounds, strict=True):
            kept = [k for k, edits in enumerate(found) if not _is_empty(words, edits)] or [0]
            references.append([found[k] for k in kept])
            annotators.append([numbers[begin + k] if begin < end else 0 for k in kept])
        return cls(tokens, references, annotators)


_GOLD_TEXTS: CorpusCache[GoldTexts] = CorpusCache()


@dataclass(frozen=True)
class CLEME(Metric):
    """CLEME: F0.5 of chunks, or the comprehensive score of CLEME 2.0.

    A sentence is split into chunks so that no edit of any text is cut. A chunk that the system changed is correct (TP)
    if the reference has the same tokens there. Otherwise it is wrong: FP_ne if the reference changes it too, FP_un if
    nothing needed to change. A chunk that only the reference changes is missed (FN).

    Predictions and gold are edits (an M2 file, `EditedTexts`) or texts. The installed `errant` extracts edits from
    texts. Sentence scores follow the official program: version 1 rounds them to four decimals, and version 2 weights
    its four rates (see `version`) differently than in the corpus score.

    Args:
        version: 1 computes F0.5. 2 computes a weighted sum of four rates. Hits (TP), errors (FP_ne) and
            under-corrections (FN) are shares of the chunks to change. Over-corrections (FP_un) are a share of the
            chunks that the system changed.
        assumption: "dependent" compares with one reference at a time and uses the reference with the best running
            score. "independent" compares each chunk with all references at once.
        weights: "length" gives long chunks more weight if they are correct or missed, and less if they are wrong.
            These weights lie between 0.75 and 1.25. "none" gives every chunk the weight 1.
        model: For plain text: the spaCy pipeline (an installed package or a folder).

    Raises:
        InputError: A parameter has an unknown value.

    >>> from gecbench import EditedTexts
    >>> from gecbench.formats.m2 import parse_m2
    >>> gold = parse_m2(["S She like cat .", "A 1 2|||R:VERB:SVA|||likes|||REQUIRED|||-NONE-|||0",
    ...                  "A 2 3|||R:NOUN:NUM|||cats|||REQUIRED|||-NONE-|||0"])
    >>> ours = parse_m2(["S She like cat .", "A 0 1|||R:PRON|||He|||REQUIRED|||-NONE-|||0"])
    >>> score = CLEME(weights="none").score_corpus(gold, EditedTexts.of(ours.sources, ours.annotations))
    >>> [score.parts[name] for name in ("tp", "fp_ne", "fp_un", "fn", "tn")]
    [0, 1, 0, 0, 1]
    """

    name: ClassVar[str] = "cleme"
    title: ClassVar[str] = "CLEME"
    description: ClassVar[str] = (
        "F0.5 of chunks (parts of a sentence); version=2 combines hit, error, under- and over-correction rates"
    )
    papers: ClassVar[str] = "Ye et al. 2023, 2025"
    golds: ClassVar[tuple[Gold, ...]] = ERRANT.golds
    extra: ClassVar[str | None] = ERRANT.extra
    requires: ClassVar[Mapping[str, str]] = ERRANT.requires
    explains: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = ("precision", "recall", "ove")
    lower_is_better: ClassVar[tuple[str, ...]] = ("ove",)
    part_titles: ClassVar[Mapping[str, str]] = {"ove": "over-correction"}

    version: Literal[1, 2] = parameter(1, "1 for F0.5, 2 for the comprehensive score of CLEME 2.0")
    assumption: Assumption = parameter(
        "dependent", '"dependent" (one reference at a time) or "independent" (all references at once)'
    )
    weights: Weighting = parameter("length", 'weight chunks by "length", or "none"')
    model: str = parameter(DEFAULT_MODEL, "for plain text: the spaCy pipeline (an installed package or a folder)")

    @property
    def errant(self) -> ERRANT:
        """The ERRANT metric that extracts edits from texts."""
        return ERRANT(model=self.model)

    @property
    def reference_policy(self) -> Policy:
        """The policy that chooses the reference with the best running score.

        Independent chunks need no choice.
        """
        return SingleRow() if self.assumption == "independent" else BestSoFar(self.version)

    @property
    def _unit(self) -> int:
        """The integer that stands for a weight of 1."""
        return 1 if self.weights == "none" else _WEIGHT_UNIT

    def check_parts(self) -> None:
        """Raise an error for options with which a corpus cannot be scored in parts.

        `weights="length"` needs the mean length of the chunks that references change in the whole corpus.
        """
        if self.weights == "length":
            raise InputError(
                "cleme: weights=length needs the lengths of all chunks of the corpus",
                fix="Score the whole corpus at once, or use weights=none",
            )

    def gold_texts(self, corpus: Corpus) -> GoldTexts:
        """Return the edits of the references of each sentence, cached."""
        found = _GOLD_TEXTS.get(corpus, self.model)
        if found is None:
            found = _GOLD_TEXTS.put(corpus, self.model, GoldTexts.of(corpus.sources, self.errant.gold_table(corpus)))
        return found

    def system_edits(self, corpus: Corpus, predictions: Sequence[str]) -> list[Edits]:
        """Return the system's edits of each sentence."""
        found = edits_by_sentence(corpus.sources, self.errant.system_table(corpus, predictions))
        for i, annotators in enumerate(found):
            if len(annotators) > 1:
                raise InputError(
                    f"cleme: the predictions have edits of {len(annotators)} annotators for sentence {i + 1}",
                    fix="Give the edits of one annotator",
                )
        return [annotators[0] for annotators in found]

    def count(self, corpus: Corpus, predictions: Sequence[str]) -> Statistics:
        """Return TP, FP_ne, FP_un, FN and TN of each sentence.

        Dependent chunks have one row per reference, and independent chunks have one row. With length weights, each
        number is a sum of weights in units of 2^-36, because counts are integers.
        """
        gold = self.gold_texts(corpus)
        rows: list[int] = []
        kinds: list[int] = []
        lengths: list[int] = []
        changed_lengths: list[int] = []
        unchanged: list[int] = []
        offsets = [0]
        texts = zip(gold.tokens, self.system_edits(corpus, predictions), gold.references, strict=True)
        for tokens, ours, theirs in texts:
            compared = [ours, *theirs]
            first, last = offsets[-1], offsets[-1] + (len(theirs) if self.assumption == "dependent" else 1)
            changed = changed_parts(compared)
            if len(changed) * len(theirs) > _MOST_CHUNKS:
                raise InputError(
                    f"cleme: sentence {len(offsets)} is too large: {counted(len(theirs), 'annotator')} × "
                    f"{counted(len(changed), 'changed chunk')}",
                    fix=f"Keep fewer annotators, so that this product is at most {_MOST_CHUNKS:,}",
                )
            for start, end in changed:
                chunk = chunk_at(start, end, tokens, compared)
                rows += range(first, last)
                kinds += chunk.kinds(self.assumption)
                lengths += [chunk.length()] * (last - first)
                changed_lengths += [chunk.length(k) for k, is_changed in enumerate(chunk.changed) if is_changed and k]
            unchanged += [len(unchanged_parts(changed, tokens))] * (last - first)
            offsets.append(last)
        counts = np.zeros((offsets[-1], len(KINDS)), dtype=np.int64)
        counts[:, TN] = np.array(unchanged, dtype=np.int64) * self._unit
        places = np.array([rows, kinds], dtype=np.int64)
        np.add.at(counts, tuple(places), self._weigh(places[1], np.array(lengths), changed_lengths))
        return Statistics(counts, np.array(offsets, dtype=np.int64))

    def _weigh(self, kinds: npt.NDArray[Any], lengths: npt.NDArray[Any], changed: Sequence[int]) -> Counts:
        """Return the weight of each chunk.

        `changed` holds the lengths of the chunks that references change. Let m be the mean of `changed`. A chunk of
        length l has the weight 2 / (1 + e^(m - l)) if it is correct or missed, and 2 / (1 + e^(l - m)) if it is wrong.
        Weights are clipped to 0.75 and 1.25. If no reference changes anything, all weights are 1. The official program
        returns NaN in this case.
        """
        if self.weights == "none":
            return np.ones(len(kinds), dtype=np.int64)
        # Weights reach their limits at exponents of ±0.51, so clipping exponents at ±1 only avoids overflow.
        beyond = np.clip(lengths - np.mean(changed), -1, 1) if changed else np.zeros(len(kinds))
        wrong = (kinds == FP_NE) | (kinds == FP_UN)
        weights = np.clip(2 / (1 + np.exp(np.where(wrong, beyond, -beyond))), _LEAST_WEIGHT, _MOST_WEIGHT)
        scaled: Counts = np.rint(np.where(kinds == TN, 1.0, weights) * _WEIGHT_UNIT).astype(np.int64)
        return scaled

    def explain(self, corpus: Corpus, predictions: Sequence[str], sentences: Sequence[int]) -> list[Explanation]:
        """Show the chunks of some sentences, and how they are classified.

        `Metric.explain` documents the arguments.
        """
        statistics, gold = self.count(corpus, predictions), self.gold_texts(corpus)
        policy, system = self.reference_policy, self.system_edits(corpus, predictions)
        rows = policy.chosen(statistics) if isinstance(policy, BestSoFar) else statistics.offsets[:-1]
        places, values = (rows - statistics.offsets[:-1]).tolist(), self.sentence_values(statistics).tolist()
        found = []
        for i in sentences:
            chunks = split_chunks(gold.tokens[i], [system[i], *gold.references[i]])
            texts = dict(enumerate(gold.annotators[i], start=1))
            if self.assumption == "dependent":
                texts = {places[i] + 1: texts[places[i] + 1]}
            kinds = [chunk.kinds(self.assumption)[places[i]] for chunk in chunks]
            counts = {name: kinds.count(k) for k, name in enumerate(KINDS)}
            title = f"Sentence {i + 1}: CLEME {percent(values[i])}"
            cells = _explain_chunks(gold.tokens[i], chunks, kinds, texts)
            found.append(Explanation(title, cells, aligned=True, counts=counts, meanings=_MEANINGS))
        return found

    def values(self, totals: npt.NDArray[Any]) -> Values:
        """Return F0.5, or the comprehensive score."""
        columns = np.moveaxis(totals, -1, 0)
        values: Values = f_half(columns) if self.version == 1 else comprehensive(columns, CORPUS_FACTORS)
        return values

    def parts(self, totals: Counts) -> dict[str, float]:
        """Return precision, recall, accuracy, the rates of CLEME 2.0, and the counts.

        With length weights, the counts are sums of weights.
        """
        tp, fp_ne, fp_un, fn, tn = columns = totals.T
        precision, recall = chunk_precision_recall(columns)
        ratios = {"precision": precision, "recall": recall, "accuracy": accuracy(columns)}
        ratios |= dict(zip(("hit", "err", "und", "ove"), rates(columns), strict=True))
        counts = {"tp": tp, "fp": fp_ne + fp_un, "fn": fn, "tn": tn, "fp_ne": fp_ne, "fp_un": fp_un}
        means = {name: mean_count(found) for name, found in counts.items()}
        if self.weights == "length":
            means = {name: mean / self._unit for name, mean in means.items()}
        return {name: float(found.mean()) for name, found in ratios.items()} | means

    @staticmethod
    def undefined_parts(parts: Mapping[str, float]) -> frozenset[str]:
        """Return the parts that are 0/0, including `ove` if nothing was changed."""
        found = Metric.undefined_parts(parts)
        return found | {"ove"} if "precision" in found else found

    def sentence_values(self, statistics: Statistics) -> Values:
        """Return the official score of each sentence, with its best reference."""
        policy = BestAlone(self.version)
        return policy.criteria(statistics.counts[policy.chosen(statistics)])[0]

    def signature_fields(self, corpus: Corpus) -> dict[str, object]:
        """Return version, assumption, weights and gold."""
        rewrites = self.gold(corpus) == "references"
        return {
            "edition": self.version,
            "assumption": self.assumption,
            "weights": self.weights,
            "gold": f"rewrites:{corpus.reference_range()}" if rewrites else "edits",
        }

    def reading_fields(self, corpus: Corpus, predictions: Sequence[str]) -> dict[str, object]:
        """Return ERRANT's signature fields, which state how edits were extracted."""
        return self.errant.reading_fields(corpus, predictions)

    @staticmethod
    def signature_parameters(signature: Signature) -> dict[str, Any]:
        """Return the parameters stored in a signature."""
        return {
            "version": int(signature["edition"]),
            "assumption": signature["assumption"],
            "weights": signature["weights"],
            "model": signature.get("model", DEFAULT_MODEL).partition(":")[0],
        }


def _explain_chunks(
    tokens: Tokens, chunks: Sequence[Chunk], kinds: Sequence[int], texts: Mapping[int, int]
) -> list[Row]:
    """Show chunks side by side: source, system and annotators.

    `texts` gives the annotator of each shown reference.
    """
    pairs = list(zip(chunks, kinds, strict=True))
    return [
        Row("source", [Cell(_shown(tokens[chunk.start : chunk.end])) for chunk in chunks]),
        Row("system", [Cell(_shown(chunk.targets[0]), _MARKS[kind]) for chunk, kind in pairs]),
        *(
            Row(f"annotator {annotator}", [Cell(_shown(chunk.targets[text])) for chunk in chunks])
            for text, annotator in texts.items()
        ),
        Row("counts as", [Cell(KINDS[kind], "note") for kind in kinds]),
    ]


def _shown(tokens: Tokens) -> str:
    return " ".join(tokens) or "∅"


def _divide(numerator: Any, denominator: Any, otherwise: float) -> Any:
    """Return a ratio, or `otherwise` if the denominator is 0."""
    if isinstance(denominator, np.ndarray):
        return np.where(denominator > 0, numerator / np.where(denominator > 0, denominator, 1), otherwise)
    return numerator / denominator if denominator > 0 else otherwise


def chunk_precision_recall(totals: Columns) -> tuple[Any, Any]:
    """Return precision and recall, each 1 if its denominator is 0."""
    tp, fp_ne, fp_un, fn, _ = totals
    return _divide(tp, tp + fp_ne + fp_un, 1.0), _divide(tp, tp + fn, 1.0)


def f_half(totals: Columns) -> Any:
    """Return F0.5, or 0 if precision and recall are 0."""
    precision, recall = chunk_precision_recall(totals)
    return _divide(1.25 * precision * recall, 0.25 * precision + recall, 0.0)


def accuracy(totals: Columns) -> Any:
    """Return the share of correct chunks, changed or not."""
    return _divide(totals[TP] + totals[TN], sum(totals), 0.0)


def rates(totals: Columns) -> tuple[Any, Any, Any, Any]:
    """Return the rates of hits, errors, under-corrections and over-corrections.

    Each rate is 0 if its denominator is 0.
    """
    tp, fp_ne, fp_un, fn, _ = totals
    necessary = tp + fp_ne + fn
    hit, err, und = (_divide(found, necessary, 0.0) for found in (tp, fp_ne, fn))
    return hit, err, und, _divide(fp_un, tp + fp_ne + fp_un, 0.0)


def comprehensive(totals: Columns, factors: Factors) -> Any:
    """Return the weighted sum of the hit rate and 1 minus each of the other rates."""
    hit, err, und, ove = rates(totals)
    return factors[0] * hit + factors[1] * (1 - err) + factors[2] * (1 - und) + factors[3] * (1 - ove)


def _rounded(value: Any) -> Any:
    """Round to four decimals as Python does."""
    return ten_thousandths(value) / 10000 if isinstance(value, np.ndarray) else round(value, 4)


@dataclass(frozen=True)
class BestSoFar(GreedyObjective):
    """Choose the reference with the best running score.

    F0.5 is rounded to four decimals. Ties go to more TP, fewer FP, fewer FN and more TN for the sentence alone, then to
    the first reference. Chunks depend on all references of a sentence, so no reference can be left out afterwards.
    """

    one_row_per_reference: ClassVar[bool] = False

    version: int
    factors: Factors = CORPUS_FACTORS

    def objective(self, totals: Columns) -> Any:
        """Return the running score."""
        return _rounded(f_half(totals)) if self.version == 1 else comprehensive(totals, self.factors)

    def criteria(self, counts: Counts) -> Sequence[npt.NDArray[Any]]:
        """Return TP, negative FP, negative FN, and TN."""
        tp, fp_ne, fp_un, fn, tn = counts.T
        return tp, -(fp_ne + fp_un), -fn, tn


@dataclass(frozen=True)
class BestAlone(BestRow):
    """Choose the reference with the best score for the sentence alone.

    The official program chooses it in the same way for sentence scores.
    """

    version: int
    factors: Factors = SENTENCE_FACTORS

    def criteria(self, counts: Counts) -> Sequence[Values]:
        """Return the score of each row, then the values that break ties.

        For version 1, they are F0.5, precision, recall and accuracy, all rounded to four decimals. For version 2, they
        are the comprehensive score, the hit rate, and the other three rates negated.
        """
        totals = counts.T
        if self.version == 1:
            return [_rounded(each) for each in (f_half(totals), *chunk_precision_recall(totals), accuracy(totals))]
        hit, *others = rates(totals)
        return [comprehensive(totals, self.factors), hit, *(-each for each in others)]

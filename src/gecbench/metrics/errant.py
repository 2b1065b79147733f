"""ERRANT (Bryant et al. 2017): compare edits like `errant_compare`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from gecbench import kernels
from gecbench.corpus.corpus import Corpus, CorpusCache, Gold
from gecbench.corpus.derive import ungroup
from gecbench.corpus.edits import Annotation, EditedTexts, EditTable
from gecbench.display import percent, tracked
from gecbench.errors import InputError
from gecbench.kernels.errant import Comparison, EditFields, EditRows, Mode, Selection, count_pair
from gecbench.metrics import errant_annotate
from gecbench.metrics.base import (
    Counts,
    Metric,
    Signature,
    Statistics,
    Values,
    f_beta,
    mean_count,
    parameter,
    precision_recall,
)
from gecbench.metrics.errant_annotate import DEFAULT_MODEL, Annotator, Merge
from gecbench.metrics.explain import Cell, Explanation, Mark, Row
from gecbench.metrics.policy import BestPerSentence, GreedyCumulative, GreedyRounded


def tier(kind: str, level: int) -> str:
    """Return an error type at a tier.

    Tier 1 is the operation, tier 2 the category, and tier 3 the full type.

    >>> [tier("R:NOUN:NUM", level) for level in (1, 2, 3)]
    ['R', 'NOUN:NUM', 'R:NOUN:NUM']
    """
    if kind == "UNK" or level == 3:
        return kind
    return kind[:1] if level == 1 else kind[2:]


def at_tier(counts: Mapping[str, Sequence[int]], level: int) -> dict[str, list[int]]:
    """Return the counts at a tier.

    Counts of types that have the same name at this tier are added. Only `UNK` replaces earlier counts.
    """
    merged: dict[str, list[int]] = {}
    for kind, three in counts.items():
        name = tier(kind, level)
        before = [0, 0, 0] if kind == "UNK" else merged.get(name, [0, 0, 0])
        merged[name] = [have + more for have, more in zip(before, three, strict=True)]
    return merged


def _edit_rows(table: EditTable) -> EditRows:
    """Convert annotations to the kernel's arrays.

    A correction is one string, because ERRANT does not split alternatives at `||`.
    """
    return EditRows(
        table.row_offsets,
        table.edit_offsets,
        table.starts,
        table.ends,
        table.types,
        table.corrections + np.int32(len(table.strings)),
        [*table.strings, *map("||".join, table.alternatives)],
    )


def count_statistics(compared: Comparison) -> Statistics:
    """Return TP, TP + FP and TP + FN for each pair of annotators of each sentence."""
    return Statistics(*kernels.select("errant").count_pairs(compared))


def count_types(compared: Comparison, statistics: Statistics, rows: Counts) -> dict[str, list[int]]:
    """Return TP, FP and FN by error type.

    `rows` holds the row of counts chosen for each sentence.
    """
    found: dict[str, list[int]] = kernels.select("errant").count_types(compared, rows - statistics.offsets[:-1])
    return found


def _fields_of(annotation: Annotation) -> list[EditFields]:
    """Return edits with their corrections as one string."""
    return [(edit.start, edit.end, edit.type, "||".join(edit.corrections)) for edit in annotation.edits]


# The keys are the corpus, whether its gold edits are extracted again, and the errant annotator that extracts them.
_GOLD_TABLES: CorpusCache[EditTable] = CorpusCache()
_NO_EDITS = (Annotation(0, ()),)


def _make_gold_table(corpus: Corpus, reannotate: bool, annotator: Annotator | None) -> EditTable:
    if corpus.has("annotations") or corpus.has("groups"):
        annotated = corpus if corpus.has("annotations") else ungroup(corpus)
        if annotator is None or not reannotate:
            return annotated.edit_table() or EditTable.of(annotated.annotations or ())
        made = [
            [Annotation(one.annotator, annotator.reannotate(source, one.edits)) for one in sentence]
            for source, sentence in zip(corpus.sources, annotated.annotations or (), strict=True)
        ]
    elif corpus.references is None or annotator is None:
        fix = "Give annotations (an M2 file) or references"
        raise InputError(f"ERRANT needs annotations or references, but {corpus.name} has neither", fix=fix)
    else:
        rewrites = zip(corpus.sources, corpus.references, strict=True)
        made = [
            [Annotation(k, annotator.edits(source, text)) for k, text in enumerate(texts)]
            for source, texts in tracked(rewrites, len(corpus), "annotating references")
        ]
    return EditTable.of(made)


def _check_tokens(sources: Sequence[str], texts: Sequence[str], annotator: Annotator) -> None:
    """Raise an error if spaCy splits a source into other tokens than the gold.

    Edits of different tokens cannot be compared.
    """
    for i, (source, text) in enumerate(zip(sources, texts, strict=True)):
        if source.split() != text.split() and annotator.tokens(source) != source.split():
            raise InputError(
                f"errant: with tok=yes, spaCy splits source {i + 1} into other tokens than the gold edits use",
                fix="Leave out tok, or score against references",
            )


@dataclass(frozen=True)
class ErrantTypeScore:
    """The counts, precision, recall and F of a type, category or operation."""

    type: str
    tp: int
    fp: int
    fn: int
    precision: float
    recall: float
    value: float

    @property
    def gold(self) -> int:
        """The number of gold edits of this type."""
        return self.tp + self.fn

    @property
    def correct(self) -> int:
        """The number of gold edits of this type that the system made."""
        return self.tp

    def ratios(self) -> dict[str, float]:
        """Return the scores by column."""
        return {"P": self.precision, "R": self.recall, "F": self.value}

    def cells(self) -> dict[str, str]:
        """Return the table row by column."""
        counts = {"type": self.type, "TP": str(self.tp), "FP": str(self.fp), "FN": str(self.fn)}
        return counts | {column: percent(value) for column, value in self.ratios().items()}


def _type_scores(counts: Mapping[str, Sequence[int]], level: int, beta: float) -> list[ErrantTypeScore]:
    """Return the scores of error types at a tier, most frequent first."""
    scores = []
    for kind, (correct, wrong, missed) in at_tier(counts, level).items():
        precision, recall = precision_recall(np.array([correct, correct + wrong, correct + missed]))
        value = float(f_beta(precision, recall, beta))
        scores.append(ErrantTypeScore(kind, correct, wrong, missed, float(precision), float(recall), value))
    return sorted(scores, key=lambda score: (-score.tp - score.fn, -score.fp, score.type))


def _explain_pair(
    source: str, prediction: str, ours: Annotation, theirs: Annotation, selection: Selection, sentence: int
) -> Explanation:
    """Show the tokens of a sentence and the edits of system and annotator.

    `sentence` is counted from 0.
    """
    system, gold = _fields_of(ours), _fields_of(theirs)
    system_keys, gold_keys = selection.keyed(system), selection.keyed(gold)
    correct, proposed, wanted = count_pair(system_keys, gold_keys)
    counts = {"TP": correct, "FP": proposed - correct, "FN": wanted - correct}
    tally = ", ".join(f"{count} {name}" for name, count in counts.items())
    tokens = source.split()
    rows = [
        Row("source", [Cell(" ".join(tokens))]),
        Row("system", [Cell(" ".join(prediction.split()))]),
        Row("system edits", [_cell(tokens, edit, selection, set(gold_keys), "wrong") for edit in system] or [_NONE]),
        Row("gold edits", [_cell(tokens, edit, selection, set(system_keys), "miss") for edit in gold] or [_NONE]),
    ]
    title = f"Sentence {sentence + 1}, annotator {theirs.annotator}: {tally}"
    return Explanation(title, rows, counts=counts)


_NONE = Cell("none", "note")


def _cell(
    tokens: Sequence[str], edit: EditFields, selection: Selection, others: set[tuple[object, ...]], otherwise: Mark
) -> Cell:
    start, end, kind, correction = edit
    text = f"{' '.join(tokens[start:end]) or '∅'} → {correction or '∅'} [{start},{end})"
    keys = selection.keyed([edit])
    if not keys:
        return Cell(f"{text} {kind} (left out)", "note")
    hit = sum(key in others for key in keys)
    return Cell(text, "match" if hit == len(keys) else otherwise, kind)


PolicyName = Literal["greedy-rounded", "greedy-cumulative", "best-per-sentence"]
_POLICIES: Mapping[PolicyName, type[GreedyCumulative | BestPerSentence]] = {
    "greedy-rounded": GreedyRounded,
    "greedy-cumulative": GreedyCumulative,
    "best-per-sentence": BestPerSentence,
}
_TIERS = {"operation": 1, "category": 2, "error-type": 3}


@dataclass(frozen=True)
class ERRANT(Metric):
    """ERRANT: F-beta of a system's edits against the edits of an annotator.

    Predictions are edits (an M2 file, `EditedTexts`) or texts. The gold is annotations, error groups or references.
    Edits and annotations are compared as they are, unless you set `reannotate`. For texts and references, the installed
    `errant` first extracts edits.

    The score equals `errant_compare` of errant 3.0.2 with one exception: `-NONE-` is read as a deletion
    (docs/metrics/errant.md).

    Args:
        beta: The weight of recall. 0.5 weights precision twice as much as recall.
        mode: The parts of an edit that must match: "cs" span and correction (official default), "cse" also the type,
            "ds" only the span, "dt" each token that the edit touches.
        single: Compare only edits that replace at most one token with at most one token.
        multi: Compare only edits with two or more tokens in the source or in the correction.
        filter: Error types to leave out, such as "R:SPELL+M:PUNCT".
        duplicates: How to count gold edits that `mode` cannot tell apart. "official" counts a match for each of them,
            so matches can outnumber proposed edits (errant issue 49). "once" counts them as one.
        policy: How the annotator is chosen. "greedy-rounded" (official) maximizes the running F, rounded to four
            decimals. "greedy-cumulative" maximizes the unrounded running F, as M2 does. "best-per-sentence" maximizes
            the F of each sentence.
        reannotate: Apply the gold edits, then extract and classify the edits again (`errant_m2 -auto`).
        lev: For plain text: align with plain Levenshtein distance.
        merge: For plain text: how adjacent changes are merged into edits. "rules" uses errant's rules (official
            default), "all-split" merges nothing, "all-merge" merges all adjacent changes, "all-equal" merges adjacent
            changes of the same kind (insertion, deletion, substitution or transposition).
        tok: For plain text: tokenize with spaCy.
        model: For plain text: the spaCy pipeline (an installed package or a folder).

    Raises:
        InputError: A parameter has an unknown value, or `single` and `multi` are both true.

    >>> from gecbench import EditedTexts
    >>> from gecbench.formats.m2 import parse_m2
    >>> gold = parse_m2(["S She like cat .", "A 1 2|||R:VERB:SVA|||likes|||REQUIRED|||-NONE-|||0",
    ...                  "A 2 3|||R:NOUN:NUM|||cats|||REQUIRED|||-NONE-|||0"])
    >>> ours = parse_m2(["S She like cat .", "A 1 2|||R:VERB|||likes|||REQUIRED|||-NONE-|||0"])
    >>> score = ERRANT().score_corpus(gold, EditedTexts.of(ours.sources, ours.annotations))
    >>> [score.parts[name] for name in ("tp", "fp", "fn")], round(score.value, 4)
    ([1, 0, 1], 0.8333)
    """

    name: ClassVar[str] = "errant"
    title: ClassVar[str] = "ERRANT"
    description: ClassVar[str] = (
        "F0.5 of edits with error types, matched by span and correction; to score plain text, install errant and a "
        "spaCy model"
    )
    papers: ClassVar[str] = "Bryant et al. 2017"
    golds: ClassVar[tuple[Gold, ...]] = ("annotations", "groups", "references")
    extra: ClassVar[str | None] = "errant"
    requires: ClassVar[Mapping[str, str]] = errant_annotate.REQUIREMENTS
    explains: ClassVar[bool] = True
    breakdowns: ClassVar[tuple[str, ...]] = ("error-type", "category", "operation")
    columns: ClassVar[tuple[str, ...]] = ("precision", "recall")

    beta: float = parameter(0.5, "weight of recall; 0.5 weights precision twice as much")
    mode: Mode = parameter(
        "cs",
        'parts that must match: "cs" span and correction, "cse" also the type, "ds" only the span, "dt" each token '
        "of the span",
    )
    single: bool = parameter(False, "compare only edits with at most one token in source and in correction")
    multi: bool = parameter(False, "compare only edits with two or more tokens in source or correction")
    filter: str = parameter("none", 'error types to leave out, such as "R:SPELL+M:PUNCT"')
    duplicates: Literal["official", "once"] = parameter(
        "official",
        'gold edits that `mode` cannot tell apart: "official" counts each of them, "once" counts them as one',
    )
    policy: PolicyName = parameter(
        "greedy-rounded", '"greedy-rounded" (official), "greedy-cumulative" or "best-per-sentence"'
    )
    reannotate: bool = parameter(False, "extract and classify the gold edits again with errant")
    lev: bool = parameter(False, "for plain text: align with plain Levenshtein distance")
    merge: Merge = parameter(
        "rules", 'for plain text: how adjacent changes are merged: "rules", "all-split", "all-merge" or "all-equal"'
    )
    tok: bool = parameter(False, "for plain text: tokenize with spaCy")
    model: str = parameter(DEFAULT_MODEL, "for plain text: the spaCy pipeline (an installed package or a folder)")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.beta, (int, float)) or not 0 < self.beta <= 1e6:
            raise InputError(f"errant: beta={self.beta!r} is not a number above 0 and at most 1,000,000")
        if self.single and self.multi:
            raise InputError("errant: single and multi together exclude all edits", fix="Use one of them")
        for name in ("filter", "model"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value or "|" in value:
                fix = f"Give a text without '|', such as {name}={getattr(type(self), name)}"
                raise InputError(f"errant: {name}={value!r} is not valid", fix=fix)

    @property
    def reference_policy(self) -> GreedyCumulative | BestPerSentence:
        """The policy that chooses the annotator."""
        return _POLICIES[self.policy](self.beta)

    def annotator(self) -> Annotator:
        """Return the errant annotator that extracts edits from texts."""
        return Annotator(self.model, self.lev, self.merge, self.tok)

    def selection(self) -> Selection:
        """Return which edits are compared, and which of their parts must match."""
        filtered = frozenset() if self.filter == "none" else frozenset(self.filter.split("+"))
        return Selection(self.mode, self.single, self.multi, filtered, self.duplicates == "once")

    def _annotates_gold(self, corpus: Corpus) -> bool:
        return self.reannotate or self.gold(corpus) == "references"

    def gold_table(self, corpus: Corpus) -> EditTable:
        """Return the gold annotations of each sentence, cached."""
        annotator = self.annotator() if self._annotates_gold(corpus) else None
        made = self.reannotate, annotator
        found = _GOLD_TABLES.get(corpus, made)
        return _GOLD_TABLES.put(corpus, made, _make_gold_table(corpus, *made)) if found is None else found

    def system_table(self, corpus: Corpus, predictions: Sequence[str]) -> EditTable:
        """Return the edits of predictions: as given, or extracted from texts."""
        if isinstance(predictions, EditedTexts):
            return predictions.table
        annotator = self.annotator()
        if self.tok and self.gold(corpus) != "references":
            _check_tokens(corpus.sources, predictions, annotator)
        pairs = tracked(zip(corpus.sources, predictions, strict=True), len(corpus), "annotating predictions")
        return EditTable.of([[Annotation(0, annotator.edits(source, text))] for source, text in pairs])

    def compare(self, corpus: Corpus, predictions: Sequence[str]) -> Comparison:
        """Return the edits of predictions and gold, ready for counting."""
        ours, theirs = self.system_table(corpus, predictions), self.gold_table(corpus)
        return Comparison.of(_edit_rows(ours), _edit_rows(theirs), self.selection())

    def count(self, corpus: Corpus, predictions: Sequence[str]) -> Statistics:
        """Return TP, TP + FP and TP + FN of each sentence.

        Each sentence has one row for each pair of a system annotator and a gold annotator.
        """
        return count_statistics(self.compare(corpus, predictions))

    def explain(self, corpus: Corpus, predictions: Sequence[str], sentences: Sequence[int]) -> list[Explanation]:
        """Show the edits of some sentences and which of them match.

        `Metric.explain` documents the arguments.
        """
        statistics, selection = self.count(corpus, predictions), self.selection()
        places = self.reference_policy.chosen(statistics) - statistics.offsets[:-1]
        system = self.system_table(corpus, predictions).annotations
        gold = self.gold_table(corpus).annotations
        explained = []
        for i in sentences:
            theirs = gold[i] or _NO_EDITS
            first, second = divmod(int(places[i]), len(theirs))
            pair = (system[i] or _NO_EDITS)[first], theirs[second]
            explained.append(_explain_pair(corpus.sources[i], predictions[i], *pair, selection, i))
        return explained

    def breakdown(self, by: str, corpus: Corpus, predictions: Sequence[str]) -> Sequence[ErrantTypeScore]:
        """Return the scores by error type, category or operation.

        The annotators are those chosen for the corpus score.

        Args:
            by: "error-type" (such as R:NOUN:NUM), "category" (NOUN:NUM) or "operation" (R).
            corpus: The corpus.
            predictions: The predictions for all sentences.

        Returns:
            One entry per type, category or operation of the edits of gold and system, most frequent first. An entry has
            `type`, `tp`, `fp`, `fn`, `precision`, `recall` and `value` (F).

        Raises:
            InputError: `by` is unknown.
        """
        if by not in self.breakdowns:
            return super().breakdown(by, corpus, predictions)
        compared = self.compare(corpus, predictions)
        statistics = count_statistics(compared)
        counts = count_types(compared, statistics, self.reference_policy.chosen(statistics))
        return _type_scores(counts, _TIERS[by], self.beta)

    def values(self, totals: npt.NDArray[Any]) -> Values:
        """Return F-beta."""
        return f_beta(*precision_recall(totals), self.beta)

    def parts(self, totals: Counts) -> dict[str, float]:
        """Return precision, recall, TP, FP and FN."""
        precision, recall = precision_recall(totals)
        correct, proposed, gold = totals[:, 0], totals[:, 1], totals[:, 2]
        counts = {"tp": correct, "fp": proposed - correct, "fn": gold - correct}
        means = {name: mean_count(found) for name, found in counts.items()}
        return {"precision": float(precision.mean()), "recall": float(recall.mean()), **means}

    def sentence_values(self, statistics: Statistics) -> Values:
        """Return F-beta of each sentence against its best annotator."""
        rows = BestPerSentence(self.beta).chosen(statistics)
        return self.values(statistics.counts[rows])

    def signature_fields(self, corpus: Corpus) -> dict[str, object]:
        """Return gold, options and policy."""
        rewrites = self.gold(corpus) == "references"
        return {
            "gold": f"rewrites:{corpus.reference_range()}" if rewrites else "annotated" if self.reannotate else "edits",
            "beta": self.beta,
            "mode": self.mode,
            "tokens": "single" if self.single else "multi" if self.multi else "all",
            "filter": self.filter,
            "duplicates": self.duplicates,
            "policy": self.policy,
        }

    def reading_fields(self, corpus: Corpus, predictions: Sequence[str]) -> dict[str, object]:
        """Return signature fields that state where the system's edits come from.

        They are given ("edits"), or extracted ("text") with the stated options and versions. "unchanged" occurs
        only if errant or its model is not installed: every prediction equals its source, so no edits are extracted.
        """
        given = isinstance(predictions, EditedTexts)
        if not self._annotates_gold(corpus):
            if given:
                return {"system": "edits"}
            if errant_annotate.missing(self.model) is not None:
                return {"system": "unchanged"}
        options = {"lev": self.lev, "merge": self.merge, "tok": "spacy" if self.tok else "unicode"}
        return {"system": "edits" if given else "text", **options, **self.annotator().versions()}

    @staticmethod
    def signature_parameters(signature: Signature) -> dict[str, Any]:
        """Return the parameters stored in a signature.

        `model` is the pipeline's name, even if a folder was given.
        """
        return {
            "beta": float(signature["beta"]),
            "mode": signature["mode"],
            "single": signature["tokens"] == "single",
            "multi": signature["tokens"] == "multi",
            "filter": signature["filter"],
            "duplicates": signature["duplicates"],
            "policy": signature["policy"],
            "reannotate": signature["gold"] == "annotated",
            "lev": signature.get("lev") == "yes",
            "merge": signature.get("merge", "rules"),
            "tok": signature.get("tok") == "spacy",
            "model": signature.get("model", DEFAULT_MODEL).partition(":")[0],
        }

"""M2, the MaxMatch score (Dahlmeier & Ng 2012): F-beta of a system's edits."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from gecbench import kernels
from gecbench.corpus.corpus import Corpus, CorpusCache, Gold
from gecbench.corpus.derive import extracted_annotations, mix_sentences, ungroup
from gecbench.corpus.edits import Annotation, Edit, EditTable, is_single_spaced
from gecbench.corpus.prepare import MixedUpTextWarning
from gecbench.corpus.python2 import dict_order, integer_hash, lower
from gecbench.display import percent
from gecbench.errors import InputError, counted, plain_number
from gecbench.kernels.tokens import (
    NO_TOKENS,
    EncodedLines,
    GoldArrays,
    KnownLines,
    MatchOptions,
    Offsets,
    TokenArray,
    encode_lines,
    offsets_of,
    offsets_of_sizes,
)
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
    f_beta,
    mean_count,
    parameter,
    precision_recall,
)
from gecbench.metrics.explain import Cell, Explanation, Mark, Row
from gecbench.metrics.policy import BestPerSentence, EachRow, GreedyCumulative, Policy

PolicyName = Literal["greedy-cumulative", "best-per-sentence", "average"]
Release = Literal["master", "3.2"]
_MOST_MIXED = 1024
_MOST_CELLS = 25_000_000


@dataclass(frozen=True)
class M2(Metric):
    """M2 (MaxMatch): F-beta of a system's edits.

    Of all minimal alignments of source and prediction, M2 uses the one whose edits match the gold edits best. The gold
    is the annotations of the corpus, else its error groups, else edits extracted from its references
    (`gecbench.extract_edits`).

    The score equals that of the official scorer, floating-point ties included. We keep its quirks. A gold edit listed
    twice is credited twice. Gold edits that are not in text order may be ignored. A sentence without annotators is
    scored as if it needed no edits (docs/metrics/m2.md §8).

    Args:
        beta: The weight of recall. 0.5 weights precision twice as much as recall.
        max_unchanged_words: The largest number of unchanged words inside an edit. -1 merges no edits.
        ignore_whitespace_casing: Ignore proposed edits that change only white space or case. As in the official scorer,
            the gold keeps such edits, so a correct change of case counts as missed.
        release: "master" (April 2016 and later), or "3.2", which cannot match two or more words inserted at the start.
        policy: How the annotator is chosen. "greedy-cumulative" (official) maximizes the running total in sentence
            order. "best-per-sentence" maximizes each sentence alone. "average" is the mean over annotators.
        annotators: "all", or some annotators, such as "0" or "0+2". The other annotators are treated as absent.
        mixing: True adds every mix of the annotators' corrections of independent errors as another annotator (Felice &
            Briscoe 2015, Table 10). A sentence with more than 1,024 mixes, or without a valid mix, raises an
            error. "cap" leaves such sentences unmixed and counts them in the diagnostics.

    Raises:
        InputError: A parameter has an unknown value, or `mixing` is combined with `policy="average"`.

    >>> from gecbench.formats.m2 import parse_m2
    >>> corpus = parse_m2(["S Our fox ran at hill .", "A 3 4|||Prep|||up|||REQUIRED|||-NONE-|||0",
    ...                    "A 4 4|||ArtOrDet|||the||that|||REQUIRED|||-NONE-|||0"])
    >>> score = M2().score_corpus(corpus, ["My fox ran up the hill ."])
    >>> [score.parts[name] for name in ("correct", "proposed", "gold")]
    [2, 3, 2]
    """

    name: ClassVar[str] = "m2"
    title: ClassVar[str] = "M2"
    description: ClassVar[str] = "MaxMatch: F0.5 of edits, extracted so that as many as possible match gold edits"
    papers: ClassVar[str] = "Dahlmeier & Ng 2012"
    golds: ClassVar[tuple[Gold, ...]] = ("annotations", "groups", "references")
    explains: ClassVar[bool] = True
    breakdowns: ClassVar[tuple[str, ...]] = ("error-type",)
    columns: ClassVar[tuple[str, ...]] = ("precision", "recall")

    beta: float = parameter(0.5, "weight of recall; 0.5 weights precision twice as much")
    max_unchanged_words: int = parameter(2, "largest number of unchanged words inside an edit; -1 merges no edits")
    ignore_whitespace_casing: bool = parameter(False, "ignore proposed edits that change only white space or case")
    release: Release = parameter("master", 'release of the official scorer, "master" or "3.2"')
    policy: PolicyName = parameter(
        "greedy-cumulative", '"greedy-cumulative" (official), "best-per-sentence" or "average" over the annotators'
    )
    annotators: str = parameter("all", '"all", or some annotators, such as "0+2"')
    mixing: bool | Literal["cap"] = parameter(
        False,
        "score against every mix of the annotators' corrections; "
        '"cap": do not mix sentences with more than 1,024 mixes',
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("m2", "beta", self.beta)
        check_whole("m2", "max_unchanged_words", self.max_unchanged_words, least=-1)
        if self.mixing and self.policy == "average":
            raise InputError("m2: mixing=yes cannot be combined with policy=average", fix="Use another policy")
        wanted = self.annotator_ids()
        if wanted is not None:
            object.__setattr__(self, "annotators", "+".join(map(str, wanted)))

    @property
    def reference_policy(self) -> Policy:
        """The policy that chooses the annotator."""
        if self.policy == "average":
            return EachRow()
        return GreedyCumulative(self.beta) if self.policy == "greedy-cumulative" else BestPerSentence(self.beta)

    def check_parts(self) -> None:
        """Raise an error for options with which a corpus cannot be scored in parts.

        `policy="average"` and `annotators` need the annotators of the whole corpus.
        """
        if self.policy == "average" or self.annotators != "all":
            raise InputError(
                "m2: policy=average and annotators=… need the annotators of the whole corpus",
                fix="Score the whole corpus at once, or leave out these options",
            )

    def annotator_ids(self) -> list[int] | None:
        """Return the chosen annotators, or None for all."""
        if self.annotators == "all":
            return None
        try:
            return sorted({int(plain_number(part)) for part in str(self.annotators).split("+")})
        except ValueError:
            problem = f"m2: annotators={self.annotators!r} is unknown"
            raise InputError(problem, fix="Write 'all', or numbers of annotators such as 0 or 0+2") from None

    def gold(self, corpus: Corpus) -> Gold:
        """Return the kind of gold.

        The kind is annotations, else error groups, else references. Mixing prefers error groups.
        """
        return "groups" if self._mixes_groups(corpus) else super().gold(corpus)

    def gold_rows(self, corpus: Corpus) -> GoldRows:
        """Return the gold edits of the corpus as arrays.

        Each annotation of a sentence gives one row of counts.
        """
        found = _GOLD_ROWS.get(corpus, self._gold_key())
        return _GOLD_ROWS.put(corpus, self._gold_key(), self._gold_rows(corpus)) if found is None else found

    def annotations(self, corpus: Corpus) -> Sequence[Sequence[Annotation]]:
        """Return the annotations in the order of the official scorer."""
        return self._gold_annotations(corpus).annotations

    def _gold_annotations(self, corpus: Corpus) -> GoldAnnotations:
        found = _GOLD_ANNOTATIONS.get(corpus, self._gold_key())
        return _GOLD_ANNOTATIONS.put(corpus, self._gold_key(), self._annotations(corpus)) if found is None else found

    def _gold_key(self) -> tuple[object, ...]:
        return self.annotators, self.policy == "average", self.mixing

    def _gold_rows(self, corpus: Corpus) -> GoldRows:
        table = corpus.edit_table() if self._gold_key() == ("all", False, False) else None
        found = None if table is None else table_rows(corpus.sources, table)
        return found or gold_rows(corpus.sources, self.annotations(corpus))

    def _annotations(self, corpus: Corpus) -> GoldAnnotations:
        if corpus.annotations is None and corpus.references is None and corpus.groups is None:
            fix = "Give annotations (an M2 file) or references"
            raise InputError(f"M2 needs annotations or references, but {corpus.name} has neither", fix=fix)
        chosen = all_annotations(corpus)
        wanted = self.annotator_ids()
        if wanted is not None:
            known = {annotation.annotator for sentence in chosen for annotation in sentence}
            if not set(wanted) <= known:
                lacking, fix = min(set(wanted) - known), f"Choose from {', '.join(map(str, sorted(known)))}"
                raise InputError(f"m2: {corpus.name} has no annotator {lacking}", fix=fix)
            chosen = restrict(chosen, wanted)
        if corpus.annotations is None and corpus.groups is None and (wanted is not None or self.policy == "average"):
            check_rectangular(chosen, wanted)
        chosen, unmixed = self._mix(corpus, chosen) if self.mixing else (chosen, 0)
        if self.policy == "average":
            return GoldAnnotations(complete(chosen), unmixed)
        return GoldAnnotations([in_official_order(found) for found in chosen], unmixed)

    def _mixes_groups(self, corpus: Corpus) -> bool:
        return bool(self.mixing) and corpus.groups is not None and self.annotators == "all"

    def _mix(
        self, corpus: Corpus, annotations: Sequence[Sequence[Annotation]]
    ) -> tuple[Sequence[Sequence[Annotation]], int]:
        """Return the mixed annotations, and the number of unmixed sentences."""
        groups = corpus.groups if self._mixes_groups(corpus) else None
        mixed, unmixed = mix_sentences(groups, annotations, _MOST_MIXED)
        if unmixed and self.mixing != "cap":
            raise InputError(
                f"m2: the annotators' corrections of sentence {(corpus.ids or ())[unmixed[0]]} cannot be mixed: there "
                f"is no valid mix, or there are more than {_MOST_MIXED:,} mixes",
                fix="Use mixing=cap to score sentences like this one without mixing",
            )
        return mixed, len(unmixed)

    def prepare(self, corpus: Corpus, predictions: Sequence[str]) -> MatchInput:
        """Convert the tokens of sources, predictions and gold to integers."""
        return match_input(self.gold_rows(corpus), predictions, fold=self.ignore_whitespace_casing)

    def prepare_sentence(self, source: str, prediction: str, annotation: Annotation) -> MatchInput:
        """Convert the tokens of one sentence to integers.

        The tokens are those of source, prediction and one annotator's edits.
        """
        return match_input(gold_rows([source], [[annotation]]), [prediction], fold=self.ignore_whitespace_casing)

    def count(self, corpus: Corpus, predictions: Sequence[str]) -> Statistics:
        """Return the counts of each sentence and annotator.

        The counts are the numbers of correct, proposed and gold edits.
        """
        return self._count(corpus, self.prepare(corpus, predictions))

    def _count(self, corpus: Corpus, prepared: MatchInput) -> Statistics:
        kernel = kernels.select("maxmatch")
        arguments = prepared.arguments(self.max_unchanged_words, self.release)
        counts, settled = kernel.match_corpus(*arguments, threads=kernels.threads())
        diagnostics = {
            "settled_literally": int((settled == kernel.LITERAL).sum()),
            "too_large_for_literal": int((settled == kernel.TOO_LARGE).sum()),
        }
        if self.mixing:
            diagnostics["unmixed_sentences"] = self._gold_annotations(corpus).unmixed
        return Statistics(counts, prepared.gold.annotator_offsets, diagnostics)

    def warn_of_outcome(self, score: Score, name: str) -> None:
        """Warn of a precision above 1, caused by repeated gold edits (M2 page, §8)."""
        if score.parts["precision"] > 1:
            problem = f"{name}: precision is above 100, because an annotator's gold edit is listed twice"
            warnings.warn(f"{problem}. Remove repeated gold edits.", MixedUpTextWarning, stacklevel=2)

    def matches(
        self, corpus: Corpus, predictions: Sequence[str], sentences: Sequence[int] | None = None
    ) -> list[SentenceMatch]:
        """Return the match of each sentence with its chosen annotator.

        `sentences` limits the result to some sentences, counted from 0. With `policy="average"`, the best annotator is
        used.
        """
        prepared = self.prepare(corpus, predictions)
        statistics = self._count(corpus, prepared)
        if self.policy == "greedy-cumulative":
            rows = GreedyCumulative(self.beta).chosen(statistics).tolist()
        else:
            rows = BestPerSentence(self.beta).chosen(statistics).tolist()
        annotations, first, proposed = self.annotations(corpus), statistics.offsets.tolist(), statistics.counts[:, 1]
        return [
            self._match(prepared.row(i, rows[i]) if proposed[rows[i]] else None, predictions[i], annotation)
            for i in (range(len(corpus)) if sentences is None else sentences)
            for annotation in [annotations[i][rows[i] - first[i]]]
        ]

    def match(self, source: str, prediction: str, annotation: Annotation) -> SentenceMatch:
        """Match one sentence with one annotator, along the path of the official scorer."""
        return self._match(self.prepare_sentence(source, prediction, annotation), prediction, annotation)

    def _match(self, alone: MatchInput | None, prediction: str, annotation: Annotation) -> SentenceMatch:
        """Match one sentence.

        `alone` is the prepared input of this sentence, or None if the system proposed no edits.
        """
        if alone is None:
            return credit(annotation, ())
        _, _, path = kernels.select("maxmatch").match_sentence(*alone.arguments(self.max_unchanged_words, self.release))
        tokens = prediction.split()
        spans = np.asarray(path).tolist()
        edits = (Edit(start, end, (" ".join(tokens[i:j]),), "proposed") for start, end, i, j in spans)
        return credit(annotation, tuple(edits))

    def explain(self, corpus: Corpus, predictions: Sequence[str], sentences: Sequence[int]) -> list[Explanation]:
        """Show the edits of some sentences and which of them match.

        `Metric.explain` documents the arguments.
        """
        matches = self.matches(corpus, predictions, sentences)
        return [
            explain_match(corpus.sources[i].split(), predictions[i].split(), match, i)
            for i, match in zip(sentences, matches, strict=True)
        ]

    def breakdown(self, by: str, corpus: Corpus, predictions: Sequence[str]) -> Sequence[TypeScore]:
        """Return the scores by error type.

        Args:
            by: "error-type".
            corpus: A corpus with annotations.
            predictions: The predictions for all sentences.

        Returns:
            One entry per error type of the gold edits, most frequent first. An entry has `type`, `gold`, `correct`,
            `recall`, and the scores against only this type: `precision_alone`, `recall_alone` and `value_alone`.

        Raises:
            InputError: `by` is unknown, or the corpus has no annotations.
        """
        if by not in self.breakdowns:
            return super().breakdown(by, corpus, predictions)
        types = error_types(corpus)
        unedited = self.count(restrict_types(corpus, []), predictions)

        def score(part: Corpus) -> Score:
            """Score against one type.

            Most sentences do not have this type. They are counted only once, for all types.
            """
            edited = [i for i, found in enumerate(part.annotations or ()) if any(each.edits for each in found)]
            counted_here = self.count(part.select(edited), [predictions[i] for i in edited]) if edited else None
            statistics = unedited if counted_here is None else unedited.with_sentences(edited, counted_here)
            return self.score_statistics(statistics, self.signature(part, predictions))

        return by_error_type(corpus, types, self.matches(corpus, predictions), score)

    def values(self, totals: npt.NDArray[Any]) -> Values:
        """Return F-beta."""
        return f_beta(*precision_recall(totals), self.beta)

    def parts(self, totals: Counts) -> dict[str, float]:
        """Return precision, recall and the three counts.

        With `policy="average"`, these are means over annotators.
        """
        precision, recall = precision_recall(totals)
        counts = {name: mean_count(totals[:, k]) for k, name in enumerate(("correct", "proposed", "gold"))}
        return {"precision": float(precision.mean()), "recall": float(recall.mean()), **counts}

    def sentence_values(self, statistics: Statistics) -> Values:
        """Return F-beta of each sentence against its best annotator."""
        rows = BestPerSentence(self.beta).chosen(statistics)
        return self.values(statistics.counts[rows])

    def signature_fields(self, corpus: Corpus) -> dict[str, object]:
        """Return gold, beta, options and policy."""
        return {
            "gold": f"rewrites:{corpus.reference_range()}" if self.gold(corpus) == "references" else "edits",
            "beta": self.beta,
            "unchanged": self.max_unchanged_words,
            "case": "ignored" if self.ignore_whitespace_casing else "mixed",
            "release": self.release,
            "policy": self.policy,
            "annotators": self.annotators,
            "tok": "unicode",
            **({"mixing": self.mixing} if self.mixing else {}),
        }

    @staticmethod
    def signature_parameters(signature: Signature) -> dict[str, Any]:
        """Return the parameters stored in a signature."""
        return {
            "beta": float(signature["beta"]),
            "max_unchanged_words": int(signature["unchanged"]),
            "ignore_whitespace_casing": signature["case"] == "ignored",
            "release": signature["release"],
            "policy": signature["policy"],
            "annotators": signature["annotators"],
            "mixing": MIXING_WORDS[signature.get("mixing", "no")],
        }


@dataclass(frozen=True)
class GoldRows:
    """The sources and gold edits of a corpus, with their tokens.

    These arrays are the same for every system.
    """

    sources: TokenArray
    gold: GoldArrays
    known: KnownLines

    @classmethod
    def of(cls, parts: Sequence[EncodedLines], flat: GoldArrays) -> GoldRows:
        """Number the tokens of sources and corrections.

        The numbered corrections are added to `flat`.
        """
        known, sentences = KnownLines.of(parts, "unicode"), len(flat.annotator_offsets) - 1
        return cls(known.tokens[:sentences], flat._replace(corrections=known.tokens[sentences:]), known)


class GoldAnnotations(NamedTuple):
    """The annotations to score against.

    `unmixed` is the number of sentences that could not be mixed.
    """

    annotations: Sequence[Sequence[Annotation]]
    unmixed: int


_ONE_ROW: Offsets = np.array([0, 1])
_GOLD_ROWS: CorpusCache[GoldRows] = CorpusCache()
_GOLD_ANNOTATIONS: CorpusCache[GoldAnnotations] = CorpusCache()


def gold_rows(sources: Sequence[str], annotations: Sequence[Sequence[Annotation]]) -> GoldRows:
    """Convert the annotations of a corpus to arrays.

    There is one row per annotation, in the given order. A correction with other white space than single spaces is left
    out, because the official scorer never matches it.
    """
    rows = list(chain.from_iterable(annotations))
    edits = list(chain.from_iterable(annotation.edits for annotation in rows))
    corrections = [[text for text in edit.corrections if is_single_spaced(text)] for edit in edits]
    lines = [*sources, *chain.from_iterable(corrections)]
    flat = GoldArrays(
        annotator_offsets=offsets_of(annotations),
        edit_offsets=offsets_of([annotation.edits for annotation in rows]),
        starts=np.array([edit.start for edit in edits], dtype=np.int32),
        ends=np.array([edit.end for edit in edits], dtype=np.int32),
        alternative_offsets=offsets_of(corrections),
        corrections=NO_TOKENS,
    )
    return GoldRows.of([encode_lines(lines)], flat)


def table_rows(sources: Sequence[str], table: EditTable) -> GoldRows | None:
    """Convert an edit table to arrays, as `gold_rows` does.

    Return None if the annotators of a sentence are not in the official order.
    """
    annotators, bounds = table.annotators.tolist(), table.row_offsets.tolist()
    together = {tuple(annotators[begin:end]) for begin, end in pairwise(bounds)}
    if any(_visiting_order(present) != list(range(len(present))) for present in together):
        return None
    sizes = np.diff(table.row_offsets)
    alternative_offsets, corrections = table.comparable_corrections()
    unannotated = table.row_offsets[:-1][sizes == 0]
    rows = np.insert(np.diff(table.edit_offsets), unannotated, 0)
    flat = GoldArrays(
        annotator_offsets=offsets_of_sizes(np.maximum(sizes, 1)),
        edit_offsets=offsets_of_sizes(rows),
        starts=table.starts.astype(np.int32),
        ends=table.ends.astype(np.int32),
        alternative_offsets=alternative_offsets,
        corrections=NO_TOKENS,
    )
    return GoldRows.of([encode_lines(sources), corrections], flat)


def all_annotations(corpus: Corpus) -> Sequence[Sequence[Annotation]]:
    """Return the annotations of a corpus, or make them.

    If the corpus has no annotations, make them from its error groups, else from its references.
    """
    if corpus.annotations is None and corpus.groups is not None:
        return ungroup(corpus).annotations or ()
    return corpus.annotations if corpus.annotations is not None else extracted_annotations(corpus)


def restrict(annotations: Sequence[Sequence[Annotation]], annotators: Sequence[int]) -> list[list[Annotation]]:
    """Return the annotations of these annotators only."""
    kept = set(annotators)
    return [[annotation for annotation in sentence if annotation.annotator in kept] for sentence in annotations]


def complete(annotations: Sequence[Sequence[Annotation]]) -> list[list[Annotation]]:
    """Return one annotation per annotator and sentence.

    Annotators who are not listed for a sentence made no edits.
    """
    everybody = sorted({annotation.annotator for sentence in annotations for annotation in sentence}) or [0]
    completed = []
    for sentence in annotations:
        found = {annotation.annotator: annotation for annotation in sentence}
        completed.append([found.get(annotator, Annotation(annotator, ())) for annotator in everybody])
    return completed


def check_rectangular(annotations: Sequence[Sequence[Annotation]], wanted: Sequence[int] | None) -> None:
    """Raise an error if a sentence lacks a reference.

    A missing reference would be scored as an unchanged sentence.
    """
    references = max(map(len, annotations)) if wanted is None else len(wanted)
    for i, sentence in enumerate(annotations):
        if len(sentence) != references:
            raise InputError(
                f"m2: sentence {i + 1} has only {len(sentence)} of {counted(references, 'reference')}",
                fix="Remove the parameters annotators=… and policy=average, or give every sentence the same number of "
                "references",
            )


def in_official_order(sentence: Sequence[Annotation]) -> Sequence[Annotation]:
    """Return a sentence's annotations in the official order.

    A sentence without annotations gets an annotation without edits.
    """
    if len(sentence) < 2:
        return sentence or [Annotation(0, ())]
    return [sentence[k] for k in _visiting_order(tuple(annotation.annotator for annotation in sentence))]


@cache
def _visiting_order(annotators: tuple[int, ...]) -> list[int]:
    """Return the positions of annotators in the official order.

    This is the order of a copy of a Python 2 dictionary (docs/metrics/m2.md §9). Ascending numbers below 8 keep their
    order, because each has its own slot in Python 2.7's smallest dictionary.
    """
    if annotators == tuple(sorted(set(annotators))) and set(annotators) <= set(range(8)):
        return list(range(len(annotators)))
    first = dict_order([integer_hash(annotator) for annotator in annotators])
    second = dict_order([integer_hash(annotators[k]) for k in first])
    return [first[k] for k in second]


@dataclass(frozen=True)
class MatchInput:
    """The sources, hypotheses and gold edits of a corpus.

    Their tokens are numbered together.
    """

    sources: TokenArray
    hypotheses: TokenArray
    gold: GoldArrays
    folded: TokenArray | None

    def arguments(
        self, max_unchanged_words: int, release: str
    ) -> tuple[TokenArray, TokenArray, GoldArrays, MatchOptions]:
        """Return the arguments of the kernel's `match_corpus` and `match_sentence`."""
        return self.sources, self.hypotheses, self.gold, MatchOptions(max_unchanged_words, release, self.folded)

    def row(self, sentence: int, row: int) -> MatchInput:
        """Return one sentence with one of its rows of gold edits."""
        one, gold = slice(sentence, sentence + 1), self.gold
        first, last = gold.edit_offsets[row : row + 2].tolist()
        alternatives = gold.alternative_offsets[first : last + 1]
        alone = GoldArrays(
            annotator_offsets=_ONE_ROW,
            edit_offsets=np.array([0, last - first]),
            starts=gold.starts[first:last],
            ends=gold.ends[first:last],
            alternative_offsets=alternatives - alternatives[0],
            corrections=gold.corrections[alternatives[0] : alternatives[-1]],
        )
        return MatchInput(self.sources[one], self.hypotheses[one], alone, self.folded)


def match_input(gold: GoldRows, hypotheses: Sequence[str], fold: bool) -> MatchInput:
    """Convert the tokens of a corpus to integers.

    `fold` adds lower-case text for `ignore_whitespace_casing`.
    """
    tokens = gold.known.number(encode_lines(hypotheses))
    _check_lengths(gold.sources.lengths(), tokens.lengths())
    folded = _folded([*gold.known.vocabulary.lines(), *hypotheses]) if fold else None
    return MatchInput(gold.sources, tokens, gold.gold, folded)


def _check_lengths(sources: Offsets, hypotheses: Offsets) -> None:
    """Raise an error if a source and its prediction are too long to align.

    The table of edits of such a pair would need gigabytes.
    """
    large = np.flatnonzero(sources.astype(np.int64) * hypotheses > _MOST_CELLS)
    if len(large):
        first = large[0]
        raise InputError(
            f"sentence {first + 1} is too long to align (source: {counted(sources[first], 'token')}, prediction: "
            f"{counted(hypotheses[first], 'token')})",
            fix="Split the sentence",
        )


def _folded(lines: Sequence[str]) -> TokenArray:
    vocabulary = dict.fromkeys(chain.from_iterable(map(str.split, lines)))
    folded = [lower(token) for token in vocabulary]
    characters = np.frombuffer("".join(folded).encode("utf-32-le"), dtype="<i4").astype(np.int32)
    return TokenArray(characters, offsets_of(folded))


@dataclass(frozen=True)
class SentenceMatch:
    """The match of one sentence with one annotator.

    `proposed` holds the edits of the system. `pairs` are the positions of matching edits in `proposed` and in the
    annotation, as in the official count.
    """

    annotation: Annotation
    proposed: tuple[Edit, ...]
    pairs: tuple[tuple[int, int], ...]

    @property
    def matched_proposed(self) -> tuple[bool, ...]:
        """Whether each proposed edit matches a gold edit."""
        found = {i for i, _ in self.pairs}
        return tuple(i in found for i in range(len(self.proposed)))

    @property
    def matched_gold(self) -> tuple[bool, ...]:
        """Whether each gold edit is matched."""
        found = {k for _, k in self.pairs}
        return tuple(k in found for k in range(len(self.annotation.edits)))


def credit(annotation: Annotation, proposed: tuple[Edit, ...]) -> SentenceMatch:
    """Match proposed edits with gold edits, like the official scorer.

    The proposed edits are matched in order, with a position in the gold list that only moves forward.
    """
    position = 0
    pairs = []
    for i, edit in enumerate(proposed):
        for k in range(position, len(annotation.edits)):
            if agrees(edit, annotation.edits[k]):
                pairs.append((i, k))
                position = k + 1
    return SentenceMatch(annotation, proposed, tuple(pairs))


def agrees(proposed: Edit, gold: Edit) -> bool:
    """Return whether a proposed edit matches a gold edit.

    The spans must be equal, and the gold edit must have the proposed correction.
    """
    same_span = (proposed.start, proposed.end) == (gold.start, gold.end)
    return same_span and proposed.corrections[0] in gold.corrections


def explain_match(source: Sequence[str], prediction: Sequence[str], match: SentenceMatch, sentence: int) -> Explanation:
    """Show the tokens of a sentence and the edits of system and annotator.

    `sentence` is counted from 0.
    """
    counts = {
        "correct": sum(match.matched_gold),
        "proposed": len(match.proposed),
        "gold": len(match.annotation.edits),
    }
    tally = ", ".join(f"{count} {name}" for name, count in counts.items())
    proposed = [
        edit if hit else trimmed(source, edit) for edit, hit in zip(match.proposed, match.matched_proposed, strict=True)
    ]
    rows = [
        Row("source", [Cell(" ".join(source))]),
        Row("system", [Cell(" ".join(prediction))]),
        Row("system edits", _edit_cells(source, proposed, match.matched_proposed, "wrong")),
        Row("gold edits", _edit_cells(source, match.annotation.edits, match.matched_gold, "miss")),
    ]
    title = f"Sentence {sentence + 1}, annotator {match.annotation.annotator}: {tally}"
    return Explanation(title, rows, counts=counts)


def trimmed(source: Sequence[str], edit: Edit) -> Edit:
    """Return an edit without unchanged tokens at its ends.

    The alignment includes these tokens more or less by chance.
    """
    before, after = list(source[edit.start : edit.end]), edit.corrections[0].split()
    start, end = edit.start, edit.end
    while before and after and before[0] == after[0]:
        before, after, start = before[1:], after[1:], start + 1
    while before and after and before[-1] == after[-1]:
        before, after, end = before[:-1], after[:-1], end - 1
    return Edit(start, end, (" ".join(after),), edit.type)


def _edit_cells(source: Sequence[str], edits: Sequence[Edit], matched: Sequence[bool], otherwise: Mark) -> list[Cell]:
    if not edits:
        return [Cell("none", "note")]
    return [
        Cell(_edit_text(source, edit), "match" if hit else otherwise, _coded_type(edit))
        for edit, hit in zip(edits, matched, strict=True)
    ]


def _coded_type(edit: Edit) -> str:
    return "" if edit.type == "proposed" else edit.type


def _edit_text(source: Sequence[str], edit: Edit) -> str:
    before = " ".join(source[edit.start : edit.end]) or "∅"
    after = " | ".join(text or "∅" for text in edit.corrections)
    return f"{before} → {after} [{edit.start},{edit.end})"


@dataclass(frozen=True)
class TypeScore:
    """The scores of one error type.

    `gold` is the number of gold edits of this type, and `correct` is how many of them the system made. Both use the
    annotators chosen for the corpus score. The scores `…_alone` count only gold edits of this type. The types of a
    system's edits are unknown, so all edits of the system count as proposed.
    """

    legend: ClassVar[str] = "alone: all edits of the system against the gold edits of one type only."

    type: str
    gold: int
    correct: int
    precision_alone: float
    recall_alone: float
    value_alone: float

    @property
    def recall(self) -> float:
        """The share of the gold edits of this type that the system made."""
        return self.correct / self.gold if self.gold else 1.0

    def ratios(self) -> dict[str, float]:
        """Return the scores by column."""
        alone = {"alone: P": self.precision_alone, "R": self.recall_alone, "F": self.value_alone}
        return {"recall": self.recall, **alone}

    def cells(self) -> dict[str, str]:
        """Return the table row by column."""
        counts = {"type": self.type, "gold": str(self.gold), "correct": str(self.correct)}
        return counts | {column: percent(value) for column, value in self.ratios().items()}


def by_error_type(
    corpus: Corpus, types: Iterable[str], matches: Sequence[SentenceMatch], score: Callable[[Corpus], Score]
) -> list[TypeScore]:
    """Score each error type, most frequent first.

    The `…_alone` scores follow Bryant & Ng 2015, section 6.1.
    """
    gold: Counter[str] = Counter()
    correct: Counter[str] = Counter()
    for match in matches:
        for edit, hit in zip(match.annotation.edits, match.matched_gold, strict=True):
            gold[edit.type] += 1
            correct[edit.type] += hit
    scores = []
    for name in sorted(types, key=lambda name: (-gold[name], name)):
        alone = score(restrict_types(corpus, [name]))
        parts = alone.parts
        scores.append(TypeScore(name, gold[name], correct[name], parts["precision"], parts["recall"], alone.value))
    return scores


def error_types(corpus: Corpus) -> set[str]:
    """Return the error types of a corpus, or raise an error if it has no annotations."""
    if corpus.annotations is None:
        raise InputError(f"{corpus.name} has no error types", fix="Give annotations (an M2 file)")
    return {edit.type for sentence in corpus.annotations for found in sentence for edit in found.edits}


def restrict_types(corpus: Corpus, types: Sequence[str]) -> Corpus:
    """Keep only the edits of these types (Bryant & Ng 2015, section 6.1)."""
    table = corpus.edit_table() or EditTable.of(corpus.annotations or ())
    return corpus.replace(annotations=table.of_types(types))

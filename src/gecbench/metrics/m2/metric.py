"""M2, the MaxMatch score (Dahlmeier & Ng 2012): F-beta of edits read off a lattice that favours the gold edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from gecbench import kernels
from gecbench.corpus.corpus import Corpus, Gold
from gecbench.corpus.edits import Annotation, Edit
from gecbench.corpus.mixing import mix_sentences
from gecbench.errors import InputError
from gecbench.metrics.base import Metric
from gecbench.metrics.explanation import Explanation
from gecbench.metrics.m2.error_types import TypeScore, by_error_type, error_types
from gecbench.metrics.m2.explain import SentenceMatch, credit, explain_match
from gecbench.metrics.m2.gold import (
    GoldRows,
    MatchInput,
    all_annotations,
    check_rectangular,
    complete,
    gold_rows,
    in_official_order,
    match_input,
    restrict,
    table_rows,
)
from gecbench.metrics.parameters import check_whole, parameter
from gecbench.metrics.policy import BestPerSentence, EachRow, GreedyCumulative, Policy
from gecbench.metrics.ratios import Values, f_beta, mean_count, precision_recall
from gecbench.metrics.signature import MIXING_WORDS, Signature
from gecbench.metrics.statistics import Counts, Statistics

PolicyName = Literal["greedy-cumulative", "best-per-sentence", "average"]
Release = Literal["master", "3.2"]
_MOST_MIXED = 1024


@dataclass(frozen=True)
class M2(Metric):
    """F-beta of a system's edits, taken as the path through all minimal alignments that matches the gold edits best.

    Equal to the official scorer, its floating-point ties included; where a corpus has annotations these are the gold,
    else edits are extracted from its references (`gecbench.extract_edits`).

    `ignore_whitespace_casing`: as officially, the gold keeps such edits, so a correct change of case becomes a miss.
    `release`: "master" (April 2016 and later), or "3.2", which cannot match two or more words inserted at the start.
    `policy`: "greedy-cumulative" is official: the annotator who makes the running total best, in the order of the
      sentences. "best-per-sentence" looks at each sentence alone; "average" is the mean over the annotators, each
      scored alone.
    `annotators`: "all", or some, as in "0" or "0+2": as if nobody else had annotated the corpus.
    `mixing`: True takes every mix of the annotators' corrections of independent errors as an annotator (Felice &
      Briscoe 2015, Table 10; error groups as for the I-measure) and refuses a sentence with more than 1,024 of them;
      "cap" leaves such sentences as they are and counts them in the diagnostics.

    Quirks kept (docs/m2.md): a gold edit listed twice is credited twice, gold edits not in the order of the text may
    be lost, and a sentence that nobody annotated counts as one that needs no edits.

    >>> from gecbench.formats.m2 import parse_m2
    >>> corpus = parse_m2(["S Our fox ran at hill .", "A 3 4|||Prep|||up|||REQUIRED|||-NONE-|||0",
    ...                    "A 4 4|||ArtOrDet|||the||that|||REQUIRED|||-NONE-|||0"])
    >>> score = M2().score_corpus(corpus, ["My fox ran up the hill ."])
    >>> [score.parts[name] for name in ("correct", "proposed", "gold")]
    [2, 3, 2]
    """

    name: ClassVar[str] = "m2"
    title: ClassVar[str] = "M2"
    description: ClassVar[str] = (
        "MaxMatch: F0.5 of edits, read off the lattice of minimal alignments that matches the gold best"
    )
    papers: ClassVar[str] = "Dahlmeier & Ng 2012"
    golds: ClassVar[tuple[Gold, ...]] = ("annotations", "groups", "references")
    explains: ClassVar[bool] = True
    breakdowns: ClassVar[tuple[str, ...]] = ("error-type",)
    columns: ClassVar[tuple[str, ...]] = ("precision", "recall")

    beta: float = parameter(0.5, "weight of recall; 0.5 counts precision twice as much")
    max_unchanged_words: int = parameter(2, "the most unchanged words that an edit may span; -1 merges none")
    ignore_whitespace_casing: bool = parameter(False, "leave out proposed edits of blanks and letter case only")
    release: Release = parameter("master", 'of the official scorer, "master" or "3.2"')
    policy: PolicyName = parameter(
        "greedy-cumulative", '"greedy-cumulative" (official), "best-per-sentence" or "average" over the annotators'
    )
    annotators: str = parameter("all", '"all", or some, as in "0+2"')
    mixing: bool | Literal["cap"] = parameter(
        False, 'score against every mix of the annotators\' corrections; "cap": where there are few'
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.beta, (int, float)) or not 0 <= self.beta <= 1e6:
            raise InputError(f"m2: beta={self.beta!r} is not a number from 0 to a million")
        check_whole("m2", "max_unchanged_words", self.max_unchanged_words, least=-1)
        if self.mixing and self.policy == "average":
            raise InputError("m2: mixed annotations have no average over annotators", fix="Use another policy")
        wanted = self.annotator_ids()
        if wanted is not None:
            object.__setattr__(self, "annotators", "+".join(map(str, wanted)))

    @property
    def reference_policy(self) -> Policy:
        """How the annotator is chosen."""
        if self.policy == "average":
            return EachRow()
        return GreedyCumulative(self.beta) if self.policy == "greedy-cumulative" else BestPerSentence(self.beta)

    def check_parts(self) -> None:
        """Refuse what depends on who annotated anything in the whole corpus."""
        if self.policy == "average" or self.annotators != "all":
            raise InputError(
                "m2: policy=average and annotators=… look at the annotators of the whole corpus",
                fix="Score it at once, or leave them out",
            )

    def annotator_ids(self) -> list[int] | None:
        """Return the chosen annotators, or None for all."""
        if self.annotators == "all":
            return None
        try:
            return sorted({int(part) for part in str(self.annotators).split("+")})
        except ValueError:
            raise InputError(f"m2: annotators={self.annotators!r} is unknown", fix="Write all, 0 or 0+2") from None

    def gold(self, corpus: Corpus) -> Gold:
        """Return annotations where there are any, else error groups, else references; groups first if mixed."""
        return "groups" if self._mixes_groups(corpus) else super().gold(corpus)

    def gold_rows(self, corpus: Corpus) -> GoldRows:
        """Return what each sentence is scored against, one annotation per row of the counts."""
        return corpus.derived(("m2 gold", *self._gold_key()), lambda: self._gold_rows(corpus))

    def annotations(self, corpus: Corpus) -> Sequence[Sequence[Annotation]]:
        """Return the annotations in the order in which the official scorer visits them."""
        return corpus.derived(("m2 annotations", *self._gold_key()), lambda: self._annotations(corpus))

    def _gold_key(self) -> tuple[object, ...]:
        return self.annotators, self.policy == "average", self.mixing

    def _gold_rows(self, corpus: Corpus) -> GoldRows:
        table = corpus.edit_table() if self._gold_key() == ("all", False, False) else None
        found = None if table is None else table_rows(corpus.sources, table)
        return found or gold_rows(corpus.sources, self.annotations(corpus))

    def _annotations(self, corpus: Corpus) -> Sequence[Sequence[Annotation]]:
        if corpus.annotations is None and corpus.references is None and corpus.groups is None:
            raise InputError(f"M2 needs annotations or references, but {corpus.name} has neither")
        chosen = all_annotations(corpus)
        wanted = self.annotator_ids()
        if wanted is not None:
            known = {annotation.annotator for sentence in chosen for annotation in sentence}
            if not set(wanted) <= known:
                raise InputError(f"m2: {corpus.name} has no annotator {sorted(set(wanted) - known)}")
            chosen = restrict(chosen, wanted)
        if corpus.annotations is None and corpus.groups is None and (wanted is not None or self.policy == "average"):
            check_rectangular(chosen, wanted)
        if self.mixing:
            chosen = self._mix(corpus, chosen)
        return complete(chosen) if self.policy == "average" else [in_official_order(found) for found in chosen]

    def _mixes_groups(self, corpus: Corpus) -> bool:
        return bool(self.mixing) and corpus.groups is not None and self.annotators == "all"

    def _mix(self, corpus: Corpus, annotations: Sequence[Sequence[Annotation]]) -> Sequence[Sequence[Annotation]]:
        groups = corpus.groups if self._mixes_groups(corpus) else None
        mixed, unmixed = mix_sentences(groups, annotations, _MOST_MIXED)
        if unmixed and self.mixing != "cap":
            raise InputError(
                f"m2: sentence {(corpus.ids or ())[unmixed[0]]} cannot be mixed: it has none, or more than "
                f"{_MOST_MIXED:,} mixed annotations",
                fix="Leave such sentences unmixed: mixing=cap",
            )
        corpus.derived(("m2 unmixed", self.annotators), lambda: len(unmixed))
        return mixed

    def prepare(self, corpus: Corpus, predictions: Sequence[str]) -> MatchInput:
        """Intern sources, predictions and gold."""
        return match_input(self.gold_rows(corpus), predictions, fold=self.ignore_whitespace_casing)

    def prepare_sentence(self, source: str, prediction: str, annotation: Annotation) -> MatchInput:
        """Intern one sentence and one annotator."""
        return match_input(gold_rows([source], [[annotation]]), [prediction], fold=self.ignore_whitespace_casing)

    def count(self, corpus: Corpus, predictions: Sequence[str]) -> Statistics:
        """Return correct, proposed and gold edits of every sentence and annotator."""
        prepared = self.prepare(corpus, predictions)
        kernel = kernels.select("maxmatch")
        arguments = prepared.arguments(self.max_unchanged_words, self.release)
        counts, settled = kernel.match_corpus(*arguments, threads=kernels.threads())
        diagnostics = {
            "settled_literally": int((settled == kernel.LITERAL).sum()),
            "too_large_for_literal": int((settled == kernel.TOO_LARGE).sum()),
        }
        if self.mixing:
            diagnostics["unmixed_sentences"] = corpus.derived(("m2 unmixed", self.annotators), lambda: 0)
        return Statistics(counts, prepared.gold.annotator_offsets, diagnostics)

    def matches(
        self, corpus: Corpus, predictions: Sequence[str], sentences: Sequence[int] | None = None
    ) -> list[SentenceMatch]:
        """Return the match of each sentence (or of some, counted from 0) with the annotator chosen for it.

        Under `average` the best annotator stands for all.
        """
        statistics = self.count(corpus, predictions)
        if self.policy == "greedy-cumulative":
            rows = GreedyCumulative(self.beta).chosen(statistics)
        else:
            rows = BestPerSentence(self.beta).chosen(statistics)
        annotations = self.annotations(corpus)
        return [
            self.match(corpus.sources[i], predictions[i], annotations[i][int(rows[i] - statistics.offsets[i])])
            for i in (range(len(corpus)) if sentences is None else sentences)
        ]

    def match(self, source: str, prediction: str, annotation: Annotation) -> SentenceMatch:
        """Match one sentence with one annotator, along the path that the official scorer takes."""
        alone = self.prepare_sentence(source, prediction, annotation)
        _, _, path = kernels.select("maxmatch").match_sentence(*alone.arguments(self.max_unchanged_words, self.release))
        tokens = prediction.split()
        spans = np.asarray(path).tolist()
        edits = (Edit(start, end, (" ".join(tokens[i:j]),), "proposed") for start, end, i, j in spans)
        return credit(annotation, tuple(edits))

    def explain(self, corpus: Corpus, predictions: Sequence[str], sentences: Sequence[int]) -> list[Explanation]:
        """Show the edits of some sentences (counted from 0), and which of them match."""
        matches = self.matches(corpus, predictions, sentences)
        return [
            explain_match(corpus.sources[i].split(), predictions[i].split(), match, i)
            for i, match in zip(sentences, matches, strict=True)
        ]

    def breakdown(self, by: str, corpus: Corpus, predictions: Sequence[str]) -> Sequence[TypeScore]:
        """Return the scores by error type."""
        if by not in self.breakdowns:
            return super().breakdown(by, corpus, predictions)
        types = error_types(corpus)
        score = partial(self.score_corpus, predictions=predictions, aligned=True, tokenized=True)
        return by_error_type(corpus, types, self.matches(corpus, predictions), score)

    def values(self, totals: npt.NDArray[Any]) -> Values:
        """Return F-beta."""
        return f_beta(*precision_recall(totals), self.beta)

    def parts(self, totals: Counts) -> dict[str, float]:
        """Return precision, recall and the three counts, averaged over the annotators if the policy does."""
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
        """Return the parameters that made a score."""
        return {
            "beta": float(signature["beta"]),
            "max_unchanged_words": int(signature["unchanged"]),
            "ignore_whitespace_casing": signature["case"] == "ignored",
            "release": signature["release"],
            "policy": signature["policy"],
            "annotators": signature["annotators"],
            "mixing": MIXING_WORDS[signature.get("mixing", "no")],
        }

"""M2, the MaxMatch score (Dahlmeier & Ng 2012): F-beta of edits read off a lattice that favours the gold edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from gecbench import kernels
from gecbench.corpus.corpus import Corpus, Gold
from gecbench.corpus.derive import extracted_annotations, ungroup
from gecbench.corpus.edits import Annotation
from gecbench.corpus.mixing import edit_choices, group_choices, mix_sentences
from gecbench.errors import InputError
from gecbench.metrics.base import Metric, Values, check_choice, parameter
from gecbench.metrics.m2.gold import GoldRows, MatchInput, complete, gold_rows, in_official_order, match_input, restrict
from gecbench.metrics.policy import BestPerSentence, EachRow, GreedyCumulative, Policy
from gecbench.metrics.signature import Signature
from gecbench.metrics.statistics import Counts, Statistics

PolicyName = Literal["greedy-cumulative", "best-per-sentence", "average"]
Release = Literal["master", "3.2"]
_MOST_MIXED = 1024
_POLICIES = ("greedy-cumulative", "best-per-sentence", "average")


@dataclass(frozen=True)
class M2(Metric):
    """F-beta of a system's edits, taken as the path through all minimal alignments that matches the gold edits best.

    Equal to the official scorer, its floating-point ties included; where a corpus has annotations these are the gold,
    else edits are extracted from its references (`gecbench.extract_edits`).

    `beta`: 0.5 weighs precision twice as much as recall.
    `max_unchanged_words`: an edit may span so many unchanged words.
    `ignore_whitespace_casing`: leave out proposed edits that change only spaces or letter case. As officially, the
      gold keeps such edits, so a correct change of case becomes a miss.
    `release`: "master" (April 2016 and later), or "3.2", which cannot match two or more words inserted at the start.
    `policy`: "greedy-cumulative" is official: the annotator who makes the running total best, in the order of the
      sentences. "best-per-sentence" looks at each sentence alone; "average" is the mean over the annotators, each
      scored alone.
    `annotators`: "all", or some, as in "0" or "0+2": as if nobody else had annotated the corpus.
    `mixing`: True takes every mix of the annotators' corrections of independent errors as an annotator (Felice &
      Briscoe 2015, Table 10; error groups as for the I-measure) and refuses a sentence with more than 1,024 of them;
      "cap" leaves such sentences as they are and counts them in the parts.

    Quirks kept (docs/m2.md): a gold edit listed twice is credited twice, gold edits not in the order of the text may
    be lost, and a sentence that nobody annotated counts as one that needs no edits.

    >>> from gecbench.formats.m2 import parse_m2
    >>> corpus = parse_m2(["S Our fox ran at hill .", "A 3 4|||Prep|||up|||REQUIRED|||-NONE-|||0",
    ...                    "A 4 4|||ArtOrDet|||the||that|||REQUIRED|||-NONE-|||0"])
    >>> score = M2().score_corpus(corpus, ["My fox ran up the hill ."])
    >>> [score.parts[name] for name in ("correct", "proposed", "gold")]
    [2.0, 3.0, 2.0]
    """

    name: ClassVar[str] = "m2"
    title: ClassVar[str] = "M2"
    description: ClassVar[str] = (
        "MaxMatch: F0.5 of edits, read off the lattice of minimal alignments that matches the gold best"
    )
    papers: ClassVar[str] = "Dahlmeier & Ng 2012"
    golds: ClassVar[tuple[Gold, ...]] = ("annotations", "groups", "references")

    beta: float = parameter(0.5, "weight of recall; 0.5 counts precision twice as much")
    max_unchanged_words: int = parameter(2, "the most unchanged words that an edit may span")
    ignore_whitespace_casing: bool = parameter(False, "leave out proposed edits of blanks and letter case only")
    release: Release = parameter("master", 'of the official scorer, "master" or "3.2"')
    policy: PolicyName = parameter(
        "greedy-cumulative", '"greedy-cumulative" (official), "best-per-sentence" or "average" over the annotators'
    )
    annotators: str = parameter("all", '"all", or some, as in "0+2"')
    mixing: bool | Literal["cap"] = parameter(
        False, 'score against every mix of the annotators\' corrections; "cap": where there are few', words=["cap"]
    )

    def __post_init__(self) -> None:
        if not isinstance(self.beta, (int, float)) or not 0 <= self.beta <= 1e6:
            raise InputError(f"m2: beta={self.beta!r} is not a number from 0 to a million")
        unchanged = self.max_unchanged_words
        if not isinstance(unchanged, int) or isinstance(unchanged, bool) or unchanged < 0:
            raise InputError(f"m2: max_unchanged_words={unchanged!r} is not a whole number of at least 0")
        check_choice("m2", "release", self.release, ("master", "3.2"))
        check_choice("m2", "policy", self.policy, _POLICIES)
        check_choice("m2", "mixing", self.mixing, (False, True, "cap"))
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
        key = ("m2 gold", self.annotators, self.policy == "average", self.mixing)
        return corpus.derived(key, lambda: gold_rows(corpus.sources, self._annotations(corpus)))

    def _annotations(self, corpus: Corpus) -> Sequence[Sequence[Annotation]]:
        if corpus.annotations is None and corpus.references is None and corpus.groups is None:
            raise InputError(f"M2 needs annotations or references, but {corpus.name} has neither")
        chosen = _all_annotations(corpus)
        wanted = self.annotator_ids()
        if wanted is not None:
            known = {annotation.annotator for sentence in chosen for annotation in sentence}
            if not set(wanted) <= known:
                raise InputError(f"m2: {corpus.name} has no annotator {sorted(set(wanted) - known)}")
            chosen = restrict(chosen, wanted)
        if corpus.annotations is None and corpus.groups is None and (wanted is not None or self.policy == "average"):
            _check_rectangular(chosen, wanted)
        if self.mixing:
            chosen = self._mix(corpus, chosen)
        return complete(chosen) if self.policy == "average" else [in_official_order(found) for found in chosen]

    def _mixes_groups(self, corpus: Corpus) -> bool:
        return bool(self.mixing) and corpus.groups is not None and self.annotators == "all"

    def _mix(self, corpus: Corpus, annotations: Sequence[Sequence[Annotation]]) -> Sequence[Sequence[Annotation]]:
        if self._mixes_groups(corpus):
            choices = [group_choices(sentence) for sentence in corpus.groups or ()]
        else:
            choices = [edit_choices(sentence) for sentence in annotations]
        mixed, unmixed = mix_sentences(choices, annotations, _MOST_MIXED)
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
        counts, settled = kernel.match_corpus(
            *prepared.corpus_arguments(), self.max_unchanged_words, self.release, *(prepared.folded or (None, None))
        )
        notes = {
            "settled_literally": float((settled == kernel.LITERAL).sum()),
            "too_large_for_literal": float((settled == kernel.TOO_LARGE).sum()),
        }
        if self.mixing:
            notes["unmixed_sentences"] = float(corpus.derived(("m2 unmixed", self.annotators), lambda: 0))
        return Statistics(counts, prepared.gold.offsets, notes)

    def values(self, totals: npt.NDArray[Any]) -> Values:
        """Return F-beta."""
        return f_beta(*precision_recall(totals), self.beta)

    def parts(self, totals: Counts) -> dict[str, float]:
        """Return precision, recall and the three counts, averaged over the annotators if the policy does."""
        precision, recall = precision_recall(totals)
        correct, proposed, gold = totals.mean(axis=0).tolist()
        return {
            "precision": float(precision.mean()),
            "recall": float(recall.mean()),
            "correct": correct,
            "proposed": proposed,
            "gold": gold,
        }

    def sentence_values(self, statistics: Statistics) -> Values:
        """Return F-beta of each sentence against its best annotator."""
        rows = BestPerSentence(self.beta).chosen_rows(statistics, 0, 1)[0]
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

    @classmethod
    def from_signature(cls, signature: Signature) -> M2:
        """Return the configuration that made a score."""
        try:
            return cls(
                beta=float(signature["beta"]),
                max_unchanged_words=int(signature["unchanged"]),
                ignore_whitespace_casing=signature["case"] == "ignored",
                release=signature["release"],  # type: ignore[arg-type]
                policy=signature["policy"],  # type: ignore[arg-type]
                annotators=signature["annotators"],
                mixing={"yes": True, "no": False, "cap": "cap"}[signature.get("mixing", "no")],  # type: ignore[arg-type]
            )
        except (KeyError, ValueError) as error:
            raise InputError(f"not a complete M2 signature: {signature}") from error


def _all_annotations(corpus: Corpus) -> Sequence[Sequence[Annotation]]:
    if corpus.annotations is None and corpus.groups is not None:
        return ungroup(corpus).annotations or ()
    return corpus.annotations if corpus.annotations is not None else extracted_annotations(corpus)


def _check_rectangular(annotations: Sequence[Sequence[Annotation]], wanted: Sequence[int] | None) -> None:
    """Refuse to score a rewrite that is not there as one that changed nothing."""
    references = max(map(len, annotations)) if wanted is None else len(wanted)
    for i, sentence in enumerate(annotations):
        if len(sentence) != references:
            raise InputError(
                f"m2: sentence {i + 1} has {len(sentence)} of the {references} references wanted",
                fix="Leave out annotators=… and policy=average, or give every sentence the same number of references",
            )


def precision_recall(totals: npt.NDArray[Any]) -> tuple[Values, Values]:
    """Return precision and recall of (correct, proposed, gold), each 1 where its denominator is 0."""
    correct, proposed, gold = (totals[..., k].astype(np.float64) for k in range(3))
    precision = np.where(proposed > 0, correct / np.where(proposed > 0, proposed, 1), 1.0)
    recall = np.where(gold > 0, correct / np.where(gold > 0, gold, 1), 1.0)
    return precision, recall


def f_beta(precision: Values, recall: Values, beta: float) -> Values:
    """Return (1 + beta²) P R / (beta² P + R), 0 where that is 0/0."""
    size = beta**2 * precision + recall
    return np.where(size > 0, (1 + beta**2) * precision * recall / np.where(size > 0, size, 1), 0.0)

"""I-measure: does the system improve the text? (Felice & Briscoe 2015; docs/imeasure.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from gecbench.corpus.corpus import Corpus, Gold
from gecbench.errors import InputError
from gecbench.kernels.alignment import f_score, precision, recall
from gecbench.kernels.tokens import split_tokens
from gecbench.metrics.explanation import Explanation
from gecbench.metrics.imeasure.accuracy import (
    BASELINE,
    CORRECTION,
    COUNT_NAMES,
    DETECTION,
    SCORED,
    improvement,
    weighted_accuracy,
)
from gecbench.metrics.imeasure.choice import ReferenceChoice, Selection, select_references
from gecbench.metrics.imeasure.explain import explain_sentence
from gecbench.metrics.imeasure.gold import spaced_sources
from gecbench.metrics.policy import ChosenInOrder, OnlyRow, Policy
from gecbench.metrics.ratios import Values
from gecbench.metrics.signature import MIXING_WORDS, Signature
from gecbench.metrics.statistics import Counts, Statistics

_ASPECTS = {"detection": DETECTION, "correction": CORRECTION}


@dataclass(frozen=True)
class IMeasure(ReferenceChoice):
    """How much closer to correct text the system brings its input: 1 all the way, 0 as before, -1 ruined.

    Tokens of source, prediction and reference are aligned three-way and classified; WAcc weighs right and wrong
    corrections more than what was left alone, and I relates it to the WAcc of leaving the source as it is. Each
    sentence is scored against the reference that suits it best. Equal to the official scorer, ties included.

    `mixing`: True takes every combination of the annotators' corrections of independent errors as a reference, without
      listing them; a sentence that cannot be done exactly is refused. False takes the annotators as they are (rewrites
      as they are, where the corpus has nothing else). "cap" mixes only cleanly grouped sentences of at most `cap`
      combinations; the others are, by `beyond`, "unmixed" or "excluded". "bounded" mixes as True does, but leaves a
      sentence unmixed that would take long or cannot be done. The score's diagnostics tell how many.
    `objective`: what the chosen reference maximises: d (detection) or c (correction) and one of tp tn fp fn p r f acc
      wacc i.
    `treebank`: the official converter makes `can't` to `ca n't`.
    `tokens`: those of sources and corrections are always separated by all whitespace.

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
        "Improvement over the source in weighted accuracy of tokens, against the best mix of all corrections"
    )
    papers: ClassVar[str] = "Felice & Briscoe 2015"
    golds: ClassVar[tuple[Gold, ...]] = ("groups", "annotations", "references")
    explains: ClassVar[bool] = True
    board_parameters: ClassVar[Mapping[str, Any]] = {"mixing": "bounded"}  # so that no output keeps a server busy

    @property
    def reference_policy(self) -> Policy:
        """References are chosen while counting."""
        return ChosenInOrder() if self.optimise == "corpus" else OnlyRow()

    def select(self, corpus: Corpus, predictions: Sequence[str]) -> Selection:
        """Choose a reference for every sentence."""
        return select_references(corpus, predictions, self)

    def count(self, corpus: Corpus, predictions: Sequence[str]) -> Statistics:
        """Return one row per sentence: counts of detection, correction and baseline, and whether it was scored."""
        selection = self.select(corpus, predictions)
        if not selection.scored.any():
            raise InputError(
                "every sentence was excluded: nothing is left to score", fix="Use a larger cap or beyond=unmixed"
            )
        counts = np.column_stack([selection.counts, selection.scored])
        return Statistics(counts, np.arange(len(corpus) + 1, dtype=np.int64), selection.diagnostics)

    def values(self, totals: npt.NDArray[Any]) -> Values:
        """Return I of the correction; not a number where no sentence was scored."""
        return np.where(totals[..., SCORED] > 0, improvement(totals, CORRECTION, self.weight), np.nan)

    def parts(self, totals: Counts) -> dict[str, float]:
        """Return counts and ratios of detection, correction and baseline."""
        total = totals[0]
        parts: dict[str, float] = {}
        for name, aspect in _ASPECTS.items():
            counts = total[aspect].tolist()
            parts |= {f"{name}_{count}": value for count, value in zip(COUNT_NAMES, counts, strict=True)}
            parts |= {
                f"{name}_precision": precision(counts),
                f"{name}_recall": recall(counts),
                f"{name}_f": f_score(counts, self.beta),
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
        """Show the alignments of some sentences (counted from 0), each with the reference chosen for it."""
        selection, sources = self.select(corpus, predictions), spaced_sources(corpus)
        outputs = {i: " ".join(split_tokens(predictions[i], self.tokens)) for i in sentences}
        return [explain_sentence(selection, i, sources[i], outputs[i], self.weight) for i in sentences]

    def sentence_values(self, statistics: Statistics) -> Values:
        """Return I of each sentence's correction; not a number where the sentence was excluded."""
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
        """Return the parameters that made a score."""
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

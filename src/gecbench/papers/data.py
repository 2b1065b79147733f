"""CoNLL-14 as the papers used it.

This covers reference sets and system outputs, with or without the 34 merged sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from gecbench.corpora.catalog import DATASETS
from gecbench.corpora.conll14 import read_systems, sentence_rows
from gecbench.corpora.load import load_corpus
from gecbench.corpora.upstream import Upstream
from gecbench.corpus.corpus import Corpus
from gecbench.formats.scores import parse_system_scores
from gecbench.metrics.base import Score

METRIC_SCORES = "reassess/metric_scores"
REFERENCE_SETS = {
    "NUCLE": "nucle",
    "BN15": "bn15",
    "E-fluency": "expert_fluency",
    "N-fluency": "nonexpert_fluency",
    "E-minimal": "expert_minimal",
    "N-minimal": "nonexpert_minimal",
    "All": "all_bn15",
}
NO_ARCHIVE = (
    "The ten annotations of Bryant & Ng (10gec_annotations.zip) were not downloaded. "
    "To download them, run `gecbench data build conll14_fluency bn15`."
)


@dataclass(frozen=True)
class Conll14:
    """The CoNLL-14 test set. Its files are read on first use."""

    upstream: Upstream

    @cached_property
    def rows(self) -> list[dict[str, object]]:
        """The sentences, each with its essay and whether it was merged from several."""
        return sentence_rows(self.upstream)

    @cached_property
    def kept(self) -> list[int]:
        """The positions of the 1,278 sentences that were not merged."""
        return [i for i, row in enumerate(self.rows) if not row["merged"]]

    @cached_property
    def systems(self) -> dict[str, list[str]]:
        """The outputs of the twelve systems, and the input, on all 1,312 sentences."""
        return read_systems(self.upstream, [str(row["sentence"]) for row in self.rows])

    @cached_property
    def kept_systems(self) -> dict[str, list[str]]:
        """The outputs of the twelve systems, and the input, on unmerged sentences.

        These are the 1,278 sentences that were not merged.
        """
        return {name: self.keep(lines) for name, lines in self.systems.items()}

    def keep(self, lines: list[str]) -> list[str]:
        """Return only the lines of the 1,278 sentences that were not merged."""
        return [lines[i] for i in self.kept]

    def whole(self, config: str) -> Corpus:
        """Return a reference set on all 1,312 sentences."""
        return load_corpus("conll14_fluency", config, upstream=self.upstream)

    def corpus(self, config: str) -> Corpus:
        """Return a reference set on the 1,278 sentences that were not merged."""
        return self.whole(config).select(self.kept)

    def reference_sets(self) -> tuple[dict[str, Corpus], dict[str, str]]:
        """Return the available reference sets of the 2016 paper.

        Also return, for each other set, why it is missing.
        """
        found, missing = {}, {}
        for name, config in REFERENCE_SETS.items():
            if DATASETS["conll14_fluency"].config(config).pinned or self.has_ten_annotations:
                found[name] = self.corpus(config)
            else:
                missing[name] = NO_ARCHIVE
        return found, missing

    @cached_property
    def has_ten_annotations(self) -> bool:
        """Whether the archive of Bryant & Ng is in the mirror or the cache.

        The archive is not downloaded here.
        """
        return all(row["where"] != "network" for row in self.upstream.describe("bn15/"))

    def published_scores(self) -> dict[tuple[str, str], Mapping[str, float]]:
        """Return the scores released with the 2016 paper.

        The keys are our names of the metric and the references.
        """
        table = parse_system_scores(self.upstream.text(METRIC_SCORES), name=METRIC_SCORES)
        sets = {"NE-fluency": "N-fluency", "NE-minimal": "N-minimal", "all": "All"}
        found: dict[tuple[str, str], Mapping[str, float]] = {}
        for name, scores in table.items():
            metric, _, references = name.partition("|")
            key = "I-measure" if metric == "IM" else metric, sets.get(references, references)
            found[key] = {"INPUT" if system == "source" else system: score for system, score in scores.items()}
        return found


def m2_percentages(score: Score) -> list[float]:
    """Return precision, recall and F0.5 in percent."""
    return [100 * score.parts["precision"], 100 * score.parts["recall"], 100 * score.value]

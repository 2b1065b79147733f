"""Recompute published meta-evaluations on SEEDA.

They are recomputed with the references that they used, and with the correct references.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from gecbench.analysis.tables import Table
from gecbench.corpora import seeda
from gecbench.corpora.load import load_corpus
from gecbench.corpora.upstream import Upstream, check_sources
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.edits import EditedTexts, apply_edits
from gecbench.errors import MissingDependencyError
from gecbench.formats.judgments import Judgment, expand_pairs
from gecbench.formats.m2 import NOOP, parse_blocks
from gecbench.formats.tables import read_edits
from gecbench.human.correlation import (
    NO_REFERENCES,
    WINDOW_METHODS,
    MetricScores,
    correlate,
    score_systems,
    sentence_agreement,
    window_analysis,
)
from gecbench.papers.document import (
    ABSENT,
    COMPARED,
    Contents,
    Figure,
    Resources,
    Section,
    compared,
    number,
    published,
    score_figure,
    window_figure,
)

PAPER = "seeda"
METRICS = {"GLEU+": "gleu(variant=multiset)", "GLEU": "gleu(draws=py3)", "GREEN": "green", "M2": "m2"}
_FILES = {"edit": "edit", "sentence": "sent"}  # our name: the name in upstream's files
_REFERENCES = {"gecmetrics": "theirs", "right": "right"}
_SYMBOLS = {"pearson": "r", "spearman": "ρ", "accuracy": "acc.", "tau": "τ"}
COMBINED = "conll14/noalt/official-2014.combined.m2"


@dataclass(frozen=True)
class Seeda:
    """SEEDA's sentences with references, read on first use."""

    upstream: Upstream

    @cached_property
    def right(self) -> Corpus:
        """The correct references, made from the separate files of the two annotators."""
        return load_corpus("conll14", upstream=self.upstream).select(seeda.judged_sentences(self.upstream))

    @cached_property
    def gec_metrics(self) -> Corpus:
        """The references of gec-metrics.

        There, an annotator without lines in the combined file made no edits.
        """
        blocks = parse_blocks(self.upstream.lines(COMBINED), COMBINED)
        texts = []
        for sentence in seeda.judged_sentences(self.upstream):
            block = blocks[sentence]
            edits = {
                found.annotator: [edit for edit in found.edits if edit.type != NOOP] for found in block.annotations
            }
            texts.append([apply_edits(block.source, edits.get(annotator, ())) for annotator in (0, 1)])
        return self.right.replace(references=texts, annotations=None, name="conll14 as gec-metrics reads it")

    @cached_property
    def outputs(self) -> Mapping[str, list[str]]:
        """The outputs of the 15 systems."""
        return seeda.read_outputs(self.upstream)

    def corpora(self) -> dict[str, Corpus]:
        """Return both sets of references by name.

        The names of the M2 files with ERRANT's edits contain these names.
        """
        return {"gecmetrics": self.gec_metrics, "right": self.right}

    def people(self, human: str, method: str) -> Mapping[str, float]:
        """Return the published human scores."""
        return seeda.read_scores(self.upstream, _FILES[human], method)

    def judgments(self, human: str) -> list[Judgment]:
        """Return the pairwise judgments."""
        return list(expand_pairs(seeda.read_rankings(self.upstream, _FILES[human])))


def reproduce(resources: Resources) -> Contents:
    """Recompute the published numbers with both sets of references."""
    data = Seeda(resources.upstream)
    scores, origin = _all_scores(data, resources.edits)
    judgments = {human: data.judgments(human) for human in _FILES}
    return (*_figures(data, scores, judgments, origin), _without_metric(data, judgments)), _drawings(data, scores)


def _all_scores(data: Seeda, edits: Path | None) -> tuple[dict[str, dict[str, MetricScores]], str]:
    """Return scores by metric and references, and the origin of ERRANT's edits."""
    found: dict[str, dict[str, MetricScores]] = {name: {} for name in (*METRICS, "ERRANT")}
    for references, corpus in data.corpora().items():
        for name, metric in METRICS.items():
            if metric != "m2" or references == "right":  # M2 needs edits, which gec-metrics' reading does not have
                found[name][references] = _score(metric, corpus, data.outputs)
    if edits is not None:
        for references in data.corpora():
            gold = read_edits(str(edits / f"gold_{references}.m2"))
            found["ERRANT"][references] = _score("errant", gold, read_edited(edits, gold, seeda.SYSTEMS))
        return found, "ERRANT's edits were read from the folder given with --edits."
    try:
        for references, corpus in data.corpora().items():
            rewrites = corpus.replace(annotations=None)
            found["ERRANT"][references] = _score("errant", rewrites, data.outputs)
    except MissingDependencyError:
        found["ERRANT"].clear()
        return found, "ERRANT was not computed. Give a folder of its edits with --edits, or install gecbench[errant]."
    return found, "The installed errant extracted ERRANT's edits. Other releases and models give other values."


def _score(metric: str, corpus: Corpus, outputs: Mapping[str, Sequence[str]]) -> MetricScores:
    (found,) = score_systems([metric], {corpus.name: corpus}, outputs, sentences=True, aligned=True, tokenized=True)
    return found


def read_edited(folder: Path, gold: Corpus, systems: Iterable[str]) -> dict[str, EditedTexts]:
    """Return the systems' edits in the M2 files of a folder."""
    outputs = {}
    for name in systems:
        file = folder / f"{name}.m2"
        corpus = read_edits(str(file))
        check_sources(corpus.sources, gold.sources, str(file))
        outputs[name] = EditedTexts.of(corpus.sources, corpus.annotations or ())
    return outputs


def figures_of(
    row: Mapping[str, Any], scores: MetricScores, people: Mapping[str, float], judgments: Sequence[Judgment]
) -> dict[str, float]:
    """Return our values for a row of published numbers."""
    systems = seeda.SETS[row["systems"]]
    chosen = scores.select(systems)
    if row["level"] == "sentence":
        pairs = [pair for pair in judgments if pair.system1 in systems and pair.system2 in systems]
        found = sentence_agreement(chosen.sentences or {}, pairs, ties="seeda")
        return {"accuracy": found.accuracy, "tau": found.tau}
    ranked = chosen.aggregated(row["level"])
    human = {name: people[name] for name in systems}
    return {method: correlate(ranked.systems, human, method).value for method in WINDOW_METHODS}


def _figures(
    data: Seeda,
    scores: Mapping[str, Mapping[str, MetricScores]],
    judgments: Mapping[str, Sequence[Judgment]],
    origin: str,
) -> list[Section]:
    """Return a section for each source of published values.

    The last section has the notes.
    """
    lines: dict[str, list[list[str]]] = {}
    for row in published(PAPER)["figures"]:
        people = data.people(row["human"], row["method"])
        ours = {
            references: figures_of(row, found, people, judgments[row["human"]])
            for references, found in scores[row["metric"]].items()
        }
        for what, theirs in row["values"].items():
            printed = number(theirs, row["digits"])
            values = {name: number(found[what], row["digits"]) for name, found in ours.items()}
            cells = [values.get(name, ABSENT) for name in data.corpora()] if values else ["not computed", ABSENT]
            same = [_REFERENCES[name] for name in data.corpora() if values.get(name) == printed]
            equal = ("both" if len(same) == 2 else same[0]) if same else "neither" if values else ABSENT
            lines.setdefault(row["source"], []).append([*_labels(row), _SYMBOLS[what], printed, *cells, equal])
    header = ["metric", "SEEDA", "score", "what", "published", *_REFERENCES.values(), "equal"]
    *sections, last = [Section(f"Published: {source}", Table(header, rows)) for source, rows in lines.items()]
    notes = (
        "theirs: the references as gec-metrics reads them. The official combined file has no lines of the second "
        "annotator in 224 of 1,312 sentences. gec-metrics takes this to mean that the annotator changed nothing. But "
        "in 88 of these sentences (22 of SEEDA's 391), the annotator's own file has edits. There, the second reference "
        "of gec-metrics is the uncorrected source. right: the references of both annotators' own files. equal: the "
        "references that give the published value.",
        "SEEDA: judgments of edits (E) or sentences (S), and the set of systems (base: 12 systems; fluency: these 12, "
        "GPT-3.5 and REF-F). score: the metric's corpus score, or TrueSkill of its sentence scores. Both are compared "
        "with human scores by TrueSkill (EW: by Expected Wins). sentence: agreement on pairs of outputs. If a metric "
        "ties, the system whose name comes later in the alphabet counts as better.",
        "The README and the test of gec-metrics are from commit 320c830. In sections titled 'note on', the published "
        "values come from a note on the paper, and were not checked against the paper itself. The note on CLEME 2.0 "
        "quotes Kobayashi et al. (TACL 2024).",
        "We could not reproduce the values of M2 and the official GLEU (with Python 3's draws), although we tried 19 "
        "variants.",
        origin,
    )
    return [*sections, replace(last, notes=notes)]


def _labels(row: Mapping[str, Any]) -> list[str]:
    level = row["level"] if row["method"] == "trueskill" else f"{row['level']} EW"
    return [row["metric"], f"{row['human'][0].upper()}, {row['systems']}", level]


def count_characters(outputs: Mapping[str, Sequence[str]]) -> MetricScores:
    """Score outputs by their number of characters.

    This tests the meta-evaluation without a real metric.
    """
    systems = {name: float(sum(map(len, lines))) for name, lines in outputs.items()}
    sentences = {(name, i): float(len(text)) for name, lines in outputs.items() for i, text in enumerate(lines)}
    return MetricScores("characters", NO_REFERENCES, systems, sentences)


def _without_metric(data: Seeda, judgments: Mapping[str, Sequence[Judgment]]) -> Section:
    scores, lines = count_characters(data.outputs), []
    for row in published(PAPER)["characters"]:
        ours = figures_of(row, scores, data.people(row["human"], row["method"]), judgments[row["human"]])
        for what, theirs in row["values"].items():
            lines.append([f"{row['human']}, {row['level']}", what, *compared(theirs, ours[what], row["digits"], 0)])
    note = "gec-metrics' own test also uses this metric. It needs no references."
    return Section("Number of characters as the metric", Table(["judgments", "what", *COMPARED], lines), (note,))


def _drawings(data: Seeda, scores: Mapping[str, Mapping[str, MetricScores]]) -> tuple[Figure, ...]:
    people = data.people("edit", "trueskill")
    right = {name: found["right"] for name, found in scores.items() if "right" in found}
    panels = {
        name: {system: (people[system], score) for system, score in found.systems.items()}
        for name, found in right.items()
    }
    base = seeda.SETS["base"]
    human = {name: people[name] for name in base}
    lines = {}
    for name, found in right.items():
        windows = list(window_analysis(found.select(base).systems, human, 4))
        lines[name] = [one.first for one in windows], [one.values["pearson"] for one in windows]
    return (
        score_figure(panels, "SEEDA-E, all 15 systems, with the references of both annotators' own files."),
        window_figure(lines, 4, "SEEDA-E, base systems, with the references of both annotators' own files."),
    )

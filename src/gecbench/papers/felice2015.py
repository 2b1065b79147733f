"""Reproduce the tables of Felice & Briscoe 2015.

The paper is "Towards a standard evaluation method for grammatical error detection and correction".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gecbench.corpus.corpus import Corpus
from gecbench.corpus.edits import Annotation, Edit
from gecbench.display import tracked
from gecbench.human.correlation import coefficient
from gecbench.metrics.base import Metric, Score, f_beta, precision_recall
from gecbench.metrics.imeasure import IMeasure, weighted_accuracy
from gecbench.metrics.m2 import M2
from gecbench.papers.data import Conll14, m2_percentages
from gecbench.papers.document import Contents, Resources, Section, comparison, published, side_by_side

PAPER = "felice2015"
SUBSET = (
    "The paper uses 711 sentences, which it does not list. We use all 1,312, so only the order of the systems can be "
    "compared."
)


def reproduce(resources: Resources) -> Contents:
    """Recompute the worked examples, and score the systems on all sentences."""
    data = Conll14(resources.upstream)
    corpus = data.whole("nucle_alt")
    m2, mixed = (_scores(metric, corpus, data.systems) for metric in (M2(), M2(mixing="cap")))
    return (_examples(), _table8(), _table10(m2, mixed), _table11(corpus, data, m2)), ()


def _scores(metric: Metric, corpus: Corpus, systems: Mapping[str, Sequence[str]]) -> dict[str, Score]:
    """Return the score of every system, with a progress bar."""
    return {
        name: metric.score_corpus(corpus, lines, aligned=True, tokenized=True)
        for name, lines in tracked(systems.items(), len(systems), metric.title)
    }


def _examples() -> Section:
    """Return Tables 1 to 3, computed on our own sentences.

    Our sentences have the same structure as the paper's.
    """
    boxes, lamp = "That boxes is made for hold paper .", "Lamp is build to light rooms ."
    two = (
        Annotation(0, (Edit(0, 1, ("Those",)), Edit(2, 3, ("are",)), Edit(5, 6, ("holding",)))),
        Annotation(1, (Edit(1, 2, ("box",)), Edit(4, 5, ("to",)))),
    )
    phrase = (Annotation(0, (Edit(0, 1, ("Lamps",)), Edit(1, 3, ("are built",)))),)
    words = (Annotation(0, (Edit(0, 1, ("Lamps",)), Edit(1, 2, ("are",)), Edit(2, 3, ("built",)))),)
    theirs = published(PAPER)
    good, bad = theirs["table3"]
    cases = (
        ("Table 1: two annotators mixed", boxes, two, "Those boxes are made to hold paper .", theirs["table1"]),
        ("Table 2: half of a gold phrase", lamp, phrase, "Lamp is built to light rooms .", theirs["table2"]),
        ("Table 3: the better text", lamp, words, "The lamp is built for lighting rooms .", good),
        ("Table 3: the worse text", lamp, words, "Lamps is a build on the lighting of the rooms .", bad),
    )
    rows = []
    for name, source, gold, hypothesis, printed in cases:
        corpus = Corpus(sources=[source], annotations=[gold])
        ours = [
            value / 100
            for value in m2_percentages(M2().score_corpus(corpus, [hypothesis], aligned=True, tokenized=True))
        ]
        rows.append((name, printed, ours))
    table = comparison("example", ("P", "R", "F0.5"), rows, 2, 0)
    note = "Computed on our own sentences, which have the same structure as the paper's."
    return Section("Tables 1 to 3: M2 scores of four hypotheses", table, (note,))


def _table8() -> Section:
    """Return Table 8, computed from its counts."""
    rows = []
    for name, (tp, fp, tn, fn, *theirs) in published(PAPER)["table8"].items():
        precision, recall = precision_recall(np.array([tp, tp + fp, tp + fn]))
        counts = np.array([tp, tn, fp, fn, 0])
        accuracies = [float(weighted_accuracy(counts, weight)) for weight in (1.0, IMeasure().weight)]
        ours = [float(precision), float(recall), float(f_beta(precision, recall, 0.5)), *accuracies]
        rows.append((name, theirs, ours))
    table = comparison("system", ("P", "R", "F0.5", "Acc", "WAcc"), rows, 2, 0)
    return Section("Table 8: scores computed from given counts", table)


def _table10(m2: Mapping[str, Score], mixed: Mapping[str, Score]) -> Section:
    printed = published(PAPER)["table10"]
    ours = {name: [*m2_percentages(m2[name]), *m2_percentages(mixed[name])] for name in printed}
    parts = [f"{gold} {part}" for gold in ("original", "mixed") for part in ("P", "R", "F0.5")]
    original, mixes = (
        coefficient([theirs[k] for theirs in printed.values()], [row[k] for row in ours.values()], "spearman")
        for k in (2, 5)
    )
    notes = (
        SUBSET,
        f"Spearman's ρ between the published F0.5 and ours: {original:.3f} with the original annotations, {mixes:.3f} "
        "with mixed annotations. Sentences with too many mixes are left unmixed.",
        "As in the paper, mixing raises recall and hardly changes precision.",
    )
    table = side_by_side("system", parts, [(name, theirs, ours[name]) for name, theirs in printed.items()])
    return Section("Table 10: M2, original and mixed annotations", table, notes)


def _table11(corpus: Corpus, data: Conll14, m2: Mapping[str, Score]) -> Section:
    printed = published(PAPER)["table11"]
    scores = _scores(IMeasure(), corpus, {name: data.systems[name] for name in printed})
    rows = []
    for name, theirs in printed.items():
        parts = scores[name].parts
        ours = parts["correction_weighted_accuracy"], parts["baseline_weighted_accuracy"], scores[name].value
        rows.append((name, theirs[-3:], [100 * value for value in ours]))
    values = [scores[name].value for name in printed]
    rho = coefficient([theirs[-1] for theirs in printed.values()], values, "spearman")
    against = coefficient([m2[name].value for name in printed], values, "spearman")
    notes = (
        SUBSET,
        f"Spearman's ρ between the published I and ours: {rho:.3f}. Spearman's ρ between I and M2's F0.5: published "
        f"{published(PAPER)['spearman_f_and_i']:.3f}, ours {against:.3f}.",
    )
    return Section("Table 11: I-measure", side_by_side("system", ("WAcc", "WAcc base", "I"), rows), notes)

"""Bryant & Ng's equations by hand, on synthetic annotators, and on whole corpora with any metric."""

from __future__ import annotations

import contextlib
import random
from fractions import Fraction
from math import isnan
from typing import Any

import numpy as np
import pytest
from mirror_files import golden, needs_mirror
from numpy.typing import NDArray
from oracles.greedy import f_score, greedy

import gecbench
from gecbench import Annotation, Corpus, Edit, InputError, human_bound
from gecbench.corpus.prepare import Preprocessing
from gecbench.human.bound import (
    Bound,
    annotator_subsets,
    annotators_of,
    bound_by_category,
    bound_of_values,
    greedy_f,
    score_subsets,
)
from gecbench.metrics.m2 import M2

# counts[author][sentence][annotator] = correct, proposed, gold; three annotators, then one system.
SELF = (9, 9, 9)
HAND = np.array(
    [
        [[SELF, (1, 2, 1), (1, 2, 3)], [SELF, (0, 1, 1), (1, 1, 1)]],
        [[(1, 1, 2), SELF, (0, 1, 3)], [(0, 1, 1), SELF, (0, 1, 1)]],
        [[(1, 3, 2), (0, 3, 1), SELF], [(1, 1, 1), (0, 1, 1), SELF]],
        [[(1, 1, 2), (0, 1, 1), (1, 1, 3)], [(0, 0, 1), (0, 0, 1), (0, 0, 1)]],
    ],
    dtype=np.int64,
)
# F0.5 = 1.25 C / (0.25 G + E), worked on paper; against {1, 2} annotator 0 takes 1, then 2.
F0 = {"1": Fraction(5, 14), "2": Fraction(5, 8), "12": Fraction(5, 7)}
F1 = {"0": Fraction(5, 11), "2": Fraction(0), "02": Fraction(5, 11)}
F2 = {"0": Fraction(10, 19), "1": Fraction(0), "01": Fraction(10, 19)}
FS = {
    "0": Fraction(5, 7),
    "1": Fraction(0),
    "2": Fraction(5, 8),
    "01": Fraction(5, 7),
    "02": Fraction(5, 7),
    "12": Fraction(5, 8),
}
G = {
    1: (F1["0"] + F2["0"]) / 2,
    2: (F0["1"] + F2["1"]) / 2,
    4: (F0["2"] + F1["2"]) / 2,
    3: F2["01"],
    5: F1["02"],
    6: F0["12"],
}


def greedy_bound(counts: NDArray[np.int64], *systems: str, sizes: Any = "all") -> Bound:
    subsets = annotator_subsets(counts.shape[2], sizes)
    return bound_of_values(greedy_f(counts, subsets), subsets, counts.shape[2], systems)


def test_equations_by_hand(kernels_of: str) -> None:
    bound = greedy_bound(HAND, "sys")
    for subset, g in zip(bound.subsets.tolist(), bound.g.tolist(), strict=True):
        assert isnan(g) if subset == 7 else g == pytest.approx(float(G[subset]))
    human = {1: (G[1] + G[2] + G[4]) / 3, 2: (G[3] + G[5] + G[6]) / 3}
    system = {1: (FS["0"] + FS["1"] + FS["2"]) / 3, 2: (FS["01"] + FS["02"] + FS["12"]) / 3}
    for size in (1, 2):
        assert bound.row(size).human == pytest.approx(float(human[size]))
        assert bound.row(size).systems["sys"] == pytest.approx(float(system[size]))
        assert bound.row(size).ratio("sys") == pytest.approx(float(system[size] / human[size]))
    assert bound.row(3).systems["sys"] == pytest.approx(5 / 7)
    assert isnan(bound.row(3).human)
    assert isnan(bound.row(3).ratio("sys"))


def test_last_row_alone_is_the_last_row(kernels_of: str) -> None:
    every, last = (greedy_bound(HAND, "sys", sizes=sizes) for sizes in ("all", "last"))
    assert [row.size for row in last.rows] == [2]
    assert last.row(2) == every.row(2)
    with pytest.raises(InputError, match=r"no result for 1 annotator\b"):
        last.row(1)


def ten_annotators_counts(sentences: int, seed: int) -> NDArray[np.int64]:
    """Counts of ten annotators and two systems (a copy of annotator 3, one that never edits) on common edits."""
    generator = np.random.default_rng(seed)
    pool = 9
    need = generator.random((sentences, pool)) < 0.5
    edits = generator.random((10, sentences, pool)) < np.where(need, 0.7, 0.1)
    authors = np.concatenate((edits, edits[3:4], np.zeros((1, sentences, pool), dtype=bool)))
    correct = (authors[:, None] & edits[None]).sum(axis=3).transpose(0, 2, 1)
    sizes = authors.sum(axis=2)[:, :, None] + 0 * correct, edits.sum(axis=2).T[None] + 0 * correct
    return np.stack((correct, *sizes), axis=3)


def members_of(subset: int) -> list[int]:
    return [j for j in range(10) if subset >> j & 1]


@pytest.fixture(scope="module")
def naive() -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return counts, and F0.5 of every author against each subset of the annotators, by its number."""
    counts = ten_annotators_counts(12, seed=5)
    f = [
        [f_score(greedy((row[members_of(subset)].tolist() for row in author), 0.25)) for subset in range(1, 1024)]
        for author in counts
    ]
    return counts, np.array(f)


def test_all_1023_subsets_equal_the_naive_scorer(kernels_of: str, naive: Any) -> None:
    counts, f_by_number = naive
    bound = greedy_bound(counts, "copy", "idle")
    assert len(bound.subsets) == 1023
    members, f = [*map(members_of, bound.subsets.tolist())], f_by_number[:, bound.subsets - 1]
    for index, inside in enumerate(members[:-1]):
        outside = [j for j in range(10) if j not in inside]
        assert bound.g[index] == pytest.approx(f[outside, index].mean())
    for row in bound.rows:
        here = [len(inside) == row.size for inside in members]
        assert row.systems["copy"] == pytest.approx(f[10, here].mean())


def test_any_other_score() -> None:
    subsets = annotator_subsets(3)
    values = score_subsets(4, 3, subsets, lambda members: lambda author: float(HAND[author][:, members, 2].max()))
    every = bound_of_values(values, subsets, 3, ["sys"])
    assert every.row(1).systems["sys"] == pytest.approx((2 + 1 + 3) / 3)
    assert every.row(2).human == pytest.approx((2 + 3 + 3) / 3)


@pytest.mark.parametrize("annotators", [0, 17])
def test_number_of_annotators_is_limited(annotators: int) -> None:
    with pytest.raises(InputError, match=f"needs 1 to 16 annotators, but the corpus has {annotators}. Give"):
        annotator_subsets(annotators)


WORDS = ("cat", "dog", "house", "river", "tree")


def ten_annotators(sentences=25, seed=7):
    """A corpus of ten annotators who make some of the needed edits, of two types, and some others."""
    generator = random.Random(seed)
    sources, annotations = [], []
    for _ in range(sentences):
        tokens = [generator.choice(WORDS) + str(k) for k in range(12)]
        needed = [k for k in range(12) if generator.random() < 0.3]
        rows = []
        for annotator in range(10):
            edits = [
                Edit(k, k + 1, (f"{tokens[k]}s",), "Noun" if k % 2 else "Verb")
                for k in range(12)
                if generator.random() < (0.7 if k in needed else 0.05)
            ]
            if edits or generator.random() < 0.5:
                rows.append(Annotation(annotator, tuple(edits)))
        sources.append(" ".join(tokens))
        annotations.append(rows)
    return Corpus(sources=sources, annotations=annotations, name="ten")


def official_f(corpus, annotator, others, types=("Noun", "Verb")):
    """Score one annotator against some others with the metric itself, absent annotators having no edits."""

    def kept(sentence, who):
        edits = [e for a in sentence if a.annotator == who for e in a.edits if e.type in types]
        return Annotation(who, tuple(edits))

    gold = [[kept(sentence, other) for other in others] for sentence in corpus.annotations]
    texts = [
        gecbench.apply_edits(source, kept(sentence, annotator).edits)
        for source, sentence in zip(corpus.sources, corpus.annotations, strict=True)
    ]
    return M2().score_corpus(corpus.replace(annotations=gold), texts, aligned=True).value


def test_bound_of_ten_annotators_is_made_of_official_scores():
    corpus = ten_annotators()
    bound = human_bound("m2", corpus, {"idle": corpus.sources})
    assert len(bound.subsets) == 1023
    assert [row.size for row in bound.rows] == list(range(1, 11))
    expected = [official_f(corpus, a, [b]) for a in range(10) for b in range(10) if a != b]
    assert bound.row(1).human == pytest.approx(sum(expected) / 90)
    last = [official_f(corpus, a, [b for b in range(10) if b != a]) for a in range(10)]
    assert bound.row(9).human == pytest.approx(sum(last) / 10)
    assert human_bound("m2", corpus, sizes="last").row(9).human == pytest.approx(sum(last) / 10)
    pair = [official_f(corpus, a, [2, 5]) for a in range(10) if a not in (2, 5)]
    assert bound.g[bound.subsets.tolist().index(0b100100)] == pytest.approx(sum(pair) / 8)
    assert bound.row(1).ratio("idle") == 0
    assert isnan(bound.row(10).human)


def test_categories():
    corpus = ten_annotators()
    bounds = bound_by_category("m2", corpus)
    assert list(bounds) == ["Noun", "Verb"]
    for name, bound in bounds.items():
        last = [official_f(corpus, a, [b for b in range(10) if b != a], [name]) for a in range(10)]
        assert bound.row(9).human == pytest.approx(sum(last) / 10)
    with pytest.raises(InputError, match=r"unknown category Comma\. Choose one of Noun, Verb"):
        bound_by_category("m2", corpus, ["Comma"])


def test_prepared_predictions_are_not_checked_again(monkeypatch):
    demo = gecbench.load_demo()
    lines = gecbench.load_demo_systems()["rule-based"]
    expected = human_bound("m2", demo, {"x": lines}).rows
    prepared = Preprocessing().prepare(demo, lines)
    monkeypatch.setattr(Preprocessing, "prepare", lambda *_: pytest.fail("they were checked again"))
    assert repr(human_bound("m2", demo, {"x": prepared}).rows) == repr(expected)


def test_sentences_of_an_essay_alone():
    corpus = ten_annotators()
    some = [0, 3, 4, 9]
    part = human_bound("m2", corpus, {"x": corpus.sources}, sentences=some)
    assert part.rows[:-1] == human_bound("m2", corpus.select(some), {"x": [corpus.sources[i] for i in some]}).rows[:-1]
    assert part.rows[:-1] != human_bound("m2", corpus, {"x": corpus.sources}).rows[:-1]


def test_rewrites_are_scored_against_the_other_rewrites():
    demo = gecbench.load_demo()
    metric = gecbench.GLEU(iterations=20)
    bound = human_bound(metric, demo, {"copy": [texts[0] for texts in demo.references]}, aligned=True)
    scores = []
    for k in range(4):
        others = [j for j in range(4) if j != k]
        texts = [references[k] for references in demo.references]
        scores.append(metric.score_corpus(demo.with_references(others), texts).value)
    assert bound.row(3).human == pytest.approx(sum(scores) / 4)
    assert bound.g[bound.subsets.tolist().index(0b1110)] == pytest.approx(scores[0])
    alone = metric.score_corpus(demo.with_references([0]), [texts[0] for texts in demo.references]).value
    assert alone == 1
    assert bound.row(4).systems["copy"] < 1


def test_metrics_that_merge_references_are_counted_again():
    demo = gecbench.load_demo()
    bound = human_bound("bleu", demo, sizes="last")
    texts = [references[2] for references in demo.references]
    expected = gecbench.BLEU().score_corpus(demo.with_references([0, 1, 3]), texts).value
    assert bound.g[bound.subsets.tolist().index(0b1011)] == pytest.approx(expected)


@pytest.mark.parametrize("metric", [gecbench.BLEU, gecbench.IMeasure])
def test_people_are_counted_against_the_others_alone(metric, monkeypatch):
    counted, count = [], metric.count

    def counting(self, corpus, predictions):
        counted.append(corpus.reference_range())
        return count(self, corpus, predictions)

    monkeypatch.setattr(metric, "count", counting)
    human_bound(metric(), Corpus(sources=["a b c"], references=[["a b d", "a c", "a b"]]), sizes="last")
    assert counted == ["2", "2", "2"]


def test_metrics_that_choose_while_counting_see_only_the_subset():
    corpus = ten_annotators(sentences=6)
    some = corpus.replace(annotations=[[a for a in row if a.annotator < 3] for row in corpus.annotations])
    metric = gecbench.IMeasure(mixing=False)
    bound = human_bound(metric, some, sizes="last")
    found = annotators_of(metric, some)
    others = found.corpus.replace(annotations=[[row[0], row[2]] for row in found.corpus.annotations])
    expected = metric.score_corpus(others, found.texts[1], aligned=True).value
    assert bound.g[bound.subsets.tolist().index(0b101)] == pytest.approx(expected)


def test_an_annotator_who_is_not_listed_made_no_edits():
    corpus = Corpus(
        sources=["a b", "c d"],
        annotations=[[Annotation(0, (Edit(0, 1, ("x",)),)), Annotation(1, ())], [Annotation(1, (Edit(1, 2, ("y",)),))]],
    )
    found = annotators_of(M2(), corpus)
    assert found.texts == (("x b", "c d"), ("a b", "c y"))


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        (Corpus(sources=["a", "b"], references=[["a"], ["b", "c"]]), "1 to 2 references per sentence"),
        (Corpus(sources=["a"], references=[["a"]]), "has 1 reference per sentence"),
        (Corpus(sources=["a"]), "neither references nor annotations. Give at least two references or annotators"),
    ],
)
def test_what_has_no_bound(corpus, message):
    with pytest.raises(InputError, match=message):
        human_bound("gleu", corpus)


def test_a_single_annotator_has_no_bound():
    corpus = Corpus(sources=["a b"], annotations=[[Annotation(0, (Edit(0, 1, ("x",)),))]])
    with pytest.raises(InputError, match="has 1 annotator per sentence"):
        human_bound("m2", corpus)


def test_categories_need_coded_edits():
    with pytest.raises(InputError, match="no error types"):
        bound_by_category("m2", Corpus(sources=["a"], references=[["a", "b"]]))


@needs_mirror
@pytest.mark.parametrize(("split", "name"), [("validation", "dev"), ("test", "test")])
def test_human_of_jfleg(split, name):
    corpus = gecbench.load_corpus(f"jfleg:{split}")
    expected = golden("gleu.json")["jfleg"][f"jfleg.{name}.human_average"]["py2"]
    assert human_bound("gleu", corpus, sizes="last").row(3).human == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("ids", [(0, 1), (1, 8), (3, 11)])
@pytest.mark.parametrize("policy", ["greedy-cumulative", "best-per-sentence", "average"])
def test_nobody_is_scored_against_themselves_with_any_number(ids, policy):
    """Two annotators who agree on nothing: each scores 0 against the other."""
    edits = [Edit(0, 1, ("x",)), Edit(1, 2, ("y",))]
    annotations = [Annotation(number, (edit,)) for number, edit in zip(ids, edits, strict=True)]
    corpus = Corpus(sources=["a b c d"] * 3, annotations=[annotations] * 3)
    assert human_bound(M2(policy=policy), corpus).row(1).human == 0


@pytest.mark.parametrize("metric", ["gleu(iterations=2)", "bleu"])
def test_long_work_shows_its_progress(metric, monkeypatch):
    """Sixteen annotators have 65,535 sets: minutes of work, so the bar with the time left counts sets."""
    shown = []

    class Bar(contextlib.nullcontext):
        def update(self, steps):
            shown[-1][1] += steps

    def record(total, what):
        shown.append([total, 0])
        bar = Bar()
        bar.enter_result = bar
        return bar

    monkeypatch.setattr("gecbench.human.bound.progress", record)
    human_bound(metric, gecbench.load_demo())
    assert shown[-1] == [15, 15]

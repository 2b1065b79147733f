"""The human bound of whole corpora: any metric, error categories, essays; ten synthetic annotators."""

import contextlib
import random
from math import isnan

import pytest
from mirror_files import golden, needs_mirror

import gecbench
from gecbench import Annotation, Corpus, Edit, InputError, human_bound
from gecbench.human.bound import annotators_of, bound_by_category
from gecbench.metrics.m2 import M2

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
    with pytest.raises(InputError, match=r"no edits of the category Comma\. There are Noun, Verb"):
        bound_by_category("m2", corpus, ["Comma"])


def test_sentences_of_an_essay_alone():
    corpus = ten_annotators()
    some = [0, 3, 4, 9]
    part = human_bound("m2", corpus, {"x": corpus.sources}, sentences=some)
    assert part.rows[:-1] == human_bound("m2", corpus.select(some), {"x": [corpus.sources[i] for i in some]}).rows[:-1]
    assert part.rows[:-1] != human_bound("m2", corpus, {"x": corpus.sources}).rows[:-1]


def test_rewrites_are_scored_against_the_other_rewrites():
    demo = gecbench.load_demo()
    metric = gecbench.GLEU(iterations=20)
    bound = human_bound(metric, demo, {"copy": [texts[0] for texts in demo.references]})
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
        (Corpus(sources=["a"], references=[["a"]]), "one references per sentence"),
        (Corpus(sources=["a"]), "neither references nor annotations"),
    ],
)
def test_what_has_no_bound(corpus, message):
    with pytest.raises(InputError, match=message):
        human_bound("gleu", corpus)


def test_categories_need_coded_edits():
    with pytest.raises(InputError, match="no coded edits"):
        bound_by_category("m2", Corpus(sources=["a"], references=[["a", "b"]]))


@needs_mirror
@pytest.mark.parametrize(("split", "name"), [("validation", "dev"), ("test", "test")])
def test_human_of_jfleg(split, name):
    corpus = gecbench.load_corpus(f"jfleg:{split}")
    expected = golden("gleu.json")["jfleg"][f"jfleg.{name}.human_average"]["py2"]
    assert human_bound("gleu", corpus, sizes="last").row(3).human == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("ids", [(0, 1), (1, 8), (3, 11)])
@pytest.mark.parametrize("policy", ["greedy-cumulative", "best-per-sentence", "average"])
def test_nobody_is_scored_against_themselves_whatever_their_number(ids, policy):
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

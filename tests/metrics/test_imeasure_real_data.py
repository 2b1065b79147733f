"""Real data: every count of the official scorer on CoNLL-14 and JFLEG, as recorded in tests/goldens."""

from __future__ import annotations

import csv
import functools
import hashlib
from itertools import product

import pytest
from imeasure_support import (
    GOLDEN,
    choose,
    conll14,
    conll14_system,
    kernel_of,
    printed,
    sentences_of,
    totals,
)
from mirror_files import GOLDENS, JFLEG, MIRROR, REASSESS, lines, needs_mirror
from oracles.mixed_references import combination_count

import gecbench
from gecbench.corpus.derive import unmixed_references
from gecbench.formats.m2 import read_m2
from gecbench.kernels import alignment

pytestmark = needs_mirror


@pytest.fixture(autouse=True)
def _native(monkeypatch):
    kernel_of("native")
    monkeypatch.setenv("GECBENCH_KERNELS", "native")


@functools.cache
def scored(gold, system, mixing):
    return gecbench.IMeasure(mixing=mixing).score_corpus(conll14(gold), conll14_system(system))


def assert_equal(score, expected):
    sums = totals(score.statistics.counts)
    assert sums == {name: expected[name] for name in sums}
    assert score.value == pytest.approx(expected["I"], abs=1e-15)


@pytest.mark.parametrize(("kind", "run"), [(kind, run) for kind in ("unmixed", "mixed") for run in GOLDEN[kind]])
def test_all_sentences(kind, run):
    assert_equal(scored(*run.split(), kind == "mixed"), GOLDEN[kind][run])


@pytest.mark.parametrize("run", GOLDEN["mixed"])
def test_listing_nothing_gives_the_same(run):
    gold, system = run.split()
    choice = choose(sentences_of(conll14(gold)), conll14_system(system), gecbench.IMeasure(), True, "native", listed=0)
    assert totals(choice.counts) == totals(scored(gold, system, True).statistics.counts)


@pytest.mark.parametrize("run", GOLDEN["capped"])
def test_mixed_up_to_a_cap(run):
    name, system, cap = run.split()
    metric = gecbench.IMeasure(mixing="cap", cap=int(cap), beyond="excluded")
    score = metric.score_corpus(conll14(name), conll14_system(system))
    expected = GOLDEN["capped"][run]
    assert score.parts["scored_sentences"] == expected["sentences"]
    assert score.diagnostics["excluded_sentences"] == 1312 - expected["sentences"]
    assert_equal(score, expected)


@pytest.mark.parametrize("run", [run for run in GOLDEN["capped"] if run.endswith("1024")])
def test_listing_everything_gives_the_same(run):
    name, system, cap = run.split()
    kept = [n for n, item in enumerate(conll14(name).groups) if combination_count(item) <= int(cap)]
    sentences = sentences_of(conll14(name))
    hypotheses = [conll14_system(system)[n] for n in kept]
    kept_sentences = [sentences[n] for n in kept]
    choice = choose(kept_sentences, hypotheses, gecbench.IMeasure(), True, "native", listed=int(cap))
    assert totals(choice.counts) == {name: GOLDEN["capped"][run][name] for name in totals(choice.counts)}


def options_of(arguments):
    """The official scorer's options as parameters; a wrong -max means cwacc there."""
    values = dict(argument.removeprefix("-").partition(":")[::2] for argument in arguments)
    objective = values.get("max", "cwacc").lower()
    return {
        "mixing": "nomix" not in values,
        "objective": "cwacc" if objective == "bogus" else objective,
        "optimise": {"sent": "sentence", "corpus": "corpus"}[values.get("opt", "sent")],
        "weight": float(values.get("w", 2)),
        "beta": float(values.get("b", 1)),
    }


BY_THE_PYTHON_TWIN = ["AMU -b:0.5 -max:cf -opt:corpus", "CAMB -b:0.5 -nomix", "CAMB -b:0.5 -w:3"]


@pytest.mark.parametrize(
    ("run", "kernel"), [*product(GOLDEN["options"], ["native"]), *product(BY_THE_PYTHON_TWIN, ["python"])]
)
def test_options(run, kernel, monkeypatch):
    monkeypatch.setenv("GECBENCH_KERNELS", kernel)
    system, *arguments = run.split()
    options = options_of(arguments)
    ids = [n - 1 for n in GOLDEN["options_ids"]]
    metric = gecbench.IMeasure(**options)
    score = metric.score_corpus(conll14("withalt").select(ids), [conll14_system(system)[n] for n in ids])
    assert printed(score.statistics.counts, options["weight"], options["beta"]) == GOLDEN["options"][run]


def test_every_sentence_of_one_system():
    """Counts per sentence; where several references are equally good, the official choice counts as ours."""
    corpus, system = conll14("combined"), conll14_system("AMU")
    selection = gecbench.IMeasure(mixing=False).select(corpus, system)
    columns = [0, 1, 2, 3, 5, 6, 7, 8, 9, 11, 13]
    with (GOLDENS / "imeasure_amu_unmixed.csv").open(encoding="utf-8") as file:
        expected = list(csv.DictReader(file))
    assert len(expected) == len(selection.counts) == 1312
    for number, row in enumerate(expected):
        sid, offered, *wanted, digest = row.values()
        references = unmixed_references(corpus.sources[number], corpus.groups[number])
        assert (int(sid), int(offered)) == (number + 1, len(references))
        ours = selection.counts[number]
        assert ours[columns].tolist() == [int(count) for count in wanted]
        (official,) = [text for text in references if hashlib.sha256(text.encode()).hexdigest()[:8] == digest]
        if official != selection.reference(number):
            alone = gecbench.Corpus(sources=[corpus.sources[number]], references=[[official]])
            chosen = gecbench.IMeasure(mixing=False).select(alone, [system[number]])
            assert chosen.counts[0].tolist() == ours.tolist()


def test_both_kernels_choose_the_same_on_real_sentences():
    part = range(300, 360)
    sentences = [sentences_of(conll14("withalt"))[n] for n in part]
    hypotheses = [conll14_system("NTHU")[n] for n in part]
    for mixing in (True, False):
        python, native = (
            choose(sentences, hypotheses, gecbench.IMeasure(), mixing, kernel) for kernel in ("python", "native")
        )
        assert python.counts.tolist() == native.counts.tolist()
        assert [python.reference(i) for i in range(len(part))] == [native.reference(i) for i in range(len(part))]
        assert python.work[:, :2].tolist() == native.work[:, :2].tolist()


def test_groups_of_the_official_converter():
    """Numbers of annotators and references that the official program reported."""
    counted = {name: [item.annotators for item in conll14(name).groups] for name in ("combined", "withalt")}
    assert [counted["combined"].count(n) for n in range(3)] == [136, 88, 1088]
    assert [counted["withalt"].count(n) for n in range(6)] == [117, 67, 779, 290, 53, 6]
    parts = [scored(name, "AMU", False).diagnostics["alignments_asked"] for name in counted]
    assert parts == [2373, 2821]
    largest = {name: max(map(combination_count, conll14(name).groups)) for name in counted}
    assert [float(f"{value:.1e}") for value in largest.values()] == [1.7e10, 1.9e12]
    assert scored("withalt", "AMU", True).diagnostics["bridged_sentences"] == 0


@pytest.mark.parametrize("system", GOLDEN["reassess"])
def test_published_scores_of_reassess_gec(system):
    """metric_scores of reassess-gec: all sentences but the merged ones, whose list says 48 for 418."""
    merged = {int(line) for line in lines(f"{REASSESS}/annotations/merged_ids")} - {48} | {418}
    kept = [n - 1 for n in range(1, 1313) if n not in merged]
    *counts, published = GOLDEN["reassess"][system]
    part = scored("combined", system, False).statistics.select(kept)
    sums = totals(part.counts)
    assert [*sums["correction"], sums["baseline"][1], sums["baseline"][3]] == counts
    assert round(100 * gecbench.IMeasure().value_of(part), 2) == published


@pytest.mark.parametrize("subset", GOLDEN["subsets"])
def test_subsets_near_table_11(subset):
    expected = GOLDEN["subsets"][subset]
    groups = conll14("withalt").groups
    ids = expected["ids"] or [n for n, item in enumerate(groups, 1) if combination_count(item) <= 1024]
    for system, counts in expected["rows"].items():
        part = scored("withalt", system, True).statistics.select([n - 1 for n in ids])
        sums = totals(part.counts)
        assert [*sums["correction"], sums["baseline"][1], sums["baseline"][3]] == counts


@pytest.mark.parametrize("hypothesis", GOLDEN["jfleg"])
def test_jfleg(hypothesis):
    corpus = read_m2(f"{MIRROR}/{JFLEG}/EACL_exp/m2converter/test.ref.m2")
    score = gecbench.IMeasure(mixing=False, beta=0.5).score_corpus(corpus, lines(f"{JFLEG}/test/{hypothesis}"))
    assert printed(score.statistics.counts, 2.0, 0.5) == GOLDEN["jfleg"][hypothesis]
    base = alignment.weighted_accuracy(totals(score.statistics.counts)["baseline"], 2.0)
    assert score.parts["baseline_weighted_accuracy"] == base


SUBSETS = ("R1_723", "R3_711_fitted")


@functools.cache
def subset(name):
    ids = [n - 1 for n in GOLDEN["subsets"][name]["ids"]]
    return conll14("withalt").select(ids).replace(groups=None), ids


@pytest.mark.parametrize("system", GOLDEN["published"]["table11"])
def test_table_11_on_the_nearest_subsets(system):
    """The claims of docs/metrics/imeasure.md §10: I within 0.4 points; TN and FN within 16 on the fitted subset."""
    published = GOLDEN["published"]["table11"][system]
    for name in SUBSETS:
        part = scored("withalt", system, True).statistics.select(subset(name)[1])
        assert abs(100 * gecbench.IMeasure().value_of(part) - published[-1]) <= 0.4
    counts = totals(part.counts)["correction"]
    assert max(abs(counts[k] - published[k]) for k in (1, 3)) <= 16


@pytest.mark.parametrize("system", GOLDEN["published"]["table10"])
def test_table_10_mixing_gains_recall_as_published(system):
    published = GOLDEN["published"]["table10"][system]
    for name in SUBSETS:
        corpus, ids = subset(name)
        outputs = [conll14_system(system)[i] for i in ids]
        plain, mixed = (
            gecbench.M2(mixing=mixing).score_corpus(corpus, outputs).parts["recall"] for mixing in (False, True)
        )
        assert 100 * (mixed - plain) == pytest.approx(published[4] - published[1], abs=0.7)

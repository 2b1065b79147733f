"""M2 on the real corpora: totals, digits and per-sentence counts of the official scorer.

The Python kernels, about a hundred times slower, get every kind of run but not every run.
"""

import csv

import pytest
from mirror_files import (
    GOLDENS,
    KEPT,
    REFERENCE_FILES,
    conll14_gold,
    conll14_references,
    conll14_rewrites,
    golden,
    jfleg,
    jfleg_gold,
    needs_mirror,
    published_scores,
    submission,
)

import gecbench
from gecbench import M2, compare, kernels

pytestmark = needs_mirror
GOLDEN = golden("m2.json")
NATIVE = kernels.active() == "native"
SYSTEMS = [system for system in GOLDEN["published"]["nucle_ignoring_case"] if system != "INPUT"]


def some(names, *parts):
    """All names, or those that hold one of the parts if the Python kernels run."""
    return [name for name in names if NATIVE or any(part in name for part in parts)]


def counts(score):
    return [score.parts[name] for name in ("correct", "proposed", "gold")]


def digits(score):
    return [f"{value:.4f}" for value in (score.parts["precision"], score.parts["recall"], score.value)]


def load(name):
    """Corpus, predictions and annotators of a run named as in the goldens."""
    data, part, system = name.split(".")
    if data == "conll14":
        return conll14_gold(part), submission(system), "all"
    if system == "source":
        return jfleg_gold(part), jfleg(part, "src"), "all"
    left_out = int(system[3])
    others = "+".join(str(k) for k in range(4) if k != left_out)
    return jfleg_gold(part), jfleg(part, f"ref{left_out}"), others


def score(name, **options):
    corpus, predictions, annotators = load(name)
    found = M2(annotators=annotators, **options).score_corpus(corpus, predictions)
    assert found.diagnostics["too_large_for_literal"] == 0
    return found


def test_conll14_by_its_bare_name_is_the_official_gold():
    found = gecbench.score(submission("CAMB"), "conll14", "m2", aligned=True, tokenized=True)["m2"]
    assert digits(found) == GOLDEN["runs"]["conll14.combined.CAMB"]["printed"]


@pytest.mark.parametrize("name", GOLDEN["runs"])
def test_totals_and_digits(name):
    run = GOLDEN["runs"][name]
    found = score(name)
    assert counts(found) == [run["correct"], run["proposed"], run["gold"]]
    assert digits(found) == run["printed"]


@pytest.mark.parametrize("system", ["AMU", "CAMB", "CUUI"])
def test_counts_of_every_sentence(system):
    corpus = conll14_gold()
    metric = M2()
    statistics = metric.count(corpus, submission(system))
    rows = metric.reference_policy.chosen(statistics)
    annotations = metric.annotations(corpus)
    found = [
        [i + 1, *statistics.counts[row].tolist(), annotations[i][row - first].annotator]
        for i, (row, first) in enumerate(zip(rows, statistics.offsets, strict=False))
    ]
    with (GOLDENS / f"m2_persentence_{system}.csv").open(newline="") as handle:
        assert found == [[int(value) for value in row.values()] for row in csv.DictReader(handle)]


@pytest.mark.parametrize("name", some(GOLDEN["release_3_2"], "AMU", "UFC"))
def test_release_3_2(name):
    part, system = name.split(".")
    corpus, predictions = conll14_gold(), submission(system)
    if part == "combined1278":
        corpus, predictions = corpus.select(KEPT), [predictions[i] for i in KEPT]
    assert counts(M2(release="3.2").score_corpus(corpus, predictions)) == GOLDEN["release_3_2"][name]


@pytest.mark.parametrize("name", some(GOLDEN["jfleg_dev_variants"], "ref0"))
def test_jfleg_by_release_and_case(name):
    run, scorer, case = name.rsplit(".", 2)
    release = "3.2" if "v32" in scorer else "master"
    found = score(f"jfleg.{run}", release=release, ignore_whitespace_casing=case == "ign")
    assert digits(found) == GOLDEN["jfleg_dev_variants"][name]


@pytest.mark.skipif(not NATIVE, reason="these runs are among the totals")
@pytest.mark.parametrize("name", GOLDEN["human_average"])
def test_human_average(name):
    values = [score(f"{name}.ref{k}_vs_others").value for k in range(4)]
    assert sum(values) / 4 == pytest.approx(GOLDEN["human_average"][name], abs=1e-12)


@pytest.mark.parametrize("system", some([*SYSTEMS, "INPUT"], "CAMB", "IPN", "INPUT"))
def test_published_scores_against_nucle(system):
    """Sakaguchi et al. 2016 left 34 sentences out and ignored case."""
    predictions = submission(system)
    metric = M2(ignore_whitespace_casing=True)
    found = metric.score_corpus(conll14_gold().select(KEPT), [predictions[i] for i in KEPT])
    published = published_scores("M2", "NUCLE")["source" if system == "INPUT" else system]
    assert f"{found.value:.4f}" == published == GOLDEN["published"]["nucle_ignoring_case"][system]
    assert counts(found) == GOLDEN["nucle_ignoring_case"].get(system, counts(found))


def test_all_twelve_systems_at_once():
    outputs = {system: submission(system) for system in SYSTEMS}
    report = compare(outputs, conll14_gold(), ["m2"], resamples=0, test=None)
    assert list(report) == SYSTEMS
    for system in SYSTEMS:
        known = GOLDEN["runs"].get(f"conll14.combined.{system}")
        if known:
            assert f"{report[system]['m2'].value:.4f}" == known["printed"][2]


@pytest.mark.skipif(not NATIVE, reason="compares both kernels")
@pytest.mark.parametrize("ignore", [False, True])
@pytest.mark.parametrize(
    ("name", "step"), [("NTHU", 4), ("POST", 3), ("RAC", 3), ("IPN", 3), ("E-fluency", 4), ("NE-fluency", 6)]
)
def test_every_sentence_is_the_same_with_both_kernels(name, step, ignore):
    """Systems and rewrites, both annotators, with case and without."""
    corpus = conll14_gold().select(range(0, 1312, step))
    predictions = [texts[0] for texts in conll14_references(name)] if name in REFERENCE_FILES else submission(name)
    prepared = M2(ignore_whitespace_casing=ignore).prepare(corpus, predictions[::step])
    native, python = (
        kernels.select("maxmatch", implementation).match_corpus(*prepared.arguments(2, "master"))[0].tolist()
        for implementation in ("native", "python")
    )
    assert native == python


@pytest.mark.parametrize("reference_set", some(REFERENCE_FILES, "E-minimal"))
def test_rewrites_as_gold(reference_set):
    """Each rewrite is perfect against itself, and the other one is not."""
    corpus = conll14_rewrites(reference_set).select(range(200))
    first = [texts[0] for texts in corpus.references]
    assert M2(annotators="0").score_corpus(corpus, first).value == 1
    assert 0 < M2(annotators="1").score_corpus(corpus, first).value < 0.7

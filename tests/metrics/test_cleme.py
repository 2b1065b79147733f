"""CLEME and CLEME 2.0 against the official program, and its rules by hand."""

from pathlib import Path

import numpy as np
import pytest
from counted_tuple import CountedTuple
from hypothesis import given, settings
from hypothesis import strategies as st
from mirror_files import CLEME as EXAMPLES
from mirror_files import MIRROR, golden, needs_mirror

import gecbench
from gecbench import CLEME, Annotation, Corpus, Edit, EditedTexts, InputError, make_metric
from gecbench.analysis.breakdown import by_reference_count
from gecbench.analysis.significance import bootstrap_values, with_interval
from gecbench.formats.m2 import parse_m2, read_m2
from gecbench.leaderboard import scoring
from gecbench.leaderboard.submission import Submission, score_submission
from gecbench.metrics import cleme
from gecbench.metrics.base import METRICS
from gecbench.metrics.cleme import CORPUS_FACTORS, SENTENCE_FACTORS, BestAlone, BestSoFar, split_chunks

CASES = [case for case in golden("cleme_cases.json.gz")["cases"] if not case["misread"]]
CONLL14 = golden("cleme_conll14.json.gz")["systems"]
COUNTS = ("tp", "fp", "fn", "tn", "fp_ne", "fp_un")
FACTORS = {"cleme": None, "cleme2_corpus_factors": CORPUS_FACTORS, "cleme2_sentence_factors": SENTENCE_FACTORS}


def edits_of(corpus):
    return EditedTexts.of(corpus.sources, corpus.edit_table() or corpus.annotations)


def corpus_of(case):
    """Return the gold of a generated case as the official program reads it.

    It adds the edits of an annotator whose number does not follow the last one (0, 2; or from 1) to those before.
    """
    gold = parse_m2(case["ref_m2"].rstrip("\n").split("\n"))
    if case["odd"] not in ("gap", "from1"):
        return gold
    joined = [[Annotation(0, tuple(edit for one in found for edit in one.edits))] for found in gold.annotations]
    return gold.replace(annotations=joined)


def named_counts(totals, unit):
    tp, fp_ne, fp_un, fn, tn = (totals / unit).tolist()
    return {"tp": tp, "fp": fp_ne + fp_un, "fn": fn, "tn": tn, "fp_ne": fp_ne, "fp_un": fp_un}


def figures(metric, statistics, level, factors):
    """Return what the official program reports for the corpus, or as means over its sentences."""
    version = metric.version
    if level == "sentence":
        policy = BestAlone(version, factors or SENTENCE_FACTORS)
        counts = statistics.counts[policy.chosen(statistics)]
        found = [each.mean() for each in policy.criteria(counts)]
        if version == 1:
            values = dict(zip(("f", "p", "r", "acc"), found, strict=True))
        else:
            values = {"com": found[0], "hit": found[1], "err": -found[2], "und": -found[3], "ove": -found[4]}
        totals = counts.sum(axis=0)
    else:
        dependent = metric.assumption == "dependent"
        policy = BestSoFar(version, factors or CORPUS_FACTORS) if dependent else metric.reference_policy
        totals = policy.totals(statistics)[0]
        parts = metric.parts(totals[None])
        if version == 1:
            values = {"p": parts["precision"], "r": parts["recall"], "acc": parts["accuracy"]}
            values = {name: round(value, 4) for name, value in values.items()}
            values["f"] = round(float(metric.values(totals)), 4)
        else:
            values = {name: parts[name] for name in ("hit", "err", "und", "ove")}
            values["com"] = cleme.comprehensive(totals, factors)
    counts = named_counts(totals, 1 if metric.weights == "none" else 2**36)
    necessary = {"necessary": counts["tp"] + counts["fp_ne"] + counts["fn"], "unnecessary": counts["fp_un"]}
    return values | counts | necessary


def check(gold, edits, expected, weights):
    """Compare every figure and every sentence with the program's; counts exactly, scores and weights to 1e-9."""
    word = "unweighted" if weights == "none" else "weighted"
    for assumption in ("dependent", "independent"):
        known = expected[assumption]
        for scorer, factors in FACTORS.items():
            metric = CLEME(1 if factors is None else 2, assumption, weights)
            statistics = metric.count(gold, edits)
            for level in ("corpus", "sentence"):
                wanted = known[scorer][f"{level}_{word}"]
                found = figures(metric, statistics, level, factors)
                for name, value in wanted.items():
                    exact = weights == "none" and name in COUNTS
                    assert found[name] == (value if exact else pytest.approx(value, rel=1e-9, abs=1e-9)), (scorer, name)
        per_sentence = known.get("per_sentence" if weights == "none" else "per_sentence_weighted", [])
        for i, wanted in enumerate(per_sentence):
            rows = statistics.counts[slice(*statistics.offsets[i : i + 2])]
            found = [[*named_counts(row, 1 if weights == "none" else 2**36).values()] for row in rows]
            repeated = found * (1 if assumption == "dependent" else len(wanted))
            assert repeated == [pytest.approx(row, rel=1e-9, abs=1e-9) for row in wanted]


@pytest.mark.parametrize("weights", ["none", "length"])
def test_generated_cases(weights):
    compared = 0
    for case in CASES:
        if weights == "none" or not case["no_changed_reference"]:
            edits = edits_of(parse_m2(case["hyp_m2"].rstrip("\n").split("\n")))
            check(corpus_of(case), edits, case["expected"], weights)
            compared += 1
    assert compared == (194 if weights == "none" else 181)


def test_chunks_of_generated_cases():
    for case in CASES:
        gold, system = corpus_of(case), parse_m2(case["hyp_m2"].rstrip("\n").split("\n"))
        texts, ours = CLEME().gold_texts(gold), CLEME().system_edits(gold, edits_of(system))
        for i, expected in enumerate(case["chunks"]):
            chunks = split_chunks(texts.tokens[i], [ours[i], *texts.references[i]])
            found = [
                [[[each.start, each.end], " ".join(each.targets[k]), each.changed[k]] for each in chunks]
                for k in range(len(expected))
            ]
            assert found == expected


@needs_mirror
@pytest.mark.parametrize("weights", ["none", "length"])
@pytest.mark.parametrize("system", CONLL14)
def test_conll14(system, weights):
    folder = Path(MIRROR) / EXAMPLES
    gold, edits = read_m2(folder / "conll14.errant"), edits_of(read_m2(folder / f"conll14-{system}.errant"))
    check(gold, edits, CONLL14[system], weights)


def m2(source, *edits):
    """Return a corpus of one sentence; an edit is (start, end, correction, annotator)."""
    lines = [f"A {start} {end}|||X|||{text}|||REQUIRED|||-NONE-|||{annotator}" for start, end, text, annotator in edits]
    return parse_m2([f"S {source}", *lines])


def shown_chunks(source, system, *references):
    gold = m2(source, *[(*edit, k) for k, edits in enumerate(references) for edit in edits])
    texts = CLEME().gold_texts(gold)
    ours = CLEME().system_edits(gold, edits_of(m2(source, *[(*edit, 0) for edit in system])))
    chunks = split_chunks(texts.tokens[0], [ours[0], *texts.references[0]])
    return [(chunk.start, chunk.end, *(" ".join(target) for target in chunk.targets)) for chunk in chunks]


NOOP = (-1, -1, "noop")


def test_edits_that_touch_are_one_chunk():
    references = ([(1, 2, "a")], [(1, 1, "cats a"), (1, 2, "")], [(0, 1, ""), (1, 2, "cats")])
    references += ([(0, 0, "on on"), (2, 2, "cats")],)
    found = shown_chunks("the .", [(1, 2, "cats")], *references)
    assert found == [(0, 2, "the cats", "the a", "the cats a", "cats", "on on the . cats")]


def test_an_insertion_that_touches_nothing_is_a_chunk_of_its_own():
    assert shown_chunks("in cats mat sat", [(0, 0, "the the in")], []) == [
        (0, 0, "the the in", ""),
        (0, 4, "in cats mat sat", "in cats mat sat"),
    ]


def test_unsorted_edits_are_read_by_their_place():
    """The official program makes "a z" | "x" | "y" of them, without a word."""
    found = shown_chunks("a b c", [(2, 3, "x y"), (0, 1, "z")], [])
    assert [target for _, _, target, _ in found] == ["z", "b", "x y"]


def test_overlapping_edits_of_one_annotator_are_refused():
    system = edits_of(m2("a b c"))
    with pytest.raises(InputError, match="overlaps the previous edit"):
        CLEME().count(m2("a b c", (0, 2, "x", 0), (1, 3, "z", 0)), system)


@pytest.mark.parametrize("assumption", ["dependent", "independent"])
def test_chunks_of_many_annotators_are_limited(assumption):
    """3,000 annotators with an edit each, 130 kB of M2, took 1 GB."""
    size = 600
    words = " ".join("a" for _ in range(2 * size))
    gold = m2(words, *((2 * k, 2 * k + 1, "b", k) for k in range(size)))
    with pytest.raises(InputError, match=r"sentence 1 is too large: 600 annotators × 600 changed chunks\. Keep fewer"):
        CLEME(assumption=assumption).count(gold, edits_of(m2(words)))
    few = m2(words, *((2 * k, 2 * k + 1, "b", k % 400) for k in range(size)))
    score = CLEME(assumption=assumption, weights="none").score_corpus(few, edits_of(m2(words)))
    assert score.parts["tp"] == 0


def test_a_chunk_looks_at_its_own_edits():
    """10,000 edits of a sentence took 35 s to explain."""
    work = []
    for size in (256, 512):
        edits = [CountedTuple((2 * k, 2 * k + 1, ["b"])) for k in range(size)]
        CountedTuple.reads = 0
        chunks = split_chunks(["a"] * (2 * size), [edits, []])
        assert [chunk.targets[0] for chunk in chunks] == [["b"], ["a"]] * size
        work.append(CountedTuple.reads)
    assert work[1] < 2.5 * work[0]


@pytest.mark.parametrize("numbers", [(0, 2), (1, 2), (0, 1)])
def test_annotators_of_any_numbers_are_read_apart(numbers):
    """The official program joins annotators numbered 0, 2 or from 1 into one reference."""
    gold = m2("a b", (0, 1, "x", numbers[0]), (0, 1, "y", numbers[1]))
    score = CLEME(weights="none").score_corpus(gold, edits_of(m2("a b", (0, 1, "y", 0))))
    assert score.statistics.counts.tolist() == [[0, 1, 0, 0, 1], [1, 0, 0, 0, 1]]


def test_an_edit_that_changes_nothing_is_right_where_nothing_is_to_be_changed():
    gold, system = m2("a b"), edits_of(m2("a b", (0, 1, "a", 0)))
    assert CLEME(weights="none").count(gold, system).counts.tolist() == [[1, 0, 0, 0, 1]]


def test_a_reference_that_deletes_everything_is_left_out():
    system = edits_of(m2("a"))
    kept = CLEME(weights="none").count(m2("a", (0, 1, "b", 0), (0, 1, "", 1)), system)
    assert kept.counts.tolist() == [[0, 0, 0, 1, 0]]
    assert len(CLEME(weights="none").count(m2("a", (0, 1, "", 0), (0, 1, "-NONE- x", 1)), system).counts) == 1


def test_a_system_with_two_annotators_is_refused():
    system = edits_of(m2("a b", (0, 1, "x", 0), (1, 2, "y", 1)))
    with pytest.raises(InputError, match="the predictions have edits of 2 annotators for sentence 1"):
        CLEME().count(m2("a b"), system)


def test_without_changed_references_all_weights_are_one():
    """The official program's weights are then not numbers."""
    gold, system = m2("a b c"), edits_of(m2("a b c", (0, 1, "x", 0)))
    score = CLEME().score_corpus(gold, system)
    assert (score.parts["fp_un"], score.parts["tn"], score.value) == (1, 1, 0)


def test_length_weights_by_hand():
    """The reference's chunks have lengths 1 and 3, so the mean is 2: weights of 0.75 and 1.25, which are the limits."""
    gold = m2("a b c d e", (0, 1, "x", 0), (2, 5, "y", 0))
    right = CLEME().score_corpus(gold, edits_of(m2("a b c d e", (0, 1, "x", 0), (2, 5, "y", 0))))
    assert (right.parts["tp"], right.parts["tn"]) == (0.75 + 1.25, 1)
    wrong = CLEME().score_corpus(gold, edits_of(m2("a b c d e", (0, 1, "z", 0), (2, 5, "z", 0))))
    assert wrong.parts["fp"] == wrong.parts["fp_ne"] == 1.25 + 0.75


def test_rates_by_hand():
    """Of three chunks to change one is right, one wrong and one missed; of three changed ones one was unnecessary."""
    gold = m2("a b c d e f g", (0, 1, "x", 0), (2, 3, "x", 0), (4, 5, "x", 0))
    system = edits_of(m2("a b c d e f g", (0, 1, "x", 0), (2, 3, "y", 0), (6, 7, "y", 0)))
    score = CLEME(version=2, weights="none").score_corpus(gold, system)
    assert [score.parts[name] for name in ("hit", "err", "und", "ove")] == [1 / 3] * 4
    assert score.value == pytest.approx(0.45 / 3 + (0.35 + 0.15 + 0.05) * 2 / 3, abs=1e-15)
    assert score.sentence_scores()[0] == pytest.approx(0.35 / 3 + (0.25 + 0.20 + 0.20) * 2 / 3, abs=1e-15)
    plain = CLEME(weights="none").score_corpus(gold, system)
    assert (plain.parts["precision"], plain.parts["recall"], plain.value) == (1 / 3, 1 / 2, pytest.approx(5 / 14))
    assert plain.sentence_scores().tolist() == [0.3571]


def test_independent_chunks_are_compared_with_every_reference():
    gold = m2("a b c d e", (0, 1, "x", 0), (2, 3, "y", 1), (4, 5, "z", 0), (4, 5, "w", 1))
    system = edits_of(m2("a b c d e", (0, 1, "x", 0), (2, 3, "y", 0)))
    assert CLEME(weights="none").count(gold, system).counts.tolist() == [[1, 0, 1, 1, 2], [1, 0, 1, 1, 2]]
    assert CLEME(1, "independent", "none").count(gold, system).counts.tolist() == [[2, 0, 0, 1, 2]]


def test_explanation_by_hand():
    gold = m2("She like cat very much .", (1, 2, "likes", 0), (2, 3, "cats", 0), (4, 5, "a lot", 1))
    system = edits_of(m2("She like cat very much .", (1, 3, "likes cats", 0), (5, 6, "!", 0)))
    [explained] = CLEME(weights="none").explain(gold, system, [0])
    assert [" ".join(line.split()) for line in explained.to_text().splitlines()] == [
        "Sentence 1: CLEME 55.56",  # precision 1/2, recall 1
        "source She like cat very much .",
        "system She +likes cats very !much !",
        "annotator 0 She likes cats very much .",
        "counts as TN TP TN FP_un",
    ]
    assert explained.counts == {"TP": 1, "FP_ne": 0, "FP_un": 1, "FN": 0, "TN": 2}
    [both] = CLEME(assumption="independent").explain(gold, system, [0])
    assert [row.label for row in both.rows] == ["source", "system", "annotator 0", "annotator 1", "counts as"]


DEMO = gecbench.load_demo()
SECOND = EditedTexts.of(DEMO.sources, [sentence[1:] for sentence in DEMO.annotations])
SOME = EditedTexts.of(DEMO.sources, [found[i % 2 :][:1] if i % 3 else [] for i, found in enumerate(DEMO.annotations)])
SETTINGS = [
    make_metric(f"cleme(version={version},assumption={assumption},weights={weights})")
    for version in (1, 2)
    for assumption in ("dependent", "independent")
    for weights in ("length", "none")
]


@pytest.mark.parametrize("metric", SETTINGS, ids=str)
def test_resampling_walks_as_the_corpus_does(metric):
    """Resamples are scored in numpy, the corpus in plain Python: both must choose the same references."""
    score = metric.score_corpus(DEMO, SOME)
    assert make_metric(str(score.signature)) == metric
    (found,) = bootstrap_values([score], resamples=5, seed=3)
    generator = np.random.default_rng(3)
    for value in found:
        sample = generator.integers(0, len(DEMO), len(DEMO))
        assert value == pytest.approx(metric.value_of(score.statistics.select(sample)), abs=1e-12)
    interval = with_interval(score, 50).interval
    assert interval.low < score.value < interval.high


counts = st.lists(st.integers(0, 3), min_size=5, max_size=5)


@settings(max_examples=100)
@given(
    sentences=st.lists(st.lists(counts, min_size=1, max_size=3), min_size=1, max_size=8),
    version=st.sampled_from([1, 2]),
)
def test_both_walks_choose_alike(sentences, version):
    offsets = np.cumsum([0, *map(len, sentences)]).astype(np.int64)
    statistics = gecbench.metrics.base.Statistics(np.array([row for rows in sentences for row in rows]), offsets)
    policy = BestSoFar(version)
    in_order = np.arange(len(sentences), dtype=np.int32)[None]
    assert policy.totals(statistics).tolist() == policy._sample_totals(statistics, in_order).tolist()


def test_references_cannot_be_left_out_afterwards():
    score = CLEME().score_corpus(DEMO, SECOND)
    with pytest.raises(InputError, match="compares all references of a sentence at once"):
        by_reference_count(score)
    bound = gecbench.human_bound("cleme", DEMO)
    first = DEMO.replace(annotations=[sentence[:1] for sentence in DEMO.annotations])
    alone = [CLEME().score_corpus(first, SECOND).value]
    other = DEMO.replace(annotations=[sentence[1:] for sentence in DEMO.annotations])
    alone.append(CLEME().score_corpus(other, EditedTexts.of(DEMO.sources, first.annotations)).value)
    assert bound.row(1).human == pytest.approx(sum(alone) / 2, abs=1e-12)


def test_batches_need_unweighted_counts():
    batches = [(DEMO.select(part), SECOND.select(part)) for part in (range(20), range(20, len(DEMO)))]
    with pytest.raises(InputError, match="weights=length needs the lengths of all chunks"):
        CLEME().stream(batches)
    for metric in (CLEME(weights="none"), CLEME(2, "independent", "none")):
        assert metric.stream(batches).value == metric.score_corpus(DEMO, SECOND).value


def test_tables_mark_the_least_over_correction(run, tmp_path):
    gold = "S a b c\nA 0 1|||X|||x|||REQUIRED|||-NONE-|||0\n"
    files = {"gold": gold, "careful": gold, "eager": f"{gold}A 2 3|||X|||y|||REQUIRED|||-NONE-|||0\n"}
    for name, text in files.items():
        (tmp_path / f"{name}.m2").write_text(text, encoding="utf-8")
    outputs = [str(tmp_path / f"{name}.m2") for name in ("careful", "eager")]
    shown = run("score", "-m", "cleme", "-c", str(tmp_path / "gold.m2"), "-p", *outputs, "--format", "latex", "--wide")
    rows = [
        [cell.strip() for cell in line.split("&")] for line in shown.replace("\\\\", "").splitlines() if "&" in line
    ]
    assert rows[1] == ["system", "CLEME", "precision", "recall", "ove"]
    cells = {row[0]: row[-1] for row in rows[2:]}
    assert cells["careful"] == r"\textbf{0.00}"
    assert "textbf" not in cells["eager"]


def test_a_board_shows_over_correction(tiny_model, monkeypatch):
    monkeypatch.setattr(CLEME, "missing", lambda: None)
    tiny = {"cleme": CLEME(model=str(tiny_model))}
    monkeypatch.setattr(scoring, "metric_class", lambda name: lambda: tiny.get(name) or METRICS[name]())
    system = gecbench.load_demo_systems()["rule-based"]
    figure = score_submission(Submission("rules", system), DEMO, resamples=5).record.scores["cleme"]
    parts = gecbench.score(system, DEMO, CLEME(model=str(tiny_model)))["cleme"].parts
    assert figure["parts"] == {name: parts[name] for name in ("precision", "recall", "ove")}
    assert figure["human"] == gecbench.human_bound("cleme", DEMO, sizes="last").rows[0].human
    assert figure["ratio"] is None


def test_texts_are_annotated_by_errant(tiny_model):
    sources, texts = ["She like cat .", "He go school ."], ["She likes cat .", "He goes to school ."]
    corpus = Corpus(sources=sources, references=[["She likes cats ."], ["He goes to school ."]])
    score = CLEME(model=str(tiny_model), weights="none").score_corpus(corpus, texts)
    ours = [[Annotation(0, (Edit(1, 2, ("likes",)),))], [Annotation(0, (Edit(1, 2, ("goes to",)),))]]
    gold = [[Annotation(0, (Edit(1, 2, ("likes",)), Edit(2, 3, ("cats",))))], ours[1]]
    edits = CLEME(weights="none").score_corpus(Corpus(sources=sources, annotations=gold), EditedTexts.of(sources, ours))
    assert [score.parts[name] for name in COUNTS] == [edits.parts[name] for name in COUNTS] == [1, 1, 0, 4, 1, 0]
    assert (score.signature["system"], score.signature["gold"]) == ("text", "rewrites:1")

"""Scores by edit distance, by grammaticality, by number of references, and by error type."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from gecbench import GLEU, Corpus, InputError, load_demo, load_demo_systems
from gecbench.analysis.breakdown import (
    breakdown_names,
    by_edit_distance,
    by_grammaticality,
    by_reference_count,
    by_source_distance,
    edit_distances,
    has_grammaticality,
    macro_average,
)

DEMO, SYSTEMS = load_demo(), load_demo_systems()


def test_edit_distances():
    assert edit_distances(["a b", "kitten", ""], ["a  b ", "sitting", "ab"]).tolist() == [0, 3, 2]


def test_groups_by_edit_distance_are_scored_like_corpora_of_their_own():
    predictions = SYSTEMS["good-corrector"]
    score = GLEU().score_corpus(DEMO, predictions)
    groups = by_edit_distance(score, DEMO, predictions, bins=(0, 4, 9))
    assert [group.label for group in groups] == ["0-3", "4-8", "9+"]
    distances = edit_distances(DEMO.sources, predictions)
    for group, members in zip(groups, [distances < 4, (distances >= 4) & (distances < 9), distances >= 9], strict=True):
        chosen = np.flatnonzero(members).tolist()
        alone = GLEU().score_corpus(DEMO.select(chosen), [predictions[i] for i in chosen])
        assert group.sentences == len(chosen) > 0
        assert group.value == pytest.approx(alone.value, abs=1e-12)


def test_groups_by_source_distance_are_the_same_for_every_system():
    """By hand: the references are 0 and 1, 0 and 2, and 5 and 6 characters away; means 0.5, 1 and 5.5."""
    corpus = Corpus(
        sources=["a b c d", "e f g h", "i j k l"],
        references=[["a b c d", "a b c dx"], ["e f g h", "e f g hxy"], ["i j k lvwxyz", "i j k luvwxyz"]],
    )
    for outputs in (list(corpus.sources), [texts[1] for texts in corpus.references]):
        groups = by_source_distance(GLEU().score_corpus(corpus, outputs), corpus, bins=(0, 1, 6))
        assert [(group.label, group.sentences) for group in groups] == [("0", 0), ("1-5", 3), ("6+", 0)]
    same = Corpus(sources=corpus.sources, references=[[text] for text in corpus.sources])
    groups = by_source_distance(GLEU().score_corpus(same, same.sources), same)
    assert groups[0].sentences == 3


def test_an_empty_group_has_no_value():
    score = GLEU().score_corpus(DEMO, DEMO.sources)
    groups = by_edit_distance(score, DEMO, DEMO.sources)
    assert groups[0].sentences == len(DEMO)
    assert all(group.value is None for group in groups[1:])
    assert groups[0].label == "0"


@pytest.mark.parametrize("bins", [(), (1, 2), (0, 5, 5), (0, 9, 3)])
def test_bins_must_rise_from_zero(bins):
    score = GLEU().score_corpus(DEMO, DEMO.sources)
    with pytest.raises(InputError, match="bins"):
        by_edit_distance(score, DEMO, DEMO.sources, bins)


def test_curve_by_number_of_references_is_the_mean_over_their_sets():
    predictions = SYSTEMS["rule-based"]
    groups = by_reference_count(GLEU().score_corpus(DEMO, predictions))
    assert [(group.references, group.sets) for group in groups] == [(1, 4), (2, 6), (3, 4), (4, 1)]
    for group in groups:
        values = [
            GLEU().score_corpus(DEMO.with_references(kept), predictions).value
            for kept in combinations(range(4), group.references)
        ]
        assert group.value == pytest.approx(np.mean(values), abs=1e-12)
        assert (group.low, group.high) == pytest.approx((min(values), max(values)), abs=1e-12)


def test_many_references_are_sampled():
    corpus = Corpus(sources=["a b c d e"], references=[[f"a b c d {k}" for k in range(12)]])
    groups = by_reference_count(GLEU(iterations=3).score_corpus(corpus, ["a b c d 1"]))
    assert [group.sets for group in groups][:3] == [12, 66, 100]


def test_ragged_references_have_no_curve():
    corpus = Corpus(sources=["a", "b"], references=[["a"], ["b", "c"]])
    with pytest.raises(InputError, match="varies from 1 to 2"):
        by_reference_count(GLEU().score_corpus(corpus, ["a", "b"]))


def test_groups_by_grammaticality_are_scored_like_corpora_of_their_own():
    predictions = SYSTEMS["rule-based"]
    judgments = [(1.0, 2.4, 2.5, 4.0)[i % 4] for i in range(len(DEMO))]
    corpus = DEMO.replace(metadata={"columns": {"gug_average": tuple(judgments)}})
    assert has_grammaticality(corpus)
    groups = by_grammaticality(GLEU().score_corpus(corpus, predictions), corpus)
    assert [group.column for group in groups[:2]] == ["judged 1-2", "judged 2-2.5"]
    for group, judgment in ((groups[0], 1.0), (groups[1], 2.4), (groups[2], 2.5), (groups[4], 4.0)):
        chosen = [i for i, each in enumerate(judgments) if each == judgment]
        alone = GLEU().score_corpus(DEMO.select(chosen), [predictions[i] for i in chosen])
        assert group.sentences == len(chosen)
        assert group.value == pytest.approx(alone.value, abs=1e-12)
    assert (groups[3].sentences, groups[3].cell) == (0, "–")


def test_grammaticality_needs_judgments():
    assert not has_grammaticality(DEMO)
    with pytest.raises(InputError, match="no grammaticality judgments"):
        by_grammaticality(GLEU().score_corpus(DEMO, DEMO.sources), DEMO)


@pytest.mark.parametrize(("by", "heading"), [("edit-distance", "characters:"), ("references", "system")])
def test_one_row_per_system(run, folder, by, heading):
    run("demo", "--write", "demo")
    options = ("score", "-c", "demo", "-p", "demo/systems/rule-based.txt", "--by", by)
    header, row = run(*options, "-f", "tsv").splitlines()
    assert header.split("\t")[0] == heading
    assert row.split("\t")[0] == "rule-based"
    plain = json.loads(run(*options, "-f", "json"))
    assert (plain["metric"], plain["by"], list(plain["systems"])) == ("gleu", by, ["rule-based"])


def test_one_row_per_error_type_and_system(run, folder):
    run("demo", "--write", "demo")
    systems = ("demo/systems/rule-based.txt", "demo/systems/do-nothing.txt")
    options = ("-c", "demo", "-m", "m2", "--by", "error-type", "-f", "tsv")
    header, *rows = (line.split("\t") for line in run("score", "-p", *systems, *options).splitlines())
    assert header[1] == "system"
    assert {row[1] for row in rows if row[0] == "ArtOrDet"} == {"rule-based", "do-nothing"}
    assert "error-type" in breakdown_names()


TYPED_GOLD = """S He go to a big houses .
A 1 2|||V|||goes|||REQUIRED|||-NONE-|||0
A 5 6|||N|||house|||REQUIRED|||-NONE-|||0

S They was here .
A 1 2|||V|||were|||REQUIRED|||-NONE-|||0
"""
TYPED_SYSTEM = """S He go to a big houses .
A 1 2|||V|||goes|||REQUIRED|||-NONE-|||0
A 5 6|||N|||house|||REQUIRED|||-NONE-|||0

S They was here .
A 2 3|||ADV|||there|||REQUIRED|||-NONE-|||0
"""


def test_macro_average_by_hand(run, folder):
    """ERRANT: V has 1 TP and 1 FN (P 1, R 1/2, F 5/6), N is right (1, 1, 1), ADV has 1 FP (0, 1, 0).

    M2: recall of V 1/2, of N 1. Alone, V has 1 of 3 proposed and 1 of 2 gold edits (F 5/14), N 1 of 3 and 1 of 1
    (F 5/13).
    """
    Path("gold.m2").write_text(TYPED_GOLD)
    Path("system.m2").write_text(TYPED_SYSTEM)
    options = ("score", "--gold", "gold.m2", "-p", "system.m2", "--average", "macro")
    found = json.loads(run(*options, "-m", "errant", "-f", "json"))
    assert (found["by"], found["average"]) == ("error-type", "macro")
    assert found["systems"]["system"] == pytest.approx({"types": 3, "P": 2 / 3, "R": 2.5 / 3, "F": (5 / 6 + 1) / 3})
    wanted = {"types": 2, "recall": 0.75, "alone: P": 1 / 3, "R": 0.75, "F": (5 / 14 + 5 / 13) / 2}
    found = json.loads(run(*options, "-m", "m2", "-f", "json"))
    assert found["systems"]["system"] == pytest.approx(wanted)
    legend = "\n\nalone: all edits of the system against the gold edits of one type only.\n"
    for by_type in (options[:5], options):
        assert run(*by_type, "-m", "m2", "--by", "error-type").endswith(legend)
        assert "\nalone" not in run(*by_type, "-m", "m2", "--by", "error-type", "-f", "tsv")
    table = [line.split("\t") for line in run(*options, "-m", "errant", "-f", "tsv").splitlines()]
    assert table == [["macro average", "types", "P", "R", "F"], ["system", "3", "66.67", "83.33", "61.11"]]
    assert "| system | 3 | 66.67 | 83.33 | 61.11 |" in run(*options, "-m", "errant", "-f", "markdown")
    assert run(*options, "-m", "errant").split()[-5:] == ["system", "3", "66.67", "83.33", "61.11"]


def test_macro_average_needs_types(run, folder, refused):
    Path("gold.m2").write_text(TYPED_GOLD)
    average = ["--gold", "gold.m2", "-p", "gold.m2", "--average", "macro"]
    refused(
        ["score", "-m", "gleu", *average],
        "--average macro needs scores by error type, but gleu has none. Use m2 or errant",
    )
    refused(["score", "-m", "m2", *average, "--by", "references"], "cannot average the scores of m2 by references")
    refused(["score", "-m", "m2", *average, "--per-sentence"], "--average cannot be combined with --per-sentence")
    with pytest.raises(InputError, match="no error types to average over"):
        macro_average([])

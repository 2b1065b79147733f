"""What the real CoNLL-14 files hold; expected numbers are the papers' or were counted independently."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from gecbench.corpora.conll14 import read_rankings
from gecbench.corpora.load import load_rows
from gecbench.formats.judgments import expand_pairs, text_key

GOLDENS = Path(__file__).parents[1] / "goldens"


def load(mirror, config, split="test"):
    return load_rows("conll14_fluency", config, split, upstream=mirror)


@pytest.fixture(scope="module")
def nucle(mirror):
    return load(mirror, "nucle")


@pytest.fixture(scope="module")
def crowd(mirror):
    return load(mirror, "judgments", "crowd")


@pytest.fixture(scope="module")
def outputs(mirror):
    return {row["id"]: row for row in load(mirror, "systems")}


def test_every_pinned_file_is_in_the_mirror_and_right(mirror):
    for key, pin in mirror.pins.items():
        if pin.sha256 is not None:
            content = mirror.read(key)
            assert (len(content), hashlib.sha256(content).hexdigest()) == (pin.size, pin.sha256)


def test_sentences(nucle):
    assert len(nucle) == 1312
    assert sum(len(row["sentence"].split()) for row in nucle) == 30144
    assert len({row["sentence"] for row in nucle}) == 1312
    paragraphs = {(row["essay"], row["paragraph"], row["kind"]) for row in nucle}
    assert Counter(kind for _, _, kind in paragraphs) == {"P": 245, "TITLE": 7}


def test_essays(nucle):
    with (GOLDENS / "conll14_essays.tsv").open(encoding="utf-8", newline="") as file:
        expected = [
            (row["line"], int(row["essay_nid"]), int(row["par"]), int(row["sent_in_par"]), row["kind"])
            for row in csv.DictReader(file, delimiter="\t")
        ]
    found = [(row["id"], row["essay"], row["paragraph"], row["sentence_in_paragraph"], row["kind"]) for row in nucle]
    assert found == expected
    first_ten = [row for row in nucle if row["essay"] <= 10]
    assert [row["id"] for row in first_ten] == [str(line) for line in range(1, 230)]
    assert sum(len(row["sentence"].split()) for row in first_ten) == 5800
    assert sum(row["essay"] == 15 for row in nucle) == 4
    assert {row["essay"] for row in nucle} == set(range(1, 51))


def test_merged_sentences_with_the_typo_corrected(nucle):
    merged = [int(row["id"]) for row in nucle if row["merged"]]
    assert len(merged) == 34
    assert len(nucle) - len(merged) == 1278
    assert 418 in merged
    assert 48 not in merged
    assert all(second == first + 1 for first, second in zip(merged[::2], merged[1::2], strict=True))


@pytest.mark.parametrize(("position", "column", "edits"), [(0, "A7", 2391), (1, "A3", 3317)])
def test_bryant_and_ng_table_3(nucle, position, column, edits):
    expected = json.loads((GOLDENS / "bn2015_table3_A3_A7.json").read_text(encoding="utf-8"))[column]
    found = Counter(edit["type"] for row in nucle for edit in row["annotations"][position]["edits"])
    assert {kind: found[kind] for kind in expected} == expected
    assert len(expected) == 28
    assert sum(found.values()) == edits


@pytest.mark.parametrize(
    ("config", "percent"),
    [
        ("nucle", 18.78),
        ("expert_fluency", 15.26),
        ("nonexpert_fluency", 5.87),
        ("expert_minimal", 38.65),
        ("nonexpert_minimal", 21.75),
    ],
)
def test_references_agree_as_in_table_4(mirror, config, percent):
    """Sakaguchi et al. 2016, Table 4: both references of a set are identical for this many of 1,278 sentences."""
    kept = [row for row in load(mirror, config) if not row["merged"]]
    share = sum(row["corrections"][0] == row["corrections"][1] for row in kept) / len(kept)
    assert 100 * share == pytest.approx(percent, abs=0.005)


def test_empty_lines_are_data(mirror, outputs):
    empty = {
        (row["id"], name)
        for row in load(mirror, "all")
        for text, name in zip(row["corrections"], row["reference_names"], strict=True)
        if not text and not name.startswith("nucle")
    }
    assert empty == {("97", "expert_fluency_A"), ("600", "nonexpert_fluency_A")}
    assert [number for number, row in outputs.items() if not row["POST"]] == ["24"]


def test_alternatives(mirror, nucle):
    rows = load(mirror, "nucle_alt")
    assert {entry["annotator"] for row in rows for entry in row["annotations"]} == set(range(5))
    kinds = Counter(len(row["corrections"]) for row in rows)
    assert sum(kinds.values()) == 1312
    assert max(kinds) == 5
    for row, official in zip(rows, nucle, strict=True):
        assert set(official["corrections"]) <= set(row["corrections"])


def test_the_source_is_the_input(outputs):
    assert all(row["INPUT"] == row["sentence"] for row in outputs.values())


def test_expert_rankings(mirror):
    """Grundkiewicz et al. 2015, Table 1: 109,098 pairs with 59,117 ties; 20,516 with 5,694 unexpanded."""
    rows = load(mirror, "judgments", "expert")
    assert (len(rows), len({row["judge"] for row in rows}), len({row["id"] for row in rows})) == (
        2319,
        8,
        663,
    )
    assert Counter(len(row["outputs"]) for row in rows)[0] == 13
    assert Counter(len(row["outputs"]) for row in rows)[1] == 27
    for groups, pairs, ties in ((False, 109_098, 59_117), (True, 20_516, 5_694)):
        found = list(expand_pairs(read_rankings(mirror, "expert"), groups=groups))
        assert (len(found), sum(pair.outcome == 0 for pair in found)) == (pairs, ties)


def test_expert_groups_gave_the_same_output(mirror, outputs):
    same = [
        outputs[row["id"]][system].split() == output["text"].split()
        for row in load(mirror, "judgments", "expert")
        for output in row["outputs"]
        for system in output["systems"]
    ]
    assert all(same)


def test_crowd_pairs(mirror):
    """Sakaguchi et al. 2016: 26,265 pairs from 588 rankings of systems, 7,795 of references."""
    for split, rankings, accepted, pairs in (("crowd", 593, 588, 26_265), ("references", 601, 599, 7_795)):
        found = read_rankings(mirror, split)
        approved = [ranking for ranking in found if ranking.approved]
        assert (len(found), len(approved)) == (rankings, accepted)
        assert sum(1 for _ in expand_pairs(approved)) == pairs


def test_crowd_labels_belong_to_the_next_sentence(outputs, crowd):
    tasks = {row["id"]: row for row in crowd}
    labels = wrong = shown = 0
    for number, row in tasks.items():
        following = outputs[str(int(number) + 1)]
        for output in row["outputs"]:
            assert len({text_key(following[system]) for system in output["systems"]}) == 1
            shown += text_key(outputs[number][output["systems"][0]]) == text_key(output["text"])
            matches = [text_key(outputs[number][name]) == text_key(output["text"]) for name in output["systems"]]
            labels += len(matches)
            wrong += matches.count(False)
    assert (len(tasks), labels, wrong, shown) == (294, 2791, 982, 1437)


def test_crowd_relabelled(mirror, outputs, crowd):
    relabelled = load(mirror, "judgments", "crowd_relabelled")
    conflicts = 0
    for row, published in zip(relabelled, crowd, strict=True):
        for output in row["outputs"]:
            key = text_key(output["text"])
            assert all(text_key(outputs[row["id"]][system]) == key for system in output["systems"])
            ranks = {
                each["rank"]
                for each in published["outputs"]
                if text_key(each["text"]) == key and each["rank"] is not None
            }
            conflicts += len(output["systems"]) * (len(ranks) > 1) * row["approved"]
    assert conflicts == 799


def test_judges_are_pseudonyms(mirror, crowd):
    assert {row["judge"] for row in crowd} == {f"w{number}" for number in range(1, 8)}
    extra = load(mirror, "extra_fluency")
    assert len({name for row in extra for name in row["workers"]}) == 33
    platform_identifier = re.compile(r"\bA[0-9A-Z]{11,}\b")
    assert not platform_identifier.search(repr(crowd) + repr(extra) + repr(load(mirror, "judgments", "references")))


def test_extra_rewrites(mirror):
    rows = load(mirror, "extra_fluency")
    assert len(rows) == 20
    assert all(len(row["corrections"]) == 6 for row in rows)
    assert not any("&#" in text or "\n" in text for row in rows for text in row["corrections"])

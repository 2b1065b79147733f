from __future__ import annotations

import csv
import json
import re
from collections import Counter

import pytest
from corpora_support import CONLL, upstream_of, write, write_bn15
from mirror_files import GOLDENS

from gecbench.corpora.conll14 import place_sentences, read_merged_ids, read_rankings
from gecbench.corpora.load import load_corpus, load_rows
from gecbench.errors import InputError
from gecbench.formats.judgments import expand_pairs, text_key


def rows(upstream, config, split="test"):
    return load_rows("conll14_fluency", config, split, upstream=upstream)


def test_shared_columns(tiny):
    found = rows(tiny, "expert_fluency")
    assert [row["sentence"] for row in found] == CONLL
    assert [row["id"] for row in found] == ["1", "2", "3", "4", "5"]
    places = [(row["essay"], row["paragraph"], row["sentence_in_paragraph"], row["kind"]) for row in found]
    assert places == [(1, 0, 0, "TITLE"), (1, 1, 0, "P"), (1, 1, 1, "P"), (1, 1, 2, "P"), (2, 0, 0, "P")]
    assert [row["merged"] for row in found] == [False, False, True, True, False]


def test_merged_ids_come_in_consecutive_pairs():
    assert read_merged_ids(["76", "77", "48", "419"]) == [76, 77, 418, 419]
    with pytest.raises(InputError, match="pairs"):
        read_merged_ids(["76", "77", "48"])


def test_empty_rewrites_are_kept(tiny):
    row = rows(tiny, "nonexpert_minimal")[3]
    assert row["corrections"] == ["", "a old bridge . b"]
    assert row["reference_names"] == ["nonexpert_minimal_A", "nonexpert_minimal_B"]


def test_nucle_references_come_from_the_edits(tiny):
    found = rows(tiny, "nucle")
    assert found[1]["corrections"] == ["My town is small ."] * 2
    assert found[2]["corrections"] == ["It has a river and", "It had a river and , too"]
    assert found[3]["corrections"] == ["also an old bridge .", "a old bridge ."]
    assert [entry["annotator"] for entry in found[3]["annotations"]] == [0, 1]
    assert found[3]["annotations"][1]["edits"] == []
    assert found[3]["annotations"][0]["edits"][1]["type"] == "ArtOrDet"


def test_alternatives_vary_in_number(tiny):
    found = rows(tiny, "nucle_alt")
    assert [len(row["corrections"]) for row in found] == [1, 1, 2, 1, 1]
    assert found[0]["corrections"] == ["My Town"]
    assert found[2]["corrections"] == ["It have a river and", "It has a river and"]
    assert found[2]["annotations"][0] == {"annotator": 0, "edits": []}
    assert found[2]["annotations"][1]["edits"][0]["corrections"] == ["has", "had"]


def test_bn15_has_ten_annotators_in_order(tiny):
    found = rows(tiny, "bn15")
    assert found[0]["reference_names"] == [f"bn15_A{number}" for number in range(1, 11)]
    assert found[4]["corrections"][1] == "People like2 it ."
    assert found[2]["corrections"][6] == "It has a river and"
    assert found[2]["corrections"][2] == "It had a river and , too"
    everything = rows(tiny, "all_bn15")[0]
    assert len(everything["corrections"]) == 18
    assert "annotations" not in everything


def test_bn15_archives_with_and_without_a_folder(tiny_folder):
    write_bn15(tiny_folder, folder="")
    assert len(rows(upstream_of(tiny_folder), "bn15")) == 5


OVERLAPPING = {2: [("0 2", "Wci", "Our town"), ("1 3", "SVA", "is")]}
WRONG_BN15 = {
    "other sentences": ("CONLL", [*CONLL[:4], "Others likes it ."], "bn15/A1.m2: sentence 5"),
    "not the official annotators": (
        "EDITS",
        ({}, {}),
        r"bn15/A7\.m2: expected the same annotator as in conll14/noalt/official-2014\.0\.m2, "
        r"but only \d of 5 corrected texts are equal\. "
        r"Replace the archive in the mirror or the cache with the file from https:.*/10gec_annotations\.zip\.",
    ),
    "overlapping edits": ("EDITS", (OVERLAPPING, {}), "bn15/A7.m2: the edits of sentence 2 overlap"),
}


@pytest.mark.parametrize(("name", "value", "message"), WRONG_BN15.values(), ids=WRONG_BN15)
def test_a_wrong_bn15_archive_is_refused_without_quoting_the_text(tiny_folder, monkeypatch, name, value, message):
    with monkeypatch.context() as patch:
        patch.setattr(f"corpora_support.{name}", value)
        write_bn15(tiny_folder)
    with pytest.raises(InputError, match=message) as caught:
        rows(upstream_of(tiny_folder), "bn15")
    assert "town" not in str(caught.value)


def test_all_has_the_ten_pinned_references(tiny):
    names = rows(tiny, "all")[0]["reference_names"]
    assert names[:3] == ["nucle_0", "nucle_1", "expert_fluency_A"]
    assert len(names) == len(set(names)) == 10


def test_systems(tiny):
    row = rows(tiny, "systems")[1]
    assert (row["AMU"], row["IPN"], row["INPUT"]) == ("My town is small .", CONLL[1], CONLL[1])


def test_expert_rankings(tiny):
    (row,) = rows(tiny, "judgments", "expert")
    assert (row["id"], row["judge"], row["seconds"], row["approved"]) == ("2", "annotator01", 62.5, True)
    assert row["outputs"][0] == {"systems": ["AMU", "RAC"], "rank": 1.0, "text": "My town is small ."}
    rankings = read_rankings(tiny, "expert")
    assert sum(1 for _ in expand_pairs(rankings)) == 13 * 12 // 2
    assert [(pair.rank1, pair.rank2) for pair in expand_pairs(rankings, groups=True)] == [(1.0, 4.0)]


def test_crowd_rankings_as_published(tiny):
    first, second = rows(tiny, "judgments", "crowd")
    assert (first["id"], first["judge"], first["approved"]) == ("5", "w1", True)
    assert (second["judge"], second["approved"]) == ("w2", False)
    assert first["outputs"][0] == {"systems": ["AMU"], "rank": 1.0, "text": 'People like "it" .'}
    assert second["outputs"][1]["rank"] is None
    assert len(list(expand_pairs(read_rankings(tiny, "crowd")[1:]))) == 1


def test_crowd_rankings_relabelled(tiny):
    first, second = rows(tiny, "judgments", "crowd_relabelled")
    assert [output["systems"] for output in first["outputs"]] == [
        ["AMU"],
        sorted(["CAMB", "CUUI", "IITB", "INPUT", "IPN", "NTHU", "PKU", "POST", "RAC", "SJTU", "UFC", "UMC"]),
    ]
    assert [output["rank"] for output in first["outputs"]] == [1.0, 2.5]
    assert [output["rank"] for output in second["outputs"]] == [2.0, 1.0]
    assert text_key("a\\ 'b' \"c\"") == text_key("a b ``c''") == "abc"


def test_rankings_of_references(tiny):
    first, second = rows(tiny, "judgments", "references")
    assert (first["judge"], second["judge"]) == ("w3", "w1")
    assert first["outputs"][0]["systems"] == ["refNUCLE", "refExptMinimal"]
    assert first["outputs"][0]["text"] == "My town is small ."


def test_extra_rewrites(tiny):
    (row,) = rows(tiny, "extra_fluency")
    assert (row["id"], row["corrections"]) == ("5", ["People don't like it .", "They like it."])
    assert row["workers"] == ["w1", "w2"]


FLUENCY = "reassess/annotations/expert_annotations/expert_fluency/expert_fluencyB"
SUBMISSION = "grammatical/data/original/official_submissions/INPUT"
RANKINGS = "grammatical/data/judgments.xml"
ENTITIES = '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'


@pytest.mark.parametrize(
    ("key", "text", "config", "message"),
    [
        (FLUENCY, "x\n", ["all"], "1 line, but the source has 5"),
        (SUBMISSION, "x\n" * 5, ["systems"], "sentence 1 differs"),
        (RANKINGS, ENTITIES, ["judgments", "expert"], "<!DOCTYPE ...> and <!ENTITY ...> are not allowed"),
    ],
)
def test_shifted_and_dangerous_files_are_refused(tiny_folder, key, text, config, message):
    write(tiny_folder, key, text)
    with pytest.raises(InputError, match=message):
        rows(upstream_of(tiny_folder), *config)


def test_essays_that_do_not_fit_are_refused():
    essay = '<DOC nid="7"><TEXT><P>One two. Three.</P></TEXT></DOC>'
    assert [place["sentence_in_paragraph"] for place in place_sentences(["One two .", "Three ."], essay)] == [0, 1]
    with pytest.raises(InputError, match="sentence 2 is not in paragraph 0 of essay 7"):
        place_sentences(["One two .", "Four ."], essay)
    with pytest.raises(InputError, match="end before paragraph 0 of essay 7"):
        place_sentences(["One two ."], essay)
    with pytest.raises(InputError, match="essays end before sentence 3"):
        place_sentences(["One two .", "Three .", "Five ."], essay)


def test_corpora(tiny):
    assert load_corpus("conll14_fluency:nucle_alt", upstream=tiny).reference_range() == "1-2"
    corpus = load_corpus("conll14_fluency", upstream=tiny)
    assert corpus.name == "conll14_fluency:all:test"
    assert corpus.metadata["columns"]["merged"] == (False, False, True, True, False)
    assert load_corpus("conll14_fluency:nucle", upstream=tiny).annotations[1][0].edits[0].corrections == ("is",)
    with pytest.raises(InputError, match="no references"):
        load_corpus("conll14_fluency:systems", upstream=tiny)


# The real files: expected numbers are the papers' or were counted independently


@pytest.fixture(scope="module")
def nucle(mirror):
    return rows(mirror, "nucle")


@pytest.fixture(scope="module")
def crowd(mirror):
    return rows(mirror, "judgments", "crowd")


@pytest.fixture(scope="module")
def outputs(mirror):
    return {row["id"]: row for row in rows(mirror, "systems")}


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


def test_empty_lines_are_data(mirror, outputs):
    empty = {
        (row["id"], name)
        for row in rows(mirror, "all")
        for text, name in zip(row["corrections"], row["reference_names"], strict=True)
        if not text and not name.startswith("nucle")
    }
    assert empty == {("97", "expert_fluency_A"), ("600", "nonexpert_fluency_A")}
    assert [number for number, row in outputs.items() if not row["POST"]] == ["24"]


def test_real_alternatives(mirror, nucle):
    found = rows(mirror, "nucle_alt")
    assert {entry["annotator"] for row in found for entry in row["annotations"]} == set(range(5))
    kinds = Counter(len(row["corrections"]) for row in found)
    assert sum(kinds.values()) == 1312
    assert max(kinds) == 5
    for row, official in zip(found, nucle, strict=True):
        assert set(official["corrections"]) <= set(row["corrections"])


def test_real_expert_rankings(mirror):
    """Grundkiewicz et al. 2015, Table 1: 109,098 pairs with 59,117 ties; 20,516 with 5,694 unexpanded."""
    found = rows(mirror, "judgments", "expert")
    assert (len(found), len({row["judge"] for row in found}), len({row["id"] for row in found})) == (2319, 8, 663)
    assert Counter(len(row["outputs"]) for row in found)[0] == 13
    assert Counter(len(row["outputs"]) for row in found)[1] == 27
    for groups, pairs, ties in ((False, 109_098, 59_117), (True, 20_516, 5_694)):
        expanded = list(expand_pairs(read_rankings(mirror, "expert"), groups=groups))
        assert (len(expanded), sum(pair.outcome == 0 for pair in expanded)) == (pairs, ties)


def test_expert_groups_gave_the_same_output(mirror, outputs):
    same = [
        outputs[row["id"]][system].split() == output["text"].split()
        for row in rows(mirror, "judgments", "expert")
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
    relabelled = rows(mirror, "judgments", "crowd_relabelled")
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
    extra = rows(mirror, "extra_fluency")
    assert len({name for row in extra for name in row["workers"]}) == 33
    platform_identifier = re.compile(r"\bA[0-9A-Z]{11,}\b")
    assert not platform_identifier.search(repr(crowd) + repr(extra) + repr(rows(mirror, "judgments", "references")))


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
    kept = [row for row in rows(mirror, config) if not row["merged"]]
    share = sum(row["corrections"][0] == row["corrections"][1] for row in kept) / len(kept)
    assert 100 * share == pytest.approx(percent, abs=0.005)


def test_the_source_is_the_input(outputs):
    assert all(row["INPUT"] == row["sentence"] for row in outputs.values())

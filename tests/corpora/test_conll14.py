from __future__ import annotations

import pytest
from corpora_support import CONLL, WORKERS, upstream_of, write, write_bn15

from gecbench.corpora.catalog import DATASETS
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
    "not the official annotators": ("EDITS", ({}, {}), "A7 is not the official annotator"),
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
    assert (first["id"], first["judge"], first["approved"], second["judge"], second["approved"]) == (
        "5",
        "w1",
        True,
        "w2",
        False,
    )
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


def test_every_row_has_exactly_the_declared_columns_and_no_worker_identifier(tiny):
    for name, declared in DATASETS.items():
        for config in declared.configs.values():
            for found in load_rows(name, config.name, upstream=tiny).values():
                assert not any(worker in repr(found) for worker in WORKERS)
                assert all(set(row) == set(config.columns) for row in found), (name, config.name)


FLUENCY = "reassess/annotations/expert_annotations/expert_fluency/expert_fluencyB"
SUBMISSION = "grammatical/data/original/official_submissions/INPUT"
RANKINGS = "grammatical/data/judgments.xml"
ENTITIES = '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'


@pytest.mark.parametrize(
    ("key", "text", "config", "message"),
    [
        (FLUENCY, "x\n", ["all"], "1 lines, but the source has 5"),
        (SUBMISSION, "x\n" * 5, ["systems"], "sentence 1 is not"),
        (RANKINGS, ENTITIES, ["judgments", "expert"], "document type and entity declarations are refused"),
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

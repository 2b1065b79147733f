from __future__ import annotations

import pytest
from corpora_support import JFLEG, upstream_of, write

from gecbench.corpora.declaration import as_edits
from gecbench.corpora.jfleg import comparison_key
from gecbench.corpora.load import load_corpus, load_rows
from gecbench.corpus.edits import apply_edits
from gecbench.errors import InputError


def test_default_rows(tiny):
    rows = load_rows("jfleg", split="validation", upstream=tiny)
    assert [row["id"] for row in rows] == ["dev-1", "dev-2", "dev-3"]
    assert rows[0] == {
        "id": "dev-1",
        "sentence": "She walk home .",
        "corrections": ["She walks home .", "She walked home .", "She walk home .", "She is walking home ."],
        "spellchecked": "she walk home .",
        "gug_id": 2,
        "gug_expert": 2,
        "gug_crowd": [2, 2, 1, 2, 3],
        "gug_average": 2.0,
    }
    assert [row["gug_id"] for row in load_rows("jfleg", split="test", upstream=tiny)] == [3, 7]


def test_all_splits_at_once(tiny):
    assert {split: len(rows) for split, rows in load_rows("jfleg", upstream=tiny).items()} == {
        "validation": 3,
        "test": 2,
    }


def test_m2_rows_give_the_rewrites_and_keep_what_was_published(tiny):
    for split, folder in (("validation", "dev"), ("test", "test")):
        for index, row in enumerate(load_rows("jfleg", "m2", split, upstream=tiny)):
            rewrites = [apply_edits(row["sentence"], as_edits(entry["edits"])) for entry in row["annotations"]]
            assert rewrites == [lines[index] for lines in JFLEG[folder][1]]
            assert row["upstream_annotations"][0]["edits"][0]["type"] == "noop"
    beyond_the_end = load_rows("jfleg", "m2", "validation", upstream=tiny)[0]["upstream_annotations"][1]
    assert (beyond_the_end["annotator"], beyond_the_end["edits"][0]["end"]) == (2, 9)


def test_judgment_and_coded_rows(tiny):
    first, second = load_rows("jfleg", "judgments", "validation", upstream=tiny)
    assert (first["id"], first["system1"], first["system2"]) == ("dev-2", "Human", "CAMB16")
    assert (first["rank1"], first["rank2"], first["setting"], first["judge"]) == (1, 3, "five-way", "annotA")
    assert (second["id"], second["system1"], second["system2"], second["setting"]) == (
        "dev-3",
        "NUS",
        "Original",
        "nus",
    )
    (coded,) = load_rows("jfleg", "coded", "validation", upstream=tiny)
    assert (coded["id"], coded["codes_original"], coded["codes_camb16"], coded["codes_nus"]) == (
        "dev-1",
        "U",
        "M",
        "",
    )


def test_the_gug_key_sees_through_tokenisation():
    assert comparison_key("He said `` it &raspsquo;s '' .") == comparison_key('He said "it\'s".')
    assert comparison_key("a b") != comparison_key("a c")


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("jfleg/test/test.src", "One .\nTwo .\n", "GUG row 3 is not test sentence 1"),
        ("jfleg/test/test.ref2", "Only one line .\n", "1 lines, but the source has 2"),
        ("jfleg/EACL_exp/m2converter/test.ref.m2", "S One .\n\nS Two .\n", "sentence 1 is not"),
    ],
)
def test_files_that_do_not_belong_together_are_refused(tiny_folder, key, text, message):
    write(tiny_folder, key, text)
    with pytest.raises(InputError, match=message) as caught:
        load_rows("jfleg", "m2" if "m2" in key else None, "test", upstream=upstream_of(tiny_folder))
    assert "One ." not in str(caught.value)


def test_corpus(tiny):
    corpus = load_corpus("jfleg:test", upstream=tiny)
    assert list(corpus.sources) == JFLEG["test"][0]
    assert [list(texts) for texts in corpus.references] == [
        list(texts) for texts in zip(*JFLEG["test"][1], strict=True)
    ]
    assert corpus.annotations is None
    assert corpus.ids == ("test-1", "test-2")
    assert corpus.name == "jfleg:default:test"
    assert corpus.metadata["columns"]["gug_id"] == (3, 7)


def test_corpus_with_edits(tiny):
    derived = load_corpus("jfleg", annotations=True, upstream=tiny)
    configured = load_corpus("jfleg:m2:test", upstream=tiny)
    assert derived.annotations == configured.annotations
    assert derived.references == configured.references
    assert load_corpus("jfleg:m2:test", annotations=False, upstream=tiny).annotations is None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("jflag", "no dataset 'jflag'.*jfleg"),
        ("jfleg:nonsense", "neither a configuration nor a split"),
        ("jfleg:judgments:validation", "no references"),
        ("jfleg:coded:test", "no split 'test'"),
    ],
)
def test_wrong_names_are_explained(tiny, name, message):
    with pytest.raises(InputError, match=message):
        load_corpus(name, upstream=tiny)

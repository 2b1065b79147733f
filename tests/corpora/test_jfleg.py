from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from corpora_support import JFLEG, PATIENT, upstream_of, write
from loopback import Loopback

from gecbench.corpora.declaration import as_edits
from gecbench.corpora.jfleg import comparison_key, read_gug
from gecbench.corpora.load import load_corpus, load_rows
from gecbench.corpora.upstream import Upstream
from gecbench.corpus.edits import apply_edits
from gecbench.errors import InputError

distance = pytest.importorskip("rapidfuzz.distance").Levenshtein.distance


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
    found = load_rows("jfleg", upstream=tiny)
    assert {split: len(rows) for split, rows in found.items()} == {"validation": 3, "test": 2}


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
    assert (second["id"], second["system1"], second["system2"]) == ("dev-3", "NUS", "Original")
    assert second["setting"] == "nus"
    (coded,) = load_rows("jfleg", "coded", "validation", upstream=tiny)
    codes = [coded[f"codes_{name}"] for name in ("original", "camb16", "nus")]
    assert (coded["id"], codes) == ("dev-1", ["U", "M", ""])


def test_the_gug_key_sees_through_tokenization():
    assert comparison_key("He said `` it &raspsquo;s '' .") == comparison_key('He said "it\'s".')
    assert comparison_key("a b") != comparison_key("a c")


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("jfleg/test/test.src", "One .\nTwo .\n", "GUG row 3 differs from sentence 1 of the test split"),
        ("jfleg/test/test.ref2", "Only one line .\n", "1 line, but the source has 2"),
        ("jfleg/EACL_exp/m2converter/test.ref.m2", "S One .\n\nS Two .\n", "sentence 1 differs"),
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


# The real files: expected numbers are the papers' or were counted independently


@pytest.fixture(scope="module")
def rows(mirror):
    return load_rows("jfleg", upstream=mirror)


@pytest.fixture(scope="module")
def m2(mirror):
    return load_rows("jfleg", "m2", upstream=mirror)


def test_counts(rows):
    assert {split: len(part) for split, part in rows.items()} == {"validation": 754, "test": 747}
    for part in rows.values():
        for row in part:
            texts = [row["sentence"], row["spellchecked"], *row["corrections"]]
            assert len(row["corrections"]) == 4
            assert all(text and text == text.strip() and text.isascii() for text in texts)
        assert len({row["sentence"] for row in part}) == len(part)
    assert not {row["sentence"] for row in rows["test"]} & {row["sentence"] for row in rows["validation"]}


def test_tokens(rows):
    counts = {split: sum(len(row["sentence"].split()) for row in part) for split, part in rows.items()}
    assert counts == {"validation": 14010, "test": 14096}
    assert sum(len(row["spellchecked"].split()) for row in rows["validation"]) == 14060
    assert all(row["spellchecked"] == row["spellchecked"].lower() for row in rows["test"])
    entities = [row["id"] for row in rows["validation"] if "&raspsquo;" in row["sentence"]]
    assert entities == ["dev-250", "dev-268", "dev-664"]


def test_every_sentence_is_linked_to_gug(rows, mirror):
    gug = read_gug(mirror)
    assert Counter(dataset for dataset, _, _ in gug) == {"train": 1518, "test": 754, "dev": 747, "none": 110}
    linked = [row for part in rows.values() for row in part]
    assert len({row["gug_id"] for row in linked}) == 1501
    for row in linked:
        assert len(row["gug_crowd"]) == 5
        assert all(1 <= score <= 4 for score in (row["gug_expert"], *row["gug_crowd"]))
        assert row["gug_average"] == pytest.approx((row["gug_expert"] + sum(row["gug_crowd"])) / 6, abs=1e-9)


def test_derived_edits_give_every_rewrite(rows, m2):
    for split, part in m2.items():
        for row, plain in zip(part, rows[split], strict=True):
            found = [apply_edits(row["sentence"], as_edits(entry["edits"])) for entry in row["annotations"]]
            assert found == [" ".join(text.split()) for text in plain["corrections"]]


def test_the_published_m2(m2):
    kinds = {
        split: Counter(
            edit["type"] == "noop" for row in part for entry in row["upstream_annotations"] for edit in entry["edits"]
        )
        for split, part in m2.items()
    }
    assert kinds["validation"][True] == 0
    assert kinds["test"][True] == 164
    absent = sum(4 - len(row["upstream_annotations"]) for row in m2["test"])
    assert absent == 275
    beyond = [
        row["id"]
        for row in m2["validation"]
        if any(
            edit["end"] > len(row["sentence"].split())
            for entry in row["upstream_annotations"]
            for edit in entry["edits"]
        )
    ]
    assert len(beyond) == 5


def test_real_judgments(mirror):
    rows = load_rows("jfleg", "judgments", "validation", upstream=mirror)
    assert len(rows) == 1629
    assert sum(row["rank1"] == row["rank2"] for row in rows) == 498
    assert Counter(row["setting"] for row in rows) == {"five-way": 1480, "nus": 149}
    judges = {}
    for row in rows:
        judges.setdefault(row["gug_id"], set()).add(row["judge"])
    assert len(judges) == 176
    assert sum(len(names) == 2 for names in judges.values()) == 45
    names = {row["system1"] for row in rows} | {row["system2"] for row in rows}
    assert names == {"Human", "CAMB16", "CAMB14", "AMU", "NUS", "Original"}


def test_fetched_over_a_bad_network_it_is_the_same(rows, mirror, tmp_path):
    server = Loopback()
    for pin in mirror.pins.values():
        if pin.source.name in ("jfleg", "gug"):
            place = pin.url.split("://")[1]
            server.files["/" + place] = (mirror.mirror / place).read_bytes()
            server.plan["/" + place] = ["drop", "503", "short"]
    with server.running():
        upstream = Upstream(cache=tmp_path, base_url=server.url, downloader=PATIENT)
        assert load_rows("jfleg", upstream=upstream) == rows
    offline = Upstream(cache=tmp_path, is_offline=True)
    assert load_rows("jfleg", upstream=offline) == rows


def test_table_2(rows):
    """Napoles et al. 2017, Table 2: 94 characters, 86% changed, LD 13; between references 15."""
    part = rows["validation"]
    pairs = [(row["sentence"], text) for row in part for text in row["corrections"]]
    between = [distance(*pair) for row in part for pair in combinations(row["corrections"], 2)]
    assert np.mean([len(row["sentence"]) for row in part]) == pytest.approx(94.45, abs=0.005)
    assert np.mean([source != text for source, text in pairs]) == pytest.approx(0.8597, abs=0.00005)
    assert np.mean([distance(*pair) for pair in pairs]) == pytest.approx(12.58, abs=0.005)
    assert np.mean(between) == pytest.approx(15.47, abs=0.005)


def test_corrected_identically(rows):
    """Section 3: 36% corrected identically by at least two, where anybody changed anything."""
    same = [
        len(set(row["corrections"])) < 4 and any(text != row["sentence"] for text in row["corrections"])
        for row in rows["validation"]
    ]
    assert sum(same) == 273
    assert sum(len(set(row["corrections"])) < 4 for row in rows["validation"]) == 308


def test_distance_and_grammaticality_correlate(rows):
    """Section 3: r(LD, GUG) = -0.41 over all sentences and references."""
    part = rows["validation"]
    lengths = [distance(row["sentence"], text) for row in part for text in row["corrections"]]
    scores = [row["gug_average"] for row in part for _ in row["corrections"]]
    assert np.corrcoef(lengths, scores)[0, 1] == pytest.approx(-0.4094, abs=0.00005)


def test_coded(mirror):
    """Section 3: 81% have an error; 68% of these were rewritten without one; 23, 4 and 10% by kind."""
    rows = load_rows("jfleg", "coded", "validation", upstream=mirror)
    assert len(rows) == 100
    faulty = [row for row in rows if set(row["codes_original"]) & set("AOU")]
    clean = [row for row in faulty if not set(row["codes_reference"]) & set("AOU")]
    assert len(faulty) == 81
    assert len(clean) / len(faulty) == pytest.approx(0.679, abs=0.0005)
    assert [sum(letter in row["codes_reference"] for row in rows) for letter in "AOU"] == [23, 4, 10]

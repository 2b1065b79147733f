"""What the real JFLEG and GUG files hold; expected numbers are the papers' or were counted independently."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from corpora_support import PATIENT
from loopback import Loopback

from gecbench.corpora.declaration import as_edits
from gecbench.corpora.jfleg import read_gug
from gecbench.corpora.load import load_corpus, load_rows
from gecbench.corpora.upstream import Upstream
from gecbench.corpus.edits import apply_edits

distance = pytest.importorskip("rapidfuzz.distance").Levenshtein.distance


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


def test_table_2(rows):
    """Napoles et al. 2017, Table 2: 94 characters, 86 % changed, LD 13; between references 15."""
    part = rows["validation"]
    pairs = [(row["sentence"], text) for row in part for text in row["corrections"]]
    between = [distance(*pair) for row in part for pair in combinations(row["corrections"], 2)]
    assert np.mean([len(row["sentence"]) for row in part]) == pytest.approx(94.45, abs=0.005)
    assert np.mean([source != text for source, text in pairs]) == pytest.approx(0.8597, abs=0.00005)
    assert np.mean([distance(*pair) for pair in pairs]) == pytest.approx(12.58, abs=0.005)
    assert np.mean(between) == pytest.approx(15.47, abs=0.005)


def test_corrected_identically(rows):
    """Section 3: 36 % corrected identically by at least two, where anybody changed anything."""
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


def test_judgments(mirror):
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


def test_coded(mirror):
    """Section 3: 81 % have an error; 68 % of these were rewritten without one; 23, 4 and 10 % by kind."""
    rows = load_rows("jfleg", "coded", "validation", upstream=mirror)
    assert len(rows) == 100
    faulty = [row for row in rows if set(row["codes_original"]) & set("AOU")]
    clean = [row for row in faulty if not set(row["codes_reference"]) & set("AOU")]
    assert len(faulty) == 81
    assert len(clean) / len(faulty) == pytest.approx(0.679, abs=0.0005)
    assert [sum(letter in row["codes_reference"] for row in rows) for letter in "AOU"] == [23, 4, 10]


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


def test_corpus(mirror):
    corpus = load_corpus("jfleg", split="test", upstream=mirror)
    assert (len(corpus), corpus.reference_range()) == (747, "4")

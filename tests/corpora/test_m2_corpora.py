"""Corpora that are M2 files: rows of a tiny tree, and the real files' counts."""

from __future__ import annotations

import pytest

from gecbench.corpora.catalog import DATASETS
from gecbench.corpora.load import load_corpus, load_dataset, load_rows, load_sources, official_metric
from gecbench.errors import InputError, UpstreamError


def test_rows_have_edits_and_the_texts_they_give(tiny):
    (row,) = load_rows("cweb", "s", "test", upstream=tiny)
    edit = {"start": 2, "end": 3, "corrections": ["is"], "type": "R:VERB:SVA", "required": "REQUIRED"}
    assert row == {
        "id": "1",
        "sentence": "The web are big .",
        "corrections": ["The web is big .", "The web are big ."],
        "annotations": [
            {"annotator": 0, "edits": [{**edit, "comment": "-NONE-"}]},
            {"annotator": 1, "edits": []},
        ],
    }


def test_documents_are_named_by_their_headings_which_are_sentences(tiny):
    rows = load_rows("ua-gec", "gec-fluency", "test", upstream=tiny)
    assert [(row["sentence"], row["document"]) for row in rows] == [("# 0007", "0007"), ("The web are big .", "0007")]


@pytest.mark.parametrize(
    ("name", "dataset", "split", "sentences", "references"),
    [
        ("conll13", "conll13:default:test", "test", 5, "1"),
        ("bea19:dev", "bea19:default:validation", "validation", 5, "1"),
        ("cweb:g:dev", "cweb:g:validation", "validation", 1, "2"),
        ("ua-gec:gec-only", "ua-gec:gec-only:test", "test", 2, "2"),
        ("geccc", "geccc:sentence:test", "test", 2, "1-2"),
        ("geccc:paragraph:dev", "geccc:paragraph:validation", "validation", 2, "1-2"),
        ("conll14:alt", "conll14_fluency:nucle_alt:test", "test", 5, "1-2"),
        ("bn15", "conll14_fluency:bn15:test", "test", 5, "10"),
    ],
)
def test_every_name_loads(tiny, name, dataset, split, sentences, references):
    corpus = load_corpus(name, upstream=tiny)
    assert (corpus.name, corpus.metadata["split"], len(corpus)) == (dataset, split, sentences)
    assert corpus.reference_range() == references


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("cweb:s:dev", 1),
        ("geccc:paragraph:dev", 2),
        ("bea19:dev", 5),
        ("bea19:test", {"test": 5}),
        ("conll14:alt", {"test": 5}),
    ],
)
def test_every_name_loads_as_a_dataset(tiny_environment, tmp_path, name, size):
    pytest.importorskip("datasets", minversion="2.21")
    assert load_dataset(name, cache_dir=tmp_path).num_rows == size


def test_the_test_set_of_bea19_has_sentences_and_no_score(tiny_environment):
    assert load_sources("bea19:test")[1] == "My town are small ."
    message = "bea19:test has no references to score against. To submit to Codabench, run: gecbench data submission "
    message += "bea19:test -p output.txt -o bea19.zip"
    with pytest.raises(InputError, match=message):
        load_corpus("bea19:test")


def test_a_license_is_accepted_once(tiny_environment, monkeypatch):
    monkeypatch.delenv("GECBENCH_ACCEPT_LICENSE")
    with pytest.raises(UpstreamError, match=r"must be accepted first .* --accept-license bea19, or set GECBENCH_ACC"):
        load_corpus("bea19:dev")
    monkeypatch.setenv("GECBENCH_ACCEPT_LICENSE", "other,bea19")
    assert len(load_corpus("bea19:dev")) == 5
    monkeypatch.delenv("GECBENCH_ACCEPT_LICENSE")
    assert len(load_corpus("bea19:dev")) == 5


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        *(("jfleg:test", "gleu"), ("conll14", "m2"), ("conll14:alt", "m2"), ("bn15", "m2"), ("conll13", "m2(beta=1)")),
        *(("conll14_fluency", "gleu"), ("conll14_fluency:nucle", "m2"), ("conll14:expert_fluency", "gleu")),
        *(("bea19:dev", "errant"), ("cweb:s", "errant"), ("ua-gec:gec-only", "errant"), ("geccc", "m2")),
        *(("mucgec:dev", "gleu"), ("demo", None), ("gold.m2", None)),
    ],
)
def test_official_metrics(name, metric):
    assert official_metric(name) == metric


# Sentences and edits: CWEB's 13,574 sentences are those of its README, GECCC's the lines of its sentence.input files.
# Edits are the A lines of the file that are not noop, counted by grep.
REAL = {
    "cweb:g:dev": (3867, 3194),
    "cweb:g:test": (3981, 3369),
    "cweb:s:dev": (2862, 1798),
    "cweb:s:test": (2864, 2015),
    "ua-gec:gec-only": (2862, 5745),
    "ua-gec:gec-fluency": (2856, 8247),
    "geccc:dev": (8478, 27014),
    "geccc:test": (7907, 35653),
    "geccc:paragraph:dev": (3592, 26798),
    "geccc:paragraph:test": (3242, 35566),
}


@pytest.mark.parametrize("name", REAL)
def test_counts_of_the_real_files(mirror, name):
    corpus = load_corpus(name, upstream=mirror)
    edits = sum(len(one.edits) for found in corpus.annotations for one in found)
    assert (len(corpus), edits) == REAL[name]


def test_the_real_files_load_as_datasets(mirror, tmp_path):
    pytest.importorskip("datasets", minversion="2.21")
    for name in ("cweb", "ua-gec", "geccc", "mucgec"):
        for config in DATASETS[name].configs:
            loaded = load_dataset(name, config, cache_dir=tmp_path, mirror=mirror.mirror)
            for split, rows in loaded.items():
                assert list(rows) == load_rows(name, config, split, upstream=mirror)

"""Corpora as JSON Lines: written and read again."""

import json
from pathlib import Path

from annotations import annotated_sentences
from hypothesis import given, settings
from hypothesis import strategies as st

from gecbench import Corpus, derive_groups, derive_references, load_demo
from gecbench.formats.jsonl import read_jsonl, write_jsonl


@settings(max_examples=100)
@given(sentences=st.lists(annotated_sentences(), min_size=1, max_size=4))
def test_round_trip(sentences, tmp_path_factory):
    path = tmp_path_factory.mktemp("round-trip") / "a.jsonl"
    sources, annotations = zip(*sentences, strict=True)
    corpus = derive_references(Corpus(sources=sources, annotations=annotations))
    write_jsonl(corpus, path)
    again = read_jsonl(path)
    for field in ("sources", "annotations", "references"):
        assert getattr(again, field) == getattr(corpus, field)
    assert again.fingerprint() == corpus.fingerprint()


def test_error_groups_round_trip(folder):
    corpus = derive_groups(load_demo())
    write_jsonl(corpus, "demo.jsonl")
    again = read_jsonl("demo.jsonl")
    assert (again.groups, again.ids, again.name) == (corpus.groups, corpus.ids, "demo.jsonl")


def test_keys_of_a_line(folder):
    write_jsonl(Corpus(sources=["He go ."], references=[["He goes ."]], ids=["é1"]), "a.jsonl")
    assert json.loads(Path("a.jsonl").read_text()) == {"id": "é1", "source": "He go .", "references": ["He goes ."]}


def test_a_reference_without_a_list_is_an_error(folder, refused):
    Path("a.jsonl").write_text('{"source": "He go .", "reference": "He goes ."}\n')
    refused(["score", "-c", "a.jsonl", "-p", "a.jsonl"], """a.jsonl:1: 'reference' is unknown. Write "references": """)

from __future__ import annotations

import pytest

import gecbench
from gecbench.corpora.load import load_corpus, load_rows
from gecbench.errors import InputError


def test_rows_are_characters_with_the_published_text(tiny):
    rows = load_rows("mucgec", split="validation", upstream=tiny)
    assert rows[0]["corrections"] == ["我 有 一 本 书 。", "我 有 一 些 书 。"]
    assert rows[1] == {
        "id": "2",
        "sentence": "他 有 M P 3 。",
        "corrections": ["他 有 M P 3 。"],
        "text": "他有MP3。",
        "annotated": True,
    }
    assert (rows[2]["corrections"], rows[2]["annotated"]) == (["书 他 。"], False)


@pytest.mark.parametrize("text", ["1\t句子\n", "2\t句子\t句子\n", "1\t句子\t\n"])
def test_a_damaged_line_is_refused(tiny, tiny_folder, text):
    from corpora_support import upstream_of, write

    write(tiny_folder, "mucgec/data/MuCGEC/MuCGEC_dev.txt", text)
    with pytest.raises(InputError, match=r"MuCGEC_dev.txt:1: expected the line number, a sentence and its references"):
        load_rows("mucgec", upstream=upstream_of(tiny_folder))


def test_the_real_file(mirror):
    """1,137 sentences (its README), 55 of them without an error, 3 that could not be annotated (grep)."""
    corpus = load_corpus("mucgec:dev", upstream=mirror)
    assert (len(corpus), corpus.reference_range()) == (1137, "1-7")
    columns = corpus.metadata["columns"]
    assert columns["annotated"].count(False) == 3
    unchanged = [corpus.references[i] == (source,) for i, source in enumerate(corpus.sources)]
    assert sum(unchanged) == 58


def test_raw_text_comes_back_as_the_characters_of_the_corpus(mirror):
    corpus = load_corpus("mucgec:dev", upstream=mirror)
    first = [texts[0] for texts in corpus.references]
    raw = [text.replace(" ", "") for text in first]
    with pytest.raises(InputError, match="tokeni"):
        gecbench.score(raw, corpus)
    found = gecbench.score(raw, corpus, tokenize="auto", aligned=True)["gleu"]
    assert found.value == gecbench.score(first, corpus, aligned=True)["gleu"].value

"""Served models on the real corpora: the same digits as from files, and no rewrite taken for something else."""

import json

import pytest
from chat_server import ChatServer

import gecbench
from gecbench.corpus.tokenize import detokenize
from gecbench.models.replies import read_reply

pytest.importorskip("huggingface_hub", minversion="1.0")
pytestmark = pytest.mark.usefixtures("folder", "online", "mirror")


@pytest.mark.parametrize("name", ["jfleg:test", "jfleg:validation", "conll14_fluency:all"])
def test_no_rewrite_is_touched(name):
    corpus = gecbench.load_corpus(name)
    sources = detokenize(corpus.sources)
    for column in corpus.reference_columns():
        for source, rewrite in zip(sources, detokenize(column), strict=True):
            if rewrite.strip():
                reading = read_reply(rewrite, source)
                assert (reading.text, reading.outcome, reading.cleaned) == (rewrite, "answered", ())


@pytest.mark.parametrize(
    ("name", "raw"), [("jfleg:test", True), ("jfleg:test", False), ("conll14_fluency:expert_fluency", True)]
)
def test_the_same_digits_as_from_a_file(name, raw, run):
    corpus = gecbench.load_corpus(name)
    sources, rewrites = corpus.sources, corpus.reference_columns()[0]
    if raw:
        sources, rewrites = detokenize(sources), detokenize(rewrites)
    answers = dict(zip(sources, rewrites, strict=True))
    with ChatServer(answers).running() as server:
        command = ["run", "--model", f"endpoint:{server.url}", "--name", "it", "-c", name, "-f", "json"]
        found = json.loads(run(*command, *(["--raw"] if raw else []), "--concurrency", 16))
    outputs = [answers[source] or source for source in sources]
    expected = gecbench.score(outputs, corpus, tokenize="auto" if raw else "none")["gleu"]
    assert found["systems"][0]["scores"][0]["value"] == expected.value

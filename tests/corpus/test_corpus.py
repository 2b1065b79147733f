"""Corpora are frozen, and their fingerprints follow their content."""

import pickle

import pytest

from gecbench import Annotation, Corpus, load_demo


class TestCorpus:
    def test_fingerprint_follows_the_content(self):
        one = Corpus(sources=["a"], references=[["b", "c"]])
        assert one.fingerprint() == Corpus(sources=["a"], references=[["b", "c"]], name="other").fingerprint()
        assert one.fingerprint() != Corpus(sources=["a"], references=[["c", "b"]]).fingerprint()
        assert one.fingerprint() != Corpus(sources=["a"], references=[["b"]]).fingerprint()
        annotated = Corpus(sources=["a"], references=[["b", "c"]], annotations=[[Annotation(0, ())]])
        assert annotated.fingerprint("references") == one.fingerprint("references")
        assert annotated.fingerprint("annotations") != one.fingerprint("annotations")

    def test_selection(self):
        demo = load_demo()
        part = demo.select([3, 1])
        assert part.sources == (demo.sources[3], demo.sources[1])
        assert part.ids == ("4", "2")
        assert part.annotations == (demo.annotations[3], demo.annotations[1])
        assert demo.with_references([2]).references == tuple((texts[2],) for texts in demo.references)

    def test_selection_keeps_columns_with_their_sentences(self):
        corpus = Corpus(sources=["a", "b", "c"], metadata={"columns": {"essay": (1, 2, 3)}, "split": "test"})
        assert corpus.select([2, 0]).metadata == {"columns": {"essay": (3, 1)}, "split": "test"}

    def test_frozen_and_copied(self):
        references = [["b"]]
        corpus = Corpus(sources=["a"], references=references)
        references[0].append("c")
        assert corpus.references == (("b",),)
        with pytest.raises(AttributeError):
            corpus.name = "other"

    def test_pickles(self):
        demo = load_demo()
        assert pickle.loads(pickle.dumps(demo)).fingerprint() == demo.fingerprint()

"""Outputs in any order, from several accumulators, with repeats: the digits of `score`."""

import pickle

import numpy as np
import pytest

import gecbench
from gecbench import InputError, score

DEMO, SYSTEMS = gecbench.load_demo(), gecbench.load_demo_systems()
SOURCES = ["He go home .", "They is here .", "A cat sleep ."]
PREDICTIONS = ["He goes home .", "They are here .", "A cat sleeps ."]
REFERENCES = [["He goes home ."], ["They are here ."], ["A cat sleeps ."]]
METRICS = ("gleu", "m2", "imeasure")
GOOD = SYSTEMS["good-corrector"]


def scored(total):
    return {name: (each.value, each.parts) for name, each in total.compute().items()}


def expected():
    return {name: (each.value, each.parts) for name, each in score(GOOD, DEMO, METRICS).items()}


@pytest.mark.parametrize("raw", [False, True])
def test_strided_shards_with_repeats(raw):
    texts = gecbench.detokenize(GOOD) if raw else GOOD
    parts = [gecbench.Accumulator(DEMO, METRICS) for _ in range(2)]
    for rank, part in enumerate(parts):
        shard = [*range(rank, len(DEMO), 2), 0]
        for begin in range(0, len(shard), 8):
            places = shard[begin : begin + 8][::-1]
            part.update(places, [texts[i] for i in places])
    parts[1].merge(parts[0])
    assert len(parts[1]) == len(DEMO)
    assert scored(parts[1]) == expected()


def test_ids_of_the_corpus_arrays_and_pickles():
    total = pickle.loads(pickle.dumps(gecbench.Accumulator(DEMO, METRICS)))
    total.update(DEMO.ids[:20], GOOD[:20])
    total.update(np.arange(20, 42), np.array(GOOD[20:]))
    total.gather()
    assert scored(total) == expected()
    total.reset()
    assert len(total) == 0


def test_numbers_of_the_corpus_itself():
    corpus = gecbench.Corpus(SOURCES, REFERENCES, ids=["7", "0", "1"])
    total = gecbench.Accumulator(corpus)
    total.update([0, 1, 7], [PREDICTIONS[1], PREDICTIONS[2], PREDICTIONS[0]])
    assert total.prepare().lines == tuple(PREDICTIONS)


def test_missing_sentences():
    total = gecbench.Accumulator(DEMO)
    total.update([0, 2], GOOD[:2])
    with pytest.raises(InputError, match=r"no output for 40 of 42 sentences, for example '2'.*gather"):
        total.compute()
    with pytest.warns(gecbench.MixedUpTextWarning, match="some sentences have no output"):
        found = total.compute(partial=True)["gleu"].value
    assert found == score(GOOD[:2], DEMO.select([0, 2]), aligned=True)["gleu"].value
    total.reset()
    with pytest.raises(InputError, match="no output for 42 of 42 sentences"):
        total.compute(partial=True)


@pytest.mark.parametrize(
    ("ids", "texts", "problem"),
    [
        (["x"], ["a"], r"demo has no sentence 'x'. Give an id \('1' to '42'\) or a position \(0 to 41\)"),
        ([42], ["a"], "demo has no sentence 42"),
        ([-1], ["a"], "demo has no sentence -1"),
        ([True], ["a"], "demo has no sentence True"),
        ([1, 2], ["a"], "1 text for 2 ids"),
        ([1], [None], r"texts\[0\] is None"),
        ("1", ["a"], "ids is a single str"),
    ],
)
def test_refused(ids, texts, problem):
    with pytest.raises(InputError, match=problem):
        gecbench.Accumulator(DEMO).update(ids, texts)


def test_different_outputs_of_a_sentence():
    total = gecbench.Accumulator(DEMO)
    total.update(range(42), GOOD)
    total.update([3], ["Something else ."])
    with pytest.warns(gecbench.MixedUpTextWarning, match="two different outputs were given for 1 sentence. The first"):
        assert total.compute()["gleu"].value == score(GOOD, DEMO)["gleu"].value


def test_another_corpus():
    with pytest.raises(InputError, match="outputs of corpus cannot be merged with outputs of demo"):
        gecbench.Accumulator(DEMO).merge(gecbench.Accumulator(gecbench.Corpus(SOURCES, REFERENCES)))

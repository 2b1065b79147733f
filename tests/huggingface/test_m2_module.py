"""The `evaluate` module of M2: both forms of gold, batches, combined with GLEU, every row checked."""

import evaluate
import pytest
from m2_corpus import THREE_OUTPUTS, THREE_SENTENCES

import gecbench
from gecbench.formats.m2 import format_m2

SOURCES = list(THREE_SENTENCES.sources)
BLOCKS = "\n".join(format_m2(THREE_SENTENCES)).strip("\n").split("\n\n")
REWRITES = [["Our fox ran up that hill .", "Our fox ran uphill ."], ["Our hen ."], ["Young wolves are pack hunters ."]]
EDITS = {"sources": SOURCES, "predictions": THREE_OUTPUTS, "references": BLOCKS}
TEXTS = {"sources": SOURCES, "predictions": THREE_OUTPUTS, "references": REWRITES}


@pytest.fixture
def m2():
    return gecbench.load_metric("m2")


def test_blocks_of_edits(m2):
    result = m2.compute(**EDITS)
    assert [result[name] for name in ("correct", "proposed", "gold")] == [4, 5, 5]
    assert result["m2"] == result["precision"] == result["recall"] == 0.8
    assert result["signature"] == str(gecbench.M2().score_corpus(THREE_SENTENCES, THREE_OUTPUTS).signature)


def test_rewrites(m2):
    result = m2.compute(**TEXTS)
    expected = gecbench.M2().score(**TEXTS)
    assert (result["m2"], result["signature"]) == (expected.value, str(expected.signature))
    assert "|gold:rewrites:1-2|" in result["signature"]


def test_mixing(m2):
    expected = gecbench.M2(mixing=True).score_corpus(THREE_SENTENCES, THREE_OUTPUTS)
    result = m2.compute(**EDITS, mixing=True)
    assert (result["m2"], result["signature"]) == (expected.value, str(expected.signature))


def test_options_are_typed_arguments(m2):
    options = {
        **{"beta": 1, "max_unchanged_words": 1, "ignore_whitespace_casing": True},
        **{"release": "3.2", "policy": "average", "annotators": "0+1"},
    }
    result = m2.compute(**EDITS, **options, resamples=20, per_sentence=True)
    expected = gecbench.M2(**options).score_corpus(THREE_SENTENCES, THREE_OUTPUTS)
    assert result["m2"] == expected.value
    assert result["sentence_scores"] == expected.sentence_scores().tolist()
    assert result["interval_low"] <= result["m2"] <= result["interval_high"]
    with pytest.raises(gecbench.InputError, match=r"m2 has no parameter 'gamma'\. Its parameters: beta, max_unch"):
        m2.compute(**EDITS, gamma=3)
    with pytest.raises(gecbench.InputError, match="beta=-1"):
        m2.compute(**EDITS, beta=-1)
    assert m2.compute(**EDITS)["m2"] == 0.8, "a refused call leaves nothing behind"


@pytest.mark.parametrize("inputs", [EDITS, TEXTS], ids=["edits", "rewrites"])
def test_batches_and_single_rows(m2, inputs):
    expected = m2.compute(**inputs)
    m2.add_batch(**{name: rows[:2] for name, rows in inputs.items()})
    m2.add(sources=SOURCES[2], prediction=THREE_OUTPUTS[2], reference=inputs["references"][2])
    assert m2.compute() == expected


def test_the_form_may_change_between_calls_but_not_between_batches(m2):
    for first, second in ((EDITS, TEXTS), (TEXTS, EDITS)):
        m2.add_batch(**first)
        with pytest.raises(gecbench.InputError, match="this batch: rewrites and M2 blocks are mixed"):
            m2.add_batch(**second)
        with pytest.raises(gecbench.InputError, match="this batch"):
            m2.add(sources=SOURCES[0], prediction="x", reference=second["references"][0])
        assert m2.compute()["m2"] == gecbench.load_metric("m2").compute(**first)["m2"]


def test_combined_with_gleu(m2):
    result = evaluate.combine([m2, gecbench.load_metric("gleu")]).compute(**TEXTS)
    assert result["m2"] == gecbench.M2().score(**TEXTS).value
    assert result["gleu"] == gecbench.GLEU().score(**TEXTS).value
    assert result["m2_signature"].startswith("m2|")


def test_windows_line_ends_and_final_newlines(m2):
    blocks = [block.replace("\n", "\r\n") + "\r\n\r\n" for block in BLOCKS]
    assert m2.compute(**{**EDITS, "references": blocks})["m2"] == 0.8


BAD = {
    "another sentence's block": (
        [*BLOCKS[:1], BLOCKS[2], BLOCKS[1]],
        r"references\[1\]: the S line of sentence 2 is not",
    ),
    "two blocks": ([BLOCKS[0] + "\n\n" + BLOCKS[1], *BLOCKS[1:]], r"references\[0\]: 2 M2 blocks"),
    "a block too few": (BLOCKS[:2], r"references for 2 sentences, but 3 sources"),
    "a bare rewrite": ([*BLOCKS[:2], "Young wolves ."], r"references\[2\] is a string that is no M2 block: 'Young"),
    "an empty string": ([*BLOCKS[:2], ""], r"references\[2\] is a string that is no M2 block"),
    "a block among rewrites": ([*REWRITES[:2], BLOCKS[2]], r"references\[0\]: rewrites and M2 blocks are mixed"),
    "rewrites among blocks": ([*BLOCKS[:2], REWRITES[2]], r"references\[2\]: rewrites and M2 blocks are mixed"),
    "None among blocks": ([*BLOCKS[:2], None], r"references\[2\]: rewrites and M2 blocks are mixed"),
    "None among rewrites": ([*REWRITES[:2], [None]], r"references\[2\]\[0\] is None"),
    "numbers": ([1, 2, 3], r"references\[0\] is a int"),
    "one block for all": (BLOCKS[0], r"references is a single str"),
    "a span beyond the sentence": (
        [BLOCKS[0].replace("A 3 4", "A 3 9"), *BLOCKS[1:]],
        r"references\[0\]:2: the span 3 9",
    ),
    "a broken edit": ([BLOCKS[0] + "\nA 1 2|||T", *BLOCKS[1:]], r"references\[0\]:4: 2 fields where 6 are needed"),
    "nothing": ([], r"references for 0 sentences"),
}


@pytest.mark.parametrize(("references", "message"), BAD.values(), ids=BAD)
def test_bad_gold(m2, references, message):
    with pytest.raises(gecbench.InputError, match=message):
        m2.compute(**{**EDITS, "references": references})
    assert m2.compute(**EDITS)["m2"] == 0.8, "a refused call leaves nothing behind"


def test_bad_predictions(m2):
    for predictions in (THREE_OUTPUTS[:2], [*THREE_OUTPUTS[:2], None]):
        with pytest.raises(gecbench.InputError, match="predictions"):
            m2.compute(**{**EDITS, "predictions": predictions})

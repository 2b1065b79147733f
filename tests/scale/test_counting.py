"""Batches of rows as counts: columns of every kind, and rows that cannot be scored."""

import pickle
import subprocess
import sys
from hashlib import blake2b

import numpy as np
import pyarrow
import pytest
from scale_cases import assert_same, count_batches, demo

import gecbench
from gecbench import InputError, scale
from gecbench.corpus.corpus import Corpus

CASE = demo()
DEMO, OUTPUTS, COLUMNS = CASE.corpus, CASE.outputs, CASE.columns
COUNTS = scale.counts(**CASE.arguments)


def changed(column, row, value):
    """Return the columns with one value changed."""
    return {**COLUMNS, column: [*COLUMNS[column][:row], value, *COLUMNS[column][row + 1 :]]}


def test_several_reference_columns():
    references = {f"ref{k}": [texts[k] for texts in COLUMNS["references"]] for k in range(4)}
    table = scale.counts("gleu", references=list(references), index="index")(pyarrow.table({**COLUMNS, **references}))
    assert_same(scale.scores(table)["gleu"], CASE.alone["gleu"])


def test_columns_as_numpy():
    """As `Dataset.with_format("numpy")` gives them."""
    columns = {name: np.array(COLUMNS[name]) for name in ("index", "source", "prediction")}
    columns["ref"] = np.array([texts[0] for texts in COLUMNS["references"]])
    function = scale.counts("gleu", references=["ref"], index="index")
    expected = gecbench.score(OUTPUTS, Corpus(DEMO.sources, [texts[:1] for texts in DEMO.references]), "gleu")
    assert_same(scale.scores(function(columns))["gleu"], expected["gleu"])


def test_a_metrics_refusal_says_in_which_batch():
    function = scale.counts("m2", aligned=True, tokenized=True, index="index")
    with pytest.raises(InputError, match=r"the batch that begins with row 40: sentence 2 is too long to align"):
        count_batches(function, changed("prediction", 41, "a " * 2_000_000), 10)


def test_the_function_is_the_same_in_every_process():
    from datasets.fingerprint import Hasher

    assert pickle.loads(pickle.dumps(COUNTS)) == COUNTS
    program = "import pickle, sys; from datasets.fingerprint import Hasher"
    program += "; print(Hasher.hash(pickle.loads(bytes.fromhex(sys.argv[1]))))"
    command = [sys.executable, "-c", program, pickle.dumps(COUNTS).hex()]
    COUNTS(COLUMNS)
    other = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    assert other == Hasher.hash(COUNTS) != Hasher.hash(scale.counts("gleu"))


def test_metric_objects_keep_their_parameters():
    metric = gecbench.IMeasure(mixing="cap", cap=5, weight=1.5, treebank=False)
    function = scale.counts([metric, gecbench.GLEU(order=2)], annotations="annotations", index="index")
    scores = scale.scores(function(COLUMNS))
    assert scores["imeasure"].metric == metric
    assert_same(scores["gleu"], gecbench.score(OUTPUTS, DEMO, gecbench.GLEU(order=2))["gleu"])


def test_columns_of_references_where_some_sentences_have_fewer():
    assert Corpus(["a", "b"], [["c", "d"], ["e", "f"]]).reference_columns() == [["c", "e"], ["d", "f"]]
    assert Corpus(["a", "b"], [["c", "d"], ["e"]]).reference_columns() == [["c", "e"], ["d", "b"]]
    assert Corpus(["a"]).reference_columns() == []


def test_the_fingerprint_is_the_sum_of_hashes():
    """Place, source and references of each sentence, hashed here by hand."""
    texts = ["0\na b\x00c\x01d", "1\ne\x00f"]
    total = sum(int.from_bytes(blake2b(text.encode(), digest_size=16).digest(), "little") for text in texts)
    expected = (total % 2**128).to_bytes(16, "little")[:4].hex()
    assert Corpus(sources=["a b", "e"], references=[["c", "d"], ["f"]]).fingerprint() == expected
    assert DEMO.select(range(41, -1, -1)).fingerprint() != DEMO.fingerprint(), "another order is another corpus"


@pytest.mark.parametrize("metric", ["m2(policy=average)", "m2(annotators=0)", "imeasure(optimise=corpus)"])
def test_metrics_that_need_the_whole_corpus_are_refused(metric):
    with pytest.raises(InputError, match=r"the whole corpus|as a whole|batch by batch"):
        scale.counts(metric)


def test_wrong_use():
    with pytest.raises(InputError, match=r"no column 'text'"):
        scale.counts("gleu", source="text")(COLUMNS, range(42))
    with pytest.raises(InputError, match="needs the whole corpus"):
        scale.tabulate(OUTPUTS, DEMO, tokenize="auto")
    with pytest.raises(InputError, match="no index"):
        scale.counts("gleu")(COLUMNS)
    with pytest.raises(InputError, match="3 indices for 42 rows"):
        scale.counts("gleu")(COLUMNS, range(3))
    with pytest.raises(InputError, match=r"unknown value on_bad='drop'\. Choose one of error, skip"):
        scale.counts("gleu", on_bad="drop")


FAULTS = {
    "null prediction": ("prediction", None, "row 3: prediction is missing"),
    "number": ("prediction", 7, "row 3: prediction is 7, not text"),
    "null source": ("source", None, "row 3: source is missing"),
    "no references": ("references", [], "row 3: references is missing"),
    "null references": ("references", None, "row 3: references is missing"),
    "null reference": ("references", ["a", None], "row 3: references contains None, which is not text"),
    "null annotations": ("annotations", None, "row 3: annotations is missing"),
    "span": ("annotations", [{"annotator": 0, "edits": [{"start": 9, "end": 99, "corrections": ["a"], "type": "X"}]}],
             "row 3: annotations: the span 9 99 does not fit"),
    "null index": ("index", None, "index is missing"),
    "negative index": ("index", -4, "index is -4"),
    "huge index": ("index", 2**63, "index is 9223372036854775808"),
    "double index": ("index", 5, "row 5: this index occurs more than once; row 3: this row is missing"),
}  # fmt: skip


@pytest.mark.parametrize(("column", "value", "message"), FAULTS.values(), ids=FAULTS)
def test_bad_rows_are_refused_or_skipped_by_consent(column, value, message):
    parts = count_batches(COUNTS, changed(column, 3, value), 10)
    with pytest.raises(InputError) as refused:
        scale.scores(parts)
    assert message in str(refused.value)
    lost = {3, 5} if value == 5 else {3}
    kept = [i for i in range(42) if i not in lost]
    expected = gecbench.score([OUTPUTS[i] for i in kept], DEMO.select(kept), CASE.arguments["metrics"])
    for name, score in scale.scores(parts, on_bad="skip").items():
        assert (score.value, score.parts) == (expected[name].value, expected[name].parts)
        assert score.signature["skipped"] == str(len(lost))


def test_a_prediction_whose_edits_overlap_is_a_row_of_its_own():
    edits = [{"start": start, "end": end, "corrections": ["a"], "type": "R"} for start, end in [(0, 2), (1, 2)]]
    predictions = [found[:1] for found in COLUMNS["annotations"]]
    predictions[3] = [{"annotator": 0, "edits": edits}]
    function = scale.counts("errant", references=None, annotations="annotations", index="index")
    parts = count_batches(function, {**COLUMNS, "prediction": predictions}, 10)
    with pytest.raises(InputError, match=r"1 row cannot .* row 3: prediction: the edit of tokens \[1, 2\) overlaps"):
        scale.scores(parts)
    assert scale.scores(parts, on_bad="skip")["errant"].signature["skipped"] == "1"

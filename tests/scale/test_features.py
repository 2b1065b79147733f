"""Columns to filter pairs by, each against the slow way to the same number."""

import numpy as np
import pyarrow
import pytest

import gecbench
from gecbench import scale
from gecbench.corpus.edits import extract_edits

SOURCES = ["He go to school yesterday .", "She like cats very much .", "", "I am agree with you , my friend ."]
PREDICTIONS = ["He went to school .", "She like cats very much .", "New .", "I agree with you , my dear old friend ."]


def found_of(sources, predictions, **columns):
    batch = {"source": list(sources), "prediction": list(predictions), **columns}
    found = scale.features(references="references" if columns else None)(batch)
    return {name: np.array(values) for name, values in found.items()}


def test_edits_are_counted_with_their_tokens(kernels_of):
    found = found_of(SOURCES, PREDICTIONS)
    for i, (source, prediction) in enumerate(zip(SOURCES, PREDICTIONS, strict=True)):
        edits = extract_edits(source, prediction)
        assert found["edits"][i] == len(edits)
        assert found["removed"][i] == sum(edit.end - edit.start for edit in edits)
        assert found["added"][i] == sum(len(edit.corrections[0].split()) for edit in edits)
        assert found["tokens"][i] == len(source.split())
    assert found["edits"].tolist() == [2, 0, 1, 2]
    assert found["removed"].tolist() == [2, 0, 0, 1]
    assert found["added"].tolist() == [1, 0, 2, 2]
    assert found["characters"].tolist() == [14, 0, 5, 12]


def test_gleu_is_that_of_each_sentence_alone(kernels_of):
    demo, predictions = gecbench.load_demo(), gecbench.load_demo_systems()["rule-based"]
    found = found_of(demo.sources, predictions, references=demo.references)
    metric = gecbench.GLEU(iterations=1)  # sentences are scored without drawing
    for i, (source, prediction) in enumerate(zip(demo.sources, predictions, strict=True)):
        for column, references in (("gleu", demo.references[i]), ("gleu_source", [source])):
            alone = metric.score(sources=[source], predictions=[prediction], references=[references])
            assert found[column][i] == alone.sentence_scores()[0]


FLAGGED = {
    "foreign": ("The cat sat on the mat .", "We will meet again at noon tomorrow ."),
    "raw": ("I am agree , he said .", "I agree, he said."),
    "wrapped": ("He go to school .", "Corrected sentence: He goes to school ."),
}


@pytest.mark.parametrize("flag", FLAGGED)
def test_flags_mark_their_rows_alone(kernels_of, flag):
    pairs = [*zip(SOURCES, PREDICTIONS, strict=True), FLAGGED[flag]]
    found = found_of([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    assert [column for column in FLAGGED if found[column][-1]] == [flag]
    assert not found[flag][:-1].any()


def test_a_shifted_file_is_flagged_line_by_line(kernels_of):
    demo = gecbench.load_demo()
    shifted = [*demo.sources[1:], demo.sources[0]]
    assert found_of(demo.sources, shifted)["foreign"].mean() > 0.9
    assert not found_of(demo.sources, demo.sources)["foreign"].any()


def edit(start, end, correction):
    return {"start": start, "end": end, "corrections": [correction], "type": "R"}


def test_errant_counts_are_those_of_the_best_annotator(kernels_of):
    """Counted by hand: the second annotator of the first sentence agrees with more of the prediction."""
    gold = [
        [
            {"annotator": 0, "edits": [edit(1, 2, "goes"), edit(4, 5, "every day")]},
            {"annotator": 1, "edits": [edit(1, 2, "went"), edit(2, 3, "into"), edit(4, 5, "today")]},
        ],
        [{"annotator": 0, "edits": [edit(1, 2, "likes")]}],
        [{"annotator": 0, "edits": []}],
    ]
    proposed = [[edit(1, 2, "went"), edit(4, 5, "")], [], [edit(0, 0, "New")]]
    batch = {
        "source": SOURCES[:3],
        "prediction": [[{"annotator": 0, "edits": edits}] for edits in proposed],
        "annotations": gold,
    }
    found = scale.features(annotations="annotations")(batch)
    counted = {name: found[name] for name in ("errant_tp", "errant_fp", "errant_fn")}
    assert counted == {"errant_tp": [1, 0, 0], "errant_fp": [1, 0, 1], "errant_fn": [2, 1, 0]}


def test_bad_rows_are_an_error_or_have_a_fault_instead_of_values():
    table = pyarrow.table({"source": [*SOURCES[:2], None], "prediction": [*PREDICTIONS[:2], "a"]})
    with pytest.raises(gecbench.InputError, match=r"1 row cannot be scored: source is missing\."):
        scale.features()(table)
    with pytest.raises(gecbench.InputError, match=r"\(rows are numbered from 0\): row 12: source is missing\."):
        scale.features()(table, range(10, 13))
    found = scale.features(on_bad="skip")(table)
    assert found.column_names == ["source", "prediction", *scale.features(on_bad="skip").schema.names]
    assert found["fault"].to_pylist() == [None, None, "source is missing"]
    assert found["edits"].to_pylist() == [2, 0, None]


def test_sentence_scores_are_those_of_the_whole_corpus():
    demo, predictions = gecbench.load_demo(), gecbench.load_demo_systems()["rule-based"]
    batch = {"source": list(demo.sources), "prediction": list(predictions), "references": list(demo.references)}
    expected = gecbench.score(predictions, demo, ["gleu", "bleu"])
    for name, values in scale.sentence_scores(["gleu", "bleu"])(batch).items():
        assert values == expected[name].sentence_scores().tolist()

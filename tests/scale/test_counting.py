"""Counts made in parts: merged in any order they give the scores of one process, to the bit; faults are found."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import gecbench
from gecbench import InputError, scale
from gecbench.corpora.declaration import annotation_rows
from gecbench.corpus.batch_checks import OddPartsWarning
from gecbench.corpus.corpus import Corpus
from gecbench.metrics.base import Score

METRICS = ["gleu", "gleu(draws=py3)", "m2", "imeasure", "bleu"]
OUTPUTS = gecbench.load_demo_systems()["rule-based"]
DEMO = gecbench.load_demo()
COLUMNS = {
    "source": list(DEMO.sources),
    "prediction": list(OUTPUTS),
    "references": [list(texts) for texts in DEMO.references or ()],
    "annotations": [annotation_rows(found) for found in DEMO.annotations or ()],
}
COUNTS = scale.counts(METRICS, annotations="annotations")


def batches(size: int, function: scale.Counts = COUNTS, columns: dict[str, list[Any]] = COLUMNS) -> list[pyarrow.Table]:
    rows = len(columns["source"])
    parts = [range(begin, min(begin + size, rows)) for begin in range(0, rows, size)]
    return [function({name: [values[i] for i in part] for name, values in columns.items()}, part) for part in parts]


def assert_same(found: Score, expected: Score) -> None:
    assert found == expected
    assert found.parts == expected.parts
    assert found.diagnostics == expected.diagnostics
    assert np.array_equal(found.sentence_scores(), expected.sentence_scores(), equal_nan=True)


@pytest.fixture(scope="module")
def alone() -> Any:
    return gecbench.score(OUTPUTS, DEMO, METRICS, resamples=20)


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_parts_in_any_order_score_as_one_process(size: int, alone: Any, kernels_of: str) -> None:
    parts = batches(size)
    shuffled = [parts[i] for i in np.random.default_rng(size).permutation(len(parts))]
    with_these_kernels = gecbench.score(OUTPUTS, DEMO, METRICS, resamples=20)
    for name, score in scale.scores(shuffled, resamples=20).items():
        assert score == alone[name]
        assert_same(score, with_these_kernels[name])


def test_rows_in_any_order(alone: Any) -> None:
    table = pyarrow.concat_tables(batches(5))
    rows = table.take(np.random.default_rng(1).permutation(table.num_rows))
    assert_same(scale.scores(rows, resamples=20)["m2"], alone["m2"])


@pytest.mark.parametrize("processes", [None, 2])
def test_dataset_map(processes: int | None, alone: Any) -> None:
    import datasets

    datasets.disable_progress_bars()
    dataset = datasets.Dataset.from_dict(COLUMNS)
    counted = dataset.map(COUNTS, batched=True, batch_size=9, with_indices=True, num_proc=processes)
    assert counted.column_names == COUNTS.schema.names
    for name, score in scale.scores(counted, resamples=20).items():
        assert_same(score, alone[name])


def test_an_index_column_and_several_reference_columns() -> None:
    columns: dict[str, Any] = {
        "place": list(range(42)),
        "source": COLUMNS["source"],
        "prediction": COLUMNS["prediction"],
    }
    columns |= {f"ref{k}": [texts[k] for texts in COLUMNS["references"]] for k in range(4)}
    function = scale.counts("gleu", references=[f"ref{k}" for k in range(4)], index="place")
    table = function(pyarrow.table(columns))
    assert_same(scale.scores(table)["gleu"], gecbench.score(OUTPUTS, DEMO, "gleu")["gleu"])


def test_columns_as_numpy() -> None:
    """As `Dataset.with_format("numpy")` gives them."""
    columns = {"place": np.arange(42), "source": np.array(COLUMNS["source"]), "prediction": np.array(OUTPUTS)}
    columns["ref"] = np.array([texts[0] for texts in COLUMNS["references"]])
    function = scale.counts("gleu", references=["ref"], index="place")
    expected = gecbench.score(OUTPUTS, Corpus(DEMO.sources, [texts[:1] for texts in DEMO.references or ()]), "gleu")
    assert_same(scale.scores(function(columns))["gleu"], expected["gleu"])


def test_errant_of_edits() -> None:
    """The edits of the demo's second annotator as a system's, against those of the first."""
    first, second = ([[found[k]] for found in DEMO.annotations or ()] for k in range(2))
    corpus = Corpus(sources=DEMO.sources, annotations=first)
    expected = gecbench.ERRANT().score_corpus(corpus, gecbench.EditedTexts.of(DEMO.sources, second))
    columns = {
        "source": COLUMNS["source"],
        "prediction": [annotation_rows(found) for found in second],
        "annotations": [annotation_rows(found) for found in first],
    }
    function = scale.counts("errant", references=None, annotations="annotations")
    assert 0 < expected.value < 1
    assert_same(scale.scores(batches(4, function, columns))["errant"], expected)


def test_a_metrics_refusal_says_in_which_batch() -> None:
    columns = {**COLUMNS, "prediction": [*COLUMNS["prediction"][:-1], "a " * 2_000_000]}
    with pytest.raises(InputError, match=r"the batch that begins with row 40: sentence 2: .* too many to align"):
        batches(10, scale.counts("m2", aligned=True, tokenized=True), columns)


def test_the_function_is_the_same_in_every_process() -> None:
    from datasets.fingerprint import Hasher

    assert pickle.loads(pickle.dumps(COUNTS)) == COUNTS
    program = "import pickle, sys; from datasets.fingerprint import Hasher"
    program += "; print(Hasher.hash(pickle.loads(bytes.fromhex(sys.argv[1]))))"
    command = [sys.executable, "-c", program, pickle.dumps(COUNTS).hex()]
    batches(42)
    other = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    assert other == Hasher.hash(COUNTS) != Hasher.hash(scale.counts("gleu"))


def test_metric_objects_keep_their_parameters() -> None:
    metric = gecbench.IMeasure(mixing="cap", cap=5, weight=1.5, treebank=False)
    function = scale.counts([metric, gecbench.GLEU(order=2)], annotations="annotations")
    scores = scale.scores(batches(20, function))
    assert scores["imeasure"].metric == metric
    assert_same(scores["gleu"], gecbench.score(OUTPUTS, DEMO, gecbench.GLEU(order=2))["gleu"])


def test_from_parquet_later(tmp_path: Any, alone: Any) -> None:
    for number, part in enumerate(batches(10)):
        pyarrow.parquet.write_table(part, tmp_path / f"{number}.parquet")
    merged = scale.merge(scale.read(tmp_path))
    assert merged["index"].to_pylist() == list(range(42))
    assert_same(scale.scores(merged, resamples=20)["bleu"], alone["bleu"])
    assert scale.merge(merged) is merged
    with pytest.raises(InputError, match=r"none\.parquet: no such file"):
        scale.read(tmp_path / "none.parquet")
    (tmp_path / "junk.parquet").write_text("no table")
    with pytest.raises(InputError, match=r"junk\.parquet: no table of counts"):
        scale.read(tmp_path)


def test_comparing_systems_without_their_text() -> None:
    systems = {name: gecbench.load_demo_systems()[name] for name in ("rule-based", "spell-checker")}
    expected = gecbench.compare(systems, DEMO, ["gleu", "m2"], resamples=30)
    tables = {name: scale.tabulate(outputs, DEMO, ["gleu", "m2"]) for name, outputs in systems.items()}
    found = scale.compare(tables, resamples=30)
    assert found.tests == expected.tests
    assert str(found) == str(expected)
    tables["spell-checker"] = scale.tabulate(systems["spell-checker"][1:], DEMO.select(range(1, 42)), ["gleu", "m2"])
    with pytest.raises(InputError, match="spell-checker was scored on other data"):
        scale.compare(tables, resamples=30)


def test_columns_of_references_where_some_sentences_have_fewer() -> None:
    assert Corpus(["a", "b"], [["c", "d"], ["e", "f"]]).reference_columns() == [["c", "e"], ["d", "f"]]
    assert Corpus(["a", "b"], [["c", "d"], ["e"]]).reference_columns() == [["c", "e"], ["d", "b"]]
    assert Corpus(["a"]).reference_columns() == []


class TestFingerprint:
    def test_it_is_the_sum_of_hashes(self) -> None:
        """Place, source and references of each sentence, hashed here by hand."""
        texts = ["0\na b\x00c\x01d", "1\ne\x00f"]
        total = sum(int.from_bytes(blake2b(text.encode(), digest_size=16).digest(), "little") for text in texts)
        expected = (total % 2**128).to_bytes(16, "little")[:4].hex()
        assert Corpus(sources=["a b", "e"], references=[["c", "d"], ["f"]]).fingerprint() == expected

    def test_another_order_is_another_corpus(self) -> None:
        assert DEMO.select(range(41, -1, -1)).fingerprint() != DEMO.fingerprint()


class TestSignatures:
    def test_numbers_of_references_merge(self) -> None:
        columns = {**COLUMNS, "references": [texts[: 1 + i // 14] for i, texts in enumerate(COLUMNS["references"])]}
        function = scale.counts(["gleu", "m2"])
        expected = gecbench.score(OUTPUTS, Corpus(columns["source"], columns["references"]), ["gleu", "m2"])
        for name, score in scale.scores(batches(14, function, columns)).items():
            assert_same(score, expected[name])
        assert score.signature["gold"] == "rewrites:1-3"

    @pytest.mark.parametrize("other", ["gleu(order=3)", "gleu(draws=py3)", "bleu"])
    def test_parts_made_in_different_ways_are_refused(self, other: str) -> None:
        first, second = batches(21, scale.counts("gleu"))
        table = scale.counts(other)({name: values[21:] for name, values in COLUMNS.items()}, range(21, 42))
        assert scale.scores([first, second])["gleu"].value > 0
        with pytest.raises(InputError, match=r"in different ways|some parts have no counts"):
            scale.scores(pyarrow.concat_tables([first, table], promote_options="default"))

    def test_what_needs_the_whole_corpus_is_refused(self) -> None:
        for metric in ("m2(policy=average)", "m2(annotators=0)", "imeasure(optimise=corpus)"):
            with pytest.raises(InputError, match=r"the whole corpus|as a whole"):
                scale.counts(metric)
        with pytest.raises(InputError, match=r"the column|no column"):
            scale.counts("gleu", source="text")(COLUMNS, range(42))
        with pytest.raises(InputError, match="needs the whole corpus"):
            scale.tabulate(OUTPUTS, DEMO, tokenize="auto")
        with pytest.raises(InputError, match="no index"):
            scale.counts("gleu")(COLUMNS)
        with pytest.raises(InputError, match="no table of counts"):
            scale.scores(pyarrow.table({"source": ["a"]}))


FAULTS = {
    "null prediction": ("prediction", None, "row 3: prediction is missing"),
    "number": ("prediction", 7, "row 3: prediction is 7, not a text"),
    "null source": ("source", None, "row 3: source is missing"),
    "no references": ("references", [], "row 3: references is missing"),
    "null references": ("references", None, "row 3: references is missing"),
    "null reference": ("references", ["a", None], "row 3: references has one that is missing"),
    "null annotations": ("annotations", None, "row 3: annotations is missing"),
    "span": ("annotations", [{"annotator": 0, "edits": [{"start": 9, "end": 99, "corrections": ["a"], "type": "X"}]}],
             "row 3: annotations: the span 9 99 does not fit"),
    "null index": ("place", None, "place is missing"),
    "negative index": ("place", -4, "place is -4"),
    "huge index": ("place", 2**63, "place is 9223372036854775808"),
    "double index": ("place", 5, "row 5: this index is there more than once; row 3: no row has this index"),
}  # fmt: skip


class TestFaults:
    @pytest.mark.parametrize(("column", "value", "message"), FAULTS.values(), ids=FAULTS)
    def test_they_are_refused_or_skipped_by_consent(self, column: str, value: object, message: str) -> None:
        columns: dict[str, list[Any]] = {**COLUMNS, "place": list(range(42))}
        columns[column] = [*columns[column][:3], value, *columns[column][4:]]
        function = scale.counts(METRICS, annotations="annotations", index="place")
        parts = batches(10, function, columns)
        with pytest.raises(InputError) as refused:
            scale.scores(parts)
        assert message in str(refused.value)
        lost = {3, 5} if value == 5 else {3}
        kept = [i for i in range(42) if i not in lost]
        expected = gecbench.score([OUTPUTS[i] for i in kept], DEMO.select(kept), METRICS)
        for name, score in scale.scores(parts, on_bad="skip").items():
            assert (score.value, score.parts) == (expected[name].value, expected[name].parts)
            assert score.signature["skipped"] == str(len(lost))

    def test_consent_travels_with_the_counts(self) -> None:
        columns = {**COLUMNS, "prediction": [None, *COLUMNS["prediction"][1:]]}
        score = scale.scores(batches(10, scale.counts("gleu", on_bad="skip"), columns))["gleu"]
        assert score.signature["skipped"] == "1"
        merged = scale.merge(batches(10, scale.counts("gleu"), columns), on_bad="skip")
        assert scale.scores(merged)["gleu"] == score

    def test_a_prediction_whose_edits_overlap_is_a_row_of_its_own(self) -> None:
        spans = [(0, 2), (1, 2)]
        edits = [{"start": start, "end": end, "corrections": ["a"], "type": "R"} for start, end in spans]
        predictions = [*COLUMNS["annotations"][:3], [{"annotator": 0, "edits": edits}], *COLUMNS["annotations"][4:]]
        columns = {**COLUMNS, "prediction": [found[:1] for found in predictions]}
        parts = batches(10, scale.counts("errant", references=None, annotations="annotations"), columns)
        with pytest.raises(InputError, match=r"1 row cannot .* row 3: prediction: the edit of \[1, 2\) overlaps"):
            scale.scores(parts)
        assert scale.scores(parts, on_bad="skip")["errant"].signature["skipped"] == "1"

    def test_many_are_counted_and_the_first_shown(self) -> None:
        columns = {**COLUMNS, "prediction": [None] * 30 + COLUMNS["prediction"][30:]}
        with pytest.raises(InputError, match=r"30 rows cannot be scored .*row 0: .*row 1: .*row 2: .*; …"):
            scale.scores(batches(7, scale.counts("gleu"), columns))
        with pytest.raises(InputError, match="no row can be scored"):
            scale.scores(batches(30, scale.counts("gleu"), columns)[:1], on_bad="skip")

    def test_missing_rows(self) -> None:
        parts = batches(10, scale.counts("gleu"))
        with pytest.raises(InputError, match=r"10 rows cannot be scored .*row 10: no row has this index"):
            scale.scores([parts[0], *parts[2:]])


class TestDoor:
    def odd(self, lines: list[str], batches_of: int = 10, **options: Any) -> list[pyarrow.Table]:
        columns = {**COLUMNS, "prediction": lines}
        repeated = {name: values * 10 for name, values in columns.items()}
        return batches(batches_of, scale.counts("gleu", **options), repeated)

    def test_shifted_lines_are_refused(self) -> None:
        shifted = [*COLUMNS["source"][1:], COLUMNS["source"][0]]
        with pytest.raises(InputError, match=r"of 14 batches, the first one: predictions look shifted"):
            scale.scores(self.odd(shifted, 30))
        assert scale.scores(self.odd(shifted, 30, aligned=True))["gleu"].value >= 0

    def test_raw_text_is_refused(self) -> None:
        raw = [text.replace(" .", ".").replace(" ,", ",") for text in COLUMNS["prediction"]]
        with pytest.raises(InputError, match=r"batches, the first one: predictions are not tokenised like"):
            scale.scores(self.odd(raw, 42))
        assert scale.scores(self.odd(raw, 42, tokenized=True))["gleu"].value >= 0

    def test_one_odd_batch_of_many_is_a_warning(self) -> None:
        parts = self.odd(COLUMNS["prediction"])
        made = json.loads(parts[7]["batch"][0].as_py())
        made["checks"] |= {"refused": 1, "refusal": "predictions look shifted"}
        column = pyarrow.array([json.dumps(made), *[None] * (parts[7].num_rows - 1)])
        parts[7] = parts[7].set_column(parts[7].column_names.index("batch"), "batch", column)
        with pytest.raises(InputError, match="1 of 42 batches, the first one: predictions look shifted"):
            scale.scores(parts)
        many = scale.merge(parts)
        text = many["batch"][0].as_py().replace('"parts": 42', '"parts": 420')
        rows = pyarrow.array([text, *[None] * (many.num_rows - 1)])
        table = many.set_column(many.column_names.index("batch"), "batch", rows)
        with pytest.warns(OddPartsWarning, match="1 of 420 batches"):
            scale.scores(table)

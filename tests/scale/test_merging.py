"""Counts made in parts: merged in any order they give the scores of one process, to the bit."""

import json

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from scale_cases import CASES, assert_same, count_batches, demo

import gecbench
from gecbench import InputError, scale
from gecbench.corpus.corpus import Corpus
from gecbench.metrics.streaming import OddPartsWarning

CASE = demo()
DEMO, OUTPUTS, COLUMNS = CASE.corpus, CASE.outputs, CASE.columns


def counted(size, metrics="gleu", columns=COLUMNS, **options):
    return count_batches(scale.counts(metrics, index="index", **options), columns, size)


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("make", CASES)
def test_parts_in_any_order_score_as_one_process(make, size):
    case = make()
    parts = count_batches(scale.counts(**case.arguments), case.columns, size)
    shuffled = [parts[i] for i in np.random.default_rng(size).permutation(len(parts))]
    for name, score in scale.scores(shuffled).items():
        assert_same(score, case.alone[name])


def test_rows_in_any_order_with_intervals(kernels_of):
    table = pyarrow.concat_tables(count_batches(scale.counts(**CASE.arguments), COLUMNS, 5))
    rows = table.take(np.random.default_rng(1).permutation(table.num_rows))
    expected = gecbench.score(OUTPUTS, DEMO, CASE.arguments["metrics"], resamples=20)
    for name, score in scale.scores(rows, resamples=20).items():
        assert_same(score, expected[name])


@pytest.mark.parametrize("processes", [None, 2])
@pytest.mark.parametrize("make", CASES)
def test_dataset_map(make, processes):
    import datasets

    datasets.disable_progress_bars()
    case = make()
    dataset = datasets.Dataset.from_dict(case.columns).shuffle(seed=processes)
    function = scale.counts(**case.arguments)
    table = dataset.map(function, batched=True, batch_size=100, num_proc=processes)
    assert table.column_names == function.schema.names
    for metric, score in scale.scores(table).items():
        assert_same(score, case.alone[metric])


def test_dataset_map_with_indices():
    import datasets

    dataset = datasets.Dataset.from_dict(COLUMNS).map(scale.counts("gleu"), batched=True, with_indices=True)
    assert_same(scale.scores(dataset)["gleu"], CASE.alone["gleu"])


def test_from_parquet_later(tmp_path):
    for number, part in enumerate(counted(10)):
        pyarrow.parquet.write_table(part, tmp_path / f"{number}.parquet")
    merged = scale.merge(scale.read(tmp_path))
    assert merged["index"].to_pylist() == list(range(42))
    assert_same(scale.scores(merged)["gleu"], CASE.alone["gleu"])
    assert scale.merge(merged) is merged
    with pytest.raises(InputError, match=r"none\.parquet: no such file"):
        scale.read(tmp_path / "none.parquet")
    (tmp_path / "junk.parquet").write_text("no table")
    with pytest.raises(InputError, match=r"junk\.parquet: not a table of counts"):
        scale.read(tmp_path)
    with pytest.raises(InputError, match=r"not a table of counts|the table of counts is incomplete"):
        scale.scores(pyarrow.table({"source": ["a"]}))


def test_comparing_systems_without_their_text():
    systems = {name: gecbench.load_demo_systems()[name] for name in ("rule-based", "spell-checker")}
    expected = gecbench.compare(systems, DEMO, ["gleu", "m2"], resamples=30)
    tables = {name: scale.tabulate(outputs, DEMO, ["gleu", "m2"]) for name, outputs in systems.items()}
    found = scale.compare(tables, resamples=30)
    assert found.tests == expected.tests
    assert str(found) == str(expected)
    tables["spell-checker"] = scale.tabulate(systems["spell-checker"][1:], DEMO.select(range(1, 42)), ["gleu", "m2"])
    with pytest.raises(InputError, match=r"spell-checker and .* were counted on different corpora"):
        scale.compare(tables, resamples=30)


def test_numbers_of_references_merge():
    columns = {**COLUMNS, "references": [texts[: 1 + i // 14] for i, texts in enumerate(COLUMNS["references"])]}
    expected = gecbench.score(OUTPUTS, Corpus(columns["source"], columns["references"]), ["gleu", "m2"])
    for name, score in scale.scores(counted(14, ["gleu", "m2"], columns)).items():
        assert_same(score, expected[name])
    assert score.signature["gold"] == "rewrites:1-3"


@pytest.mark.parametrize("other", ["gleu(order=3)", "gleu(draws=py3)", "bleu"])
def test_parts_made_in_different_ways_are_refused(other):
    first, second = counted(21)[0], counted(21, other)[1]
    with pytest.raises(InputError, match=r"the parts differ|some tables have no counts"):
        scale.scores(pyarrow.concat_tables([first, second], promote_options="default"))


def without_predictions(count):
    return {**COLUMNS, "prediction": [None] * count + COLUMNS["prediction"][count:]}


def test_consent_travels_with_the_counts():
    score = scale.scores(counted(10, columns=without_predictions(1), on_bad="skip"))["gleu"]
    assert score.signature["skipped"] == "1"
    merged = scale.merge(counted(10, columns=without_predictions(1)), on_bad="skip")
    assert scale.scores(merged)["gleu"] == score


def test_many_bad_rows_are_counted_and_the_first_shown():
    with pytest.raises(InputError, match=r"30 rows cannot be scored .*row 0: .*row 1: .*row 2: .*; …"):
        scale.scores(counted(7, columns=without_predictions(30)))
    with pytest.raises(InputError, match="no row can be scored"):
        scale.scores(counted(30, columns=without_predictions(30))[:1], on_bad="skip")


def test_missing_rows():
    parts = counted(10)
    with pytest.raises(InputError, match=r"10 rows cannot be scored .*row 10: this row is missing"):
        scale.scores([parts[0], *parts[2:]])
    with pytest.raises(InputError, match="there are no tables of counts"):
        scale.scores([])


SHIFTED = [*COLUMNS["source"][1:], COLUMNS["source"][0]]
RAW = [text.replace(" .", ".").replace(" ,", ",") for text in COLUMNS["prediction"]]


@pytest.mark.parametrize(
    ("lines", "message", "option"),
    [
        (SHIFTED, r"of 14 batches have problems. The first problem: predictions look shifted", "aligned"),
        (RAW, r"batches have problems. The first problem: predictions are not tokenized like", "tokenized"),
    ],
)
def test_input_checks(lines, message, option):
    repeated = {name: values * 10 for name, values in {**COLUMNS, "prediction": lines}.items()}
    repeated["index"] = list(range(420))
    with pytest.raises(InputError, match=message):
        scale.scores(counted(30, columns=repeated))
    assert scale.scores(counted(30, columns=repeated, **{option: True}))["gleu"].value >= 0


def test_one_odd_batch_of_many_is_a_warning():
    def with_batch(table, text):
        column = pyarrow.array([text, *[None] * (table.num_rows - 1)])
        return table.set_column(table.column_names.index("batch"), "batch", column)

    parts = counted(1)
    made = json.loads(parts[7]["batch"][0].as_py())
    made["checks"] |= {"refused": 1, "refusal": "predictions look shifted"}
    parts[7] = with_batch(parts[7], json.dumps(made))
    with pytest.raises(InputError, match=r"1 of 42 batches has problems\. The first problem: predictions look"):
        scale.scores(parts)
    merged = scale.merge(parts)
    with pytest.warns(OddPartsWarning, match="1 of 420 batches"):
        scale.scores(with_batch(merged, merged["batch"][0].as_py().replace('"parts": 42', '"parts": 420')))

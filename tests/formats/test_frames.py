"""Predictions from tables in memory: lists of rows, dictionaries, `datasets`, data frames."""

import pytest
from tables import CORPUS, FRAMES, IDS, SOURCES, TEXTS, as_dataset, rows

import gecbench
from gecbench.errors import InputError
from gecbench.formats.tables import columns_of, texts_of


@pytest.mark.parametrize("frame", FRAMES)
class TestFrames:
    def test_columns(self, frame):
        columns = columns_of(FRAMES[frame](rows(id=IDS)))
        assert {name: list(values) for name, values in columns.values.items()} == {"id": IDS, "prediction": TEXTS}
        assert len(columns) == 4

    def test_scored_like_a_list(self, frame):
        if frame == "mapping":  # several systems, for all that score can tell
            with pytest.raises(InputError, match="score takes one system's predictions"):
                gecbench.score(FRAMES[frame](rows()), CORPUS)
            return
        expected = gecbench.score(TEXTS, CORPUS)["gleu"]
        for table in (rows(), rows(texts=TEXTS[::-1], id=IDS[::-1]), rows("response", source=SOURCES)):
            found = gecbench.score(FRAMES[frame](table), CORPUS)["gleu"]
            assert found.value == expected.value == 1.0
            assert found.signature == expected.signature

    def test_named_column(self, frame):
        table = FRAMES[frame](rows("mine", prediction=SOURCES))
        assert texts_of(table, CORPUS, "mine") == TEXTS
        assert texts_of(table, CORPUS) == SOURCES

    def test_refused_with_the_list(self, frame):
        with pytest.raises(InputError, match="no column with a usual name among 'mine'"):
            texts_of(FRAMES[frame](rows("mine")), CORPUS)
        with pytest.raises(InputError, match="columns 'output', 'answer' could all be the text"):
            texts_of(FRAMES[frame](rows("answer", output=TEXTS)), CORPUS)

    def test_wrong_ids(self, frame):
        with pytest.raises(InputError, match="1 ids that the corpus does not have: 'zz'"):
            texts_of(FRAMES[frame](rows(id=[*IDS[:3], "zz"])), CORPUS)

    def test_numbers_as_ids(self, frame):
        numbered = CORPUS.replace(ids=["1", "2", "3", "4"])
        assert texts_of(FRAMES[frame](rows(texts=TEXTS[::-1], id=[4, 3, 2, 1])), numbered) == TEXTS

    def test_missing_text(self, frame):
        with pytest.raises(InputError, match=r"prediction of row 3 is (missing|a float), not a text"):
            texts_of(FRAMES[frame](rows(texts=[*TEXTS[:2], None, TEXTS[3]])), CORPUS)


class TestPython:
    def test_compare_takes_tables(self):
        pandas = pytest.importorskip("pandas")
        systems = {"frame": pandas.DataFrame(rows()), "rows": rows(texts=SOURCES), "list": TEXTS}
        report = gecbench.compare(systems, CORPUS, resamples=10)
        values = {name: scores["gleu"].value for name, scores in report.items()}
        assert values["frame"] == values["list"] == 1.0
        assert values["rows"] < 1.0

    def test_a_column_of_a_table_is_a_list(self):
        pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
        for texts in (
            pandas.DataFrame(rows())["prediction"],
            polars.DataFrame(rows())["prediction"],
            as_dataset(rows())["prediction"],
            iter(TEXTS),
        ):
            assert texts_of(texts, CORPUS) == TEXTS

    def test_lists_of_texts_stay(self):
        assert columns_of(TEXTS) is None
        assert columns_of([]) is None
        assert columns_of(None) is None


def test_the_id_column_is_found_whatever_its_case():
    corpus = gecbench.Corpus(sources=["He go .", "I agree ."], ids=["a", "b"])
    rows = [{"ID": "b", "prediction": "I agree ."}, {"ID": "a", "prediction": "He goes ."}]
    assert texts_of(rows, corpus) == ["He goes .", "I agree ."]
    with pytest.raises(InputError, match="The corpus has the ids 'a' to 'b'"):
        texts_of([{"ID": "c", "prediction": "x"}, rows[0]], corpus)
    with pytest.raises(InputError, match="the predictions are no table"):
        texts_of(["x", "y"], corpus, column="prediction")

"""Predictions from tables, in files and in memory, and parallel text."""

import gzip
import json
from pathlib import Path

import pytest
from tables import CORPUS, FRAMES, IDS, SOURCES, TEXTS, WRITERS, as_dataset, as_delimited, as_jsonl, as_parquet, rows

import gecbench
from gecbench.cli import main
from gecbench.corpus.prepare import MixedUpTextWarning
from gecbench.errors import InputError
from gecbench.formats.tables import (
    columns_of,
    parse_predictions,
    read_parallel,
    read_predictions,
    texts_of,
    write_parallel,
)


def read(kind, table, column=None, corpus=CORPUS):
    """Return the predictions of a table that is a file with an ending, or an object in memory."""
    if kind in WRITERS:
        return parse_predictions(WRITERS[kind](table), f"out{kind}", corpus, column)
    return texts_of(FRAMES[kind](table), corpus, column)


@pytest.mark.parametrize("kind", [*WRITERS, *FRAMES])
class TestColumns:
    def test_row_by_row(self, kind):
        assert read(kind, rows()) == TEXTS

    @pytest.mark.parametrize(
        "column",
        ["output", "Correction", "corrected", "response", "hypothesis", "completion", "generated_text", "text"],
    )
    def test_usual_names(self, kind, column):
        assert read(kind, rows(column, model=["m"] * 4)) == TEXTS

    def test_by_name(self, kind):
        assert read(kind, rows("mine", prediction=SOURCES), "mine") == TEXTS

    def test_prediction_goes_before_text(self, kind):
        assert read(kind, rows("output", text=SOURCES)) == TEXTS

    def test_ambiguous_names_are_refused_with_the_list(self, kind):
        with pytest.raises(InputError, match="it is unclear which column to read: 'output' or 'response'") as caught:
            read(kind, rows("response", output=TEXTS, model=["m"] * 4))
        assert "(columns: 'output', 'model', 'response'). Choose one with column=NAME." in str(caught.value)

    def test_no_usual_name_is_refused_with_the_list(self, kind):
        with pytest.raises(InputError, match=r"no column has a common name such as '.*' \(columns: 'mine', 'other'\)"):
            read(kind, rows("other", mine=TEXTS))

    def test_missing_column_is_refused_with_the_list(self, kind):
        with pytest.raises(InputError, match=r"no column 'best' \(columns: 'prediction'\)\. Choose one with column="):
            read(kind, rows(), "best")

    def test_ids_in_any_order(self, kind):
        order = [2, 0, 3, 1]
        table = rows(texts=[TEXTS[i] for i in order], id=[IDS[i] for i in order])
        assert read(kind, table) == TEXTS

    @pytest.mark.parametrize(
        ("ids", "message"),
        [
            (["a1", "a2", "b1", "b1"], "1 duplicate id: 'b1'"),
            (["a1", "a2", "b1", "c9"], "1 id is not in the corpus: 'c9'"),
            (["2", "3", "4", "5"], "4 ids are not in the corpus: '2', '3', '4', …"),
            (["0", "1", "2", "2"], "1 duplicate id: '2'"),
        ],
    )
    def test_wrong_ids(self, kind, ids, message):
        with pytest.raises(InputError) as caught:
            read(kind, rows(id=ids))
        place = f"out{kind}: " if kind in WRITERS else ""
        assert str(caught.value).startswith(place + message)
        known = "Use the corpus's ids ('a1' to 'b2')"
        numbers = "number all 4 sentences from 0 or 1"
        assert str(caught.value).endswith(
            f"{known}, {numbers}, or drop the column 'id' if the rows are in the order of the corpus."
        )

    def test_missing_ids(self, kind):
        with pytest.raises(InputError, match="2 ids of the corpus are missing: 'a2', 'b2'"):
            read(kind, rows(texts=[TEXTS[2], TEXTS[0]], id=["b1", "a1"]))

    def test_a_source_column_is_compared(self, kind):
        assert read(kind, rows(source=SOURCES)) == TEXTS
        natural = ["He go home, now.", "She say “yes”.", "They is late.", "We sings."]
        assert read(kind, rows(input=natural)) == TEXTS
        with pytest.raises(InputError, match=r"source in row 2 is not sentence 2 of four: 'They is late \.', not"):
            read(kind, rows(source=[SOURCES[0], SOURCES[2], SOURCES[1], SOURCES[3]]))

    def test_a_source_column_is_compared_by_id(self, kind):
        turned = {"id": IDS[::-1], "source": SOURCES[::-1]}
        assert read(kind, rows(texts=TEXTS[::-1], **turned)) == TEXTS
        with pytest.raises(InputError, match="the source in row 4 is not sentence 1"):
            read(kind, rows(texts=TEXTS[::-1], **{**turned, "source": SOURCES}))

    @pytest.mark.parametrize("name", ["id", "idx"])
    @pytest.mark.parametrize("start", [0, 1])
    def test_numbers_of_all_sentences_as_ids(self, kind, start, name, capsys):
        order = [2, 0, 3, 1]
        table = rows(texts=[TEXTS[i] for i in order], **{name: [start + i for i in order]})
        place = f"out{kind}" if kind in WRITERS else "predictions"
        numbers = f"{name} {start} to {start + 3}"
        remark = f"gecbench: {place}: using {numbers} as sentence numbers, counted from {start}\n"
        assert read(kind, table) == TEXTS
        assert capsys.readouterr().err == remark
        by_default = gecbench.Corpus(sources=SOURCES, name="four")
        assert read(kind, table, corpus=by_default) == TEXTS
        assert capsys.readouterr().err == (remark if start == 0 else ""), "its own ids count from 1"

    def test_numbers_of_a_corpus_in_another_order_are_its_own(self, kind):
        numbered = CORPUS.replace(ids=["3", "1", "2", "0"])
        assert read(kind, rows(texts=TEXTS[::-1], id=[0, 2, 1, 3]), corpus=numbered) == TEXTS
        with pytest.raises(InputError, match="1 id is not in the corpus: '4'"):
            read(kind, rows(id=[1, 2, 3, 4]), corpus=numbered)

    def test_id_goes_before_idx(self, kind):
        assert read(kind, rows(texts=TEXTS[::-1], idx=[0, 1, 2, 3], id=IDS[::-1])) == TEXTS

    def test_numbers_as_ids(self, kind):
        numbered = CORPUS.replace(ids=["1", "2", "3", "4"])
        assert read(kind, rows(texts=TEXTS[::-1], id=[4, 3, 2, 1]), corpus=numbered) == TEXTS


@pytest.mark.parametrize("ending", WRITERS)
class TestFiles:
    def test_from_disk_and_compressed(self, ending, tmp_path):
        data = WRITERS[ending](rows())
        for name, content in ((f"out{ending}", data), (f"out{ending}.gz", gzip.compress(data))):
            (tmp_path / name).write_bytes(content)
            assert read_predictions(tmp_path / name, CORPUS) == TEXTS

    def test_too_few_rows(self, ending):
        with pytest.raises(InputError, match="3 lines, but four has 4 sentences"):
            read(ending, rows(texts=TEXTS[:3]))


class TestOddFiles:
    def parse(self, data, file, column=None):
        return parse_predictions(data, file, CORPUS, column)

    def test_plain_text(self):
        data = "".join(f"{text}\n" for text in TEXTS).encode()
        assert self.parse(data, "out.txt") == TEXTS
        assert self.parse(data, "system") == TEXTS

    def test_plain_text_has_no_columns(self):
        with pytest.raises(
            InputError,
            match=r"out\.txt: plain text has no columns. Leave out column=…, or give a table \(\.jsonl, \.csv",
        ):
            self.parse(b"x\n" * 4, "out.txt", "prediction")

    def test_json_strings(self):
        assert self.parse("".join(json.dumps(text) + "\n" for text in TEXTS).encode(), "out.jsonl") == TEXTS

    def test_json_that_is_not_an_object(self):
        with pytest.raises(InputError, match=r'out\.jsonl:2: not a JSON object. Write {"prediction": "..."}'):
            self.parse(b'{"prediction": "a"}\n[1]\n', "out.jsonl")

    def test_rows_that_differ(self):
        with pytest.raises(InputError, match=r"row 2 does not have the same fields as row 1 \(difference: model"):
            self.parse(b'{"prediction": "a"}\n{"prediction": "b", "model": "x"}\n', "out.jsonl")

    @pytest.mark.parametrize(("value", "kind"), [("null", "missing"), ("7", "an int"), ('["a"]', "a list")])
    def test_values_that_are_not_texts(self, value, kind):
        data = as_jsonl(rows()[:1]) + f'{{"prediction": {value}}}\n'.encode()
        with pytest.raises(InputError, match=f"'prediction' must contain text, but its value in row 2 is {kind}"):
            self.parse(data, "out.jsonl")

    @pytest.mark.parametrize("name", ["out.txt", "out", "out.csv", "out.jsonl"])
    def test_parquet_given_as_text(self, name):
        with pytest.raises(InputError) as caught:
            self.parse(as_parquet(rows()), name)
        message = str(caught.value)
        assert message.startswith(f"{name}: is a Parquet file, not text. Rename it to end in .parquet")
        assert "column=NAME" in message
        assert "iconv" not in message

    def test_text_given_as_parquet(self):
        pytest.importorskip("pyarrow")
        with pytest.raises(InputError, match=r"out\.parquet: not a Parquet file, or incomplete\. Write it again\."):
            self.parse(b"He goes home .\n" * 4, "out.parquet")

    @pytest.mark.parametrize(("delimiter", "ending"), [(",", ".csv"), ("\t", ".tsv")])
    def test_table_given_as_text(self, delimiter, ending):
        with pytest.raises(InputError) as caught:
            self.parse(as_delimited(rows(id=IDS), delimiter), "out.txt")
        fix = f"The file looks like a table: rename it to end in {ending}, and choose a column with column=NAME"
        assert fix in str(caught.value)

    def test_table_without_a_header_given_as_text(self):
        data = "".join(f"{source}\t{text}\n" for source, text in zip(SOURCES, TEXTS, strict=True)).encode()
        with pytest.raises(InputError, match=r"out\.txt: almost all lines contain tabs, as in a table without"):
            self.parse(data, "out.txt")
        tabbed = gecbench.Corpus(sources=[f"1\t{source}" for source in SOURCES])
        assert parse_predictions(data, "out.txt", tabbed)[3] == f"{SOURCES[3]}\t{TEXTS[3]}"

    def test_broken_csv_names_its_line(self):
        with pytest.raises(InputError, match=r"out\.csv:3: the row has 3 fields, but the header has 2"):
            self.parse(b"id,prediction\na1,x\na2,y,z\n", "out.csv")

    def test_byte_order_mark_and_windows_line_ends(self):
        data = b"\xef\xbb\xbf" + as_delimited(rows(), ",")
        assert b"\r\n" in data
        assert self.parse(data, "out.csv") == TEXTS

    def test_line_breaks_inside_csv_fields(self):
        texts = ["He goes\nhome , now .", *TEXTS[1:]]
        assert self.parse(as_delimited(rows(texts=texts), ","), "out.csv") == texts


@pytest.mark.parametrize("frame", FRAMES)
class TestFrames:
    def test_columns(self, frame):
        columns = columns_of(FRAMES[frame](rows(id=IDS)))
        assert {name: list(values) for name, values in columns.values.items()} == {"id": IDS, "prediction": TEXTS}
        assert len(columns) == 4

    def test_scored_like_a_list(self, frame):
        if frame == "mapping":  # several systems, for all that score can tell
            with pytest.raises(InputError, match="score takes the predictions of one system"):
                gecbench.score(FRAMES[frame](rows()), CORPUS)
            return
        expected = gecbench.score(TEXTS, CORPUS)["gleu"]
        for table in (rows(), rows(texts=TEXTS[::-1], id=IDS[::-1]), rows("response", source=SOURCES)):
            found = gecbench.score(FRAMES[frame](table), CORPUS)["gleu"]
            assert found.value == expected.value == 1.0
            assert found.signature == expected.signature

    def test_missing_text(self, frame):
        with pytest.raises(InputError, match=r"must contain text, but its value in row 3 is (missing|a float)"):
            texts_of(FRAMES[frame](rows(texts=[*TEXTS[:2], None, TEXTS[3]])), CORPUS)


class TestTablesInMemory:
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


def test_the_id_column_may_have_capitals():
    corpus = gecbench.Corpus(sources=["He go .", "I agree ."], ids=["a", "b"])
    rows = [{"ID": "b", "prediction": "I agree ."}, {"ID": "a", "prediction": "He goes ."}]
    assert texts_of(rows, corpus) == ["He goes .", "I agree ."]
    with pytest.raises(InputError, match=r"Use the corpus's ids \('a' to 'b'\)"):
        texts_of([{"ID": "c", "prediction": "x"}, rows[0]], corpus)
    with pytest.raises(InputError, match="the predictions are not a table"):
        texts_of(["x", "y"], corpus, column="prediction")


class TestCommandLine:
    @pytest.fixture
    def score(self, tmp_path, capsys):
        demo = gecbench.load_demo()
        good = gecbench.load_demo_systems()["good-corrector"]

        def score(name, table, *options):
            path = tmp_path / name
            path.write_bytes(table if isinstance(table, bytes) else WRITERS[path.suffix](table))
            code = main(["score", "-c", "demo", "-p", str(path), "-f", "json", *options])
            output = capsys.readouterr()
            value = json.loads(output.out)["systems"][0]["scores"][0]["value"] if code == 0 else None
            return code, value, output.err

        score.demo, score.good = demo, good
        score.value = gecbench.score(good, demo)["gleu"].value
        return score

    @pytest.mark.parametrize("ending", WRITERS)
    def test_column(self, score, ending):
        table = [{"one": a, "two": b} for a, b in zip(score.good, score.demo.sources, strict=True)]
        assert score(f"out{ending}", table, "--column", "one")[:2] == (0, score.value)
        code, _, error = score(f"out{ending}", table)
        assert code == 2
        assert "(columns: 'one', 'two'). Choose one with --column NAME." in error

    def test_ids(self, score):
        table = [{"id": i, "output": text} for i, text in zip(score.demo.ids, score.good, strict=True)]
        assert score("out.csv", table[::-1])[:2] == (0, score.value)
        code, _, error = score("out.csv", table[1:])
        assert code == 2
        assert f"1 id of the corpus is missing: {score.demo.ids[0]!r}" in error

    def test_numbers_from_zero_are_remarked(self, score):
        table = [{"idx": i, "completion": text} for i, text in enumerate(score.good)]
        code, value, said = score("out.jsonl", table[::-1])
        assert (code, value) == (0, score.value)
        assert said.endswith("out.jsonl: using idx 0 to 41 as sentence numbers, counted from 0\n")
        assert score("out.jsonl", table[::-1], "--quiet") == (0, score.value, "")

    def test_clean(self, score):
        labelled = "".join(f"{i}. {text}\n" for i, text in enumerate(score.good, 1)).encode()
        code, _, error = score("out.txt", labelled)
        assert code == 2
        assert "almost all predictions of out have a number or bullet before them" in error
        assert "--clean" in error
        code, value, error = score("out.txt", labelled, "--clean")
        assert (code, value) == (0, score.value)
        assert f"removed number from {len(score.good)} lines" in error

    def test_nothing_to_clean(self, score):
        code, value, error = score("out.txt", "".join(f"{text}\n" for text in score.good).encode(), "--clean")
        assert (code, value) == (0, score.value)
        assert "removed nothing" in error

    def test_clean_and_tokenize_a_column(self, score):
        from gecbench.corpus.tokenize import detokenize

        table = [{"answer": f'Corrected sentence: "{text}"'} for text in detokenize(score.good)]
        code, value, error = score("out.jsonl", table, "--clean", "--tokenize", "auto")
        assert (code, value) == (0, score.value)
        assert "label from 42 lines" in error
        assert "quotes from 42 lines" in error


def test_sources_and_references_may_be_tables(tmp_path):
    (tmp_path / "s.csv").write_text("id,source\n1,He go .\n2,I agree .\n", encoding="utf-8")
    (tmp_path / "r.jsonl").write_text('{"reference": "He goes ."}\n{"reference": "I agree ."}\n', encoding="utf-8")
    corpus = read_parallel(tmp_path / "s.csv", [tmp_path / "r.jsonl"])
    assert corpus.sources == ("He go .", "I agree .")
    assert corpus.references == (("He goes .",), ("I agree .",))


@pytest.mark.parametrize(("first", "second"), [("b", "a"), ("1", "0"), ("2", "1")])
def test_rows_of_reference_tables_are_matched_by_id(tmp_path, first, second):
    (tmp_path / "s.csv").write_text(f"id,source\n{second},He go .\n{first},I agree .\n", encoding="utf-8")
    (tmp_path / "r.csv").write_text(f"id,reference\n{first},I agree !\n{second},He goes .\n", encoding="utf-8")
    (tmp_path / "p.csv").write_text(f"id,prediction\n{first},I disagree .\n{second},He went .\n", encoding="utf-8")
    corpus = read_parallel(tmp_path / "s.csv", [tmp_path / "r.csv"])
    assert corpus.references == (("He goes .",), ("I agree !",))
    assert read_predictions(tmp_path / "p.csv", corpus) == ["He went .", "I disagree ."]


def test_a_missing_id_of_a_reference_is_named(tmp_path):
    (tmp_path / "s.csv").write_text("id,source\na,He go .\nb,I agree .\n", encoding="utf-8")
    (tmp_path / "r.csv").write_text("id,reference\na,He goes .\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"r\.csv: 1 id of the corpus is missing: 'b'"):
        read_parallel(tmp_path / "s.csv", [tmp_path / "r.csv"])


@pytest.mark.parametrize("name", ["index", "Unnamed: 0", "sentence_id"])
def test_a_column_that_numbers_rows_in_another_order(tmp_path, name):
    corpus, path = gecbench.load_demo().select(range(9)), tmp_path / "p.csv"

    def read(numbers, header=f"{name},prediction", extra=""):
        path.write_text(f"{header}\n" + "".join(f"{i},good{extra}\n" for i in numbers), encoding="utf-8")
        return read_predictions(path, corpus)

    with pytest.warns(MixedUpTextWarning, match=f"p.csv: the column {name!r} numbers the rows in another order"):
        assert read([1, 0, *range(2, 9)]) == ["good"] * 9
    assert read(range(9)) == read(range(1, 10)) == read([7] * 9) == ["good"] * 9


def test_sources_decide_instead_of_numbers(tmp_path):
    corpus, path = gecbench.load_demo().select(range(9)), tmp_path / "p.tsv"
    rows = "".join(f"{8 - i}\t{source}\tgood\n" for i, source in enumerate(corpus.sources))
    path.write_text(f"index\tsource\tprediction\n{rows}", encoding="utf-8")
    assert read_predictions(path, corpus) == ["good"] * 9


@pytest.mark.parametrize("text", ['["He goes ."]\n', '[\n"He goes ."\n]\n', '{"prediction": "He goes ."}\n'])
def test_json_is_not_plain_text(tmp_path, text):
    (tmp_path / "p.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"p\.json: is JSON, not plain text. Write one JSON object per line"):
        read_predictions(tmp_path / "p.json", gecbench.load_demo())
    with pytest.raises(InputError, match=r"p\.json: is JSON, not plain text"):
        read_parallel(tmp_path / "p.json", [tmp_path / "p.json"])
    (tmp_path / "p.json").write_text("[1] He goes .\n" * 42, encoding="utf-8")
    assert len(read_predictions(tmp_path / "p.json", gecbench.load_demo())) == 42


def test_ids_of_references_must_be_those_of_the_sources(tmp_path):
    (tmp_path / "s.csv").write_text("id,source\n1,He go .\n2,I agree .\n", encoding="utf-8")
    (tmp_path / "r.csv").write_text("id,reference\n3,He goes .\n4,I agree !\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"r\.csv: 2 ids are not in the corpus: '3', '4'"):
        read_parallel(tmp_path / "s.csv", [tmp_path / "r.csv"])


@pytest.mark.parametrize("sources", ["He go .\nI agree .\n", "id,source\ne1,He go .\ne1,I agree .\n"])
def test_other_ids_are_ignored(tmp_path, sources):
    """The sources have no ids, or the ids of essays with several sentences."""
    name = tmp_path / ("s.csv" if sources.startswith("id") else "s.txt")
    name.write_text(sources, encoding="utf-8")
    (tmp_path / "r.csv").write_text("id,reference\ne1,He goes .\ne1,I agree !\n", encoding="utf-8")
    corpus = read_parallel(name, [tmp_path / "r.csv"])
    assert (corpus.ids, corpus.references) == (("1", "2"), (("He goes .",), ("I agree !",)))


def test_parallel_round_trip(tmp_path):
    demo = gecbench.load_demo()
    paths = [tmp_path / f"r{k}.txt" for k in range(4)]
    write_parallel(demo, tmp_path / "s.txt", paths)
    again = read_parallel(tmp_path / "s.txt", paths)
    assert (again.sources, again.references) == (demo.sources, demo.references)


def test_parallel_refuses_ragged_references(tmp_path):
    ragged = gecbench.Corpus(sources=["a", "b"], references=[["a"], ["b", "c"]])
    with pytest.raises(
        InputError, match=r"1 to 2 references per sentence, not the same number\. Write JSON Lines instead"
    ):
        write_parallel(ragged, tmp_path / "s", [tmp_path / "r"])
    assert not list(tmp_path.iterdir())


class TestEssays:
    """MultiGEC's format: `### essay_id = …`, then the text."""

    ORIGINAL = "### essay_id = a1\nMy town are small .\n\nIt have a river .\n\n### essay_id = b2\nI like cat .\n"
    FIRST = "### essay_id = b2\nI like cats .\n\n### essay_id = a1\nMy town is small .\n\nIt has a river .\n"
    SECOND = "### essay_id = a1\nMy town is small . It had a river .\n"

    @pytest.fixture(autouse=True)
    def files(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        for name, text in {"orig.md": self.ORIGINAL, "ref1.md": self.FIRST, "ref2.md": self.SECOND}.items():
            Path(name).write_text(text)

    def test_references_are_paired_by_id_and_may_be_missing(self):
        corpus = read_parallel("orig.md", ["ref1.md", "ref2.md"])
        assert corpus.ids == ("a1", "b2")
        assert corpus.sources == ("My town are small . It have a river .", "I like cat .")
        assert corpus.references == (
            ("My town is small . It has a river .", "My town is small . It had a river ."),
            ("I like cats .",),
        )

    def test_predictions_are_paired_by_id(self, run):
        corpus = read_parallel("orig.md", ["ref1.md"])
        assert read_predictions("ref1.md", corpus) == [texts[0] for texts in corpus.references]
        scored = run("score", "-s", "orig.md", "-r", "ref1.md", "-p", "ref1.md", "--aligned", "-f", "tsv")
        assert "100.00" in scored

    @pytest.mark.parametrize(
        ("name", "text", "message"),
        [
            ("ref1.md", "### essay_id = zz\nNew .\n", r"ref1.md: essay 'zz' is not in orig.md"),
            ("ref1.md", SECOND, r"orig.md: essay 'b2' has no reference"),
            ("orig.md", ORIGINAL.replace("b2", "a1"), r"orig.md:6: a second essay has the id 'a1'"),
            ("orig.md", ORIGINAL.replace("b2", ""), r"orig.md:6: the essay has no id"),
        ],
    )
    def test_damaged_files_are_refused(self, name, text, message):
        Path(name).write_text(text)
        with pytest.raises(InputError, match=message):
            read_parallel("orig.md", ["ref1.md"])

    def test_a_stream_of_essays_is_refused(self, refused):
        refused(["score", "--stream", "-s", "orig.md", "-r", "ref1.md", "-p", "ref2.md"], "essays cannot be streamed")

"""Raw text at the one door: refused, consented to, or tokenised, on every face."""

import json
import random
import warnings

import pytest
from raw_sentences import DEMO, GOOD, RAW, RAW_GOOD, SOURCES, TOKENISED, corpus

import gecbench
from gecbench.cli import main
from gecbench.corpus.prepare import (
    ForeignTextWarning,
    Preprocessing,
    RawTextWarning,
    check_tokenization,
    compare_tokenization,
)
from gecbench.corpus.tokenize import detokenize
from gecbench.errors import InputError


def refused(*arguments, **options):
    with pytest.raises(InputError) as caught:
        check_tokenization(*arguments, **options)
    return str(caught.value)


class TestCheck:
    def test_refused_with_an_example_and_the_way_out(self):
        message = refused(SOURCES, RAW, "predictions of mine", "mine.txt")
        assert message.startswith("mine.txt: predictions of mine are not tokenised like their sources")
        assert f"line 1: {RAW[0]!r} beside the source {SOURCES[0]!r}" in message
        assert 'tokenize="auto"' in message
        assert "--tokenize auto" in message
        assert "tokenized=True" in message

    def test_every_line_is_seen_through(self):
        assert compare_tokenization(SOURCES, RAW) == (0, list(range(10)))
        assert compare_tokenization(SOURCES, TOKENISED) == (10, [])
        assert compare_tokenization(SOURCES, SOURCES) == (10, [])

    def test_tokenised_text_passes(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_tokenization(SOURCES, TOKENISED)
            check_tokenization(DEMO.sources, GOOD)

    def test_a_handful_is_a_warning(self):
        with pytest.warns(RawTextWarning, match="not tokenised like their sources, for example line 1: .*auto"):
            check_tokenization(SOURCES[:4], RAW[:4])

    def test_some_raw_lines_among_tokenised_ones_pass(self):
        check_tokenization(SOURCES * 4, RAW[:5] + TOKENISED[5:] + TOKENISED * 3)

    def test_a_third_of_raw_lines_is_refused(self):
        assert "line 1:" in refused(SOURCES * 3, RAW + TOKENISED * 2)

    def test_natural_sources_with_tokenised_predictions_are_refused_too(self):
        assert "not tokenised like their sources" in refused(RAW, TOKENISED)

    def test_natural_sources_with_natural_predictions_pass(self):
        sources = detokenize(SOURCES)
        assert compare_tokenization(sources, RAW) == (10, [])

    @pytest.mark.parametrize(
        ("source", "tokenised", "raw"),
        [
            ("我 昨 天 去 学 校 。", "我 昨 天 去 了 学 校 。", "我昨天去了学校。"),
            (
                "هو لا يحب التفاح ، لكنه يحب الموز .",
                "هو لا يحب التفاح ، لكنه يحبّ الموز .",
                "هو لا يحب التفاح، لكنه يحبّ الموز.",
            ),
            (
                "Он не любит яблоки , но есть груши .",
                "Он не любит яблоки , но ест груши .",
                "Он не любит яблоки, но ест груши.",
            ),
        ],
        ids=["Chinese", "Arabic", "Russian"],
    )
    def test_other_scripts(self, source, tokenised, raw):
        check_tokenization([source] * 10, [tokenised] * 10)
        assert "not tokenised" in refused([source] * 10, [raw] * 10)

    @pytest.mark.parametrize("kind", ["letters", "one word", "empty", "symbols", "repeated"])
    def test_garbage_is_not_called_raw(self, kind):
        chance = random.Random(5)
        made = {
            "letters": lambda: "".join(chance.choices("abcdefgh ", k=60)),
            "one word": lambda: "the",
            "empty": lambda: "",
            "symbols": lambda: "".join(chance.choices("#~^|", k=30)),
            "repeated": lambda: "and the and the and the and the",
        }[kind]
        check_tokenization(SOURCES * 4, [made() for _ in SOURCES * 4])

    def test_only_some_of_many_lines_are_looked_at(self):
        like, unlike = compare_tokenization(SOURCES * 1000, RAW * 1000)
        assert like == 0
        assert 150 <= len(unlike) <= 400


class TestIntake:
    def test_score_refuses_raw_text(self):
        with pytest.raises(InputError, match="predictions are not tokenised like their sources, for example line 1: "):
            gecbench.score(RAW, corpus())

    def test_compare_names_the_system(self):
        with pytest.raises(InputError, match="predictions of second are not tokenised"):
            gecbench.compare({"first": TOKENISED, "second": RAW}, corpus(), resamples=10)

    def test_metric_objects_refuse_too(self):
        with pytest.raises(InputError, match="not tokenised"):
            gecbench.GLEU().score(sources=SOURCES, predictions=RAW, references=[[text] for text in TOKENISED])

    def test_consent(self):
        as_is = gecbench.score(RAW, corpus(), tokenized=True)["gleu"]
        assert as_is.value < 0.5
        assert "prep" not in as_is.signature

    @pytest.mark.parametrize("how", ["auto", "treebank"])
    def test_tokenised_text_and_raw_text_get_the_same_score(self, how):
        found = gecbench.score(RAW, corpus(), ["gleu", "m2"], tokenize=how)
        expected = gecbench.score(TOKENISED, corpus(), ["gleu", "m2"])
        assert {name: each.value for name, each in found.items()} == {
            name: each.value for name, each in expected.items()
        }
        assert found["gleu"].value == 1.0

    def test_the_signature_tells(self):
        def prepared(**options):
            return gecbench.score(RAW, corpus(), **options)["gleu"].signature.get("prep")

        assert prepared(tokenize="treebank") == "treebank"
        assert prepared(tokenize="auto") == "auto:treebank"
        assert prepared(tokenize="13a", tokenized=True) == "13a"
        assert "|prep:auto:treebank|version:" in str(gecbench.score(RAW, corpus(), tokenize="auto")["gleu"].signature)
        tokenised = gecbench.score(TOKENISED, corpus())["gleu"].signature
        assert "prep" not in tokenised

    def test_auto_leaves_tokenised_text_alone(self):
        odd = [text.replace("harbour .", "har bour . x") for text in TOKENISED]
        assert Preprocessing(tokenize="auto").prepare(corpus(), odd).lines == tuple(odd)

    def test_auto_on_a_natural_corpus_does_nothing(self):
        natural = gecbench.Corpus(sources=detokenize(SOURCES), references=[[text] for text in RAW])
        prepared = Preprocessing(tokenize="auto").prepare(natural, RAW)
        assert prepared.lines == tuple(RAW)
        assert prepared.preparation == "auto:none"

    def test_a_natural_corpus_by_a_named_tokeniser(self):
        natural = gecbench.Corpus(sources=detokenize(SOURCES), references=[[text] for text in RAW])
        prepared = Preprocessing(tokenize="treebank").prepare(natural, RAW)
        assert prepared.corpus.sources == tuple(SOURCES)
        assert prepared.corpus.references == tuple((text,) for text in TOKENISED)
        assert prepared.lines == tuple(TOKENISED)

    def test_raw_references_are_refused(self):
        with pytest.raises(InputError, match="references are not tokenised like their sources, for example line 1: "):
            gecbench.score(TOKENISED, corpus(RAW))

    def test_raw_references_are_tokenised_too(self):
        prepared = Preprocessing(tokenize="auto").prepare(corpus(RAW), RAW)
        assert prepared.corpus.references == tuple((text,) for text in TOKENISED)
        assert prepared.lines == tuple(TOKENISED)

    def test_unknown_way(self):
        with pytest.raises(InputError, match=r"tokenize='nltk' is unknown\. Use one of none, auto, treebank"):
            gecbench.score(RAW, corpus(), tokenize="nltk")

    def test_one_sentence_is_a_warning_and_a_score(self):
        one = corpus().select([0])
        with pytest.warns(RawTextWarning):
            assert 0 <= gecbench.score(RAW[:1], one)["gleu"].value < 1

    def test_evaluate_module(self):
        gleu = gecbench.load_metric("gleu")
        inputs = {"sources": SOURCES, "predictions": RAW, "references": [[text] for text in TOKENISED]}
        with pytest.raises(InputError, match="not tokenised"):
            gleu.compute(**inputs)
        found = gleu.compute(**inputs, tokenize="auto")
        assert found["gleu"] == 1.0
        assert "|prep:auto:treebank|" in found["signature"]
        assert gleu.compute(**inputs, tokenized=True)["gleu"] < 0.5


FOREIGN = [f"zebra{i} quartz{i} violin{i} marble{i} ." for i in range(len(DEMO))]


class TestForeignAndShifted:
    """Lists are paired by construction: foreign text is only a warning there; shifted lines are an error everywhere."""

    def test_foreign_text_in_python_is_a_warning(self):
        with pytest.warns(ForeignTextWarning, match="share hardly a word with their sources"):
            found = gecbench.score(FOREIGN, DEMO)
        assert found["gleu"].value < 0.05

    def test_foreign_text_can_be_made_an_error(self):
        with pytest.raises(InputError, match="share hardly a word with their lines"):
            gecbench.score(FOREIGN, DEMO, foreign="error")

    def test_foreign_text_on_the_command_line_is_an_error(self, tmp_path, capsys):
        file = tmp_path / "foreign.txt"
        file.write_text("".join(f"{line}\n" for line in FOREIGN), encoding="utf-8")
        assert main(["score", "-c", "demo", "-p", str(file)]) == 2
        assert "do not belong to the sources" in capsys.readouterr().err

    def test_shifted_lines_are_an_error_everywhere(self, tmp_path, capsys):
        shifted = [*GOOD[1:], GOOD[0]]
        with pytest.raises(InputError, match="look shifted from line 1 on"):
            gecbench.score(shifted, DEMO)
        file = tmp_path / "shifted.txt"
        file.write_text("".join(f"{line}\n" for line in shifted), encoding="utf-8")
        assert main(["score", "-c", "demo", "-p", str(file)]) == 2
        assert "look shifted" in capsys.readouterr().err

    def test_shifted_raw_lines_are_an_error_after_tokenising(self):
        with pytest.raises(InputError, match="look shifted"):
            gecbench.score([*RAW_GOOD[1:], RAW_GOOD[0]], DEMO, tokenize="auto")


class TestCommandLine:
    @pytest.fixture
    def raw_file(self, tmp_path):
        file = tmp_path / "raw.txt"
        file.write_text("".join(f"{line}\n" for line in RAW_GOOD), encoding="utf-8")
        return str(file)

    @pytest.mark.parametrize(
        "command", [["score"], ["compare", "--resamples", "10"], ["explain", "-m", "m2"]], ids=lambda words: words[0]
    )
    def test_refused(self, command, raw_file, capsys):
        files = [raw_file, raw_file.replace("raw.txt", "./raw.txt")] if command[0] == "compare" else [raw_file]
        assert main([*command, "-c", "demo", "-p", *files]) == 2
        error = capsys.readouterr().err
        assert "not tokenised like their sources" in error
        assert "--tokenize auto" in error

    def test_tokenised_on_the_way(self, raw_file, capsys):
        assert main(["score", "-c", "demo", "-p", raw_file, "--tokenize", "auto", "-f", "json"]) == 0
        (found,) = json.loads(capsys.readouterr().out)["systems"][0]["scores"]
        assert found["value"] == gecbench.score(GOOD, DEMO)["gleu"].value
        assert "|prep:auto:treebank|" in found["signature"]

    def test_consent(self, raw_file, capsys):
        assert main(["score", "-c", "demo", "-p", raw_file, "--tokenized"]) == 0
        assert "prep:" not in capsys.readouterr().out

    def test_submission_refused(self, raw_file, tmp_path, capsys):
        board = str(tmp_path / "board")
        submit = ["leaderboard", "submit", "-c", "demo", "-p", raw_file, "--name", "Raw", "--board", board, "--dry-run"]
        assert main(submit) == 2
        assert "not tokenised like their sources" in capsys.readouterr().err
        assert main([*submit, "--tokenize", "auto"]) == 0


@pytest.mark.parametrize("k", range(4))
def test_every_set_of_references_is_looked_at(k):
    columns = DEMO.reference_columns()
    columns[k] = gecbench.detokenize(columns[k])
    corpus = gecbench.Corpus(sources=DEMO.sources, references=list(zip(*columns, strict=True)))
    with pytest.raises(InputError, match="references are not tokenised like their sources"):
        gecbench.score(DEMO.sources, corpus)
    tokenised = Preprocessing("treebank").prepare(corpus, DEMO.sources).corpus
    same = sum(map(str.__eq__, tokenised.reference_columns()[k], DEMO.reference_columns()[k]))
    assert same > 0.9 * len(DEMO)
    assert [column for n, column in enumerate(tokenised.reference_columns()) if n != k] == [
        column for n, column in enumerate(DEMO.reference_columns()) if n != k
    ]


def test_final_marks_of_other_scripts():
    sources = [f"वह {word} गया था ।" for word in ("घर", "स्कूल", "बाज़ार", "शहर", "गाँव", "दफ़्तर", "बाग़", "मंदिर", "मैदान")]
    corpus = gecbench.Corpus(sources=sources, references=[[source] for source in sources])
    with pytest.raises(InputError, match="not tokenised like their sources"):
        gecbench.score([source.replace(" ।", "।") for source in sources], corpus)


def test_one_string_is_no_list_of_texts():
    for function in (gecbench.tokenize, gecbench.detokenize):
        with pytest.raises(InputError, match="texts is a single str"):
            function("She likes cats.")
    with pytest.raises(InputError, match="2 lines for 1 sources"):
        gecbench.clean(["a", "b"], ["a"])


def test_the_human_bound_takes_natural_text():
    raw = {"good": gecbench.detokenize(gecbench.load_demo_systems()["good-corrector"])}
    metric = gecbench.GLEU(iterations=10)
    with pytest.raises(InputError, match="not tokenised"):
        gecbench.human_bound(metric, DEMO, raw, sizes="last")
    found = gecbench.human_bound(metric, DEMO, raw, sizes="last", tokenize="auto")
    tokens = gecbench.human_bound(metric, DEMO, gecbench.load_demo_systems(), sizes="last")
    assert found.rows[0].systems["good"] == tokens.rows[0].systems["good-corrector"]


def test_a_few_references_that_show_nothing_stay_as_they_are():
    corpus = gecbench.Corpus(sources=["He do n't"], references=[["He does n't"]])
    pytest.importorskip("sacremoses")
    assert Preprocessing("moses").prepare(corpus, ["He doesn't"]).corpus.references == corpus.references

"""Input checks and preparation: raw text, wrapped, foreign and shifted lines are refused, reported or fixed."""

import json
import random
import re
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mirror_files import conll14_gold, needs_mirror, submission
from oracles import alignment
from raw_sentences import DEMO, GOOD, RAW, RAW_GOOD, SOURCES, TOKENIZED, corpus

import gecbench
from gecbench.corpus.prepare import (
    DamagedTextWarning,
    ForeignTextError,
    ForeignTextWarning,
    MixedUpTextWarning,
    Preprocessing,
    RawTextWarning,
    check_alignment,
    check_corpus,
    check_tokenization,
    check_wrappers,
    clean,
    compare_tokenization,
    warn_of_damage,
)
from gecbench.corpus.tokenize import detokenize
from gecbench.errors import InputError
from gecbench.formats.jsonl import write_jsonl
from gecbench.formats.tables import read_parallel
from gecbench.formats.text import write_lines
from gecbench.kernels.tokens import offsets_of


def refusal(*arguments):
    with pytest.raises(InputError) as caught:
        check_tokenization(*arguments)
    return str(caught.value)


class TestCheck:
    def test_refused_with_an_example_and_the_way_out(self):
        message = refusal(SOURCES, RAW, "predictions of mine", "mine.txt")
        assert message.startswith("mine.txt: predictions of mine are not tokenized like their sources")
        assert f"line 1: {RAW[0]!r} for the source {SOURCES[0]!r}" in message
        assert 'tokenize="auto"' in message
        assert "tokenized=True" in message

    def test_every_line_is_seen_through(self):
        assert compare_tokenization(SOURCES, RAW) == (0, list(range(10)))
        assert compare_tokenization(SOURCES, TOKENIZED) == (10, [])
        assert compare_tokenization(SOURCES, SOURCES) == (10, [])

    @pytest.mark.parametrize(
        ("sources", "lines"),
        [
            (SOURCES, TOKENIZED),
            (DEMO.sources, GOOD),
            (SOURCES * 4, RAW[:5] + TOKENIZED[5:] + TOKENIZED * 3),
            (detokenize(SOURCES), RAW),
        ],
        ids=["tokenized", "demo", "a few raw lines", "raw sources too"],
    )
    def test_accepted(self, sources, lines):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_tokenization(sources, lines)

    def test_a_handful_is_a_warning(self):
        with pytest.warns(RawTextWarning, match="not tokenized like their sources, for example line 1: .*auto"):
            check_tokenization(SOURCES[:4], RAW[:4])

    def test_a_third_of_raw_lines_is_refused(self):
        assert "line 1:" in refusal(SOURCES * 3, RAW + TOKENIZED * 2)

    def test_raw_sources_with_tokenized_predictions_are_refused_too(self):
        assert "not tokenized like their sources" in refusal(RAW, TOKENIZED)

    @pytest.mark.parametrize(
        ("source", "tokenized", "raw"),
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
    def test_other_scripts(self, source, tokenized, raw):
        check_tokenization([source] * 10, [tokenized] * 10)
        assert "not tokenized" in refusal([source] * 10, [raw] * 10)

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
        with pytest.raises(InputError, match="predictions are not tokenized like their sources, for example line 1: "):
            gecbench.score(RAW, corpus())

    def test_compare_names_the_system(self):
        with pytest.raises(InputError, match="predictions of second are not tokenized"):
            gecbench.compare({"first": TOKENIZED, "second": RAW}, corpus(), resamples=10)

    def test_metric_objects_refuse_too(self):
        with pytest.raises(InputError, match="not tokenized"):
            gecbench.GLEU().score(sources=SOURCES, predictions=RAW, references=[[text] for text in TOKENIZED])

    def test_consent(self):
        as_is = gecbench.score(RAW, corpus(), tokenized=True)["gleu"]
        assert as_is.value < 0.5
        assert "prep" not in as_is.signature

    @pytest.mark.parametrize("how", ["auto", "treebank"])
    def test_tokenized_text_and_raw_text_get_the_same_score(self, how):
        found = gecbench.score(RAW, corpus(), ["gleu", "m2"], tokenize=how)
        expected = gecbench.score(TOKENIZED, corpus(), ["gleu", "m2"])
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
        tokenized = gecbench.score(TOKENIZED, corpus())["gleu"].signature
        assert "prep" not in tokenized

    def test_auto_leaves_tokenized_text_alone(self):
        odd = [text.replace("harbour .", "har bour . x") for text in TOKENIZED]
        assert Preprocessing(tokenize="auto").prepare(corpus(), odd).lines == tuple(odd)

    def test_auto_on_a_raw_corpus_does_nothing(self):
        natural = gecbench.Corpus(sources=detokenize(SOURCES), references=[[text] for text in RAW])
        prepared = Preprocessing(tokenize="auto").prepare(natural, RAW)
        assert prepared.lines == tuple(RAW)
        assert prepared.preparation == "auto:none"

    def test_a_raw_corpus_by_a_named_tokenizer(self):
        natural = gecbench.Corpus(sources=detokenize(SOURCES), references=[[text] for text in RAW])
        prepared = Preprocessing(tokenize="treebank").prepare(natural, RAW)
        assert prepared.corpus.sources == tuple(SOURCES)
        assert prepared.corpus.references == tuple((text,) for text in TOKENIZED)
        assert prepared.lines == tuple(TOKENIZED)

    def test_raw_references_are_refused(self):
        with pytest.raises(InputError, match="references are not tokenized like their sources, for example line 1: "):
            gecbench.score(TOKENIZED, corpus(RAW))

    def test_raw_references_are_tokenized_too(self):
        prepared = Preprocessing(tokenize="auto").prepare(corpus(RAW), RAW)
        assert prepared.corpus.references == tuple((text,) for text in TOKENIZED)
        assert prepared.lines == tuple(TOKENIZED)

    def test_unknown_way(self):
        with pytest.raises(InputError, match=r"unknown tokenizer 'nltk'\. Choose one of none, auto, treebank"):
            gecbench.score(RAW, corpus(), tokenize="nltk")

    def test_one_sentence_is_a_warning_and_a_score(self):
        one = corpus().select([0])
        with pytest.warns(RawTextWarning):
            assert 0 <= gecbench.score(RAW[:1], one)["gleu"].value < 1

    def test_evaluate_module(self):
        gleu = gecbench.load_metric("gleu")
        inputs = {"sources": SOURCES, "predictions": RAW, "references": [[text] for text in TOKENIZED]}
        with pytest.raises(InputError, match="not tokenized"):
            gleu.compute(**inputs)
        found = gleu.compute(**inputs, tokenize="auto")
        assert found["gleu"] == 1.0
        assert "|prep:auto:treebank|" in found["signature"]
        assert gleu.compute(**inputs, tokenized=True)["gleu"] < 0.5


@pytest.mark.parametrize(
    ("raw", "expected"),
    [("Він сказав «так».", 1.0), ('Він сказав "так".', 0.0), ("Він сказав “так”.", 0.0)],
    ids=["corrected", "unchanged", "other quotation marks"],
)
def test_a_quotation_mark_may_be_the_correction(raw, expected):
    edits = (gecbench.Edit(2, 3, ("«",)), gecbench.Edit(4, 5, ("»",)))
    annotated = gecbench.Corpus(sources=['Він сказав " так " .'], annotations=[[gecbench.Annotation(0, edits)]])
    assert gecbench.score([raw], annotated, "m2", tokenize="auto")["m2"].value == expected


class TestCommandLine:
    @pytest.fixture
    def raw_file(self, tmp_path):
        write_lines(tmp_path / "raw.txt", RAW_GOOD)
        return str(tmp_path / "raw.txt")

    @pytest.mark.parametrize(
        "command", [["score"], ["compare", "--resamples", "10"], ["explain", "-m", "m2"]], ids=lambda words: words[0]
    )
    def test_refused(self, command, raw_file, refused):
        files = [raw_file, raw_file.replace("raw.txt", "./raw.txt")] if command[0] == "compare" else [raw_file]
        refused([*command, "-c", "demo", "-p", *files], "not tokenized like their sources.*--tokenize auto")

    def test_tokenized_on_the_way(self, raw_file, run):
        output = run("score", "-c", "demo", "-p", raw_file, "--tokenize", "auto", "-f", "json")
        (found,) = json.loads(output)["systems"][0]["scores"]
        assert found["value"] == gecbench.score(GOOD, DEMO)["gleu"].value
        assert "|prep:auto:treebank|" in found["signature"]

    def test_consent(self, raw_file, run):
        assert "prep:" not in run("score", "-c", "demo", "-p", raw_file, "--tokenized")

    def test_submission_refused(self, raw_file, folder, run, refused):
        submit = ["leaderboard", "submit", "-c", "demo", "-p", raw_file, "--name", "Raw", "--dry-run"]
        refused(submit, "not tokenized like their sources")
        run(*submit, "--tokenize", "auto")


@pytest.mark.parametrize("k", range(4))
def test_every_set_of_references_is_looked_at(k):
    columns = DEMO.reference_columns()
    columns[k] = gecbench.detokenize(columns[k])
    corpus = gecbench.Corpus(sources=DEMO.sources, references=list(zip(*columns, strict=True)))
    with pytest.raises(InputError, match="references are not tokenized like their sources"):
        gecbench.score(DEMO.sources, corpus)
    tokenized = Preprocessing("treebank").prepare(corpus, DEMO.sources).corpus
    same = sum(map(str.__eq__, tokenized.reference_columns()[k], DEMO.reference_columns()[k]))
    assert same > 0.9 * len(DEMO)
    assert [column for n, column in enumerate(tokenized.reference_columns()) if n != k] == [
        column for n, column in enumerate(DEMO.reference_columns()) if n != k
    ]


def test_final_marks_of_other_scripts():
    sources = [f"वह {word} गया था ।" for word in ("घर", "स्कूल", "बाज़ार", "शहर", "गाँव", "दफ़्तर", "बाग़", "मंदिर", "मैदान")]
    corpus = gecbench.Corpus(sources=sources, references=[[source] for source in sources])
    with pytest.raises(InputError, match="not tokenized like their sources"):
        gecbench.score([source.replace(" ।", "।") for source in sources], corpus)


def test_one_string_is_no_list_of_texts():
    for function in (gecbench.tokenize, gecbench.detokenize):
        with pytest.raises(InputError, match="texts is a single str"):
            function("She likes cats.")
    with pytest.raises(InputError, match=r"2 lines for 1 source\b"):
        gecbench.clean(["a", "b"], ["a"])


def test_the_human_bound_takes_raw_text():
    raw = {"good": gecbench.detokenize(gecbench.load_demo_systems()["good-corrector"])}
    metric = gecbench.GLEU(iterations=10)
    with pytest.raises(InputError, match="not tokenized"):
        gecbench.human_bound(metric, DEMO, raw, sizes="last")
    found = gecbench.human_bound(metric, DEMO, raw, sizes="last", tokenize="auto")
    tokens = gecbench.human_bound(metric, DEMO, gecbench.load_demo_systems(), sizes="last")
    assert found.rows[0].systems["good"] == tokens.rows[0].systems["good-corrector"]


def test_a_few_references_that_show_nothing_stay_as_they_are():
    corpus = gecbench.Corpus(sources=["He do n't"], references=[["He does n't"]])
    pytest.importorskip("sacremoses")
    assert Preprocessing("moses").prepare(corpus, ["He doesn't"]).corpus.references == corpus.references


def wrapped(rule):
    return [rule(i, text) for i, text in enumerate(RAW, 1)]


WRAPPERS = {
    "label": (lambda i, text: f"Corrected sentence: {text}", "a label before them (Corrected sentence:)"),
    "own label": (lambda i, text: f"gec: {text}", "a label before them (gec:)"),
    "quotes": (lambda i, text: f'"{text}"', "quotation marks around them"),
    "typographic quotes": (lambda i, text: f"“{text}”", "quotation marks around them"),
    "fence": (lambda i, text: f"```{text}```", "a Markdown fence around them"),
    "fence of several lines": (lambda i, text: f"```text\n{text}\n```", "a Markdown fence around them"),
    "number": (lambda i, text: f"{i}. {text}", "a number or bullet before them"),
    "bullet": (lambda i, text: f"- {text}", "a number or bullet before them"),
    "explanation": (lambda i, text: f"{text} Explanation: the verb agrees.", "an explanation after them"),
    "explanation of several lines": (
        lambda i, text: f"{text}\n\nChanges made:\n1. the verb\n2. the noun",
        "an explanation after them",
    ),
    "note": (lambda i, text: f"{text} (Note: number)", "an explanation after them"),
    "label in words": (
        lambda i, text: f"The corrected sentence is {text}",
        "a label before them (The corrected sentence is)",
    ),
    "markup: tags": (lambda i, text: f"<s> {text} </s>", "markup around them"),
    "markup: bold": (lambda i, text: f"**{text}**", "markup around them"),
    "markup: thoughts": (lambda i, text: f"<think>It is short.</think> {text}", "markup around them"),
}


class TestWrappers:
    @pytest.mark.parametrize(("rule", "description"), WRAPPERS.values(), ids=WRAPPERS)
    def test_refused(self, rule, description):
        lines = wrapped(rule)
        with pytest.raises(InputError) as caught:
            check_wrappers(SOURCES, lines, "predictions", "out.txt")
        message = str(caught.value)
        assert message.startswith(f"out.txt: almost all predictions have {description}, for example line 1: ")
        assert "gecbench.clean(lines, sources)" in message
        with pytest.raises(InputError, match=re.escape(description)):
            gecbench.score(lines, corpus(), tokenize="auto")

    @pytest.mark.parametrize("name", WRAPPERS)
    def test_cleaned_and_counted(self, name):
        cleaned, touched = clean(wrapped(WRAPPERS[name][0]), SOURCES)
        assert cleaned == RAW
        assert list(touched.values()) == [10]
        assert next(iter(touched)) in name.replace("note", "explanation").replace("bullet", "number")

    def test_several_wrappers_at_once(self):
        lines = wrapped(lambda i, text: f'Here is the corrected version: "{text}" I changed the verb.')
        assert clean(lines, SOURCES) == (RAW, {"label": 10, "explanation": 10, "quotes": 10})

    def test_only_the_wrapped_lines_are_touched(self):
        lines = [f'"{text}"' if i < 3 else text for i, text in enumerate(RAW)]
        assert clean(lines, SOURCES) == (RAW, {"quotes": 3})

    def test_nothing_to_clean(self):
        assert clean(TOKENIZED, SOURCES) == (TOKENIZED, {})

    def test_what_the_source_has_too_stays(self):
        sources = [f'" {text} "' for text in SOURCES]
        lines = [f'" {text} "' for text in TOKENIZED]
        check_wrappers(sources, lines)
        assert clean(lines, sources) == (lines, {})

    @pytest.mark.parametrize(
        ("source", "line"),
        [
            ("When I was young , I change school often .", "When I was young , I changed schools often ."),
            ("He ask : `` is it true '' and wait .", "He asked : `` is it true '' and waited ."),
            ('" Yes " , he say , " no "', '" Yes " , he said , " no "'),
        ],
    )
    def test_corrections_that_look_like_wrappers_stay(self, source, line):
        assert clean([line], [source]) == ([line], {})

    def test_a_few_wrapped_lines_are_no_error(self):
        check_wrappers(SOURCES, [f"Note: {TOKENIZED[0]}", *TOKENIZED[1:]])

    def test_a_handful_of_lines_says_nothing(self):
        check_wrappers(SOURCES[:5], [f"Corrected sentence: {text}" for text in TOKENIZED[:5]])


@pytest.mark.parametrize(
    ("form", "message"),
    [('{{"prediction": "{}"}}', "JSON Lines"), ('7,"{}"', "CSV: add a header"), ("x ||| {}", "two texts per line")],
)
def test_other_formats_are_refused_even_when_cleaned(form, message):
    lines = [form.format(source) for source in DEMO.sources]
    with pytest.raises(InputError, match=message):
        gecbench.score(lines, DEMO)
    with pytest.raises(InputError, match=message):
        gecbench.clean(lines, DEMO.sources)


FOREIGN = [f"zebra{i} quartz{i} violin{i} marble{i} ." for i in range(len(DEMO))]


class TestForeignAndShifted:
    """Lists are paired by construction: foreign text is only a warning there; shifted lines are an error everywhere."""

    def test_foreign_text_in_python_is_a_warning(self):
        with pytest.warns(ForeignTextWarning, match="with the sources. The predictions are scored as they are"):
            found = gecbench.score(FOREIGN, DEMO)
        assert found["gleu"].value < 0.05

    def test_foreign_text_can_be_made_an_error(self):
        with pytest.raises(InputError, match="share hardly any words with the sources"):
            gecbench.score(FOREIGN, DEMO, foreign="error")

    @pytest.mark.parametrize(
        ("lines", "message"),
        [(FOREIGN, "do not belong to the sources"), ([*GOOD[1:], GOOD[0]], "look shifted from line 1 on")],
    )
    def test_both_are_errors_on_the_command_line(self, lines, message, folder, refused):
        write_lines("lines.txt", lines)
        refused(["score", "-c", "demo", "-p", "lines.txt"], message)

    def test_another_case_is_named(self, folder, refused):
        upper = [line.upper() for line in GOOD]
        write_lines("upper.txt", upper)
        place = "predictions of upper and their sources differ in upper and lower case from line 1 on: "
        fix = "Restore the case, because metrics compare it, or pass --aligned to skip this check"
        refused(["score", "-c", "demo", "-p", "upper.txt"], f"{place}{upper[0]!r:.60}.*{fix}")
        with pytest.warns(ForeignTextWarning, match="predictions and their sources differ in upper and lower case"):
            gecbench.score(upper, DEMO)

    def test_shifted_raw_lines_are_an_error_after_tokenizing(self):
        with pytest.raises(InputError, match="look shifted"):
            gecbench.score([*RAW_GOOD[1:], RAW_GOOD[0]], DEMO, tokenize="auto")


REFERENCE = [texts[0] for texts in DEMO.references]
NOT_BLANK = "Replace this character with a space, because not every metric treats it as white space."
DAMAGED = {
    "no-break spaces": (
        [line.replace(" ", "\u00a0") for line in GOOD],
        f"U+00A0 NO-BREAK SPACE in 42 of 42 lines. {NOT_BLANK}",
    ),
    "a thin space in a tenth": (
        [*(line.replace(" ", "\u2009", 1) for line in GOOD[:4]), *GOOD[4:]],
        f"U+2009 THIN SPACE in 4 of 42 lines. {NOT_BLANK}",
    ),
    "ideographic spaces": (
        [line.replace(" ", "\u3000") for line in GOOD],
        f"U+3000 IDEOGRAPHIC SPACE in 42 of 42 lines. {NOT_BLANK}",
    ),
    "zero-width spaces": (
        [line.replace(" ", "\u200b ", 1) for line in GOOD],
        f"U+200B ZERO WIDTH SPACE in 42 of 42 lines. {NOT_BLANK}",
    ),
    "BPE marks": (
        [line[:2] + "@@ " + line[2:] for line in GOOD],
        "BPE marks (@@) in 42 of 42 lines. Join the subwords first: sed 's/@@ //g'.",
    ),
    "WordPiece marks": (
        [line[:2] + " ##" + line[2:] for line in GOOD],
        "WordPiece marks (##) in 42 of 42 lines. Join the subwords first: sed 's/ ##//g'.",
    ),
    "escapes": (
        [f"{line} &quot;" for line in GOOD],
        "escapes (&quot;) in 42 of 42 lines. Replace them with the characters, for example by Python's html.unescape.",
    ),
    "special tokens": (
        [f"{line} <pad>" for line in GOOD],
        "special tokens (<pad>) in 42 of 42 lines. Remove them first, for example by skip_special_tokens=True.",
    ),
    "no capital letters": (
        [line.lower() for line in GOOD],
        "no capital letters, but 42 of 42 sources have some. Restore the case, because metrics compare it.",
    ),
    "one output for a third": (
        ["It is correct ." if i % 3 == 0 else line for i, line in enumerate(GOOD)],
        "14 different sentences have the same output 'It is correct .'. Check whether the model failed.",
    ),
    "SentencePiece marks": (
        [line.replace(" ", " ▁", 1) for line in GOOD],
        "SentencePiece marks (▁) in 42 of 42 lines. Decode the pieces to text first.",
    ),
    "NUL bytes": (
        [*GOOD[:-1], GOOD[-1].replace(" ", "\0 ", 1)],
        "NUL bytes in 1 of 42 lines. The file may be damaged or encoded in UTF-16.",
    ),
    "all lines empty": ([""] * 42, "42 of 42 lines are empty. They are scored as sentences without words."),
    "a tenth empty": (
        ["", " ", "\t", "", *GOOD[4:]],
        "4 of 42 lines are empty. They are scored as sentences without words.",
    ),
}
FINE = {
    "two empty lines": ["", "", *GOOD[2:]],
    "two odd blanks": [GOOD[0].replace(" ", "\xa0"), GOOD[1].replace(" ", "\xa0"), *GOOD[2:]],
    "two lines with @@": [f"{GOOD[0]} @@ .", f"{GOOD[1]} @@ .", *GOOD[2:]],
    "letters that are not ASCII": [line.replace("e", "é") for line in GOOD],
}


class TestReferencesOfAnotherOrder:
    SHIFTED = (*REFERENCE[1:], REFERENCE[0])
    CORPUS = gecbench.Corpus(DEMO.sources, list(zip(REFERENCE, SHIFTED, strict=True)))

    @pytest.mark.parametrize("wrong", [SHIFTED, REFERENCE[::-1]], ids=["shifted", "reversed"])
    def test_in_python(self, wrong):
        corpus = gecbench.Corpus(DEMO.sources, list(zip(REFERENCE, wrong, strict=True)))
        with pytest.warns(MixedUpTextWarning, match="the lines of reference 1 look shifted from line 1 on"):
            gecbench.score(GOOD, corpus)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            gecbench.score(GOOD, corpus, aligned=True)

    @pytest.mark.parametrize("stream", [[], ["--stream"]], ids=["at once", "as a stream"])
    def test_in_a_corpus_file(self, stream, folder, run):
        write_jsonl(self.CORPUS, "corpus.jsonl")
        write_lines("good.txt", GOOD)
        with pytest.warns(UserWarning, match="the lines of reference 1 look shifted from line 1 on"):
            assert "GLEU" in run("score", "-c", "corpus.jsonl", "-p", "good.txt", *stream)

    def test_raw_references_are_compared_after_they_are_tokenized(self):
        """Without spaces, a Chinese reference shares no words with its source."""
        sources = [f"我 喜 欢 第 {'一二三四五六七八九十'[i % 10]} 只 {'猫狗鸟'[i % 3]} 。" for i in range(40)]
        corpus = gecbench.Corpus(sources, [[source.replace(" ", "")] for source in sources])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert gecbench.score(sources, corpus, tokenize="auto", aligned=False, foreign="warning")["gleu"].value == 1

    def test_known_corpora_are_not_checked(self):
        """Their files are checked by hash."""
        known = self.CORPUS.replace(metadata={"dataset": "mine"})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert gecbench.score(GOOD, known)["gleu"].value > 0


@pytest.mark.parametrize("options", [{"foreign": "Error"}, {"aligned": "no"}, {"tokenized": None}])
def test_options_of_wrong_values_are_errors(options):
    ((name, value),) = options.items()
    with pytest.raises(InputError, match=f"{name}={value!r}"):
        gecbench.score(GOOD, DEMO, **options)


class TestDamage:
    @pytest.mark.parametrize(("lines", "message"), DAMAGED.values(), ids=DAMAGED)
    def test_in_python(self, lines, message):
        with pytest.warns(DamagedTextWarning, match=re.escape(f"predictions: {message}")):
            gecbench.score(lines, DEMO)
        with pytest.warns(DamagedTextWarning, match=re.escape(f"predictions of bad: {message}")):
            gecbench.compare({"bad": lines, "good": GOOD}, DEMO, resamples=2)
        module, columns = gecbench.load_metric("gleu"), {"sources": DEMO.sources, "references": DEMO.references}
        with pytest.warns(DamagedTextWarning, match=re.escape(f"predictions: {message}")):
            module.compute(predictions=lines, **columns)

    @pytest.mark.parametrize("stream", [[], ["--stream"]], ids=["at once", "as a stream"])
    @pytest.mark.parametrize(("lines", "message"), DAMAGED.values(), ids=DAMAGED)
    def test_on_the_command_line(self, lines, message, stream, folder, run):
        write_lines("bad.txt", lines)
        with pytest.warns(UserWarning, match=re.escape(message)):
            assert "GLEU" in run("score", "-c", "demo", "-p", "bad.txt", *stream)

    def test_references_and_sources(self):
        odd = [line.replace(" ", "\xa0") for line in GOOD]
        with pytest.warns(DamagedTextWarning, match=r"^reference 1: U\+00A0 NO-BREAK SPACE in 42 of 42 lines"):
            check_corpus(gecbench.Corpus(DEMO.sources, list(zip(REFERENCE, odd, strict=True))))
        with pytest.warns(DamagedTextWarning, match=r"^the sources: BPE marks \(@@\) in 42 of 42 lines"):
            check_corpus(gecbench.Corpus([f"a@@ {line}" for line in DEMO.sources], [[line] for line in GOOD]))

    def test_lower_case_is_no_damage_if_the_sources_have_no_capital_letters(self):
        corpus = gecbench.Corpus([line.lower() for line in DEMO.sources], [[line] for line in REFERENCE])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert len(Preprocessing().prepare(corpus, [line.lower() for line in GOOD]).lines) == 42

    @pytest.mark.parametrize("lines", FINE.values(), ids=FINE)
    def test_a_few_lines_may_be_the_systems_own(self, lines):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warn_of_damage(DEMO.sources, lines, "predictions")

    @pytest.mark.parametrize("mark", ["\xa0", "▁", "@@ ", ""])
    def test_what_the_source_has_is_no_damage(self, mark):
        lines = [f"a{mark}b" if mark else "" for _ in range(20)]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warn_of_damage(lines, lines, "predictions")
        with pytest.warns(DamagedTextWarning, match="20 of 20 lines"):
            warn_of_damage(["a b"] * 20, lines, "predictions")

    def test_a_hundredth_of_many_lines(self):
        lines = ["a b"] * 1000
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warn_of_damage(lines, [*lines[:991], *[""] * 9], "predictions")
        with pytest.warns(DamagedTextWarning, match="10 of 1000 lines are empty"):
            warn_of_damage(lines, [*lines[:990], *[""] * 10], "predictions")

    def test_one_sentence_alone_may_be_empty(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert gecbench.score([""], DEMO.select([0]))["gleu"].value == 0


INTENDED = "If this is intended, pass aligned=True to skip this check"
WITH_OPTION = "If this is intended, pass --aligned to skip this check"


class TestIdenticalTexts:
    """A reference that is the source or the predictions is refused, but for lists: a model may have learned it."""

    @pytest.fixture
    def files(self, folder):
        texts = {"src": DEMO.sources, "ref": REFERENCE, "copy": REFERENCE, "same": DEMO.sources, "out": GOOD}
        for name, lines in texts.items():
            write_lines(f"{name}.txt", lines)
        write_lines("short.txt", DEMO.sources[:3])
        write_lines("short_ref.txt", REFERENCE[:3])
        return folder

    @pytest.mark.parametrize("stream", [[], ["--stream"], ["--stream", "--batch-size", "7"]])
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ("-r src.txt -p out.txt", "src.txt: is given with both -r and -s. Give each file once"),
            ("-r ref.txt -p ref.txt", "ref.txt: is given with both -r and -p. Give each file once"),
            ("-r ref.txt same.txt -p out.txt", f"is identical to the sources. {WITH_OPTION}"),
            ("-r ref.txt -p copy.txt", f"predictions.* are identical to .*. {WITH_OPTION}"),
        ],
    )
    def test_files_are_refused(self, arguments, message, stream, files, refused, run):
        words = ["score", "-s", "src.txt", *arguments.split(), *stream]
        refused(words, message)
        assert "GLEU" in run(*words, "--aligned")

    def test_the_files_are_named(self, files, refused):
        words = ["score", "-s", "src.txt", "-r", "ref.txt"]
        refused([*words, "same.txt", "-p", "out.txt"], "^gecbench: same.txt is identical to the sources")
        refused([*words, "-p", "copy.txt"], "predictions of copy are identical to ref.txt")

    def test_a_choice_of_references_is_numbered(self, files):
        chosen = read_parallel("src.txt", ["out.txt", "ref.txt"]).with_references([1])
        with pytest.raises(InputError, match="are identical to reference 0"):
            gecbench.score(REFERENCE, chosen, foreign="error")

    def test_one_file_is_refused_however_short(self, files, refused, run):
        words = ["score", "-s", "short.txt", "-r", "short_ref.txt"]
        refused([*words, "-p", "short_ref.txt"], "short_ref.txt: is given with both -r and -p")
        write_lines("perfect.txt", REFERENCE[:3])
        assert "100.00" in run(*words, "-p", "perfect.txt")

    def test_the_unchanged_baseline_is_scored(self, files, run):
        for name in ("src.txt", "same.txt"):
            assert "GLEU" in run("score", "-s", "src.txt", "-r", "ref.txt", "-p", name)

    def test_known_corpora(self, files, refused, run):
        refused(["score", "-c", "demo", "-p", "ref.txt"], "predictions of ref are identical to reference 0")
        assert "GLEU" in run("score", "-c", "demo", "-p", "ref.txt", "--aligned")
        refused(
            ["leaderboard", "submit", "-c", "demo", "-p", "ref.txt", "--name", "x", "--dry-run"],
            "ref.txt: predictions are identical to reference 0",
        )

    def test_lists_are_scored_with_a_warning(self):
        with pytest.warns(MixedUpTextWarning, match=f"^predictions are identical to reference 0. {INTENDED}"):
            gecbench.score(REFERENCE, DEMO)
        with pytest.raises(InputError, match="are identical to reference 0"):
            gecbench.score(REFERENCE, DEMO, foreign="error")
        module, columns = gecbench.load_metric("gleu"), {"sources": DEMO.sources, "references": DEMO.references}
        with pytest.warns(MixedUpTextWarning, match="predictions are identical to reference 0"):
            module.compute(predictions=REFERENCE, **columns)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert gecbench.score(REFERENCE, DEMO.with_references([0]), aligned=True)["gleu"].value == 1

    def test_a_source_among_the_references_of_a_list(self):
        corpus = gecbench.Corpus(DEMO.sources, list(zip(REFERENCE, DEMO.sources, strict=True)))
        with pytest.raises(InputError, match=f"^reference 1 is identical to the sources. {INTENDED}"):
            gecbench.score(GOOD, corpus)
        assert 0 < gecbench.score(GOOD, corpus, aligned=True)["gleu"].value < 1

    def test_one_sentence_more_is_another_text(self):
        almost = [*DEMO.sources[:-1], REFERENCE[-1]]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            gecbench.score(GOOD, gecbench.Corpus(DEMO.sources, [[line] for line in almost]))
            gecbench.score([*REFERENCE[:-1], GOOD[-1] + " !"], DEMO)

    @pytest.mark.parametrize("stream", [[], ["--stream"]])
    def test_identical_references_are_a_warning(self, stream, files, run):
        with pytest.warns(UserWarning, match="are identical but count as two references"):
            run("score", "-s", "src.txt", "-r", "ref.txt", "copy.txt", "-p", "out.txt", *stream)

    def test_one_reference_file_twice(self, files, run):
        with pytest.warns(MixedUpTextWarning, match=r"^ref.txt is given twice and counts as two references"):
            run("score", "-s", "src.txt", "-r", "ref.txt", "ref.txt", "-p", "out.txt")

    def test_a_batch_is_no_file(self):
        """A stretch of correct sentences is not yet a reference that is the source."""
        batches = [(DEMO.sources, REFERENCE), (REFERENCE, REFERENCE), (DEMO.sources, REFERENCE)]
        corpora = [gecbench.Corpus(sources, [[text] for text in texts]) for sources, texts in batches]
        assert gecbench.GLEU().stream([(each, GOOD) for each in corpora]).sentences == 126
        with pytest.raises(InputError, match="reference 0 is identical to the sources"):
            gecbench.GLEU().stream([(corpora[1], GOOD)] * 3)


def essays(sentences, correct):
    """Return sentences of a learner, each with its error, or as somebody corrected them."""
    chance = random.Random(7)
    people = [f"{name} and {other}" for name in ("Ada", "Ben", "Cleo", "Dan") for other in ("Eve", "Fay", "Gil")]
    verbs = ["walk", "talk", "play", "cook", "paint", "jump", "wait", "help", "clean", "look"]
    texts = []
    for _ in range(sentences):
        person, verb, day = chance.choice(people), chance.choice(verbs), chance.choice(["Monday", "Friday", "Sunday"])
        letters = [*verb]
        chance.shuffle(letters)
        wrong = f"{''.join(letters)}{chance.choice('qxz')}ing"
        texts.append(f"On {day} {person} went {verb}ing ." if correct else f"On {day} {person} went {wrong} .")
    return texts


class TestSwappedTexts:
    WRONG, RIGHT = essays(300, False), essays(300, True)

    def test_the_errors_tell(self):
        swapped = gecbench.Corpus(self.RIGHT, [[text] for text in self.WRONG])
        message = (
            f"^the sources and reference 0 look swapped: where they differ, the source reads better .*. {INTENDED}"
        )
        with pytest.warns(MixedUpTextWarning, match=message):
            gecbench.score(self.RIGHT, swapped)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            gecbench.score(self.RIGHT, swapped)  # a corpus is looked at once

    def test_no_false_alarm(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_corpus(gecbench.Corpus(self.WRONG, [[text] for text in self.RIGHT]))
            check_corpus(gecbench.Corpus(self.RIGHT, [[text] for text in self.WRONG]), aligned=True)
            check_corpus(gecbench.Corpus(self.RIGHT[:25], [[text] for text in self.WRONG[:25]]))

    def test_one_of_several_references(self, folder, run):
        texts = {"old.txt": self.RIGHT, "a.txt": self.WRONG, "b.txt": [f"Well , {text}" for text in self.RIGHT]}
        for name, lines in texts.items():
            write_lines(name, lines)
        with pytest.warns(MixedUpTextWarning, match=r"^the sources and a\.txt look swapped"):
            run("score", "-s", "old.txt", "-r", "b.txt", "a.txt", "-p", "old.txt")

    @pytest.fixture
    def files(self, folder):
        sources = {"source.txt", "test.src", "learners.txt", "test.spellchecked.src"}
        for name in [*sources, "reference0.txt", "test.ref0", "open-source-model.txt", "out.txt"]:
            write_lines(name, DEMO.sources if name in sources else GOOD if name == "out.txt" else REFERENCE)

    SWAPPED_NAMES = (
        ("-s reference0.txt -r source.txt", "-s reference0.txt is named like a reference, but -r source.txt is named"),
        ("-s test.ref0 -r test.src", "-s test.ref0 is named like a reference, but -r test.src is named like a source."),
        ("-s out.txt -r reference0.txt -p source.txt", "-p source.txt is named like a source, but -s out.txt is not"),
    )

    @pytest.mark.parametrize("stream", [[], ["--stream"]])
    @pytest.mark.parametrize(("names", "message"), SWAPPED_NAMES)
    def test_the_names_tell(self, names, message, stream, files, run):
        words = ["score", *names.split(), *([] if "-p" in names else ["-p", "out.txt"]), *stream]
        with pytest.warns(
            MixedUpTextWarning, match=f"^{message}.*If these files are not swapped, skip this check with --aligned"
        ):
            run(*words)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            run(*words, "--aligned")

    @pytest.mark.parametrize(
        "names",
        [
            "-s source.txt -r reference0.txt -p source.txt",
            "-s learners.txt -r reference0.txt -p source.txt",
            "-s test.src -r test.ref0 -p test.spellchecked.src",
            "-s learners.txt -r out.txt -p open-source-model.txt",
        ],
    )
    def test_names_that_fit(self, names, files, run):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            run("score", *names.split())


def shifted(lines, from_line):
    return [*lines[:from_line], *lines[from_line + 1 :], "The end ."]


def turned(lines, by):
    return lines[by:] + lines[:by]


SYSTEMS = gecbench.load_demo_systems()
MISPLACED = [(shifted(DEMO.sources, k), f"shifted from line {k + 1} on") for k in (0, 20)]
MISPLACED += [
    (turned(SYSTEMS[name], by), r"from line \d+ on")
    for name in ("good-corrector", "rule-based")
    for by in (1, -1, 2, 7)
]
MISPLACED += [(GOOD[::-1], "look shifted from line 1 on")]


@pytest.mark.parametrize(("outputs", "message"), MISPLACED, ids=range(11))
def test_misplaced_lines_are_an_error_that_names_the_first(outputs, message):
    with pytest.raises(InputError, match=message):
        gecbench.score(outputs, DEMO)


def test_a_shifted_reference_file_is_an_error_that_names_it(folder, run, refused):
    columns = DEMO.reference_columns()
    for name, lines in {"s": DEMO.sources, "r0": columns[0], "r1": turned(columns[1], 1)}.items():
        write_lines(name, lines)
    command = ["score", "-s", "s", "-r", "r0", "r1", "-p", "s"]
    refused(command, r"r1: the references look shifted from line \d+ on")
    run(*command, "--aligned")


def test_the_check_can_be_skipped():
    assert gecbench.score(shifted(DEMO.sources, 0), DEMO, aligned=True)["gleu"].value >= 0


def test_real_systems_and_a_few_odd_lines_pass():
    odd = [*DEMO.sources[:10], *DEMO.sources[11:16], *DEMO.sources[15:]]
    for outputs in (odd, *SYSTEMS.values()):
        assert gecbench.score(outputs, DEMO)["gleu"].value > 0


texts = st.text(st.sampled_from("ab é \t\x1c\x85\xa0\u2028\u3000\u200b\ud800"), max_size=12)
seeds = st.integers(0, 2**32)


def count_shared(kernel, left, right):
    parts = []
    for lines in (left, right):
        encoded = [line.encode(errors="surrogatepass") for line in lines]
        parts += [b"".join(encoded), offsets_of(encoded)]
    return kernel.count_shared(*parts)


@settings(max_examples=300)
@given(st.lists(st.tuples(texts, texts), max_size=5))
def test_counts(both_kernels, pairs):
    left, right = [line for line, _ in pairs], [line for _, line in pairs]
    expected = []
    for ours, theirs in ((first.split(), second.split()) for first, second in pairs):
        expected.append([len(ours), len(theirs), len({*ours} & {*theirs}), len({*ours} | {*theirs})])
    for kernel in both_kernels("tokens"):
        found = count_shared(kernel, left, right)
        assert found.dtype == np.int32
        assert found.tolist() == expected


def test_native_refuses_offsets_that_do_not_fit(both_kernels):
    _, native = both_kernels("tokens")
    good = np.array([0, 1], dtype=np.int64)
    assert native.count_shared(b"a", good, b"b", good).tolist() == [[1, 1, 0, 2]]
    for wrong in ([0, 2], [1, 1], [0], [], [0, 2, 1]):
        for arguments in ((b"a", np.array(wrong, np.int64), b"b", good), (b"a", good, b"b", np.array(wrong, np.int64))):
            with pytest.raises(ValueError, match=r"(left|right)_offsets"):
                native.count_shared(*arguments)


def found(sources, lines):
    try:
        check_alignment(sources, lines)
    except InputError as error:
        line = int(re.search(r"from line (\d+) on", str(error))[1])
        if isinstance(error, ForeignTextError):
            return "foreign", line
        return ("shifted" if "neighboring" in str(error) else "elsewhere"), line
    return None


def damaged(lines, chance):
    """Shift, shuffle or replace a stretch of lines, change some words, and shorten some lines."""
    lines = list(lines)
    begin = chance.randrange(len(lines))
    end = min(len(lines), begin + chance.choice([3, 9, 10, 11, 29, 30, 31, 60]))
    kind = chance.choice(["shift", "shuffle", "foreign", "none"])
    if kind == "shift":
        lines[begin:end] = lines[begin:end][1:] + lines[begin:end][:1]
    elif kind == "shuffle":
        lines[begin:end] = chance.sample(lines[begin:end], end - begin)
    elif kind == "foreign":
        lines[begin:end] = ["quite another text here"] * (end - begin)
    for i in chance.sample(range(len(lines)), len(lines) // 5):
        words = lines[i].split()
        lines[i] = " ".join(word if chance.random() < 0.6 else "x" for word in words[: chance.choice([3, 4, 99])])
    return lines


@pytest.mark.usefixtures("kernels_of")
@settings(max_examples=75)
@given(seeds, st.sampled_from([4, 9, 10, 21, 40, 90]), st.sampled_from([8, 40]))
def test_finds_what_sets_of_words_find(seed, size, vocabulary):
    chance = random.Random(seed)
    sources = [" ".join(f"w{chance.randrange(vocabulary)}" for _ in range(chance.randrange(2, 9))) for _ in range(size)]
    lines = damaged(sources, chance)
    assert found(sources, lines) == alignment.verdict(sources, lines)


@pytest.mark.usefixtures("kernels_of")
def test_large_corpora_are_sampled():
    sources = [f"a{i} b{i} c{i} d{i}" for i in range(4500)]
    lines = [*sources[:2000], "x", *sources[2000:-1]]
    assert found(sources, lines) == alignment.verdict(sources, lines) == ("shifted", 2003)
    assert found(sources, sources) is None


@pytest.mark.usefixtures("kernels_of")
@pytest.mark.parametrize(("line", "verdict"), [("x", ("foreign", 1)), ("b", None), ("", None), ("x b", None)])
def test_short_lines_belong_where_their_words_are(line, verdict):
    sources = ["a b c d e"] * 40
    assert found(sources, [line] * 40) == alignment.verdict(sources, [line] * 40) == verdict


@needs_mirror
@pytest.mark.usefixtures("kernels_of")
def test_real_data():
    sources, chance = conll14_gold().sources, random.Random(3)
    seen = set()
    for system in ("AMU", "CAMB", "NTHU", "INPUT"):
        outputs = list(submission(system))
        assert found(sources, outputs) is None
        for lines in [
            outputs[1:] + outputs[:1],
            outputs[7:] + outputs[:7],
            *(damaged(outputs, chance) for _ in range(4)),
        ]:
            assert found(sources, lines) == alignment.verdict(sources, lines)
            seen.add((alignment.verdict(sources, lines) or [None])[0])
    assert seen >= {"shifted", "elsewhere", None}

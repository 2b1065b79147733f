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
    ForeignTextError,
    ForeignTextWarning,
    Preprocessing,
    RawTextWarning,
    check_alignment,
    check_tokenization,
    check_wrappers,
    clean,
    compare_tokenization,
)
from gecbench.corpus.tokenize import detokenize
from gecbench.errors import InputError
from gecbench.formats.text import write_lines
from gecbench.kernels.tokens import offsets_of


def refusal(*arguments):
    with pytest.raises(InputError) as caught:
        check_tokenization(*arguments)
    return str(caught.value)


class TestCheck:
    def test_refused_with_an_example_and_the_way_out(self):
        message = refusal(SOURCES, RAW, "predictions of mine", "mine.txt")
        assert message.startswith("mine.txt: predictions of mine are not tokenised like their sources")
        assert f"line 1: {RAW[0]!r} beside the source {SOURCES[0]!r}" in message
        assert 'tokenize="auto"' in message
        assert "--tokenize auto" in message
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
        with pytest.warns(RawTextWarning, match="not tokenised like their sources, for example line 1: .*auto"):
            check_tokenization(SOURCES[:4], RAW[:4])

    def test_a_third_of_raw_lines_is_refused(self):
        assert "line 1:" in refusal(SOURCES * 3, RAW + TOKENIZED * 2)

    def test_raw_sources_with_tokenized_predictions_are_refused_too(self):
        assert "not tokenised like their sources" in refusal(RAW, TOKENIZED)

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
        assert "not tokenised" in refusal([source] * 10, [raw] * 10)

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
            gecbench.compare({"first": TOKENIZED, "second": RAW}, corpus(), resamples=10)

    def test_metric_objects_refuse_too(self):
        with pytest.raises(InputError, match="not tokenised"):
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
        with pytest.raises(InputError, match="references are not tokenised like their sources, for example line 1: "):
            gecbench.score(TOKENIZED, corpus(RAW))

    def test_raw_references_are_tokenized_too(self):
        prepared = Preprocessing(tokenize="auto").prepare(corpus(RAW), RAW)
        assert prepared.corpus.references == tuple((text,) for text in TOKENIZED)
        assert prepared.lines == tuple(TOKENIZED)

    def test_unknown_way(self):
        with pytest.raises(InputError, match=r"tokenize='nltk' is unknown\. Use one of none, auto, treebank"):
            gecbench.score(RAW, corpus(), tokenize="nltk")

    def test_one_sentence_is_a_warning_and_a_score(self):
        one = corpus().select([0])
        with pytest.warns(RawTextWarning):
            assert 0 <= gecbench.score(RAW[:1], one)["gleu"].value < 1

    def test_evaluate_module(self):
        gleu = gecbench.load_metric("gleu")
        inputs = {"sources": SOURCES, "predictions": RAW, "references": [[text] for text in TOKENIZED]}
        with pytest.raises(InputError, match="not tokenised"):
            gleu.compute(**inputs)
        found = gleu.compute(**inputs, tokenize="auto")
        assert found["gleu"] == 1.0
        assert "|prep:auto:treebank|" in found["signature"]
        assert gleu.compute(**inputs, tokenized=True)["gleu"] < 0.5


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
        refused([*command, "-c", "demo", "-p", *files], "not tokenised like their sources.*--tokenize auto")

    def test_tokenized_on_the_way(self, raw_file, run):
        output = run("score", "-c", "demo", "-p", raw_file, "--tokenize", "auto", "-f", "json")
        (found,) = json.loads(output)["systems"][0]["scores"]
        assert found["value"] == gecbench.score(GOOD, DEMO)["gleu"].value
        assert "|prep:auto:treebank|" in found["signature"]

    def test_consent(self, raw_file, run):
        assert "prep:" not in run("score", "-c", "demo", "-p", raw_file, "--tokenized")

    def test_submission_refused(self, raw_file, folder, run, refused):
        submit = ["leaderboard", "submit", "-c", "demo", "-p", raw_file, "--name", "Raw", "--dry-run"]
        refused(submit, "not tokenised like their sources")
        run(*submit, "--tokenize", "auto")


@pytest.mark.parametrize("k", range(4))
def test_every_set_of_references_is_looked_at(k):
    columns = DEMO.reference_columns()
    columns[k] = gecbench.detokenize(columns[k])
    corpus = gecbench.Corpus(sources=DEMO.sources, references=list(zip(*columns, strict=True)))
    with pytest.raises(InputError, match="references are not tokenised like their sources"):
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
    with pytest.raises(InputError, match="not tokenised like their sources"):
        gecbench.score([source.replace(" ।", "।") for source in sources], corpus)


def test_one_string_is_no_list_of_texts():
    for function in (gecbench.tokenize, gecbench.detokenize):
        with pytest.raises(InputError, match="texts is a single str"):
            function("She likes cats.")
    with pytest.raises(InputError, match="2 lines for 1 sources"):
        gecbench.clean(["a", "b"], ["a"])


def test_the_human_bound_takes_raw_text():
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
        assert message.startswith(f"out.txt: nearly all predictions have {description}, for example line 1: ")
        assert "--clean" in message
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
    [('{{"prediction": "{}"}}', "JSON Lines"), ('7,"{}"', "a CSV table"), ("x ||| {}", "two texts on a line")],
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
        with pytest.warns(ForeignTextWarning, match="share hardly a word with their sources"):
            found = gecbench.score(FOREIGN, DEMO)
        assert found["gleu"].value < 0.05

    def test_foreign_text_can_be_made_an_error(self):
        with pytest.raises(InputError, match="share hardly a word with their lines"):
            gecbench.score(FOREIGN, DEMO, foreign="error")

    @pytest.mark.parametrize(
        ("lines", "message"),
        [(FOREIGN, "do not belong to the sources"), ([*GOOD[1:], GOOD[0]], "look shifted from line 1 on")],
    )
    def test_both_are_errors_on_the_command_line(self, lines, message, folder, refused):
        write_lines("lines.txt", lines)
        refused(["score", "-c", "demo", "-p", "lines.txt"], message)

    def test_shifted_raw_lines_are_an_error_after_tokenizing(self):
        with pytest.raises(InputError, match="look shifted"):
            gecbench.score([*RAW_GOOD[1:], RAW_GOOD[0]], DEMO, tokenize="auto")


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
        return ("shifted" if "neighbouring" in str(error) else "elsewhere"), line
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

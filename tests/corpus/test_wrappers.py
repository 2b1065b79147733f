"""What is put around corrections, and other formats: refused, and cleaned."""

import re

import pytest
from raw_sentences import DEMO, RAW, SOURCES, TOKENISED, corpus

import gecbench
from gecbench.corpus.prepare import check_tokenization, check_wrappers, clean
from gecbench.errors import InputError


def refused(*arguments, **options):
    with pytest.raises(InputError) as caught:
        check_tokenization(*arguments, **options)
    return str(caught.value)


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
        assert clean(TOKENISED, SOURCES) == (TOKENISED, {})

    def test_what_the_source_has_too_stays(self):
        sources = [f'" {text} "' for text in SOURCES]
        lines = [f'" {text} "' for text in TOKENISED]
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
        check_wrappers(SOURCES, [f"Note: {TOKENISED[0]}", *TOKENISED[1:]])

    def test_a_handful_of_lines_says_nothing(self):
        check_wrappers(SOURCES[:5], [f"Corrected sentence: {text}" for text in TOKENISED[:5]])


WRAPPINGS = {
    "words": ("The corrected sentence is {}", "a label before them \\(The corrected sentence is\\)"),
    "tags": ("<s> {} </s>", "markup around them"),
    "bold": ("**{}**", "markup around them"),
    "thoughts": ("<think>It is short.</think> {}", "markup around them"),
}


@pytest.mark.parametrize(("form", "message"), WRAPPINGS.values(), ids=WRAPPINGS)
def test_other_wrappers_are_refused_and_removed(form, message):
    good = gecbench.load_demo_systems()["good-corrector"]
    wrapped = [form.format(line) for line in good]
    with pytest.raises(InputError, match=message):
        gecbench.score(wrapped, DEMO)
    assert gecbench.clean(wrapped, DEMO.sources)[0] == good


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

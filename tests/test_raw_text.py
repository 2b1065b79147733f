"""Raw text: tokenisers by name, the way back, the source as a guide, and the check that refuses what is not tokenised.

Expected tokens are written by hand, after the Penn Treebank's conventions and the sources shown beside them.
"""

import json
import random
import re
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gecbench
from gecbench.cli import main
from gecbench.corpus.intake import ForeignTextWarning, Intake
from gecbench.corpus.raw_text import (
    RawTextWarning,
    check_tokenization,
    check_wrappers,
    clean,
    compare_tokenization,
)
from gecbench.corpus.source_guided import SourceGuide, guide_of, measure_tokenizer, plain_form
from gecbench.corpus.tokenizers import detokenize, make_tokenizer, tokenize
from gecbench.errors import InputError

DEMO = gecbench.load_demo()
GOOD = gecbench.load_demo_systems()["good-corrector"]
RAW_GOOD = detokenize(GOOD)

SOURCES = [
    "My uncle do n't likes the rain , but he walk every day .",
    "The bakers says that bread , butter and jam is enough .",
    "Are you sure that the ferry 's captain have seen us ?",
    "We has painted the door , the fence and the gate .",
    "What a lovely gardens you has , Maria !",
    "It is n't clear who have won the race .",
    "The twins , who is nine , goes to school by bicycle .",
    "Her brother 's boat are older than the harbour .",
    "Tomorrow , the mayor open the new bridge .",
    "Nobody know why the clock have stopped .",
]
TOKENISED = [
    "My uncle does n't like the rain , but he walks every day .",
    "The bakers say that bread , butter and jam are enough .",
    "Are you sure that the ferry 's captain has seen us ?",
    "We have painted the door , the fence and the gate .",
    "What a lovely garden you have , Maria !",
    "It is n't clear who has won the race .",
    "The twins , who are nine , go to school by bicycle .",
    "Her brother 's boat is older than the harbour .",
    "Tomorrow , the mayor opens the new bridge .",
    "Nobody knows why the clock has stopped .",
]
RAW = [
    "My uncle doesn't like the rain, but he walks every day.",
    "The bakers say that bread, butter and jam are enough.",
    "Are you sure that the ferry's captain has seen us?",
    "We have painted the door, the fence and the gate.",
    "What a lovely garden you have, Maria!",
    "It isn't clear who has won the race.",
    "The twins, who are nine, go to school by bicycle.",
    "Her brother's boat is older than the harbour.",
    "Tomorrow, the mayor opens the new bridge.",
    "Nobody knows why the clock has stopped.",
]


def corpus(references=TOKENISED):
    return gecbench.Corpus(sources=SOURCES, references=[[text] for text in references])


class TestTokenizers:
    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("treebank", "They ca n't , she said ( twice ) , it 's cheap ."),
            ("13a", "They can't , she said ( twice ) , it's cheap ."),
            ("intl", "They can ' t , she said ( twice ) , it ' s cheap ."),
            ("moses", "They can 't , she said ( twice ) , it 's cheap ."),
            ("spacy", "They ca n't , she said ( twice ) , it 's cheap ."),
        ],
    )
    def test_by_name(self, name, expected):
        if name in ("moses", "spacy"):
            pytest.importorskip({"moses": "sacremoses"}.get(name, name))
        assert tokenize(["They can't, she said (twice), it's cheap."], name) == [expected]

    def test_characters(self):
        assert tokenize(["我爱GEC，真的。", "これは ok です"], "char") == ["我 爱 GEC ， 真 的 。", "こ れ は ok で す"]

    def test_treebank_quotation_marks(self):
        assert tokenize(['"Run!" he cried.']) == ["`` Run ! '' he cried ."]

    def test_named_tokenisers_are_those_of_their_packages(self):
        bleu = pytest.importorskip("sacrebleu.tokenizers.tokenizer_13a").Tokenizer13a()
        for text in RAW:
            assert make_tokenizer("13a")(text) == bleu(text)

    def test_unknown_name_lists_the_known(self):
        with pytest.raises(InputError, match=r"unknown tokeniser 'nltk'. Known tokenisers: treebank, moses, spacy"):
            tokenize(["x"], "nltk")

    def test_already_tokenised_stays(self):
        assert tokenize(TOKENISED) == TOKENISED

    def test_hand_written_pairs(self):
        assert tokenize(RAW) == TOKENISED


class TestDetokenize:
    def test_hand_written_pairs(self):
        assert detokenize(TOKENISED) == RAW

    @pytest.mark.parametrize(
        ("tokens", "natural"),
        [
            ("`` Stop ! '' she said .", '"Stop!" she said.'),
            ('He calls it " art " , I do n\'t .', 'He calls it "art", I don\'t.'),
            ("Pay $ 5 ( or 6 ) now ; it 's 7 % more .", "Pay $5 (or 6) now; it's 7% more."),
            ("the boys ' room", "the boys' room"),
            ("我 爱 GEC ， 真 的 。", "我爱 GEC ，真的。"),
            ("Well ... perhaps", "Well... perhaps"),
            ("", ""),
        ],
    )
    def test_joins(self, tokens, natural):
        assert detokenize([tokens]) == [natural]


class TestGuide:
    def guided(self, source, raw, *others, tokenizer="treebank"):
        return SourceGuide([source, *others], tokenizer).tokenize(source, raw)

    def test_the_sources_boundaries_win_over_the_rule(self):
        # By rule "cannot" is two tokens and "make-up" one; the source says otherwise.
        source = "She cannot wear the make- up of 2 % ."
        assert self.guided(source, "She cannot wear any 2%.") == "She cannot wear any 2 % ."
        assert self.guided("I can not go .", "I cannot go.") == "I can not go ."
        assert self.guided("I cannot go .", "I cannot go home.") == "I cannot go home ."

    def test_glued_marks_of_the_source_stay_glued(self):
        # A learner wrote "late,so" and the corpus left it: whoever keeps it gets the same token.
        source = "It was late,so we leave ."
        assert self.guided(source, "It was late,so we left.") == "It was late,so we left ."
        assert self.guided(source, "It was late, so we left.") == "It was late , so we left ."

    def test_the_end_of_the_line_is_told_from_its_middle(self):
        source = "He works for Brown Inc. in the U.S. ."
        assert self.guided(source, "He worked for Brown Inc. in the U.S..") == "He worked for Brown Inc. in the U.S. ."

    def test_a_word_that_moved_from_the_end_keeps_its_boundaries(self):
        assert self.guided("Say it he cannot", "He cannot say it") == "He cannot say it"

    def test_many_marks_in_a_row(self):
        assert self.guided("Well . . . yes , I go .", "Well... yes, I went.") == "Well . . . yes , I went ."

    def test_what_changed_is_split_by_rule(self):
        source = "He do not know ."
        assert self.guided(source, "He doesn't know, sadly.") == "He does n't know , sadly ."

    def test_habits_of_the_corpus_where_the_source_is_silent(self):
        habits = ["They cannot come .", "We cannot stay ."]
        assert self.guided("I not can swim .", "I cannot swim.", *habits) == "I cannot swim ."
        # A corpus that writes both ways has no habit, and the rule decides.
        assert self.guided("I not can swim .", "I cannot swim.", *habits, "It can not be .") == "I can not swim ."

    def test_typographic_forms_follow_the_source(self):
        source = "She say : `` do n't go '' ..."
        assert self.guided(source, "She says: “don’t go”…") == "She says : `` do n't go '' ..."

    def test_quotation_marks_follow_the_source_then_the_corpus(self):
        raw = 'He say "yes" now.'
        assert self.guided('He says " yes " now .', raw) == 'He say " yes " now .'
        assert self.guided("He says `` yes '' now .", raw) == "He say `` yes '' now ."
        assert self.guided("He says yes now .", raw, "A `` b '' .") == "He say `` yes '' now ."
        assert self.guided("He says yes now .", raw, 'A " b " .') == 'He say " yes " now .'

    def test_full_stops_between_sentences(self):
        split, glued = "It rain . We stay .", "It rains.We stay at home.But why ."
        assert self.guided(split, "It rained. We stayed.") == "It rained . We stayed ."
        assert self.guided("It rain We stay .", "It rained. We stayed.", split) == "It rained . We stayed ."
        habit = "It rains. We stay at home. But why ."
        assert self.guided("It rain We stay .", "It rained. We stayed.", habit) == "It rained. We stayed ."
        assert self.guided(glued, glued.replace(" .", ".")) == glued

    def test_abbreviations_are_no_sentence_ends(self):
        assert self.guided("The U.S. Senate vote .", "The U.S. Senate votes.") == "The U.S. Senate votes ."

    def test_chinese_by_character(self):
        source = "我 昨 天 去 学 校 。"
        assert self.guided(source, "我昨天去了学校。", tokenizer="char") == "我 昨 天 去 了 学 校 。"

    def test_tokens_keep_the_letters(self):
        guide = SourceGuide(SOURCES, "treebank")
        for source, raw in zip(SOURCES, RAW, strict=True):
            assert guide.tokenize(source, raw).replace(" ", "") == raw.replace(" ", "")

    def test_hand_written_pairs(self):
        guide = guide_of(corpus())
        assert [guide.tokenize(source, raw) for source, raw in zip(SOURCES, RAW, strict=True)] == TOKENISED

    def test_edits_teach_where_there_are_no_references(self):
        # Only the annotator's edit shows that this corpus keeps "cannot" whole.
        edit = gecbench.Edit(1, 2, ("cannot",))
        annotated = gecbench.Corpus(
            sources=["He not swim .", "They not can swim ."],
            annotations=[[gecbench.Annotation(0, (edit,))], [gecbench.Annotation(0, ())]],
            metadata={"tokenizer": "treebank"},
        )
        assert guide_of(annotated).tokenize(annotated.sources[1], "They cannot swim.") == "They cannot swim ."

    def test_edits_that_cannot_be_applied_teach_nothing(self):
        edits = (gecbench.Edit(0, 2, ("a",)), gecbench.Edit(1, 3, ("b",)))
        annotated = gecbench.Corpus(
            sources=["He not swim ."],
            annotations=[[gecbench.Annotation(0, edits)]],
            metadata={"tokenizer": "treebank"},
        )
        assert guide_of(annotated).tokenize("He not swim .", "He swims.") == "He swims ."

    @pytest.mark.parametrize(
        ("lines", "expected"),
        [
            (SOURCES, "treebank"),
            (RAW, "none"),
            (["我 昨 天 去 学 校 。", "他 不 喜 欢 苹 果 ， 真 的 。"], "char"),
            (["I don't know , she can't .", "He won't say it's cold ."], "13a"),
        ],
    )
    def test_the_tokeniser_is_measured_on_the_sources(self, lines, expected):
        assert measure_tokenizer(lines) == expected

    def test_the_tokeniser_of_the_demo(self):
        # Its sources have one contraction; the references tell that "I 'll" is two tokens.
        assert guide_of(DEMO).tokenizer == "treebank"

    def test_plain_forms(self):
        assert plain_form("“a” ``b'' ‘c’ d… «e»") == '"a" "b" \'c\' d... "e"'


class TestLaws:
    GUIDE = guide_of(DEMO)

    @given(st.integers(0, len(DEMO) - 1))
    @settings(max_examples=60, deadline=None)
    def test_a_source_comes_back(self, i):
        source = DEMO.sources[i]
        assert self.GUIDE.tokenize(source, detokenize([source])[0]) == source

    @given(st.integers(0, len(DEMO) - 1), st.integers(0, 3))
    @settings(max_examples=100, deadline=None)
    def test_a_reference_comes_back(self, i, k):
        reference = DEMO.references[i][k]
        assert self.GUIDE.tokenize(DEMO.sources[i], detokenize([reference])[0]) == reference

    @given(st.integers(0, len(DEMO) - 1), st.data())
    @settings(max_examples=100, deadline=None)
    def test_unchanged_tokens_stay(self, i, data):
        """Text made of the source's own tokens, in any order, is unchanged."""
        tokens = DEMO.sources[i].split()
        text = " ".join(data.draw(st.lists(st.sampled_from(tokens), max_size=12)))
        assert self.GUIDE.tokenize(DEMO.sources[i], text) == text

    @given(st.text(max_size=60))
    @settings(max_examples=200, deadline=None)
    def test_any_text_gives_single_blanks(self, text):
        found = self.GUIDE.tokenize(DEMO.sources[0], text)
        assert found == " ".join(found.split())
        assert bool(found) == bool(text.split())

    @given(st.lists(st.sampled_from(["cat", "runs", "42", ",", ".", "!", "(", ")", "n't", "'s", "we"]), max_size=10))
    @settings(deadline=None)
    def test_no_letter_is_lost(self, tokens):
        text = " ".join(tokens)
        assert detokenize([text])[0].replace(" ", "") == text.replace(" ", "")


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
        assert Intake(tokenize="auto").admit(corpus(), odd).lines == tuple(odd)

    def test_auto_on_a_natural_corpus_does_nothing(self):
        natural = gecbench.Corpus(sources=detokenize(SOURCES), references=[[text] for text in RAW])
        admitted = Intake(tokenize="auto").admit(natural, RAW)
        assert admitted.lines == tuple(RAW)
        assert admitted.preparation == "auto:none"

    def test_a_natural_corpus_by_a_named_tokeniser(self):
        natural = gecbench.Corpus(sources=detokenize(SOURCES), references=[[text] for text in RAW])
        admitted = Intake(tokenize="treebank").admit(natural, RAW)
        assert admitted.corpus.sources == tuple(SOURCES)
        assert admitted.corpus.references == tuple((text,) for text in TOKENISED)
        assert admitted.lines == tuple(TOKENISED)

    def test_raw_references_are_refused(self):
        with pytest.raises(InputError, match="references are not tokenised like their sources, for example line 1: "):
            gecbench.score(TOKENISED, corpus(RAW))

    def test_raw_references_are_tokenised_too(self):
        admitted = Intake(tokenize="auto").admit(corpus(RAW), RAW)
        assert admitted.corpus.references == tuple((text,) for text in TOKENISED)
        assert admitted.lines == tuple(TOKENISED)

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


@pytest.mark.parametrize("k", range(4))
def test_every_set_of_references_is_looked_at(k):
    columns = DEMO.reference_columns()
    columns[k] = gecbench.detokenize(columns[k])
    corpus = gecbench.Corpus(sources=DEMO.sources, references=list(zip(*columns, strict=True)))
    with pytest.raises(InputError, match="references are not tokenised like their sources"):
        gecbench.score(DEMO.sources, corpus)
    tokenised = Intake("treebank").admit(corpus, DEMO.sources).corpus
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

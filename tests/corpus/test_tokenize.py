"""Tokenizers, detokenization, and tokenization guided by the source."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from raw_sentences import DEMO, RAW, SOURCES, TOKENIZED, corpus

import gecbench
from gecbench.corpus.prepare import guide_of
from gecbench.corpus.tokenize import SourceGuide, detokenize, make_tokenizer, measure_tokenizer, plain_form, tokenize
from gecbench.errors import InputError


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

    def test_named_tokenizers_are_those_of_their_packages(self):
        bleu = pytest.importorskip("sacrebleu.tokenizers.tokenizer_13a").Tokenizer13a()
        for text in RAW:
            assert make_tokenizer("13a")(text) == bleu(text)

    def test_unknown_name_lists_the_known(self):
        with pytest.raises(InputError, match=r"unknown tokeniser 'nltk'. Known tokenisers: treebank, moses, spacy"):
            tokenize(["x"], "nltk")

    def test_already_tokenized_stays(self):
        assert tokenize(TOKENIZED) == TOKENIZED

    def test_hand_written_pairs(self):
        assert tokenize(RAW) == TOKENIZED


class TestDetokenize:
    def test_hand_written_pairs(self):
        assert detokenize(TOKENIZED) == RAW

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

    def test_the_end_of_the_line_is_reported_from_its_middle(self):
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
        assert [guide.tokenize(source, raw) for source, raw in zip(SOURCES, RAW, strict=True)] == TOKENIZED

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
    def test_the_tokenizer_is_measured_on_the_sources(self, lines, expected):
        assert measure_tokenizer(lines) == expected

    def test_the_tokenizer_of_the_demo(self):
        # Its sources have one contraction; the references tell that "I 'll" is two tokens.
        assert guide_of(DEMO).tokenizer == "treebank"

    def test_plain_forms(self):
        assert plain_form("“a” ``b'' ‘c’ d… «e»") == '"a" "b" \'c\' d... "e"'


class TestLaws:
    GUIDE = guide_of(DEMO)

    @given(st.integers(0, len(DEMO) - 1))
    @settings(max_examples=60)
    def test_a_source_comes_back(self, i):
        source = DEMO.sources[i]
        assert self.GUIDE.tokenize(source, detokenize([source])[0]) == source

    @given(st.integers(0, len(DEMO) - 1), st.integers(0, 3))
    @settings(max_examples=100)
    def test_a_reference_comes_back(self, i, k):
        reference = DEMO.references[i][k]
        assert self.GUIDE.tokenize(DEMO.sources[i], detokenize([reference])[0]) == reference

    @given(st.integers(0, len(DEMO) - 1), st.data())
    @settings(max_examples=100)
    def test_unchanged_tokens_stay(self, i, data):
        """Text made of the source's own tokens, in any order, is unchanged."""
        tokens = DEMO.sources[i].split()
        text = " ".join(data.draw(st.lists(st.sampled_from(tokens), max_size=12)))
        assert self.GUIDE.tokenize(DEMO.sources[i], text) == text

    @given(st.text(max_size=60))
    @settings(max_examples=100)
    def test_any_text_gives_single_blanks(self, text):
        found = self.GUIDE.tokenize(DEMO.sources[0], text)
        assert found == " ".join(found.split())
        assert bool(found) == bool(text.split())

    @given(st.lists(st.sampled_from(["cat", "runs", "42", ",", ".", "!", "(", ")", "n't", "'s", "we"]), max_size=10))
    def test_no_letter_is_lost(self, tokens):
        text = " ".join(tokens)
        assert detokenize([text])[0].replace(" ", "") == text.replace(" ", "")

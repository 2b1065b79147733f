"""Rewards: sentence scores of raw completions, each by itself, whatever a model writes."""

import pickle
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

import gecbench
from gecbench import InputError, reward

DEMO, SYSTEMS = gecbench.load_demo(), gecbench.load_demo_systems()
COLUMNS = {"sentence": list(DEMO.sources), "corrections": [list(texts) for texts in DEMO.references]}
GOOD = SYSTEMS["good-corrector"]
NAMES = ("gleu", "m2", "green", "imeasure")
ONE = {"source": ["He go home now ."], "references": [["He goes home now ."]]}


def made(name, **options):
    return reward(name, source="sentence", references="corrections", **options)


def chat(text):
    return [{"role": "assistant", "content": text}]


@pytest.mark.parametrize("name", NAMES)
class TestValues:
    def test_sentence_scores_of_tokens_and_raw_text(self, name):
        expected = gecbench.score(GOOD, DEMO.replace(annotations=None), name)[name].sentence_scores().tolist()
        assert made(name)(GOOD, **COLUMNS) == expected
        assert made(name)(gecbench.detokenize(GOOD), **COLUMNS) == expected

    def test_chat_completions(self, name):
        expected = made(name)(GOOD, **COLUMNS)
        assert made(name)([chat(text) for text in GOOD], **COLUMNS) == expected
        parts = [[{"role": "assistant", "content": [{"type": "text", "text": text}]}] for text in GOOD]
        assert made(name)(parts, **COLUMNS) == expected
        assert made(name)([chat(f"<think>Let me see.</think>\n\n{text}\n") for text in GOOD], **COLUMNS) == expected

    def test_no_dependence_on_the_batch(self, name):
        texts = gecbench.detokenize([*GOOD[:20], *SYSTEMS["rule-based"][20:40], "", "x " * 3000])
        texts[3] = "Zebra quartz violin marble ."
        whole = made(name)(texts, **COLUMNS)
        order = random.Random(5).sample(range(len(texts)), len(texts))
        for size in (1, 7):
            found = {}
            for begin in range(0, len(order), size):
                part = order[begin : begin + size]
                rows = {column: [values[i] for i in part] for column, values in COLUMNS.items()}
                found |= dict(zip(part, made(name)([texts[i] for i in part], **rows), strict=True))
            assert [found[i] for i in range(len(texts))] == whole

    def test_copies_and_threads(self, name):
        function = pickle.loads(pickle.dumps(made(name)))
        expected = made(name)(GOOD, **COLUMNS)
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: function(GOOD, **COLUMNS), range(8)))
        assert found == [expected] * 8

    def test_an_empty_batch(self, name):
        assert made(name)([], sentence=[], corrections=[]) == []


GARBAGE = {
    "empty": "",
    "blanks": " \n\t ",
    "None": None,
    "number": 3,
    "no messages": [],
    "a tool's message": [{"role": "tool", "content": "He goes home now ."}],
    "no content": [{"role": "assistant", "content": None}],
    "unrelated": "Zebra quartz violin marble",
    "signs": "#%&/()=?" * 5,
    "surrogate": "\ud800\udfff \ud801",
    "NUL": "\0\0\0",
    "an unfinished thought": "<think>He goes home now .",
    "very long": "He goes home now . " * 500,
}


@pytest.mark.parametrize("completion", GARBAGE.values(), ids=GARBAGE)
@pytest.mark.parametrize(("name", "lowest"), [("gleu", 0.0), ("m2", 0.0), ("green", 0.0), ("imeasure", -1.0)])
def test_garbage_gets_the_lowest_value(completion, name, lowest):
    rows = {column: values * 2 for column, values in ONE.items()}
    assert reward(name)([completion, "He goes home now."], **rows) == [lowest, 1.0]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_that_a_model_writes_raises(name):
    chance = random.Random(8)
    letters = ["a", "\n", " ", "'", '"', "`", "\0", "\ud800", "é", "语", "<think>", "</think>", ". ", "He ", "home "]
    texts = ["".join(chance.choices(letters, k=chance.randrange(60))) for _ in range(200)]
    found = reward(name)(texts, source=ONE["source"] * 200, references=ONE["references"] * 200)
    assert all(-1 <= value <= 1 for value in found)


class TestOptions:
    def test_raw_sources_and_references(self):
        rows = {"source": ["He go home, and sleep."], "references": [["He goes home, and sleeps."]]}
        assert reward("m2")(["He goes home, and sleeps."], **rows) == [1.0]
        # one of two edits, none of them wrong: P 1, R 1/2, F0.5 = 1.25 * 0.5 / (0.25 + 0.5)
        assert reward("m2")(["He goes home, and sleep."], **rows) == pytest.approx([0.625 / 0.75])

    def test_chinese_is_split_by_character(self):
        rows = {"source": ["他 去 家 。"], "references": [["他 回 家 。"]]}
        assert reward("m2")(["他回家。"], **rows) == [1.0]

    def test_text_as_it_is(self):
        assert reward("m2", tokenize="none")(["He goes home now."], **ONE) != [1.0]
        assert reward("m2", tokenize="treebank")(["He goes home now."], **ONE) == [1.0]

    def test_a_single_text_and_several_columns(self):
        single = {"source": ["He go ."], "target": ["He goes ."]}
        assert reward("m2", references="target")(["He goes ."], **single) == [1.0]
        two = reward("m2", references=["target", "other"])
        assert two(["He went ."], **single, other=["He went ."]) == [1.0]

    def test_improvement_over_the_source(self):
        better = reward("gleu", baseline="source")
        copied, corrected, empty = better(
            ["He go home now.", "He goes home now.", ""], **{k: v * 3 for k, v in ONE.items()}
        )
        source = gecbench.GLEU().score(sources=ONE["source"], predictions=ONE["source"], references=ONE["references"])
        assert copied == 0
        assert corrected == 1 - source.sentence_scores()[0]
        assert empty == -source.sentence_scores()[0]

    def test_overcorrection(self):
        # of five words one is new without need ("really") and one that the reference keeps is gone ("now"): 2/5
        plain, strict = reward("gleu"), reward("gleu", overcorrection=0.5)
        text = ["He goes home really ."]
        assert strict(text, **ONE)[0] == pytest.approx(plain(text, **ONE)[0] - 0.5 * 2 / 5)
        assert strict(["He goes home now ."], **ONE) == [1.0], "a correction costs nothing"
        assert strict(["He go home now ."], **ONE) == plain(["He go home now ."], **ONE)

    def test_the_name_that_trainers_log(self):
        assert reward("gleu").__name__ == "gleu"
        assert reward("gleu(order=2)").metric.order == 2


class TestRefused:
    def test_columns(self):
        with pytest.raises(InputError, match=r"no column 'source' \(columns: sentence, corrections\)\. .*reward"):
            reward("gleu")(GOOD, **COLUMNS)
        with pytest.raises(InputError, match="the column 'source' has 1 row for 2 completions"):
            reward("gleu")(["a", "b"], **ONE)
        with pytest.raises(InputError, match=r"row 0 \(counted from 0\) has no reference in 'references'"):
            reward("gleu")(["a"], source=["a"], references=[[]])

    def test_options(self):
        with pytest.raises(InputError, match="unknown metric 'blue'"):
            reward("blue")
        with pytest.raises(InputError, match="unknown tokenizer 'words'"):
            reward("gleu", tokenize="words")
        with pytest.raises(InputError, match="baseline='zero' is unknown"):
            reward("gleu", baseline="zero")
        with pytest.raises(InputError, match="overcorrection=-1 is negative or not a number"):
            reward("gleu", overcorrection=-1)
        with pytest.raises(InputError, match="is a function, not a metric"):
            reward("python:textwrap:dedent")

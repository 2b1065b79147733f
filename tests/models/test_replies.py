"""The sentence in what a chat model writes."""

import pytest

from gecbench.models.replies import Reading, as_answer, count_outcomes, read_reply, summarize_outcomes

SOURCE = "He go to school by feet every day."
RIGHT = "He goes to school on foot every day."
WRAPPED = {
    "nothing": RIGHT,
    "blanks": f"\n  {RIGHT} \n",
    "a fence": f"```\n{RIGHT}\n```",
    "a fence with a language": f"```text\n{RIGHT}\n```",
    "a fence on one line": f"```{RIGHT}```",
    "a fence and a remark": f"```\n{RIGHT}\n```\nI changed two words.",
    "a label": f"Corrected sentence: {RIGHT}",
    "a label on its own line": f"Here is the corrected sentence:\n{RIGHT}",
    "a label, a fence and a remark": f"Here is the corrected sentence:\n\n```\n{RIGHT}\n```\n\nLet me know!",
    "quotes": f'"{RIGHT}"',
    "a label and quotes": f"Here's the corrected version:\n\n“{RIGHT}”",
    "stars": f"**{RIGHT}**",
    "an explanation": f"{RIGHT}\n\nExplanation: 'go' must agree with 'he'.",
    "a remark in brackets": f"{RIGHT}\n(go → goes, by feet → on foot)",
    "a friendly start": f"Sure! I can help you with this one.\n\n{RIGHT}",
    "thoughts": f"<think>\nHe go: wrong.\n\n{SOURCE}\n</think>\n\n{RIGHT}",
    "the end of thoughts": f"go must be goes.\n</think>\n{RIGHT}",
    "thoughts and a fence": f"<think>hm</think>```\n{RIGHT}\n```",
}


@pytest.mark.parametrize("reply", WRAPPED.values(), ids=WRAPPED)
def test_what_is_around_a_sentence(reply):
    reading = read_reply(reply, SOURCE)
    assert (reading.text, reading.outcome) == (RIGHT, "answered")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\n\n"])
def test_sentences_on_several_lines_stay_together(end):
    source = "I am agree. We meets tomorrow."
    together = Reading("I agree. We will meet tomorrow.", "answered")
    assert read_reply(f"I agree.{end}We will meet tomorrow.{end}", source) == together


@pytest.mark.parametrize(
    "source",
    [
        'He said: "I am agree."',
        '"I am agree," he say.',
        "I am sorry, but I can not to come at your party.",
        "Sorry for my late answer, I were ill.",
        "Result: nobody know it.",
        "1. He go home.",
        "``` is a fence.",
    ],
)
def test_a_source_that_looks_wrapped_or_sorry(source):
    assert read_reply(source, source) == Reading(source, "answered")
    better = source.replace("am agree", "agree").replace("to come at", "come to").replace("know it", "knows it")
    assert read_reply(better, source) == Reading(better, "answered")


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, but I can't assist with that.",
        "I cannot help with this request.",
        "As an AI language model, I must not repeat this.",
        "Sorry, I can’t do that.",
    ],
)
def test_refusals(reply):
    assert read_reply(reply, SOURCE) == Reading(SOURCE, "refused")


def test_half_letters():
    assert read_reply("He goes \ud83d home.", "He go home.") == Reading("He goes ? home.", "answered")


def test_removed_text_is_counted_for_each_rule():
    replies = [f"```\n{RIGHT}\n```", f'Corrected: "{RIGHT}"', f"{RIGHT}\n\nLet me know!", f"Corrected: {RIGHT}", RIGHT]
    answers = [as_answer(k, reply, read_reply(reply, SOURCE), requests=1) for k, reply in enumerate(replies, start=1)]
    assert summarize_outcomes(count_outcomes(answers)) == [
        "5 sentences sent: 5 answered",
        "removed fence from 1 answer, label from 2 answers, quotes from 1 answer, lines from 1 answer",
    ]


def test_nothing_removed_is_not_mentioned():
    answers = [as_answer(1, RIGHT, read_reply(RIGHT, SOURCE), requests=1)]
    assert summarize_outcomes(count_outcomes(answers)) == ["1 sentence sent: 1 answered"]

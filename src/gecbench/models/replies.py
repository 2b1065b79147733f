"""From what a chat model writes to one corrected sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import Literal

from gecbench.corpus.checks import overlap
from gecbench.corpus.raw_text import clean
from gecbench.models.base import flatten

LONGEST = 20_000
_PASSES = 3
_UNLIKE = 0.2
_REFUSAL = re.compile(
    r"(?:I['’]?m|I am)(?: very)? (?:sorry|unable|not able)|sorry\b|I (?:can(?:['’]t|not| not)|won['’]t|must decline)"
    r"|as an AI\b|unfortunately, I\b",
    re.IGNORECASE,
)
_FENCED = re.compile(r"```\w*[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)

Outcome = Literal["answered", "cut off", "refused", "empty", "too long"]
UNANSWERED: tuple[Outcome, ...] = ("refused", "empty", "too long")


@dataclass(frozen=True)
class Reading:
    """The sentence in a reply, what became of it, and the rules that took something away."""

    text: str
    outcome: Outcome
    cleaned: tuple[str, ...] = ()


def read_reply(reply: str, source: str, *, refused: bool = False, cut: bool = False) -> Reading:
    r"""Return the corrected sentence that a reply holds; the source as it is where the reply holds none.

    Thoughts, fences, labels, quotation marks and explanations are taken away, unless the source has them too; of
    several lines those most like the source are taken.

    >>> read_reply("Here is the corrected sentence:\n\n```\nHe goes home.\n```", "He go home.")
    Reading(text='He goes home.', outcome='answered', cleaned=('fence',))
    """
    if len(reply) > LONGEST:
        return Reading(source, "too long")
    text, rules = _bare(_without_thoughts(encodable(reply)), source)
    if refused or _refuses(text, source):
        return Reading(source, "refused")
    if not text:
        return Reading(source, "empty")
    return Reading(text, "cut off" if cut else "answered", tuple(dict.fromkeys(rules)))


def encodable(text: str) -> str:
    """Return the text with a question mark for each lone surrogate, which no file can hold."""
    return text.encode(errors="replace").decode()


def _bare(text: str, source: str) -> tuple[str, list[str]]:
    rules: list[str] = []
    if "```" not in source and (block := _FENCED.search(text)):
        text, rules = block[1], ["fence"]
    for _ in range(_PASSES):
        (cleaned,), touched = clean([text.strip()], [source])
        chosen = _most_like(cleaned.strip(), source)
        rules += [*touched, *(["lines"] if chosen != flatten(cleaned).strip() else [])]
        if chosen == text:
            break
        text = chosen
    return text, rules


def _without_thoughts(reply: str) -> str:
    answer = reply.rpartition("</think>")[2].strip()
    return "" if answer.startswith("<think>") else answer


def _refuses(text: str, source: str) -> bool:
    return bool(_REFUSAL.match(text)) and not _REFUSAL.match(source) and overlap(source, text) < _UNLIKE


def _most_like(text: str, source: str) -> str:
    """Return the whole text, one of its paragraphs or one of its lines, on one line."""
    if text == flatten(text):
        return text
    from rapidfuzz.distance import Indel

    candidates = [text, *re.split(r"\n\s*\n", text), *text.splitlines()]
    return max((flatten(each).strip() for each in candidates), key=partial(Indel.normalized_similarity, source))

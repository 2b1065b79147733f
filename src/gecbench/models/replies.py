"""Parse the replies of chat models into corrected sentences, and count outcomes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from gecbench.corpus.corpus import overlap
from gecbench.corpus.prepare import clean
from gecbench.errors import counted
from gecbench.models.base import Answer, flatten

LONGEST = 20_000
_PASSES = 3
_UNRELATED = 0.2  # a refusal shares less than this fraction of its tokens with the source
_KEPT = 2_000
_SHOWN = 10
_REFUSAL = re.compile(
    r"(?:I['’]?m|I am)(?: very)? (?:sorry|unable|not able)|sorry\b|I (?:can(?:['’]t|not| not)|won['’]t|must decline)"
    r"|as an AI\b|unfortunately, I\b",
    re.IGNORECASE,
)
_OPENING_FENCE = re.compile(r"```\w*[ \t]*\n")
Outcome = Literal["answered", "cut off", "refused", "empty", "too long"]
UNANSWERED: tuple[Outcome, ...] = ("refused", "empty", "too long")


@dataclass(frozen=True)
class Reading:
    """The sentence in a reply, its outcome, and the rules that cleaned the reply."""

    text: str
    outcome: Outcome
    cleaned: tuple[str, ...] = ()


def read_reply(reply: str, source: str, *, refused: bool = False, cut: bool = False) -> Reading:
    r"""Return the corrected sentence in a reply, or the source if there is none.

    Thinking (`<think>`), code fences, labels, quotation marks and explanations are removed, unless the source also has
    them. If several lines are left, the line or paragraph closest to the source is used.

    >>> read_reply("Here is the corrected sentence:\n\n```\nHe goes home.\n```", "He go home.")
    Reading(text='He goes home.', outcome='answered', cleaned=('fence',))
    """
    if len(reply) > LONGEST:
        return Reading(source, "too long")
    text, rules = _unwrap(_without_thoughts(encodable(reply)), source)
    if refused or _is_refusal(text, source):
        return Reading(source, "refused")
    if not text:
        return Reading(source, "empty")
    return Reading(text, "cut off" if cut else "answered", tuple(dict.fromkeys(rules)))


def encodable(text: str) -> str:
    """Replace lone surrogates, which cannot be encoded, with question marks."""
    return text.encode(errors="replace").decode()


def _unwrap(text: str, source: str) -> tuple[str, list[str]]:
    rules: list[str] = []
    if "```" not in source and (block := _fenced(text)) is not None:
        text, rules = block, ["fence"]
    for _ in range(_PASSES):
        (cleaned,), touched = clean([text.strip()], [source])
        chosen = _closest_to_source(cleaned.strip(), source)
        rules += [*touched, *(["lines"] if chosen != flatten(cleaned).strip() else [])]
        if chosen == text:
            break
        text = chosen
    return text, rules


def _fenced(text: str) -> str | None:
    """Return the text inside the first Markdown fence."""
    opening = _OPENING_FENCE.search(text)
    end = text.find("```", opening.end()) if opening else -1
    return text[opening.end() : end].rstrip(" \t").removesuffix("\n") if opening and end >= 0 else None


def _without_thoughts(reply: str) -> str:
    answer = reply.rpartition("</think>")[2].strip()
    return "" if answer.startswith("<think>") else answer


def _is_refusal(text: str, source: str) -> bool:
    return bool(_REFUSAL.match(text)) and not _REFUSAL.match(source) and overlap(source, text) < _UNRELATED


def _closest_to_source(text: str, source: str) -> str:
    """Return the text, paragraph or line that is closest to the source, on one line."""
    if text == flatten(text):
        return text
    from rapidfuzz.distance import Indel

    candidates = [text, *re.split(r"\n\s*\n", text), *text.splitlines()]
    return max((flatten(each).strip() for each in candidates), key=partial(Indel.normalized_similarity, source))


def as_answer(line: int, reply: str, reading: Reading, **facts: Any) -> Answer:
    """Return the answer in a reply.

    If the reply was cleaned or not usable, its first 2,000 characters are added to the facts.
    """
    facts = {"outcome": reading.outcome, **facts}
    if reading.cleaned:
        facts["cleaned"] = list(reading.cleaned)
    if reading.cleaned or reading.outcome in UNANSWERED:
        facts["answer"] = reply[:_KEPT]
    return Answer(line, reading.text, facts)


def count_outcomes(answers: Iterable[Answer]) -> dict[str, Any]:
    """Count outcomes and cleaning rules, and list cleaned and unusable replies."""
    read = [answer for answer in answers if "outcome" in answer.facts]
    return {
        "outcomes": dict(Counter(answer.facts["outcome"] for answer in read)),
        "at limit": sum(answer.facts.get("cut", False) for answer in read),
        "cleaned": dict(Counter(rule for answer in read for rule in answer.facts.get("cleaned", ()))),
        "answers": [
            {"line": answer.line, "outcome": answer.facts["outcome"], "answer": answer.facts["answer"]}
            for answer in read
            if "answer" in answer.facts
        ],
    }


def summarize_outcomes(account: Mapping[str, Any]) -> list[str]:
    """Return the counts of `count_outcomes` as lines of text."""
    lines = [_outcome_line(account["outcomes"], account["answers"])]
    if account["at limit"]:
        lines.append(
            f"{counted(account['at limit'], 'answer stops', 'answers stop')} at the token limit (--max-new-tokens)"
        )
    if account["cleaned"]:
        rules = ", ".join(f"{rule} from {counted(count, 'answer')}" for rule, count in account["cleaned"].items())
        lines.append(f"removed {rules}")
    return lines


def _outcome_line(outcomes: Mapping[str, int], answers: Sequence[Mapping[str, Any]]) -> str:
    total = sum(outcomes.values())
    found = ", ".join(f"{count} {name}" for name, count in outcomes.items())
    left = [each["line"] for each in answers if each["outcome"] in UNANSWERED]
    shown = ", ".join(map(str, left[:_SHOWN])) + (", …" if len(left) > _SHOWN else "")
    where = f"line{'s' if len(left) > 1 else ''} {shown}"
    unchanged = f"; sentences without an answer stay unchanged ({where})" if left else ""
    return f"{counted(total, 'sentence')} sent: {found}{unchanged}"

"""What became of a model's replies: read, counted, and told in a few lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gecbench.models.base import Answer
from gecbench.models.replies import UNANSWERED, Reading

_KEPT = 2_000
_SHOWN = 10


def as_answer(line: int, reply: str, reading: Reading, **facts: Any) -> Answer:
    """Return the answer in a reply, with the reply itself where it was not plainly a sentence."""
    facts = {"outcome": reading.outcome, **facts}
    if reading.cleaned:
        facts["cleaned"] = list(reading.cleaned)
    if reading.cleaned or reading.outcome in UNANSWERED:
        facts["answer"] = reply[:_KEPT]
    return Answer(line, reading.text, facts)


def count_outcomes(answers: Iterable[Answer]) -> dict[str, Any]:
    """Return outcomes and rules of cleaning, counted, and what was not plainly answered."""
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


def tell_outcomes(account: Mapping[str, Any]) -> list[str]:
    """Return how many sentences were answered, what was not, and what was taken away, in lines."""
    lines = [_outcomes(account["outcomes"], account["answers"])]
    if account["at limit"]:
        lines.append(f"{account['at limit']} answers stop at the limit of tokens (--max-new-tokens)")
    if account["cleaned"]:
        rules = ", ".join(f"{rule} {count}" for rule, count in account["cleaned"].items())
        lines.append(f"taken away around answers: {rules}")
    return lines


def _outcomes(outcomes: Mapping[str, int], answers: Sequence[Mapping[str, Any]]) -> str:
    total = sum(outcomes.values())
    counted = ", ".join(f"{count} {name}" for name, count in outcomes.items())
    left = [each["line"] for each in answers if each["outcome"] in UNANSWERED]
    shown = ", ".join(map(str, left[:_SHOWN])) + (", …" if len(left) > _SHOWN else "")
    where = f"line{'s' if len(left) > 1 else ''} {shown}"
    unchanged = f"; without an answer a sentence stays as it is ({where})" if left else ""
    return f"{total} sentences sent: {counted}{unchanged}"

"""Hostile submissions to a leaderboard, hostile records, and files of a stopped run."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from boards import DEMO, GOOD
from hypothesis import strategies as st

from gecbench import Corpus
from gecbench.leaderboard.submission import Submission, score_submission
from gecbench.models import make_model, partial_path
from gecbench.models.correction import run_key

from .. import formats
from ..confined import Case
from ..explore import attack
from ..formats import damaged, spoiled
from .files import TOKENIZED

SOURCES = ["a b c", "the cat goes .", "b"]


@functools.cache
def _scored() -> str:
    return score_submission(Submission("A", GOOD, date="2026-01-02"), DEMO, resamples=20).record.to_json()


def good_record() -> dict[str, Any]:
    """Return a record that can be read."""
    link = {"title": "paper", "url": "https://example.org"}
    return {**json.loads(_scored()), "links": [link]}


def good_journal() -> list[dict[str, Any]]:
    """Return the journal that a run leaves if it is stopped after two sentences."""
    header = run_key(make_model("cmd:cat"), Corpus(sources=SOURCES, name="s.txt"))
    return [header, {"line": 1, "prediction": "a c"}, {"line": 3, "prediction": ""}]


def _corpus() -> bytes:
    rows = [{"source": source, "references": [source, "a cat"]} for source in SOURCES]
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def can_be_said(*words: str) -> bool:
    """Return whether a process can be started with these words."""
    return not any("\x00" in word or any("\ud800" <= letter <= "\udfff" for letter in word) for word in words)


_submitted = st.builds(
    lambda ending, content, name, about, links: Case(
        [
            *("leaderboard", "submit", "-c", "c.jsonl", "-p", f"p{ending}", *TOKENIZED),
            *(f"--name={name}", f"--description={about}", *(f"--link={link}" for link in links)),
        ],
        {"c.jsonl": _corpus(), f"p{ending}": content},
        frozenset({"board/"}),
    ),
    st.sampled_from([".txt", ".txt", ".jsonl", ".csv", ".tsv", ".gz", ""]),
    damaged(formats.text_lines(3) | formats.text_lines(3, formats.plain_sentences)),
    st.one_of(st.just("A"), formats.words),
    formats.sentences,
    st.lists(st.sampled_from(["https://example.org", "javascript:alert(1)", "http://[", "", "\u202e"]), max_size=2),
).filter(lambda case: can_be_said(*case.arguments))

_records = st.builds(
    lambda action, records: Case(
        action,
        {f"board/records/{number}.json": content for number, content in enumerate(records)},
        frozenset({"site/"}),
    ),
    st.sampled_from(
        [["leaderboard", "list"], ["leaderboard", "list", "-f", "markdown"], ["leaderboard", "build", "-o", "site"]]
    ),
    st.lists(damaged(formats.changed_json(good_record)), min_size=1, max_size=3),
)

_journals = st.builds(
    lambda journal, more: Case(
        ["run", "--model", "cmd:cat", "-s", "s.txt", "-r", "s.txt", "--aligned", "-o", "out.txt", *more],
        {"s.txt": "".join(f"{source}\n" for source in SOURCES).encode(), partial_path(Path("out.txt")).name: journal},
        frozenset({"out."}),
    ),
    damaged(formats.json_lines(spoiled(st.builds(good_journal)).filter(lambda rows: isinstance(rows, list)))),
    st.sampled_from([[], [], ["--restart"]]),
)

ATTACKS = [
    attack("submissions", "outputs, names, descriptions and links, submitted to a leaderboard", _submitted, share=0.5),
    attack(
        "records",
        "leaderboard records that were changed or cut off or are not JSON; the board is listed and its page is built",
        _records,
        share=0.5,
    ),
    attack(
        "resumed",
        "files of a stopped run that were changed or cut off or are not JSON; then the run resumes",
        _journals,
        share=0.5,
    ),
]

"""What a board says of itself, on the page as in the terminal: what its figures mean, and how to submit."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from gecbench.corpus.corpus import Corpus
from gecbench.leaderboard.settings import Settings

THIS_BOARD = "THIS-BOARD/"

NOTES: Mapping[str, str] = {
    "p": "p: how often chance alone makes a difference as large as that from the entry above "
    "(paired approximate randomisation); * below 0.05",
    "human": "human: people, each against the others; beside: the system against the same others; "
    "of human: beside divided by human",
    "cluster": "Systems of one cluster do not differ significantly from its best one (p < 0.05)",
    "bounded": "bounded: sentences whose annotators were not mixed for the I-measure, because that would take too long",
    "reported": "Results as reported by others are not ranked: data or settings differ from those here",
}


def card(ours: str, settings: Settings) -> str:
    """Return the card of a page as a Space: ours, or that of an organiser's board, which says what they say."""
    if not settings.corpora:
        return ours
    head = ours.split("---\n")[1]
    kept = re.sub(r"^(license|short_description): .*\n", "", head, flags=re.MULTILINE)
    titled = re.sub(r"^title: .*", lambda _: f"title: {json.dumps(settings.title)}", kept, flags=re.MULTILINE)
    about = [
        f"# {settings.title}",
        settings.description,
        settings.link and f"About this task: {settings.link}",
        settings.licence and f"Licence: {settings.licence}",
        "Scored by [gecbench](https://github.com/gecbench/gecbench).",
    ]
    return f"---\n{titled}---\n\n" + "\n\n".join(filter(None, about)) + "\n"


def sample_commands(board: str, corpora: Sequence[Corpus], settings: Settings) -> list[str]:
    """Return the commands with which one submits to a board whose references one has."""
    name = corpora[0].name if corpora else "demo"
    place, corpus = f"--board {shlex.quote(board)}", f" -c {shlex.quote(name)}"
    submitted, built = ("" if len(settings.corpora) == 1 else corpus), ("" if settings.corpora else corpus)
    return [
        "pip install gecbench",
        f'gecbench leaderboard submit {place}{submitted} -p outputs.txt --name "My system" --submitter Me',
        f"gecbench leaderboard build {place}{built} -o site",
    ]


def upload_commands(corpora: Sequence[Corpus], server: Mapping[str, Any] | None) -> list[str]:
    """Return the command with which one uploads to a sealed board, none where no server takes it."""
    if not server:
        return []
    about = {"name": "My system", "submitter": "Me", "corpus": corpora[0].name, "file": "outputs.txt"}
    token = ' -H "Authorization: Bearer TOKEN"' if server["token"] else ""
    return [f'curl --data-binary @outputs.txt{token} "{THIS_BOARD}api/submissions?{urlencode(about, quote_via=quote)}"']

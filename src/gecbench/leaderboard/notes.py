"""What a board says of itself, on the page as in the terminal: what its figures mean, and how to submit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gecbench.corpus.corpus import Corpus

NOTES: Mapping[str, str] = {
    "p": "p: how often chance alone makes a difference as large as that from the entry above "
    "(paired approximate randomisation); * below 0.05",
    "human": "human: people, each against the others; beside: the system against the same others; "
    "of human: beside divided by human",
    "cluster": "Systems of one cluster do not differ significantly from its best one (p < 0.05)",
    "bounded": "bounded: sentences whose annotators were not mixed for the I-measure, because that would take too long",
    "reported": "Results as reported by others are not ranked: data or settings differ from those here",
    "sealed": "The references are sealed: scores are told for the whole corpus only, to a tenth of a point",
}


def sample_commands(board: str, corpora: Sequence[Corpus], *, sealed: bool) -> list[str]:
    """Return the commands with which one submits; a sealed board scores what its server is sent."""
    name = corpora[0].name if corpora else "demo"
    if sealed:
        query = f"name=My%20system&submitter=Me&corpus={name}&file=outputs.txt"
        return [f'curl --data-binary @outputs.txt "https://THIS-BOARD/api/submissions?{query}"']
    return [
        "pip install gecbench",
        f'gecbench leaderboard submit --board {board} -c {name} -p outputs.txt --name "My system"',
        f"gecbench leaderboard build --board {board} -c {name} -o site",
    ]

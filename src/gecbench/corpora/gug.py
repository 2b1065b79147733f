"""GUG: one expert and five crowd judgements of grammaticality per learner sentence (Heilman et al. 2014)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from gecbench.corpora.upstream import Upstream
from gecbench.errors import InputError
from gecbench.formats.table import parse_csv

FILE = "gug/gug_annotations.tsv"
CROWD_SIZE = 5
SPLIT_OF_DATASET = {"test": "validation", "dev": "test"}


@dataclass(frozen=True)
class GugSentence:
    """One row of the table; `average` is the mean of the expert's and the crowd's judgements (1 to 4)."""

    id: int
    sentence: str
    expert: int
    crowd: tuple[int, ...]
    average: float
    dataset: str


def read_gug(upstream: Upstream) -> list[GugSentence]:
    """Return all rows; tab-separated with doubled quotes, CRLF."""
    columns = ("Id", "Sentence", "Expert Judgement", "Crowd Flower Judgements", "Average", "Dataset")
    sentences = []
    for _, row in parse_csv(upstream.text(FILE), columns, file=FILE, delimiter="\t"):
        crowd = tuple(json.loads(row["Crowd Flower Judgements"]))
        sentences.append(
            GugSentence(
                int(row["Id"]),
                row["Sentence"],
                int(row["Expert Judgement"]),
                crowd,
                float(row["Average"]),
                row["Dataset"],
            )
        )
    return sentences


def comparison_key(sentence: str) -> str:
    """Return what JFLEG's tokenisation left unchanged: no white space, one kind of quote and apostrophe."""
    joined = re.sub(r"\s+", "", sentence).replace("&raspsquo;", "'")
    return joined.replace("``", '"').replace("''", '"')


def link(sentences: list[str], split: str, gug: list[GugSentence]) -> list[GugSentence]:
    """Return the GUG row of every JFLEG sentence: line i is the i-th row of the split's set."""
    rows = [row for row in gug if SPLIT_OF_DATASET.get(row.dataset) == split]
    if len(rows) != len(sentences):
        raise InputError(f"{len(rows)} GUG rows for {len(sentences)} sentences of {split}", file=FILE)
    for number, (sentence, row) in enumerate(zip(sentences, rows, strict=True), 1):
        if comparison_key(sentence) != comparison_key(row.sentence):
            raise InputError(f"GUG row {row.id} is not {split} sentence {number}", file=FILE)
        if len(row.crowd) != CROWD_SIZE:
            raise InputError(f"GUG row {row.id} has {len(row.crowd)} crowd judgements", file=FILE)
    return rows

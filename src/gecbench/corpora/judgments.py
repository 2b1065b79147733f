"""Human rankings of CoNLL-14 outputs: experts (Grundkiewicz et al. 2015) and crowd (Sakaguchi et al. 2016).

The crowd's system labels are off by one sentence upstream: the HIT for sentence s names the groups of s + 1.
They are given as published, and relabelled from the text that was shown.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from xml.etree import ElementTree

from gecbench.corpora.conll14 import INPUT, SYSTEMS, read_systems, sentence_rows
from gecbench.corpora.edits import Row
from gecbench.corpora.pseudonyms import Pseudonyms
from gecbench.corpora.schema import Field, ListOf, Struct
from gecbench.corpora.upstream import Upstream
from gecbench.errors import InputError

EXPERT = "grammatical/data/judgments.xml"
CROWD = "reassess/inter_annotator_agreements/Ctrl_merged.csv"
REFERENCES = "reassess/inter_annotator_agreements/Main_merged.csv"
SPLITS = ("expert", "crowd", "crowd_relabelled", "references")
SLOTS = range(1, 6)
UNUSED = "###"
APPROVED = "Approved"

OUTPUT = Struct((Field("systems", ListOf("string")), Field("rank", "float64"), Field("text", "string")))
FIELDS = (
    Field("item", "int32", "number of the ranking in the upstream file, from 0"),
    Field("id", "string", "the sentence, as in the other configurations"),
    Field("judge", "string", "experts: upstream pseudonym; crowd: w1, w2, …"),
    Field("approved", "bool", "false where the crowd platform shows the answer as rejected (experts: true)"),
    Field("seconds", "float64", "time spent"),
    Field(
        "outputs",
        ListOf(Struct((Field("systems", ListOf("string")), Field("rank", "float64"), Field("text", "string")))),
        "what was ranked: systems that gave this text, rank (lower is better, null where left blank), text",
    ),
)


def judgment_rows(upstream: Upstream, split: str) -> Iterator[Row]:
    """Yield the rankings of one split."""
    if split == "expert":
        return expert_rows(upstream)
    if split == "crowd_relabelled":
        return relabelled_rows(upstream)
    return crowd_rows(upstream, REFERENCES if split == "references" else CROWD)


def expert_rows(upstream: Upstream) -> Iterator[Row]:
    """Yield the experts' rankings; `src-id` is 0-based, systems of one group gave the same output."""
    sentences = [row["sentence"] for row in sentence_rows(upstream)]
    outputs = read_systems(upstream, sentences)
    content = upstream.read(EXPERT)
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise InputError("declares entities, which are not read", file=EXPERT)
    for number, item in enumerate(ElementTree.fromstring(content).iter("ranking-item")):
        index = int(item.attrib["src-id"])
        ranked = []
        for translation in item.iter("translation"):
            systems = translation.attrib["system"].split()
            rank = float(translation.attrib["rank"])
            ranked.append({"systems": systems, "rank": rank, "text": outputs[systems[0]][index]})
        yield {
            "item": number,
            "id": str(index + 1),
            "judge": item.attrib["user"],
            "approved": True,
            "seconds": _seconds(item.attrib["duration"]),
            "outputs": ranked,
        }


def _seconds(duration: str) -> float:
    hours, minutes, seconds = duration.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def _answers(upstream: Upstream, key: str) -> Iterator[tuple[dict[str, str], str]]:
    """Yield a crowd file's rows with the worker's pseudonym, which is the same in both crowd files."""
    workers = Pseudonyms()
    for file in (CROWD, REFERENCES):
        table = io.StringIO(upstream.read(file).decode("utf-8-sig"), newline="")
        for row in csv.DictReader(table):
            worker = workers[row["WorkerId"]]
            if file == key:
                yield row, worker


def crowd_rows(upstream: Upstream, key: str) -> Iterator[Row]:
    """Yield a crowd file's rankings with the labels it has; `Input.sentID` is 0-based."""
    for number, (row, worker) in enumerate(_answers(upstream, key)):
        ranked = [
            {
                "systems": row[f"Input.system{slot}"].split(),
                "rank": float(rank) if (rank := row[f"Answer.rank_{slot}"]) else None,
                "text": shown_text(row[f"Input.sentence{slot}"]),
            }
            for slot in SLOTS
            if row[f"Input.system{slot}"] != UNUSED
        ]
        yield {
            "item": number,
            "id": str(int(row["Input.sentID"]) + 1),
            "judge": worker,
            "approved": row["AssignmentStatus"] == APPROVED,
            "seconds": float(row["WorkTimeInSeconds"]),
            "outputs": ranked,
        }


def relabelled_rows(upstream: Upstream) -> Iterator[Row]:
    """Yield the crowd's rankings with each shown text given to the systems that really wrote it.

    Texts that are the same but for white space and quotes are one; their ranks are averaged.
    """
    sentences = [row["sentence"] for row in sentence_rows(upstream)]
    outputs = read_systems(upstream, sentences)
    keys = {name: [text_key(line) for line in outputs[name]] for name in (*SYSTEMS, INPUT)}
    for row in crowd_rows(upstream, CROWD):
        index = int(row["id"]) - 1
        shown: dict[str, list[Row]] = {}
        for output in row["outputs"]:
            shown.setdefault(text_key(output["text"]), []).append(output)
        row["outputs"] = [
            {
                "systems": [name for name in sorted(keys) if keys[name][index] == key],
                "rank": _mean([output["rank"] for output in same if output["rank"] is not None]),
                "text": same[0]["text"],
            }
            for key, same in shown.items()
        ]
        yield row


def _mean(ranks: Sequence[float]) -> float | None:
    return sum(ranks) / len(ranks) if ranks else None


def shown_text(text: str) -> str:
    """Return the text as a reader saw it: entities resolved (some are doubly escaped), white space joined."""
    return " ".join(html.unescape(html.unescape(text)).split())


def text_key(text: str) -> str:
    """Return what two displays of one output share: no white space, quotes or backslashes."""
    return re.sub(r"[\s\"'`\\]", "", html.unescape(html.unescape(text)))


def expand_pairs(row: Row, *, expanded: bool = True) -> Iterator[tuple[str, str, float, float]]:
    """Yield `(system1, system2, rank1, rank2)`; blank ranks are skipped.

    `expanded`: every system of every group (same group is a tie); else one pair of groups, by first name.
    """
    entries: list[tuple[str, float]] = []
    for output in row["outputs"]:
        if output["rank"] is not None:
            names = output["systems"] if expanded else output["systems"][:1]
            entries.extend((name, output["rank"]) for name in names)
    for (name1, rank1), (name2, rank2) in combinations(entries, 2):
        yield name1, name2, rank1, rank2

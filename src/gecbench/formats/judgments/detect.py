"""Judgments from a file of any of the known formats."""

from __future__ import annotations

from pathlib import Path

from gecbench.errors import InputError
from gecbench.formats.judgments.model import Ranking
from gecbench.formats.judgments.mturk import parse_mturk
from gecbench.formats.judgments.ranking_xml import parse_ranking_xml
from gecbench.formats.judgments.wmt import parse_wmt_csv
from gecbench.formats.text import read_text


def read_judgments(path: str | Path) -> list[Ranking]:
    """Read rankings from a WMT CSV, a Mechanical Turk CSV or a ranking XML, told apart by how the file begins."""
    text = read_text(path)
    header = text.lstrip().split("\n", 1)[0]
    if header.startswith("<"):
        return parse_ranking_xml(text, file=str(path))
    if "AssignmentStatus" in header:
        return parse_mturk(text, file=str(path))
    if "segmentId" in header:
        return parse_wmt_csv(text, file=str(path))
    raise InputError(
        "neither a WMT CSV (with a column segmentId), a Mechanical Turk CSV nor a ranking XML",
        file=str(path),
        line=1,
        fix="A WMT CSV has the columns segmentId, judgeId, system1Id, system1rank, system2Id, system2rank",
    )

"""Human rankings of systems that are on a board: how each metric agrees with them is a view of the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gecbench.corpora import seeda
from gecbench.corpora.upstream import Upstream
from gecbench.leaderboard.records import BoardTable, Details, Record

_FEWEST = 3
_JUDGED = {"edits": "edit", "sentences": "sent"}


def human_rankings(
    table: BoardTable, records: Sequence[Record], upstream: Upstream | None = None
) -> dict[str, Any] | None:
    """Return SEEDA's human scores (TrueSkill) of the systems of a table, None where fewer than three were judged.

    A system is one of SEEDA's if its outputs are. References and the unchanged source are left out, as they are not
    ranked.
    `judgments` lists, for edits and for whole sentences, a score for each of `ids`.

    Raises:
        GecbenchError: If the files of SEEDA cannot be read.
    """
    systems = [record for record in records if record.role == "system" and record.outputs]
    named = {each.system for each in systems} & {*seeda.SYSTEMS}
    if not table[0].startswith("conll14_fluency:") or len(named) < _FEWEST:
        return None
    upstream = upstream or Upstream.from_environment()
    sentences = systems[0].sentences or 0
    names = {Details(lines).outputs: name for name, lines in seeda.read_all_outputs(upstream, sentences).items()}
    judged = {names[each.outputs]: each.id for each in systems if each.outputs in names}
    if len(judged) < _FEWEST:
        return None
    judgments = []
    for title, name in _JUDGED.items():
        scores = seeda.read_scores(upstream, name, "trueskill")
        judgments.append({"title": title, "scores": [scores[system] for system in judged]})
    return {"ids": list(judged.values()), "judgments": judgments}

"""Human rankings of CoNLL-14 outputs: experts (Grundkiewicz et al. 2015) and crowd (Sakaguchi et al. 2016).

The crowd's system labels are off by one sentence upstream: the HIT for sentence s names the groups of s + 1.
They are given as published, and relabelled from the text that was shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isnan

from gecbench.corpora.conll14.rows import read_systems, sentence_rows
from gecbench.corpora.edits import Row
from gecbench.corpora.schema import Field, ListOf, Struct
from gecbench.corpora.upstream import Upstream
from gecbench.formats.judgment_tables import parse_mturk
from gecbench.formats.judgment_xml import parse_ranking_xml
from gecbench.formats.judgments import Place, Pseudonyms, Ranking, relabel, shown_text

EXPERT = "grammatical/data/judgments.xml"
CROWD = "reassess/inter_annotator_agreements/Ctrl_merged.csv"
REFERENCES = "reassess/inter_annotator_agreements/Main_merged.csv"
SPLITS = ("expert", "crowd", "crowd_relabelled", "references")

_OUTPUT = Struct((Field("systems", ListOf("string")), Field("rank", "float64"), Field("text", "string")))
FIELDS = (
    Field("item", "int32", "number of the ranking in the upstream file, from 0"),
    Field("id", "string", "the sentence, as in the other configurations"),
    Field("judge", "string", "experts: upstream pseudonym; crowd: w1, w2, …"),
    Field("approved", "bool", "false where the crowd platform shows the answer as rejected (experts: true)"),
    Field("seconds", "float64", "time spent"),
    Field(
        "outputs",
        ListOf(_OUTPUT),
        "what was ranked: systems that gave this text, rank (lower is better, null where left blank), text",
    ),
)


def judgment_rows(upstream: Upstream, split: str) -> Iterator[Row]:
    """Yield the rankings of one split."""
    for number, ranking in enumerate(read_rankings(upstream, split)):
        yield {
            "item": number,
            "id": str(ranking.sentence + 1),
            "judge": ranking.judge,
            "approved": ranking.approved,
            "seconds": ranking.seconds,
            "outputs": [_output(place) for place in ranking.places],
        }


def read_rankings(upstream: Upstream, split: str) -> list[Ranking]:
    """Return the rankings of one split with the texts shown; sentences count from 0."""
    if split == "expert":
        return _expert_rankings(upstream)
    found = _crowd_rankings(upstream, REFERENCES if split == "references" else CROWD)
    return relabel(found, system_outputs(upstream)) if split == "crowd_relabelled" else found


def system_outputs(upstream: Upstream) -> dict[str, list[str]]:
    """Return the outputs of the twelve systems and the input."""
    return read_systems(upstream, [row["sentence"] for row in sentence_rows(upstream)])


def _expert_rankings(upstream: Upstream) -> list[Ranking]:
    """Return the experts' rankings; `src-id` is 0-based, systems of one group gave the same output."""
    outputs = system_outputs(upstream)

    def with_text(sentence: int, place: Place) -> Place:
        return replace(place, text=outputs[place.systems[0]][sentence])

    return [
        replace(ranking, places=tuple(with_text(ranking.sentence, place) for place in ranking.places))
        for ranking in parse_ranking_xml(upstream.text(EXPERT), file=EXPERT)
    ]


def _crowd_rankings(upstream: Upstream, key: str) -> list[Ranking]:
    """Return a crowd file's rankings, rejected ones too; a worker has the same pseudonym in both files."""
    workers = Pseudonyms()
    found = {
        file: parse_mturk(upstream.text(file), file=file, statuses=None, workers=workers)
        for file in (CROWD, REFERENCES)
    }
    return [
        replace(ranking, places=tuple(replace(place, text=shown_text(place.text or "")) for place in ranking.places))
        for ranking in found[key]
    ]


def _output(place: Place) -> Row:
    rank = None if isnan(place.rank) else float(place.rank)
    return {"systems": list(place.systems), "rank": rank, "text": place.text}

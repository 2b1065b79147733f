"""Rankings and agreement: Tables 5, 7, Figure 6 of Sakaguchi et al. 2016; Grundkiewicz et al. 2015, Table 3."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

from gecbench.analysis.tables import Table
from gecbench.corpora.conll14.judgments import read_rankings
from gecbench.formats.judgment_tables import parse_expert_groups
from gecbench.formats.judgments import Ranking, expand_pairs, relabel
from gecbench.human.agreement import cross_agreement, inter_agreement, pooled_agreement
from gecbench.human.correlation import correlate
from gecbench.human.ranking import HumanRanking, expected_wins, trueskill
from gecbench.papers.data import Conll14
from gecbench.papers.document import COMPARED, Figure, Section, Values, compared, comparison, published
from gecbench.papers.figures import MOVED, ranks_side_by_side

EXPERT_GROUPS = "reassess/inter_annotator_agreements/highAgreedAMU.txt"
ANNOTATION_TYPES = {
    "refExptFluent": "Expert fluency",
    "refCrwdFluent": "Non-expert fluency",
    "refNUCLE": "NUCLE",
    "refExptMinimal": "Expert minimal",
    "refCrwdMinimal": "Non-expert minimal",
    "src": "Original sentence",
}


@dataclass(frozen=True)
class Judged:
    """The judgments of the paper, the crowd's as published and relabelled; `runs` of TrueSkill."""

    experts: list[Ranking]
    crowd: list[Ranking]
    relabelled: list[Ranking]
    references: list[Ranking]
    runs: int

    def rank(self, rankings: list[Ranking], share: int = 1) -> HumanRanking:
        """Rank the systems of approved judgments by TrueSkill, with one in `share` of the runs."""
        return trueskill(expand_pairs(one for one in rankings if one.approved), runs=max(1, self.runs // share))


def read_judged(data: Conll14, runs: int) -> Judged:
    """Read all judgments."""
    experts, crowd, relabelled, references = (
        read_rankings(data.upstream, split) for split in ("expert", "crowd", "crowd_relabelled", "references")
    )
    return Judged(experts, crowd, relabelled, references, runs)


def experts_table(judged: Judged, ranking: HumanRanking) -> list[Section]:
    """Return Table 3b and 3c of Grundkiewicz et al. 2015, the ranking that Table 6 is about."""
    figures = published("sakaguchi2016")
    wins = expected_wins(expand_pairs(judged.experts), runs=judged.runs)
    rows = [
        [
            line.system,
            *compared(figures["grundkiewicz2015_3b"][line.system], line.score, 3),
            _range(line),
            str(line.cluster),
        ]
        for line in wins.systems
    ]
    header = ["system", *COMPARED, "ranks", "cluster"]
    count = wins.systems[-1].cluster
    note = f"{count} clusters, as published ({figures['grundkiewicz2015_3b_clusters']})."
    first = Section("Grundkiewicz et al. 2015, Table 3b: Expected Wins", Table(header, rows), (note,))
    clusters = {name: k for k, names in enumerate(figures["grundkiewicz2015_3c_clusters"], 1) for name in names}
    printed = {
        name: (score, *figures["grundkiewicz2015_3c_ranges"][name], clusters[name])
        for name, score in figures["grundkiewicz2015_3c"].items()
    }
    table = _ranking_table("system", printed, [(line.system, line) for line in ranking.systems])
    note = f"Means of {judged.runs} TrueSkill runs; {len(judged.experts):,} rankings, every pair of systems expanded."
    return [first, Section("Grundkiewicz et al. 2015, Table 3c: TrueSkill", table, (note,))]


def table5(judged: Judged) -> Section:
    """Return Table 5: the crowd's ranking of annotation types."""
    printed = {name: rest for name, *rest in published("sakaguchi2016")["table5"]}
    lines = [(ANNOTATION_TYPES[line.system], line) for line in judged.rank(judged.references).systems]
    return Section("Table 5: human ranking of the annotations", _ranking_table("annotation", printed, lines))


def _ranking_table(first: str, printed: Mapping[str, Sequence[Any]], lines: Iterable[tuple[str, Any]]) -> Table:
    """Return a ranking beside the published one; `printed` are score, best and worst rank, and cluster by name."""
    rows = []
    for name, line in lines:
        score, best, worst, cluster = printed[name]
        ranks = [f"{best}–{worst}", _range(line)]
        rows.append([name, *compared(score, line.score, 3), *ranks, str(cluster), str(line.cluster)])
    return Table([first, *COMPARED, "ranks: published", "ours", "cluster: published", "ours"], rows)


def table7(data: Conll14, judged: Judged) -> Section:
    """Return Table 7, as it was computed and on matching sentences."""
    groups = parse_expert_groups(data.upstream.text(EXPERT_GROUPS), file=EXPERT_GROUPS, first_sentence=1)
    crowd = expand_pairs(judged.crowd, groups=True, unranked=True)
    found = pooled_agreement(crowd, expand_pairs(groups, groups=True))
    rows: list[tuple[str, Values, Values]] = []
    for (name, theirs), ours in zip(published("sakaguchi2016")["table7"].items(), found, strict=True):
        rows.append((name, theirs, (ours.kappa, ours.weighted)))
    relabelled = [one for one in judged.relabelled if one.approved]
    pairs = list(expand_pairs(relabelled, groups=True))
    again = list(expand_pairs(relabel(judged.experts, data.systems), groups=True))
    shown = {pair.sentence for pair in pairs}
    matching = {
        "Non-experts, relabelled": inter_agreement(pairs),
        "Experts, same sentences": inter_agreement(pair for pair in again if pair.sentence in shown),
        "Non-experts with Experts, matching sentences": cross_agreement(pairs, again),
    }
    rows += [(name, (None, None), (one.kappa, one.weighted)) for name, one in matching.items()]
    notes = (
        "The experts' sentence numbers count from 0 but were read as counting from 1, so that a crowd task for "
        "sentence s carries the groups of systems of sentence s + 1: 982 of 2,791 labels (35 %) name a system that did "
        "not write the text shown, and the third row compares judgments of different sentences.",
        "The last three rows go by the texts shown; there experts and crowd agree as well as each does within itself.",
    )
    return Section("Table 7: agreement of judges", comparison("judges", ("κ", "weighted κ"), rows, 2, 2), notes)


def experts_and_crowd(judged: Judged, experts: HumanRanking) -> tuple[Section, Figure]:
    """Return the correlation of §5.2 and Figure 6: experts beside the crowd."""
    theirs = published("sakaguchi2016")
    crowd, relabelled = judged.rank(judged.crowd), judged.rank(judged.relabelled)
    shown = {ranking.sentence for ranking in judged.crowd}
    same = judged.rank([one for one in judged.experts if one.sentence - 1 in shown], share=5)
    rows: list[tuple[str, Values, Values]] = []
    for name, one, other in (
        ("Table 3c, crowd as published", theirs["grundkiewicz2015_3c"], crowd),
        ("experts on the crowd's sentence numbers, crowd as published", same.scores(), crowd),
        ("Table 3c, crowd relabelled", theirs["grundkiewicz2015_3c"], relabelled),
    ):
        printed = theirs["section5.2"]
        ours = [correlate(other.scores(), one, method).value for method in printed]
        rows.append((name, list(printed.values()), ours))
    notes = (
        "The paper names Table 3c as the experts' ranking; the nearest to its figures is the second row, experts' "
        "judgments of the sentences whose numbers the crowd tasks carry.",
    )

    columns = {"Experts": experts, "Non-experts": crowd, "Non-experts, relabelled": relabelled}
    names = {title: [line.system for line in ranking.systems] for title, ranking in columns.items()}
    draw = partial(ranks_side_by_side, columns=names, breaks={title: _breaks(one) for title, one in columns.items()})
    section = Section("Section 5.2: experts and non-experts", comparison("rankings", ("ρ", "r"), rows, 3), notes)
    note = f"{MOVED} Dotted lines part clusters."
    return section, Figure("figure6", "System rankings by experts and non-experts", draw, note, (6.5, 5.5))


def _range(line: Any) -> str:
    return f"{line.best}–{line.worst}"


def _breaks(ranking: HumanRanking) -> list[int]:
    """Return the ranks after which another cluster begins."""
    pairs = pairwise(ranking.systems)
    return [rank for rank, (above, below) in enumerate(pairs, 1) if above.cluster != below.cluster]

"""Sakaguchi et al. 2016: Reassessing the Goals of Grammatical Error Correction."""

from __future__ import annotations

from gecbench.corpora.upstream import Upstream, cache_folder
from gecbench.papers.conll14 import Conll14
from gecbench.papers.document import Reproduction
from gecbench.papers.sakaguchi2016 import changes, correlations, rankings, references
from gecbench.papers.ter_cache import TerCache

PAPER = "sakaguchi2016"
TITLE = "Sakaguchi et al. 2016: Reassessing the Goals of Grammatical Error Correction"


def reproduce(upstream: Upstream, *, processes: int = 1, runs: int = 1000, keep: bool = True) -> Reproduction:
    """Compute the tables and figures again; `keep` remembers TER edits in the cache folder."""
    data = Conll14(upstream)
    found = changes.compute_changes(data, TerCache(cache_folder() if keep else None), processes)
    scores = correlations.compute_scores(data, processes)
    judged = rankings.read_judged(data, runs)
    experts = judged.rank(judged.experts)
    figure2, picture2 = changes.figure2(found)
    figure5, picture5 = references.figure5(data)
    crowd, picture6 = rankings.experts_and_crowd(judged, experts)
    return Reproduction(
        PAPER,
        TITLE,
        (
            figure2,
            changes.table4(found),
            rankings.table5(judged),
            *rankings.experts_table(judged, experts),
            *correlations.table6(scores),
            correlations.brevity_penalty(scores),
            figure5,
            crowd,
            rankings.table7(data, judged),
        ),
        (picture2, correlations.figure3(scores), correlations.figure4(scores), picture5, picture6),
    )

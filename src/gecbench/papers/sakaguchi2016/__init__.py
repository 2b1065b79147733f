"""Sakaguchi et al. 2016: Reassessing the Goals of Grammatical Error Correction."""

from __future__ import annotations

from gecbench.papers.data import Conll14
from gecbench.papers.document import Contents, Settings
from gecbench.papers.sakaguchi2016 import changes, correlations, rankings, references


def reproduce(settings: Settings) -> Contents:
    """Compute the tables and figures again."""
    data = Conll14(settings.upstream)
    found = changes.compute_changes(data)
    scores = correlations.compute_scores(data, settings.processes)
    judged = rankings.read_judged(data, settings.runs)
    experts = judged.rank(judged.experts)
    figure2, picture2 = changes.figure2(found)
    figure5, picture5 = references.figure5(data)
    crowd, picture6 = rankings.experts_and_crowd(judged, experts)
    sections = (
        figure2,
        changes.table4(found),
        rankings.table5(judged),
        *rankings.experts_table(judged, experts),
        *correlations.table6(scores),
        correlations.brevity_penalty(scores),
        figure5,
        crowd,
        rankings.table7(data, judged),
    )
    return sections, (picture2, correlations.figure3(scores), correlations.figure4(scores), picture5, picture6)

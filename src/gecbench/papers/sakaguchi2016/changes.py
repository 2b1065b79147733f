"""Extent of change: Table 4 and Figure 2 of Sakaguchi et al. 2016."""

from __future__ import annotations

from functools import partial

from gecbench.analysis.tables import Table
from gecbench.human.change import Change, changes, mean_change
from gecbench.metrics.ratios import percent
from gecbench.papers.data import Conll14
from gecbench.papers.document import COMPARED, Figure, Section, compared, comparison, number, published
from gecbench.papers.figures import two_bars

KINDS = {"F": "fluency", "M": "minimal"}
PAIRS = {
    "Fluency E1 v. E2": (("EFA", "EFB"),),
    "Fluency N1 v. N2": (("NFA", "NFB"),),
    "Fluency E v. N": (("EFA", "NFA"), ("EFA", "NFB"), ("EFB", "NFA"), ("EFB", "NFB")),
    "Minimal E1 v. E2": (("EMA", "EMB"),),
    "Minimal N1 v. N2": (("NMA", "NMB"),),
    "Minimal E v. N": (("EMA", "NMA"), ("EMA", "NMB"), ("EMB", "NMA"), ("EMB", "NMB")),
    "NUCLE A v. B": (("NUA", "NUB"),),
}
SETS = {"NUCLE": "NU", "E-minimal": "EM", "N-minimal": "NM", "E-fluency": "EF", "N-fluency": "NF"}
SOURCE, SYSTEMS = "INPUT", "Systems"
COUNT_OF_SYSTEMS = 12
Pair = tuple[str, str]


def compute_changes(data: Conll14) -> dict[Pair, Change]:
    """Return every comparison that Table 4 and Figure 2 need, on the 1,278 sentences."""
    texts = _texts(data)
    wanted = [pair for pairs in PAIRS.values() for pair in pairs]
    wanted += [(SOURCE, name) for name in texts if name != SOURCE]
    comparisons = {f"{one} {other}": (texts[one], texts[other]) for one, other in wanted}
    found = changes(comparisons)
    return {(one, other): found[f"{one} {other}"] for one, other in wanted}


def _texts(data: Conll14) -> dict[str, list[str]]:
    texts = dict(data.kept_systems)
    configs = {"NU": "nucle"}
    for who, name in (("E", "expert"), ("N", "nonexpert")):
        configs |= {f"{who}{kind}": f"{name}_{text}" for kind, text in KINDS.items()}
    for short, config in configs.items():
        references = data.corpus(config).references or ()
        texts |= {f"{short}{letter}": [row[k] for row in references] for k, letter in enumerate("AB")}
    return texts


def table4(found: dict[Pair, Change]) -> Section:
    """Return Table 4: identical corrections and sTER between annotators."""
    ours = {label: mean_change([found[pair] for pair in pairs]) for label, pairs in PAIRS.items()}
    rows = [
        (label, theirs, (100 * ours[label].identical, ours[label].ster))
        for label, theirs in published("sakaguchi2016")["table4"].items()
    ]
    note = (
        "1,278 sentences; sTER is the mean number of edits per sentence by sacrebleu's TER, which ignores case; "
        "identical means the same characters. 13 of the 14 cells round to the published ones; the other is 8.5485, "
        "printed as 8.5."
    )
    return Section(
        "Table 4: annotators compared with each other",
        comparison("annotators", ("identical %", "sTER"), rows, 1),
        (note,),
    )


def figure2(found: dict[Pair, Change]) -> tuple[Section, Figure]:
    """Return Figure 2: how far each set of annotations, and the systems, are from the source."""
    means = {name: mean_change([found[SOURCE, f"{key}{x}"] for x in "AB"]) for name, key in SETS.items()}
    references = {f"{key}{letter}" for key in SETS.values() for letter in "AB"}
    outputs = [change for (one, other), change in found.items() if one == SOURCE and other not in references]
    means[SYSTEMS] = mean_change(outputs)
    claims = {"E-fluency": 4.0, "N-fluency": 7.0, "E-minimal": 2.0, "N-minimal": 2.0}
    claims[SYSTEMS] = published("sakaguchi2016")["figure2_system_ster"]
    rows = [
        [name, *compared(claims.get(name), change.ster, 1), percent(change.changed, 1)]
        for name, change in means.items()
    ]
    notes = (
        'Published: what the text says of the figure ("about seven", "four", "about two", 1.4).',
        f"The systems' 1.4 does not come out: the mean over the {COUNT_OF_SYSTEMS} systems is "
        f"{number(means[SYSTEMS].ster, 2)} edits per sentence, "
        f"{number(means[SYSTEMS].ster / means[SYSTEMS].changed, 2)} per changed sentence.",
    )
    section = Section(
        "Figure 2: distance from the source",
        Table(["set", *(f"sTER: {name}" for name in COMPARED), "changed %"], rows),
        notes,
    )

    bars = {name: (change.ster, 100 * change.changed) for name, change in means.items()}
    draw = partial(two_bars, bars=bars, labels=("Mean sTER", "% of sentences changed"), limits=((0, 8), (0, 100)))
    note = "Blue bars, left axis: mean sTER. Orange bars, right axis: share of sentences that were changed."
    return section, Figure("figure2", "Amount of changes compared to the original sentences", draw, note)

"""Reproduce the tables and figures of Bryant & Ng 2015.

The paper is "How Far are We from Fully Automatic High Quality Grammatical Error Correction?".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial

from gecbench.analysis.tables import Table
from gecbench.corpora.conll14 import OFFICIAL_IN_BN15
from gecbench.corpus.corpus import Corpus
from gecbench.human.bound import Bound, bound_by_category, human_bound
from gecbench.metrics.m2 import M2
from gecbench.papers.data import NO_ARCHIVE, Conll14, m2_percentages
from gecbench.papers.document import (
    COMPARED,
    Contents,
    Figure,
    Points,
    Resources,
    Section,
    Values,
    compared,
    comparison,
    comparison_of_values,
    curves,
    number,
    published,
)

PAPER = "bryant2015"
TOP_SYSTEMS = ("AMU", "CAMB", "CUUI")
FIRST_ESSAYS = range(1, 11)
NINE = range(1, 10)
AXES = ("Number of Gold Standard Annotators", "F0.5")
STAND_IN = "the ten public references of CoNLL-14 (two official annotators, eight rewrites)"
NO_NUMBERS = "The paper shows a figure without numbers."


def reproduce(resources: Resources) -> Contents:
    """Recompute the tables and figures.

    Some need the ten annotations. Without these, they are incomplete or computed on other data.
    """
    data = Conll14(resources.upstream)
    nucle = data.whole("nucle")
    ten = data.whole("bn15") if data.has_ten_annotations else None
    systems = {name: data.systems[name] for name in TOP_SYSTEMS}
    shown = data.whole("all") if ten is None else ten
    bound = human_bound("m2", shown, systems)
    essays = [i for i, row in enumerate(data.rows) if row["essay"] in FIRST_ESSAYS]
    subset = human_bound("m2", shown, systems, sentences=essays)
    categories = bound_by_category("m2", ten or nucle, published(PAPER)["figure2_categories"], sizes="all")
    sections = [
        _table2(data),
        _table3(nucle, ten),
        _table4(data, nucle, ten),
        _table5(None if ten is None else bound),
        *([_stand_in(bound)] if ten is None else []),
        _categories(categories, ten is not None),
        _essays(subset, ten is not None),
    ]
    return sections, _figures(bound, categories, subset, ten is not None)


def _table2(data: Conll14) -> Section:
    found = {
        "paragraphs": len({(row["essay"], row["paragraph"]) for row in data.rows}),
        "sentences": len(data.rows),
        "tokens": sum(len(str(row["sentence"]).split()) for row in data.rows),
    }
    table = comparison_of_values("", published(PAPER)["table2"], found, lambda _: (0, 0))
    return Section("Table 2: the 50 essays", table)


def _annotators(nucle: Corpus, ten: Corpus | None) -> dict[int, tuple[Corpus, int]]:
    """Map the paper's annotator numbers to a corpus and an annotator index.

    A3 and A7 are the official annotators.
    """
    if ten is not None:
        return {who: (ten, who - 1) for who in range(1, 11)}
    return {who: (nucle, k) for k, who in enumerate(OFFICIAL_IN_BN15)}


def _table3(nucle: Corpus, ten: Corpus | None) -> Section:
    counts = {
        who: Counter(edit.type for row in corpus.annotations or () for edit in row[annotator].edits)
        for who, (corpus, annotator) in sorted(_annotators(nucle, ten).items())
    }
    rows = []
    for category, theirs in published(PAPER)["table3"].items():
        cells = [cell for who, found in counts.items() for cell in compared(theirs[who - 1], found[category], 0, 0)]
        rows.append([category, *cells])
    totals = [sum(row[who - 1] for row in published(PAPER)["table3"].values()) for who in counts]
    pairs = zip(totals, counts.values(), strict=True)
    rows.append(["Total", *(cell for total, found in pairs for cell in compared(total, found.total(), 0, 0))])
    header = ["category", *(f"A{who}: {word}" for who in counts for word in COMPARED)]
    notes = () if ten is not None else (f"The other eight annotators are missing. {NO_ARCHIVE}",)
    return Section("Table 3: edits by annotator and category", Table(header, rows), notes)


def _table4(data: Conll14, nucle: Corpus, ten: Corpus | None) -> Section:
    rows: list[tuple[str, Values, Values]] = []
    at_hand = _annotators(nucle, ten)
    for name, theirs in published(PAPER)["table4"].items():
        ours: list[float | None] = [None, None, None]
        if int(name[1:]) in at_hand:
            corpus, annotator = at_hand[int(name[1:])]
            score = M2(annotators=str(annotator)).score_corpus(
                corpus, data.systems["CAMB"], aligned=True, tokenized=True
            )
            ours = [*m2_percentages(score)]
        rows.append((name, theirs, ours))
    table = comparison("CAMB against", ("P", "R", "F0.5"), rows, 2, 0)
    notes = () if ten is not None else (f"Our values exist only for the official annotators (A3 and A7). {NO_ARCHIVE}",)
    return Section("Table 4: CAMB against each annotator", table, notes)


def _table5(bound: Bound | None) -> Section:
    parts = ["human", *(part for name in TOP_SYSTEMS for part in (name, f"{name}, ratio %"))]
    theirs = [_published_row(k - 1) for k in NINE]
    if bound is None:
        rows = [[str(k + 1), *(number(value, 2) for value in row)] for k, row in enumerate(theirs)]
        note = f"The table has only published values. {NO_ARCHIVE} Then run this command again to add our values."
        return Section("Table 5: humans and systems", Table(["annotators", *parts], rows), (note,))
    pairs = zip(theirs, _bound_rows(bound), strict=True)
    lines = [(str(k), *pair) for k, pair in enumerate(pairs, start=1)]
    return Section("Table 5: humans and systems", comparison("annotators", parts, lines, 2, 0))


def _published_row(k: int) -> list[float]:
    figures = published(PAPER)
    pairs = [(figures["table5"][name][k], figures["table5_ratios"][name][k]) for name in TOP_SYSTEMS]
    return [figures["table5"]["human"][k], *(value for pair in pairs for value in pair)]


def _bound_rows(bound: Bound) -> list[list[float]]:
    """Return the human score and each system's score and ratio, in percent.

    There is one row for each number of annotators: 1, 2, …
    """
    rows = [
        (row.human, *(cell for name in TOP_SYSTEMS for cell in (row.systems[name], row.ratio(name))))
        for row in bound.rows[:-1]
    ]
    return [[100 * value for value in row] for row in rows]


def _bound_table(bound: Bound) -> Table:
    rows = [[str(k), *(number(value, 2) for value in row)] for k, row in enumerate(_bound_rows(bound), start=1)]
    return Table(["annotators", "human", *(cell for name in TOP_SYSTEMS for cell in (name, "ratio %"))], rows)


def _stand_in(bound: Bound) -> Section:
    note = (
        "Computed by Equations 1 to 3 over all 1,023 subsets of the references, as in Table 5. The edits are extracted "
        "from the references."
    )
    return Section(f"Like Table 5, on {STAND_IN}", _bound_table(bound), (note,))


def _essays(bound: Bound, complete: bool) -> Section:
    note = NO_NUMBERS + ("" if complete else f" Our values use {STAND_IN}.")
    return Section("Figure 3: essays 1 to 10 alone", _bound_table(bound), (note,))


def _categories(bounds: Mapping[str, Bound], complete: bool) -> Section:
    sizes = [row.size for row in next(iter(bounds.values())).rows[:-1]]
    rows = [[name, *(number(100 * bound.row(size).human, 2) for size in sizes)] for name, bound in bounds.items()]
    note = NO_NUMBERS
    if not complete:
        note += f" Our values use the two official annotators, each scored against the other. {NO_ARCHIVE}"
    header = ["category", *(f"{size} annotator{'s' if size > 1 else ''}" for size in sizes)]
    return Section("Figure 2: human F0.5 by error category", Table(header, rows), (note,))


def _figures(bound: Bound, categories: Mapping[str, Bound], subset: Bound, complete: bool) -> tuple[Figure, ...]:
    table5 = published(PAPER)["table5"]
    printed = {"Human": (NINE, table5["human"])} | {name: (NINE, table5[name]) for name in TOP_SYSTEMS}
    by_category = {name: _human_points(found) for name, found in categories.items()}
    ours = "computed here" if complete else f"computed here on {STAND_IN}"
    lacking = "" if complete else f" The lines of the paper's ten annotators are missing. {NO_ARCHIVE}"
    official = "" if complete else " Each of the two official annotators is scored against the other."
    colors = "Humans and each system have their own color. "
    draw = partial(curves, labels=AXES, limits=(0, 100), ticks=NINE)
    return (
        Figure(
            "figure1",
            "F0.5 by number of annotators, 50 essays",
            partial(draw, lines=_lines(bound), dashed=printed),
            f"{colors}Solid lines: {ours}. Dashed lines: published.{lacking}",
            (7, 5.5),
        ),
        Figure(
            "figure2",
            "Human F0.5 by error category",
            partial(draw, lines=by_category),
            f"Each category has its own color and mark.{official}{lacking}",
        ),
        Figure(
            "figure3",
            "F0.5 by number of annotators, essays 1 to 10",
            partial(draw, lines=_lines(subset)),
            f"{colors}Solid lines: {ours}.{lacking}",
        ),
    )


def _lines(bound: Bound) -> dict[str, Points]:
    """Return the curves of humans and of each system.

    A curve consists of numbers of annotators, and F0.5 in percent.
    """
    sizes, human = _human_points(bound)
    systems = {name: (sizes, [100 * row.systems[name] for row in bound.rows[:-1]]) for name in TOP_SYSTEMS}
    return {"Human": (sizes, human)} | systems


def _human_points(bound: Bound) -> Points:
    rows = bound.rows[:-1]  # the last row uses all annotators, so no annotator is left to score
    return [row.size for row in rows], [100 * row.human for row in rows]

"""Metrics against the experts' ranking: Table 6, Figures 3 and 4 of Sakaguchi et al. 2016."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial

from gecbench.analysis.tables import Table
from gecbench.corpus.corpus import Corpus
from gecbench.human.correlation import correlate
from gecbench.metrics.registry import make_metric
from gecbench.papers.data import REFERENCE_SETS, Conll14
from gecbench.papers.document import ABSENT, Figure, Section, number, published
from gecbench.papers.figures import MOVED, grouped_points, ranks_side_by_side
from gecbench.progress import tracked

Scores = Mapping[str, float]
METHODS = ("spearman", "pearson")
EXPLAIN_FROM = 0.01


@dataclass(frozen=True)
class Column:
    """A metric of Table 6 as the paper ran it, and, where that was at fault, put right."""

    as_published: str
    put_right: str | None = None
    rewrites: str = ""


COLUMNS = {
    "M2": Column(
        "m2(ignore_whitespace_casing=yes)",
        rewrites="edits are extracted here (equal tokens match); the paper's converter, which looks at parts of speech "
        "and not at case, is not public",
    ),
    "GLEU": Column("gleu(variant=2016)", "gleu"),
    "I-measure": Column(
        "imeasure(mixing=no)",
        rewrites="rewrites are the references here; how the paper turned them into I-measure's input is not known",
    ),
    "BLEU": Column("bleu(variant=2016)", "bleu"),
}
ANNOTATIONS = {"NUCLE": 2, "BN15": 10, "E-fluency": 2, "N-fluency": 2, "E-minimal": 2, "N-minimal": 2, "All": 18}
SWAPPED = "put right"
PRINTED = {"M2": "four decimals", "I-measure": "two decimals, in per cent"}


@dataclass(frozen=True)
class Correlations:
    """Scores by (metric, references), as published and ours; ours also with the brevity penalty put right."""

    theirs: Mapping[tuple[str, str], Scores]
    ours: Mapping[tuple[str, str], Scores]
    put_right: Mapping[tuple[str, str], Scores]
    missing: Mapping[str, str]


def compute_scores(data: Conll14, processes: int) -> Correlations:
    """Score the thirteen systems with every metric against every reference set at hand."""
    corpora, missing = data.reference_sets()
    tasks = [(name, references) for name in COLUMNS for references in corpora]
    arguments = [(COLUMNS[name], corpora[references], data.kept_systems) for name, references in tasks]
    with ProcessPoolExecutor(processes) if processes > 1 else nullcontext() as pool:
        scored = (pool.map if pool else map)(_score, *zip(*arguments, strict=True))
        found = list(tracked(scored, len(tasks), "Table 6"))
    ours = {task: scores for task, (scores, _) in zip(tasks, found, strict=True)}
    put_right = {task: scores for task, (_, scores) in zip(tasks, found, strict=True) if scores}
    return Correlations(data.published_scores(), ours, put_right, missing)


def _score(column: Column, corpus: Corpus, systems: Mapping[str, Sequence[str]]) -> tuple[dict[str, float], Scores]:
    """Return scores as published and put right; both come from the same counts."""
    metric = make_metric(column.as_published)
    other = make_metric(column.put_right) if column.put_right else None
    scores, right = {}, {}
    for name, lines in systems.items():
        statistics = metric.count(corpus, lines)
        scores[name] = metric.value_of(statistics)
        if other is not None:
            right[name] = other.value_of(statistics)
    return scores, right


def human_scores() -> Scores:
    """Return the experts' TrueSkill scores as printed (Grundkiewicz et al. 2015, Table 3c), which Table 6 used."""
    scores: Scores = published("sakaguchi2016")["grundkiewicz2015_3c"]
    return scores


def coefficients(scores: Scores | None) -> list[float | None]:
    """Return Spearman's rho and Pearson's r with the experts."""
    if scores is None:
        return [None, None]
    return [correlate(scores, human_scores(), method).value for method in METHODS]  # type: ignore[arg-type]


def table6(found: Correlations) -> list[Section]:
    """Return Table 6, one table per metric: published, from the published scores, from raw outputs."""
    sections = []
    for name, column in COLUMNS.items():
        rows = [_cells(found, name, references) for references in REFERENCE_SETS]
        header = ["references"]
        for symbol in ("ρ", "r"):
            header += [f"{symbol}: published", "of published scores", "ours", "difference"]
        notes = _notes(found, name, column)
        sections.append(Section(f"Table 6, {name}", Table([*header, "scores differ by"], rows), notes))
    return sections


def _cells(found: Correlations, name: str, references: str) -> list[str]:
    cells = [f"{references} ({ANNOTATIONS[references]})"]
    theirs, ours = found.theirs.get((name, references)), found.ours.get((name, references))
    pairs = zip(coefficients(theirs), coefficients(ours), strict=True)
    for printed, (again, mine) in zip(published("sakaguchi2016")["table6"][name][references], pairs, strict=True):
        difference = None if mine is None else mine - printed
        cells += [number(printed, 3), number(again, 4), number(mine, 4), _signed(difference)]
    if theirs is None or ours is None:
        return [*cells, ABSENT]
    scale = 100 if name == "I-measure" else 1
    return [*cells, f"{max(abs(theirs[system] - scale * ours[system]) for system in theirs):.1e}"]


def _signed(difference: float | None) -> str:
    if difference is None:
        return ABSENT
    mark = "*" if abs(difference) > EXPLAIN_FROM else ""
    return f"{round(difference, 4) + 0.0:+.4f}{mark}"


def _notes(found: Correlations, name: str, column: Column) -> tuple[str, ...]:
    notes = []
    if found.missing:
        notes.append(f"{', '.join(found.missing)}: {next(iter(found.missing.values()))}.")
    if name in PRINTED:
        notes.append(f"The released scores have {PRINTED[name]}.")
    if column.rewrites:
        notes.append(f"* Over 0.01 apart, against rewrites: {column.rewrites}. NUCLE, whose edits are given, agrees.")
    return tuple(notes)


def brevity_penalty(found: Correlations) -> Section:
    """Return what GLEU and BLEU say once the two lengths of the brevity penalty are no longer swapped."""
    rows = []
    for (name, references), scores in found.put_right.items():
        before, after = coefficients(found.ours[name, references]), coefficients(scores)
        cells = [f"{name}, {references}"]
        for old, new in zip(before, after, strict=True):
            cells += [number(old, 3), number(new, 3), f"{(new or 0) - (old or 0):+.3f}"]
        rows.append(cells)
    header = ["metric, references", *("ρ: as in 2016", SWAPPED, "change"), *("r: as in 2016", SWAPPED, "change")]
    best = max(
        (key for key in found.put_right if key[0] == "GLEU"), key=lambda key: coefficients(found.put_right[key])[0] or 0
    )
    notes = (
        "The scores of 2016 punish long outputs and not short ones: candidate and reference length are swapped in the "
        "brevity penalty of both GLEU and BLEU. GLEU was fixed in 2017; sacrebleu has the penalty right.",
        f"Put right, GLEU correlates best with {best[1]} (ρ = {number(coefficients(found.put_right[best])[0], 3)}).",
    )
    return Section("Table 6 with the brevity penalty put right", Table(header, rows), notes)


def figure3(found: Correlations) -> Figure:
    """Return Figure 3: rho by reference set for the four metrics; published values as marks."""
    labels = [f"{name} ({ANNOTATIONS[name]})" for name in REFERENCE_SETS]
    printed = {
        name: [published("sakaguchi2016")["table6"][name][references][0] for references in REFERENCE_SETS]
        for name in COLUMNS
    }
    ours = {
        name: [coefficients(found.ours.get((name, references)))[0] for references in REFERENCE_SETS] for name in COLUMNS
    }
    caption = "Correlation of the human ranking with metric scores over reference sets"
    draw = partial(grouped_points, labels=labels, printed=printed, ours=ours, quantity="Spearman's ρ", limits=(-0.6, 1))
    note = "Bars: computed here, a colour for each metric; black lines: published."
    if found.missing:
        why = next(iter(found.missing.values()))
        note += f" Missing are the bars of {' and '.join(found.missing)}, each of which {why}."
    return Figure("figure3", caption, draw, note, (8.5, 4.8))


def figure4(found: Correlations) -> Figure:
    """Return Figure 4: the experts' ranking beside GLEU's with expert fluency references."""
    rankings = {"Human": human_scores(), "GLEU, E-fluency": found.ours["GLEU", "E-fluency"]}
    columns = {title: sorted(scores, key=lambda name: -scores[name]) for title, scores in rankings.items()}
    caption = "System rankings by experts and by GLEU with expert fluency references"
    return Figure("figure4", caption, partial(ranks_side_by_side, columns=columns), MOVED, (4.5, 5.5))

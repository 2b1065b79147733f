"""Sakaguchi et al. 2016: Reassessing the Goals of Grammatical Error Correction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gecbench.analysis.tables import Table
from gecbench.corpora.conll14 import read_rankings
from gecbench.corpora.load import load_rows
from gecbench.corpus.corpus import Corpus
from gecbench.display import percent, tracked
from gecbench.formats.judgments import Ranking, expand_pairs, parse_expert_groups, relabel
from gecbench.human.agreement import cross_agreement, inter_agreement, pooled_agreement
from gecbench.human.change import Change, changes, mean_change
from gecbench.human.correlation import Method, correlate
from gecbench.human.ranking import HumanRanking, expected_wins, trueskill
from gecbench.metrics.base import Statistics, make_metric
from gecbench.metrics.gleu import GLEU
from gecbench.papers.data import REFERENCE_SETS, Conll14
from gecbench.papers.document import (
    ABSENT,
    COMPARED,
    MOVED,
    Contents,
    Figure,
    Resources,
    Section,
    Values,
    compared,
    comparison,
    grouped_bars,
    line_with_range,
    number,
    published,
    ranks_side_by_side,
    two_bars,
)

PAPER = "sakaguchi2016"


def reproduce(resources: Resources) -> Contents:
    """Recompute the tables and figures, in the order of the paper."""
    data = Conll14(resources.upstream)
    found = compute_changes(data)
    scores = compute_scores(data, resources.processes)
    judged = read_judged(data, resources.runs)
    experts = judged.rank(judged.experts)
    distances, picture2 = figure2(found)
    more_references, picture5 = figure5(data)
    crowd, picture6 = experts_and_crowd(judged, experts)
    sections = (
        distances,
        table4(found),
        table5(judged),
        *experts_table(judged, experts),
        *table6(scores),
        brevity_penalty(scores),
        more_references,
        crowd,
        table7(data, judged),
    )
    return sections, (picture2, figure3(scores), figure4(scores), picture5, picture6)


# Section 3: how much annotators change (Figure 2, Table 4)

Pair = tuple[str, str]
SOURCE = "INPUT"
# reference set of the paper → prefix of its two texts, A and B
SETS = {"NUCLE": "NU", "E-minimal": "EM", "N-minimal": "NM", "E-fluency": "EF", "N-fluency": "NF"}
PAIRS = {
    "Fluency E1 v. E2": (("EFA", "EFB"),),
    "Fluency N1 v. N2": (("NFA", "NFB"),),
    "Fluency E v. N": (("EFA", "NFA"), ("EFA", "NFB"), ("EFB", "NFA"), ("EFB", "NFB")),
    "Minimal E1 v. E2": (("EMA", "EMB"),),
    "Minimal N1 v. N2": (("NMA", "NMB"),),
    "Minimal E v. N": (("EMA", "NMA"), ("EMA", "NMB"), ("EMB", "NMA"), ("EMB", "NMB")),
    "NUCLE A v. B": (("NUA", "NUB"),),
}


def compute_changes(data: Conll14) -> dict[Pair, Change]:
    """Return all comparisons of Figure 2 and Table 4, on the 1,278 sentences."""
    texts = texts_compared(data)
    wanted = [pair for pairs in PAIRS.values() for pair in pairs]
    wanted += [(SOURCE, name) for name in texts if name != SOURCE]
    found = changes({f"{one} {other}": (texts[one], texts[other]) for one, other in wanted})
    return {(one, other): found[f"{one} {other}"] for one, other in wanted}


def texts_compared(data: Conll14) -> dict[str, list[str]]:
    """Return the outputs of the systems, the input, and all references.

    Each set has two references, such as `EFA` and `EFB`.
    """
    texts = dict(data.kept_systems)
    for name, prefix in SETS.items():
        references = data.corpus(REFERENCE_SETS[name]).references or ()
        texts |= {f"{prefix}{letter}": [row[k] for row in references] for k, letter in enumerate("AB")}
    return texts


def figure2(found: Mapping[Pair, Change]) -> tuple[Section, Figure]:
    """Return Figure 2: the distance of texts from the source.

    The texts are the sets of annotations, and the outputs of the systems.
    """
    means = {name: mean_change([found[SOURCE, f"{key}{x}"] for x in "AB"]) for name, key in SETS.items()}
    references = {f"{key}{letter}" for key in SETS.values() for letter in "AB"}
    outputs = [change for (one, other), change in found.items() if one == SOURCE and other not in references]
    systems = means["Systems"] = mean_change(outputs)
    claims = {"E-fluency": 4.0, "N-fluency": 7.0, "E-minimal": 2.0, "N-minimal": 2.0}
    claims["Systems"] = published(PAPER)["figure2_system_ster"]
    rows = [
        [name, *compared(claims.get(name), change.ster, 1), percent(change.changed, 1)]
        for name, change in means.items()
    ]
    notes = (
        'Published: the values that the text gives for the figure ("about seven", "four", "about two", 1.4).',
        f"The systems' 1.4 cannot be reproduced: the mean over the {len(outputs)} systems is {number(systems.ster, 2)} "
        f"edits per sentence, or {number(systems.ster / systems.changed, 2)} per changed sentence.",
    )
    header = ["set", *(f"sTER: {name}" for name in COMPARED), "changed %"]
    section = Section("Figure 2: distance from the source", Table(header, rows), notes)
    bars = {name: (change.ster, 100 * change.changed) for name, change in means.items()}
    draw = partial(two_bars, bars=bars, labels=("Mean sTER", "% of sentences changed"), limits=((0, 8), (0, 100)))
    note = "Blue bars, left axis: mean sTER. Orange bars, right axis: share of sentences that were changed."
    return section, Figure("figure2", "Amount of changes compared to the original sentences", draw, note)


def table4(found: Mapping[Pair, Change]) -> Section:
    """Return Table 4: identical corrections and sTER between annotators."""
    ours = {label: mean_change([found[pair] for pair in pairs]) for label, pairs in PAIRS.items()}
    rows = [
        (label, theirs, (100 * ours[label].identical, ours[label].ster))
        for label, theirs in published(PAPER)["table4"].items()
    ]
    note = (
        "Computed on 1,278 sentences. sTER is the mean number of edits per sentence by sacrebleu's TER, which ignores "
        "case. Identical means the same characters. All 14 values round to the published ones (8.55 is 8.5485, "
        "which rounds to 8.5)."
    )
    table = comparison("annotators", ("identical %", "sTER"), rows, 1)
    return Section("Table 4: annotators compared with each other", table, (note,))


# Human rankings: of the annotations (Table 5), and of the systems by experts (used by Table 6)

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
    """The judgments of the paper, and the number of TrueSkill runs.

    `relabeled` has the crowd's judgments with corrected labels.
    """

    experts: list[Ranking]
    crowd: list[Ranking]
    relabeled: list[Ranking]
    references: list[Ranking]
    runs: int

    def rank(self, rankings: list[Ranking], share: int = 1) -> HumanRanking:
        """Rank the systems by TrueSkill from approved judgments.

        This does 1/`share` of the runs.
        """
        return trueskill(expand_pairs(one for one in rankings if one.approved), runs=max(1, self.runs // share))


def read_judged(data: Conll14, runs: int) -> Judged:
    """Read all judgments."""
    experts, crowd, relabeled, references = (
        read_rankings(data.upstream, split) for split in ("expert", "crowd", "crowd_relabelled", "references")
    )
    return Judged(experts, crowd, relabeled, references, runs)


def table5(judged: Judged) -> Section:
    """Return Table 5: the crowd's ranking of annotation types."""
    printed = {name: rest for name, *rest in published(PAPER)["table5"]}
    lines = [(ANNOTATION_TYPES[line.system], line) for line in judged.rank(judged.references).systems]
    return Section("Table 5: human ranking of the annotations", _ranking_table("annotation", printed, lines))


def experts_table(judged: Judged, ranking: HumanRanking) -> list[Section]:
    """Return the experts' rankings by Expected Wins and TrueSkill.

    They are Tables 3b and 3c of Grundkiewicz et al. 2015.
    """
    figures = published(PAPER)
    wins = expected_wins(expand_pairs(judged.experts), runs=judged.runs)
    rows = []
    for line in wins.systems:
        score = compared(figures["grundkiewicz2015_3b"][line.system], line.score, 3)
        rows.append([line.system, *score, _range(line), str(line.cluster)])
    header = ["system", *COMPARED, "ranks", "cluster"]
    theirs = figures["grundkiewicz2015_3b_clusters"]
    note = f"Number of clusters: {theirs} published, {wins.systems[-1].cluster} ours."
    first = Section("Grundkiewicz et al. 2015, Table 3b: Expected Wins", Table(header, rows), (note,))
    clusters = {name: k for k, names in enumerate(figures["grundkiewicz2015_3c_clusters"], 1) for name in names}
    printed = {
        name: (score, *figures["grundkiewicz2015_3c_ranges"][name], clusters[name])
        for name, score in human_scores().items()
    }
    table = _ranking_table("system", printed, [(line.system, line) for line in ranking.systems])
    note = f"Means of {judged.runs:,} TrueSkill runs, on all pairs of systems from {len(judged.experts):,} rankings."
    return [first, Section("Grundkiewicz et al. 2015, Table 3c: TrueSkill", table, (note,))]


def _ranking_table(first: str, printed: Mapping[str, Sequence[Any]], lines: Iterable[tuple[str, Any]]) -> Table:
    """Return a ranking next to the published one.

    `printed` has score, best and worst rank, and cluster by name.
    """
    rows = []
    for name, line in lines:
        score, best, worst, cluster = printed[name]
        ranks = [f"{best}–{worst}", _range(line)]
        rows.append([name, *compared(score, line.score, 3), *ranks, str(cluster), str(line.cluster)])
    return Table([first, *COMPARED, "ranks: published", "ours", "cluster: published", "ours"], rows)


def _range(line: Any) -> str:
    return f"{line.best}–{line.worst}"


def human_scores() -> Scores:
    """Return the experts' published TrueSkill scores, which Table 6 used.

    They are from Table 3c of Grundkiewicz et al. 2015.
    """
    scores: Scores = published(PAPER)["grundkiewicz2015_3c"]
    return scores


# Section 4: metrics and reference sets correlated with the experts (Table 6, Figures 3 and 4)

Scores = Mapping[str, float]
METHODS: tuple[Method, ...] = ("spearman", "pearson")
EXPLAIN_FROM = 0.01
ANNOTATIONS = {"NUCLE": 2, "BN15": 10, "E-fluency": 2, "N-fluency": 2, "E-minimal": 2, "N-minimal": 2, "All": 18}
DECIMALS = {"M2": "four decimals", "I-measure": "two decimals, in percent"}


@dataclass(frozen=True)
class Column:
    """A metric of Table 6 as used in the paper, and with its bug fixed if it had one."""

    as_published: str
    fixed: str | None = None
    rewrites: str = ""


COLUMNS = {
    "M2": Column(
        "m2(ignore_whitespace_casing=yes)",
        rewrites="Here, edits are extracted by matching equal tokens. With the authors' converter, which needs a "
        "tagger, all scores come within 0.004 of the published ones (docs/findings.md)",
    ),
    "GLEU": Column("gleu(variant=2016)", "gleu"),
    "I-measure": Column(
        "imeasure(mixing=no)",
        rewrites="Here, the rewrites themselves are the references. The authors' converter explains most of the "
        "difference (docs/findings.md)",
    ),
    "BLEU": Column("bleu(variant=2016)", "bleu"),
}


@dataclass(frozen=True)
class Correlations:
    """Scores by (metric, references) for Table 6.

    `theirs` are the published scores, `ours` are our scores, and `fixed` are our scores with the correct brevity
    penalty.
    """

    theirs: Mapping[tuple[str, str], Scores]
    ours: Mapping[tuple[str, str], Scores]
    fixed: Mapping[tuple[str, str], Scores]
    missing: Mapping[str, str]


def compute_scores(data: Conll14, processes: int) -> Correlations:
    """Score systems with every metric against every available reference set.

    The systems are the twelve systems and the input.
    """
    corpora, missing = data.reference_sets()
    tasks = [(name, references) for name in COLUMNS for references in corpora]
    arguments = [(COLUMNS[name], corpora[references], data.kept_systems) for name, references in tasks]
    with ProcessPoolExecutor(processes) if processes > 1 else nullcontext() as pool:
        scored = (pool.map if pool else map)(_score, *zip(*arguments, strict=True))
        found = list(tracked(scored, len(tasks), "Table 6"))
    ours = {task: scores for task, (scores, _) in zip(tasks, found, strict=True)}
    fixed = {task: scores for task, (_, scores) in zip(tasks, found, strict=True) if scores}
    return Correlations(data.published_scores(), ours, fixed, missing)


def _score(column: Column, corpus: Corpus, systems: Mapping[str, Sequence[str]]) -> tuple[Scores, Scores]:
    """Return the scores as in the paper, and with the metric's bug fixed.

    For a metric without a bug, the second scores are empty.
    """
    metric = make_metric(column.as_published)
    other = make_metric(column.fixed) if column.fixed else None
    scores, fixed = {}, {}
    for name, lines in systems.items():
        statistics = metric.count(corpus, lines)
        scores[name] = metric.value_of(statistics)
        if other is not None:
            fixed[name] = other.value_of(statistics)
    return scores, fixed


def coefficients(scores: Scores | None) -> list[float | None]:
    """Return Spearman's rho and Pearson's r with the experts."""
    if scores is None:
        return [None, None]
    return [correlate(scores, human_scores(), method).value for method in METHODS]


def table6(found: Correlations) -> list[Section]:
    """Return Table 6, as one table per metric.

    Each has the correlations as published, of the released scores, and of our scores.
    """
    header = ["references"]
    for symbol in ("ρ", "r"):
        header += [f"{symbol}: published", "of released scores", "ours", "difference"]
    header.append("scores differ by")
    sections = []
    for name, column in COLUMNS.items():
        rows = [_table6_row(found, name, references) for references in REFERENCE_SETS]
        sections.append(Section(f"Table 6, {name}", Table(header, rows), _table6_notes(found, name, column)))
    return sections


def _table6_row(found: Correlations, name: str, references: str) -> list[str]:
    cells = [f"{references} ({ANNOTATIONS[references]})"]
    theirs, ours = found.theirs.get((name, references)), found.ours.get((name, references))
    pairs = zip(coefficients(theirs), coefficients(ours), strict=True)
    for printed, (again, mine) in zip(published(PAPER)["table6"][name][references], pairs, strict=True):
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


def _table6_notes(found: Correlations, name: str, column: Column) -> tuple[str, ...]:
    notes = []
    if found.missing:
        notes.append(f"{' and '.join(found.missing)} are missing. {next(iter(found.missing.values()))}")
    if name in DECIMALS:
        notes.append(f"The released scores have {DECIMALS[name]}.")
    if column.rewrites:
        notes.append(
            "A star marks a difference above 0.01. Only reference sets of rewrites have such differences. "
            f"{column.rewrites}. NUCLE comes with edits and shows no such difference."
        )
    return tuple(notes)


def brevity_penalty(found: Correlations) -> Section:
    """Return the correlations of GLEU and BLEU with the correct brevity penalty.

    In the correct penalty, the two lengths are not swapped.
    """
    rows = []
    for (name, references), scores in found.fixed.items():
        cells = [f"{name}, {references}"]
        for old, new in zip(coefficients(found.ours[name, references]), coefficients(scores), strict=True):
            cells += [number(old, 3), number(new, 3), f"{(new or 0) - (old or 0):+.3f}"]
        rows.append(cells)
    header = [
        "metric, references",
        *("ρ: as in 2016", "corrected", "change"),
        *("r: as in 2016", "corrected", "change"),
    ]
    correlated = {key[1]: coefficients(scores)[0] or 0 for key, scores in found.fixed.items() if key[0] == "GLEU"}
    best = max(correlated, key=lambda references: correlated[references])
    notes = (
        "The scores released in 2016 penalize long outputs instead of short ones: candidate and reference length are "
        "swapped in the brevity penalty of both GLEU and BLEU. GLEU was fixed in 2017. The penalty of sacrebleu is "
        "correct.",
        f"After this fix, GLEU agrees best with the experts on the references {best} "
        f"(ρ = {number(correlated[best], 3)}).",
    )
    return Section("Table 6 with the brevity penalty corrected", Table(header, rows), notes)


def figure3(found: Correlations) -> Figure:
    """Return Figure 3: rho by reference set for the four metrics.

    Lines mark the published values.
    """
    labels = [f"{name} ({ANNOTATIONS[name]})" for name in REFERENCE_SETS]
    printed, ours = {}, {}
    for name, by_references in published(PAPER)["table6"].items():
        printed[name] = [by_references[references][0] for references in REFERENCE_SETS]
        ours[name] = [coefficients(found.ours.get((name, references)))[0] for references in REFERENCE_SETS]
    caption = "Correlation of the human ranking with metric scores over reference sets"
    draw = partial(grouped_bars, labels=labels, printed=printed, ours=ours, quantity="Spearman's ρ", limits=(-0.6, 1))
    note = "Bars: computed here, with one color per metric. Black lines: published."
    if found.missing:
        note += f" The bars of {' and '.join(found.missing)} are missing. {next(iter(found.missing.values()))}"
    return Figure("figure3", caption, draw, note, (8.5, 4.8))


def figure4(found: Correlations) -> Figure:
    """Return Figure 4: the experts' ranking next to GLEU's.

    GLEU uses expert fluency references.
    """
    rankings = {"Human": human_scores(), "GLEU, E-fluency": found.ours["GLEU", "E-fluency"]}
    columns = {title: sorted(scores, key=lambda name: -scores[name]) for title, scores in rankings.items()}
    caption = "System rankings by experts and by GLEU with expert fluency references"
    return Figure("figure4", caption, partial(ranks_side_by_side, columns=columns), MOVED, (4.5, 5.5))


# Section 4, continued: GLEU by number of references (Figure 5)

SetScore = Callable[[Statistics, int], float]
DRAWS = 2000


def figure5(data: Conll14) -> tuple[Section, Figure]:
    """Return Figure 5: GLEU against 1, 2, … crowd rewrites.

    It has the mean, lowest and highest GLEU of the twelve systems.
    """
    corpus, lines = _crowd_rewrites(data)
    counts = [
        GLEU().count(corpus, [outputs[i] for i in lines]) for name, outputs in data.systems.items() if name != SOURCE
    ]
    sizes = list(range(1, int(counts[0].choices()[0]) + 1))
    drawn, best = (100 * np.array([_curve(one, sizes, score) for one in counts]) for score in (_drawn, _best))
    rows = [
        [str(size), *(f"{value:.2f}" for column in (drawn[:, k], best[:, k]) for value in _summary(column))]
        for k, size in enumerate(sizes)
    ]
    header = ["references", "drawn: mean", "lowest", "highest", "best: mean", "lowest", "highest"]
    notes = (
        f"Computed on {len(lines)} sentences, for twelve systems. The score of a system is its mean over all sets of "
        "this many references. Eight of the paper's ten crowd rewrites are public: the two of N-fluency, and six more. "
        "These six are not tokenized, so sacrebleu's 13a rules split them here.",
        "The paper prints no numbers. It says that GLEU rises with the number of references and levels off at four. "
        "GLEU as the paper defines it does not rise: every draw uses one reference per sentence, so more references "
        "only change the average. GLEU rises, ever more slowly, if each sentence is scored against its best reference.",
    )
    section = Section("Figure 5: GLEU by number of references", Table(header, rows), notes)
    tables = {"best reference": best, "drawn reference": drawn}
    draw = partial(line_with_range, places=sizes, tables=tables, labels=("Number of references", "GLEU"))
    caption = "Mean GLEU of 12 systems with different numbers of fluency references"
    note = (
        "Dots: mean of the systems. Bars: range of the systems. Red: best reference, which rises as in the paper. "
        "Gray: drawn reference, as the paper defines GLEU."
    )
    return section, Figure("figure5", caption, draw, note, (6, 4.3))


def _crowd_rewrites(data: Conll14) -> tuple[Corpus, list[int]]:
    """Return the sentences with eight crowd rewrites each, and their positions.

    There are twenty such sentences.
    """
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    tokenize: Any = Tokenizer13a()  # type: ignore[no-untyped-call]
    extra = load_rows("conll14_fluency", "extra_fluency", "test", upstream=data.upstream)
    lines = [int(row["id"]) - 1 for row in extra]
    crowd = data.whole("nonexpert_fluency").references or ()
    rewrites = [[*crowd[i], *map(tokenize, row["corrections"])] for i, row in zip(lines, extra, strict=True)]
    return Corpus(sources=[data.systems[SOURCE][i] for i in lines], references=rewrites, name="extra"), lines


def _curve(counted: Statistics, sizes: list[int], score: SetScore) -> list[float]:
    """Return the mean score over all sets of 1, 2, … references."""
    curve = []
    for size in sizes:
        sets = list(combinations(range(sizes[-1]), size))
        curve.append(float(np.mean([score(counted.keep_choices(kept), len(sets)) for kept in sets])))
    return curve


def _drawn(counted: Statistics, sets: int) -> float:
    """Return GLEU as the paper defines it.

    The more sets of references are scored, the fewer draws each set gets.
    """
    return GLEU(iterations=max(1, DRAWS // sets)).value_of(counted)


def _best(counted: Statistics, _sets: int) -> float:
    """Return GLEU with the best reference of each sentence.

    This is the reference with the highest smoothed sentence score.
    """
    metric = GLEU()
    table = counted.counts.reshape(len(counted), -1, counted.counts.shape[1])
    chosen = metric.values(np.maximum(table, 1)).argmax(axis=1)
    return float(metric.values(table[np.arange(len(table)), chosen].sum(axis=0)))


def _summary(column: NDArray[np.float64]) -> tuple[float, float, float]:
    return float(column.mean()), float(column.min()), float(column.max())


# Section 5: experts and the crowd (Section 5.2, Figure 6, Table 7)

EXPERT_GROUPS = "reassess/inter_annotator_agreements/highAgreedAMU.txt"


def experts_and_crowd(judged: Judged, experts: HumanRanking) -> tuple[Section, Figure]:
    """Return two comparisons of experts and crowd.

    They are the correlation of Section 5.2, and Figure 6.
    """
    crowd, relabeled = judged.rank(judged.crowd), judged.rank(judged.relabeled)
    shown = {ranking.sentence for ranking in judged.crowd}
    same = judged.rank([one for one in judged.experts if one.sentence - 1 in shown], share=5)
    printed = published(PAPER)["section5.2"]
    rows: list[tuple[str, Values, Values]] = []
    for name, one, other in (
        ("Table 3c, crowd as published", human_scores(), crowd),
        ("experts on the crowd's sentence numbers, crowd as published", same.scores(), crowd),
        ("Table 3c, crowd relabeled", human_scores(), relabeled),
    ):
        rows.append((name, list(printed.values()), [correlate(other.scores(), one, kind).value for kind in printed]))
    notes = (
        "The paper names Table 3c as the experts' ranking. But the rows with the crowd's sentence numbers come closest "
        "to the paper's values. In these rows, the experts' ranking uses only judgments of the sentence numbers that "
        "occur in the crowd tasks.",
    )
    section = Section("Section 5.2: experts and non-experts", comparison("rankings", ("ρ", "r"), rows, 3), notes)
    columns = {"Experts": experts, "Non-experts": crowd, "Non-experts, relabeled": relabeled}
    names = {title: [line.system for line in ranking.systems] for title, ranking in columns.items()}
    breaks = {title: _cluster_ends(ranking) for title, ranking in columns.items()}
    draw = partial(ranks_side_by_side, columns=names, breaks=breaks)
    note = f"{MOVED} Dotted lines separate clusters."
    return section, Figure("figure6", "System rankings by experts and non-experts", draw, note, (6.5, 5.5))


def _cluster_ends(ranking: HumanRanking) -> list[int]:
    """Return the ranks after which another cluster begins."""
    pairs = pairwise(ranking.systems)
    return [rank for rank, (above, below) in enumerate(pairs, 1) if above.cluster != below.cluster]


def table7(data: Conll14, judged: Judged) -> Section:
    """Return Table 7 as the paper computed it, and on matching sentences.

    The added rows show the agreement on sentences that are really the same.
    """
    groups = parse_expert_groups(data.upstream.text(EXPERT_GROUPS), file=EXPERT_GROUPS, first_sentence=1)
    crowd = expand_pairs(judged.crowd, groups=True, unranked=True)
    found = pooled_agreement(crowd, expand_pairs(groups, groups=True))
    rows: list[tuple[str, Values, Values]] = []
    for (name, theirs), ours in zip(published(PAPER)["table7"].items(), found, strict=True):
        rows.append((name, theirs, (ours.kappa, ours.weighted)))
    pairs = list(expand_pairs((one for one in judged.relabeled if one.approved), groups=True))
    again = list(expand_pairs(relabel(judged.experts, data.systems), groups=True))
    shown = {pair.sentence for pair in pairs}
    matching = {
        "Non-experts, relabeled": inter_agreement(pairs),
        "Experts, same sentences": inter_agreement(pair for pair in again if pair.sentence in shown),
        "Non-experts with Experts, matching sentences": cross_agreement(pairs, again),
    }
    rows += [(name, (None, None), (one.kappa, one.weighted)) for name, one in matching.items()]
    notes = (
        "The experts' sentence numbers start at 0 but were read as if they started at 1. So a crowd task for sentence "
        "s has the groups of systems of sentence s + 1. As a result, 982 of 2,791 labels (35%) name a system that did "
        "not write the text shown, and the rows of non-experts and experts compare judgments of different sentences.",
        "The rows without published values identify sentences and systems by the texts shown. In these rows, the "
        "agreement between experts and crowd is about as high as the agreement within each group.",
    )
    return Section("Table 7: agreement of judges", comparison("judges", ("κ", "weighted κ"), rows, 2, 2), notes)

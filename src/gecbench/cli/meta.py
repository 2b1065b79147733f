"""`gecbench meta`: correlate metrics, or your own scores, with human judgments."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from math import nan
from pathlib import Path
from typing import Any

from gecbench.analysis.significance import SIGNIFICANT
from gecbench.analysis.tables import Table, render_rows, render_table
from gecbench.cli.human import add_ranking_options, list_judgments, make_ranking
from gecbench.cli.options import (
    add_command,
    add_format_option,
    add_metrics_option,
    add_predictions_options,
    count,
    preprocessing_of,
    read_systems,
)
from gecbench.cli.reproduce import add_figures_options, check_figures, draw_figures
from gecbench.corpora.catalog import HUMAN_JUDGMENTS
from gecbench.corpora.load import load_rankings, resolve_corpus
from gecbench.corpus.corpus import Corpus
from gecbench.display import log_info
from gecbench.errors import InputError, MissingDependencyError
from gecbench.formats.judgments import Judgment, Ranking, count_from_zero, expand_pairs
from gecbench.formats.m2 import read_m2
from gecbench.formats.scores import read_sentence_scores, read_system_scores
from gecbench.formats.text import check_files
from gecbench.human.correlation import (
    AGGREGATES,
    METHODS,
    NO_REFERENCES,
    TIES,
    WINDOW_METHODS,
    DifferentSystemsError,
    MetaRow,
    Method,
    MetricScores,
    choose_systems,
    meta_evaluate,
    score_systems,
)
from gecbench.human.ranking import HumanRanking
from gecbench.metrics.base import Interval, make_metric
from gecbench.papers.document import Figure, Reproduction, score_figure, window_figure
from gecbench.papers.seeda import read_edited

_COLUMN_GROUPS = [*(("", 1) for _ in METHODS), ("", 2)]  # the last group: sentence tau and accuracy
_GOLD = ("gold.m2", "gold_right.m2")
_EXAMPLES = """  gecbench meta                          (gleu, m2 and bleu on the demo corpus)
  gecbench meta my_scores.tsv --human conll14
  gecbench meta my_scores.tsv --sentences my_sentences.tsv --human conll14
  gecbench meta --human seeda:edit -m gleu m2 green --systems base --windows 4
  gecbench meta --human seeda:edit -m gleu errant --edits folder
  gecbench meta --human conll14 -m gleu \\
      -c conll14_fluency:nucle conll14_fluency:expert_fluency
  gecbench meta --human judgments.csv -m gleu -c corpus.jsonl -p outputs/*.txt
  gecbench meta my_scores.tsv --human human_scores.tsv
"""


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "meta", summary, _EXAMPLES, run)
    add_metrics_option(parser, "gleu m2 bleu, or none if you give SCORES.tsv")
    list_judgments(parser)
    parser.add_argument(
        "scores",
        metavar="SCORES.tsv",
        nargs="*",
        help="your scores, in tab-separated columns: metric (optional), references (optional), system, score",
    )
    parser.add_argument(
        "--sentences",
        metavar="FILE.tsv",
        nargs="+",
        default=[],
        help="your sentence scores, in tab-separated columns: metric (optional), system, sentence (from 0), score",
    )
    about = "known judgments, a CSV or XML file of judgments, or a TSV file of human scores (default: demo)"
    parser.add_argument("--human", metavar="NAME|FILE", help=about)
    parser.add_argument(
        "-c", "--corpora", metavar="NAME|FILE", nargs="+", help="corpora with references (default: the judged corpus)"
    )
    add_predictions_options(parser, None)
    about = "folder with ERRANT's edits for errant and cleme: a file SYSTEM.m2 per system, and gold.m2 or gold_right.m2"
    parser.add_argument("--edits", metavar="FOLDER", help=about)
    add_ranking_options(parser)
    parser.add_argument(
        "--systems",
        metavar="SET|NAME",
        nargs="+",
        default=["all"],
        help="systems to include: names, or one of SEEDA's sets: base (12 systems) or fluency (14) (default: all)",
    )
    parser.add_argument(
        "--aggregate",
        choices=AGGREGATES,
        default="corpus",
        help="score each system on the whole corpus (corpus), or rank the systems by their sentence scores (trueskill, "
        "expected-wins) (default: corpus)",
    )
    parser.add_argument(
        "--ties",
        choices=TIES,
        default="half",
        help="how to count pairs of outputs with equal scores: 'half' as half correct, 'seeda' as SEEDA's script does, "
        "'drop' not at all, 'wrong' as wrong (default: half)",
    )
    parser.add_argument(
        "--windows",
        metavar="N",
        type=partial(count, least=2),
        default=0,
        help="also correlate within each group of N systems with neighboring human ranks (SEEDA uses 4)",
    )
    parser.add_argument(
        "--resamples",
        metavar="N",
        type=partial(count, least=1),
        default=0,
        help="compute intervals by resampling the systems N times (default: by resampling the judgments, or with a "
        "formula if --human provides scores)",
    )
    add_figures_options(parser)
    add_format_option(parser)


def run(options: argparse.Namespace) -> None:
    """Correlate metrics with human judgments and print a table."""
    check_files([*options.scores, *options.sentences, *options.predictions])
    options.by_default, options.human = options.human is None, options.human or "demo"
    if options.figures:
        check_figures(Path(options.figures))
    known, rankings = _human(options)
    corpora, systems = _scorable(options)
    if rankings is not None and systems:
        rankings = _count_from_zero(rankings, systems, options.human)
    judgments = None if rankings is None else list(expand_pairs(rankings))
    scores = _external_scores(options)
    chosen = _chosen_systems(options, known, [*(one.systems for one in scores), *([systems] if systems else [])])
    scores = [one.select(chosen) for one in scores]
    metrics = options.metrics or ([] if options.scores else ["gleu", "m2", "bleu"])
    by_sentence = judgments is not None or options.aggregate != "corpus"
    scored = {name: lines for name, lines in systems.items() if name in chosen}
    found, not_computed = _score(options, metrics, corpora, scored, sentences=by_sentence)
    scores += found
    human = _human_scores(options, known, judgments, chosen)
    if judgments is not None:
        judgments = [pair for pair in judgments if {pair.system1, pair.system2} <= chosen]
    rows = meta_evaluate(
        scores,
        human,
        judgments,
        resamples=options.resamples,
        seed=options.seed,
        ties=options.ties,
        aggregate=options.aggregate,
        windows=options.windows,
    )
    if options.figures:
        people = human.scores() if isinstance(human, HumanRanking) else human
        drawn = Reproduction("meta", "", (), _figures(rows, people, options))
        draw_figures([drawn], Path(options.figures), options.figure_format)
    _print(rows, not_computed, options)


def _print(rows: Sequence[MetaRow], not_computed: Sequence[tuple[str, str]], options: argparse.Namespace) -> None:
    """Print the table, the table of windows, and notes on both."""
    header = ["metric", "references", *METHODS, "sentence tau", "accuracy"]
    lines = [_cells(row) for row in rows]
    lines += [[metric, references, "not computed", *["–"] * 4] for metric, references in not_computed]
    plain = [_plain(row, options) for row in rows]
    plain += [{"metric": metric, "references": references, "systems": None} for metric, references in not_computed]
    table = Table(header, lines, keys=2, groups=_COLUMN_GROUPS)
    print(render_rows(table, plain, options.format, options.wide))
    if options.windows and options.format != "json":
        print("\n" + render_table(_window_table(rows), options.format, options.wide))
    for name in dict.fromkeys(row.metric for row in rows if not row.higher_is_better):
        log_info(f"{name}: lower is better, so its scores are negated before they are correlated")
    if any(row.williams for row in rows):
        log_info(f"* not significantly different from the best of its column (Williams' test, p ≥ {SIGNIFICANT})")


def _score(
    options: argparse.Namespace,
    metrics: Sequence[str],
    corpora: Mapping[str, Corpus],
    systems: Mapping[str, Sequence[str]],
    *,
    sentences: bool,
) -> tuple[list[MetricScores], list[tuple[str, str]]]:
    """Return the scores, and the (metric, references) pairs that cannot be computed.

    These pairs need errant, which is not installed. With --edits FOLDER, ERRANT and CLEME score the edits in FOLDER
    against the gold edits in FOLDER.
    """
    preprocessing = preprocessing_of(options)
    edited = [name for name in metrics if make_metric(name).extra]
    others = [name for name in metrics if name not in edited]
    found = score_systems(others, corpora, systems, sentences=sentences, **preprocessing) if others else []
    if options.edits:
        folder = Path(options.edits)
        file = next((path for name in _GOLD if (path := folder / name).is_file()), folder / _GOLD[0])
        gold = read_m2(str(file))
        corpora, systems = {file.name: gold}, read_edited(folder, gold, systems)
    not_computed: list[tuple[str, str]] = []
    try:
        found += score_systems(edited, corpora, systems, sentences=sentences, **preprocessing) if edited else []
    except MissingDependencyError as error:
        if not others and not options.scores:
            raise
        log_info(f"{', '.join(edited)}: {error} Or give ERRANT's edits with --edits FOLDER.")
        not_computed = [(name, references) for name in edited for references in corpora]
    return sorted(found, key=lambda each: list(metrics).index(each.metric)), not_computed


def _chosen_systems(
    options: argparse.Namespace, judged: Collection[str], scored: Sequence[Collection[str]]
) -> frozenset[str]:
    """Return the systems chosen with --systems that are both judged and scored."""
    source = HUMAN_JUDGMENTS.get(options.human)
    try:
        return choose_systems(options.systems, judged, scored, source.sets if source else {})
    except DifferentSystemsError as error:
        file = options.scores[0] if len(options.scores) == 1 and options.metrics is None else None
        known = f"the default, demo, has the systems {', '.join(sorted(judged))}"
        fix = f"Give your judgments with --human ({known})" if options.by_default else error.fix
        raise InputError(error.problem, file=file, fix=fix) from error


def _human(options: argparse.Namespace) -> tuple[Mapping[str, float], Sequence[Ranking] | None]:
    """Return the judged systems with their scores, and the rankings.

    If --human is a file of scores, the rankings are None. Otherwise the scores are not known yet (NaN).
    """
    if options.human not in HUMAN_JUDGMENTS and Path(options.human).suffix in (".tsv", ".txt"):
        found = read_system_scores(options.human)
        if len(found) != 1:
            fix = "Write one line per system: system TAB score"
            problem = f"contains {len(found)} sets of human scores, but one is needed"
            raise InputError(problem, file=options.human, fix=fix)
        return next(iter(found.values())), None
    rankings = load_rankings(options.human)
    pairs = expand_pairs(rankings)
    return dict.fromkeys((name for pair in pairs for name in (pair.system1, pair.system2)), nan), rankings


def _human_scores(
    options: argparse.Namespace,
    known: Mapping[str, float],
    judgments: Sequence[Judgment] | None,
    systems: Collection[str],
) -> Mapping[str, float] | HumanRanking:
    """Return the given or published human scores of these systems.

    Without such scores, rank the systems by the judgments.
    """
    source = HUMAN_JUDGMENTS.get(options.human)
    if judgments is not None and (source is None or source.scores is None):
        return make_ranking(options, judgments).select(systems)
    scores = source.scores(options.method) if source and source.scores else known
    return {name: score for name, score in scores.items() if name in systems}


def _count_from_zero(rankings: Sequence[Ranking], systems: Mapping[str, Sequence[str]], name: str) -> Sequence[Ranking]:
    """Return rankings with sentences numbered from 0.

    Print a note if the file counts from 1, and a warning if the numbering is unclear.
    """
    found, first = count_from_zero(rankings, systems, file=name)
    if first == 1:
        log_info(f"{name}: sentences are numbered from 1")
    elif first is None:
        warnings.warn(
            f"{name}: it is not clear whether sentences are numbered from 0 or from 1, so 0 is assumed",
            UserWarning,
            stacklevel=2,
        )
    return found


def _scorable(options: argparse.Namespace) -> tuple[dict[str, Corpus], Mapping[str, Sequence[str]]]:
    """Return the reference sets and the outputs to score.

    By default, these are the reference sets and the outputs of the known judgments.
    """
    source = HUMAN_JUDGMENTS.get(options.human)
    names = options.corpora or ([source.corpus] if source and source.corpus else [])
    corpora = {name: resolve_corpus(name, options.metrics) for name in names}
    if source is not None:
        corpora = {name: source.judged_part(corpus) for name, corpus in corpora.items()}
    if options.metrics is None and options.scores:
        return corpora, {}
    if not corpora:
        fix = "Give a corpus with -c, or give SCORES.tsv without -m"
        raise InputError("there are no references to score the systems against", fix=fix)
    if options.predictions:
        first = next(iter(corpora.values()))
        given = argparse.Namespace(**vars(options), source=None, references=None, gold=None, corpus=None)
        return corpora, read_systems(given, first)
    if source is None or source.systems is None:
        fix = "Give one file per system with -p, named like the system in the judgments"
        raise InputError("there are no outputs of the judged systems", fix=fix)
    return corpora, source.systems()


def _external_scores(options: argparse.Namespace) -> list[MetricScores]:
    """Return the scores in the given files, with sentence scores if they are given."""
    named = [(name, found) for path in options.scores for name, found in read_system_scores(path).items()]
    by_sentence = {name: found for path in options.sentences for name, found in read_sentence_scores(path).items()}
    scores = []
    for name, systems in named:
        metric, _, references = name.partition("|")
        scores.append(MetricScores(metric, references or NO_REFERENCES, systems, by_sentence.pop(metric, None)))
    if by_sentence:
        raise InputError(
            f"the metric {next(iter(by_sentence))} has sentence scores, but no system scores",
            fix="Give its system scores in SCORES.tsv, under the same name. "
            "If a file has no metric names, its file name is the name of the metric",
        )
    return scores


def _cells(row: MetaRow) -> list[str]:
    cells = [row.metric, row.references, *(_coefficient(row, method) for method in METHODS)]
    if row.sentences is None:
        return [*cells, "–", "–"]
    tau = _with_interval(f"{row.sentences.tau:.3f}", row.sentences.tau_interval)
    return [*cells, tau, f"{row.sentences.accuracy:.3f}"]


def _coefficient(row: MetaRow, method: Method) -> str:
    """Return a coefficient with its interval as text.

    A star means that the best metric is not significantly better.
    """
    found, test = row.correlations[method], row.williams.get(method)
    return _with_interval(f"{found.value:.3f}{'*' if test and not test.significant else ''}", found.interval)


def _with_interval(text: str, interval: Interval | None) -> str:
    return text if interval is None else f"{text} [{interval.low:.2f}, {interval.high:.2f}]"


def _window_table(rows: Sequence[MetaRow]) -> Table:
    """Return a table with a row per metric and coefficient, and a column per window."""
    header = ["metric", "references", "coefficient", *(f"{window.first}–{window.last}" for window in rows[0].windows)]
    lines = [
        [row.metric, row.references, method, *(f"{window.values[method]:.3f}" for window in row.windows)]
        for row in rows
        for method in WINDOW_METHODS
    ]
    return Table(header, lines, keys=3)


def _figures(rows: Sequence[MetaRow], human: Mapping[str, float], options: argparse.Namespace) -> tuple[Figure, ...]:
    """Return a figure of metric scores against human scores.

    With --windows, also return a figure of the correlation in each window of systems with neighboring human ranks.
    """
    names = [row.metric if row.references == NO_REFERENCES else f"{row.metric}, {row.references}" for row in rows]
    panels = {
        name: {system: (human[system], score) for system, score in row.scores.items()}
        for name, row in zip(names, rows, strict=True)
    }
    scored = "on the whole corpus" if options.aggregate == "corpus" else f"by {options.aggregate} over sentences"
    note = f"Judgments: {options.human}. Systems are scored {scored}."
    figures = [score_figure(panels, note)]
    if options.windows:
        lines = {
            name: ([one.first for one in row.windows], [one.values["pearson"] for one in row.windows])
            for name, row in zip(names, rows, strict=True)
        }
        figures.append(window_figure(lines, options.windows, note))
    return tuple(figures)


def _plain(row: MetaRow, options: argparse.Namespace) -> dict[str, object]:
    correlations = {method: asdict(found) for method, found in row.correlations.items()}
    for plain in correlations.values():
        del plain["method"]
    sentences = row.sentences and {
        "tau": row.sentences.tau,
        "tau_interval": row.sentences.tau_interval and asdict(row.sentences.tau_interval),
        "accuracy": row.sentences.accuracy,
        "accuracy_with_ties": row.sentences.accuracy_with_ties,
        "pairs": row.sentences.counted,
    }
    return {
        "metric": row.metric,
        "references": row.references,
        "higher_is_better": row.higher_is_better,
        "systems": correlations,
        "sentences": sentences,
        "ties": options.ties,
        "aggregate": options.aggregate,
        "williams": {
            method: {**asdict(test), "significant": test.significant} for method, test in row.williams.items()
        },
        "windows": [{"first": each.first, "last": each.last, **each.values} for each in row.windows],
    }

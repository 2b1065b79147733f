"""`gecbench meta`: how well metrics, your own included, agree with human judgments."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import nan
from pathlib import Path
from typing import Any

from gecbench.analysis.tables import Table, render_rows
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
from gecbench.corpora.catalog import HUMAN_JUDGMENTS
from gecbench.corpora.load import load_rankings, resolve_corpus
from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError
from gecbench.formats.judgments import Judgment, expand_pairs
from gecbench.formats.tables import read_sentence_scores, read_system_scores
from gecbench.human.correlation import (
    METHODS,
    NO_REFERENCES,
    Correlation,
    MetaRow,
    MetricScores,
    meta_evaluate,
    same_systems,
    score_systems,
)

_EXAMPLES = """  gecbench meta                                          (every metric on the demo)
  gecbench meta my_scores.tsv --human conll14            (lines: system TAB score; 13 systems, INPUT among them)
  gecbench meta my_scores.tsv --sentences mine_by_sentence.tsv --human conll14 -m gleu m2
  gecbench meta --human conll14 -m gleu -c conll14_fluency:nucle conll14_fluency:expert_fluency
  gecbench meta --human judgments.csv -m gleu -c my_corpus.jsonl -p outputs/*.txt
  gecbench meta my_scores.tsv --human human_scores.tsv   (scores instead of judgments)
"""


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "meta", summary, _EXAMPLES, run)
    add_metrics_option(parser)
    parser.set_defaults(metrics=None)
    list_judgments(parser)
    parser.add_argument("scores", metavar="SCORES.tsv", nargs="*", help="[metric [references]] system score, by tabs")
    parser.add_argument(
        "--sentences",
        metavar="FILE.tsv",
        nargs="+",
        default=[],
        help="[metric] system sentence score, sentences from 0",
    )
    parser.add_argument(
        "--human", metavar="NAME|FILE", default="demo", help="judgments: a name, CSV or XML; or a TSV of human scores"
    )
    parser.add_argument("-c", "--corpora", metavar="NAME|FILE", nargs="+", help="reference sets (default: by --human)")
    add_predictions_options(parser, None)
    add_ranking_options(parser)
    parser.add_argument(
        "--resamples",
        metavar="N",
        type=count,
        default=0,
        help="bootstrapped sets of systems for intervals, 0 for none (default: 0)",
    )
    add_format_option(parser)


def run(options: argparse.Namespace) -> None:
    """Correlate metrics with human judgments and print a table."""
    known, judgments = _human(options)
    corpora, systems = _scorable(options)
    scores = _external_scores(options)
    for names in (*(one.systems for one in scores), *([systems] if systems else [])):
        same_systems(names, known)
    metrics = options.metrics or ([] if options.scores else ["gleu", "m2", "bleu"])
    scores += score_systems(metrics, corpora, systems, sentences=judgments is not None, **preprocessing_of(options))
    human = known if judgments is None else make_ranking(options, judgments)
    rows = meta_evaluate(scores, human, judgments, resamples=options.resamples, seed=options.seed)
    header = ["metric", "references", *METHODS, "sentence tau", "accuracy"]
    table = Table(header, [_cells(row) for row in rows])
    print(render_rows(table, [_plain(row) for row in rows], options.format))


def _human(options: argparse.Namespace) -> tuple[Mapping[str, float], Sequence[Judgment] | None]:
    """Return the human scores of a file and None, or the judged systems (scores NaN) and the judgments."""
    if options.human not in HUMAN_JUDGMENTS and Path(options.human).suffix in (".tsv", ".txt"):
        found = read_system_scores(options.human)
        if len(found) != 1:
            raise InputError(f"{len(found)} sets of human scores", file=options.human, fix="Give system TAB score")
        return next(iter(found.values())), None
    judgments = list(expand_pairs(load_rankings(options.human)))
    return dict.fromkeys((name for pair in judgments for name in (pair.system1, pair.system2)), nan), judgments


def _scorable(options: argparse.Namespace) -> tuple[dict[str, Corpus], Mapping[str, Sequence[str]]]:
    """Return reference sets and outputs: those given, else those of the named judgments."""
    source = HUMAN_JUDGMENTS.get(options.human)
    names = options.corpora or ([source.corpus] if source and source.corpus else [])
    corpora = {name: resolve_corpus(name, options.metrics) for name in names}
    if options.metrics is None and options.scores:
        return corpora, {}
    if not corpora:
        raise InputError("no references to score the systems on", fix="Give -c, or only a file of scores")
    if options.predictions:
        first = next(iter(corpora.values()))
        given = argparse.Namespace(**vars(options), source=None, references=None, gold=None, corpus=None)
        return corpora, read_systems(given, first)
    if source is None or source.systems is None:
        raise InputError("no outputs of the judged systems", fix="Give -p, one file per judged system, named as judged")
    return corpora, source.systems()


def _external_scores(options: argparse.Namespace) -> list[MetricScores]:
    """Return the scores in files, with those of their sentences if given."""
    named = [(name, found) for path in options.scores for name, found in read_system_scores(path).items()]
    by_sentence = {name: found for path in options.sentences for name, found in read_sentence_scores(path).items()}
    scores = []
    for name, systems in named:
        metric, _, references = name.partition("|")
        scores.append(MetricScores(metric, references or NO_REFERENCES, systems, by_sentence.pop(metric, None)))
    if by_sentence:
        raise InputError(
            f"sentence scores of {next(iter(by_sentence))}, but no system scores of it",
            fix="Give both files, with the same metric's name (or the same file name)",
        )
    return scores


def _cells(row: MetaRow) -> list[str]:
    cells = [row.metric, row.references, *(_coefficient(row.correlations[method]) for method in METHODS)]
    if row.sentences is None:
        return [*cells, "", ""]
    return [*cells, f"{row.sentences.tau:.3f}", f"{row.sentences.accuracy:.3f}"]


def _coefficient(found: Correlation) -> str:
    if found.interval is None:
        return f"{found.value:.3f}"
    return f"{found.value:.3f} [{found.interval.low:.2f}, {found.interval.high:.2f}]"


def _plain(row: MetaRow) -> dict[str, object]:
    correlations = {method: asdict(found) for method, found in row.correlations.items()}
    for plain in correlations.values():
        del plain["method"]
    sentences = row.sentences and {
        "tau": row.sentences.tau,
        "accuracy": row.sentences.accuracy,
        "accuracy_with_ties": row.sentences.accuracy_with_ties,
        "pairs": row.sentences.decided,
    }
    return {"metric": row.metric, "references": row.references, "systems": correlations, "sentences": sentences}

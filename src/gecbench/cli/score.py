"""`gecbench score`: one or more systems, with any metrics."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from math import isnan
from typing import TYPE_CHECKING, Any

from gecbench.cli.options import (
    add_command,
    add_corpus_options,
    add_scoring_options,
    compare_systems,
    intake_of,
    read_corpus,
    read_systems,
    status_of,
)

if TYPE_CHECKING:
    from gecbench.analysis.report import Report
    from gecbench.corpus.corpus import Corpus

_EXAMPLES = """  gecbench score -s source.txt -r ref0.txt ref1.txt -p output.txt
  gecbench score -s source.txt -r ref*.txt -p a.txt b.txt.gz -m gleu bleu --resamples 1000
  cat output.txt | gecbench score -s source.txt -r ref0.txt -p - --format json
  gecbench score -c demo -p output.txt --per-sentence
  gecbench score -c demo -p output.txt --by edit-distance
  gecbench score -m m2 --gold gold.m2 -p output.txt --by error-type
  gecbench score -c demo -p output.txt --fail-under 40 || echo worse than it was
"""


class _Breakdowns:
    """What scores can be broken down by; the metrics are imported when it is asked."""

    def __iter__(self) -> Iterator[str]:
        from gecbench.analysis.breakdown import breakdown_names

        return iter(breakdown_names())


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = add_command(commands, "score", "Score systems against references", _EXAMPLES, run)
    add_corpus_options(parser)
    add_scoring_options(parser, resamples=0)
    views = parser.add_mutually_exclusive_group()
    views.add_argument("--per-sentence", action="store_true", help="print the score of every sentence instead")
    views.add_argument(
        "--by",
        metavar="WHAT",
        choices=_Breakdowns(),
        help="print the first metric's scores broken down: %(choices)s",
    )


def run(options: argparse.Namespace) -> int:
    """Score and print."""
    corpus = read_corpus(options)
    systems = read_systems(options, corpus)
    report = compare_systems(options, systems, corpus)
    if options.per_sentence:
        print(_per_sentence(report, corpus, options.format))
    elif options.by:
        from gecbench.analysis.breakdown import render_breakdown
        from gecbench.corpus.intake import Intake

        intake = Intake(**intake_of(options))
        admitted = {name: intake.admit(corpus, lines) for name, lines in systems.items()}
        scored = {name: each.lines for name, each in admitted.items()}
        corpus = next(iter(admitted.values())).corpus
        print(render_breakdown(options.by, report, corpus, scored, options.format))
    else:
        print(report.render(options.format))
    return status_of(report, options)


def _per_sentence(report: Report, corpus: Corpus, table_format: str) -> str:
    from gecbench.analysis.tables import Table, render_table
    from gecbench.metrics.ratios import percent

    columns = {
        (system, metric): report[system][metric].sentence_scores() for system in report for metric in report.metrics
    }
    ids = corpus.ids or ()
    if table_format == "json":
        rows = [
            {
                "id": ids[i],
                "system": system,
                "metric": metric,
                "value": None if isnan(values[i]) else float(values[i]),
            }
            for i in range(len(corpus))
            for (system, metric), values in columns.items()
        ]
        return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    several = len(report) > 1
    header = ["id", *(f"{system} {metric}" if several else metric for system, metric in columns)]
    cells = [[ids[i], *(percent(values[i]) for values in columns.values())] for i in range(len(corpus))]
    return render_table(Table(header, cells), table_format)

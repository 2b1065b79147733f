"""`gecbench demo`: score toy systems on the embedded demo corpus, offline."""

from __future__ import annotations

import argparse
from typing import Any

from gecbench.api import compare
from gecbench.cli.options import WIDE_WITH_INTERVALS, add_command, add_format_option, print_rendered
from gecbench.metrics.base import METRICS

_EXAMPLES = """  gecbench demo
  gecbench demo --format markdown
  gecbench demo --write demo
  gecbench score -s demo/source.txt -r demo/reference*.txt -p demo/systems/*.txt
"""


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "demo", summary, _EXAMPLES, run)
    add_format_option(parser, WIDE_WITH_INTERVALS)
    about = "instead of scoring, write the demo corpus and the systems to this folder, for trying other commands"
    parser.add_argument("--write", metavar="FOLDER", help=about)


def run(options: argparse.Namespace) -> None:
    """Score the toy systems, or write the demo files.

    The metrics are those that need no optional dependency.
    """
    from gecbench.corpora.demo import copy_demo, load_demo, load_demo_systems

    if options.write:
        print("\n".join(map(str, copy_demo(options.write))))
        return
    corpus = load_demo()
    metrics = [name for name, metric in METRICS.items() if metric.extra is None]
    report = compare(load_demo_systems(), corpus, metrics, against="above")
    if options.format == "text":
        print(f"Demo corpus: {len(corpus)} learner sentences, {corpus.reference_range()} fluent references each\n")
    print_rendered(report.render(options.format, options.wide))

"""`gecbench m2scorer`: the official scorer's arguments and its three lines, so that old scripts keep working."""

from __future__ import annotations

import argparse
from typing import Any

from gecbench.cli.options import add_command, pick
from gecbench.formats.columns import read_predictions
from gecbench.formats.m2 import read_m2
from gecbench.metrics.m2.metric import M2

_EXAMPLES = """  gecbench m2scorer system.txt gold.m2
  gecbench m2scorer -v --beta 1 --ignore_whitespace_casing system.txt gold.m2.gz
"""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = add_command(commands, "m2scorer", "Score like the official M2 scorer's script", _EXAMPLES, run)
    parser.add_argument("system", metavar="SYSTEM", help="corrected sentences, one per line")
    parser.add_argument("gold", metavar="GOLD", help="gold edits, an M2 file")
    parser.add_argument("-v", "--verbose", action="store_true", help="also show every sentence's edits and matches")
    parser.add_argument("--very_verbose", action="store_true", help="the same as --verbose")
    parser.add_argument("--max_unchanged_words", metavar="N", type=int, default=2, help="in one edit (default: 2)")
    parser.add_argument("--beta", metavar="B", type=float, default=0.5, help="beta of the F measure (default: 0.5)")
    parser.add_argument("--ignore_whitespace_casing", action="store_true", help="leave out edits of spaces and case")


def run(options: argparse.Namespace) -> None:
    """Score and print precision, recall and F."""
    corpus = read_m2(options.gold, out_of_range="drop")
    predictions = read_predictions(options.system, corpus)
    metric = M2(**pick(options, "beta", "max_unchanged_words", "ignore_whitespace_casing"))
    score = metric.score_corpus(corpus, predictions, name=options.system, aligned=True, tokenized=True)
    if options.verbose or options.very_verbose:
        for explanation in metric.explain(corpus, predictions, range(len(corpus))):
            print(explanation.to_text(), end="\n\n")
    print(f"Precision   : {score.parts['precision']:.4f}")
    print(f"Recall      : {score.parts['recall']:.4f}")
    print(f"F_{options.beta:.1f}       : {score.value:.4f}")

"""`gecbench compare`: rank systems, with confidence intervals and paired tests."""

from __future__ import annotations

import argparse
from typing import Any

from gecbench.analysis.significance import TESTS
from gecbench.api import check_comparison, compare_prepared
from gecbench.cli.options import (
    add_command,
    add_corpus_options,
    add_scoring_options,
    load_inputs,
    pick,
    print_report,
    systems_of,
)
from gecbench.errors import InputError

_EXAMPLES = """  gecbench compare -s source.txt -r ref0.txt ref1.txt -p baseline.txt new.txt
  gecbench compare -s source.txt -r ref*.txt -p a.txt b.txt --format latex
  gecbench compare -c demo -p a.txt b.txt c.txt --against above
  gecbench compare -c demo -p a.txt b.txt -m gleu bleu --test bootstrap
  gecbench compare --gold gold.m2 -p a.txt b.txt -m imeasure --test t-test
"""


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "compare", summary, _EXAMPLES, run)
    add_corpus_options(parser)
    add_scoring_options(parser, resamples=1000)
    parser.add_argument(
        "--test",
        choices=TESTS,
        type=lambda name: name.replace("randomisation", "randomization"),  # the spelling of 0.2.0
        default="randomization",
        help="paired test: approximate randomization, bootstrap, or t-test on sentence scores (default: randomization)",
    )
    parser.add_argument(
        "--against",
        metavar="first|above|NAME",
        default="first",
        help="test each system against the first file, the next better system, or a named system (default: first)",
    )


def run(options: argparse.Namespace) -> int:
    """Compare and print."""
    if options.resamples < 1 and options.test != "t-test":
        problem = f"--test {options.test} needs at least one resample"
        raise InputError(problem, fix="Give --resamples 1000, or use gecbench score")
    if len(options.predictions) < 2:
        fix = "Give at least two files with -p, or use gecbench score"
        raise InputError("compare needs at least two systems", fix=fix)
    check_comparison(systems_of(options), options.test, options.against)
    inputs = load_inputs(options)
    report = compare_prepared(inputs.systems, inputs.metrics, **pick(options, "resamples", "seed", "test", "against"))
    return print_report(report, options)

"""`gecbench explain`: what a metric saw, sentence by sentence."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from typing import Any

from gecbench.analysis.explained_page import html_page
from gecbench.cli.options import (
    add_command,
    add_corpus_options,
    corpus_files,
    load_inputs,
)
from gecbench.errors import InputError
from gecbench.formats.text import check_not_overwriting, write_lines
from gecbench.metrics.base import METRICS

_EXAMPLES = """  gecbench explain --gold gold.m2 -p output.txt
  gecbench explain --gold gold.m2 -p output.txt --sentences 3 17
  gecbench explain --gold gold.m2 -p output.txt -m imeasure
  gecbench explain -c demo -p output.txt -m gleu --sentences 3
  gecbench explain -c demo -p output.txt --html explained.html
"""


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "explain", summary, _EXAMPLES, run)
    add_corpus_options(parser)
    known = " or ".join(_explaining())
    parser.add_argument("-m", "--metric", default="m2", help=f"the metric to explain: {known} (default: m2)")
    parser.add_argument("--sentences", metavar="N", nargs="+", type=int, help="only these sentences, counted from 1")
    parser.add_argument("--html", metavar="FILE", help="write a page, with filters, instead of printing")
    parser.add_argument("--colour", choices=("auto", "always", "never"), default="auto", help="colours on a terminal")


def run(options: argparse.Namespace) -> None:
    """Explain and print."""
    check_not_overwriting([options.html], [*options.predictions, *corpus_files(options)])
    inputs = load_inputs(options)
    corpus, [metric] = inputs.corpus, inputs.metrics.values()
    if not metric.explains:
        known = " or ".join(f"-m {name}" for name in _explaining())
        raise InputError(f"{metric.name} has no edits to explain", fix=f"Use {known}")
    sentences = _sentences(options.sentences, len(corpus))
    if options.html and len(inputs.systems) > 1:
        raise InputError("a page shows one system", fix="Give one predictions file with --html")
    pages = []
    for name, prepared in inputs.systems.items():
        explanations = metric.explain(prepared.corpus, prepared.lines, sentences)
        if options.html:
            title = f"{name} on {corpus.name}, explained by {metric.title}"
            page = html_page(explanations, title, metric.score_prepared(prepared))
            write_lines(options.html, page.split("\n"))
            return
        heading = [f"=== {name}"] if len(inputs.systems) > 1 else []
        width = shutil.get_terminal_size((100, 24)).columns
        pages += [*heading, *(explanation.to_text(_colour(options.colour), width) for explanation in explanations)]
    print("\n\n".join(pages))


def _explaining() -> list[str]:
    return [name for name, metric in METRICS.items() if metric.explains]


def _sentences(wanted: Sequence[int] | None, total: int) -> list[int]:
    if wanted is None:
        return list(range(total))
    for number in wanted:
        if not 1 <= number <= total:
            raise InputError(f"no sentence {number}", fix=f"Sentences are counted from 1 to {total}")
    return [number - 1 for number in wanted]


def _colour(choice: str) -> bool:
    if choice == "auto":
        return sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return choice == "always"

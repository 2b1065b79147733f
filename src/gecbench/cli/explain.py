"""`gecbench explain`: show how each sentence was scored, as text or HTML."""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import shutil
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from gecbench.cli.options import add_command, add_corpus_options, corpus_files, count, load_inputs
from gecbench.corpora.catalog import modules_folder
from gecbench.errors import InputError
from gecbench.formats.text import check_not_overwriting, write_lines
from gecbench.metrics.base import METRICS, Score
from gecbench.metrics.explain import SIGNS, Explanation, legend

_ASSETS = Path(__file__).parent
_EXAMPLES = """  gecbench explain --gold gold.m2 -p output.txt
  gecbench explain --gold gold.m2 -p output.txt --sentences 1-50
  gecbench explain --gold gold.m2 -p output.txt --sentences 3,17,20-25
  gecbench explain --gold gold.m2 -p output.txt -m imeasure
  gecbench explain -c demo -p output.txt -m gleu --sentences 3
  gecbench explain -c demo -p output.txt --html explained.html
"""


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "explain", summary, _EXAMPLES, run)
    add_corpus_options(parser)
    known = ", ".join(_explaining())
    parser.add_argument("-m", "--metric", default="m2", help=f"explain scores of this metric: {known} (default: m2)")
    about = "sentences to explain, counted from 1: numbers and ranges, such as 3,17 or 1-50 (default: all)"
    parser.add_argument("--sentences", metavar="N-M", nargs="+", type=_ranges, help=about)
    parser.add_argument("--html", metavar="FILE", help="write an HTML page with filters instead of printing")
    about = "use colors (default: auto, on a terminal only)"
    parser.add_argument("--color", "--colour", choices=("auto", "always", "never"), default="auto", help=about)


def run(options: argparse.Namespace) -> None:
    """Explain and print."""
    check_not_overwriting([options.html], [*options.predictions, *corpus_files(options)])
    inputs = load_inputs(options)
    corpus, [metric] = inputs.corpus, inputs.metrics.values()
    if not metric.explains:
        known = ", ".join(_explaining())
        raise InputError(f"{metric.name} cannot explain sentences", fix=f"Choose a metric with -m: {known}")
    sentences = _sentences(options.sentences, len(corpus))
    if options.html and len(inputs.systems) > 1:
        raise InputError("--html can show only one system", fix="Give one file with -p")
    pages: list[str] = []
    shown: list[Explanation] = []
    color = _color(options.color)
    for name, prepared in inputs.systems.items():
        explanations = metric.explain(prepared.corpus, prepared.lines, sentences)
        if options.html:
            title = f"{name} on {corpus.name}, explained by {metric.title}"
            numbers = [sentence + 1 for sentence in sentences]
            page = html_page(dict(zip(numbers, explanations, strict=True)), title, metric.score_prepared(prepared))
            write_lines(options.html, page.split("\n"))
            return
        heading = [f"=== {name}"] if len(inputs.systems) > 1 else []
        width = shutil.get_terminal_size((100, 24)).columns
        pages += [*heading, *(explanation.to_text(color, width) for explanation in explanations)]
        shown += explanations
    signs = legend(shown, color)
    print("\n\n".join([signs, *pages] if signs else pages))


def _explaining() -> list[str]:
    return [name for name, metric in METRICS.items() if metric.explains]


def _ranges(text: str) -> list[range]:
    """Parse numbers and ranges separated by commas, such as 3,17,20-25."""
    found = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        try:
            low = count(first, least=1)
            high = count(last, least=1) if dash else low
        except argparse.ArgumentTypeError:
            low, high = 1, 0
        if low > high:
            problem = f"{part or text!r} is not a sentence number or a range (counted from 1, as in 3,17 or 1-50)"
            raise argparse.ArgumentTypeError(problem)
        found.append(range(low, high + 1))
    return found


def _sentences(wanted: Sequence[Sequence[range]] | None, total: int) -> list[int]:
    """Return the distinct positions of the chosen sentences (default: all)."""
    if wanted is None:
        return list(range(total))
    ranges = [each for found in wanted for each in found]
    for each in ranges:
        if each[-1] > total:
            fix = "The corpus has one sentence" if total == 1 else f"Sentences are numbered from 1 to {total}"
            raise InputError(f"there is no sentence {each[-1]}", fix=fix)
    return list(dict.fromkeys(number - 1 for each in ranges for number in each))


def _color(choice: str) -> bool:
    if choice == "auto":
        return sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return choice == "always"


def html_page(explanations: Mapping[int, Explanation], title: str, score: Score | None = None) -> str:
    """Return a self-contained HTML page of explanations by sentence number.

    Without JavaScript, the page shows all sentences. It has the edit browser and the colors of the leaderboard's page.
    """
    board = modules_folder("spaces") / "leaderboard"
    style = _read(board / "base.css", _ASSETS / "explain.css")
    script = _read(board / "js/core.js", board / "js/edits.js", _ASSETS / "explain.js")
    policy = f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    shown = list(explanations.values())
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n<header>",
            f'<h1>{escape(title)}</h1>\n<button id="theme" type="button">Theme</button>',
            *([score._repr_html_()] if score else []),
            _totals(shown),
            _legend(shown),
            '</header>\n<form class="controls" role="search" hidden></form>\n<main>',
            *(f'<section id="s{k}" tabindex="-1">\n{each.to_html()}\n</section>' for k, each in explanations.items()),
            f"</main>\n<script>{script}</script>\n</body>\n</html>",
        ]
    )


def _read(*paths: Path) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in paths)


def _totals(explanations: Sequence[Explanation]) -> str:
    totals: Counter[str] = Counter()
    for explanation in explanations:
        totals.update(explanation.counts)
    counted = {"sentences": len(explanations), **totals}
    entries = "".join(f"<div><dt>{escape(name)}</dt><dd>{count:,}</dd></div>" for name, count in counted.items())
    return f"<dl>{entries}</dl>"


def _legend(explanations: Sequence[Explanation]) -> str:
    meanings = explanations[0].meanings if explanations else {}
    entries = (
        f'<li><span class="{mark}">{SIGNS[mark]}abc</span> {escape(words)}</li>' for mark, words in meanings.items()
    )
    return f'<ul class="legend" aria-label="Legend">{"".join(entries)}</ul>'


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"

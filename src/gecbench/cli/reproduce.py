"""`gecbench reproduce`: recompute the tables and figures of papers.

The published numbers are shown next to the recomputed numbers.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from textwrap import fill
from typing import Any

from gecbench.cli.options import add_command, add_format_option, count, definition_list
from gecbench.display import log_info, tracked
from gecbench.errors import InputError, MissingDependencyError
from gecbench.papers import PAPERS, Reproduction, check_paper, render, reproduce

_EXAMPLES = """  gecbench reproduce sakaguchi2016
  gecbench reproduce jfleg2017 --figures figures
  gecbench reproduce --format markdown > tables.md
"""
_INTRODUCTION = """# The papers' tables, recomputed

Computed with `gecbench reproduce --format markdown` from the published outputs, references and judgments. Published
numbers are next to ours. A dash means that the public files are not enough to compute a number. The reason is below
the table.
"""


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "reproduce", summary, _EXAMPLES, run)
    parser.epilog = f"papers:\n{definition_list(PAPERS, 15)}\n\n{parser.epilog}"
    parser.add_argument("papers", metavar="PAPER", nargs="*", help="papers to reproduce (default: all)")
    add_figures_options(parser)
    about = "for seeda: folder with ERRANT's edits (SYSTEM.m2, gold_right.m2, gold_gecmetrics.m2)"
    parser.add_argument("--edits", metavar="FOLDER", help=about)
    about_runs = "bootstrap runs of TrueSkill (default: 1000)"
    parser.add_argument("--runs", metavar="N", type=partial(count, least=1), default=1000, help=about_runs)
    about = "processes for the slow parts (default: one per CPU)"
    parser.add_argument("--processes", metavar="N", type=count, default=os.cpu_count() or 1, help=about)
    add_format_option(parser)


def add_figures_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the folder and the format of figures."""
    parser.add_argument("--figures", metavar="FOLDER", help="draw the figures into this folder (needs matplotlib)")
    about = "file format of the figures (default: png)"
    parser.add_argument("--figure-format", choices=("png", "svg", "pdf"), default="png", help=about)


def run(options: argparse.Namespace) -> None:
    """Compute and print the tables, and draw the figures."""
    for paper in options.papers:
        check_paper(paper)
    edits = Path(options.edits) if options.edits else None
    if edits is not None and not edits.is_dir():
        raise InputError("is not a folder", file=options.edits, fix="Give a folder of M2 files with --edits")
    if options.figures:
        check_figures(Path(options.figures))
    chosen = options.papers or list(PAPERS)
    found = []
    for k, paper in enumerate(chosen, 1):
        log_info(f"{paper} ({k} of {len(chosen)})")
        found.append(reproduce(paper, processes=max(1, options.processes), runs=options.runs, edits=edits))
    if options.figures:
        draw_figures(found, Path(options.figures), options.figure_format)
    if options.format == "markdown":
        print(_INTRODUCTION)
    print(render(found, options.format, options.wide))


def _matplotlib() -> Any:
    try:
        from matplotlib import figure
    except ImportError as error:
        raise MissingDependencyError("figures need matplotlib. Install it: pip install 'gecbench[plots]'") from error
    return figure


def check_figures(folder: Path) -> None:
    """Create the folder for figures, and raise an error if figures cannot be drawn."""
    _matplotlib()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fix = "Give another folder with --figures"
        raise InputError(f"cannot create the folder: {error.strerror}", file=str(folder), fix=fix) from error


def draw_figures(reproductions: Sequence[Reproduction], folder: Path, ending: str) -> None:
    """Write every figure into the folder, with its caption above and its note below."""
    module = _matplotlib()
    figures = [(reproduction.paper, figure) for reproduction in reproductions for figure in reproduction.figures]
    for paper, figure in tracked(figures, len(figures), "drawing"):
        picture = module.Figure(figsize=figure.size, layout="constrained")
        picture.suptitle(figure.caption, fontsize=10, wrap=True)
        picture.supxlabel(fill(figure.note, round(16 * figure.size[0])), fontsize=7, color="#555555")
        figure.draw(picture)
        picture.savefig(folder / f"{paper}-{figure.name}.{ending}", dpi=150)

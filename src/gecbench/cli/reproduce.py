"""`gecbench reproduce`: the papers' tables, published next to ours, and their figures."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from gecbench.cli.options import add_command, add_format_option, count
from gecbench.display import log_info, tracked
from gecbench.errors import InputError, MissingDependencyError
from gecbench.papers import PAPERS, Reproduction, check_paper, render, reproduce

_EXAMPLES = """  gecbench reproduce sakaguchi2016
  gecbench reproduce jfleg2017 --figures figures
  gecbench reproduce --format markdown > tables.md
"""
_INTRODUCTION = """# Reproduced tables

Computed by `gecbench reproduce --format markdown` from raw outputs, references and judgments, next to published
figures. A dash means that the public files do not give the number; the reason is below its table.
"""


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "reproduce", summary, _EXAMPLES, run)
    papers = "\n".join(f"  {name:<15}{description}" for name, description in PAPERS.items())
    parser.epilog = f"papers:\n{papers}\n\n{parser.epilog}"
    parser.add_argument("papers", metavar="PAPER", nargs="*", help="which papers (default: all)")
    add_figures_options(parser)
    parser.add_argument(
        "--edits", metavar="FOLDER", help="ERRANT's edits for seeda: SYSTEM.m2, gold_right.m2, gold_gecmetrics.m2"
    )
    parser.add_argument("--runs", metavar="N", type=count, default=1000, help="runs of TrueSkill (default: 1000)")
    parser.add_argument(
        "--processes", metavar="N", type=count, default=os.cpu_count() or 1, help="for the slow parts (default: all)"
    )
    add_format_option(parser)


def add_figures_options(parser: argparse.ArgumentParser) -> None:
    """Add where figures go, and their format."""
    parser.add_argument("--figures", metavar="FOLDER", help="draw the figures into this folder (needs matplotlib)")
    parser.add_argument("--figure-format", choices=("png", "svg", "pdf"), default="png", help="(default: png)")


def run(options: argparse.Namespace) -> None:
    """Compute, draw and print."""
    for paper in options.papers:
        check_paper(paper)
    edits = Path(options.edits) if options.edits else None
    if edits is not None and not edits.is_dir():
        raise InputError("is not a folder", file=options.edits)
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
        raise MissingDependencyError("figures need matplotlib: pip install 'gecbench[plots]'") from error
    return figure


def check_figures(folder: Path) -> None:
    """Make the folder for figures, and raise unless they can be drawn."""
    _matplotlib()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", file=str(folder)) from error


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

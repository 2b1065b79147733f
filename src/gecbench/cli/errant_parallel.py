"""`gecbench errant_parallel`: the official program's arguments; text to edits, through the installed errant."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

from gecbench.cli.options import add_command
from gecbench.errors import InputError
from gecbench.formats.m2 import noop_line
from gecbench.formats.text import check_outputs, read_text, universal_newlines, write_lines
from gecbench.metrics.errant.annotate import DEFAULT_MODEL, MERGES, Annotator
from gecbench.progress import tracked

_EXAMPLES = """  gecbench errant_parallel -orig source.txt -cor corrected.txt -out edits.m2
  gecbench errant_parallel -orig source.txt -cor ref0.txt ref1.txt -out gold.m2 -merge all-split
"""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = add_command(
        commands, "errant_parallel", "Annotate text like the official errant_parallel", _EXAMPLES, run, failure=1
    )
    parser.add_argument("-orig", required=True, metavar="FILE", help="the source sentences, one per line")
    parser.add_argument("-cor", required=True, nargs="+", metavar="FILE", help="one file per correction")
    parser.add_argument("-out", required=True, metavar="FILE", help="the M2 file to write")
    parser.add_argument("-tok", action="store_true", help="let spaCy split the text into tokens")
    add_alignment_options(parser)


def add_alignment_options(parser: argparse.ArgumentParser) -> None:
    """Add how edits are extracted, and by which model."""
    parser.add_argument("-lev", action="store_true", help="align by plain Levenshtein distance")
    parser.add_argument("-merge", choices=MERGES, default="rules", help="which changes are one edit (default: rules)")
    parser.add_argument("--model", default=DEFAULT_MODEL, help=f"spaCy pipeline or its folder (ours; {DEFAULT_MODEL})")


def run(options: argparse.Namespace) -> None:
    """Annotate and write."""
    check_outputs([options.out], [options.orig, *options.cor])
    annotator = Annotator(options.model, options.lev, options.merge, options.tok)
    print("Loading resources...")
    annotator.library()
    print("Processing parallel files...")
    columns = [_lines(path) for path in (options.orig, *options.cor)]
    for path, column in zip(options.cor, columns[1:], strict=True):
        if len(column) != len(columns[0]):
            raise InputError(
                f"{len(column)} lines, but {options.orig} has {len(columns[0])}", file=path, fix="Pair line by line"
            )
    rows = tracked(zip(*columns, strict=True), len(columns[0]), "annotating")
    lines = [line for source, *texts in rows if source for line in _block(annotator, source, texts)]
    write_lines(options.out, lines)


def _lines(path: str) -> list[str]:
    text = universal_newlines(read_text(path))
    return [line.strip() for line in text.removesuffix("\n").split("\n")] if text else []


def _block(annotator: Annotator, source: str, texts: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a sentence."""
    before = annotator.parse(source)
    yield " ".join(["S", *(token.text for token in before)])
    for k, text in enumerate(texts):
        if before.text.strip() == text:
            yield noop_line(k)
        else:
            for edit in annotator.differences(before, annotator.parse(text)):
                yield edit.to_m2(k)
    yield ""

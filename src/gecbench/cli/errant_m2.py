"""`gecbench errant_m2`: the official program's arguments; edits extracted or typed anew by the installed errant."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

from gecbench.cli.errant_parallel import add_alignment_options
from gecbench.cli.options import add_command
from gecbench.formats.m2 import noop_line, parse_edit_fields
from gecbench.formats.text import check_outputs, read_text, universal_newlines, write_lines
from gecbench.kernels.errant import NOOP, EditFields
from gecbench.metrics.errant.annotate import Annotator, apply_fields
from gecbench.progress import tracked

_EXAMPLES = """  gecbench errant_m2 -auto gold.m2 -out renewed.m2
  gecbench errant_m2 -gold gold.m2 -out typed.m2 -no_min
"""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = add_command(
        commands, "errant_m2", "Annotate an M2 file anew like the official errant_m2", _EXAMPLES, run, failure=1
    )
    parser.add_argument("m2_file", metavar="M2", help="the file to annotate")
    ways = parser.add_mutually_exclusive_group(required=True)
    ways.add_argument("-auto", action="store_true", help="extract the edits anew from the corrected text")
    ways.add_argument("-gold", action="store_true", help="keep the edits, with new types")
    parser.add_argument("-out", required=True, metavar="FILE", help="the M2 file to write")
    parser.add_argument("-no_min", action="store_true", help="with -gold: do not make edits as small as they can be")
    parser.add_argument("-old_cats", action="store_true", help="with -gold: keep the types")
    add_alignment_options(parser)


def run(options: argparse.Namespace) -> None:
    """Annotate and write."""
    check_outputs([options.out], [options.m2_file])
    annotator = Annotator(options.model, options.lev, options.merge)
    print("Loading resources...")
    annotator.library()
    print("Processing M2 file...")
    text = "\n".join(line.strip() for line in universal_newlines(read_text(options.m2_file)).split("\n"))
    blocks = parse_edit_fields(text, options.m2_file)
    rows = tracked(blocks, len(blocks), "annotating")
    write_lines(options.out, [line for source, found in rows for line in _block(annotator, source, found, options)])


def _block(
    annotator: Annotator, source: str, found: dict[int, list[EditFields]], options: argparse.Namespace
) -> Iterator[str]:
    """Yield the lines of a sentence."""
    yield f"S {source}".rstrip()
    for number in sorted(found, key=str):
        if found[number][0][2] == NOOP:
            yield noop_line(number)
        elif options.auto:
            for edit in annotator.renewed(source, found[number], options.old_cats):
                yield edit.to_m2(number)
        else:
            yield from _typed(annotator, source, found[number], number, options)
    yield ""


def _typed(
    annotator: Annotator, source: str, edits: Sequence[EditFields], number: int, options: argparse.Namespace
) -> Iterator[str]:
    text, spans = apply_fields(source, edits)
    before, after = annotator.parse(source), annotator.parse(text)
    for span in spans:
        yield annotator.imported(before, after, span, not options.no_min, options.old_cats).to_m2(number)

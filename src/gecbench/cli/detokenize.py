"""`gecbench detokenize`: join tokens into raw text."""

from __future__ import annotations

import argparse
from typing import Any

from gecbench.cli.options import add_command
from gecbench.corpus.tokenize import detokenize
from gecbench.formats.tables import read_plain_text
from gecbench.formats.text import STANDARD_INPUT, check_not_overwriting, write_lines

_EXAMPLES = """  gecbench detokenize tokenized.txt -o raw.txt
"""


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "detokenize", summary, _EXAMPLES, run)
    about = "tokenized text, one sentence per line (default: standard input)"
    parser.add_argument("file", metavar="FILE", nargs="?", default=STANDARD_INPUT, help=about)
    about = "file to write (default: standard output)"
    parser.add_argument("-o", "--output", metavar="FILE", default=STANDARD_INPUT, help=about)


def run(options: argparse.Namespace) -> None:
    """Detokenize and write."""
    check_not_overwriting([options.output], [options.file])
    write_lines(options.output, detokenize(read_plain_text(options.file)))

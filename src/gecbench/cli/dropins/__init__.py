"""Drop-in commands with the arguments and output of the official programs, and what they share.

Handling of arguments, files and errors follows the official programs.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from typing import Any

from gecbench.cli.options import add_command
from gecbench.corpus.corpus import Corpus, check_line_count
from gecbench.corpus.prepare import (
    MixedUpTextWarning,
    RawTextWarning,
    check_alignment,
    identical_references,
    tokenized_unlike,
    warn_of_damage,
)
from gecbench.errors import InputError
from gecbench.formats.text import lines_of, read_marked_text


def add_dropin(
    commands: Any, name: str, description: str, usage: str, examples: str, run: Any
) -> argparse.ArgumentParser:
    """Add a command that reads its arguments itself."""
    settings = {"prefix_chars": "+", "add_help": False, "usage": f"gecbench {name} {usage}"}
    parser = add_command(commands, name, description, examples, run, failure=1, **settings)
    parser.add_argument("words", nargs="*", help=argparse.SUPPRESS)
    parser.set_defaults(parser=parser)
    return parser


def read_hypotheses(path: str) -> list[str]:
    """Return the lines of a file of any name; a byte order mark is part of the first."""
    return lines_of(read_marked_text(path))


def prepare(corpus: Corpus, lines: Sequence[str], path: str) -> tuple[str, ...]:
    """Refuse a file with another number of lines than there are sources; warn of one that looks misplaced or raw.

    It also reports damaged text, and text that is identical to a reference.
    """
    fix = "Give one line for each sentence, in the same order"
    check_line_count(len(lines), len(corpus), corpus.name, path, fix)
    if tokenized_unlike(corpus.sources, lines):
        _warn(path, "is not tokenized like its sources", "gecbench score --tokenize auto would split it")
    warn_of_damage(corpus.sources, lines, path)
    try:
        check_alignment(corpus.sources, lines, "its lines")
    except InputError as error:
        _warn(path, error.problem, "gecbench score would refuse it")
    for problem in identical_references(corpus, lines, "its lines"):
        warn_of_mixed_up(f"{path}: {problem}")
    return tuple(lines)


def warn_of_mixed_up(problem: str) -> None:
    """Warn of files that seem to be given in the wrong place."""
    warnings.warn(f"{problem}. They are scored as they are.", MixedUpTextWarning, stacklevel=2)


def _warn(path: str, problem: str, otherwise: str) -> None:
    warnings.warn(f"{path}: {problem}. It is scored as it is; {otherwise}.", RawTextWarning, stacklevel=2)


def figure(value: float) -> str:
    """Return a number as Python 2 prints it: twelve digits, one behind the point at least."""
    text = f"{value:.12g}"
    return text if set(text) & set(".en") else f"{text}.0"

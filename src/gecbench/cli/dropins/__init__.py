"""Drop-in commands with the arguments and output of the official programs.

This module contains the code that the commands share.
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
    """Add a drop-in command whose `run` parses the arguments itself.

    Each official program parses its arguments in its own way.
    """
    settings = {"prefix_chars": "+", "add_help": False, "usage": f"gecbench {name} {usage}"}
    parser = add_command(commands, name, description, examples, run, failure=1, **settings)
    parser.add_argument("words", nargs="*", help=argparse.SUPPRESS)
    parser.set_defaults(parser=parser)
    return parser


def read_hypotheses(path: str) -> list[str]:
    """Return the lines of a file, and keep a byte order mark in the first line.

    The official programs also keep it.
    """
    return lines_of(read_marked_text(path))


def prepare(corpus: Corpus, lines: Sequence[str], path: str) -> tuple[str, ...]:
    """Check the number of lines of system outputs, and warn of suspicious text.

    A wrong number of lines is an error. Text is suspicious if it is untokenized, damaged, shifted, or identical to a
    reference.
    """
    fix = "Give one line for each sentence, in the same order"
    check_line_count(len(lines), len(corpus), corpus.name, path, fix)
    if tokenized_unlike(corpus.sources, lines):
        _warn(path, "is not tokenized like its sources", "gecbench score --tokenize auto would tokenize it")
    warn_of_damage(corpus.sources, lines, path)
    try:
        check_alignment(corpus.sources, lines, "its lines")
    except InputError as error:
        _warn(path, error.problem, "gecbench score would report this as an error")
    for problem in identical_references(corpus, lines, "its lines"):
        warn_of_mixed_up(f"{path}: {problem}")
    return tuple(lines)


def warn_of_mixed_up(problem: str) -> None:
    """Warn of files that seem to be swapped or identical."""
    warnings.warn(f"{problem}. The files are scored as they are.", MixedUpTextWarning, stacklevel=2)


def _warn(path: str, problem: str, otherwise: str) -> None:
    warnings.warn(f"{path}: {problem}. The file is scored as it is; {otherwise}.", RawTextWarning, stacklevel=2)


def figure(value: float) -> str:
    """Format a number like `str` in Python 2, with twelve significant digits.

    A whole number ends in `.0`.
    """
    text = f"{value:.12g}"
    return text if set(text) & set(".en") else f"{text}.0"

"""The parser of every command: argparse with kinder errors."""

from __future__ import annotations

import argparse
import re
from itertools import takewhile
from typing import Any, NoReturn

from gecbench.errors import did_you_mean


class Parser(argparse.ArgumentParser):
    """A parser whose commands take --quiet, and that asks "did you mean" where a word is unknown."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        if self.add_help:
            about = "no progress and no remarks, only results, warnings and errors"
            self.add_argument("--quiet", action="store_true", default=argparse.SUPPRESS, help=about)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Show the actions where none is named; refuse unknown options here, where the known ones are at hand."""
        if self._subparsers and not args:
            self.print_help()
            self.exit()
        if not self._subparsers and self.add_help:
            for word in takewhile(lambda word: word != "--", args or ()):
                if word.startswith("--") and not self._get_option_tuples(word.partition("=")[0]):
                    hint = did_you_mean(word.partition("=")[0], self._option_string_actions)
                    self.error(f"unrecognized arguments: {word}. {hint}".rstrip(". "))
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, what was perhaps meant, and where the options are listed."""
        if wrong := re.match(r"(.*)invalid choice: '([^']*)' \(choose from (.*)\)", message):
            hint = did_you_mean(wrong[2], re.findall(r"[\w-]+", wrong[3]))
            message = f"{wrong[1]}invalid choice: '{wrong[2]}'. {hint}Choose from {wrong[3]}"
        stop = "" if message.endswith("?") else "."
        self.exit(2, f"{self.prog}: error: {message}{stop} Options and examples: {self.prog} --help\n")

"""`gecbench completion`: the tab key, in bash, zsh and fish."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from gecbench.cli.options import add_command

_EXAMPLES = """  gecbench completion bash > ~/.local/share/bash-completion/completions/gecbench
  gecbench completion zsh > ~/.zfunc/_gecbench            (with: fpath+=~/.zfunc before compinit in ~/.zshrc)
  gecbench completion fish > ~/.config/fish/completions/gecbench.fish
"""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = add_command(commands, "completion", "Print a script that completes commands and options", _EXAMPLES, run)
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell that reads it")


def run(options: argparse.Namespace) -> None:
    """Print the script."""
    import shtab

    from gecbench.cli.main import make_parser

    parser = make_parser()
    for action in _actions(parser):
        if "FILE" in str(action.metavar):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.metavar == "FOLDER":
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    print(shtab.complete(parser, shell=options.shell))


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the options and arguments of a parser and of those under it."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for under in action.choices.values():
                yield from _actions(under)

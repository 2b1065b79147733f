"""`gecbench completion`: print completion scripts for bash, zsh and fish."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

from gecbench.cli.options import add_command

_EXAMPLES = """  gecbench completion bash > ~/.local/share/bash-completion/completions/gecbench
  gecbench completion zsh > ~/.zfunc/_gecbench
  gecbench completion fish > ~/.config/fish/completions/gecbench.fish

For zsh, put fpath+=~/.zfunc before compinit in ~/.zshrc.
"""


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "completion", summary, _EXAMPLES, run)
    parser.add_argument("shell", metavar="SHELL", choices=("bash", "zsh", "fish"), help="bash, zsh or fish")


def run(options: argparse.Namespace) -> None:
    """Print the script."""
    import shtab

    from gecbench.cli.main import make_parser

    parser = make_parser()
    names = _names()
    for action in _actions(parser):
        metavar = str(action.metavar)
        if metavar == "NAME|FILE":
            kind = "judgments" if action.dest in ("judgments", "human") else "corpus"
            action.complete = _name_or_file(kind, names[kind])  # type: ignore[attr-defined]
        elif "FILE" in metavar:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif metavar == "FOLDER":
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
        else:
            action.choices = action.choices or names.get(metavar)
    print(shtab.complete(parser, shell=options.shell))


def _names() -> dict[str, list[str]]:
    """Return the known names by help placeholder (`METRIC`) or kind (`corpus`)."""
    from gecbench.corpora.catalog import DATASETS, HUMAN_JUDGMENTS
    from gecbench.metrics.base import METRICS
    from gecbench.models.prompts import NAMES
    from gecbench.papers import PAPERS

    return {
        "METRIC": [*METRICS],
        "PAPER": [*PAPERS],
        "DATASET": [*DATASETS],
        "corpus": ["demo", *DATASETS, *(alias for each in DATASETS.values() for alias in each.aliases)],
        "judgments": [*HUMAN_JUDGMENTS],
        "PROMPT": [*NAMES],
    }


def _name_or_file(kind: str, names: Sequence[str]) -> dict[str, Any]:
    """Return each shell's completion code for an argument that is a name or a file."""
    from shtab import FILE

    words, function = " ".join(names), f"_gecbench_{kind}"
    bash = f'compgen -W "{words}" -- "$1"\n  {FILE["bash"]} "$1"'
    zsh = f"_alternative 'names:name:({words})' 'files:file:_files'"
    return {
        "bash": function,
        "zsh": function,
        "fish": f"{words} {FILE['fish']}",
        "preamble": {"bash": f"{function}() {{\n  {bash}\n}}", "zsh": f"{function}() {{\n  {zsh}\n}}"},
    }


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the options and arguments of a parser and of its subparsers."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for under in action.choices.values():
                yield from _actions(under)

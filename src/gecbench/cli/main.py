"""Entry point: finds the command among the modules beside it, runs it, turns errors into one sentence and exit code 2.

A module of this folder with `add_parser(commands)` is a command; it is imported when it runs, or to be listed.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from gecbench.errors import GecbenchError
from gecbench.version import __version__

_EPILOG = """examples:
  gecbench demo
  gecbench score -s source.txt -r ref0.txt ref1.txt -p output.txt
  gecbench compare -s source.txt -r ref0.txt ref1.txt -p old.txt new.txt
  gecbench run --model "cmd:python3 correct.py" -c demo
  gecbench COMMAND --help shows the options and examples of each command
"""


def build_parser(arguments: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Return the parser for these arguments, with the command they begin with or, to list them, with all."""
    parser = argparse.ArgumentParser(
        prog="gecbench",
        description="Benchmark grammatical error correction, exact to the official scorers.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"gecbench {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    first = arguments[0] if arguments else ""
    for command in [] if first == "--version" else _commands(first):
        command.add_parser(commands)
    return parser


def _commands(first: str) -> list[Any]:
    """Return the module of the command `first`, or those of all commands if there is no such command."""
    names = [module.name for module in iter_modules([str(Path(__file__).parent)])]
    for wanted in ([first] if first in names else [], names):
        modules = [import_module(f"gecbench.cli.{name}") for name in wanted]
        if found := [module for module in modules if hasattr(module, "add_parser")]:
            return found
    return []


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, a drop-in's own status, or 2 after an error that the user can correct."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    warnings.formatwarning = lambda message, *_place, **_line: f"gecbench: warning: {message}\n"
    words = sys.argv[1:] if arguments is None else list(arguments)
    parsed = build_parser(words).parse_args(words)
    try:
        status = parsed.run(parsed)
        if sys.stdout is not None:
            sys.stdout.flush()
    except GecbenchError as error:
        print(f"gecbench: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        print(f"gecbench: {place}{error.strerror or error}.", file=sys.stderr)
        return 2
    except MemoryError:
        print("gecbench: not enough memory for what was asked. Try smaller numbers, or less text.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("gecbench: stopped", file=sys.stderr)
        return 130
    return status or 0

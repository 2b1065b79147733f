"""Entry point: finds the command among the modules beside it, runs it, turns errors into one sentence and exit code 2.

A module of this folder with `add_parser(commands)` is a command. It is imported when it runs, never to be listed: its
one-line help is taken from the text of its call of `add_command` or the like. The list needs no argparse either.
"""

from __future__ import annotations

import io
import os
import re
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module

from gecbench.errors import GecbenchError, did_you_mean, visible
from gecbench.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

_FOLDER = sys.modules["gecbench.cli"].__path__[0]
_COMMAND = re.compile(rb'def add_parser\(commands.*?\w\(\s*commands,\s*"[^"]+",\s*"([^"]+)"', re.DOTALL)
_USAGE = "gecbench [-h] [--version] COMMAND ..."
_HELP = """usage: {usage}

Benchmark grammatical error correction, exact to the official scorers.

options:
  -h, --help   show this help message and exit
  --version    show the version and exit

commands:
{commands}

examples:
  gecbench demo
  gecbench score -s source.txt -r ref0.txt ref1.txt -p output.txt
  gecbench compare -s source.txt -r ref0.txt ref1.txt -p old.txt new.txt
  gecbench run --model "cmd:python3 correct.py" -c demo
  gecbench COMMAND --help shows the options and examples of each command"""


def _listed() -> dict[str, str]:
    """Return the one-line help of each command."""
    listed = {}
    for entry in os.scandir(_FOLDER):
        if entry.name.endswith(".py"):
            with io.open_code(entry.path) as file:
                if found := _COMMAND.search(file.read()):
                    listed[entry.name.removesuffix(".py")] = found[1].decode()
    return dict(sorted(listed.items()))


def _parse(words: Sequence[str]) -> Namespace:
    """Return the options of the command that comes first; exit after help, the version or wrong use."""
    if words[:1] == ["help"]:
        words = [*words[1:2], "--help"]
    first = words[0] if words else ""
    if first == "--version":
        print(f"gecbench {__version__}")
        raise SystemExit(0)
    listed = _listed()
    if first in ("", "-h", "--help"):
        width = max(map(len, listed)) + 2
        lines = (f"  {name:<{width}}{line}" for name, line in listed.items())
        print(_HELP.format(usage=_USAGE, commands="\n".join(lines)))
        raise SystemExit(0)
    if first not in listed:
        kind, known = ("option", ("--help", "--version")) if first.startswith("-") else ("command", tuple(listed))
        hint = f"{did_you_mean(first, known)}{kind.capitalize()}s: {', '.join(known)}."
        print(f"gecbench: there is no {kind} {first!r}. {hint}", file=sys.stderr)
        raise SystemExit(2)
    return make_parser([first]).parse_args(words)


def make_parser(commands: Sequence[str] | None = None) -> ArgumentParser:
    """Return the parser of these commands, or of all."""
    from gecbench.cli.parser import Parser

    parser = Parser(prog="gecbench", usage=_USAGE)
    subparsers = parser.add_subparsers(prog="gecbench", metavar="COMMAND")
    for name in _listed() if commands is None else commands:
        import_module(f"gecbench.cli.{name}").add_parser(subparsers)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, a command's own status, or 2 after an error that the user can correct."""
    if sys.stderr is None:  # closed: nobody hears what is said
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    warnings.formatwarning = lambda message, *_place, **_line: f"gecbench: warning: {visible(str(message))}\n"
    words = sys.argv[1:] if arguments is None else list(arguments)
    parsed = None
    try:
        parsed = _parse(words)
        from gecbench.progress import be_quiet

        be_quiet(getattr(parsed, "quiet", False))
        status = parsed.run(parsed)
        if sys.stdout is not None:
            sys.stdout.flush()
    except GecbenchError as error:
        print(f"gecbench: {visible(str(error))}", file=sys.stderr)
        return int(getattr(parsed, "failure", 2))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        print(visible(f"gecbench: {place}{error.strerror or error}."), file=sys.stderr)
        return int(getattr(parsed, "failure", 2))
    except MemoryError:
        print("gecbench: not enough memory for what was asked. Try smaller numbers, or less text.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("gecbench: stopped", file=sys.stderr)
        return 130
    return status or 0

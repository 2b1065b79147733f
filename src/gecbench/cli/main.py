"""Entry point: parses arguments, runs a command, turns our errors into one sentence and exit code 2."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from gecbench.cli import (
    compare,
    convert,
    data,
    demo,
    doctor,
    explain,
    human,
    ieval,
    leaderboard,
    m2scorer,
    meta,
    push,
    reproduce,
    results,
    run,
    score,
)
from gecbench.errors import GecbenchError
from gecbench.version import __version__

COMMANDS = (
    *(demo, score, compare, run, explain, human, meta, reproduce, leaderboard, convert, m2scorer, ieval),
    *(data, results, push, doctor),
)
_EPILOG = """examples:
  gecbench demo
  gecbench score -s source.txt -r ref0.txt ref1.txt -p output.txt
  gecbench compare -s source.txt -r ref0.txt ref1.txt -p old.txt new.txt
  gecbench run --model "cmd:python3 correct.py" -c demo
  gecbench COMMAND --help shows the options and examples of each command
"""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser with all commands."""
    parser = argparse.ArgumentParser(
        prog="gecbench",
        description="Benchmark grammatical error correction, exact to the official scorers.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"gecbench {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, or 2 after an error that the user can mend."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    parsed = build_parser().parse_args(arguments)
    try:
        parsed.run(parsed)
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
    return 0

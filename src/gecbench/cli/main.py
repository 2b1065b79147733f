"""Entry point: run a command, and print an error as one line.

The exit status after invalid input is 2, or 1 in the drop-in commands. A command's module is imported only when the
command runs. Listing the commands does not import argparse.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module

from gecbench.errors import GIVE_TABLE, GIVE_TEXT, GecbenchError, did_you_mean
from gecbench.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from argparse import ArgumentParser, Namespace

# command -> (module in gecbench.cli with `add_parser(commands, summary)`, one-line help)
COMMANDS = {
    "compare": ("compare", "Rank systems and test their differences"),
    "completion": ("completion", "Print a shell completion script"),
    "compute_gleu": ("dropins.compute_gleu", "Compute GLEU like the official scripts"),
    "convert": ("convert", "Convert between text, M2, I-measure XML and JSON Lines"),
    "corpora": ("corpora", "List the known corpora, with their metrics and licenses"),
    "data": ("data", "Build and verify datasets, and write test-set submissions"),
    "demo": ("demo", "Score four toy systems on the embedded demo corpus"),
    "detokenize": ("detokenize", "Join tokens into raw text"),
    "doctor": ("doctor", "Show the installed versions, kernels and caches"),
    "errant_compare": ("dropins.errant_compare", "Compare edits like the official errant_compare"),
    "explain": ("explain", "Show how each sentence was scored"),
    "human": ("human", "Compute human upper bounds, rankings, agreement and edit rates"),
    "ieval": ("dropins.ieval", "Compute the I-measure like the official scorer"),
    "leaderboard": ("leaderboard", "Create, update, list, build or serve a leaderboard"),
    "m2scorer": ("dropins.m2scorer", "Compute M2 scores like the official scorer"),
    "meta": ("meta", "Correlate metrics, or your own scores, with human judgments"),
    "published": ("published", "List published results with their sources"),
    "push": ("push", "Upload a metric, dataset or leaderboard to the Hub"),
    "reproduce": ("reproduce", "Recompute the tables and figures of papers"),
    "results": ("results", "Write scores to a model repository on the Hub"),
    "run": ("run", "Correct a corpus with a model, then score it"),
    "score": ("score", "Score systems against references"),
    "tokenize": ("tokenize", "Split raw text into tokens"),
}
_USAGE = "gecbench [-h] [--version] COMMAND ..."
_HELP = """usage: {usage}

Score grammatical error correction exactly like the official scorers.

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

Run gecbench COMMAND --help for the options and examples of a command."""


def _parse(words: Sequence[str]) -> Namespace:
    """Parse a command line, or exit after printing help, the version or an error."""
    if words[:1] == ["help"]:
        words = [*words[1:2], "--help"]
    first = words[0] if words else ""
    if first == "--version":
        print(f"gecbench {__version__}")
        raise SystemExit(0)
    if first in ("", "-h", "--help"):
        width = max(map(len, COMMANDS)) + 2
        lines = (f"  {name:<{width}}{summary}" for name, (_, summary) in COMMANDS.items())
        print(_HELP.format(usage=_USAGE, commands="\n".join(lines)))
        raise SystemExit(0)
    if first not in COMMANDS:
        kind, known = ("option", ("--help", "--version")) if first.startswith("-") else ("command", tuple(COMMANDS))
        hint = did_you_mean(first, known, f"{kind.capitalize()}s: {', '.join(known)}.")
        print(f"gecbench: unknown {kind} {first!r}. {hint}", file=sys.stderr)
        raise SystemExit(2)
    return make_parser([first]).parse_args(words)


def make_parser(commands: Sequence[str] | None = None) -> ArgumentParser:
    """Return the parser for these commands, or for all commands."""
    from gecbench.cli.options import Parser

    parser = Parser(prog="gecbench", usage=_USAGE)
    subparsers = parser.add_subparsers(prog="gecbench", metavar="COMMAND")
    for name in COMMANDS if commands is None else commands:
        module, summary = COMMANDS[name]
        import_module(f"gecbench.cli.{module}").add_parser(subparsers, summary)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status.

    The status is 0, a status that the command returns, 2 after invalid input (1 in the drop-in commands), or 130 after
    Ctrl-C.
    """
    if sys.stderr is None:  # standard error was closed before the program started
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    warnings.formatwarning = lambda message, *_place, **_line: one_line(f"warning: {message}") + "\n"
    words = sys.argv[1:] if arguments is None else list(arguments)
    parsed = None
    try:
        parsed = _parse(words)
        from gecbench.display import set_quiet

        set_quiet(getattr(parsed, "quiet", False))
        status = parsed.run(parsed)
        if sys.stdout is not None:
            sys.stdout.flush()
    except GecbenchError as error:
        print(one_line(str(error), takes_text=hasattr(parsed, "references")), file=sys.stderr)
        return int(getattr(parsed, "failure", 2))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        print(one_line(f"{place}{error.strerror or error}."), file=sys.stderr)
        return int(getattr(parsed, "failure", 2))
    except MemoryError:
        fix = "Score fewer sentences, or use smaller numbers in options such as --resamples."
        print(f"gecbench: out of memory. {fix}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("gecbench: stopped", file=sys.stderr)
        return 130
    return status or 0


def one_line(message: str, takes_text: bool = True) -> str:
    """Return a message as one line to print, with control characters escaped."""
    from gecbench.display import visible

    return f"gecbench: {visible(_name_options(message, takes_text))}"


def _name_options(message: str, takes_text: bool = True) -> str:
    """Replace Python arguments in a message with command-line options.

    `takes_text` states whether the command has the options -s and -r.

    >>> _name_options('Pass tokenize="auto", or aligned=True to skip this check')
    'Pass --tokenize auto, or --aligned to skip this check'
    """
    import re

    message = re.sub(r"^-(?=:)", "standard input", message)
    message = message.replace("gecbench.clean(lines, sources)", "--clean")
    convert = "Convert it first: gecbench convert -s SOURCE -r REF -o corpus.jsonl"
    for advice, option in (
        (GIVE_TEXT, "Give sources with -s and references with -r"),
        (GIVE_TABLE, "Give it with both -s and -r to read its columns"),
    ):
        message = message.replace(advice, option if takes_text else convert)
    message = message.replace("the name of the submitter is missing", "--submitter is missing")
    message = re.sub(r"\ba (smaller|larger) (batch|max_)", r"a \1 --\2", message).replace("--max_", "--max-")
    message = re.sub(r"\bmetrics=\[([^\[\]]*)\]", _name_metrics, message)
    message = re.sub(r'\b(tokenize|annotator|column|on_bad|key_variable)=(["\']?)([\w…]+)\2', r"--\1 \3", message)
    message = re.sub(r"\bagainst='([^']*)'", r"--against '\1'", message)
    message = re.sub(r"\b(aligned|tokenized|ignore_width|flatten_lines)=True", r"--\1", message)
    message = message.replace("--column …", "--column NAME").replace("--annotator …", "--annotator N")
    message = message.replace("--key_variable", "--key-variable").replace("--flatten_lines", "--flatten")
    return message.replace("--on_bad", "--on-bad").replace("--ignore_width", "--ignore-width")


def _name_metrics(found: re.Match[str]) -> str:
    """Return `-m gleu m2` for `metrics=['gleu', 'm2']`."""
    import shlex

    names = [name.strip("'\"") for name in found[1].split(", ")]
    return f"-m {shlex.join(names)}"

"""`gecbench leaderboard`: make a board, submit a system, list, build and serve the board, score submissions again."""

from __future__ import annotations

import argparse
from typing import Any

from gecbench.analysis.tables import FORMATS
from gecbench.cli import boards
from gecbench.cli.options import add_aligned_option, add_command, add_intake_options
from gecbench.metrics.registry import METRICS

_EXAMPLES = """  gecbench leaderboard init task --title "My task" -c demo
  gecbench leaderboard submit --board task -p output.txt --name "My system" --submitter Me
  gecbench leaderboard build --board task -o site               (then open site/index.html)
  gecbench leaderboard serve --board task                       (the same page, with uploads)
  gecbench leaderboard submit -c demo -p output.txt --name "My system" --board hf://datasets/NAME/BOARD
"""
_BOARD = "a folder, or hf://datasets/NAME/BOARD (default: board)"


def add_parser(commands: Any) -> None:
    """Add the command and its subcommands."""
    parser = add_command(
        commands, "leaderboard", "Make, submit to, list, build or serve a leaderboard", _EXAMPLES, None
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    for add in (_add_init, _add_submit, _add_seed, _add_list, _add_build, _add_serve, _add_verify):
        add(actions)


def _add_init(actions: Any) -> None:
    examples = """  gecbench leaderboard init task --title "My task" -c gold.m2 --metric m2 --link https://example.org
  gecbench leaderboard init task --title "JFLEG" -c jfleg:test jfleg:dev --publish-references
"""
    parser = add_command(
        actions, "init", "Make a board of your own: its title, corpora and ranking", examples, boards.init
    )
    parser.add_argument("folder", metavar="FOLDER", help="where the board is kept; published is what build writes")
    parser.add_argument("--title", required=True, help="what the board is called")
    corpora = "one or several: a known name, or a file (.m2, .xml, .jsonl)"
    parser.add_argument("-c", "--corpus", metavar="NAME|FILE", nargs="+", required=True, help=corpora)
    parser.add_argument("--description", default="", help="one line about it")
    parser.add_argument("--licence", default="", help="the licence of data and outputs, such as CC BY 4.0")
    parser.add_argument("--link", metavar="URL", help="the task's own page")
    parser.add_argument("--logo", metavar="FILE", help="an image: .svg, .png, .jpg or .webp")
    _add_metric(parser, "what ranks")
    parser.add_argument("--publish-references", action="store_true", help="an open board: pages show the references")
    per_day = "submissions per submitter and day, 0 for any number (default: 5; with --publish-references: any)"
    parser.add_argument("--per-day", metavar="N", type=int, help=per_day)


def _add_submit(actions: Any) -> None:
    examples = """  gecbench leaderboard submit -c demo -p output.txt --name "My system" --link https://example.org/paper
  gecbench leaderboard submit -c demo -p output.jsonl --name "My system" --board hf://datasets/NAME/BOARD
"""
    parser = add_command(actions, "submit", "Score a system's outputs and add the record", examples, boards.submit)
    corpus = "what it was run on (default: the board's own, if it has one)"
    parser.add_argument("-c", "--corpus", metavar="NAME|FILE", help=corpus)
    parser.add_argument("-p", "--predictions", metavar="FILE", required=True, help="text, .jsonl, .csv or .tsv")
    parser.add_argument("--name", required=True, help="name of the system")
    parser.add_argument("--board", default="board", help=_BOARD)
    parser.add_argument("--submitter", default="", help="who submits it")
    parser.add_argument("--description", default="", help="one line about the system")
    parser.add_argument("--link", metavar="URL", action="append", default=[], help="paper or code; may be repeated")
    parser.add_argument("--baseline", action="store_true", help="let the unchanged source be listed, as a baseline")
    add_intake_options(parser)
    add_aligned_option(parser)
    parser.add_argument("--dry-run", action="store_true", help="score and show, but add nothing")
    parser.add_argument("-f", "--format", choices=("text", "json"), default="text", help="how to print")


def _add_seed(actions: Any) -> None:
    examples = """  gecbench leaderboard seed --board board            (CoNLL-14: twelve systems, eight rewrites)
  gecbench leaderboard seed --board board -c conll14:all jfleg:test
"""
    parser = add_command(actions, "seed", "Score the public outputs of known corpora", examples, boards.seed)
    parser.add_argument("--board", default="board", help="a folder (default: board)")
    corpora = "known names (default: the board's own, or conll14_fluency:nucle)"
    parser.add_argument("-c", "--corpus", metavar="NAME", nargs="+", default=[], help=corpora)


def _add_list(actions: Any) -> None:
    parser = add_command(actions, "list", "Print a board's ranking", _EXAMPLES, boards.list_board)
    parser.add_argument("-c", "--corpus", metavar="NAME|FILE", help="only this corpus")
    parser.add_argument("--board", default="board", help=_BOARD)
    _add_metric(parser, "what to rank by", default=None)
    parser.add_argument("--without-published", action="store_true", help="leave out figures as reported by others")
    parser.add_argument("-f", "--format", choices=FORMATS[:-1], default="text", help="how to print")


def _add_build(actions: Any) -> None:
    parser = add_command(actions, "build", "Write the board as a static page", _EXAMPLES, boards.build)
    parser.add_argument("--board", default="board", help=_BOARD)
    parser.add_argument("-o", "--output", metavar="FOLDER", required=True, help="where the page goes")
    _add_page_options(parser)


def _add_serve(actions: Any) -> None:
    examples = f"""  gecbench leaderboard serve --board board -c demo
  {boards.TOKEN}=secret gecbench leaderboard serve --board board -c demo --host 0.0.0.0 --port 8000
"""
    parser = add_command(actions, "serve", "Serve the page, with uploads", examples, boards.serve)
    parser.add_argument("--board", default="board", help="a folder (default: board)")
    _add_page_options(parser)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="port to listen on (default: 8000)")
    parser.add_argument("--megabytes", type=float, default=8.0, help="largest upload (default: 8)")
    parser.add_argument("--per-minute", type=int, default=10, help="uploads per client and minute (default: 10)")
    parser.epilog = f"{parser.epilog}\nWith {boards.TOKEN} set, uploads need that token; reading never does."


def _add_verify(actions: Any) -> None:
    examples = """  gecbench leaderboard verify --board task                  (every record; status 2 if one differs)
  gecbench leaderboard verify --board task records/3f2….json   (that of a pull request)
"""
    parser = add_command(
        actions, "verify", "Score a board's records again, and refuse what differs", examples, boards.verify
    )
    parser.add_argument("files", metavar="RECORD", nargs="*", help="files of the board's records (default: all)")
    parser.add_argument("--board", default="board", help=_BOARD)
    _add_corpora(parser, "a corpus to score on")


def _add_page_options(parser: argparse.ArgumentParser) -> None:
    _add_corpora(parser, "a corpus to show and test on")
    parser.add_argument("--without-published", action="store_true", help="leave out figures as reported by others")
    parser.add_argument("--without-texts", action="store_true", help="leave out sentences and outputs")
    published = "show references, outputs and the scores of single sentences"
    parser.add_argument("--publish-references", action="store_true", help=published)


def _add_corpora(parser: argparse.ArgumentParser, about: str) -> None:
    about = f"{about} (default: the board's own)"
    parser.add_argument("-c", "--corpus", metavar="NAME|FILE", action="append", default=[], help=about)


def _add_metric(parser: argparse.ArgumentParser, about: str, default: str | None = next(iter(METRICS))) -> None:
    shown = default or "the board's"
    about = f"{about} (default: {shown})"
    parser.add_argument("-m", "--metric", choices=tuple(METRICS), default=default, help=about)

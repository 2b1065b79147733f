"""`gecbench leaderboard`: submit a system, list and build the board, serve it."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gecbench.analysis.tables import FORMATS, Table, render_table
from gecbench.cli.options import add_aligned_option, add_command, add_intake_options, cleaned, pick
from gecbench.errors import InputError
from gecbench.metrics.ratios import percent
from gecbench.metrics.registry import METRICS

if TYPE_CHECKING:
    from gecbench.leaderboard.page import PagePlan
    from gecbench.leaderboard.records import BoardTable, Record

_EXAMPLES = """  gecbench leaderboard submit -c demo -p output.txt --name "My system" --board board
  gecbench leaderboard list -c demo --board board
  gecbench leaderboard build --board board -c demo -o site      (then open site/index.html)
  gecbench leaderboard serve --board board -c demo              (the same page, with uploads)
  gecbench leaderboard submit -c demo -p output.txt --name "My system" --board hf://datasets/NAME/BOARD
"""
_BOARD = "a folder, or hf://datasets/NAME/BOARD (default: board)"
TOKEN = "GECBENCH_LEADERBOARD_TOKEN"


def add_parser(commands: Any) -> None:
    """Add the command and its four subcommands."""
    parser = add_command(commands, "leaderboard", "Submit to, list, build or serve a leaderboard", _EXAMPLES, None)
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    _add_submit(actions)
    _add_list(actions)
    _add_build(actions)
    _add_serve(actions)


def _add_submit(actions: Any) -> None:
    examples = """  gecbench leaderboard submit -c demo -p output.txt --name "My system" --link https://example.org/paper
  gecbench leaderboard submit -c demo -p output.jsonl --name "My system" --board hf://datasets/NAME/BOARD
"""
    parser = add_command(actions, "submit", "Score a system's outputs and add the record", examples, submit)
    parser.add_argument("-c", "--corpus", metavar="NAME|FILE", required=True, help="what it was run on")
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


def _add_list(actions: Any) -> None:
    parser = add_command(actions, "list", "Print a board's ranking", _EXAMPLES, list_board)
    parser.add_argument("-c", "--corpus", metavar="NAME", help="only this corpus, as the board names it")
    parser.add_argument("--board", default="board", help=_BOARD)
    parser.add_argument("-m", "--metric", choices=tuple(METRICS), default=next(iter(METRICS)), help="what to rank by")
    parser.add_argument("--without-published", action="store_true", help="leave out figures as reported by others")
    parser.add_argument("-f", "--format", choices=FORMATS[:-1], default="text", help="how to print")


def _add_build(actions: Any) -> None:
    parser = add_command(actions, "build", "Write the board as a static page", _EXAMPLES, build)
    parser.add_argument("--board", default="board", help=_BOARD)
    parser.add_argument("-o", "--output", metavar="FOLDER", required=True, help="where the page goes")
    _add_page_options(parser)


def _add_serve(actions: Any) -> None:
    examples = f"""  gecbench leaderboard serve --board board -c demo
  {TOKEN}=secret gecbench leaderboard serve --board board -c demo --host 0.0.0.0 --port 8000
"""
    parser = add_command(actions, "serve", "Serve the page, with uploads", examples, serve)
    parser.add_argument("--board", default="board", help="a folder (default: board)")
    _add_page_options(parser)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="port to listen on (default: 8000)")
    parser.add_argument("--megabytes", type=float, default=8.0, help="largest upload (default: 8)")
    parser.add_argument("--per-minute", type=int, default=10, help="uploads per client and minute (default: 10)")
    parser.epilog = f"{parser.epilog}\nWith {TOKEN} set, uploads need that token; reading never does."


def _add_page_options(parser: argparse.ArgumentParser) -> None:
    about = "a corpus to show and test on"
    parser.add_argument("-c", "--corpus", metavar="NAME|FILE", action="append", default=[], help=about)
    parser.add_argument("--without-published", action="store_true", help="leave out figures as reported by others")
    parser.add_argument("--without-texts", action="store_true", help="leave out sentences and outputs")


def submit(options: argparse.Namespace) -> None:
    """Score, add, and print the record with its place."""
    from gecbench.corpora.resolve import resolve_corpus
    from gecbench.leaderboard import submission
    from gecbench.leaderboard.store import FolderStore, open_board

    corpus = resolve_corpus(options.corpus)
    board = open_board(options.board)
    handed_in = submission.Submission(
        system=options.name,
        predictions=cleaned(
            submission.read_outputs(_bytes(options.predictions), options.predictions, corpus),
            corpus,
            options.predictions,
            options,
        ),
        links=options.link,
        file=options.predictions,
        **pick(options, "submitter", "description", "aligned", "baseline", "tokenize", "tokenized"),
    )
    done = submission.submit(handed_in, corpus, board, dry_run=options.dry_run)
    _warn(done.skipped)
    _warn(done.warnings, "note")
    if options.format == "json":
        print(done.record.to_json().decode().rstrip("\n"))
        return
    added = f"added as records/{done.added}.json" if isinstance(board, FolderStore) else f"pull request: {done.added}"
    print(f"{_as_text(done.record)}\n\n{done.place.sentence}")
    print("nothing was added (--dry-run)" if options.dry_run else added)


def list_board(options: argparse.Namespace) -> None:
    """Print one table per corpus and reference set."""
    from gecbench.leaderboard.page_data import group_by_table
    from gecbench.leaderboard.seeds import seed_records
    from gecbench.leaderboard.store import local_store, open_board

    loaded = local_store(open_board(options.board)).load()
    _warn(loaded.warnings)
    records = [*loaded.records, *(() if options.without_published else seed_records())]
    tables = group_by_table([record for record in records if options.corpus in (None, record.corpus)])
    if options.corpus and not tables:
        known = sorted({record.corpus for record in records})
        raise InputError(
            f"the board has nothing on {options.corpus!r}", fix=f"It has {', '.join(known) or 'no records'}"
        )
    texts = [_table(table, found, options.metric, options.format) for table, found in sorted(tables.items())]
    print("\n\n".join(text for text in texts if text) or "The board is empty.")


def build(options: argparse.Namespace) -> None:
    """Build the page."""
    from gecbench.leaderboard.page import build_site
    from gecbench.leaderboard.store import local_store, open_board

    built = build_site(local_store(open_board(options.board)), options.output, _plan(options))
    _warn(built.warnings)
    print(f"{Path(options.output) / 'index.html'}")


def serve(options: argparse.Namespace) -> None:
    """Serve until stopped."""
    from gecbench.leaderboard.server import run
    from gecbench.leaderboard.store import FolderStore, open_board
    from gecbench.leaderboard.uploads import Limits

    store = open_board(options.board)
    if not isinstance(store, FolderStore):
        raise InputError("only a folder can be served", fix="Give --board FOLDER")
    limits = Limits(most_bytes=int(options.megabytes * 2**20), per_minute=options.per_minute)
    run(store, _plan(options), limits, os.environ.get(TOKEN) or None, options.host, options.port)


def _plan(options: argparse.Namespace) -> PagePlan:
    from gecbench.corpora.resolve import resolve_corpus
    from gecbench.leaderboard.page import PagePlan

    corpora = [resolve_corpus(name) for name in options.corpus]
    return PagePlan(corpora, seeds=not options.without_published, texts=not options.without_texts)


def _bytes(path: str) -> bytes:
    from gecbench.formats.text import read_bytes
    from gecbench.leaderboard.submission import check_size

    if path.endswith(".gz"):
        raise InputError("is compressed (gzip)", file=path, fix="Give plain text, one output per line, or JSON Lines")
    if Path(path).is_file():
        check_size(Path(path).stat().st_size, path)
    return read_bytes(path)


def _warn(warnings: tuple[str, ...], kind: str = "warning") -> None:
    for warning in warnings:
        print(f"gecbench: {kind}: {warning}", file=sys.stderr)


def _as_text(record: Record) -> str:
    rows = []
    for metric, figure in record.scores.items():
        interval = "" if figure["low"] is None else f"{percent(figure['low'])} – {percent(figure['high'])}"
        human = "" if figure["human"] is None else percent(figure["human"])
        ratio = "" if figure["ratio"] is None else f"{percent(figure['ratio'], 1)} %"
        rows.append([METRICS[metric].title, percent(figure["value"]), interval, human, ratio])
    table = render_table(Table([record.system, "score", "95 % interval", "human", "of human"], rows), "text")
    return f"{table}\n\nhuman, of human: people and system scored against all annotators but one"


def _table(table: BoardTable, records: list[Record], metric: str, table_format: str) -> str:
    from gecbench.leaderboard.ranking import ranked

    people = [record for record in records if record.role == "human" and metric in record.scores]
    shown = [(record, record.kind) for record in ranked(records, metric)] + [(record, "human") for record in people]
    if not shown:
        return ""
    rows = [[record.system, percent(record.scores[metric]["value"]), kind, record.date] for record, kind in shown]
    return render_table(Table([f"{table[0]} ({table[1]})", METRICS[metric].title, "kind", "date"], rows), table_format)

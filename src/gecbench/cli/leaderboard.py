"""`gecbench leaderboard`: create, update, list, build or serve a leaderboard."""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gecbench.analysis.tables import FORMATS, Table, render_table, with_half_widths
from gecbench.cli.options import (
    add_aligned_option,
    add_annotator_option,
    add_command,
    add_preprocessing_options,
    add_wide_option,
    cleaned,
    count,
    number,
    pick,
)
from gecbench.display import percent, tracked, visible
from gecbench.errors import InputError, counted, did_you_mean
from gecbench.metrics.base import METRICS

if TYPE_CHECKING:
    from gecbench.corpus.corpus import Corpus
    from gecbench.leaderboard.page import PagePlan
    from gecbench.leaderboard.records import BoardTable, Record
    from gecbench.leaderboard.store import FolderStore


TOKEN = "GECBENCH_LEADERBOARD_TOKEN"
_SEEDED = "conll14_fluency:nucle"
_EXAMPLES = """  gecbench leaderboard init task --title "My task" -c demo
  gecbench leaderboard submit --board task -p output.txt \\
      --name "My system" --submitter Me
  gecbench leaderboard build --board task -o site  (then open site/index.html)
  gecbench leaderboard serve --board task          (the same page, with uploads)
  gecbench leaderboard submit --board hf://datasets/NAME/BOARD -c demo \\
      -p output.txt --name "My system"
"""
_HALF_WIDTH = "±: half the width of the 95% interval. For interval limits, use --wide."
_DEFAULT = "board"
_BOARD = f"a folder, or hf://datasets/NAME/BOARD (default: {_DEFAULT})"


def add_parser(commands: Any, summary: str) -> None:
    """Add the command and its subcommands."""
    parser = add_command(commands, "leaderboard", summary, _EXAMPLES, None)
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    for add in (_add_init, _add_submit, _add_seed, _add_list, _add_build, _add_serve, _add_token, _add_verify):
        add(actions)


def _add_init(actions: Any) -> None:
    examples = """  gecbench leaderboard init task --title "My task" -c gold.m2 --metric m2 \\
      --link https://example.org
  gecbench leaderboard init task --title "JFLEG" -c jfleg:test jfleg:dev \\
      --publish-references
"""
    parser = add_command(actions, "init", "Create a board: set its title, corpora and ranking metric", examples, init)
    about = "new folder for the board. Keep it private, and publish only the page from gecbench leaderboard build"
    parser.add_argument("folder", metavar="FOLDER", help=about)
    parser.add_argument("--title", required=True, help="title of the board")
    corpora = "one or more corpora: names (see gecbench corpora) or files (.m2, .xml, .jsonl)"
    parser.add_argument("-c", "--corpus", metavar="NAME|FILE", nargs="+", required=True, help=corpora)
    parser.add_argument("--description", default="", help="one line about the board")
    parser.add_argument(
        "--license",
        "--licence",
        metavar="TEXT",
        default="",
        help="license of the data and the outputs, such as CC BY 4.0",
    )
    parser.add_argument("--link", metavar="URL", help="home page of the task")
    parser.add_argument("--logo", metavar="FILE", help="an image: .svg, .png, .jpg or .webp")
    default = "the usual metric of the corpus, such as m2 for M2 files and CoNLL-14, and gleu for JFLEG"
    parser.add_argument(
        "-m", "--metric", metavar="METRIC", choices=tuple(METRICS), help=f"metric to rank by (default: {default})"
    )
    published = "make an open board: its page shows the references"
    parser.add_argument("--publish-references", action="store_true", help=published)
    per_day = "submissions allowed per submitter and day; 0 means no limit (default: 5, or no limit on an open board)"
    parser.add_argument("--per-day", metavar="N", type=count, help=per_day)


def _add_submit(actions: Any) -> None:
    examples = """  gecbench leaderboard submit -c demo -p output.txt --name "My system" \\
      --link https://example.org/paper
  gecbench leaderboard submit --board hf://datasets/NAME/BOARD -c demo \\
      -p output.jsonl --name "My system"
"""
    from gecbench.leaderboard.records import APPROACHES

    parser = add_command(actions, "submit", "Score a system's outputs and add them to a board", examples, submit)
    corpus = "corpus that the system corrected (default: the board's corpus, if it has only one)"
    parser.add_argument("-c", "--corpus", metavar="NAME|FILE", help=corpus)
    parser.add_argument(
        "-p",
        "--predictions",
        metavar="FILE",
        required=True,
        help="outputs of the system: text, .jsonl, .csv, .tsv or .m2",
    )
    add_annotator_option(parser)
    parser.add_argument("--name", required=True, help="name of the system")
    board = f"a folder, or hf://datasets/NAME/BOARD (default: {_DEFAULT}, which is created if you give -c)"
    parser.add_argument("--board", default=_DEFAULT, help=board)
    submitter = "your name or your team's name; required on a board with a daily limit, such as a private board"
    parser.add_argument("--submitter", default="", help=submitter)
    parser.add_argument("--description", default="", help="one line about the system")
    parser.add_argument(
        "--link", metavar="URL", action="append", default=[], help="link to a paper or code; may be repeated"
    )
    parser.add_argument("--year", metavar="YEAR", type=count, help="year of the system")
    approaches = f"type of system: {', '.join(APPROACHES)}"
    parser.add_argument("--approach", metavar="APPROACH", choices=APPROACHES, default="", help=approaches)
    parser.add_argument("--size", default="", help="number of parameters, such as 11B")
    weights = parser.add_mutually_exclusive_group()
    weights.add_argument(
        "--open-weights", action="store_true", default=None, help="the weights of the model are public"
    )
    weights.add_argument(
        "--closed-weights", action="store_false", dest="open_weights", help="the weights of the model are not public"
    )
    parser.add_argument("--baseline", action="store_true", help="accept the unchanged source and list it as a baseline")
    add_preprocessing_options(parser)
    add_aligned_option(parser)
    about = "print the scores without adding the outputs to the board"
    parser.add_argument("--dry-run", action="store_true", help=about)
    _add_plugins(parser)
    parser.add_argument(
        "-f", "--format", choices=("text", "json"), default="text", help="output format (default: text)"
    )
    add_wide_option(parser, "text tables with interval limits")


def _add_seed(actions: Any) -> None:
    examples = """  gecbench leaderboard seed --board board
  gecbench leaderboard seed --board board -c conll14 jfleg:test
  gecbench leaderboard build --board board -o site  (then open site/index.html)

For CoNLL-14, the outputs of 24 systems and 8 human rewrites are public.
"""
    summary = "Score public outputs on known corpora and add them to a board"
    parser = add_command(actions, "seed", summary, examples, seed)
    parser.add_argument("--board", default=_DEFAULT, help=f"a folder (default: {_DEFAULT})")
    corpora = "known corpora (default: the board's corpora, or conll14_fluency:nucle for a new board)"
    parser.add_argument("-c", "--corpus", metavar="NAME", nargs="+", default=[], help=corpora)
    _add_plugins(parser)


def _add_list(actions: Any) -> None:
    examples = """  gecbench leaderboard list --board task
  gecbench leaderboard list --board task -c demo -m m2 --format markdown
"""
    parser = add_command(actions, "list", "Print a board's ranking", examples, list_board)
    parser.add_argument("-c", "--corpus", metavar="NAME|FILE", help="print only this corpus")
    parser.add_argument("--board", default=_DEFAULT, help=_BOARD)
    parser.add_argument(
        "-m", "--metric", metavar="METRIC", help="metric or plug-in to rank by (default: the board's metric)"
    )
    parser.add_argument("--without-published", action="store_true", help="leave out results from papers")
    parser.add_argument("-f", "--format", choices=FORMATS[:-1], default="text", help="output format (default: text)")
    add_wide_option(parser, "text tables with interval limits")


def _add_build(actions: Any) -> None:
    examples = """  gecbench leaderboard build --board task -o site  (then open site/index.html)
  gecbench leaderboard build --board hf://datasets/NAME/BOARD -o site
"""
    parser = add_command(actions, "build", "Write the board as a static page", examples, build)
    parser.add_argument("--board", default=_DEFAULT, help=_BOARD)
    parser.add_argument("-o", "--output", metavar="FOLDER", required=True, help="folder for the page")
    _add_page_options(parser)


def _add_serve(actions: Any) -> None:
    examples = f"""  gecbench leaderboard serve --board board -c demo
  {TOKEN}=secret gecbench leaderboard serve --board board \\
      -c demo --host 0.0.0.0 --port 8000

If {TOKEN} is set, uploads need that token. If teams have
tokens (leaderboard token), uploads need one of these instead. Reading the page
needs no token.
"""
    parser = add_command(actions, "serve", "Serve the board's page, with uploads", examples, serve)
    parser.add_argument("--board", default=_DEFAULT, help=f"a folder (default: {_DEFAULT})")
    _add_page_options(parser)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    name = "if the server is behind a proxy: its public name, such as task.example.org; may be repeated"
    parser.add_argument("--server-name", metavar="NAME", action="append", default=[], help=name)
    parser.add_argument("--port", type=_port, default=8000, help="port to listen on (default: 8000)")
    parser.add_argument("--megabytes", type=number, default=8.0, help="largest upload in megabytes (default: 8)")
    parser.add_argument(
        "--per-minute", type=count, default=10, help="uploads allowed per client and minute (default: 10)"
    )
    seconds = "time limit for scoring a submission; the limit on its CPU time is twice as long (default: 120)"
    parser.add_argument("--scoring-seconds", metavar="SECONDS", type=number, default=120.0, help=seconds)


def _port(text: str) -> int:
    port = count(text)
    if port >= 2**16:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 0 to {2**16 - 1}")
    return port


def _add_token(actions: Any) -> None:
    examples = """  gecbench leaderboard token --board task "Team A"  (print a new token)
  gecbench leaderboard token --board task "Team A" --revoke
"""
    parser = add_command(actions, "token", "Create an upload token for a team, or revoke it", examples, token)
    parser.add_argument("team", metavar="TEAM", help="name of the team, as in its submissions")
    parser.add_argument("--board", default=_DEFAULT, help=f"a folder (default: {_DEFAULT})")
    parser.add_argument("--revoke", action="store_true", help="remove the team's token instead of creating one")


def _add_verify(actions: Any) -> None:
    examples = """  gecbench leaderboard verify --board task                    (all records)
  gecbench leaderboard verify --board task records/3f2….json  (one record)

The exit status is 2 if a record differs from its new scores.
"""
    parser = add_command(actions, "verify", "Rescore a board's records and report differences", examples, verify)
    parser.add_argument("files", metavar="RECORD", nargs="*", help="the board's record files (default: all)")
    parser.add_argument("--board", default=_DEFAULT, help=_BOARD)
    _add_corpora(parser, "corpus to score on; may be repeated")
    _add_plugins(parser)


def _add_plugins(parser: argparse.ArgumentParser) -> None:
    about = "also score with your own function, python:module:function; may be repeated"
    parser.add_argument("--plugin", metavar="PLUGIN", action="append", default=[], help=about)


def _set_plugins(options: argparse.Namespace) -> None:
    """Make the plug-ins known to this process and to its child processes."""
    from gecbench.leaderboard.scoring import PLUGINS, board_plugins

    for plugin in options.plugin:
        if not plugin.startswith("python:") or len(plugin.split()) != 1:
            raise InputError(f"{plugin!r} is not a plug-in", fix="Write python:module:function")
    os.environ[PLUGINS] = " ".join(options.plugin)
    board_plugins()


def _add_page_options(parser: argparse.ArgumentParser) -> None:
    _add_plugins(parser)
    _add_corpora(parser, "corpus for which the page shows significance tests and sentences; may be repeated")
    parser.add_argument("--without-published", action="store_true", help="leave out results from papers")
    parser.add_argument("--without-texts", action="store_true", help="leave out sentences and outputs")
    published = "show references, outputs and sentence scores"
    parser.add_argument("--publish-references", action="store_true", help=published)
    restricted = "also show sentences whose license forbids publication; only for pages that you do not publish"
    parser.add_argument("--restricted-texts", action="store_true", help=restricted)
    about = "resamples per test (default: 1000); use more if the board has more than 51 systems"
    parser.add_argument("--resamples", metavar="N", type=partial(count, least=1), default=1000, help=about)


def _add_corpora(parser: argparse.ArgumentParser, about: str) -> None:
    about = f"{about} (default: the board's corpora)"
    parser.add_argument("-c", "--corpus", metavar="NAME|FILE", action="append", default=[], help=about)


def init(options: argparse.Namespace) -> None:
    """Create a board, and print the path of its settings and the ranking metric."""
    from gecbench.leaderboard.records import Settings
    from gecbench.leaderboard.store import PRIVATE_PER_DAY, init_board

    private = not options.publish_references
    per_day = PRIVATE_PER_DAY if options.per_day is None and private else options.per_day or None
    about = pick(options, "title", "description", "license", "link", "metric", "publish_references")
    try:
        settings = Settings(**about, per_day=per_day)
    except InputError as error:
        raise _naming_option(error) from error
    store = init_board(Path(options.folder), options.corpus, settings, options.logo)
    metric = store.settings.metric
    if metric and (missing := METRICS[metric].missing()):
        _warn((f"the board is ranked by another metric until {metric} can be computed: {missing}",), "note")
    ranked = f"ranked by {metric}" if metric else "ranked by the usual metric of each corpus"
    print(f"{Path(options.folder) / 'board.json'}: {'private' if private else 'open'}, {ranked}")
    if private:
        print("The page shows only scores of whole corpora. Do not publish the references or gold edits.")


def submit(options: argparse.Namespace) -> None:
    """Score a submission, add its record to the board, and print its scores and rank."""
    from gecbench.human.bound import note_missing_lines
    from gecbench.leaderboard import submission
    from gecbench.leaderboard.store import HubStore, open_board

    _set_plugins(options)
    # A misspelled --board must not become a new board, so only the default board is created.
    store = open_board(options.board, create=options.board == _DEFAULT and options.corpus is not None)
    data, file = _bytes(options.predictions), options.predictions
    corpus = store.choose_corpus(options.corpus)
    lines = submission.read_outputs(data, file, corpus, annotator=options.annotator)
    predictions = cleaned(lines, corpus, file, options)
    try:
        submitted = submission.Submission(
            system=options.name,
            predictions=predictions,
            links=options.link,
            file=file,
            role="source" if options.baseline else "system",
            **pick(options, "submitter", "description", "aligned", "tokenize", "tokenized"),
            **pick(options, "year", "approach", "size", "open_weights"),
        )
    except InputError as error:
        raise _naming_option(error) from error
    done = submission.submit(submitted, corpus, store, dry_run=options.dry_run)
    note_missing_lines(corpus)
    _warn(done.skipped)
    _warn(done.warnings)
    if options.format == "json":
        print(done.record.to_json().decode().rstrip("\n"))
        return
    added = f"pull request: {done.added}" if isinstance(store, HubStore) else f"added as records/{done.added}.json"
    print(f"{_as_text(done.record, store.settings.digits, options.wide)}\n\n{done.place.sentence}")
    print("not added (--dry-run)" if options.dry_run else added)


def _naming_option(error: InputError) -> InputError:
    """Return an error about a field that names the option instead."""
    field, _, problem = error.problem.partition(" ")
    option = {"system": "--name", "url": "--link", "links": "--link"}.get(field, f"--{field}")
    return InputError(f"{option} {problem}", fix=error.fix)


def seed(options: argparse.Namespace) -> None:
    """Score the public outputs that are not on the board yet.

    Print the scores of all public outputs.
    """
    from gecbench.leaderboard.records import Details, table_of
    from gecbench.leaderboard.seeds import public_submissions
    from gecbench.leaderboard.store import open_board
    from gecbench.leaderboard.submission import score_submission

    _set_plugins(options)
    store = open_board(options.board, hub=False, create=True)
    corpora = [_public_corpus(name) for name in options.corpus] or store.corpora() or [_public_corpus(_SEEDED)]
    store.register(corpora)
    settings = store.settings
    for corpus in corpora:
        table = table_of(corpus)
        there = {record.outputs: record for record in store.load().records if record.table == table}
        lines, submissions = [], list(public_submissions(corpus))
        for submission in tracked(submissions, len(submissions), "scoring public outputs"):
            record = there.get(Details(submission.predictions).outputs)
            if record is None or record.fingerprint != corpus.fingerprint():
                scored = score_submission(submission, corpus, private=settings.private)
                record = scored.record
                store.add(record, scored.details)
            shown = ", ".join(
                f"{metric.title} {percent(record.scores[name]['value'], settings.digits)}"
                for name, metric in METRICS.items()
                if name in record.scores
            )
            lines.append(f"{record.corpus} ({record.reference_set})  {record.system}: {shown}")
        print("\n".join(lines), flush=True)


def _public_corpus(name: str) -> Corpus:
    """Return a corpus that has public outputs."""
    from gecbench.corpora.load import is_known_name, resolve_corpus

    if not is_known_name(name):
        raise InputError(f"{name!r:.80} has no public outputs", fix="Use conll14, jfleg:test or demo")
    return resolve_corpus(name)


def list_board(options: argparse.Namespace) -> None:
    """Print the ranking for each corpus and reference set.

    Results that others reported follow in a table of their own. Corpora with more scored systems come first.
    """
    from gecbench.leaderboard.ranking import fullest_first, group_by_table
    from gecbench.leaderboard.records import NOTES
    from gecbench.leaderboard.seeds import seed_records
    from gecbench.leaderboard.store import open_board

    store = open_board(options.board)
    loaded = store.load()
    _warn(loaded.warnings)
    reported = () if options.without_published else seed_records()
    there = {record.table for record in loaded.records}
    shown = [record for record in reported if not store.settings.corpora or record.table in there]
    records = [*loaded.records, *shown]
    tables = group_by_table(_on(options.corpus, records, store) if options.corpus else records)
    if not tables and options.corpus:
        known = sorted({record.corpus for record in records})
        fix = f"Choose one with -c: {', '.join(known)}" if known else "To add records, use gecbench leaderboard submit"
        raise InputError(f"the board has no records on {options.corpus!r}", fix=fix)
    if options.metric:
        known = list(dict.fromkeys([*METRICS, *(name for record in loaded.records for name in record.scores)]))
        if options.metric not in known:
            fix = did_you_mean(options.metric, known, f"Choose one of {', '.join(known)}")
            raise InputError(f"unknown metric {options.metric!r}", fix=fix)
    compact = options.format == "text" and not options.wide
    drawn = [
        each
        for table in fullest_first(tables)
        for each in _tables(table, tables[table], options.metric or store.settings.ranked_by(table), store, compact)
    ]
    texts = [render_table(each, options.format, options.wide) for each in drawn]
    print("\n\n".join(texts) or "The board is empty.")
    if compact and any("±" in cell for each in drawn for row in each.rows for cell in row[2:3]):
        print(f"\n{_HALF_WIDTH}")
    if options.format == "text" and any(record.kind == "reported" for found in tables.values() for record in found):
        print(f"\n{textwrap.fill(NOTES['reported'], 79)}.")


def build(options: argparse.Namespace) -> None:
    """Build the page of the board."""
    from gecbench.leaderboard.page import build_site
    from gecbench.leaderboard.store import open_board

    _set_plugins(options)
    store = open_board(options.board)
    built = build_site(store, options.output, _plan(options, store))
    _warn(built.warnings)
    print(f"{Path(options.output) / 'index.html'}")


def serve(options: argparse.Namespace) -> None:
    """Serve the board until stopped."""
    from gecbench.leaderboard.server import run
    from gecbench.leaderboard.store import open_board
    from gecbench.leaderboard.uploads import UploadLimits
    from gecbench.leaderboard.worker import TaskLimits

    _set_plugins(options)
    store = open_board(options.board, hub=False)
    seconds = options.scoring_seconds
    scoring = TaskLimits(seconds=seconds, processor_seconds=ceil(2 * seconds))
    limits = UploadLimits(int(options.megabytes * 2**20), options.per_minute, scoring=scoring)
    token = os.environ.get(TOKEN) or None
    run(store, _plan(options, store), limits, token, options.host, options.port, options.server_name)


def token(options: argparse.Namespace) -> None:
    """Create and print a token for a team, or revoke the team's token.

    The board stores only a hash of the token.
    """
    from gecbench.leaderboard.store import open_board
    from gecbench.leaderboard.uploads import TeamTokens

    teams = TeamTokens(open_board(options.board, hub=False).folder)
    if options.revoke:
        teams.revoke(options.team)
    else:
        print(teams.create(options.team))


def verify(options: argparse.Namespace) -> None:
    """Score records again, and raise an error if a record differs.

    Print one line per record.
    """
    from gecbench.leaderboard.ranking import corpora_by_table
    from gecbench.leaderboard.store import open_board
    from gecbench.leaderboard.submission import verify_records

    _set_plugins(options)
    store = open_board(options.board)
    corpora = corpora_by_table(_corpora(options.corpus, store))
    different = total = 0
    for result in list(verify_records(store, corpora, options.files)):
        total += 1
        different += bool(result.problems)
        reported = result.problems is None
        state = "reported by others, not rescored" if reported else "; ".join(result.problems or ()) or "verified"
        print(f"{visible(result.file[:12])}  {result.system or '?'}: {state}")
    if not total:
        print("nothing to verify: the board has no records")
    if different:
        problem = f"{different} of {counted(total, 'record')} failed verification"
        raise InputError(problem, fix=f"Do not merge {'this record' if different == 1 else 'these records'}")


def _corpora(names: list[str], store: FolderStore) -> list[Corpus]:
    """Return the corpora with these names, or by default the board's corpora."""
    return [store.choose_corpus(name) for name in names] if names else store.corpora()


def _on(name: str, records: list[Record], store: FolderStore) -> list[Record]:
    """Return the records on a corpus.

    `name` is the corpus's name on the board, or a name or file that `submit` accepts.
    """
    from gecbench.leaderboard.records import table_of

    found = [record for record in records if record.corpus == name]
    if not found:
        with suppress(InputError):
            table = table_of(store.choose_corpus(name))
            found = [record for record in records if record.table == table]
    return found


def _plan(options: argparse.Namespace, store: FolderStore) -> PagePlan:
    from gecbench.leaderboard.page import PagePlan

    corpora = _corpora(options.corpus, store)
    try:
        corpora += store.corpora_of_records(corpora)
    except InputError as error:
        if not corpora:
            raise
        words = "Until you give the corpus with -c, the tables of these records have no significance tests or sentences"
        _warn((f"{error.problem}. {words}",))
    return PagePlan(
        corpora,
        seeds=not options.without_published,
        texts=not options.without_texts,
        publish_references=options.publish_references,
        restricted_texts=options.restricted_texts,
        resamples=options.resamples,
        board=options.board if "://" in options.board else Path(options.board).name or "board",
    )


def _bytes(path: str) -> bytes:
    from gecbench.formats.text import read_bytes
    from gecbench.leaderboard.submission import check_size

    if path.endswith(".gz"):
        raise InputError("is compressed (gzip)", file=path, fix="Decompress the file")
    if Path(path).is_file():
        check_size(Path(path).stat().st_size, path)
    return read_bytes(path)


def _warn(warnings: tuple[str, ...], kind: str = "warning") -> None:
    from gecbench.cli.main import one_line

    for warning in warnings:
        print(one_line(f"{kind}: {warning}"), file=sys.stderr)


def _as_text(record: Record, digits: int, wide: bool) -> str:
    from gecbench.leaderboard.records import NOTES
    from gecbench.leaderboard.scoring import metric_title

    columns = {"human": "human", "against_others": "same refs", "ratio": "% human"}
    shown = [name for name in columns if any(figure[name] is not None for figure in record.scores.values())]
    rows = []
    for metric, figure in record.scores.items():
        texts = {name: "" if figure[name] is None else percent(figure[name], digits) for name in shown}
        if texts.get("ratio"):
            texts["ratio"] = f"{percent(figure['ratio'], 1)}%"
        rows.append([metric_title(metric), *texts.values()])
    scores = _score_columns([(record, metric) for metric in record.scores], digits, not wide)
    rows = [[title, *cells, *rest] for (title, *rest), *cells in zip(rows, *scores, strict=True)]
    header = [record.system, "score", *(["95% interval"] if wide else []), *(columns[name] for name in shown)]
    notes = [] if wide or all(figure["low"] is None for figure in record.scores.values()) else [_HALF_WIDTH]
    if shown:
        explained = NOTES["human"] if "ratio" in shown else NOTES["human"].partition(". ")[0]
        notes.append(f"{textwrap.fill(explained, 80)}.")
    notes += [
        f"{metric_title(metric)}: {counted(figure['capped'], 'sentence')} capped. {NOTES['capped']}."
        for metric, figure in record.scores.items()
        if figure["capped"]
    ]
    return "\n\n".join([render_table(Table(header, rows), "text", wide), "\n".join(notes)]).rstrip()


def _tables(table: BoardTable, records: list[Record], metric: str, store: FolderStore, compact: bool) -> list[Table]:
    """Return the ranking, and a table of reported results of other systems."""
    from gecbench.leaderboard.ranking import BoardPlace, Significance, goodness
    from gecbench.leaderboard.scoring import metric_title
    from gecbench.leaderboard.seeds import is_same_system

    title = f"{table[0]} ({table[1]})"
    found = sorted(
        (record for record in records if metric in record.scores),
        key=lambda record: -goodness(record, metric),
    )
    scored = [record for record in found if record.kind == "scored"]
    places = Significance(store, {}).places(scored, metric)
    shown = [places.get(record.id, BoardPlace(None)) for record in scored]
    scores = _score_columns([(record, metric) for record in scored], store.settings.digits, compact)
    rows = [
        [record.system, str(place.rank or "–"), *cells, place.differs or record.role, record.date]
        for record, place, *cells in zip(scored, shown, *scores, strict=True)
    ]
    alone = [each for each in found if each.kind == "reported" and not any(is_same_system(one, each) for one in scored)]
    reported = [[each.system, percent(each.scores[metric]["value"]), each.date] for each in alone]
    tables = [
        Table([title, "#", metric_title(metric), *([] if compact else ["95% interval"]), "kind", "date"], rows),
        Table([f"{title}, as reported", metric_title(metric), "date"], reported),
    ]
    return [each for each in tables if each.rows]


def _score_columns(records: Sequence[tuple[Record, str]], digits: int, compact: bool) -> list[list[str]]:
    """Return a column of scores and a column of intervals.

    If `compact`, return one column instead: scores ± half the width of their intervals.
    """
    figures = [record.scores[metric] for record, metric in records]
    values = [percent(figure["value"], digits) for figure in figures]
    ends = [(figure["low"], figure["high"]) for figure in figures]
    if compact:
        return [
            with_half_widths(values, ["" if low is None else percent((high - low) / 2, digits) for low, high in ends])
        ]
    intervals = ["" if low is None else f"{percent(low, digits)} – {percent(high, digits)}" for low, high in ends]
    return [values, intervals]

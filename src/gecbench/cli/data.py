"""`gecbench data`: build, check, describe and lock the dataset folders."""

from __future__ import annotations

import argparse
import json
import shlex
from pathlib import Path
from typing import Any

from gecbench.cli.options import add_command
from gecbench.errors import InputError, counted

_EXAMPLES = """  gecbench data info jfleg
  gecbench data build jfleg                              (into ./datasets/jfleg)
  gecbench data build conll14_fluency bn15 -o folder
  gecbench data verify jfleg
  gecbench data lock jfleg                               (in a clone, after a change of its rows)

lock records rows, sizes and content fingerprints of a dataset, made from its upstream files, in the package's lock
file, and brings the generated parts of its card up to date; verify compares with it. gecbench push dataset uploads.
"""


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "data", summary, _EXAMPLES, run)
    parser.add_argument("action", choices=tuple(_ACTIONS))
    parser.add_argument("dataset", metavar="DATASET", help="jfleg or conll14_fluency")
    parser.add_argument("configs", metavar="CONFIG", nargs="*", help="build: only these configurations")
    parser.add_argument("-o", "--folder", metavar="FOLDER", help="the dataset's folder (default: datasets/NAME)")


def run(options: argparse.Namespace) -> None:
    """Do what was asked."""
    _ACTIONS[options.action](options, Path(options.folder or Path("datasets") / options.dataset))


def _info(options: argparse.Namespace, folder: Path) -> None:
    from gecbench.corpora.build import describe_dataset

    del folder
    print(json.dumps(describe_dataset(options.dataset), indent=2))


def _build(options: argparse.Namespace, folder: Path) -> None:
    from gecbench.corpora.build import build_dataset, copy_module_files

    build_dataset(options.dataset, folder, configs=options.configs or None, say=print)
    copy_module_files(options.dataset, folder)
    print(f'load it with datasets.load_dataset("./{folder.as_posix()}")' if not folder.is_absolute() else folder)


def _verify(options: argparse.Namespace, folder: Path) -> None:
    from gecbench.corpora.build import folder_problems

    if problems := folder_problems(options.dataset, folder):
        again = ["gecbench", "data", "build", options.dataset, *(["-o", options.folder] if options.folder else [])]
        raise InputError("; ".join(problems), fix=f"Build it again: {shlex.join(again)}")
    print(f"{folder}: all files, columns and contents are as they should be")


def _lock(options: argparse.Namespace, folder: Path) -> None:
    from gecbench.corpora.build import LOCK_FILE, refresh_card, write_lock

    for (config, split), lock in write_lock(options.dataset).items():
        print(f"{config}/{split}: {counted(lock.rows, 'row')}, content {lock.content[:12]}…")
    print(f"locked in {LOCK_FILE}")
    card = folder / "README.md"
    if card.is_file():
        print(f"{card}: {'renewed' if refresh_card(options.dataset, card) else 'as is'}")


_ACTIONS = {"info": _info, "build": _build, "verify": _verify, "lock": _lock}

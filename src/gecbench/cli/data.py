"""`gecbench data`: build, check, describe and publish the dataset folders."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from gecbench.cli.options import add_command
from gecbench.errors import InputError

_EXAMPLES = """  gecbench data info jfleg
  gecbench data build jfleg                              (into ./datasets/jfleg)
  gecbench data build conll14_fluency bn15 -o folder
  gecbench data verify jfleg
  gecbench data push jfleg --to someone/jfleg
"""
ACTIONS = ("info", "build", "verify", "push")


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = add_command(commands, "data", "Build, verify, describe or publish a dataset", _EXAMPLES, run)
    parser.add_argument("action", choices=ACTIONS)
    parser.add_argument("dataset", metavar="DATASET", help="jfleg or conll14_fluency")
    parser.add_argument("configs", metavar="CONFIG", nargs="*", help="build: only these configurations")
    parser.add_argument("-o", "--folder", metavar="FOLDER", help="the dataset's folder (default: datasets/NAME)")
    parser.add_argument("--to", metavar="OWNER/NAME", help="push: the repository on the Hub")
    parser.add_argument("--private", action="store_true", help="push: into a private repository")
    parser.add_argument("--create-pr", action="store_true", help="push: as a pull request")
    parser.add_argument("--benchmark", action="store_true", help="push: with eval.yaml")
    parser.add_argument(
        "--licence-confirmed", action="store_true", help="push: the owners allow you to redistribute the data"
    )


def run(options: argparse.Namespace) -> None:
    """Do what was asked."""
    folder = Path(options.folder or Path("datasets") / options.dataset)
    actions = {"info": _info, "build": _build, "verify": _verify, "push": _push}
    actions[options.action](options, folder)


def _info(options: argparse.Namespace, folder: Path) -> None:
    from gecbench.corpora.parquet import describe_dataset

    del folder
    json.dump(describe_dataset(options.dataset), sys.stdout, indent=2)
    print()


def _build(options: argparse.Namespace, folder: Path) -> None:
    from gecbench.corpora.parquet import build_dataset, copy_module_files

    build_dataset(options.dataset, folder, configs=options.configs or None, say=print)
    copy_module_files(options.dataset, folder)
    print(f'load it with datasets.load_dataset("./{folder.as_posix()}")' if not folder.is_absolute() else folder)


def _verify(options: argparse.Namespace, folder: Path) -> None:
    from gecbench.corpora.card import card_problems
    from gecbench.corpora.parquet import verify_dataset

    problems = [*verify_dataset(options.dataset, folder), *card_problems(options.dataset, folder / "README.md")]
    if problems:
        raise InputError("; ".join(problems), fix=f"Build it again: gecbench data build {options.dataset}")
    print(f"{folder}: all files, columns and contents are as they should be")


def _push(options: argparse.Namespace, folder: Path) -> None:
    from gecbench.huggingface.dataset_push import push_dataset

    if not options.to:
        raise InputError("no repository to push to", fix="Give --to OWNER/NAME")
    address = push_dataset(
        options.dataset,
        folder,
        options.to,
        private=options.private,
        create_pr=options.create_pr,
        benchmark=options.benchmark,
        licence_confirmed=options.licence_confirmed,
    )
    print(address)

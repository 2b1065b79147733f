"""`gecbench data`: build and verify datasets, and write test-set submissions."""

from __future__ import annotations

import argparse
import json
import shlex
from pathlib import Path
from typing import Any

from gecbench.cli.options import (
    add_aligned_option,
    add_command,
    add_preprocessing_options,
    cleaned,
    preprocessing_of,
)
from gecbench.errors import InputError, counted
from gecbench.formats.text import STANDARD_INPUT, write_bytes

_EXAMPLES = """  gecbench data info jfleg
  gecbench data build jfleg
  gecbench data build conll14_fluency bn15 -o folder
  gecbench data verify jfleg
  gecbench data source bea19:test -o source.txt
  gecbench data submission bea19:test -p output.txt -o bea19.zip

actions:
  info        print the configurations, splits and sizes of a dataset as JSON
  build       download the files of a dataset and write its Parquet files
  verify      check a built folder against the recorded row counts and
              fingerprints
  source      print the source sentences of a corpus, one per line
  submission  check the outputs for a test set with private references, and
              write the archive to submit to its server
  lock        record new row counts and fingerprints when a dataset has
              changed, and update the generated parts of its card (for
              developers, in a clone)

To upload a built dataset, run: gecbench push dataset NAME --repo OWNER/NAME
"""


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "data", summary, _EXAMPLES, run)
    about = f"{', '.join(_ACTIONS)} (see below)"
    parser.add_argument("action", metavar="ACTION", choices=tuple(_ACTIONS), help=about)
    about = "a dataset (jfleg, cweb, …); for source and submission: a corpus (bea19:test)"
    parser.add_argument("dataset", metavar="DATASET", help=about)
    about = "for build: the configurations to build (default: all)"
    parser.add_argument("configs", metavar="CONFIG", nargs="*", default=[], help=about)
    about = "folder of the dataset (default: datasets/NAME); for source and submission: the file to write"
    parser.add_argument("-o", "--folder", metavar="FOLDER", help=about)
    parser.add_argument("-p", "--predictions", metavar="FILE", help="for submission: your outputs, one per line")
    add_preprocessing_options(parser)
    add_aligned_option(parser)


def run(options: argparse.Namespace) -> None:
    """Run the chosen action."""
    _check_options(options)
    _ACTIONS[options.action](options, Path(options.folder or Path("datasets") / options.dataset))


def _check_options(options: argparse.Namespace) -> None:
    """Reject options and arguments that the chosen action does not use."""
    unused = {"-o": options.folder and options.action == "info"}
    if options.action != "submission":
        unused |= {"-p": options.predictions, "--tokenize": options.tokenize != "none"}
        unused |= {f"--{name}": getattr(options, name) for name in ("clean", "tokenized", "aligned")}
    for name, given in unused.items():
        if given:
            raise InputError(f"data {options.action} does not take {name}", fix=f"Leave out {name}")
    if options.configs and options.action != "build":
        raise InputError(f"data {options.action} does not take a configuration", fix=f"Leave out {options.configs[0]}")


def _info(options: argparse.Namespace, folder: Path) -> None:
    from gecbench.corpora.build import describe_dataset

    del folder
    print(json.dumps(describe_dataset(options.dataset), indent=2))


def _build(options: argparse.Namespace, folder: Path) -> None:
    from gecbench.corpora.build import build_dataset, copy_module_files

    build_dataset(options.dataset, folder, configs=options.configs or None, say=print)
    copy_module_files(options.dataset, folder)
    load = f'datasets.load_dataset("./{folder.as_posix()}")'
    print(folder if folder.is_absolute() else f"Load the dataset with {load}")


def _verify(options: argparse.Namespace, folder: Path) -> None:
    from gecbench.corpora.build import folder_problems

    if problems := folder_problems(options.dataset, folder):
        again = ["gecbench", "data", "build", options.dataset, *(["-o", options.folder] if options.folder else [])]
        raise InputError("; ".join(problems), fix=f"Build the dataset: {shlex.join(again)}")
    print(f"{folder}: all files, columns and contents are correct")


def _lock(options: argparse.Namespace, folder: Path) -> None:
    from gecbench.corpora.build import LOCK_FILE, refresh_card, write_lock

    for (config, split), lock in write_lock(options.dataset).items():
        print(f"{config}/{split}: {counted(lock.rows, 'row')}, fingerprint {lock.content[:12]}…")
    print(f"recorded in {LOCK_FILE}")
    card = folder / "README.md"
    if card.is_file():
        print(f"{card}: {'updated' if refresh_card(options.dataset, card) else 'unchanged'}")


def _source(options: argparse.Namespace, folder: Path) -> None:
    from gecbench.corpora.load import load_sources
    from gecbench.formats.text import write_lines

    del folder
    write_lines(options.folder or STANDARD_INPUT, load_sources(options.dataset))


def _submission(options: argparse.Namespace, folder: Path) -> None:
    from gecbench.corpora.catalog import DATASETS
    from gecbench.corpora.load import load_sources, parse_corpus_name
    from gecbench.corpus.corpus import Corpus
    from gecbench.corpus.edits import Annotation
    from gecbench.corpus.prepare import Preprocessing
    from gecbench.formats.tables import read_predictions
    from gecbench.formats.text import check_files, check_not_overwriting, zip_bytes

    del folder
    if not options.predictions or not options.folder:
        raise InputError("submission needs -p and -o", fix="Give -p output.txt -o submission.zip")
    check_files([options.predictions])
    check_not_overwriting([options.folder], [options.predictions])
    dataset, config, _ = parse_corpus_name(options.dataset)
    if not DATASETS[dataset].config(config).submit_to:
        fix = f"To score the outputs, run: gecbench score -c {options.dataset} -p {options.predictions}"
        raise InputError(f"{options.dataset} is not a test set with private references", fix=fix)
    sources = load_sources(options.dataset)
    # An annotator without edits stands in for the private references: the outputs are only checked, never scored.
    corpus = Corpus(sources=sources, annotations=[[Annotation(0, ())] for _ in sources], name=options.dataset)
    texts = cleaned(read_predictions(options.predictions, corpus), corpus, options.predictions, options)
    prepared = Preprocessing(**preprocessing_of(options)).prepare(corpus, texts)
    name = f"{options.dataset.replace(':', '.')}.txt"
    write_bytes(options.folder, zip_bytes({name: "".join(f"{line}\n" for line in prepared.lines).encode()}))
    print(f"{options.folder}: {counted(len(sources), 'sentence')} in {name}")


_ACTIONS = {
    "info": _info,
    "build": _build,
    "verify": _verify,
    "lock": _lock,
    "source": _source,
    "submission": _submission,
}

"""`gecbench results`: scores as a model repository on the Hub carries them."""

from __future__ import annotations

import argparse
from typing import Any

from gecbench.api import score_system
from gecbench.cli.options import (
    add_command,
    add_corpus_options,
    add_scoring_options,
    intake_of,
    pick,
    read_corpus,
    read_systems,
)
from gecbench.corpus.intake import Intake
from gecbench.errors import InputError
from gecbench.huggingface.results import Provenance, result_entries, write_results
from gecbench.huggingface.tasks import check_task, task_id

_EXAMPLES = """  gecbench results write -c corpus.jsonl -p outputs.txt --repo-dataset owner/dataset --to my-model
  gecbench results write -c demo -p outputs.txt -m gleu bleu --repo-dataset owner/demo --date 2026-01-31 \\
      --source-url https://example.org/logs --notes "5 beams"

It writes FOLDER/.eval_results/DATASET.yaml: one entry per metric, its value times 100, its signature in the notes.
Entries of the same task are replaced, others kept. Upload it into the model's repository, for example with
hf upload owner/model FOLDER/.eval_results .eval_results --create-pr
"""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = add_command(commands, "results", "Write scores for a model repository on the Hub", _EXAMPLES, run)
    parser.add_argument("action", choices=("write",))
    add_corpus_options(parser)
    add_scoring_options(parser, resamples=0)
    target = parser.add_argument_group("results")
    about = "the benchmark's dataset repository"
    target.add_argument("--repo-dataset", dest="dataset", metavar="OWNER/NAME", required=True, help=about)
    target.add_argument("--to", metavar="FOLDER", default=".", help="the model repository's folder (default: .)")
    target.add_argument("--revision", metavar="HASH", help="commit of the dataset repository")
    target.add_argument("--date", help="when it was evaluated, ISO 8601 (default: now)")
    target.add_argument("--source-url", metavar="URL", help="a page that tells more")
    target.add_argument("--source-name", metavar="TEXT", help="the page's name")
    target.add_argument("--notes", metavar="TEXT", help="goes before the signature")


def run(options: argparse.Namespace) -> None:
    """Score, write and say where."""
    origin = Provenance(**pick(options, "dataset", "revision", "date", "source_url", "source_name", "notes"))
    corpus = read_corpus(options)
    for metric in options.metrics:
        check_task(task_id(metric, corpus), corpus)
    systems = read_systems(options, corpus)
    if len(systems) != 1:
        raise InputError(f"{len(systems)} systems, where one model is expected", fix="Give one file with -p")
    ((name, predictions),) = systems.items()
    intake = Intake(**intake_of(options))
    label = f"predictions of {name}"
    scores = score_system(predictions, corpus, options.metrics, options.resamples, options.seed, label, intake)
    entries = result_entries(scores, corpus, origin)
    path = write_results(entries, options.to)
    for entry in entries:
        print(f"{entry.dataset_id} {entry.task_id}: {entry.value:.2f}")
    print(f"written to {path}")

"""`gecbench push`: upload a metric, dataset or leaderboard to the Hub."""

from __future__ import annotations

import argparse
from typing import Any

from gecbench.cli.options import add_command, pick
from gecbench.huggingface.push import REPO_TYPES, plan_push, push

_EXAMPLES = """  gecbench push metric gleu --repo owner/gleu --dry-run
  gecbench push dataset jfleg --repo owner/jfleg --private
  gecbench push leaderboard ./site --repo owner/leaderboard --create-pr

Log in first with hf auth login, or set HF_TOKEN.

Only files that belong to a metric, dataset or leaderboard are uploaded. Hidden
and git-ignored files are skipped, except for the built data of a dataset. From
a board, only the built page is uploaded, with the data that it shows: never the
files and tokens in the board's own folder. If a file seems to contain a key or
token, nothing is uploaded.
"""


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "push", summary, _EXAMPLES, run)
    about = f"what to upload: {', '.join(REPO_TYPES)}"
    parser.add_argument("kind", metavar="KIND", choices=tuple(REPO_TYPES), help=about)
    parser.add_argument("what", metavar="NAME|FOLDER", help="name of the metric or dataset, or a folder")
    about = "repository to upload to; created if it does not exist"
    parser.add_argument("--repo", metavar="OWNER/NAME", required=True, help=about)
    parser.add_argument("--dry-run", action="store_true", help="list the files without uploading them")
    about = "create a private repository; stop if the repository exists and is public"
    parser.add_argument("--private", action="store_true", help=about)
    about = "open a pull request on an existing repository"
    parser.add_argument("--create-pr", dest="pull_request", action="store_true", help=about)
    about = "delete files in the repository that are not uploaded"
    parser.add_argument("--prune", action="store_true", help=about)
    parser.add_argument("--benchmark", action="store_true", help="for a dataset: also upload its eval.yaml")
    about = "for a dataset: confirm that its owners allow you to redistribute it"
    parser.add_argument("--license-confirmed", "--licence-confirmed", action="store_true", help=about)


def run(options: argparse.Namespace) -> None:
    """List the files, then upload them."""
    switches = pick(options, "private", "pull_request", "benchmark", "license_confirmed", "prune")
    plan = plan_push(options.kind, options.what, options.repo, **switches)
    print(plan.describe())
    if options.dry_run:
        print("dry run: nothing was uploaded")
        return
    print(push(plan))

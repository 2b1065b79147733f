"""`gecbench push`: metric modules, built datasets and leaderboard pages, onto the Hub."""

from __future__ import annotations

import argparse
from typing import Any

from gecbench.cli.options import add_command, pick
from gecbench.huggingface.push import REPO_TYPES, plan_push, push

_EXAMPLES = """  gecbench push metric gleu --repo owner/gleu --dry-run
  gecbench push dataset jfleg --repo owner/jfleg --private
  gecbench push leaderboard ./site --repo owner/leaderboard --create-pr

It uses huggingface_hub's login: hf auth login, or HF_TOKEN. Only the files that belong to such a folder are uploaded;
hidden and git-ignored files are left out (except data built for a dataset). A file that looks like it holds a key or
token stops the upload.
"""


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "push", summary, _EXAMPLES, run)
    parser.add_argument("kind", choices=tuple(REPO_TYPES))
    parser.add_argument("what", metavar="NAME|FOLDER", help="a metric's or dataset's name, or a folder")
    parser.add_argument(
        "--repo", metavar="OWNER/NAME", required=True, help="the repository, created if it does not exist"
    )
    parser.add_argument("--dry-run", action="store_true", help="list what would be uploaded, and stop")
    parser.add_argument("--private", action="store_true", help="create a private repository, and reject a public one")
    about = "open a pull request on an existing repository"
    parser.add_argument("--create-pr", dest="pull_request", action="store_true", help=about)
    parser.add_argument("--prune", action="store_true", help="delete files there that are not in the folder")
    parser.add_argument("--benchmark", action="store_true", help="dataset: also upload its eval.yaml")
    parser.add_argument(
        "--licence-confirmed", action="store_true", help="dataset: the owners allow you to redistribute it"
    )


def run(options: argparse.Namespace) -> None:
    """List, then upload."""
    switches = pick(options, "private", "pull_request", "benchmark", "licence_confirmed", "prune")
    plan = plan_push(options.kind, options.what, options.repo, **switches)
    print(plan.describe())
    if options.dry_run:
        print("dry run: nothing was uploaded")
        return
    print(push(plan))

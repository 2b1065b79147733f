"""`gecbench results`: write scores to a model repository on the Hub."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gecbench.api import score_prepared
from gecbench.cli.options import (
    add_command,
    add_corpus_options,
    add_metrics_option,
    add_resampling_options,
    metric_names,
    pick,
    preprocessing_of,
    read_corpus,
    read_systems,
)
from gecbench.corpora.load import resolve_corpus
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.prepare import Preprocessing
from gecbench.errors import InputError
from gecbench.huggingface.push import check_repository
from gecbench.huggingface.results import (
    ResultOrigin,
    check_task,
    describe_results,
    known_tasks,
    open_pull_request,
    result_entries,
    results_file,
    task_id,
    write_results,
)
from gecbench.metrics.base import METRICS, Metric, metric_columns
from gecbench.models.correction import Run, read_run

if TYPE_CHECKING:
    from huggingface_hub import EvalResultEntry

_EXAMPLES = """  gecbench results write --run outputs.txt --repo-dataset owner/jfleg
  gecbench results pr --run outputs.txt --repo-dataset owner/jfleg \\
      --repo owner/model --dry-run
  gecbench results write -c corpus.jsonl -p outputs.txt \\
      --repo-dataset owner/dataset --to my-model
  gecbench results write -c demo -p outputs.txt -m gleu bleu \\
      --repo-dataset owner/demo --date 2026-01-31 \\
      --source-url https://example.org/logs --notes "5 beams"

actions:
  write  write FOLDER/.eval_results/DATASET.yaml, with one entry per metric: the
         score in percent, and its signature in the notes. An existing entry of
         the same task is replaced; other entries are kept.
  pr     open a pull request with this file on the model's repository. Log in
         first with hf auth login, or set HF_TOKEN.

With --run, the corpus and the notes (model, revision, prompt) come from the
record of the run.
"""


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "results", summary, _EXAMPLES, run)
    parser.add_argument("action", metavar="ACTION", choices=("write", "pr"), help="write or pr (see below)")
    about = "outputs of gecbench run, or the folder of the outputs, instead of -c and -p"
    parser.add_argument("--run", dest="place", metavar="FILE|FOLDER", help=about)
    add_corpus_options(parser, predictions=None)
    default = "with --run, all metrics in the eval.yaml of the corpus; otherwise the corpus's official metric, or gleu"
    add_metrics_option(parser, default)
    add_resampling_options(parser, resamples=0)
    target = parser.add_argument_group("results")
    about = "dataset repository of the benchmark"
    target.add_argument("--repo-dataset", dest="dataset", metavar="OWNER/NAME", required=True, help=about)
    about = "for write: a local folder of the model's repository (default: .)"
    target.add_argument("--to", metavar="FOLDER", default=".", help=about)
    target.add_argument("--repo", metavar="OWNER/NAME", help="for pr: the model's repository")
    about = "for pr: print the text of the pull request without opening it"
    target.add_argument("--dry-run", action="store_true", help=about)
    target.add_argument("--revision", metavar="HASH", help="commit of the dataset repository")
    target.add_argument("--date", help="date of the evaluation, ISO 8601 (default: the end of the run, or now)")
    target.add_argument("--source-url", metavar="URL", help="page with more information")
    target.add_argument("--source-name", metavar="TEXT", help="name of the page given with --source-url")
    target.add_argument("--notes", metavar="TEXT", help="text to put before the signature in the notes")


def run(options: argparse.Namespace) -> None:
    """Score the outputs, and write the file of results or open a pull request.

    Print the scores, and the path of the file or the address of the pull request.
    """
    if options.action == "pr" and options.repo is None:
        raise InputError("pr needs --repo", fix="Give the model's repository: --repo owner/name")
    if options.action != "pr" and options.repo is not None:
        raise InputError("--repo is only for pr", fix="Use gecbench results pr, or leave out --repo")
    if options.repo:
        check_repository(options.repo, "--repo")
    entries = _entries(options)
    done = _deliver(entries, options)
    for entry in entries:
        print(f"{entry.dataset_id} {entry.task_id}: {entry.value:.2f}")
    print(done)


def _deliver(entries: Sequence[EvalResultEntry], options: argparse.Namespace) -> str:
    if options.action == "write":
        return f"wrote {write_results(entries, options.to)}"
    if options.dry_run:
        text = f"pull request to {options.repo} with the file {results_file(entries)}:\n\n{describe_results(entries)}"
        return f"\n{text}\ndry run: no pull request was opened"
    return open_pull_request(entries, options.repo)


def _entries(options: argparse.Namespace) -> list[EvalResultEntry]:
    made = read_run(options.place) if options.place else None
    origin = ResultOrigin(**pick(options, "dataset", "revision", "date", "source_url", "source_name", "notes"))
    if made:
        _adopt(options, made)
        notes = "; ".join(filter(None, [origin.notes, made.notes]))
        origin = replace(origin, notes=notes, date=origin.date or made.record["finished"])
    entries: list[EvalResultEntry] = []
    for corpus, metrics in _parts(options, made):
        for metric in metrics:
            check_task(task_id(metric, corpus), corpus)
        entries += _score(options, corpus, metrics, made, origin)
    return entries


def _adopt(options: argparse.Namespace, made: Run) -> None:
    """Set options from the record of a run.

    These are its outputs, its corpus, and how to tokenize raw outputs.
    """
    if options.predictions:
        raise InputError("-p cannot be combined with --run", fix="Leave out -p")
    options.predictions = [made.outputs]
    if not any((options.corpus, options.gold, options.source, options.references)):
        if made.corpus is None:
            fix = "Give the corpus with -c, --gold, or -s and -r"
            raise InputError("the record of the run does not name the corpus", file=str(made.outputs), fix=fix)
        options.corpus = made.corpus
    if made.raw and options.tokenize == "none":
        options.tokenize = "auto"


def _parts(options: argparse.Namespace, made: Run | None) -> list[tuple[Corpus, Sequence[str]]]:
    """Return the corpora to score, each with its metrics.

    The metrics are those of -m, by default the official metric. With --run, the default is the metrics of all tasks of
    the dataset or, if it has no tasks, all metrics that can score the corpus.
    """
    wanted = options.metrics
    options.metrics = wanted or (list(METRICS) if made else metric_names(options))
    corpus = read_corpus(options)
    if made:
        made.check_corpus(corpus)
    if wanted or not made:
        return [(corpus, options.metrics)]
    tasks = known_tasks(corpus)
    if tasks is None:
        return [(corpus, [name for name, metric in METRICS.items() if _fits(metric, corpus)])]
    by_configuration: dict[str, list[str]] = {}
    for task, configuration in tasks.items():
        if (metric := task.partition("_")[0]) in METRICS:
            by_configuration.setdefault(configuration, []).append(metric)
    dataset = corpus.metadata["dataset"]
    return [
        (resolve_corpus(f"{dataset}:{configuration}:test", metrics), metrics)
        for configuration, metrics in by_configuration.items()
    ]


def _fits(metric: type[Metric], corpus: Corpus) -> bool:
    """Return whether a metric can score a corpus without an optional dependency."""
    return metric.extra is None and any(map(corpus.has, metric.golds))


def _score(
    options: argparse.Namespace, corpus: Corpus, metrics: Sequence[str], made: Run | None, origin: ResultOrigin
) -> list[EvalResultEntry]:
    systems = read_systems(options, corpus)
    if len(systems) != 1:
        raise InputError(
            f"gecbench results needs the outputs of one system, not {len(systems)}", fix="Give one file with -p"
        )
    ((name, predictions),) = systems.items()
    if made:
        made.check_corpus(corpus)
    preprocessing, label = Preprocessing(**preprocessing_of(options)), f"predictions of {name}"
    prepared = preprocessing.prepare(corpus, predictions, label, counted=True)
    scores = score_prepared({name: prepared}, metric_columns(metrics), options.resamples, options.seed)[name]
    if made and made.record["prompt"]:
        scores = {name: score.with_field("prompt", made.record["prompt"]) for name, score in scores.items()}
    return result_entries(scores, corpus, origin)

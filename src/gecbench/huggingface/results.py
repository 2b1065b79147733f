"""Write scores for a model repository: `.eval_results/*.yaml`.

These files are written with huggingface_hub's classes. A result belongs to a task of a benchmark dataset. The dataset's
`eval.yaml` declares the tasks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from gecbench.corpora.catalog import DATASETS, modules_folder
from gecbench.corpus.corpus import Corpus
from gecbench.display import percent, shorten
from gecbench.errors import GecbenchError, InputError, MissingDependencyError
from gecbench.formats.text import read_lines, write_bytes
from gecbench.huggingface.push import TASKS_FILE, check_address, check_repository, logged_in
from gecbench.metrics.base import Metric, Score, make_metric

if TYPE_CHECKING:
    from huggingface_hub import EvalResultEntry

FOLDER = ".eval_results"


@dataclass(frozen=True)
class ResultOrigin:
    """The origin of results.

    It consists of the benchmark's repository and revision, the date, and a page with more information.
    """

    dataset: str
    revision: str | None = None
    date: str | None = None
    source_url: str | None = None
    source_name: str | None = None
    notes: str | None = None

    def __post_init__(self) -> None:
        check_repository(self.dataset, "--repo-dataset")
        if self.revision is not None and not re.fullmatch(r"[0-9a-f]{7,40}", self.revision):
            fix = "Give 7 to 40 hexadecimal digits"
            raise InputError(f"--revision: {self.revision!r} is not a commit hash", fix=fix)
        if self.source_url is not None:
            check_address(self.source_url, "--source-url")
        elif self.source_name is not None:
            raise InputError("--source-name needs --source-url", fix="Give both, or neither")
        check_date(self.date)


def check_date(date: str | None) -> str:
    """Check an ISO 8601 date, with or without a time, and return it.

    Without a date, return the current time.
    """
    if date is None:
        return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    try:
        datetime.fromisoformat(re.sub("Z$", "+00:00", date))
    except ValueError as error:
        raise InputError(f"--date: {date!r} is not a date", fix="Write 2026-01-31 or 2026-01-31T12:00:00Z") from error
    return date


def result_entries(scores: Mapping[str, Score], corpus: Corpus, origin: ResultOrigin) -> list[EvalResultEntry]:
    """Return one entry per metric: task, value times 100, and notes with signature."""
    hub = _hub()
    date = check_date(origin.date)
    entries = []
    for score in scores.values():
        task = task_id(score.metric, corpus)
        check_task(task, corpus)
        entry = hub.EvalResultEntry(
            dataset_id=origin.dataset,
            dataset_revision=origin.revision,
            task_id=task,
            value=round(100 * score.value, 2),
            date=date,
            source_url=origin.source_url,
            source_name=origin.source_name,
            notes="; ".join(filter(None, [origin.notes, _interval(score), str(score.signature)])),
        )
        entries.append(entry)
    return entries


def _interval(score: Score) -> str | None:
    interval = score.interval
    if interval is None:
        return None
    return f"{percent(interval.confidence, 0)}% interval {percent(interval.low)} – {percent(interval.high)}"


def write_results(entries: Sequence[EvalResultEntry], folder: str | Path) -> Path:
    """Write `folder/.eval_results/<dataset>.yaml`, read it back, and return its path.

    Existing results of the same dataset and task are replaced. All others are kept.
    """
    import yaml

    hub = _hub()
    if not Path(folder).is_dir():
        raise InputError("no such folder", file=str(folder), fix="Give the local folder of the model repository")
    path = Path(folder) / results_file(entries)
    places = {(entry.dataset_id, entry.task_id) for entry in entries}
    earlier = read_results(path) if path.exists() else []
    kept = [entry for entry in earlier if (entry.dataset_id, entry.task_id) not in places]
    wanted = [*kept, *entries]
    text = yaml.safe_dump(
        hub.eval_result_entries_to_yaml(wanted), sort_keys=False, allow_unicode=True, width=1000, line_break="\n"
    )
    if hub.parse_eval_result_entries(yaml.safe_load(text)) != wanted:
        raise GecbenchError(f"{path}: huggingface_hub cannot read these results, so the file was not written.")
    path.parent.mkdir(exist_ok=True)
    write_bytes(path, text.encode())
    return path


def read_results(path: str | Path) -> list[EvalResultEntry]:
    """Read a file of results."""
    import yaml

    text = "\n".join(read_lines(path))
    try:
        entries: list[EvalResultEntry] = _hub().parse_eval_result_entries(yaml.safe_load(text) or [])
    except (yaml.YAMLError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"contains no valid results ({type(error).__name__}: {shorten(str(error), 200)})",
            file=str(path),
            fix="Fix or delete the file",
        ) from error
    return entries


def results_file(entries: Sequence[EvalResultEntry]) -> str:
    """Return the path of the results in a model repository."""
    return f"{FOLDER}/{entries[0].dataset_id.rpartition('/')[2]}.yaml"


def open_pull_request(entries: Sequence[EvalResultEntry], repository: str) -> str:
    """Open a pull request with results for a model repository, and return its URL."""
    from huggingface_hub.errors import EntryNotFoundError

    name = results_file(entries)
    with logged_in(repository) as api, TemporaryDirectory() as folder:
        with suppress(EntryNotFoundError):
            api.hf_hub_download(repository, name, local_dir=folder)
        write_results(entries, folder)
        commit = api.upload_file(
            path_or_fileobj=(Path(folder) / name).read_bytes(),
            path_in_repo=name,
            repo_id=repository,
            create_pr=True,
            commit_message=f"Results on {entries[0].dataset_id}",
            commit_description=describe_results(entries),
        )
        return str(commit.pr_url)


def describe_results(entries: Sequence[EvalResultEntry]) -> str:
    """Return the results as the text of a pull request."""
    notes = [(entry.notes or "").replace("|", "\\|") for entry in entries]
    rows = [f"| {entry.task_id} | {entry.value:.2f} | {note} |" for entry, note in zip(entries, notes, strict=True)]
    dataset = entries[0].dataset_id
    return "\n".join(
        [
            f"Grammatical error correction on [{dataset}](https://huggingface.co/datasets/{dataset}), by gecbench.",
            "Values are in percent. The notes end with the signature, which states how the score was computed.",
            "",
            "| task | value | notes |",
            "|---|---:|---|",
            *rows,
            "",
        ]
    )


def _hub() -> Any:
    import huggingface_hub

    if not hasattr(huggingface_hub, "EvalResultEntry"):
        raise MissingDependencyError(
            f"huggingface_hub {huggingface_hub.__version__} cannot write evaluation results. "
            "Upgrade it: pip install --upgrade huggingface_hub"
        )
    return huggingface_hub


def task_id(metric: str | Metric, corpus: Corpus) -> str:
    """Return the identifier of a task.

    It is the metric's name, followed by the configuration if the dataset has several reference sets. A task is a metric
    with its default parameters on the test split. Anything else has no task and raises an error.

    >>> rewrites = {"dataset": "conll14_fluency", "config": "expert_fluency", "split": "test"}
    >>> task_id("gleu", Corpus(sources=["He go ."], metadata=rewrites))
    'gleu_expert_fluency'
    """
    chosen = make_metric(metric)
    if chosen != type(chosen)():
        raise InputError(
            f"the task {chosen.name} requires the default parameters, but the metric is {metric}",
            fix=f"Give -m {chosen.name}",
        )
    split = corpus.metadata.get("split", "test")
    if split != "test":
        raise InputError(
            f"results on the Hub must be for the test split, but {corpus.name} is the split {split!r}",
            fix="Choose the test split",
        )
    declared = DATASETS.get(str(corpus.metadata.get("dataset")))
    several = declared is not None and declared.several_reference_sets
    return f"{chosen.name}_{corpus.metadata['config']}" if several else chosen.name


def known_tasks(corpus: Corpus) -> dict[str, str] | None:
    """Return the configuration of each task of a corpus's dataset.

    Return None if the corpus does not belong to a dataset of gecbench with known tasks.
    """
    dataset = corpus.metadata.get("dataset")
    if dataset is None:
        return None
    try:
        path = modules_folder("datasets") / str(dataset) / TASKS_FILE
    except InputError:
        return None
    if not path.is_file():
        return None
    import yaml

    declared = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {str(task["id"]): str(task["config"]) for task in declared["tasks"]}


def check_task(task: str, corpus: Corpus) -> None:
    """Raise an error if the dataset does not declare the task for this corpus."""
    known = known_tasks(corpus)
    if known is None:
        return
    if task not in known:
        raise InputError(f"{corpus.name} has no task {task!r}", fix=f"Choose one of its tasks: {', '.join(known)}")
    if corpus.metadata.get("config") != known[task]:
        wanted = f"{corpus.metadata['dataset']}:{known[task]}:test"
        raise InputError(f"the task {task} does not belong to {corpus.name}", fix=f"Give -c {wanted}")

"""Which task of a benchmark dataset (its `eval.yaml`) a metric's value on a corpus belongs to."""

from __future__ import annotations

from gecbench.corpora.catalog import DATASETS, modules_folder
from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError
from gecbench.metrics.base import Metric, make_metric

TASKS_FILE = "eval.yaml"


def task_id(metric: str | Metric, corpus: Corpus) -> str:
    """Return the task's identifier: the metric, then the configuration where a dataset has several reference sets.

    A task means the metric with its default parameters on the test split; anything else has no task.

    >>> rewrites = {"dataset": "conll14_fluency", "config": "expert_fluency", "split": "test"}
    >>> task_id("gleu", Corpus(sources=["He go ."], metadata=rewrites))
    'gleu_expert_fluency'
    """
    chosen = make_metric(metric)
    if chosen != type(chosen)():
        raise InputError(
            f"{metric} is not {chosen.name} with its defaults, which is what the task {chosen.name} means",
            fix=f"Give -m {chosen.name}",
        )
    split = corpus.metadata.get("split", "test")
    if split != "test":
        raise InputError(f"{corpus.name} is the split {split!r}, and tasks are of the test split")
    declared = DATASETS.get(str(corpus.metadata.get("dataset")))
    several = declared is not None and declared.several_reference_sets
    return f"{chosen.name}_{corpus.metadata['config']}" if several else chosen.name


def known_tasks(corpus: Corpus) -> dict[str, str] | None:
    """Return the configurations by task that the corpus's dataset declares, or None if it is none of gecbench's."""
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
    """Refuse a task that the corpus's dataset does not declare, or declares for another configuration."""
    known = known_tasks(corpus)
    if known is None:
        return
    if task not in known:
        raise InputError(f"{corpus.name} has no task {task!r}", fix=f"Its tasks: {', '.join(known)}")
    if corpus.metadata.get("config") != known[task]:
        wanted = f"{corpus.metadata['dataset']}:{known[task]}:test"
        raise InputError(f"the task {task} is not of {corpus.name}", fix=f"Give -c {wanted}")

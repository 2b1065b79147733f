"""The tasks of benchmark datasets; tests/cli/test_results.py writes results."""

import pytest
import yaml

import gecbench
from gecbench.huggingface.results import check_task, known_tasks, task_id


def corpus(**metadata):
    return gecbench.Corpus(sources=["He go ."], references=[["He goes ."]], metadata=metadata)


def test_tasks():
    assert task_id("gleu", corpus()) == "gleu"
    assert task_id(gecbench.GLEU(), corpus(dataset="jfleg", config="default", split="test")) == "gleu"
    assert task_id("gleu", corpus(dataset="conll14_fluency", config="all")) == "gleu_all"
    with pytest.raises(gecbench.InputError, match="test split"):
        task_id("gleu", corpus(dataset="jfleg", config="default", split="validation"))
    with pytest.raises(gecbench.InputError, match="unknown metric"):
        task_id("blue", corpus())
    assert known_tasks(corpus()) is None


def test_tasks_of_the_datasets(repository):
    declared = {
        path.parent.name: yaml.safe_load(path.read_text(encoding="utf-8"))
        for path in repository.glob("datasets/*/eval.yaml")
    }
    for dataset, benchmark in declared.items():
        declared_configs = {task["id"]: task["config"] for task in benchmark["tasks"]}
        assert known_tasks(corpus(dataset=dataset)) == declared_configs
        for task in benchmark["tasks"]:
            metric = task["id"].partition("_")[0]
            if metric in gecbench.METRICS:
                found = corpus(dataset=dataset, config=task["config"], split=task["split"])
                assert task_id(metric, found) == task["id"]
                check_task(task["id"], found)


def test_an_undeclared_task_is_refused(folder, monkeypatch):
    declared = folder / "datasets" / "toy"
    declared.mkdir(parents=True)
    (declared / "eval.yaml").write_text("tasks:\n- id: gleu_all\n  config: all\n- id: gleu\n  config: default\n")
    monkeypatch.setattr("gecbench.huggingface.results.modules_folder", lambda kind: folder / kind)
    check_task("gleu_all", corpus(dataset="toy", config="all"))
    with pytest.raises(gecbench.InputError, match=r"no task 'bleu_all'.*gleu_all"):
        check_task("bleu_all", corpus(dataset="toy", config="all"))
    with pytest.raises(gecbench.InputError, match=r"the task gleu does not belong to .*-c toy:default:test"):
        check_task("gleu", corpus(dataset="toy", config="m2"))

"""`gecbench results write`: what a model repository on the Hub carries, read back by huggingface_hub itself."""

from pathlib import Path

import pytest
import yaml

import gecbench
from gecbench.cli import main
from gecbench.corpora.demo import DATA
from gecbench.huggingface.results import check_task, known_tasks, read_results, task_id

huggingface_hub = pytest.importorskip("huggingface_hub")
pytestmark = [
    pytest.mark.skipif(not hasattr(huggingface_hub, "EvalResultEntry"), reason="this huggingface_hub knows no results"),
    pytest.mark.usefixtures("folder"),
]
GOOD = str(DATA / "systems" / "good-corrector.txt")
ARGUMENTS = ["results", "write", "-c", "demo", "-p", GOOD, "--repo-dataset", "someone/demo"]
FILE = Path(".eval_results/demo.yaml")


def write(*arguments):
    assert main([*ARGUMENTS, *arguments]) == 0
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))


def test_one_entry_per_metric(capsys):
    demo, outputs = gecbench.load_demo(), gecbench.load_demo_systems()["good-corrector"]
    expected = gecbench.score(outputs, demo, ["gleu", "bleu"])
    page = ["--source-url", "https://example.org/log?a=1#b", "--source-name", "Log"]
    more = ["--date", "2026-01-31", "--revision", "0123abc", "--notes", "5 beams: yes"]
    entries = write("-m", "gleu", "bleu", *page, *more)
    assert [entry["dataset"]["task_id"] for entry in entries] == ["gleu", "bleu"]
    for entry, score in zip(entries, expected.values(), strict=True):
        assert entry == {
            "dataset": {"id": "someone/demo", "task_id": score.name, "revision": "0123abc"},
            "value": pytest.approx(100 * score.value, abs=0.005),
            "date": "2026-01-31",
            "source": {"url": "https://example.org/log?a=1#b", "name": "Log"},
            "notes": f"5 beams: yes; {score.signature}",
        }
        signature = entry["notes"].rpartition("; ")[2]
        assert gecbench.make_metric(signature) == score.metric
    assert capsys.readouterr().out.splitlines()[-1] == f"written to {FILE}"
    assert huggingface_hub.parse_eval_result_entries(entries) == read_results(FILE)


def test_the_least_there_is():
    (entry,) = write()
    assert set(entry) == {"dataset", "value", "date", "notes"}
    assert entry["date"].endswith("Z"), "a string, not a date that a reader would turn into something else"
    assert entry["notes"].startswith("gleu|")


def test_the_interval_is_noted():
    (entry,) = write("--resamples", "20")
    assert entry["notes"].startswith("95 % interval ")
    assert "|resamples:20:" in entry["notes"]


def test_earlier_results_are_kept_or_replaced():
    write("-m", "gleu", "--notes", "old")
    write("-m", "bleu")
    write("-m", "gleu", "--repo-dataset", "other/demo")
    entries = write("-m", "gleu", "--notes", "new")
    found = [(entry["dataset"]["id"], entry["dataset"]["task_id"]) for entry in entries]
    assert found == [("someone/demo", "bleu"), ("other/demo", "gleu"), ("someone/demo", "gleu")]
    assert entries[-1]["notes"].startswith("new; ")


def test_another_folder():
    Path("model").mkdir()
    assert main([*ARGUMENTS, "--to", "model"]) == 0
    assert ("model" / FILE).exists()
    assert not FILE.exists()


@pytest.mark.parametrize("text", ["[1]", "a: b: c", "- value: 3", "- dataset: 7\n  value: 1", "\tx"])
def test_a_file_that_holds_no_results_is_not_overwritten(text, refused):
    FILE.parent.mkdir()
    FILE.write_text(text)
    refused(ARGUMENTS, "demo.yaml: holds no results")
    assert FILE.read_text() == text


BAD = {
    "no owner": (["--repo-dataset", "demo"], "--repo-dataset: 'demo' has no owner"),
    "a path": (["--repo-dataset", "../x"], "--repo-dataset"),
    "no address": (["--source-url", "javascript:alert(1)"], "no http or https address"),
    "an address without a host": (["--source-url", "https:///x"], "no http or https address"),
    "a name alone": (["--source-name", "Log"], "--source-name goes with --source-url"),
    "no date": (["--date", "yesterday"], "no date"),
    "no hash": (["--revision", "main"], "no commit's hash"),
    "no folder": (["--to", "nowhere"], "nowhere: no such folder"),
    "parameters": (["-m", "gleu(draws=py3)"], "not gleu with its defaults"),
    "two systems": (["-p", GOOD, str(DATA / "systems" / "do-nothing.txt")], "2 systems"),
}


@pytest.mark.parametrize(("change", "message"), BAD.values(), ids=BAD)
def test_wrong_use(change, message, refused, folder):
    refused([*ARGUMENTS, *change], message)
    assert not list(folder.iterdir())


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
    with pytest.raises(gecbench.InputError, match=r"the task gleu is not of .*-c toy:default:test"):
        check_task("gleu", corpus(dataset="toy", config="m2"))

"""`gecbench results`: from outputs or a run, into a folder or as a pull request; huggingface_hub reads it back."""

import json
from pathlib import Path

import pytest
import yaml
from chat_server import ChatServer
from served import DEMO, NATURAL, TOKENS

import gecbench
from gecbench.cli import main
from gecbench.corpora.demo import DATA
from gecbench.formats.jsonl import write_jsonl
from gecbench.huggingface.results import read_results
from gecbench.models.correction import record_path
from gecbench.models.prompts import find_prompt

huggingface_hub = pytest.importorskip("huggingface_hub")
pytestmark = [
    pytest.mark.skipif(
        not hasattr(huggingface_hub, "EvalResultEntry"), reason="this huggingface_hub cannot write results"
    ),
    pytest.mark.usefixtures("folder", "online"),
]
TO = ["--repo-dataset", "someone/demo"]
GOOD = str(DATA / "systems" / "good-corrector.txt")
ARGUMENTS = ["results", "write", "-c", "demo", "-p", GOOD]
FILE = Path(".eval_results/demo.yaml")


def entries():
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))


def command(options):
    """Return the command with these options, and with a dataset repository if they name none."""
    return [*ARGUMENTS, *options, *([] if "--repo-dataset" in options else TO)]


def write(*arguments):
    assert main(command(arguments)) == 0
    return entries()


def test_one_entry_per_metric(capsys):
    demo, outputs = gecbench.load_demo(), gecbench.load_demo_systems()["good-corrector"]
    expected = gecbench.score(outputs, demo, ["gleu", "bleu"])
    page = ["--source-url", "https://example.org/log?a=1#b", "--source-name", "Log"]
    more = ["--date", "2026-01-31", "--revision", "0123abc", "--notes", "5 beams: yes"]
    written = write("-m", "gleu", "bleu", *page, *more)
    assert [entry["dataset"]["task_id"] for entry in written] == ["gleu", "bleu"]
    for entry, score in zip(written, expected.values(), strict=True):
        assert entry == {
            "dataset": {"id": "someone/demo", "task_id": score.name, "revision": "0123abc"},
            "value": pytest.approx(100 * score.value, abs=0.005),
            "date": "2026-01-31",
            "source": {"url": "https://example.org/log?a=1#b", "name": "Log"},
            "notes": f"5 beams: yes; {score.signature}",
        }
        signature = entry["notes"].rpartition("; ")[2]
        assert gecbench.make_metric(signature) == score.metric
    assert capsys.readouterr().out.splitlines()[-1] == f"wrote {FILE}"
    assert huggingface_hub.parse_eval_result_entries(written) == read_results(FILE)


def test_the_least_there_is():
    (entry,) = write()
    assert set(entry) == {"dataset", "value", "date", "notes"}
    assert entry["date"].endswith("Z"), "a string, not a date that a reader would turn into something else"
    assert entry["notes"].startswith("gleu|")


def test_the_interval_is_noted():
    (entry,) = write("--resamples", "20")
    assert entry["notes"].startswith("95% interval ")
    assert "|resamples:20:" in entry["notes"]


def test_earlier_results_are_kept_or_replaced():
    write("-m", "gleu", "--notes", "old")
    write("-m", "bleu")
    write("-m", "gleu", "--repo-dataset", "other/demo")
    written = write("-m", "gleu", "--notes", "new")
    found = [(entry["dataset"]["id"], entry["dataset"]["task_id"]) for entry in written]
    assert found == [("someone/demo", "bleu"), ("other/demo", "gleu"), ("someone/demo", "gleu")]
    assert written[-1]["notes"].startswith("new; ")


def test_another_folder():
    Path("model").mkdir()
    assert main(command(["--to", "model"])) == 0
    assert ("model" / FILE).exists()
    assert not FILE.exists()


@pytest.mark.parametrize("text", ["[1]", "a: b: c", "- value: 3", "- dataset: 7\n  value: 1", "\tx"])
def test_a_file_that_holds_no_results_is_not_overwritten(text, refused):
    FILE.parent.mkdir()
    FILE.write_text(text)
    refused(command([]), "demo.yaml: contains no valid results")
    assert FILE.read_text() == text


BAD = {
    "no owner": (["--repo-dataset", "demo"], "--repo-dataset: 'demo' has no owner"),
    "a path": (["--repo-dataset", "../x"], "--repo-dataset"),
    "no address": (["--source-url", "javascript:alert(1)"], "not an http or https address"),
    "an address without a host": (["--source-url", "https:///x"], "not an http or https address"),
    "a name alone": (["--source-name", "Log"], "--source-name needs --source-url"),
    "no date": (["--date", "yesterday"], "is not a date"),
    "no hash": (["--revision", "main"], "is not a commit hash"),
    "no folder": (["--to", "nowhere"], "nowhere: no such folder"),
    "parameters": (["-m", "gleu(draws=py3)"], "the task gleu requires the default parameters, but the metric is"),
    "two systems": (["-p", str(DATA / "systems" / "do-nothing.txt")], "one system, not 2"),
}


@pytest.mark.parametrize(("change", "message"), BAD.values(), ids=BAD)
def test_wrong_use(change, message, refused, folder):
    refused(command(change), message)
    assert not list(folder.iterdir())


# From what `gecbench run` left


@pytest.fixture
def ran(capsys):
    """Run a served model over the demo."""
    with ChatServer(NATURAL, {next(iter(NATURAL)): [""]}).running() as server:
        server.fields = {"model": "it-1.5", "system_fingerprint": "abc"}
        command = ["run", "--model", f"endpoint:{server.url}", "--name", "it", "-c", "demo", "--raw"]
        assert main([*command, "--prompt", "fluency", "-o", "out.txt"]) == 0
    capsys.readouterr()
    return [DEMO.sources[0], *list(TOKENS.values())[1:]]


@pytest.mark.parametrize("place", ["out.txt", "out.txt.run.json", "."])
def test_all_metrics_with_model_and_prompt(ran, run, place):
    run("results", "write", "--run", place, *TO)
    metrics = [name for name, metric in gecbench.METRICS.items() if metric.extra is None]
    expected = gecbench.score(ran, DEMO, metrics)
    assert {entry["dataset"]["task_id"]: entry["value"] for entry in entries()} == {
        name: pytest.approx(100 * score.value, abs=0.005) for name, score in expected.items()
    }
    prompt = find_prompt("fluency").label
    for entry in entries():
        *words, signature = entry["notes"].split("; ")
        assert words == ["model: it", "served: it-1.5 abc", f"prompt: {prompt}", "not answered: 1"]
        assert f"|prep:auto:treebank|prompt:{prompt}|" in signature
        assert gecbench.make_metric(signature) == expected[entry["dataset"]["task_id"]].metric
        assert entry["date"] == json.loads(record_path(Path("out.txt")).read_text())["finished"]


def test_metrics_and_notes_of_ones_own(ran, run):
    run("results", "write", "--run", "out.txt", *TO, "-m", "m2", "--notes", "first try", "--date", "2026-01-31")
    (entry,) = entries()
    assert entry["notes"].startswith("first try; model: it; ")
    assert entry["date"] == "2026-01-31"


def test_a_run_of_another_kind(run):
    Path("echo.py").write_text("def same(text: str):\n    return text\n")
    run("run", "--model", "python:echo:same", "-c", "demo", "-o", "same.txt")
    run("results", "write", "--run", "same.txt", *TO, "-m", "gleu")
    (entry,) = entries()
    assert entry["value"] == pytest.approx(100 * gecbench.score(DEMO.sources, DEMO)["gleu"].value, abs=0.005)
    assert entry["notes"].startswith("model: python:echo:same; gleu|")


def test_a_pull_request(ran, hub, monkeypatch, capsys):
    earlier = [{"dataset": {"id": "else/demo", "task_id": "gleu"}, "value": 12.5}]
    hub.files = {str(FILE): yaml.safe_dump(earlier).encode()}
    done = hub.gecbench("results", "pr", "--run", "out.txt", *TO, "--repo", "me/it", "-m", "gleu", "m2")
    assert done.returncode == 0, done.stderr
    *scores, address = done.stdout.splitlines()
    assert address == f"{hub.url}/models/me/it/discussions/1"
    assert [line.split(":")[0] for line in scores] == ["someone/demo gleu", "someone/demo m2"]
    (commit,) = hub.commits
    assert (commit.repository, commit.pull_request, commit.deleted) == ("models/me/it", True, [])
    assert commit.summary == "Results on someone/demo"
    assert "| gleu | " in commit.description
    found = yaml.safe_load(commit.files.pop(str(FILE)))
    assert not commit.files, "one file"
    assert found[0] == earlier[0], "what others added stays"
    assert [entry["dataset"]["task_id"] for entry in found[1:]] == ["gleu", "m2"]
    assert not FILE.exists()


def test_the_first_results_of_a_repository(ran, hub):
    done = hub.gecbench("results", "pr", "--run", "out.txt", *TO, "--repo", "me/it", "-m", "gleu")
    assert done.returncode == 0, done.stderr
    assert len(yaml.safe_load(hub.commits[0].files[str(FILE)])) == 1


def test_nothing_is_sent_without_need(ran, hub, run):
    shown = run("results", "pr", "--run", "out.txt", *TO, "--repo", "me/it", "--dry-run")
    assert "| gleu | " in shown
    assert shown.endswith("dry run: no pull request was opened\n")
    assert not hub.requests
    done = hub.gecbench("results", "pr", "--run", "out.txt", *TO, "--repo", "me/other", "-m", "gleu")
    assert done.returncode == 2
    assert done.stderr.startswith("gecbench: me/other: not uploaded: ")
    assert done.stderr.count("\n") == 1
    assert not hub.commits


BAD_RUNS = {
    "no record": (["--run", "alone.txt"], "alone.txt: the record of the run \\(.run.json\\) is missing"),
    "nothing": (["--run", "nowhere"], "nowhere: the record of the run \\(.run.json\\) is missing"),
    "a folder without a run": (["--run", "empty"], "empty: has 0 records of runs"),
    "changed outputs": (["--run", "changed.txt"], "changed.txt: was changed after the run"),
    "a record of something else": (["--run", "other.txt"], "is not the record of a run"),
    "two places": (["--run", "out.txt", "-p", "alone.txt"], "-p cannot be combined with --run"),
    "another corpus": (["--run", "out.txt", "-c", "half.jsonl"], "the sources of the run are not the sentences of"),
    "no predictions": (["-c", "demo"], "one system, not 0"),
    "a repository to write to": (["--run", "out.txt", "--repo", "me/it"], "--repo is only for pr"),
}


@pytest.mark.parametrize(("change", "message"), BAD_RUNS.values(), ids=BAD_RUNS)
def test_wrong_use_of_runs(ran, refused, change, message):
    write_jsonl(DEMO.select(range(20)), "half.jsonl")
    Path("empty").mkdir()
    for name in ("alone.txt", "changed.txt", "other.txt"):
        Path(name).write_text("x\n")
    record_path(Path("changed.txt")).write_bytes(record_path(Path("out.txt")).read_bytes())
    record_path(Path("other.txt")).write_text("[]")
    refused(["results", "write", *TO, *change], message)
    assert not FILE.exists()


@pytest.mark.parametrize("arguments", [["pr", "--run", "out.txt"], ["pr", "--run", "out.txt", "--repo", "it"]])
def test_pull_requests_need_a_repository(ran, refused, arguments):
    refused(["results", *arguments, *TO], "--repo")


def test_every_task_of_a_dataset(mirror, run):
    Path("echo.py").write_text("def same(text: str):\n    return text\n")
    run("run", "--model", "python:echo:same", "-c", "jfleg:test", "-o", "out.txt")
    run("results", "write", "--run", "out.txt", "--repo-dataset", "owner/jfleg")
    found = yaml.safe_load(Path(".eval_results/jfleg.yaml").read_text(encoding="utf-8"))
    values = {entry["dataset"]["task_id"]: entry["value"] for entry in found}
    assert set(values) >= {"gleu", "m2", "imeasure"}
    assert (values["gleu"], values["m2"], values["imeasure"]) == (40.54, 0.0, 0.0), "what doing nothing is worth"

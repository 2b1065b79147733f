"""The ways to a score, each from replies by request to figures by name; harnesses are the real packages."""

import json
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from chat_server import ChatServer

import gecbench
from gecbench.cli import main
from gecbench.corpora.catalog import modules_folder
from gecbench.corpus.tokenize import detokenize
from gecbench.formats.m2 import format_m2
from gecbench.harness.benchmark import BENCHMARKS, Benchmark, figure_names


@dataclass(frozen=True)
class Case:
    """A benchmark, what the model sees, and what it replies to each sentence."""

    benchmark: Benchmark
    replies: tuple[str, ...]

    @property
    def by_request(self) -> dict[str, str]:
        return dict(zip(self.benchmark.requests(), self.replies, strict=True))

    @property
    def by_sentence(self) -> dict[str, str]:
        return dict(zip(self.benchmark.sentences(), self.replies, strict=True))

    @property
    def tokenize(self) -> str:
        return "auto" if self.benchmark.raw else "none"

    @property
    def options(self) -> dict[str, object]:
        return {"prompt": self.benchmark.prompt, "raw": self.benchmark.raw}


def demo_case(replies=None) -> Case:
    """Return the demo with given replies, or with those of a toy system."""
    return Case(BENCHMARKS["demo"], tuple(replies or detokenize(gecbench.load_demo_systems()["rule-based"])))


def _figures(case: Case, scores) -> dict[str, float]:
    """Return values and parts of scores given as name, value and parts."""
    found: dict[str, float] = {"unanswered": 0}
    for name, value, parts in scores:
        found[name] = value
        found |= {figure: parts[figure.removeprefix(f"{name}_")] for figure in _parts(case, name)}
    return found


def _parts(case: Case, metric: str) -> list[str]:
    return [figure for figure in figure_names(case.benchmark.metrics) if figure.startswith(f"{metric}_")]


def in_python(case: Case, folder: Path) -> dict[str, float]:
    scores = gecbench.score(
        case.replies, case.benchmark.corpus, case.benchmark.metrics, tokenize=case.tokenize, tokenized=True
    )
    return _figures(case, [(name, score.value, score.parts) for name, score in scores.items()])


def _printed(case: Case, text: str) -> dict[str, float]:
    (system,) = json.loads(text)["systems"]
    return _figures(case, [(score["metric"], score["value"], score["parts"]) for score in system["scores"]])


def _command(case: Case, *arguments: str) -> list[str]:
    """Return a command; a rewriter's replies to JFLEG are one of its references, which --aligned accepts."""
    corpus = ["-c", case.benchmark.corpus_name, "--tokenized", "--aligned"]
    return [*arguments, *corpus, "-m", *case.benchmark.metrics, "-f", "json"]


def on_the_command_line(case: Case, folder: Path, capsys) -> dict[str, float]:
    path = folder / "replies.txt"
    path.write_text("".join(f"{line}\n" for line in case.replies), encoding="utf-8")
    assert main(_command(case, "score", "-p", str(path), "--tokenize", case.tokenize)) == 0
    return _printed(case, capsys.readouterr().out)


def by_gecbench_run(case: Case, folder: Path, capsys) -> dict[str, float]:
    with ChatServer(case.by_sentence).running() as server:
        arguments = ["run", "--model", f"endpoint:{server.url}", "--name", "it", "-o", str(folder / "run.txt")]
        raw = ["--raw"] if case.benchmark.raw else []
        assert main(_command(case, *arguments, *raw, "--prompt", case.benchmark.prompt)) == 0
    return _printed(case, capsys.readouterr().out)


def with_evaluate(case: Case, folder: Path) -> dict[str, float]:
    corpus, scores = case.benchmark.corpus, []
    for name in case.benchmark.metrics:
        gold = _blocks(corpus) if name != "gleu" and corpus.annotations is not None else corpus.references
        columns = {"sources": corpus.sources, "predictions": case.replies, "references": gold}
        found = gecbench.load_metric(name, cache_dir=str(folder)).compute(
            **columns, tokenize=case.tokenize, tokenized=True
        )
        scores.append((name, found[name], found))
    return _figures(case, scores)


def _blocks(corpus) -> list[str]:
    lines = format_m2(corpus.replace(references=None))
    return "\n".join(lines).strip().split("\n\n")


def in_lm_eval(case: Case, folder: Path) -> dict[str, float]:
    lm_eval = pytest.importorskip("lm_eval")
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    replies = case.by_request

    class Scripted(LM):
        def generate_until(self, requests, disable_tqdm=False):
            return [replies[request.args[0]] for request in requests]

        def loglikelihood(self, requests, disable_tqdm=False):
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    task = f"gecbench_{case.benchmark.name}"
    manager = TaskManager(include_path=str(modules_folder("harness") / "lm_eval"), metadata=case.options)
    results = lm_eval.simple_evaluate(Scripted(), tasks=[task], task_manager=manager)["results"][task]
    return {name: results[f"{name},none"] for name in figure_names(case.benchmark.metrics)}


def in_inspect(case: Case, folder: Path) -> dict[str, float]:
    log = run_inspect(case, folder)
    assert log.status == "success", log.error
    return {name: metric.value for name, metric in log.results.scores[0].metrics.items()}


def run_inspect(case: Case, folder: Path, **options):
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    replies = case.by_request

    def reply(messages, *_):
        output = ModelOutput.from_content("mockllm", replies[messages[-1].text])
        output.usage = ModelUsage()
        return output

    model = get_model("mockllm/model", custom_outputs=reply)
    (log,) = inspect_ai.eval(
        inspect_task(case.benchmark.name),
        model=model,
        task_args=case.options,
        log_dir=str(folder / "logs"),
        display="none",
        **options,
    )
    return log


def inspect_task(name: str) -> object:
    """Return the task by its name where gecbench is installed with its entry point, or else the function."""
    if any(found.value == "gecbench.harness.inspect_tasks" for found in entry_points(group="inspect_ai")):
        return f"gecbench/{name}"
    from gecbench.harness import inspect_tasks

    return getattr(inspect_tasks, name)


def in_lighteval(case: Case, folder: Path) -> dict[str, float]:
    pytest.importorskip("lighteval")
    from lighteval.metrics import apply_metric
    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.lighteval_task import LightevalTask

    from gecbench.harness.lighteval_tasks import tasks

    if case.options != {"prompt": case.benchmark.prompt, "raw": True}:
        pytest.skip("lighteval passes no options to a task")
    config = next(each for each in tasks() if each.name == f"gecbench:{case.benchmark.name}")
    task, replies = LightevalTask(config), case.by_request
    documents = task.get_docs()
    responses = [ModelResponse(text=[replies[each.query]]) for each in documents]
    outputs = apply_metric(responses, documents, task.metrics)
    found = task.aggregation()["gecbench"]([output["gecbench"] for output in outputs])
    return {**found}

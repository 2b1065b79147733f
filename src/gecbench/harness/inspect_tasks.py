"""Tasks, scorer and metric for Inspect AI.

They are registered as an entry point, so you can run `inspect eval gecbench/jfleg --model …`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from gecbench.errors import MissingDependencyError
from gecbench.harness.benchmark import BENCHMARKS, Benchmark, corpus_figures, explain, load_once
from gecbench.models.replies import Reading, read_reply

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import GenerateConfig
    from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
    from inspect_ai.solver import TaskState, generate
except ImportError as error:
    raise MissingDependencyError(
        f"Inspect's tasks need {error.name}. Install it: pip install 'gecbench[inspect]'"
    ) from error


@task  # type: ignore[untyped-decorator]
def demo(corpus: str | None = None, prompt: str | None = None, raw: bool = True) -> Task:
    """The 42 sentences of the demo corpus."""
    return _task("demo", corpus, prompt, raw)


@task  # type: ignore[untyped-decorator]
def jfleg(corpus: str | None = None, prompt: str | None = None, raw: bool = True) -> Task:
    """JFLEG's test set. Use `-T corpus=jfleg:dev` for the development set."""
    return _task("jfleg", corpus, prompt, raw)


@task  # type: ignore[untyped-decorator]
def conll14(corpus: str | None = None, prompt: str | None = None, raw: bool = True) -> Task:
    """CoNLL-14 with its two official annotators."""
    return _task("conll14", corpus, prompt, raw)


@task  # type: ignore[untyped-decorator]
def conll14_fluency(corpus: str | None = None, prompt: str | None = None, raw: bool = True) -> Task:
    """CoNLL-14 with the fluency rewrites of two experts."""
    return _task("conll14_fluency", corpus, prompt, raw)


def _task(benchmark: str, corpus: str | None, prompt: str | None, raw: bool) -> Task:
    chosen = BENCHMARKS[benchmark].with_options(corpus, prompt, raw)
    return Task(
        dataset=MemoryDataset(_samples(chosen), name=chosen.corpus_name),
        solver=generate(),
        scorer=corrections(list(chosen.metrics)),
        config=GenerateConfig(temperature=0.0),
        version=1,
        metadata={"prompt": chosen.prompt, "raw": raw},
    )


def _samples(benchmark: Benchmark) -> list[Sample]:
    corpus = benchmark.corpus
    rows = zip(corpus.ids or (), benchmark.requests(), corpus.references or (), benchmark.sentences(), strict=True)
    return [
        Sample(
            id=name,
            input=request,
            target=list(texts),
            metadata={"corpus": benchmark.corpus_name, "sentence": i, "shown": shown},
        )
        for i, (name, request, texts, shown) in enumerate(rows)
    ]


@metric(scores="unreduced")  # type: ignore[untyped-decorator]
def corpus_scores() -> Metric:
    """Score all answers as one corpus.

    With several epochs, return the mean over the epochs.
    """

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        if not scores:
            return {}
        corpus, metrics = load_once(_place(scores[0])[0]), list(scores[0].score.value)
        found = [corpus_figures(corpus, readings, metrics) for readings in _epochs(scores)]
        return {name: sum(each[name] for each in found) / len(found) for name in found[0]}

    return compute


@scorer(metrics=[corpus_scores()])  # type: ignore[untyped-decorator]
def corrections(metrics: list[str]) -> Scorer:
    """Score each answer alone, and show its edits and alignment.

    `corpus_scores` computes the scores of the corpus.
    """

    async def score(state: TaskState, _target: Target) -> Score:
        place, output = state.metadata, state.output
        stopped = {"refused": output.stop_reason == "content_filter", "cut": output.stop_reason == "max_tokens"}
        reading = read_reply(output.completion, place["shown"], **stopped)
        values, views = explain(load_once(place["corpus"]), place["sentence"], reading.text, metrics)
        return Score(
            value=values,
            answer=reading.text,
            metadata=asdict(reading),
            explanation="\n\n".join(f"```text\n{view}\n```" for view in views),
        )

    return score


def _epochs(scores: Sequence[SampleScore]) -> list[dict[int, Reading]]:
    """Return the answers by sentence, one dictionary per epoch."""
    readings: defaultdict[int, list[Reading]] = defaultdict(list)
    for each in scores:
        readings[_place(each)[1]].append(Reading(**each.score.metadata))
    times = max(map(len, readings.values()))
    return [{i: found[k] for i, found in readings.items() if k < len(found)} for k in range(times)]


def _place(score: SampleScore) -> tuple[str, int]:
    metadata: Mapping[str, Any] = score.sample_metadata or {}
    return str(metadata["corpus"]), int(metadata["sentence"])

"""Tasks for lighteval's `--custom-tasks`.

A task has documents, and one corpus-level metric that returns all scores.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gecbench.corpora.load import parse_corpus_name
from gecbench.errors import MissingDependencyError
from gecbench.harness.benchmark import BENCHMARKS, Benchmark, corpus_figures
from gecbench.huggingface.register import register_datasets
from gecbench.models.replies import Reading, read_reply

try:
    from lighteval.metrics.metrics_corpus import CorpusLevelComputation
    from lighteval.metrics.metrics_sample import SampleLevelComputation
    from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
    from lighteval.tasks.lighteval_task import LightevalTaskConfig
    from lighteval.tasks.requests import Doc, SamplingMethod
except ImportError as error:
    install = "pip install lighteval 'huggingface_hub<2' 'xxhash<4'"
    raise MissingDependencyError(f"lighteval's tasks need {error.name}. Install it: {install}") from error

_TEMPORARY = TemporaryDirectory(prefix="gecbench-")
_FOLDER = Path(_TEMPORARY.name)
Item = dict[str, Any]
"""The `sentence`, `answer` and `outcome` of one reply. A dictionary, because lighteval saves items as a table."""


class ReplyItem(SampleLevelComputation):  # type: ignore[misc]
    """Turns a reply into an item, from which `CorpusScores` computes the scores."""

    def compute(self, doc: Doc, model_response: Any, **_: Any) -> Item:
        """Return the number of the sentence, the answer in the reply, and its outcome."""
        reading = read_reply(model_response.final_text[0], doc.specific["shown"])
        return {"sentence": doc.specific["sentence"], "answer": reading.text, "outcome": reading.outcome}


class CorpusScores(CorpusLevelComputation):  # type: ignore[misc]
    """Computes the scores of a benchmark from the items of all documents."""

    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark

    def compute_corpus(self, items: Sequence[Item]) -> dict[str, float]:
        """Return all scores.

        lighteval does not resample a metric that returns several scores.
        """
        readings = {item["sentence"]: Reading(item["answer"], item["outcome"]) for item in items}
        return corpus_figures(self.benchmark.corpus, readings, self.benchmark.metrics)


def _document(benchmark: Benchmark) -> Any:
    shown, requests = cache(benchmark.sentences), cache(benchmark.requests)

    def document(row: Mapping[str, Any], task_name: str) -> Doc:
        sentence = row["__index"]
        texts = (benchmark.corpus.references or ())[sentence]
        return Doc(
            task_name=task_name,
            query=requests()[sentence],
            choices=list(texts),
            gold_index=list(range(len(texts))),
            specific={"sentence": sentence, "shown": shown()[sentence]},
        )

    return document


def _rows_of_demo() -> str:
    """Return a temporary folder with the rows of the demo corpus.

    This folder is needed because `load_dataset` cannot load the demo corpus by name.
    """
    corpus = BENCHMARKS["demo"].corpus
    _FOLDER.joinpath("test.jsonl").write_text("".join(json.dumps({"id": name}) + "\n" for name in corpus.ids or ()))
    return str(_FOLDER)


def _config(benchmark: Benchmark) -> LightevalTaskConfig:
    demo = benchmark.corpus_name == "demo"
    name, config, _ = (_rows_of_demo(), None, None) if demo else parse_corpus_name(benchmark.corpus_name)
    metric = CorpusLevelMetric(
        metric_name="gecbench",
        higher_is_better=True,
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=ReplyItem(),
        corpus_level_fn=CorpusScores(benchmark),
    )
    return LightevalTaskConfig(
        name=f"gecbench:{benchmark.name}",
        prompt_function=_document(benchmark),
        hf_repo=name,
        hf_subset=config or "default",
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        generation_size=256,
        metrics=[metric],
    )


def tasks() -> list[LightevalTaskConfig]:
    """Return the tasks. Their rows come from gecbench's corpora."""
    register_datasets()
    return [_config(each) for each in BENCHMARKS.values()]

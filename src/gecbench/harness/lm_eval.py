"""What the task files of `harness/lm_eval` name: documents, the item of each answer, and a function per figure.

lm-evaluation-harness hands an aggregation function the items of all documents, so these are scores of the corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from gecbench.harness.benchmark import BENCHMARKS, figure_names, figures, load_once, score_answers

Item = tuple[str, int, str]
"""The corpus's name, the number of the sentence, and what the model wrote."""


def documents(
    benchmark: str, corpus: str | None = None, prompt: str | None = None, raw: bool = True, **_: Any
) -> dict[str, Any]:
    """Return the documents of a task; `--metadata` may name another corpus or prompt, or send tokens (`raw`: false)."""
    import datasets

    declared = BENCHMARKS[benchmark]
    chosen = replace(declared, corpus_name=corpus or declared.corpus_name, prompt=prompt or declared.prompt, raw=raw)
    gold = chosen.corpus
    columns = {
        "benchmark": [benchmark] * len(gold),
        "corpus": [chosen.corpus_name] * len(gold),
        "sentence": range(len(gold)),
        "id": gold.ids,
        "source": gold.sources,
        "corrections": gold.references,
        "request": chosen.requests(),
    }
    return {"test": datasets.Dataset.from_dict({name: list(values or ()) for name, values in columns.items()})}


def items(document: Mapping[str, Any], results: Sequence[str]) -> dict[str, Item]:
    """Return what the aggregation functions need of a document, once for each figure."""
    item = (document["corpus"], document["sentence"], results[0])
    return dict.fromkeys([*figure_names(BENCHMARKS[document["benchmark"]]), "empty_answers"], item)


def empty_answers(answered: Sequence[Item]) -> int:
    """Return how many answers are empty."""
    return sum(not text.strip() for _, _, text in answered)


def _aggregation(metric: str, part: str | None = None) -> Callable[[Sequence[Item]], float]:
    figure = metric if part is None else f"{metric}_{part}"

    def aggregate(answered: Sequence[Item]) -> float:
        return _figures(metric, tuple(answered))[figure]

    return aggregate


gleu = _aggregation("gleu")
m2 = _aggregation("m2")
m2_precision = _aggregation("m2", "precision")
m2_recall = _aggregation("m2", "recall")
imeasure = _aggregation("imeasure")


@lru_cache(maxsize=4)
def _figures(metric: str, answered: tuple[Item, ...]) -> dict[str, float]:
    answers = {sentence: text for _, sentence, text in answered}
    return figures(score_answers(load_once(answered[0][0]), answers, [metric])[metric])

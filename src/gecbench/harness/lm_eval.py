"""The functions used by the task files in `harness/lm_eval`.

They return documents and items, and there is one aggregation function per score. lm-evaluation-harness calls each
aggregation function with the items of all documents, so a function can score the corpus as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from gecbench.harness.benchmark import BENCHMARKS, corpus_figures, figure_names, load_once
from gecbench.models.replies import Reading, read_reply

Item = tuple[str, str, int, Reading]
"""The benchmark, the corpus, the number of the sentence, and the answer in the model's reply."""


def documents(
    benchmark: str, corpus: str | None = None, prompt: str | None = None, raw: bool = True, **_: Any
) -> dict[str, Any]:
    """Return the documents of a task.

    `--metadata` can set another corpus or prompt, or send tokenized sentences (`raw`: false).
    """
    import datasets

    chosen = BENCHMARKS[benchmark].with_options(corpus, prompt, raw)
    gold = chosen.corpus
    columns = {
        "benchmark": [benchmark] * len(gold),
        "corpus": [chosen.corpus_name] * len(gold),
        "sentence": range(len(gold)),
        "id": gold.ids,
        "source": gold.sources,
        "shown": chosen.sentences(),
        "corrections": gold.references,
        "request": chosen.requests(),
    }
    return {"test": datasets.Dataset.from_dict({name: list(values or ()) for name, values in columns.items()})}


def items(document: Mapping[str, Any], results: Sequence[str]) -> dict[str, Item]:
    """Return the item of a document under the name of each aggregation function."""
    reading = read_reply(results[0], document["shown"])
    item = (document["benchmark"], document["corpus"], document["sentence"], reading)
    return dict.fromkeys(figure_names(BENCHMARKS[document["benchmark"]].metrics), item)


def _aggregation(figure: str) -> Callable[[Sequence[Item]], float]:
    def aggregate(answered: Sequence[Item]) -> float:
        return _figures(tuple(answered))[figure]

    return aggregate


gleu = _aggregation("gleu")
m2 = _aggregation("m2")
m2_precision = _aggregation("m2_precision")
m2_recall = _aggregation("m2_recall")
errant = _aggregation("errant")
errant_precision = _aggregation("errant_precision")
errant_recall = _aggregation("errant_recall")
imeasure = _aggregation("imeasure")
unanswered = _aggregation("unanswered")


@lru_cache(maxsize=1)
def _figures(answered: tuple[Item, ...]) -> dict[str, float]:
    """Return all scores. They are computed once and cached."""
    benchmark, corpus, _, _ = answered[0]
    readings = {sentence: reading for _, _, sentence, reading in answered}
    return corpus_figures(load_once(corpus), readings, BENCHMARKS[benchmark].metrics)

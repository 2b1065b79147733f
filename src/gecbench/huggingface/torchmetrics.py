"""Our metrics as `torchmetrics.Metric`: synchronized between processes, reset by epoch, logged by Lightning.

>>> from gecbench import torchmetrics                                # doctest: +SKIP
>>> gleu = torchmetrics.GLEU("jfleg:validation")                     # doctest: +SKIP
>>> gleu.update(texts, ids=batch["id"])                              # doctest: +SKIP
>>> gleu.compute()                                                   # doctest: +SKIP
tensor(0.4525, dtype=torch.float64)
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from gecbench.corpora.load import CorpusLike, resolve_corpus
from gecbench.corpus.corpus import Corpus, check_texts
from gecbench.errors import InputError, MissingDependencyError, counted
from gecbench.huggingface.accumulator import Accumulator, OrderWarning, count_processes, in_order, list_ids
from gecbench.metrics.base import METRICS

try:
    import torch
    from torchmetrics import Metric as TorchMetric
    from torchmetrics.utilities import dim_zero_cat
except ImportError:
    TorchMetric = object


class CorpusMetric(TorchMetric):  # type: ignore[misc]
    """A corpus score over all updates and processes; the base of `GLEU`, `M2` and the others.

    Scores depend on the order of the sentences: `ids` restore it, and a sentence that comes twice counts once. With a
    corpus, ids are its own, or places counted from 0. Without one, each update brings sources and references, and the
    rows are put into the order of their ids.

    Args:
        corpus: A `Corpus`, a name such as "jfleg:validation", a file or rows; None if updates bring the texts.
        tokenize: "auto" brings raw outputs to the tokens of the corpus; "none" takes them as they are.
        options: Parameters of the metric, such as `order=2`, and options of `torchmetrics.Metric`.
    """

    name: ClassVar[str]
    is_differentiable: ClassVar[bool] = False
    higher_is_better: ClassVar[bool] = True
    full_state_update: ClassVar[bool] = False

    def __init__(self, corpus: CorpusLike | None = None, *, tokenize: str = "auto", **options: Any) -> None:
        if TorchMetric is object:
            raise MissingDependencyError("this needs torchmetrics: pip install torchmetrics")
        known = METRICS[self.name].parameters()
        super().__init__(**{name: value for name, value in options.items() if name not in known})
        self.metric = METRICS[self.name](**{name: value for name, value in options.items() if name in known})
        self.corpus = None if corpus is None else resolve_corpus(corpus, [self.metric])
        self.tokenize = tokenize
        self.add_state("rows", default=[], dist_reduce_fx="cat")  # JSON Lines as bytes: texts are no tensors

    def update(
        self,
        predictions: Iterable[str],
        ids: Iterable[str | int] | None = None,
        *,
        sources: Iterable[str] | None = None,
        references: Iterable[Sequence[str]] | None = None,
    ) -> None:
        """Add the outputs of some sentences."""
        texts = check_texts(predictions, "predictions")
        if self.corpus is not None and (ids is None or sources is not None or references is not None):
            raise InputError("a metric with a corpus takes predictions and ids", fix="Call update(texts, ids=…)")
        if self.corpus is None and (sources is None or references is None):
            fix = "Call update(texts, sources=…, references=…), or name a corpus: GLEU('jfleg:test')"
            raise InputError("no sources and references", fix=fix)
        columns = [None if each is None else list_ids(each) for each in (ids, sources, references)]
        for name, column in zip(("id", "source", "list of references"), columns, strict=True):
            if column is not None and len(column) != len(texts):
                raise InputError(f"{counted(len(column), name)} for {counted(len(texts), 'prediction')}")
        rows = zip(texts, *(column or [None] * len(texts) for column in columns), strict=True)
        lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
        self.rows.append(torch.frombuffer(bytearray(lines), dtype=torch.uint8).to(self.device))

    def compute(self) -> Any:
        """Return the score of all sentences so far, as a tensor."""
        data = bytes(dim_zero_cat(self.rows).cpu().numpy()) if len(self.rows) else b""
        rows = [json.loads(line) for line in data.splitlines()]
        if not rows:
            raise InputError("no sentences to score", fix="Call update first")
        texts, ids, sources, references = map(list, zip(*rows, strict=True))
        corpus = self.corpus
        if corpus is None:
            if None not in ids:
                sources, texts, references = in_order(ids, sources, texts, references)
            elif count_processes() > 1:
                problem = "sentences are scored in the order of the processes"
                warnings.warn(f"{problem}; pass ids to restore the order of the corpus", OrderWarning, stacklevel=2)
            corpus, ids = Corpus(sources, references), list(range(len(texts)))
        total = Accumulator(corpus, [self.metric], tokenize=self.tokenize)
        total.update(ids, texts)
        return torch.tensor(total.compute(partial=True)[self.metric.name].value, dtype=torch.float64)


class GLEU(CorpusMetric):
    """GLEU over all updates and processes."""

    name = "gleu"


class M2(CorpusMetric):
    """M2 over all updates and processes."""

    name = "m2"


class ERRANT(CorpusMetric):
    """ERRANT over all updates and processes."""

    name = "errant"


class IMeasure(CorpusMetric):
    """The I-measure over all updates and processes."""

    name = "imeasure"


class GREEN(CorpusMetric):
    """GREEN over all updates and processes."""

    name = "green"

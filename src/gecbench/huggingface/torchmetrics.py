"""gecbench's metrics as `torchmetrics.Metric`.

Lightning synchronizes these metrics between processes, resets them and logs them.

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
    """A corpus score over all updates and processes.

    This is the base class of `GLEU`, `M2`, `ERRANT`, `IMeasure` and `GREEN`. Scores depend on the order of the
    sentences. The `ids` restore this order, and a repeated sentence counts once. With a corpus, ids are the ids of the
    corpus, or positions in it from 0. Without a corpus, each update needs sources and references, and rows are sorted
    by id.

    Args:
        corpus: A `Corpus`, a name such as "jfleg:validation", a file or rows. None if updates contain the texts.
        tokenize: "auto" tokenizes raw outputs like the corpus, "none" leaves them unchanged, and any other value is the
            name of a tokenizer.
        **options: Parameters of the metric, such as `order=2`, and options of `torchmetrics.Metric`.

    Raises:
        gecbench.errors.MissingDependencyError: torchmetrics, or a package that the metric needs, is not installed.
        InputError: The corpus, a parameter or the tokenizer is unknown.
    """

    name: ClassVar[str]
    is_differentiable: ClassVar[bool] = False
    higher_is_better: ClassVar[bool] = True
    full_state_update: ClassVar[bool] = False

    def __init__(self, corpus: CorpusLike | None = None, *, tokenize: str = "auto", **options: Any) -> None:
        if TorchMetric is object:
            raise MissingDependencyError(
                f"{type(self).__name__} needs torchmetrics. Install it: pip install torchmetrics"
            )
        known = METRICS[self.name].parameters()
        super().__init__(**{name: value for name, value in options.items() if name not in known})
        self.metric = METRICS[self.name](**{name: value for name, value in options.items() if name in known})
        self.corpus = None if corpus is None else resolve_corpus(corpus, [self.metric])
        self.tokenize = tokenize
        self.add_state("rows", default=[], dist_reduce_fx="cat")  # JSON Lines as bytes, because states must be tensors

    def update(
        self,
        predictions: Iterable[str],
        ids: Iterable[str | int] | None = None,
        *,
        sources: Iterable[str] | None = None,
        references: Iterable[Sequence[str]] | None = None,
    ) -> None:
        """Add the outputs of some sentences.

        Args:
            predictions: The outputs.
            ids: The id of each sentence. Required with a corpus.
            sources: The source of each sentence. Required without a corpus.
            references: The list of references of each sentence. Required without a corpus.
        """
        texts = check_texts(predictions, "predictions")
        if self.corpus is not None and (ids is None or sources is not None or references is not None):
            raise InputError(
                "a metric with a corpus takes only predictions and ids",
                fix="Call update(texts, ids=…)",
            )
        if self.corpus is None and (sources is None or references is None):
            fix = "Call update(texts, sources=…, references=…), or name a corpus: GLEU('jfleg:test')"
            raise InputError("a metric without a corpus needs sources and references", fix=fix)
        columns = [None if each is None else list_ids(each) for each in (ids, sources, references)]
        nouns = (("id", "ids"), ("source", "sources"), ("list of references", "lists of references"))
        for noun, column in zip(nouns, columns, strict=True):
            if column is not None and len(column) != len(texts):
                problem = f"{counted(len(column), *noun)} for {counted(len(texts), 'prediction')}"
                raise InputError(problem, fix=f"Pass one {noun[0]} for each prediction")
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
                problem = "the sentences of several processes may be out of order"
                warnings.warn(f"{problem}. Pass ids to restore the order of the corpus", OrderWarning, stacklevel=2)
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

"""Scores during training: `compute_metrics` for `transformers.Seq2SeqTrainer`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from gecbench.corpora.load import CorpusLike, resolve_corpus
from gecbench.corpus.prepare import ForeignTextWarning, Prepared, Preprocessing, check_corpus, foreign_lines
from gecbench.errors import InputError, counted
from gecbench.huggingface.accumulator import count_processes
from gecbench.metrics.base import Metric, Metrics, metric_columns

_IGNORED = -100
_ODD_SHARE = 0.1  # warn if at least this share of the outputs is empty or unrelated


class RefusedMetricWarning(UserWarning):
    """A metric cannot score the outputs of a model in training, so its value is NaN."""


class ComputeMetrics(Protocol):
    """The function that `compute_metrics` returns.

    A trainer calls it with all predictions, or with each batch.
    """

    def __call__(self, evaluated: Any, compute_result: bool = True) -> dict[str, float]:
        """Return scores by name, or an empty dictionary if `compute_result` is false."""


def compute_metrics(
    tokenizer: Any, corpus: CorpusLike, metrics: Metrics = ("gleu",), *, tokenize: str = "auto"
) -> ComputeMetrics:
    """Return a function that scores a trainer's predictions on a corpus.

    The function decodes the predictions before it scores them. The trainer needs `predict_with_generate=True`, and its
    `eval_dataset` must be the corpus, in the same order. The function returns only numbers, because every logger
    accepts them: each metric by its name, its parts as `name_part`, and two numbers that reveal a broken model. `empty`
    is the share of empty outputs. `unrelated` is the share of outputs that share hardly any words with their source.
    Bad outputs never stop the training: if a metric cannot score them, its value is NaN, with a warning.
    `batch_eval_metrics=True` also works.

    Select models by GLEU (`metric_for_best_model="gleu"`). Edit-based metrics can prefer empty outputs to copies of the
    source, because deleting everything also deletes the errors.

    Args:
        tokenizer: The model's tokenizer.
        corpus: The evaluation set: a `Corpus`, a name such as "jfleg:validation", a file or rows.
        metrics: Names of metrics, with parameters in parentheses if any, or metric objects.
        tokenize: "auto" tokenizes the decoded text like the corpus, "none" leaves it unchanged, and any other value is
            the name of a tokenizer.

    Returns:
        The function for the trainer.

    Raises:
        InputError: The corpus or a metric is unknown. The returned function raises this error if the predictions are
            not token ids, if their number differs from the number of sentences, or if they look shifted.
        gecbench.errors.MissingDependencyError: The returned function raises this error if a metric or the tokenizer
            needs a package that is not installed.
        gecbench.errors.UpstreamError: A named corpus cannot be downloaded.

    >>> scorer = compute_metrics(tokenizer, "jfleg:validation", ["gleu"])  # doctest: +SKIP
    >>> trainer = Seq2SeqTrainer(model, args, compute_metrics=scorer)  # doctest: +SKIP
    """
    columns = metric_columns(metrics)
    gold = resolve_corpus(corpus, list(columns.values()))
    check_corpus(gold)
    preprocessing = Preprocessing(tokenize, tokenized=True)
    collected: list[str] = []

    def scores_of(evaluated: Any, compute_result: bool = True) -> dict[str, float]:
        collected.extend(_decode(tokenizer, evaluated))
        if not compute_result:
            return {}
        predictions = collected.copy()
        collected.clear()
        if count_processes() > 1:  # Seq2SeqTrainer fills the last batch with repeated first sentences
            del predictions[len(gold) :]
        if len(predictions) != len(gold):
            raise InputError(
                f"{counted(len(predictions), 'prediction')}, but {gold.name} has {counted(len(gold), 'sentence')}",
                fix="Pass all sentences of the corpus as eval_dataset, in the same order",
            )
        return training_numbers(lambda: preprocessing.prepare(gold, predictions), columns)

    return scores_of


def training_numbers(prepare: Callable[[], Prepared], metrics: Mapping[str, Metric]) -> dict[str, float]:
    """Return values and parts of metrics, and shares of empty and unrelated outputs.

    A value is NaN after an error.
    """
    found: dict[str, float] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ForeignTextWarning)  # reported below, as shares
        prepared = prepare()
    for name, metric in metrics.items():
        try:
            score = metric.score_prepared(prepared)
        except InputError as error:
            warnings.warn(f"{name} is NaN: {error}", RefusedMetricWarning, stacklevel=2)
            found[name] = math.nan
            continue
        found[name] = float(score.value)
        found |= {f"{name}_{part}": float(value) for part, value in score.parts.items()}
    empty = sum(not line.strip() for line in prepared.lines) / len(prepared.lines)
    unrelated = float(foreign_lines(prepared.corpus.sources, prepared.lines).mean())
    for share, what in ((empty, "are empty"), (unrelated, "share hardly any words with their source")):
        if share >= _ODD_SHARE:
            warnings.warn(f"{share:.0%} of the outputs {what}", ForeignTextWarning, stacklevel=2)
    return found | {"empty": empty, "unrelated": unrelated}


def _decode(tokenizer: Any, evaluated: Any) -> list[str]:
    """Decode generated token ids to texts.

    Padding may be -100 or the tokenizer's padding token.
    """
    given = getattr(evaluated, "predictions", evaluated)
    given = given[0] if isinstance(given, tuple) else given
    tokens = np.asarray(given.cpu() if hasattr(given, "cpu") else given)
    if tokens.ndim != 2:
        raise InputError(
            f"predictions have {counted(tokens.ndim, 'dimension')}, but token ids need 2: sentences and tokens",
            fix="Train with Seq2SeqTrainingArguments(predict_with_generate=True)",
        )
    tokens = np.where(tokens == _IGNORED, tokenizer.pad_token_id, tokens)
    decoded = tokenizer.batch_decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
    return [" ".join(text.split()) for text in decoded]

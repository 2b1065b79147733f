"""Scores while a model trains: the function that `transformers.Seq2SeqTrainer(compute_metrics=…)` calls."""

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
_ODD_SHARE = 0.1  # of empty or unrelated outputs, from which on there is a warning


class RefusedMetricWarning(UserWarning):
    """A metric refused the outputs of a model in training; its value is NaN."""


class ComputeMetrics(Protocol):
    """What `compute_metrics` returns: a function that a trainer calls with all predictions, or with each batch."""

    def __call__(self, evaluated: Any, compute_result: bool = True) -> dict[str, float]:
        """Return the numbers, or nothing yet if `compute_result` is false."""


def compute_metrics(
    tokenizer: Any, corpus: CorpusLike, metrics: Metrics = ("gleu",), *, tokenize: str = "auto"
) -> ComputeMetrics:
    """Return the function that decodes a trainer's predictions and scores them on a corpus.

    The trainer needs `predict_with_generate=True`, and its `eval_dataset` is the corpus, in its order. The function
    returns numbers only, so that every logger takes them: each metric by its name, its parts as `name_part`, and two
    numbers that show a broken model. `empty` is the share of empty outputs. `unrelated` is the share of outputs that
    share hardly a word with their source. Bad outputs never stop the training: a metric that cannot score them is
    NaN, with a warning. `batch_eval_metrics=True` also works.

    Select models by GLEU (`metric_for_best_model="gleu"`): an edit-based metric can prefer empty outputs to copies of
    the source, because deleting everything also deletes errors.

    Args:
        tokenizer: The model's tokenizer.
        corpus: The evaluation set: a `Corpus`, a name such as "jfleg:validation", a file or rows.
        metrics: Names of metrics, with parameters in parentheses if any, or metric objects.
        tokenize: How the decoded text is split: "auto" as the corpus is, "none", or a tokenizer's name.

    Returns:
        The function for the trainer.

    Raises:
        InputError: The corpus or a metric is unknown. The function itself raises it if the predictions are not token
            ids, or do not belong to the corpus sentence by sentence.
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
        if count_processes() > 1:  # Seq2SeqTrainer fills up the last batch with the first sentences, and keeps them
            del predictions[len(gold) :]
        if len(predictions) != len(gold):
            raise InputError(
                f"{counted(len(predictions), 'prediction')}, but {gold.name} has {counted(len(gold), 'sentence')}",
                fix="Let eval_dataset be the corpus, whole and in its order",
            )
        return training_numbers(lambda: preprocessing.prepare(gold, predictions), columns)

    return scores_of


def training_numbers(prepare: Callable[[], Prepared], metrics: Mapping[str, Metric]) -> dict[str, float]:
    """Return the values and parts of metrics, NaN where a metric refuses, and the shares of odd outputs."""
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
    for share, what in ((empty, "are empty"), (unrelated, "share hardly a word with their source")):
        if share >= _ODD_SHARE:
            warnings.warn(f"{share:.0%} of the outputs {what}", ForeignTextWarning, stacklevel=2)
    return found | {"empty": empty, "unrelated": unrelated}


def _decode(tokenizer: Any, evaluated: Any) -> list[str]:
    """Return the texts of generated token ids, whose padding may be -100 or the tokenizer's own."""
    given = getattr(evaluated, "predictions", evaluated)
    given = given[0] if isinstance(given, tuple) else given
    tokens = np.asarray(given.cpu() if hasattr(given, "cpu") else given)
    if tokens.ndim != 2:
        raise InputError(
            f"predictions of {counted(tokens.ndim, 'dimension')}, not the token ids of one sentence per row",
            fix="Train with Seq2SeqTrainingArguments(predict_with_generate=True)",
        )
    tokens = np.where(tokens == _IGNORED, tokenizer.pad_token_id, tokens)
    decoded = tokenizer.batch_decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
    return [" ".join(text.split()) for text in decoded]

"""Scores while a model trains: the function that `transformers.Seq2SeqTrainer(compute_metrics=…)` calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gecbench.api import score
from gecbench.corpora.load import resolve_corpus
from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError, counted
from gecbench.metrics.base import Metric, metric_columns

_IGNORED = -100


def compute_metrics(
    tokenizer: Any,
    corpus: Corpus | str,
    metrics: str | Metric | Sequence[str | Metric] = ("gleu",),
    *,
    tokenize: str = "auto",
) -> Callable[[Any], dict[str, float]]:
    """Return the function that decodes a trainer's predictions and scores them on a corpus.

    The corpus is the evaluation set, in its order; `tokenizer` is the model's; `tokenize` splits the decoded text like
    the corpus. The function returns numbers only: each metric by its name, its parts as `name_part`, so that
    `metric_for_best_model="gleu"` and every logger work. Text that a model writes in its first steps never stops the
    training. The trainer needs `predict_with_generate=True`.
    """
    gold = resolve_corpus(corpus, list(metric_columns(metrics).values()))

    def scores_of(evaluated: Any) -> dict[str, float]:
        predictions = _decode(tokenizer, evaluated)
        if len(predictions) != len(gold):
            raise InputError(
                f"{counted(len(predictions), 'prediction')}, but {gold.name} has {counted(len(gold), 'sentence')}",
                fix="Let eval_dataset be the corpus, whole and in its order",
            )
        found: dict[str, float] = {}
        for name, each in score(predictions, gold, metrics, tokenize=tokenize, tokenized=True).items():
            found[name] = float(each.value)
            found |= {f"{name}_{part}": float(value) for part, value in each.parts.items()}
        return found

    return scores_of


def _decode(tokenizer: Any, evaluated: Any) -> list[str]:
    """Return the texts of generated token ids, whose padding may be -100 or the tokenizer's own."""
    given = getattr(evaluated, "predictions", evaluated)
    tokens = np.asarray(given[0] if isinstance(given, tuple) else given)
    if tokens.ndim != 2:
        raise InputError(
            f"predictions of {counted(tokens.ndim, 'dimension')}, not the token ids of one sentence per row",
            fix="Train with Seq2SeqTrainingArguments(predict_with_generate=True)",
        )
    tokens = np.where(tokens == _IGNORED, tokenizer.pad_token_id, tokens)
    decoded = tokenizer.batch_decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
    return [" ".join(text.split()) for text in decoded]

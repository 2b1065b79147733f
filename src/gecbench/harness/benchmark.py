"""Benchmarks shared by all harnesses: corpus, requests and scores of answers."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import nan

from gecbench.corpora.load import resolve_corpus
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.prepare import Prepared, Preprocessing, check_alignment, check_wrappers, share_guide
from gecbench.corpus.tokenize import detokenize
from gecbench.errors import InputError
from gecbench.metrics.base import METRICS, Score, make_metric
from gecbench.models.prompts import find_prompt
from gecbench.models.replies import UNANSWERED, Reading

_WIDTH = 100
_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Benchmark:
    """A corpus, its metrics, and a prompt that suits these metrics.

    The prompt asks for the kind of corrections that the metrics measure. With `raw`, the model receives raw text
    instead of tokens. The answers may be raw or tokenized. They are tokenized like the corpus.
    """

    name: str
    description: str
    corpus_name: str
    declared_metrics: tuple[str, ...]
    prompt: str
    raw: bool = True

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics whose packages are installed."""
        return tuple(name for name in self.declared_metrics if METRICS[name].missing() is None)

    @cached_property
    def corpus(self) -> Corpus:
        """The corpus, loaded on first use."""
        return load_once(self.corpus_name)

    def with_options(self, corpus: str | None, prompt: str | None, raw: bool) -> Benchmark:
        """Return the benchmark with the options of a harness.

        None keeps the corpus or the prompt.
        """
        return replace(self, corpus_name=corpus or self.corpus_name, prompt=prompt or self.prompt, raw=raw)

    def sentences(self) -> list[str]:
        """Return the sentences to send to the model."""
        return detokenize(self.corpus.sources) if self.raw else list(self.corpus.sources)

    def requests(self) -> list[str]:
        """Return the request to the model for each sentence."""
        prompt = find_prompt(self.prompt)
        return [prompt.fill(sentence) for sentence in self.sentences()]


_REWRITTEN = ("gleu", "m2", "imeasure")
_ANNOTATED = ("m2", "errant", "imeasure", "gleu")
BENCHMARKS: Mapping[str, Benchmark] = {
    each.name: each
    for each in (
        Benchmark("demo", "42 sentences that come with gecbench", "demo", _ANNOTATED, "fluency"),
        Benchmark(
            "jfleg", "JFLEG's test set, with four rewrites of each sentence", "jfleg:test", _REWRITTEN, "fluency"
        ),
        Benchmark(
            "conll14", "CoNLL-14, with the edits of the two official annotators", "conll14:nucle", _ANNOTATED, "minimal"
        ),
        Benchmark(
            "conll14_fluency",
            "CoNLL-14, with two fluency rewrites of each sentence by experts",
            "conll14:expert_fluency",
            _REWRITTEN,
            "fluency",
        ),
    )
}


@cache
def load_once(name: str) -> Corpus:
    """Load a corpus once, and return the same object each time.

    Results that are cached for this object can then be reused.
    """
    return resolve_corpus(name)


def subset(corpus: Corpus, sentences: Sequence[int]) -> Corpus:
    """Return a corpus of only these sentences, tokenized like the whole corpus.

    For all sentences, return `corpus` itself.
    """
    if list(sentences) == list(range(len(corpus))):
        return corpus
    return share_guide(corpus, corpus.select(sentences))


def prepare(corpus: Corpus, answers: Mapping[int, str]) -> Prepared:
    """Tokenize and check answers.

    `answers` maps the position of each sentence, from 0, to one line of text.

    Harnesses pair answers with their sentences, so lines cannot be shifted. Two problems are errors on the command
    line: labels around nearly all answers, and answers that share hardly any words with their sentences. Here these
    problems are only logged as warnings, so that no result of the model is lost.
    """
    sentences = sorted(answers)
    part = subset(corpus, sentences)
    lines = [answers[i] for i in sentences]
    prepared = Preprocessing("auto", tokenized=True, aligned=True).prepare(part, lines, "answers")
    for check, checked in ((check_wrappers, lines), (check_alignment, prepared.lines)):
        try:
            check(part.sources, checked, "answers")
        except InputError as problem:
            _logger.warning("%s", problem.problem)
    return prepared


def score_answers(corpus: Corpus, answers: Mapping[int, str], metrics: Sequence[str]) -> dict[str, Score]:
    """Return the scores by metric.

    If only some sentences have answers, only these sentences are scored. A metric that raises an error is left out with
    a warning. This can happen if answers are too different from their sentences to be scored exactly.
    """
    prepared = prepare(corpus, answers)
    scores = {}
    for metric in metrics:
        with _refusal_logged(metric):
            scores[metric] = make_metric(metric).score_prepared(prepared)
            _logger.info("%s", scores[metric])
    return scores


@contextmanager
def _refusal_logged(metric: str) -> Iterator[None]:
    """Log an input error of a metric as a warning, and continue."""
    try:
        yield
    except InputError as problem:
        _logger.warning("%s is NaN: %s", metric, problem.problem)


def explain(corpus: Corpus, sentence: int, answer: str, metrics: Sequence[str]) -> tuple[dict[str, float], list[str]]:
    """Return the scores of one answer, and explanations of these scores.

    A score is NaN after an error. Not all metrics explain their scores.
    """
    prepared = prepare(corpus, {sentence: answer})
    values, views = dict.fromkeys(metrics, nan), []
    for name in metrics:
        metric = make_metric(name)
        with _refusal_logged(name):
            values[name] = float(metric.sentence_values(metric.count(prepared.corpus, prepared.lines))[0])
            if metric.explains:
                view = metric.explain(prepared.corpus, prepared.lines, [0])[0].to_text(width=_WIDTH)
                views.append(f"{metric.title}: {view.removeprefix('Sentence 1').lstrip(':, ')}")
    return values, views


def figure_names(metrics: Sequence[str]) -> list[str]:
    """Return the keys of `corpus_figures`.

    These are each metric, the parts of the metric that tables show, and `unanswered`.

    >>> figure_names(BENCHMARKS["jfleg"].metrics)
    ['gleu', 'm2', 'm2_precision', 'm2_recall', 'imeasure', 'unanswered']
    """
    parts = ((metric, part) for metric in metrics for part in (None, *METRICS[metric].columns))
    return [*(_name(metric, part) for metric, part in parts), "unanswered"]


def corpus_figures(corpus: Corpus, readings: Mapping[int, Reading], metrics: Sequence[str]) -> dict[str, float]:
    """Return the scores of the corpus, and the number of replies without an answer.

    A score is NaN after an error.
    """
    found = dict.fromkeys(figure_names(metrics), nan)
    answers = {sentence: reading.text for sentence, reading in readings.items()}
    for metric, score in score_answers(corpus, answers, metrics).items():
        found[metric] = score.value
        found |= {_name(metric, part): float(score.parts[part]) for part in score.metric.columns}
    return {**found, "unanswered": sum(reading.outcome in UNANSWERED for reading in readings.values())}


def _name(metric: str, part: str | None) -> str:
    return metric if part is None else f"{metric}_{part}"

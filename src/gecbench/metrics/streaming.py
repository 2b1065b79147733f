"""Streaming scores in constant memory: batches arrive in corpus order, only totals are kept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy.typing as npt

from gecbench.corpus.batch_checks import BatchChecker
from gecbench.corpus.corpus import Corpus, add_sums, fingerprint_of, sum_hashes
from gecbench.corpus.prepare import Preprocessing, check_predictions
from gecbench.errors import InputError
from gecbench.metrics.base import Metric, Score, Signature, Statistics

Batch = Mapping[str, Any] | tuple[Corpus, Sequence[str]]
_RANGE = re.compile(r"(rewrites:|)(\d+)(?:-(\d+))?")


def merge_signatures(signatures: Iterable[Signature]) -> Signature:
    """Return the signature of a corpus from those of its parts, which may differ in the number of references only.

    >>> parse = Signature.parse
    >>> str(merge_signatures([parse("bleu|refs:1-2|version:1"), parse("bleu|refs:4|version:1")]))
    'bleu|refs:1-4|version:1'
    """
    return reduce(_merge_two, dict.fromkeys(signatures))


def _merge_two(left: Signature, right: Signature) -> Signature:
    if left == right:
        return left
    if left.metric != right.metric or list(left) != list(right):
        raise InputError(f"parts made in different ways: {left} and {right}", fix="Count all parts alike")
    return Signature(left.metric, tuple((key, _merge_field(key, left, right)) for key in left))


def _merge_field(key: str, left: Signature, right: Signature) -> str:
    ours, theirs = left[key], right[key]
    ranges = [_RANGE.fullmatch(text) for text in (ours, theirs)] if key in ("refs", "gold") else [None]
    first, last = ranges[0], ranges[-1]
    if ours == theirs:
        return ours
    if first is None or last is None or first[1] != last[1]:
        problem = f"parts made in different ways: {key} is {ours!r} in one and {theirs!r} in another"
        raise InputError(problem, fix="Count all parts alike, with one version of gecbench")
    least = min(int(first[2]), int(last[2]))
    most = max(int(found[3] or found[2]) for found in (first, last))
    return f"{first[1]}{least}" + (f"-{most}" if most > least else "")


@dataclass
class Stream:
    """Takes a corpus batch by batch; `score` is that of all sentences at once, to the bit."""

    metric: Metric
    sentences: int = 0
    signature: Signature | None = None
    data: int = 0
    diagnostics: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.metric.check_parts()
        self._running = self.metric.reference_policy.running()

    def add(self, corpus: Corpus, predictions: Sequence[str]) -> None:
        """Count the next sentences."""
        places = range(self.sentences, self.sentences + len(corpus))
        hashes = corpus.sentence_hashes(self.metric.gold(corpus), places)
        self.take(self.metric.count(corpus, predictions), self.metric.signature(corpus, predictions), hashes)

    def take(self, statistics: Statistics, made: Signature, hashes: Sequence[bytes]) -> None:
        """Take the counts of the next sentences, how they were made, and the hashes of their data."""
        self._running.add(statistics)
        self.signature = made if self.signature is None else merge_signatures([self.signature, made])
        self.data = add_sums([self.data, sum_hashes(b"".join(hashes))])
        self.diagnostics.update(statistics.diagnostics)
        self.sentences += len(statistics)

    def score(self) -> Score:
        """Return the score of all sentences so far."""
        if self.signature is None:
            raise InputError("no sentences to score", fix="Give at least one")
        signature = self.signature.with_field("data", fingerprint_of(self.data))
        return self.metric.score_totals(self._running.totals, signature, self.sentences, dict(self.diagnostics))

    def state(self) -> tuple[dict[str, object], dict[str, npt.NDArray[Any]]]:
        """Return what an unfinished run resumes from: facts and arrays."""
        facts = {
            "sentences": self.sentences,
            "signature": str(self.signature),
            "data": self.data,
            "diagnostics": dict(self.diagnostics),
        }
        return facts, self._running.arrays()

    def restore(self, facts: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Resume from the state of an unfinished run."""
        self.sentences, self.data = int(facts["sentences"]), int(facts["data"])
        self.signature = Signature.parse(facts["signature"])
        self.diagnostics = Counter(facts["diagnostics"])
        self._running.restore(arrays)


def stream_score(metric: Metric, batches: Iterable[Batch], preprocessing: Preprocessing) -> Score:
    """Score batches that come in the order of their corpus."""
    stream, checker = Stream(metric), BatchChecker(preprocessing)
    for batch in batches:
        corpus, predictions = batch if isinstance(batch, tuple) else _corpus_of(batch)
        lines = check_predictions(predictions, len(corpus))
        given = predictions if isinstance(predictions, tuple) else lines
        checker.add(corpus, given)
        stream.add(corpus, given)
    score = stream.score()
    checker.close()
    return score


def _corpus_of(batch: Mapping[str, Any]) -> tuple[Corpus, Sequence[str]]:
    fields = dict(batch)
    try:
        return Corpus(sources=fields.pop("sources"), references=fields.pop("references")), fields.pop("predictions")
    except KeyError as error:
        fix = "Each batch has sources, predictions and references, or is a pair of a Corpus and predictions"
        raise InputError(f"a batch without {error.args[0]}", fix=fix) from error

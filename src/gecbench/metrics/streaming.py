"""Streaming scores in constant memory.

Batches arrive in corpus order, and only totals are kept. Small batches are joined, and each batch is checked like a
corpus. The results of all checks together decide whether the corpus is accepted.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy.typing as npt

from gecbench.corpus.corpus import Corpus, add_sums, fingerprint_of, sum_hashes
from gecbench.corpus.edits import EditedTexts
from gecbench.corpus.prepare import MIN_LINES, IdenticalTextError, Preprocessing, check_predictions
from gecbench.errors import InputError
from gecbench.metrics.base import Metric, Score, Signature, Statistics

_SHARE = 0.01
_ENOUGH_LINES = 200
_ENOUGH_PARTS = 3
_TOKENIZE_FIRST = "Tokenize the file first: gecbench tokenize FILE -s SOURCE"
_RAW_TEXT_FIX = f"{_TOKENIZE_FIRST}, or pass tokenized=True to score them as they are"


class OddPartsWarning(UserWarning):
    """Some batches of a corpus have problems, but not enough to reject the corpus."""


@dataclass(frozen=True)
class CheckResult:
    """The results of checking parts of a corpus.

    They are the number of checked parts, the number with errors or warnings, and the first message of each kind.

    `compared` is the number of parts that are long enough to be checked for identical texts. Shorter parts could be
    identical by chance. The corpus counts as identical if all compared parts are identical to another text.
    """

    parts: int = 0
    refused: int = 0
    warned: int = 0
    compared: int = 0
    identical: int = 0
    refusal: str = ""
    warning: str = ""
    identity: str = ""

    def __add__(self, other: CheckResult) -> CheckResult:
        return CheckResult(
            self.parts + other.parts,
            self.refused + other.refused,
            self.warned + other.warned,
            self.compared + other.compared,
            self.identical + other.identical,
            self.refusal or other.refusal,
            self.warning or other.warning,
            self.identity or other.identity,
        )

    def decide(self) -> None:
        """Raise an error or warn if too many parts have problems.

        Raise an error if at least 1% of the parts have errors, or if the corpus counts as identical. Otherwise, warn if
        fewer parts have errors, or if at least 1% of the parts have warnings.
        """
        if self.identical and self.identical == self.compared:
            raise InputError(self.identity)
        if self.refused and self.refused >= _SHARE * self.parts:
            raise InputError(f"{self._share(self.refused)}{self.refusal}")
        if self.refused:
            warnings.warn(f"{self._share(self.refused)}{self.refusal}", OddPartsWarning, stacklevel=2)
        elif self.warned and self.warned >= _SHARE * self.parts:
            warnings.warn(f"{self._share(self.warned)}{self.warning}", OddPartsWarning, stacklevel=2)

    def all_batches_failed(self) -> bool:
        """Return whether all batches so far, at least three, have errors."""
        return self.refused == self.parts >= _ENOUGH_PARTS

    def _share(self, found: int) -> str:
        have = "has" if found == 1 else "have"
        return f"{found} of {self.parts} batches {have} problems. The first problem: " if self.parts > 1 else ""


def check_batch(
    preprocessing: Preprocessing,
    corpus: Corpus,
    lines: Sequence[str],
    first: int = 0,
    name: str = "predictions",
    file: str | None = None,
) -> CheckResult:
    """Check a part of a corpus.

    `first` is the position of the part's first sentence in the corpus, counted from 0.
    """
    place = f"in the batch that begins with sentence {first + 1}: " if first else ""
    compared = int(len(lines) >= MIN_LINES)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            preprocessing.prepare(corpus, lines, name, file, raw_text_fix=_RAW_TEXT_FIX)
        except IdenticalTextError as error:
            return CheckResult(1, compared=compared, identical=compared, identity=str(error))
        except InputError as error:
            return CheckResult(1, refused=1, compared=compared, refusal=place + str(error))
    warning = place + " ".join(str(each.message).rstrip(".") + "." for each in caught) if caught else ""
    return CheckResult(1, warned=int(bool(caught)), compared=compared, warning=warning)


def check_preprocessing(preprocessing: Preprocessing) -> None:
    """Raise an error if text would be tokenized.

    Detecting raw text needs the whole corpus.
    """
    if preprocessing.tokenize != "none":
        raise InputError(
            f"tokenize={preprocessing.tokenize!r} needs the whole corpus",
            fix=_TOKENIZE_FIRST,
        )


@dataclass
class BatchChecker:
    """A checker of the batches of a stream.

    Small batches are collected until there are enough lines to check.
    """

    preprocessing: Preprocessing
    name: str = "predictions"
    file: str | None = None
    result: CheckResult = CheckResult()
    seen: int = 0
    _sources: list[str] = field(default_factory=list)
    _references: list[Sequence[str]] = field(default_factory=list)
    _lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        check_preprocessing(self.preprocessing)

    def add(self, corpus: Corpus, lines: Sequence[str]) -> None:
        """Check the next sentences."""
        self.seen += len(lines)
        if isinstance(lines, EditedTexts):
            return
        if not self._lines and len(lines) >= _ENOUGH_LINES:
            self._check(corpus, lines)
            return
        self._sources += corpus.sources
        self._references += corpus.references or ()
        self._lines += lines
        if len(self._lines) >= _ENOUGH_LINES:
            self._check_waiting()

    def close(self) -> None:
        """Check the remaining sentences, and decide."""
        if self._lines:
            self._check_waiting()
        self.result.decide()

    def _check_waiting(self) -> None:
        references = self._references if len(self._references) == len(self._sources) else None
        self._check(Corpus(sources=self._sources, references=references), self._lines)
        self._sources, self._references, self._lines = [], [], []

    def _check(self, part: Corpus, lines: Sequence[str]) -> None:
        self.result += check_batch(self.preprocessing, part, lines, self.seen - len(lines), self.name, self.file)
        if self.result.all_batches_failed():
            self.result.decide()


Batch = Mapping[str, Any] | tuple[Corpus, Sequence[str]]
_RANGE = re.compile(r"(rewrites:|)(\d+)(?:-(\d+))?")


def merge_signatures(signatures: Iterable[Signature]) -> Signature:
    """Merge the signatures of the parts of a corpus.

    The signatures may differ only in the number of references.

    >>> parse = Signature.parse
    >>> str(merge_signatures([parse("bleu|refs:1-2|version:1"), parse("bleu|refs:4|version:1")]))
    'bleu|refs:1-4|version:1'
    """
    return reduce(_merge_two, dict.fromkeys(signatures))


def _merge_two(left: Signature, right: Signature) -> Signature:
    if left == right:
        return left
    if left.metric != right.metric or list(left) != list(right):
        raise InputError(
            f"the parts have different signatures: {left} and {right}", fix="Compute all parts with the same options"
        )
    return Signature(left.metric, tuple((key, _merge_field(key, left, right)) for key in left))


def _merge_field(key: str, left: Signature, right: Signature) -> str:
    ours, theirs = left[key], right[key]
    ranges = [_RANGE.fullmatch(text) for text in (ours, theirs)] if key in ("refs", "gold") else [None]
    first, last = ranges[0], ranges[-1]
    if ours == theirs:
        return ours
    if first is None or last is None or first[1] != last[1]:
        problem = f"the parts differ: {key} is {ours!r} in one and {theirs!r} in another"
        raise InputError(problem, fix="Compute all parts with the same options and the same version of gecbench")
    least = min(int(first[2]), int(last[2]))
    most = max(int(found[3] or found[2]) for found in (first, last))
    return f"{first[1]}{least}" + (f"-{most}" if most > least else "")


@dataclass
class Stream:
    """The score of a corpus, computed batch by batch.

    The result of `score` is identical to scoring all sentences at once.
    """

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
        """Add the counts of the next sentences.

        `made` is the signature of these sentences, and `hashes` holds the hashes of their data.
        """
        self._running.add(statistics)
        self.signature = made if self.signature is None else merge_signatures([self.signature, made])
        self.data = add_sums([self.data, sum_hashes(b"".join(hashes))])
        self.diagnostics.update(statistics.diagnostics)
        self.sentences += len(statistics)

    def score(self) -> Score:
        """Return the score of all sentences so far."""
        if self.signature is None:
            raise InputError("there are no sentences to score", fix="Give at least one")
        signature = self.signature.with_field("data", fingerprint_of(self.data))
        return self.metric.score_totals(self._running.totals, signature, self.sentences, dict(self.diagnostics))

    def state(self) -> tuple[dict[str, object], dict[str, npt.NDArray[Any]]]:
        """Return the state to save for resuming: facts and arrays."""
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
    """Score batches that arrive in corpus order."""
    stream, checker = Stream(metric), BatchChecker(preprocessing)
    for batch in batches:
        corpus, predictions = batch if isinstance(batch, tuple) else _corpus_of(batch)
        lines = check_predictions(predictions, len(corpus))
        given = predictions if isinstance(predictions, tuple) else lines
        checker.add(corpus, given)
        stream.add(corpus, given)
    score = stream.score()
    checker.close()
    metric.warn_of_outcome(score, checker.name)
    return score


def _corpus_of(batch: Mapping[str, Any]) -> tuple[Corpus, Sequence[str]]:
    fields = dict(batch)
    try:
        return Corpus(sources=fields.pop("sources"), references=fields.pop("references")), fields.pop("predictions")
    except KeyError as error:
        fix = "Give sources, predictions and references, or a pair of a Corpus and predictions"
        raise InputError(f"a batch has no {error.args[0]}", fix=fix) from error

"""What every metric is, counts per sentence, a policy over references, a value of totals; and its result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from gecbench.corpus.corpus import Corpus, Gold
from gecbench.corpus.edits import Annotation
from gecbench.corpus.intake import Admitted, Intake
from gecbench.errors import InputError, did_you_mean
from gecbench.metrics.parameters import Parameter, parameters_of
from gecbench.metrics.policy import Policy
from gecbench.metrics.ratios import Values, percent
from gecbench.metrics.signature import Signature
from gecbench.metrics.statistics import Counts, Statistics
from gecbench.metrics.stream import Batch, stream_score

if TYPE_CHECKING:
    from gecbench.metrics.explanation import Explanation


@dataclass(frozen=True)
class Interval:
    """A percentile interval from resampling the sentences."""

    low: float
    high: float
    confidence: float
    resamples: int


@dataclass(frozen=True)
class Score:
    """A value with its parts, how it was made, and the counts it came from.

    `value` and `float(score)` are a fraction, as the official scripts print it. Tables and `f"{score:.2f}"` show it
    times 100, as papers do; `f"{score:.2%}"` gives the same figure with its sign.
    """

    metric: Metric = field(repr=False, compare=False)
    value: float
    parts: Mapping[str, float] = field(repr=False)
    signature: Signature
    statistics: Statistics = field(repr=False, compare=False)
    interval: Interval | None = None

    @property
    def name(self) -> str:
        """Name of the metric in the registry."""
        return self.metric.name

    @property
    def sentences(self) -> int:
        """Number of sentences scored."""
        return len(self.statistics)

    @property
    def diagnostics(self) -> Mapping[str, int]:
        """How the counts were made: ties settled, alignments computed, sentences treated otherwise."""
        return self.statistics.diagnostics

    def sentence_scores(self) -> npt.NDArray[np.float64]:
        """Return the score of each sentence alone, as the metric defines it."""
        return self.metric.sentence_values(self.statistics)

    def with_interval(self, interval: Interval, seed: int) -> Score:
        """Return the score with an interval, recorded in the signature."""
        return replace(self, interval=interval).with_field("resamples", f"{interval.resamples}:{seed}")

    def with_field(self, key: str, value: object) -> Score:
        """Return the score with one more field in its signature."""
        return replace(self, signature=self.signature.with_field(key, value))

    def to_dict(self) -> dict[str, object]:
        """Return what a JSON reader needs, the same keys in every mode."""
        interval = self.interval
        return {
            "metric": self.name,
            "value": self.value,
            "parts": dict(self.parts),
            "diagnostics": dict(self.diagnostics),
            "interval": None if interval is None else dict(vars(interval)),
            "sentences": self.sentences,
            "signature": str(self.signature),
        }

    def __float__(self) -> float:
        return float(self.value)

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        return format(self.value if spec.endswith("%") else 100 * self.value, spec)

    def __str__(self) -> str:
        return f"{self.metric.title} = {self._figures()}  {self.signature}"

    def _repr_html_(self) -> str:
        from html import escape

        title, figures, signature = map(escape, (self.metric.title, self._figures(), str(self.signature)))
        return f"<div><b>{title}</b> = {figures}<br><small><code>{signature}</code></small></div>"

    def _figures(self) -> str:
        """Return the value, its interval and the parts shown beside it, times 100."""
        interval = self.interval
        bounds = "" if interval is None else f" [{percent(interval.low)}, {percent(interval.high)}]"
        parts = (f"{name} {percent(self.parts[name])}" for name in self.metric.columns)
        return ", ".join([percent(self.value) + bounds, *parts])


class Metric(ABC):
    """A metric, declared here and nowhere else; a subclass is a frozen dataclass whose fields are its parameters.

    `golds` are what it can be scored against, the preferred one first; `explains` says that it has `explain`;
    `extra` names the extra of the package without which it scores no texts; `breakdowns` are names for `breakdown`;
    `board_parameters` are those that a leaderboard scores with; `columns` are the parts that tables show beside the
    value, fractions of which more is better.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    papers: ClassVar[str]
    golds: ClassVar[tuple[Gold, ...]] = ("references",)
    extra: ClassVar[str | None] = None
    explains: ClassVar[bool] = False
    breakdowns: ClassVar[tuple[str, ...]] = ()
    columns: ClassVar[tuple[str, ...]] = ()
    board_parameters: ClassVar[Mapping[str, Any]] = MappingProxyType({})

    def __post_init__(self) -> None:
        """Refuse a parameter value that is not one of its choices."""
        for each in self.parameters().values():
            value = getattr(self, each.name)
            if each.choices and value not in each.choices:
                known = ", ".join(map(repr, each.choices))
                raise InputError(f"{self.name}: {each.name}={value!r} is unknown", fix=f"Use one of {known}")

    @classmethod
    def missing(cls) -> str | None:
        """Return what to install before texts can be scored, None if nothing."""
        return None

    @property
    @abstractmethod
    def reference_policy(self) -> Policy:
        """How references are chosen."""

    def gold(self, corpus: Corpus) -> Gold:
        """Return what of the corpus is scored against: the first of `golds` that it has."""
        return next((gold for gold in self.golds if corpus.has(gold)), self.golds[-1])

    def annotations(self, corpus: Corpus) -> Sequence[Sequence[Annotation]]:
        """Return the annotations that a corpus with annotations is scored against, those of a sentence in order."""
        return corpus.annotations or ()

    def explain(self, corpus: Corpus, predictions: Sequence[str], sentences: Sequence[int]) -> list[Explanation]:
        """Explain some sentences (counted from 0) of a scored corpus."""
        raise InputError(f"{self.name} has no edits to explain")

    def breakdown(self, by: str, corpus: Corpus, predictions: Sequence[str]) -> Sequence[Any]:
        """Return the scores by one of `breakdowns`: dataclasses with `cells`, their row of a table by column."""
        raise InputError(f"{self.name} has no scores by {by}")

    @abstractmethod
    def count(self, corpus: Corpus, predictions: Sequence[str]) -> Statistics:
        """Return the counts of every sentence against each of its references."""

    @abstractmethod
    def values(self, totals: npt.NDArray[Any]) -> Values:
        """Return the value of totals, over the last axis."""

    @abstractmethod
    def parts(self, totals: Counts) -> dict[str, float]:
        """Return the named parts of a corpus score from its totals, rounds × counts."""

    @abstractmethod
    def sentence_values(self, statistics: Statistics) -> Values:
        """Return the score of each sentence alone."""

    @abstractmethod
    def signature_fields(self, corpus: Corpus) -> dict[str, object]:
        """Return the parameters as fields of the signature."""

    def reading_fields(self, corpus: Corpus, predictions: Sequence[str]) -> dict[str, object]:
        """Return how predictions were read as fields of the signature, where there is more than one way."""
        return {}

    @staticmethod
    @abstractmethod
    def signature_parameters(signature: Signature) -> dict[str, Any]:
        """Return the parameters that `signature_fields` wrote; KeyError, IndexError or ValueError if it did not."""

    @classmethod
    def from_signature(cls, signature: Signature) -> Metric:
        """Return the metric that a signature describes."""
        try:
            return cls(**cls.signature_parameters(signature))
        except (KeyError, IndexError, ValueError) as error:
            raise InputError(f"not a complete {cls.title} signature: {signature}") from error

    def score(
        self, *, sources: Sequence[str], predictions: Sequence[str], references: Sequence[Sequence[str]], **intake: Any
    ) -> Score:
        """Score predictions; `references[i]` are the references of sentence i (sentence-major)."""
        return self.score_corpus(Corpus(sources=sources, references=references), predictions, **intake)

    def score_corpus(
        self, corpus: Corpus, predictions: Iterable[str], *, name: str = "predictions", **intake: Any
    ) -> Score:
        """Score predictions on a corpus; `intake` are the fields of `Intake`, such as `tokenize="auto"`."""
        return self.score_admitted(Intake(**intake).admit(corpus, predictions, name))

    def score_admitted(self, admitted: Admitted) -> Score:
        """Score predictions that have been checked and prepared."""
        corpus, lines = admitted.corpus, admitted.lines
        statistics = self.count(corpus, lines)
        signature = self.signature(corpus, lines).with_field("data", corpus.fingerprint(self.gold(corpus)))
        if admitted.preparation is not None:
            signature = signature.with_field("prep", admitted.preparation)
        return self.score_statistics(statistics, signature)

    def signature(self, corpus: Corpus, predictions: Sequence[str]) -> Signature:
        """Return how counts of a corpus were made, but for its data."""
        return Signature.of(self.name, {**self.signature_fields(corpus), **self.reading_fields(corpus, predictions)})

    def check_parts(self) -> None:
        """Refuse parameters under which a sentence counts otherwise in a part of its corpus than in the whole."""
        self.reference_policy.running()

    def stream(self, batches: Iterable[Batch], **intake: Any) -> Score:
        """Score a corpus batch by batch, in constant memory: the score of all at once, to the bit, without its counts.

        A batch is a mapping with `sources`, `predictions` and `references`, or a pair of a `Corpus` and predictions.
        """
        score: Score = stream_score(self, batches, Intake(**intake))
        return score

    def score_statistics(self, statistics: Statistics, signature: Signature) -> Score:
        """Score counts that are already there."""
        return self.score_totals(self.reference_policy.totals(statistics), signature, statistics)

    def score_totals(self, totals: Counts, signature: Signature, statistics: Statistics) -> Score:
        """Score the totals of counts."""
        return Score(self, float(np.mean(self.values(totals))), self.parts(totals), signature, statistics)

    def value_of(self, statistics: Statistics) -> float:
        """Return the corpus value of counts, without its parts."""
        return float(np.mean(self.values(self.reference_policy.totals(statistics))))

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """Return the parameters by name."""
        return parameters_of(cls)

    @classmethod
    def check_parameters(cls, names: Iterable[str]) -> None:
        """Refuse names that are not parameters."""
        known = cls.parameters()
        for name in names:
            if name not in known:
                fix = f"{did_you_mean(name, known)}Its parameters: {', '.join(known)}"
                raise InputError(f"{cls.name} has no parameter {name!r}", fix=fix)


def require_references(corpus: Corpus, metric: str) -> Sequence[Sequence[str]]:
    """Return the references of a corpus, or say that the metric needs them."""
    if corpus.references is None:
        raise InputError(
            f"{metric} needs references, but {corpus.name} has none",
            fix="Give reference files, or derive references from annotations first",
        )
    return corpus.references

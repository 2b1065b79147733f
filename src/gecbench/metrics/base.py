"""The base of all metrics: counts, parameters, signatures, scores and registry.

A metric computes a matrix of integer counts (references × counts) for each sentence. A policy (`metrics.policy`)
chooses references and sums the counts. The metric then computes a value from the totals.
"""

from __future__ import annotations

import pkgutil
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from math import nan
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from gecbench.corpus.corpus import Corpus, Gold
from gecbench.corpus.edits import Annotation
from gecbench.corpus.prepare import Prepared, Preprocessing
from gecbench.display import percent
from gecbench.errors import InputError, did_you_mean, plain_number, type_name
from gecbench.kernels.tokens import offsets_of, offsets_of_sizes
from gecbench.version import __version__

if TYPE_CHECKING:
    from gecbench.metrics.explain import Explanation
    from gecbench.metrics.policy import Policy
    from gecbench.metrics.streaming import Batch


Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Statistics:
    """The counts of all sentences.

    The rows of sentence i are `counts[offsets[i]:offsets[i + 1]]`, one per reference or annotator. `diagnostics` holds
    numbers of events, such as the number of sentences that exceeded a limit.
    """

    counts: Counts
    offsets: npt.NDArray[np.int64]
    diagnostics: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def choices(self) -> npt.NDArray[np.int64]:
        """Return the number of rows of each sentence."""
        return np.diff(self.offsets)

    def select(self, sentences: Sequence[int] | npt.NDArray[np.int64]) -> Statistics:
        """Return the statistics of these sentences, in this order."""
        chosen = np.asarray(sentences, dtype=np.int64)
        sizes = self.choices()[chosen]
        offsets = offsets_of_sizes(sizes)
        rows = np.arange(offsets[-1]) + np.repeat(self.offsets[chosen] - offsets[:-1], sizes)
        return Statistics(self.counts[rows], offsets)

    def with_sentences(self, sentences: Sequence[int], others: Statistics) -> Statistics:
        """Return a copy in which `others` replaces the counts of these sentences.

        `others` holds the counts of these sentences only, in the same order.
        """
        parts = [self.counts[a:b] for a, b in pairwise(self.offsets)]
        for i, (a, b) in zip(sentences, pairwise(others.offsets), strict=True):
            parts[i] = others.counts[a:b]
        return Statistics(np.concatenate(parts), offsets_of(parts), self.diagnostics)

    def keep_choices(self, kept: Sequence[int]) -> Statistics:
        """Return only these rows of each sentence, counted from 0.

        Rows that a sentence does not have are ignored.
        """
        position = np.arange(len(self.counts)) - np.repeat(self.offsets[:-1], self.choices())
        mask = np.isin(position, np.asarray(kept))
        sizes = np.add.reduceat(mask.astype(np.int64), self.offsets[:-1])
        return Statistics(self.counts[mask], offsets_of_sizes(sizes))

    @staticmethod
    def concatenate(parts: Sequence[Statistics]) -> Statistics:
        """Concatenate the sentences of several statistics."""
        shifts = np.cumsum([0, *(len(part.counts) for part in parts[:-1])])
        offsets = [part.offsets[1:] + shift for part, shift in zip(parts, shifts, strict=True)]
        return Statistics(np.concatenate([part.counts for part in parts]), np.concatenate([[0], *offsets]))


Values = npt.NDArray[np.float64]


def precision_recall(totals: npt.NDArray[Any]) -> tuple[Values, Values]:
    """Return precision and recall, each 1 if its denominator is 0.

    The last axis of `totals` holds the numbers of correct, proposed and gold edits.
    """
    correct, proposed, gold = (totals[..., k].astype(np.float64) for k in range(3))
    precision = np.where(proposed > 0, correct / np.where(proposed > 0, proposed, 1), 1.0)
    recall = np.where(gold > 0, correct / np.where(gold > 0, gold, 1), 1.0)
    return precision, recall


def f_beta(precision: Values, recall: Values, beta: float) -> Values:
    """Return (1 + beta²) P R / (beta² P + R), or 0 for 0/0."""
    size = beta**2 * precision + recall
    return np.where(size > 0, (1 + beta**2) * precision * recall / np.where(size > 0, size, 1), 0.0)


def f_beta_as_ieval(precision: Values, recall: Values, beta: float) -> Values:
    """Return F-beta, computed as the official I-measure scorer does.

    `f_beta` can differ in the last bits.
    """
    size = beta**2 * precision + recall
    return np.where(size != 0, (1 + beta**2) * (precision * recall / np.where(size != 0, size, 1)), 0.0)


def f_beta_of_counts(counts: npt.NDArray[Any], beta: float) -> Values:
    """Return F-beta of counts with a single division, or 1 for 0/0.

    F-beta is (1 + beta²) correct / (beta² gold + proposed). The last axis of `counts` holds the numbers of correct,
    proposed and gold edits.

    The result equals `f_beta(*precision_recall(counts), beta)` except for the last bits. Use this function to compare
    rows: it divides only once, so equal fractions give equal floats. Such ties are then broken by other criteria, as
    in the official scorers.
    """
    correct, proposed, gold = (counts[..., k].astype(np.float64) for k in range(3))
    size = beta**2 * gold + proposed
    return np.where(size > 0, (1 + beta**2) * correct / np.where(size > 0, size, 1), 1.0)


def mean_count(counts: npt.NDArray[np.int64]) -> float:
    """Return the mean of counts, as an integer if it is whole."""
    mean = float(counts.mean())
    return int(mean) if mean.is_integer() else mean


MIXING_WORDS = {"yes": True, "no": False, "cap": "cap", "strict": "strict"}


@dataclass(frozen=True)
class Signature(Mapping[str, str]):
    """The signature of a score: the metric's name and `key:value` fields, in order.

    It states how the score was computed. `Signature.parse` reads it from text. `make_metric(str(signature))` returns
    the metric.

    Args:
        metric: The name of the metric.
        fields: Pairs of key and value. `signature[key]` returns a value.

    >>> signature = Signature.parse("gleu|variant:2017|refs:4|order:4|draws:500:py2|tok:ascii|version:0.3.0")
    >>> signature.metric, signature["draws"], make_metric(str(signature)).iterations
    ('gleu', '500:py2', 500)
    """

    metric: str
    fields: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, metric: str, fields: Mapping[str, object]) -> Signature:
        """Create a signature from fields, followed by the version of gecbench."""
        pairs = tuple((key, _field(value)) for key, value in fields.items())
        return cls(metric, (*pairs, ("version", __version__)))

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Parse a printed signature.

        Args:
            text: A signature such as `gleu|refs:4|version:0.2.0`.

        Returns:
            The signature.

        Raises:
            InputError: The text is not a signature.
        """
        metric, *rest = text.strip().split("|")
        pairs = tuple(part.partition(":") for part in rest)
        if not metric or not all(key and colon and value for key, colon, value in pairs):
            raise InputError(f"not a signature: {text!r}", fix="Write it as metric|key:value|…|version:…")
        return cls(metric, tuple((key, value) for key, _, value in pairs))

    def with_field(self, key: str, value: object) -> Signature:
        """Return the signature with one more field before the version.

        Args:
            key: The name of the field.
            value: The value of the field.
        """
        return Signature(self.metric, (*self.fields[:-1], (key, _field(value)), self.fields[-1]))

    def __str__(self) -> str:
        return "|".join([self.metric, *(f"{key}:{value}" for key, value in self.fields)])

    def __getitem__(self, key: str) -> str:
        return dict(self.fields)[key]

    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self.fields)

    def __len__(self) -> int:
        return len(self.fields)


def _field(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def parameter(default: Any, description: str) -> Any:
    """Declare a parameter: a dataclass field with a default and a description."""
    return field(default=default, metadata={"description": description})


@dataclass(frozen=True)
class Parameter:
    """A parameter of a metric, for documentation and help texts.

    `choices` is empty if the parameter has no fixed set of values.
    """

    name: str
    default: Any
    description: str
    choices: tuple[object, ...]

    @property
    def kind(self) -> str:
        """The type of the values, such as `int` or `bool or "cap"`."""
        words = [f'"{word}"' for word in self.choices if type(word) is not type(self.default)]
        return " or ".join([type(self.default).__name__, *words])


@cache
def parameters_of(metric: type[Any]) -> dict[str, Parameter]:
    """Return the parameters of a metric class by name."""
    hints = get_type_hints(metric)
    return {
        each.name: Parameter(each.name, each.default, each.metadata["description"], _choices(hints[each.name]))
        for each in fields(metric)
    }


def _choices(hint: Any) -> tuple[object, ...]:
    """Return the allowed values of a Literal, or of a union of bool and a Literal."""
    if get_origin(hint) is Literal:
        return get_args(hint)
    return tuple(value for part in get_args(hint) for value in ((False, True) if part is bool else get_args(part)))


def check_whole(metric: str, parameter: str, value: object, least: int = 1) -> None:
    """Raise an error if a parameter is not a whole number of at least `least`."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InputError(f"{metric}: {parameter}={value!r} is not a whole number of at least {least}")


def check_number(metric: str, parameter: str, value: object, least: float = 0) -> None:
    """Raise an error if a parameter is not a number from `least` to a million."""
    if not isinstance(value, (int, float)) or not least <= value <= 1e6:
        raise InputError(f"{metric}: {parameter}={value!r} is not a number from {least:,.0f} to 1,000,000")


@dataclass(frozen=True)
class Interval:
    """A confidence interval, usually from the bootstrap.

    Args:
        low: The lower end, a fraction like the score.
        high: The upper end.
        confidence: The confidence level, such as 0.95.
        resamples: The number of bootstrap resamples, or 0 if the interval comes from a formula.

    >>> Interval(0.4, 0.5, 0.95, 1000).high
    0.5
    """

    low: float
    high: float
    confidence: float
    resamples: int


@dataclass(frozen=True)
class Score:
    """The score of one system by one metric.

    `value` and `float(score)` are fractions, as printed by the official scripts. Tables and `f"{score:.2f}"` show the
    value times 100, as papers do. `f"{score:.2%}"` adds the percent sign.

    Attributes:
        metric: The metric.
        value: The score, usually from 0 to 1.
        parts: Named parts of the score, such as precision and recall.
        signature: The signature, which states how the score was computed.
        sentences: The number of sentences.
        diagnostics: Counts of events while scoring, such as sentences that exceeded a limit.
        counts: The counts of all sentences, or None for a streamed score.
        interval: The confidence interval, or None.

    >>> from gecbench import GLEU
    >>> texts = ["He goes home now ."]
    >>> score = GLEU().score(sources=["He go home now ."], predictions=texts, references=[texts])
    >>> score.value, f"{score:.2f}", f"{score:.0%}"
    (1.0, '100.00', '100%')
    """

    metric: Metric = field(repr=False, compare=False)
    value: float
    parts: Mapping[str, float] = field(repr=False)
    signature: Signature
    sentences: int = field(repr=False, compare=False)
    diagnostics: Mapping[str, int] = field(repr=False, compare=False)
    counts: Statistics | None = field(repr=False, compare=False)
    interval: Interval | None = None

    @property
    def name(self) -> str:
        """The metric's name in the registry."""
        return self.metric.name

    @property
    def statistics(self) -> Statistics:
        """The counts of all sentences.

        Raises:
            InputError: The score was streamed, so its counts were not kept.
        """
        if self.counts is None:
            raise InputError(
                "a streamed score keeps no counts for intervals, tests or sentence scores",
                fix="Score the whole corpus at once, or use gecbench.scale to keep the counts in a table",
            )
        return self.counts

    def sentence_scores(self) -> npt.NDArray[np.float64]:
        """Return the score of each sentence, as the metric defines it.

        Returns:
            An array with one value per sentence. Its mean usually differs from the corpus score.

        Raises:
            InputError: The score was streamed, so its counts were not kept.

        >>> import gecbench
        >>> corpus, systems = gecbench.load_demo(), gecbench.load_demo_systems()
        >>> len(gecbench.score(systems["rule-based"], corpus)["gleu"].sentence_scores())
        42
        """
        return self.metric.sentence_values(self.statistics)

    def with_interval(self, interval: Interval, seed: int) -> Score:
        """Return the score with an interval, and record the resampling in the signature.

        Args:
            interval: The interval.
            seed: The seed of the resampling.

        Returns:
            A new score.
        """
        return replace(self, interval=interval).with_field("resamples", f"{interval.resamples}:{seed}")

    def with_field(self, key: str, value: object) -> Score:
        """Return the score with one more field in its signature.

        Args:
            key: The name of the field.
            value: The value of the field.

        Returns:
            A new score.
        """
        return replace(self, signature=self.signature.with_field(key, value))

    def to_dict(self) -> dict[str, object]:
        """Return the score as a dictionary for JSON, always with the same keys.

        >>> import gecbench
        >>> scores = gecbench.score(gecbench.load_demo_systems()["rule-based"], "demo")
        >>> sorted(scores["gleu"].to_dict())
        ['diagnostics', 'interval', 'metric', 'parts', 'sentences', 'signature', 'value']
        """
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
        """Return the value, its interval and the parts in `columns` as text, times 100."""
        interval = self.interval
        bounds = "" if interval is None else f" [{percent(interval.low)}, {percent(interval.high)}]"
        parts = (f"{name} {percent(self.parts[name])}" for name in self.metric.columns)
        return ", ".join([percent(self.value) + bounds, *parts])


class Metric(ABC):
    """Base class of metrics.

    A subclass is a frozen dataclass whose fields are the metric's parameters. CLI choices, documentation tables, Hub
    modules and leaderboard columns are all generated from these declarations.

    Attributes:
        name: The name in the registry, such as "gleu".
        title: The name in tables, such as "GLEU".
        description: One line for documentation.
        papers: The papers that define the metric.
        golds: The kinds of gold it can score against, preferred kind first.
        extra: The package extra needed to score texts, or None.
        requires: The modules needed to score texts, each with install instructions.
        explains: Whether `explain` is implemented.
        breakdowns: The names that `breakdown` accepts.
        columns: The parts that tables show after the value. They are fractions.
        lower_is_better: The parts in `columns` for which lower is better. The leaderboard always shows them.
        part_titles: The titles of parts in `columns` whose names are abbreviations.
        higher_is_better: Whether a higher value is better.
        lowest: The lowest possible value.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    papers: ClassVar[str]
    golds: ClassVar[tuple[Gold, ...]] = ("references",)
    extra: ClassVar[str | None] = None
    requires: ClassVar[Mapping[str, str]] = MappingProxyType({})
    explains: ClassVar[bool] = False
    breakdowns: ClassVar[tuple[str, ...]] = ()
    columns: ClassVar[tuple[str, ...]] = ()
    lower_is_better: ClassVar[tuple[str, ...]] = ()
    part_titles: ClassVar[Mapping[str, str]] = MappingProxyType({})
    higher_is_better: ClassVar[bool] = True
    lowest: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        """Raise an error for a value that is not among the choices of its parameter."""
        for each in self.parameters().values():
            value = getattr(self, each.name)
            if each.choices and value not in each.choices:
                known = ", ".join(map(repr, each.choices))
                raise InputError(f"{self.name}: {each.name}={value!r} is unknown", fix=f"Choose one of {known}")

    @classmethod
    def missing(cls) -> str | None:
        """Return how to install what is missing for scoring texts, or None."""
        return next((hint for module, hint in cls.requires.items() if find_spec(module) is None), None)

    @property
    @abstractmethod
    def reference_policy(self) -> Policy:
        """The policy that chooses references."""

    def gold(self, corpus: Corpus) -> Gold:
        """Return the kind of gold to score against.

        This is the first of `golds` that the corpus has. If the corpus has none of them, it is the last.
        """
        return next((gold for gold in self.golds if corpus.has(gold)), self.golds[-1])

    def annotations(self, corpus: Corpus) -> Sequence[Sequence[Annotation]]:
        """Return each sentence's annotations, in the order in which they are counted."""
        return corpus.annotations or ()

    def explain(self, corpus: Corpus, predictions: Sequence[str], sentences: Sequence[int]) -> list[Explanation]:
        """Explain the scores of some sentences.

        Args:
            corpus: The corpus.
            predictions: The predictions for all sentences.
            sentences: The positions of the sentences to explain, from 0.

        Returns:
            One explanation per sentence.

        Raises:
            InputError: The metric does not support explanations.
        """
        known = [name for name, metric in METRICS.items() if metric.explains]
        raise InputError(f"{self.name} cannot explain sentences", fix=f"Use one of {', '.join(known)}")

    def breakdown(self, by: str, corpus: Corpus, predictions: Sequence[str]) -> Sequence[Any]:
        """Return scores for parts of the gold, such as error types.

        Args:
            by: One of `breakdowns`.
            corpus: The corpus.
            predictions: The predictions for all sentences.

        Returns:
            One dataclass per row. Its `cells()` are the row of a table.

        Raises:
            InputError: The metric does not support this breakdown.
        """
        known = [name for name, metric in METRICS.items() if by in metric.breakdowns]
        raise InputError(f"{self.name} has no scores by {by}", fix=f"Use {' or '.join(known)}" if known else None)

    @abstractmethod
    def count(self, corpus: Corpus, predictions: Sequence[str]) -> Statistics:
        """Return the counts of each sentence against each of its references."""

    @abstractmethod
    def values(self, totals: npt.NDArray[Any]) -> Values:
        """Return the values of totals, whose last axis holds the counts."""

    @abstractmethod
    def parts(self, totals: Counts) -> dict[str, float]:
        """Return the named parts of a corpus score, from its totals (rounds × counts)."""

    @staticmethod
    def undefined_parts(parts: Mapping[str, float]) -> frozenset[str]:
        """Return the names of the parts that are 0/0.

        The values of these parts are conventions, so tables never mark them as best. Precision is 0/0 if the system
        proposed nothing. Recall is 0/0 if there was nothing to correct.
        """
        correct = parts.get("tp", nan)
        proposed = parts.get("proposed", correct + parts.get("fp", nan))
        gold = parts.get("gold", correct + parts.get("fn", nan))
        return frozenset(name for name, size in (("precision", proposed), ("recall", gold)) if size == 0)

    @abstractmethod
    def sentence_values(self, statistics: Statistics) -> Values:
        """Return the score of each sentence."""

    @abstractmethod
    def signature_fields(self, corpus: Corpus) -> dict[str, object]:
        """Return the parameters as fields of the signature."""

    def reading_fields(self, corpus: Corpus, predictions: Sequence[str]) -> dict[str, object]:
        """Return signature fields that state how the predictions were read.

        There are none if predictions can be read in only one way.
        """
        return {}

    def outcome_fields(self, diagnostics: Mapping[str, int]) -> dict[str, object]:
        """Return signature fields for events while scoring, such as exceeded limits."""
        return {}

    def warn_of_outcome(self, score: Score, name: str) -> None:
        """Warn of events while scoring the system `name`, such as exceeded limits."""
        return

    @staticmethod
    @abstractmethod
    def signature_parameters(signature: Signature) -> dict[str, Any]:
        """Return the parameters stored in a signature.

        Raises:
            KeyError, IndexError, ValueError: `signature_fields` did not write this signature.
        """

    @classmethod
    def from_signature(cls, signature: Signature) -> Metric:
        """Create the metric that a signature describes.

        Args:
            signature: A signature of this metric.

        Returns:
            The metric with the same parameters.

        Raises:
            InputError: The signature lacks fields of this metric.
        """
        try:
            return cls(**cls.signature_parameters(signature))
        except (KeyError, IndexError, ValueError) as error:
            fix = "Copy the whole signature, including the version"
            raise InputError(f"not a complete {cls.title} signature: {signature}", fix=fix) from error

    def score(
        self,
        *,
        sources: Sequence[str],
        predictions: Sequence[str],
        references: Sequence[Sequence[str]],
        **preprocessing: Any,
    ) -> Score:
        """Score predictions against references.

        Args:
            sources: The source sentences.
            predictions: One prediction per source.
            references: `references[i]` is the list of references of sentence i.
            **preprocessing: `tokenize`, `tokenized`, `aligned` and `foreign`, as in `gecbench.score`.

        Returns:
            The score.

        Raises:
            InputError: The input cannot be scored.

        >>> from gecbench import GLEU
        >>> texts = ["He goes home now ."]
        >>> GLEU().score(sources=["He go home now ."], predictions=texts, references=[texts]).value
        1.0
        """
        return self.score_corpus(Corpus(sources=sources, references=references), predictions, **preprocessing)

    def score_corpus(
        self, corpus: Corpus, predictions: Iterable[str], *, name: str = "predictions", **preprocessing: Any
    ) -> Score:
        """Score predictions on a corpus.

        Args:
            corpus: The corpus.
            predictions: One prediction per sentence.
            name: The name of the predictions in messages.
            **preprocessing: `tokenize`, `tokenized`, `aligned` and `foreign`, as in `gecbench.score`.

        Returns:
            The score.

        Raises:
            InputError: The input cannot be scored.

        >>> import gecbench
        >>> score = gecbench.GLEU().score_corpus(gecbench.load_demo(), gecbench.load_demo_systems()["rule-based"])
        >>> f"{score:.2f}"
        '19.37'
        """
        return self.score_prepared(Preprocessing(**preprocessing).prepare(corpus, predictions, name))

    def score_prepared(self, prepared: Prepared) -> Score:
        """Score predictions that are already checked and prepared."""
        corpus, lines = prepared.corpus, prepared.lines
        statistics = self.count(corpus, lines)
        signature = self.signature(corpus, lines).with_field("data", corpus.fingerprint(self.gold(corpus)))
        if prepared.preparation is not None:
            signature = signature.with_field("prep", prepared.preparation)
        score = self.score_statistics(statistics, signature)
        self.warn_of_outcome(score, prepared.name)
        return score

    def signature(self, corpus: Corpus, predictions: Sequence[str]) -> Signature:
        """Return the signature of a score, without the corpus fingerprint (`data`)."""
        return Signature.of(self.name, {**self.signature_fields(corpus), **self.reading_fields(corpus, predictions)})

    def check_parts(self) -> None:
        """Raise an error if a corpus cannot be scored in parts.

        This happens if the counts of a sentence depend on the rest of the corpus.
        """
        self.reference_policy.running()

    def stream(self, batches: Iterable[Batch], **preprocessing: Any) -> Score:
        """Score a corpus batch by batch in constant memory.

        The score is identical to scoring everything at once, but has no counts per sentence.

        Args:
            batches: The batches in order. Each is a mapping with `sources`, `predictions` and `references`, or a pair
                of a `Corpus` and predictions.
            **preprocessing: `tokenized`, `aligned` and `foreign`, as in `gecbench.score`.

        Returns:
            The score of all sentences.

        Raises:
            InputError: The input cannot be scored, or the metric needs the whole corpus at once.

        >>> from gecbench import GLEU
        >>> batch = {"sources": ["He go home ."], "predictions": ["He goes home ."], "references": [["He goes home ."]]}
        >>> GLEU().stream([batch, batch]).sentences
        2
        """
        from gecbench.metrics.streaming import stream_score

        return stream_score(self, batches, Preprocessing(**preprocessing))

    def score_statistics(self, statistics: Statistics, signature: Signature) -> Score:
        """Compute the score of existing counts."""
        totals = self.reference_policy.totals(statistics)
        return self.score_totals(totals, signature, len(statistics), statistics.diagnostics, statistics)

    def score_totals(
        self,
        totals: Counts,
        signature: Signature,
        sentences: int,
        diagnostics: Mapping[str, int],
        counts: Statistics | None = None,
    ) -> Score:
        """Compute the score of totals.

        `counts` are the counts of the sentences, or None if they were not kept.
        """
        value = float(np.mean(self.values(totals)))
        for key, outcome in self.outcome_fields(diagnostics).items():
            signature = signature.with_field(key, outcome)
        return Score(self, value, self.parts(totals), signature, sentences, diagnostics, counts)

    def value_of(self, statistics: Statistics) -> float:
        """Return the corpus score of counts as a number, without its parts and signature."""
        return float(np.mean(self.values(self.reference_policy.totals(statistics))))

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """Return the parameters by name."""
        return parameters_of(cls)

    @classmethod
    def check_parameters(cls, names: Iterable[str]) -> None:
        """Raise an error for names that are not parameters."""
        known = cls.parameters()
        for name in names:
            if name not in known:
                fix = did_you_mean(name, known, f"Parameters of {cls.name}: {', '.join(known)}")
                raise InputError(f"{cls.name} has no parameter {name!r}", fix=fix)


def require_references(corpus: Corpus, metric: str) -> Sequence[Sequence[str]]:
    """Return the references of a corpus, or raise an error if it has none."""
    if corpus.references is None:
        raise InputError(
            f"{metric} needs references, but {corpus.name} has none",
            fix="Give references, or derive them from annotations (gecbench.derive_references)",
        )
    return corpus.references


Metrics = str | Metric | Sequence[str | Metric] | Mapping[str, Metric]


class Registry(Mapping[str, type[Metric]]):
    """A read-only mapping from metric names to metric classes.

    Each class is imported on first use.

    >>> import gecbench
    >>> list(gecbench.METRICS)
    ['gleu', 'm2', 'errant', 'imeasure', 'green', 'cleme', 'bleu']
    >>> gecbench.METRICS["gleu"](draws="py3").draws
    'py3'
    """

    def __init__(self, locations: Mapping[str, str]) -> None:
        self._locations = locations

    def __getitem__(self, name: str) -> type[Metric]:
        found: type[Metric] = pkgutil.resolve_name(self._locations[name])
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._locations)

    def __len__(self) -> int:
        return len(self._locations)


METRICS = Registry(
    {
        "gleu": "gecbench.metrics.gleu:GLEU",
        "m2": "gecbench.metrics.m2:M2",
        "errant": "gecbench.metrics.errant:ERRANT",
        "imeasure": "gecbench.metrics.imeasure:IMeasure",
        "green": "gecbench.metrics.green:GREEN",
        "cleme": "gecbench.metrics.cleme:CLEME",
        "bleu": "gecbench.metrics.bleu:BLEU",
    }
)

_SCORERS = {"compute_gleu": "gleu", "errant_compare": "errant", "ieval": "imeasure", "m2scorer": "m2"}


def metric_class(name: str) -> type[Metric]:
    """Return a metric class by name, ignoring case.

    For an unknown name, raise an error that lists the known names.
    """
    if name.lower() == "python":
        fix = "Write python:module:function (a signature is not enough, because a signature never imports code)"
        raise InputError("the metric 'python' needs a function", fix=fix)
    if name.lower() not in METRICS:
        meant = _SCORERS.get(name.lower(), name.lower())
        fix = did_you_mean(meant, METRICS, f"Known metrics: {', '.join(METRICS)}")
        raise InputError(f"unknown metric {name!r}", fix=fix)
    return METRICS[name.lower()]


def make_metric(metric: str | Metric) -> Metric:
    """Create a metric from its name, from a signature, or from your own function.

    Args:
        metric: A name with optional parameters (`"gleu"`, `"gleu(draws=py3)"`), a signature, or
            `"python:module:function"`. A metric object is returned unchanged.

    Returns:
        The metric.

    Raises:
        InputError: The name, a parameter or a value is unknown.

    >>> make_metric("gleu(draws=py3,iterations=100)").iterations
    100
    """
    if isinstance(metric, Metric):
        return metric
    if not isinstance(metric, str):
        fix = 'Pass a name such as "gleu", or a metric object such as gecbench.GLEU()'
        raise InputError(f"the metric is {type_name(metric)}, not a name", fix=fix)
    if "|" in metric:
        signature = Signature.parse(metric)
        return metric_class(signature.metric).from_signature(signature)
    several = _split_names(metric)
    if len(several) > 1:
        raise InputError(f"{metric!r} is more than one metric", fix=f"Pass metrics={several!r}")
    if several and several[0].startswith("python:"):
        own: Metric = pkgutil.resolve_name("gecbench.metrics.plugin:Plugin")(several[0])
        return own
    form = re.fullmatch(r"([\w-]+)\s*(?:\((.*)\))?", metric.strip())
    if form is None:
        fix = 'Write a name such as gleu, or a name with parameters in quotes: "gleu(order=3)"'
        raise InputError(f"cannot parse the metric {metric!r}", fix=fix)
    kind = metric_class(form[1])
    return kind(**_parameters(kind, form[2] or ""))


def _split_names(text: str) -> list[str]:
    """Split a text at commas outside parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _parameters(kind: type[Metric], text: str) -> dict[str, Any]:
    known = kind.parameters()
    chosen: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        last = next(reversed(chosen), "")
        if not equals and name not in known and last and _is_free_text(known[last]):
            fix = f"Join several values with +: {last}={chosen[last]}+{part}"
            raise InputError(f"{kind.name}: {part!r} is not a parameter", fix=fix)
        kind.check_parameters([name])
        found = known[name]
        if not value:
            example = "yes" if isinstance(found.default, bool) else found.default
            raise InputError(f"{kind.name}: {name} has no value", fix=f"Write {name}={example}, for example")
        if name in chosen:
            raise InputError(f"{kind.name}: {name} is given twice", fix="Give it once")
        chosen[name] = value if value in found.choices else _convert(kind.name, found, value)
    return chosen


def _is_free_text(parameter: Parameter) -> bool:
    return isinstance(parameter.default, str) and not parameter.choices


def _convert(metric: str, parameter: Parameter, value: str) -> object:
    words = {"true": True, "yes": True, "false": False, "no": False}
    default = parameter.default
    try:
        if isinstance(default, bool):
            return words[value.lower()]
        if isinstance(default, (int, float)):
            return type(default)(plain_number(value))
    except (KeyError, ValueError) as error:
        named = ["yes", "no", *(str(choice) for choice in parameter.choices if not isinstance(choice, bool))]
        kinds = {bool: f"{', '.join(named[:-1])} or {named[-1]}", int: "a whole number"}
        kind = kinds.get(type(default), "a number")
        raise InputError(f"{metric}: {parameter.name}={value!r} is not {kind}") from error
    return value


def metric_columns(metrics: Metrics) -> dict[str, Metric]:
    """Return metrics by column name.

    A column has the metric's name. If several metrics have the same name, their columns have the names as given, with
    parameters. The names of a mapping are kept.
    """
    if isinstance(metrics, Mapping) and metrics and all(isinstance(metric, Metric) for metric in metrics.values()):
        return dict(metrics)
    listed: Any = [metrics] if isinstance(metrics, (str, Metric)) else metrics
    if not isinstance(listed, Sequence):
        raise InputError(f"metrics is {type_name(metrics)}, not a list", fix='Pass metrics=["gleu"], for example')
    if not listed:
        raise InputError("metrics is empty", fix='Pass metrics=["gleu"], for example')
    made = [make_metric(metric) for metric in listed]
    names = [metric.name for metric in made]
    columns = [name if names.count(name) == 1 else str(wanted) for name, wanted in zip(names, listed, strict=True)]
    for column in columns:
        if columns.count(column) > 1:
            raise InputError(f"the metric {column} is given twice", fix="Give each metric once")
    return dict(zip(columns, made, strict=True))


def with_needed_references(corpus: Corpus, metrics: Iterable[str | Metric] | None) -> Corpus:
    """Derive references from edits if one of the metrics needs references.

    If `metrics` is None, references are derived whenever the edits can be applied.
    """
    from gecbench.corpus.derive import with_references

    if not corpus.has("annotations") and not corpus.has("groups"):
        return corpus
    if metrics is not None:
        needed = any(make_metric(metric).gold(corpus) == "references" for metric in metrics)
        return with_references(corpus) if needed else corpus
    try:
        return with_references(corpus)
    except InputError:
        return corpus

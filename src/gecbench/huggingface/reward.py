"""Rewards for reinforcement learning, in the form that TRL's trainers need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from gecbench.corpus.corpus import Corpus, check_texts
from gecbench.corpus.prepare import Preprocessing, foreign_lines
from gecbench.errors import InputError, MissingDependencyError, counted
from gecbench.metrics.base import METRICS, Metric, make_metric

_LONGEST = 10  # a correction has at most _LONGEST × source + _SPARE characters
_SPARE = 200
Row = tuple[str, tuple[str, ...], str]


def reward(
    metric: str | Metric = "gleu",
    *,
    source: str = "source",
    references: str | Sequence[str] = "references",
    tokenize: str = "auto",
    baseline: Literal["source"] | None = None,
    overcorrection: float = 0.0,
) -> Reward:
    """Return a reward function for `trl.GRPOTrainer` and other trainers.

    Pass the function to the trainer as `reward_funcs=[…]`. The function takes completions (strings or chat messages)
    and the columns of the dataset by name. It returns the sentence score of each completion. Text up to `</think>` is
    ignored.

    A score does not depend on the other completions of the same call, with two exceptions. The length weights of
    "cleme" come from all completions of a call, unless you use "cleme(weights=none)". With
    "imeasure(optimise=corpus)", references are chosen for the total of all completions of a call.

    Bad completions raise no error. Instead their score is the lowest value of the metric: -1 for the I-measure, 0 for
    other metrics. A completion is bad if it is empty, shares hardly any words with its source, is longer than ten times
    its source plus 200 characters, or cannot be scored. `baseline` and `overcorrection` can lower the reward of a bad
    completion further, below the lowest value of the metric.

    Args:
        metric: "gleu", "m2", "errant", "green", "imeasure" or another of gecbench's metrics, with parameters in
            parentheses if any.
        source: The column of sentences to correct.
        references: The column of references (a list or a single text per row), or a list of such columns.
        tokenize: "auto" tokenizes raw completions like their source, "none" leaves them unchanged, and any other value
            is the name of a tokenizer.
        baseline: "source" subtracts the score of the unchanged sentence, so that a reward above 0 means an improvement.
        overcorrection: The weight of needless changes. This weight times (needlessly changed words / words of the
            source, at most 1) is subtracted from the reward. Needless changes remove words that the source and all
            references have, or add words that neither the source nor any reference has.

    Returns:
        A function that can be pickled and called from several threads.

    Raises:
        InputError: The metric or an option is unknown. The returned function raises this error if a column is missing
            or has the wrong number of rows, or if a row has no reference.
        gecbench.errors.MissingDependencyError: The metric needs a package that is not installed.

    >>> gleu = reward("gleu", source="sentence", references="corrections")
    >>> rows = {"sentence": ["He go home ."] * 2, "corrections": [["He goes home ."]] * 2}
    >>> gleu(["He goes home.", ""], **rows)
    [1.0, 0.0]
    """
    made = make_metric(metric)
    if made.name not in METRICS:
        raise InputError(
            f"{metric} is a function, not a metric of gecbench", fix="Pass the function to the trainer directly"
        )
    if made.missing():
        raise MissingDependencyError(f"{made.name}: {made.missing()}")
    if baseline not in ("source", None):
        raise InputError(f"baseline={baseline!r} is unknown", fix="Use 'source' or None")
    if not overcorrection >= 0:
        raise InputError(f"overcorrection={overcorrection!r} is negative or not a number", fix="Pass 0 or more")
    columns = (references,) if isinstance(references, str) else tuple(references)
    return Reward(made, source, columns, Preprocessing(tokenize), baseline, overcorrection)


@dataclass(frozen=True)
class Reward:
    """A reward function that returns a score for each completion.

    Create it with `reward`, which explains the arguments.

    Args:
        metric: The metric.
        source: The column of sentences to correct.
        references: The columns of references.
        preprocessing: How text is tokenized.
        baseline: "source" subtracts the score of the unchanged sentence.
        overcorrection: The weight of needless changes.

    >>> from gecbench import reward
    >>> reward("gleu", source="sentence")(["He goes ."], sentence=["He go ."], references=[["He goes ."]])
    [1.0]
    """

    metric: Metric
    source: str
    references: tuple[str, ...]
    preprocessing: Preprocessing
    baseline: Literal["source"] | None
    overcorrection: float

    @property
    def __name__(self) -> str:
        """The name under which trainers log the reward."""
        return self.metric.name

    def __call__(self, completions: Sequence[Any], **columns: Any) -> list[float]:
        """Return a reward for each completion. Columns that are not needed are ignored.

        Args:
            completions: The completions, as strings or chat messages.
            **columns: The columns of the dataset by name, with one value per completion.

        Raises:
            InputError: A column is missing or has the wrong number of rows, or a row has no reference.
        """
        sources = check_texts(self._column(columns, self.source, len(completions)), self.source)
        references = self._references(columns, len(completions))
        texts = [_usable_text(each, source) for each, source in zip(completions, sources, strict=True)]
        rows = [self.preprocessing.prepare_sentence(*row) for row in zip(sources, references, texts, strict=True)]
        values = np.where(self._is_garbage(rows), self.metric.lowest, self._values(rows))
        if self.baseline:
            values -= self._values([(source, known, source) for source, known, _ in rows])
        if self.overcorrection:
            values -= self.overcorrection * np.array([_needless_share(*row) for row in rows])
        return [float(value) for value in values]

    def _column(self, columns: Mapping[str, Any], name: str, size: int) -> list[Any]:
        if name not in columns:
            known = [each for each, values in columns.items() if isinstance(values, (list, tuple))]
            problem = f"the dataset has no column {name!r} (columns: {', '.join(known) or 'none'})"
            fix = "Pass the names of its columns to reward(source=…, references=…)"
            raise InputError(problem, fix=fix)
        found = list(columns[name])
        if len(found) != size:
            problem = f"the column {name!r} has {counted(len(found), 'row')} for {counted(size, 'completion')}"
            raise InputError(problem, fix="Pass one row for each completion")
        return found

    def _references(self, columns: Mapping[str, Any], size: int) -> list[tuple[str, ...]]:
        found: list[tuple[str, ...]] = [()] * size
        for name in self.references:
            for i, texts in enumerate(self._column(columns, name, size)):
                found[i] += check_texts([texts] if isinstance(texts, str) else texts, f"{name}[{i}]")
        if not all(found):
            row = found.index(())
            problem = f"row {row} (counted from 0) has no reference in {' and '.join(map(repr, self.references))}"
            raise InputError(problem, fix="Give each row at least one reference")
        return found

    def _is_garbage(self, rows: Sequence[Row]) -> npt.NDArray[np.bool_]:
        """Return which texts are empty, or share hardly any words with their source."""
        if not rows:
            return np.zeros(0, dtype=np.bool_)
        sources, _, texts = zip(*rows, strict=True)
        garbage = foreign_lines(sources, texts)
        garbage |= np.array([not text for text in texts])
        return garbage

    def _values(self, rows: Sequence[Row]) -> npt.NDArray[np.float64]:
        """Return the score of each row. Equal rows are scored only once."""
        places: dict[Row, int] = {}
        order = [places.setdefault(row, len(places)) for row in rows]
        values: npt.NDArray[np.float64] = self._count(list(places))[order]
        return values

    def _count(self, rows: Sequence[Row]) -> npt.NDArray[np.float64]:
        if not rows:
            return np.zeros(0)
        sources, references, texts = zip(*rows, strict=True)
        try:
            statistics = self.metric.count(Corpus(sources, references), texts)
            return np.asarray(self.metric.sentence_values(statistics), dtype=np.float64)
        except ValueError:  # the metric cannot score some text: score each text alone
            if len(rows) == 1:
                return np.array([self.metric.lowest])
            return np.concatenate([self._count([row]) for row in rows])


def _usable_text(completion: Any, source: str) -> str:
    """Return the text of a completion on one line, or "" if the text is too long."""
    text = _message_text(completion)
    if "<think>" in text or "</think>" in text:
        text = text.rpartition("</think>")[2].partition("<think>")[0]
    if len(text) > _LONGEST * len(source) + _SPARE:
        return ""
    return " ".join((text if text.isascii() else text.encode(errors="replace").decode()).split())


def _message_text(completion: Any) -> str:
    """Return the text of a string, a message, or a chat's last assistant message."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Mapping):
        parts = completion.get("content")
        if isinstance(parts, Iterable) and not isinstance(parts, str):
            return "".join(str(part.get("text") or "") for part in parts if isinstance(part, Mapping))
        return parts if isinstance(parts, str) else ""
    if isinstance(completion, Sequence) and not isinstance(completion, bytes):
        messages = [each for each in completion if isinstance(each, Mapping)]
        own = [each for each in messages if each.get("role", "assistant") == "assistant"]
        return _message_text(own[-1]) if own else ""
    return ""


def _needless_share(source: str, references: Sequence[str], text: str) -> float:
    """Return the share of needlessly changed words, at most 1.

    This is the number of needlessly changed words, divided by the number of words in the source.
    """
    ours, theirs, written = (
        Counter(source.split()),
        [Counter(each.split()) for each in references],
        Counter(text.split()),
    )
    kept, known = ours.copy(), ours.copy()
    for words in theirs:
        kept &= words
        known |= words
    return min(1.0, ((kept - written).total() + (written - known).total()) / max(1, ours.total()))

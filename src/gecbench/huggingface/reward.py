"""Rewards for reinforcement learning: the score of each completion by itself, as TRL's trainers ask for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from gecbench.corpus.corpus import Corpus, check_texts
from gecbench.corpus.prepare import Preprocessing, foreign_lines
from gecbench.errors import InputError, MissingDependencyError, counted, did_you_mean
from gecbench.metrics.base import METRICS, Metric, make_metric

_LONGEST = 10  # a completion is at most so many times as long as its source, and _SPARE characters
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
    """Return a reward function for `trl.GRPOTrainer(reward_funcs=[…])` and other trainers.

    The function takes completions, as strings or chat messages, and the columns of the dataset by name. It returns the
    sentence score of each completion. A completion's reward does not depend on the others. No completion raises an
    error: it gets the lowest value (-1 for the I-measure, 0 otherwise) if it is empty, shares hardly a word with its
    source, or is more than ten times as long. A thought before `</think>` is left out.

    Args:
        metric: "gleu", "m2", "errant", "green", "imeasure" or another of gecbench's metrics, with parameters in
            parentheses if any.
        source: The column of sentences to correct.
        references: The column of references, a list or a single text in each row; or several columns of texts.
        tokenize: "auto" splits raw text as its source is split; "none" takes text as it is; or a tokenizer's name.
        baseline: "source" subtracts the score of leaving the sentence alone, so that a reward above 0 is an
            improvement.
        overcorrection: Subtracts this much times the share of words changed without need: words of the source that
            all references keep and the completion lacks, and words that neither the source nor a reference has.

    Returns:
        A function that can be pickled and called from several threads.

    Raises:
        InputError: The metric or an option is unknown.
        MissingDependencyError: The metric needs a package that is not installed.

    Example:
        >>> gleu = reward("gleu", source="sentence", references="corrections")
        >>> rows = {"sentence": ["He go home ."] * 2, "corrections": [["He goes home ."]] * 2}
        >>> gleu(["He goes home.", ""], **rows)
        [1.0, 0.0]
    """
    made = make_metric(metric)
    if made.name not in METRICS:
        raise InputError(f"{metric} is a function of your own", fix="Pass it to the trainer directly")
    if made.missing():
        raise MissingDependencyError(f"{made.name} needs more packages. {made.missing()}")
    if baseline not in ("source", None):
        raise InputError(f"baseline={baseline!r} is unknown", fix="Use 'source' or None")
    if not overcorrection >= 0:
        raise InputError(f"overcorrection={overcorrection!r} is not a number of at least 0")
    columns = (references,) if isinstance(references, str) else tuple(references)
    return Reward(made, source, columns, Preprocessing(tokenize), baseline, overcorrection)


@dataclass(frozen=True)
class Reward:
    """Scores completions one by one; made by `reward`."""

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
        """Return a reward for each completion; columns that it does not need are ignored."""
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
            fix = f"{did_you_mean(name, known)}Set source=… and references=… to columns: {', '.join(known) or 'none'}"
            raise InputError(f"the dataset has no column {name!r}", fix=fix)
        found = list(columns[name])
        if len(found) != size:
            raise InputError(f"{counted(len(found), 'row')} of {name} for {counted(size, 'completion')}")
        return found

    def _references(self, columns: Mapping[str, Any], size: int) -> list[tuple[str, ...]]:
        found: list[tuple[str, ...]] = [()] * size
        for name in self.references:
            for i, texts in enumerate(self._column(columns, name, size)):
                found[i] += check_texts([texts] if isinstance(texts, str) else texts, f"{name}[{i}]")
        if not all(found):
            row = found.index(())
            raise InputError(f"row {row} has no references in {' and '.join(self.references)}")
        return found

    def _is_garbage(self, rows: Sequence[Row]) -> npt.NDArray[np.bool_]:
        """Return which texts are empty, or share hardly a word with their source."""
        if not rows:
            return np.zeros(0, dtype=np.bool_)
        sources, _, texts = zip(*rows, strict=True)
        garbage = foreign_lines(sources, texts)
        garbage |= np.array([not text for text in texts])
        return garbage

    def _values(self, rows: Sequence[Row]) -> npt.NDArray[np.float64]:
        """Return the score of each row, counted once if it is repeated."""
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
        except ValueError:  # a text that the metric refuses: the others still count
            if len(rows) == 1:
                return np.array([self.metric.lowest])
            return np.concatenate([self._count([row]) for row in rows])


def _usable_text(completion: Any, source: str) -> str:
    """Return the text of a completion on one line; empty if it is too long to be a correction."""
    text = _message_text(completion)
    if "<think>" in text or "</think>" in text:
        text = text.rpartition("</think>")[2].partition("<think>")[0]
    if len(text) > _LONGEST * len(source) + _SPARE:
        return ""
    return " ".join((text if text.isascii() else text.encode(errors="replace").decode()).split())


def _message_text(completion: Any) -> str:
    """Return the text of a string, of a chat message, or of the last message of an assistant."""
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
    """Return how many words of a text were changed without need, by the words of the source; at most 1."""
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

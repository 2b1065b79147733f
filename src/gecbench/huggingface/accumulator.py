"""Collect outputs of batches and processes, and restore the order of the corpus."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

from gecbench.analysis.report import Scores
from gecbench.analysis.significance import DEFAULT_SEED
from gecbench.api import default_metrics, score_prepared
from gecbench.corpora.load import CorpusLike, resolve_corpus
from gecbench.corpus.corpus import check_texts
from gecbench.corpus.prepare import MixedUpTextWarning, Prepared, Preprocessing, share_guide
from gecbench.errors import InputError, counted
from gecbench.metrics.base import Metrics, metric_columns


class OrderWarning(UserWarning):
    """Outputs of several processes have no ids, so their order is unknown.

    The scores of GLEU, M2, ERRANT and CLEME depend on the order.
    """


class Accumulator:
    """Collect outputs of batches and processes, and score them in the corpus's order.

    GLEU's random references, and the annotators that M2 and ERRANT choose, depend on the order of the sentences. An
    accumulator uses the ids of the sentences to restore that order. So the scores are identical to those of a single
    call of `score`, even if batches are shuffled, split between processes, or repeat some sentences (as with
    `DistributedSampler`).

    Args:
        corpus: A `Corpus`, a name such as `"jfleg:test"`, a file or rows, as in `score`.
        metrics: Names of metrics, with parameters in parentheses if any, or metric objects. The default is the official
            metric of a named corpus, and GLEU for any other corpus.
        tokenize: "auto" (the default) tokenizes raw outputs like the corpus, "none" leaves them unchanged, and any
            other value is the name of a tokenizer.

    Attributes:
        corpus: The loaded `Corpus`.
        metrics: The metric objects, by name.

    Raises:
        InputError: The corpus, a metric or the tokenizer is unknown.
        gecbench.errors.UpstreamError: A named corpus cannot be downloaded.

    >>> from gecbench import score
    >>> total = Accumulator("demo", ["gleu", "m2"])
    >>> other = Accumulator("demo", ["gleu", "m2"])
    >>> outputs = total.corpus.sources
    >>> total.update(range(0, 42, 2), outputs[0::2])
    >>> other.update(range(1, 42, 2), outputs[1::2])
    >>> total.merge(other)
    >>> total.compute()["gleu"].value == score(outputs, "demo")["gleu"].value
    True
    """

    def __init__(self, corpus: CorpusLike, metrics: Metrics | None = None, *, tokenize: str = "auto") -> None:
        self.metrics = metric_columns(default_metrics(corpus) if metrics is None else metrics)
        self.corpus = resolve_corpus(corpus, list(self.metrics.values()))
        self._preprocessing = Preprocessing(tokenize, tokenized=True, paired=True)
        ids = self.corpus.ids or ()
        self._places = {name: place for place, name in enumerate(ids)}
        # An integer is an id if all ids are numbers, but not just 1, 2, 3, … Otherwise it is a position.
        own_numbers = all(name.isdecimal() for name in ids) and list(ids) != [str(i + 1) for i in range(len(ids))]
        self._numbers_are_ids = own_numbers
        self._outputs: dict[int, str] = {}
        self._conflicts: set[int] = set()

    def __len__(self) -> int:
        """Return the number of sentences that have an output."""
        return len(self._outputs)

    def update(self, ids: Iterable[str | int], texts: Iterable[str]) -> None:
        """Add the outputs of some sentences, in any order.

        Args:
            ids: The ids of the sentences (strings), or their positions in the corpus from 0 (integers). If the corpus
                has numeric ids other than 1, 2, 3 and so on, an integer is such an id, not a position.
            texts: One output for each id. If a sentence is given twice, its first output counts.

        Raises:
            InputError: An id is unknown, or there are more or fewer texts than ids.
        """
        places = [self._place(each) for each in list_ids(ids)]
        lines = check_texts(texts, "texts")
        if len(lines) != len(places):
            found = f"{counted(len(lines), 'text')} for {counted(len(places), 'id')}"
            raise InputError(found, fix="Give one text for each id")
        self._add(zip(places, lines, strict=True))

    def merge(self, other: Accumulator) -> None:
        """Add the outputs of another accumulator, for example from another process.

        Args:
            other: An accumulator for the same corpus.

        Raises:
            InputError: The other accumulator has another corpus.
        """
        if other.corpus is not self.corpus and other.corpus.fingerprint() != self.corpus.fingerprint():
            problem = f"outputs of {other.corpus.name} cannot be merged with outputs of {self.corpus.name}"
            raise InputError(problem, fix="Create both accumulators with the same corpus")
        self._add(other._outputs.items())
        self._conflicts |= other._conflicts

    def gather(self) -> None:
        """Exchange the outputs of all processes, so that each process has all outputs.

        Every process must call this method. It does nothing if `torch.distributed` is not in use.
        """
        parts = all_gather(self._outputs)
        self._outputs = {}
        for part in parts:
            self._add(part.items())

    def compute(self, *, partial: bool = False) -> Scores:
        """Return the scores of all sentences, by metric.

        Args:
            partial: Score only the sentences that have an output, and warn if some have none.

        Raises:
            InputError: Some sentences have no output yet, or a metric cannot score the outputs.
            gecbench.errors.MissingDependencyError: A metric or the tokenizer needs a package that is not installed.
        """
        prepared = self.prepare(partial=partial)
        return Scores(score_prepared({"predictions": prepared}, self.metrics, 0, DEFAULT_SEED)["predictions"])

    def prepare(self, *, partial: bool = False) -> Prepared:
        """Return the outputs in the order of the corpus, checked and tokenized.

        `Metric.score_prepared` scores them. `partial` is explained in `compute`.

        Raises:
            InputError: There are no outputs, or sentences have no output and `partial` is False.
        """
        corpus, places = self.corpus, sorted(self._outputs)
        if len(places) < len(corpus):
            first = next(name for name, place in self._places.items() if place not in self._outputs)
            if not partial or not places:
                missing = f"{len(corpus) - len(places):,} of {counted(len(corpus), 'sentence')}"
                fix = "Call update for every sentence, then gather if there are several processes"
                raise InputError(f"there is no output for {missing}, for example {first!r}", fix=fix)
            warnings.warn("some sentences have no output, so they are not scored", MixedUpTextWarning, stacklevel=3)
            corpus = share_guide(corpus, corpus.select(places))
        if self._conflicts:
            conflicts = counted(len(self._conflicts), "sentence")
            problem = f"two different outputs were given for {conflicts}. The first output of each sentence is scored"
            warnings.warn(problem, MixedUpTextWarning, stacklevel=3)
        return self._preprocessing.prepare(corpus, [self._outputs[place] for place in places])

    def reset(self) -> None:
        """Remove all outputs, before the next evaluation."""
        self._outputs, self._conflicts = {}, set()

    def _add(self, outputs: Iterable[tuple[int, str]]) -> None:
        for place, text in outputs:
            if self._outputs.setdefault(place, text) != text:
                self._conflicts.add(place)

    def _place(self, wanted: object) -> int:
        if isinstance(wanted, Integral) and not isinstance(wanted, bool) and not self._numbers_are_ids:
            place = int(wanted)
            if 0 <= place < len(self.corpus):
                return place
        elif str(wanted) in self._places:
            return self._places[str(wanted)]
        known = list(self._places)
        fix = f"Give an id ({known[0]!r} to {known[-1]!r})"
        fix += "" if self._numbers_are_ids else f" or a position (0 to {len(known) - 1})"
        raise InputError(f"{self.corpus.name} has no sentence {wanted!r}", fix=fix)


def in_order(ids: Iterable[str | int], *columns: Sequence[Any]) -> list[list[Any]]:
    """Sort the rows of some columns by id, and drop rows with a repeated id.

    Numbers in ids are compared by value: `"test-9"` comes before `"test-10"`. The first row of each id is kept.

    Args:
        ids: The id of each row.
        columns: The columns to sort. The first column is the text that the id stands for.

    Raises:
        InputError: Two rows with the same id differ in the first column.

    >>> in_order(["b-10", "b-9", "b-10"], ["ten", "nine", "ten"])
    [['nine', 'ten']]
    """
    first: dict[str, int] = {}
    for row, name in enumerate(map(str, list_ids(ids))):
        if columns[0][first.setdefault(name, row)] != columns[0][row]:
            raise InputError(f"two different sentences have the id {name!r}", fix="Give each sentence an id of its own")
    rows = [first[name] for name in sorted(first, key=_natural_key)]
    return [[column[row] for row in rows] for column in columns]


def _natural_key(name: str) -> list[tuple[int, int, str]]:
    parts = re.split(r"([0-9]+)", name)
    return [(0, int(part), part) if part.isdecimal() else (1, 0, part) for part in parts if part]


def all_gather(value: Any) -> list[Any]:
    """Return the values of all `torch.distributed` processes, in the order of ranks.

    If there is one process, the list contains only `value`.
    """
    if count_processes() == 1:
        return [value]
    values: list[Any] = [None] * count_processes()
    sys.modules["torch"].distributed.all_gather_object(values, value)
    return values


def count_processes() -> int:
    """Return the number of `torch.distributed` processes, or 1 if it is not used."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.distributed.is_available() or not torch.distributed.is_initialized():
        return 1
    return int(torch.distributed.get_world_size())


def list_ids(ids: Any) -> list[Any]:
    """Return ids as a list. The ids in an array or a tensor become Python numbers."""
    if isinstance(ids, (str, bytes)):
        raise InputError(f"ids is a single {type(ids).__name__}", fix="Pass a list with one id for each text")
    return list(ids.tolist() if hasattr(ids, "tolist") else ids)

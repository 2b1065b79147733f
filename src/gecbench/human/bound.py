"""The human bound: annotators scored like systems, against subsets of the others (Bryant & Ng 2015)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gecbench.corpus.corpus import Corpus
from gecbench.corpus.edits import EditedTexts
from gecbench.corpus.prepare import Preprocessing
from gecbench.display import progress
from gecbench.errors import InputError
from gecbench.kernels import select, threads
from gecbench.metrics.base import Counts, Metric, Statistics, Values, f_beta, make_metric, precision_recall
from gecbench.metrics.m2 import complete, error_types, restrict_types
from gecbench.metrics.policy import GreedyCumulative, SingleRow

Sizes = Literal["all", "last"]
PROGRESS_TITLE = "sets of annotators"
MOST_ANNOTATORS = 16
Present = NDArray[np.bool_]
Subsets = NDArray[np.uint32]
SubsetScore = Callable[[Counts, Present], float]


# f(a, X) of Bryant & Ng 2015, eq. 1, for all authors a and all subsets X of annotators at once: (authors, subsets) of
# counts (authors, sentences, annotators, counts), who is present (sentences, annotators), and one bit per annotator.
BoundScorer = Callable[[Counts, Present, Subsets], Values]


@dataclass(frozen=True)
class GreedyF:
    """F of edit counts (correct, proposed, gold) by M2's greedy-cumulative choice (docs/m2.md B.9, B.10).

    `rounded`: by errant_compare's choice instead.
    """

    beta: float = 0.5
    threads: int | None = None
    rounded: bool = False

    def __call__(self, counts: Counts, present: Present, subsets: Subsets) -> Values:
        """Run the greedy choice for every author and subset."""
        if counts.shape[3] != 3:
            raise InputError(f"{counts.shape[3]} counts per sentence where correct, proposed, gold are needed")
        totals = select("greedy").subset_totals(
            counts=np.ascontiguousarray(counts, dtype=np.int64),
            present=np.ascontiguousarray(present),
            subsets=subsets,
            beta_squared=self.beta * self.beta,
            threads=self.threads or threads(),
            rounded=self.rounded,
        )
        return f_beta(*precision_recall(totals), self.beta)


@dataclass(frozen=True)
class EachSubset:
    """Any score, one author and one subset at a time; `score` gets the subset's counts and presence.

    Annotators are not scored against subsets that hold themselves (NaN stands there).
    """

    score: SubsetScore

    def __call__(self, counts: Counts, present: Present, subsets: Subsets) -> Values:
        """Score each author against each subset."""
        annotators = counts.shape[2]
        values = np.full((len(counts), len(subsets)), np.nan)
        with progress(len(subsets), PROGRESS_TITLE) as bar:
            for number, members in enumerate(subset_members(subsets, annotators)):
                for author in range(len(counts)):
                    if author >= annotators or not members[author]:
                        values[author, number] = self.score(counts[author][:, members], present[:, members])
                bar.update(1)
        return values


@dataclass(frozen=True)
class BoundRow:
    """Scores against `size` annotators: h_i (eq. 2; NaN where no annotator is left over) and s_i (eq. 3)."""

    size: int
    human: float
    systems: Mapping[str, float]

    def ratio(self, system: str) -> float:
        """s_i / h_i: how near the system comes to a human (§5.3)."""
        return self.systems[system] / self.human if self.human else float("nan")


@dataclass(frozen=True)
class Bound:
    """Rows by number of annotators, and g(X) (eq. 1) by subset, one bit per annotator."""

    rows: tuple[BoundRow, ...]
    subsets: Subsets
    g: Values

    def row(self, size: int) -> BoundRow:
        """The row of this number of annotators."""
        for row in self.rows:
            if row.size == size:
                return row
        raise InputError(f"no row for {size} annotators", fix=f"There are {[row.size for row in self.rows]}.")


def bound_of_counts(
    counts: Counts,
    scorer: BoundScorer,
    *,
    systems: Sequence[str] = (),
    sizes: Sizes = "all",
    present: Present | None = None,
) -> Bound:
    """Score humans and systems against subsets of annotators (Bryant & Ng 2015, §5.2).

    `counts` is (authors, sentences, annotators, counts): author j < annotators is annotator j's own correction scored
    as a hypothesis, the authors after them are the systems. `sizes="last"` scores humans against all the others only.
    `present` (sentences, annotators) says who annotated what; where none of a subset did, the counts of its absent
    annotators are used, which the caller fills with the counts against no edits.
    """
    if present is None:
        present = np.ones(counts.shape[1:3], dtype=bool)
    _check(counts, systems, present)
    subsets = annotator_subsets(counts.shape[2], sizes)
    return bound_of_values(scorer(counts, present, subsets), subsets, counts.shape[2], systems)


def bound_of_values(values: Values, subsets: Subsets, annotators: int, systems: Sequence[str]) -> Bound:
    """Average f(a, X), (authors, subsets), into g(X), h_i and s_i; authors inside X are not looked at."""
    outside = ~subset_members(subsets, annotators).T
    left = outside.sum(axis=0)
    sums = np.where(outside, values[:annotators], 0.0).sum(axis=0)
    g = np.divide(sums, left, out=np.full(len(subsets), np.nan), where=left > 0)
    rows = []
    for size in sorted(set((annotators - left).tolist())):
        here = annotators - left == size
        scores = {name: float(values[annotators + k, here].mean()) for k, name in enumerate(systems)}
        rows.append(BoundRow(size, float(g[here].mean()), scores))
    return Bound(tuple(rows), subsets, g)


def annotator_subsets(annotators: int, sizes: Sizes = "all") -> Subsets:
    """Return all non-empty subsets of annotators, or those that leave out exactly one; one bit per annotator."""
    if not 1 <= annotators <= MOST_ANNOTATORS:
        raise InputError(
            f"{annotators} annotators", fix=f"The bound is computed for 1 to {MOST_ANNOTATORS} annotators."
        )
    subsets = np.arange(1, 1 << annotators, dtype=np.uint32)
    if sizes == "all":
        return subsets
    chosen: Subsets = subsets[subset_members(subsets, annotators).sum(axis=1) == annotators - 1]
    return chosen


def subset_members(subsets: Subsets, annotators: int) -> NDArray[np.bool_]:
    """Return which annotators each subset holds: (subsets, annotators)."""
    return (subsets[:, None] >> np.arange(annotators, dtype=np.uint32) & 1).astype(bool)


def _check(counts: Counts, systems: Sequence[str], present: Present) -> None:
    if counts.ndim != 4 or counts.shape[0] != counts.shape[2] + len(systems):
        raise InputError(
            f"counts of shape {counts.shape} for {len(systems)} systems",
            fix="The shape is (annotators + systems, sentences, annotators, counts).",
        )
    if len(set(systems)) != len(systems):
        raise InputError("two systems have the same name")
    if present.shape != counts.shape[1:3]:
        raise InputError(f"present has shape {present.shape}, not {counts.shape[1:3]}")


Systems = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Annotators:
    """A corpus in which every annotator corrected every sentence, and each annotator's corrected text."""

    corpus: Corpus
    texts: tuple[Sequence[str], ...] = field(repr=False)


def annotators_of(metric: Metric, corpus: Corpus) -> Annotators:
    """Return the annotators a metric scores against; who is not listed for a sentence made no edit there."""
    if metric.gold(corpus) == "annotations" and corpus.annotations is not None:
        everybody = corpus.replace(annotations=complete(corpus.annotations))
        rows: Sequence[Sequence[Any]] = metric.annotations(everybody)
    elif corpus.references is not None:
        everybody, rows = corpus, corpus.references
    else:
        raise InputError(f"{corpus.name} has neither references nor annotations")
    sizes = {len(row) for row in rows}
    if len(sizes) != 1 or sizes == {1}:
        found = "one" if sizes == {1} else f"{min(sizes)} to {max(sizes)}"
        raise InputError(
            f"{corpus.name} has {found} references per sentence",
            fix="A human bound needs the same number for every sentence, at least two",
        )
    columns = tuple(zip(*rows, strict=True))
    if rows is corpus.references:
        return Annotators(everybody, columns)
    return Annotators(everybody, tuple(EditedTexts.of(corpus.sources, [[one] for one in made]) for made in columns))


def human_bound(
    metric: str | Metric,
    corpus: Corpus,
    systems: Systems | None = None,
    *,
    sizes: Sizes = "all",
    sentences: Sequence[int] | None = None,
    **preprocessing: Any,
) -> Bound:
    """Score annotators against each other, and systems against them, by number of annotators.

    For any metric: against edits (Bryant & Ng 2015, equations 1 to 3) or rewrites (JFLEG's "Human" is the last row).
    `sizes="last"` leaves out one annotator at a time and nothing more; `sentences` keeps some of them;
    `preprocessing` are the fields of `Preprocessing`, such as `tokenize="auto"`.

    >>> from gecbench.corpora.demo import load_demo
    >>> [row.size for row in human_bound("gleu(iterations=10)", load_demo()).rows]
    [1, 2, 3, 4]
    """
    made = make_metric(metric)
    part = corpus if sentences is None else corpus.select(list(sentences))
    door = Preprocessing(**{"foreign": "error", **preprocessing})
    chosen = {
        name: door.prepare(corpus, texts, f"predictions of {name}").lines for name, texts in (systems or {}).items()
    }
    if sentences is not None:
        chosen = {name: _selected(texts, sentences) for name, texts in chosen.items()}
    found = annotators_of(made, part)
    counts = author_counts(made, found, chosen)
    if counts is None:
        return _bound_by_counting_again(made, found, chosen, sizes)
    policy = made.reference_policy
    if isinstance(policy, GreedyCumulative):
        scorer: BoundScorer = GreedyF(policy.beta, rounded=policy.rounded)
    else:
        scorer = EachSubset(_scorer(made))
    return bound_of_counts(counts, scorer, systems=tuple(chosen), sizes=sizes)


def _selected(texts: Sequence[str], sentences: Sequence[int]) -> tuple[str, ...]:
    return texts.select(sentences) if isinstance(texts, EditedTexts) else tuple(texts[i] for i in sentences)


def bound_by_category(
    metric: str | Metric, corpus: Corpus, categories: Sequence[str] | None = None, *, sizes: Sizes = "last"
) -> dict[str, Bound]:
    """Return the human bound of each error category, all other edits left out of gold and humans (§6.1).

    Systems do not say which category they correct, so there are none here.
    """
    known = error_types(corpus)
    chosen = sorted(known) if categories is None else list(categories)
    if unknown := [name for name in chosen if name not in known]:
        raise InputError(f"no edits of the category {unknown[0]}", fix=f"There are {', '.join(sorted(known))}")
    return {name: human_bound(metric, restrict_types(corpus, [name]), sizes=sizes) for name in chosen}


def author_counts(metric: Metric, annotators: Annotators, systems: Systems) -> Counts | None:
    """Return (authors, sentences, annotators, counts), annotators before systems.

    None where the metric has no row of counts for each annotator, as when it merges references.
    """
    if isinstance(metric.reference_policy, SingleRow):
        return None
    tables = []
    corpus = annotators.corpus
    with progress(len(annotators.texts) + len(systems), metric.title) as bar:
        for author in (*annotators.texts, *systems.values()):
            counted = metric.count(corpus, author)
            if (counted.choices() != len(annotators.texts)).any():
                return None
            tables.append(counted.counts.reshape(len(corpus), len(annotators.texts), -1))
            bar.update(1)
    return np.stack(tables)


def _scorer(metric: Metric) -> SubsetScore:
    def score(counts: Counts, _present: NDArray[np.bool_]) -> float:
        sentences, chosen, width = counts.shape
        offsets = np.arange(sentences + 1, dtype=np.int64) * chosen
        return metric.value_of(Statistics(np.ascontiguousarray(counts.reshape(-1, width)), offsets))

    return score


def _bound_by_counting_again(metric: Metric, annotators: Annotators, systems: Systems, sizes: Sizes) -> Bound:
    """Score every author against every subset anew, for metrics that look at all references at once."""
    people = len(annotators.texts)
    subsets = annotator_subsets(people, sizes)
    authors = [*annotators.texts, *systems.values()]
    values = np.full((len(authors), len(subsets)), np.nan)
    with progress(len(subsets), PROGRESS_TITLE) as bar:
        for number, members in enumerate(subset_members(subsets, people)):
            part = _restricted(metric, annotators.corpus, np.flatnonzero(members).tolist())
            for author, texts in enumerate(authors):
                if author >= people or not members[author]:
                    values[author, number] = metric.value_of(metric.count(part, texts))
            bar.update(1)
    return bound_of_values(values, subsets, people, tuple(systems))


def _restricted(metric: Metric, corpus: Corpus, members: list[int]) -> Corpus:
    if metric.gold(corpus) == "references":
        return corpus.with_references(members)
    if corpus.annotations is None:
        raise InputError(f"{corpus.name} has error groups, not annotators to leave out", fix="Give annotations (M2)")
    return corpus.replace(annotations=[[row[k] for k in members] for row in corpus.annotations or ()])

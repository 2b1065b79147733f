"""The human bound: annotators scored like systems (Bryant & Ng 2015, §5).

Each annotator is scored against subsets of the others.

With n annotators, f(a, X) is the score of author a (an annotator or a system) against the annotators in X:

1. g(X) = mean of f(a, X) over the annotators a outside X,
2. h_i = mean of g(X) over the subsets X of i annotators: the human score,
3. s_i = mean of f(system, X) over the same subsets: the system's score.

The share of human performance that a system reaches is s_i / h_i (§5.3).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gecbench.corpus.corpus import Corpus
from gecbench.corpus.edits import EditedTexts, EditTable
from gecbench.corpus.prepare import Prepared, Preprocessing
from gecbench.display import log_info, progress
from gecbench.errors import InputError, counted
from gecbench.kernels import select, threads
from gecbench.metrics.base import Counts, Metric, Statistics, Values, f_beta, make_metric, precision_recall
from gecbench.metrics.m2 import complete, error_types, restrict_types
from gecbench.metrics.policy import GreedyCumulative

MOST_ANNOTATORS = 16  # 65,535 subsets
Sizes = Literal["all", "last"]
Subsets = NDArray[np.uint32]  # one bit per annotator
Members = NDArray[np.bool_]  # which annotators are in a subset


@dataclass(frozen=True)
class BoundRow:
    """The scores of humans and systems against `size` annotators.

    `human` is h_i (eq. 2), or NaN if all annotators are in X. `systems` has s_i (eq. 3) by name.
    """

    size: int
    human: float
    systems: Mapping[str, float]

    def ratio(self, system: str) -> float:
        """Return s_i / h_i, the system's score as a share of human performance (§5.3)."""
        return self.systems[system] / self.human if self.human else float("nan")


@dataclass(frozen=True)
class Bound:
    """The human bound, with one row per number of annotators.

    `g` has g(X) (eq. 1) for each subset.
    """

    rows: tuple[BoundRow, ...]
    subsets: Subsets
    g: Values

    def row(self, size: int) -> BoundRow:
        """Return the row for this number of annotators."""
        for row in self.rows:
            if row.size == size:
                return row
        raise InputError(
            f"there is no result for {counted(size, 'annotator')}",
            fix=f"Choose one of {', '.join(str(row.size) for row in self.rows)}",
        )


def human_bound(
    metric: str | Metric,
    corpus: Corpus,
    systems: Mapping[str, Sequence[str] | Prepared] | None = None,
    *,
    sizes: Sizes = "all",
    sentences: Sequence[int] | None = None,
    **preprocessing: Any,
) -> Bound:
    """Score annotators against each other, and systems against the same references.

    This works with any metric, on edits (Bryant & Ng 2015) or on references. For JFLEG, the last row has the published
    score "Human".

    Args:
        metric: A metric or its name.
        corpus: A corpus with at least two references or annotators per sentence.
        systems: The predictions of each system by name. They are checked here, unless they are `Prepared`.
        sizes: "all" uses every subset of annotators as references, "last" only the subsets of all but one.
        sentences: The positions of the sentences to score. By default all.
        **preprocessing: Fields of `Preprocessing`, such as `tokenize="auto"`.

    Returns:
        The bound, with one row per size of the subsets.

    Raises:
        InputError: Sentences have different numbers of references, or only one.

    >>> from gecbench.corpora.demo import load_demo
    >>> [row.size for row in human_bound("gleu(iterations=10)", load_demo()).rows]
    [1, 2, 3, 4]
    """
    metric = make_metric(metric)
    prepare = Preprocessing(**{"foreign": "error", **preprocessing}).prepare
    lines: dict[str, Sequence[str]] = {}
    for name, given in (systems or {}).items():
        prepared = given if isinstance(given, Prepared) else prepare(corpus, given, f"predictions of {name}")
        lines[name] = prepared.lines
    if sentences is not None:
        lines = {name: _selected(texts, sentences) for name, texts in lines.items()}
        corpus = corpus.select(list(sentences))
    annotators = annotators_of(metric, corpus)
    subsets = annotator_subsets(len(annotators.texts), sizes)
    values = _score_authors(metric, annotators, [*annotators.texts, *lines.values()], subsets)
    return bound_of_values(values, subsets, len(annotators.texts), tuple(lines))


def bound_by_category(
    metric: str | Metric, corpus: Corpus, categories: Sequence[str] | None = None, *, sizes: Sizes = "last"
) -> dict[str, Bound]:
    """Return the human bound of each error category (§6.1).

    The bound of a category uses only the edits of that category.

    The metric must score against edits. Systems are not scored, because the categories of their edits are unknown.
    """
    known, made = error_types(corpus), make_metric(metric)
    if made.gold(corpus) != "annotations":
        raise InputError(f"{made.name} has no scores by error category", fix="Use m2, errant, imeasure or cleme")
    chosen = sorted(known) if categories is None else list(categories)
    if unknown := [name for name in chosen if name not in known]:
        raise InputError(f"unknown category {unknown[0]}", fix=f"Choose one of {', '.join(sorted(known))}")
    return {name: human_bound(metric, restrict_types(corpus, [name]), sizes=sizes) for name in chosen}


def _selected(texts: Sequence[str], sentences: Sequence[int]) -> Sequence[str]:
    return texts.select(sentences) if isinstance(texts, EditedTexts) else tuple(texts[i] for i in sentences)


@dataclass(frozen=True)
class Annotators:
    """A corpus in which every annotator has every sentence.

    `texts` has the corrected text of each annotator.
    """

    corpus: Corpus
    texts: tuple[Sequence[str], ...] = field(repr=False)


def annotators_of(metric: Metric, corpus: Corpus) -> Annotators:
    """Return the annotators that a metric scores against.

    Annotators who are not listed for a sentence get no edits there.
    """
    if metric.gold(corpus) == "annotations" and corpus.annotations is not None:
        corpus = corpus.replace(annotations=EditTable.of(complete(corpus.annotations)))
        rows: Sequence[Sequence[Any]] = metric.annotations(corpus)
    elif corpus.references is not None:
        rows = corpus.references
    else:
        fix = "Give at least two references or annotators per sentence"
        raise InputError(f"{corpus.name} has neither references nor annotations", fix=fix)
    sizes = {len(row) for row in rows}
    if len(sizes) != 1 or sizes == {1}:
        noun = "reference" if rows is corpus.references else "annotator"
        found = f"1 {noun}" if sizes == {1} else f"{min(sizes)} to {max(sizes)} {noun}s"
        fix = f"Give every sentence the same number of {noun}s, at least two"
        raise InputError(f"{corpus.name} has {found} per sentence", fix=fix)
    columns = tuple(zip(*rows, strict=True))
    if rows is corpus.references:
        return Annotators(corpus, columns)
    return Annotators(corpus, tuple(EditedTexts.of(corpus.sources, [[one] for one in column]) for column in columns))


def note_missing_lines(corpus: Corpus) -> None:
    """Print a note if annotators lack lines in sentences of other annotators."""
    found = [{annotation.annotator for annotation in sentence} for sentence in corpus.annotations or ()]
    lacking = {one: sum(one not in there for there in found if there) for one in sorted(set().union(*found))}
    listed = ", ".join(f"annotator {one}: {counted(lines, 'sentence')}" for one, lines in lacking.items() if lines)
    if listed:
        note = "human scores treat a sentence that an annotator left out as unchanged"
        log_info(f"{corpus.name}: {note} ({listed})")


def annotator_subsets(annotators: int, sizes: Sizes = "all") -> Subsets:
    """Return the non-empty subsets of annotators.

    With `sizes="last"`, return only the subsets that leave out exactly one annotator. A subset is a number with one bit
    per annotator.
    """
    if not 1 <= annotators <= MOST_ANNOTATORS:
        limits = f"1 to {MOST_ANNOTATORS} annotators"
        problem = f"the human bound needs {limits}, but the corpus has {annotators}"
        raise InputError(problem, fix=f"Give a corpus with {limits}")
    subsets = np.arange(1, 1 << annotators, dtype=np.uint32)
    if sizes == "all":
        return subsets
    chosen: Subsets = subsets[subset_members(subsets, annotators).sum(axis=1) == annotators - 1]
    return chosen


def subset_members(subsets: Subsets, annotators: int) -> Members:
    """Return which annotators are in each subset, as an array (subsets, annotators)."""
    return (subsets[:, None] >> np.arange(annotators, dtype=np.uint32) & 1).astype(bool)


def bound_of_values(values: Values, subsets: Subsets, annotators: int, systems: Sequence[str]) -> Bound:
    """Return the bound from the table of f(a, X) (eq. 1 to 3).

    `values` is this table, with authors as rows and subsets as columns. The authors are the annotators, then the
    systems. Values of annotators inside X are ignored.
    """
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


def _score_authors(
    metric: Metric, annotators: Annotators, authors: Sequence[Sequence[str]], subsets: Subsets
) -> Values:
    """Return f(a, X) for all authors and subsets.

    This uses the fastest way that the metric allows.
    """
    people = len(annotators.texts)
    counts = _author_counts(metric, annotators, authors)
    if counts is None:  # the metric counts all references together, so count again for each subset

        def against(members: Members) -> Callable[[int], float]:
            part = _restricted(metric, annotators.corpus, np.flatnonzero(members).tolist())
            return lambda author: metric.value_of(metric.count(part, authors[author]))

        return score_subsets(len(authors), people, subsets, against)
    policy = metric.reference_policy
    if isinstance(policy, GreedyCumulative):
        return greedy_f(counts, subsets, policy.beta, policy.rounded)

    def chosen(members: Members) -> Callable[[int], float]:
        offsets = np.arange(len(annotators.corpus) + 1, dtype=np.int64) * int(members.sum())

        def score(author: int) -> float:
            rows = counts[author][:, members].reshape(-1, counts.shape[3])
            return metric.value_of(Statistics(np.ascontiguousarray(rows), offsets))

        return score

    return score_subsets(len(authors), people, subsets, chosen)


def _author_counts(metric: Metric, annotators: Annotators, authors: Sequence[Sequence[str]]) -> Counts | None:
    """Return counts with the axes (authors, sentences, annotators, counts).

    Return None if the metric does not have one row of counts per annotator.
    """
    if not metric.reference_policy.one_row_per_reference:
        return None
    tables = []
    with progress(len(authors), metric.title) as bar:
        for author in authors:
            counted = metric.count(annotators.corpus, author)
            if (counted.choices() != len(annotators.texts)).any():
                return None
            tables.append(counted.counts.reshape(len(annotators.corpus), len(annotators.texts), -1))
            bar.update(1)
    return np.stack(tables)


def _restricted(metric: Metric, corpus: Corpus, members: list[int]) -> Corpus:
    if metric.gold(corpus) == "references":
        return corpus.with_references(members)
    if corpus.annotations is None:
        problem = f"{corpus.name} has error groups, so no annotator can be left out"
        raise InputError(problem, fix="Give annotations (an M2 file) instead")
    return corpus.replace(annotations=EditTable.of([[row[k] for k in members] for row in corpus.annotations]))


def greedy_f(counts: Counts, subsets: Subsets, beta: float = 0.5, rounded: bool = False) -> Values:
    """Return F with M2's greedy-cumulative policy for all authors and subsets.

    See docs/metrics/m2.md §9 and §10.

    `counts` has the axes (authors, sentences, annotators, 3), with the numbers of correct, proposed and gold edits.
    With `rounded`, annotators are chosen as in errant_compare.
    """
    totals = select("greedy").subset_totals(
        counts=np.ascontiguousarray(counts, dtype=np.int64),
        subsets=subsets,
        beta_squared=beta * beta,
        threads=threads(),
        rounded=rounded,
    )
    return f_beta(*precision_recall(totals), beta)


def score_subsets(
    authors: int, annotators: int, subsets: Subsets, against: Callable[[Members], Callable[[int], float]]
) -> Values:
    """Return the table of f(a, X), computed value by value.

    `against(X)` returns a function from author to score. The value is NaN for annotators inside X.
    """
    values = np.full((authors, len(subsets)), np.nan)
    with progress(len(subsets), "sets of annotators") as bar:
        for number, members in enumerate(subset_members(subsets, annotators)):
            score = against(members)
            for author in range(authors):
                if author >= annotators or not members[author]:
                    values[author, number] = score(author)
            bar.update(1)
    return values

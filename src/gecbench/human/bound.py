"""The human bound of a corpus: every annotator scored like a system (Bryant & Ng 2015)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gecbench.corpus.corpus import Corpus
from gecbench.corpus.edits import EditedTexts
from gecbench.corpus.intake import Intake
from gecbench.errors import InputError
from gecbench.human.subsets import (
    PROGRESS_TITLE,
    Bound,
    BoundScorer,
    EachSubset,
    GreedyF,
    Sizes,
    SubsetScore,
    annotator_subsets,
    bound_of_counts,
    bound_of_values,
    subset_members,
)
from gecbench.metrics.base import Metric
from gecbench.metrics.m2.error_types import error_types, restrict_types
from gecbench.metrics.m2.gold import complete
from gecbench.metrics.policy import GreedyCumulative, OnlyRow
from gecbench.metrics.registry import make_metric
from gecbench.metrics.statistics import Counts, Statistics
from gecbench.progress import progress

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
    **intake: Any,
) -> Bound:
    """Score annotators against each other, and systems against them, by number of annotators.

    For any metric: against edits (Bryant & Ng 2015, equations 1 to 3) or rewrites (JFLEG's "Human" is the last row).
    `sizes="last"` leaves out one annotator at a time and nothing more; `sentences` keeps some of them;
    `intake` are the fields of `Intake`, such as `tokenize="auto"`.

    >>> from gecbench.corpora.demo import load_demo
    >>> [row.size for row in human_bound("gleu(iterations=10)", load_demo()).rows]
    [1, 2, 3, 4]
    """
    made = make_metric(metric)
    part = corpus if sentences is None else corpus.select(list(sentences))
    door = Intake(**{"foreign": "error", **intake})
    chosen = {
        name: door.admit(corpus, texts, f"predictions of {name}").lines for name, texts in (systems or {}).items()
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
    if isinstance(metric.reference_policy, OnlyRow):
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

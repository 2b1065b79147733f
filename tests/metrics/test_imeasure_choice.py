"""Choosing mixed references: decomposition against enumeration, refusals, wrong input."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, islice, product

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from imeasure_support import Sentence, alternative, choose, grouped, limited, objectives, optional, raw
from oracles.imeasure import fill_table
from oracles.mixed_references import mixed_references

from gecbench import IMeasure
from gecbench.corpus.derive import alternatives_of
from gecbench.errors import InputError
from gecbench.kernels import native_module
from gecbench.kernels.alignment import MEASURES, Objective, align_texts, count_classes, key
from gecbench.kernels.imeasure import Group, Limits, MixedSentence, RefusedError

KERNELS = ("python", "native")


def active() -> str:
    return "python" if native_module() is None else "native"


@settings(max_examples=200)
@given(st.lists(grouped(), min_size=1, max_size=3), objectives)
def test_decomposition_equals_enumeration(batch: list[tuple[Sentence, str]], options: IMeasure) -> None:
    apart = raw(batch, limited(options, listed=0), "native")
    listed = raw(batch, limited(options, listed=1 << 40), "native")
    assert apart[:3] == listed[:3]


@settings(max_examples=100)
@given(st.lists(grouped(), min_size=1, max_size=3), objectives)
def test_both_kernels_choose_the_same(batch: list[tuple[Sentence, str]], options: IMeasure) -> None:
    options = limited(options, listed=0)
    assert raw(batch, options, "python")[:3] == raw(batch, options, "native")[:3]


def spaced(blocks: int, between: int, texts: list[str]) -> Sentence:
    """Optional corrections of single tokens with different unedited tokens between them."""
    source, groups = [], []
    for block in range(blocks):
        source.append(f"wrong{block}")
        groups.append(optional(*(alternative(n, (len(source) - 1, len(source), text)) for n, text in enumerate(texts))))
        source.extend(f"kept{block}.{n}" for n in range(between))
    return Sentence(" ".join(source), tuple(groups), 9)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_trillion_references_need_few_alignments(kernel: str) -> None:
    sentence = spaced(25, 3, ["good", "fine"])
    hypothesis = sentence.source.replace("wrong7 ", "good ").replace("wrong9 ", "bad ")
    choice = choose([sentence], [hypothesis], IMeasure(), True, kernel)
    assert choice.work[:, :2].tolist() == [[3**25, 75]]
    # a wrong correction weighs 1.5 where the reference corrects there too (2 + 1 - 3 / 2), else 2
    best = sentence.source.replace("wrong7 ", "good ").replace("wrong9 ", "good ")
    assert choice.reference(0) == best
    assert choice.counts[0, 5:10].tolist() == [1, 98, 1, 1, 1]


@pytest.mark.parametrize("kernel", KERNELS)
def test_what_cannot_be_cut_and_is_too_much_is_refused(kernel: str) -> None:
    sentence = spaced(25, 0, ["good", "fine"])
    with pytest.raises(InputError, match="it has too many mixed references"):
        choose([sentence], [sentence.source], IMeasure(), True, kernel)


@pytest.mark.parametrize("kernel", KERNELS)
def test_long_sentences_are_refused_before_the_work(kernel: str) -> None:
    """16 optional corrections in a row give 65,536 references; with 1,000 words more, each takes a million cells."""
    row = spaced(16, 0, ["good"])
    sentence = Sentence(f"{row.source} {' '.join(f'kept{n}' for n in range(1000))}", row.groups, 9)
    with pytest.raises(InputError, match="it has too many mixed references"):
        choose([sentence], [sentence.source], IMeasure(), True, kernel)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("work", "enough"), [(2 * 61 * 61 - 1, False), (2 * 61 * 61, False), (10**6, True)])
def test_the_work_on_a_segment_is_bounded(work: int, enough: bool, kernel: str) -> None:
    """Sixty words, reversed, and turned by thirty in one of two references: a table of three texts beyond all pairs."""
    words = [f"w{n}" for n in range(60)]
    sentence = Sentence(" ".join(words), (optional(alternative(0, (0, 60, " ".join(words[30:] + words[:30])))),), 1)
    settings = limited(IMeasure(), work=work, lattice=0)
    if enough:
        found = choose([sentence], [" ".join(words[::-1])], settings, True, kernel)
        assert found.work[0, 1] == 2
        assert found.work[0, 2] > 2 * 61 * 61
    else:
        with pytest.raises(InputError, match="it has too many mixed references"):
            choose([sentence], [" ".join(words[::-1])], settings, True, kernel)


@pytest.mark.parametrize("kernel", KERNELS)
def test_too_many_sums_are_refused_where_the_metric_is_no_ratio(kernel: str) -> None:
    sentence = spaced(6, 3, ["good", "very good"])
    hypothesis = sentence.source.replace("wrong1", "good")
    settings = limited(IMeasure(objective="ci"), listed=0, sums=5)
    with pytest.raises(InputError, match="it has too many mixed references"):
        choose([sentence], [hypothesis], settings, True, kernel)
    settings = limited(settings, listed=0, sums=1000)
    assert choose([sentence], [hypothesis], settings, True, kernel).work[:, 1].tolist() == [18]


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_cut_that_may_be_missed_is_dropped(kernel: str) -> None:
    """The kept run `a a` between two groups can be shifted: the texts may not be cut there."""
    groups = (optional(alternative(0, (1, 2, "a"))), optional(alternative(0, (4, 5, "a"))))
    sentence = Sentence("s p a a q e", groups, 1)
    options = limited(IMeasure(), listed=0)
    rows = raw([(sentence, "s a a a e")], options, kernel)
    listed = raw([(sentence, "s a a a e")], limited(options, listed=100), kernel)
    assert rows[3][0][3] == 1
    assert rows[:3] == listed[:3]


@given(grouped())
def test_the_best_of_all_references_is_chosen(example: tuple[Sentence, str]) -> None:
    """Against the plainest way: list the mixed references, score each, take the largest key."""
    sentence, hypothesis = example
    references = mixed_references(sentence.source, sentence.grouped())
    assume(references)
    number = numbers([sentence.source, hypothesis, *references])
    texts = [(number(sentence.source), number(hypothesis), number(text)) for text in references]
    goal = Objective(1, MEASURES.index("wacc"), 0, 2.0, 1.0)
    best = max(key(count_classes(align_texts(*three), *three), goal) for three in texts)
    choice = choose([sentence], [hypothesis], limited(IMeasure(), listed=0), True, active())
    assert key(choice.counts[0].tolist(), goal) == best
    assert choice.reference(0) in references


def numbers(texts: list[str]) -> Callable[[str], list[int]]:
    vocabulary = {word: n for n, word in enumerate(dict.fromkeys(word for text in texts for word in text.split()))}
    return lambda text: [vocabulary[word] for word in text.split()]


@st.composite
def far_apart(draw: st.DrawFn) -> tuple[Sentence, str]:
    """Errors with some unedited tokens between them, from few enough words that these may be shifted."""
    token = st.sampled_from("uvwxyzpqrs"[: draw(st.integers(3, 10))])
    source, hypothesis, groups = [], [], []
    for _ in range(draw(st.integers(2, 3))):
        texts = draw(st.lists(st.lists(token, max_size=2).map(" ".join), min_size=1, max_size=2))
        place = len(source)
        source.extend(draw(st.lists(token, max_size=1)))
        groups.append(optional(*(alternative(n, (place, len(source), text)) for n, text in enumerate(texts))))
        hypothesis.extend(draw(st.sampled_from([source[place:], *(text.split() for text in texts)])))
        kept = draw(st.lists(token, min_size=2, max_size=3))
        source.extend(kept)
        hypothesis.extend(kept)
    return Sentence(" ".join(source), tuple(groups), 3), " ".join(hypothesis)


@settings(max_examples=25, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(far_apart())
def test_no_optimal_alignment_of_any_reference_misses_a_certified_cut(example: tuple[Sentence, str]) -> None:
    """The cut points against the full table: forbid a cut, and every mixed reference costs more to align."""
    sentence, hypothesis = example
    alternatives = [item for group in sentence.groups for item in group.alternatives]
    corrections = [change.text for item in alternatives for change in item.replacements]
    number = numbers([sentence.source, hypothesis, *corrections])
    groups = [
        Group(
            tuple(
                tuple((edit.start, edit.end, tuple(number(edit.corrections[0]))) for edit in edits)
                for edits in alternatives_of(group)
            ),
            not group.required,
        )
        for group in sentence.groups
    ]
    mixed = MixedSentence(number(sentence.source), number(hypothesis), groups, Limits(0, 1 << 10, 1 << 10, 1 << 20))
    assume(mixed.references > 0)
    try:
        segments = mixed.proven_segments()
    except RefusedError:
        assume(False)
    assume(len(segments) > 1)
    source_ends = list(accumulate(len(segment.source) for segment in segments))
    hypothesis_ends = list(accumulate(len(segment.hypothesis) for segment in segments))
    for options in islice(product(*(segment.options for segment in segments)), 3):
        texts = (number(sentence.source), number(hypothesis), [token for option in options for token in option.tokens])
        end = tuple(map(len, texts))
        free = fill_table(texts)[end]
        reference_ends = list(accumulate(len(option.tokens) for option in options))
        for cut in zip(source_ends[:-1], hypothesis_ends[:-1], reference_ends[:-1], strict=True):
            assert fill_table(texts, cut)[end] > free


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("mixing", [True, False])
def test_no_sentences_give_no_rows(mixing: bool, kernel: str) -> None:
    assert choose([], [], IMeasure(), mixing, kernel).counts.shape == (0, 15)

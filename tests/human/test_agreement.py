"""Kappas equal to NLTK's, who is compared with whom, and Table 7 of Sakaguchi et al. 2016 (needs GECBENCH_MIRROR)."""

from __future__ import annotations

import tracemalloc
from math import isnan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judgments import judged
from mirror_files import golden

from gecbench.corpora.conll14 import read_rankings, read_systems, sentence_rows
from gecbench.corpora.upstream import Upstream
from gecbench.formats.judgments import Judgment, expand_pairs, parse_expert_groups, relabel
from gecbench.human.agreement import (
    agreement,
    cross_agreement,
    inter_agreement,
    intra_agreement,
    pooled_agreement,
)

OUTCOME = st.sampled_from([-1, 0, 1])


@pytest.fixture(scope="module")
def nltk_task() -> Any:
    from nltk.metrics.agreement import AnnotationTask

    return AnnotationTask


@given(pairs=st.lists(st.tuples(OUTCOME, OUTCOME), min_size=2))
def test_kappa_equals_nltk(nltk_task: Any, pairs: list[tuple[int, int]]) -> None:
    found = agreement(pairs, both_system_orders=False, both_judge_orders=False)
    first, second = zip(*pairs, strict=True)
    if len(set(first) | set(second)) < 2:
        assert isnan(found.kappa)
        return
    data = [(judge, item, label) for judge, labels in enumerate((first, second)) for item, label in enumerate(labels)]
    weighted = nltk_task(data, distance=lambda x, y: (x - y) ** 2 / 4)
    assert found.kappa == pytest.approx(nltk_task(data).kappa())
    assert found.weighted == pytest.approx(weighted.weighted_kappa())


@given(st.lists(st.tuples(OUTCOME, OUTCOME), min_size=2))
def test_turning_makes_the_order_not_matter(pairs: list[tuple[int, int]]) -> None:
    turned = [(-y, -x) if number % 2 else (y, x) for number, (x, y) in enumerate(pairs)]
    ours, theirs = agreement(pairs), agreement(turned)
    assert ours.kappa == pytest.approx(theirs.kappa, nan_ok=True)
    assert ours.weighted == pytest.approx(theirs.weighted, nan_ok=True)


def test_inter_and_intra_count_the_right_comparisons() -> None:
    judgments = judged("x", 1, "A>B A>B C=D") + judged("y", 1, "B<A C>D A?B") + judged("y", 2, "A<B")
    assert inter_agreement(judgments).comparisons == 3  # two of x on A-B with y's, one on C-D
    assert intra_agreement(judgments).comparisons == 1
    assert isnan(intra_agreement([]).kappa)


def test_order_of_the_systems_does_not_matter() -> None:
    judgments = judged("x", 1, "A>B") + judged("y", 1, "B<A") + judged("x", 2, "A=B") + judged("y", 2, "B=A")
    assert inter_agreement(judgments).kappa == pytest.approx(1)


def test_cross_compares_only_across() -> None:
    crowd = judged("w1", 1, "A>B") + judged("w2", 1, "A<B") + judged("w1", 2, "A>B")
    experts = judged("e1", 1, "B<A") + judged("e1", 3, "A>B")
    assert cross_agreement(crowd, experts).comparisons == 2
    assert cross_agreement(crowd, experts).kappa == pytest.approx(0)


def test_pooled_is_the_published_way() -> None:
    crowd = judged("w1", 1, "A>B C>D") + judged("w2", 1, "A>B C?D")
    experts = judged("e1", 1, "B>A C>D") + judged("e2", 1, "B=A C=D")
    within, among, together = pooled_agreement(crowd, experts)
    # A-B: one comparison of the crowd, one of experts, six together; C-D counts though one is unranked.
    assert (within.comparisons, among.comparisons, together.comparisons) == (1, 2, 9)


def test_table_7_as_published(mirror: Upstream) -> None:
    crowd = read_rankings(mirror, "crowd")
    key = "reassess/inter_annotator_agreements/highAgreedAMU.txt"
    experts = parse_expert_groups(mirror.text(key), file=key, first_sentence=1)
    results = pooled_agreement(expand_pairs(crowd, groups=True, unranked=True), expand_pairs(experts, groups=True))
    figures = golden("sakaguchi2016_change_agreement.json")
    for result, name in zip(results, ("non-experts", "experts", "pooled"), strict=True):
        kappas = result.kappa, result.weighted
        assert [round(value, 2) for value in kappas] == figures["table7"][name]
        assert kappas == pytest.approx(figures["table7_recomputed"][name], abs=0.00005)


def test_table_7_on_matching_sentences(mirror: Upstream) -> None:
    outputs = read_systems(mirror, [row["sentence"] for row in sentence_rows(mirror)])
    crowd = [ranking for ranking in read_rankings(mirror, "crowd_relabelled") if ranking.approved]
    pairs = list(expand_pairs(crowd, groups=True))
    cross = cross_agreement(pairs, expand_pairs(relabel(read_rankings(mirror, "expert"), outputs), groups=True))
    assert cross.comparisons == 4_798
    # The golden was computed with one order of each pair; Cohen's kappa moves by up to 0.006 with that order.
    figures = golden("sakaguchi2016_change_agreement.json")["table7_recomputed"]
    assert (cross.kappa, cross.weighted) == pytest.approx(figures["cross_matching_sentences"], abs=0.002)
    inter = inter_agreement(pairs)
    assert (inter.kappa, inter.weighted) == pytest.approx((0.277, 0.424), abs=0.001)


def test_many_judges_of_one_pair_are_counted_not_listed() -> None:
    """20,000 judges of a pair made 200 million pairs of judgments, in a list."""
    several = [Judgment(1, f"j{k}", "A", "B", 1.0, float(1 + k % 3)) for k in range(20_000)]
    tracemalloc.start()
    found = inter_agreement(several)
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()
    assert found.comparisons == 20_000 * 19_999 // 2
    # A third are ties and two thirds wins. Two agree in 1/9 + 4/9; by chance, as either system may be first, in 1/3.
    assert found.kappa == pytest.approx((5 / 9 - 1 / 3) / (1 - 1 / 3), abs=1e-3)

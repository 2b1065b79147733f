"""Native kernels check all offsets, counts and sizes before they use them to access memory."""

from types import SimpleNamespace

import numpy as np
import pytest

from gecbench import kernels
from gecbench.kernels.tokens import TokenArray

pytestmark = pytest.mark.skipif(kernels.native_module() is None, reason="installed without compiled kernels")
HUGE = 2**62


def native(name):
    return kernels.select(name, "native")


def offsets(*values):
    return np.array(values, dtype=np.int64)


def ids(*values):
    return np.array(values, dtype=np.int32)


def tokens(*lengths):
    bounds = np.cumsum([0, *lengths], dtype=np.int64)
    return TokenArray(np.arange(bounds[-1], dtype=np.int32), bounds)


BAD_OFFSETS = [offsets(0, 10**9), offsets(-5, 3), offsets(0, -1, 3), offsets(0, 9, 3), offsets(1, 3), offsets()]


@pytest.mark.parametrize("bad", BAD_OFFSETS, ids=str)
def test_offsets_of_text(bad):
    with pytest.raises(ValueError, match="line_offsets do not fit"):
        native("tokens").intern(b"abc", bad, True)
    for left, right in ((bad, offsets(0, 3)), (offsets(0, 3), bad)):
        with pytest.raises(ValueError, match="offsets do not fit"):
            native("tokens").count_shared(b"abc", left, b"abc", right)


@pytest.mark.parametrize("text", [b"\xe2", b"a \xf0\x9f", b"\xc2", b"\xff\xfe", b"\x00", b""])
def test_bytes_that_are_no_text(text):
    native("tokens").intern(text, offsets(0, len(text)), True)
    native("tokens").count_shared(text, offsets(0, len(text)), text, offsets(0, len(text)))
    native("m2").parse(b"S " + text)


def gold(**fields):
    usual = {
        "annotator_offsets": offsets(0, 1),
        "edit_offsets": offsets(0, 1),
        "starts": ids(0),
        "ends": ids(1),
        "alternative_offsets": offsets(0, 1),
        "corrections": tokens(1),
    }
    return SimpleNamespace(**{**usual, **fields})


def match(bundle):
    options = SimpleNamespace(release="master", max_unchanged_words=2, arc_limit=10**6, folded=None)
    return native("maxmatch").match_corpus(tokens(2), tokens(2), bundle, options)


BAD_GOLD = {
    "edits that are not there": {"edit_offsets": offsets(0, 2)},
    "annotators that are not there": {"annotator_offsets": offsets(0, 2)},
    "corrections that are not there": {"alternative_offsets": offsets(0, 2)},
    "more starts than ends": {"starts": ids(0, 0)},
    "corrections beyond the end": {"corrections": TokenArray(ids(1), offsets(0, 9))},
}


def test_more_edits_than_their_rewards_can_be_added_up():
    count = 2**22 + 1
    nothing = np.zeros(count, dtype=np.int32)
    fields = {"starts": nothing, "ends": nothing, "alternative_offsets": np.zeros(count + 1, dtype=np.int64)}
    with pytest.raises(ValueError, match=r"more than 2\^22 edits of one sentence"):
        match(gold(edit_offsets=offsets(0, count), corrections=tokens(), **fields))


@pytest.mark.parametrize("fields", BAD_GOLD.values(), ids=BAD_GOLD)
def test_gold_edits(fields):
    assert match(gold())[0].shape == (1, 3)
    with pytest.raises(ValueError, match=r"fit|must have length"):
        match(gold(**fields))


@pytest.mark.parametrize("span", [(0, 3), (2, 1), (-1, 1), (2**31 - 1, 2**31 - 1), (-(2**31), 2**31 - 1)])
def test_a_gold_edit_outside_the_sentence_is_only_never_made(span):
    counts, _ = match(gold(starts=ids(span[0]), ends=ids(span[1])))
    assert counts.tolist() == [[0, 0, 1]]


def test_rows_of_references():
    for call in (
        lambda rows: native("gleu").gleu_counts(tokens(2), tokens(2), tokens(2), rows, 4, False),
        lambda rows: native("green").green_counts(tokens(2), tokens(2), tokens(2), rows, 4),
        lambda rows: native("edits").changed_spans(tokens(2), tokens(2), rows),
        lambda rows: native("imeasure").count_references(tokens(2), tokens(2), tokens(2), rows, 1000),
    ):
        call(offsets(0, 1))
        for bad in (*BAD_OFFSETS, offsets(0, 0, 1)):
            with pytest.raises(ValueError, match=r"do not fit|must have length"):
                call(bad)


@pytest.mark.parametrize("order", [0, -1, 2**31 - 1, 2**30])
def test_orders(order):
    with pytest.raises(ValueError, match="order must be 1 to 65535"):
        native("gleu").gleu_counts(tokens(2), tokens(2), tokens(2), offsets(0, 1), order, False)
    with pytest.raises(ValueError, match="order must be 1 to 65535"):
        native("green").green_counts(tokens(2), tokens(2), tokens(2), offsets(0, 1), order)


def objective():
    return SimpleNamespace(aspect=0, metric=0, corpus=True, weight=2.0, beta=0.5)


SUMS = {
    "gleu.sampled_totals": lambda count: native("gleu").sampled_totals(
        np.full((2, 4), count), offsets(0, 1, 2), 3, False
    ),
    "greedy.choose_rows": lambda count: native("greedy").choose_rows(np.full((2, 3), count), offsets(0, 1, 2), 0.25),
    "greedy.sample_totals": lambda count: native("greedy").sample_totals(
        np.full((2, 3), count), offsets(0, 1, 2), 0.25, np.array([[0, 1, 1]], dtype=np.int32)
    ),
    "greedy.subset_totals": lambda count: native("greedy").subset_totals(
        np.full((1, 2, 1, 3), count), np.array([1], dtype=np.uint32), 0.25
    ),
    "imeasure.choose_listed": lambda count: native("imeasure").choose_listed(
        np.full((2, 15), count), offsets(0, 1, 2), objective()
    ),
}


@pytest.mark.parametrize("call", SUMS.values(), ids=SUMS)
def test_counts_whose_sums_overflow(call):
    call(7)
    for count in (HUGE, -HUGE):
        with pytest.raises(ValueError, match=r"counts must be below 2\^31"):
            call(count)


@pytest.mark.parametrize("call", [call for name, call in SUMS.items() if name.startswith("greedy")])
def test_greedy_counts_below_zero(call):
    with pytest.raises(ValueError, match="counts must not be negative"):
        call(-1)


@pytest.mark.parametrize("beta_squared", [-0.25, float("nan")])
def test_greedy_weight_below_zero(beta_squared):
    with pytest.raises(ValueError, match="beta_squared must not be negative"):
        native("greedy").choose_rows(np.ones((2, 3), dtype=np.int64), offsets(0, 1, 2), beta_squared)


def test_tables_too_large_to_make():
    """Sizes whose product wraps around must not become a small table that is written past its end."""
    for call in (
        lambda: native("trueskill").runs(
            *(2, offsets(0, 0, 1, 2, 2), np.array([1, -1], dtype=np.int8), 50, 0.5, 1.0, 0.1, 7, 0, HUGE)
        ),
    ):
        with pytest.raises(MemoryError):
            call()


@pytest.mark.parametrize(
    ("first", "iterations"), [(0, HUGE), (HUGE, 1), (0, 42_524_429), (42_524_428, 1), (-1, 1), (0, -1)]
)
def test_iterations_whose_seeds_have_more_than_32_bits(first, iterations):
    for rows in (offsets(*range(9)), offsets(0)):
        with pytest.raises(ValueError, match="iterations must be 0 to 42524428"):
            native("gleu").draw_rows(rows, first, iterations, False)
        if first == 0:
            with pytest.raises(ValueError, match="iterations must be 0 to 42524428"):
                native("gleu").sampled_totals(np.ones((8, 8), dtype=np.int64), rows, iterations, False)


def test_samples_of_sentences_that_are_not_there():
    for bad in (2, -1, 2**31 - 1):
        samples = np.array([[0, bad]], dtype=np.int32)
        with pytest.raises(ValueError, match="a sentence that does not exist"):
            native("greedy").sample_totals(np.ones((2, 3), dtype=np.int64), offsets(0, 1, 2), 0.25, samples)


def test_groups():
    usual = {
        "group_offsets": offsets(0, 1),
        "optional": ids(0),
        "alternative_offsets": offsets(0, 1),
        "edit_offsets": offsets(0, 1),
        "spans": np.array([[0, 1]], dtype=np.int32),
        "corrections": tokens(1),
    }
    limits = SimpleNamespace(listed=100, segment=100, sums=100, cells=10_000, work=10**6, lattice=10**6)

    def choose(**fields):
        groups = SimpleNamespace(**{**usual, **fields})
        return native("imeasure").choose_mixed(tokens(2), tokens(2), groups, objective(), limits)

    choose()
    for name in ("group_offsets", "alternative_offsets", "edit_offsets"):
        for bad in BAD_OFFSETS:
            with pytest.raises(ValueError, match=r"do not fit|must have length"):
                choose(**{name: bad})
    for span in ([-5, -1], [2, 0], [0, 10], [2**31 - 1, 2**31 - 1], [-(2**31), 2**31 - 1]):
        choose(spans=np.array([span], dtype=np.int32))


def test_a_bundle_without_one_of_its_parts_is_an_error_and_not_the_end():
    for name in ("starts", "edit_offsets", "corrections"):
        bundle = gold()
        delattr(bundle, name)
        with pytest.raises(AttributeError, match=name):
            match(bundle)
    for part in ("compared", "selection", "ours"):
        for name in list(vars(vars(errant_comparison())[part])):
            parts = errant_comparison()
            delattr(vars(parts)[part], name)
            with pytest.raises(AttributeError, match=name):
                native("errant").count_types(parts.compared, offsets(0))


def errant_comparison(**fields):
    """Return one edit compared with itself, as parts whose attributes a test can delete."""
    flags = np.zeros(2, dtype=np.uint8)
    usual = {"row_offsets": offsets(0, 1), "edit_offsets": offsets(0, 1), "starts": offsets(0), "ends": offsets(1)}
    usual |= {"types": ids(0), "corrections": ids(1), "strings": ["R", "x"]}
    ours, theirs = SimpleNamespace(**usual | fields), SimpleNamespace(**usual)
    selection = SimpleNamespace(mode="dt", single=False, multi=False, once=False)
    compared = SimpleNamespace(
        ours=ours, theirs=theirs, selection=selection, is_noop=flags, is_dropped=flags, is_several=flags
    )
    return SimpleNamespace(compared=compared, selection=selection, ours=ours)


@pytest.mark.parametrize(
    "fields",
    [
        *({name: bad} for name in ("row_offsets", "edit_offsets") for bad in BAD_OFFSETS),
        *({name: ids(bad)} for name in ("types", "corrections") for bad in (-1, 2, 2**31 - 1)),
        {"ends": offsets(10**9)},
        {"starts": offsets(-(2**62)), "ends": offsets(2**62)},
        {"row_offsets": offsets(0, 0, 1)},
        {"ends": offsets()},
    ],
    ids=str,
)
def test_edits_that_do_not_fit(fields):
    native("errant").count_pairs(errant_comparison().compared)
    with pytest.raises(ValueError, match=r"fit|length|indexes|too long|beyond"):
        native("errant").count_pairs(errant_comparison(**fields).compared)

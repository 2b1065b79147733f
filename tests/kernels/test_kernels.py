"""Both implementations of every kernel give the same results; the dispatcher obeys its variable."""

import random
import subprocess
import sys
import textwrap
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mirror_files import conll14_rewrites, jfleg, needs_mirror, submission

from gecbench import M2, Corpus, GecbenchError, IMeasure, kernels
from gecbench.kernels.tokens import KnownLines, TokenArray, encode_lines, intern_lines, split_tokens
from gecbench.metrics.gleu import GLEU

needs_native = pytest.mark.skipif(kernels.native_module() is None, reason="installed without compiled kernels")
texts = st.text(st.sampled_from("ab é \t\n\x0b\x1c\x85\xa0\u1680\u2000\u200a\u2028\u202f\u205f\u3000\u200b\U0001f600"))
sentences = st.lists(st.sampled_from("abc"), max_size=7).map(" ".join)


@settings(max_examples=200)
@given(lines=st.lists(texts, max_size=6), unicode_whitespace=st.booleans())
def test_interning(both_kernels, lines, unicode_whitespace):
    encoded = [line.encode() for line in lines]
    offsets = np.cumsum([0, *map(len, encoded)]).astype(np.int64)
    arguments = (b"".join(encoded), offsets, unicode_whitespace)
    native, python = (module.intern_and_list(*arguments) for module in both_kernels("tokens"))
    for left, right in zip(native, python, strict=True):
        assert type(left) is type(right)
        assert isinstance(left, bytes) or left.dtype == right.dtype
        np.testing.assert_array_equal(left, right)
    for module in both_kernels("tokens"):
        for alone, listed in zip(module.intern(*arguments), python, strict=False):
            np.testing.assert_array_equal(alone, listed)


@needs_native
@pytest.mark.usefixtures("kernels_of")
@given(known=st.lists(texts, max_size=4), lines=st.lists(texts, max_size=4), rule=st.sampled_from(["ascii", "unicode"]))
def test_known_lines_keep_their_numbers(known, lines, rule):
    numbered = KnownLines.of([encode_lines(known[:1]), encode_lines(known[1:])], rule)
    later = numbered.number(encode_lines(lines))
    assert numbered.tokens.lists() + later.lists() == intern_lines([*known, *lines], rule).lists()


def test_tokens_and_lines_of_all_sizes(both_kernels):
    """Tokens that differ in one byte, up to three words of them; lines of up to a thousand bytes."""
    generator = random.Random(5)
    tokens = ["".join(generator.choices("ab", k=size)) for size in range(1, 25) for _ in range(40)]
    encoded = [" ".join(generator.choices(tokens, k=size)).encode() for size in range(80)]
    offsets = np.cumsum([0, *map(len, encoded)]).astype(np.int64)
    for unicode_whitespace in (False, True):
        found = (
            module.intern_and_list(b"".join(encoded), offsets, unicode_whitespace) for module in both_kernels("tokens")
        )
        for left, right in zip(*found, strict=True):
            np.testing.assert_array_equal(left, right)


def test_interning_on_several_threads(both_kernels):
    """Lines enough for several parts, which share some words and have others of their own."""
    words = np.random.default_rng(2).integers(0, 9, size=(20_000, 3)) * np.arange(1, 20_001)[:, None] // 7
    encoded = [" ".join(map(str, line)).encode() for line in words]
    offsets = np.cumsum([0, *map(len, encoded)]).astype(np.int64)
    python, native = both_kernels("tokens")
    expected = python.intern_and_list(b"".join(encoded), offsets, False)
    for threads in (1, 2, 4):
        found = native.intern_and_list(b"".join(encoded), offsets, False, threads)
        for left, right in zip(found, expected, strict=True):
            np.testing.assert_array_equal(left, right)
        for left, right in zip(native.intern(b"".join(encoded), offsets, False, threads), expected, strict=False):
            np.testing.assert_array_equal(left, right)


@pytest.mark.usefixtures("kernels_of")
@settings(max_examples=100)
@given(lines=st.lists(texts, max_size=6))
def test_interning_agrees_with_split(lines):
    for rule in ("ascii", "unicode"):
        tokens = intern_lines(lines, rule)
        words = [split_tokens(line, rule) for line in lines]
        assert tokens.lengths().tolist() == [len(split) for split in words]
        flat = [word for split in words for word in split]
        assert len(set(zip(flat, tokens.ids.tolist(), strict=True))) == len(set(flat)) == len(set(tokens.ids.tolist()))


@settings(max_examples=200)
@given(
    rows=st.lists(st.tuples(sentences, sentences, st.lists(sentences, min_size=1, max_size=3)), min_size=1, max_size=4),
    order=st.integers(1, 6),
    multiset=st.booleans(),
)
def test_ngram_counts(both_kernels, rows, order, multiset):
    sources, hypotheses, references = zip(*rows, strict=True)
    flat = [text for group in references for text in group]
    tokens = intern_lines([*sources, *hypotheses, *flat], "ascii")
    n = len(sources)
    texts = tokens[:n], tokens[n : 2 * n], tokens[2 * n :]
    owners = np.cumsum([0, *map(len, references)]).astype(np.int64)
    native, python = (module.gleu_counts(*texts, owners, order, multiset) for module in both_kernels("gleu"))
    np.testing.assert_array_equal(native, python)


@pytest.mark.parametrize("words", [3, 20, 127, 128, 300])
def test_ngrams_of_long_lines(both_kernels, words):
    """Up to 600 tokens: few words in many orders, and more words than the kernel's table takes."""
    generator = np.random.default_rng(words)
    lines = [" ".join(map(str, generator.integers(0, words, size=size))) for size in (100, 254, 257, 600)]
    tokens = intern_lines([*lines, *lines[::-1], *lines[1:], lines[0]], "ascii")
    rows = np.arange(5, dtype=np.int64)
    for multiset in (False, True):
        found = (m.gleu_counts(tokens[:4], tokens[4:8], tokens[8:], rows, 4, multiset) for m in both_kernels("gleu"))
        np.testing.assert_array_equal(*found)


@needs_native
def test_any_number_of_threads(both_kernels):
    """More sentences than one task takes, more draws too; columns that move with the draw and one that does not."""
    _, native = both_kernels("gleu")
    generator = np.random.default_rng(3)
    lines = [" ".join(generator.choice(list("abcd"), 6)) for _ in range(4 * 600)]
    tokens = intern_lines(lines, "ascii")
    texts, rows = (tokens[:600], tokens[600:1200], tokens[1200:]), np.arange(0, 1201, 2, dtype=np.int64)
    counts, *others = (native.gleu_counts(*texts, rows, 4, False, threads) for threads in (1, 2, 7))
    draws = [native.draw_rows(rows, 0, 70, False, threads) for threads in (1, 2, 7)]
    totals = [native.sampled_totals(counts, rows, 70, False, threads) for threads in (1, 2, 7)]
    for one, *same in ((counts, *others), draws, totals):
        for other in same:
            np.testing.assert_array_equal(other, one)
    np.testing.assert_array_equal(totals[0], counts[draws[0]].sum(axis=1))


def test_native_refuses_rows_it_cannot_draw(both_kernels):
    _, native = both_kernels("gleu")
    counts = np.ones((2, 4), dtype=np.int64)
    for offsets in ([1, 2], [0, 2, 2], [0, 2, 1], []):
        for call in (
            lambda rows: native.draw_rows(rows, 0, 1, False),
            lambda rows: native.sampled_totals(counts, rows, 1, False),
        ):
            with pytest.raises(ValueError, match="row_offsets must rise from 0"):
                call(np.array(offsets, dtype=np.int64))
    with pytest.raises(ValueError, match="do not fit"):
        native.sampled_totals(counts, np.array([0, 3], dtype=np.int64), 1, False)
    with pytest.raises(ValueError, match="iterations"):
        native.draw_rows(np.array([0, 2], dtype=np.int64), 0, -1, False)


def test_native_refuses_bundles_it_cannot_read(both_kernels):
    _, native = both_kernels("gleu")
    rows = np.array([0, 1], dtype=np.int64)
    good = TokenArray(np.array([1, 2], dtype=np.int32), np.array([0, 2], dtype=np.int64))
    assert native.gleu_counts(good, good, good, rows, 1, False).tolist() == [[2, 2, 2, 2]]
    for bad in (replace(good, ids=good.ids.astype(np.int64)), replace(good, ids=np.array([1, 0, 2, 0], np.int32)[::2])):
        with pytest.raises(TypeError, match="ids"):
            native.gleu_counts(good, bad, good, rows, 1, False)
    for offsets in ([0, 9], [1, 2], [0, 3, 2], []):
        with pytest.raises(ValueError, match="offsets"):
            native.gleu_counts(good, replace(good, offsets=np.array(offsets, dtype=np.int64)), good, rows, 1, False)
    with pytest.raises(ValueError, match="reference_rows"):
        native.gleu_counts(good, good, good, np.array([0, 2], dtype=np.int64), 1, False)


@settings(max_examples=100)
@given(
    choices=st.lists(st.integers(1, 9), min_size=1, max_size=700),
    first=st.integers(0, 40_000_000),
    python3=st.booleans(),
)
def test_draws(both_kernels, choices, first, python3):
    offsets = np.cumsum([0, *choices]).astype(np.int64)
    native, python = (module.draw_rows(offsets, first, 2, python3) for module in both_kernels("gleu"))
    np.testing.assert_array_equal(native, python)
    counts = np.arange(11 * offsets[-1], dtype=np.int64).reshape(-1, 11)
    counts[:, 4] = 7
    native, python = (module.sampled_totals(counts, offsets, 3, python3) for module in both_kernels("gleu"))
    np.testing.assert_array_equal(native, python)


@pytest.mark.parametrize("choices", [1000, 60_000, 65_536, 3_000_000])
def test_draws_of_many_choices(both_kernels, choices):
    """So many that some draws depend on the second word of a random number, too."""
    offsets = choices * np.arange(200, dtype=np.int64)
    for python3 in (False, True):
        np.testing.assert_array_equal(*(module.draw_rows(offsets, 0, 200, python3) for module in both_kernels("gleu")))


@needs_native
@needs_mirror
def test_counts_of_all_real_data_are_equal(monkeypatch):
    corpora = []
    for split in ("dev", "test"):
        references = list(zip(*(jfleg(split, f"ref{k}") for k in range(4)), strict=True))
        corpora.append((Corpus(sources=jfleg(split, "src"), references=references), jfleg(split, "spellchecked.src")))
    systems = {"E-fluency": "AMU", "NE-fluency": "CAMB", "E-minimal": "NTHU", "NE-minimal": "POST", "NUCLE": "CUUI"}
    corpora += [(conll14_rewrites(references), submission(system)) for references, system in systems.items()]
    for corpus, predictions in corpora:
        for metric in (GLEU(), GLEU(variant="equation1")):
            found = []
            for implementation in ("native", "python"):
                monkeypatch.setenv("GECBENCH_KERNELS", implementation)
                found.append(metric.count(corpus, predictions).counts)
            np.testing.assert_array_equal(*found)


def test_every_kernel_has_both_forms():
    for kernel in kernels.KERNELS:
        python = kernels.select(kernel, "python")
        if kernels.native_module() is not None:
            native = kernels.select(kernel, "native")
            names = [name for name in dir(native) if not name.startswith("_")]
            assert any(callable(getattr(native, name)) for name in names)
            for name in names:
                assert callable(getattr(python, name)) == callable(getattr(native, name))


def test_the_variable_forces_an_implementation(monkeypatch):
    monkeypatch.setenv("GECBENCH_KERNELS", "python")
    assert kernels.active() == "python"
    assert kernels.select("gleu").__name__ == "gecbench.kernels.gleu"
    monkeypatch.setenv("GECBENCH_KERNELS", "fortran")
    with pytest.raises(GecbenchError, match="fortran"):
        kernels.active()


def test_forcing_absent_native_kernels_is_an_error(monkeypatch):
    monkeypatch.setattr(kernels, "native_module", lambda: None)
    monkeypatch.setenv("GECBENCH_KERNELS", "native")
    with pytest.raises(GecbenchError, match="without its compiled kernels"):
        kernels.active()
    monkeypatch.delenv("GECBENCH_KERNELS")
    assert kernels.active() == "python"


def test_the_variable_sets_the_threads(monkeypatch):
    monkeypatch.delenv("GECBENCH_THREADS", raising=False)
    assert kernels.threads() >= 1
    monkeypatch.setenv("GECBENCH_THREADS", "3")
    assert kernels.threads() == 3
    for wrong in ("0", "-1", "two", "1.5", "99999"):
        monkeypatch.setenv("GECBENCH_THREADS", wrong)
        with pytest.raises(GecbenchError, match=f"GECBENCH_THREADS='{wrong}'"):
            kernels.threads()


@needs_native
@pytest.mark.parametrize("metric", [M2(), IMeasure(), IMeasure(mixing=False), IMeasure(optimise="corpus")])
def test_threads_do_not_change_results(monkeypatch, metric):
    chance = random.Random(5)
    words = [[chance.choice("abcdefgh") for _ in range(chance.randrange(12))] for _ in range(1500)]
    texts = [[" ".join(word for word in line if chance.random() < 0.8) for line in words] for _ in range(3)]
    corpus = Corpus(sources=[*map(" ".join, words)], references=list(zip(*texts[:2], strict=True)))
    found = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("GECBENCH_THREADS", threads)
        found.append(metric.count(corpus, texts[2]))
    for other in found[1:]:
        np.testing.assert_array_equal(found[0].counts, other.counts)
        assert found[0].diagnostics == other.diagnostics


@needs_native
@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_a_thread_that_cannot_start_is_done_without():
    program = """
        import resource
        import numpy as np
        from gecbench import kernels
        runs = kernels.select("trueskill", "native").runs
        table = (2, np.array([0, 0, 1, 2, 2]), np.array([1, -1], dtype=np.int8), 50, 0.5, 1.0, 0.1, 7, 0, 3000)
        alone = runs(*table, threads=1)
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 2**26, -1))
        assert (runs(*table, threads=1000) == alone).all()
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True)


def test_lines_with_line_feeds_inside_stay_whole(kernels_of: str) -> None:
    encoded = encode_lines(["a\nb", "", "é \n", "c"])
    assert encoded.lengths.tolist() == [4, 1, 5, 2]
    tokens = intern_lines(["a\nb", "", "b é\n", "a"], "unicode")
    assert tokens.lists() == [[0, 1], [], [1, 2], [0]]


def test_the_numbers_of_tokens_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [" ".join(f"w{i * k % 977}" for k in range(i % 9)) for i in range(20_000)]
    found = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("GECBENCH_THREADS", threads)
        found.append(intern_lines([*lines, "x" * 100_000, *([""] * 9_000)], "ascii"))
    for other in found[1:]:
        assert np.array_equal(other.ids, found[0].ids)
        assert np.array_equal(other.offsets, found[0].offsets)

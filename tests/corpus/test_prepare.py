"""The check of shifted lines, and the kernel that counts what lines share."""

import random
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mirror_files import conll14_gold, needs_mirror, submission
from oracles import alignment

from gecbench import InputError
from gecbench.corpus.prepare import ForeignTextError, check_alignment
from gecbench.kernels.tokens import offsets_of

texts = st.text(st.sampled_from("ab é \t\x1c\x85\xa0\u2028\u3000\u200b\ud800"), max_size=12)
seeds = st.integers(0, 2**32)


def count_shared(kernel, left, right):
    parts = []
    for lines in (left, right):
        encoded = [line.encode(errors="surrogatepass") for line in lines]
        parts += [b"".join(encoded), offsets_of(encoded)]
    return kernel.count_shared(*parts)


@settings(max_examples=300)
@given(st.lists(st.tuples(texts, texts), max_size=5))
def test_counts(twins, pairs):
    left, right = [line for line, _ in pairs], [line for _, line in pairs]
    expected = []
    for ours, theirs in ((first.split(), second.split()) for first, second in pairs):
        expected.append([len(ours), len(theirs), len({*ours} & {*theirs}), len({*ours} | {*theirs})])
    for kernel in twins("overlap"):
        found = count_shared(kernel, left, right)
        assert found.dtype == np.int32
        assert found.tolist() == expected


def test_native_refuses_offsets_that_do_not_fit(twins):
    _, native = twins("overlap")
    good = np.array([0, 1], dtype=np.int64)
    assert native.count_shared(b"a", good, b"b", good).tolist() == [[1, 1, 0, 2]]
    for wrong in ([0, 2], [1, 1], [0], [], [0, 2, 1]):
        for arguments in ((b"a", np.array(wrong, np.int64), b"b", good), (b"a", good, b"b", np.array(wrong, np.int64))):
            with pytest.raises(ValueError, match=r"(left|right)_offsets"):
                native.count_shared(*arguments)


def found(sources, lines):
    try:
        check_alignment(sources, lines)
    except InputError as error:
        line = int(re.search(r"from line (\d+) on", str(error))[1])
        if isinstance(error, ForeignTextError):
            return "foreign", line
        return ("shifted" if "neighbouring" in str(error) else "elsewhere"), line
    return None


def damaged(lines, chance):
    """Shift, shuffle or replace a stretch of lines, change some words, and shorten some lines."""
    lines = list(lines)
    begin = chance.randrange(len(lines))
    end = min(len(lines), begin + chance.choice([3, 9, 10, 11, 29, 30, 31, 60]))
    kind = chance.choice(["shift", "shuffle", "foreign", "none"])
    if kind == "shift":
        lines[begin:end] = lines[begin:end][1:] + lines[begin:end][:1]
    elif kind == "shuffle":
        lines[begin:end] = chance.sample(lines[begin:end], end - begin)
    elif kind == "foreign":
        lines[begin:end] = ["quite another text here"] * (end - begin)
    for i in chance.sample(range(len(lines)), len(lines) // 5):
        words = lines[i].split()
        lines[i] = " ".join(word if chance.random() < 0.6 else "x" for word in words[: chance.choice([3, 4, 99])])
    return lines


@pytest.mark.usefixtures("kernels_of")
@settings(max_examples=75)
@given(seeds, st.sampled_from([4, 9, 10, 21, 40, 90]), st.sampled_from([8, 40]))
def test_finds_what_sets_of_words_find(seed, size, vocabulary):
    chance = random.Random(seed)
    sources = [" ".join(f"w{chance.randrange(vocabulary)}" for _ in range(chance.randrange(2, 9))) for _ in range(size)]
    lines = damaged(sources, chance)
    assert found(sources, lines) == alignment.verdict(sources, lines)


@pytest.mark.usefixtures("kernels_of")
def test_large_corpora_are_sampled():
    sources = [f"a{i} b{i} c{i} d{i}" for i in range(4500)]
    lines = [*sources[:2000], "x", *sources[2000:-1]]
    assert found(sources, lines) == alignment.verdict(sources, lines) == ("shifted", 2003)
    assert found(sources, sources) is None


@pytest.mark.usefixtures("kernels_of")
@pytest.mark.parametrize(("line", "verdict"), [("x", ("foreign", 1)), ("b", None), ("", None), ("x b", None)])
def test_short_lines_belong_where_their_words_are(line, verdict):
    sources = ["a b c d e"] * 40
    assert found(sources, [line] * 40) == alignment.verdict(sources, [line] * 40) == verdict


@needs_mirror
@pytest.mark.usefixtures("kernels_of")
def test_real_data():
    sources, chance = conll14_gold().sources, random.Random(3)
    seen = set()
    for system in ("AMU", "CAMB", "NTHU", "INPUT"):
        outputs = list(submission(system))
        assert found(sources, outputs) is None
        for lines in [
            outputs[1:] + outputs[:1],
            outputs[7:] + outputs[:7],
            *(damaged(outputs, chance) for _ in range(4)),
        ]:
            assert found(sources, lines) == alignment.verdict(sources, lines)
            seen.add((alignment.verdict(sources, lines) or [None])[0])
    assert seen >= {"shifted", "elsewhere", None}

"""Call native functions with arrays that do not fit each other, in a process that may crash."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import numpy as np

from gecbench import kernels

SHARES = (0, 0.02, 0.15)  # of a call's arrays that do not fit: bundles of many reach their kernel, too
HUGE = (-1, 2**31 - 1, 2**31, 2**62, -(2**62))
TEXT = b"the cat \xe2\x80\xa8 a\xff b\nS a b\nA 0 1|||X|||b|||REQUIRED|||-NONE-|||0\n"


class Arrays:
    """Arrays for one call. They are correct, except for a `share` of them."""

    def __init__(self, random: Random, share: float, most: int = 4) -> None:
        self.random = random
        self.share = share
        self.count = random.randint(0, most)

    def spoiled(self, array: Any) -> Any:
        """Return the array, or one that does not fit."""
        if self.random.random() >= self.share:
            return array
        chance = 0.15 * self.random.random()
        if chance < 0.03:
            return self.random.choice(
                [array.astype(np.float64), array[::2], array.reshape(-1, 1), None, "x", array[:0]]
            )
        array = array.copy()
        if array.size:
            array.flat[self.random.randrange(array.size)] = self.random.choice((*HUGE[:2], 0, 1, 5, -7))
        return array if chance < 0.1 else np.concatenate([array, array[:1]])

    def ids(self, count: int, most: int = 4, least: int = 0) -> Any:
        """Return small numbers, such as tokens, starts or ends."""
        return self.spoiled(np.array([self.random.randint(least, most) for _ in range(count)], dtype=np.int32))

    def divide(self, owners: int, most: int = 3, least: int = 0) -> tuple[Any, int]:
        """Return the offset of each owner's parts, and the number of all parts."""
        sizes = [self.random.randint(least, most) for _ in range(owners)]
        return self.spoiled(np.cumsum([0, *sizes], dtype=np.int64)), sum(sizes)

    def tokens(self, count: int | None = None) -> SimpleNamespace:
        """Return texts."""
        offsets, size = self.divide(self.count if count is None else count)
        return SimpleNamespace(ids=self.ids(size), offsets=offsets)

    def rows(self, count: int, width: int) -> Any:
        """Return counts."""
        return self.spoiled(np.array([self.random.randint(0, 3) for _ in range(count * width)]).reshape(count, width))

    def number(self, *usual: int) -> int:
        """Return the number, or a hostile one."""
        return self.random.choice(usual) if self.random.random() >= self.share else self.random.choice(HUGE)

    def spans(self, count: int) -> Any:
        """Return places in a text."""
        return self.spoiled(
            np.array([[n % 3, n % 3 + self.random.randint(-1, 2)] for n in range(count)], np.int32).reshape(-1, 2)
        )


def _gold(make: Arrays) -> SimpleNamespace:
    annotators, rows = make.divide(make.count, 2)
    edits, count = make.divide(rows)
    alternatives, texts = make.divide(count, 2)
    return SimpleNamespace(
        annotator_offsets=annotators,
        edit_offsets=edits,
        starts=make.ids(count),
        ends=make.ids(count),
        alternative_offsets=alternatives,
        corrections=make.tokens(texts),
    )


def _groups(make: Arrays) -> SimpleNamespace:
    groups, count = make.divide(make.count)
    ways, alternatives = make.divide(count, 2, 1)
    edits, texts = make.divide(alternatives, 2)
    return SimpleNamespace(
        group_offsets=groups,
        optional=make.ids(count, 1),
        alternative_offsets=ways,
        edit_offsets=edits,
        spans=make.spans(texts),
        corrections=make.tokens(texts),
    )


def _options(make: Arrays) -> SimpleNamespace:
    folded = make.random.choice([None, make.tokens(5)])
    words, release = make.number(2, 0, -1), make.random.choice(["master", "3.2", "x"])
    return SimpleNamespace(max_unchanged_words=words, release=release, arc_limit=make.number(1000, 0), folded=folded)


def _goal(make: Arrays) -> SimpleNamespace:
    return SimpleNamespace(aspect=make.number(0, 1), metric=make.number(0, 8, 9), corpus=True, weight=2.0, beta=0.5)


def _limits(make: Arrays) -> SimpleNamespace:
    names = ("listed", "segment", "sums", "cells", "work", "lattice")
    return SimpleNamespace(**{name: make.number(0, 9, 99, 9999) for name in names})


def _of_references(make: Arrays, *texts: Any) -> tuple[Any, ...]:
    rows, count = make.divide(make.count, 3, 1)
    return (*texts, make.tokens(count), rows)


def _drawn(make: Arrays) -> tuple[Any, int]:
    return make.divide(make.count, 3, 1)


def _sampled(make: Arrays) -> tuple[Any, ...]:
    offsets, rows = _drawn(make)
    return make.rows(rows, 4), offsets, make.number(0, 3), True, make.number(1, 2)


def _subsets(make: Arrays) -> tuple[Any, ...]:
    counts = make.rows(2 * make.count * 2, 3).reshape(2, make.count, 2, 3)
    return counts, np.array([1, 2, make.number(3) % 2**32], np.uint32), 0.25


def _grouped(make: Arrays) -> tuple[Any, ...]:
    offsets, count = make.divide(make.count)
    return offsets, make.ids(count), make.spans(count), make.tokens(count), make.ids(make.count)


def _judged(make: Arrays) -> tuple[Any, ...]:
    offsets, count = make.divide(4, 2, 1)
    outcomes = make.ids(count, 1, -1).astype(np.int8)
    return make.number(2), offsets, outcomes, 9, 0.5, 1.0, 0.1, 7, 0, make.number(0, 3), make.number(1, 2)


def _compared(make: Arrays) -> SimpleNamespace:
    mode = make.random.choice(["cs", "cse", "ds", "dt", "x"])
    selection = SimpleNamespace(mode=mode, single=make.random.random() < 0.2, multi=False, once=True)
    flags = {name: make.ids(5, 1).astype(np.uint8) for name in ("is_noop", "is_dropped", "is_several")}
    return SimpleNamespace(ours=_edits(make), theirs=_edits(make), selection=selection, **flags)


def _edits(make: Arrays) -> SimpleNamespace:
    row_offsets, rows = _drawn(make)
    edit_offsets, count = make.divide(rows)
    spans = {name: make.ids(count).astype(np.int64) for name in ("starts", "ends")}
    numbers = {name: make.ids(count) for name in ("types", "corrections")}
    return SimpleNamespace(row_offsets=row_offsets, edit_offsets=edit_offsets, **spans, **numbers, strings=[*"abcde"])


CALLS: dict[str, Callable[[Arrays], tuple[Any, ...]]] = {
    "tokens.intern": lambda make: (TEXT, make.spoiled(np.array([0, 5, len(TEXT)])), True, make.number(1, 4)),
    "tokens.intern_and_list": lambda make: (TEXT, make.spoiled(np.array([0, 9, len(TEXT)])), False),
    "tokens.count_shared": lambda make: (
        TEXT,
        make.spoiled(np.array([0, 7, len(TEXT)])),
        b"a b",
        make.spoiled(np.array([0, 1, 3])),
    ),
    "m2.parse": lambda make: (TEXT[make.random.randrange(40) :], make.random.random() < 0.5),
    "errant.count_pairs": lambda make: (_compared(make),),
    "errant.count_types": lambda make: (_compared(make), make.spoiled(np.zeros(make.count, dtype=np.int64))),
    "gleu.gleu_counts": lambda make: (
        *_of_references(make, make.tokens(), make.tokens()),
        make.number(4, 1, 9),
        False,
        make.number(1, 3),
    ),
    "green.green_counts": lambda make: (
        *_of_references(make, make.tokens(), make.tokens()),
        make.number(4, 1, 9),
        make.number(1, 3),
    ),
    "gleu.draw_rows": lambda make: (_drawn(make)[0], make.number(0, 9), make.number(0, 3), False, make.number(1, 2)),
    "gleu.sampled_totals": _sampled,
    "edits.ter_edits": lambda make: (make.tokens(), make.tokens(), make.number(1, 3)),
    "edits.changed_spans": lambda make: _of_references(make, make.tokens()),
    "grouping.group_edits": _grouped,
    "greedy.choose_rows": lambda make: (make.rows(_drawn(make)[1], 3), _drawn(make)[0], 0.25),
    "greedy.sample_totals": lambda make: (make.rows(4, 3), np.arange(5), 0.25, make.ids(6, 3).reshape(2, -1)),
    "greedy.subset_totals": _subsets,
    "maxmatch.match_corpus": lambda make: (
        make.tokens(),
        make.tokens(),
        _gold(make),
        _options(make),
        make.number(1, 2),
    ),
    "maxmatch.match_sentence": lambda make: (make.tokens(1), make.tokens(1), _gold(make), _options(make)),
    "imeasure.align": lambda make: (make.ids(3), make.ids(4), make.ids(2)),
    "imeasure.count_references": lambda make: (*_of_references(make, make.tokens(), make.tokens()), make.number(999)),
    "imeasure.choose_listed": lambda make: (make.rows(_drawn(make)[1], 15), _drawn(make)[0], _goal(make)),
    "imeasure.choose_mixed": lambda make: (
        make.tokens(),
        make.tokens(),
        _groups(make),
        _goal(make),
        _limits(make),
        make.number(1, 2),
    ),
    "trueskill.runs": _judged,
}


def attempt(seed: int, first: int, count: int) -> None:
    """Make calls that may raise errors. Print each call first, so that the last line names the one that crashed."""
    for number in range(first, first + count):
        random = Random(f"{seed} {number}")
        name = random.choice(list(CALLS))
        print(f"\rcall {number}: {name}", end="", flush=True)
        try:
            arguments = CALLS[name](Arrays(random, random.choice(SHARES)))
        except (AttributeError, ValueError, TypeError):
            continue  # spoiled too much to be put together
        bundles = [each for each in arguments if isinstance(each, SimpleNamespace)]
        if bundles and random.random() < 0.05:
            bundle = random.choice(bundles)
            delattr(bundle, random.choice(list(vars(bundle))))
        kernel, _, function = name.partition(".")
        try:
            getattr(kernels.select(kernel, "native"), function)(*arguments)
        except (AttributeError, ValueError, TypeError, MemoryError):
            continue


def change_meanwhile(seed: int, first: int, count: int) -> None:
    """Make calls whose arrays another thread changes. Print each call first."""
    for number in range(first, first + count):
        random = Random(f"{seed} {number}")
        name = random.choice(list(CALLS))
        print(f"\rcall {number}: {name}", end="", flush=True)
        try:
            arguments = CALLS[name](Arrays(random, 0, 2_000))
        except (AttributeError, ValueError, TypeError):
            continue  # too many to be put together
        kernel, _, function = name.partition(".")
        arrays = [array for argument in arguments for array in _arrays_in(argument) if array.flags.writeable]
        done = Event()
        other = Thread(target=_change, args=(arrays, random.choice(HUGE), done))
        other.start()
        try:
            for _ in range(3):
                with suppress(AttributeError, ValueError, TypeError, MemoryError):
                    getattr(kernels.select(kernel, "native"), function)(*arguments)
        finally:
            done.set()
            other.join()


def _arrays_in(value: Any) -> list[Any]:
    if isinstance(value, SimpleNamespace):
        return [array for part in vars(value).values() for array in _arrays_in(part)]
    return [value] if isinstance(value, np.ndarray) and value.size else []


def _change(arrays: list[Any], number: int, done: Event) -> None:
    while not done.is_set():
        for array in arrays:
            was = array.copy()
            array[...] = np.array(number).astype(array.dtype)
            array[...] = was

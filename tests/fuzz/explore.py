"""Attacks with cases made by hypothesis: run each case confined, and keep the smallest of every kind of problem."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator
from contextlib import suppress

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky

from .attack import Attack, Budget, Finding
from .confined import Case, Confined, Ending, confined, judge, shown

HOLDS = "the usual rule"  # docs/reliability.md spells it out above the table
_AT_ONCE = 200


class BrokenError(Exception):
    """The rule does not hold for a case."""


def missing() -> str:
    """Return why cases cannot be confined here."""
    return "" if hasattr(os, "fork") and os.path.exists("/proc/self/statm") else "processes cannot be bounded here"  # noqa: PTH110


def kind_of(problem: str) -> str:
    """Return the part of a problem that is the same for all problems with its cause."""
    return re.sub(r"\d+|'[^']*'|\"[^\"]*\"", "…", problem)


class Explorer:
    """Runs cases until the budget is spent, and keeps the smallest case of every kind of problem."""

    def __init__(self, process: Confined, budget: Budget) -> None:
        self.process, self.budget = process, budget
        self.known: set[str] = set()
        self.broken: dict[str, tuple[Case, Ending, str]] = {}

    def attempt(self, case: Case) -> None:
        """Run a case. Raise an error if it has a new kind of problem."""
        if not self.budget.seconds() or not (self.budget.left() or self.broken):
            return
        self.budget.count()
        ending = self.process.run(case)
        problem = judge(case, ending)
        kind = kind_of(problem)
        if not problem or kind in self.known:
            return
        if kind not in self.broken or len(repr(case)) < len(repr(self.broken[kind][0])):
            self.broken[kind] = (case, ending, problem)
        raise BrokenError(problem)

    def run(self, cases: st.SearchStrategy[Case], number: int) -> None:
        """Let hypothesis make some cases, and smaller ones if a case has a problem."""

        @seed(number)
        @settings(
            max_examples=int(max(1, min(_AT_ONCE, self.budget.most - self.budget.tries))),
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
        )
        @given(cases)
        def attempt(case: Case) -> None:
            self.attempt(case)

        with suppress(BrokenError, Flaky):  # what broke is kept, a case that breaks only sometimes too
            attempt()


def explore(cases: st.SearchStrategy[Case], number: int, budget: Budget) -> Iterator[Finding]:
    """Run cases until the budget is spent. The smallest case of every kind of problem is a finding."""
    explorer = Explorer(confined(), budget)
    while budget.left():
        number += 1
        explorer.run(cases, number)
        for case, ending, problem in explorer.broken.values():
            yield Finding(problem, shown(case, ending))
        explorer.known |= set(explorer.broken)
        explorer.broken.clear()


def attack(name: str, tries: str, cases: st.SearchStrategy[Case], holds: str = HOLDS, share: float = 1.0) -> Attack:
    """Return an attack that runs cases of a strategy."""
    run = functools.partial(explore, cases)
    return Attack(name, tries, holds, run, share=share, missing=missing, prepare=confined)

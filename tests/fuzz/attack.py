"""Attacks: each repeats a kind of try, and every try that breaks a rule is a finding."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path


@dataclass(frozen=True)
class Finding:
    """Something that must not happen: one line about it, and everything that is needed to reproduce it."""

    what: str
    evidence: str


@dataclass
class Budget:
    """The tries that an attack may make: until `deadline` (`time.monotonic()`), and at most `most`. Counts them.

    `for number in budget:` is one try each; an attack whose tries happen elsewhere calls `count`.
    """

    deadline: float = float("inf")
    most: float = float("inf")
    tries: int = 0

    def left(self) -> bool:
        """Return whether another try may be made."""
        return self.tries < self.most and time.monotonic() < self.deadline

    def seconds(self) -> float:
        """Return the time that is left."""
        return max(0.0, self.deadline - time.monotonic())

    def count(self, tries: int = 1) -> None:
        """Note tries that were made."""
        self.tries += tries

    def __iter__(self) -> Iterator[int]:
        while self.left():
            self.count()
            yield self.tries - 1


def _nothing_missing() -> str:
    return ""


def _nothing_to_prepare() -> None: ...


@dataclass(frozen=True)
class Attack:
    """An attack: its name, what it tries and what must hold (both shown in docs/reliability.md), and how it runs.

    `share` is its part of the whole time, of which `prepare` takes none; `missing` says why it cannot run here.
    """

    name: str
    tries: str
    holds: str
    run: Callable[[int, Budget], Iterable[Finding]]
    share: float = field(default=1.0, kw_only=True)
    missing: Callable[[], str] = field(default=_nothing_missing, kw_only=True)
    prepare: Callable[[], object] = field(default=_nothing_to_prepare, kw_only=True)


def all_attacks() -> dict[str, Attack]:
    """Return the attacks of all modules in `attacks`, by name."""
    modules = sorted(path.stem for path in (Path(__file__).parent / "attacks").glob("[a-z]*.py"))
    found = [each for name in modules for each in import_module(f".attacks.{name}", __package__).ATTACKS]
    attacks = {attack.name: attack for attack in found}
    if len(attacks) != len(found):
        raise ValueError("two attacks have one name")
    return attacks

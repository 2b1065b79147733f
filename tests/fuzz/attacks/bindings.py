"""Arrays that do not fit each other, through every binding of the native kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gecbench.kernels import native_module

from ..attack import Attack, Budget, Finding
from ..confined import Case, confined, judge
from ..explore import missing

_AT_ONCE = 100  # calls


def run(function: str) -> Callable[[int, Budget], Iterator[Finding]]:
    """Return an attack that makes many calls in each process. If it crashes, the last printed call is the culprit."""

    def attack(seed: int, budget: Budget) -> Iterator[Finding]:
        while budget.left():
            count = int(min(_AT_ONCE, budget.most - budget.tries))
            case = Case([], call=(f"hostile_arrays:{function}", (seed, budget.tries, count), {}))
            ending = confined().run(case)
            budget.count(count)
            if problem := judge(case, ending):
                yield Finding(
                    f"{ending.output.rpartition(': ')[2]}: {problem}", f"{case.call}\n{ending.output}\n{ending.errors}"
                )

    return attack


def _missing() -> str:
    return missing() or ("" if native_module() else "installed without compiled kernels")


ATTACKS = [
    Attack(
        "bindings",
        "every native function, called with missing arrays or with offsets, sizes, types or numbers that do not fit",
        "a result or an error; the process does not crash",
        run("attempt"),
        share=0.5,
        missing=_missing,
        prepare=confined,
    ),
    Attack(
        "changed-arrays",
        "arrays that another thread changes while a kernel works on them",
        "a result or an error; the process does not crash",
        run("change_meanwhile"),
        share=0.5,
        missing=_missing,
        prepare=confined,
    ),
]
